#!/bin/sh
# Search on the command line: words, filters, JSON, exit statuses, a lost index.
. "$(dirname "$0")/lib.sh"

run 0 init
run 1 grep anything
says out '0 results'
run 0 new --title 'Marie' --root 'The house stood empty.'
run 0 do respond r001 'Márie had not been back.'
run 0 do annotate r001 'marie again'
printf 'Marie is afraid of the sea.' >notes.txt
run 0 doc write notes notes.txt
run 0 grep MARIE
says out 'Search: "MARIE"'
says out 'tree:"Marie" · human'
says out 'doc:"notes"'
says out '    "Márie had not been back."'
run 0 grep in:r001 back
says out '1 result'
run 1 grep author:ngram marie
# The last word may be a prefix, wherever the filters are.
run 0 grep author:human hous
run 0 grep hous author:human
run 0 grep hous author:human tree:Marie
run 1 grep hous empty author:human
run 0 grep --json marie
json out
says out '"kind":"document"'
run 1 grep nowhere
run 1 grep '"back been"'
run 1 grep '***'
says err '✗ INVALID_SYNTAX'
run 1 grep in:zzzz9 marie
says err '✗ NOT_FOUND'
run 2 grep
# A node of another tree names it; a year is no number of milliseconds.
run 0 new --title 'Sea' --root 'Marie is at sea.'
run 0 grep in:Marie/r001 back
says out 'tree:"Marie"'
run 1 grep in:Sea/r001 back
run 1 grep in:Nowhere/r001 back
says err '✗ NOT_FOUND: there is no tree "Nowhere"'
run 0 undo
run 0 use Marie
year=$(date +%Y)
run 0 grep "after:$year" marie
run 0 grep "before:$((year + 2))-01" marie
run 1 grep "after:$((year + 2))-01" marie
run 1 grep "before:$year" marie
run 1 grep after:2026-13 marie
says err '✗ INVALID_SYNTAX: "2026-13" is not a time'
says err 'hint: write a day as 2026-02-23'
run 1 grep bookmarked: marie
run 1 grep bookmarked:no marie
says err 'hint: bookmarked: by itself'

# The index is disposable: it is rebuilt by itself.
for file in "$XDG_CACHE_HOME"/loom/*.db; do printf 'broken' >"$file"; done
run 0 grep house
says out '1 result'
run 0 grep --rebuild house
says out '1 result'
for file in "$XDG_CACHE_HOME"/loom/*.db; do printf 'broken' >"$file"; done
run 0 check --rebuild
says out '✓ no problems; index rebuilt'
run 0 grep house
says out '1 result'

# The language says the same.
run 0 do search 'house stood'
says out 'Search: "house stood"'
lacks out 'more'
run 0 do search marie max:1
says out 'more · → search "marie" max:2'
run 0 grep --last 1 marie
says err 'note: there are more: --last 2 shows twice as many'
run 1 do search house web
says out '✗ MODEL_ERROR: no web search is configured'

# An agent finds only what it may see: other trees with cross_tree, documents with doc_read.
run 0 new --title 'earlier draft' --root 'Another house.'
node=$("$loom" do respond r001 'Marie, years before.' | sed -n 's/.*created \[\([^]]*\)\].*/\1/p')
run 0 use Marie
run 0 agent add Ana --permissions analyst
run 0 agent add Far --permissions loom_aware,cross_tree
ask() {
	printf '→ %s\n' "$2" | "$loom" run -a "$1" - >out 2>err
}
ask Ana 'search "marie"'
says out 'doc:"notes"'
lacks out 'earlier draft'
ask Ana 'search "marie tree:\"earlier draft\""'
says out '✗ CROSS_TREE: tree:"earlier draft" is another tree'
ask Ana 'search "marie" in tree:"earlier draft"'
says out '✗ CROSS_TREE: tree:"earlier draft" is another tree'
ask Ana "search \"marie\" in:$node"
says out "✗ NOT_FOUND: node [$node] does not exist in this tree"
ask Ana "search \"marie\" in:$node in tree:\"earlier draft\""
says out '✗ CROSS_TREE: tree:"earlier draft" is another tree'
ask Far 'search "marie"'
says out "[$node] tree:\"earlier draft\""
lacks out 'doc:'
ask Far 'search "marie" in tree:"earlier draft"'
says out '1 result'
ask Far "search \"marie\" in:$node"
says out "✗ CROSS_TREE: node [$node] is in another tree: \"earlier draft\""
says out "  hint: → search \"marie\" in:$node in tree:\"earlier draft\""
ask Far "search \"marie\" in:$node in tree:\"earlier draft\""
says out "[$node] tree:\"earlier draft\""
ask Far 'search "marie" author:Nobody'
says out '  hint: author: takes human, model, collaborator, claim, "Olga", '
LOOM_AGENT=Far
export LOOM_AGENT
run 0 grep marie
lacks out 'doc:'
LOOM_AGENT=Ana
run 0 grep marie
says out 'doc:"notes"'
lacks out 'earlier draft'
run 1 grep 'tree:"earlier draft"' marie
says err '✗ CROSS_TREE'
unset LOOM_AGENT

verdict
