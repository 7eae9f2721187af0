#!/bin/sh
# Hostile texts and bytes by every road, and every command on a terminal: hostile_storm.py.
# LOOM_TEST_STEPS says how many are tried (4000: all), LOOM_TEST_SEED which (random: others).
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
storm_seed
checks=$((checks + 1))
mkdir storm
cd storm || exit 1
python3 "$here/hostile_storm.py" "$loom" "$seed" "${LOOM_TEST_STEPS:-4}" >"$work/out" 2>"$work/err" ||
	fail 'a storm of hostile texts'
cat "$work/out"
verdict
