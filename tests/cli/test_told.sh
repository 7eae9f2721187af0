#!/bin/sh
# What a subject is told, of trees written in any order: told_storm.py says what is asked of it.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
storms told_storm.py 14
verdict
