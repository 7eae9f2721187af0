#!/bin/sh
# A command blocked on its output pipe does not keep the store's log from being emptied.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to hold the pipes'
mebibytes=${LOOM_TEST_STEPS:-24}
checks=$((checks + 1))
PYTHONDONTWRITEBYTECODE=1 python3 "$here/stopped_pipes.py" "$loom" "$mebibytes" \
	>"$work/out" 2>"$work/err" || fail 'readers of stopped pipes'
cat "$work/out"
verdict
