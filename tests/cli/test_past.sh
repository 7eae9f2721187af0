#!/bin/sh
# Time travel: a context that was sent is shown again byte for byte, whatever has changed since.
. "$(dirname "$0")/lib.sh"

cat >answers.json <<'EOT'
["I look.\n→ view r001\n→ pin r001\n", "Well.\n→ respond r001 \"A door opens.\"\n", "Yes.\n",
 "→ memory\n", "No.\n", "→ respond r001 \"Another — dör.\"\n→ stash \"x\" \"kept\"\n", "Done.\n",
 "Nothing.\n"]
EOT
play "$here/model.py"
configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat","context":8000}},
 "agents":{"Claude":{"system":"You are Claude."}},"collaborator_model":"m"'

run 0 init
run 0 new --title Talk --root 'Begin.'
run 0 agent add Claude --permissions all --approval auto
for input in 'go on' 'and then? ü' 'what was in res-1?' 'more' 'last'; do
	run 0 chat -a Claude --input "$input"
done

# Later everything has changed: texts, marks, names, memory, settings, the clock.
node=$("$loom" tree | grep -o '\[[a-z0-9]*\]' | sed -n 2p | tr -d '[]')
run 0 do edit "$node" 'A window opens.'
run 0 do prune "$node"
run 0 do annotate r001 'seen'
run 0 do exclude r001
printf '→ drop pin:r001\n→ stash "y" "new"\n' >turn
run 0 run -a Claude turn
run 0 agent set Claude --permissions analyst
sed -i 's/You are Claude/You are somebody else/' config/loom/config.json
LOOM_NOW=2031-05-05T05:05:05Z
export LOOM_NOW

python3 - "$loom" <<'EOT' >report 2>&1
import glob, json, random, subprocess, sys
loom = sys.argv[1]
rows = subprocess.run([loom, "context", "-a", "Claude", "--format", "messages"],
                      capture_output=True, text=True)
sent = [json.load(open("asked%d.json" % i))["messages"] for i in range(len(glob.glob("asked*.json")))]
inputs = []
for seq in range(0, 200):
    done = subprocess.run([loom, "context", "-a", "Claude", "--at", str(seq), "--format", "messages"],
                          capture_output=True, text=True)
    if done.returncode:
        break
    if "rebuilt" not in done.stderr:
        inputs.append(json.loads(done.stdout))
    if len(inputs) == len(sent):
        break
assert len(sent) > 6, len(sent)
assert len(inputs) == len(sent), (len(inputs), len(sent))
for was, shown in zip(sent, inputs):
    assert was == shown, (was, shown)
print("same", len(sent))
EOT
checks=$((checks + 1))
grep -q '^same' report || fail "what was sent is shown otherwise: $(cut -c1-600 report)"

# Many more contexts, at random, while everything changes.
storm_seed
unset LOOM_NOW
storm past_storm.py "$seed" 40

verdict
