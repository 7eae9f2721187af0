#!/bin/sh
# The trunk is read once: one of several siblings goes first, and the others follow as soon as it is
# answered, all at once; trunk.py is a server that keeps what it has read.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || skip 'no python3 to play the model'
play "$here/trunk.py"

# ratio MOST: expects that no more than this was read for each new byte since the last call
read=0
unique=0
ratio() {
	checks=$((checks + 1))
	python3 - "$read" "$unique" "$1" >got 2>&1 <<'EOT' || fail "$what: $(cat got)"
import json, sys
now = json.load(open("trunk.json"))
read, unique = now["read"] - int(sys.argv[1]), now["unique"] - int(sys.argv[2])
print("%d of %d bytes, %.3f" % (read, unique, read / unique))
assert unique > 0 and read <= float(sys.argv[3]) * unique
EOT
	read=$(python3 -c 'import json; print(json.load(open("trunk.json"))["read"])')
	unique=$(python3 -c 'import json; print(json.load(open("trunk.json"))["unique"])')
}

configure '"models":{"m":{"provider":"fake","endpoint":"completions","caps":{"n":1}},
  "chat":{"provider":"fake","endpoint":"chat","caps":{"n":1}}},"subject_model":"m"'
run 0 init
for width in 2 4 7; do
	run 0 new --title "Wide $width" --mode buffer --root "$width $(python3 -c 'print("The sea was calm and no ship was in sight. " * 200)')"
	run 0 subject m
	run 0 do continue from r001 n:$width
	ratio 1.05
done
run 0 new --title Chat --mode buffer --root "$(python3 -c 'print("Nobody knew why the bell rang at noon. " * 200)')"
run 0 subject chat
run 0 do continue from r001 n:6
ratio 1.05
# the others go together: no queue of one by one
checks=$((checks + 1))
python3 -c 'import json; assert json.load(open("trunk.json"))["most_at_once"] >= 3' ||
	fail 'the others did not go side by side'
# a tree that grows: each level shares what is above it
run 0 new --title Grows --mode buffer --root "$(python3 -c 'print("The lamps went out one after the other. " * 200)')"
run 0 subject m
run 0 do continue from r001 n:2 depth:3
ratio 1.10

verdict
