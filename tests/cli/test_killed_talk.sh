#!/bin/sh
# A conversation whose program is killed at random; killed_talk.py has the rules.
. "$(dirname "$0")/lib.sh"
storms killed_talk.py 8
verdict
