#!/bin/sh
# When summaries are made: a tree's after those of its nodes, when it is closed, and by every process
# that stays long enough.
. "$(dirname "$0")/lib.sh"

# A tree after its nodes, with the places where it branches, which are counted.
cat >answers.json <<'EOT'
{"small": ["One is said.", "Two is said.", "Three is said.", "Four is said.", "All of it."], "m": ["Yes."]}
EOT
play "$here/model.py"
configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat","context":8000},
           "s":{"provider":"fake","id":"small","endpoint":"chat","context":8000,"caps":{"small":true}}},
 "collaborator_model":"m"'
run 0 init branches
run 0 -g branches new --title Branches --root 'The beginning. It has two ways on.'
left=$("$loom" -g branches do respond r001 'Left. And left again.' | sed -n 's/.*created \[\([a-z0-9]*\)\].*/\1/p')
run 0 -g branches do respond r001 'Right. And right again.'
run 0 -g branches do respond "$left" 'Left of left. It is dark.'
run 0 -g branches do respond "$left" 'Right of left. It is bright.'
run 0 -g branches do switch to r001
run 0 -g branches summarize Branches
lines out 3
says out 'tree:"Branches" '
checks=$((checks + 1))
python3 - <<'EOT' || fail 'the tree was not summed up after its nodes'
import glob, json
asked = [json.load(open("asked%d.json" % i))["messages"][-1]["content"] for i in range(len(glob.glob("asked*.json")))]
trees = [i for i, text in enumerate(asked) if text.startswith("This is a branching conversation tree.")]
assert len(trees) == 1 and trees[0] == len(asked) - 1, (trees, len(asked))
text = asked[trees[0]]
assert "Branch points explored: 2" in text, text
told = text.split("Key node summaries from the main path:\n")[1].split("\n\n")[0].split("\n")
assert len(told) == 2 and all(" is said." in line for line in told), told
EOT

# Each process that stays drains what waits: a turn beside its own work, a run if it is to wait.
printf '→ respond r001 "Another. And more."\n' >turn.txt
run 0 -g branches agent add Bo --permissions all --approval auto
run 0 -g branches run -a Bo turn.txt
run 0 -g branches jobs
says out '] · waits'
run 0 -g branches run --wait -a Bo turn.txt
run 0 -g branches jobs
lacks out 'waits'
run 0 -g branches run --wait --dry-run -a Bo turn.txt

# So does a server, while its client is there.
run 0 -g branches run -a Bo turn.txt
run 0 -g branches jobs
says out '] · waits'
mkfifo calls
"$loom" -g branches mcp --agent Bo <calls >mcp.out 2>mcp.err &
server=$!
exec 8>calls
cat >&8 <<'EOT'
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"loom","arguments":{"text":"→ respond r001 \"From outside. And more.\""}}}
EOT
drained() {
	grep -q '"id":1' mcp.out && ! "$loom" -g branches jobs 2>/dev/null | grep -q waits
}
wait_until 'a server drains what waits' drained
exec 8>&-
wait $server
status 0 'a server whose client is gone'

# While an agent answers, its chat sums up what waits; when a live one ends, the tree it was in is due.
run 0 -g branches run -a Bo turn.txt
run 0 -g branches chat -a Bo --input 'Hello.'
wait_until 'a chat drains what waits' sh -c "'$loom' -g branches chat -a Bo --input 'Again.' >/dev/null && ! '$loom' -g branches jobs | grep -q waits"
printf '"→ respond r001 \\"Said live.\\"\\n"' >said
cat >answers.json <<EOT
{"small": ["Live is said."], "m": [$(cat said)]}
EOT
rm -f asked*.json
printf 'Go.\n' | "$loom" -g branches chat -a Bo --json >out 2>err
status 0 'a live chat'
run 0 -g branches jobs
says out 'summary of tree:"Branches" · waits'
run 0 -g branches summarize
printf '{"small": ["Live is said."], "m": ["Done."]}' >answers.json
printf 'Nothing changes.\n' | "$loom" -g branches chat -a Bo --json >out 2>err
status 0 'a live chat in which nothing is done'
run 0 -g branches jobs
lacks out 'tree:'

verdict
