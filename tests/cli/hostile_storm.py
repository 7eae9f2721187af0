"""Text that means harm, by every road into the program, and every command that shows it again, on a
terminal: what arrives there are colours of ours and characters that one can see. Texts are slices of
all code points with what would do harm behind them; names, files, folders, settings, arguments and
a server's answers are pairs of bytes as well, all that begin with one byte at a time.
usage: hostile_storm.py LOOM SEED STEPS, in an empty folder: so many slices and so many first bytes;
4000 are all. Says what went wrong, or what was looked at."""
import http.server
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import threading

loom, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
SLICE = 300
HARM = ["\x1b[2J\x1b]0;x\x07", "\x1b]52;c;eA==\x07", "\x1b]8;;http://a.example\x1b\\y", "\u202eabc\u202c",
        "\x9b2J\x7f", "\x1bP+q544e\x1b\\", "\x1b[200~q\x1b[201~", "\U000e0041\U000e0042", "a\rb\bc\x0b",
        "\u200bx\ufeff", "\x1b[5i\x1b[4i\x1b[31m", "\x90q\x9c"]
FIRST = [0x1b, 0x9b, 0xc2, 0x07, 0x0d, 0x90]  # what is likeliest to do harm
UNSEEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b"
                    "\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb"
                    "\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]")
LINES = re.compile(rb"\r+\n|\r\x1b\[K")
COLOURS = re.compile(rb"\x1b\[[0-9;:]*m")
looked = named = 0


class Wrong(Exception):
    pass


def on_terminal(*argv, given=b"", env=None):
    """What a command sends to a terminal; stops where that is not only text."""
    global looked, named
    master, slave = os.openpty()
    plain = rng.random() < 0.7  # where we have no colours, nobody has
    child = subprocess.Popen([loom, *argv], stdin=subprocess.PIPE, stdout=slave, stderr=slave,
                             env=dict(os.environ, TERM="xterm-256color", NO_COLOR="1" if plain else "",
                                      **env or {}))
    os.close(slave)
    feeder = threading.Thread(target=feed, args=(child.stdin, given))
    feeder.start()
    said = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        said += part
    os.close(master)
    status = child.wait()
    feeder.join()
    if not 0 <= status <= 3:
        raise Wrong("%r ends with %d: %r" % (argv, status, said[-300:]))
    text = only_text(said if plain else COLOURS.sub(b"", said), argv)
    looked += 1
    named += "^[" in text
    return text


def only_text(said, argv):
    try:
        text = LINES.sub(b"\n", said).decode()
        at = UNSEEN.search(text)
        if at:
            raise Wrong("%r: %r" % (argv, text[max(0, at.start() - 60):at.end() + 20]))
        return text
    except UnicodeDecodeError as bad:
        raise Wrong("%r: %r" % (argv, said[max(0, bad.start - 60):bad.end + 20])) from bad


def feed(pipe, given):
    try:
        pipe.write(given)
        pipe.close()
    except BrokenPipeError:
        pass


class Server(http.server.BaseHTTPRequestHandler):
    """A model that answers with what is wanted, as an error, as a type, or as a text."""
    says, turn = b"", 0

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        Server.turn += 1
        kind, body = [(b"application/json", json.dumps({"error": {"message": self.text()}}).encode()),
                      (b"text/plain", self.says), (b"application/json", b'{"choices":[{"text":"' + self.says),
                      (b"text/event-stream", b'data: {"choices":[{"text":%s,"finish_reason":"stop"}]}\n\n' %
                       json.dumps(self.text()).encode())][Server.turn % 4]
        self.wfile.write(b"HTTP/1.1 %d Well\r\nContent-Type: %s\r\nConnection: close\r\n\r\n" %
                         (200 if Server.turn % 4 == 3 else 400, kind) + body)

    def text(self):
        return self.says.decode("utf-8", "replace")

    def log_message(self, *_):
        pass


