#!/bin/sh
# Restoring backups, logs and their stores, and a grove at rest as a single file.
. "$(dirname "$0")/lib.sh"

write() {
	for _ in $(seq "$1"); do
		seq 32 | sed 's/.*/→ respond r001 "text &"\n/' | "$loom" run -a A >/dev/null 2>&1
	done
}
grove() {
	run 0 init "$1"
	cd "$1" || exit 1
	run 0 new --title T --root r
	run 0 agent add A --permissions all --approval auto
}
nodes() { "$loom" trees --json 2>/dev/null | grep -o '"nodes": *[0-9]*' | grep -o '[0-9]*$'; }
sum() { cat .loom/grove.db .loom/grove.db-wal 2>/dev/null | cksum; }
alone() {
	checks=$((checks + 1))
	[ ! -s .loom/grove.db-wal ] || fail "$1: the log is not folded in"
}
is() {
	checks=$((checks + 1))
	[ "$2" = "$3" ] || fail "$1: $2, not $3"
}
# Leaves a log that is not folded in, as a killed program does: a reader holds an earlier state during
# the write, and never closes.
unfolded() {
	python3 - "$loom" "$1" <<-'EOP'
	import os, signal, sqlite3, subprocess, sys
	loom, text = sys.argv[1:]
	subprocess.run([loom, 'do', 'respond', 'r001', 'before ' + text], check=True, stdout=subprocess.DEVNULL)
	reader = sqlite3.connect('.loom/grove.db', isolation_level=None)
	reader.execute('BEGIN')
	reader.execute('SELECT * FROM grove').fetchall()
	for i in range(2):
	    subprocess.run([loom, 'do', 'respond', 'r001', text], check=True, stdout=subprocess.DEVNULL)
	    reader.execute('COMMIT')
	    reader.execute('BEGIN')
	    reader.execute('SELECT * FROM grove').fetchall()
	subprocess.run([loom, 'do', 'respond', 'r001', text], check=True, stdout=subprocess.DEVNULL)
	os.kill(os.getpid(), signal.SIGKILL)
	EOP
	checks=$((checks + 1))
	[ -s .loom/grove.db-wal ] || fail "no log was left of \"$1\""
}
command -v python3 >/dev/null || skip 'no python3 to leave a log behind'

# --- at rest a grove is one file, and a copy of that is complete ---
grove "$work/rest"
alone 'after commands'
write 2
alone 'after runs'
now=$(nodes)
mkdir -p "$work/moved/.loom"
cp .loom/grove.db "$work/moved/.loom/"
is 'the copy of one file' "$(cd "$work/moved" && nodes)" "$now"

# --- restoring a backup ---
run 0 backup ../b.db
is 'the last line of a backup' "$(tail -n 1 "$work/out")" "loom restore $work/b.db"
write 3
later=$(nodes)
before=$(cksum <../b.db)
run 1 restore ../b.db
says err 'loom restore FILE --yes'
is 'what was not said twice' "$(nodes)" "$later"
run 0 restore ../b.db --yes
says out .loom/grove.db.kept-1
is 'the restored grove' "$(nodes)" "$now"
is 'the backup' "$(cksum <../b.db)" "$before"
run 0 check --deep
run 0 do respond r001 after
run 0 check --deep
run 0 restore .loom/grove.db.kept-1 --yes
is 'what is taken back' "$(nodes)" "$later"
run 0 check --deep
LOOM_AGENT=A run 1 restore ../b.db --yes
# simply copying a backup into place works too
cp ../b.db .loom/grove.db
run 0 check --deep
is 'the copied backup' "$(nodes)" "$now"
run 0 do respond r001 x
run 0 check --deep
cd ..

# --- foreign logs ---
grove "$work/one"
unfolded mine
cp -r ../one ../killed
run 0 log
alone 'after a reader'
cd ../killed || exit 1
run 0 log
run 0 check --deep
is 'what the killed ones were told is done' "$(nodes)" 5
alone 'after the next one'
grove "$work/two"
unfolded other
kept=$(sum)
cp ../one/.loom/grove.db .loom/grove.db
changed=$(sum)
for command in trees 'do respond r001 x' 'check --deep' 'backup ../no.db'; do
	# shellcheck disable=SC2086
	run 3 $command
	says err grove.db-wal
	says err 'loom restore FILE'
done
is 'a refused grove' "$(sum)" "$changed"
run 1 init .
mv .loom/grove.db ../aside.db
run 1 init .
says err grove.db-wal
mv ../aside.db .loom/grove.db
# an older log of the same store
cd ../one || exit 1
cp -r ../one ../older
unfolded again
cp .loom/grove.db-wal ../older.wal
run 0 log
write 1
whole=$(nodes)
cp ../older.wal .loom/grove.db-wal
run 3 trees
run 0 salvage . ../told
is 'what is salvaged beside a strange log' "$(cd ../told && nodes)" "$whole"
rm .loom/grove.db-wal
run 0 check --deep
# a restore keeps a foreign log under another name
cp ../older.wal .loom/grove.db-wal
now=$(cksum <../older.wal)
run 0 restore ../b.db --yes
says out .loom/grove.db.kept-1-wal
is 'the strange log' "$(cksum <.loom/grove.db.kept-1-wal)" "$now"
run 0 check --deep
alone 'after a restore'
run 0 restore .loom/grove.db.kept-1 --yes
run 0 check --deep

