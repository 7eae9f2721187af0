#!/bin/sh
# Turns made of calls in every form, and of text that is no call; call_storm.py has the rules.
. "$(dirname "$0")/lib.sh"
storms call_storm.py 300
verdict
