#!/bin/sh
# The map at the end of README.md has one line for every file of the rooms and none for any other:
# "- `path`: what it does", the sentence from 8 to 140 characters.
# With --write it draws the map anew: lines that stand are kept, a new file is given the first
# sentence of its opening comment. usage: map.sh SOURCE_ROOT [--write]
mode=${2:-}
. "$(dirname "$0")/lib.sh"

mapped=$(mktemp)
there=$(mktemp)
trap 'rm -f "$mapped" "$there"' EXIT
files | grep -E '^(include|model|tools|tui|themes)/' >"$there"

# The first sentence of a file's opening comment.
first_sentence() {
	sed -n '1,12p' "$1" | awk '
		NR == 1 && !/^\/\*/ { exit }
		{ sub(/^\/\*+ */, ""); sub(/^ \* ?/, ""); last = sub(/ *\*\/.*/, "") }
		/^ *$/ { exit }
		{ printf "%s ", $0 }
		last { exit }' | sed -E 's/\. .*//; s/[ .:;,]*$//; /^.{140}/s/^(.{30,139})[,;:] .*$/\1/; s/^(.{0,139})( .*)?$/\1/'
}

line_of() {
	grep -F -m 1 -- "- \`$1\`: " README.md && return
	text=$(first_sentence "$1")
	[ "${#text}" -ge 8 ] || text=$(basename "$1" | sed 's/\.[a-z]*$//; s/[_-]/ /g; s/$/, as data/')
	printf -- '- `%s`: %s\n' "$1" "$text"
}

draw() {
	sed '/^## The map/,$d' README.md
	printf '## The map\n\nOne line a file; a room calls only rooms that stand above it here.\n'
	while IFS='|' read -r room title; do
		grep -q "^$room/" "$there" || continue
		printf '\n### %s: %s\n\n' "$room" "$title"
		for file in $(grep "^$room/" "$there"); do
			line_of "$file"
		done
	done <<-'EOT'
		include|the face of every room
		model|what is true
		tools|what can be said
		tui|what is seen
		themes|colours, as data
	EOT
}

if [ "$mode" = --write ]; then
	draw >"$mapped"
	cat "$mapped" >README.md
fi
sed -n '/^## The map/,$p' README.md | sed -nE 's/^- `([^`]+)`.*/\1/p' >"$mapped"
checked=$(wc -l <"$there")
for file in $(sort "$mapped" | uniq -d); do
	say "$file: twice on the map"
done
sort -u -o "$mapped" "$mapped"
for file in $(comm -13 "$mapped" "$there"); do
	say "$file: not on the map in README.md; tests/house/map.sh . --write draws it anew"
done
for file in $(comm -23 "$mapped" "$there"); do
	say "$file: on the map, and not in the house"
done
wordless=$(sed -n '/^## The map/,$p' README.md | grep -E '^- `' |
	grep -vE '^- `[^`]+`: .{8,140}$' || true)
[ -z "$wordless" ] || say "lines of the map that are not \"- \`path\`: what it does\":
$wordless"
verdict
