#!/bin/sh
# The tests that wait for something (label "waits"), many times beside four busy loops: none may lean on
# the machine being quick. usage: busy.sh BUILD [TIMES]
set -u
build=${1:?usage: $0 BUILD [TIMES]}
loops=
trap 'kill $loops 2>/dev/null' EXIT
for _ in 1 2 3 4; do
	(while :; do :; done) &
	loops="$loops $!"
done
ctest --test-dir "$build" -L waits -LE nightly -j 2 --repeat "until-fail:${2:-20}" --output-on-failure
