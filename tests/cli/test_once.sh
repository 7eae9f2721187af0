#!/bin/sh
# --op ID: what is asked for twice under one id is done once, and answered the same.
. "$(dirname "$0")/lib.sh"
# Nothing that strace looks at can look for leaks.
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export ASAN_OPTIONS
run 0 init
run 0 new --root once
printf 'a text\n' >file

ops() {
	"$loom" ops --last 1000 2>/dev/null | wc -l
}

# twice ARGUMENT…: the same answer and exit status again, and nothing more in the grove.
twice() {
	run 0 "$@"
	cp out first
	had=$(ops)
	run 0 "$@"
	checks=$((checks + 2))
	cmp -s out first || fail "$what: another answer"
	[ "$(ops)" -eq "$had" ] || fail "$what: done twice"
}

# An id, each in another of the three forms: id NUMBER
id() {
	case $(($1 % 3)) in
	0) printf '0123456789ABCDEFGHJKMN%04d' "$1" ;;
	1) printf '0123456789abcdef0123456789ab%04d' "$1" ;;
	2) printf '01234567-89ab-cdef-0123-4567abcd%04d' "$1" ;;
	esac
}

# --- every kind of command that writes ---
twice do --op "$(id 1)" respond r001 'again and again'
twice do --op "$(id 2)" --json respond r001 'in JSON'
twice --op "$(id 3)" new --title second --root two
twice new --title third --op "$(id 4)"
twice tag --op "$(id 5)" r001 motive
twice tree set --op "$(id 6)" -t untitled --title first
twice use --op "$(id 7)" first
twice link --op "$(id 8)" r001 --tree second
twice doc import --op "$(id 9)" --name notes file
twice doc write --op "$(id 10)" --append notes file
twice doc rename --op "$(id 11)" notes others
twice agent add --op "$(id 12)" ada --permissions all --approval auto
twice agent set --op "$(id 13)" ada --name eve
twice undo --op "$(id 14)"
twice undo --op "$(id 15)"
twice redo --op "$(id 16)"
printf '→ respond r001 "of a turn"\n→ bookmark r001 "here"\n' >turn
run 0 agent add runner --permissions all --approval auto
twice run --op "$(id 18)" -a runner turn
printf '{"root":{"text":"top","children":[{"text":"low"}]}}' >tree.json
twice import --op "$(id 19)" --format pyloom tree.json
run 0 check --deep

# --- another command, other inputs, no id ---
had=$(ops)
run 1 do --op "$(id 1)" respond r001 'something else'
says err '✗ CONFLICT: that id was used already, for another command'
run 1 tag --op "$(id 1)" r001 motive
says err '✗ CONFLICT'
LOOM_AGENT=runner run 1 do --op "$(id 1)" respond r001 'again and again'
says err '✗ CONFLICT'
printf 'another text\n' >file
run 1 doc write --op "$(id 10)" --append notes file
says err '✗ CONFLICT: that id was used already, and what the command reads is not the same'
run 2 do --op 12345 respond r001 x
says err 'ULID'
[ "$(ops)" -eq "$had" ] || fail 'what was refused left something'
# The same id in another form is the same id.
run 0 do --op "$(id 1 | tr a-f A-F)" respond r001 'again and again'
[ "$(ops)" -eq "$had" ] || fail 'an id in capitals is another one'
# In the other form what is known of it is said.
run 0 do --op "$(id 1)" --json respond r001 'again and again'
json out
says out '"again":true'

# --- what failed, or found nothing to do, is tried again ---
run 1 do --op "$(id 30)" respond a2a2 'into nothing'
run 0 do --op "$(id 30)" respond r001 'into something'

# --- many at once ---
had=$(ops)
for _ in 1 2 3 4 5 6 7 8; do
	"$loom" do --op "$(id 40)" respond r001 'of eight' >>all 2>&1 &
done
wait
checks=$((checks + 2))
[ "$(ops)" -eq $((had + 1)) ] || fail 'eight at once were not one'
grep -q '✗' all && fail "one of eight was refused: $(cat all)"

# --- a disk that does not confirm ---
if strace -o /dev/null true 2>/dev/null; then
	for when in 1 1+; do
		had=$(ops)
		strace -f -o /dev/null -e inject=fdatasync:error=EIO:when=$when \
			"$loom" do --op "$(id 5$((${#when})))" respond r001 z >out 2>err
		status 3 "a sync that fails ($when)"
		[ $when = 1 ] && says out 'nothing of it is in the grove'
		[ $when = 1+ ] && says out 'it may be in the grove all the same'
		[ $when = 1 ] && [ "$(ops)" -ne "$had" ] && fail 'it is in the grove'
		run 0 do --op "$(id 5$((${#when})))" respond r001 z
		run 0 do --op "$(id 5$((${#when})))" respond r001 z
		checks=$((checks + 1))
		[ "$(ops)" -eq $((had + 1)) ] || fail "after a sync that failed ($when): not once"
	done
	# Killed between the commit and the answer: what was done is said.
	had=$(ops)
	strace -f -o /dev/null -e inject=fdatasync:signal=KILL:when=2 \
		"$loom" do --op "$(id 60)" respond r001 'killed' >out 2>err
	run 0 do --op "$(id 60)" respond r001 'killed'
	[ "$(ops)" -eq $((had + 1)) ] || fail 'killed behind its commit: not once'
fi
run 0 check --deep
verdict