def see():
    """Every command that shows something."""
    for words in ("trees", "tree --depth 99 r001", "tree --json", "show", "show r001", "show --json",
                  "log", "log --json", "grep end", "grep end --json", "tag", "link", "ops --last 50",
                  "ops --json", "drafts list", "jobs", "approve", "doc list", "doc list --json", "doc show notes",
                  "agent list", "agent list --json", "models", "models --json", "usage", "subject",
                  "objective list", "thread list", "thread list --json", "thread log -a Claude", "context",
                  "context -a Claude", "context --json", "do memory", "do view r001 full", "payload -o -",
                  "payload --json -o -", "export --format md", "export --format json", "export --format txt",
                  "export --grove", "verify", "check --deep", "diff r001 r001", "keys", "theme list",
                  "theme show default", "events"):
        on_terminal(*words.split())


def try_text(text):
    """A text that is one: it may stand anywhere."""
    raw = text.encode()
    short = text[-40:]
    on_terminal("new", "--title", short, "--root", text)
    on_terminal("do", "respond", "r001", text)
    on_terminal("do", "annotate", "r001", text)
    on_terminal("do", "edit", "r001", short + text)
    on_terminal("do", "bookmark", "r001", short)
    on_terminal("do", "stash", short, text)
    on_terminal("tag", "r001", short)
    on_terminal("link", "r001", "r001", "--note", text)
    on_terminal("agent", "add", short, "--model", short)
    on_terminal("objective", "new", "--title", short)
    on_terminal("doc", "write", short, given=raw)
    on_terminal("import", "-", given=b"## User\n\n" + raw + b"\n\n## Assistant\n\n\xe2\x86\x92 view r001\n" + raw)
    on_terminal("run", "-a", "Claude", given=b"\xe2\x86\x92 respond r001 \"" + raw + b"\"\n" + raw)
    on_terminal("run", "-a", "Asker", given=b"\xe2\x86\x92 respond r001 \"" + raw + b"\"\n")
    Server.says = raw
    for _ in range(4):
        on_terminal("chat", "-a", "Claude", "--input", text)
    try_protocols(text)
    on_terminal("--plain", given=b"j\nk\n?\n:view r001\n/" + raw[:60] + b"\nQ\n")
    see()


