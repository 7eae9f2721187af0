#!/bin/sh
# Invariants are code that runs: each room of model has at least one LOOM_ASSERT per 60 lines.
. "$(dirname "$0")/lib.sh"

for room in $(files | grep -E '^model/[^/]+/.*\.c$' | cut -d/ -f1,2 | sort -u); do
	checked=$((checked + 1))
	lines=$(cat "$room"/*.c | wc -l)
	said=$(cat "$room"/*.c | grep -cE '^[[:space:]]*LOOM_ASSERT(_SLOW)?\(' || true)
	[ "$((said * 60 + 59))" -ge "$lines" ] || say "$room: $said assertions in $lines lines"
done
verdict
