#!/bin/sh
# Where a conversation begins: where the person stands, unless --node says otherwise; one that has
# begun stays where the agent went.
. "$(dirname "$0")/lib.sh"
LOOM_SEED=7
export LOOM_SEED

printf '["One.\\n", "Two.\\n", "Three.\\n", "Four.\\n", "Five.\\n", "Six.\\n"]' >answers.json
play "$here/model.py"

# told N TEXT, untold N TEXT: what the N-th request says, counted from 0.
told() {
	checks=$((checks + 1))
	grep -qF -e "$2" "asked$1.json" || fail "request $1 lacks '$2'"
}
untold() {
	checks=$((checks + 1))
	! grep -qF -e "$2" "asked$1.json" || fail "request $1 has '$2'"
}

run 0 init
run 0 new --title Talk --root 'Begin.'
run 0 do 'respond r001 "The left way."'
left=$(grep -o '\[[a-z0-9]*\]' out | head -1 | tr -d '[]')
run 0 do 'respond r001 "The right way."'
right=$(grep -o '\[[a-z0-9]*\]' out | head -1 | tr -d '[]')
run 0 agent add Claude --permissions all --approval auto
run 0 agent add Dora --permissions all --approval auto
configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat","context":8000}},
 "collaborator_model":"m"'

# It begins where I am, and says so in its log.
run 0 do "switch to $left"
run 0 chat -a Claude --input 'look'
told 0 'The left way.'
untold 0 'The right way.'
run 0 thread log -a Claude
says out '0 position {"tree":'
# It has begun: I can go elsewhere.
run 0 do "switch to $right"
run 0 chat -a Claude --input 'and now'
told 1 'The left way.'
untold 1 'The right way.'
# Unless I say where.
run 0 chat -a Claude --node "$right" --input 'come here'
told 2 'The right way.'
untold 2 'The left way.'
run 0 chat -a Claude --input 'still there'
told 3 'The right way.'
# A new one begins where it is told.
run 0 chat -a Dora --node r001 --input 'at the root'
told 4 'Begin.'
untold 4 'way.'
run 1 chat -a Dora --node z9z9 --input 'nowhere'
says err '✗ NOT_FOUND'
# What was sent is shown again from where the agent stood.
run 0 context -a Claude --at 1
says out 'The left way.'

# Who works somewhere is there, wherever it stands.
cat >slow.sh <<'EOT'
#!/bin/sh
cat >/dev/null
while [ ! -f go ]; do sleep 0.1; done
echo 'Slowly.'
EOT
chmod +x slow.sh
configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat","context":8000},
 "slow":{"provider":"own"}},"collaborator_model":"m"'
sed -i "s|\"providers\":{|&\"own\":{\"api\":\"command\",\"command\":[\"$work/slow.sh\"]},|" config/loom/config.json
run 0 agent add Slow --model slow
run 0 subject Slow
run 0 agent add Worker --permissions all --approval auto
printf '→ switch to r001\n→ continue from %s n:1\n' "$left" >turn.txt
"$loom" run -a Worker turn.txt >worker.out 2>worker.err &
running=$!
tells() {
	"$loom" context -a Claude 2>/dev/null | grep -qF -e "$1"
}
wait_until 'it works there' tells "Worker active at [$left]"
touch go
wait $running
status 0 'the work ends'
checks=$((checks + 1))
! tells 'Worker active' || fail 'it is still there'

# So is one that is being talked to, from the first moment, before it has done anything.
rm go
run 0 agent set Worker --model slow
"$loom" chat -a Worker --node "$left" --input 'Well?' >worker.out 2>worker.err &
running=$!
wait_until 'it answers there' tells "Worker active at [$left]"
touch go
wait $running
status 0 'the answer ends'
checks=$((checks + 1))
! tells 'Worker active' || fail 'it is still there after its answer'

# And one that comes through a server, as long as its client is there.
mkfifo calls
"$loom" mcp --agent Worker <calls >mcp.out 2>mcp.err &
running=$!
exec 8>calls
cat >&8 <<EOT
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"loom","arguments":{"text":"→ switch to $left"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"loom","arguments":{"text":"→ view r001"}}}
EOT
until_says mcp.out '"id":2'
wait_until 'it is seen there' tells "Worker active at [$left]"
exec 8>&-
wait $running
status 0 'its client leaves'
checks=$((checks + 1))
! tells 'Worker active' || fail 'it is still there after its client'

# A thread keeps to its tree.
run 0 new --title Other --root 'Elsewhere.'
run 0 use Other
run 0 objective new --title 'Ship it' --id obj
run 0 thread spawn --objective obj --id thread-A -a Claude
run 1 chat --thread thread-A --node "Talk/$left" --input 'over there'
says err '✗ CROSS_TREE'

verdict
