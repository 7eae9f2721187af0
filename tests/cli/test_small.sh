#!/bin/sh
# The small model of a vendor whose key is in the environment: asked for once a grove, on a terminal;
# without consent nothing is sent; when it is no longer served, the vendor's newest small one writes.
. "$(dirname "$0")/lib.sh"

cat >served.json <<'EOT'
[{"id": "claude-opus-9", "created_at": "2027-01-01T00:00:00Z"},
 {"id": "claude-haiku-8", "created_at": "2026-05-01T00:00:00Z"},
 {"id": "claude-haiku-7", "created_at": "2026-11-01T00:00:00Z"},
 {"id": "claude-3-5-haiku-latest", "created_at": "2024-10-22T00:00:00Z"},
 {"id": "gpt-4o-mini", "created": 1721172741}, {"id": "gpt-9", "created": 1800000000},
 {"id": "gpt-8-mini", "created": 1790000000}, {"id": "gpt-9-mini-tts", "created": 1799000000}]
EOT
play "$here/vendor.py"
ANTHROPIC_BASE_URL=http://127.0.0.1:$(cat port) OPENAI_BASE_URL=http://127.0.0.1:$(cat port)/v1
export ANTHROPIC_BASE_URL OPENAI_BASE_URL

# asked COUNT: how many requests the vendor has had.
asked() {
	checks=$((checks + 1))
	# shellcheck disable=SC2012
	[ "$(ls asked*.json 2>/dev/null | wc -l)" -eq "$1" ] || fail "$what: not $1 requests"
}
# answers WORD ARGUMENT…: runs the program on a terminal and types the word when it is asked.
answers() {
	what="$*"
	python3 "$here/answer.py" '[y/N]' "$@" >out 2>err
}

run 0 init
run 0 new --title Talk --root 'Begin. And more.'
ANTHROPIC_API_KEY=a-key
export ANTHROPIC_API_KEY
run 0 summarize
says err 'nothing is waiting'
run 0 do respond r001 'A door opens. Somebody enters.'
run 0 jobs
silent out
run 0 summarize r001
says out '[r001] Begin. (extract)'
asked 0

# Without a terminal nobody is asked, and an agent is not either; a no is remembered.
answers n "$loom" summarize r001
says out 'Anthropic'
says out "$ANTHROPIC_BASE_URL"
says out 'ANTHROPIC_API_KEY'
says out 'Begin. (extract)'
answers y "$loom" summarize r001
lacks out 'May loom send'
asked 0
run 0 trust --list
says out 'no summaries anthropic'

# Another grove is another question; a yes holds for it, without a terminal too.
run 0 init novel
run 0 -g novel new --title Novel --root 'Once upon a time. And so on.'
answers y "$loom" -g novel summarize r001
says out 'May loom send'
says out 'Summed up by claude-3-5-haiku-latest'
asked 1
run 0 -g novel do respond r001 'A wolf comes. It is hungry.'
run 0 -g novel jobs
says out 'waits'
run 0 -g novel summarize
says out 'Summed up by claude-3-5-haiku-latest'
asked 2
what='what was sent'
checks=$((checks + 1))
python3 - <<'EOT' || fail 'the request is not what it should be'
import json
asked = json.load(open("asked1.json"))
headers = {name.lower(): value for name, value in asked["headers"].items()}
assert asked["path"] == "/v1/messages" and headers["x-api-key"] == "a-key", asked
assert asked["body"]["max_tokens"] == 50 and "A wolf comes." in asked["body"]["messages"][-1]["content"]
EOT
grep -rq 'a-key' state config data novel/.loom 2>/dev/null && fail 'the key was stored'

# No longer served: the newest small one, found once in a process; and a word about it.
sed -i '/claude-3-5-haiku/d' served.json
run 0 -g novel do respond r001 'The wolf leaves. It snows.'
run 0 -g novel do respond r001 'The wolf stays. It rains.'
run 0 -g novel summarize
says out 'Summed up by claude-haiku-7'
says err 'no longer serves claude-3-5-haiku-latest'
asked 5
checks=$((checks + 1))
[ "$(cat listed)" -eq 1 ] || fail 'the list was read more than once'

# Nothing small is left: the refusal is told, and the text waits no longer than others that failed.
sed -i '/haiku/d' served.json
run 1 -g novel summarize r001
says err 'model: claude-3-5-haiku-latest'

# OpenAI is second, and its other kinds write no text; a configured model comes first.
unset ANTHROPIC_API_KEY
OPENAI_API_KEY=b-key
export OPENAI_API_KEY
run 0 -g novel summarize r001
says out '(extract)'
run 0 -g novel show r001 --json
says out 'Summed up by claude-3-5-haiku-latest'
answers y "$loom" -g novel summarize r001
says out 'OpenAI'
says out 'Summed up by gpt-4o-mini'
sed -i '/gpt-4o-mini/s/{"id": "gpt-4o-mini", "created": 1721172741}, //' served.json
run 0 -g novel summarize r001
says out 'Summed up by gpt-8-mini'
run 0 -g novel trust --drop novel
answers n "$loom" -g novel summarize r001
says out 'May loom send'
lacks out 'gpt-8-mini"'

# A model of a vendor needs no configuration: its key is there.
run 0 -g novel agent add Claude --permissions loom_aware --model openai/gpt-9
run 0 -g novel chat -a Claude --input 'Hello.'
says out 'Summed up by gpt-9'
unset OPENAI_API_KEY
run 1 -g novel chat -a Claude --input 'Hello.'
says err 'OPENAI_API_KEY is not set'

verdict
