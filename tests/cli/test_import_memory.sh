#!/bin/sh
# What an import takes of memory: little, however large the file is, of any format, of many short
# entries or one long one, and of whatever else a format can hold by the million. For each format and
# shape that big_file.py knows a file is read and planned, and some are written. LOOM_TEST_STEPS says
# how many MiB a file has: 300 and more are held to 256 MiB and written too, all of them.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to measure'
[ -z "${ASAN_OPTIONS:-}" ] || skip 'a sanitizer has memory of its own'
mebibytes=${LOOM_TEST_STEPS:-8}
TMPDIR=$work
export TMPDIR

# peak MOST STATUS ARGUMENT…: the program's peak resident memory is below that many MiB. Where it is
# a small file that was read, each node may take 16 bytes more.
peak() {
	checks=$((checks + 1))
	python3 - "$loom" "$mebibytes" "$@" >out 2>err <<'EOT' || fail "$* takes more"
import re, resource, subprocess, sys
loom, size, most, status, *words = sys.argv[1:]
done = subprocess.run([loom, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
sys.stderr.buffer.write(done.stderr)
nodes = re.search(rb'import(?:ed)? ([0-9,]+) node', done.stdout)
nodes = int(nodes[1].replace(b',', b'')) if nodes else 0
most = int(most) + (nodes * 16 >> 20 if int(size) < 300 else 0)
print(' '.join(words), peak, 'of', most, 'MiB, status', done.returncode, 'nodes', nodes)
sys.exit(peak > most or done.returncode != int(status))
EOT
	cat out
}

# big FORMAT SHAPE MIB: makes big.file.
big() {
	python3 "$here/big_file.py" "$1" "$2" $(($3 << 20)) >big.file || fail "no $1 of $2"
}

# What is refused is refused before it is read, and what one node cannot hold while it is.
run 0 init
big transcript texts 96
peak 48 1 import big.file
says err 'text files can have at most 64 MiB'
big claude one 160
peak 160 1 import big.file
says err 'the limit is 64 MiB'

least=64
dry=--dry-run
[ "$mebibytes" -lt 300 ] || least=256 dry=
python3 "$here/big_file.py" --list >all || fail 'no list'
while read -r format shape; do
	size=$mebibytes
	# A node, and a text that is no JSON, has its limit.
	case $size,$format,$shape in
	[3-9]??,*,one | [3-9]??,transcript,*) size=60 ;;
	esac
	big "$format" "$shape" "$size"
	rm -rf .loom
	run 0 init
	printf '%s %s: ' "$format" "$shape"
	# shellcheck disable=SC2086
	peak "$least" 0 import $dry big.file
done <all

# A weave is made of an export.
for shape in texts tiny tokens one; do
	size=$mebibytes
	case $size,$shape in
	[3-9]??,one) size=60 ;;
	esac
	big json "$shape" "$size"
	rm -rf .loom
	run 0 init
	run 0 import big.file
	run 0 export --format tapestry -o big.file
	rm -rf .loom
	run 0 init
	printf 'tapestry %s: ' "$shape"
	# shellcheck disable=SC2086
	peak "$least" 0 import $dry big.file
done

# Each format that can be asked for is among them, but for the one that is read beside another.
run 2 import --format nothing big.file
checks=$((checks + 1))
sed -n 's/.*the formats are //p' err | tr -d ' ' | tr ',' '\n' |
	grep -v -e pyloom-responses -e tapestry | sort >formats
cut -d ' ' -f 1 all | sort -u | cmp -s - formats || fail 'a format that big_file.py does not know'

big chatgpt texts "$mebibytes"
peak "$least" 0 import big.file
big json tiny "$mebibytes"
peak "$least" 0 import big.file
# An answer that lists every tree.
big json trees "$mebibytes"
rm -rf .loom
run 0 init
peak "$least" 0 import --json $dry big.file
verdict
