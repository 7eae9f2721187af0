#!/bin/sh
# A model's file as a subject: a server is started for it once, on this machine only, with a key of
# its own, and it ends when nobody uses it any more, however its looms ended.
. "$(dirname "$0")/lib.sh"

mkdir bin models novel
printf 'GGUF and then the weights' >models/tiny.gguf
printf 'no model' >models/broken.gguf
cd novel || exit 1
run 0 init
run 0 new Marie --mode buffer --root 'It stood empty.'

# Nothing is installed.
PATH=/usr/bin:/bin
export PATH
run 1 subject ../models/tiny.gguf
says err 'llama-server is not installed'
says err 'install llama.cpp'
run 1 subject ../models/none.gguf
says err 'No such file'
run 1 subject ../models/broken.gguf
says err 'is no GGUF file'

# One that says how it was started, and answers.
cat >../bin/llama-server <<EOF
#!/usr/bin/env python3
import http.server, json, os, sys
a = sys.argv[1:]
o = dict(zip(a[::2], a[1::2]))
with open("$work/starts", "a") as f:
    f.write(json.dumps({"args": a, "pid": os.getpid(), "env": sorted(k for k in os.environ if "KEY" in k)}) + "\n")
key = open(o["--api-key-file"]).read().strip()
class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args): pass
    def go(self):
        n = int(self.headers.get("content-length") or 0)
        self.rfile.read(n)
        ok = self.headers.get("authorization") == "Bearer " + key
        with open("$work/asked", "a") as f: f.write("%s %s\n" % (self.path, ok))
        if not ok:
            self.send_response(401); self.end_headers(); return
        body = json.dumps({"content": " A door.", "stop": True, "tokens_predicted": 3, "model": "m", "data": [{"id": "m"}]}).encode()
        self.send_response(200); self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body))); self.end_headers(); self.wfile.write(body)
    do_GET = do_POST = go
http.server.ThreadingHTTPServer((o["--host"], int(o["--port"])), H).serve_forever()
EOF
chmod +x ../bin/llama-server
PATH=$work/bin:$PATH
LOOM_SERVER_LINGER=2
export PATH LOOM_SERVER_LINGER

run 0 subject ../models/tiny.gguf
says out 'tiny now continues "Marie"'
[ "$(grep -c . ../starts)" = 1 ] || fail 'it was not started once'
grep -q '"--host", "127.0.0.1"' ../starts || fail 'it listens to others'
grep -q "$work/models/tiny.gguf" ../starts || fail 'it serves another file'
key=$(ls "$XDG_STATE_HOME"/loom/servers/*.key)
[ "$(stat -c %a "$key")" = 600 ] || fail 'others can read its key'
grep -qF "$(cat "$key")" ../starts && fail 'its key is among its arguments'
# Once for all looms.
run 0 subject ../models/tiny.gguf
[ "$(grep -c . ../starts)" = 1 ] || fail 'it was started twice'
run 0 do continue
grep -q 'True' ../asked || fail 'it was not asked with its key'
grep -q 'False' ../asked && fail 'it was asked without its key'

# It ends a while after the last command, and its key with it.
pid=$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' ../starts | tail -n 1)
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ -e "/proc/$pid" ] || break
	sleep 0.5
done
[ -e "/proc/$pid" ] && fail 'it goes on without a loom'
[ -e "$key" ] && fail 'its key stays'
run 1 do continue
says out 'no server runs for'

# It ends with its watcher.
LOOM_SERVER_LINGER=600
run 0 subject ../models/tiny.gguf
pid=$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' ../starts | tail -n 1)
watcher=$(sed -n 's/^PPid:[^0-9]*//p' "/proc/$pid/status")
kill -9 "$watcher"
for i in 1 2 3 4 5 6 7 8 9 10; do
	[ -e "/proc/$pid" ] || break
	sleep 0.2
done
grep -q '^State:.*[ZX]' "/proc/$pid/status" 2>/dev/null || [ ! -e "/proc/$pid" ] ||
	fail 'it outlives its watcher'
# An agent starts nothing.
run 0 agent add bot --permissions all
LOOM_AGENT=bot run 1 subject ../models/tiny.gguf
verdict
