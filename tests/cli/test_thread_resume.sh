#!/bin/sh
# A run that broke off is taken up from a token, where its log ends; not while it runs, not when it is
# over, and not when its thread has moved on.
. "$(dirname "$0")/lib.sh"

# A model that stops in mid-sentence until somebody lets it go on.
cat >model.sh <<'EOT'
#!/bin/sh
cat >"asked.$(ls asked.* 2>/dev/null | wc -l)"
echo 'The first half is said.'
while [ ! -f go ]; do sleep 0.1; done
echo 'Done.'
EOT
chmod +x model.sh
mkdir -p config/loom
cat >config/loom/config.json <<EOT
{"providers":{"own":{"api":"command","command":["$work/model.sh"]}},
 "models":{"m":{"provider":"own","context":8192}},"collaborator_model":"m"}
EOT
chmod 600 config/loom/config.json

run 0 init
run 0 new --title Talk --root 'Begin here.'
run 0 agent add Bo --permissions all --approval auto
run 0 agent add Other --permissions all --approval auto

printf '→ view r001\n' >turn.txt
run 0 run -a Other turn.txt

# A thread where nothing runs says so.
run 0 thread checkpoint -a Bo
idle=$(cat out)
run 0 thread restore "$idle"
says out '"status":"idle"'
run 1 thread restore --resume -a Bo "$idle"
says err 'there is no run to take up: it is idle'

# While it runs, nobody else takes it up.
"$loom" chat -a Bo --input 'Take a long time.' >chat.out 2>chat.err &
running=$!
until_says asked.0 'Take a long time.'
log_says() {
	"$loom" thread log -a Bo 2>/dev/null | grep -q "$1"
}
wait_until 'the input is kept' log_says model_input
run 0 thread checkpoint -a Bo
token=$(cat out)
run 0 thread restore "$token"
says out '"status":"running"'
run 1 thread restore --resume -a Bo "$token"
says err 'another turn is running in its thread'

# Its program dies; what it said is kept, and it goes on from there, in the same run.
kept() {
	cat .loom/grove.db* | grep -qaF 'The first half is said.'
}
wait_until 'what it says is kept' kept
kill -9 $running
wait $running 2>/dev/null
touch go
run 1 thread restore --resume -a Other "$token"
says err 'its thread does not know it'
LOOM_AGENT=Other run 1 thread restore --resume -a Bo "$token"
says err '✗ PERMISSION_DENIED'
run 0 thread restore --resume -a Bo "$token"
says out 'Done.'
checks=$((checks + 1))
tail -c 200 asked.1 | grep -q 'The first half is said.' || fail 'the model is not told what it had said'
run 0 thread log -a Bo
checks=$((checks + 1))
[ "$(grep -o '"request_id":"[^"]*"' out | sort -u | wc -l)" -eq 1 ] || fail 'it went on under another name'
[ "$(grep -c '"role":"user"' out)" -eq 1 ] || fail 'something was said that nobody said'

# It is over, or somebody has said something else since.
run 1 thread restore --resume -a Bo "$token"
says err 'it was completed'
run 0 chat -a Bo --input 'And more.'
run 1 thread restore --resume -a Bo "$token"
says err 'its thread has moved on'
says err 'loom thread lane --restore'

# A grove that was put back has another past: rows and requests have the same numbers there, and a
# token of what is gone takes up nothing.
cp .loom/grove.db "$work/before.db"
broken() { # INPUT: a turn that breaks off; its token is on standard output
	rm -f go asked.*
	"$loom" chat -a Bo --input "$1" >chat.out 2>chat.err &
	running=$!
	until_says asked.0 "$1"
	wait_until 'what it says is kept' kept
	"$loom" thread checkpoint -a Bo >token
	kill -9 $running
	wait $running 2>/dev/null
	touch go
}
# The text of this turn's model is in the file already.
sed -i "s/The first half is said/It begins anew/" model.sh
kept() {
	[ "$(cat .loom/grove.db .loom/grove.db-wal 2>/dev/null | grep -aoF 'It begins anew.' | wc -l)" -gt 0 ]
}
broken 'One way.'
one=$(cat token)
cp "$work/before.db" .loom/grove.db
broken 'Another way.'
other=$(cat token)
run 1 thread restore --resume -a Bo "$one"
says err 'its thread held something else then'
run 0 thread restore --resume -a Bo "$other"
says out 'Done.'
run 0 restore "$work/before.db" --yes
run 1 thread restore --resume -a Bo "$other"
says err invalid_token_signature
verdict
