#!/bin/sh
# Every kind of operation, taken back and repeated: undo_storm.py says what is asked of them.
# LOOM_TEST_STEPS says how many are tried, LOOM_TEST_SEED which (random: others each time).
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
storm_seed
checks=$((checks + 1))
mkdir storm
cd storm || exit 1
python3 "$here/undo_storm.py" "$loom" "$seed" "${LOOM_TEST_STEPS:-25}" >"$work/out" 2>"$work/err" ||
	fail 'a storm of operations'
cat "$work/out"
verdict
