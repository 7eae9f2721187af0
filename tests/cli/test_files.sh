#!/bin/sh
# Copies, moves and syncs of a grove's files, and killed restores: states never mix, and nothing
# acknowledged is lost silently.
# LOOM_TEST_STEPS sets the number of stories, LOOM_TEST_SEED the seed (random: a new one each time).
. "$(dirname "$0")/lib.sh"
storm_seed
storm file_storm.py "$seed" 60
verdict
