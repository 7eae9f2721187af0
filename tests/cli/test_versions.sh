#!/bin/sh
# Versions of passages, made and answered in any order: version_storm.py says what is asked of them.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
storms version_storm.py 20
verdict
