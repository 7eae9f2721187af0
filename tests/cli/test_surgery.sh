#!/bin/sh
# Surgery: split, join, move and order change what stands where, and never a text, an id or a hash;
# one undo makes every export what it was.
. "$(dirname "$0")/lib.sh"

# responds NODE TEXT: sets $made to the id of the new node.
responds() {
	run 0 do respond "$1" "$2"
	made=$(sed -n 's/.*created \[\([^]]*\)\].*/\1/p' "$work/out")
}

# path NODE TEXT: expects that the path to the node reads so.
path() {
	run 0 export --format txt --path "$1"
	checks=$((checks + 1))
	printf '%s' "$2" | cmp -s - "$work/out" || fail "the path to $1 reads otherwise"
}

sound() {
	run 0 check --deep
	run 0 verify
}

# keep: keeps what the tree is; same: expects that it is so again.
keep() {
	run 0 export --tree --format md
	cp "$work/out" "$work/kept"
}
same() {
	checks=$((checks + 1))
	run 0 export --tree --format md
	cmp -s "$work/out" "$work/kept" || fail "$1 is not taken back whole"
}

for mode in buffer dialogue; do
	rm -rf .loom
	run 0 init
	run 0 new --mode "$mode" --title T --root 'Root. '
	responds r001 'One two. Three four. '
	a=$made
	responds "$a" 'Five. '
	b=$made
	responds "$b" 'Six. '
	c=$made
	responds "$a" 'Seven. '
	d=$made
	responds r001 'Eight. '
	e=$made
	run 0 do annotate "$a" 'a note' 'on:One two.'
	run 0 do tag "$a" kept
	keep
	[ "$mode" = buffer ] || continue

	# What follows a node follows its end; siblings keep their order, notes their passage.
	run 0 do split "$a" 'after:One two. '
	says out "split [$a] into [$a'] and [$a'']"
	path "$c" 'Root. One two. Three four. Five. Six. '
	path "$a'" 'Root. One two. '
	path "$d" 'Root. One two. Three four. Seven. '
	run 0 do list "$a'" annotations
	says out 'a note'
	run 0 tag
	says out kept
	run 0 do list r001 continuations
	head -n 2 "$work/out" | tail -n 1 | grep -qF "[$a']" || fail 'the beginning is not the first'
	sound
	run 0 do undo
	same split
	run 0 do redo
	path "$c" 'Root. One two. Three four. Five. Six. '
	sound

	# A join is the reverse.
	run 0 do join "$a''"
	path "$c" 'Root. One two. Three four. Five. Six. '
	run 0 do list r001 continuations
	says out '2 continuations'
	sound
	run 0 do undo
	run 0 do undo
	same join

	# A node that others go on from stays.
	run 0 do join "$b"
	path "$c" 'Root. One two. Three four. Five. Six. '
	path "$d" 'Root. One two. Three four. Seven. '
	sound
	run 0 do undo
	same 'join at a fork'

	run 0 do move "$b" to "$e"
	says out "moved [$b] below [$e]"
	path "$c" 'Root. Eight. Five. Six. '
	sound
	run 0 tree --json
	json out
	run 1 do move "$e" to "$c"
	says out 'cannot hang below itself'
	run 0 do move "$e" to "$d"
	path "$c" 'Root. One two. Three four. Seven. Eight. Five. Six. '
	sound
	run 1 undo 7
	run 0 do undo
	run 0 do undo
	same move

	run 0 do copy "$a" to "$e"
	says out "copied [$a] and 3 descendants below [$e] as ["
	copied=$(sed -n 's/.* as \[\([^]]*\)\].*/\1/p' "$work/out")
	path "$copied" 'Root. Eight. One two. Three four. '
	run 0 do list "$copied" annotations
	says out 'a note'
	run 0 tree --json
	path "$c" 'Root. One two. Three four. Five. Six. '
	sound
	run 0 do undo
	same copy
	run 0 do redo
	path "$copied" 'Root. Eight. One two. Three four. '
	sound
	run 0 do undo

	run 0 do order "$e" "before:$a"
	run 0 do list r001 continuations
	head -n 2 "$work/out" | tail -n 1 | grep -qF "[$e]" || fail 'the order is the old one'
	sound
	run 1 do order "$c" "before:$a"
	says out 'are no siblings'
	run 0 do undo
	same order
	run 1 do split "$a" at:999
	run 1 do split r001 at:2
	run 1 do join r001
	run 1 do move r001 to "$a"
	same 'a refusal'

	# Its own export reads the same elsewhere, under the same ids.
	run 0 do split "$a" 'after:One two. '
	parts=$(sed -n 's/.*into \[\([^]]*\)\] and \[\([^]]*\)\].*/\1 \2/p' "$work/out")
	run 0 do move "$d" to "$e"
	run 0 export --tree --format json -o moved.json
	rm -rf other
	run 0 init other
	run 0 -g other import moved.json
	for node in "$c" "$d" "$e" $parts; do
		run 0 export --format txt --path "$node"
		cp "$work/out" "$work/here"
		run 0 -g other export --format txt --path "$node"
		checks=$((checks + 1))
		cmp -s "$work/out" "$work/here" || fail "the path to $node reads otherwise elsewhere"
	done
	run 0 -g other check --deep
	run 0 do undo
	run 0 do undo

	# What was moved is rescued where it hung.
	run 0 do move "$b" to "$e"
	rm -rf saved
	run 0 salvage .loom/grove.db saved
	run 0 -g saved export --format txt --path "$c"
	says out 'Root. Eight. Five. Six. '
	run 0 -g saved check --deep
done
verdict
