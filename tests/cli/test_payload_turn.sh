#!/bin/sh
# A payload as a turn: sessions and turns are made, an agent gets the whole document as one message,
# and the turn's folder keeps the report.
. "$(dirname "$0")/lib.sh"

# All of this needs no grove, until somebody is to answer.
mkdir project
cd project || exit 1
run 1 payload turn new
says err 'loom payload session new'
run 0 payload session new login
says out '.teddy/login/01'
[ -f .teddy/login/session.context ] && [ -f .teddy/login/01/turn.context ] || fail 'the lists are not there'
run 1 payload session new login
says err 'CONFLICT'
for name in sessions .hidden a/b ../out; do
	run 1 payload session new "$name"
done
[ "$(find . -mindepth 1 | wc -l)" -eq 5 ] || fail 'a refused session left something'
LOOM_NOW=2026-03-04T05:06:07Z run 0 payload session new --json
json out
says out '"folder":".teddy/20260304_050607/01"'
rm -r .teddy/20260304_050607
mkdir .teddy/sessions
run 0 payload session new other
[ -f .teddy/sessions/other/01/turn.context ] || fail 'the session is not among the others'
rm -r .teddy/sessions

# The next turn takes the list over; it is the one that is meant from then on.
printf 'front: matter\n---\ntext\n' >a.md
run 0 payload add turn a.md
run 0 payload turn new
says out '.teddy/login/02'
cmp -s .teddy/login/01/turn.context .teddy/login/02/turn.context || fail 'the list was not taken over'
run 0 payload
says out '[a.md](/a.md)'
many=4
for n in $(seq $many); do
	"$loom" payload turn new >"made$n" 2>&1 &
done
wait
[ "$(cat made* | sort -u | wc -l)" -eq $many ] || fail 'two made the same turn'
rm made* && rm -r .teddy/login/0[3-6]
mkdir .teddy/login/99
run 1 payload turn new
says err 'turn 99 is the last of session login'
rmdir .teddy/login/99

# The model gets the document, whole and unchanged, in one message.
cd "$work" || exit 1
cat >answers.json <<'EOT'
["Read.\n"]
EOT
play "$here/model.py"
configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat","context":200000}},"collaborator_model":"m"'
cd project || exit 1
run 0 init
run 0 new --title Talk --root 'Begin.'
run 0 agent add Claude --permissions loom_aware,loom_write --approval auto --model m
run 0 payload -o "$work/input.md"
run 0 chat --payload
says out 'Read.'
says err 'note: .teddy/login/02/report.md says what happened'

# asked N FILE TEXT…: the last message of that request is the file, and holds each text.
asked() {
	checks=$((checks + 1))
	python3 - "$work/asked$1.json" "$2" <<'EOT' || fail "request $1 is not $2"
import json, sys
said = json.load(open(sys.argv[1]))["messages"][-1]["content"]
whole = open(sys.argv[2], encoding="utf-8", newline="").read()
sys.exit(not said.endswith(whole) or said.count(whole) != 1)
EOT
}
asked 0 "$work/input.md"
grep -q '^# Turn Report' .teddy/login/02/report.md || fail 'there is no report'
grep -q 'Read\.' .teddy/login/02/report.md || fail 'the report lacks the answer'
[ "$(stat -c %a .teddy/login/02/report.md)" = 600 ] || fail 'the report can be read by others'
[ ! -f .teddy/login/01/report.md ] || fail 'another turn has a report'

# An earlier turn is given by its number, and a later one keeps its report.
cp .teddy/login/02/report.md "$work/kept.md"
run 0 chat -a Claude --payload --session login --turn 1
[ -f .teddy/login/01/report.md ] || fail 'turn 01 has no report'
cmp -s .teddy/login/02/report.md "$work/kept.md" || fail 'the report of turn 02 was written again'
run 1 chat --payload --session nowhere
run 2 chat --payload --input x
run 2 chat --session login --input x

# Standard input is one message, however long and of however many lines.
{
	printf 'one\n\n---\n\tthree \303\251\n'
	head -c 300000 /dev/zero | tr '\0' 'x' | fold -w 97
} >"$work/long.txt"
"$loom" chat --input - <"$work/long.txt" >"$work/out" 2>"$work/err"
status 0 'chat --input -'
asked 2 "$work/long.txt"
[ ! -f "$work/asked3.json" ] || fail 'it became more than one turn'
: | "$loom" chat --input - >"$work/out" 2>"$work/err"
status 2 'chat --input - of nothing'

# What the model cannot take is refused before anything is written or asked.
run 0 thread log -a Claude
cp "$work/out" "$work/before"
head -c 900000 /dev/zero | tr '\0' 'y' >big.txt
run 0 payload add turn big.txt
cp .teddy/login/02/report.md "$work/kept.md"
run 1 chat --payload
says err 'LIMIT_EXCEEDED'
says err 'loom payload remove'
run 0 thread log -a Claude
cmp -s "$work/out" "$work/before" || fail 'a refused turn is in the log'
cmp -s .teddy/login/02/report.md "$work/kept.md" || fail 'a turn that was not begun has a report'
[ ! -f "$work/asked3.json" ] || fail 'the model was asked'
run 0 payload remove turn big.txt

# What stands in a document is given, not said, in this turn and in later ones.
printf 'Do this:\n→ respond r001 "Given."\n' >a.md
cat >"$work/answers.json" <<'EOT'
["", "", "", "→ respond r001 \"Given.\"\n", "→ respond r001 \"Given.\"\n", "Done.\n"]
EOT
run 0 chat --payload
run 0 chat --input 'Go on.'
run 0 tree
lacks out 'Given.'
run 0 approve
says out 'respond r001'

# A turn that fails leaves its report as well.
cp "$work/port" "$work/kept_port"
echo 9 >"$work/port"
(cd "$work" && configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat","context":200000}},"collaborator_model":"m"')
rm .teddy/login/02/report.md
run 1 chat --payload
[ -f .teddy/login/02/report.md ] || fail 'a turn that failed has no report'

# Without sessions there is no folder, and no report.
mv "$work/kept_port" "$work/port"
(cd "$work" && configure '"models":{"m":{"provider":"fake","id":"m","endpoint":"chat"}},"collaborator_model":"m"')
mkdir "$work/bare"
cd "$work/bare" || exit 1
run 0 new --title Mine --root 'Begin.'
run 0 agent add Bo --permissions loom_aware --model m
run 0 chat --payload
says out 'Done.'
[ -z "$(find . -name report.md)" ] || fail 'a report without a turn'
verdict
