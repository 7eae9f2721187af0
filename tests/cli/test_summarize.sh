#!/bin/sh
# Summaries: queued on creation, by a model or as an extract, never in the history; and compaction of
# a thread's oldest messages.
. "$(dirname "$0")/lib.sh"

# Without a model: an extract at once, marked as one; nothing waits.
run 0 init
run 0 new --title Talk --root 'Begin. And more.'
run 0 jobs
says err 'nothing is running'
run 0 do respond r001 'A door opens. Somebody enters. Nobody speaks.'
node=$("$loom" tree | grep -o '\[[a-z0-9]*\]' | tail -n 1 | tr -d '[]')
run 0 jobs
silent out
run 0 show "$node" --json
says out '"summary":"A door opens."'
says out '"summary_extract":true'
run 0 summarize
says err 'nothing is waiting'

# With one, they wait for it until somebody drains them.
small_model() {
	mkdir -p config/loom
	cat >config/loom/config.json <<-EOT
	{"providers":{"own":{"api":"command","command":["/bin/false"]}},
	 "models":{"s":{"provider":"own","caps":{"small":true}}}}
	EOT
	chmod 600 config/loom/config.json
}
small_model
run 0 do respond r001 'It is dark. Nobody speaks.'
run 0 jobs
says out '] · waits'
lines out 1
run 0 jobs --json
json out
rm config/loom/config.json

# Those that still wait when the model has gone get an extract with the next write.
run 0 do bookmark r001
run 0 jobs
silent out
before=$("$loom" ops | wc -l)
run 0 summarize r001
says out '[r001] Begin. (extract)'
run 0 summarize Talk --json
json out
says out '"kind":"tree"'
run 1 summarize nowhere
checks=$((checks + 1))
[ "$("$loom" ops | wc -l)" -eq "$before" ] || fail 'a summary is an operation'
run 0 undo
run 0 redo

# For every kind of text: a document, an import, an unsummarized node that is viewed.
printf 'Some notes. And more notes.\n' >notes.md
run 0 doc write Notes notes.md
run 0 jobs
silent out
run 0 export --format json -o talk.json
"$loom" init other >/dev/null
run 0 -g other import talk.json
run 0 -g other trees --json
says out '"summary":"Begin."'
run 0 -g other do view "$node"
run 0 -g other jobs
silent out
small_model
run 0 init third
run 0 -g third import talk.json
run 0 -g third jobs
says out 'summary of tree:"Talk" · waits'
lines out 1
run 0 -g third agent add Bo --permissions loom_aware
echo '→ list r001 children' >turn.txt
run 0 -g third run -a Bo turn.txt
run 0 -g third jobs
says out "summary of [$node] · waits"
rm config/loom/config.json

# A thread's messages.
run 0 agent add Claude --permissions loom_aware
printf '→ view r001\n' | "$loom" run -a Claude >out 2>err
status 0 'run'
run 1 thread compact -a Claude --keep 1
says err 'only 0 messages'

# Shortening a context requests the missing summaries.
mkdir -p config/loom
printf '#!/bin/sh\ncat >/dev/null\necho Yes.\n' >model.sh
chmod +x model.sh
cat >config/loom/config.json <<EOT
{"providers":{"own":{"api":"command","command":["$work/model.sh"]},
              "broken":{"api":"command","command":["/bin/false"]}},
 "models":{"m":{"provider":"own","max_out":500,"context":3600},"s":{"provider":"broken"}},
 "collaborator_model":"m","summary_model":"s"}
EOT
chmod 600 config/loom/config.json
run 0 init short
long=$(awk 'BEGIN { for (i = 0; i < 20; i++) printf "Another sentence is here for length. " }')
run 0 -g short new --title Long --root 'Begin.'
at=r001
for n in $(seq 16); do
	at=$("$loom" -g short do respond "$at" "$n $long" | sed -n 's/.*created \[\([a-z0-9]*\)\].*/\1/p')
done
run 0 -g short agent add Claude --permissions loom_aware
run 0 -g short export --format json -o long.json
run 0 init again
run 0 -g again import long.json
run 0 -g again agent add Bo --permissions loom_aware
printf '→ switch to %s\n' "$at" | "$loom" -g again run -a Bo >out 2>err
status 0 'switch'
run 1 -g again summarize
run 0 -g again jobs
lines out 2
run 0 -g again chat -a Bo --input hello
run 0 -g again jobs
checks=$((checks + 1))
[ "$(wc -l <out)" -gt 2 ] || fail 'what was shortened is not queued'
rm config/loom/config.json

command -v python3 >/dev/null || verdict
cat >answers.json <<'EOT'
{"small": ["\"A door opens for somebody.\"\n", "A talk about a door."], "m": ["Yes. Indeed.\n", "No.\n", "Perhaps.\n"]}
EOT
play "$here/model.py"
configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat","context":8000},
           "s":{"provider":"fake","id":"small","endpoint":"chat","context":8000,"caps":{"small":true}}},
 "agents":{"Claude":{"system":"You are Claude."}},"collaborator_model":"m"'

