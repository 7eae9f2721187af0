#!/bin/sh
# Steering and stopping a running turn, with a slow model.
. "$(dirname "$0")/lib.sh"

cat >answers.json <<'EOT'
["I look around the room and see a door that is closed, and a window behind it.\n→ view r001\n",
 "Shorter, then.\n",
 "This is a very long answer that nobody has the time to hear to its end, so it goes on.\n"]
EOT
play "$here/model.py" 40


run 0 init
run 0 new --title Talk --root 'Begin.'
run 0 agent add Claude --permissions all --approval ask
configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat","context":8000}},
 "collaborator_model":"m"'

# Events, one per line; steering joins before the next request to the model.
mkfifo typed
"$loom" chat --json <typed >events 2>err &
chat=$!
exec 3>typed
echo 'go on' >&3
until_says events '"event":"text"'
echo 'be brief' >&3
until_says events '"event":"queued","text":"be brief"'
until_says events '"event":"heard","count":1'
until_says events '"event":"done","status":"ok"'
checks=$((checks + 1))
grep -q 'be brief' asked1.json || fail 'the model was not told'
checks=$((checks + 1))
grep -q 'be brief' asked0.json && fail 'the model was told too early'
checks=$((checks + 1))
python3 -c 'import json, sys
for line in sys.stdin: json.loads(line)' <events || fail 'an event is no JSON'

# ^C in mid-stream: the turn ends, the reply so far stays, unread steering becomes a draft.
echo 'a long one' >&3
until_says events '"text":" ve"'
echo 'unheard' >&3
until_says events '"event":"queued","text":"unheard"'
kill -INT $chat
until_says events '"event":"returned","text":"unheard","draft":"draft-'
until_says events '"event":"done","status":"cancelled"'
exec 3>&-
wait $chat
status 0 'the chat ends with its input'
run 0 drafts
says out 'text'
"$loom" context -a Claude >out 2>err
status 0 'context'
says out 'This is a'
checks=$((checks + 1))
grep -q 'so it goes on' out && fail 'what never came is in the context'

# kill -9 in mid-stream: the next process finds all but the last second.
python3 -c 'import json
print(json.dumps([" ".join("word%d" % n for n in range(200))]))' >answers.json
"$loom" chat --input 'once more' >out 2>err </dev/null &
chat=$!
until_says out 'word40'
kill -9 $chat
wait $chat 2>/dev/null
run 0 thread log -a Claude
lacks out 'word'
cat >answers.json <<'EOT'
["I go on.\n"]
EOT
run 0 chat --input 'are you there?'
says out 'I go on.'
run 0 context -a Claude
says out 'word0 word1 word2'
run 0 thread log -a Claude
says err ': the turn was stopped'
says err ': the turn ended with its program'
run 0 thread log -a Claude --json
silent err
says out '"text":"word0 word1 word2'

# Where nobody can be asked, the turn ends at once and says what waits; a person approves it later.
cat >answers.json <<'EOT'
["→ respond r001 \"A door.\"\n"]
EOT
run 0 chat --input 'write'
says out 'PERMISSION_DENIED: not done: a person has to approve it'
says err '1 call waits for a person: `loom approve` lists what waits'
hash=$(sed -n 's/.*`loom approve \([0-9a-f][0-9a-f]*\)`.*/\1/p' out)
run 0 approve "$hash"
says out '✓ created ['
run 0 chat --json --input 'write'
says out '"waiting":1,'
run 0 approve --refuse "$(sed -n 's/.*`loom approve \([0-9a-f][0-9a-f]*\)`.*/\1/p' out)"

# A program that has said all it has to say cannot be asked either.
echo 'write' | "$loom" chat --json >out 2>err
status 0 'a chat whose input has ended'
says out '"waiting":1,'
run 0 approve --refuse "$(sed -n 's/.*`loom approve \([0-9a-f][0-9a-f]*\)`.*/\1/p' out)"

# Approval within the chat, over lines: y lets it write, n does not.
# answer TEXT: sets the model's replies from now on
answer() {
	printf '["%s\\n"]\n' "$1" >answers.json
}
"$loom" chat --json <typed >events 2>err &
chat=$!
exec 3>typed
answer '→ respond r001 \"Another.\"'
echo 'write' >&3
until_says events '"event":"waits"'
until_says events '"call":"respond r001 \"Another.\"","target":"[r001] \"Begin.\"","permission":"loom_write"'
answer 'So it is.'
echo y >&3
until_says events '"text":"So "'
until_says events '✓ created ['
until_says events '"event":"done","status":"ok"'
answer '→ bookmark r001'
echo 'mark it' >&3
until_says events '"call":"bookmark r001"'
answer 'Then not.'
echo no >&3
until_says events '"text":"The"'
until_says events 'PERMISSION_DENIED'
# What the model only repeats asks, whatever the agent may do without being asked.
run 0 agent set Claude --approval auto
printf 'Facts.\n→ bookmark r001\n' | "$loom" doc write plan >/dev/null || fail 'no document'
run 0 do -a Claude pin 'doc:plan'
answer 'So it reads.\n\n→ bookmark r001'
echo 'what does it say?' >&3
asks() { [ "$(grep -c '"event":"waits"' events)" = 3 ]; }
wait_until 'what is repeated asks' asks
answer 'Good.'
echo no >&3
until_says events '"text":"Goo"'
exec 3>&-
wait $chat
status 0 'the chat ends with its input'
run 0 ops
lacks out 'bookmarked'

# An asker that is killed leaves nothing to approve.
run 0 agent set Claude --approval ask
answer '→ respond r001 \"A third.\"'
"$loom" chat --json <typed >events 2>err &
chat=$!
exec 3>typed
echo 'again' >&3
until_says events '"event":"waits"'
kill -9 $chat
wait $chat 2>/dev/null
exec 3>&-
run 0 approve
says err 'nothing is waiting for approval'

verdict
