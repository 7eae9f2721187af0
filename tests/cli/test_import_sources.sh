#!/bin/sh
# Imports of folders and archives as vendors ship them: one import each, what no format knows is noted
# and left, and a hostile archive is refused before it costs anything.
files=$(cd "$(dirname "$0")/../imports" && pwd)
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to make archives'
run 0 init

# --- a folder, with folders in it, and what is not for us ---
mkdir -p all/deep
cp "$files/codex-session.jsonl" "$files/pyloom-third.json" all/
cp "$files/gemini-one.json" all/deep/
printf 'Human: one\n\nAssistant: two\n' >all/talk.txt
printf '{"a":' >all/cut.json
head -n 1 "$files/claude-export.json" | head -c 60 >all/deep/claude.json
head -c 3000 /dev/zero >all/picture.png
ln -s / all/root
run 0 import --dry-run all
says out 'would import'
run 0 trees
silent out
run 0 import all
says out 'in 3 trees'
says out '1 × a file with nothing to import (.txt)'
says out '1 × a file with nothing to import (.png)'
run 0 ops --json
[ "$(grep -o '"imported ' out | wc -l)" = 1 ] || fail 'more than one operation'
run 0 import all
says out '✓ nothing new'
run 0 undo
run 0 trees
silent out
mkdir nothing
run 1 import nothing
says err 'there is nothing to import'

# --- archives ---
make_zip() {
	python3 - "$@" <<'EOT' || fail "no archive $1"
import sys, zipfile
name, method, *members = sys.argv[1:]
with zipfile.ZipFile(name, 'w', int(method)) as z:
    for member in members:
        z.write(member, 'export/' + member.rsplit('/', 1)[-1])
    z.writestr('export/chat.html', '<html></html>')
EOT
}
make_zip export.zip 8 "$files/chatgpt-list.json" "$files/claude-export.json"
run 0 import export.zip
says out '· chatgpt'
says out '· claude'
says out '1 × a file with nothing to import (.html)'
make_zip stored.zip 0 "$files/chatgpt-list.json" "$files/claude-export.json"
run 0 import stored.zip
says out '✓ nothing new'
mkdir shipped && cp export.zip shipped/
run 0 import shipped
says out '✓ nothing new'

# However many files a folder has, their authors are those of the folder.
python3 - <<'EOT' || fail 'no folder of sessions'
import json, os
os.makedirs('sessions/2026')
for i in range(600):
    with open('sessions/2026/%03d.jsonl' % i, 'w') as file:
        for j, role in enumerate(('user', 'assistant')):
            said = 'Said %d, %d.' % (i, j)
            file.write(json.dumps({'type': role, 'uuid': 'u%d-%d' % (i, j), 'parentUuid': 'u%d-0' % i if j else None,
                'sessionId': 's%d' % i, 'timestamp': '2026-01-01T00:00:0%dZ' % j, 'version': '2.1.0', 'cwd': '/x',
                'message': {'role': role, 'content': said if j == 0 else [{'type': 'text', 'text': said}]}}) + '\n')
EOT
run 0 import sessions/
says out 'in 600 trees'
says out '600 × said to be human, from sessions:'
lacks out 'beyond the first'
run 0 import sessions/2026/007.jsonl
says out '✓ nothing new'
run 0 undo

# A member of one archive that another one's tree refers to comes first.
cat >third.json <<'EOT'
{"root":{"id":"q","text":"A","children":[{"id":"b","text":"B","generation":{"id":"m1","index":0},"children":[]}]}}
EOT
cat >zzz.json <<'EOT'
{"m1":{"id":"m1","model":"davinci","prompt":{"text":"A"},"completions":[{"text":"B","finishReason":"stop","tokens":[]}]}}
EOT
make_zip loom.zip 8 third.json zzz.json
run 0 import loom.zip
run 0 export --tree third
says out '"model":"davinci"'

# --- hostile ones ---
python3 - <<'EOT' || fail 'no hostile archives'
import struct, zlib
def local(name, data, method=8, size=None, flags=0):
    return struct.pack('<4sHHHHHIIIHH', b'PK\3\4', 20, flags, method, 0, 0, 0, len(data),
                       size or 0, len(name), 0) + name + data
def central(name, at, packed, size, crc, method=8, flags=0):
    return struct.pack('<4sHHHHHHIIIHHHHHII', b'PK\1\2', 20, 20, flags, method, 0, 0, crc, packed,
                       size, len(name), 0, 0, 0, 0, 0, at) + name
def end(count, size, at):
    return struct.pack('<4sHHHHIIH', b'PK\5\6', 0, 0, count, count, size, at, 0)
def squeeze(text):
    z = zlib.compressobj(9, zlib.DEFLATED, -15)
    return z.compress(text) + z.flush()
text = b'{"messages":[' + b' ' * 5000000 + b']}'
data = squeeze(text)
def write(name, body, entries, count=None):
    listed = b''.join(entries)
    open(name, 'wb').write(body + listed + end(count or len(entries), len(listed), len(body)))
one = local(b'a.json', data)
entry = lambda size, at=0, method=8, flags=0: central(b'a.json', at, len(data), size,
                                                      zlib.crc32(text), method, flags)
write('overlap.zip', one, [entry(len(text))] * 500)
write('longer.zip', one, [entry(1000)])
write('wrong.zip', one, [central(b'a.json', 0, len(data), len(text), 1)])
write('huge.zip', one, [central(b'a.json', 0, len(data), 0xFFFFFFF0, 1)] + [
    central(b'b%d' % i, len(one), 0, 0xFFFFFFF0, 0) for i in range(9)])
write('secret.zip', local(b'a.json', data, flags=1), [entry(len(text), flags=1)])
write('odd.zip', local(b'a.json', data, 99), [entry(len(text), method=99)])
write('cut.zip', one, [entry(len(text))], 7)
open('short.zip', 'wb').write(one[:200])
EOT
run 1 import overlap.zip
says err 'its files overlap'
run 1 import cut.zip
says err 'its list is cut off'
run 1 import short.zip
says err 'it has no end'
run 1 import huge.zip
for name in longer wrong secret odd; do
	run 1 import $name.zip
	says err 'there is nothing to import'
done

# --- packed with Zstandard, as evaluations are ---
if command -v zstd >/dev/null; then
	python3 - "$files/chatgpt-list.json" <<'EOT' || fail 'no Zstandard archive'
import struct, subprocess, sys, zlib
text = open(sys.argv[1], 'rb').read()
data = subprocess.run(['zstd', '-q', '-c'], input=text, stdout=subprocess.PIPE, check=True).stdout
name = b'conversations.json'
head = struct.pack('<4sHHHHHIIIHH', b'PK\3\4', 63, 0, 93, 0, 0, zlib.crc32(text), len(data),
                   len(text), len(name), 0) + name + data
entry = struct.pack('<4sHHHHHHIIIHHHHHII', b'PK\1\2', 63, 63, 0, 93, 0, 0, zlib.crc32(text),
                    len(data), len(text), len(name), 0, 0, 0, 0, 0, 0) + name
open('zstandard.zip', 'wb').write(head + entry + struct.pack(
    '<4sHHHHIIH', b'PK\5\6', 0, 0, 1, 1, len(entry), len(head), 0))
EOT
	run 0 import zstandard.zip
	says out '✓ nothing new'
fi
run 0 check
verdict
