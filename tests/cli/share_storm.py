"""Four threads write, remove, refer to one another, copy anew and vanish in random order. What a
thread is given and what it reads is held against a model of the rules: own assets as they stand,
references in the order they were made, one level deep; frozen ones as they were copied, live ones
as they are; circles refused with nothing changed; who is gone is warned of and left out.
usage: share_storm.py LOOM SEED STEPS, in an empty folder. Says what went wrong, or what was done."""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

from storm import Wrong, must, trace

loom, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
IDS = ["A", "B", "C", "D"]
HOME = ".leslie/threads/"
RELATIONS = ".leslie/thread_relations.json"
TYPES = ["plan", "progress", "design", "learnings", "transcript"]
NAMES = ["plan.md", "plan/x.md", "progress.md", "design.md", "design/a.md", "design/s/b.sql",
         "design/é\"'.md", "learnings/l.md", "transcript.md", "notes.txt", "code/m.c", "é ü/z&<.md"]


def same(what, got, want):
    must(got == want, what, "\n got ", got, "\n want", want)


def run(*argv):
    return subprocess.run([loom, *argv], capture_output=True, stdin=subprocess.DEVNULL)


def type_of(name):
    top, _, below = name.partition("/")
    word = top if below else top.removesuffix(".md")
    return word if word in TYPES and (below or top.endswith(".md")) else None


def snapshot():
    """Every file below .leslie, with its bytes."""
    return {path: open(path, "rb").read() for folder, _, files in os.walk(".leslie")
            for path in (os.path.join(folder, file) for file in files)}


class Thread:
    def __init__(self, name):
        self.name = name
        self.files = {}   # by name
        self.below = {}   # top-level name: whether it stands in artifacts/
        self.refs = []
        self.gone = False

    def real(self, name):
        return ("artifacts/" if self.below.get(name.split("/")[0]) else "") + name

    def path(self, name):
        return HOME + self.name + "/" + self.real(name)

    def take(self, scope):
        """What a reference with this scope is given now."""
        return {name: text for name, text in self.files.items()
                if (name != "transcript.md" if scope is None else
                    name == scope or name.startswith(scope + "/"))}

    def known(self, names, transcripts):
        out = []
        for kind in TYPES[:None if transcripts else -1]:
            if kind + ".md" in names:
                out.append((kind, self.path(kind + ".md")))
            if any(name.startswith(kind + "/") for name in names):
                out.append((kind, self.path(kind) + "/"))
        return out

    def given(self, scope, names):
        """The assets that a reference with this scope shows of these names."""
        if scope is None:
            return self.known(names, False)
        if scope in names:
            return [(type_of(scope), self.path(scope))] if type_of(scope) else []
        kind = type_of(scope + "/x")
        return [(kind, self.path(scope) + "/")] if names and kind else []


threads = {name: Thread(name) for name in IDS}


class Ref:
    def __init__(self, target, scope, frozen):
        self.target, self.scope, self.frozen = target, scope, frozen
        self.names = target.take(scope) if frozen else None

    def now(self):
        return self.names if self.frozen else self.target.take(self.scope)

    def covers(self, name):
        return name != "transcript.md" if self.scope is None else \
            name == self.scope or name.startswith(self.scope + "/")


def reaches(start, goal):
    seen, stack = set(), [start]
    while stack:
        at = stack.pop()
        if at is goal:
            return True
        if at not in seen:
            seen.add(at)
            stack += [ref.target for ref in at.refs]
    return False


def living():
    return [thread for thread in threads.values() if not thread.gone]


def put_or_remove():
    thread, name = rng.choice(living()), rng.choice(NAMES)
    top = name.split("/")[0]
    thread.below.setdefault(top, rng.random() < .4 and name != "transcript.md")
    path = thread.path(name)
    if name in thread.files and rng.random() < .4:
        trace.append(("remove", path))
        os.remove(path)
        del thread.files[name]
        while "/" in name and not os.listdir(os.path.dirname(path)):
            path, name = os.path.dirname(path), os.path.dirname(name)
            os.rmdir(path)
        return
    thread.files[name] = f"{rng.randrange(99)} {name}".encode()
    trace.append(("put", path))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(thread.files[name])


