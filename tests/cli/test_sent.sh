#!/bin/sh
# The record is the request: the body that was sent is kept with the node in few bytes, whatever the
# prompt, and comes back byte for byte, here and in another grove; strict.py is the server.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to play the model'
echo '{}' >rules.json
play "$here/strict.py"
mkdir -p config/loom
# models MEMBERS
models() {
	cat >config/loom/config.json <<EOT
{"providers":{
  "open":{"api":"openai","base_url":"http://127.0.0.1:$(cat port)/v1","key_env":"KEY"},
  "claude":{"api":"anthropic","base_url":"http://127.0.0.1:$(cat port)"}},
 "models":{$1}, "subject_model":"m"}
EOT
	chmod 600 config/loom/config.json
}
KEY=very-secret-key
export KEY

# made: the node that was just written
made() {
	sed -n 's/^  \[\([^]]*\)\].*/\1/p' out | head -n 1
}
# body NODE: expects its record to have a request that came, byte for byte
body() {
	checks=$((checks + 1))
	"$loom" show "$1" --json >node.json
	python3 - asked*.json <<'EOT' || fail "$what: the record of $1 is not the request"
import hashlib, json, sys
text = open("node.json", encoding="utf-8").read()
request = json.loads(text)["generation"]["request"]
bodies = {hashlib.sha256(b).hexdigest(): b for b in (open(n, "rb").read() for n in sys.argv[1:])}
sent = bodies[request["sha256"]]
assert sent.decode() in text, "not byte for byte"
assert request["body"] == json.loads(sent)
EOT
}
# small NODE: expects that the record takes at most 4 KB
small() {
	checks=$((checks + 1))
	size=$(python3 -c 'import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute(
    "SELECT max(length(record)) FROM generation")
print(next(rows)[0])' .loom/grove.db)
	[ "$size" -le 4096 ] || fail "$what: a record of $size bytes"
}

run 0 init
models '"m":{"provider":"open","extra_body":{"mirostat":2,"stream_options":null,"top_n_sigma":1.5}}'
python3 -c 'print("Once upon a \"time\"\tthere was\n\u00e9t\u00e9 \U0001F30A. " * 4000, end="")' >long.txt
run 0 new --title Long --root "$(head -c 100000 long.txt | iconv -c -t UTF-8)" --mode buffer
run 0 subject m
run 0 do continue from r001 n:3
body "$(made)"
small
first=$(made)
run 0 show "$first" --json
says out '"mirostat":2'
lacks out very-secret-key
says out '"top_n_sigma":1.5'
# far down a branch
for i in 1 2 3 4 5; do
	run 0 do continue from "$first" n:1
	first=$(made)
	body "$first"
done
small
# a window that rolls on begins in the middle of a text
models '"m":{"provider":"open","context":9000}'
run 0 do continue from "$first" n:1
body "$(made)"
small
# inside a text, and after an edit above
run 0 do continue from "$first" 'after:it went' n:1
body "$(made)"
run 0 do edit "$first" 'Quite another text stands here, and it is long enough to be found.'
run 0 do continue n:1
body "$(made)"
# a conversation of many messages, by each kind of request
for model in '{"provider":"open","endpoint":"chat"}' '{"provider":"claude","id":"claude-opus-5"}' \
	'{"provider":"open"}' '{"provider":"open","endpoint":"responses"}'; do
	models "\"m\":$model"
	run 0 new --title Talk --root 'Hello, this is the first of all the messages that we say.' --mode dialogue
	last=r001
	run 0 do continue from "$last" n:1
	last=$(made)
	body "$last"
	for i in 1 2 3 4 5 6; do
		run 0 do respond "$last" "Message $i of them, said at some length by somebody."
		run 0 do continue n:1
		last=$(made)
		body "$last"
	done
	small
done
# shown by what was given, too
run 0 context --given "$last" --json
json out
says out '"request":{"sha256"'

# through the lossless export, into another grove
run 0 show "$last" --json
cp out before.json
run 0 export --format json --output tree.json
grep -q '"request":{"sha256"' tree.json || fail 'the export has no request'
checks=$((checks + 1))
mkdir other
cd other
run 0 init
run 0 import ../tree.json
run 0 show "$last" --json
cp "$work/out" ../after.json
cd ..
checks=$((checks + 1))
python3 - <<'EOT' || fail 'the request did not survive the way into another grove'
import json
a, b = (json.load(open(n))["generation"]["request"] for n in ("before.json", "after.json"))
assert a["body"] == b["body"] and a["sha256"] == b["sha256"], (a, b)
EOT

verdict
