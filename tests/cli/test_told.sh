#!/bin/sh
# The contexts of subjects, in trees written in any order; told_storm.py has the rules.
. "$(dirname "$0")/lib.sh"
storms told_storm.py 14
verdict
