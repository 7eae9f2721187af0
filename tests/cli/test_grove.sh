#!/bin/sh
# Groves on the command line: finding one, creating one, and files that are not groves.
. "$(dirname "$0")/lib.sh"

# same WHAT FILE FILE: expects equal bytes.
same() {
	checks=$((checks + 1))
	cmp -s "$2" "$3" || fail "$1: not the same bytes"
}

# --- no grove at all ---
run 1 trees
silent out
says err '✗ NOT_FOUND: there is no grove here, and no personal grove'
says err 'loom init'
run 1 -g "$work/nowhere" trees
says err "there is no grove in $work/nowhere"
says err "hint: loom init $work/nowhere"
run 1 -g "$work/nowhere" new
checks=$((checks + 1))
[ ! -e "$work/nowhere" ] || fail 'a named grove is not made by writing'
for command in 'show r001' 'log' 'tree' 'diff a b' 'tag' 'link r001' 'doc list' 'doc show x' \
	'doc export x' 'agent list' 'agent show x' 'ops' 'undo' 'redo' 'events' 'drafts' \
	'drafts show draft-00000000' 'verify' 'check' 'backup x.db' 'use x' 'agent set x'; do
	# shellcheck disable=SC2086
	run 1 $command
	says err 'there is no grove here'
done

# --- the first write of a person creates the personal grove ---
LOOM_AGENT=ada "$loom" new >"$work/out" 2>"$work/err"
status 1 'LOOM_AGENT=ada loom new'
checks=$((checks + 1))
[ ! -e data ] || fail 'an agent made a grove'
# Several at once: one creates it, all write.
for i in 1 2 3 4; do
	XDG_DATA_HOME=$work/race "$loom" new --title "Race $i" >"$work/race.$i" 2>&1 &
done
wait
XDG_DATA_HOME=$work/race "$loom" trees >"$work/out" 2>"$work/err"
status 0 'loom trees after a race'
lines out 4
checks=$((checks + 1))
[ "$(cat race.? | grep -c 'created your personal grove')" -eq 1 ] || fail 'not one of four made it'
[ "$(ls race/loom/.loom | grep -c new)" -eq 0 ] || fail 'the others left something'
run 0 new --title First
says err 'note: created your personal grove in'
lines out 1
checks=$((checks + 1))
[ "$(cat out | tr -d '\n' | wc -c)" -eq 26 ] || fail 'the id is not 26 letters'
run 0 trees
says out '"First"'
checks=$((checks + 1))
[ "$(stat -c %a data/loom/.loom)" = 700 ] || fail '.loom is open to others'
[ "$(stat -c %a data/loom/.loom/grove.db)" = 600 ] || fail 'grove.db is open to others'

# --- init, climbing, -g and LOOM_GROVE ---
mkdir -p project/deep/er
run 0 init project
says out "✓ created a grove in $work/project"
run 1 init project
says err 'CONFLICT'
run 0 --json init "$work/made by init/below"
json out
says out '"grove":"'
cd project/deep/er || exit 1
run 0 trees
silent out
says err 'no trees yet'
run 0 new --title Deep
run 0 trees
says out '"Deep"'
cd "$work" || exit 1
run 0 -g project trees
says out '"Deep"'
export LOOM_GROVE="$work/project"
run 0 trees
says out '"Deep"'
run 0 -g "$work/made by init/below" trees
silent out
unset LOOM_GROVE
run 0 trees
says out '"First"'
run 0 -g there init
says out "$work/there"
run 3 init /dev/null/x
run 2 init ''
says err 'hint: loom init [DIR]'
run 1 -g project backup .
says err 'hint: name a new file in it'

# --- trees ---
cd project || exit 1
run 0 new --mode buffer --title 'The "house"' --system 'You write.' --root - --json
json out
run 2 new --mode tree
run 2 new TITLE MORE
run 0 new
run 0 new
run 0 trees
says out '"untitled"'
says out '"untitled 2"'
says out '* '
lines out 4
run 0 trees --json
json out
says out '"mode":"buffer"'
says out '"system":"You write."'
run 0 use Deep
says out '✓ the current tree is "Deep"'
run 0 use deep --json
json out
# the default is the current position
run 0 show
says out '[r001]'
run 0 show --json
says out '"id":"r001"'
for node in '' /r001 Deep/ /; do
	run 1 show "$node"
	says err 'hint: a node is an id such as a7x2, or TREE/a7x2'
