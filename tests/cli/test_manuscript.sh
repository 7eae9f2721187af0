#!/bin/sh
# The text of a path as one work: replaced throughout, and written as a book.
. "$(dirname "$0")/lib.sh"

run 0 init
run 0 new --mode buffer --title Lamp --root 'Marie went. Mar'
run 0 do respond r001 'ie came. She saw Marie.'
next=$(sed -n 's/.*created \[\([^]]*\)\].*/\1/p' "$work/out")
run 0 do respond "$next" ' Ma'
run 0 export --format txt
cp "$work/out" "$work/before"

# Every place is listed, also one that runs over two passages; nothing is written.
run 0 replace Marie Maria --dry-run
lines out 4
says out '[r001] [-Marie-]{+Maria+} went.'
says out "[$next] Marie went. Marie came. She saw [-Marie-]{+Maria+}. Ma"
says out '3 places would change'
run 0 export --format txt
cmp -s "$work/out" "$work/before" || fail 'a dry run has changed the text'

run 0 replace Marie Maria --json
json out
says out '"count":3,"versions":2,"op":'
sed 's/Marie/Maria/g' "$work/before" >"$work/wanted"
run 0 export --format txt
cmp -s "$work/out" "$work/wanted" || fail 'the text is not what sed makes of it'
run 0 show r001.1
says out 'Maria went. Maria'
run 0 show "$next.1"
says out ' came. She saw Maria.'
run 0 undo
run 0 export --format txt
cmp -s "$work/out" "$work/before" || fail 'one undo does not take it back'

# Only the path that is named; what is not on it stays.
run 0 do respond r001 'on a branch: Marie.'
branch=$(sed -n 's/.*created \[\([^]]*\)\].*/\1/p' "$work/out")
run 0 replace --path "$next" 'saw Marie' 'saw her'
run 0 export --format txt --path "$branch"
says out 'on a branch: Marie.'
run 1 replace Nobody Somebody
says err '"Nobody" does not occur on the path'
run 2 replace '' x
run 2 replace same same
run 1 replace Marie Maria --path none

# A dialogue's turns do not run into each other.
run 0 new --title Talk --root 'one two'
run 0 do respond r001 'two three two'
run 0 replace 'two' '2' --json
says out '"count":3'
run 1 replace '2 three 2x' y
run 0 log
says out 'one 2'

# A person's name changes in each of many passages, as sed would do it, and back.
if command -v python3 >/dev/null; then
	python3 - >"$work/chain.json" <<'END'
import json, random, sys
sys.setrecursionlimit(10000)
random.seed(7)
text = "".join(random.choice(["Marie ", "Ma", "rie", "aMari", "e, ", "x"]) for _ in range(1500))
node, end = None, len(text)
while end:
    begin = max(0, end - random.randrange(1, 9))
    node = {"text": text[begin:end], "children": [node] if node else []}
    end = begin
print(json.dumps({"root": node}))
END
	run 0 import "$work/chain.json"
	run 0 use chain
	last=$("$loom" tree --depth 100000 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["below"][-1]["id"])')
	run 0 export --format txt --path "$last"
	cp "$work/out" "$work/before"
	sed 's/Marie/Anna-Maria/g' "$work/before" >"$work/wanted"
	run 0 replace Marie Anna-Maria --path "$last"
	run 0 export --format txt --path "$last"
	cmp -s "$work/out" "$work/wanted" || fail 'passages cut anywhere are not read as one text'
	run 0 undo
	run 0 export --format txt --path "$last"
	cmp -s "$work/out" "$work/before" || fail 'the undo is not the text before'
fi

# A book: title page, chapters, no ids.
run 0 new --mode buffer --title 'The Lamp & I' --root '# The Lamp & I

## One
It *was* dark.
'
run 0 do respond r001 '
***

> A "quote"
'
run 0 do respond "$(sed -n 's/.*created \[\([^]]*\)\].*/\1/p' "$work/out")" '
## Two <b>

5 < 6.
'
run 0 export --book
[ "$(head -n 1 "$work/out")" = '# The Lamp & I' ] || fail 'no title'
[ "$(grep -c 'The Lamp' "$work/out")" -eq 1 ] || fail 'the title is said twice'
lacks out r001
says out '> A "quote"'
run 0 export --book --format html --author 'Ada <L>'
says out '<h1>The Lamp &amp; I</h1>'
says out '<p>Ada &lt;L&gt;</p>'
says out '<a href="#c2">Two &lt;b&gt;</a>'
says out '<em>was</em>'
says out '<hr/>'
lacks out r001
! command -v xmllint >/dev/null || xmllint --noout "$work/out" || fail 'the page is no XML'
run 0 export --book -o "$work/lamp.epub"
says out 'wrote'
run 0 export --format epub
cmp -s "$work/out" "$work/lamp.epub" || fail 'an EPUB is always a book'
if command -v python3 >/dev/null; then
	python3 "$here/epub_check.py" "$work/lamp.epub" >"$work/out" 2>"$work/err"
	status 0 'the EPUB by the rules'
	says out 'The Lamp & I'
	says out 'It was dark.'
	says out '5 < 6.'
	lacks out r001
	# The rules bite: an archive whose mimetype is packed is none.
	python3 - "$work/lamp.epub" "$work/broken.epub" <<'END'
