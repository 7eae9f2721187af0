#!/bin/sh
# Hostile texts and bytes by every road, and every command on a terminal: hostile_storm.py.
# LOOM_TEST_STEPS says how many are tried (4000: all), LOOM_TEST_SEED which (random: others).
. "$(dirname "$0")/lib.sh"
storm_seed
storm hostile_storm.py "$seed" 4
verdict
