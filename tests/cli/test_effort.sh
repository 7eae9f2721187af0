#!/bin/sh
# Models that think, and servers that refuse what they are sent: what is asked, learned, told once and
# kept for the next process; strict.py is the server.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to play the model'
echo '{}' >rules.json
play "$here/strict.py"
port=$(cat port)

# models MEMBERS: the configuration with these models
models() {
	mkdir -p config/loom
	cat >config/loom/config.json <<EOT
{"providers":{
  "chat":{"api":"openai","base_url":"http://127.0.0.1:$port/v1"},
  "claude":{"api":"anthropic","base_url":"http://127.0.0.1:$port"}},
 "models":{$1}, "subject_model":"m"}
EOT
	chmod 600 config/loom/config.json
	rm -rf state/loom/models.json
}
# rules JSON: what the server takes and does
rules() {
	printf '%s\n' "$1" >rules.json
}
# last EXPRESSION: a value of the last request, computed from its body b
last() {
	python3 -c 'import glob, json, sys
name = max(glob.glob("asked*.json"), key=lambda n: int(n[5:-5]))
b = json.load(open(name))
print(json.dumps(eval(sys.argv[1])))' "$1" >got 2>&1
	cat got
}
# sent EXPRESSION VALUE: expects that of the last request
sent() {
	checks=$((checks + 1))
	[ "$(last "$1")" = "$2" ] || fail "$what: sent $1 = $(cat got), not $2"
}
# asked N: expects that many requests since the last call
before=0
asked() {
	checks=$((checks + 1))
	now=$(find . -maxdepth 1 -name 'asked*.json' | wc -l)
	[ $((now - before)) -eq "$1" ] || fail "$what: $((now - before)) requests, not $1"
	before=$now
}
# node EXPRESSION VALUE: expects that of the node n that was just written
node() {
	checks=$((checks + 1))
	"$loom" show "$(sed -n 's/^  \[\([^]]*\)\].*/\1/p' out | head -n 1)" --json >node.json
	python3 -c 'import json, sys
n = json.load(open("node.json"))
print(json.dumps(eval(sys.argv[1])))' "$1" >got 2>&1
	[ "$(cat got)" = "$2" ] || fail "$what: $1 = $(cat got), not $2"
}

run 0 init
run 0 new --title Story --root 'Once upon a time' --mode buffer
models '"m":{"provider":"chat"}'
run 0 subject m

# ---- a model that thinks and says so by its name ----
models '"m":{"provider":"claude","id":"claude-opus-5-1"}'
rules '{"claude-opus-5-1":{"thinks":120,"words":"there was a queen."}}'
run 0 do continue from r001 n:1 tokens:60
sent 'b["thinking"]["type"]' '"disabled"'
sent 'b["max_tokens"]' 60
# one that cannot be told not to thinks as little as it can, with room for it; said once, kept
rules '{"claude-opus-5-1":{"thinks":120,"off":false,"words":"there was a queen."}}'
asked 1
run 0 do continue from r001 n:1 tokens:60
says out 'there was a queen.'
sent 'b["thinking"]["type"]' '"adaptive"'
sent 'b["output_config"]["effort"]' '"low"'
sent 'b["max_tokens"] > 180' true
asked 2
run 0 do continue from r001 n:1 tokens:60
asked 1
# thoughts are kept beside the node and counted, and are no part of its text or of a context
run 0 do continue from r001 n:1 tokens:60
node 'n["content"], n["generation"]["thinking"][:5], n["generation"]["usage"]["thinking"]' \
	'["there was a queen.", "hm hm", 120]'
run 0 show "$(sed -n 's/^  \[\([^]]*\)\].*/\1/p' out | head -n 1)"
says out 'thought: 120 tokens'
run 0 context
lacks out 'hm hm'
models '"m":{"provider":"claude","id":"claude-opus-5-1"}'
rules '{"claude-opus-5-1":{"thinks":20,"words":"there was a queen."}}'
run 0 do continue from r001 n:1 tokens:60 effort:high
sent 'b["output_config"]["effort"]' '"high"'
sent 'b["thinking"]["display"]' '"summarized"'
sent 'b["max_tokens"] > 8000' true
# an older one has a budget
models '"m":{"provider":"claude","id":"claude-sonnet-4-5"}'
run 0 do continue from r001 n:1 tokens:60 effort:low
sent 'b["thinking"]["type"]' '"enabled"'
sent 'b["thinking"]["budget_tokens"] < b["max_tokens"]' true
run 0 do continue from r001 n:1 tokens:60
sent '"thinking" in b' false

