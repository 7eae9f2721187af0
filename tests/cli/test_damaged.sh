#!/bin/sh
# A text that does not fit its hash is shown with a mark, wherever it is shown.
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

# flip WORDS: one bit of a text in the file.
flip() {
	python3 - "$1" <<'EOT'
import sqlite3, sys
db = sqlite3.connect('.loom/grove.db')
db.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchall()
db.close()
data = bytearray(open('.loom/grove.db', 'rb').read())
at = data.find(sys.argv[1].encode())
assert at > 0
data[at + 4] ^= 1
open('.loom/grove.db', 'wb').write(data)
EOT
	status 0 'a bit is flipped'
}

everywhere no
documents no
flip 'the written words of it'
documents yes
run 1 check --deep
says out 'document version 1: its text is not what was written'
flip 'the original words of it'
everywhere yes
run 1 verify
says out "[$id]"
run 0 show "$id"
says out "damaged, see loom verify $id"
verdict
