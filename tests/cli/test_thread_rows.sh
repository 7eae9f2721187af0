#!/bin/sh
# Writing a thread's log from the command line: rows, context operations, and the resulting context.
. "$(dirname "$0")/lib.sh"

# given STATUS TEXT ARGUMENT…: runs the program with the text on standard input.
given() {
	wanted=$1
	text=$2
	shift 2
	printf '%s' "$text" | "$loom" "$@" >"$work/out" 2>"$work/err"
	status "$wanted" "loom $*"
}

mkdir grove
cd grove || exit 1
run 0 init
run 0 new --title Log
run 0 do switch r001
token=$("$loom" thread checkpoint)
thread=$("$loom" thread restore "$token" | sed -n 's/.*"run_id":"\([^"]*\)".*/\1/p')

# --- rows ---
given 0 '{"kind":"ai_message","payload":{"context_ref":"default","role":"user","content":"really?"}}' thread append
says out '{"result":"accepted","seq":0}'
printf '{"kind":"ai_message","payload":{"context_ref":"default","role":"assistant","content":"yes"},"refs":{"a":1}}\n' >row.json
run 0 thread append row.json
says out '"seq":1'
given 1 '{"kind":"ai_message","payload":{"role":"user","content":"no lane"}}' thread append
says err '✗ INVALID: a message needs a context_ref'
given 1 '{"kind":"two words","payload":{}}' thread append
given 1 'no JSON' thread append
given 1 '{"kind":"note"}' thread append
says err 'a row needs a kind and a payload'
says err '  hint: {"kind":"note","payload":'
given 1 '{"kind":"note","payload":[]}' thread append
run 1 thread append missing.json
run 0 thread log --last 1
says out 'yes'
lacks out 'really?'

# --- the resulting context ---
run 0 thread project --thread "$thread"
json out
says out '{"role":"user","content":"really?"},{"role":"assistant","content":"yes"}'
run 0 thread project --thread "$thread" --at 0
lacks out '"yes"'
run 0 thread project --thread "$thread" --limit 1
says out '"messages":[{"role":"assistant","content":"yes"}]'
run 0 thread project --thread "$thread" --system-prompt 'Be brief.'
says out '"system_prompt":"Be brief."'
run 0 thread project --thread "$thread" --lane nowhere
lacks out 'really?'

# --- operations ---
given 0 '{"op_id":"op-1","context_ref":"default","operation":{"type":"replace","reason":"manual","result_context":{"id":"short","system_prompt":null,"entries":[{"role":"user","content":"in short"}]}}}' thread op
says out '{"result":"applied"'
run 0 thread project --thread "$thread"
says out 'in short'
lacks out 'really?'
run 0 thread project --thread "$thread" --at 1
says out 'really?'
given 0 '{"op_id":"op-1","context_ref":"default","operation":{"type":"switch"}}' thread op
says out '"result":"noop"'
printf '{"op_id":"op-2","operation":{"type":"invent"}}' | "$loom" thread op >"$work/out" 2>"$work/err"
what='thread op of a type that nobody knows'
says out '"error":"invalid_type"'
given 1 'no JSON' thread op
run 0 thread log --json
json out
says out '"kind":"ai_context_operation"'

# --- access ---
run 1 thread project --thread nobody
says err '✗ NOT_FOUND'
given 1 '{"kind":"note","payload":{}}' thread append --thread nobody
run 0 agent add Ada --permissions all --approval auto
LOOM_AGENT=Ada
export LOOM_AGENT
given 1 '{"kind":"note","payload":{}}' thread append
says err '✗ PERMISSION_DENIED'
verdict
