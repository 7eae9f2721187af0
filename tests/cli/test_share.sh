#!/bin/sh
# Threads that share files, in any order; share_storm.py has the rules.
. "$(dirname "$0")/lib.sh"
storms share_storm.py 25
verdict
