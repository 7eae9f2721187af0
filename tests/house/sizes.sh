#!/bin/sh
# Limits that no compiler checks: files have at most 800 lines, functions 70 (a test suite's may have a
# longer table of cases), and the rooms have no mutable variables at file scope.
. "$(dirname "$0")/lib.sh"

for file in $(files | grep -E '\.(c|h|def)$'); do
	checked=$((checked + 1))
	lines=$(wc -l <"$file")
	[ "$lines" -le 800 ] || say "$file: $lines lines"
	case $file in
	tests/*/test_*) continue ;;
	esac
	found=$(awk -v file="$file" '
		{ gsub(/\/\*.*\*\/|[ \t]+$/, "") }
		/^[A-Za-z_].*\(/ && !/;[ \t]*$/ && !/^(typedef|extern|enum|else|#)/ { start = NR; name = $0 }
		/^}/ { if (start && NR - start + 1 > 70)
			printf "%s:%d: %d lines: %s\n", file, start, NR - start + 1, name
			start = 0 }' "$file")
	[ -z "$found" ] || say "$found"
done

for file in $(files | grep -E '^(model|tools|tui)/.*\.c$'); do
	[ "$file" != tui/terminal/screen.c ] || continue
	found=$(grep -nE '^static [^(]*(=|;|\[)' "$file" |
		grep -vE '(^[0-9]+:static (inline|_Noreturn|_Static_assert)|[ *]const[ ;=[]|const struct|\()' || true)
	[ -z "$found" ] || say "$file: mutable at file scope: $found"
done
verdict
