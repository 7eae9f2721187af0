#!/bin/sh
# What each kind of provider is sent of random logs, held against the log and the record of it;
# wire_storm.py has the rules.
. "$(dirname "$0")/lib.sh"
storms wire_storm.py 5
verdict
