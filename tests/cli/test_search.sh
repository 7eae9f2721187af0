#!/bin/sh
# Search results of texts written in any order; search_storm.py has the rules.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
storms search_storm.py 30
verdict
