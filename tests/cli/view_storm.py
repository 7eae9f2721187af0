"""A person and two agents write into trees in random order, edit, annotate, link, mark, prune and
restore. What view, list, tree and switch print, and what an agent is shown of the path and of where
it stands, is held against a model of the rules: what counts as a node, a branch, a leaf, a
descendant; which version of a passage is seen; how a tree is drawn.
usage: view_storm.py LOOM SEED STEPS, in an empty folder. Says what went wrong, or what was done."""
import json
import os
import random
import re
import subprocess
import sys

from storm import Wrong, must, trace

loom, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
BEGINNINGS = ["One two.", "Is it dark?", "é 日本 🧵 stays!", 'She said "no" and left.']
RESTS = ["", " And more words follow.", "\n\nA second paragraph."]
OWNER = "Olga"
IN_HEADS = {OWNER: "human", "Ana": 'model "Ana"', "Bob": 'model "Bob"'}
IN_LISTS = {OWNER: "human", "Ana": 'collaborator "Ana"', "Bob": 'collaborator "Bob"'}


def run(*argv, text_in="", ok=(0,)):
    ended = subprocess.run([loom, *argv], input=text_in, capture_output=True, text=True)
    must(ended.returncode in ok, argv, ended.stdout, ended.stderr)
    return ended.stdout.rstrip("\n")


def say(who, verb, node, *rest):
    """What one command answers, by either door; refused or not."""
    trace.append((who, verb, node, *rest))
    if who == OWNER:
        return run("do", verb, node, *rest, ok=(0, 1))
    text = rest[0].replace('"', '\\"')
    lines = run("run", "-a", who, "-", text_in=f'→ {verb} {node} "{text}"\n', ok=(0, 1)).split("\n")
    return "\n".join(lines[next(at for at, line in enumerate(lines) if line[:1] in "✓✗"):])


def same(what, got, want):
    must(got == want, f"{what}\n got\n{got}\n want\n{want}")


def many(count, one, more=None):
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def sentence(text):
    return '"' + re.match(r".*?[.!?](?=\s|$)", text, re.S)[0] + '"'


class Group:
    """A passage with its versions; in a dialogue it has one."""

    def __init__(self, source):
        self.source = source   # the version it was written from
        self.members, self.below, self.notes = [], [], []
        if source:
            source.group.below.append(self)

    def visible(self):
        return [node for node in self.members if not node.pruned]


class Node:
    def __init__(self, name, group, text, who):
        self.name, self.group, self.text, self.who = name, group, text, who
        self.links, self.tags, self.marked, self.pruned, self.out = [], [], False, False, False
        group.members.append(self)

    def depth(self):
        return self.group.source.depth() + 1 if self.group.source else 0


