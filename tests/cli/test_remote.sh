#!/bin/sh
# A grove in a shared log that is a file: into it, clones, following, offline, forks, out of it.
. "$(dirname "$0")/lib.sh"
log=$work/novel.loomlog
url=file://$log

# the address is checked before anything is made
for wrong in novel.loomlog file://novel.loomlog http://example.org/x "file://$work/"; do
	run 1 init bad --store "$wrong"
	says err '✗ INVALID: '
	says err 'hint: for example file:///'
done
run 2 init bad --store "$url" --shared
checks=$((checks + 1))
[ ! -e bad ] || fail 'a refused init left something'

run 0 init one --store "$url"
says out "the grove stands in the log $url"
says out 'may put an older file in its place'
says out "loom clone $url"
says out "git's to share"
run 1 init bad --store "$url"
says err 'exists already'
run 0 -g one new --title Ours --root 'It stood empty.'
run 0 -g one do respond r001 'A door.'

# a clone has everything, and what either writes the other sees
run 0 clone "$url" two
says out 'cloned the grove into two'
run 0 -g two log
says out 'A door.'
run 0 -g two do respond r001 'From two.'
run 0 -g one export
says out 'From two.'
run 0 -g one undo
run 0 -g two export
lacks out 'From two.'
run 0 -g two redo
run 0 -g two remote --json
json out
says out "\"url\":\"$url\""
says out '"void":0'
run 1 clone "$url" two
says err 'already has a grove'
cd "$work" || exit 1
run 0 clone "$url"
run 0 -g novel export
says out 'From two.'

# a thread's files are shared by git, or kept as documents
run 0 -g one objective new --title Plot --id plot
run 0 -g one thread spawn --objective plot --id thread-0a1b2c3d --agent Olga
says err 'a document of the grove is on every machine: loom doc write thread-0a1b2c3d/plan'
run 1 -g two thread show thread-0a1b2c3d
says err 'the grove knows it, and its files are on another machine'
run 1 -g two thread show thread-00000000
lacks err 'another machine'
printf 'Twelve chapters.\n' | "$loom" -g one doc write thread-0a1b2c3d/plan >/dev/null
status 0 'a plan kept as a document'
run 0 -g two doc show thread-0a1b2c3d/plan
says out 'Twelve chapters.'

# without the log one reads, and is told; nothing is written
run 0 -g one trees
mv "$log" "$work/away"
run 0 -g one export
says out 'From two.'
says err 'this is what this machine has'
run 0 --offline -g one export
silent err
run 1 -g one do respond r001 'Not now.'
says out '✗ OFFLINE: the shared log'
says out '; your text is kept as a draft'
says out 'hint: loom drafts send'
run 1 -g one do annotate r001 'Two
lines.'
printf 'A plan.\n' >plan
run 1 -g one doc write plan <plan
says err 'hint: your text is kept: loom drafts show'
run 1 -g one do bookmark r001
lacks out 'draft'
run 1 -g one sync
says err '✗ OFFLINE'
run 0 -g one drafts
lines out 3
run 1 -g one drafts send
says out '✗ OFFLINE'
run 0 -g one drafts
lines out 3
mv "$work/away" "$log"
run 0 -g one export
lacks out 'Not now.'
run 0 -g one drafts send
says out 'sent 2 drafts'
run 0 -g one export
says out 'Not now.'
run 0 -g one do list annotations r001
says out 'Two'
run 0 -g one drafts
lines out 1
says out 'document "plan"'
run 0 -g one drafts send --json
json out
says out '"sent":0'
run 0 -g one drafts
draft=$(sed -n 's/^\(draft-[0-9a-f]*\) .*/\1/p' "$work/out")
run 1 -g one drafts send "$draft"
says err '✗ REFUSED: '
run 0 -g one drafts drop "$draft"