# By the model that is tagged small: the template, fifty tokens; it replaces the extract.
run 0 summarize "$node"
says out "[$node] A door opens for somebody."
checks=$((checks + 1))
python3 - "$node" <<'EOT' || fail 'the model was not asked with the template'
import json
asked = json.load(open("asked0.json"))
text = asked["messages"][-1]["content"]
assert text == """Given this conversation context:
---
Tree: Talk
Previous: Begin. And more.
---

Summarize the following message in ONE sentence (max 30 words).
Capture the key point, action, or decision. Be specific, not generic.

Message: A door opens. Somebody enters. Nobody speaks.""", text
assert asked.get("max_tokens", asked.get("max_completion_tokens")) == 50, asked
EOT
run 0 show "$node" --json
says out '"summary":"A door opens for somebody."'

run 0 grep '"opens for"'
says out "[$node]"

# A tree and a document are found by theirs too, and not by one whose text was taken back.
run 0 summarize Talk
run 0 grep '"talk about"'
says out 'tree:"Talk" · summary'
printf 'Quite another thing.\n' >notes.md
run 0 doc write Notes notes.md
run 0 summarize
run 0 grep '"talk about"'
says out 'doc:"Notes" · summary · updated'
run 0 grep '"talk about"' --json
json out
says out '"kind":"summary"'
says out '"document":"Notes"'
run 0 undo
run 0 grep '"talk about"'
lacks out 'doc:"Notes"'
says out 'tree:"Talk" · summary'

run 0 chat -a Claude --input 'First I ask. At length.'
run 0 chat -a Claude --input 'Then I ask again.'
run 0 thread compact -a Claude --keep 2
says out '2 messages of'
run 0 context -a Claude --format messages
says out 'Summary of the 2 messages before:\nA talk about a door.'
checks=$((checks + 1))
grep -q 'At length' out && fail 'what was summed up is still told'
says out '"content":"You are Claude.'
# A path that is stashed is summed up by the model; each result has its id, in the turn and the trace.
cat >turn.txt <<EOT
→ stash "early" summary-of:r001-$node
→ recall "early"
→ memory trace
EOT
run 0 agent set Claude --permissions all --approval auto
run 0 run -a Claude turn.txt
says out "✓ recalled \"early\":"
says out "Summary of [r001]…[$node]: A talk about a door."
says out '→ recall "early" · res-3'
checks=$((checks + 1))
grep -q 'These texts follow one another' asked*.json || fail 'the summary model was not asked about the path'

# A result of more than 1,000 tokens: by the model, and where the rest is.
seq 1 3000 >long.md
run 0 doc write Long long.md
run 0 agent set Claude --permissions all --approval auto
printf '→ read doc:"Long"\n→ view r001\n' >turn.txt
run 0 run -a Claude turn.txt
says out 'Summary of the first 2,000 of 3,484 tokens: A talk about a door.'
says out ' tokens omitted · → read doc:"Long" lines:1-3000'
says out '2 continuations · bookmarked'
checks=$((checks + 1))
grep -qx 1500 out && fail 'the result is told and summed up'
# Without a summary model, or if it fails: extracts, and a note.
sed -i 's/"small":true/"small":false/' config/loom/config.json
run 0 chat -a Claude --input 'Third I ask. And more.'
run 0 run -a Claude turn.txt
says out ' tokens omitted · → read doc:"Long" lines:'
checks=$((checks + 1))
grep -qx 3000 out || fail 'the last lines do not stand for the rest'
run 0 thread compact -a Claude --keep 1 --json
json out
says out '"extract":true'
run 0 context -a Claude --format messages
says out 'Summary of the 5 messages before (extract):\nA talk about a door.\n- user: Then I ask again.'
says out '- user: Third I ask.'
sed -i 's|"summary_model":"s",||; s|"collaborator_model"|"summary_model":"none/there","collaborator_model"|' config/loom/config.json
run 0 chat -a Claude --input 'Fourth I ask. And more.'
run 0 thread compact -a Claude --keep 1
says err 'using extracts'
run 0 context -a Claude --format messages
says out '- user: Fourth I ask.'
# The length limit is configurable, for all calls.
sed -i 's|^{|{"result_tokens":9,|' config/loom/config.json
echo '→ view r001' >turn.txt
run 0 run -a Claude turn.txt
says out ' tokens omitted · → '
run 0 do -a Claude view r001
says out ' tokens omitted · → '
run 0 do view r001
lacks out 'omitted'
sed -i 's|"result_tokens":9,|"result_tokens":0,|' config/loom/config.json
run 0 run -a Claude turn.txt
says err '"result_tokens" in the configuration is not a whole number'
sed -i 's|"result_tokens":0,||' config/loom/config.json
run 0 run -a Claude turn.txt
lacks out 'omitted'
run 0 thread compact -a Claude --keep 0 --summary 'We spoke of doors.'
run 0 context -a Claude --format messages
says out 'We spoke of doors.'

# The block about a spawned thread's files is not part of the summary.
run 0 objective new --title Goal --id goal
run 0 thread spawn --objective goal --id A -a Claude
run 0 chat --thread A --input 'Build it. With care.'
run 0 chat --thread A --input 'Go on.'
run 0 thread compact --thread A --keep 2
run 0 context --thread A --format messages
says out 'Summary of the 2 messages before (extract):\n- user: Build it. With care.\n- you: '

verdict
