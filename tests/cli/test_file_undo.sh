#!/bin/sh
# What an agent did to files is undone exactly, and redone; not when somebody changed it since.
. "$(dirname "$0")/lib.sh"

t=.leslie/threads
run 0 init
run 0 new --title First --root 'Begin.'
run 0 agent add claude --permissions all --approval auto
run 0 objective new --title Goal --id obj
run 0 thread spawn --objective obj --id A -a claude
run 0 thread spawn --objective obj --id B -a claude
mkdir -p $t/A/design
echo v1 >$t/A/plan.md
echo api >$t/A/design/api.md
printf 'old\n' >$t/B/plan.md

# every file of the threads, and who references whom
state() {
	find $t -type f ! -name registry.json -exec sha256sum {} + | sort -k2
	sed -n '/^  "relations"/,$p' .leslie/thread_relations.json
	grep '"status"' .leslie/thread_relations.json
}

says_line() {
	printf '%s\n' "$1" >turn
	run 0 run -a claude --thread B turn
}

state >before
for line in '→ write doc:"plan" append "new"' '→ write doc:"artifacts/code/x.c" append "int x;"' \
	'→ write doc:"global plan" append "All of it."' '→ ref A' '→ ref A:plan.md live' '→ suspend'; do
	says_line "$line"
	state >after
	checks=$((checks + 1))
	cmp -s before after && fail "$line changed nothing"
	says_line '→ undo'
	state >undone
	cmp -s before undone || fail "$line was not undone"
	says_line '→ redo'
	state >redone
	cmp -s after redone || fail "$line was not redone"
	LOOM_AGENT=claude run 0 undo
	state >undone
	cmp -s before undone || fail "$line was not undone from outside"
done

# copies that were replaced or deleted come back with the bytes they had
says_line '→ ref A'
echo v2 >$t/A/plan.md
state >before
says_line '→ refresh'
[ "$(cat $t/B/context/inherited/plan.md)" = v2 ] || fail 'not refreshed'
says_line '→ undo'
state >undone
cmp -s before undone || fail 'a refresh was not undone'
run 0 thread unref --from B --target A
run 0 undo
state >undone
cmp -s before undone || fail 'the end of a reference was not undone'

# what somebody changed since stays, and the text before it is kept
says_line '→ write doc:"plan" append "mine"'
cp $t/B/plan.md mine
echo other >$t/B/plan.md
printf '→ undo\n' >turn
run 1 run -a claude --thread B turn
says out "CONFLICT: $t/B/plan.md was changed since"
[ "$(cat $t/B/plan.md)" = other ] || fail 'a change of somebody else was lost'
cp mine $t/B/plan.md
says_line '→ undo'
[ "$(cat $t/B/plan.md)" = old ] || fail 'the text before did not come back'
run 0 check
verdict
