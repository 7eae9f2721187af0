#!/bin/sh
# `loom context`: the context a model would get.
. "$(dirname "$0")/lib.sh"
LOOM_SEED=7
LOOM_NOW=2026-02-23T10:00:00.000Z
export LOOM_SEED LOOM_NOW

run 0 init
run 0 new --title 'Marie Character Study' --system 'You write with care.' --root 'Begin.'
run 0 agent add Claude --permissions loom_aware,doc_read
run 0 do respond r001 'Marie waits.'
second=$(sed -n 's/^✓ created \[\(.*\)\] as.*/\1/p' out)

# A subject gets the path by author, up to the person's position.
run 0 context
says out 'You write with care.'
says out 'Marie waits.'
run 0 context --format messages
json out
says out '[{"role":"system","content":"You write with care."},{"role":"user","content":"Begin.\n\nMarie waits."}]'
run 0 context --node r001 --format messages
checks=$((checks + 1))
! grep -q 'Marie waits' out || fail 'what is below the position is in its context'
run 0 context --json
json out
says out '{"parts":[{"name":"system","tokens":5,"text":"You write with care."}'
says out '"dropped":[],"total":'
says out '"budget":null'
run 0 do exclude "$second"
run 0 context --format json
says out "\"dropped\":[{\"what\":\"[$second]\",\"why\":\"excluded\",\"tokens\":3}]"
run 0 context
says err "note: [$second]: excluded (3 tokens)"
run 0 do include "$second"

# A loom-aware agent: parts in their order.
run 0 context -a Claude --node "$second" --input 'Go on.' --format json
json out
says out '"name":"system"'
says out 'You are operating in a loom-aware context. This means:'
says out 'Your current permissions: loom_aware, doc_read'
says out "[$second] human · "
says out 's ago\n---\nMarie waits.'
says out '=== Loom Context ===\nTree: \"Marie Character Study\" (dialogue mode)\n2 nodes · 1 branch · depth: 1\n'
says out "Position: [r001] → [$second]*"
says out '{"name":"turn","tokens":2,"text":"Go on."}'
run 0 context -a Claude --node "$second" --budget 190
says out '=== Pruned ==='
run 2 context -a Claude --budget 0
run 2 context --format xml

# How two differ.
run 0 context --node "$second" --diff r001
says out '[-'
run 0 context --node "$second" --diff r001 --json
json out
run 1 context --diff zzz9
says err '✗ NOT_FOUND'
says err 'hint: --diff takes a node, a row of the log, or a thread with a log'

# Another agent's context is private; an agent without the permission sees none.
run 0 agent add Vera --permissions loom_aware
LOOM_AGENT=Vera run 1 context -a Claude
says err '✗ PERMISSION_DENIED: the context of Claude is private'
LOOM_AGENT=Vera run 0 context
says out 'Your current permissions: loom_aware'
run 0 context -a Claude --node "$second" --diff r001 --format json
json out
says out '{"parts":[{"kind":"same"'
run 2 context -a Claude --diff r001 --format messages
says err '--diff cannot print messages'
run 1 context -a Nobody
says err '✗ NOT_FOUND'
run 1 context --thread nowhere
says err '✗ NOT_FOUND'

# Its position then: the root before its first step, whatever it has done since.
printf '→ view r001\n→ switch to %s\n' "$second" | "$loom" run -a Claude >out 2>err
status 0 'run'
run 0 context -a Claude
says out "Position: [r001] → [$second]*"
run 0 context -a Claude --at 0
says out 'Position: [r001]*'
lacks out 'Marie waits.'
run 0 context -a Claude --at 99
says out "Position: [r001] → [$second]*"
# if that node no longer exists: its position before that
run 0 agent add Maker --permissions all --approval auto
printf '→ switch to %s\n→ respond %s "Undone."\n→ view r001\n' "$second" "$second" |
	"$loom" run -a Maker >out 2>err
status 0 'run'
run 0 undo "$("$loom" ops --json | sed -n 's/.*"ops":\[{"op":\([0-9]*\).*/\1/p')"
run 0 context -a Maker --at 99
says out "Position: [r001] → [$second]*"

# From a node to the context it was written from.
run 0 do continue from "$second" n:1
made=$(sed -n 's/^  \[\(....\)\].*/\1/p' out)
run 0 context --node "$second" --format messages
cp out wanted
run 0 context --given "$made" --format messages
says err 'note: exactly as it was sent'
checks=$((checks + 1))
cmp -s wanted out || fail 'what was given is not what stood above'
run 1 context --given r001
says err 'a person wrote this, so no model was given anything'
run 2 context --given "$made" --at 3
says err '--given and --at cannot be combined'
run 2 context --given "$made" --node r001
run 1 context --given zzzz9

# The agent decides what to drop from a long context, else the mode.
mkdir -p config/loom
(umask 077 && cat >config/loom/config.json) <<'END'
{"providers":{"n":{"api":"ngram"}},"models":{"small":{"provider":"n","context":28}},
"agents":{"stop":{"model":"small","truncation":"stopAtLimit"},
"mid":{"extends":"stop","truncation":"truncateMiddle"}}}
END
run 0 subject stop
run 1 context --node "$second"
says err '✗ LIMIT_EXCEEDED'
says err '"truncation"'
run 1 do continue from "$second"
says out '✗ LIMIT_EXCEEDED'
run 0 subject mid
run 0 context --node "$second"
says out 'Marie waits.'
says err 'over the budget'
run 0 do continue from "$second" tokens:3
run 0 agent set mid --sampling '{"truncation":"stopAtLimit"}'
run 1 context --node "$second"
sed -i 's/stopAtLimit/cutSomewhere/' config/loom/config.json
run 1 models
says err '"truncation" must be truncateMiddle, rollingWindow or stopAtLimit'
rm -r config
run 0 subject ngram

# A buffer's context is exactly its bytes.
run 0 new --mode buffer --title House --root 'The house '
run 0 use House
run 0 do respond r001 'stood empty.'
run 0 context
printf 'The house stood empty.' >wanted
checks=$((checks + 1))
cmp -s wanted out || fail 'a buffer is not given as it is'
run 0 context --budget 2
printf 'd empty.' >wanted
checks=$((checks + 1))
cmp -s wanted out || fail 'the window is not the end of the text'
says err 'its beginning is over the budget'

# The results of a turn fade with the next one, unless a text or call mentions them: then they stay
# one turn longer.
run 0 new --title Results --root 'A red door.'
run 0 use Results
run 0 agent add Seer --permissions all --approval auto
turn() {
	printf '%s\n' "$1" >turn.txt
	run 0 run -a Seer turn.txt
	run 0 context -a Seer
}
turn '→ search "red"'
lacks out '1 result'
run 0 context -a Seer --input 'What was res-1?'
says out '1 result'
turn '→ annotate r001 "see res-1"'
says out '1 result'
turn '→ tree'
lacks out '1 result'

# Repeated calls without effect are listed once, and refusals separately.
run 0 agent add Twice --permissions loom_aware
printf '→ tree\n→ tree\n→ help\n→ help\n→ undo\n→ undo\n' | "$loom" run -a Twice - >out
run 0 context -a Twice
says out '  looked at the tree · asked for help · undid ✗ PERMISSION_DENIED · undid ✗ PERMISSION_DENIED'

verdict
