"""A model on the loopback that says what answers.json tells it to: a list of texts, one a request,
the last one for ever; or a dict of lists by model name. In a text's place may stand {"text",
"finish"}, the reason why it ends. Requests are kept as asked<N>.json.
usage: model.py [MILLISECONDS between three characters]"""
import http.server
import json
import os
import socketserver
import sys
import threading
import time

pause = int(sys.argv[1]) / 1000 if len(sys.argv) > 1 else 0
lock = threading.Lock()
asked = {"all": 0}


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        name = json.loads(body).get("model", "")
        with lock:
            answers = json.load(open("answers.json"))
            number = asked["all"]
            asked["all"] += 1
            mine = asked.get(name, 0)
            asked[name] = mine + 1
            with open("asked.new", "wb") as out:
                out.write(body)
            os.rename("asked.new", "asked%d.json" % number)
        if isinstance(answers, dict):
            answers = answers[name]
        else:
            mine = number
        text = answers[min(mine, len(answers) - 1)]
        end = "stop"
        if isinstance(text, dict):
            text, end = text["text"], text["finish"]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        parts = [{"content": text[i:i + 3]} for i in range(0, len(text), 3)]
        try:
            for delta, why in [(d, None) for d in parts] + [({}, end)]:
                event = {"choices": [{"index": 0, "delta": delta, "finish_reason": why}]}
                self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
                self.wfile.flush()
                time.sleep(pause)
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            pass

    def log_message(self, *words):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Model)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
