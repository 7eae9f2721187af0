"""Random commands at `loom thread drive`, `op` and `append` in one thread, held against a small
model of the rules; the program is killed now and then, also before it has answered.
usage: drive_storm.py LOOM SEED ROUNDS, in an empty folder. Says what went wrong, or nothing."""
import json
import os
import random
import signal
import subprocess
import sys

loom, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
LANES = ["default", "b", "c"]


class Wrong(Exception):
    pass


def must(condition, *what):
    if not condition:
        raise Wrong(" ".join(map(str, what)))


class Model:
    """What the log must hold, in the words of the rules."""

    def __init__(self):
        self.rows = []       # (kind, lane, role or type, text, op id or None)
        self.lane = "default"
        self.run = None      # (request, lane)
        self.queue = []
        self.pending = None
        self.applied = []

    def copy(self):
        other = Model()
        other.rows, other.lane, other.run = list(self.rows), self.lane, self.run
        other.queue, other.pending = list(self.queue), self.pending
        other.applied = list(self.applied)
        return other

    def say(self, role, text, lane=None):
        self.rows.append(("ai_message", lane or self.run[1], role, text, None))

    def apply(self, op):
        if op["op_id"] in self.applied:
            return
        self.applied.append(op["op_id"])
        self.lane = op["context_ref"]
        self.rows.append(("ai_context_operation", op["context_ref"], op["operation"]["type"],
                          snapshot_text(op), op["op_id"]))

    def end(self):
        self.run, self.queue = None, []
        if self.pending:
            op, self.pending = self.pending, None
            self.apply(op)

    def modify(self, op):
        if op["op_id"] in self.applied:
            return "noop"
        if self.run:
            self.pending = op
            return "deferred"
        self.apply(op)
        return "applied"

    def do(self, command):
        """The answer's first word; the state goes on."""
        what = command["do"]
        if what == "run_start":
            if self.run:
                return "rejected"
            self.run = (command["request_id"], self.lane)
            self.say("user", command["content"])
            return "accepted"
        if what == "modify":
            return self.modify(command)
        if not self.run:
            return "rejected"
        if what == "assistant" and command["request_id"] != self.run[0]:
            return "rejected"
        if what == "assistant":
            self.say("assistant", command["content"])
        elif what == "steer":
            if not command["content"].strip() or len(self.queue) >= 64:
                return "rejected"
            self.queue.append(command["content"].strip())
            return "queued"
        elif what == "drain":
            for text in self.queue:
                self.say("user", text)
            self.queue = []
        elif what == "run_end":
            self.end()
        return "accepted"

    def project(self, lane, at):
        """What a lane says at a row: its last snapshot, and what came after it."""
        entries = []
        for kind, of, role, text, _ in self.rows[:at + 1]:
            if of != lane:
                continue
            if kind == "ai_context_operation" and role == "replace":
                entries = [("user", text)]
            elif kind == "ai_message":
                entries.append((role, text))
        return entries


def snapshot_text(op):
    context = op["operation"].get("result_context")
    return context["entries"][0]["content"] if context else None


