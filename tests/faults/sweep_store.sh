#!/bin/sh
# Fails every system call of every kind of write, once and for good, and looks what is left.
#   sweep_store.sh SWEEP SHIM FAULT_STORE STEP KIND…
# Every STEP-th call of each kind of failure, each kind beginning one later than the last.
set -eu
sweep=$1 shim=$2 store=$3 step=$4
shift 4
dir=$(mktemp -d "${TMPDIR:-/tmp}/loom-sweep-XXXXXX")
trap 'rm -rf "$dir"' EXIT
# Where it is used: its state is kept by where it stands.
"$store" prepare "$dir/grove"
mv "$dir/grove" "$dir/template"
cp -a "$dir/template" "$dir/old"
"$store" age "$dir/old"
from=0
for kind; do
	template=$dir/template
	[ "$kind" != migrate ] || template=$dir/old
	for how in ENOSPC EIO "EIO --sticky" KILL SHORT; do
		case $how in
		*sticky | KILL) was=LOOM_FAULT_WAS_STICKY=1 ;;
		*) was= ;;
		esac
		from=$((from % step + 1))
		echo "$kind, $how:"
		# shellcheck disable=SC2086
		"$sweep" --shim "$shim" --under "$dir/grove" --error $how --from "$from" --step "$step" \
			--prepare "rm -rf '$dir/grove' && cp -a '$template' '$dir/grove'" \
			--check "$was exec '$store' look $kind '$dir/grove'" \
			-- "$store" do "$kind" "$dir/grove"
	done
done
