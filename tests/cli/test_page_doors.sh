#!/bin/sh
# The page to read: what a link opens and what not, comments, readers who follow.
. "$(dirname "$0")/lib.sh"
exec python3 "$here/page_doors.py" "$loom"
