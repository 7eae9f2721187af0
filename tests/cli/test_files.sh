#!/bin/sh
# What people do with the files of a grove, and restores that are killed: nothing mixes, and nothing
# acknowledged is lost without a word.
# LOOM_TEST_STEPS says how many stories are tried, LOOM_TEST_SEED which (random: others each time).
. "$(dirname "$0")/lib.sh"
storm_seed
storm file_storm.py "$seed" 60
verdict