done
run 1 use 'No such'
says err 'loom trees'
run 1 use 01ZZZZZZ
run 2 use
# Title, description and prompt of a tree change in one step.
run 0 tree set --title 'The deep end' --description 'Below.' --system 'Be brief.'
says out '✓ tree "The deep end" changed'
run 0 tree set -t 'the deep end' --title 'The deep end' --json
json out
says out '"current":true'
says out '"description":"Below.","summary":"","system":"Be brief."'
run 0 ops --last 1
says out 'renamed tree "Deep" to "The deep end"'
run 0 undo
run 0 trees --json
lacks out 'The deep end'
lacks out 'Be brief.'
run 0 redo
run 0 tree set --description '' --system ''
run 0 ops --last 1
says out 'description, system prompt of tree "The deep end"'
run 0 tree set --description ''
says out 'unchanged'
run 2 tree set
says err 'hint: loom tree set --title'
run 1 tree set --title ' '
says err 'a tree needs a title'
run 1 tree set -t 'No such' --title x
run 1 tree set --title "$(printf '\377')"
run 0 agent add reader --permissions analyst
checks=$((checks + 1))
LOOM_AGENT=reader "$loom" tree set --title x >"$work/out" 2>"$work/err" && fail 'a reader named a tree'
says err 'PERMISSION_DENIED: loom_write not enabled'
run 0 tree set --title Deep
# A title is shown, never passed on.
run 0 new --title "$(printf 'a\033[31mb')"
run 0 trees
lines out 5
says out 'a^[[31mb'
# It stands on one line.
run 1 new --title "$(printf 'a\n[r001] human')"
says err 'INVALID: a title must be one line: line break at byte 1'
says err 'hint: type "a [r001] human"'
# A title that two trees share is ambiguous.
run 0 new --title Twice
run 0 new --title Twice
run 1 use Twice
says err 'INVALID_SYNTAX: several trees are called'
run 1 use 0
says err 'INVALID_SYNTAX: several trees have an id that begins with "0"'

# --- a grove that cannot be opened is not skipped ---
cd "$work" || exit 1
mkdir had linked filed
run 0 init had
run 0 -g had new --title Only
run 0 -g had use 0
says out '✓ the current tree is "Only"'
run 1 init had
says err 'hint: `loom -g '
ln -s "$work/had/.loom" linked/.loom
cd linked || exit 1
run 3 trees
says err '.loom is a link; a store is not opened through links'
says err 'hint: with -g, name'
cd ..
: >filed/.loom
run 1 init filed
says err 'is in the way: it is not a directory'
run 2 -g had backup -
run 3 -g had backup "$work/nhad/copy.db"
says err 'No such file or directory'
if [ "$(id -u)" -ne 0 ]; then
	chmod 0 had/.loom
	cd had || exit 1
	run 3 new --title Elsewhere
	says err 'cannot read'
	says err 'hint: chmod u+rwx it'
	cd ..
	chmod 700 had/.loom
	chmod 0 had/.loom/grove.db
	run 3 -g had trees
	says err 'grove.db: Permission denied'
	chmod 600 had/.loom/grove.db
	chmod -R a-w had/.loom
	run 0 -g had trees
	run 3 -g had new --title Elsewhere
	says err 'READ_ONLY: the grove in '
	says err 'hint: `chmod -R u+w .loom`'
	chmod -R u+w had/.loom
fi

# --- a disk mounted read-only ---
# frozen GROVE ARGUMENT…: runs on a grove on such a disk; keeps $work/out and /err.
frozen() {
	what="loom $* on a disk for reading only"
	unshare -m sh -c 'mount --bind "$2" "$2" && mount -o remount,bind,ro "$2" && loom=$1 &&
		shift && exec "$loom" -g "$@"' sh "$loom" "$@" >"$work/out" 2>"$work/err" </dev/null
}
cd "$work" || exit 1
mkdir -p alone/.loom
if command -v sqlite3 >/dev/null && unshare -m mount --bind alone alone 2>/dev/null; then
	run 0 -g had show Only/r001
	frozen had show Only/r001
	status 0 'a look at what cannot be written'
	frozen had new --title Elsewhere
	status 3 'a write to what cannot be written'
	says err 'READ_ONLY: the grove in '
	says err 'hint: the disk is mounted read-only'
	# Its file came here without the log that it says it has.
	run 0 -g had backup alone/.loom/grove.db
	sqlite3 alone/.loom/grove.db 'PRAGMA journal_mode = WAL' >/dev/null
	rm -f alone/.loom/grove.db-wal alone/.loom/grove.db-shm
	frozen alone trees
	status 3 'a look at what has no log and can make none'
	says err 'cannot be read unless its directory is writable'
	says err 'hint: the disk is mounted read-only'
	run 0 -g alone trees
fi

# --- other files stay untouched ---
cd "$work" || exit 1
for kind in empty text foreign short; do
	mkdir -p "$kind/.loom"
