"""A vendor on the loopback, with the API of Anthropic and of OpenAI, that serves the models in
served.json, a list of {"id", "created_at", "created"}. Requests are kept as asked<N>.json, with
their path and headers; `listed` counts those for the list.
usage: vendor.py"""
import http.server
import json
import os
import socketserver
import threading

lock = threading.Lock()
count = {"asked": 0, "listed": 0}


class Vendor(http.server.BaseHTTPRequestHandler):
    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def keep(self, name, value):
        with open(name + ".new", "w") as out:
            json.dump(value, out)
        os.rename(name + ".new", name)

    def do_GET(self):
        with lock:
            count["listed"] += 1
            self.keep("listed", count["listed"])
        if self.path.startswith("/v1/models"):
            self.reply(200, {"data": json.load(open("served.json"))})
        else:
            self.reply(404, {"error": {"message": "no such path"}})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        served = [one["id"] for one in json.load(open("served.json"))]
        with lock:
            self.keep("asked%d.json" % count["asked"],
                      {"path": self.path, "headers": dict(self.headers), "body": body})
            count["asked"] += 1
        if body["model"] not in served:
            self.reply(404, {"type": "error", "error": {"type": "not_found_error",
                                                        "message": "model: " + body["model"]}})
        elif self.path == "/v1/messages":
            self.reply(200, {"type": "message", "model": body["model"], "stop_reason": "end_turn",
                             "content": [{"type": "text", "text": "Summed up by " + body["model"]}],
                             "usage": {"input_tokens": 1, "output_tokens": 1}})
        else:
            self.reply(200, {"model": body["model"], "choices": [
                {"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "Summed up by " + body["model"]}}]})

    def log_message(self, *words):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Vendor)
open("port.new", "w").write(str(server.server_port))
os.rename("port.new", "port")
server.serve_forever()
