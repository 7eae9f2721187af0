"""Lines of tests/cases/gate.txt, tried for real: gate_tries.py PROGRAM TABLE MOST, that many of them,
evenly.

An agent that must ask says each of them in a grove of its own, with plausible arguments, and the
grove (every row), the folder, .leslie and .teddy are compared before and after: nothing was done.
Then a person approves what waits, and what is there afterwards is what the same agent does at once
when it need not ask. An analyst changes nothing anywhere."""
import glob
import os
import re
import shutil
import sqlite3
import subprocess
import sys

loom, table, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
INPUT = "text from the standard input\n"
# What is about the agent's own thread, or only about what waits.
OWN = {"proposal", "thread", "visited", "log", "pin", "stash", "op", "op_needs", "op_change", "grove", "run",
       "event", "lease", "job"}
# Derived from the relations, and of the file that they are: of another in every copy.
DERIVED = ".leslie/threads/.global/registry.json"
wrong = []
env = dict(os.environ, LOOM_NOW="2026-03-01T12:00:00Z", LOOM_SEED="11", EDITOR="false")
here = os.getcwd()
world = os.path.join(here, "world")
kept = os.path.join(here, "kept")


def run(*words, agent=None, text=INPUT):
    done = subprocess.run([loom, *words], cwd=world, input=text, text=True, capture_output=True,
                          env=dict(env, LOOM_AGENT=agent) if agent else env, timeout=60)
    return done.returncode, done.stdout, done.stderr


def must(*words, agent=None, text=INPUT):
    code, out, err = run(*words, agent=agent, text=text)
    if code:
        sys.exit("cannot make the world: %s\n%s%s" % (" ".join(words), out, err))
    return out