# ---- one that nobody knows to think: an empty answer says why, and the next has room ----
models '"m":{"provider":"chat","id":"mystery","endpoint":"chat"}'
rules '{"mystery":{"thinks":120,"words":"there was a king."}}'
run 1 do continue from r001 n:1 tokens:60
says out '60 of 60 tokens were thought'
says out 'effort'
run 0 do continue from r001 n:1 tokens:60
says out 'there was a king.'
# the text is as long as it was to be, however much room there was
rules "{\"mystery\":{\"thinks\":120,\"words\":\"$(yes word | head -n 500 | tr '\n' ' ')\"}}"
run 0 do continue from r001 n:1 tokens:60
node '40 < len(n["content"].split()) < 70, n["generation"]["finish"]' '[true, "length"]'

# ---- words for how much to think ----
models '"m":{"provider":"chat","id":"o9","endpoint":"chat"}'
rules '{"o9":{"efforts":["low","medium","high"],"thinks":10}}'
run 0 do continue from r001 n:1 tokens:60
sent 'b["reasoning_effort"]' '"low"'
run 0 do continue from r001 n:1 effort:high
sent 'b["reasoning_effort"]' '"high"'
run 1 do continue from r001 n:1 effort:none
says out 'does not take effort'
models '"m":{"provider":"chat","id":"gpt-7","endpoint":"chat"}'
rules '{"gpt-7":{"efforts":["minimal","low"],"thinks":10}}'
run 0 do continue from r001 n:1 tokens:60
sent 'b["reasoning_effort"]' '"minimal"'
run 1 do continue from r001 n:1 effort:much
says out 'low|medium|high|none'

# ---- OpenAI's Responses: nothing is stored there ----
models '"m":{"provider":"chat","id":"gpt-7-pro","endpoint":"responses"}'
rules '{"gpt-7-pro":{"thinks":10,"words":"there was a page."}}'
run 0 do continue from r001 n:1 tokens:60 effort:medium
says out 'there was a page.'
sent 'b["store"]' false
sent 'b["reasoning"]["effort"]' '"medium"'
sent 'b["max_output_tokens"] > 60' true
sent '"messages" in b' false

# ---- what loom adds by itself is left out when it is refused, whatever the shape ----
models '"m":{"provider":"chat","id":"strict"}'
for shape in openai fastapi plain; do
	models '"m":{"provider":"chat","id":"strict"}'
	rules "{\"strict\":{\"refuse\":{\"stream_options\":\"$shape\",\"top_p\":\"$shape\"}}}"
	run 0 do continue from r001 n:1
	says err 'takes no stream_options'
	sent '"stream_options" in b or "top_p" in b' false
	run 0 do continue from r001 n:1
	silent err
done
# a limit is renamed, never left out
models '"m":{"provider":"chat","id":"strict","endpoint":"chat"}'
rules '{"strict":{"refuse":{"max_tokens":"openai"}}}'
run 0 do continue from r001 n:1 tokens:30
sent 'b["max_completion_tokens"]' 30
rules '{"strict":{"refuse":{"max_tokens":"openai","max_completion_tokens":"openai"}}}'
run 1 do continue from r001 n:1 tokens:30
# what somebody has set is refused by name, on the line and in the configuration
models '"m":{"provider":"chat","id":"strict"}'
rules '{"strict":{"refuse":{"seed":"fastapi"}}}'
run 1 do continue from r001 n:1 seed:7
says out 'does not take seed'
run 0 do continue from r001 n:1
models '"m":{"provider":"chat","id":"strict","min_p":0.1}'
rules '{"strict":{"refuse":{"min_p":"plain"}}}'
run 1 do continue from r001 n:1
says out 'does not take min_p'
models '"m":{"provider":"chat","id":"strict","extra_body":{"mirostat":2}}'
rules '{"strict":{"refuse":{"mirostat":"openai"}}}'
run 1 do continue from r001 n:1
says out 'does not take mirostat'

# ---- extra_body is merged, however deep, and null removes ----
models '"m":{"provider":"chat","id":"lax","extra_body":{"max_tokens":7,"top_n_sigma":1.5,
  "stream_options":{"include_usage":null,"chunks":true},"top_p":null}}'
