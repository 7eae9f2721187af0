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
