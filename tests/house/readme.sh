#!/bin/sh
# README.md shows exactly two commands to copy, one line each: the first installs, builds and opens
# the program, the second is what .ci/run runs.
. "$(dirname "$0")/lib.sh"

commands=$(awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md)
checked=$(printf '%s\n' "$commands" | wc -l)
[ "$checked" -eq 2 ] || say "README.md has $checked lines to copy in its sh blocks, not 2"
printf '%s\n' "$commands" | while IFS= read -r line; do
	sh -n -c "$line" || exit 1
done || say "a command of README.md is no shell"
case $(printf '%s\n' "$commands" | sed -n 1p) in
'.ci/install && '*' && build/loom') ;;
*) say "the first command of README.md does not install, build and open the program" ;;
esac
test_command=$(sh .ci/run --show) || say ".ci/run does not show its command"
[ "$test_command" = "$(printf '%s\n' "$commands" | sed -n 2p)" ] ||
	say ".ci/run runs another command than README.md shows: $test_command"
[ "$test_command" = .ci/test ] || say "the second command of README.md is not .ci/test"

for script in install test run; do
	[ -x ".ci/$script" ] || say ".ci/$script may not be executed"
	sh -n ".ci/$script" || say ".ci/$script is no shell"
done
grep -q '^[^#]*ctest' .ci/test || say ".ci/test runs no tests"
! grep -qe --repeat .ci/test || say ".ci/test repeats tests until they pass"
verdict
