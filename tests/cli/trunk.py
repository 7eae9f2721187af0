"""A server of completions and chats on the loopback that keeps what it has read, as llama.cpp and vLLM
do: a request pays for the part of its prompt that no earlier one shares, and for all of it as long
as the earlier one is still being read. trunk.json has how many bytes were read and how many of them
nobody had read before; reading takes a moment.
usage: trunk.py [MILLISECONDS of reading]"""
import http.server
import json
import os
import socketserver
import sys
import threading
import time

pause = int(sys.argv[1]) / 1000 if len(sys.argv) > 1 else 0.15
lock = threading.Lock()
known = []  # prompts that were read
begun = []  # prompts that were asked for
sums = {"read": 0, "unique": 0, "requests": 0, "most_at_once": 0}
running = {"n": 0}


def shared(prompt, prompts):
    """How much of a prompt one of the others begins with."""
    return max((len(os.path.commonprefix([prompt, other])) for other in prompts), default=0)


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = request.get("prompt") or "".join(m["content"] for m in request["messages"])
        number = 0
        with lock:
            number = sums["requests"]
            sums["requests"] += 1
            sums["read"] += len(prompt) - shared(prompt, known)
            sums["unique"] += len(prompt) - shared(prompt, begun)
            begun.append(prompt)
            running["n"] += 1
            sums["most_at_once"] = max(sums["most_at_once"], running["n"])
        time.sleep(pause)
        with lock:
            known.append(prompt)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for word in (" word%d" % number, " of", " it", "."):
            self.say({"choices": [{"index": 0, "text": word, "delta": {"content": word}}]})
            time.sleep(pause / 4)
        self.say({"choices": [{"index": 0, "text": "", "delta": {}, "finish_reason": "length"}]})
        self.wfile.write(b"data: [DONE]\n\n")
        with lock:
            running["n"] -= 1
            with open("trunk.new", "w") as out:
                json.dump(sums, out)
            os.rename("trunk.new", "trunk.json")

    def say(self, event):
        self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        self.wfile.flush()

    def log_message(self, *words):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


with Server(("127.0.0.1", 0), Model) as server:
    with open("port.new", "w") as out:
        out.write(str(server.server_port))
    os.rename("port.new", "port")
    server.serve_forever()
