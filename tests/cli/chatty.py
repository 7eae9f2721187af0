"""A chat model on the loopback that continues a text as chat models do: what it says around the text
depends on how it is asked. rules.json may have "refuse_prefill" and "answers", which replace those
below; requests are kept as asked<N>.json.
usage: chatty.py"""
import http.server
import json
import os
import socketserver
import threading

lock = threading.Lock()
asked = {"all": 0}
NEXT = "looked along the rail, where nobody else was awake."


def way_of(messages):
    """How the text was presented."""
    if messages[-1]["role"] == "assistant":
        return "prefill"
    if len(messages) > 3:
        return "few-shot"
    if messages[0]["role"] == "system" and messages[0]["content"].startswith("You continue"):
        return "system"
    return "fill" if "[...]" in messages[-1]["content"] else "framed"


def said(way, messages, rules):
    answers = {"framed": "Sure! Here is a continuation:\n\n\"%s\"" % NEXT, "system": NEXT,
               "few-shot": messages[-1]["content"] + " " + NEXT, "fill": "```\n%s\n```" % NEXT,
               "prefill": " " + NEXT}
    answers.update(rules.get("answers", {}))
    return answers[way]


class Model(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_error(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.path.endswith("/chat/completions"):
            self.send_error(404)
            return
        request = json.loads(body)
        rules = json.load(open("rules.json"))
        with lock:
            with open("asked.new", "wb") as out:
                out.write(body)
            os.rename("asked.new", "asked%d.json" % asked["all"])
            asked["all"] += 1
        way = way_of(request["messages"])
        if way == "prefill" and rules.get("refuse_prefill"):
            self.send_response(400)
            self.end_headers()
            self.wfile.write(json.dumps({"error": {"message": "This model does not support assistant "
                                                   "message prefill. The conversation must end with "
                                                   "a user message."}}).encode())
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        text = said(way, request["messages"], rules)
        parts = [{"content": text[i:i + 3]} for i in range(0, len(text), 3)]
        for delta, why in [(d, None) for d in parts] + [({}, "stop")]:
            event = {"choices": [{"index": 0, "delta": delta, "finish_reason": why}]}
            self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
        usage = {"prompt_tokens": len(body) // 4, "completion_tokens": len(text) // 4}
        self.wfile.write(b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n")
        self.wfile.write(b"data: [DONE]\n\n")

    def log_message(self, *words):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


with Server(("127.0.0.1", 0), Model) as server:
    with open("port.new", "w") as out:
        out.write(str(server.server_port))
    os.rename("port.new", "port")
    server.serve_forever()
