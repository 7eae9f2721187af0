#!/bin/sh
# Import and export as a person sees them: messages, results, refusals.
. "$(dirname "$0")/lib.sh"
mkdir grove
cd grove || exit 1
# An export without its seal.
bare() {
	sed -e 's/,"claim":{[^}]*}//g' -e '/^"seal":/d' "$1"
}

run 0 init

cat >"$work/tree.json" <<'END'
{"root":{"id":"r","text":"Once","children":[{"id":"a","text":" upon","children":[],"wild":1}]}}
END

# --- import ---
run 0 import --dry-run "$work/tree.json"
says out '✓ would import 2 nodes in 1 tree'
run 0 trees
silent out
run 0 import "$work/tree.json"
says out '✓ imported 2 nodes in 1 tree'
says out '  tree:"tree" · 2 nodes · pyloom'
says out 'not understood, kept beside the nodes:'
says out '  1 × node field "wild"'
run 0 ops
says out "imported 2 nodes from $work/tree.json"
run 0 import "$work/tree.json"
says out '✓ nothing new: all 2 nodes were there'
run 0 undo
run 0 import --json "$work/tree.json"
json out
says out '"restored":1'
run 0 check --deep

# --- standard input ---
"$loom" import - <"$work/tree.json" >"$work/out" 2>"$work/err"
status 0 'loom import -'
says out '✓ nothing new'

# --- data in another file, given later ---
cat >"$work/third.json" <<'END'
{"root":{"id":"q","text":"A","children":[{"id":"b","text":"B","generation":{"id":"m1","index":0},"children":[]}]}}
END
cat >"$work/responses.json" <<'END'
{"m1":{"id":"m1","model":"davinci","prompt":{"text":"A"},"completions":[{"text":"B","finishReason":"stop","tokens":[]}]}}
END
run 0 import "$work/third.json" "$work/responses.json"
says out '✓ imported 2 nodes in 1 tree'
run 0 export --tree third
says out '"model":"davinci"'

# A tree whose responses were moved out has an empty object of them, and the backups are several.
cat >"$work/moved.json" <<'END'
{"root":{"id":"v","text":"A","children":[{"id":"w","text":"B","generation":{"id":"m1","index":0},"children":[]},{"id":"x","text":"C","generation":{"id":"m2","index":0},"children":[]}]},"model_responses":{}}
END
sed 's/m1/m2/g; s/davinci/curie/; s/"B"/"C"/' "$work/responses.json" >"$work/later.json"
printf '{}' >"$work/empty.json"
run 0 import "$work/moved.json" "$work/empty.json" "$work/responses.json" "$work/later.json"
says out '✓ imported 3 nodes in 1 tree'
run 0 export --tree moved
says out '"model":"davinci"'
says out '"model":"curie"'

# --- tools and systems are no people ---
printf '{"messages":[{"role":"user","content":"a"},{"role":"tool","content":"b"}]}\n' >"$work/tools.jsonl"
run 0 import "$work/tools.jsonl"
run 0 agent list --json
says out '"kind":"other"'
[ "$(grep -o '"kind":"other"' "$work/out" | wc -l)" = 2 ] || fail 'not the tool and the system are others'
run 0 export --tree tools -o "$work/tools.json"
mkdir "$work/again"
(cd "$work/again" && "$loom" init && "$loom" import "$work/tools.json" && "$loom" agent list --json) >"$work/out" 2>"$work/err"
status 0 'import of an export'
says out '"kind":"other"'

# --- refusals ---
run 2 import
run 2 import --format nonsense "$work/tree.json"
says err 'unknown import format "nonsense"'
says err 'the formats are json, pyloom'
run 1 import "$work/nowhere.json"
says err "there is no file $work/nowhere.json"
says err 'hint: paths start at the current directory'
run 1 import ''
says err 'there is no file ""'
run 1 import .loom
says err 'there is nothing to import'
printf '{"root":{"text":"x","children":[' >"$work/cut.json"
run 1 import "$work/cut.json"
says err 'the text ends early'
printf 'VersionedTapestryWeave__\001' >"$work/weave"
run 1 import "$work/weave"
says err 'a Tapestry weave'
run 1 import .loom/grove.db
says err 'a file of the grove'
LOOM_AGENT=ngram "$loom" import "$work/tree.json" >"$work/out" 2>"$work/err"
status 1 'an agent imports'

# --- an author from a file never becomes a subject ---
printf '{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Ho"}]}\n' \
	>"$work/talk.jsonl"
run 0 subject
says out 'ngram continues "'
run 0 import "$work/talk.jsonl"
run 0 agent list
says out 'ngram · model ngram'
run 0 subject
says out 'ngram continues "'
run 0 agent set model --model mine
run 0 subject
says out 'model continues "'
run 0 undo

# --- a pipe is waited for, even before its other end is open ---
if [ -d "/proc/$$/task" ] && mkfifo waiting; then
	stopped_by INT waits_for_pipe import waiting
	status 130 'loom import, interrupted before anybody writes'
	"$loom" import --dry-run waiting >"$work/out" 2>"$work/err" &
	reader=$!
	wait_until 'loom import waits for a pipe' waits_for_pipe $reader
	printf 'Human: Through a pipe.\n' >waiting
	wait $reader
	status 0 'loom import of a pipe'
	says out 'waiting'
fi

# --- export ---
run 0 export --tree tree --format txt
says out 'Once'
run 0 export --tree tree -o "$work/story.md"
says out "✓ wrote $work/story.md (md, "
run 0 export --grove -o "$work/grove.json"
run 0 export --grove --json -o "$work/again.json"
json out
checks=$((checks + 1))
cmp -s "$work/grove.json" "$work/again.json" || fail 'two exports of one grove differ'
run 2 export --format nonsense
says err 'hint: the formats are json'
run 0 import --format '?'
says out '  chatgpt           ChatGPT export (conversations.json)'
run 0 export --json --format '?'
json out
says out '{"name":"md-branches","title":"Markdown'
run 0 help export
says out '  pyloom       Loom by socketteer'
run 2 export --format svg --path r001 --grove
run 1 export --format md --path zzzz
mkdir ../other
cd ../other || exit 1
run 0 init
run 0 import "$work/grove.json"
"$loom" export --grove >"$work/out" 2>"$work/err"
status 0 'loom export --grove'
checks=$((checks + 1))
bare "$work/grove.json" >"$work/there"
bare "$work/out" >"$work/here"
cmp -s "$work/there" "$work/here" || fail 'what came in does not go out the same'
verdict
