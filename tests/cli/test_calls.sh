#!/bin/sh
# Turns made of calls in every form and of what is none: call_storm.py says what is asked of them.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
storms call_storm.py 300
verdict
