#!/bin/sh
# Every kind of operation, undone and redone; undo_storm.py has the rules.
# LOOM_TEST_STEPS sets their number, LOOM_TEST_SEED the seed (random: a new one each time).
. "$(dirname "$0")/lib.sh"
storm_seed
storm undo_storm.py "$seed" 25
verdict
