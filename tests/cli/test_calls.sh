#!/bin/sh
# Turns made of calls in every form and of what is none: call_storm.py says what is asked of them.
. "$(dirname "$0")/lib.sh"
storms call_storm.py 300
verdict
