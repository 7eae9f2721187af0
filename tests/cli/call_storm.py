"""Turns made of pieces whose meaning the rules of the language fix: calls of every verb with their
arguments in any order and every way of quoting, lines that are refused, hints, code, quotations,
thoughts. What `loom parse` finds in a turn is held against what was put into it.
usage: call_storm.py LOOM SEED TURNS. Says what went wrong, or what was done."""
import json
import random
import subprocess
import sys

from storm import Wrong, must, trace

loom, seed, turns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
BLANKS = [" ", " ", " ", "  ", "\t", "\u00a0", "\u202f", "\u3000"]
# Whatever stands between quotes is content.
BITS = ["x", "é", "日本", "🧵", " ", "\n", "\r\n", "\t", "→ prune r001", "```", "~~~", "<think>",
        "</think>", "←", "\\", '"', "or", "then", "don't", "# c", "  (c)", "> q", "- → x", "n:3", "'",
        "\u2028", "-> view a7x2", "    "]
NAMES = ["character notes", "d", "é 日", "a:b", "x or y", "#1 (one)", "GPT-4o", "it's"]
VERBS = ("view list tree switch continue respond annotate link edit bookmark unbookmark prune "
         "restore read write pin stash recall drop memory help think search").split()


LOOKS = "view list tree search read memory help".split()


def maybe(chance=.3):
    return rng.random() < chance


# ---- what stands in a call: its text, and what it means ----

def node():
    name = rng.choice(["a7x2", "b3k9", "r001", "xyz999", "k4t2b", "01HQ3K9", "ann-12", "res-3",
                       "01HQ3K9ZX5M8RQWC4JDT7BVENP"])
    meant = name.lower()
    if len(name) < 8 and "-" not in name and maybe():
        count = rng.randint(1, 6)
        mark = "'" * count if count < 4 else f"'{count}"
        name += rng.choice([mark, mark.replace("'", "’"), f".{count}"])
        meant += mark
    name = rng.choice([name, name.upper(), name.lower()]) if "-" not in name else name
    return rng.choice(["{}", "{}", "[{}]", "#{}"]).format(name), meant


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return rng.choice(['"{}"', '"{}"', "“{}”", '“{}"']).format(escaped)


def content(lines=True):
    text = "".join(rng.choice(BITS) for _ in range(rng.randint(1, 7)))
    if not lines:
        text = text.replace("\r\n", " ").replace("\n", " ")
    text = text if text.strip() else "x"
    return quoted(text), text


def named(key):
    name = rng.choice(NAMES)
    return f"{key}:{quoted(name)}", name


def number():
    value = rng.randint(1, 999)
    return rng.choice([f"{value}", f"0{value}"]), value


def lines():
    first = rng.randint(1, 50)
    last = first + rng.randint(0, 50)
    return f"lines:{first}-{last}", [first, last]


class Call:
    """Words in their order, others that may stand anywhere, and what all of it means."""

    def __init__(self, cmd, *verbs):
        self.cmd = cmd
        self.verb = rng.choice(verbs or (cmd,)).split()
        self.words, self.free, self.params = [], [], {}
        self.loose = True   # the free ones may stand between the others

    def has(self, key, pair):
        self.words.append(pair[0])
        self.params[key] = pair[1]
        return self

    def says(self, word, **params):
        self.words.append(word)
        self.params.update(params)
        return self

    def may(self, key, pair, chance=.3, form="{}"):
        if maybe(chance):
            self.free.append(form.format(pair[0]))
            self.params[key] = pair[1]
        return self

    def fixed(self):
        self.loose = False
        return self

    def of_tree(self):
        return self.may("tree", named("tree"), .15, "in {}")


def word(text, key=None):
    """A word that stands for itself, or key:word."""
    return (f"{key}:{text}", text) if key else (text, True)


def make_look():
    call = Call("view", "view", "show", "show me", "inspect", "look at").has("id", node())
    call.may("full", word("full")).may("with_annotations", word("with-annotations"))
    return call.may("lines", lines()).of_tree()


def make_branch():
    name, meant = node()
    call = Call("view").may("branch", (f"branch:{name}", meant), 1)
    return call.may("as", word(rng.choice(["prose", "nodes"]), "as"), 1).of_tree()


