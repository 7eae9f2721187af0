#!/bin/sh
# Chat models that continue prose: how they are asked, which way a trial finds best, and how what they
# write is read behind the text; chatty.py is the model.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to play the model'
echo '{}' >rules.json
play "$here/chatty.py"
port=$(cat port)

# models MEMBERS [MEMBERS]: the configuration with these members of the model m, and of l
models() {
	mkdir -p config/loom
	cat >config/loom/config.json <<EOT
{"providers":{"chat":{"api":"openai","base_url":"http://127.0.0.1:$port/v1"},
  "llama":{"api":"llamacpp","base_url":"http://127.0.0.1:$port"}},
 "models":{"m":{"provider":"chat","endpoint":"chat"$1},"base":{"provider":"chat"},
  "l":{"provider":"llama","endpoint":"chat","caps":{"n":1}${2-}}},
 "subject_model":"m"}
EOT
	chmod 600 config/loom/config.json
}
# rules JSON: what the model takes and says
rules() {
	printf '%s\n' "$1" >rules.json
}
# node EXPRESSION VALUE: expects that of the node n that was just written
node() {
	checks=$((checks + 1))
	id=$(sed -n 's/^  \[\([^]]*\)\].*/\1/p' out | head -n 1)
	"$loom" show "$id" --json >node.json
	python3 -c 'import json, sys
n = json.load(open("node.json"))
print(json.dumps(eval(sys.argv[1])))' "$1" >got 2>&1
	[ "$(cat got)" = "$2" ] || fail "$what: $1 = $(cat got), not $2"
}

run 0 init
run 0 new --title Ship --root 'The ship rounded the headland and the mate' --mode buffer
models ''
run 0 subject m

# a framed text
run 0 do continue from r001 n:1
says out 'looked along the rail'
lacks out 'Sure!'
node 'n["content"]' '"Sure! Here is a continuation:\n\n\"looked along the rail, where nobody else was awake.\""'
node 'n["read"]' '" looked along the rail, where nobody else was awake."'
node 'n["seam"]' '{"skip": 32, "put": " ", "cut": 1}'
node 'n["generation"]["strategy"]' '"framed"'
node 'n["damaged"]' 'false'

# the text as it is read
run 0 show "$id"
lacks out 'Sure!'
run 0 export --format txt --path "$id"
says out 'The ship rounded the headland and the mate looked along the rail, where nobody else was awake.'
run 0 search rail
says out 'looked along'
run 0 search certainly
lacks out "$id"
run 0 search continuation
lacks out "$id"
run 0 verify
run 0 check

# a position counts what came
run 0 do continue from "$id" at:38 n:1
sed -n 's/.*from \[\([^]]*\)\].*/\1/p' out >from
python3 - <<'EOT' || fail 'the context does not end where it was cut'
import glob, json
name = max(glob.glob("asked*.json"), key=lambda n: int(n[5:-5]))
text = json.load(open(name))["messages"][-1]["content"]
assert "and the mate looked\n" in text, text
EOT
checks=$((checks + 1))

# what is below is given the text as it is read
run 0 do continue from "$id" n:1
python3 - <<'EOT' || fail 'the context has what the seam leaves out'
import glob, json
name = max(glob.glob("asked*.json"), key=lambda n: int(n[5:-5]))
text = json.load(open(name))["messages"][-1]["content"]
assert "Sure!" not in text.split("<<<")[0].split("stops", 1)[1], text
assert "the mate looked along the rail" in text, text
EOT
checks=$((checks + 1))

# a copy and an export keep what came and how it is read
run 0 export --format json -o all.json
mkdir other
(cd other && "$loom" init >/dev/null && "$loom" import ../all.json >/dev/null &&
	"$loom" export --format txt --path "$id") >out 2>err || fail 'the export does not come back'
says out 'the mate looked along the rail'
lacks out 'Sure!'
(cd other && "$loom" verify) >out 2>err || fail 'what came back does not verify'

# a trial
run 0 models --bench m
says out 'system     4 of 4 clean'
says out 'preamble ×4'
says out 'm continues texts by system from now on'
run 0 models
says out 'continues by system (20'
run 0 do continue from r001 n:1
node 'n["generation"]["strategy"]' '"system"'
node 'n["content"]' '"looked along the rail, where nobody else was awake."'
node 'n["seam"]' '{"put": " "}'
run 0 models --bench m --json
python3 -c 'import json
a = json.load(open("out"))
assert a["strategy"] == "system" and len(a["trials"]) == 4, a
assert a["trials"][0]["clean"] == 4 and a["in"] > 0 and a["out"] > 0, a' || fail 'the trial as JSON'
checks=$((checks + 1))

# what is configured counts more
models ',"strategy":"few-shot"'
run 0 do continue from r001 n:1
node 'n["generation"]["strategy"]' '"few-shot"'
node 'n["read"]' '" looked along the rail, where nobody else was awake."'
run 0 models
says out 'continues by few-shot (configured)'
models ',"strategy":"magic"'
run 1 models
says err 'must be prefill, system, few-shot, framed or fill'

# a beginning that is taken
models ',"strategy":"prefill","caps":{"prefill":true}'
run 0 do continue from r001 n:1
node 'n["generation"]["strategy"]' '"prefill"'
node '"seam" in n' 'false'

# a beginning that is refused: learned, said once however many were asked, and kept
models ''
run 0 subject l
run 0 do continue from r001 n:1
node 'n["generation"]["strategy"]' '"prefill"'
rules '{"refuse_prefill":true}'
run 0 do continue from r001 n:3
cat out err >told
[ "$(grep -c 'takes no beginning of its answer; a text is presented to it as framed' told)" -eq 1 ] ||
	fail "it is not said once: $(cat told)"
checks=$((checks + 2))
[ "$(grep -c '^  \[' out)" -eq 3 ] || fail "three were asked: $(cat out)"
node 'n["generation"]["strategy"]' '"framed"'
node 'n["read"]' '" looked along the rail, where nobody else was awake."'
ls asked*.json | wc -l >before
run 0 do continue from r001 n:1
lacks err 'takes no beginning'
[ "$(ls asked*.json | wc -l)" -eq $(($(cat before) + 1)) ] || fail 'it is asked in vain again'
checks=$((checks + 1))
# a trial asks nevertheless, and does not take another way's answers for its own
run 0 models --bench l
says out 'prefill    0 of 4 clean'
says out 'l continues texts by system from now on'
# whoever says prefill hears that it is refused
models '' ',"strategy":"prefill"'
run 1 do continue from r001 n:1
says out 'does not support assistant'
models ''
rules '{}'
run 0 subject m

# a seam is taken off and put on again, and so it is searched, exported and brought in
models ',"strategy":"framed"'
run 0 do continue from r001 n:1
node 'n["read"]' '" looked along the rail, where nobody else was awake."'
run 0 do unseam "$id"
run 0 show "$id"
says out 'Sure! Here is a continuation:'
run 0 search continuation
says out "$id"
run 0 verify
run 0 export --format json -o all.json
mkdir third
(cd third && "$loom" init >/dev/null && "$loom" import ../all.json >/dev/null &&
	"$loom" export --format txt --path "$id") >out 2>err || fail 'the export does not come back'
says out 'Sure! Here is a continuation:'
run 0 undo
run 0 show "$id"
lacks out 'Sure!'
run 0 search continuation
lacks out "$id"
run 0 redo
run 0 do seam "$id"
run 0 show "$id"
lacks out 'Sure!'
run 0 check
run 1 do unseam r001
says out 'has no seam'
models ''

# a model that completes
models ''
run 1 models --bench base
says err 'nothing to try'

verdict
