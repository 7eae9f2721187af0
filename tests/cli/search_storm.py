"""A person and an agent write texts, tag, bookmark, prune and annotate them; what `loom grep` finds
for random words, beginnings, phrases and filters in any order is held against the rules: every word
there, whatever its case and accents; the last word may go on, a phrase may not; a text in Chinese,
Japanese or Korean is found by any part of it; what is hidden is not found.
usage: search_storm.py LOOM SEED STEPS, in an empty folder. Says what went wrong, or what was
done."""
import json
import random
import re
import subprocess
import sys
import unicodedata

from storm import Wrong, must, trace

loom, seed, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = random.Random(seed)
WORDS = """rain Rain RAINY rainbow sea seaside naïve Naive NAÏVE e\u0301te été über Uber house housed 3
 30 3.14 foo_bar co-op op co x Ålesund Привет привет ПРИВЕТЪ Ёлка елка ΣΊΣΥΦΟΣ σισυφος 雨 雨が降る
 降る雨 日本語 日本 かな カナ 한국어 한국 rain雨 雨rain 🧵 a🧵b AND or NEAR * ( #1 a:b""".split()
TAGS = ["t", "two words"]


def run(*argv, text_in="", ok=(0,)):
    ended = subprocess.run([loom, *argv], input=text_in, capture_output=True, text=True)
    must(ended.returncode in ok, argv, ended.stdout, ended.stderr)
    return ended.stdout


class Text:
    def __init__(self, name, parent, text, author, note=False):
        self.name, self.parent, self.text, self.author = name, parent, text, author
        self.note, self.tags, self.marked, self.pruned = note, set(), False, False

    def above(self):
        """Itself and all above it."""
        out = [self]
        while out[-1].parent:
            out.append(out[-1].parent)
        return out

    def hidden(self):
        return any(text.pruned for text in self.above())


root = Text("r001", None, "Root.", "human")
texts = [root]


def is_cjk(char):
    at = ord(char)
    return 0x3040 <= at <= 0x30ff or 0x4e00 <= at <= 0x9fff or 0xac00 <= at <= 0xd7a3


def fold(word):
    plain = unicodedata.normalize("NFD", word.lower().replace("ς", "σ"))
    return "".join(char for char in plain if not unicodedata.combining(char))


def tokens(text):
    out, word = [], ""
    for char in text + " ":
        if not is_cjk(char) and (char.isalnum() or unicodedata.combining(char)):
            word += char
            continue
        if word:
            out.append(fold(word))
        word = ""
        if is_cjk(char):
            out.append(char)
    return out


def holds(phrase, goes_on, of):
    for at in range(len(of) - len(phrase) + 1):
        there = of[at:at + len(phrase)]
        if there == phrase or (goes_on and there[:-1] == phrase[:-1] and
                               there[-1].startswith(phrase[-1])):
            return True
    return False


def write():
    below = rng.choice([text for text in texts if not text.hidden() and not text.note])
    said = " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, 7)))
    kind = rng.random()
    trace.append((below.name, said, round(kind, 2)))
    if kind < .2:
        run("do", "annotate", below.name, said)
        texts.append(Text(f"ann-{1 + sum(text.note for text in texts)}", below, said, "human", True))
        return
    if kind < .6:
        answer, author = run("do", "respond", below.name, said), "human"
    else:
        answer = run("run", "-a", "Ana", "-", text_in=f'→ respond {below.name} "{said}"\n')
        author = "Ana"
    texts.append(Text(re.search(r"created \[(\S+)\]", answer)[1], below, said, author))


def mark():
    text = rng.choice([text for text in texts[1:] if not text.hidden() and not text.note] or [root])
    verb = rng.choice(["tag", "bookmark", "prune"])
    trace.append((verb, text.name))
    if verb == "tag":
        tag = rng.choice(TAGS)
        run("do", "tag", text.name, tag)
        text.tags.add(tag)
    elif verb == "bookmark":
        run("do", "bookmark", text.name)
        text.marked = True
    elif text is not root:
        run("do", "prune", text.name)
        text.pruned = True


def make_filter():
    """Its text, and which texts it lets through."""
    below = rng.choice([text for text in texts if not text.hidden() and not text.note])
    tag = rng.choice(TAGS)
    return rng.choice([
        (f"in:{below.name}", lambda text: below in text.above()),
        ("author:human", lambda text: text.author == "human"),
        ("author:Ana", lambda text: text.author == "Ana"),
        ("bookmarked:", lambda text: text.marked),
        (f'tag:"{tag}"', lambda text: tag in text.tags)])


def make_word():
    """Its text, its tokens and whether it may go on at the end of a line."""
    if rng.random() < .35:
        words = rng.choice(texts).text.split(" ")
        at = rng.randrange(len(words))
        words = " ".join(words[at:at + rng.randint(1, 3)])
        return rng.choice(['"{}"', "“{}”"]).format(words), tokens(words), False
    word = rng.choice([word for word in WORDS if ":" not in word])
    word = word[:rng.randint(1, len(word))] if rng.random() < .3 else word
    return word, tokens(word), True


def ask():
    words = [make_word() for _ in range(rng.randint(1, 3))]
    filters = [make_filter() for _ in range(rng.choice([0, 0, 1, 2]))]
    meant = [(phrase, goes_on) for _, phrase, goes_on in words if phrase]
    pieces = [text for text, _, _ in words]
    for text, _ in filters:
        pieces.insert(rng.randint(0, len(pieces)), text)
    if not meant or len({text.split(":")[0] for text, _ in filters}) < len(filters):
        return 0
    line = " ".join(pieces)
    got = json.loads(run("grep", "--json", "--last", "1000", "--", line, ok=(0, 1)))["hits"]
    want = [text.name for text in reversed(texts) if not text.hidden() and
            all(passes(text) for _, passes in filters) and
            all(holds(phrase, goes_on and at + 1 == len(meant), tokens(text.text))
                for at, (phrase, goes_on) in enumerate(meant))]
    must([hit["id"] for hit in got] == want, line, "\n got ",
         [hit["id"] for hit in got], "\n want", want)
    return len(want)


def main():
    run("init")
    run("new", "--title", "Q", "--root", root.text)
    run("agent", "add", "Ana", "--permissions", "all", "--approval", "auto")
    for _ in range(steps):
        write() if rng.random() < .75 else mark()
    hits = sum(ask() for _ in range(2 * steps))
    print(f"{len(texts)} texts, {hits} hits")


try:
    main()
except Wrong as wrong:
    print(f"seed {seed}: {wrong}", file=sys.stderr)
    sys.exit(1)
