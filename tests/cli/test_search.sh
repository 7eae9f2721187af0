#!/bin/sh
# What a search finds, of texts written in any order: search_storm.py says what is asked of it.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
storms search_storm.py 30
verdict
