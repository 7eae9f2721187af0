#!/bin/sh
# Checks calls and includes between rooms. rooms.txt has a line for each room, lowest first: the rooms
# its code may call and whose headers it may include. This reads the objects of a build, where a call
# is a relocation in code (constant tables do not count), and the includes of the sources. The lines
# form no cycle; a room and the rooms inside it count as one.
# usage: rooms.sh SOURCE_ROOT BUILD_FOLDER [--print]; --print writes the lines that would pass
build=$(cd "${2:?usage: rooms.sh SOURCE_ROOT BUILD_FOLDER [--print]}" && pwd)
mode=${3:-}
. "$(dirname "$0")/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files >"$work/files"
objects "$build"

# "room file header": a header of include/loom/X belongs to the lowest room whose last folder is X.
grep -E '^(include/loom|model|tools|tui)/.*\.(c|h)$' "$work/files" | xargs grep -E '^[[:space:]]*#[[:space:]]*include' /dev/null |
	sed -nE 's/^([^:]+):[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]([^>"]+)[>"].*/\1 \2/p' >"$work/includes"

awk -v work="$work" -v mode="$mode" '
	function wrong(text) { print text; bad++ }
	function outer(room) {          # the room that a room lies in, or itself
		while (match(room, /\/[^\/]*$/) && substr(room, 1, RSTART - 1) in line)
			room = substr(room, 1, RSTART - 1)
		return room }
	function knot(room) { room = outer(room); return room in knot_of ? knot_of[room] : room }
	function room_of(file, leaf, i) {
		if (file ~ /^include\/loom\//) {
			leaf = file; sub(/^include\/loom\//, "", leaf); sub(/\/[^\/]*$/, "", leaf)
			for (i = 1; i <= count; i++)
				if (order[i] ~ "(^|/)" leaf "$") return order[i]
			return "" }
		sub(/\/[^\/]*$/, "", file)
		return file }
	function use(from, to, why) {
		looked++
		if (from == to || from == "" || to == "") return
		used[from, to] = 1
		if (!((from, to) in may) && mode == "")
			wrong(why " of " to ", which " from " may not (tests/house/rooms.txt)") }
	function visit(room, i, n, next_one, list) {
		state[room] = 1
		n = split(edges[room], list, " ")
		for (i = 1; i <= n; i++) {
			next_one = list[i]
			if (state[next_one] == 1) wrong("a circle: " room " and " next_one " reach each other")
			else if (!state[next_one]) visit(next_one) }
		state[room] = 2 }
	FILENAME ~ /rooms.txt$/ {
		if (/^#/ || NF == 0) next
		if ($1 == "knot") { for (i = 2; i <= NF; i++) knot_of[$i] = "knot " $2; next }
		room = $1; sub(/:$/, "", room)
		if (room in line) wrong("rooms.txt names " room " twice")
		line[room] = ++count; order[count] = room
		for (i = 2; i <= NF; i++) may[room, $i] = 1
		next }
	FILENAME ~ /defined$/ { sub(/\/[^\/]*$/, "", $1); where[$2] = $1; next }
	FILENAME ~ /mentions$/ {
		if ($3 in where) use($1, where[$3], $2 " calls " $3)
		next }
	FILENAME ~ /includes$/ {
		from = room_of($1)
		if (from == "tui") next # the program itself
		if ($2 ~ /^loom\//) {
			if ($2 ~ /\.def$/ || $2 !~ /\/.*\//) next
			use(from, room_of("include/" $2), $1 " includes <" $2 ">")
		} else if ($2 ~ /\//  && $2 ~ /^(\.\.|model|tools|tui)\//)
			wrong($1 " includes " $2 ": what is inside a room is its own")
		next }
	END {
		for (pair in may) {
			split(pair, p, SUBSEP)
			if (!(p[2] in line)) wrong("rooms.txt: " p[1] " may call " p[2] ", which is no room")
			if (mode == "" && !(pair in used))
				wrong("rooms.txt: " p[1] " does not use " p[2] "; take it off the line")
			if (mode == "" && line[p[2]] > line[p[1]] && knot(p[1]) != knot(p[2]))
				wrong("rooms.txt: " p[2] " stands below " p[1] ", which may call it: lowest first")
			a = knot(p[1]); b = knot(p[2])
			if (a != b && !((a, b) in drawn)) { drawn[a, b] = 1; edges[a] = edges[a] " " b } }
		for (i = 1; i <= count; i++) if (!state[knot(order[i])]) visit(knot(order[i]))
		if (mode != "")
			for (i = 1; i <= count; i++) {
				printf "%s:", order[i]
				for (j = 1; j <= count; j++) if ((order[i], order[j]) in used) printf " %s", order[j]
				print "" }
		else printf "rooms: %d calls and includes looked at, %d wrong\n", looked, bad
		exit bad > 0 || !looked }' tests/house/rooms.txt "$work/defined" "$work/mentions" "$work/includes" || bad=$((bad + 1))
[ "$mode" = "" ] || exit 0

# A room is a folder listed in rooms.txt, with at most 25 files and a README.md of 15 to 40 lines.
sed -nE 's/^([a-z\/]+):.*/\1/p' tests/house/rooms.txt | sort >"$work/named"
grep -E '^(model|tools|tui)/.*/[^/]*$' "$work/files" | sed 's|/[^/]*$||' | sort -u >"$work/folders"
for room in $(comm -13 "$work/named" "$work/folders"); do
	say "$room: a folder that rooms.txt does not name"
done
for room in $(comm -23 "$work/named" "$work/folders"); do
	say "rooms.txt names $room, which is not there"
done
{ cat "$work/folders" && grep -E '^(include/loom|tests/unit)/.*/' "$work/files" | sed 's|/[^/]*$||' | sort -u; } |
	while IFS= read -r room; do
		n=$(grep -E "^$room/[^/]*\$" "$work/files" | grep -vc '/README\.md$' || true)
		[ "$n" -le 25 ] || echo "$room: $n files, and a room has at most 25"
	done >"$work/said"
for room in $(cat "$work/folders"); do
	lines=$(wc -l 2>/dev/null <"$room/README.md" || echo 0)
	[ "$lines" -ge 15 ] && [ "$lines" -le 40 ] ||
		echo "$room/README.md: $lines lines, and a room says in 15 to 40 what it is"
	! grep -qi 'may call\>' "$room/README.md" 2>/dev/null ||
		echo "$room/README.md: says what the room may call, which rooms.txt alone says"
	# the files it names exist
	grep -oE '`[a-z_]+\.(c|h|def|inc)`' "$room/README.md" 2>/dev/null | tr -d '`' | while IFS= read -r name; do
		grep -qE "(^|/)$name\$" "$work/files" || echo "$room/README.md names $name, which is not there"
	done
done >>"$work/said"
sed -E 's|.*/||' "$work/files" >/dev/null
grep -E '^(include|model|tools|tui)/.*\.(c|h|inc)$' "$work/files" | sed -E 's|.*/||' | grep -vx 'inside\.h' |
	sort | uniq -d | sed 's/$/: a name that two files of the house have/' >>"$work/said"
while IFS= read -r text; do
	say "$text"
done <"$work/said"
checked=$(wc -l <"$work/folders")
verdict