def refer():
    if len(living()) < 2:
        return
    source, target = rng.sample(living(), 2)
    if any(ref.target is target for ref in source.refs):
        return
    frozen = rng.random() < .65
    scope = rng.choice([None, *target.files, *(name.split("/")[0] for name in target.files
                                               if "/" in name)])
    argv = ["--binding", "frozen" if frozen else "live"]
    if scope:
        argv += ["--scope", (target.real(scope) if rng.random() < .3 else scope)]
    before = snapshot()
    ended = run("thread", "ref", "--from", source.name, "--target", target.name, *argv)
    trace.append(("ref", source.name, target.name, *argv))
    if reaches(target, source):
        same("a circle", (ended.returncode, b"Circular reference detected (" in ended.stderr),
             (1, True))
        same("a refused circle changes nothing", snapshot(), before)
        return
    same("a reference " + ended.stderr.decode(), ended.returncode, 0)
    source.refs.append(Ref(target, scope, frozen))


def refresh():
    thread = rng.choice(living())
    trace.append(("refresh", thread.name))
    ended = run("thread", "refresh", thread.name)
    bad = False
    for ref in (ref for ref in thread.refs if ref.frozen):
        names = ref.target.take(ref.scope)
        if ref.target.gone or (ref.scope and not names):
            bad = True
        else:
            ref.names = names
    same("a refresh " + ended.stderr.decode(), ended.returncode, 1 if bad else 0)


def vanish():
    if len(living()) < 3:
        return
    thread = rng.choice(living())
    trace.append(("vanish", thread.name))
    with open(RELATIONS, encoding="utf-8") as file:
        relations = json.load(file)
    del relations["threads"][thread.name]
    relations["relations"].pop(thread.name, None)
    with open(RELATIONS, "w", encoding="utf-8") as file:
        json.dump(relations, file)
    shutil.rmtree(HOME + thread.name)
    thread.gone, thread.refs = True, []


def look():
    thread = rng.choice(living())
    trace.append(("load", thread.name))
    ended = run("thread", "load", thread.name)
    same("a load", ended.returncode, 0)
    root = ET.fromstring(ended.stdout)
    assets = lambda at: [(asset.get("type"), asset.get("path")) for asset in at.findall("asset")]
    same("own assets", assets(root), thread.known(thread.files, True))
    wanted = [(ref.target.name, ref.target.given(ref.scope, ref.now()))
              for ref in thread.refs if not ref.target.gone]
    same("references", [(ref.get("thread"), assets(ref)) for ref in root.findall("ref")],
         [(name, given) for name, given in wanted if given])
    same("warnings", sorted(re.findall(rb"Referenced Thread (\S+) not found", ended.stderr)),
         sorted(ref.target.name.encode() for ref in thread.refs if ref.target.gone))
    vanished = {(ref.scope, ref.target.name) for ref in thread.refs
                if not ref.frozen and ref.scope and not ref.target.gone
                and not os.path.lexists(ref.target.path(ref.scope))}
    said = re.findall(r"Referenced file (?:artifacts/)?(.+) of (\S+) not found", ended.stderr.decode())
    same("what vanished", sorted(set(said)), sorted(vanished))
    for name in rng.sample(NAMES, 4):
        read(thread, name)


def read(thread, name):
    frozen = [ref for ref in thread.refs if ref.frozen and name in ref.names]
    live = [ref for ref in thread.refs if not ref.frozen and ref.covers(name)]
    there = [ref for ref in live if not ref.target.gone and name in ref.target.files]
    if len(frozen) > 1 or (not frozen and len(there) > 1):
        return  # the first to come keeps a name: that is older than what is known here
    ended = run("thread", "read", thread.name, name)
    trace.append(("read", thread.name, name))
    if frozen or there:
        text = frozen[0].names[name] if frozen else there[0].target.files[name]
        same("what is read", (ended.returncode, ended.stdout), (0, text))
        return
    same("what cannot be read", (ended.returncode, ended.stdout), (1, b""))
    if not live:
        must(b"File not referenced" in ended.stderr, ended.stderr.decode())
    elif any(ref.scope == name for ref in live):
        must(b"T202" in ended.stderr, ended.stderr.decode())


def main():
    must(run("init").returncode == 0, "no grove")
    must(run("objective", "new", "--title", "Storm", "--id", "o").returncode == 0, "no objective")
    for name in IDS:
        ended = run("thread", "spawn", "--objective", "o", "--intent", name, "--id", name)
        must(ended.returncode == 0, ended.stderr.decode())
    acts = [put_or_remove] * 8 + [refer] * 6 + [refresh] * 2 + [look] * 5 + [vanish]
    for _ in range(steps):
        rng.choice(acts)()
    print(f"{len(trace)} steps, {len(living())} threads left")


try:
    main()
except Wrong as wrong:
    print(f"seed {seed}: {wrong}", file=sys.stderr)
    sys.exit(1)
