#!/bin/sh
# What is seen of a tree, written in any order: view_storm.py says what is asked of it.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
storms view_storm.py 40
verdict