import sys, zipfile
old = zipfile.ZipFile(sys.argv[1])
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as new:
    for name in old.namelist():
        new.writestr(name, old.read(name))
END
	python3 "$here/epub_check.py" "$work/broken.epub" >"$work/out" 2>"$work/err"
	status 1 'a broken EPUB'
fi
run 0 export --book --format html --path r001
run 2 export --book --format txt
says err 'md, html or epub'
run 2 export --book --grove
run 2 export --author Ada

# The outline: headings and scenes, with the passage in which each begins.
run 0 outline
says out 'The Lamp & I · 20 words · [r001]'
says out '  One · 9 words · [r001]'
says out '    * > A "quote" · 3 words'
says out '  Two <b> · 6 words'
run 0 outline --json
json out
says out '{"kind":"heading","level":2,"name":"One","node":"r001","at":16,"words":9,"chars":'
run 0 outline Talk/r001
says err 'has no headings and no scene breaks'

# A session ends with an hour's pause; a version counts by how much longer it is.
run 0 goal
says out 'no goal is set'
run 0 new --mode buffer --title Session --root ''
LOOM_NOW=2026-02-23T08:00:00Z run 0 do respond r001 'long ago five words here'
LOOM_NOW=2026-02-23T09:30:00Z run 0 do respond r001 'one two'
LOOM_NOW=2026-02-23T10:20:00Z run 0 do respond r001 'three four five'
node=$(sed -n 's/.*created \[\([^]]*\)\].*/\1/p' "$work/out")
LOOM_NOW=2026-02-23T10:25:00Z run 0 do edit "$node" 'three four five six'
LOOM_NOW=2026-02-23T11:00:00Z run 0 stats
says out 'session: 6 words'
LOOM_NOW=2026-02-23T11:30:00Z run 0 stats
says out 'session: 0 words'
run 0 goal 50000
run 0 goal --session 500
says out 'the text: 50,000 words'
LOOM_NOW=2026-02-23T11:00:00Z run 0 stats --json
json out
says out '"session":{"words":6,"chars":26},"goal":{"text":50000,"session":500}'
run 0 goal 0 --session 0
says out 'no goal is set'

# A tree that nobody has named is named by its first words, at once, and only then.
run 0 new --root '## The *old* house, at the end of a long lane'
run 0 trees
says out '"The old house, at the end of"'
run 0 new --mode buffer
run 0 trees
says out '"untitled" buffer'
run 0 do respond r001 'She waited. Then she left.'
run 0 trees
says out '"She waited. Then she left" buffer'
lacks out '"untitled"'
run 0 undo
run 0 trees
says out '"untitled" buffer'
run 0 redo
run 0 tree set --title 'My own'
run 0 do respond r001 'Other words.'
run 0 do edit r001 'Words of the root.'
run 0 trees
says out '"My own" buffer'

# A note on a passage follows it through edits, and says when it no longer fits.
run 0 new --mode buffer --title Notes --root 'A lamp. The red lamp burned. Another lamp.'
run 0 do annotate r001 'too bright' 'on:"red lamp"'
run 1 do annotate r001 'nowhere' 'on:"blue lamp"'
says out 'NOT_FOUND: "blue lamp" does not stand in [r001]'
run 0 show
says out '[ann-1] "too bright" · on "red lamp"'
run 0 do edit r001 'First, much more of the story. Then: a lamp. The red lamp burned.'
run 0 show
says out '[ann-1] "too bright" · on "red lamp"'
run 0 show --json
json out
says out '"content":"too bright","on":"red lamp","fits":true'
run 0 do edit r001 'The green lamp burned.'
run 0 show
says out '[ann-1] "too bright" · no longer fits: on "red lamp"'
run 0 show --json
says out '"on":"red lamp","fits":false'
# It leaves and comes back with our own file.
run 0 export --tree Notes -o "$work/notes.json"
mkdir other
cd other || exit 1
run 0 init
run 0 import "$work/notes.json"
run 0 show r001
says out '· on "red lamp"'
cd .. || exit 1
run 0 do edit r001 'The red lamp again.'
run 0 show
says out '[ann-1] "too bright" · on "red lamp"'

# A text without headings is one chapter, a dialogue names who speaks.
run 0 use Talk
run 0 export --book --format html
says out '<strong>Olga</strong>'
verdict
