#!/bin/sh
# `loom salvage`: its report and result for a damaged grove, which stays unchanged.
. "$(dirname "$0")/lib.sh"

run 0 init novel
cd novel || exit 1
run 0 new --mode buffer --title 'The house' --root 'Once there was.'
id=$(cat "$work/out")
for i in 1 2 3 4 5 6 7 8 9; do
	run 0 do respond r001 "a sentence, number $i"
done
run 0 do annotate r001 'a note'
cd ..

# An undamaged grove is recovered completely.
run 0 salvage novel
says out 'nodes: 11 rescued'
says out 'the new grove is in novel-salvaged'
run 0 -g novel-salvaged check --deep
run 0 -g novel-salvaged verify
run 0 -g novel-salvaged tree
says out '10 nodes'

# It overwrites nothing, and refuses files that are not groves.
run 1 salvage novel
says err 'CONFLICT'
run 1 salvage novel/.loom/grove.db novel
says err 'CONFLICT'
run 1 salvage missing
says err 'NOT_FOUND'
echo 'just a text' >text.db
run 3 salvage text.db
says err 'no readable part of a grove'
checks=$((checks + 1))
[ ! -e text.db-salvaged ] || fail 'something was made of a text'

# Without its first page, and torn.
cp -R novel torn
dd if=/dev/zero of=torn/.loom/grove.db bs=4096 count=1 conv=notrunc 2>/dev/null
lost=$(LC_ALL=C grep -abo 'a sentence, number 4' torn/.loom/grove.db | head -n 1 | cut -d : -f 1)
dd if=/dev/zero of=torn/.loom/grove.db bs=4096 seek=$((lost / 4096)) count=1 conv=notrunc 2>/dev/null
sum=$(cat torn/.loom/grove.db torn/.loom/grove.db-wal | cksum)
run 3 -g torn tree
run 1 salvage torn out1
says out 'rescued'
says out 'cannot be read'
run 0 -g out1 check
checks=$((checks + 1))
[ "$sum" = "$(cat torn/.loom/grove.db torn/.loom/grove.db-wal | cksum)" ] ||
	fail 'the damaged grove was touched'

# Broken JSON beside a node is kept as a JSON string, so that the grove can be exported and imported
# again.
printf '{"text":"A","children":[{"text":"B","odd":"one","children":[]}]}' >x.json
run 0 -g novel import x.json
run 0 -g novel backup one.db
LC_ALL=C sed -i 's/"odd":"one"/"odd"!"one"/' one.db
run 0 -g novel check
run 1 salvage one.db whole
says out 'doubtful'
run 0 -g whole export --grove --format json -o whole.json
grep -q '"was":"{.*odd\\"!' whole.json || fail 'what was damaged is not there'
run 0 -g novel import --dry-run whole.json
checks=$((checks + 1))

# As JSON, every count.
"$loom" salvage --json torn out2 >"$work/out" 2>"$work/err"
json out
says out '"log_rows":{"rescued":'
says out '"nodes":{"rescued":'
says out '"findings":['
silent err
LOOM_AGENT=ngram run 1 salvage torn out3
says err 'PERMISSION_DENIED'
verdict
