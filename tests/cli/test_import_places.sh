#!/bin/sh
# Before an import and after it: what lies in a folder, by program and size; where known programs keep
# theirs; and what has grown since, of which only that is read.
files=$(cd "$(dirname "$0")/../imports" && pwd)
. "$(dirname "$0")/lib.sh"
HOME=$work/home
export HOME
mkdir -p home/.codex/sessions/2026 home/.gemini/tmp/p/chats home/other
cp "$files/codex-session.jsonl" home/.codex/sessions/2026/
cp "$files/gemini-session.jsonl" home/.gemini/tmp/p/chats/
printf 'just a text\n' >home/other/notes.txt

# --- what lies there; nothing is made of it ---
run 0 import --list home
says out 'codex'
says out '.codex/sessions/2026/codex-session.jsonl'
says out 'gemini'
says err 'and 1 that no format knows'
run 0 import --list --format codex home
lines out 1
run 0 import --json --list home
json out
says out '"format":"gemini"'
run 0 import --list home/other
says err 'there is nothing to import'
run 1 import --list home/nowhere
[ ! -e .loom ] || fail 'a list made a grove'
# Of each format that has a sample of its own, the beginning tells.
"$loom" import --list "$files" >out 2>err
status 0 'import --list'
wrong=$(awk '{ name = $NF; sub(/.*\//, "", name); print $1, name }' out |
	sed -e 's/^jsonl /training /' -e 's/^llama.cpp /llamacpp /' -e 's/^open-webui /openwebui /' |
	awk 'index($2, $1 "-") != 1')
checks=$((checks + 1))
[ -z "$wrong" ] || fail "listed as another format: $wrong"
listed=$(wc -l <out)
all=$(find "$files" -type f ! -name '*.said' ! -name 'transcript-*' | wc -l)
checks=$((checks + 1))
[ "$listed" = "$all" ] || fail "$listed of $all are listed"

# --- known places ---
run 0 import --found
says out 'codex'
says out '1 file'
says out "$HOME/.gemini/tmp"
silent_of() { grep -q "$1" out && fail "there is $1"; }
silent_of opencode
run 0 import --json --found
json out
CODEX_HOME=$work/nowhere HOME=$work/home/other "$loom" import --found >out 2>err
status 0 'import --found'
says err 'no program that loom knows'
run 2 import
says err 'no file to import'
says err 'loom import --found'

# --- what grew since ---
run 0 init
run 2 import --sync
says err 'nothing has been imported with --sync so far'
run 0 import --sync home/.codex/sessions
says out '✓ imported 16 nodes in 1 tree'
run 0 import --sync
says out '✓ nothing new'
printf '%s\n' '{"timestamp":"2026-10-02T10:00:00.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"More"}]}}' \
	>>home/.codex/sessions/2026/codex-session.jsonl
run 0 import --sync
says out '17 nodes, 1 new'
run 0 import --sync home/.gemini
says out '· gemini'
cp "$files/codex-first.jsonl" home/.codex/sessions/
run 0 import --sync
says out '· codex'
silent_of gemini
# A file that was only looked at is read the next time.
cp "$files/codex-types.jsonl" home/.codex/sessions/
run 0 import --dry-run home/.codex/sessions
run 0 import --sync
says out 'codex-types'
rm -r home/.gemini
run 0 import --sync
says out '✓ nothing new'
run 0 check
verdict
