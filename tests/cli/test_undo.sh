#!/bin/sh
# Every kind of operation, taken back and repeated: undo_storm.py says what is asked of them.
# LOOM_TEST_STEPS says how many are tried, LOOM_TEST_SEED which (random: others each time).
. "$(dirname "$0")/lib.sh"
storm_seed
storm undo_storm.py "$seed" 25
verdict
