#!/bin/sh
# Versions of passages, created and continued in any order; version_storm.py has the rules.
. "$(dirname "$0")/lib.sh"
storms version_storm.py 20
verdict
