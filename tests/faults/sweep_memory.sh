#!/bin/sh
# Fails every STEP-th allocation of a write, once and from then on, and looks what is left; and each
# of the first ones, with which all begin. Without memory the program may end with status 3 and its
# reason; nothing may be half there.
#   sweep_memory.sh SWEEP SHIM FAULT_STORE STEP KIND…
set -eu
sweep=$1 shim=$2 store=$3 step=$4
shift 4
dir=$(mktemp -d "${TMPDIR:-/tmp}/loom-sweep-XXXXXX")
trap 'rm -rf "$dir"' EXIT
# sweep KIND OPTION…
sweep() {
	kind=$1
	shift
	echo "$kind, $*:"
	"$sweep" --shim "$shim" "$@" \
		--prepare "rm -rf '$dir/grove' && cp -a '$dir/template' '$dir/grove'" \
		--check "test \$LOOM_FAULT_EXIT != 3 || LOOM_FAULT_EXIT=1
			LOOM_FAULT_WAS_STICKY=1 exec '$store' look $kind '$dir/grove'" \
		-- "$store" do "$kind" "$dir/grove"
}

# Where it is used: its state is kept by where it stands.
"$store" prepare "$dir/grove"
mv "$dir/grove" "$dir/template"
sweep "$1" --most 60
sweep "$1" --most 60 --sticky
for kind; do
	sweep "$kind" --step "$step"
	sweep "$kind" --from 2 --step "$step" --sticky
done
