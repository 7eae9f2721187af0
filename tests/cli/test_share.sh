#!/bin/sh
# Threads that give one another their work, in any order: share_storm.py says what is asked of them.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
storms share_storm.py 25
verdict