# --offline reads what is here, whatever the others have done since
run 0 -g two do respond r001 'Later.'
run 0 --offline -g one export
lacks out 'Later.'
run 0 -g one sync --wait --json
json out
run 0 --offline -g one export
says out 'Later.'

# an older file in the log's place: the grove goes that way, and nothing is lost
cp "$log" "$work/older"
run 0 -g one do respond r001 'Beyond the fork.'
printf 'Beyond too.' | "$loom" -g one doc write plan >/dev/null 2>&1
status 0 'doc write'
mv "$work/older" "$log"
run 1 -g one do respond r001 'Refused.'
says out 'this grove and its log have gone different ways'
says out 'loom sync --wait'
run 1 -g one sync
says err 'different ways'
run 0 -g one sync --wait
says out 'only here: '
says out '2 texts are in `loom drafts`'
says out 'the old grove is in '
run 0 -g one drafts
says out 'text'
says out 'document "plan"'
run 0 -g one export
lacks out 'Beyond the fork.'
run 0 -g one do respond r001 'Together again.'
run 0 -g two export
says out 'Together again.'
run 0 -g one check --deep
run 0 -g two check --deep

# out of it and into another
run 0 -g one remote drop
run 1 -g one remote drop
says err '✗ NOT_FOUND: '
run 1 -g one sync
says err 'loom remote add URL'
run 0 -g one remote
says out 'stands in no shared log'
run 0 -g one do respond r001 'Alone.'
run 0 -g two export
lacks out 'Alone.'
run 1 -g one remote add "$url"
says err 'exists already'
run 0 -g one remote add "file://$work/second.loomlog"
run 1 -g one remote add "file://$work/third.loomlog"
says err 'stands in a log already'
run 0 clone "file://$work/second.loomlog" three
run 0 -g three export
says out 'Alone.'

# what is no log makes no grove
run 1 clone "file://$work/nothing.loomlog" four
says err '✗ OFFLINE'
printf 'no log' >"$work/odd"
run 3 clone "file://$work/odd" four
says err '✗ '
checks=$((checks + 1))
[ ! -e four/.loom/grove.db ] || fail 'a refused clone left a grove'
# a synchronising program makes two logs of one: the copy is named, and what is in it becomes drafts
run 0 init left --store "file://$work/both.loomlog"
run 0 -g left new --title Both --root 'In both.'
run 0 clone "file://$work/both.loomlog" right
cp both.loomlog before
run 0 -g right do respond r001 'Of the right.'
mv both.loomlog "both (right's conflicted copy 2026-11-20).loomlog"
cp before both.loomlog
run 0 -g left do respond r001 'Of the left.'
run 0 -g left remote show --json
json out
says out '"beyond":2'
says out '"offline":false'
run 0 -g left remote
says out "with 2 entries that the log does not have: $work/both (right's conflicted copy 2026-11-20).loomlog"
run 1 -g right sync
says err '✗ REFUSED: '
run 0 -g right sync --wait
says out 'only here: '
run 0 -g right drafts show "$("$loom" -g right drafts | sed -n 's/^\(draft-[0-9a-f]*\) .*/\1/p')"
says out 'Of the right.'
rm both\ *
run 0 -g right remote
lacks out 'conflict'
run 0 -g right check --deep --json
says out '"compared":true'

# a grove whose rows are not what its log says, and a log whose entries were changed
run 0 -g right do respond r001 'As it was.'
run 0 -g right sync --wait
sqlite3 right/.loom/grove.db "UPDATE tree SET title = 'Mine'"
run 1 -g right check --deep
says out 'not as the shared log has it: tree 1: its title differs'
run 0 -g left check --deep
says out 'compared with the shared log: '
sqlite3 both.loomlog 'UPDATE entry SET bytes = CAST(substr(bytes, 1, 40) AS BLOB) WHERE seq = 1'
run 1 -g left check --deep
says out "the shared log's entries are not those that it was made of"
mv both.loomlog away
run 0 -g left check --deep
says err 'not compared with the shared log'
verdict
