#!/bin/sh
# What agents in spawned threads are told of their files, whatever happens to these;
# block_storm.py has the rules.
. "$(dirname "$0")/lib.sh"
storms block_storm.py 60
verdict