# --- a damaged, torn or missing grove ---
dd if=/dev/zero of=.loom/grove.db bs=512 count=3 conv=notrunc 2>/dev/null
kept=$(cksum <.loom/grove.db)
run 3 trees
run 0 restore ../b.db --yes
at=$(sed -n 's/^  loom restore //p' "$work/out")
is 'the damaged one' "$(cksum <"$at")" "$kept"
run 0 check --deep
run 0 restore "$at" --yes
is 'the damaged one taken back' "$(cksum <.loom/grove.db)" "$kept"
rm .loom/grove.db
run 0 restore ../b.db --yes
run 0 check --deep
run 3 restore "$at.none" --yes
cp "$at" ../damaged.db
run 3 restore ../damaged.db --yes
says err "$work/damaged.db is not a database"
cp ../b.db ../damaged.db
dd if=/dev/zero of=../damaged.db bs=4096 seek=5 count=40 conv=notrunc 2>/dev/null
run 3 restore ../damaged.db --yes
says err salvage
run 0 check --deep
mkdir ../fresh
run 0 -g ../fresh restore ../b.db --yes
run 0 -g ../fresh check --deep

# --- the grove is open elsewhere ---
cd "$work/one" || exit 1
run 0 trees
mkfifo "$work/pipe"
"$loom" events --follow >"$work/events" 2>&1 &
other=$!
wait_until 'a follower has it open' rests "$other"
"$loom" restore ../b.db --yes >"$work/out" 2>"$work/err"
what='restore of an open grove'
says err "(pid $other"
is 'what is open stays' "$(ls .loom | grep -c restoring)" 0
kill "$other"
wait "$other" 2>/dev/null
run 0 restore ../b.db --yes

# a program of any version counts: what is asked is SQLite's own lock
python3 - .loom/grove.db >"$work/reads" <<-'EOP' &
import sqlite3, sys, time
reader = sqlite3.connect(sys.argv[1], isolation_level=None)
reader.execute('BEGIN')
reader.execute('SELECT * FROM grove').fetchall()
print('reads', flush=True)
time.sleep(600)
EOP
other=$!
until_says "$work/reads" reads
run 3 restore ../b.db --yes
says err "(pid $other)"
kill "$other"
wait "$other" 2>/dev/null

# --- asked on a terminal ---
for answer in n '' y; do
	before=$(cksum <.loom/grove.db)
	python3 "$here/answer.py" 'y/N' "$answer" "$loom" restore ../b.db >"$work/out" 2>"$work/err"
	got=$?
	what="restore, answered \"$answer\""
	says out 'replace the grove in '
	is "$what" "$([ $got -eq 0 ] && echo yes)" "$([ "$answer" = y ] && echo yes)"
	[ "$answer" = y ] || is "$what" "$(cksum <.loom/grove.db)" "$before"
done

# --- one rename, behind which nothing is left to be written ---
if strace -o /dev/null true 2>/dev/null; then
	ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" strace -f -y -o "$work/calls" \
		-e trace=fsync,fdatasync,/rename,link,linkat "$loom" restore ../b.db --yes >"$work/out" 2>"$work/err"
	status 0 'restore under strace'
	python3 - "$work/calls" "$(pwd -P)/.loom" <<-'EOP' >"$work/out" || fail 'the order of a restore'
	import re, sys
	calls, inner = open(sys.argv[1]).read().splitlines(), sys.argv[2]
	[place] = [i for i, call in enumerate(calls) if re.search(r'rename\w*\(.*"%s/grove.db"' % inner, call)]
	kept = [i for i, call in enumerate(calls) if re.search(r'link\w*\(.*grove.db.kept-', call)]
	synced = lambda what, calls: any(re.search(r'f(data)?sync\(\d+<%s>' % what, call) for call in calls)
	print('\n'.join(calls))
	assert kept and kept[0] < place, 'what was there is kept first'
	assert synced(inner, calls[kept[0]:place]), 'its name is on the disk before'
	assert synced(inner + r'/restoring-\d+/.loom/grove.db', calls[:place]), 'the copy is on the disk before'
	assert synced(inner, calls[place:]), 'and its place afterwards'
	EOP
fi

