#!/bin/sh
# A project in a git repository is seen as git sees it, a payload is no part of itself, and text in an
# encoding that is declared or certain is shown.
. "$(dirname "$0")/lib.sh"
command -v git >/dev/null || skip 'git is not installed'

git init -q mono
cd mono || exit 1
mkdir -p packages/a/build packages/a/src packages/b
printf '*.log\nbuild/\n' >.gitignore
printf '!keep.log\n' >packages/.gitignore
printf 'packages/a/secret\n' >.git/info/exclude
for f in one.log keep.log secret src/main.c build/report.html build/x.o; do echo x >packages/a/$f; done
echo x >packages/b/other

# same: the files that the tree of the payload here shows are those that git lists here.
same() {
	checks=$((checks + 1))
	run 0 payload
	git ls-files -co --exclude-standard | grep -v ignore | sed 's#.*/##' | sort >"$work/theirs"
	sed -n '/^## 2/,/^## /p' "$work/out" | sed -n 's/^ *\([^ `#].*[^/]\)$/\1/p' | sort >"$work/ours"
	cmp -s "$work/ours" "$work/theirs" || fail "in $PWD: $(diff "$work/ours" "$work/theirs")"
}
same
says out "- **CWD:** $work/mono"
# Without lists and without a grove, the repository is the project, wherever one stands in it.
cd packages/a/src || exit 1
run 0 payload
says out "- **CWD:** $work/mono"
cd .. && mkdir .teddy
same
says out "- **CWD:** $work/mono/packages/a"
cd ../b && mkdir .teddy
same

# Which rules match, above the root and in it, whether they count or not.
cd ../a || exit 1
run 0 payload --why one.log
says out 'one.log: hidden by ../../.gitignore:1: *.log'
run 0 payload --why keep.log
says out 'keep.log: shown by ../.gitignore:1: !keep.log'
says out 'also matched by ../../.gitignore:1: *.log'
run 0 payload --why secret
says out 'secret: hidden by ../../.git/info/exclude:1: packages/a/secret'
printf '!report.html\n' >.teddyignore
run 0 payload
says out '  report.html'
lacks out 'x.o'
run 0 payload --why build/report.html
says out 'build/report.html: shown by .teddyignore:1: !report.html'
says out 'also matched by ../../.gitignore:2: build/ (at build)'
printf 'build/\n!report.html\n' >.teddyignore
run 0 payload --why build/report.html
says out 'hidden by .teddyignore:1: build/ (decided at build)'
says out 'also matched by .teddyignore:2: !report.html'
run 0 payload --why build/report.html --json
json out
says out '"matched":['
rm .teddyignore

# A folder that git ignores shows nothing, and says so.
mkdir -p ../../build/p/.teddy && cd ../../build/p && echo x >file || exit 1
same
says err 'git ignores this folder'
cd ../../packages/b || exit 1

# The document is no part of itself: it is the same each time.
echo . >.teddy/global.context
run 0 payload -o input.md
cp input.md "$work/first"
run 0 payload -o input.md
cmp -s input.md "$work/first" || fail 'the second differs from the first'
run 0 payload -o "$PWD/../b/input.md"
cmp -s input.md "$work/first" || fail 'by another name it differs'
run 0 payload -o "$work/elsewhere.md"
grep -q 'input.md' "$work/elsewhere.md" || fail 'what was written earlier is a file as others are'
rm input.md

# Encodings: certain by a mark, or declared; nothing is guessed.
printf '\377\376c\000a\000f\000\351\000=\330\000\336\n\000' >marked
printf '<meta charset="iso-8859-1"><p>caf\351</p>' >page.html
printf '# -*- coding: latin-1 -*-\nx = "caf\351"\n' >code.py
printf '<?xml version="1.0" encoding="windows-1252"?>\n<a>\223caf\351\224</a>' >data.xml
printf 'caf\351\n' >plain.txt
printf '\377\376\000\330' >half
run 0 payload
says out "caf$(printf '\303\251\360\237\230\200')"
says out "<p>caf$(printf '\303\251')</p>"
says out "x = \"caf$(printf '\303\251')\""
says out "<a>$(printf '\342\200\234')caf$(printf '\303\251\342\200\235')</a>"
checks=$((checks + 1))
[ "$(grep -c 'NOT SHOWN' "$work/out")" -eq 2 ] || fail 'not just the two that are not declared are left out'

# What is misspelt, and what is no path, is warned of.
printf 'mian.c\n- page.html\n"page.html"\n{a,b}.md\nHTTPS://127.0.0.1:9/x\n' >.teddy/global.context
run 0 payload --no-fetch
says err 'mian.c: no such file (.teddy/global.context:1)'
says err '- page.html: no such file (.teddy/global.context:2); a line is a path alone, without a bullet'
says err 'without quotes'
says err 'braces are not expanded'
says out '[https://127.0.0.1:9/x](https://127.0.0.1:9/x)'
verdict
