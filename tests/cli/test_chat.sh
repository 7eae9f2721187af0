#!/bin/sh
# A loom-aware agent's turn on the command line, with a scripted model on the loopback.
. "$(dirname "$0")/lib.sh"
LOOM_SEED=7
export LOOM_SEED

cat >answers.json <<'EOF'
["Let me look.\n→ view r001\n→ respond r001 \"A door opens.\"\nNow I guess what it says.\n→ view nope9\n",
 "It begins.\n", "Again.\n"]
EOF
play "$here/model.py"

run 0 init
run 0 new --title Talk --root 'Begin.'
run 1 chat --input hello
says err 'there is no loom-aware agent'
run 0 agent add Claude --permissions all --approval auto
run 1 chat --input hello
says err '✗ MODEL_ERROR'
run 0 thread log -a Claude
says err 'note: row 1: the turn failed: '
configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat","context":8000}},
 "agents":{"Claude":{"system":"You are Claude."}},"collaborator_model":"m"'

# Prose, calls with their results, and more prose; text after the calls is ignored.
run 0 chat --input 'go on'
says out 'Let me look.'
says out '→ view r001'
says out '✓ created ['
says out 'It begins.'
checks=$((checks + 1))
! grep -q 'guess\|nope9' out || fail 'what stood behind the calls was heard'
checks=$((checks + 1))
grep -q 'You are Claude' asked0.json || fail 'the agent is not told who it is'
checks=$((checks + 1))
grep -q '"tools"' asked0.json asked1.json && fail 'a request has tools'
python3 - asked1.json >roles <<'EOF'
import json, sys
print(" ".join(m["role"] for m in json.load(open(sys.argv[1]))["messages"]))
EOF
checks=$((checks + 1))
grep -q 'assistant' roles || fail 'the second call does not know what was said'

# The next turn knows the first; its results have faded, its actions are in the memory.
run 0 chat -a Claude --input 'and then?'
says out 'Again.'
run 0 context -a Claude --format json
says out 'viewed r001 · responded to r001'
says out 'go on\n\nLet me look.\n\nIt begins.\n\nand then?\n\nAgain.'
run 1 chat --thread nowhere --input x
run 2 chat --input ' '
says err '--input is empty'
printf 'one more\n\n' | "$loom" chat >out 2>err
status 0 'chat from a pipe'
says out 'Again.'

# The context that was sent is shown again; one for a moment in between is rebuilt.
# (The first two rows belong to the turn without a model.)
run 0 context -a Claude --at 5
says err 'rebuilt'
run 0 context -a Claude --at 3 --format json
says out '"name":"turn"'
says out 'go on'
checks=$((checks + 1))
! grep -q 'Let me look' out || fail 'a later row is in an earlier input'
run 0 context -a Claude --at 3 --diff 5
says out 'Let me look.'

# A spawned thread: its first message begins with its block, the next is only itself, and one after
# a load begins with it again. What is broken is said and kept, and stops nothing.
run 0 objective new --title 'Ship it' --id obj
run 0 thread spawn --objective obj --id thread-A
run 0 thread spawn --objective obj --id thread-B -a Claude --ref thread-A --ref ghost --binding live
echo plan >.leslie/threads/thread-A/plan.md
echo own >.leslie/threads/thread-B/plan.md
run 0 chat --thread thread-B --input 'first task'
says err 'Referenced Thread ghost not found'
run 0 chat --thread thread-B --input 'second task'
silent err
run 0 thread load thread-B
run 0 chat --thread thread-B --input 'third task'
run 2 thread log --thread thread-B thread-B
says err twice
run 0 thread log thread-B --json
python3 - "$work/out" >talk <<'EOF'
import json, sys
for row in json.load(open(sys.argv[1])):
    if row["kind"] in ("warning", "note"):
        print(row["kind"], row["payload"]["text"])
    elif row["kind"] == "ai_message" and row["payload"]["role"] == "user":
        text = row["payload"]["content"]
        head, _, task = text.rpartition("</thread_context>\n\n")
        print("own" if "thread-B/plan.md" in head else "given" if head else "bare", task)
EOF
[ "$(cat talk)" = 'warning Referenced Thread ghost not found
own first task
bare second task
warning Referenced Thread ghost not found
note loaded
own third task' ] || fail "the block is where it should not be: $(cat talk)"
run 0 thread transcript thread-B
grep -q 'third task' .leslie/threads/thread-B/transcript.md || fail 'the transcript lacks a turn'

verdict
