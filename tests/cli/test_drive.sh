#!/bin/sh
# The line protocol in a grove: by default the log of the person's own thread; and random commands
# checked against the rules, with kills in between.
. "$(dirname "$0")/lib.sh"

run 0 init
run 0 new --title Talk --root 'Begin.'
printf '{"do":"run_start","request_id":"r","content":"hello"}\n{"do":"run_end","outcome":"completed"}\n' |
	"$loom" thread drive >out 2>err
status 0 'drive'
says out '{"result":"accepted","seq":0}'
run 0 thread log
says out hello
lines out 1
printf '{"do":"log"}\n' | "$loom" thread drive --memory >out 2>err
says out '"rows":[]'
# op and append begin such a thread as well, and answer one line
run 0 new --title Other --root 'Begin.'
run 0 use Other
printf '{"op_id":"p","context_ref":"b","operation":{"type":"switch","reason":"manual"}}' >op.json
run 0 thread op op.json
lines out 1
says out '"applied"'
run 0 thread op op.json
says out '"noop"'

command -v python3 >/dev/null || verdict
# The example in the help runs unchanged.
"$loom" help drive | sed -n 's/^    //p' >shown.py
mkdir -p bin
ln -sf "$loom" bin/loom
checks=$((checks + 1))
PATH=$work/bin:$PATH python3 shown.py >out 2>err || fail 'the example of loom help drive'
says out 'Forty-seven.'
says out 'fresh-start'
storms drive_storm.py 25

verdict
