#!/bin/sh
# `input.md`, rule by rule; each case has a project of its own.
. "$(dirname "$0")/lib.sh"
case=

a() {
	case=$1
	cd "$work" || exit 1
	rm -rf case
	mkdir -p case/.teddy
	cd case || exit 1
}

# put FILE TEXT, with printf's escapes
put() {
	case $1 in */*) mkdir -p "${1%/*}" ;; esac
	# shellcheck disable=SC2059
	printf -- "$2" >"$1"
}

equals() {
	checks=$((checks + 1))
	[ "$1" = "$2" ] || fail "$case: $3 is
$1
  not
$2"
}

# summary WANTED: the lines of section 4; resources WANTED: what section 5 holds, in its order
summary() {
	run 0 payload
	equals "$(sed -n '/^## 4/,/^## 5/p' "$work/out" | sed '/^##* [45]/d; /^$/d' | tr '\n' ' ')" "$1" \
		'the summary'
}

resources() {
	run 0 payload
	equals "$(sed -n 's/^\*\*Resource:\*\* `*\[\(.*\)\](.*/\1/p' "$work/out" | tr '\n' ' ')" "$1" \
		'what is in it'
}

# from_five: section 5 and what follows
from_five() {
	sed -n '/^## 5/,$p' "$work/out"
}

a 'the whole document'
put .gitignore 'dist/\n'
put .teddyignore '!dist/i.html\n'
for file in dist/b.js dist/i.html; do put $file x; done
put src/main.py 'print(1)\n'
put README.md '````\nin\n````\n'
echo '- Use pnpm.' >.teddy/memos.yaml
put .teddy/s/01/turn.context 'src/main.py\nREADME.md\n'
put .teddy/s/session.context '# a comment\n./src/main.py\n'
put .teddy/global.context 'missing.txt\n'
SHELL=/bin/zsh run 0 payload
says err 'missing.txt: no such file'
lines err 1
cat >wanted <<EOT
# Agent Invocation Payload

## 1. System Information
- **CWD:** $work/case
- **OS:** $(uname -s) $(uname -r)
- **Shell:** /bin/zsh

## 2. Project Structure
\`\`\`\`
dist/
  i.html
src/
  main.py
README.md
\`\`\`\`

## 3. Memos
\`\`\`\`
- Use pnpm.
\`\`\`\`

## 4. Context Summary

### Turn
- [src/main.py](/src/main.py)
- [README.md](/README.md)

### Session
- [src/main.py](/src/main.py)

### Global
- [missing.txt](/missing.txt)

## 5. Resource Contents

---
**Resource:** \`[src/main.py](/src/main.py)\`
\`\`\`\`python
print(1)
\`\`\`\`
---
**Resource:** \`[README.md](/README.md)\`
\`\`\`\`\`markdown
\`\`\`\`
in
\`\`\`\`
\`\`\`\`\`
---
**Resource:** \`[missing.txt](/missing.txt)\`
\`\`\`\`
--- FILE NOT FOUND ---
\`\`\`\`
---
EOT
checks=$((checks + 1))
cmp -s wanted "$work/out" || fail "$case: $(diff wanted "$work/out" | head -n 20)"

a 'memos that are empty, and memos without a last line end'
put .teddy/memos.yaml ''
run 0 payload
equals "$(sed -n '/^## 3/,/^## 4/p' "$work/out")" '## 3. Memos
````
````

## 4. Context Summary' 'section 3'
put .teddy/memos.yaml 'x'
run 0 payload
equals "$(sed -n '/^## 3/,/^## 4/p' "$work/out")" '## 3. Memos
````
x
````

## 4. Context Summary' 'section 3'

a 'a scope keeps its order, each line once, and every scope that names it'
put .teddy/s/01/turn.context 'b\na\nb\n./a\n'
put .teddy/s/session.context 'a\nc\n'
put .teddy/global.context 'c\nb\nd\n'
summary '### Turn - [b](/b) - [a](/a) ### Session - [a](/a) - [c](/c) ### Global - [c](/c) - [b](/b) - [d](/d) '
resources 'b a c d '

a 'one file by five spellings, and by its path on this machine'
put d/z.js x
put .teddy/global.context "./d/z.js\nd//z.js\n/d/z.js\nd/./z.js\nd/../d/z.js\n$work/case/d/z.js\n"
summary '### Global - [d/z.js](/d/z.js) '

a 'lines of a list'
put .teddy/global.context '\357\273\277a\r\n  b  \n\t\n# c\na # c\n./#x\n*.md\n'
for file in a b '#x' x.md; do put "$file" 1; done
summary '### Global - [a](/a) - [b](/b) - [a # c](</a # c>) - [#x](/#x) - [*.md](/*.md) '
resources 'a b a # c #x *.md '
says err '*.md: patterns are not expanded'
put '*.md' 'a file of that name\n'
run 0 payload
says out 'a file of that name'

a 'a folder stands for what shows in it, in the place of its line'
for file in d/b d/a d/s/c d/.gitignore z; do put $file 1; done
put .gitignore 'd/a\n'
ln -s s d/link
ln -s nowhere d/dangling
put .teddy/global.context 'z\nd\nd/a\n'
resources 'z d/b d/s/c d/a '

a 'fences are longer than what they hold'
put four '````\n'
put six 'x``````y\n'
put none ''
put .teddy/global.context 'four\nsix\nnone\n'
run 0 payload
equals "$(from_five | grep '^`' | tr '\n' ' ')" '`````text ```` ````` ```````text ``````` ````text ```` ' \
	'the fences'

