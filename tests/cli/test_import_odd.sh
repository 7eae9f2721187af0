#!/bin/sh
# Imports into a grove with the same names, and files with dangling references.
. "$(dirname "$0")/lib.sh"

mkdir ours theirs
cd theirs || exit 1
run 0 init
run 0 new --title Tale --root 'Once.'
node=$("$loom" do respond r001 'Twice.' | sed -n 's/^✓ created \[\([^]]*\)\].*/\1/p')
printf 'theirs\n' | "$loom" doc write notes >/dev/null
run 0 link "$node" r001 --note 'to a node'
run 0 link "$node" --doc notes
run 0 export --grove -o "$work/tale.json"

# --- a document of that name with another text gets another name; links find their ends ---
cd ../ours || exit 1
run 0 init
printf 'ours\n' | "$loom" doc write notes >/dev/null
run 0 import "$work/tale.json"
run 0 doc list
says out 'notes (2)'
run 0 doc show notes
says out 'ours'
run 0 doc show 'notes (2)'
says out 'theirs'
run 0 use Tale
run 0 link "$node"
says out 'to a node'

# --- a link to something outside the file is reported and left out ---
mkdir "$work/broken"
cd "$work/broken" || exit 1
run 0 init
root=$(sed -n 's/.*"to":"\([0-9A-Z]*\)".*/\1/p' "$work/tale.json" | head -n 1)
[ -n "$root" ] || fail 'no link in the export'
sed "s/\"to\":\"$root\"/\"to\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\"/; s/\"doc\":\"notes\"/\"doc\":\"gone\"/" \
	"$work/tale.json" >broken.json
run 0 import broken.json
says out 'a link to a missing target'
run 0 use Tale
run 0 link "$node"
says out 'has no links'

# --- names that no agent may have ---
cat >odd.json <<'EOT'
{"rootNodeId":"a","title":"Odd","nodes":{
 "a":{"id":"a","text":"one","author":"Al \"the\" Ray"},
 "b":{"id":"b","text":"two","parentId":"a","author":"Al \"the\" Ray"},
 "c":{"id":"c","text":"three","parentId":"b","author":"   "}}}
EOT
run 0 import odd.json
run 0 agent list
says out "Al 'the' Ray"
run 0 import odd.json
says out 'nothing new'

# --- a text larger than one node can hold is refused before it is read ---
head -c 68000000 /dev/zero | tr '\0' x >long.txt
run 1 import long.txt
says err 'text files can have at most 64 MiB'
rm long.txt
verdict