run 0 do continue from r001 n:1 tokens:30
sent 'b["max_tokens"], b["top_n_sigma"], b["stream_options"], "top_p" in b' \
	'[7, 1.5, {"chunks": true}, false]'
checks=$((checks + 1))
[ "$(grep -o '"max_tokens"' "$(ls -t asked*.json | head -n 1)" | wc -l)" -eq 1 ] ||
	fail 'a member is there twice'

# ---- samplers by name ----
models '"m":{"provider":"chat","id":"lax"}'
run 0 do continue from r001 n:1 temperature:0.7 top_k:50 min_p:0.05 dry:0.8 xtc:0.5 top_n_sigma:1 \
	seed:9 'grammar:root ::= "a"' 'logit_bias:{"15":-3}'
sent 'b["temperature"], b["top_k"], b["min_p"], b["dry_multiplier"], b["xtc_probability"]' \
	'[0.7, 50, 0.05, 0.8, 0.5]'
sent 'b["top_n_sigma"], b["seed"], b["logit_bias"]' '[1, 9, {"15": -3}]'
run 0 do continue from r001 n:1 'ban:"oh"' 'logit_bias:{"15":-3,"ah":2}'
sent 'b["logit_bias"]' '[[15, -3], ["ah", 2], ["oh", false]]'
run 1 do continue from r001 n:1 temperature:hot
says out 'temperature: takes a number'
run 1 do continue from r001 n:1 temperature:1000
says out '"temperature" must be a number from 0 to 100'
models '"m":{"provider":"claude","id":"claude-opus-5-1"}'
run 1 do continue from r001 n:1 dry:0.8
says out 'takes no dry: the anthropic API has none'

# ---- errors in the server's own words ----
models '"m":{"provider":"chat","id":"words"}'
words() {
	rules "{\"words\":{\"status\":$1,\"body\":$2,\"type\":\"$3\"}}"
	run 1 do continue from r001 n:1
	says out "$4"
}
words 404 '{"detail":"Not Found"}' application/json 'answered 404: Not Found'
words 403 '{"message":"quota exceeded"}' application/json 'answered 403: quota exceeded'
words 403 '{"errors":[{"message":"first"},{"message":"second"}]}' application/json 'answered 403: first; second'
words 400 '{"detail":[{"loc":["body","x","y"],"msg":"bad y"}]}' application/json 'answered 400: x.y: bad y'
words 400 '{"error":{"type":"odd"}}' application/json 'answered 400: odd'
words 403 '"no entry today"' text/plain 'answered 403: no entry today'
words 404 '"<html><head><title>Gone away</title></head><body>x</body></html>"' text/html 'answered 404: Gone away'

# ---- a text that was cut off says so, and what it was told is counted ----
models '"m":{"provider":"chat","id":"frail"}'
rules '{"frail":{"breaks":2}}'
run 1 do continue from r001 n:1
says out 'broke off'
run 0 show "$(sed -n 's/^  \[\([^]]*\)\].*/\1/p' out | head -n 1)"
says out 'cut off: chat broke off'

# ---- a server that loads is waited for, and so is one that is not there yet ----
models '"m":{"provider":"chat","id":"slow"}'
rules '{"slow":{"loading":4,"words":"at last."}}'
run 0 do continue from r001 n:1
says out 'at last.'
says err 'Loading model; waiting for it'

# ---- a window that nobody has set is learned from the first prompt that does not fit ----
python3 -c 'print("The sea was calm, and 1,204 ships lay in the bay; nobody knew why. " * 600, end="")' >long.txt
run 0 new --title Long --root "$(cat long.txt)" --mode buffer
models '"m":{"provider":"chat","id":"small"}'
rules '{"small":{"window":1000}}'
asked "$(($(find . -maxdepth 1 -name 'asked*.json' | wc -l) - before))"
run 0 do continue from r001 n:1 tokens:40
silent err
asked 2
for i in 1 2 3; do
	run 0 do continue from r001 n:1 tokens:40
	asked 1
	sent '800 <= len(json.dumps(b["prompt"])) // 4 + 64 <= 1000' true
done
# one whose server tells no sizes gets half
rules '{"small":{"status":400,"body":{"error":"context length exceeded"}}}'
rm -f state/loom/models.json
run 1 do continue from r001 n:1 tokens:40
asked 2

verdict
