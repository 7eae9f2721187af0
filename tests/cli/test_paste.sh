#!/bin/sh
# `loom paste`: a transcript is shown, approved by its hash, and created and run in one step, once.
. "$(dirname "$0")/lib.sh"
LOOM_SEED=3
export LOOM_SEED

run 0 init
run 0 new --title Talk --root 'Begin.'
run 0 agent add Claude --permissions all --approval auto
printf 'A preface.\n\nHuman: Look at r001.\n→ bookmark r001\n\nAssistant: I look.\n→ respond r001 "A door."\n→ bookmark r001\n→ frobnicate\n\nHuman: Thanks\342\200\213.\n' >talk

run 0 paste talk
says out '4 turns, written as colon'
says out '3 nodes to create below [r001]'
says out 'line 3 · you'
says out 'line 6 · Claude'
says out '2 calls proposed, as Claude'
says out '  line 7 → respond r001 "A door."'
says out 'loom_write · on [r001] "Begin."'
says out 'line 9 ✗ frobnicate'
says out '1 part becomes no node'
says err 'invisible: <U+200B>'
says err 'nothing was changed'
hash=$(sed -n 's/.*--approve \([0-9a-f]*\) .*/\1/p' err)
run 0 paste talk --json
json out
says out '"done":false'
run 0 tree
says out '1 node'

# The first kinds of invisible characters are named, and the rest counted.
python3 -c 'print("".join("a" + chr(0xE0020 + i) for i in range(40)))' >many
run 0 paste many
says err 'invisible: <U+E0020><hidden text:  > ×1, first in line 1'
says err 'invisible: 8 more of other kinds'
run 0 paste many --json
says out '"invisible_other":8'

# Refused: an agent, another hash, another text, another agent's calls.
LOOM_AGENT=Claude
export LOOM_AGENT
run 1 paste --approve "$hash" talk
unset LOOM_AGENT
run 1 paste --approve 0123456789ab talk
says err '✗ CONFLICT'
sed 's/door/bear/' talk >other
run 1 paste --approve "$hash" other
says err '✗ CONFLICT'
run 0 agent add Ada --permissions all --approval auto
run 1 paste --approve "$hash" --as Ada talk
says err '✗ CONFLICT'
run 0 tree
says out '1 node'

# Created and run in one step, once; after an undo it is a new paste.
run 1 paste --as Claude --approve "$hash" talk
says out '✓ created 3 nodes'
says out '✓ created ['
says out '✓ bookmarked [r001]'
says out '✗ INVALID_SYNTAX'
run 0 ops
says out 'pasted 3 nodes and 2 calls'
op=$(head -n 1 out | cut -d' ' -f1)
run 0 tree
says out '5 nodes'
run 1 paste --as Claude --approve "$hash" talk
says err 'it runs once'
run 0 undo "$op"
run 0 tree
says out '1 node'
run 1 paste --as Claude --approve "$hash" talk
says err 'it runs once'
run 0 paste --as Claude talk
again=$(sed -n 's/.*--approve \([0-9a-f]*\) .*/\1/p' err)
checks=$((checks + 1))
[ "$again" != "$hash" ] || fail 'the same hash twice'
run 0 agent set Claude --permissions loom_aware
run 1 paste --as Claude --approve "$again" talk
says out 'loom_write not enabled'

# From standard input; a text without turns or calls; nothing at all.
printf 'Just a text.\n' >plain
"$loom" paste <plain >out 2>err
status 0 'paste from a pipe'
says out '1 node to create'
printf '' | "$loom" paste >out 2>err
status 0 'an empty paste'
says err 'it has nothing to create or run'
printf '\377\376' | "$loom" paste >out 2>err
status 1 'a paste that is not UTF-8'

verdict
