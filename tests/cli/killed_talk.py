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


def killed(argv, text, wait, refuses=False, answers=None):
    """Runs the program and kills it, if it does not end before; returns whether it was killed. `answers`
    gets the lines that it has answered whole."""
    global kills
    run = subprocess.Popen([loom, *argv], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    run.stdin.write(text.encode())
    run.stdin.close()
    try:
        run.wait(timeout=wait)
    except subprocess.TimeoutExpired:
        run.send_signal(signal.SIGKILL)
    out, err = run.stdout.read().decode(), run.stderr.read().decode()
    if answers is not None:
        answers += [json.loads(line) for line in out.splitlines(True) if line.endswith("\n")]
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
        self.kept = []       # what other doors have acknowledged: a kind of row, a text in it
        self.doors = 0

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
        what = chance.randrange(6)
        wait = chance.random() * 0.03
        if what == 0:
            killed(["-g", self.name, "summarize"], "", wait)
        elif what == 1:
            killed(["-g", self.name, "thread", "refresh", "T"], "", wait)
        elif what == 2:
            killed(["-g", self.name, "thread", "compact", "--thread", "T", "--keep", "3"], "", wait, True)
        else:
            self.doors += 1
            dead = (self.run_turn, self.drive, self.ask_mcp)[what - 3](2 * wait)
            self.may_know = [*self.may_know, set(self.files)] if dead else [set(self.files)]
            self.hold_kept()

    def run_turn(self, wait):
        """A turn whose model somebody else asks."""
        name = "Run %d" % self.doors
        dead = killed(["-g", self.name, "run", "-a", "Bo", "--thread", "T"],
                      name + " speaks.\n→ view r001\n", wait)
        if not dead:
            self.kept += [("ai_message", name + " speaks."), ("tool_action", "→ view r001")]
        return dead

    def drive(self, wait):
        """A run that another program keeps: a command that was answered is there."""
        name, answered = "Drive %d" % self.doors, []
        commands = [{"do": "run_start", "request_id": name, "content": name + " asks."}]
        commands += [{"do": "assistant", "request_id": name, "content": "%s says %d." % (name, i)} for i in range(3)]
        commands += [{"do": "run_end", "request_id": name, "outcome": "completed"}]
        dead = killed(["-g", self.name, "thread", "drive", "--thread", "T"],
                      "".join(json.dumps(one) + "\n" for one in commands), wait, answers=answered)
        assert all(one["result"] == "accepted" for one in answered), (self.name, answered)
        self.kept += [("ai_message", one["content"]) for one in commands[:len(answered)] if "content" in one]
        return dead

    def ask_mcp(self, wait):
        """A foreign agent says something, looks, and pins: what was answered holds."""
        name, answered = "Mcp %d" % self.doors, []
        calls = [{"method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                     "clientInfo": {"name": "t", "version": "1"}}},
                 {"method": "tools/call", "params": {"name": "loom", "arguments": {
                     "thread": "T", "text": "%s speaks.\n→ view r001\n→ pin %s" % (name, self.pinned[0])}}}]
        dead = killed(["-g", self.name, "mcp", "--agent", "Bo"],
                      "".join(json.dumps({"jsonrpc": "2.0", "id": n, **call}) + "\n" for n, call in enumerate(calls)),
                      wait, answers=answered)
        if any(one["id"] == 1 for one in answered):
            self.kept += [("ai_message", name + " speaks."), ("tool_action", "→ pin " + self.pinned[0])]
        return dead

    def hold_kept(self):
        """What was acknowledged is in the log, and what a door says there once at most."""
        rows = [(kind, json.dumps(row, ensure_ascii=False)) for kind, row in self.rows()]
        for kind, text in self.kept:
            assert any(kind == row[0] and text in row[1] for row in rows), (self.name, "is lost", kind, text)
        said = [row[1] for row in rows if row[0] == "ai_message"]
        for text in ["%s %d %s" % (door, i, what) for i in range(1, self.doors + 1)
                     for door, what in (("Run", "speaks."), ("Drive", "asks."), ("Mcp", "speaks."))]:
            assert sum(text in one for one in said) <= 1, (self.name, "is said twice", text)

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
        told = NEWS.findall("\n".join(m["content"] for m in body["messages"] if "Drive " not in m["content"]))
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
            self.hold_kept()
            began = time.monotonic()
            self.speak(2 * number + 1, 60)
            takes = (takes + time.monotonic() - began) / 2
        self.run("check", "--deep")
        assert not [row for row in self.run("jobs").splitlines() if "claimed" in row], "a job is held by the dead"


for window, small in ((1024, True), (2048, False), (4096, True), (16384, False)):
    Killed("k%d" % window, window, small).play()
assert kills, "nothing was ever killed"
print("seed %d: killed %d times" % (seed, kills))
