"""A person and two agents do whatever an operation can be, one by one and in batches, in random
order; after each step everything is looked at that can be seen. What is refused changes nothing. An
operation that is taken back and repeated, by whomever, leads to the same sight, or is refused with
the name of what stands upon it. In the end all are taken back, the newest first, and repeated: the
way leads through the same sights to the beginning, and from there to the end again.
usage: undo_storm.py LOOM SEED STEPS, in an empty folder. Says what went wrong, or what was done."""
import json
import os
import random
import re
import subprocess
import sys

loom, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
os.environ.update(LOOM_NOW="2026-02-23T10:00:00Z", LOOM_SEED=str(seed))
AGENTS = ["Ada", "Bob"]
WORDS = ["rain", "a door", "Märie", "寒い", "the 'old' house", "→ inline", "tab\there", "#x", "a.b",
         "x'2"]
REFUSED = r"operation \d+ .*operation \d+|in use again|already undone|not yours"
nodes = []  # TREE/ID, also of what is gone
trees = []
docs = []
done = {}   # how often which kind of step was taken


class Wrong(Exception):
    pass


def must(condition, *what):
    if not condition:
        raise Wrong(" ".join(map(str, what)))


def run(*argv, ok=(0,), text_in="", who=None):
    world = dict(os.environ, LOOM_AGENT=who) if who else os.environ
    ended = subprocess.run([loom, *argv], input=text_in, capture_output=True, text=True, env=world)
    must(ended.returncode in ok, argv, repr(text_in), "ends with", ended.returncode, ended.stdout,
         ended.stderr)
    return ended


def said(*argv):
    # who searches for what is not there is told so by the exit status too
    return json.loads(run(*argv, "--json", ok=(0, 1) if argv[0] == "grep" else (0,)).stdout)


def below(tree):
    return said("tree", "--depth", "99", tree + "/r001")


def sight():
    """All that can be seen, but where somebody stands and when somebody was last there."""
    seen = {"trees": [], "tags": said("tag"), "agents": said("agent", "list"), "docs": said("doc", "list"),
            "all": run("export", "--grove", "--format", "json").stdout.splitlines(),
            "found": [said("grep", word) for word in ("rain", "marie")]}
    for tree in sorted(said("trees")["trees"], key=lambda row: row["id"]):
        del tree["active"], tree["current"]
        shape = below(tree["id"])
        del shape["position"]
        kept = [run("do", *who, "-t", tree["id"], "memory").stdout.splitlines()
                for who in [()] + [("-a", agent) for agent in AGENTS]]
        seen["trees"].append([tree, shape, [[x for x in lines if "Context:" not in x] for lines in kept]])
    return seen


def differ(a, b, path=""):
    """Where two sights differ first, and how."""
    if isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return next((differ(a[k], b[k], path + "." + k) for k in a if a[k] != b[k]), "")
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return next((differ(x, y, "%s[%d]" % (path, i)) for i, (x, y) in enumerate(zip(a, b)) if x != y), "")
    return "%s: %r / %r" % (path, a, b) if a != b else ""


def must_be(wanted, *what):
    now = sight()
    must(now == wanted, *what, differ(wanted, now))


def learn(seen):
    trees[:] = [row[0]["id"] for row in seen["trees"]]
    docs[:] = [row["name"] for row in seen["docs"]["documents"]]
    for _, shape, _ in seen["trees"]:
        for name in ["r001"] + [row["id"] for row in shape["below"]]:
            if shape["id"] + "/" + name not in nodes:
                nodes.append(shape["id"] + "/" + name)


def text():
    return " ".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 6)))


def label():
    return rng.choice(["one", "two", "three"])


def call(tree):
    """A line of the language that makes an operation in a tree, or would like to."""
    mine = [node.split("/")[1] for node in nodes if node.startswith(tree)] or ["r001"]
    node, other, doc = rng.choice(mine), rng.choice(mine), rng.choice(docs + ["plan", "notes"])
    quoted = "\"%s\"" % text()
    return rng.choice([
        "respond %s %s" % (node, quoted), "respond %s %s" % (node, quoted),
        "respond %s %s as:context" % (node, quoted), "respond %s %s as:instruction" % (node, quoted),
        "continue from %s n:2 tokens:5" % node, "annotate %s %s" % (node, quoted),
        "edit %s %s" % (node, quoted), "edit %s %s as:branch" % (node, quoted),
        "edit %s %s as:version" % (node, quoted), "link %s to %s" % (node, other),
        "link %s to %s note:%s" % (node, other, quoted), "link %s to doc:\"%s\"" % (node, doc),
        "bookmark %s" % node, "bookmark %s \"%s\"" % (node, label()), "unbookmark %s" % node,
        "tag %s \"%s\"" % (node, label()), "untag %s \"%s\"" % (node, label()), "exclude %s" % node,
        "include %s" % node, "prune %s" % node, "restore %s" % node, "restore %s" % node,
        "write doc:\"%s\" append %s" % (doc, quoted), "write doc:\"%s\" at:start %s" % (doc, quoted),
        "pin %s" % node, "pin doc:\"%s\"" % doc, "drop pin:%s" % node, "recall \"%s\"" % label(),
        "stash \"%s\" %s" % (label(), quoted), "stash \"%s\" content-of:%s" % (label(), node),
        "drop stash:\"%s\"" % label(), "drop recall:\"%s\"" % label(), "switch to %s" % node])


