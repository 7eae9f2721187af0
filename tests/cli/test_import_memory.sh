#!/bin/sh
# Importing takes memory for what it keeps of a file, not for the file.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to measure'
[ -z "${ASAN_OPTIONS:-}" ] || skip 'a sanitizer has memory of its own'
mebibytes=${LOOM_TEST_STEPS:-96}
most=$((mebibytes < 200 ? 128 : 256))
run 0 init

# peak MOST STATUS ARGUMENT…: the program's peak resident memory is below so many MiB.
peak() {
	checks=$((checks + 1))
	python3 - "$loom" "$@" >out 2>err <<'EOT' || fail "$* takes more"
import resource, subprocess, sys
loom, most, status, *words = sys.argv[1:]
done = subprocess.run([loom, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
sys.stderr.buffer.write(done.stderr)
print(peak, 'MiB', done.returncode)
sys.exit(peak > int(most) or done.returncode != int(status))
EOT
	cat out
}

python3 - "$mebibytes" <<'EOT'
import json, sys
size = int(sys.argv[1]) << 20
def write(name, head, item, tail, between=''):
    with open(name, 'w') as out:
        out.write(head)
        written, i = 0, 0
        while written < size:
            written += out.write((between if i else '') + item(i))
            i += 1
        out.write(tail)
write('lines.txt', '', lambda i: 'word ' * 400 + '\n', '')
write('one_line.txt', '', lambda i: 'word ' * 400, '')
write('talk.md', '', lambda i: ('Human: ' if i % 2 == 0 else 'Assistant: ') + 'word ' * 400 + '\n\n', '')
write('tree.json', '{"root":{"text":"top","children":[',
      lambda i: json.dumps({'text': f'{i} ' + 'word ' * 400}), ']}}', ',')
write('train.jsonl', '', lambda i: json.dumps({'messages': [
    {'role': 'user', 'content': f'{i} ' + 'word ' * 200},
    {'role': 'assistant', 'content': 'word ' * 200}]}) + '\n', '')
EOT
# What is refused is refused before it is read.
peak 48 1 import lines.txt
says err 'a text takes at most 64 MiB'
peak 48 1 import one_line.txt
peak 48 1 import talk.md
# What is read goes through memory; a pass over it would take all of it.
peak "$most" 0 import tree.json
peak "$most" 0 import train.jsonl
verdict
