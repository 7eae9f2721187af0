#!/bin/sh
# Versions of passages, made and answered in any order: version_storm.py says what is asked of them.
. "$(dirname "$0")/lib.sh"
storms version_storm.py 20
verdict
