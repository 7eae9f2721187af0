#!/bin/sh
# Exports for other programs: a weave as Tapestry's own library would believe it, a log of Inspect; and
# each of them read again.
files=$(cd "$(dirname "$0")/../imports" && pwd)
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to check a weave'
LOOM_NOW=2026-02-23T10:00:00Z LOOM_SEED=3
export LOOM_NOW LOOM_SEED

# weave FILE: checks it; what it says is in out.
weave() {
	checks=$((checks + 1))
	python3 "$here/weave.py" "$1" >out 2>err || {
		cat err
		fail "$1 is not sound"
	}
}

# --- a weave of a tree with one of everything ---
run 0 init
run 0 import "$files/tapestry-zero.tapestry"
run 0 do switch "$("$loom" do list bookmarks | sed -n 's/.*\[\([^]]*\)\].*/\1/p')"
run 0 export --format tapestry -o lamps.tapestry
silent err
weave lamps.tapestry
says out '5 nodes 2 roots 1 bookmarks'
says out 'The lamp was| out'
run 0 import --dry-run lamps.tapestry
says out 'would import 5 nodes in 1 tree'
lacks out 'not kept'
# A bookmark is in it, and its label is not.
run 0 do bookmark r001 'the oil'
run 0 export --format tapestry -o labelled.tapestry
says err 'not in tapestry: 1 bookmark, 1 bookmark label'
# What was probable, and the alternatives, are in it.
python3 - "$here" lamps.tapestry "$files/tapestry-zero.tapestry" >out 2>err <<'EOT' || fail 'tokens that differ'
import sys
sys.path.insert(0, sys.argv[1])
from weave import Check
ours, theirs = (Check(open(path, 'rb').read()) for path in sys.argv[2:])
def tokens(weave):
    return [[(text, facts.get('probability'), facts.get('token_id')) for text, facts in node['tokens']]
            for node in weave.nodes.values() if node['tokens']]
assert tokens(ours) == tokens(theirs), (tokens(ours), tokens(theirs))
EOT
# A grove of several trees is no weave.
run 0 new --title 'Another'
run 2 export --format tapestry --grove
says err 'holds a single tree'

# --- version 1 comes in, and a weave of any tree goes out ---
for file in tapestry-one.tapestry pyloom-third.json textile-tree.json gptel-branches.org mikupad-session.json; do
	rm -rf .loom
	run 0 init
	run 0 import "$files/$file"
	run 0 export --format tapestry -o any.tapestry
	weave any.tapestry
	run 0 export --format txt
	cp out before
	run 0 import any.tapestry
done

# --- Inspect ---
rm -rf .loom
run 0 init
run 0 new --title Talk --system 'Be kind.' --root 'Hello'
run 0 do continue n:2 tokens:5
kept=$(sed -n 's/^ *\[\([^]]*\)\].*/\1/p' out | sed -n 1p)
run 0 tag "$kept" 'rated:good'
run 0 export --format inspect -o talk.json
json talk.json
python3 - talk.json >out 2>err <<'EOT' || fail 'a log that Inspect could not read'
import json
import sys
log = json.load(open(sys.argv[1]))
assert log['version'] == 2 and log['status'] == 'success'
spec = log['eval']
assert spec['task'] == 'Talk' and spec['created'] and spec['dataset'] and spec['model']
assert [sample['epoch'] for sample in log['samples']] == [1, 1]
for sample in log['samples']:
    roles = [message['role'] for message in sample['messages']]
    assert roles == ['system', 'user', 'assistant'], roles
    assert sample['input'] == 'Hello' and isinstance(sample['target'], str) and sample['id']
    assert sample['output']['choices'][0]['message']['content'] == sample['messages'][-1]['content']
    assert sample['output']['choices'][0]['stop_reason'] == 'stop'
scores = [sample.get('scores') for sample in log['samples']]
assert sum(bool(score) for score in scores) == 1, scores
score = [score for score in scores if score][0]['decision']
assert score['value'] == 'C' and score['explanation'] == 'rated:good', score
EOT
run 0 import --dry-run talk.json
says out 'in 2 trees'
silent err
verdict
