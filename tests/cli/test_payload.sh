#!/bin/sh
# `loom payload`: the document on stdout or in a file, the lists, and --why.
. "$(dirname "$0")/lib.sh"

mkdir -p project/src project/dist project/deep/er
cd project || exit 1
printf 'dist/\n' >.gitignore
printf '!dist/i.html\n' >.teddyignore
printf 'print(1)\n' >src/main.py
printf 'x\n' >dist/i.html
printf 'x\n' >dist/b.js

# Without .teddy the current directory is the project, and the lists are empty.
SHELL=/bin/zsh run 0 payload
silent err
says out "- **CWD:** $work/project"
says out '- **Shell:** /bin/zsh'
says out '  main.py'
says out '## 5. Resource Contents'
[ "$(head -n 1 "$work/out")" = '# Agent Invocation Payload' ] || fail 'the first line is another'
unset SHELL
run 0 payload
says out '- **Shell:** unknown'

# Lists: made, added to, moved, taken off; the project is found from below.
run 0 payload add global src/main.py missing.txt
cd deep/er || exit 1
run 0 payload
says out "- **CWD:** $work/project"
says out '[src/main.py](/src/main.py)'
says out '--- FILE NOT FOUND ---'
says err 'warning: missing.txt: no such file (.teddy/global.context:2)'
lines err 1
printf 'y\n' >own.txt
run 0 payload add global own.txt
run 0 payload
says out '- [deep/er/own.txt](/deep/er/own.txt)'
run 0 payload remove global own.txt
cd ../.. || exit 1
run 1 payload remove global own.txt
says err 'NOT_FOUND'
run 1 payload add session x
says err 'hint:'
mkdir -p .teddy/first/01
run 0 payload add session src/main.py
run 0 payload add turn src
run 0 payload move turn missing.txt
run 0 payload
says out '### Turn'
says out '### Session'
grep -qx missing.txt .teddy/global.context && fail 'missing.txt is still global'
grep -qx missing.txt .teddy/first/01/turn.context || fail 'missing.txt did not move'
run 0 payload add turn --turn 2 src/main.py
grep -qx src/main.py .teddy/first/02/turn.context || fail 'turn 02 has no list'
run 0 payload --turn 1
says out '- [missing.txt](/missing.txt)'
run 1 payload --turn 9
run 1 payload --session other
says err 'NOT_FOUND'
run 2 payload add nowhere x
says err 'turn, session or global'
run 2 payload add turn
run 2 payload --why x -o y
run 1 payload add global ../../outside
says err 'PATH_REFUSED'

# Into a file: complete, or the old one stays.
run 0 payload -o "$work/input.md"
silent out
[ "$(tail -n 1 "$work/input.md")" = '---' ] || fail 'the file has no closing rule'
cp "$work/input.md" "$work/before.md"
run 1 payload -o /dev/null
run 1 payload -o "$work/nowhere/input.md"
says err 'mkdir -p'
head -c 9000 /dev/zero | tr '\0' 'x' >src/large.txt
run 0 payload add global src/large.txt
sh -c 'ulimit -f 1; "$0" payload -o "$1"' "$loom" "$work/input.md" >"$work/out" 2>"$work/err"
[ -s "$work/err" ] && cmp -s "$work/input.md" "$work/before.md" || fail 'a full disk spoilt the file'
[ "$(ls "$work" | grep -c '^\.loom-')" -eq 0 ] || fail 'a temporary file is left'

# Why.
run 0 payload --why dist/i.html
says out 'dist/i.html: shown by .teddyignore:1: !dist/i.html'
says out 'no scope lists it'
run 0 payload --why dist/b.js
says out 'dist/b.js: hidden by .gitignore:1: dist/ (decided at dist)'
run 0 payload --why ./src//main.py --turn 1
says out 'src/main.py: shown: no rule matches'
says out 'turn: .teddy/first/01/turn.context:1: src'
says out 'session: .teddy/first/session.context:1: src/main.py'
run 0 payload --why dist/b.js --json
json out
run 1 payload --why ../x

# For machines.
run 0 payload --json
json out
says out '"name":"2. Project Structure"'

# Bytes that are not text, and a name with terminal escapes.
printf 'caf\351\n' >latin
printf 'x\n' >"$(printf 'bad\033]0;t\007')"
run 0 payload add global latin ../project/src/../latin
run 0 payload
says out '--- NOT SHOWN: text that is not UTF-8, 5 bytes ---'
if command -v iconv >/dev/null; then
	iconv -f UTF-8 -t UTF-8 <"$work/out" >/dev/null 2>&1 || fail 'the document is not UTF-8'
fi
grep -q "$(printf '\033')" "$work/out" && fail 'an escape byte came through'

# A machine is told what was done.
run 0 payload add global latin ./also --json
says out '{"edit":"add","scope":"global","paths":['
run 0 payload remove global also --json
says out '"edit":"remove"'
run 1 payload remove global also --json
says err '"error"'

# URLs that cannot be had are placeholders.
run 0 payload add global https://127.0.0.1:9/x
run 0 trust
run 0 payload
says out '--- NOT FETCHED'
says err 'warning:'
run 0 payload --no-fetch
says out '--- NOT FETCHED'

# Fetched copies are stored for their session, in the project's grove or else the personal one, and
# used again when the server is gone.
if command -v python3 >/dev/null; then
	python3 -c '
import http.server, os
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open("asked", "a").write(self.path + "\n")
        self.send_response(200)
        self.send_header("Content-Type", "text/markdown")
        self.end_headers()
        self.wfile.write(b"# Kept\n")
    def log_message(self, *words):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Page)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()' &
	server=$!
	until_says port ''
	mkdir -p .teddy/one .teddy/two
	echo "http://127.0.0.1:$(cat port)/page" | tee .teddy/one/session.context >.teddy/two/session.context
	run 0 payload --session one
	says out '````markdown'
	run 0 payload --session one
	says out '# Kept'
	[ "$(wc -l <asked)" -eq 1 ] || fail 'fetched twice in one session'
	run 0 payload --session two
	[ "$(wc -l <asked)" -eq 2 ] || fail 'one session was given what another fetched'
	kill "$server"
	wait "$server" 2>/dev/null
	run 0 payload --session two --no-fetch
	says out '# Kept'
	[ -f "$XDG_DATA_HOME/loom/.loom/grove.db" ] || fail 'not kept in the personal grove'
	run 0 -g "$XDG_DATA_HOME/loom" check --deep
fi
verdict
