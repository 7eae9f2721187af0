#!/bin/sh
# Trust at first contact: somebody else's grove, one that others can write to, a copy of one, and a
# project that lists URLs.
. "$(dirname "$0")/lib.sh"

# trusted TEXT: expects that reading works; strange TEXT: that every command is refused, with the hint
# to trust.
trusted() {
	run 0 trees
	says out "$1"
}
strange() {
	for command in trees 'do view r001' 'new --title x' ops 'thread list' check; do
		# shellcheck disable=SC2086
		run 1 $command
		says err "$1"
		says err "loom trust $(pwd -P)"
		silent out
	done
}

mkdir ours
cd ours || exit 1
run 0 init
run 0 new --title Marie --root 'It stood empty.'
trusted Marie
run 0 trust --list
silent out

# Folders that others can write to; the file itself cannot be trusted.
chmod 777 .loom
strange "anybody can write to $(pwd -P)/.loom (mode 0777)"
says err 'chmod go-w'
chmod 700 .loom
chmod 777 .
strange "anybody can write to $(pwd -P) (mode 0777)"
# In a sticky folder, nobody can replace another user's file.
chmod 1777 .
trusted Marie
chmod 1777 .loom
strange 'mode 1777'
chmod 700 .loom
if [ "$(id -u)" -eq 0 ]; then
	chmod 775 .
	strange 'the group root can write'
	chmod 755 .
	chmod 770 .loom
	strange 'the group root can write'
	chmod 700 .loom
fi
chmod 755 .
chmod g+w .loom/grove.db
run 3 trees
run 0 trust
run 3 trees
chmod g-w .loom/grove.db
run 0 trust --drop .

# Once trusted, it opens for everybody; a new reason asks again; a revoked one closes it.
chmod 777 .loom
run 0 trust
says out "trusted $(pwd -P)"
trusted Marie
run 0 new --title Anna --root x
run 0 trust --list
says out "$(pwd -P): others, fetch"
chmod 777 .
trusted Marie
chmod 755 .
run 0 trust --list --json
json out
says out '"stands":true'
run 0 trust --drop "$(pwd -P)" --json
json out
strange 'anybody can write'
run 1 trust --drop .
says err 'loom trust --list'
run 0 trust . --json
json out
says out '"what":["others","fetch"]'
trusted Marie
run 2 trust --list .
run 2 trust --drop . .
run 1 trust nowhere
says err 'no such directory'

# A replacement inherits no trust, and neither does a moved directory or a copy.
cd "$work" || exit 1
mv ours theirs
(cd theirs && "$loom" trees >"$work/out" 2>"$work/err") && fail 'a moved project is trusted still'
mkdir ours
cp -r theirs/.loom ours/
chmod 777 ours/.loom
cd ours || exit 1
strange 'anybody can write'
run 0 trust --list
says out 'replaced since'
cd "$work" || exit 1
rm -rf ours
mkdir ours
cp -r theirs/.loom ours/
chmod 777 ours/.loom
cd ours || exit 1
strange 'anybody can write'
cd "$work" || exit 1
rm -rf ours
mv theirs ours
cd ours || exit 1
trusted Marie
run 0 trust --drop .
chmod 700 .loom

# Creating one where others can write needs trust too; the new grove is the creator's.
mkdir -m 777 ../open
run 1 init ../open
says err 'loom trust'
[ ! -e ../open/.loom ] || fail 'a grove was made in spite of that'
run 0 trust ../open
run 0 init ../open
(umask 0 && "$loom" init ../fresh >/dev/null) || fail 'init under umask 0'
run 0 -g ../fresh trees
run 0 trust --drop ../open

# The record of trust must not be writable by others.
chmod 777 .loom
run 0 trust
chmod go+w "$XDG_STATE_HOME/loom/trust.json"
run 1 trees
says err 'can be written by others'
chmod go-w "$XDG_STATE_HOME/loom/trust.json"
trusted Marie
run 0 trust --drop .

# Agents are never asked, and cannot grant trust.
chmod 700 .loom
run 0 agent add Claude --permissions all --approval auto
chmod 777 .loom
LOOM_AGENT=Claude run 1 trees
says err 'loom trust'
LOOM_AGENT=Claude run 1 trust
says err 'PERMISSION_DENIED'
echo '→ respond r001 "x"' >turn
run 1 run -a Claude turn
says err 'loom trust'
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"loom","arguments":{"text":"→ view r001"}}}' |
	"$loom" mcp --agent Claude >"$work/out" 2>"$work/err"
grep -q 'loom trust' "$work/out" "$work/err" || fail 'the MCP server does not say the command'

# A person at a terminal is asked once; a yes is remembered.
if command -v python3 >/dev/null; then
	on_terminal() { # STATUS ANSWER ARGUMENT…
		wanted=$1
		answer=$2
		shift 2
		python3 "$here/answer.py" '[y/N]' "$answer" "$loom" "$@" >"$work/out" 2>"$work/err"
		status "$wanted" "on a terminal, $answer: loom $*"
	}
	on_terminal 1 n trees
	says out "anybody can write to $(pwd -P)/.loom (mode 0777)"
	says out 'Do you trust it?'
	says out 'loom trust'
	lacks out Marie
	on_terminal 1 '' trees
	lacks out '"Marie"'
	LOOM_AGENT=Claude on_terminal 1 y trees
	lacks out '[y/N]'
	on_terminal 1 y chat -a Claude
	lacks out '[y/N]'
	# The screen asks before it opens.
	TERM=xterm-256color on_terminal 1 n
	says out 'Do you trust it?'
	lacks out "$(printf '\033[?1049h')"
	TERM=xterm-256color on_terminal 0 y
	says out 'Do you trust it?'
	says out "$(printf '\033[?1049h')"
	on_terminal 0 n trees
	lacks out '[y/N]'
	says out Marie
	run 0 trust --drop .
	on_terminal 0 yes trees
	says out Marie
	trusted Marie
	run 0 trust --drop .
