#!/bin/sh
# Agents on the command line: listing them, their permissions, and that only a person can grant these.
. "$(dirname "$0")/lib.sh"
mkdir grove
cd grove || exit 1
run 0 init

run 0 agent list
says out 'Olga · human · may: anything'
says out 'ngram · model ngram · may: none · approval: auto'
lines out 2
run 0 agent add ada
says out '✓ added agent "ada"'
says out 'ada · no model · may: none · approval: auto'
# an agent without permissions is a subject, and the first one added continues trees without a subject
says err 'note: ada now continues trees without a subject; `loom subject NAME` sets one'
run 0 agent set ada
silent err
says out '✓ agent "ada" unchanged'
run 0 agent set ada --approval ask
says out '✓ agent "ada" changed'
run 0 agent set ada --approval ask
says out '✓ agent "ada" unchanged'
run 0 agent set ada --approval auto
run 1 thread compact -a ada
says err '✗ NOT_FOUND: the grove has no tree yet'
run 0 agent show ada --json
json out
says out '"permissions":[]'
says out '"approval":"auto"'
says out '"model":null'
says out '"loom_aware":false'
run 0 agent add bob --permissions analyst --model 'gpt "4"' --approval propose --json
json out
silent err
says out '"permissions":["loom_aware","doc_read"]'
says out '"approval":"propose"'
says out '"loom_aware":true'
says out '"model":"gpt \"4\""'
lines out 1
run 0 agent list --json
json out

run 1 agent add ADA
says err '✗ CONFLICT: an agent "ADA" already exists'
run 1 agent add ''
run 1 agent add 'a"b'
run 1 agent add "$(printf 'a\nb')"
run 1 agent add eve --permissions everything
says err '✗ INVALID_SYNTAX: "everything" is not a permission'
says err 'hint: loom_aware, loom_write'
run 1 agent add eve --permissions loom_write
says err '✗ REFUSED: loom_write needs loom_aware too'
says err '  hint: loom_aware,loom_write'
run 1 agent show eve
says err 'loom agent list'
run 2 agent add eve --approval maybe
run 2 agent add
run 2 agent add eve --permissions
run 2 agent
run 2 agent remove ada

run 0 agent set ada --permissions all,cross_tree --approval auto
run 0 agent show ada --json
says out '"permissions":["loom_aware","loom_write","loom_generate","doc_read","doc_write","cross_tree"]'
says out '"loom_aware":true'
run 0 agent set ada --approval ask
run 0 agent show ada --json
says out '"approval":"ask"'
says out 'loom_generate'
run 0 agent set ada --permissions none
run 0 agent show ada --json
says out '"permissions":[]'
says out '"approval":"ask"'
says out '"loom_aware":false'
run 0 agent set ada --name Ada --model m2 --sampling '{"temperature":0.5}' --json
json out
says out '"name":"Ada"'
says out '"sampling":{"temperature":0.5}'
run 1 agent set ada --sampling '[1]'
run 1 agent set ada --sampling '{'
run 1 agent set nobody --permissions all
run 1 agent set Olga --permissions none
says err 'is a person and may do everything'

# A grant lies outside the grove and is not recorded in an operation: a copy has none.
"$loom" ops --json >before
run 0 agent set ada --permissions analyst --approval auto
run 0 agent set ada --permissions none
run 0 agent set ada --permissions analyst
"$loom" ops --json >"$work/out"
checks=$((checks + 1))
if grep -q 'analyst' "$work/out"; then fail 'a grant stands among the operations'; fi
mkdir "$work/copy"
cp -r .loom "$work/copy/"
run 0 -g "$work/copy" agent show ada --json
says out '"permissions":[]'
run 0 agent show ada --json
says out '"permissions":["loom_aware","doc_read"]'
XDG_STATE_HOME=$work/elsewhere
run 0 agent show ada --json
says out '"permissions":[]'
XDG_STATE_HOME=$work/state

# An agent can do nothing that needs a person's authority or a permission it lacks.
export LOOM_AGENT=ada
for command in 'agent add x' 'agent set ada --permissions all' 'init sub' 'backup x.db' 'drafts'; do
	# shellcheck disable=SC2086
	run 1 $command
	says err '✗ PERMISSION_DENIED'
	says err 'hint: ask the human to run it'
done
run 0 agent show ada
run 0 trees
run 1 new
says err '✗ PERMISSION_DENIED: loom_write not enabled'
says err 'ask the human to make the tree'
run 1 use x
says err 'cross_tree not enabled'
export LOOM_AGENT=nobody
run 1 trees
says err '✗ NOT_FOUND: there is no agent "nobody"'
unset LOOM_AGENT

# An agent's work is its own, and does not move the person's position.
run 0 new --title Mine --root 'once'
run 0 agent set ada --permissions all --approval auto
export LOOM_AGENT=ada
run 0 new --title Hers --root 'her own'
run 1 show Hers/r001
says err '✗ CROSS_TREE'
run 1 log Hers/r001
run 1 diff r001 Hers/r001
run 1 tag Hers/r001 x
run 1 link r001 Hers/r001
run 0 tag r001 seen
run 1 undo 2
says err '✗ PERMISSION_DENIED: operation 2 is not yours: "Olga" did it'
run 0 undo
says out 'tagged [r001]'
unset LOOM_AGENT
run 0 show r001
says out 'once'
run 0 show Hers/r001 --json
says out '"author_name":"Ada"'
says out '"author_type":"collaborator"'
# A person may take back what an agent did.
"$loom" ops --agent ada --json >"$work/out"
says out '"text":"new tree \"Hers\""'
op=$("$loom" ops --agent ada | sed -n 's/^\([0-9]*\) .*Hers.*/\1/p')
run 0 undo "$op"
run 1 show Hers/r001
run 0 redo
run 0 show Hers/r001
# The configuration can give an agent a model by its name; the agent's own model overrides it.
mkdir -p "$work/config/loom"
printf '%s' '{"providers":{"p":{"api":"openai","base_url":"http://127.0.0.1:9/v1"}},
 "models":{"big":{"provider":"p","id":"b"}},"agents":{"eve":{"model":"big"}}}' >"$work/config/loom/config.json"
chmod 600 "$work/config/loom/config.json"
run 0 agent add eve --permissions analyst
says out 'eve · model big from config.json · may: loom_aware, doc_read · approval: auto'
run 0 agent set eve --model ngram
says out 'eve · model ngram · may:'
printf '{' >"$work/config/loom/config.json"
run 0 agent list
says out 'eve · model ngram · may:'
says out 'ngram · model ngram · may: none'
verdict
