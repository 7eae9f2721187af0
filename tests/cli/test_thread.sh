#!/bin/sh
# `loom objective` and `loom thread`: answers, refusals in their fixed wording, exit statuses.
. "$(dirname "$0")/lib.sh"

t=.leslie/threads
mkdir -p p/sub
cd p || exit 1

# reading creates nothing
run 0 thread list
silent out
run 0 objective list --json
says out '[]'
[ ! -e .leslie ] || fail "looking made .leslie"

# ids alone on standard output
run 0 objective new --title 'Ship & <sell>' --id obj
says out obj
lines out 1
silent err
run 0 objective new --title Another
grep -qE '^obj-[0-9a-f]{8}$' "$work/out" || fail "no id of the known form"
run 0 thread spawn --objective obj --intent 'First' --id thread-A
says out thread-A
lines out 1
run 0 thread spawn --objective obj
grep -qE '^thread-[0-9a-f]{8}$' "$work/out" || fail "no id of the known form"
run 0 thread spawn --objective obj --id thread-B --parent thread-A --json
json out
says out '"parent_id":"thread-A"'
run 0 thread spawn --objective obj --id thread-C

# the block of a thread
printf v1 >$t/thread-A/artifacts/plan.md
mkdir -p $t/thread-A/design
printf x >"$t/thread-A/design/a & b.md"
run 0 thread ref --from thread-B --target thread-A
says out 'thread-B → thread-A (frozen, 2 files copied)'
run 0 thread load thread-B
says out '<thread_context thread="thread-B" objective="obj" relations_file=".leslie/thread_relations.json">'
says out '    <asset type="plan" path=".leslie/threads/thread-A/artifacts/plan.md" />'
silent err
cp "$work/out" block.txt
cd sub || exit 1
run 0 thread load --thread thread-B
cmp -s "$work/out" ../block.txt || fail "another context from a folder below"
cd ..
[ ! -e sub/.leslie ] || fail "a second .leslie"
run 0 thread load thread-B --json
json out
says out '"read_path":".leslie/threads/thread-B/context/inherited/plan.md"'
says out '"warnings":[]'
run 0 thread context thread-B --mode spawn --input ' do it '
[ "$(tail -n 1 "$work/out")" = ' do it ' ] || fail "the task was changed"
[ "$(tail -n 2 "$work/out" | head -n 1)" = '' ] || fail "no blank line before the task"
run 0 thread assets thread-A
says out 'plan       .leslie/threads/thread-A/artifacts/plan.md'
run 0 thread assets thread-A --json
json out
run 0 thread parse block.txt
json out
says out '"thread":"thread-B"'
says out '"problems":[]'
printf '<thread_context thread="x" objective="y" odd="1"/>' >odd.txt
run 1 thread parse odd.txt
says out '"problems":[{"line":1,'

# reading shared files
run 0 thread read thread-B plan.md
[ "$(cat "$work/out")" = v1 ] || fail "other bytes"
printf v2 >$t/thread-A/artifacts/plan.md
run 0 thread read thread-B plan.md
says out v1
run 0 thread refresh thread-B --name plan.md
says out plan.md
run 0 thread read thread-B artifacts/plan.md --from thread-A
says out v2
run 1 thread read thread-B other.md
says err 'Error: File not referenced'
silent out
run 0 thread read --own thread-A plan.md
says out v2

# a cycle: the two lines, verbatim
run 0 thread ref --from thread-C --target thread-B --binding live --scope 'plan.md,design'
run 1 thread ref --from thread-A --target thread-C
silent out
[ "$(cat "$work/err")" = 'Error: Cannot reference thread-C from thread-A
Reason: Circular reference detected (thread-A → thread-C → thread-B → thread-A)' ] ||
	fail "other words for a circle"
run 1 thread ref --from thread-A --target thread-C --json
json out
silent err
says out '"success":false'
says out '"code":"T201"'
run 1 thread spawn --objective obj --id new --ref new
says err 'Error: Cannot create Thread with --ref new'

# refusals with their codes
run 1 thread load nobody
says err "Error: Thread 'nobody' not found"
says err '(T101)'
run 1 thread load nobody --json
says out '"code":"T101"'
says out '"threadId":"nobody"'
run 1 thread spawn --objective none
says err '(T601)'
run 1 thread ref --from thread-A --target thread-B --scope ../../x
says err '(T203)'
run 1 thread spawn --objective obj --id ../x
says err '(T203)'
run 2 thread load
run 2 thread lifecycle thread-A
run 2 thread lifecycle thread-A explode
run 2 thread list --status happy

# lifecycle
run 0 thread lifecycle thread-A suspend
says out 'thread-A is suspended'
run 0 thread lifecycle --thread thread-A --action resume
run 0 thread lifecycle --thread thread-A done
run 1 thread lifecycle thread-A done
says err 'Error: Invalid state transition from completed using action done'
says err '(T102)'
run 0 thread list --status completed
says out 'thread-A  completed'
lines out 1
run 0 thread spawn --objective obj --id long-id-of-a-thread --intent columns
run 0 thread list --objective obj
[ "$(sed 's/  obj  .*//' "$work/out" | awk '{ print length }' | sort -u | wc -l)" -eq 1 ] ||
	fail 'the columns of the list do not stand below each other'
run 0 thread list --objective obj --json
json out
run 0 objective show obj --json
says out '"status":"active"'
run 0 thread show thread-B
says out 'thread-A (frozen copies'

# broken references warn and never block
rm -rf $t/thread-A
run 0 thread load thread-B
says err 'Referenced Thread thread-A not found'
run 0 thread load thread-B --json
says out '"warnings":["Referenced Thread thread-A not found"]'
run 1 thread refresh thread-B
says err 'Referenced Thread thread-A not found'
run 0 thread read thread-B plan.md
says out v2
run 0 thread spawn --objective obj --ref ghost --id haunted
says err 'Referenced Thread ghost not found'
run 0 thread unref --from thread-B --target thread-A
run 1 thread read thread-B plan.md

# several references at once, with and without scopes
printf p >$t/thread-C/plan.md
printf s >$t/thread-C/notes.txt
run 0 thread spawn --objective obj --id D --ref thread-C:plan.md --ref thread-B
run 0 thread spawn --objective obj --id E --ref thread-C,thread-B --binding live
run 0 thread read E notes.txt
run 1 thread read D notes.txt

# the global plan
run 1 thread plan
printf '# Plan\n' >plan.txt
run 0 thread plan --write plan.txt
run 0 thread plan
says out '# Plan'

# both files damaged: untouched
printf '{' >.leslie/thread_relations.json
printf '{' >.leslie/thread_relations.json.bak
run 1 thread list
says err 'Error: JSON parse error'
says err '(T502)'
[ "$(cat .leslie/thread_relations.json)" = '{' ] || fail "a damaged file was changed"

# an agent can list, reference and read, but not spawn or end
LOOM_AGENT=claude
export LOOM_AGENT
run 1 thread spawn --objective obj
says err PERMISSION_DENIED
run 1 thread lifecycle thread-B done
says err PERMISSION_DENIED
verdict
