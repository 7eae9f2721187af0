#!/bin/sh
# Several persons of one account: who acts, whose place, undo, drafts, grants and approvals are whose.
. "$(dirname "$0")/lib.sh"
unset LOOM_ME
me=$(id -un)

# as NAME ARGUMENT…: runs the program as that person.
as() {
	LOOM_ME=$1
	export LOOM_ME
	shift
	run 0 "$@"
	unset LOOM_ME
}

# A grove's founder is called as the account is, and alone he is "human" everywhere.
run 0 init
run 0 members
says out "* $me · account $me"
says out ' · founder'
lines out 1
run 0 members --json
json out
says out '"group":null'
says out "\"role\":\"uid:$(id -u)\""
says out '"may":"admin"'
run 0 new --title Ours --root 'It stood empty.'
run 0 do respond r001 'A door.'
run 0 log
says out '] human · '
lacks out "\"$me\""

# LOOM_ME is one of those who are here.
LOOM_ME=anna
export LOOM_ME
for command in 'do respond r001 x' 'tag r001 x' 'new' 'approve' 'undo'; do
	# shellcheck disable=SC2086
	run 1 $command
	says err '✗ NOT_FOUND: there is no person "anna" here'
	says err 'loom members add'
done
# One can look nevertheless.
cp .loom/grove.db before
for command in 'log' 'show r001' 'members' 'ops' 'export -o -' 'check'; do
	# shellcheck disable=SC2086
	run 0 $command
	says err 'there is no person "anna" here (LOOM_ME): you can only look'
done
cmp -s before .loom/grove.db || fail 'looking has written'
run 1 do -a anna respond r001 x
unset LOOM_ME
run 0 members add anna
says out 'select with LOOM_ME'
run 1 members add Anna
says err 'an agent "Anna" already exists'
run 1 members add you
says err 'hint: '
as anna members
says out '* anna'
as ANNA members
says out '* anna'

# The configuration may wish for one; LOOM_ME goes before it, and a wish for nobody is none.
config=$XDG_CONFIG_HOME/loom/config.json
mkdir -p "${config%/*}"
printf '{"me": "Anna"}\n' >"$config"
chmod 600 "$config"
run 0 members
says out '* anna'
as "$me" members
says out "* $me"
(mkdir other && cd other && "$loom" init && "$loom" members) >out 2>err
says out '* Anna'
printf '{"me": "Berta"}\n' >"$config"
run 0 members
says out "* $me"
rm "$config"

# Others by name, oneself as "you" in texts; data has the names.
as anna do respond r001 'A window.'
as anna log
says out '] you · '
says out "] human \"$me\" · "
run 0 log
says out '] you · '
lacks out "\"$me\""
run 0 grep window
says out 'human "anna" · '
as anna grep window
says out ' · you · '
run 0 ops
says out '· anna · responded'
says out '· you · responded'
lacks out "· $me ·"
run 0 ops --json
says out "\"by\":\"$me\""
lacks out '"you"'
as anna log --json
lacks out '"you"'
printf 'Human: a wind\n' >talk
run 0 paste talk
says out ' · you · 2 words'
run 0 paste --json talk
says out "\"author\":\"$me\""
printf 'one\n' | "$loom" doc write notes >/dev/null
as anna export --format json
says out '"name":"anna"'
lacks out '"you"'

# Each has a place and a current tree of his own, and takes back his own work.
as anna new --title Hers --root 'Another one.'
run 0 trees
says out '* '
run 0 tree
says out 'Tree: "Ours"'
as anna tree
says out 'Tree: "Hers"'
LOOM_ME=anna "$loom" undo >"$work/out" 2>&1
says out 'new tree "Hers"'
LOOM_ME=anna "$loom" undo >"$work/out" 2>&1
says out 'undid 5'
LOOM_ME=anna "$loom" undo >"$work/out" 2>"$work/err"
status 1 'a third undo of anna'
says err 'nothing to undo'
run 0 log
says out 'A door.'

# Grants: what an agent may do for one person it may not for another.
run 0 agent add Claude --permissions all --approval auto
LOOM_AGENT=Claude
export LOOM_AGENT
run 0 do respond r001 'From Claude.'
LOOM_ME=anna
export LOOM_ME
run 1 do respond r001 'For anna.'
says out 'loom_write not enabled'
unset LOOM_ME LOOM_AGENT
as anna agent set Claude --permissions all --approval ask

# Approvals: what waits for anna is no business of another person's, and the other way round.
LOOM_ME=anna LOOM_AGENT=Claude "$loom" tag r001 seen >"$work/out" 2>"$work/err"
hash=$(sed -n 's/.*loom approve \([0-9a-f]*\).*/\1/p' "$work/err")
[ -n "$hash" ] || fail 'nothing is waiting'
run 0 approve
says err 'nothing is waiting'
run 1 approve "$hash"
says err '✗ PERMISSION_DENIED: that waits for "anna", for whom the agent works'
says err 'hint: '
run 1 approve "$hash" --refuse
says err 'that waits for "anna"'
as anna approve
says out "$hash"
as anna approve "$hash"
run 0 tag
says out seen

# A name that one sets is the name of what was written before too, and can be taken back.
as anna members set --name Annabel
says out 'renamed "anna" to "Annabel"'
run 0 log
lacks out '"anna"'
LOOM_ME=Annabel "$loom" undo >"$work/out" 2>&1
says out 'renamed'
run 0 members
says out '  anna · '
run 1 members set Claude --name Other
says err 'not a person of your account'

# An account is somebody, and a person who was dropped is the same one again.
run 1 members drop "$me"
says err 'is you'
run 0 members drop anna
run 0 members
lines out 1
LOOM_ME=anna "$loom" log >"$work/out" 2>"$work/err"
status 0 'a person whom nobody is, in a grove of one account'
run 0 members add anna
run 0 agent list
[ "$(grep -c anna "$work/out")" -eq 1 ] || fail 'anna is two'
LOOM_AGENT=anna "$loom" members drop anna >"$work/out" 2>"$work/err"
status 1 'members drop as a person by name'
says err 'that is for a person'
# A transcript's model is not a person, whatever it is called.
printf '[k3m4] human · 1m ago\n---\ngo on\n\n[k3m5] model "anna" · 1m ago\n---\nwith a letter\n' >talk.txt
run 0 paste talk.txt
hash=$(sed -n 's/.*--approve \([0-9a-f]*\).*/\1/p' "$work/out" "$work/err" | head -n 1)
run 0 paste --approve "$hash" talk.txt
run 0 agent list
says out 'anna (model) · '
run 0 check --deep

# Without a group it is nobody else's.
run 2 share
run 1 share no-such-group
says err 'there is no group "no-such-group"'
says err 'hint: '
run 0 share --private
says out 'yours alone'
verdict
