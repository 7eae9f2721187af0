"""Runs every command that `loom help --json` lists with --json, in the empty folder where it stands:
it must end well and print one JSON document, or one a line where LINES names it. Then each of them
with an option that it does not have: an error object on stdout, or nothing there. A command that
has no line here fails. usage: json_rows.py PROGRAM"""
import json
import os
import subprocess
import sys

loom = sys.argv[1]
seen = set()
wrong = 0
os.environ["VISUAL"] = os.environ["EDITOR"] = "true"

# These talk in lines: they answer one document per line.
LINES = {"events", "chat", "thread drive", "thread log", "mcp"}


def start(args, text=""):
    try:
        return subprocess.run([loom] + args, input=text, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, errors="replace", timeout=60)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(args, -1, "", "it never ends")


def complain(what, why, done):
    global wrong
    wrong += 1
    print("FAIL loom %s: %s\n  out: %s\n  err: %s" % (what, why, done.stdout[:600], done.stderr[:600]))


def name_of(words):
    return next((" ".join(words[:n]) for n in (3, 2, 1) if " ".join(words[:n]) in names), None)


def says(line, text="", ends=(0,)):
    """Runs it with --json and returns the answer."""
    words = line if isinstance(line, list) else line.split()
    name = name_of(words)
    seen.add(name)
    done = start(["--json"] + words, text)
    documents = []
    try:
        if name in LINES:
            documents = [json.loads(row) for row in done.stdout.splitlines()]
        else:
            documents = [json.loads(done.stdout)]
    except ValueError:
        complain(" ".join(words), "no JSON", done)
    if done.returncode not in ends:
        complain(" ".join(words), "exit status %d" % done.returncode, done)
    return documents[0] if documents else {}


commands = json.loads(start(["help", "--json"]).stdout)["commands"]
names = {command["name"] for command in commands}


def write(name, text):
    with open(name, "w") as file:
        file.write(text)


# --- the program, a grove, a tree ---
for line in ("help", "help thread spawn", "help view", "version", "keys", "theme list",
             "theme show dark"):
    says(line)
says("init")
says("trust --list")
says(["new", "--title", "Story", "--root", "The house stood empty."])
says(["new", "--mode", "buffer", "--title", "Draft", "--root", "A house."])
says("trees")
says(["tree", "set", "-t", "Draft", "--description", "the second"])
says("use Story")
says("do view r001")
says(["parse", "-"], "→ view r001\nprose\n")
settings = os.path.join(os.environ["XDG_CONFIG_HOME"], "loom", "config.json")
with open(settings) as file:
    configured = json.load(file)
configured["programs"] = {"words": {"command": ["wc", "-w"]}}
with open(settings, "w") as file:
    json.dump(configured, file)
says("pipe words r001")
says("show r001")
says("log r001")
says("stats r001")
says("outline r001")
says("goal")
says("replace house home --path r001")
says("undo")
says("tree --depth 2")
says("grep house")
says("diff r001 Draft/r001")
says("tag r001 motive")
says("link r001 --tree Draft")
says("ops")
says("undo")
says("redo")
says("events")
says("verify r001")
says("check")

# --- persons ---
says("members")
says("members add Eve")
says("members set --name Olga")
says("members drop Eve")
says("share --private")

# --- agents ---
says("agent add Claude --permissions all --approval auto --model m")
says("agent add Pat --permissions all --approval propose")
says("agent set Pat --approval ask")
says("agent list")
says("agent show Claude")
says("token new Claude")
says("token list")
says("token revoke Claude")
says("page link r001 --comment")
says("page list")
says("page revoke r001")
says("subject ngram")
says("models")
says("usage")
says("run -a Claude", "→ view r001\nI looked.\n")
says(["paste", "--as", "Claude"], "Human: hello\n\nAssistant: → bookmark r001\n")
says("chat -a Claude --input go")
says("approve")
start(["run", "-a", "Pat"], "→ bookmark r001\n")
for one in says("approve").get("proposals", [])[:1]:
    says(["approve", one["hash"]])
says("summarize")
says("jobs")
says("mcp --agent Claude", json.dumps({
    "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-03-26", "capabilities": {},
        "clientInfo": {"name": "t", "version": "0"}}}) + "\n")

# --- documents and drafts ---
says("doc write plan", "# Plan\nfirst\n")
says("doc list")
says("doc show plan")
says("doc edit plan")
write("notes.md", "# Notes\n")
says("doc import notes.md")
says("doc export plan -o plan.md")
says("doc rename notes thoughts")
says("doc write plan --base 1", "second\n")
start(["doc", "write", "plan", "--base", "1"], "third\n")
says("drafts")
draft = start(["drafts"]).stdout.split()[0]
says("drafts list")
says("drafts send")
says(["drafts", "show", draft])
says(["drafts", "drop", draft])

# --- threads ---
says(["objective", "new", "--title", "Ship it", "--id", "obj"])
says("objective list")
says("objective show obj")
says("thread spawn --objective obj --id A")
says("thread spawn --objective obj --id B -a Claude")
write(".leslie/threads/A/plan.md", "the plan\n")
says("thread ref --from B --target A --scope plan.md")
for line in ("load B", "context B", "list", "show B", "refresh B", "read B plan.md", "assets A",
             "transcript B", "unref --from B --target A", "lifecycle B done"):
    says("thread " + line)
says("thread plan --write -", "all of it\n")
says("thread plan")
says(["thread", "parse"], "<thread_context>\n</thread_context>\n", (0, 1))
says("thread log -a Claude")
write("row.json", '{"kind":"note","payload":{"text":"by hand"}}')
says("thread append row.json")
write("op.json", '{"op_id":"s","operation":{"type":"switch"}}')
says("thread op op.json")
says("thread project -a Claude")
says("thread compact -a Claude --keep 1 --summary short", ends=(0, 1))
says("thread drive --memory", '{"do":"state"}\n')
token = says("thread checkpoint").get("token", "")
says(["thread", "restore", "--check", token])

# --- contexts, the project's files ---
says("context -a Claude")
says("payload")
says("payload -o input.md")
says("payload --report")
says("payload session new spring")
says("payload turn new --session spring")
os.makedirs(".teddy/s", exist_ok=True)
for line in ("add", "move", "remove"):
    says("payload %s global notes.md" % line)

says("thread lanes -a Claude")
says("thread lane -a Claude --restore 1", ends=(0, 1))

# --- a shared log ---
log = "file://" + os.path.abspath("shared.loomlog")
says("remote")
says(["remote", "add", log])
says("remote show")
says("sync --wait")
says(["clone", log, "twin"])
says("remote drop")

# --- keeping ---
write("talk.txt", "Human: hello\n\nAssistant: yes\n")
says("import talk.txt")
says("export --format md -o story.md")
says("backup copy.db")
says("salvage copy.db saved")
says("restore copy.db --yes")

for name in sorted(names - seen):
    wrong += 1
    print("FAIL loom %s: not run here" % name)
for name in sorted(names):
    refused = start(name.split() + ["--json", "--no-such-option"])
    try:
        if refused.stdout and "error" not in json.loads(refused.stdout):
            complain(name, "a refusal without an error", refused)
    except ValueError:
        complain(name, "a refusal that is no JSON", refused)
    if refused.returncode != 2:
        complain(name, "exit status %d" % refused.returncode, refused)
print("%d commands, %d wrong" % (len(names), wrong))
sys.exit(wrong > 0)