class Tree:
    def __init__(self, mode):
        self.buffer = mode == "buffer"
        self.title = f"Tree {rng.randrange(1000)}"
        run("new", "--title", self.title, "--mode", mode, "--root", "The root. It is.")
        self.root = Node("r001", Group(None), "The root. It is.", OWNER)
        self.tops = [self.root.group]   # an edited root of a dialogue is another beginning
        self.nodes, self.note_count = [self.root], 0
        self.stand = self.root   # where the owner was put; it may be hidden since
        self.choice = {self.root.group: self.root}

    # ---- what is seen ----

    def is_gone(self, group):
        while group and group.visible():
            group = group.source and group.source.group
        return group is not None

    def there(self):
        return [node for node in self.nodes if not node.pruned and not self.is_gone(node.group)]

    def shown(self, group, otherwise=None):
        """The version of a passage that the owner sees."""
        chosen = self.choice.get(group)
        return next(node for node in (chosen, otherwise, group.visible()[-1])
                    if node and not node.pruned)

    def children(self, group):
        return [self.shown(child) for child in group.below if child.visible()]

    def path(self, node):
        out = [node]
        while out[-1].group.source:
            source = out[-1].group.source
            out.append(self.shown(source.group, source))
        return out[::-1]

    def position(self):
        node = self.stand
        while node.pruned or self.is_gone(node.group):
            if not self.is_gone(node.group):
                return self.shown(node.group)
            node = node.group.source or self.shown(self.beginnings()[0])
        return node

    def beginnings(self):
        return [group for group in self.tops if group.visible()]

    def below(self, group):
        """It and all that hangs below, in passages."""
        return 1 + sum(self.below(child.group) for child in self.children(group))

    def counts(self, group=None):
        """Branches and leaves."""
        if not group:   # where beginnings part, no node does
            return tuple(map(sum, zip(*map(self.counts, self.beginnings()))))
        children = self.children(group)
        each = [self.counts(child.group) for child in children]
        branches = sum(count for count, _ in each) + (len(children) if len(children) > 1 else 0)
        return branches, sum(count for _, count in each) if children else 1

    def totals(self, between):
        nodes, branches = sum(map(self.below, self.beginnings())), self.counts()[0] or 1
        return many(nodes, "node") + between + many(branches, "branch", "branches")

    # ---- what is done ----

    def respond(self, node):
        who, text = rng.choice([OWNER, OWNER, "Ana", "Bob"]), some_text()
        said = say(who, "respond", node.name, text)
        made = re.fullmatch(r"✓ created \[(\S+)\] as continuation from \[(\S+)\]\n"
                            r"  switched to \[\1\]", said)
        must(made and made[2] == node.name, said)
        new = Node(made[1], Group(node), text, who)
        self.nodes.append(new)
        if who == OWNER:
            self.stand = self.choice[new.group] = new
            self.choice[node.group] = node

    def edit(self, node):
        text = some_text()
        said = say(OWNER, "edit", node.name, text)
        base = node.name.split("'")[0]
        count = sum(other.name.split("'")[0] == base for other in self.nodes)
        name = base + ("'" * count if count < 4 else f"'{count}")
        if self.buffer:
            same("edit", said, f"✓ created version [{name}] from [{node.name}]\n"
                 "  downstream nodes preserved via hyperedge")
            new = self.choice[node.group] = Node(name, node.group, text, OWNER)
            self.stand = new if self.position().group is node.group else self.stand
        else:
            same("edit", said, f"✓ created branch [{name}] from [{node.name}]\n"
                 "  conversation continues from edit point")
            self.stand = new = Node(name, Group(node.group.source), text, OWNER)
            self.tops += [] if node.group.source else [new.group]
        self.nodes.append(new)

    def annotate(self, node):
        who, text = rng.choice([OWNER, "Ana"]), rng.choice(["A note.", "Look here"])
        self.note_count += 1
        name = f"ann-{self.note_count}"
        same("annotate", say(who, "annotate", node.name, text),
             f"✓ annotation [{name}] added to [{node.name}]")
        node.group.notes.append((name, who, text))

    def link(self, node):
        other = rng.choice(self.there())
        said = say(OWNER, "link", node.name, "to", other.name)
        if node is other:
            must(said.startswith("✗ CONFLICT: "), said)
            return
        same("link", said, f"✓ linked [{node.name}] ↔ [{other.name}]" +
             (" unchanged" if other in node.links else ""))
        if other not in node.links:
            node.links.append(other)
            other.links.append(node)

    def mark(self, node):
        verb, field, value = rng.choice([("bookmark", "marked", True), ("exclude", "out", True),
                                         ("unbookmark", "marked", False), ("include", "out", False)])
        past = verb + ("d" if verb[-1] == "e" else "ed")
        same("mark", say(OWNER, verb, node.name), f"✓ {past} [{node.name}]" +
             (" unchanged" if getattr(node, field) == value else ""))
        setattr(node, field, value)

    def tag(self, node):
        tag = rng.choice(["a", "b c"])
        same("tag", say(OWNER, "tag", node.name, tag), f'✓ tagged [{node.name}] "{tag}"' +
             (" unchanged" if tag in node.tags else ""))
        node.tags += [] if tag in node.tags else [tag]

    def prune(self, node):
        if self.beginnings() == [node.group] and len(node.group.visible()) == 1:
            must(say(OWNER, "prune", node.name).startswith("✗ CONFLICT: "), "no root is left")
            return
        count = self.below(node.group) - 1 if len(node.group.visible()) == 1 else 0
        same("prune", say(OWNER, "prune", node.name), f"✓ pruned [{node.name}]" +
             (f" and {many(count, 'descendant')}" if count else ""))
        node.pruned = True

    def restore(self, _):
        pruned = [node for node in self.nodes if node.pruned and
                  not self.is_gone(node.group.source and node.group.source.group)]
        if not pruned:
            return
        node = rng.choice(pruned)
        alone = not node.group.visible()
        node.pruned = False
        count = self.below(node.group) - 1 if alone else 0
        same("restore", say(OWNER, "restore", node.name), f"✓ restored [{node.name}]" +
             (f" and {many(count, 'descendant')}" if count else ""))

    def switch(self, node):
        said = say(OWNER, "switch", "to", node.name)
        self.stand = self.choice[node.group] = node
        names = [step.name for step in self.path(node)]
        names = names if len(names) <= 3 else [self.path(node)[0].group.members[0].name, "..."] + names[-2:]
        count = len(self.children(node.group))
        same("switch", said, f"✓ switched to [{node.name}]\n  depth:{node.depth()}" +
             (f" · {many(count, 'continuation')}" if count else "") +
             " · path: " + " → ".join(names))


