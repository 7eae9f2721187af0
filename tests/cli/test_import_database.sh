#!/bin/sh
# Imports of other programs' databases: with and without a log beside them, hostile ones, and nothing
# of them or beside them is changed by a byte.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to make databases'
python3 -c 'import sqlite3' 2>/dev/null || skip 'no sqlite3 to make databases'
run 0 init
mkdir db temporary
TMPDIR=$work/temporary
export TMPDIR

# state: every name in a folder with its bytes' hash and its times.
state() {
	(cd "$1" && find . -type f | sort | while read -r name; do
		printf '%s %s %s\n' "$name" "$(sha256sum <"$name")" "$(stat -c '%Y %Z %s' "$name")"
	done)
}

cat >make.py <<'EOT'
import json, os, shutil, sqlite3, sys
def opencode(path, mode, count=2):
    c = sqlite3.connect(path)
    c.execute(f'PRAGMA journal_mode={mode}')
    c.executescript('''
CREATE TABLE session(id TEXT PRIMARY KEY, project_id TEXT, slug TEXT, directory TEXT, title TEXT,
  version TEXT, revert TEXT, time_created INT, time_updated INT);
CREATE TABLE message(id TEXT PRIMARY KEY, session_id TEXT, time_created INT, data TEXT);
CREATE TABLE part(id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT);
''')
    c.execute("INSERT INTO session VALUES('s','p','x','/tmp','A talk','1',NULL,1790931600000,1)")
    for i in range(count):
        role = 'user' if i % 2 == 0 else 'assistant'
        c.execute('INSERT INTO message VALUES(?,?,?,?)', (f'm{i}', 's', i, json.dumps(
            {'role': role, 'modelID': 'm', 'time': {'created': 1790931600000 + i}})))
        c.execute('INSERT INTO part VALUES(?,?,?,?)', (f'p{i}', f'm{i}', 's', json.dumps(
            {'type': 'text', 'text': f'said {i}'}, indent=1)))
    c.commit()
    return c
kind, path = sys.argv[1:3]
if kind == 'plain':
    opencode(path, 'delete').close()
elif kind == 'closed':
    opencode(path, 'wal').close()
elif kind == 'logged':  # as it is while its program runs
    c = opencode(path + '.live', 'wal', 4)
    for ending in ('', '-wal'):
        shutil.copy(path + '.live' + ending, path + ending)
    c.close()
    os.remove(path + '.live')
elif kind == 'llm':
    c = sqlite3.connect(path)
    c.executescript('''
CREATE TABLE conversations(id TEXT PRIMARY KEY, name TEXT, model TEXT);
CREATE TABLE responses(id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, prompt_json TEXT,
  options_json TEXT, response TEXT, response_json TEXT, conversation_id TEXT, datetime_utc TEXT);
CREATE TABLE fragments(id INTEGER PRIMARY KEY, hash TEXT, content TEXT, source TEXT);
CREATE TABLE prompt_fragments(response_id TEXT, fragment_id INTEGER, "order" INTEGER);
CREATE VIRTUAL TABLE responses_fts USING fts5(prompt, response, content=responses);
INSERT INTO conversations VALUES('c','Seas','m');
INSERT INTO responses VALUES('a','m','Name one.',NULL,NULL,'{}','Aral.',NULL,'c','2026-01-01T00:00:00');
INSERT INTO responses VALUES('b','m','Another.',NULL,NULL,'{}','Black.',NULL,'c','2026-01-01T00:01:00');
INSERT INTO fragments VALUES(1,'h','A list of seas.','seas.txt');
INSERT INTO prompt_fragments VALUES('b',1,0);
''')
    c.close()
elif kind == 'hermes':
    c = sqlite3.connect(path)
    c.executescript('''
CREATE TABLE sessions(id TEXT PRIMARY KEY, source TEXT, model TEXT, system_prompt TEXT,
  parent_session_id TEXT, started_at REAL, title TEXT);
CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT,
  tool_calls TEXT, timestamp REAL);
INSERT INTO sessions VALUES('s','cli','hermes-5','Fly.',NULL,1790931600.5,'Wings');
INSERT INTO messages VALUES(1,'s','user','Go.',NULL,1790931601);
INSERT INTO messages VALUES(2,'s','assistant','Gone.','[{"function":{"name":"flap"}}]',1790931602);
''')
    c.close()
elif kind == 'basemode':
    c = sqlite3.connect(path)
    c.executescript('''
CREATE TABLE trees(id TEXT PRIMARY KEY, current_node_id TEXT, name TEXT, model_plan_json TEXT,
  created_at TEXT, metadata_json TEXT);
CREATE TABLE nodes(id TEXT PRIMARY KEY, tree_id TEXT, parent_id TEXT, kind TEXT, text TEXT, model TEXT,
  strategy TEXT, max_tokens INTEGER, temperature REAL, created_at TEXT, metadata_json TEXT);
INSERT INTO trees VALUES('r','a','Harbour','[]','2026-01-01T00:00:00Z','{}');
INSERT INTO nodes VALUES('r','r',NULL,'root','The harbour',NULL,NULL,NULL,NULL,'2026-01-01T00:00:00Z','{}');
INSERT INTO nodes VALUES('a','r','r','text',' slept.','m','prefill',20,0.9,'2026-01-01T00:00:01Z',
  '{"bookmarked":true,"rating":1}');
''')
    c.close()
elif kind == 'view':
    c = sqlite3.connect(path)
    c.executescript('''CREATE VIEW session AS SELECT 1 AS id, 'x' AS slug;
CREATE TABLE message(data); CREATE TABLE part(message_id);''')
    c.close()
elif kind == 'other':
    c = sqlite3.connect(path)
    c.execute('CREATE TABLE birds(name TEXT)')
    c.close()
elif kind == 'odd':
    c = opencode(path, 'delete')
    c.execute("UPDATE part SET data = '{\"type\":\"text\",\"text\":\"once\",\"text\":\"twice\"}'")
    c.execute("UPDATE message SET data = x'00ff' WHERE id = 'm1'")
    c.commit()
    c.close()
EOT

for kind in plain closed logged; do
	python3 make.py $kind db/$kind.db || fail "no database $kind"
done
state db >before
run 0 import db/plain.db
says out 'tree:"A talk" · 3 nodes · opencode'
run 0 import db/closed.db
says out '✓ nothing new'
run 0 import db/logged.db
says out '5 nodes, 2 new'
run 0 import db
says out '✓ nothing new'
state db >after
cmp -s before after || fail 'a database, or what lies beside it, was changed'
[ -z "$(ls temporary)" ] || fail 'a copy was left behind'

# --- a folder that cannot be written to ---
chmod 500 db
run 0 import db/closed.db
chmod 700 db

# --- of each program ---
for kind in llm hermes basemode; do
	python3 make.py $kind $kind.db || fail "no database $kind"
	run 0 import $kind.db
	says out "· $kind"
	run 0 import $kind.db
	says out '✓ nothing new'
done
run 0 grep -t Seas 'A list of seas.'
says out 'A list of seas.'
run 0 tag --with rated:good
lines out 1

# --- what is no conversation, and what only looks like it ---
python3 make.py other other.db
run 1 import other.db
says err 'a database of an unknown program'
python3 make.py view view.db
run 1 import view.db
says err 'a database of an unknown program'
python3 make.py odd odd.db
run 0 import odd.db
head -c 9000 db/plain.db >half.db
run 1 import half.db
head -c 100 db/plain.db >head.db
run 1 import head.db
run 1 import .loom/grove.db
says err 'a file of the grove'
run 0 check
verdict
