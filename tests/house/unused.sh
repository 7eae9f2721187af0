#!/bin/sh
# Every function that a header in include/loom declares exists and has a user: another file of the
# rooms than the one that defines it, or a test. Otherwise it should be private to its file.
# usage: unused.sh SOURCE_ROOT BUILD_FOLDER
build=$(cd "${2:?usage: unused.sh SOURCE_ROOT BUILD_FOLDER}" && pwd)
. "$(dirname "$0")/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files >"$work/files"
# Ignores stale objects of deleted files.
find "$build/CMakeFiles" -name '*.c.o' | grep -E '\.dir/(model|tools|tui)/' |
	while read -r object; do
		source=${object##*.dir/}
		[ ! -f "${source%.o}" ] || printf '%s\n' "$object"
	done >"$work/objects"
[ -s "$work/objects" ] || say "$build has no objects of the rooms"

# The declared names: the one before the parenthesis of a prototype, which may span lines.
grep -E '^include/loom/.*\.h$' "$work/files" | xargs awk '
	/^[A-Za-z_].*[ *][a-z_0-9]+\(/ && !/^(typedef|static|#|LOOM_|TUI_|_Static)/ {
		name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); print name, FILENAME }' |
	sort -u >"$work/declared"
xargs nm -g <"$work/objects" | awk 'NF >= 2 && $(NF - 1) == "U" { print $NF }' | sort -u >"$work/needed"
xargs nm -g --defined-only <"$work/objects" | awk 'NF == 3 { print $3 }' | sort -u >"$work/defined"
grep -E '^tests/.*\.(c|h)$' "$work/files" | xargs grep -ohE '\b[a-z]+_[a-z_0-9]+\b' /dev/null |
	sort -u >"$work/tested"

awk '
	FILENAME ~ /defined$/ { defined[$1] = 1; next }
	FILENAME ~ /declared$/ {
		if (!($1 in defined)) print $2 " declares " $1 ", which no file defines"
		else if (!($1 in needed)) print $2 " declares " $1 ", which no other file needs"
		next }
	{ needed[$1] = 1 }' "$work/defined" "$work/needed" "$work/tested" "$work/declared" >"$work/said"
while IFS= read -r text; do
	say "$text"
done <"$work/said"
checked=$(wc -l <"$work/declared")
verdict
