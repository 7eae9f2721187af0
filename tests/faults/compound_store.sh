#!/bin/sh
# Kills each kind of write at one call after the other, and fails the calls of whoever comes next
# and finds the grove so: a fault while a crash is got over, or while a migration is finished.
#   compound_store.sh SWEEP SHIM FAULT_STORE CRASH_STEP STEP KIND…
# Every CRASH_STEP-th call is a crash; of what comes after it every STEP-th call fails, once and for
# good, in every way. LOOM_TEST_SEED says where both begin (random: elsewhere each time).
set -eu
sweep=$1 shim=$2 store=$3 crash_step=$4 step=$5
shift 5
dir=$(mktemp -d "${TMPDIR:-/tmp}/loom-compound-XXXXXX")
trap 'rm -rf "$dir"' EXIT
seed=${LOOM_TEST_SEED:-1}
[ "$seed" != random ] || seed=$(od -An -N3 -tu4 /dev/urandom)
seed=$((seed % 1000000))
echo "compound: LOOM_TEST_SEED=$seed"
# Where it is used: its state is kept by where it stands.
"$store" prepare "$dir/grove"
mv "$dir/grove" "$dir/template"
cp -a "$dir/template" "$dir/old"
"$store" age "$dir/old"

# crash KIND CALL: leaves what a kill at that call leaves; false when there are fewer calls
crash() {
	template=$dir/template
	[ "$1" != migrate ] || template=$dir/old
	"$sweep" --shim "$shim" --under "$dir/grove" --error KILL --from "$2" --most 1 \
		--prepare "rm -rf '$dir/grove' && cp -a '$template' '$dir/grove'" \
		--check true -- "$store" do "$1" "$dir/grove" >"$dir/said" && return
	[ $? -eq 3 ] && return 1
	cat "$dir/said"
	exit 1
}

# recover KIND HOW…: fails the calls of the next run on it
recover() {
	kind=$1
	shift
	from=$((from % step + 1))
	LOOM_FAULT_AGAIN=1 "$sweep" --shim "$shim" --under "$dir/grove" --error "$@" --from "$from" --step "$step" \
		--prepare "rm -rf '$dir/grove' && cp -a '$dir/crashed' '$dir/grove'" \
		--check "LOOM_FAULT_WAS_STICKY=1 exec '$store' look $kind '$dir/grove'" \
		-- "$store" do "$kind" "$dir/grove" >"$dir/said" || {
		# a crash after which nothing is left to do has no calls to fail
		[ $? -eq 3 ] || {
			echo "$kind, killed at call $at, then $*:"
			cat "$dir/said"
			exit 1
		}
	}
	runs=$((runs + $(sed -n 's/^sweep: \([0-9]*\) calls failed.*/\1/p' "$dir/said")))
}

runs=0
from=$seed
for kind; do
	at=$((seed % crash_step + 1))
	before=$runs
	while crash "$kind" "$at"; do
		rm -rf "$dir/crashed"
		mv "$dir/grove" "$dir/crashed"
		recover "$kind" ENOSPC
		recover "$kind" EIO
		recover "$kind" EIO --sticky
		recover "$kind" KILL
		recover "$kind" SHORT
		at=$((at + crash_step))
	done
	echo "$kind: $((runs - before)) faults behind a crash"
done
echo "compound: $runs faults, nothing damaged"
[ "$runs" -gt 0 ]
