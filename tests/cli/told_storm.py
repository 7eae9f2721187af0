"""A person and an agent write into trees in random order: continuations, edits, context and
instruction sources, marks that leave out. What a subject is told at every node is held against the
rules: prompts, then instruction sources; texts by author, context sources before the text that
they hang on, neighbours of one role joined; a buffer byte for byte. A continuation is told the
sources that were there when it was written, a tip those that are there now.
usage: told_storm.py LOOM SEED STEPS, in an empty folder. Says what went wrong, or what was done."""
import json
import os
import random
import re
import subprocess
import sys

from storm import Wrong, must, trace

loom, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
TEXTS = ["one", "two lines\nhere", "é 日本", "  lead", "trail \n", '"q" \\', "→ prune r001", "a\n\nb"]
AGENT_PROMPT = "Agent says."


def run(*argv, text_in=""):
    ended = subprocess.run([loom, *argv], input=text_in, capture_output=True, text=True)
    must(ended.returncode == 0, argv, ended.stdout, ended.stderr)
    return ended.stdout


class Node:
    def __init__(self, name, parent, text, human):
        self.name, self.parent, self.text, self.human = name, parent, text, human
        self.attached = []   # sources that hang on it: (name, role, text)
        self.told = []       # those that it was written from


class Tree:
    def __init__(self, mode):
        self.buffer = mode == "buffer"
        self.prompt = rng.choice(["", "Tree says."])
        root = rng.choice(TEXTS + [""])
        run("new", "--title", "Storm", "--mode", mode, "--system", self.prompt, "--root", root)
        self.nodes = [Node("r001", None, root, True)]
        self.out = set()     # excluded, by name
        self.hidden = set()  # pruned, by name

    def there(self):
        return [node for node in self.nodes if not self.is_hidden(node)]

    def is_hidden(self, node):
        return any(step.name in self.hidden for step in path(node))

    def write(self, node, text):
        human = rng.random() < .5
        if human:
            said = run("do", "respond", node.name, text)
        else:
            quoted = text.replace("\\", "\\\\").replace('"', '\\"')
            said = run("run", "-a", "Ana", "-", text_in=f'→ respond {node.name} "{quoted}"\n')
        new = Node(re.search(r"created \[(\S+)\]", said).group(1), node, text, human)
        new.told = [source for source in node.attached if source[0] not in self.hidden]
        self.nodes.append(new)

    def edit(self, node, text):
        said = run("do", "edit", node.name, text)
        new = Node(re.search(r"branch \[(\S+)\]", said).group(1), node.parent, text, True)
        new.told = list(node.told)
        self.nodes.append(new)

    def attach(self, node, text):
        role = rng.choice(["context", "instruction"])
        said = run("do", "respond", node.name, text, f"as:{role}")
        node.attached.append((re.search(r"attached \[(\S+)\]", said).group(1), role, text))

    def leave_out(self, name):
        if rng.random() < .5 and name != "r001":
            run("do", "prune", name)
            self.hidden.add(name)
        else:
            run("do", "exclude", name)
            self.out.add(name)

    def step(self):
        node = rng.choice(self.there())
        kind, text = rng.random(), rng.choice(TEXTS)
        trace.append((round(kind, 2), node.name, text))
        if kind < .5:
            self.write(node, text)
        elif kind < .6:
            run("do", "annotate", node.name, "a note")
        elif kind < .75 and not self.buffer:
            self.attach(node, text)
        elif kind < .85 and node.parent and not self.buffer:
            self.edit(node, text)
        elif kind < .92:
            self.leave_out(rng.choice([node.name] + [source[0] for source in node.attached]))


def path(node):
    out = [node]
    while node.parent:
        node = node.parent
        out.append(node)
    return out[::-1]


def wanted_talk(tree, nodes):
    prompts, texts = [AGENT_PROMPT, tree.prompt], []
    for at, node in enumerate(nodes):
        sources = nodes[at + 1].told if at + 1 < len(nodes) else node.attached
        for name, role, text in sources:
            if name in tree.out | tree.hidden:
                continue
            if role == "instruction":
                prompts.append(text)
            else:
                texts.append(("user", text))
        if node.name not in tree.out:
            texts.append(("user" if node.human else "assistant", node.text))
    messages = [["system", "\n\n".join(prompt for prompt in prompts if prompt)]]
    for role, text in texts:
        if text and messages[-1][0] == role:
            messages[-1][1] += "\n\n" + text
        elif text:
            messages.append([role, text])
    return messages


def wanted_buffer(tree, nodes):
    text = "".join(node.text for node in nodes if node.name not in tree.out)
    return [["system", tree.prompt]] * bool(tree.prompt) + [["user", text]] * bool(text)


def look(tree, node):
    wanted = (wanted_buffer if tree.buffer else wanted_talk)(tree, path(node))
    told = json.loads(run("context", "-a", "Sub", "--node", node.name, "--format", "messages"))
    got = [[message["role"], message["content"]] for message in told]
    must(got == wanted, "at", node.name, "\n got ", got, "\n want", wanted)


def main():
    os.makedirs("config/loom")
    with open("config/loom/config.json", "w") as config:
        json.dump({"agents": {"Sub": {"system": AGENT_PROMPT}}}, config)
    os.environ["XDG_CONFIG_HOME"] = os.path.abspath("config")
    run("init")
    run("agent", "add", "Sub")
    run("agent", "add", "Ana", "--permissions", "all", "--approval", "auto")
    count = 0
    for mode in "dialogue", "buffer", "dialogue", "dialogue":
        trace.clear()
        tree = Tree(mode)
        for _ in range(steps):
            tree.step()
        for node in tree.there():
            look(tree, node)
        count += len(tree.there())
    print(f"{count} contexts")


try:
    main()
except Wrong as wrong:
    print(f"seed {seed}: {wrong}", file=sys.stderr)
    sys.exit(1)
