#!/bin/sh
# Threads that give one another their work, in any order: share_storm.py says what is asked of them.
. "$(dirname "$0")/lib.sh"
storms share_storm.py 25
verdict