def make_list():
    if maybe():
        call = Call("list", "show children of", "list children of").has("id", node())
        call.params["what"] = "continuations"
        return call
    what = rng.choice(["continuations", "annotations", "links"])
    return Call("list").has("id", node()).says(what, what=what).may("page", ("page:2", 2)).of_tree()


def make_tree():
    if maybe(.2):
        return Call("tree", "show me the tree")
    name, meant = node()
    text, value = number()
    call = Call("tree").may("from", (f"from:{name}", meant)).may("depth", (f"depth:{text}", value))
    return call.may("summary", word("summary"))


def make_continue():
    call = Call("continue", "continue", "generate")
    text, value = number()
    if maybe(.2):
        count = rng.randint(1, 10)
        name = "one two three four five six seven eight nine ten".split()[count - 1]
        call.says(rng.choice([name, str(count)]), n=count).says("continuations").fixed()
    else:
        call.may("n", (f"n:{text}", value))
    if maybe(.6):
        call.may("from", node(), 1, rng.choice(["from {}", "from:{}"]))
        call.may("at", (f"at:{text}", value)).of_tree()
        if "at" not in call.params:
            call.may("after", content(), .2, "after:{}")
    call.may("tokens", (f"tokens:{text}", value))
    return call.may("agent", named("agent"), .3, rng.choice(["using {}", "{}"]))


def make_text():
    cmd, verbs, kinds = rng.choice([
        ("respond", ["respond", "reply to"], ["continuation", "context", "instruction"]),
        ("annotate", ["annotate", "note on"], []),
        ("edit", ["edit", "revise"], ["branch", "version"])])
    call = Call(cmd, *verbs).has("id", node()).has("content", content()).of_tree()
    return call.may("as", word(rng.choice(kinds), "as")) if kinds else call


def make_link():
    call = Call("link").has("id", node()).says("to").fixed()
    kind = rng.choice(["node", "doc", "tree"])
    text, meant = node() if kind == "node" else named(kind)
    call.says(text, target={kind: meant})
    if kind == "tree" and maybe(.5):
        text, meant = node()
        call.says(f"node:{text}")
        call.params["target"]["node"] = meant
    return call.may("note", content(), .3, "note:{}")


def make_mark():
    cmd = rng.choice("unbookmark prune restore exclude include seam unseam bookmark tag "
                     "untag".split())
    call = Call(cmd).has("id", node())
    if cmd in ("tag", "untag") or cmd == "bookmark" and maybe():
        call.has("label", content(False))
    return call.of_tree()


def make_document():
    if maybe(.5):
        call = Call("read").has("doc", named("doc")).may("summary", word("summary"))
        return call.may("lines", lines()).may("section", named("section"))
    call = Call("write").has("doc", named("doc")).fixed()
    text, value = number()
    key, (text, meant) = rng.choice([
        ("append", word("append")), ("at", word("start", "at")), ("at", word("end", "at")),
        ("at", (f"at:{text}", value)), ("replace", word("intro", "replace")),
        ("replace", named("replace"))])
    return call.says(text, **{key: meant}).has("content", content())


def make_memory():
    kind = rng.choice(["pin", "unpin", "drop", "stash", "recall", "memory", "help", "undo"])
    doc, meant = named("doc")
    if kind == "pin":
        return (Call("pin").has("id", node()).of_tree() if maybe(.5) else
                Call("pin").has("doc", (doc, meant)).may("section", named("section")))
    if kind == "unpin":
        return Call("drop", "unpin").has("pin", node())
    if kind == "drop":
        if maybe():
            return Call("drop").says(f"pin:{doc}", pin={"doc": meant})
        key = rng.choice(["stash", "recall"])
        return Call("drop").has(key, named(key))
    if kind == "stash":
        call = Call("stash").has("label", content(False)).fixed()
        name, meant = node()
        return rng.choice([
            lambda: call.has("content", content()),
            lambda: call.says(f"content-of:{name}", content_of=meant),
            lambda: call.says("summary-of:r001-a7x2", summary_of=["r001", "a7x2"])])()
    if kind == "recall":
        return Call("recall").has("label", content(False))
    if kind == "memory":
        what = rng.choice(["", "trace", "stashed"])
        return Call("memory").says(what, what=what) if what else Call("memory")
    if kind == "help":
        verb = rng.choice(["", *VERBS])
        return Call("help").says(verb, tool=verb) if verb else Call("help")
    return Call("undo")