def try_protocols(text):
    """What is meant for programs is read by a person too, who tries it by hand."""
    def lines(*objects):
        return b"".join(json.dumps(o, ensure_ascii=False).encode() + b"\n" for o in objects)

    drive = lines({"do": text}, {"do": "run_start", "request_id": "r", "content": text},
                  {"do": "assistant", "request_id": text, "content": text},
                  {"do": "steer", "content": text}, {"do": "log"}, {"do": "project"}, {"do": "state"})
    on_terminal("thread", "drive", "--memory", given=drive)
    on_terminal("thread", "drive", "-a", "Claude", given=drive)
    call = {"jsonrpc": "2.0", "method": "tools/call"}
    on_terminal("mcp", "--agent", "Claude", given=lines(
        {"jsonrpc": "2.0", "id": text, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": text, "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": text}, {"jsonrpc": "2.0", "id": 3, "method": "resources/list"},
        {"id": 4, "params": {"name": "loom", "arguments": {"text": "\u2192 view r001 full\n\u2192 " + text}}, **call},
        {"id": 5, "params": {"name": "loom_context", "arguments": {}}, **call},
        {"jsonrpc": "2.0", "id": 6, "method": "resources/read", "params": {"uri": text}}))


def try_bytes(raw):
    """Bytes that need not be a text: as arguments, in files, as names of files, from a server."""
    inner = raw.replace(b"\0", b"")
    parts = [part for part in inner.replace(b"/", b"").split(b" ") if part]
    for argv in ([inner], ["show", inner], ["do", inner], ["do", "view", inner], ["grep", inner], ["-g", inner, "trees"],
                 ["doc", "show", inner], ["help", inner], ["import", inner], ["new", "--title", inner],
                 ["tag", "r001", inner], ["agent", "add", inner], ["--" + os.fsdecode(inner)], ["theme", "show", inner],
                 ["export", "--format", inner], ["thread", "read", "one", inner], ["thread", "spawn", "--objective", inner, "--intent", inner]):
        on_terminal(*argv)
    for argv in (["parse"], ["parse", "--json"], ["doc", "write", "notes"], ["doc", "show", "notes"],
                 ["import", "-"], ["paste", "--as", "Claude"], ["run", "-a", "Claude"], ["thread", "parse"],
                 ["thread", "drive", "--memory"], ["mcp", "--agent", "Claude"]):
        on_terminal(*argv, given=b"Human: a\n\nAssistant: " + raw + b"\n")
    on_terminal("trees", env={"LOOM_AGENT": os.fsdecode(inner)[:50]})
    on_terminal("trees", env={"LOOM_NOW": os.fsdecode(inner)[:50]})
    Server.says = raw
    for _ in range(4):
        on_terminal("do", "continue", "from", "r001", "using", "agent:Voice")
    folder = pathlib.Path(os.fsdecode(b"strange"))
    folder.mkdir(exist_ok=True)
    for part in parts[:60]:
        try:
            (folder / os.fsdecode(part * 3)).write_bytes(raw)
        except OSError:
            pass
    for argv in (["payload", "-o", "-"], ["payload", "add", "global", "strange"], ["payload", "-o", "-"],
                 ["import", "strange"], ["doc", "import", "strange"], ["doc", "list"], ["show"], ["ops"]):
        on_terminal(*argv)
    subprocess.run(["rm", "-rf", "strange"], check=True)


def must_find_harm():
    """A look that finds nothing proves nothing unless it can find."""
    for harm in [text.encode() for text in HARM] + [b"\x9bm", b"a\rb", b"\xe2\x80", b"\x1b[m", b"\0"]:
        try:
            only_text(b"text " + harm + b" text\r\n", "raw")
        except Wrong:
            continue
        raise Wrong("%r is not found" % harm)


def slices():
    size = steps if steps >= 4000 else 0
    starts = range(1, 0x110000, SLICE) if size else [1, 0x2000, 0xe0000, 0xfe00 - 200] + [
        rng.randrange(0x110000) for _ in range(steps)]
    for start in list(starts)[:size or steps]:
        yield "".join(map(chr, (c for c in range(start, min(start + SLICE, 0x110000))
                                if not 0xd800 <= c < 0xe000))) + "".join(HARM) + "end"


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    config = pathlib.Path(os.environ["XDG_CONFIG_HOME"]) / "loom" / "config.json"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(json.dumps({
        "providers": {"p": {"api": "openai", "base_url": "http://127.0.0.1:%d/v1" % server.server_port}},
        "models": {"m": {"provider": "p", "endpoint": "completions"}, "x" + HARM[0]: {"provider": "p" + HARM[3]}}}))
    config.chmod(0o600)


def begin():
    subprocess.run(["rm", "-rf", ".loom", ".leslie"], check=True)
    on_terminal("init")
    for argv in (["new", "--title", "T", "--root", "Once."], ["doc", "write", "notes"],
                 ["agent", "add", "Claude", "--permissions", "all", "--approval", "auto", "--model", "m"], ["agent", "add", "Voice", "--model", "m"],
                 ["agent", "add", "Asker", "--permissions", "all", "--approval", "ask"]):
        on_terminal(*argv)


try:
    must_find_harm()
    serve()
    begin()
    for count, text in enumerate(slices()):
        if count % 10 == 9:  # what is long needs no longer to be looked at
            begin()
        try_text(text)
    for first in (FIRST + rng.sample(range(256), 256))[:steps] if steps < 256 else range(256):
        try_bytes(b" ".join(bytes([first, second]) for second in range(256)))
    if named < looked / 20:
        raise Wrong("harm was seen by its name in %d of %d commands only" % (named, looked))
    print("%d commands looked at, harm by name in %d" % (looked, named))
except Wrong as wrong:
    print("seed %d: %s" % (seed, wrong))
    sys.exit(1)
