#!/bin/sh
# Calls on the command line: turns of an agent, single commands, JSON, and authority.
. "$(dirname "$0")/lib.sh"

run 0 init
run 1 do view r001
says err 'the grove has no tree yet'
run 0 new --title 'Marie' --root 'The house stood empty.'
run 0 agent add Claude --permissions all --approval auto
run 0 agent add Ana --permissions analyst

# A turn: each call with its result, refused lines in their place, prose not shown.
cat >turn.txt <<'END'
Let me look around.
→ tree
→ respond r001 "She had not visited."
→ annotate r001 "opening"

Now a mistake.
→ frobnicate r001
→ prune r001
-> view r001
```
→ prune r001
```
→ think it went well ←
END
run 1 run -a Claude turn.txt
says out '→ tree'
says out 'Tree: "Marie" (1 node, 1 branch)'
says out '✓ created ['
says out '  switched to ['
says out '✓ annotation [ann-1] added to [r001]'
says out '✗ INVALID_SYNTAX: there is no command "frobnicate"'
says out '✗ CONFLICT: the last root of a tree cannot be pruned'
says err 'line 9'
run 0 ops
says out 'responded to [r001] with ['
says out ' and 1 more'

# A turn as JSON: calls with their results, and the rest of the text.
run 1 run -a Claude --json turn.txt
json out
says out '"cmd":"annotate"'
says out '"status":"ok","code":null,"text":"✓ annotation [ann-2] added to [r001]","op":'
says out '"status":"error","code":"CONFLICT"'
says out '"errors":[{"line":7,"code":"INVALID_SYNTAX"'
says out '"hints":[{"line":9,"hint":"ASCII_ARROW"}]'
says out '"prose":"Let me look around.'
says out '"thinking":"it went well"'

# Thirty-two calls a turn.
for _ in $(seq 34); do echo '→ view r001'; done >many.txt
run 1 run -a Claude --json many.txt
json out
says out '"code":"LIMIT_EXCEEDED"'
for _ in $(seq 20000); do echo '→ view r001'; done >many.txt
run 1 run -a Claude many.txt
says out '✗ LIMIT_EXCEEDED: max calls per turn is 32'
says err '19967 more calls were not run'
checks=$((checks + 1))
[ "$(grep -c '^→ view' out)" -eq 33 ] || fail 'calls that are not run are answered one by one'

# A dry run leaves nothing.
run 0 ops --json
cp out before
printf '→ respond r001 "no"\n→ bookmark r001\n' >dry.txt
run 0 run -a Claude --dry-run dry.txt
says out '✓ bookmarked [r001]'
run 0 ops --json
cmp -s out before || fail "a dry run left an operation"

# The agent's own permissions apply, whoever starts it; a person acts only through `do`.
run 1 run -a Ana dry.txt
says out '✗ PERMISSION_DENIED: loom_write not enabled'
says out '  hint: request elevated permissions or ask the human to respond'
run 1 run -a Olga dry.txt
says err '`loom do COMMAND` acts as you'
run 2 run dry.txt
run 1 run -a nobody dry.txt
LOOM_AGENT=Ana
export LOOM_AGENT
run 1 do bookmark r001
says out '✗ PERMISSION_DENIED: loom_write not enabled'
run 1 run -a Claude dry.txt
says err 'Ana cannot act as Claude'
run 0 do view r001
unset LOOM_AGENT

# One command: arguments are tokens, texts are taken byte for byte.
run 0 do annotate r001 '→ prune r001 "quoted" \ and so on'
run 0 do view r001 with-annotations
says out '→ prune r001 "quoted" \ and so on'
run 0 do bookmark r001
says out '✓ bookmarked [r001]'
run 0 do bookmark r001
says out '✓ bookmarked [r001] unchanged'
run 1 do view xyz999
says out '✗ NOT_FOUND: node [xyz999] does not exist in this tree'
# a suggestion is a word of the form, or nothing
run 1 do list r001 kids
says out '"kids" is not part of list'
lacks out '; "'
run 1 do list r001 annotation
says out 'is not part of list; "annotations" is'
run 1 do help frob
says out 'no help for "frob"'
run 1 do frobnicate

