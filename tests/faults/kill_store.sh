#!/bin/sh
# Kills two workers of a store again and again and asks the oracle what is left.
#   kill_store.sh KILL_LOOP WORKER_STORE ROUNDS SECONDS
set -eu
kill_loop=$1 worker=$2 rounds=$3 seconds=$4
top=$(mktemp -d "${TMPDIR:-/tmp}/loom-kill-XXXXXX")
# what the oracle objects to is kept to be looked at
trap '[ $? -ne 0 ] && echo "the grove: $top" || rm -rf "$top"' EXIT
end=$(($(date +%s) + seconds))

# The oracle looks at everything again and again, so a grove is killed 250 times at most.
batch() {
	dir=$top/$1
	"$worker" init "$dir"
	"$kill_loop" --rounds "$2" --workers 2 --low 15 --high 90 --seconds $((end - $(date +%s))) \
		--seed "$1" \
		--worker "exec '$worker' work '$dir'" --oracle "exec '$worker' check '$dir'"
	# and once more, deep
	LOOM_ROUND=0 "$worker" check "$dir"
}
done=0
while [ "$done" -lt "$rounds" ] && [ "$(date +%s)" -lt "$end" ]; do
	now=$((rounds - done < 250 ? rounds - done : 250))
	[ "$done" -eq 0 ] || rm -rf "$dir"
	batch $((done / 250 + 1)) "$now"
	done=$((done + now))
	echo "$done of $rounds"
done
# an oracle that believes everything would prove nothing
echo "n 00000000000000000000000000000000 1" >"$dir/lie"
if LOOM_ROUND=0 LOOM_ACKED="$dir/lie" "$worker" check "$dir" >/dev/null; then
	echo "the oracle believes a lie"
	exit 1
fi
