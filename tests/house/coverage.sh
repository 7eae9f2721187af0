#!/bin/sh
# Shows the lines that the tests executed, by file and by room; exits with 1 if model or tools is
# below 90 %. usage: coverage.sh SOURCE_ROOT BUILD_FOLDER
build=${2:?usage: coverage.sh SOURCE_ROOT BUILD_FOLDER}
. "$(dirname "$0")/lib.sh"

find "$build" -name '*.gcda' -not -path '*/tests/*' | while IFS= read -r data; do
	(cd "$(dirname "$data")" && gcov -n -o . "$(basename "$data")" 2>/dev/null)
done | awk -v root="$PWD/" '
	/^File / { gsub(/^File .|.$/, ""); file = index($0, root) == 1 ? substr($0, length(root) + 1) : "" }
	/^Lines executed:/ && file ~ /^(model|tools|tui)\// {
		split($0, part, /[:%]| of /)
		lines[file] = $NF; hit[file] = part[2] * $NF / 100; file = "" }
	END {
		for (file in lines) {
			room = file; sub(/\/.*/, "", room)
			printf "%6.1f %% of %5d  %s\n", 100 * hit[file] / lines[file], lines[file], file | "sort -n"
			all[room] += lines[file]; got[room] += hit[file] }
		close("sort -n")
		for (room in all) {
			share = 100 * got[room] / all[room]
			printf "%s: %.1f %% of %d lines\n", room, share, all[room]
			if (room != "tui" && share < 90) low = 1 }
		exit low }'
