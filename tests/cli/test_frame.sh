#!/bin/sh
# Rules for every command: exit statuses, streams, JSON, colour, broken outputs.
. "$(dirname "$0")/lib.sh"

run 0 help
says out 'usage: loom'
silent err
run 0 --help
says out 'usage: loom'
run 0 help help
says out 'example: '
run 0 help --help
says out 'example: '
run 0 --version
says out 'loom '
run 0 version
lines out 1

run 2 hepl
silent out
says err '✗ USAGE: loom: there is no command "hepl"'
says err '  hint: loom help'
lines err 2
run 2 thread lst
says err 'hint: loom thread list'
run 2 thread done
says err '|lifecycle|'
run 2 threds
says err 'hint: loom help thread'
# a verb, whole or abbreviated, is not mistaken for a command with a similar name
run 2 prun
says err 'hint: loom do prune'
# a verb of the language is a command, and a title needs no option
run 0 init verbs
run 0 -g verbs new "The house" --mode buffer
run 0 -g verbs annotate r001 "tone shifts"
run 0 -g verbs tag r001 slow
run 0 -g verbs show
says out 'slow'
says out 'tone shifts'
run 2 -g verbs new "The house" --title "Another"
says err 'cannot be combined'
# keys of other programs, as a keys.json
run 0 keys --preset vim
json out
says out '"dd": "prune"'
run 1 keys --preset nano
says err 'presets: vim, emacs, loomsidian, pyloom'
run 0 keys --preset '?'
says out 'loomsidian'
# finding a command by a related word
run 2 hide
says err 'hint: loom help hide'
run 0 help hide
says out '→ prune '
lacks out '→ tag '
run 0 help delete
says out '→ drop '
run 0 help tree
lacks out 'these have to do with it'
run 0 help history
says out '  redo '
run 2 help xyzzy
run 2 help of
# the parts beside a command are not the command itself
run 0 help drafts
says out '  drafts list  '
lacks out '  drafts    '
# a family has a description; a verb's synonyms are a list
run 0 help thread
says out "A thread is one agent's working session"
says out '  thread spawn '
run 0 help view
says out 'also: show, show me,'
# a usage is broken between its items, never inside one
run 0 help context
says out ' [--node NODE|--given NODE] '
checks=$((checks + 1))
[ "$(awk '{ if (length > most) most = length } END { print most }' "$work/out")" -le 100 ] ||
	fail 'help context: lines of more than 100 characters'
run 0 help context --json
says out '"note":"'
run 0 help hide --json
json out
says out '"verb":"prune"'
run 2 version --jsno
says err 'hint: loom version … --json'
run 2 version too many
run 2 help --completion tcsh
says err 'bash|zsh|fish'
run 0 help --man
says out 'Do not write to a grove with other SQLite programs'
run 2 help --man --completion bash
says err 'cannot be combined'
run 2 -g
says err '--grove needs a value'
run 2 -g '' trees
says err '✗ USAGE: loom: --grove is empty'
run 2 --plain help
run 2 --json

run 0 version --json
json out
run 0 --json version
json out
run 0 help --json
json out
run 0 help help --json
json out
run 0 keys --json
json out
says out '/keys.json"'
run 0 keys
says err 'keys.json can override these: '
# a topic has a page, even if a command has the same name
run 0 help keys
says out 'example: loom keys'
says out 'keys.json'
run 0 help
sed -n '/^Topics$/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/out" >"$work/topics"
checks=$((checks + 1))
[ "$(wc -l <"$work/topics")" -ge 5 ] || fail 'help names its topics'
while read -r topic; do
	run 0 help "$topic"
	lacks out 'these have to do with it'
	checks=$((checks + 1))
	[ "$(awk '{ if (length > most) most = length } END { print most }' "$work/out")" -le 100 ] ||
		fail "help $topic: lines of more than 100 characters"
	run 0 help "$topic" --json
	json out
	says out "\"topic\":\"$topic\""
done <"$work/topics"
run 2 --json hepl
silent out
json err
says err '"code":"USAGE"'
run 2 hepl --json
json err
lines err 1

# Without a terminal there are no escape sequences, whatever $TERM says.
TERM=xterm-256color
export TERM
run 0 help
checks=$((checks + 1))
if grep -q "$(printf '\033')" "$work/out"; then fail 'help: colours in a file'; fi

# The caller's own text is sanitised, too.
run 2 "$(printf 'a\033]0;x\007\nb')"
lines err 2
checks=$((checks + 1))
if grep -q "$(printf '\033')" "$work/err"; then fail 'an escape comes out'; fi

# Outputs that cannot be written.
if [ -w /dev/full ]; then
	"$loom" help >/dev/full 2>"$work/err"
	status 3 'loom help >/dev/full'
	says err 'No space left on device'
	says err 'loom ops'
	lacks err 'then try again'
	"$loom" version --json >/dev/full 2>"$work/err"
	status 3 'loom version --json >/dev/full'
	json err
	"$loom" hepl 2>/dev/full
	status 2 'loom hepl 2>/dev/full'
fi
"$loom" help >&- 2>"$work/err"
status 3 'loom help >&-'
says err 'standard output'
"$loom" hepl >&- 2>&-
status 2 'loom hepl >&- 2>&-'
"$loom" help <&- >"$work/out" 2>"$work/err"
status 0 'loom help <&-'
says out 'usage: loom'
{
	"$loom" help
	echo $? >"$work/status"
} | head -n 1 >/dev/null
checks=$((checks + 1))
[ "$(cat "$work/status")" -eq 0 ] || fail 'a reader that stops is an error'

# The environment.
export LOOM_NOW=yesterday
run 2 version
says err 'LOOM_NOW'
unset LOOM_NOW
export LOOM_SEED=x
run 2 version
unset LOOM_SEED
export LOOM_AGENT=Ada
run 0 version
unset LOOM_AGENT
verdict