else
	echo 'no python3: nobody plays the person at a terminal'
fi
chmod 700 .loom

# A copy has no grants, and tells the agent so; a moved grove keeps its own.
cp -r "$work/ours" "$work/copy"
cd "$work/copy" || exit 1
LOOM_AGENT=Claude run 1 new --title x
says err "got its permissions in $work/ours, and this grove is a copy"
says err 'loom agent set "Claude" --permissions'
run 1 run -a Claude turn
says out 'this grove is a copy'
run 0 agent set Claude --permissions all --approval auto
run 0 run -a Claude turn
cd "$work" || exit 1
mv ours moved
cd moved || exit 1
run 0 run -a Claude turn
cd "$work" || exit 1
mv moved ours
cd ours || exit 1
run 0 run -a Claude turn
run 0 agent add Reader
LOOM_AGENT=Reader run 1 new --title x
lacks err 'this grove is a copy'

# Nothing is fetched for an untrusted project.
if command -v python3 >/dev/null; then
	cat >"$work/button.py" <<'EOT'
import http.server, os
class Button(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        open("pressed", "a").write(self.path + "\n")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"a secret of this machine\n")
    def log_message(self, *words):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Button)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
EOT
	cd "$work" || exit 1
	play "$work/button.py"
	mkdir -p clone/.teddy/work
	cd clone || exit 1
	url="http://127.0.0.1:$(cat ../port)/delete?all"
	echo "$url" >.teddy/work/session.context
	for command in 'payload' 'payload --no-fetch' 'payload --dry-run' 'payload --json' \
		'payload -o input.md' 'payload --session work'; do
		# shellcheck disable=SC2086
		run 0 $command
		lacks out 'a secret of this machine'
		[ ! -e ../pressed ] || fail "$command pressed a button"
	done
	run 0 payload
	says err "loom trust $(pwd -P)"
	says out '--- NOT FETCHED: '
	run 0 payload --dry-run
	says out "$url  (.teddy/work/session.context:1)"
	says err "loom trust $(pwd -P)"
	run 0 payload --dry-run --json
	json out
	says out '"trusted":false'
	says out "\"url\":\"$url\""
	LOOM_AGENT=Claude run 1 payload
	says err 'there is no grove here'
	[ ! -e ../pressed ] || fail 'an agent pressed a button'
	on_terminal 0 n payload
	says out "$url"
	says out 'including local ones'
	[ ! -e ../pressed ] || fail 'a button was pressed in spite of a no'
	on_terminal 0 y payload
	says out 'a secret of this machine'
	[ "$(wc -l <../pressed)" -eq 1 ] || fail 'not asked for once'
	run 0 payload --dry-run
	silent out
	says err 'nothing would be fetched'
	# Trust covers that folder, not a copy or a replacement.
	cd ..
	cp -r clone twin
	cd twin || exit 1
	echo "$url=2" >.teddy/work/session.context
	run 0 payload
	lacks out 'a secret of this machine'
	cd ..
	rm -rf clone
	mv twin clone
	cd clone || exit 1
	run 0 payload
	lacks out 'a secret of this machine'
	run 0 trust
	run 0 payload
	says out 'a secret of this machine'
else
	echo 'no python3: nothing is there to be fetched'
fi

# Somebody else's grove, also for root; and root's grove for others.
cd "$work/ours" || exit 1
if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	echo 'a second user cannot be played here: not root, or no setpriv'
	verdict
fi
chown -R 65534 .
strange "$(pwd -P) belongs to"
chown 0 . .loom
strange "$(pwd -P)/.loom/grove.db belongs to"
chown 65534 .loom
chown 0 .loom/grove.db
strange "$(pwd -P)/.loom belongs to"
run 0 trust
trusted Marie
chown 65533 .loom
strange 'uid 65533'
chown -R 0 .
mkdir "$work/visitor"
chown 65534 "$work/visitor"
chmod 711 "$work"
chmod 755 . .loom
as_visitor() {
	setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$work/visitor" \
		XDG_STATE_HOME="$work/visitor/state" XDG_DATA_HOME="$work/visitor/data" \
		"$loom" "$@" >"$work/out" 2>"$work/err" </dev/null
	status "$wanted" "another user: loom $*"
}
chmod 644 .loom/grove.db*
if ! setpriv --reuid=65534 --regid=65534 --clear-groups "$loom" --version >/dev/null 2>&1; then
	echo 'the program cannot be run by another user here'
	verdict
fi
wanted=1
as_visitor trees
says err "$(pwd -P)/.loom belongs to root (uid 0)"
wanted=0
as_visitor trust
as_visitor trees
says out Marie
verdict
