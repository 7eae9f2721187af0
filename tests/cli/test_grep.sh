#!/bin/sh
# Search from outside: words, filters, JSON, exit statuses, an index that is lost.
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

# The index is worth nothing: it comes back by itself.
for file in "$XDG_CACHE_HOME"/loom/*.db; do printf 'broken' >"$file"; done
run 0 grep house
says out '1 result'
run 0 grep --rebuild house
says out '1 result'
for file in "$XDG_CACHE_HOME"/loom/*.db; do printf 'broken' >"$file"; done
run 0 check --rebuild
says out '✓ nothing found; the index is made anew'
run 0 grep house
says out '1 result'

# The language says the same.
run 0 do search 'house stood'
says out 'Search: "house stood"'
run 1 do search house web
says out '✗ MODEL_ERROR: no web search is configured'

verdict
