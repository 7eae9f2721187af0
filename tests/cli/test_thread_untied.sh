#!/bin/sh
# Spawned threads that nobody has worked in: without a tree there is no log; the first log reports
# broken references; a thread that already has files keeps them.
. "$(dirname "$0")/lib.sh"

t=.leslie/threads
run 0 init
run 0 agent add claude --permissions all --approval auto
run 0 objective new --title Goal --id obj
run 0 thread spawn --objective obj --id X
echo '# Plan' >$t/X/plan.md
run 0 thread spawn --objective obj --id Y --ref X
run 0 thread spawn --objective obj --id Z
rm -r $t/X
run 0 thread load Y
says err 'Referenced Thread X not found'
run 0 thread load Y --json
says out '"warnings":["Referenced Thread X not found"]'
run 1 thread log --thread Y
echo '# Plan' >$t/Y/plan.md

run 0 new --title First --root 'Begin.'
run 0 context -a claude --thread Y --input 'begin'
says out '<asset type="plan" path=".leslie/threads/Y/plan.md" />'
says err 'Referenced Thread X not found'
printf '→ pin r001\n' >turn
run 0 run -a claude --thread Y turn
run 0 thread log --thread Y
says out '0 warning {"text":"Referenced Thread X not found"}'
says out '1 note {"text":"loaded"}'
run 0 context --thread Y --input 'begin'
says out '<asset type="plan" path=".leslie/threads/Y/plan.md" />'

# one that was just spawned is not
run 0 run -a claude --thread Z turn
run 0 thread log --thread Z
lacks out ' warning {'
lacks out 'loaded'
verdict
