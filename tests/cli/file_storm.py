"""What people do with the files of a grove, at random: copies of one file or of all, moves, syncs
between two places, restores, removals, at rest and while programs have it open, and kills between
them. Each story is of two groves; every text is written once. The oracle: what a grove shows is a
state that some grove had been in, never a mixture; what was acknowledged is there, unless a file was
taken away or replaced, or the program says which file is strange.
usage: file_storm.py LOOM SEED STEPS, in an empty folder. Says what went wrong, or what was done."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys

from storm import must, trace

loom, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
FILES = ["grove.db", "grove.db-wal", "grove.db-shm"]
READER = """import sqlite3, sys
reader = sqlite3.connect(sys.argv[1], isolation_level=None)
reader.execute("BEGIN")
reader.execute("SELECT count(*) FROM node").fetchall()
print(flush=True)
sys.stdin.read()
import os
os._exit(0)
"""
counts = {}


class Story:
    def __init__(self, number):
        self.rng = random.Random("%d/%d" % (seed, number))
        self.dir = "s%d" % number
        self.number = 0
        self.states = set()  # all that a grove may show
        self.now = {}        # grove: the states that it may be in
        self.open = {}       # grove: programs that have it open
        self.saved = []      # (file or folder, what may be in it)
        os.mkdir(self.dir)

    # --- the program ---

    def run(self, grove, *argv):
        return subprocess.run([loom, *argv], capture_output=True, stdin=subprocess.DEVNULL,
                              cwd=self.path(grove))

    def path(self, grove, name=""):
        return os.path.join(self.dir, grove, name)

    def file(self, grove, name="grove.db"):
        return self.path(grove, ".loom/" + name)

    def see(self, grove):
        """The texts that are there; None: it is refused, with a word."""
        got = self.run(grove, "export", "--format", "json", "-o", "-")
        if got.returncode:
            must(got.stderr, "refused without a word")
            return None
        # Of the texts alone: names, keys and seals are drawn, and may hold such a word too.
        texts = [node["text"] for tree in json.loads(got.stdout)["trees"] for node in tree["nodes"]]
        return frozenset(text for text in texts if re.fullmatch(r"w\d+", text))

    def text(self):
        self.number += 1
        return "w%d" % self.number

    def acknowledged(self, grove, text):
        self.now[grove] = {state | {text} for state in self.now[grove]}
        self.states |= self.now[grove]

    # --- what people and programs do ---

    def write(self, grove):
        text = self.text()
        got = self.run(grove, "do", "respond", "r001", text)
        trace.append("  %s %s %d %s" % (grove, text, got.returncode, (got.stderr or got.stdout)[:90]))
        if got.returncode == 0:
            self.acknowledged(grove, text)
        else:
            must(got.stderr or got.stdout, "a write was refused without a word")

    def begin_screen(self, grove):
        if len(self.open[grove]) < 2:
            process = subprocess.Popen([loom, "run", "-a", "A"], cwd=self.path(grove),
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)
            self.open[grove].append(process)

    def begin_reader(self, grove):
        """Somebody reads for long: nothing can be folded."""
        process = subprocess.Popen([sys.executable, "-c", READER, self.file(grove)],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        process.stdout.readline()
        self.open[grove].append(process)

    def begin_events(self, grove):
        self.open[grove].append(subprocess.Popen(
            [loom, "events", "--follow"], cwd=self.path(grove), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def end_all(self, grove):
        for one in self.open[grove]:
            one.send_signal(self.rng.choice([signal.SIGKILL, signal.SIGTERM]))
            if one.stdin:
                one.stdin.close()
            one.wait()
        self.open[grove] = []

    def end_one(self, grove):
        if self.open[grove]:
            one = self.rng.choice(self.open[grove])
            one.send_signal(signal.SIGTERM)
            if one.stdin:
                one.stdin.close()
            one.wait()
            self.open[grove].remove(one)

    def backup(self, grove):
        name = os.path.join(self.dir, "b%d.db" % self.number)
        self.number += 1
        if self.run(grove, "backup", os.path.abspath(name)).returncode == 0:
            self.saved.append((name, self.alone(name)))

    def save_file(self, grove):
        name = os.path.join(self.dir, "f%d.db" % self.number)
        self.number += 1
        if os.path.exists(self.file(grove)):
            shutil.copy(self.file(grove), name)
            self.saved.append((name, self.alone(name)))

    def alone(self, name):
        """What a file is without its log."""
        shutil.rmtree(self.path("alone"), ignore_errors=True)
        os.makedirs(self.path("alone", ".loom"))
        shutil.copy(name, self.file("alone"))
        seen = self.see("alone")
        must(seen is None or seen in self.states, "a file alone holds a mixture", name, seen)
        return seen

    def put_file(self, grove):
        if not self.saved:
            return
        name, state = self.rng.choice(self.saved)
        if self.rng.random() < 0.5:
            shutil.copy(name, self.file(grove))
        else:
            shutil.copy(name, self.file(grove, "new"))
            os.rename(self.file(grove, "new"), self.file(grove))
        self.now[grove] = self.now[grove] | ({state} if state is not None else set())

    def restore(self, grove):
        backups = [one for one in self.saved if one[1] is not None]
        if not backups:
            return
        name, state = self.rng.choice(backups)
        got = self.run(grove, "restore", os.path.abspath(name), "--yes")
        trace.append("  restore %s %d %s" % (name, got.returncode, (got.stderr or got.stdout)[:90]))
        if got.returncode == 0:
            self.now[grove] = {state}
        else:
            must(got.stderr, "a restore was refused without a word")

    def sync(self, grove):
        """One file of the other place, or all of them, as a sync folder has it."""
        other = "two" if grove == "one" else "one"
        names = self.rng.choice([["grove.db"], ["grove.db-wal"], FILES[:2], FILES])
        for name in names:
            if os.path.exists(self.file(other, name)):
                shutil.copy(self.file(other, name), self.file(grove, name))
        self.now[grove] = self.now[grove] | self.now[other]
        if "grove.db-wal" in names:
            self.may_be_alone(grove)  # it may be an earlier copy of its own log, put there before
        for name in names[:1]:
            if name == "grove.db" and os.path.exists(self.file(other)):
                seen = self.alone(self.file(other))
                self.now[grove] |= {seen} if seen is not None else set()
        if os.path.exists(self.file(grove)):
            seen = self.alone(self.file(grove))
            self.now[grove] |= {seen} if seen is not None else set()

    def keep_log(self, grove):
        if os.path.exists(self.file(grove, "grove.db-wal")):
            shutil.copy(self.file(grove, "grove.db-wal"), os.path.join(self.dir, "log"))

    def put_log(self, grove):
        if os.path.exists(os.path.join(self.dir, "log")):
            shutil.copy(os.path.join(self.dir, "log"), self.file(grove, "grove.db-wal"))
            self.may_be_alone(grove)

    def cut_log(self, grove):
        name = self.file(grove, "grove.db-wal")
        if not self.open[grove] and os.path.exists(name) and os.path.getsize(name):
            os.truncate(name, self.rng.randrange(os.path.getsize(name)))
            self.may_be_alone(grove)

    def remove(self, grove):
        name = self.rng.choice(FILES[1:] + ["grove.db-shm"])
        if os.path.exists(self.file(grove, name)):
            if name != "grove.db-shm" or not self.open[grove]:
                os.unlink(self.file(grove, name))
        if name == "grove.db-wal":
            self.may_be_alone(grove)

    def may_be_alone(self, grove):
        seen = self.alone(self.file(grove)) if os.path.exists(self.file(grove)) else None
        self.now[grove] |= {seen} if seen is not None else set()
        # a log that was cut, or put back, may end at any state that it had
        if seen is not None:
            self.now[grove] |= {state for state in self.states if seen <= state}

    # --- the oracle ---

    def look(self, grove):
        seen = self.see(grove)
        trace.append("  %s shows %s" % (grove, seen if seen is None else len(seen)))
        if seen is None:
            return
        must(seen in self.states, grove, "shows a mixture", sorted(seen), "of",
             [sorted(one) for one in self.now[grove]])
        must(seen in self.now[grove], grove, "shows", sorted(seen), "and may be",
             [sorted(one) for one in self.now[grove]])
        got = self.run(grove, "check", "--deep")
        must(got.returncode == 0, grove, "check --deep", got.stdout, got.stderr)
        self.now[grove] = {seen}

    def settle(self, grove):
        """Nobody has it open any more, and what is strange is moved away as was said."""
        self.end_all(grove)
        if self.see(grove) is None and os.path.exists(self.file(grove)):
            for name in FILES[1:]:
                if os.path.exists(self.file(grove, name)):
                    os.unlink(self.file(grove, name))
            self.may_be_alone(grove)
            if self.see(grove) is None:
                self.restore(grove)
        self.look(grove)
        log = self.file(grove, "grove.db-wal")
        must(self.see(grove) is None or not os.path.exists(log) or not os.path.getsize(log),
             grove, "has a log at rest")

    # --- the story ---

    def begin(self):
        os.makedirs(self.path("one"))
        for argv in (["init"], ["new", "--title", "T", "--root", "r"],
                     ["agent", "add", "A", "--permissions", "all"]):
            got = self.run("one", *argv)
            must(got.returncode == 0, argv, got.stderr)
        self.states.add(frozenset())
        self.now = {"one": {frozenset()}}
        self.open = {"one": [], "two": []}
        self.write("one")
        if self.rng.random() < 0.5:
            self.end_all("one")
            shutil.copytree(self.path("one"), self.path("two"))
            self.now["two"] = set(self.now["one"])
        else:
            self.backup("one")
            os.makedirs(self.path("two"))
            got = self.run("two", "-g", ".", "restore", os.path.abspath(self.saved[0][0]), "--yes")
            must(got.returncode == 0, "restore to a fresh place", got.stderr)
            self.now["two"] = {self.saved[0][1]}

    def tell(self):
        deeds = [self.write] * 5 + [self.look] * 2 + [
            self.begin_screen, self.begin_reader, self.begin_events, self.end_all, self.end_one,
            self.backup, self.save_file, self.put_file, self.restore, self.sync, self.keep_log,
            self.put_log, self.cut_log, self.remove, self.settle]
        self.begin()
        for _ in range(14):
            deed = self.rng.choice(deeds)
            grove = self.rng.choice(["one", "two"])
            trace.append("%s %s" % (deed.__name__, grove))
            counts[deed.__name__] = counts.get(deed.__name__, 0) + 1
            deed(grove)
        for grove in ("one", "two"):
            trace.append("at the end " + grove)
            self.settle(grove)


for number in range(steps):
    trace.clear()
    trace.append("story %d" % number)
    story = Story(number)
    try:
        story.tell()
    finally:
        for grove in story.open:
            story.end_all(grove)
    shutil.rmtree(story.dir)
print("%d stories: %s" % (steps, ", ".join("%d %s" % (n, name) for name, n in sorted(counts.items()))))
