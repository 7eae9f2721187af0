#!/bin/sh
# An unclear line is shown to a small model once, and its answer is checked against the line.
. "$(dirname "$0")/lib.sh"

# The model: records requests, and answers with the text in a file.
cat >model.sh <<'END'
#!/bin/sh
cat >>"$HOME/asked"
echo >>"$HOME/times"
cat "$HOME/answer"
END
chmod +x model.sh
mkdir -p config/loom
cat >config/loom/config.json <<END
{"providers": {"own": {"api": "command", "command": ["$work/model.sh"]}},
 "models": {"small": {"provider": "own"}},
 "classifier": "small"}
END
chmod 600 config/loom/config.json

run 0 init
run 0 new --title Marie --root 'The house stood empty.'
run 0 agent add Claude --permissions all --approval auto
turn() {
	printf '%s\n' "$1" >turn.txt
	rm -f asked times
	run "$2" run -a Claude turn.txt
}

# asked once, with the table and the line; its answer is shown as a reading and run
echo '→ view r001' >answer
turn '→ kindly peruse r001' 0
says out '(read as: view r001)'
says out '[r001] human'
cp asked out
says out 'kindly peruse r001'
says out 'annotate ID "TEXT"'
cp times out
lines out 1

# an id, a name or a text that is not in the line does not count
echo 'prune zz99' >answer
turn '→ kindly peruse r001' 1
says out '✗ INVALID_SYNTAX'
echo 'annotate r001 "of its own"' >answer
turn '→ kindly mark r001' 1
says out '✗ INVALID_SYNTAX'
echo none >answer
turn '→ kindly peruse r001' 1
says out '✗ INVALID_SYNTAX'

# a line that was understood, or is ambiguous, is never sent to the model
echo 'view r001' >answer
turn '→ do not view r001' 1
says out '✗ INVALID_SYNTAX'
[ ! -f asked ] || fail 'a line with a negation was put to the model'
turn '→ open r001' 1
[ ! -f asked ] || fail 'a line with candidates was put to the model'
turn '→ view r001' 0
[ ! -f asked ] || fail 'a plain line was put to the model'
# nor is text that is only parsed
run 0 parse turn.txt
[ ! -f asked ] || fail 'parse asked the model'

# a missing permission is still required, whatever read the line
run 0 agent add Ana --permissions analyst
echo 'bookmark r001' >answer
printf '→ kindly twirl r001\n' >turn.txt
run 1 run -a Ana turn.txt
says out '✗ PERMISSION_DENIED'

# with approval required, a reading is proposed like any call
run 0 agent add Bo --permissions all --approval ask
echo 'bookmark r001' >answer
printf '→ kindly twirl r001\n' >turn.txt
run 1 run -a Bo turn.txt
says out '(read as: bookmark r001)'
says out 'not done: the line was only guessed to mean this, so a person has to approve it'
says out 'it waits: `loom approve'
hash=$(sed -n 's/.*it waits: `loom approve \([0-9a-f]*\)`.*/\1/p' out)
run 0 approve
says out 'bookmark r001'
run 0 approve "$hash"
run 0 show r001
says out 'bookmarked'

# a reading that writes is proposed, whatever the agent may do without being asked
echo 'annotate r001 "the key"' >answer
turn '→ kindly twirl r001 "the key"' 1
says out '(read as: annotate r001 "the key")'
says out 'not done: the line was only guessed to mean this'
run 0 approve
says out 'annotate r001 "the key"'

# a model that fails leaves the refusal as it was
printf '#!/bin/sh\nexit 3\n' >model.sh
turn '→ kindly peruse r001' 1
says out '✗ INVALID_SYNTAX'

verdict