class Drive:
    def __init__(self):
        self.process = subprocess.Popen([loom, "thread", "drive"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def send(self, *commands):
        """At once, so that all of them wait."""
        self.process.stdin.write(b"".join(json.dumps(c).encode() + b"\n" for c in commands))
        self.process.stdin.flush()

    def hear(self):
        line = self.process.stdout.readline()
        must(line, "no answer")
        return json.loads(line)

    def ask(self, command):
        self.send(command)
        return self.hear()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.read()
        must(self.process.wait() == 0, "drive ended with", self.process.returncode)
        self.process.stdout.close()


def other(verb, document):
    """`loom thread op` or `append` beside whatever drives the thread."""
    result = subprocess.run([loom, "thread", verb], input=json.dumps(document).encode(),
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    must(result.stdout, verb, "says nothing to", document)
    return json.loads(result.stdout)["result"]


def shown_rows(drive):
    rows = []
    for n, row in enumerate(drive.ask({"do": "log"})["rows"]):
        must(row["seq"] == n, "row", n, "has seq", row["seq"])
        payload = row["payload"]
        if row["kind"] == "ai_message":
            rows.append((row["kind"], payload["context_ref"], payload["role"],
                         payload["content"], None))
        elif row["kind"] == "ai_context_operation":
            rows.append((row["kind"], payload["context_ref"], payload["operation"]["type"],
                         snapshot_text(payload), payload["op_id"]))
        else:
            rows.append((row["kind"], None, None, payload["text"], None))
    return rows


def entries_of(context):
    return [(e["role"], e["content"]) for e in context["entries"]]


class Storm:
    def __init__(self):
        self.model = Model()
        self.drive = Drive()
        self.count = 0
        self.past = {}    # (lane, at): what was projected when it was first looked at

    def name(self, what):
        self.count += 1
        return "%s%d" % (what, self.count)

    def op(self):
        kind = rng.choice(["replace", "switch"])
        known = rng.random() < 0.25 and self.model.applied
        op = {"op_id": rng.choice(self.model.applied) if known else self.name("o"),
              "context_ref": rng.choice(LANES), "operation": {"type": kind, "reason": "manual"}}
        if kind == "replace":
            op["operation"]["result_context"] = {
                "id": "x", "system_prompt": None,
                "entries": [{"role": "user", "content": self.name("snapshot")}]}
        return op

    def command(self):
        what = rng.choice(["run_start", "assistant", "assistant", "steer", "steer", "drain",
                           "run_end", "modify", "modify"])
        run = self.model.run
        request = run[0] if run and rng.random() < 0.8 else "stale"
        if what == "run_start":
            return {"do": what, "request_id": self.name("r"), "content": self.name("ask")}
        if what == "assistant":
            return {"do": what, "request_id": request, "content": self.name("say")}
        if what == "steer":
            return {"do": what, "content": rng.choice([self.name(" steer "), "  "])}
        if what == "run_end":
            return {"do": what, "outcome": rng.choice(["completed", "failed", "cancelled"])}
        return dict(self.op(), do=what) if what == "modify" else {"do": what}

    def step(self):
        """One command, or several that wait together."""
        commands, wants = [], []
        for _ in range(rng.choice([1, 1, 1, 2, 9, 80])):
            commands.append(self.command())
            wants.append(self.model.do(commands[-1]))
        self.drive.send(*commands)
        for command, want in zip(commands, wants):
            got = self.drive.hear()["result"].split(":")[0]
            must(got == want, command, "is answered with", got, "not", want)

    def beside(self):
        """Another process, while the drive is there."""
        if rng.random() < 0.6:
            op = self.op()
            want, got = self.model.modify(op), other("op", op)
        else:
            text = self.name("note")
            self.model.rows.append(("note", None, None, text, None))
            want, got = "accepted", other("append", {"kind": "note", "payload": {"text": text}})
        must(got == want, "beside:", got, "not", want)

    def check(self):
        rows = shown_rows(self.drive)
        must(rows == self.model.rows, "the log is", rows, "not", self.model.rows)
        state = self.drive.ask({"do": "state"})
        must(state["active_context_ref"] == self.model.lane, "lane", state["active_context_ref"])
        must(state["run_active"] == bool(self.model.run), "run_active", state["run_active"])
        pending = self.model.pending and self.model.pending["op_id"]
        must(state["pending_op_id"] == pending, "pending", state["pending_op_id"], pending)
        must(state["applied_op_ids"] == self.model.applied[::-1][:128], "applied op ids")
        must(state["queued"] == len(self.model.queue), "queued", state["queued"])
        if not self.model.run:
            must(entries_of(state["context"]) == self.model.project(self.model.lane, len(rows)),
                 "materialized is not projected")
        if rows:
            self.look_back(rng.choice(LANES), rng.randrange(len(rows)))

    def look_back(self, lane, at):
        entries = entries_of(self.drive.ask({"do": "project", "lane": lane, "at": at}))
        must(entries == self.model.project(lane, at), "lane", lane, "at", at, "is", entries)
        first = self.past.setdefault((lane, at), entries)
        must(entries == first, "lane", lane, "at", at, "has changed")

    def die(self):
        """Killed, sometimes with commands on their way: what was answered was done, and of the
        others those up to some point."""
        states, commands = [self.model.copy()], []
        for _ in range(rng.choice([0, 1, 1, 5, 80])):
            commands.append(self.command())
            self.model.do(commands[-1])
            states.append(self.model.copy())
        self.drive.send(*commands)
        heard = rng.randrange(len(states))
        for _ in range(heard):
            self.drive.hear()
        self.drive.kill()
        self.drive = Drive()
        rows = shown_rows(self.drive)
        for state in states[heard:]:
            state.end()
            if state.rows == rows:
                self.model = state
                break
        self.check()

    def restart(self):
        open_run = self.model.run
        self.drive.close()
        self.drive = Drive()
        if open_run:
            self.model.end()
        self.check()

    def replay(self):
        """What was accepted once adds nothing."""
        for op_id in self.model.applied:
            answer = self.drive.ask({"do": "modify", "op_id": op_id, "context_ref": "b",
                                     "operation": {"type": "switch", "reason": "manual"}})
            must(answer["result"] == "noop", "a known op is", answer)
        self.check()

    def run(self):
        for n in range(rounds):
            for _ in range(rng.randrange(1, 12)):
                self.step() if rng.random() < 0.9 else self.beside()
            self.check()
            rng.choice([self.die, self.die, self.restart, lambda: None])()
        self.replay()
        for lane, at in list(self.past):
            self.look_back(lane, at)
        self.drive.close()


try:
    for words in ["init"], ["new", "--title", "Storm", "--root", "Begin."]:
        subprocess.run([loom, *words], check=True, stdout=subprocess.DEVNULL)
    Storm().run()
except Wrong as wrong:
    print("seed %d: %s" % (seed, str(wrong)[:2000]))
    sys.exit(1)
