#!/bin/sh
# A room cannot call the room above it. Two proofs: no object of the lower library has an undefined
# name that the upper library defines; and a test of the lower room that calls upward does not link,
# but does once the upper library is added.
# usage: upward_call.sh COMPILER FLAGS LIBRARIES LOWER.a[:BELOW.a…] UPPER.a[:BETWEEN.a…]
set -eu
LC_ALL=C
export LC_ALL
compiler=$1
flags=$2
libraries=$3
lower_set=$4
upper_set=$5
lower=${lower_set%%:*}
upper=${upper_set%%:*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

link() {
	out=$1
	sets=$2
	(
		IFS=:
		set -f
		set -- $sets
		IFS=' '
		# shellcheck disable=SC2086
		"$compiler" $flags -w -o "$out" "$work/upward.c" "$@" $libraries
	)
}

nm -g --defined-only "$upper" | awk '$2 ~ /^[TDRBV]$/ { print $3 }' | sort -u >"$work/upper"
nm -g --defined-only "$lower" | awk 'NF == 3 { print $3 }' | sort -u >"$work/own"
nm -g --undefined-only "$lower" | awk '$1 == "U" { print $2 }' | sort -u |
	comm -23 - "$work/own" >"$work/wanted"
comm -23 "$work/upper" "$work/own" >"$work/upper_only"
name=$(nm -g --defined-only "$upper" | awk '$2 == "T" { print $3 }' | sort -u |
	comm -12 - "$work/upper_only" | grep -vE '^(main$|_)' | head -n 1)
[ -n "$name" ] || {
	echo "$upper defines no function to call"
	exit 1
}

calls=$(comm -12 "$work/upper_only" "$work/wanted" | tr '\n' ' ')
[ -z "$calls" ] || {
	echo "$(basename "$lower") calls upward into $(basename "$upper"): $calls"
	exit 1
}

printf 'void %s(void);\nint main(void)\n{\n\t%s();\n\treturn 0;\n}\n' "$name" "$name" >"$work/upward.c"
if link "$work/upward" "$lower_set" 2>"$work/said"; then
	echo "a test of $(basename "$lower") that calls $name links"
	exit 1
fi
grep -q "undefined reference to \`$name'" "$work/said" || {
	echo 'the link failed for another reason:'
	cat "$work/said"
	exit 1
}
link "$work/downward" "$upper_set:$lower_set" || {
	echo "the same test does not link with $(basename "$upper") either: nothing is proven"
	exit 1
}
echo "a test of $(basename "$lower") that calls $name does not link"
