#!/bin/sh
# The top level holds the rooms, the build list, the README, the licence and tool settings; no more.
. "$(dirname "$0")/lib.sh"

allowed=' include model tools tui themes tests CMakeLists.txt README.md LICENSE .ci .clang-format
 .clang-tidy .gitignore '
allowed=" $(printf '%s' "$allowed" | tr '\n' ' ') "

for entry in $(files | sed 's|/.*||' | sort -u); do
	checked=$((checked + 1))
	case $allowed in
	*" $entry "*) ;;
	*) say "$entry: not one of the entries that the top level may hold" ;;
	esac
done
verdict