# --- a fold waits for nobody long ---
unfolded held
python3 - .loom/lock >"$work/holds" <<-'EOP' &
import fcntl, sys, time
file = open(sys.argv[1], 'r+')
fcntl.flock(file, fcntl.LOCK_EX)
print('holds', flush=True)
time.sleep(600)
EOP
other=$!
until_says "$work/holds" holds
run 0 log
checks=$((checks + 1))
[ -s .loom/grove.db-wal ] || fail 'the log was folded in spite of the lock'
kill "$other"
wait "$other" 2>/dev/null
run 0 log
alone 'after the next one'

# --- whose a file is: a store's id is its own, and no grove's; an epoch is drawn at each fold ---
mark() { # FILE: the store's id, and the epoch
	python3 - "$1" <<-'EOP'
	import sqlite3, sys
	db = sqlite3.connect('file:%s?mode=ro' % sys.argv[1], uri=True)
	[(mark,)] = db.execute('SELECT mark FROM epoch')
	[(ulid,)] = db.execute('SELECT ulid FROM grove')
	print(mark[16:32].hex(), mark[32:48].hex(), bytes(ulid).hex())
	EOP
}
field() { mark "$1" | cut -d ' ' -f "$2"; }
run 0 trees
differ() {
	checks=$((checks + 1))
	[ "$2" != "$3" ] && [ -n "$2" ] && [ -n "$3" ] || fail "$1: both $2"
}
run 0 backup ../d.db
differ 'a store and its backup' "$(field .loom/grove.db 1)" "$(field ../d.db 1)"
was=$(field .loom/grove.db 1)
differ 'a store and its grove' "$was" "$(field .loom/grove.db 3)"
run 0 restore ../d.db --yes
differ 'a store before a restore and behind it' "$was" "$(field .loom/grove.db 1)"
differ 'a store and the backup that it is of' "$(field ../d.db 1)" "$(field .loom/grove.db 1)"
is 'the grove of both' "$(field .loom/grove.db 3)" "$(field ../d.db 3)"
cp -r ../one ../twin
for side in ../one ../twin; do
	run 0 -g $side do respond r001 'the same words'
done
differ 'the epochs of two copies' "$(field .loom/grove.db 2)" "$(field ../twin/.loom/grove.db 2)"
run 0 init ../shared --store "file://$work/shared.loomlog"
run 0 -g ../shared new --title T --root r
run 0 clone "file://$work/shared.loomlog" ../clone
differ 'the stores of two clones' "$(field ../shared/.loom/grove.db 1)" "$(field ../clone/.loom/grove.db 1)"
is 'the grove of two clones' "$(field ../shared/.loom/grove.db 3)" "$(field ../clone/.loom/grove.db 3)"
checks=$((checks + 1))
python3 - "$work/shared.loomlog" "$(field ../shared/.loom/grove.db 1)" "$(field ../clone/.loom/grove.db 1)" \
	"$(field ../shared/.loom/grove.db 2)" <<-'EOP' || fail 'a shared log has the id of a store'
import sys
log = open(sys.argv[1], 'rb').read()
sys.exit(any(bytes.fromhex(one) in log or one.encode() in log for one in sys.argv[2:]))
EOP

# --- a folder of an earlier loom, named by the grove, goes to the first store that asks ---
mkdir "$work/early"
cd "$work/early" || exit 1
run 0 init
run 0 new --title T --root r
run 0 agent add B --permissions all --approval auto
cp -r ../early ../later
folder=$(echo "$XDG_STATE_HOME/loom/$(field .loom/grove.db 1)"-*)
ulid=$("$loom" check --json >/dev/null; head -n 1 "$folder/place")
mv "$folder" "$XDG_STATE_HOME/loom/$ulid"
LOOM_AGENT=B run 0 do respond r001 'with its grants'
checks=$((checks + 1))
[ -d "$folder" ] && [ ! -e "$XDG_STATE_HOME/loom/$ulid" ] || fail 'the folder was not taken over'
LOOM_AGENT=B run 1 -g ../later do respond r001 'with them, too'

# --- what was granted and kept outside ---
cd "$work/rest" || exit 1
run 0 agent add B --permissions all --approval auto
cp -r ../rest ../copied
LOOM_AGENT=B run 0 do respond r001 here
cd ../copied || exit 1
LOOM_AGENT=B run 1 do respond r001 there
cd ..
mv rest elsewhere
cd elsewhere || exit 1
LOOM_AGENT=B run 0 do respond r001 moved
run 0 backup ../c.db
LOOM_AGENT=B run 0 do respond r001 zebra
run 0 grep zebra
says out zebra
run 0 restore ../c.db --yes
LOOM_AGENT=B run 0 do respond r001 quagga
run 0 grep quagga
says out quagga
"$loom" grep zebra >"$work/out" 2>&1
what='search of what is gone'
lacks out ']'
# the same store at an earlier time
cp .loom/grove.db ../earlier.db
run 0 do respond r001 lynx
run 0 grep lynx
cp ../earlier.db .loom/grove.db
run 0 do respond r001 ocelot
run 0 grep ocelot
says out ocelot

verdict
