# Shared by the house checks, which source it; their first argument is the source root.
set -eu
LC_ALL=C
export LC_ALL
cd "${1:?usage: $0 SOURCE_ROOT}"
checked=0
bad=0

# Every file of the house: tracked, or new and not ignored; in a tarball, all files.
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

# A check that examined nothing proves nothing.
verdict() {
	printf '%s: %d looked at, %d wrong\n' "$(basename "$0" .sh)" "$checked" "$bad"
	[ "$checked" -gt 0 ] && [ "$bad" -eq 0 ]
}

skip() {
	printf 'SKIP: %s\n' "$*"
	exit 77
}

# objects BUILD: writes "room file name" to $work/mentions for each name that an object's code
# mentions (constant tables do not count), and "file name" to $work/defined for each name it defines.
# Ignores stale objects of deleted files.
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
