#!/bin/sh
# API keys go only to their own server: the environment of children, the files that are read, and
# answers that contain the key.
. "$(dirname "$0")/lib.sh"

mkdir project config/ keys
mkdir -p config/loom
settings() {
	printf '%s\n' "$1" >"$XDG_CONFIG_HOME/loom/config.json"
	chmod 600 "$XDG_CONFIG_HOME/loom/config.json"
}
cd project || exit 1
run 0 init
run 0 new --title Marie --root 'It stood empty.'

# The environment of an editor, of a program that provides a key, and of one that is a model.
LOOM_TOKEN_SECRET=mark-0 OPENAI_API_KEY=mark-1 ANTHROPIC_API_KEY=mark-2 OPENROUTER_API_KEY=mark-3
GEMINI_API_KEY=mark-4 OWN_KEY=mark-5 HARMLESS=mark-6
export LOOM_TOKEN_SECRET OPENAI_API_KEY ANTHROPIC_API_KEY OPENROUTER_API_KEY GEMINI_API_KEY OWN_KEY
export HARMLESS
settings '{"providers":{
 "c":{"api":"command","command":["sh","-c","env >seen-model; echo text"]},
 "k":{"api":"command","key_env":"OPENAI_API_KEY","command":["sh","-c","env >seen-own; echo text"]},
 "o":{"api":"openai","base_url":"http://127.0.0.1:9/v1","key_env":"OWN_KEY"},
 "p":{"api":"openai","base_url":"http://127.0.0.1:9/v1","key_cmd":["sh","-c","env >seen-key; echo k"]}},
 "models":{"m":{"provider":"c"},"own":{"provider":"k"},"p":{"provider":"p"}}}'
run 0 do annotate r001 x
printf 'text\n' | "$loom" doc write plan >/dev/null || fail 'no document'
EDITOR='env >seen-editor; true' "$loom" doc edit plan >"$work/out" 2>"$work/err"
run 0 agent add writer --model m
run 0 do continue r001 n:1 agent:writer
run 0 agent add owner --model own
run 0 do continue r001 n:1 agent:owner
run 0 agent add asker --model p
run 1 do continue r001 n:1 agent:asker
for seen in seen-editor seen-model seen-key; do
	checks=$((checks + 2))
	grep -q 'mark-6' "$seen" || fail "$seen: nothing of the environment"
	! grep 'mark-[0-5]' "$seen" || fail "$seen: a key"
done
checks=$((checks + 2))
grep -q 'OPENAI_API_KEY=mark-1' seen-own || fail 'a program does not get the key that it is given'
! grep 'mark-[02345]' seen-own || fail 'a program gets the key of another'
unset LOOM_TOKEN_SECRET OPENAI_API_KEY ANTHROPIC_API_KEY OPENROUTER_API_KEY GEMINI_API_KEY OWN_KEY

# Files that hold a key: one line, one's own, no link, of no project.
key_file() { # PATH WORDS
	settings "{\"providers\":{\"f\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:9/v1\",\"key_file\":\"$1\"}},
 \"models\":{\"f\":{\"provider\":\"f\"}}}"
	run 1 do continue r001 n:1 agent:filed
	says out "$2"
	lacks out 'mark-7'
}
run 0 agent add filed --model f
(umask 077 && printf 'mark-7\nmark-7\n' | tee "$work/keys/two" >"$work/project/inside" &&
	printf 'mark-7\n' | tee "$work/keys/one" >"$work/project/inside")
ln -s "$work/keys/one" "$work/keys/link"
key_file "$work/keys/two" "$work/keys/two has 2 lines"
key_file "$work/project/inside" "is inside the project $work/project"
key_file "$work/keys/link" "$work/keys/link is a symbolic link"
ln -s keys "$work/linked"
ln -s ../project/inside "$work/keys/way"
key_file "$work/keys/way" 'is a symbolic link'
ln -s project "$work/road"
key_file "$work/road/inside" 'is inside the project'
key_file "$work/keys/one" '127.0.0.1'

# A server's answer is shown without the key, in any spelling.
if command -v python3 >/dev/null; then
	cat >"$work/echo.py" <<'EOT'
import http.server, os, json
key = open("keys/odd").read().strip()
ways = [key, key.replace("'", "\\'"), "".join("\\u%04x" % ord(c) for c in key),
        "".join("%%%02X" % ord(c) for c in key), "".join("&#%d;" % ord(c) for c in key),
        key.replace("'", "\\\\\\'"), key.replace("'", "&apos;"), key.replace("/", "\\/")]
class Echo(http.server.BaseHTTPRequestHandler):
    count = 0
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"error": {"message": "bad key <" + ways[Echo.count % len(ways)] + ">"}}).encode()
        Echo.count += 1
        self.send_response(401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Echo)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
EOT
	cd "$work" || exit 1
	(umask 077 && printf '%s\n' "sk-'x/9" >keys/odd)
	play "$work/echo.py"
	settings "{\"providers\":{\"f\":{\"api\":\"openai\",\"base_url\":\"http://127.0.0.1:$(cat port)/v1\",\"key_file\":\"$work/keys/odd\"}},
 \"models\":{\"f\":{\"provider\":\"f\"}}}"
	cd project || exit 1
	for way in 0 1 2 3 4 5 6 7; do
		run 1 do continue r001 n:1 agent:filed
		says out 'bad key <****'
		grep -qE "sk-|u0073|%73|&#115|x.?/9" "$work/out" && fail "way $way: the key is shown"
	done
fi
verdict
