"""A conversation whose program is killed at random: while it sums up, begins, asks, acts or ends; and
what stands beside it: summaries, turns of `loom run`, drives and MCP. Nothing that was acknowledged is
lost, nothing is said twice, each request that arrived is in the log, keeps the rules of talk.py, and is
told of the thread's files as they are.

usage: killed_talk.py PROGRAM SEED TURNS
"""
import json
import os
import re
import shutil
import signal
import subprocess
import time

import talk
from talk import Conversation, asked, chance, loom, seed, turns, words

kills = 0
NEWS = re.compile(r"^=== Thread ===\n(.*?)\n===$", re.M | re.S)


def killed(argv, text, wait, refuses=False):
    """Runs the program and kills it, if it does not end before; returns whether it was killed."""
    global kills
    run = subprocess.Popen([loom, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdin.write(text.encode())
    run.stdin.close()
    try:
        run.wait(timeout=wait)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGKILL)
    out, err = run.stdout.read().decode(), run.stderr.read().decode()
    if run.wait() == -signal.SIGKILL:
        kills += 1
        return True
    assert run.returncode == 0 or refuses and "REFUSED" in err, (argv, run.returncode, out, err)
    return False


class Killed(Conversation):
    def __init__(self, name, window, small):
        super().__init__(name, window, small)
        self.run("thread", "spawn", "--objective", "goal", "--id", "S", "-a", "Bo")
        self.run("thread", "ref", "--from", "T", "--target", "S", "--binding", "live")
        self.said = []       # texts of turns that were acknowledged
        self.files = set()   # of S
        self.may_know = [set()]

    def rows(self):
        out = self.run("thread", "log", "T", "--last", "100000").splitlines()
        rows = [line.split(" ", 2) for line in out if re.match(r"\d+ \w+ ", line)]
        assert [int(row[0]) for row in rows] == list(range(len(rows))), "the log has gaps"
        return [(row[1], json.loads(row[2])) for row in rows]

    def change(self):
        """A file of S comes, or goes."""
        name = chance.choice(["plan.md", "progress.md", "design", "learnings"])
        path = os.path.join(self.name, ".leslie/threads/S", name)
        self.files ^= {name}
        if name not in self.files:
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
            return
        if "." not in name:
            os.makedirs(path, exist_ok=True)
            path += "/one.md"
        with open(path, "w") as out:
            out.write("more\n")

    def beside(self):
        """Something else dies in the middle."""
        what = chance.randrange(4)
        wait = chance.random() * 0.03
        if what == 0:
            killed(["-g", self.name, "summarize"], "", wait)
        elif what == 1:
            killed(["-g", self.name, "run", "-a", "Bo", "--thread", "T"], "Prose.\n→ view r001\n", wait)
        elif what == 2:
            killed(["-g", self.name, "thread", "refresh", "T"], "", wait)
        else:
            killed(["-g", self.name, "thread", "compact", "--thread", "T", "--keep", "3"], "", wait, True)

    def speak(self, number, wait):
        """One turn, which may be killed; the rules hold for what was sent."""
        answers = ["→ view r001\n"] if chance.random() < 0.3 else []
        talk.answers[:] = answers + [words("Answer %d" % number, chance.randrange(self.window // 25))]
        before = len(asked)
        text = words("Turn %d" % number, chance.randrange(self.window // 25))
        dead = killed(["-g", self.name, "chat", "--thread", "T", "--input", text], "", wait)
        sent = [body for body in asked[before:] if body["model"] == "m"]
        rows = self.rows()
        log = [row for kind, row in rows if kind == "ai_message"]
        inputs = sum(kind == "model_input" for kind, _ in rows)
        assert inputs >= self.inputs + len(sent), "a request was sent that nobody recorded"
        self.inputs = inputs
        for body in sent:
            self.check(body, text, log, number)
            self.hold_news(body, number)
        if sent:
            self.may_know = [set(self.files)]
        elif dead:
            self.may_know.append(set(self.files))
        if not dead:
            self.said.append(text)
        heard = [row["content"].split("</thread_context>\n\n")[-1] for row in log if row["role"] == "user"]
        for one in self.said:
            assert heard.count(one) == 1, ("a turn is %d times in the log" % heard.count(one), one)
        assert len(heard) == len(set(heard)), "something was said twice"
        asked.clear()

    def hold_news(self, body, number):
        """What changed in S is told, once."""
        told = NEWS.findall("\n".join(m["content"] for m in body["messages"]))
        place = (self.name, number, told, self.files, self.may_know)
        if self.files not in self.may_know:
            assert len(told) == 1 and "S" in told[0], place
        if all(known == self.files for known in self.may_know):
            assert not told, place

    def play(self):
        self.inputs = sum(kind == "model_input" for kind, _ in self.rows())
        takes = 0.1  # seconds, a turn
        for number in range(turns):
            if chance.random() < 0.4:
                self.change()
            if chance.random() < 0.3:
                self.beside()
            talk.pause[0] = 0.02
            self.speak(2 * number, chance.random() * 1.2 * takes)
            talk.pause[0] = 0
            began = time.monotonic()
            self.speak(2 * number + 1, 60)
            takes = (takes + time.monotonic() - began) / 2
        self.run("check", "--deep")
        assert not [row for row in self.run("jobs").splitlines() if "claimed" in row], "a job is held by the dead"


for window, small in ((1024, True), (2048, False), (4096, True), (16384, False)):
    Killed("k%d" % window, window, small).play()
assert kills, "nothing was ever killed"
print("seed %d: killed %d times" % (seed, kills))