def some_text():
    return rng.choice(BEGINNINGS) + rng.choice(RESTS)


# ---- what is looked at ----

def look_at_node(tree, node):
    count, notes = len(tree.children(node.group)), node.group.notes
    newer = [other for other in node.group.members[node.group.members.index(node) + 1:]
             if not other.pruned]
    parts = ([many(count, "continuation")] * bool(count) +
             [many(len(notes), "annotation")] * bool(notes) +
             [many(len(node.links), "link")] * bool(node.links) + ["bookmarked"] * node.marked +
             ["excluded"] * node.out)
    if node.tags:
        parts.append("tagged " + ", ".join(f'"{tag}"' for tag in sorted(node.tags)))
    if newer:
        parts.append(f"newer version [{newer[-1].name}]")
    for words in [], ["full"], ["with-annotations"], ["full", "with-annotations"]:
        want = f"[{node.name}] {IN_HEADS[node.who]} · 0s ago · depth:{node.depth()}\n"
        want += node.text if "full" in words else sentence(node.text)
        if "with-annotations" in words and notes:
            want += "\n\nAnnotations:" + "".join(f'\n  [{name}] "{text}"' for name, _, text in notes)
        want += "\n\n" * bool(parts) + " · ".join(parts)
        same(f"view {node.name} {words}", run("do", "view", node.name, *words), want)


def look_at_lists(tree, node):
    children = tree.children(node.group)
    lists = {"continuations": [f"[{child.name}] {IN_LISTS[child.who]} · {sentence(child.text)}"
                               for child in children],
             "annotations": [f'[{name}] {IN_LISTS[who]} · "{text}"'
                             for name, who, text in node.group.notes],
             "links": [f"→ [{other.name}]" for other in node.links]}
    for what, lines in lists.items():
        head = f"→ {many(len(lines), 'continuation')}:" if what == "continuations" else what + ":"
        want = "\n  ".join([f"[{node.name}] {head}", *lines])
        same(f"list {what}", run("do", "list", node.name, what),
             want if lines else f"[{node.name}] has no {what}")


class Drawing:
    def __init__(self, tree):
        self.tree, self.lines, self.here = tree, [], tree.position().group
        self.starred = False

    def name(self, node):
        star = node.group is self.here
        self.starred |= star
        return f"[{node.name}]" + "* (you are here)" * star

    def chain(self, line, nodes):
        """The line with the nodes behind it, and where the last one begins."""
        names = [self.name(node) for node in nodes]
        names = names if len(names) <= 8 else [*names[:4], "...", *names[-4:]]
        line += " → ".join(names)
        return line, len(line) - len(names[-1])

    def branches(self, group, before, levels):
        children = self.tree.children(group)
        for child in children:
            last = child is children[-1]
            nodes, left = [child], levels - 1
            while left > 0 and len(self.tree.children(nodes[-1].group)) == 1:
                nodes += self.tree.children(nodes[-1].group)
                left -= 1
            line, at = self.chain(before + ("└→ " if last else "├→ "), nodes)
            deeper = self.tree.below(nodes[-1].group) - 1
            self.lines.append(line + (" (leaf)" if not deeper else
                                      f" … {deeper:,} more below" if left <= 0 else ""))
            if deeper and left > 0:
                self.branches(nodes[-1].group, (before + " │"[not last]).ljust(at), left)

    def draw(self, top, levels):
        node = top or self.tree.position()
        if top and top.group.source:
            line, at = self.chain("", [top])
        else:
            path = self.tree.path(node)
            first = path[0].group.members[0].name
            lead, path = ("Root ", path) if len(path) <= 8 else (f"Root [{first}] → ... → ", path[-1:])
            line, at = self.chain(lead, path)
        self.lines = [f'Tree: "{self.tree.title}" ({self.tree.totals(", ")})', line]
        self.branches(node.group, " " * at, levels)
        roots = [self.tree.shown(group) for group in self.tree.beginnings()]
        if not top and len(roots) > 1:
            more = f" and {len(roots) - 8} more" * (len(roots) > 8)
            self.lines += ["", "It begins with " + ", ".join(map(self.name, roots[:8])) + more]
        return "\n".join(self.lines) + "\n\n* = current position" * self.starred


