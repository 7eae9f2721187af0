#!/bin/sh
# README.md is short enough to be read: at most 250 lines, only existing files, and exactly two
# commands to copy, one line each. The first installs, builds and opens the program; the second is
# the one that .ci/run runs.
. "$(dirname "$0")/lib.sh"

lines=$(wc -l <README.md)
[ "$lines" -le 250 ] || say "README.md: $lines lines, and at most 250 are read"
for file in $({
	sed -nE 's/.*\]\(([^):#]+)\).*/\1/p' README.md
	grep -oE '(include|model|tools|tui|tests|themes)/[a-z_/.]*[a-z]' README.md
} | sort -u); do
	[ -e "$file" ] || say "README.md names $file, which is not there"
done

there=$(mktemp)
trap 'rm -f "$there"' EXIT
files >"$there"

# The overview pages: architecture, tests, and one for each of model, tools and tui.
for page in include/loom/README.md:150 tests/README.md:40 model/README.md:30 tools/README.md:30 \
	tui/README.md:30; do
	most=${page##*:} page=${page%:*}
	[ -d "${page%/README.md}" ] || continue
	lines=$(wc -l 2>/dev/null <"$page" || echo 0)
	[ "$lines" -ge 15 ] && [ "$lines" -le "$most" ] ||
		say "$page: $lines lines, and it has 15 to $most"
	for file in $(grep -oE '`[a-z_]+\.(c|h|def|inc)`' "$page" 2>/dev/null | tr -d '`' | sort -u); do
		grep -qE "(^|/)$file\$" "$there" || say "$page names $file, which is not there"
	done
done

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
