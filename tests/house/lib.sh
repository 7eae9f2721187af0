# What the checks of the house share. Sourced; the first argument of each check is the source root.
set -eu
LC_ALL=C
export LC_ALL
cd "${1:?usage: $0 SOURCE_ROOT}"
checked=0
bad=0

# Every file of the house: tracked, or new and not ignored; from a tarball, whatever lies there.
files() {
	{
		git ls-files -co --exclude-standard 2>/dev/null ||
			find . -type f -not -path './.git/*' -not -path './build*' | sed 's|^\./||'
	} | while IFS= read -r file; do
		[ -f "$file" ] && printf '%s\n' "$file"
	done | sort -u
}

say() {
	printf '%s\n' "$*"
	bad=$((bad + 1))
}

# A check that looked at nothing has proven nothing.
verdict() {
	printf '%s: %d looked at, %d wrong\n' "$(basename "$0" .sh)" "$checked" "$bad"
	[ "$checked" -gt 0 ] && [ "$bad" -eq 0 ]
}

skip() {
	printf 'SKIP: %s\n' "$*"
	exit 77
}

# objects BUILD: into $work/mentions "room file name", the names that code of an object mentions, where
# a constant table may name what it likes; into $work/defined "file name", the names that one defines.
# An older build may have left the objects of files that are gone: they do not count.
objects() {
	find "$1/CMakeFiles" -name '*.c.o' | grep -E '\.dir/(model|tools|tui)/' | grep -v '/tui/main\.c\.o$' |
		while IFS= read -r object; do
			source=${object##*.dir/}
			[ ! -f "${source%.o}" ] || printf '%s\n' "$object"
		done >"$work/objects"
	[ -s "$work/objects" ] || say "$1 has no objects of the rooms"
	xargs objdump -r <"$work/objects" | awk '
		/file format/ { file = $1; sub(/.*\.dir\//, "", file); sub(/\.o:?$/, "", file)
			room = file; sub(/\/[^\/]*$/, "", room) }
		/^RELOCATION RECORDS FOR/ { code = /\[\.text/ }
		code && NF == 3 && $1 ~ /^[0-9a-f]+$/ { sub(/[-+]0x.*/, "", $3); print room, file, $3 }' |
		sort -u >"$work/mentions"
	xargs nm -A -g --defined-only <"$work/objects" | awk '
		{ file = $1; sub(/:[0-9a-f]*$/, "", file); sub(/.*\.dir\//, "", file); sub(/\.o$/, "", file)
			print file, $NF }' | sort -u >"$work/defined"
}
