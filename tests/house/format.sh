#!/bin/sh
# clang-format has nothing to change. Requires version 14, since others format differently.
. "$(dirname "$0")/lib.sh"

tool=$(command -v clang-format-14 || command -v clang-format) || skip 'no clang-format here'
"$tool" --version | grep -q 'version 14\.' || skip "$("$tool" --version): not version 14"
list=$(mktemp)
trap 'rm -f "$list"' EXIT
files | grep -E '\.(c|h)$' >"$list"
checked=$(wc -l <"$list")
wrong=$(xargs "$tool" --dry-run -Werror <"$list" 2>&1 | grep -E ': error:' | sed 's/: error:.*//' |
	sort -t: -k1,1 -u || true)
[ -z "$wrong" ] || say "clang-format would change (first place of each):
$wrong"
verdict
