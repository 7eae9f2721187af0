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