def make_search():
    call = Call("search", "search", "find").has("query", content(False))
    name, meant = node()
    text, value = number()
    call.may("web", word("web"), .2).may("in", (f"in:{name}", meant))
    call.may("author", word("human", "author")).may("max", (f"max:{text}", value))
    call.may("depth", word("deep", "depth"), .2)
    return call.may("include", ("include:a.com,b.org", ["a.com", "b.org"]), .2)


MAKERS = [make_look, make_branch, make_list, make_tree, make_continue, make_text, make_link,
          make_mark, make_document, make_memory, make_search]


# ---- lines ----

def spell(words):
    """The words with blanks between; two blanks before # or ( would begin a comment."""
    out = words[0]
    for text in words[1:]:
        out += (" " if text[0] in "#(" else rng.choice(BLANKS)) + text
    return out


def arrow():
    return (" " * rng.randint(0, 3) + "→" + rng.choice(["", "", "\ufe0f", "\ufe0e"]) +
            rng.choice(["", *BLANKS]))


def call_line():
    call = rng.choice(MAKERS)()
    words = list(call.words)
    rng.shuffle(call.free)
    for text in call.free:
        words.insert(rng.randint(0, len(words)) if call.loose else len(words), text)
    verb = [rng.choice([text, text, text.upper(), text.title()]) for text in call.verb]
    # Whatever leaves an act open refuses it; a look can do no harm.
    looks = call.cmd in LOOKS
    polite = rng.choice([[], [], [], ["please"], ["could", "you"] if looks else ["please"]])
    text = arrow() + spell(polite + verb + words)
    text += rng.choice(["", "", "", ".", "?!" if looks else ".", "..."])
    aside = ["  # or \"not closed", "   (stitched, a7x2 or b3k9)"] if looks else ["   (stitched)"]
    text += rng.choice(["", "", "", *aside, " "])
    return text, ("call", call.cmd, call.params)


def refused_line():
    """Its second part: whether it asks back, None where that is left open; and candidates."""
    name = node()[0]
    return rng.choice([
        (arrow() + f"frobnicate {name}", ("refused", False, [])),
        (arrow().rstrip(), ("refused", False, [])),
        (arrow() + f"view {name} quickly", ("refused", False, [])),
        (arrow() + f"view {name} → view b3k9", ("refused", False, [])),
        (arrow() + f"view {name} {rng.choice(['or', 'AND', 'then'])} b3k9", ("refused", True, [])),
        (arrow() + f"{rng.choice(['do not', 'don’t'])} prune {name}", ("refused", True, None)),
        (arrow() + f"prune {name}{rng.choice(['?', ' ?', '?!'])}", ("refused", None, None)),
        (arrow() + f"could you prune {name}", ("refused", None, None)),
        (arrow() + f"bookmark {name} (or b3k9)", ("refused", None, None)),
        (arrow() + f"open {name}", ("refused", True, ["view", "switch"])),
        (arrow() + f"save {name}", ("refused", True, ["bookmark", "pin", "stash"])),
        (arrow() + f"delete {name}", ("refused", True, ["prune", "drop"])),
        (arrow() + "go back", ("refused", True, ["switch"])),
        (arrow() + f"read {name}", ("refused", True, ["view"])),
        (arrow() + f"drop {name}", ("refused", True, ["drop"])),
        (arrow() + f"list {name}", ("refused", True, None)),
        (arrow() + f"continue from a7x2 n:{rng.choice(['0', '3.5', '-1', '３', 'x', ''])}",
         ("refused", False, [])),
        (arrow() + "continue n:3 tokens:9 n:3", ("refused", None, None)),
        (arrow() + f"annotate {name} \"x\"y", ("refused", False, [])),
        (arrow() + f"annotate {name} “”", ("refused", False, [])),
        (arrow() + "read doc:\"d\" lines:9-3", ("refused", False, []))])