# A whole line in one argument, with its arrow or without.
run 0 do '→ view r001'
says out '[r001] human'
run 0 do '  view r001 full'
says out 'The house stood empty.'
run 0 do '→ annotate r001 "said in one"'
says out '✓ annotation ['
run 1 do '→ view r001 and zzz9'
says out '✗ INVALID_SYNTAX: "and" is ambiguous'
run 1 do '→'
says out '✗ INVALID_SYNTAX: the line has no command'
run 2 do
run 0 do --json view r001
json out
says out '"status":"ok"'
run 1 do --json view zzz9
json out
says out '"status":"error","code":"NOT_FOUND"'
# Everything after the verb is the verb's; a misplaced option gets a hint.
run 1 do view r001 --json
says out 'hint: put options before the verb: loom do --json view …'
run 1 do view r001 -t Then
says out 'hint: put options before the verb: loom do -t TREE view …'
run 1 do view r001 --nope
says out 'hint: → view ID'
run 1 do --json open r001
json out
says out '"cmd":null,"error":{"line":0,"code":"INVALID_SYNTAX","clarify":true,"candidates":["view","switch"]'
says out '"status":"error","code":"INVALID_SYNTAX"'
says out '"retryable":true,"text":"✗ INVALID_SYNTAX: \"open\"'
run 0 do -a Claude memory
says out 'Working Memory:'
run 1 do --thread nowhere view r001
says err 'there is no thread "nowhere"'

# --node sets the position, now and afterwards.
run 0 do respond r001 'Second.'
run 0 do --node r001 tree
says out 'Root [r001]* (you are here)'
run 0 do tree
says out 'Root [r001]* (you are here)'

# A model works without any configuration.
run 0 do continue from r001 n:2 tokens:8
says out '✓ generating 2 continuations from [r001]...'
run 0 do undo
says out '✓ undid: generated 2 from [r001]'
run 1 do continue from r001 n:101
says out '✗ LIMIT_EXCEEDED: max continuations per request is 100'

# A thread remembers across processes what it has read.
printf 'one\ntwo\n' | "$loom" doc write notes >out
printf '→ read doc:"notes"\n' >read.txt
printf '→ write doc:"notes" at:1 "zero"\n' >insert.txt
printf '→ write doc:"notes" append "last"\n' >append.txt
run 0 run -a Claude read.txt
run 0 run -a Claude insert.txt
run 0 run -a Claude insert.txt
printf 'uno\n' | "$loom" doc write notes >out
run 1 run -a Claude insert.txt
says out '✗ CONFLICT: doc:"notes" was changed by Olga'
run 0 run -a Claude append.txt
run 1 run -a Claude insert.txt
run 0 run -a Claude read.txt
run 0 run -a Claude insert.txt
says out '✓ inserted into doc:"notes"'

# A turn on a pipe.
printf '→ view r001' | "$loom" run -a Claude >out 2>err
status 0 'loom run from a pipe'
says out '[r001] human'

# Limits: the most a model may generate, and a tree of at least one level.
run 1 do continue tokens:10001
says out '✗ LIMIT_EXCEEDED: max tokens per continuation is 10,000 for ngram'
says out 'hint: use tokens:10000 or less'
run 2 tree --depth 0
says err 'the depth is at least 1'
run 2 tree --depth 0 --json
run 0 tree --depth 1
run 0 do view r001 with annotations
says out 'Annotations:'

# An undo says how much it restores.
"$loom" new --title branch --root 'A root.' >/dev/null
a=$("$loom" do respond r001 'One.' | sed -n 's/.*\[\([^]]*\)\] as.*/\1/p' | head -n 1)
"$loom" do respond "$a" 'Two.' >/dev/null
run 0 do prune "$a"
says out "✓ pruned [$a] and 1 descendant"
run 0 undo
says out "pruned [$a] (2 nodes)"

# Days are local for people, and UTC for models.
export TZ=XXX12
LOOM_NOW=2030-01-01T05:00:00Z "$loom" new --title Then --root 'then' >out 2>err
status 0 'a tree of another year'
export LOOM_NOW=2031-01-01T00:00:00Z
run 0 do -t Then view r001
says out '[r001] human · 2029-12-31'
run 0 do -t Then -a Claude view r001
says out '[r001] human · 2030-01-01'
printf '→ view r001' | "$loom" run -a Claude -t Then >out 2>err
status 0 'a turn in another year'
says out '[r001] human · 2030-01-01'
unset LOOM_NOW TZ

verdict
