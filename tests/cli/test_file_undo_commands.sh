#!/bin/sh
# What a person's commands did to files is undone exactly, and redone; not when somebody changed it
# since.
. "$(dirname "$0")/lib.sh"

t=.leslie/threads
run 0 init
run 0 objective new --title Goal --id obj
run 0 thread spawn --objective obj --id A
run 0 thread spawn --objective obj --id B
echo v1 >$t/A/plan.md
run 0 payload session new S
printf '# mine \n\n  docs/a.md' >.teddy/S/session.context
printf 'docs/a.md\r\n#end' >.teddy/S/01/turn.context
mkdir -p docs sub
echo a >docs/a.md
echo b >'docs/b c.md'
printf 'All of it.' >plan

# every file of threads and payloads, who references whom, and what each thread is
state() {
	find $t .teddy sub -type f ! -name registry.json -exec sha256sum {} + | sort -k2
	sed -n '/^  "relations"/,$p' .leslie/thread_relations.json
	grep '"status"' .leslie/thread_relations.json
}

# turns COMMAND: it changes something, and undo, redo and undo again bring each state back
turns() {
	state >before
	run 0 "$@"
	state >after
	checks=$((checks + 1))
	cmp -s before after && fail "$* changed nothing"
	run 0 undo
	state >undone
	cmp -s before undone || fail "$* was not undone"
	run 0 redo
	state >redone
	cmp -s after redone || fail "$* was not redone"
	run 0 undo
	state >undone
	cmp -s before undone || fail "$* was not undone again"
}

turns payload add global docs/a.md
turns payload add session 'docs/b c.md' docs/b.md
turns payload remove session docs/a.md
turns payload move global docs/a.md
turns thread plan --write plan
run 0 thread plan --write plan
printf '' >plan
turns thread plan --write plan
turns thread ref --from B --target A
turns thread lifecycle B suspend

# a payload of its own below the project is kept under its own path
mkdir -p sub/.teddy
cd sub || exit 1
run 0 payload session new T
run 0 payload add session x.md
cd ..
state >before
cd sub || exit 1
run 0 payload add session y.md
run 0 undo
cd ..
state >undone
checks=$((checks + 1))
cmp -s before undone || fail 'a payload below the project was not undone'

# adding what is there already is no operation
run 0 payload add global docs/a.md
run 0 ops --last 1
cp out one
run 0 payload add global docs/a.md
run 0 ops --last 1
checks=$((checks + 1))
[ "$(cut -d' ' -f1 one)" = "$(cut -d' ' -f1 out)" ] || fail 'an edit that changed nothing is listed'

# what somebody changed since stays, and undo works again once the list is as the edit left it
cp .teddy/global.context left
echo other >.teddy/global.context
run 1 undo
says err 'was changed since'
checks=$((checks + 1))
[ "$(cat .teddy/global.context)" = other ] || fail 'a change of somebody else was lost'
cp left .teddy/global.context
run 0 undo
checks=$((checks + 1))
[ ! -e .teddy/global.context ] || fail 'the list was not there before'

# a thread that was spawned is cancelled by undo, and that is final
run 0 thread spawn --objective obj --id C
run 0 undo
run 0 thread list
says out cancelled
run 1 redo
says err final
verdict
