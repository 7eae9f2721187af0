#!/bin/sh
# A restore that is killed at a random moment: the old grove or the new one, whole.
# LOOM_TEST_STEPS sets their number, LOOM_TEST_SEED the seed (random: a new one each time).
. "$(dirname "$0")/lib.sh"
storm_seed
storm restore_storm.py "$seed" 80
verdict
