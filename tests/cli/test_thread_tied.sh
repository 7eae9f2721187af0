#!/bin/sh
# Spawned threads in a grove: their agent and tree, log, memory and files.
. "$(dirname "$0")/lib.sh"

t=.leslie/threads
run 0 init
run 0 new --title First --root 'Begin.'
run 0 new --title Second --root 'Once.'
run 0 agent add claude --permissions loom_aware,loom_write,doc_read --approval auto
run 0 agent add scribe --permissions loom_aware,doc_read,doc_write,threads --approval auto
run 0 objective new --title Goal --id obj

# all names are resolved before anything is created
run 1 thread spawn --objective obj --id A -a nobody
says err 'there is no agent "nobody"'
run 1 thread spawn --objective obj --id A -t nowhere
[ ! -e $t/A ] || fail 'a thread was made for nobody'
run 1 thread spawn --objective none --id A -a claude
says err '(T601)'
run 1 thread log --thread A
says err 'there is no thread "A"'

run 0 thread spawn --objective obj --id A -a claude -t First
says out A
lines out 1
run 0 thread spawn --objective obj --id B -a scribe -t Second --json
json out
says out '"agent":"scribe"'
run 1 thread spawn --objective obj --id A -a claude
says err CONFLICT
run 0 thread spawn --objective obj --id P -t First
run 0 thread show P --json
json out
says out '"executor":"human"'
run 0 thread show A
says out 'agent       claude'
says out 'position    [r001] in "First"'

# its agent works in it, others do not
printf '→ pin r001\n→ stash "notes" content-of:r001\n' >turn
run 0 run -a claude --thread A turn
run 1 run -a scribe --thread A turn
says err PERMISSION_DENIED
run 0 thread show A
says out 'pinned      r001'
says out 'stashed     "notes"'
says out 'tool_action'
run 0 thread show A --json
json out
says out '"pins":["r001"]'
LOOM_AGENT=scribe run 0 thread show A
checks=$((checks + 1))
! grep -q 'pinned' "$work/out" || fail "another agent's memory is shown"
LOOM_AGENT=scribe run 1 thread transcript A
LOOM_AGENT=claude run 0 thread transcript A
says out $t/A/transcript.md

# an agent changes and reads its own thread; of others it reads only references
printf 'theirs' >$t/A/notes.txt
for line in 'read --own A notes.txt' 'read A x' 'ref --from A --target B' 'unref --from A --target B' \
	'refresh A' 'load A'; do
	# shellcheck disable=SC2086
	LOOM_AGENT=scribe run 1 thread $line
	silent out
	says err "Error: A is another agent's thread"
	says err PERMISSION_DENIED
done
LOOM_AGENT=scribe run 1 payload --thread A
silent out
LOOM_AGENT=scribe run 0 thread context A
LOOM_AGENT=scribe run 0 thread ref --from B --target A --scope notes.txt
LOOM_AGENT=scribe run 0 thread read B notes.txt
says out theirs
LOOM_AGENT=scribe run 0 thread unref --from B --target A
LOOM_AGENT=claude run 0 thread read --own A notes.txt

# assets through the language: its own are written with doc_write, others' never
printf 'theirs' >$t/A/plan.md
run 0 thread ref --from B --target A --scope plan.md --binding live
printf '→ write doc:"progress" append "half"\n→ read doc:"%s/A/plan.md"\n' $t >turn
run 0 run -a scribe --thread B turn
says out theirs
[ "$(cat $t/B/progress.md)" = half ] || fail 'the asset was not written'
printf '→ write doc:"%s/A/plan.md" append "mine"\n' $t >turn
run 1 run -a scribe --thread B turn
says out 'PERMISSION_DENIED'
[ "$(cat $t/A/plan.md)" = theirs ] || fail "another thread's asset was written"
printf '→ write doc:"progress" append "x"\n' >turn
run 1 run -a claude --thread A turn
says out 'doc_write not enabled'
[ ! -e $t/A/progress.md ] || fail 'written without the permission'

# the global plan: persons, and agents with doc_write
printf '# Plan\n' >plan.txt
LOOM_AGENT=claude run 1 thread plan --write plan.txt
says err 'doc_write not enabled'
[ ! -e $t/.global/plan.md ] || fail 'the plan was written'
LOOM_AGENT=scribe run 0 thread plan --write plan.txt
LOOM_AGENT=claude run 0 thread plan
says out '# Plan'