def inert():
    line = rng.choice(["→ prune r001", "-> view a7x2", "- → view a7x2", '→ annotate a7x2 "open'])
    signs = rng.choice(["\"\"", "“”", "„“", "''", "«»"])
    fence = rng.choice(["```", "````", "~~~", "~~~~~"])
    tag = rng.choice(["think", "thinking", "scratchpad", "seed:think", "inner_monologue"])
    return rng.choice([
        "Prose.", "Marie → Thomas.", "-> so we", "a `→ x` b", "“→ view a7x2”", "\u00a0→ view a7x2",
        rng.choice(["> ", ">", "  > "]) + line + "\n", "> said\n→ prune r001\nand more\n",
        f"It reads: {signs[0]}so\n→ prune r001\n\nand so{signs[1]}",
        "a <!-- b\n→ prune r001\n--> c", "a `b\n→ prune r001\nc` d", "Bob wrote:\n→ prune r001\n",
        '"""\n→ prune r001\n"""', f"<pre>\n\n{line}\n</pre>", rng.choice(["    ", "\t", "  \t"]) + line,
        f"<{tag}>\n{line}\n\n</{tag}>",
        f"{fence}md\n{line}\n{fence[1:]}\n{fence} x\n{fence}{fence[0]}"])


def thought():
    text = rng.choice(["x", "a\nb", '→ prune r001\n```\n<think>\n"open'])
    return f"→ think\n{text}\n←", ("call", "think", {"content": text})


def hint_line():
    if maybe(.5):
        bullet = rng.choice(["- ", "* ", "1. ", "  • "])
        return bullet + "→ prune r001", ("hint", "NOT_AT_LINE_START")
    return rng.choice(["-> ", "=> ", "⇒"]) + "show me a7x2", ("hint", "ASCII_ARROW")


# ---- turns ----

class Turn:
    def __init__(self):
        self.text, self.line, self.open = "", 1, False
        self.found = {"calls": [], "errors": [], "hints": [], "batches": []}

    def add(self, text, meant=None):
        if meant and meant[0] == "call":
            if not self.open:
                self.found["batches"].append([])
            self.found["batches"][-1].append(len(self.found["calls"]))
            self.found["calls"].append({"cmd": meant[1], "params": meant[2], "line": self.line})
        elif meant and meant[0] == "refused":
            self.found["errors"].append((self.line, *meant[1:]))
        elif meant:
            self.found["hints"].append({"line": self.line, "hint": meant[1]})
        if text.strip():
            self.open = bool(meant) and meant[0] == "call"
        end = rng.choice(["\n", "\n", "\n", "\r\n"])
        self.text += text + end
        self.line += text.count("\n") + 1


def make_turn():
    turn = Turn()
    for _ in range(rng.randint(1, 9)):
        kind = rng.random()
        if kind < .55:
            turn.add(*call_line())
        elif kind < .7:
            turn.add(*refused_line())
        elif kind < .76:
            turn.add(rng.choice(["", "  ", "\t"]))
        elif kind < .9:
            turn.add(inert())
        elif kind < .95:
            turn.add(*hint_line())
        else:
            turn.add(*thought())
    return turn


def parse(text, source):
    ended = subprocess.run([loom, "parse", "--source", source, "--json", "-"],
                           input=text.encode(), capture_output=True)
    must(ended.returncode == 0, "parse ends with", ended.returncode, ended.stderr.decode())
    return json.loads(ended.stdout)


def check(turn):
    got = parse(turn.text, "model")
    for key in "calls", "hints", "batches":
        must(got[key] == turn.found[key], key, "\n got ", got[key], "\n want", turn.found[key],
             "\n refused", got["errors"])
    must([e["line"] for e in got["errors"]] == [e[0] for e in turn.found["errors"]],
         "refused\n got ", got["errors"], "\n want", turn.found["errors"])
    for error, (_, asks, candidates) in zip(got["errors"], turn.found["errors"]):
        must(error["code"] == "INVALID_SYNTAX" and asks in (None, error["clarify"]), error)
        must(candidates in (None, error["candidates"]), error, candidates)
    return got


def main():
    calls = 0
    for count in range(turns):
        turn = make_turn()
        trace[:] = [turn.text]
        got = check(turn)
        calls += len(got["calls"])
        if count % 8 == 0:
            paste = parse(turn.text, "paste")
            must(not paste["calls"] and paste["proposed"] == got["calls"], "proposed", paste)
            must(not any(parse(turn.text, rng.choice(["human", "tool_result"])).values()), "run")
    print(f"{turns} turns, {calls} calls")


try:
    main()
except Wrong as wrong:
    print(f"seed {seed}: {wrong}", file=sys.stderr)
    sys.exit(1)
