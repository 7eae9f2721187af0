#!/bin/sh
# Hostile texts and bytes by every route, and every command on a terminal: hostile_storm.py.
# LOOM_TEST_STEPS sets their number (4000: all), LOOM_TEST_SEED the seed (random: a new one).
. "$(dirname "$0")/lib.sh"
storm_seed
storm hostile_storm.py "$seed" 4
verdict
