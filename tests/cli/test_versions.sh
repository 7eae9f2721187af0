#!/bin/sh
# Versions of passages, made and answered in any order: version_storm.py says what is asked of them.
# LOOM_TEST_STEPS says how many are tried, LOOM_TEST_SEED which (random: others each time).
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to make a storm'
seed=${LOOM_TEST_SEED:-1}
[ "$seed" != random ] || seed=$(od -An -N4 -tu4 /dev/urandom)
for n in 1 2 3; do
	checks=$((checks + 1))
	rm -rf storm
	mkdir storm
	cd storm || exit 1
	python3 "$here/version_storm.py" "$loom" "$((seed + n))" "${LOOM_TEST_STEPS:-20}" \
		>"$work/out" 2>"$work/err" || fail 'a storm of versions'
	cat "$work/out"
	cd "$work" || exit 1
done
verdict
