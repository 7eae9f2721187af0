#!/bin/sh
# One gate: an agent that must ask does nothing at first, by any route. A proposal is shown exactly as
# it would run, and runs once, as its agent, when a person approves it. LOOM_TEST_STEPS says how many
# lines of the table are tried; there are fewer than 1000.
. "$(dirname "$0")/lib.sh"
LOOM_SEED=7
export LOOM_SEED
cases=$here/../cases

# --- seven commands that wait, and a host file that is not read ---
run 0 init
run 0 new --title T --root 'Begin.'
run 0 agent add Claude --permissions all
says out 'approval: ask'
printf 'a file\n' >host.md
LOOM_AGENT=Claude
export LOOM_AGENT
for line in 'doc import host.md' 'doc write notes host.md' 'doc rename notes other' 'link r001 --doc notes' \
	'tag r001 seen' 'new --title Mine' 'tree set --title Other' 'export -o out.json' \
	'doc export notes -o out.md' 'payload -o input.md' 'payload add global host.md' 'parse host.md' \
	'undo' 'redo' 'use T'; do
	# shellcheck disable=SC2086
	run 1 $line
	silent out
	says err '✗ '
	says err 'hint: '
done
for line in 'doc edit notes' 'thread drive'; do
	# shellcheck disable=SC2086
	run 1 $line
	says err 'could not read it beforehand'
done
run 0 log
run 0 export
run 0 events
unset LOOM_AGENT
[ ! -e out.json ] && [ ! -e out.md ] && [ ! -e input.md ] && [ ! -e .teddy ] || fail 'a file was written'
run 0 doc list
lacks out notes
lacks out host
run 0 trees
lines out 1
run 0 tag
silent out

# --- a proposal is shown whole: its words, its standard input, its directory ---
mkdir sub
printf 'first\n→ prune r001\n' | (cd sub && LOOM_AGENT=Claude "$loom" doc write "it's
two" >"$work/out" 2>"$work/err")
status 1 'doc write in sub'
hash=$(sed -n 's/.*loom approve \([0-9a-f]*\).*/\1/p' "$work/err")
run 0 approve
says out "  loom doc write \$'it\\'s\\ntwo'"
says out '      doc_write · on doc:"it'
says out "      in $work/sub"
says out '      its standard input, 21 bytes:'
says out '      | → prune r001'
run 0 approve --json
json out
says out '"words":["doc","write","it'
says out '"input":"first\n'

LOOM_AGENT=Claude run 1 tag r001 "$(printf '\377')"
says err 'nobody could read what it would do'

# An agent cannot approve; a person can, once, and the work is the agent's.
LOOM_AGENT=Claude run 1 approve "$hash"
says err 'that is for a person'
run 0 approve "$hash" --refuse
run 1 approve "$hash"
says err 'it was refused'
LOOM_AGENT=Claude run 1 tag r001 seen
hash=$(sed -n 's/.*loom approve \([0-9a-f]*\).*/\1/p' "$work/err")
run 0 approve "$hash" --json
json out
says out '"exit_status":0'
says out '"state":"done"'
run 1 approve "$hash"
says err 'it was approved and has already run'
run 0 ops --last 1
says out 'Claude · tagged [r001] "seen"'

# --- void once its targets have changed ---
LOOM_AGENT=Claude run 1 doc import host.md
hash=$(sed -n 's/.*loom approve \([0-9a-f]*\).*/\1/p' "$work/err")
printf 'changed since\n' >host.md
run 1 approve "$hash"
says err 'what it would act on has changed, so it is void'
run 1 approve "$hash"
says err 'it is void'
LOOM_AGENT=Claude run 1 tree set --title Renamed
hash=$(sed -n 's/.*loom approve \([0-9a-f]*\).*/\1/p' "$work/err")
run 0 new --title Elsewhere
run 1 approve "$hash"
says err 'it is void'
run 0 use T
LOOM_AGENT=Claude run 1 tag r001 late
hash=$(sed -n 's/.*loom approve \([0-9a-f]*\).*/\1/p' "$work/err")
run 0 agent set Claude --permissions analyst
run 1 approve "$hash"
says err 'loom_write not enabled'
run 0 tag r001
lacks out late

# --- the default approval ---
run 0 agent add Looker --permissions analyst
says out 'approval: auto'
run 0 agent set Looker --permissions loom_aware,loom_write
says out 'approval: ask'
run 0 agent set Looker --approval auto
run 0 agent set Looker --permissions all
says out 'approval: auto'
run 0 agent add Free --permissions all --approval auto
says out 'approval: auto'
run 0 agent set Free --permissions analyst
run 0 agent add Shy --permissions all --approval propose
says out 'approval: propose'

# --- the same rules over MCP ---
run 0 agent set Claude --permissions all --approval ask
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"loom","arguments":{"text":"→ tag r001 \"by mcp\""}}}' |
	"$loom" mcp --agent Claude >"$work/out" 2>"$work/err"
says out 'a person has to approve it'
run 0 tag r001
lacks out 'by mcp'
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"loom_context","arguments":{}}}' |
	"$loom" mcp --agent Shy >"$work/out" 2>"$work/err"
says out 'a person has to approve it'

# --- a person that only a file claims has no rights ---
run 0 export --format json -o told.json
sed -i 's/"ulid":"01M/"ulid":"01K/g; s/"author":"01M/"author":"01K/g; s/"name":"Olga"/"name":"Mallory"/' told.json
run 0 import told.json
run 0 agent list
says out Mallory
for line in 'do respond r001 x' 'doc write notes host.md' 'log' 'export' 'agent add Eve'; do
	# shellcheck disable=SC2086
	LOOM_AGENT=Mallory run 1 $line
	lacks out '✓'
done
LOOM_AGENT=Mallory run 1 log
says err 'only a name from told.json and cannot act here'
run 1 do -a Mallory respond r001 x
says err 'only a name from told.json and cannot act here'

# --- every line of the table, for real ---
command -v python3 >/dev/null || skip 'no python3 to try them all'
mkdir tries
cd tries || exit 1
checks=$((checks + 1))
PYTHONDONTWRITEBYTECODE=1 python3 "$here/gate_tries.py" "$loom" "$cases/gate.txt" "${LOOM_TEST_STEPS:-1000}" >"$work/out" 2>"$work/err" ||
	fail 'gate_tries.py'
tail -n 1 "$work/out"
cd "$work" || exit 1

verdict