def step():
    """What is done next: its kind, the arguments, and what stands on standard input."""
    node, other, tree = rng.choice(nodes), rng.choice(nodes), rng.choice(trees)
    doc, turn = rng.choice(docs + ["plan", "notes"]), ["run", "-a", rng.choice(AGENTS), "-t", tree]
    what = rng.randrange(20)
    if what < 9:
        line = call(tree)
        return line.split()[0], turn, "→ %s\n" % line
    if what < 12:
        return "batch", turn, "".join("→ %s\n" % call(tree) for _ in range(rng.randrange(2, 6)))
    return rng.choice([
        ("tags", ["tag", node, label(), label()], ""), ("untag", ["tag", "-d", node, label()], ""),
        ("link", ["link", node, other, "--note", text()], ""), ("unlink", ["link", "-d", node, other], ""),
        ("link-tree", ["link", node, "--tree", tree], ""), ("link-doc", ["link", node, "--doc", doc], ""),
        ("doc", ["doc", "write", doc], "# %s\n%s\n" % (label(), text())),
        ("doc-append", ["doc", "write", "--append", doc], text() + "\n"),
        ("title", ["tree", "set", "-t", tree, "--title", text()], ""),
        ("about", ["tree", "set", "-t", tree, "--description", text(), "--system", text()], ""),
        ("subject", ["subject", "-t", tree, "ngram"], ""),
        ("model", ["agent", "set", "Bob", "--model", rng.choice(["ngram", "other"])], ""),
        ("sampling", ["agent", "set", "Ada", "--sampling", "{\"temperature\":0.%d}" % rng.randrange(1, 9)], ""),
        ("new", ["new", "--title", text(), "--mode", rng.choice(["dialogue", "buffer"]), "--root", text()], ""),
        ("import", ["import", "-"], "## User\n\n%s\n\n## Assistant\n\n%s\n" % (text(), text()))])


def turn_back(op, now):
    """Takes one back, a listed one or an agent its own last, and repeats it; whether that was had."""
    who = rng.choice([None, None] + AGENTS)
    ended = run("undo", *([] if who else [str(op)]), ok=(0, 1), who=who)
    if not ended.returncode:
        run("redo", who=who)
    elif "nothing to undo" not in ended.stderr:
        must("CONFLICT" in ended.stderr and re.search(REFUSED, ended.stderr), "undo", op, ended.stderr)
    must_be(now, "undo" if ended.returncode else "undo and redo", "of", op, who or "", "changes")
    return not ended.returncode


def newest():
    return said("ops", "--last", "1")["ops"][0]["op"]


def check():
    run("check", "--deep")
    run("verify")


def storm():
    run("init")
    for agent in AGENTS:
        run("agent", "add", agent, "--permissions", "all", "--approval", "auto")
    run("new", "--title", "One", "--root", "Once, rain.")
    run("new", "--title", "Two", "--mode", "buffer", "--root", "Twice.")
    ops, sights, refused, back = [newest()], [sight()], 0, 0
    learn(sights[0])
    for _ in range(steps):
        kind, argv, given = step()
        ended = run(*argv, ok=(0, 1), text_in=given)
        op = newest()
        if op == ops[-1]:
            refused += 1
            must_be(sights[-1], argv, repr(given), "is no operation and changes", ended.stderr)
            continue
        must(op == ops[-1] + 1, argv, repr(given), "made operations", ops[-1], "to", op)
        done[kind] = done.get(kind, 0) + 1
        ops.append(op)
        sights.append(sight())
        learn(sights[-1])
        if rng.random() < 0.5:
            back += turn_back(rng.choice(ops[1:]), sights[-1])
    check()
    for i in range(len(ops) - 1, 0, -1):
        run("undo", str(ops[i]))
        must_be(sights[i - 1], "undo of", ops[i], "leads elsewhere:")
    check()
    for i in range(1, len(ops)):
        run("redo")
        must_be(sights[i], "redo of", ops[i], "leads elsewhere:")
    check()
    must(steps < 20 or (len(done) > 6 and refused and back), "too little was done:", done, refused, back)
    print("%d operations, %d refused, %d turned back:" % (len(ops) - 1, refused, back),
          " ".join("%s %d" % row for row in sorted(done.items())))


try:
    storm()
except Wrong as wrong:
    print("seed %d: %s" % (seed, str(wrong)[:3000]))
    sys.exit(1)
