#!/bin/sh
# An ordinary model, chatty and slightly wrong, talks for two hundred turns. It knows its wishes and
# how it puts them; of the language it knows what it is told. When a wish was not done it copies the
# first line of the answer's hint, once. Nineteen wishes of twenty are done by then.
. "$(dirname "$0")/lib.sh"

cat >model.sh <<'END'
#!/bin/sh
# The first answer of a turn is the wish as it is in the file; the second is the hint's line.
cat >"$HOME/prompt"
n=$(cat "$HOME/calls" 2>/dev/null || echo 0)
echo $((n + 1)) >"$HOME/calls"
if [ "$n" -eq 0 ]; then
	cat "$HOME/wish"
	exit
fi
# What was answered to the last thing that was said.
hint=$(awk '/✗/ { at = NR; hint = "" } /hint: / && at && !hint { hint = $0 } END { print hint }' \
	"$HOME/prompt" | grep -o '→ .*' | head -1)
if [ "$n" -eq 1 ] && [ -n "$hint" ] && [ "$hint" != "$(cat "$HOME/last" 2>/dev/null)" ]; then
	printf '%s\n' "$hint" | tee "$HOME/last"
else
	echo 'Done.'
fi
END
chmod +x model.sh
mkdir -p config/loom
cat >config/loom/config.json <<END
{"providers": {"own": {"api": "command", "command": ["$work/model.sh"]}},
 "models": {"ordinary": {"provider": "own"}}}
END
chmod 600 config/loom/config.json

run 0 init
run 0 new --title Marie --root 'The house stood empty.'
run 0 agent add M --permissions all --approval auto --model ordinary
i=0
while [ $i -lt 10 ]; do
	i=$((i + 1))
	run 0 do respond r001 "Passage $i."
	eval "id$i=$(sed -n 's/.*created \[\([a-z0-9]*\)\].*/\1/p' out)"
done

done=0
turns=0
# wish EXPECTED TEXT: a turn in which the model wishes for this, and what is printed once it is done.
wish() {
	printf '%s\n' "$2" >wish
	rm -f calls last
	turns=$((turns + 1))
	"$loom" chat -a M --input "please, number $turns" >out 2>err </dev/null
	if grep -q -- "$1" out; then
		done=$((done + 1))
	else
		printf 'not done: %s\n' "$2"
		tail -5 out
	fi
}

i=0
while [ $i -lt 10 ]; do
	i=$((i + 1))
	eval "id=\$id$i"
	wish "\[$id\] human" "Sure! I'll take a look at it first.
→ let me have a look at $id"
	wish "\[$id\] human" "Here is what I do:
- → view $id"
	wish "✓ bookmarked \[$id\]" "This one matters.
→ bookmark $id as \"matters $i\""
	wish "✓ annotation" "→ I want to leave a note on $id: \"nice rhythm $i\""
	wish "✓ tagged \[$id\]" "→ add the tag rhythm-of-$i to $id"
	wish "✓ untagged \[$id\]" "On second thought:
→ please take the tag \"rhythm-of-$i\" off $id again"
	wish "✓ stashed" "→ stash \"idea $i\" with text: \"she lies in $i\""
	wish "✓ recalled" "I need it back.
→ recall idea $i"
	wish "✓ annotation" "→ anotate $id \"a typo of mine\""
	wish "✓ switched to \[$id\]" "→ go there now: $id"
	wish "Tree: \"Marie\"" "Let me see where I am.
\`\`\`
→ tree
\`\`\`"
	wish "\[$id\] human" "{\"name\": \"view\", \"arguments\": {\"id\": \"$id\"}}"
	wish "✓ \(created doc\|appended\)" "→ append \"line $i\" to doc:\"notes\""
	wish "line $i" "→ read notes"
	wish "\[$id\]" "→ list $id"
	wish "✓ created \[" "**→ reply to $id with \"And then, $i.\"**"
	wish "✓ unbookmarked \[$id\]" "→ remove the bookmark on node $id, please"
	wish "✓ dropped stash" "→ delete the stash called \"idea $i\""
	wish "✓ pinned \[$id\]" "I'll keep it in sight: \`pin $id\`"
	wish "✓ dropped pin \[$id\]" "→ unpin: $id # no longer needed"
done
printf '%s of %s wishes done\n' "$done" "$turns"
checks=$((checks + 1))
[ "$turns" -eq 200 ] || fail "$turns turns, not 200"
[ $((done * 20)) -ge $((turns * 19)) ] || fail "$done of $turns wishes were done"
verdict
