#!/bin/sh
# What a subject is told, of trees written in any order: told_storm.py says what is asked of it.
. "$(dirname "$0")/lib.sh"
storms told_storm.py 14
verdict
