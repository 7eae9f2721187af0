#!/bin/sh
# A log on a server whose connection is cut at any byte, whose clients are killed, and whose standby
# takes over: nothing acknowledged is lost, and nothing is there twice.
# LOOM_TEST_STEPS sets the number of cuts and kills, LOOM_TEST_PROMOTIONS that of standbys, and
# LOOM_TEST_SEED the seed (random: a new one each time).
. "$(dirname "$0")/lib.sh"
unset LOOM_ME PGHOST PGPORT PGUSER PGPASSWORD PGPASSFILE PGSSLMODE PGSSLROOTCERT
storm_seed
steps=${LOOM_TEST_STEPS:-8}
got=0
PYTHONPATH=$here python3 "$here/server_storm.py" "$loom" "$here/../support/postgres" "$seed" \
	"$steps" "$steps" "${LOOM_TEST_PROMOTIONS:-2}" >said 2>wrong || got=$?
cat said
[ "$got" -ne 77 ] || exit 77
checks=$((checks + 1))
[ "$got" -eq 0 ] || fail "seed $seed: $(tail -n 5 wrong)"
verdict
