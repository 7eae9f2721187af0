#!/bin/sh
# Views of a tree written in any order; view_storm.py has the rules.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
storms view_storm.py 40
verdict
