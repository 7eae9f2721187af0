#!/bin/sh
# A text that does not match its hash is marked wherever it is shown.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to flip a bit'
run 0 init
run 0 new --root 'once upon a time'
run 0 do respond r001 'the original words of it'
id=$(sed -n 's/.*created \[\([^]]*\)\].*/\1/p' out)
run 0 do respond "$id" 'what followed'
run 0 agent add reader --permissions analyst

# marked YES|NO WHAT ARGUMENT…: whether the answer marks that node, and no other.
marked() {
	expected=$1
	shift
	run 0 "$@"
	checks=$((checks + 1))
	count=$(grep -cE "damaged, see loom verify|\"damaged\":true|but damaged" out)
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
	marked no show r001
	marked no show r001 --json
}

everywhere no
python3 - <<'EOT'
import sqlite3
db = sqlite3.connect('.loom/grove.db')
db.execute('PRAGMA wal_checkpoint(TRUNCATE)').fetchall()
db.close()
data = bytearray(open('.loom/grove.db', 'rb').read())
at = data.find(b'the original words of it')
assert at > 0
data[at + 4] ^= 1
open('.loom/grove.db', 'wb').write(data)
EOT
status 0 'a bit is flipped'
everywhere yes
run 1 verify
says out "[$id]"
run 0 show "$id"
says out "damaged, see loom verify $id"
verdict
