#!/bin/sh
# Kills two workers of a store again and again and asks the oracle what is left.
#   kill_store.sh KILL_LOOP WORKER_STORE ROUNDS SECONDS
set -eu
kill_loop=$1 worker=$2 rounds=$3 seconds=$4
dir=$(mktemp -d "${TMPDIR:-/tmp}/loom-kill-XXXXXX")
trap 'rm -rf "$dir"' EXIT
"$worker" init "$dir"
"$kill_loop" --rounds "$rounds" --workers 2 --low 15 --high 90 --seconds "$seconds" \
	--worker "exec '$worker' work '$dir'" --oracle "exec '$worker' check '$dir'"
# and once more, deep
LOOM_ROUND=0 "$worker" check "$dir"
# an oracle that believes everything would prove nothing
echo "n 00000000000000000000000000000000 1" >"$dir/lie"
if LOOM_ROUND=0 LOOM_ACKED="$dir/lie" "$worker" check "$dir" >/dev/null; then
	echo "the oracle believes a lie"
	exit 1
fi
