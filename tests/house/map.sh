#!/bin/sh
# Every file of the rooms begins with a comment whose first sentence, of 8 to 300 characters, says
# what the file is for. --print writes these as a map, one line for each file, by folder; `cmake
# --build BUILD --target map` writes it to BUILD/map.md. usage: map.sh SOURCE_ROOT [--print]
mode=${2:-}
. "$(dirname "$0")/lib.sh"

list=$(mktemp)
said=$(mktemp)
trap 'rm -f "$list" "$said"' EXIT
files | grep -E '^(include|model|tools|tui)/.*\.(c|h|def|inc)$' >"$list"
checked=$(wc -l <"$list")

# "FILE<TAB>SENTENCE" for each; empty if it is missing or has no end.
tr '\n' '\0' <"$list" | LC_ALL=C.UTF-8 xargs -0 awk '
	function tell() {
		if (file == "") return
		if (match(text, /[.?]( |$)/)) text = substr(text, 1, RSTART - 1)
		else if (!sub(/:$/, "", text)) text = "" # what it is a list of
		printf "%s\t%s\n", file, text }
	FNR == 1 { tell(); file = FILENAME; text = ""; inside = /^\/\*/ }
	!inside { next }
	{ line = $0
		sub(/^\/\*+ */, "", line); sub(/^ \* ?/, "", line)
		if (line ~ /^ *$/) { inside = 0; next }
		if (sub(/ *\*\/.*/, "", line)) inside = 0
		text = text (text == "" ? "" : " ") line }
	END { tell() }' >"$said"

if [ "$mode" = --print ]; then
	awk -F '\t' '
		{ folder = $1; sub(/\/[^\/]*$/, "", folder); name = $1; sub(/.*\//, "", name) }
		folder != last { printf "%s## %s\n\n", (NR == 1 ? "# The map\n\n" : "\n"), folder; last = folder }
		{ printf "- `%s`: %s\n", name, $2 }' "$said"
	exit
fi
while IFS='	' read -r file sentence; do
	[ "${#sentence}" -ge 8 ] && [ "${#sentence}" -le 300 ] ||
		say "$file: does not begin with a sentence that says what it is for"
done <"$said"
verdict
