#!/bin/sh
# A text becomes a chain of passages, and its export is the same bytes.
. "$(dirname "$0")/lib.sh"

{
	printf '\n# One\n\nFirst.\n\nSecond.\r\n* * *\nThird.  \n'
	printf '# Two\n\nFourth, without an end'
} >book.md
for way in heading scene paragraph none words:1 words:4; do
	rm -rf .loom
	run 0 init
	run 0 import --split "$way" book.md
	[ "$way" = none ] || says out "book by $way into "
	run 0 export --format txt
	checks=$((checks + 1))
	cmp -s "$work/out" book.md || fail "split by $way, the text is another"
	run 0 verify
	run 0 check --deep
	run 0 import --split "$way" book.md
	says out 'nothing new'
done

run 0 undo
run 0 import --split heading book.md --json
json out
says out '"what":"book by heading into 2 passages; --split none keeps it whole"'
for way in '' words:0 words chapter; do
	run 2 import --split "$way" book.md
	says err 'is no way to split a text'
done

# A short text stays whole by default, a long one is split as suits it.
run 0 import book.md
lacks out passages
i=0
while [ $i -lt 40 ]; do
	i=$((i + 1))
	printf '## Chapter %d\n\n' $i
	printf 'the lamp and the slow water %.0s' 1 2 3 4 5
	printf '\n\n'
done >novel.md
run 0 import novel.md
says out 'novel by heading into 40 passages; --split none keeps it whole'
run 0 use novel
run 0 export --format txt
cmp -s "$work/out" novel.md || fail 'the novel is another'
run 0 import --split none novel.md
says out '1 node'
verdict
