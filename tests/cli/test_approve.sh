#!/bin/sh
# Proposals of agents: listed, and approved exactly as listed, once, by a person.
. "$(dirname "$0")/lib.sh"
LOOM_SEED=5
export LOOM_SEED

first() {
	"$loom" approve | head -n 1 | cut -d' ' -f1
}

run 0 init
run 0 new --title Talk --root 'Begin.'
run 0 agent add Ask --permissions all --approval ask
run 0 agent add Prop --permissions all --approval propose
run 0 approve
silent out
says err 'nothing is waiting for approval'

cat >turn <<'EOT'
→ view r001
→ respond r001 "A door."
→ continue n:2
→ bookmark r001
EOT
run 1 run -a Ask turn
says out '[r001] human'
says out '✗ PERMISSION_DENIED: not done: a person has to approve it'
run 0 tree
says out '1 node'
run 0 approve
says out '· Ask · 3 calls'
says out '  → respond r001 "A door."'
says out 'loom_write · on [r001] "Begin."'
says out 'loom_generate · on where it stands then'
says err '`--refuse` refuses it'
run 0 approve --json
json out
says out '"waits":false'

# An agent cannot approve, nor does a wrong hash; then everything runs in one step, once.
hash=$(first)
LOOM_AGENT=Ask
export LOOM_AGENT
run 1 approve "$hash"
says err '✗ PERMISSION_DENIED'
unset LOOM_AGENT
run 1 approve 0123456789ab
says err '✗ NOT_FOUND'
run 0 approve "$hash"
says out '✓ approved'
says out '✓ created ['
says out '✓ generating 2 continuations'
says out '✓ bookmarked [r001]'
run 1 approve "$hash"
says err 'it was approved and has already run'
run 0 ops
says out 'Ask · responded to [r001]'
run 0 undo "$(head -n 1 out | cut -d' ' -f1)"
run 0 tree
says out '1 node'

# Everything of an agent that only proposes is listed; refused is refused.
run 1 run -a Prop turn
run 0 approve
says out '4 calls'
hash=$(first)
run 0 approve "$hash" --refuse
says out '✓ refused'
run 1 approve "$hash"
says err 'it was refused'

# What it would act on was undone: the list is no longer the same.
run 0 do respond r001 'Mine.'
node=$("$loom" tree | grep -o '\[[a-z0-9]*\]' | tail -n 1 | tr -d '[]')
printf '→ respond %s "Below yours."\n' "$node" >turn2
run 1 run -a Ask turn2
hash=$(first)
run 0 undo
run 1 approve "$hash"
says err 'has changed, so it is void'
run 0 approve
says err 'nothing is waiting'

# Each call shows what it would act on.
run 0 new --title Other --root 'There.'
run 0 use Talk
printf 'One two three.\n' | "$loom" doc write plan >out 2>err
status 0 'a document'
run 0 agent add Far --permissions all,cross_tree --approval ask
printf '→ tag r001 "seen"\n' >turn4
run 1 run -a Far turn4
run 0 approve "$(first)"
cat >turn4 <<'EOT'
→ undo
→ write doc:"plan" append "Four."
→ write doc:"new" append "x"
→ link r001 to r001
→ link r001 to doc:"plan" section:"Two"
→ link r001 to tree:"Other"
→ link r001 to tree:"Other" node:r001
→ continue n:1
EOT
run 1 run -a Far turn4
hash=$(first)
run 0 approve
says out 'loom_write · on operation '
says out ': tagged [r001]'
says out 'doc_write · on doc:"plan" (version 1, 3 words)'
says out 'doc_write · on doc:"new" (new, or a file of the thread)'
says out 'on [r001] "Begin." to [r001] "Begin."'
says out 'on [r001] "Begin." to doc:"plan" §Two'
says out 'on [r001] "Begin." to tree:"Other"'
says out 'on [r001] "Begin." to [r001] in tree:"Other"'
says out 'loom_generate · on [r001] "Begin."'
run 0 approve "$hash" --refuse

# An approved call still needs its permission.
run 1 run -a Ask turn2
printf '→ bookmark r001\n' >turn3
run 1 run -a Ask turn3
hash=$("$loom" approve | grep 'Ask' | tail -n 1 | cut -d' ' -f1)
run 0 agent set Ask --permissions analyst
run 1 approve "$hash"
says out 'loom_write not enabled'

verdict
