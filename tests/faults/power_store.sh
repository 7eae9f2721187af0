#!/bin/sh
# Cuts the power of a store at work, and of each kind of write, and asks what is left.
#   power_store.sh POWER_CUT SHIM WORKER_STORE FAULT_STORE STATES SECONDS
# STATES of a worker that does everything, a tenth as many of each single kind. LOOM_TEST_SEED says
# which, and what the worker does (random: others each time).
set -eu
cut=$1 shim=$2 worker=$3 store=$4 states=$5 seconds=$6
top=$(mktemp -d "${TMPDIR:-/tmp}/loom-power-XXXXXX")
trap 'rm -rf "$top"' EXIT
dir=$top/grove
end=$(($(date +%s) + seconds))
seed=${LOOM_TEST_SEED:-1}
[ "$seed" != random ] || seed=$(od -An -N4 -tu4 /dev/urandom)
seed=$((seed))

left() {
	echo $((end - $(date +%s)))
}

"$worker" init "$dir"
"$cut" --shim "$shim" --under "$dir" --states "$states" --seconds "$(left)" --seed "$seed" \
	--oracle "exec '$worker' check '$dir'" -- "$worker" steps "$dir" 200 $((seed + 6))
rm -rf "$dir"
# Where it is used: its state is kept by where it stands.
"$store" prepare "$dir"
mv "$dir" "$top/template"
cp -a "$top/template" "$top/old"
"$store" age "$top/old"
for kind in respond doc batch import undo stream draft grant backup init migrate; do
	template=$top/template
	[ "$kind" != migrate ] || template=$top/old
	rm -rf "$dir"
	cp -a "$template" "$dir"
	echo "$kind:"
	LOOM_FAULT_WAS_STICKY=1 "$cut" --shim "$shim" --under "$dir" --states $((states / 10)) \
		--seconds "$(left)" --seed "$seed" \
		--oracle "exec '$store' look $kind '$dir'" -- "$store" do "$kind" "$dir"
done
