#!/bin/sh
# One way out: a room of commands describes its answers (answers.h) and never prints directly. It
# calls nothing that results.h declares, and no stdio function that writes to standard output. Like
# rooms.sh, this reads the objects of a build. answers.txt lists the rooms that still print; it may
# only shrink.
# usage: answers.sh SOURCE_ROOT BUILD_FOLDER
build=$(cd "${2:?usage: answers.sh SOURCE_ROOT BUILD_FOLDER}" && pwd)
. "$(dirname "$0")/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%s\n' printf vprintf puts putchar putc fputc dprintf __printf_chk __vprintf_chk __dprintf_chk stdout \
	>"$work/printing"
grep -oE '\<[a-z]+_[a-z_]+\(' include/loom/cli/results.h | tr -d '(' >>"$work/printing"
sort -u "$work/printing" >"$work/sorted"
: >"$work/found"
sed -nE 's/^([a-z\/]+)$/\1/p' tests/house/answers.txt >"$work/later"

# "room file name": a function that prints, and the file of a room of commands that mentions it.
for object in $(find "$build/CMakeFiles" -name '*.c.o' | grep -E '\.dir/tools/commands/'); do
	source=${object##*.dir/}
	source=${source%.o}
	[ -f "$source" ] || continue
	checked=$((checked + 1))
	objdump -r "$object" | awk '
		/^RELOCATION RECORDS FOR/ { code = /\[\.text/ }
		code && NF == 3 { sub(/[-+]0x.*/, "", $3); print $3 }' | sort -u |
		comm -12 - "$work/sorted" | sed "s|^|${source%/*} $source |" >>"$work/found"
done
while read -r room file name; do
	grep -qx "$room" "$work/later" || echo "$file calls $name: an answer is described (answers.h)"
done <"$work/found" >"$work/said"
while IFS= read -r room; do
	grep -q "^$room " "$work/found" || echo "answers.txt: $room prints nothing by itself; take it off"
done <"$work/later" >>"$work/said"
while IFS= read -r text; do
	say "$text"
done <"$work/said"
verdict
