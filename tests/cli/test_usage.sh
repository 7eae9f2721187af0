#!/bin/sh
# Usage of models: summed by tree and agent, with no made-up numbers, and limits set by a person.
. "$(dirname "$0")/lib.sh"

run 0 init
run 0 new --title Talk --root 'Begin. And more.'
run 0 usage
says err 'no model has written here'
run 0 do continue n:2
run 0 usage
says out 'written by models in tree:"Talk"'
says out 'ngram: 2 answers · out ~'
run 0 usage --json
json out
says out '"counted":0'
checks=$((checks + 1))
grep -q '"in"\|cost' out && fail 'a number that nobody knows'

# Numbers reported by a server, divided if it counts several answers together.
command -v python3 >/dev/null || verdict
cat >server.py <<'EOT'
import http.server, json, os
class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "prompt" in asked:
            n = asked.get("n", 1)
            answer = {"choices": [{"index": i, "text": " text %d." % i, "finish_reason": "stop"}
                                  for i in range(n)]}
        else:
            open("limit", "w").write(str(asked.get("max_tokens", asked.get("max_completion_tokens"))))
            answer = {"choices": [{"index": 0, "finish_reason": "stop", "message":
                {"content": "→ view r001\n"}}]}
        answer["usage"] = {"prompt_tokens": 100, "completion_tokens": 40}
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
EOT
play server.py
# allow TEXT: sets Claude's limits
allow() {
	configure '"models":{"base":{"provider":"fake","endpoint":"completions","context":8000,"price_in":10,"price_out":20,"caps":{"n":8}},
           "m":{"provider":"fake","endpoint":"chat","context":8000,"max_out":500}},
 "agents":{"Claude":{'"$1"'}},
 "subject_model":"base","collaborator_model":"m"'
}
allow ''
run 0 new --title Other --root 'Begin again.'
run 0 agent add Claude --permissions all --approval auto
run 0 agent add base --model base
run 0 do continue n:4 'using' 'agent:"base"'
run 0 usage
says out 'base: 4 answers · in 100 · out 40 tokens · cost 0.0018'

# A turn ends when its tokens are used up, and its last answer gets only the rest.
allow '"turn_tokens":700'
run 0 chat -a Claude --input 'Look.'
says err 'the turn ends here'
checks=$((checks + 1))
[ "$(cat limit)" -lt 500 ] || fail 'the last answer may be as long as ever'
allow '"turn_tokens":100'
run 1 chat -a Claude --input 'Look.'
says err 'LIMIT_EXCEEDED: max tokens per turn is 100'
says err 'turn_tokens'

# An agent's total usage, including what it had others write.
allow '"budget_tokens":900'
printf '→ continue from r001 using agent:"base" n:2\n' >turn.txt
run 0 run -a Claude turn.txt
run 0 usage
says out 'Claude:'
says out 'cost at least 0.0018'
allow '"budget_tokens":600'
run 1 run -a Claude turn.txt
says out 'LIMIT_EXCEEDED: max tokens of "Claude" is 600'
run 1 chat -a Claude --input 'Look.'
says err 'LIMIT_EXCEEDED: max tokens of "Claude" is 600'
allow '"budget_cost":0.001'
run 1 run -a Claude turn.txt
says out 'LIMIT_EXCEEDED: max cost of "Claude" is 0.0010'
# The limits apply only to agents.
run 0 do continue from r001 'using' 'agent:"base"'

verdict