# a warning is logged once per message; reading ties nobody to the thread
run 0 thread spawn --objective obj --id C
run 1 thread log --thread C
says err 'nobody has worked in thread C yet'
run 0 context -a claude --thread C --input 'begin' --format messages
says out '<thread_context thread=\"C\" objective=\"obj\"'
says out '</thread_context>\n\nbegin'
run 1 context --thread C --input 'begin'
says err 'nobody has worked in thread C yet'
run 1 thread log --thread C
run 0 thread load C
run 1 thread log --thread C
run 0 thread ref --from C --target A --binding live
rm -r $t/A
run 0 thread load C
says err 'Referenced Thread A not found'
run 0 thread load C
run 0 thread log --thread C
lines out 2
says out 'warning {"text":"Referenced Thread A not found"}'
says out 'note {"text":"loaded"}'
# a person who holds a thread passes it on to the agent that works in it
run 0 run -a claude --thread C --node r001 /dev/null
run 0 thread show C
says out 'agent       claude'
run 0 context --thread C --input 'go on'
says out '<thread_context thread="C"'
says err 'Referenced Thread A not found'

# another runtime keeps its log in an unused thread
run 0 thread spawn --objective obj --id D
printf '{"do":"run_start","request_id":"r","content":"hello"}\n' |
	"$loom" thread drive --thread D >"$work/out" 2>"$work/err"
status 0 'drive in a spawned thread'
run 0 thread log --thread D
says out hello

# an outdated operation hides newer messages, which is reported
for text in one two three; do
	echo "{\"kind\":\"ai_message\",\"payload\":{\"context_ref\":\"default\",\"role\":\"user\",\"content\":\"$text\"}}" >row
	run 0 thread append --thread B row
done
run 0 thread log --thread B --last 1
last=$(cut -d ' ' -f 1 out)
ulid=$("$loom" show r001 --json | sed 's/.*"ulid":"\([^"]*\)".*/\1/')
cat >op <<EOT
{"op_id":"early","context_ref":"default","operation":{"type":"replace","reason":"compaction",
 "base_seq":$((last - 2)),"result_context":{"id":"c","system_prompt":null,
 "entries":[{"node":"$ulid"},{"role":"user","content":"summary"}]}}}
EOT
run 0 thread op --thread B op
run 0 context --thread B
says err '2 messages hidden: the operation in their place was made before them'
run 0 context --thread B --at "$last"
checks=$((checks + 1))
! grep -q hidden err || fail 'something is hidden before it was'
# and a node named in a snapshot counts as told
run 0 thread project --thread B
says out '"messages":[{"role":"user","content":"'
says out '},{"role":"user","content":"summary"}]'

# resuming is loading
run 0 thread lifecycle B suspend
run 0 thread lifecycle B resume
run 0 thread log --thread B --last 1
says out 'note {"text":"loaded"}'

# the last turn, of this thread or of the one that worked last
printf 'I look.\n→ annotate r001 "one"\n→ view nope9\n' >turn
run 1 run -a claude --thread C turn
run 0 payload --report --thread C
says out '- **Calls:** 2, 1 refused'
says out '  → annotate r001 "one"'
says out '### 2. '
says out '### assistant'
says out 'I look.'
checks=$((checks + 1))
! grep -q stash "$work/out" || fail 'an earlier turn is in the report'
cp "$work/out" "$work/report"
run 0 payload --report
cmp -s "$work/out" "$work/report" || fail 'another turn is taken for the last'
run 0 payload --report --json
json out
# prose around calls appears in later contexts, and is kept unchanged
run 0 context --thread C
says out 'I look.'
run 0 thread log --thread C
says out 'model_output {"request_id":"run-'
says out '"text":"I look.\n→ annotate r001 \"one\"\n→ view nope9\n"'
run 0 payload --report -o report.md
cmp -s report.md "$work/report" || fail 'the file holds another report'
run 1 payload --report -o .loom/grove.db
LOOM_AGENT=scribe run 1 payload --report --thread C
run 1 payload --report --thread nowhere
run 0 thread spawn --objective obj --id Quiet -a scribe
run 1 payload --report --thread Quiet
says err 'has had no turn yet'
verdict