def look_at_tree(tree, node):
    leaves = many(tree.counts()[1], "leaf", "leaves")
    # A tree of ten nodes gets a summary; without a small model, the first sentence of its root.
    themes = [f"Main themes: {sentence(node.text)[1:-1].rstrip('.')}" for group in tree.tops for node in group.members]
    shown = run("do", "tree", "summary").split("\n")
    kept = [line for line in shown if not (line.startswith("Main themes: ") and
                                           line.rstrip(".") in themes and len(tree.nodes) >= 10)]
    same("tree summary", "\n".join(kept), f'Tree: "{tree.title}"\n'
         f"{tree.totals(' · ')} · {leaves}\nLast active: 0s ago")
    same("tree", run("do", "tree"), Drawing(tree).draw(None, 5))
    depth = rng.randint(1, 8)
    same(f"tree from:{node.name} depth:{depth}",
         run("do", "tree", f"from:{node.name}", f"depth:{depth}"), Drawing(tree).draw(node, depth))


def look_as_agent(tree, node):
    if tree.buffer:
        return   # an agent reads a buffer by choices of its own: version_storm.py
    said = json.loads(run("context", "-a", "Ana", "--node", node.name, "--format", "json"))
    shown = {part["name"]: part["text"] for part in said["parts"]}
    path, texts = tree.path(node), []
    for step in path:
        count, notes = len(tree.children(step.group)), step.group.notes
        parts = ([many(count, "continuation")] * bool(count) +
                 [many(len(notes), "annotation")] * bool(notes) + ["bookmarked"] * step.marked +
                 [many(len(step.links), "link")] * bool(step.links))
        texts.append("\n".join([f"[{step.name}] {IN_HEADS[step.who]} · 0s ago",
                                *[" · ".join(parts)] * bool(parts), "---", step.text]))
    same("the path", shown.get("path", ""),
         "\n\n".join(text for text, step in zip(texts, path) if not step.out))
    same("where it stands", shown["loom"], "\n".join([
        "=== Loom Context ===", f'Tree: "{tree.title}" (dialogue mode)',
        f"{tree.totals(' · ')} · depth: {node.depth()}",
        "Position: " + "... → " * (len(path) > 4) +
        " → ".join(f"[{step.name}]" for step in path[-4:]) + "*",
        "Permissions: loom_aware, loom_write, loom_generate, doc_read, doc_write, threads", "==="]))


LOOKS = [look_at_node, look_at_lists, look_at_tree, look_as_agent]
ACTS = ([Tree.respond] * 9 + [Tree.edit] * 3 + [Tree.annotate, Tree.link, Tree.prune, Tree.restore,
                                              Tree.mark] * 2 + [Tree.switch] * 3 + [Tree.tag])


def main():
    os.environ["LOOM_NOW"] = "2026-11-19T09:00:00Z"
    run("init")
    run("agent", "add", "Ana", "--permissions", "all", "--approval", "auto")
    run("agent", "add", "Bob", "--permissions", "all", "--approval", "auto")
    count = 0
    for mode in "dialogue", "buffer":
        trace.clear()
        tree = Tree(mode)
        for step in range(steps):
            rng.choice(ACTS)(tree, rng.choice(tree.there()))
            if step % 6 == 5:
                rng.choice(LOOKS)(tree, rng.choice(tree.there()))
        for look in LOOKS * 2:
            look(tree, rng.choice(tree.there()))
        count += len(tree.nodes)
    print(f"{count} nodes")


try:
    main()
except Wrong as wrong:
    print(f"seed {seed}: {wrong}", file=sys.stderr)
    sys.exit(1)
