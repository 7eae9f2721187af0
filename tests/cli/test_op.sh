#!/bin/sh
# Operations on the command line: the list, undo and redo, also after a restart; events.
. "$(dirname "$0")/lib.sh"
mkdir grove
cd grove || exit 1
run 0 init
run 1 undo
says err '✗ NOT_FOUND'
run 1 redo
says err '✗ NOT_FOUND'
run 1 undo 1
says err '✗ CONFLICT: the grove itself cannot be undone'

run 0 new --title One --root 'once'
run 0 tag r001 a b
lines out 2
run 0 tag r001 a
says out 'unchanged'
run 0 ops
lines out 3
says out 's ago · you · tagged [r001] "a" …'
run 0 ops --last 1
lines out 1
says err 'note: older ones: loom ops --before 3'
run 0 ops --before 3 --json
json out
says out '"more":false'
run 0 ops --last 0 --json
says out '"ops":[]'
run 0 ops --agent ngram
silent out
run 1 ops --agent nobody
run 2 ops --last many
run 2 ops 3

run 0 undo
says out '✓ undid 3: tagged [r001] "a" …'
run 0 tag
silent out
run 1 undo 3
says err '✗ CONFLICT: operation 3 is already undone'
run 0 ops
says out 'undone'
run 0 redo --json
json out
says out '"op":3'
says out '"state":"done"'
run 0 tag r001
lines out 2
run 1 undo 2
says err '✗ CONFLICT: operation 2 cannot be undone: later work depends on it: operation 3'
says err 'hint: undo that first: loom undo 3'
run 1 undo 99
says err 'loom ops'
run 1 undo nonsense
says err '✗ NOT_FOUND: there is no operation "nonsense"'
run 1 undo 18446744073709551615
run 2 undo 1 2
run 2 redo 3
run 0 undo 3
run 0 undo
run 0 trees
silent out
run 0 redo
run 0 redo
run 1 redo
run 0 check --deep

# --- events ---
run 0 events
says out '{"seq":1,"act":"done"'
says out '"act":"undone"'
says out '"act":"redone"'
if command -v python3 >/dev/null; then
	python3 -c 'import json,sys
rows = [json.loads(l) for l in sys.stdin]
assert [r["seq"] for r in rows] == list(range(1, len(rows) + 1)), rows
assert all(set(r) >= {"seq", "act", "at", "actor", "op", "kind", "text"} for r in rows)' \
		<"$work/out" 2>"$work/err"
	status 0 'events are numbered from 1, one JSON a line'
fi
run 0 events --since 3
checks=$((checks + 1))
if grep -q '"seq":3,' "$work/out"; then fail 'events --since tells what it is behind'; fi
run 0 events --since 9999
silent out
run 2 events --since x
run 2 events --follow now

# Following shows what others commit, and nothing older.
"$loom" events --follow >"$work/followed" 2>"$work/err" &
follower=$!
[ ! -d "/proc/$follower/task" ] || wait_until 'a follower follows' rests $follower
run 0 tag r001 followed
until_says "$work/followed" 'tagged [r001] \"followed\"'
run 0 undo
until_says "$work/followed" '"act":"undone"'
checks=$((checks + 1))
[ "$(wc -l <"$work/followed")" -eq 2 ] || fail 'a follower is told what was before it'
# Idle: it does not run at all.
if [ -r "/proc/$follower/status" ]; then
	switches() { awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$follower/status"; }
	wait_until 'a follower is idle' rests $follower
	before=$(switches)
	sleep 1
	checks=$((checks + 1))
	[ "$(switches)" -eq "$before" ] || fail "an idle follower woke up: $before, $(switches)"
fi
# Killing it does not affect the grove.
kill -KILL $follower
wait $follower 2>/dev/null
run 0 tag r001 later
run 0 check
# ^C ends it, and says nothing. (A job of a script ignores SIGINT; its own child need not.)
if [ -d "/proc/$$/task" ]; then
	stopped_by INT rests events --follow
	status 130 'loom events --follow, interrupted'
	silent out
	silent err
fi
# Its reader goes away.
{
	"$loom" events --follow --since 0
	echo $? >"$work/status"
} | head -n 1 >"$work/out"
checks=$((checks + 1))
[ "$(cat "$work/status")" = 0 ] || fail 'a reader that goes away is an error'
lines out 1

# --- changes outside the grove are listed, but not undone ---
run 0 tag r001 kept
run 0 agent add Claude --permissions all --approval auto
run 0 agent set Claude --permissions analyst --name Ada
run 0 ops --last 1 --json
says out '"text":"changed agent \"Claude\""'
lacks out 'loom_write'
run 1 undo
says err 'changed things outside the grove and cannot be undone here'
says err 'hint: loom agent set "Ada" --name "Claude" --permissions P --approval A, with the old values'
says err 'to undo the one before it: loom undo '
run 0 agent show Ada
says out 'may: loom_aware, doc_read ·'
run 0 agent set Ada --permissions all --approval auto
run 0 ops --last 1 --json
says out '"op":8'
run 0 objective new --title 'Ship it' --id obj-1
run 1 undo
says err '(new objective "Ship it")'
run 0 thread spawn --objective obj-1 --id thread-c -a Ada
run 0 undo
says out 'spawned thread-c'
run 0 thread spawn --objective obj-1 --id thread-a
run 0 thread spawn --objective obj-1 --id thread-b -a Ada
run 0 thread ref --from thread-a --target thread-b
run 0 undo
says out 'let thread-a read thread-b'
run 1 thread unref --from thread-a --target thread-b
run 0 redo
run 0 thread unref --from thread-a --target thread-b
run 0 undo
says out 'stopped letting thread-a read thread-b'
run 0 thread unref --from thread-a --target thread-b
run 0 thread lifecycle thread-a suspend
run 0 ops --last 1
says out 'thread-a is suspended'
run 0 thread lifecycle thread-a resume
run 0 undo
says out 'thread-a is active'
run 0 redo
run 0 thread lifecycle thread-c archive
run 1 undo
says err 'hint: this is final; loom thread spawn --parent thread-c continues from it'
run 0 payload add global a.c 'b c'
run 0 undo
run 0 redo
run 0 check --deep
# A failed change is not listed.
run 1 thread lifecycle thread-a archive
run 0 ops --last 1
says out "added /a.c '/b c' to the global scope"
# After undoing a new tree, the last tree used is current again.
run 0 new --title Elsewhere
run 0 use One
run 0 do respond r001 more
run 0 new --title Mistake
run 0 undo
run 0 tree
says out 'Tree: "One"'

# --- several at once: all are done, and each gets its own answer ---
for i in 1 2 3 4 5 6 7 8; do
	"$loom" tag r001 "at once $i" >"$work/at.$i" 2>&1 &
done
wait
run 0 tag r001
for i in 1 2 3 4 5 6 7 8; do
	says out "\"at once $i\""
	checks=$((checks + 1))
	grep -q "at once $i" "$work/at.$i" || fail "one of several at once was not told: $i"
done
run 0 check --deep

# --- the writer lock is held by somebody else ---
if command -v flock >/dev/null && [ -r /proc/locks ]; then
	exec 9>>.loom/lock
	flock 9
	run 0 show r001
	run 3 tag r001 busy
	says err '✗ BUSY: the store is busy'
	for signal in INT TERM HUP; do
		stopped_by $signal waits_for_lock tag r001 busy 9>&-
		status 130 "a write that waits, stopped by $signal"
	done
	exec 9>&-
	run 0 tag r001
	checks=$((checks + 1))
	if grep -q busy "$work/out"; then fail 'a write that was called off is there'; fi
fi
verdict