a 'what a fence is called'
put .teddy/global.context ''
while read -r name info; do
	put "$name" 'x\n'
	echo "$name" >>.teddy/global.context
	echo "\`\`\`\`$info" >>infos
done <<'EOT'
a.py python
A.PY python
a.js javascript
a.ts typescript
a.md markdown
a.sh shell
a.bash shell
a.zsh shell
a.yml yaml
a.yaml yaml
a.txt text
a.rb ruby
a.rs rust
a.h c
a.c c
a.hpp cpp
a.cxx cpp
a.cc cpp
a.cpp cpp
a.cs csharp
a.cfg ini
a.conf ini
a.ini ini
a.tf terraform
a.ps1 powershell
a.csv csv
a.tar.gz gz
Makefile text
.env text
.env.local local
a. text
dir.d/file text
EOT
run 0 payload
equals "$(from_five | grep '^````.')" "$(cat infos)" 'the list of info strings'

a 'bytes as they are'
put crlf 'a\r\nb\r\n'
put bom '\357\273\277x\n'
put .teddy/global.context 'crlf\nbom\n'
run 0 payload
checks=$((checks + 2))
grep -q "^b$(printf '\r')\$" "$work/out" || fail "$case: no CR LF"
grep -q "^$(printf '\357\273\277')x\$" "$work/out" || fail "$case: no mark"

a 'what cannot be shown is one line, and the rest is whole'
put latin 'caf\351\n'
put nul 'a\000b'
mkfifo pipe
ln -s /etc/passwd out
ln -s good in
put good 'good bytes\n'
put .teddy/global.context 'latin\nnul\npipe\nout\n../x\ngone\nin\ngood\n'
run 0 payload
for text in '--- NOT SHOWN: text that is not UTF-8, 5 bytes ---' '--- NOT SHOWN: binary data, 3 bytes ---' \
	'--- NOT SHOWN: a device, pipe or socket ---' '--- NOT SHOWN: outside the root ---' \
	'--- FILE NOT FOUND ---'; do
	says out "$text"
done
equals "$(grep -c 'good bytes' "$work/out")" 2 'the count of good files'
says err 'warning: out leaves its root'
says err 'warning: ../x leaves the root'

