#!/bin/sh
# Finds branches that no test takes, in the files where every branch counts: the sanitiser, the
# scanner, the parser, paths, transactions and conflicts. Exits with 1 if branches.txt does not list
# one with a reason, or lists one that a test takes. A switch over all values of its type without a
# default has an extra exit for the compiler, but not for the language.
# usage: branches.sh SOURCE_ROOT BUILD_FOLDER (of a coverage build whose tests have run)
build=$(cd "${2:?usage: branches.sh SOURCE_ROOT BUILD_FOLDER}" && pwd)
known=$(cd "$(dirname "$0")" && pwd)/branches.txt
. "$(dirname "$0")/lib.sh"
root=$PWD

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

counted() {
	for name in text/sanitise base/utf8 text/width files/path files/path_name files/path_write \
		grove/store tree/operation tree/undo tree/lease grove/writer_lock work/stream; do
		echo "model/$name.c"
	done
	for name in scan scan_line parse parse_argv parse_check parse_json parse_refuse \
		parse_value parse_verb lex quote call_id; do
		echo "tools/language/$name.c"
	done
	echo tools/http/address.c
}

# "file line untaken all source", one row for each line with branches.
rows() {
	while IFS= read -r file; do
		room=$(dirname "$file" | tr / _)
		data=$build/CMakeFiles/$room.dir/$file.gcda
		if ! (cd "$work" && gcov -b -c -s "$root" "$data" >/dev/null 2>&1) ||
			[ ! -f "$work/${file##*/}.gcov" ]; then
			printf '%s\t0\t1\t1\tno test has run it\n' "$file"
			continue
		fi
		awk -v file="$file" '
			function row() {
				if (all) print file "\t" line "\t" missed "\t" all "\t" text
				all = missed = 0 }
			/^ *([0-9]+\*?|-|#####|=====): *[0-9]+:/ {
				row()
				match($0, /^[^:]*: *[0-9]+:/)
				line = substr($0, 1, RLENGTH - 1); sub(/.*: */, "", line)
				text = substr($0, RLENGTH + 1); gsub(/^[ \t]+|[ \t]+$/, "", text); next }
			/^branch/ { all++; if (/never executed|taken 0( |$)/) missed++ }
			END { row() }' "$work/${file##*/}.gcov"
	done
}

counted | rows >"$work/rows"
awk -F '\t' -v known="$known" '
	BEGIN {
		# FILE N: SOURCE LINE, and the reason below it
		while ((getline record < known) > 0) {
			if (record !~ /^(model|tools)\//) continue
			match(record, /: /)
			split(substr(record, 1, RSTART - 1), head, " ")
			key = head[1] "\t" substr(record, RSTART + 2)
			may[key] += head[2] } }
	$5 ~ /^LOOM_ASSERT/ { next } # what our own code promises is never otherwise
	{
		all[$1] += $4
		missed = $3
		if (missed && $5 ~ /^switch \(/) missed--
		if (!missed) next
		key = $1 "\t" $5
		found[key] += missed; at[key] = $1 ":" $2; left[$1] += missed }
	END {
		for (file in all) {
			printf "%4d of %4d  %s\n", left[file], all[file], file | "sort -k4"
			branches += all[file]; open += left[file] }
		close("sort -k4")
		for (key in found) {
			if (found[key] <= may[key]) continue
			text = key; sub(/.*\t/, "", text)
			printf "%s: %d untaken, %d listed: %s\n", at[key], found[key], may[key], text
			wrong++ }
		for (key in may) {
			if (found[key] >= may[key]) continue
			text = key; sub(/\t/, ": ", text)
			printf "listed and taken, or gone: %s\n", text
			wrong++ }
		printf "branches: %d looked at, %d untaken, %d wrong\n", branches, open, wrong + 0
		exit wrong > 0 || !branches }' "$work/rows"
