#!/bin/sh
# Importing chats on the command line: each file becomes readable trees, once; a dry run, a refused
# file and an undone import leave nothing.
files=$(cd "$(dirname "$0")/../imports" && pwd)
. "$(dirname "$0")/lib.sh"
mkdir grove
cd grove || exit 1
run 0 init

# --- every fixture, and again ---
for file in "$files"/*.json "$files"/*.jsonl "$files"/*.md "$files"/*.txt; do
	run 0 import --dry-run "$file"
	run 0 import "$file"
	says out '✓ imported'
	run 0 import "$file"
	says out '✓ nothing new'
	run 0 import --json "$file"
	json out
done
run 0 check

# --- what came of them ---
run 0 trees
says out '"Branches" dialogue · 6 nodes · 2 branches'
says out '"transcript-plain" buffer · 1 node'
run 0 tree -t 'My bug'
says out '(15 nodes, 8 branches)'
run 0 tag --with sidechain
lines out 1
run 0 grep -t 'My bug' 'Fixed.'
says out 'Fixed.'

# Trees of one export have dates of their own, by which they are listed.
mkdir "$work/dates" && cd "$work/dates" || exit 1
run 0 init
run 0 import "$files/grok-export.json"
run 0 trees --json
says out '"active":"2026-10-03T09:00:00.000Z"'
says out '"active":"2026-10-02T09:05:00.000Z"'
run 0 trees
[ "$(sed -n '1s/.*"\(.*\)".*/\1/p' "$work/out")" = 'Untitled talk' ] || fail 'the newest is not the first'
cd "$work/grove" || exit 1

# --- undone and done again ---
run 0 import "$files/transcript-headings.md"
run 0 new --title Empty --root 'x'
printf 'Human: one\n\nAssistant: two\n' >talk.txt
run 0 import talk.txt
says out 'tree:"talk" · 2 nodes · transcript'
run 0 undo
run 0 trees
grep -q '"talk"' "$work/out" && fail 'an import that was undone is there'
run 0 import talk.txt
says out 'restored what had been undone'

# --- a chat that has grown ---
printf 'Human: one\n\nAssistant: two\n\nHuman: three\n' >talk.txt
run 0 import talk.txt
says out '3 nodes, 1 new'
# A diverged copy becomes a branch; a file that only shares the name becomes a separate tree.
printf 'Human: one\n\nAssistant: other\n\nHuman: three\n' >talk.txt
run 0 import talk.txt
says out '3 nodes, 2 new'
run 0 trees
says out '"talk" dialogue · 5 nodes · 2 branches'
mkdir far
printf 'Human: ten\n\nAssistant: two\n' >far/talk.txt
run 0 import talk.txt far/talk.txt
says out 'imported 2 nodes in 2 trees'

# --- a branch in a separate file ---
say='"is_user":false,"mes"'
printf '{"user_name":"A","character_name":"B"}\n{"name":"B",%s:"one"}\n{"name":"B",%s:"two"}\n' \
	"$say" "$say" >tavern.jsonl
printf '{"user_name":"A","character_name":"B","chat_metadata":{"main_chat":"tavern"}}\n%s\n%s\n' \
	"{\"name\":\"B\",$say:\"one\"}" "{\"name\":\"B\",$say:\"other\"}" >branch.jsonl
run 1 import tavern.jsonl talk.txt branch.jsonl
says err 'two files of this import belong to the same tree'
says err 'one after the other'
run 0 import tavern.jsonl branch.jsonl
says out 'tree:"tavern" · 4 nodes'
run 0 import branch.jsonl
says out '✓ nothing new'

# --- refused, and nothing done ---
before=$("$loom" trees | wc -l)
head -c 200 "$files/chatgpt-list.json" >cut.json
run 1 import cut.json
says err 'INVALID'
silent out
printf '{"messages":"none"}' >other.json
run 1 import other.json
says err 'REFUSED'
run 1 import talk.txt other.json
[ "$before" -eq "$("$loom" trees | wc -l)" ] || fail 'a refused file made a tree'
run 2 import --format nonsense talk.txt
says err 'unknown import format "nonsense"'

# --- with --format ---
printf 'user: root\npassword: x\n' >notes.txt
run 0 import --format transcript notes.txt
says out '1 node'
verdict
