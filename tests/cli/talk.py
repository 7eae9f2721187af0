"""Conversations with a recorder as model, and an own model of the rules, which checks each request:
it fits with its answer, pins are in it, the block of a spawned thread is in it, and each message that
was ever said is told, summed up, or said to be left out. For windows.py and killed_talk.py.
"""
import http.server
import json
import os
import random
import re
import socketserver
import subprocess
import sys
import threading
import time

loom, seed, turns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
chance = random.Random(seed)
asked, answers = [], []
pause = [0]  # the most seconds before an answer


class Recorder(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked.append(body)
        time.sleep(pause[0] * random.random())
        text = "They spoke of doors." if body["model"] == "small" else answers.pop(0) if answers else "Yes."
        data = json.dumps({"model": body["model"], "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        try:
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            pass  # it was killed

    def log_message(self, *words):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


server = Server(("127.0.0.1", 0), Recorder)
threading.Thread(target=server.serve_forever, daemon=True).start()


def run(*words, want=0):
    done = subprocess.run([loom, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == want, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout


def configure(window, small):
    models = {"m": {"provider": "p", "endpoint": "chat", "context": window, "caps": {"stream": False}}}
    if small:
        models["s"] = {"provider": "p", "id": "small", "endpoint": "chat", "context": 4096,
                       "caps": {"small": True, "stream": False}}
    os.makedirs(os.environ["XDG_CONFIG_HOME"] + "/loom", exist_ok=True)
    path = os.environ["XDG_CONFIG_HOME"] + "/loom/config.json"
    with open(path, "w") as out:
        json.dump({"providers": {"p": {"api": "openai", "base_url": "http://127.0.0.1:%d/v1" %
                                       server.server_port}},
                   "models": models, "collaborator_model": "m"}, out)
    os.chmod(path, 0o600)


def tokens(text):
    return (len(text.encode()) + 3) // 4


def words(what, count):
    return " ".join(["%s begins." % what] + ["Then %d comes." % i for i in range(count)])


class Conversation:
    def __init__(self, name, window, small):
        self.name, self.window = name, window
        configure(window, small)
        run("init", name)
        self.run("new", "--title", "Talk", "--root", "The root begins.")
        self.run("agent", "add", "Bo", "--permissions", "all", "--approval", "auto")
        at = "r001"
        self.pinned = None
        for i in range(6):
            text = words("Node %d" % i, chance.randrange(window // 200))
            said = self.run("do", "respond", at, text)
            at = re.search(r"created \[(\w+)\]", said).group(1)
            if i == 2:
                self.pinned = (at, text)
        self.run("objective", "new", "--title", "Goal", "--id", "goal")
        self.run("thread", "spawn", "--objective", "goal", "--id", "T", "-a", "Bo")
        self.run("chat", "--thread", "T", "--node", at, "--input", "Hello.")
        subprocess.run([loom, "-g", name, "run", "-a", "Bo", "--thread", "T"],
                       input="→ pin %s\n" % self.pinned[0], text=True, check=True,
                       stdout=subprocess.DEVNULL)
        asked.clear()

    def run(self, *words, want=0):
        return run("-g", self.name, *words, want=want)

    def messages(self):
        """How many messages the lane holds or has summed up, by its own account of the log."""
        rows = [line.split(" ", 2) for line in
                self.run("thread", "log", "T", "--last", "100000").splitlines()]
        return [json.loads(row[2]) for row in rows if len(row) > 2 and row[1] == "ai_message"]

    def turn(self, number):
        answers[:] = ["→ view r001\n"] if chance.random() < 0.3 else []
        answers.append(words("Answer %d" % number, chance.randrange(self.window // 25)))
        before = len(asked)
        text = words("Turn %d" % number, chance.randrange(self.window // 25))
        self.run("chat", "--thread", "T", "--input", text)
        log = self.messages()
        for body in asked[before:]:
            if body["model"] == "m":
                self.check(body, text, log, number)

    def check(self, body, text, log, number):
        said = [m["content"] for m in body["messages"]]
        whole = "\n".join(said)
        total = sum(tokens(one) for one in said)
        least = min(1024, self.window // 4)
        place = (self.name, number, total)
        assert total + body["max_tokens"] <= self.window, (place, body["max_tokens"])
        assert body["max_tokens"] >= least // 2, (place, body["max_tokens"])
        assert total <= self.window - least, place
        assert self.pinned[1] in whole, (place, "the pin is not in it")
        assert "<thread_context" in whole, (place, "no block")
        assert any(one.endswith(text) for one in said), (place, "the turn is not in it")
        self.account(said, log, text, place)

    def account(self, said, log, text, place):
        """Each message of the log is told, whole or as an extract, summed up, or left out aloud."""
        until = max(i for i, row in enumerate(log)
                    if row["role"] == "user" and row["content"].endswith(text))
        told = 0
        for row in log[:until]:
            words = row["content"].split("\n\n")[-1]  # behind the block, and what is new
            first = words.split(". ")[0].rstrip(".")
            told += bool(words) and any(words in one or one.startswith("Summary (extract): " + first)
                                        for one in said)
            told += not words
        for one in said:
            found = re.match(r"Summary of the (?:(\d+) messages|message) before", one)
            if found:
                told += int(found.group(1) or 1)
            out = re.search(r"(\d+) messages? left out", one) if "=== Pruned ===" in one else None
            if out:
                told += int(out.group(1))
        assert told >= until, (place, "%d of %d messages are told" % (told, until), said)
