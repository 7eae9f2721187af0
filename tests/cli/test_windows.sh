#!/bin/sh
# Memory keeps its word in windows of every size: see windows.py.
. "$(dirname "$0")/lib.sh"
storm_seed
storm windows.py $seed 8
verdict
