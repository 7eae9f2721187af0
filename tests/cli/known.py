"""A model that knows only its prompt shares a design with another thread by way of one door: chat, run
or mcp:VERSION. It finds a command among those it is told of, by the words of its task; asks for its
forms in the way it is told; and fills one in with what the task quotes. Nothing it says is known to it
otherwise, which is checked: each word of a call stands in its prompt.

One thread writes a design; another lets itself read it, reads it, and writes what it read into its own
plan; the design changes, and the copy is refreshed, of which it is told; then both undo all they did.
usage: known.py LOOM DOOR, in an empty folder"""
import http.server
import json
import os
import re
import socketserver
import subprocess
import sys
import threading

loom, door = sys.argv[1], sys.argv[2]
HOME = ".leslie/threads/"
requests = []  # (agent, task, text of the prompt, what was said)
folder = os.getcwd()


def must(true, *what):
    if not true:
        raise SystemExit("%s: %s" % (door, " ".join(str(word) for word in what)))


# ---- the model ----

def words(text):
    return {word.rstrip("s") for word in re.findall(r"[a-z]+", text.lower())} - {"a", "the", "of", "to", "or", "it"}


def commands(prompt):
    """What it is told there is: verb -> summary."""
    return {verb: summary for verb, summary in re.findall(r"→ (\w+)\b[^\n—]* — ([^\n]*)", prompt)}


def fill(form, wish, read):
    """A form with what the wish quotes in place of what is in capitals; None if that does not do."""
    plain = re.sub(r'"[^"]*"', "", wish)
    form = re.sub(r"\s*\[[^\]]*\]", "", form)
    quoted = [(before.split()[-1].lower() if before.split() else "", text)
              for before, text in re.findall(r'([^"]*)"([^"]*)"', wish)]

    def of(*signs):
        for sign in signs:
            for before, text in quoted:
                if before.strip(",:") == sign:
                    return read if text == "what you read" else text
        return None

    slots = {"D": of("document", "file"), "NAME": of("file"), "TEXT": of("append"),
             "THREAD": of("thread"), "NAMES": of("named")}
    for word in re.findall(r"\b[a-z]+\b", re.sub(r"^→ \w+", "", form).replace("doc:", "")):
        if word not in plain.lower().split():
            return None
    for slot in re.findall(r"\b[A-Z]+\b", form):
        if slots.get(slot) is None:
            return None
        form = re.sub(r"\b%s\b" % slot, lambda _: slots[slot], form, count=1)
    used = [text for _, text in quoted if (read if text == "what you read" else text) in form]
    return form if len(used) == len(quoted) else None


def think(task, prompt, done):
    """What it says, after `done`: pairs of what it said and what it was answered in this turn."""
    said = [line for line, _ in done]
    read = ""
    for wish in task.split("\n"):
        known = commands(prompt)
        if not known:
            return re.search(r"Use (→ \w+) to see available commands", prompt).group(1)
        verb = max(sorted(known), key=lambda v: len(words(known[v] + " " + v) & words(re.sub('"[^"]*"', "", wish)))
                   / len(words(known[v] + " " + v)))
        forms = [line for line in prompt.split("\n") if line.startswith("→ " + verb)]
        way = re.search(r"→ (\w+) VERB explains", prompt)
        ask = "→ %s %s" % (way.group(1), verb) if way else None
        if ask and ask not in said:
            return ask
        if not way:  # the forms stand in the list, divided by bars
            listed = re.search(r"→ %s\b([^\n—]*) — " % verb, prompt).group(1)
            forms = ["→ %s %s" % (verb, form.strip()) for form in listed.split(" | ")]
        filled = [line for line in (fill(form.strip(), wish, read) for form in forms) if line]
        must(filled, "nothing to say for", wish, "of", forms)
        line = filled[0].strip()
        if line not in said:
            return line
        answer = dict(done)[line]
        must("✗" not in answer, line, "was answered", answer)
        read = next((text for text in reversed(answer.split("\n")) if text.strip()), "")
    return "Done."


def checked(agent, task, prompt, done):
    """Records a request, and holds what is said against its prompt."""
    line = think(task, prompt, done)
    requests.append((agent, task, prompt, line))
    if line != "Done.":
        for word in re.findall(r"[^\s\"]+", line):
            must(word in prompt or word in task or all(part in prompt for part in word.split(":")),
                 "the model cannot know", word, "of", line)
    return line


# ---- the doors ----

def run(*argv, text=None, want=0):
    result = subprocess.run([loom, *argv], input=text or "", capture_output=True, text=True)
    must(result.returncode == want, argv, result.returncode, result.stdout, result.stderr)
    return result.stdout


TASK = "Your task:\n"


