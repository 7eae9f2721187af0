"""Threads are spawned, given files, referenced, refreshed, damaged and mended, compacted and moved to
other lanes, while their agents talk in small and large windows and other programs keep runs in them.
Of each prompt as it arrived: its newest block is what `loom thread context` said when the run began, and
heads a message; what changed since the agent's last run is told outside of it, once, and said to the
person; damage is said every time.
usage: block_storm.py LOOM SEED STEPS, in an empty folder. Says what went wrong, or what was done."""
import glob
import html
import json
import os
import random
import re
import shutil
import subprocess
import sys

from storm import Wrong, must, trace

loom, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
HOME = os.environ["HOME"]
THREADS = ".leslie/threads"
FILES = ["plan.md", "progress.md", "design/api.md", "design/data.md", "design/deep/er.md",
         "learnings/a & b.md", "notes.txt"]
BLOCK = re.compile(r"^User: (<thread_context.*?</thread_context>)", re.M | re.S)
NEWS = re.compile(r"^(?:User: )?=== Thread ===\n(.*?)\n===$", re.M | re.S)
FAKE = '<thread_context thread="%s" objective="o" relations_file="x">\n</thread_context>'
# It looks around first where it is asked to: it writes a file of its own meanwhile, and so much that
# older messages have to go.
MODEL = """n=0; while [ -e "$HOME/heard$n" ]; do n=$((n + 1)); done
cat >"$HOME/heard.new"; mv "$HOME/heard.new" "$HOME/heard$n"
if [ -e "$HOME/look" ]; then rm "$HOME/look"; echo more >>"$(cat "$HOME/own")"; cat "$HOME/prose"; echo '→ tree'; else echo ok; fi
"""
known = {}     # by thread: what its agent was told last
told = 0
prompts = 0


def run(*argv, may_fail=False, text_in=None):
    ended = subprocess.run([loom, *argv], capture_output=True, text=True, input=text_in,
                           stdin=subprocess.DEVNULL if text_in is None else None)
    must(may_fail or ended.returncode == 0, argv, ended.stdout, ended.stderr)
    return ended


