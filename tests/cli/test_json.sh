#!/bin/sh
# The --json answers of commands that also print text: one document each, and its contents.
. "$(dirname "$0")/lib.sh"

# answers ARGUMENT…: runs a command with --json, which must answer with one document.
answers() {
	run 0 "$@" --json
	json out
	lines out 1
}

mkdir project
cd project || exit 1
run 0 init
run 0 new --title Story --root 'The house stood empty for years.'
first=$("$loom" do respond r001 'A door opened slowly.' | sed -n 's/^✓ created \[\([^]]*\)\].*/\1/p')
second=$("$loom" do respond r001 'A window opened at once.' | sed -n 's/^✓ created \[\([^]]*\)\].*/\1/p')
run 0 new --title Draft --root 'A house stood empty.'
run 0 use Story

# --- help ---
answers help
answers help thread
says out '"thread spawn"'
lacks out '"doc list"'
answers help thread list
answers help view
says out '"verb":"view"'
says out '"permission":"loom_aware"'
run 0 help view
says out 'also: show'
run 0 help thread
says out 'thread spawn'
lacks out 'doc list'
run 2 help vieww
says err 'loom help view'
run 2 help frobnicate
run 2 help thread frobnicate
run 2 help list frobnicate
answers keys
run 0 keys
says out 'respond'
answers version

# --- two nodes ---
answers diff "$first" "$second"
says out "\"a\":{\"node\":\"$first\""
says out "\"b\":{\"node\":\"$second\""
run 0 diff "$first" "$second"
run 0 diff r001 Draft/r001
says out '[r001] in tree:"Story" → [r001] in tree:"Draft"'

# --- documents and drafts ---
printf '# Plan\nfirst\n' | "$loom" doc write plan >/dev/null
answers doc export plan -o "$work/plan.md"
says out '"name":"plan"'
mkdir "$work/all"
answers doc export --all -o "$work/all"
says out '"files":[{"name":"plan"'
answers drafts list
# A text that loses a conflict becomes a draft.
printf 'second\n' | "$loom" doc write plan --base 1 >/dev/null
printf 'third\n' | "$loom" doc write plan --base 1 >/dev/null 2>&1
draft=$("$loom" drafts list | sed -n 's/^\([^ ]*\).*/\1/p' | sed -n 1p)
[ -n "$draft" ] || fail 'what lost is no draft'
answers drafts show "$draft"
says out 'third'
answers drafts drop "$draft"
says out "{\"dropped\":[\"$draft\"]}"
run 1 drafts show "$draft"
run 1 drafts drop "$draft"

# --- objectives, threads and references ---
answers objective new --title 'Ship it' --id obj
says out '{"id":"obj","title":"Ship it","status":"active"}'
run 1 objective new --title 'Again' --id obj
run 0 thread spawn --objective obj --id A
run 0 thread spawn --objective obj --id B
answers objective list
says out '"thread_ids":["A","B"]'
run 0 objective list
says out 'obj  active     2 threads  Ship it'
answers objective show obj
run 0 objective show obj
says out '  B'
run 1 objective show none
mkdir -p .leslie/threads/A
printf 'the plan\n' >.leslie/threads/A/plan.md
printf 'the design\n' >.leslie/threads/A/design.md
answers thread ref --from B --target A --scope plan.md --scope design.md
says out '"binding":"frozen"'
says out '"copied_paths":["'
answers thread read B plan.md
says out '"content":"the plan\n"'
printf 'a better plan\n' >.leslie/threads/A/plan.md
answers thread refresh B
says out '"copied_paths":["'
run 0 thread read B plan.md
says out 'a better plan'
run 1 thread refresh B --target none
answers thread unref --from B --target A
says out '{"from":"B","target":"A"}'
run 1 thread read B plan.md
run 1 thread unref --from B --target A
printf 'all of it\n' | "$loom" thread plan --write - >/dev/null
answers thread plan
says out '"content":"all of it\n"'

# --- proposals ---
run 0 agent add Ask --permissions all --approval ask
printf '→ respond r001 "Another."\n→ bookmark r001\n' | "$loom" run -a Ask >/dev/null 2>&1
answers approve
says out '"agent":"Ask"'
hash=$("$loom" approve | head -n 1 | cut -d' ' -f1)
answers approve "$hash"
says out '"state":"done"'
says out '"calls":[{"'
printf '→ prune r001\n' | "$loom" run -a Ask >/dev/null 2>&1
hash=$("$loom" approve | head -n 1 | cut -d' ' -f1)
answers approve --refuse "$hash"
says out '"state":"refused"'
says out '"calls":[]'
verdict
