#!/bin/sh
# Runs clang-tidy on one room, two files at a time. usage: tidy.sh SOURCE_ROOT BUILD_FOLDER ROOM
build=${2:?usage: tidy.sh SOURCE_ROOT BUILD_FOLDER ROOM}
room=${3:?usage: tidy.sh SOURCE_ROOT BUILD_FOLDER ROOM}
. "$(dirname "$0")/lib.sh"

tool=$(command -v clang-tidy-14 || command -v clang-tidy) || skip 'no clang-tidy here'
"$tool" --version | grep -q 'version 14\.' || skip "not version 14"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
list=$work/list
: >"$list"
# clang does not know gcc's analyser
sed 's/ -fanalyzer / /' "$build/compile_commands.json" >"$work/compile_commands.json"
for file in $(files | grep -E "^$room/.*\.c\$" | grep -vE '/(test|shim)_[^/]*$'); do
	# suites consist of greatest's macros and shims copy foreign prototypes, so neither is checked;
	# a file that this build leaves out has no compile flags
	grep -qF "/$file\"" "$work/compile_commands.json" && echo "$file" >>"$list"
done
checked=$(wc -l <"$list")
[ "$checked" -gt 0 ] || skip "$room has no sources in this build"
xargs -P2 -n1 "$tool" -p "$work" --quiet --extra-arg=-Wno-unknown-warning-option <"$list" 2>/dev/null || say "clang-tidy is not content"
verdict
