#!/bin/sh
# A model that knows only its prompt shares a design with another thread, by each door; known.py has it.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to play the model'
for door in chat run mcp:2025-03-26 mcp:2025-11-25; do
	checks=$((checks + 1))
	rm -rf world
	mkdir world
	cd world || exit 1
	PYTHONDONTWRITEBYTECODE=1 python3 "$here/known.py" "$loom" $door >"$work/out" 2>"$work/err" || fail "by $door"
	cat "$work/out"
	cd "$work" || exit 1
done
verdict
