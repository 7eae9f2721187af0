#!/bin/sh
# Fails every STEP-th allocation of a write, once and from then on, and looks what is left. Without
# memory the program may end with status 3 and its reason; nothing may be half there.
#   sweep_memory.sh SWEEP SHIM FAULT_STORE STEP KIND…
set -eu
sweep=$1 shim=$2 store=$3 step=$4
shift 4
dir=$(mktemp -d "${TMPDIR:-/tmp}/loom-sweep-XXXXXX")
trap 'rm -rf "$dir"' EXIT
"$store" prepare "$dir/template"
for kind; do
	for how in "--from 1" "--from 2 --sticky"; do
		echo "$kind, $how:"
		# shellcheck disable=SC2086
		"$sweep" --shim "$shim" $how --step "$step" \
			--prepare "rm -rf '$dir/grove' && cp -a '$dir/template' '$dir/grove'" \
			--check "test \$LOOM_FAULT_EXIT != 3 || LOOM_FAULT_EXIT=1
				LOOM_FAULT_WAS_STICKY=1 exec '$store' look $kind '$dir/grove'" \
			-- "$store" do "$kind" "$dir/grove"
	done
done