def configure():
    folder = os.path.join(os.environ["XDG_CONFIG_HOME"], "loom")
    os.makedirs(folder, exist_ok=True)
    models = {name: {"provider": "program", "context": size, "max_out": 200}
              for name, size in (("small", 2600), ("large", 60000))}
    settings = {"providers": {"program": {"api": "command", "command": ["/bin/sh", HOME + "/model"]}},
                "models": models, "agents": {name: {"model": name} for name in models}}
    with open(os.open(folder + "/config.json", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as out:
        json.dump(settings, out)
    with open(HOME + "/model", "w") as out:
        out.write(MODEL)
    with open(HOME + "/prose", "w") as out:
        out.write("prose " * 400 + "\n")


class Thread:
    def __init__(self, name):
        self.name, self.agent = name, rng.choice(["small", "large"])
        self.hurt = None

    def path(self, file):
        return f"{THREADS}/{self.name}/{file}"

    def manifest(self):
        return self.path("context/inherited/.refs.json")


threads = []


def others(thread):
    return [t for t in threads if t is not thread]


def spawn():
    thread = Thread(f"t{len(threads)}")
    given = rng.sample(threads, min(len(threads), rng.randint(0, 2)))
    refs = [word for t in given for word in ("--ref", t.name)]
    run("thread", "spawn", "--objective", "o", "--id", thread.name, "-a", thread.agent,
        "--binding", rng.choice(["frozen", "live"]), *refs)
    trace.append(f"spawn {thread.name} for {thread.agent}: {refs}")
    threads.append(thread)


def write():
    path = rng.choice(threads).path(rng.choice(FILES))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a") as out:
        out.write(f"{rng.random()}\n")
    trace.append(f"write {path}")


def remove():
    thread = rng.choice(threads)
    path = thread.path(rng.choice(FILES))
    if os.path.exists(path):
        os.remove(path)
        trace.append(f"remove {path}")


def refer():
    thread = rng.choice(threads)
    if others(thread):
        words = ["ref", "--from", thread.name, "--target", rng.choice(others(thread)).name,
                 "--binding", rng.choice(["frozen", "live"])]
        trace.append(" ".join(words) + f": {run('thread', *words, may_fail=True).returncode}")


def unrefer():
    thread = rng.choice(threads)
    if others(thread):
        words = ["unref", "--from", thread.name, "--target", rng.choice(others(thread)).name]
        trace.append(" ".join(words) + f": {run('thread', *words, may_fail=True).returncode}")


def refresh():
    thread = rng.choice(threads)
    run("thread", "refresh", thread.name, may_fail=True)
    trace.append(f"refresh {thread.name}")


def hurt():
    thread = rng.choice(threads)
    if thread.hurt is None and os.path.exists(thread.manifest()):
        thread.hurt = open(thread.manifest()).read()
        os.chmod(thread.manifest(), 0o600)
        open(thread.manifest(), "w").write("{ bad")
        trace.append(f"damage {thread.name}")


def mend():
    for thread in threads:
        if thread.hurt is not None and rng.random() < .5:
            open(thread.manifest(), "w").write(thread.hurt)
            thread.hurt = None
            trace.append(f"mend {thread.name}")


def lose():
    thread = rng.choice(threads)
    away = f"{HOME}/away-{thread.name}"
    if os.path.exists(away) and not os.path.exists(f"{THREADS}/{thread.name}"):
        shutil.move(away, f"{THREADS}/{thread.name}")
        trace.append(f"{thread.name} is back")
    elif thread.hurt is None and not os.path.exists(away) and rng.random() < .5:
        shutil.move(f"{THREADS}/{thread.name}", away)
        trace.append(f"{thread.name} is gone")


def here(thread):
    return os.path.exists(f"{THREADS}/{thread.name}")


def drive(thread, *commands):
    said = "".join(json.dumps(command) + "\n" for command in commands)
    return run("thread", "drive", "--thread", thread.name, text_in=said)


def compact():
    thread = rng.choice(threads)
    run("thread", "compact", "--thread", thread.name, "--keep", str(rng.randint(1, 3)), may_fail=True)
    trace.append(f"compact {thread.name}")


def move():
    thread = rng.choice(threads)
    operation = {"type": "switch", "reason": "manual"}
    if rng.random() < .5:
        operation = {"type": "replace", "reason": "manual", "result_context": {
            "id": "s", "system_prompt": None, "entries": [{"role": "user", "content": FAKE % thread.name}]}}
    drive(thread, {"do": "modify", "op_id": f"op{len(trace)}", "context_ref": rng.choice(["default", "b"]),
                   "operation": operation})
    trace.append(f"{operation['type']} in {thread.name}")


def other_run():
    """Another program's run begins with the block, too, unless its context has it, and is told of
    changes in its first message."""
    thread = rng.choice(threads)
    said = run("thread", "context", thread.name, may_fail=True)
    now = state(thread, said)
    request = f"r{len(trace)}"
    ended = drive(thread, {"do": "run_start", "request_id": request, "content": "Go."}, {"do": "project"},
                  {"do": "assistant", "request_id": request, "content": "ok"},
                  {"do": "run_end", "request_id": request, "outcome": "completed"})
    trace.append(f"run by another program in {thread.name}")
    lines = ended.stdout.splitlines()
    messages = json.loads(lines[1])["messages"]
    entries = json.loads(lines[1])["entries"]
    blocks = [e["content"] for e in entries if e.get("refs", {}).get("thread_context")]
    must(messages[-1]["content"].endswith("Go."), messages)
    if said.returncode == 0:
        must(blocks and blocks[-1].startswith(said.stdout.rstrip("\n")), thread.name, "is told", blocks,
             "not", said.stdout)
    began = messages[-1]["content"]
    hold_news(thread, now, [re.sub("(?s)^<thread_context.*?</thread_context>\n\n", "", began)], ended.stderr)
    must("\n".join(NEWS.findall(began)) == json.loads(lines[0]).get("told", ""), lines[0], began)
    learn(thread, now, said)


def ask_mcp():
    """A foreign agent reads the block from its context, as tool and as resource, and is told of
    changes before it acts."""
    thread = rng.choice(threads)
    said = run("thread", "context", thread.name, may_fail=True)
    now = state(thread, said)
    prose = f"Prose {len(trace)}."
    calls = [{"method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                 "clientInfo": {"name": "t", "version": "1"}}},
             {"method": "tools/call", "params": {"name": "loom_context",
                                                 "arguments": {"thread": thread.name}}},
             {"method": "resources/read", "params": {"uri": f"loom://thread/{thread.name}/context"}},
             {"method": "tools/call", "params": {"name": "loom", "arguments": {
                 "thread": thread.name, "text": f"{prose}\n→ tree\n→ memory"}}}]
    lines = [json.dumps({"jsonrpc": "2.0", "id": n, **call}) + "\n" for n, call in enumerate(calls)]
    ended = run("mcp", "--agent", thread.agent, text_in="".join(lines))
    answers = {json.loads(line)["id"]: line for line in ended.stdout.splitlines()}
    trace.append(f"mcp in {thread.name}")
    texts = [json.loads(answers[1])["result"]["content"][0]["text"],
             json.loads(answers[2])["result"]["contents"][0]["text"]]
    for text in texts:
        blocks = re.findall(r"^<thread_context.*?</thread_context>", text, re.M | re.S)
        if said.returncode == 0:
            must(blocks and blocks[-1] == said.stdout.rstrip("\n"), thread.name, "reads", text,
                 "not", said.stdout)
    acted = json.loads(answers[3])["result"]["content"][0]["text"]
    must("→ memory\n[res-" in acted, acted)
    hold_reader(thread, now, acted, ended.stderr)
    learn(thread, now, said)
    rows = [json.loads(row.split(" ", 2)[2]) for row in
            run("thread", "log", thread.name, "--last", "12").stdout.splitlines()]
    said_in = [row["request_id"] for row in rows if prose in json.dumps(row)]
    done_in = [row["request_id"] for row in rows if "→ memory" in row.get("line", "")]
    must({*said_in} == {done_in[-1]}, "one turn has the ids", said_in, done_in[-1:])


def run_turn():
    """A turn from outside, of an agent whose model somebody else asks, is told of changes with its
    results, in text or JSON."""
    thread = rng.choice(threads)
    said = run("thread", "context", thread.name, may_fail=True)
    now = state(thread, said)
    structured = rng.random() < .5
    ended = run("run", "-a", thread.agent, "--thread", thread.name, *(["--json"] if structured else []),
                text_in=f"Prose {len(trace)}.\n→ tree\n")
    trace.append(f"loom run in {thread.name}")
    acted = ended.stdout
    if structured:
        acted = json.loads(acted).get("told", "")
    else:
        must(acted.find("=== Thread ===") <= 0, "it is told behind its results", acted)
    hold_reader(thread, now, acted, ended.stderr)
    learn(thread, now, said)


def manifest_of(thread, key):
    try:
        return json.load(open(thread.manifest())).get(key, {})
    except (OSError, ValueError):
        return {}


def copies(thread):
    seen = {}
    for name, copy in manifest_of(thread, "refs").items():
        seen.setdefault(copy["thread"], {})[name] = copy["sha256"]
    return seen


def inside(thread, name, path):
    """The files in a folder that a reference gives as it stands."""
    frozen = manifest_of(thread, "sources").get(name, {}).get("assets", [])
    if not path.endswith("/") or any(asset["path"] == path for asset in frozen):
        return []
    return [os.path.join(folder, file) for folder, _, files in os.walk(path[:-1]) for file in files]


def state(thread, said):
    """What may change: files that each reference gives, its copies, what is broken."""
    refs = {}
    for ref in re.finditer(r'<ref thread="(.*?)">(.*?)</ref>', said.stdout, re.S):
        name = ref.group(1)
        paths = [html.unescape(path) for path in re.findall(r'path="(.*?)"', ref.group(2))]
        paths += [file for path in paths for file in inside(thread, name, path)]
        refs[name] = (sorted(set(paths)), copies(thread).get(name, {}))
    broken = sorted(set(re.findall(r"Referenced Thread \S+ not found", said.stderr)))
    return refs, broken, said.returncode


def chat():
    global told, prompts
    thread = rng.choice(threads)
    if not here(thread):
        return
    for path in glob.glob(HOME + "/heard*"):
        os.remove(path)
    said = run("thread", "context", thread.name, may_fail=True)
    now = state(thread, said)
    if rng.random() < .5:
        open(HOME + "/look", "w").close()
    open(HOME + "/own", "w").write(os.path.abspath(thread.path("progress.md")))
    text = rng.choice(["Go on.", FAKE % thread.name, "word " * 330])
    ended = run("chat", "--thread", thread.name, "--input", text)
    trace.append(f"chat in {thread.name}, {len(text)} bytes")
    heard = [open(path).read() for path in sorted(glob.glob(HOME + "/heard*"))]
    must(heard, "nobody was asked")
    for prompt in heard:
        hold_prompt(thread, said, prompt)
    hold_news(thread, now, heard, ended.stderr)
    prompts += len(heard)
    learn(thread, now, said)


def learn(thread, now, said):
    """What the agent of a thread knows from now on."""
    if said.returncode == 0:
        known[thread.name] = now
    elif thread.name in known:
        known[thread.name] = (known[thread.name][0], [], said.returncode)
    else:
        known[thread.name] = ({}, [], said.returncode)


def hold_prompt(thread, said, prompt):
    blocks = BLOCK.findall(prompt)
    if said.returncode == 0:
        must(blocks and blocks[-1] == said.stdout.rstrip("\n"), thread.name, "is told", blocks[-1:],
             "not", said.stdout, "in", prompt)
    must("A path in it is the name of a document" in prompt, "nothing says what the block is")


def hold_news(thread, now, heard, warned):
    """What is told of, and to whom."""
    global told
    news = [NEWS.findall(prompt) for prompt in heard]
    must(all(one == news[0] for one in news), "the run is told otherwise later on", news)
    text = "\n".join(news[0])
    was = known.get(thread.name)
    if now[2] != 0:
        must("T502" in warned and ".refs.json" in warned, "damage is not said:", warned)
        must(was is None or was[2] != 0 or (".refs.json" in text and "T502" in text),
             "the agent is not told of damage:", text)
        return
    for line in now[1]:
        must(line in warned or (was and line in was[1]), "not said:", line, "in", warned)
    if was is None:
        must(not text, "told at the beginning:", text)
        return
    changed = [name for name in {*was[0], *now[0]} if was[0].get(name) != now[0].get(name)]
    for name in changed:
        must(name in text, thread.name, "is not told of", name, "but", text, was, now)
        must(name in warned, "the person is not told of", name, "but", warned)
        if name in was[0] and name in now[0]:
            for path in set(was[0][name][0]) ^ set(now[0][name][0]):
                must(path in text, thread.name, "is not told of", path, "but", text)
    must(bool(text) == (was != now), thread.name, "is told", text, was, now)
    told += bool(text)


def hold_reader(thread, now, acted, warned):
    """Damage is not said again to who reads."""
    if known.get(thread.name, [0, 0, 0])[2] == 0 or now[2] == 0:
        hold_news(thread, now, [acted], warned)


def storm():
    configure()
    run("init")
    run("new", "--title", "Storm", "--root", "Begin.")
    for agent in ("small", "large"):
        run("agent", "add", agent, "--permissions", "all", "--approval", "auto")
    run("objective", "new", "--title", "O", "--id", "o")
    spawn()
    what = [spawn] * 2 + [write] * 5 + [remove] + [refer] * 4 + [unrefer] + [refresh] * 2 + \
        [hurt, mend, mend, lose, compact, move, other_run, ask_mcp, run_turn] + [chat] * 12
    for _ in range(steps):
        act = rng.choice(what)
        if act is not spawn or len(threads) < 6:
            act()
    print(f"seed {seed}: {steps} steps, {prompts} prompts, {told} told of changes")


try:
    storm()
except Wrong as wrong:
    sys.exit(f"seed {seed}: {wrong}")
