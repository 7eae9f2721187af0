#!/bin/sh
# A working session: a person and two agents in one grove. They share a branch in turns, use others in
# parallel, steer, stop, undo, and one process dies in mid-sentence. The final state is checked line by
# line.
. "$(dirname "$0")/lib.sh"

command -v sqlite3 >/dev/null || skip 'no sqlite3 to look at what is kept'
play "$here/model.py" 40
echo '{}' >answers.json
configure '"models":{"ada":{"provider":"fake","id":"ada","endpoint":"chat","context":8000},
           "bob":{"provider":"fake","id":"bob","endpoint":"chat","context":8000},
           "sub":{"provider":"fake","id":"sub","endpoint":"chat","context":8000}},
 "agents":{"Ada":{"model":"ada"},"Bob":{"model":"bob"},"Sub":{"model":"sub"}}'

run 0 init
run 0 new --title Story --root 'Once upon a time.'
run 0 agent add Ada --permissions all --approval auto
run 0 agent add Bob --permissions all --approval auto
run 0 agent add Sub
run 0 do respond r001 'The person opens a door.'
person=$(sed -n 's/.*created \[\([a-z0-9]*\)\].*/\1/p' out)

# Long enough for somebody else to try in the meantime.
long=$(printf 'and on and on, %.0s' $(seq 40))

# Ada has the turn below the root for as long as her turn lasts.
cat >answers.json <<EOT
{"ada": ["I begin.\n→ respond r001 \"Ada lights a lamp.\"\n",
         "And now I think about it, $long.\n",
         "I heard you.\n",
         "I start a very long speech, $long.\n",
         "→ continue from $person n:1 using agent:\"Sub\"\n",
         "Quiet now.\n"],
 "bob": ["→ respond r001 \"Bob lights one too.\"\n→ respond $person \"Bob looks in.\"\n→ bookmark $person\n",
         "Done what I could.\n", "→ respond $person \"Bob is back.\"\n", "There.\n"],
 "sub": ["A wind comes up and blows all the lamps out, $long until it is dark.\n"]}
EOT
mkfifo typed
"$loom" chat -a Ada --json <typed >ada 2>ada.err &
ada=$!
exec 3>typed
echo 'begin' >&3
until_says ada '"said":"→ respond r001'
until_says ada '"text":"And'
"$loom" chat -a Bob --input 'join in' >bob 2>bob.err </dev/null
status 0 'Bob joins in'
checks=$((checks + 1))
grep -q '✗ CONFLICT: "Ada" has the turn on the branch at \[r001\]' bob ||
	fail "the same branch at the same time: $(cat bob)"
checks=$((checks + 1))
grep -q '✓ created' bob || fail 'another branch was not free'

# Steering reaches her before she continues.
echo 'not so dark, please' >&3
until_says ada '"heard","count":1'
until_says ada '"event":"done","status":"ok"'
checks=$((checks + 1))
grep -l 'not so dark' asked*.json >/dev/null || fail 'Ada was not told'

# After a stop, her text so far stays.
echo 'speak' >&3
until_says ada '"text":" ve"'
kill -INT $ada
until_says ada '"event":"done","status":"cancelled"'

# One undo reverts everything Bob did in that step.
run 0 ops
op=$(grep 'Bob · responded to' out | head -n 1 | cut -d' ' -f1)
says out 'and 1 more'
run 0 undo "$op"
run 0 show "$person" --json
says out '"bookmark":false'

# She dies while a model writes for her: what came is a node, the branch is free, her run is over.
echo 'let it blow' >&3
kept() { [ "$(sqlite3 -readonly .loom/grove.db 'SELECT count(*) FROM stream_chunk' 2>/dev/null)" -gt 0 ]; }
wait_until 'something of what the model writes is kept' kept
kill -9 $ada
wait $ada 2>/dev/null
exec 3>&-
run 0 chat -a Bob --input 'are you there?'
says out '✓ created ['
run 0 check
"$loom" context -a Ada --format messages >context 2>err
status 0 'her context after it'
checks=$((checks + 1))
grep -q 'I start a ve' context || fail 'what she said is gone'
run 0 chat -a Ada --input 'once more'

# The final state, without the ids of nodes.
"$loom" ops >ops
sed -e 's/\[[a-z0-9]*\]/[·]/g' -e 's/^[0-9]* [^·]*· //' ops >told
cat >want <<'EOT'
Bob · responded to [·] with [·]
Sub · kept what an interrupted generation had written
Bob · responded to [·] with [·] and 1 more · undone
Ada · responded to [·] with [·]
you · responded to [·] with [·]
you · new agent "Sub"
you · new agent "Bob"
you · new agent "Ada"
you · new tree "Story"
you · made the grove
EOT
checks=$((checks + 1))
diff want told >difference || fail "what was done is told otherwise: $(cat difference)"
for text in 'Once upon a time' 'The person opens a door' 'Ada lights a lamp' 'Bob is back' \
	'A wind comes up'; do
	run 0 grep "$text"
	says out "$text"
done
run 1 grep 'Bob looks in'
run 1 grep 'until it is dark'

verdict
