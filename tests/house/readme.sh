#!/bin/sh
# README.md shows exactly two commands to copy, one line each; .ci/run runs the second as it stands.
. "$(dirname "$0")/lib.sh"

commands=$(awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md)
checked=$(printf '%s\n' "$commands" | wc -l)
[ "$checked" -eq 2 ] || say "README.md has $checked lines to copy in its sh blocks, not 2"
printf '%s\n' "$commands" | while IFS= read -r line; do
	sh -n -c "$line" || exit 1
done || say "a command of README.md is no shell"
test_command=$(sh .ci/run --show) || say ".ci/run does not show its command"
[ "$test_command" = "$(printf '%s\n' "$commands" | sed -n 2p)" ] ||
	say ".ci/run runs another command than README.md shows: $test_command"
case $test_command in
*ctest*) ;;
*) say "the second command of README.md runs no tests" ;;
esac
[ -x .ci/run ] || say ".ci/run may not be executed"
verdict
