#!/bin/sh
# The command that makes a log large also folds it, with a progress line; ^C ends the fold, not the
# command's work.
. "$(dirname "$0")/lib.sh"
# Nothing that strace looks at can look for leaks.
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export ASAN_OPTIONS
command -v python3 >/dev/null || skip 'no python3 to be a terminal'
strace -o /dev/null true 2>/dev/null || skip 'no strace to make the disk slow'
run 0 init
run 0 new --root once
python3 -c 'print("many words of one text\n" * 420000)' >large.md

# slowly WORDS DELAY ARGUMENT…: runs on a terminal, with a disk that takes DELAY microseconds for a
# page of the grove; sends ^C once the words appear. `shown` has the screen's output.
slowly() {
	words=$1
	delay=$2
	shift 2
	what="loom $*"
	python3 "$here/answer.py" "$words" "$(printf '\003')" \
		strace -f -o /dev/null -P "$(pwd -P)/.loom/grove.db" \
		-e "inject=pwrite64:delay_enter=$delay" "$loom" "$@" >shown 2>err
	status 0 "$what"
}

slowly 'never said' 300 doc import --name one large.md
checks=$((checks + 2))
tr '\r' '\n' <shown | grep -o 'folding the log [0-9.]* of [0-9.]* MB' | sort -u >steps
[ "$(wc -l <steps)" -ge 3 ] || fail "no progress of the fold: $(cat steps)"
grep -q 'created' shown || fail 'what was done is not said'
[ ! -s .loom/grove.db-wal ] || fail 'the log was not folded'

slowly 'folding the log' 2000 doc import --name two large.md
checks=$((checks + 2))
[ -s .loom/grove.db-wal ] || fail '^C does not end the fold'
grep -q 'created' shown || fail 'what was done before ^C is not said'
run 0 doc show two
run 0 check --deep
[ ! -s .loom/grove.db-wal ] || fail 'the next one did not go on with it'

# A call folds what it wrote in the same way, but its ^C is for the calls that follow.
slowly 'never said' 300 do 'write doc:"one" append "the end"'
checks=$((checks + 3))
tr '\r' '\n' <shown | grep -o 'folding the log [0-9.]* of [0-9.]* MB' | sort -u >steps
[ "$(wc -l <steps)" -ge 3 ] || fail "no progress of the fold: $(cat steps)"
grep -q 'appended' shown || fail 'what was done is not said'
[ ! -s .loom/grove.db-wal ] || fail 'the log was not folded'
run 0 agent add runner --permissions all --approval auto
printf '→ write doc:"one" append "of a turn"\n' >turn
slowly 'never said' 300 run -a runner turn
checks=$((checks + 2))
grep -q 'folding the log' shown || fail 'no progress of the fold'
[ ! -s .loom/grove.db-wal ] || fail 'the log was not folded'
verdict
