"""An agent talks, a server keeps what it was sent, and between the turns the world changes: texts,
marks, names, memory, settings, the clock. In the end every call is shown again, in random order,
and must be what the server was sent, byte for byte; and so it must be halfway.
usage: past_storm.py LOOM SEED CALLS, in an empty folder. Says what went wrong, or nothing."""
import http.server
import json
import os
import random
import socketserver
import subprocess
import sys
import threading

loom, seed, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
sent = []          # the messages of each call, as they came in
names = ["r001"]   # of nodes; some of them are gone
agent = "Claude"   # by its name, and soon by its id: names change, and are undone
named = "Claude"
done = set()       # kinds of changes that were taken
WORDS = ["rain", "a door", "Märie", "寒い", "the \"old\" house", "e\u0301", "\U0001f600 smile",
         "tab\there", "→ inline", "back\\slash", "</thread_context>", "{\"json\": 1}"]


class Wrong(Exception):
    pass


def must(condition, *what):
    if not condition:
        raise Wrong(" ".join(map(str, what)))


def text():
    return " ".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 12))).replace("\"", "'")


def call_line():
    node = rng.choice(names)
    return rng.choice([
        "→ view %s full" % node, "→ pin %s" % node, "→ drop pin:%s" % node,
        "→ respond %s \"%s\"" % (node, text()), "→ annotate %s \"%s\"" % (node, text()),
        "→ stash \"s%d\" \"%s\"" % (rng.randrange(9), text()),
        "→ recall \"s%d\"" % rng.randrange(9), "→ drop stash:\"s%d\"" % rng.randrange(9),
        "→ memory", "→ memory trace", "→ tree depth:3", "→ pin res-%d" % rng.randrange(1, 40),
        "→ write doc:\"notes\" append \"%s\"" % text(), "→ pin doc:\"notes\"",
        "→ read doc:\"notes\"", "→ switch to %s" % node, "→ think %s ←" % text(), "→ nonsense"])


def answer():
    """Prose, and mostly calls behind it; without calls the turn is over."""
    lines = [text()]
    if rng.random() < 0.85:
        lines += [call_line() for _ in range(rng.randrange(1, 4))]
    return "\n".join(lines) + "\n"


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        sent.append(json.loads(body)["messages"])
        said = answer()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            for delta, why in ({"content": said}, None), ({}, "stop"):
                event = {"choices": [{"index": 0, "delta": delta, "finish_reason": why}]}
                self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            pass

    def log_message(self, *words):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def run(*argv, fails=False, text_in=None):
    ended = subprocess.run([loom, *argv], input=text_in, capture_output=True, text=True)
    must(ended.returncode in ((0, 1) if fails else (0,)), argv, "ends with", ended.returncode,
         ended.stderr)
    return ended


def configure(port, prompt, context):
    os.makedirs(os.environ["XDG_CONFIG_HOME"] + "/loom", exist_ok=True)
    path = os.environ["XDG_CONFIG_HOME"] + "/loom/config.json"
    with open(path, "w") as out:
        json.dump({"providers": {"f": {"api": "openai", "base_url": "http://127.0.0.1:%d/v1" % port}},
                   "models": {"m": {"provider": "f", "id": "m", "endpoint": "chat",
                                    "context": context}},
                   "agents": {named: {"system": prompt}}, "collaborator_model": "m"}, out)
    os.chmod(path, 0o600)


def learn_names():
    listed = subprocess.run([loom, "tree", "--depth", "40"], capture_output=True, text=True).stdout
    for part in listed.split("[")[1:]:
        name = part.split("]")[0]
        if 4 <= len(name) <= 7 and name not in names:
            names.append(name)


def rename():
    global named
    named = "Claude %d" % rng.randrange(1000)
    if run("agent", "set", agent, "--name", named, fails=True).returncode == 0:
        done.add("rename")


def change(port):
    """Somebody else, between two turns. What is refused is refused."""
    node = rng.choice(names)
    what = rng.choice(["edit", "prune", "restore", "exclude", "include", "annotate", "respond",
                       "unpin", "undo", "rename", "configure", "clock", "permissions", "run"])
    if what in ("edit", "annotate", "respond"):
        took = run("do", what, node, text(), fails=True)
    elif what in ("prune", "restore", "exclude", "include"):
        took = run("do", what, node, fails=True)
    elif what == "unpin":
        took = run("run", "-a", agent, fails=True, text_in="→ drop pin:%s\n" % node)
    elif what == "undo":
        took = run("undo", fails=True)
    elif what == "permissions":
        took = run("agent", "set", agent, "--permissions", rng.choice(["all", "all", "analyst"]), "--approval", "auto")
    elif what == "run":
        took = run("run", "-a", agent, fails=True, text_in=call_line() + "\n")
    elif what == "clock":
        os.environ["LOOM_NOW"] = "20%d-05-05T05:05:05Z" % rng.randrange(27, 60)
        return
    else:
        rename() if what == "rename" else None
        configure(port, "You are " + text(), rng.choice([3000, 8000, 60000]))
        return
    if took.returncode == 0:
        done.add(what)


def look_back(count):
    rows = json.loads(run("thread", "log", "-a", agent, "--last", "1000000", "--json").stdout)
    seqs = [row["seq"] for row in rows if row["kind"] == "model_input"]
    for n, messages in enumerate(sent):
        roles = [message["role"] for message in messages]
        must(roles[0] == "system" and roles[1] == roles[-1] == "user", "call", n, "has", roles)
    must(len(seqs) == len(sent), "the log has", len(seqs), "calls, the server", len(sent))
    for n in rng.sample(range(len(seqs)), min(count, len(seqs))):
        shown = run("context", "-a", agent, "--at", str(seqs[n]), "--format", "messages")
        must(json.loads(shown.stdout) == sent[n], "call", n, "of row", seqs[n], "was", sent[n],
             "and is shown as", shown.stdout)


def storm():
    global agent
    run("init")
    run("new", "--title", "Storm", "--root", "Begin.")
    server = Server(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    configure(server.server_port, "You are Claude.", 8000)
    run("agent", "add", agent, "--permissions", "all", "--approval", "auto")
    agent = json.loads(run("agent", "show", agent, "--json").stdout)["id"]
    halfway = False
    while len(sent) < calls:
        run("chat", "-a", agent, "--input", text(), fails=True)
        learn_names()
        for _ in range(rng.randrange(3)):
            change(server.server_port)
        if not halfway and len(sent) > calls // 2:
            halfway = True
            look_back(20)
    for _ in range(20):
        change(server.server_port)
    look_back(calls)
    must(calls < 60 or len(done) > 6, "only these changes were taken:", done)
    must(len(set(map(json.dumps, sent))) == len(sent), "two calls were the same")
    print("same", len(sent), "after", " ".join(sorted(done)))


try:
    storm()
except Wrong as wrong:
    print("seed %d: %s" % (seed, str(wrong)[:3000]))
    sys.exit(1)