a 'contents that look like ours'
put fake '---\n## 5. Resource Contents\n**Resource:** x\n````\n'
put .teddy/global.context 'fake\n'
run 0 payload
if command -v cmark >/dev/null; then
	equals "$(cmark -t xml <"$work/out" | grep -c '^  <thematic_break')" 2 'the count of rules'
	equals "$(cmark -t xml <"$work/out" | grep -c '>5. Resource Contents</text>')" 1 'headings 5'
fi

a 'names that would be marks'
put .teddy/global.context ''
for name in 'a b.txt' 'a(b).txt' '[x].md' 'a&amp;b' 'a`b' 'a<b>c' 'src/__init__.py' 'a%20b' 'é'; do
	put "$name" 1
	echo "$name" >>.teddy/global.context
done
run 0 payload
says out '- [a b.txt](</a b.txt>)'
says out '- [src/__init__.py](/src/__init__.py)'
says out '**Resource:** `[src/__init__.py](/src/__init__.py)`'
if command -v cmark >/dev/null; then
	equals "$(cmark -t xml <"$work/out" | sed -n 's/.*<link .*destination="\([^"]*\)".*/\1/p')" '/a b.txt
/a(b).txt
/[x].md
/a&amp;amp;b
/a`b
/a&lt;b&gt;c
/src/__init__.py
/a%2520b
/é' 'where the links lead'
fi

a 'which session and which turn'
put .teddy/20260101_000000-old/session.context 'old\n'
put .teddy/20260201_000000-new/session.context 'new\n'
summary '### Session - [new](/new) '
a 'sessions may stand in a folder of their own'
put .teddy/sessions/s/01/turn.context 'one\n'
put .teddy/sessions/s/02/turn.context 'two\n'
put .teddy/sessions/s/10/turn.context 'ten\n'
put .teddy/sessions/s/session.context 'y\n'
summary '### Turn - [ten](/ten) ### Session - [y](/y) '
run 0 payload --session s --turn 2
says out '- [two](/two)'
a 'without a session every list is global'
put .teddy/global.context 'a\n'
put .teddy/other.context 'b\na\n'
summary '### Global - [a](/a) - [b](/b) '
put .teddy/s/session.context 'q\n'
summary '### Session - [q](/q) ### Global - [a](/a) '

a 'names of sessions and turns that say nothing'
put .teddy/s/01/turn.context 'x\n'
for wrong in '1 --session=../s' '1 --session=none' '2 --session=' '1 --turn=02' '2 --turn=x' '2 --turn=' \
	'2 --turn=-1' '2 --why='; do
	run "${wrong%% *}" payload "${wrong#* }"
	silent out
done

a 'a path without a name is listed nowhere'
put .teddy/global.context '# kept\n\n a \r\nb'
cp .teddy/global.context before
run 2 payload add global ''
run 1 payload add global good ../bad
run 1 payload remove global b nowhere
checks=$((checks + 1))
cmp -s before .teddy/global.context || fail "$case: the list was changed"
run 0 payload add global ./a c
equals "$(cat .teddy/global.context)" "$(printf '# kept\n\n a \r\nb\nc')" 'the list'

a 'why a folder that is hidden has a line in the tree'
put .gitignore 'dist/\n'
put .teddyignore '!dist/i.html\n'
put dist/i.html x
put dist/no x
run 0 payload --why dist
says out 'dist: hidden by .gitignore:1: dist/; listed because something below it is shown, such as dist/i.html'
run 0 payload --why dist --json
json out
says out '"below":"dist/i.html"'
run 0 payload --why gone.txt
says out 'gone.txt: not there, would be shown: no rule matches'
run 0 payload --why .
says out '.: shown: no rule matches'

a 'why a thread is given a path'
run 0 objective new --title x --id o
run 0 thread spawn --objective o --id A
run 0 thread spawn --objective o --id B
mkdir -p .leslie/threads/A/design
echo x >.leslie/threads/A/design/api.md
run 0 thread ref --from B --target A
run 0 payload --thread B --why .leslie/threads/A/design/api.md
says out '  session: .leslie/threads/A/design'
run 0 payload --thread A --why .leslie/threads/A/design/api.md
says out '  turn: .leslie/threads/A/design'

verdict
