#!/bin/sh
# `loom parse`: reads a file, a pipe, or a missing file, and can be interrupted.
. "$(dirname "$0")/lib.sh"

printf 'Look:\n→ view a7x2\n' >turn.txt
run 0 parse turn.txt
json out
says out '"cmd":"view"'
silent err
run 0 parse --source human turn.txt --json
json out
says out '"calls":[]'
run 0 parse -- turn.txt
run 0 parse /dev/null
json out
run 0 parse -
json out
"$loom" parse <turn.txt >"$work/out" 2>"$work/err"
status 0 'loom parse < turn.txt'
says out '"id":"a7x2"'
printf '→ view ' >cut.txt
run 0 parse cut.txt
says out '"errors":[{'
run 0 --raw parse turn.txt
json out

run 2 parse --source someone turn.txt
says err 'model|human|paste|tool_result'
run 1 parse missing.txt
says err '✗ NOT_FOUND: there is no file missing.txt'
run 1 parse .
says err '✗ PATH_REFUSED'
run 2 parse turn.txt turn.txt
"$loom" parse <&- >"$work/out" 2>"$work/err"
status 3 'loom parse <&-'

# ^C while it waits: exit status 130, and no output.
if [ -d "/proc/$$/task" ] && mkfifo waiting; then
	exec 8<>waiting
	stopped_by INT rests parse <waiting
	status 130 'loom parse, interrupted'
	silent out
	exec 8>&-
fi
verdict