def write(name, text):
    path = os.path.join(world, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def respond(node, text):
    """A node below another, by its id."""
    out = must("do", "respond %s \"%s\"" % (node, text), agent="Claude")
    return re.search(r"\[(\w+)\]", out).group(1)


def make_world():
    """Something of everything, so that each line has something to act on."""
    os.mkdir(world)
    must("init")
    must("new", "--title", "T", "--root", "The house stood empty.")
    must("agent", "add", "Claude", "--permissions", "all", "--approval", "auto")
    must("agent", "add", "Ana", "--permissions", "analyst")
    node = respond("r001", "A door opened.")
    below = respond(node, "A stair went down.")
    beside = respond("r001", "A bell rang.")
    must("do", "switch to %s" % node, agent="Claude")
    write("host.md", "# A file of the host\n")
    write("turn.txt", "→ view r001\n")
    write("rows.json", "[]\n")
    must("doc", "write", "notes", "host.md")
    must("objective", "new", "--title", "Goal", "--id", "obj-1")
    for thread in "ABD":
        must("thread", "spawn", "--objective", "obj-1", "--id", thread, "-a", "Claude")
        write(".leslie/threads/%s/notes.txt" % thread, "of %s\n" % thread)
        write(".leslie/threads/%s/plan.md" % thread, "# Plan of %s\n" % thread)
    must("thread", "ref", "--from", "A", "--target", "D", "--scope", "plan.md")
    write(".leslie/threads/D/plan.md", "# Another plan of D\n")
    write("old.md", "old\n")
    must("payload", "add", "global", "old.md")
    must("do", "--", "stash \"mine\" \"a text\"", agent="Claude")
    must("do", "pin %s" % node, agent="Claude")
    must("do", "bookmark %s" % node, agent="Claude")
    gone = respond("r001", "A window.")
    must("do", "exclude %s" % gone, agent="Claude")
    must("do", "prune %s" % gone, agent="Claude")
    must("do", "tag %s \"old\"" % node, agent="Claude")
    must("tag", node, "taken back", agent="Claude")
    must("undo", agent="Claude")
    must("summarize")  # nothing waits to be summed up any more
    must("export", "--format", "json")  # makes the key that signs, once for both
    shutil.copytree(world, kept, symlinks=True)
    for approval in ("ask", "auto"):
        must("agent", "set", "Claude", "--approval", approval)
        shutil.copytree(env["XDG_STATE_HOME"], os.path.join(here, approval))
    return {"@2": node, "@3": gone, "@4": below, "@5": beside}


def again(approval, line):
    """The world as it was made, with an agent that must ask, or need not."""
    shutil.rmtree(world)
    shutil.copytree(kept, world, symlinks=True)
    env["XDG_STATE_HOME"] = os.path.join(here, approval)
    if line.startswith(("thread", "objective", "→ threads")):
        must("thread", "list")


def rows():
    """All rows of all tables."""
    path = "file:%s?mode=ro" % os.path.join(world, ".loom/grove.db")
    with sqlite3.connect(path, uri=True) as db:
        names = [name for name, in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        return {name: sorted(map(repr, db.execute('SELECT * FROM "%s"' % name)))
                for name in names if not name.startswith("sqlite_")
                and name != "epoch"}  # which is drawn by chance


def files():
    """All files of the project but the grove's own, with what is in them, and the person's goals."""
    goals = glob.glob(os.path.join(env["XDG_STATE_HOME"], "**", "goals.json"), recursive=True)
    found = {"goals.json": open(path, "rb").read() for path in goals}
    for folder, inside, names in os.walk(world):
        if folder == world:
            inside.remove(".loom")
        for name in names + inside:
            path = os.path.join(folder, name)
            found[os.path.relpath(path, world)] = (
                open(path, "rb").read() if os.path.isfile(path) else None)
    return found


def differ(before, after, but=()):
    return sorted(name for name in set(before) | set(after)
                  if name not in but and before.get(name) != after.get(name))


def fail(line, what, more=""):
    wrong.append(line)
    print("FAIL %s: %s %s" % (line, what, more))


def words_of(line):
    for name, node in nodes.items():
        line = line.replace(name, node)
    if line.startswith("→ "):
        return ["do", line[2:]]
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', line)]


def check_untouched(line, before, but):
    found = differ(before[0], rows(), but)
    if found:
        fail(line, "rows changed in", found)
    found = differ(before[1], files())
    if found:
        fail(line, "files changed:", found)


def try_alone(line, words, agent, letter, deeds):
    """What is not asked about: it looks, or keeps something in its own thread, or is refused."""
    before = rows(), files()
    code, out, err = run(*words, agent=agent)
    # A turn's own words stand in the log of whose turn it is.
    own = letter == "r" and ("remembers" in deeds or words[0] == "run")
    check_untouched(line, before, OWN if own else ())
    said = out + err
    if letter == "-" and (code != 1 or "hint:" not in said):
        fail(line, "not refused", said)
    if letter == "r" and "has to approve" in said:
        fail(line, "asked about", said)


def try_asking(line, words):
    again("ask", line)
    before = rows(), files()
    code, out, err = run(*words, agent="Claude")
    said = out + err
    check_untouched(line, before, {"proposal"})
    waits = re.search(r"loom approve ([0-9a-f]{12})", said)
    if code != 1 or not waits:
        fail(line, "does not wait", said)
        return
    code, out, err = run("approve", waits.group(1), text="the person's own input\n")
    approved = rows(), files(), code
    if run("approve", waits.group(1))[0] == 0:
        fail(line, "runs twice")
    again("auto", line)
    code, out, err = run(*words, agent="Claude")
    # A call that was approved is told to its agent: its thread's log is longer.
    but = OWN if line.startswith("→") else {"proposal"}
    found = differ(approved[0], rows(), but) + differ(approved[1], files(), {DERIVED})
    if found or code != approved[2]:
        fail(line, "approved it is another:", (found, code, approved[2], out, err))
    if code == 0 and "reads" not in line_deeds[line] and not differ(before[0], rows()) and \
            not differ(before[1], files()):
        fail(line, "would have changed nothing: it proves nothing")


nodes = make_world()
count = 0
line_deeds = {}
with open(table, encoding="utf-8") as file:
    lines = [row for row in file if not row.startswith("#") and row.strip()]
most = min(most, len(lines))
for number in range(most):
    row = lines[number * len(lines) // most]
    line, deeds, *cells = row.rstrip("\n").split("\t")
    cell = dict(text.split(" ") for text in cells)
    words = words_of(line)
    line_deeds[line] = deeds
    count += 1
    if cell["all"][1] == "a":
        try_asking(line, words)
    else:
        again("ask", line)
        try_alone(line, words, "Claude", cell["all"][1], deeds)
    if cell["analyst"][0] != "r" or "reads" not in deeds:
        again("auto", line)
        try_alone(line + " (analyst)", words, "Ana", cell["analyst"][0], deeds)
print("%d lines tried, %d wrong" % (count, len(wrong)))
sys.exit(bool(wrong) or count == 0)
