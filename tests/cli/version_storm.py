"""A person and an agent write into one buffer and edit each other's passages in random order, also
below versions that nobody reads any more. What each reads at any node is held against the rule of
paths: at a passage of several versions the one this reader chose, else the one that the next passage
was written from, else, where these were pruned, the newest. To stand on a version, to edit into one
and to answer one is to choose it.
usage: version_storm.py LOOM SEED STEPS, in an empty folder. Says what went wrong, or what was
done."""
import random
import re
import subprocess
import sys

from storm import Wrong, must, trace

loom, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
OWNER, AGENT = "Olga", "Ana"


def run(*argv, text_in=""):
    ended = subprocess.run([loom, *argv], input=text_in, capture_output=True, text=True)
    must(ended.returncode == 0, argv, ended.stdout, ended.stderr)
    return ended.stdout


def say(who, verb, node, text=None):
    """What one command prints, by either door."""
    rest = [] if text is None else [text]
    if who == OWNER:
        return run("do", verb, node, *rest)
    line = " ".join(["→", verb, node] + [f'"{word}"' for word in rest])
    return run("run", "-a", who, "-", text_in=line + "\n").split("\n", 1)[1]


class Passage:
    """A group: its versions by id, and the version it was written from."""

    def __init__(self, source):
        self.source = source
        self.versions = []

    def seen(self):
        return [version for version in self.versions if not version.pruned]


class Version:
    def __init__(self, name, passage, text, author):
        self.name, self.passage, self.text, self.author = name, passage, text, author
        self.pruned = False
        passage.versions.append(self)


versions = {"r001": Version("r001", Passage(None), "Begin.", OWNER)}
chosen = {OWNER: {}, AGENT: {}}


def path(reader, version):
    out = [version]
    while version.passage.source:
        source = version.passage.source
        version = next(one for one in (chosen[reader].get(source.passage), source,
                                       source.passage.seen()[-1]) if one and not one.pruned)
        out.append(version)
    return out[::-1]


def respond(who, below, text):
    said = say(who, "respond", below.name, text)
    made = re.match(r"✓ created \[(\S+)\] as continuation from \[(\S+)\]\n  switched to \[\1\]", said)
    must(made and made[2] == below.name, said)
    versions[made[1]] = new = Version(made[1], Passage(below), text, who)
    chosen[who][new.passage] = new
    if below.passage in chosen[who]:
        chosen[who][below.passage] = below
    trace.append((who, "responds", below.name, new.name, text))


def edit(who, old, text):
    said = say(who, "edit", old.name, text)
    count = len(old.passage.versions)
    name = old.name.split("'")[0] + ("'" * count if count < 4 else f"'{count}")
    must(said.startswith(f"✓ created version [{name}] from [{old.name}]\n"), said, "not", name)
    versions[name] = chosen[who][old.passage] = Version(name, old.passage, text, who)
    trace.append((who, "edits", old.name, name, text))


def prune():
    """A version that others stand beside, or one that was pruned comes back."""
    version = rng.choice(list(versions.values()))
    if version.pruned:
        said = run("do", "restore", version.name)
        must(said == f"✓ restored [{version.name}]\n", said)
    elif version.passage.source and len(version.passage.seen()) > 1:
        said = run("do", "prune", version.name)
        must(said == f"✓ pruned [{version.name}]\n", said)
    else:
        return
    version.pruned = not version.pruned
    trace.append((said,))


def prose(reader, version):
    if reader == OWNER:
        return run("do", "view", f"branch:{version.name}", "as:prose")
    line = f"→ view branch:{version.name} as:prose\n"
    return run("run", "-a", reader, "-", text_in=line).split("\n", 1)[1]


def look(reader, version):
    nodes = path(reader, version)
    wanted = nodes[0].text + "".join(
        "︱" + ("›" if node.author == AGENT else "") + node.text for node in nodes[1:])
    got = prose(reader, version).rstrip("\n")
    must(got == wanted, reader, "at", version.name, "\n got ", got, "\n want", wanted)


def main():
    run("init")
    run("new", "--title", "Storm", "--mode", "buffer", "--root", "Begin.")
    run("agent", "add", AGENT, "--permissions", "all", "--approval", "auto")
    for step in range(steps):
        who = rng.choice([OWNER, OWNER, AGENT])
        act = respond if rng.random() < .55 else edit
        seen = [version for version in versions.values() if not version.pruned]
        act(who, rng.choice(seen), f" {rng.choice(['word', 'é', '日'])} {step}.")
        if rng.random() < .3:
            prune()
    seen = [version for version in versions.values() if not version.pruned]
    for version in rng.sample(seen, min(8, len(seen))):
        look(OWNER, version)
        look(AGENT, version)
    run("verify")
    print(f"{len(versions)} versions of {len({v.passage for v in versions.values()})} passages")


try:
    main()
except Wrong as wrong:
    print(f"seed {seed}: {wrong}", file=sys.stderr)
    sys.exit(1)
