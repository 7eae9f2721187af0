#!/bin/sh
# The lanes of a thread's log: listed, restored at a row, forked, switched, compacted; and the
# commands about a log find an agent's thread by the agent.
. "$(dirname "$0")/lib.sh"

# drives LINE…: gives the lines to the log of Cleo's thread.
drives() {
	printf '%s\n' "$@" | "$loom" thread drive -a Cleo >"$work/out" 2>"$work/err"
	status 0 'drive'
}

# holds TEXT: these are the texts that the active lane holds, in order.
holds() {
	run 0 thread project -a Cleo
	checks=$((checks + 1))
	held=$(grep -o '"messages":.*' out | grep -o '"content":"[^"]*"' | cut -d'"' -f4 | tr '\n' ' ')
	[ "$held" = "$1 " ] || fail "it holds '$held', not '$1'"
}

run 0 init
run 0 new --title Lanes --root Begin.
run 0 agent add --permissions all Cleo
run 0 do -a Cleo view r001

# --- an agent's thread by its name, in every command about a log ---
drives '{"do":"run_start","request_id":"a","content":"one"}' '{"do":"assistant","content":"two"}' \
	'{"do":"run_end","outcome":"completed"}' \
	'{"do":"run_start","request_id":"b","content":"three"}' '{"do":"assistant","content":"four"}' \
	'{"do":"run_end","outcome":"completed"}'
holds 'one two three four'
run 0 --json thread log -a Cleo
two=$(grep -o '"seq":[0-9]*,"kind":"ai_message"[^}]*"two"' out | grep -o '[0-9]*' | head -1)
head=$(grep -o '"seq":[0-9]*' out | grep -o '[0-9]*' | tail -1)
printf '{"kind":"note","payload":{"text":"a note"}}' >note.json
run 0 thread append -a Cleo note.json
run 0 thread log -a Cleo --last 1
says out 'a note'
printf '{"op_id":"p","context_ref":"default","operation":{"type":"switch"}}' >op.json
run 0 thread op -a Cleo op.json
says out '"applied"'
run 0 thread checkpoint -a Cleo
token=$(cat out)
run 0 thread restore "$token"
says out '"status":"idle"'
says out '"content":"four"'
run 2 thread checkpoint -a Cleo thread-x
run 1 thread append -a Nobody note.json
run 1 thread drive -a Nobody

# --- where a lane begins ---
run 0 thread lanes -a Cleo
says out '* default'
lines out 1
run 0 --json thread lanes -a Cleo
json out
says out '"lane":"default","active":true,"anchor":null'
says out '"waiting":null,"run":null'

# --- back to a row: what came later is not told, and stays in the log ---
run 0 thread lane -a Cleo --restore "$two"
says out 'applied'
holds 'one two'
run 0 thread lanes -a Cleo
says out '* default · restore in row'
run 0 thread lane -a Cleo --restore "$head"
holds 'one two three four'

# --- a copy to try something in ---
run 0 thread lane -a Cleo --fork idea --at "$two"
drives '{"do":"run_start","request_id":"c","content":"else"}' '{"do":"run_end","outcome":"completed"}'
holds 'one two else'
run 0 thread lane -a Cleo --switch default
holds 'one two three four'
run 0 thread lanes -a Cleo
lines out 2
says out '  idea'
run 1 thread lane -a Cleo --fork idea
says err '✗ NOT_FOUND: there is a lane of that name already'
run 1 thread lane -a Cleo --switch nowhere
says err 'hint: `loom thread lanes` lists them'
run 1 thread lane -a Cleo --restore 4000
run 2 thread lane -a Cleo
run 2 thread lane -a Cleo --fork x --switch idea

# --- summed up as far as a row, without parting a call from its results ---
drives '{"do":"run_start","request_id":"d","content":"ask"}' \
	'{"do":"assistant","content":"","tool_calls":[{"id":"c1","name":"calc","arguments":{}}]}' \
	'{"do":"tool_result","tool_call_id":"c1","name":"calc","content":"47"}' \
	'{"do":"assistant","content":"It is 47."}' '{"do":"run_end","outcome":"completed"}'
run 0 thread compact -a Cleo --keep 2
says out '5 messages'
run 0 thread project -a Cleo
says out '"tool_calls":[{"id":"c1"'
run 0 thread compact -a Cleo --keep 1
run 0 thread project -a Cleo
says out '- tool calc: 47'
lacks out '- user: 47'
# One row can give many messages: those that are kept are kept.
run 0 thread lane -a Cleo --fork again --lane idea
drives '{"do":"run_start","request_id":"e","content":"last"}' '{"do":"run_end","outcome":"completed"}'
holds 'one two else last'
run 0 thread compact -a Cleo --keep 2 --summary 'in short'
holds 'in short else last'
run 0 thread lanes -a Cleo
says out '* again · compaction of rows'
run 0 --json thread log -a Cleo --last 1
last=$(grep -o '"seq":[0-9]*' out | grep -o '[0-9]*')
drives '{"do":"run_start","request_id":"f","content":"more"}' '{"do":"run_end","outcome":"completed"}'
run 0 thread compact -a Cleo --through "$last" --summary 'in short again'
holds 'in short again more'

# --- while a run is open, what is asked for waits, and can be seen ---
mkfifo feed
"$loom" thread drive -a Cleo <feed >said 2>said.err &
driver=$!
exec 9>feed
printf '{"do":"run_start","request_id":"g","content":"busy"}\n' >&9
until [ -s said ] || [ -s said.err ]; do sleep 0.05; done
run 0 thread lane -a Cleo --switch default
says out 'deferred'
run 0 thread lanes -a Cleo
says out 'waits: switch (manual) of lane default'
says out 'run g is open'
# What is said beside it is kept, under a request of its own, and joins no conversation.
printf 'Prose beside the run.\n' | "$loom" run -a Cleo >out 2>err
status 0 'a turn beside an open run'
run 0 thread log -a Cleo --last 1
says out '"text":"Prose beside the run.'
says out '"run_id":"'
lacks out '"request_id":"g"'
printf '{"do":"run_end","outcome":"completed"}\n' >&9
exec 9>&-
wait "$driver"
run 0 thread lanes -a Cleo
lacks out 'waits'
says out '* default'

# Between runs it joins the conversation, with its ids.
printf 'Prose of its own.\n' | "$loom" run -a Cleo >out 2>err
status 0 'a turn between runs'
run 0 --json thread log -a Cleo --last 1
says out '"content":"Prose of its own."'
says out '"refs":{"request_id":"'
run 0 thread project -a Cleo
lacks out 'Prose beside the run.'
says out 'Prose of its own.'

# --- for an agent: its own lanes to see, none to move ---
LOOM_AGENT=Cleo "$loom" thread lanes >out 2>err
status 0 'its own lanes'
LOOM_AGENT=Cleo "$loom" thread lane --switch idea >out 2>err
status 1 'an agent moves among lanes'
says err 'PERMISSION_DENIED'

verdict
