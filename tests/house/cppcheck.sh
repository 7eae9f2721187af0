#!/bin/sh
# Runs cppcheck on the rooms and the tests' helpers. cppcheck.txt suppresses what the house does on
# purpose (zero first), what compilers report better, and guesses about bounds and states;
# cppcheck.cfg explains macros of libraries.
. "$(dirname "$0")/lib.sh"

command -v cppcheck >/dev/null || skip 'no cppcheck here'
list=$(mktemp)
trap 'rm -f "$list"' EXIT
files | grep -E '^(model|tools|tui|tests/(support|faults|bench|fuzz|screens))/.*\.c$' >"$list"
checked=$(wc -l <"$list")
cppcheck -q -j2 --std=c11 --library=posix --enable=warning,style,performance,portability \
	--inline-suppr --suppressions-list=tests/house/cppcheck.txt --error-exitcode=1 \
	-D_GNU_SOURCE -D__linux__ --library=tests/house/cppcheck.cfg -Iinclude -I. -Itests --file-list="$list" || say 'cppcheck is not content'
verdict