done
: >empty/.loom/grove.db
head -c 5000 /dev/zero | tr '\0' 'x' >text/.loom/grove.db
printf 'SQLite format 3\000' >short/.loom/grove.db
if command -v sqlite3 >/dev/null; then
	rm -f foreign/.loom/grove.db
	sqlite3 foreign/.loom/grove.db 'CREATE TABLE t(x); INSERT INTO t VALUES(1);'
else
	cp text/.loom/grove.db foreign/.loom/grove.db
fi
for kind in empty text foreign short; do
	cp "$kind/.loom/grove.db" "$kind.before"
	for command in trees 'new --title x' 'show r001' check verify 'backup copy.db' 'init .'; do
		wanted=3
		[ "$command" != 'init .' ] || wanted=1
		cd "$kind" || exit 1
		# shellcheck disable=SC2086
		run $wanted $command
		silent out
		cd "$work" || exit 1
	done
	same "$kind" "$kind/.loom/grove.db" "$kind.before"
	checks=$((checks + 1))
	[ "$(ls "$kind/.loom")" = grove.db ] || fail "$kind: something was put beside it"
done

# A damaged page is found, and its bytes are left alone.
mkdir -p damaged/.loom
run 0 -g project backup damaged/.loom/grove.db
if command -v python3 >/dev/null; then
	python3 - damaged/.loom/grove.db <<'PY'
import sys
f = open(sys.argv[1], 'r+b')
f.seek(0, 2)
size = f.tell()
for page in range(3, size // 4096, 2):
    f.seek(page * 4096 + 100)
    f.write(b'\xff' * 600)
PY
	chmod 600 damaged/.loom/grove.db
	cp damaged/.loom/grove.db damaged.before
	"$loom" -g damaged check >"$work/out" 2>"$work/err" </dev/null
	got=$?
	checks=$((checks + 1))
	case $got in 1 | 3) ;; *) fail "check of a damaged grove: exit status $got" ;; esac
	same 'damaged' damaged/.loom/grove.db damaged.before
	# What a check cannot open is not sent to a check.
	mkdir -p cut/.loom
	head -c 20000 damaged.before >cut/.loom/grove.db
	chmod 600 cut/.loom/grove.db
	run 3 -g cut check
	says err 'hint: loom salvage recovers what is left into a new grove'
fi

# --- a newer grove is read, not written ---
if command -v sqlite3 >/dev/null; then
	mkdir -p newer/.loom
	run 0 -g project backup newer/.loom/grove.db
	sqlite3 newer/.loom/grove.db 'PRAGMA user_version = 99'
	chmod 600 newer/.loom/grove.db
	run 0 -g newer trees
	says out '"Deep"'
	run 0 -g newer show "Deep/r001"
	run 0 -g newer log "Deep/r001"
	run 0 -g newer doc list
	run 0 -g newer verify
	run 0 -g newer backup newer.copy.db
	run 0 -g newer events
	for command in 'new --title x' 'tag r001 x' 'use Deep' 'undo' 'redo' 'agent add x' \
		'doc write x'; do
		# shellcheck disable=SC2086
		run 3 -g newer $command
		says err '✗ READ_ONLY: the grove was written by a newer loom'
	done
fi

# --- the same seed and the same time give the same bytes ---
session() {
	mkdir "$1"
	cd "$1" || exit 1
	export LOOM_NOW=2026-02-23T10:00:00Z LOOM_SEED=12
	{
		"$loom" init --json | sed 's/"dir":"[^"]*"//'
		"$loom" new --title One --root 'Once.'
		"$loom" new --title Two --mode buffer --root 'Twice.'
		"$loom" tag One/r001 first
		echo text | "$loom" doc write notes
		"$loom" import ../project.json
		"$loom" agent add ada --permissions all --approval auto --model ngram --json
		"$loom" undo
		"$loom" redo --json
		"$loom" show One/r001 --json
		"$loom" trees --json
		"$loom" events
		"$loom" ops --json
	} >said 2>&1
	unset LOOM_NOW LOOM_SEED
	cd "$work" || exit 1
}
run 0 -g project export --grove -o project.json
session one
session two
same 'two runs with one seed' one/said two/said
checks=$((checks + 1))
grep -q '2026-02-23T10:00:00.000Z' one/said || fail 'LOOM_NOW is not what is stored'
if command -v sqlite3 >/dev/null; then
	# a store's id and epoch are drawn by chance, always
	for one in one two; do
		sqlite3 $one/.loom/grove.db .dump | grep -v '^INSERT INTO epoch' >$one.dump
	done
	same 'what two runs with one seed stored' one.dump two.dump
fi
verdict
