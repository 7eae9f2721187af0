#!/bin/sh
# A slice of everything under valgrind, which sees what sanitizers do not: bytes that were never
# written, in other people's libraries too. It knows no openat2, so nothing is done to files beside
# the grove. usage: valgrind.sh PROGRAM TEST…
set -u
loom=$1
shift
command -v valgrind >/dev/null || {
	echo 'SKIP: no valgrind here'
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LOOM_GROVE LOOM_AGENT LOOM_NOW LOOM_SEED
HOME=$work XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data
XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache
export HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME
looked=0
bad=0

# under STATUS COMMAND…: runs it and expects that exit status, which an error of memory never is.
under() {
	wanted=$1
	shift
	valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite "$@" \
		>"$work/out" 2>"$work/err" </dev/null
	got=$?
	looked=$((looked + 1))
	[ "$got" -eq "$wanted" ] && return
	bad=$((bad + 1))
	printf '%s: exit status %d, not %d\n' "$*" "$got" "$wanted"
	head -n 40 "$work/err"
}

for test in "$@"; do
	under 0 "$test"
done
mkdir "$work/grove"
cd "$work/grove" || exit 1
printf '## User\n\nHello.\n\n## Assistant\n\n→ respond r001 "Hello."\n' >talk.md
printf 'Well.\n→ respond r001 "As agreed."\n→ stash "x" "kept"\n→ memory\n→ nonsense\n' >turn.txt
under 0 "$loom" init
under 0 "$loom" agent add Claude --permissions all --approval auto
under 0 "$loom" new --mode buffer --title Story --root 'The house stood empty.'
under 0 "$loom" do continue r001 n:2 tokens:8
under 1 "$loom" run -a Claude turn.txt
under 0 "$loom" do edit r001 'The house stands empty.'
under 0 "$loom" doc write notes talk.md
under 0 "$loom" import talk.md
under 0 "$loom" undo
under 0 "$loom" redo
under 1 "$loom" undo 2
under 0 "$loom" show Story/r001 --json
under 0 "$loom" grep house
under 0 "$loom" context -a Claude --format json
under 0 "$loom" export --grove
under 0 "$loom" paste --as Claude talk.md
under 0 "$loom" check --deep
under 0 "$loom" backup copy.db
under 0 "$loom" salvage copy.db again
under 0 "$loom" events
under 2 "$loom" shwo
printf 'valgrind: %d looked at, %d wrong\n' "$looked" "$bad"
[ "$bad" -eq 0 ]