class Chat(http.server.BaseHTTPRequestHandler):
    """The model of `loom chat`: it has what the request has."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        heard = [(m["role"], m["content"]) for m in body["messages"]]
        prompt = "\n".join(text for _, text in heard)
        at = max(i for i, (role, text) in enumerate(heard) if role == "user" and TASK in text)
        task = heard[at][1].split(TASK, 1)[1].split("\n\n")[0].strip()
        # a result begins with its call
        done = [tuple(text.split("\n", 1)) for role, text in heard[at + 1:] if text.startswith("→ ")]
        try:
            text = checked(body["model"], task, prompt, done)
        except SystemExit as why:
            text = "Wrong: %s" % why
        data = json.dumps({"model": body["model"], "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def by_chat(agent, thread, task):
    out = run("chat", "--thread", thread, "--input", TASK + task)
    must("Wrong" not in out and out.rstrip().endswith("Done."), out)


def by_run(agent, thread, task):
    """Whoever runs an agent this way gives it its context, and then what was answered."""
    done, heard = [], run("context", "-a", agent, "--thread", thread, "--input", TASK + task)
    while True:
        prompt = "\n".join([heard] + [text for pair in done for text in pair])
        line = checked(agent, task, prompt, done)
        if line == "Done.":
            return
        done.append((line, run("run", "-a", agent, "--thread", thread, text=line + "\n")))


class Client:
    def __init__(self, agent, version):
        self.agent, self.number = agent, 0
        self.process = subprocess.Popen([loom, "mcp", "--agent", agent], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        hello = self.ask("initialize", {"protocolVersion": version, "capabilities": {},
                                        "clientInfo": {"name": "known", "version": "1"}})
        must(hello["protocolVersion"] == version, hello)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.told = hello["instructions"] + "\n" + "\n".join(
            tool["name"] + ": " + tool["description"] for tool in self.ask("tools/list", {})["tools"])

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                must("result" in answer, answer)
                return answer["result"]

    def call(self, tool, **arguments):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return "\n".join(part["text"] for part in result["content"])


clients = {}


def by_mcp(agent, thread, task):
    if agent not in clients:
        clients[agent] = Client(agent, door.split(":")[1])
    client, done = clients[agent], []
    heard = client.told + "\n" + client.call("loom_context", thread=thread) + "\n" + TASK + task
    while True:
        prompt = "\n".join([heard] + [text for pair in done for text in pair])
        line = checked(agent, task, prompt, done)
        if line == "Done.":
            return
        done.append((line, client.call("loom", thread=thread, text=line)))


# ---- what happens ----

def files():
    """Every file of the threads, and who references whom."""
    out = {}
    for at, _, names in os.walk(HOME):
        for name in names:
            if name != "registry.json" and name != "transcript.md":
                path = os.path.join(at, name)
                out[path] = open(path, "rb").read()
    relations = json.load(open(".leslie/thread_relations.json"))["relations"]
    return out, [(r.get("thread_id"), r.get("references_to")) for r in
                 (relations.values() if isinstance(relations, dict) else relations)]


def block_of(prompt):
    found = re.findall(r"<thread_context.*?</thread_context>", prompt, re.S)
    must(found, "no block in", prompt)
    return found[-1]


def last_prompt(agent):
    return next(prompt for who, _, prompt, _ in reversed(requests) if who == agent)


server = Server(("127.0.0.1", 0), Chat)
threading.Thread(target=server.serve_forever, daemon=True).start()
config = os.path.join(os.environ["XDG_CONFIG_HOME"], "loom")
os.makedirs(config, exist_ok=True)
with open(config + "/config.json", "w") as out:
    json.dump({"providers": {"p": {"api": "openai", "base_url": "http://127.0.0.1:%d/v1" % server.server_port}},
               "models": {name: {"provider": "p", "endpoint": "chat", "context": 32000, "caps": {"stream": False}}
                          for name in ("ann", "bob")}}, out)
os.chmod(config + "/config.json", 0o600)

run("init")
run("new", "--title", "House", "--root", "Begin.")
for name in ("ann", "bob"):
    run("agent", "add", name, "--permissions", "all", "--approval", "auto", "--model", name)
run("objective", "new", "--title", "Login", "--id", "obj")
run("thread", "spawn", "--objective", "obj", "--id", "backend", "-a", "ann")
run("thread", "spawn", "--objective", "obj", "--id", "frontend", "-a", "bob")
say = {"chat": by_chat, "run": by_run}.get(door, by_mcp)
API, COPY = "backend/design/api.md", "frontend/context/inherited/design/api.md"
before = files()

say("ann", "backend", 'Write to the document "design/api.md": append "GET /login answers a token"')
must(open(HOME + API).read().strip() == "GET /login answers a token", "the design was not written")
say("bob", "frontend", 'Let this thread read another\'s files, of the thread "backend", those named "design"')
must(open(HOME + COPY).read() == open(HOME + API).read(), "the design was not shared")
say("bob", "frontend", 'Read part of a file "design/api.md"\n'
    'Write to the document "plan.md": append "what you read"')
must("GET /login answers a token" in open(HOME + "frontend/plan.md").read(), "the plan is not changed")
must(HOME + "backend/design/" in block_of(last_prompt("bob")), "the block lacks the reference")
must(os.path.dirname(HOME + COPY) in block_of(last_prompt("bob")).replace("&#45;", "-"), "the block lacks the copy")

say("ann", "backend", 'Write to the document "design/api.md": append "POST /logout ends it"')
must("logout" not in open(HOME + COPY).read(), "the copy is not frozen")
run("thread", "refresh", "frontend")
say("bob", "frontend", 'Read part of a file "design/api.md"\n'
    'Write to the document "plan.md": append "what you read"')
must("POST /logout ends it" in open(HOME + "frontend/plan.md").read(), "the plan lacks what is new")
told = next(prompt for who, _, prompt, _ in requests[::-1] if who == "bob")
must(re.search(r"[^\n]*(refreshed|copied again)[^\n]*", told), "nobody told of the refresh:", told)

run("undo")  # the person's refresh
for _ in range(3):
    say("bob", "frontend", "Undo your own last operation")
for _ in range(2):
    say("ann", "backend", "Undo your own last operation")
after = files()
must(after == before, "not all was undone:",
     [path for path in set(before[0]) | set(after[0]) if before[0].get(path) != after[0].get(path)],
     before[1], after[1])
run("check", "--deep")

for agent, task, prompt, line in requests:
    block = block_of(prompt)
    thread = {"ann": "backend", "bob": "frontend"}[agent]
    must('thread="%s"' % thread in block, agent, "is told of another thread:", block)
for client in clients.values():
    client.process.stdin.close()
    must(client.process.wait() == 0, "the server ended badly")
print("%s: %d requests" % (door, len(requests)))
