#!/bin/sh
# A text that does not match its hash is marked wherever it is shown.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to flip a bit'
run 0 init
run 0 new --root 'once upon a time'
run 0 do respond r001 'the original words of it'
id=$(sed -n 's/.*created \[\([^]]*\)\].*/\1/p' out)
run 0 do respond "$id" 'what followed'
run 0 agent add reader --permissions analyst --approval auto
printf 'a plan\n\nthe written words of it\n' >plan.md
run 0 doc write plan plan.md
run 0 do -a reader pin 'doc:"plan"'

# marked YES|NO WHAT ARGUMENT…: whether the answer marks that node, and no other.
marked() {
	expected=$1
	shift
	run 0 "$@"
	checks=$((checks + 1))
	count=$(cat out err | grep -cE "damaged, see loom|\"damaged\":true|but damaged|damaged; .loom check")
	[ "$expected" = yes ] && [ "$count" -eq 0 ] && fail "$what: no mark"
	[ "$expected" = no ] && [ "$count" -ne 0 ] && fail "$what: a mark"
}

everywhere() {
	marked "$1" show "$id"
	marked "$1" show "$id" --json
	marked "$1" log
	marked "$1" log --json
	marked "$1" do view "$id"
	marked "$1" context -a reader --node "$id"
	marked "$1" context -a reader --node "$id" --format json
	marked "$1" context --format json
	marked "$1" export --format md -o -
	marked "$1" export --format json -o -
	marked no show r001
	marked no show r001 --json
}

documents() {
	marked "$1" doc show plan
	marked "$1" doc show plan --json
	marked "$1" doc export plan -o -
	marked "$1" do read 'doc:"plan"'
	marked "$1" context -a reader --node r001
}

# flip WORDS: one bit in the file of each text that has them.
flip() {
	python3 - "$1" <<'EOT'
import sqlite3, sys
db = sqlite3.connect('.loom/grove.db')
db.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchall()
db.close()
data = bytearray(open('.loom/grove.db', 'rb').read())
at = data.find(sys.argv[1].encode())
assert at > 0
while at > 0:
    data[at + 4] ^= 1
    at = data.find(sys.argv[1].encode(), at)
open('.loom/grove.db', 'wb').write(data)
EOT
	status 0 'a bit is flipped'
}

everywhere no
documents no
flip 'the written words of it'
documents yes
run 1 check --deep
says out 'document version 1: its text is not the one written'
flip 'the original words of it'
everywhere yes
run 1 verify
says out "[$id]"
run 0 show "$id"
says out "damaged, see loom verify $id"

# What names the damage says it in lines of its own, whatever titles, names and texts say: as many as
# texts are damaged, each of one form.
mkdir odd
cd odd || exit 1
run 0 init
python3 - >odd.json <<'EOT'
import json, random
rng = random.Random(17)
PARTS = ["[a7x2] in tree:\"x\": ", "node 7 [a7x2]: ", "structure: ", "✓ nothing found", "✓ 3 nodes are as recorded",
         "not vouched for: ", "\n", "\r", "\x0b", "\u0085", "\u2028", "\x1b[2J", "left over from a program",
         "\u200b", "words", " ", "\\", "document version 3: its text is not the one written"]
odd = lambda most: "".join(rng.choice(PARTS) for _ in range(rng.randrange(1, most)))
ulid = lambda kind, n: "01M7%s%020d" % (kind, n)
print(json.dumps({"loom": "export", "version": 1, "trees": [
    {"ulid": ulid("TR", t), "title": odd(5), "mode": "dialogue", "created": "2026-03-01T10:00:00.000Z", "nodes": [
        {"ulid": ulid("ND", t), "id": "r001", "author": ulid("AG", t), "created": "2026-03-01T10:00:00.000Z",
         "text": "%s the marked words %s" % (odd(5), odd(5))}]} for t in range(200)],
    "agents": [{"ulid": ulid("AG", t), "name": odd(5), "kind": "human",
                "created": "2026-03-01T10:00:00.000Z"} for t in range(200)],
    "documents": [{"name": "d%d" % d, "text": "%s the marked words %s" % (odd(5), odd(5))} for d in range(50)]}))
EOT
run 0 import odd.json
flip 'the marked words'

# all COUNT FORM: so many lines of that form, and none else.
all() {
	checks=$((checks + 1))
	python3 - "$1" "$2" <<'EOT' || fail "$what: other lines"
import re, sys
lines = re.split("\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]", open("../out", newline="", encoding="utf-8").read().removesuffix("\n"))
fits = sum(re.fullmatch(sys.argv[2], line) is not None for line in lines)
claims = sum(re.fullmatch(r"not vouched for: 1 node said to be .*, from odd\.json \(.*\)", line) is not None for line in lines)
print(fits, claims, len(lines), file=sys.stderr)
sys.exit(fits != int(sys.argv[1]) or fits + claims != len(lines))
EOT
}

run 1 verify
all 200 '\[r001\] in tree:".*": its content hash does not match'
run 1 check --deep
all 250 'node [0-9]+ \[r001\]: its content hash does not match|document version [0-9]+: its text is not the one written'

# So it is with names of files, of frozen copies and of tables that somebody else made.
run 0 init names
cd names || exit 1
run 0 new --title T --root r
run 0 objective new --title Goal --id goal
run 0 thread spawn --objective goal --id S
echo x >.leslie/threads/S/plan.md
run 0 thread spawn --objective goal --id T --ref S
python3 - <<'EOT' || fail 'the names could not be made'
import json, os, random, sqlite3
rng = random.Random(18)
PARTS = ["[a7x2] in tree:\"x\": ", "node 7 [a7x2]: ", "structure: ", "no problems", "✓ 3 nodes are as recorded",
         "not vouched for: ", "\n", "\r", "\x0b", "\u0085", "\u2028", "\x1b[2J", "left over from a killed program",
         "mended: ", "\u200b", "words", " ", "\"", "compared with the shared log: 3 entries", "its text is missing"]
odd = lambda n: "".join(rng.choice(PARTS) for _ in range(rng.randrange(1, 6))) + str(n)
path = ".leslie/threads/T/context/inherited/.refs.json"
given = json.load(open(path))
[one] = given["refs"].values()
given["refs"].update({odd(n): dict(one, path=odd(n), thread=rng.choice([odd(n), "S"])) for n in range(40)})
os.chmod(path, 0o600)
json.dump(given, open(path, "w"))
for n in range(40):
    open("%s.part-%016x" % (odd(n), n), "w")
db = sqlite3.connect(".loom/grove.db")
for n in range(40):
    table, other = ('"%s"' % odd(n).replace('"', '""') for _ in range(2))
    db.execute("CREATE TABLE %s(a REFERENCES %s(id))" % (table, other))
    db.execute("INSERT INTO %s VALUES (7)" % table)
db.commit()
EOT
run 1 check --deep
checks=$((checks + 1))
python3 - <<'EOT' || fail "$what: other lines"
import re, sys
lines = re.split("\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]",
                 open("../../out", newline="", encoding="utf-8").read().removesuffix("\n"))
FORMS = [r"\.leslie/threads/T/context/inherited/.*: the frozen copy is missing",
         r"left over from a killed program: .*\.part-[0-9a-f]{16} \(the next program .*\)",
         r"row 1 of table \".*\": what it refers to in \".*\" is missing"]
counts = [sum(re.fullmatch(form, line) is not None for line in lines) for form in FORMS]
print(counts, len(lines), file=sys.stderr)
sys.exit(counts != [40, 40, 40] or len(lines) != 120)
EOT
verdict
