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
	run 1 do join r001
	run 1 do move r001 to "$a"
	run 1 do prune r001
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
	run 0 -g other verify
	for node in "$d" $parts; do
		run 0 show "$node" --json
		hash=$(sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p' "$work/out")
		run 0 -g other show "$node" --json
		says out "\"hash\":\"$hash\""
	done
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

# reads NODE TEXT: as path, without the names that a dialogue puts before each message.
reads() {
	run 0 export --format txt --path "$1"
	checks=$((checks + 1))
	[ "$(sed 's/^Olga: //' "$work/out" | tr -d '\n')" = "$2" ] || fail "the path to $1 reads otherwise"
}

# A root is a node like any other: it branches, splits, follows others and goes to the top.
for mode in buffer dialogue; do
	rm -rf .loom
	run 0 init
	run 0 new --mode "$mode" --title T --root 'Root. More. '
	responds r001 'One. '
	a=$made
	keep
	run 0 show r001 --json
	hash=$(sed -n "s/.*\"hash\": *\"\([0-9a-f]*\)\".*/\1/p" "$work/out" | head -n 1)
	run 0 do edit r001 'Rot. ' as:branch
	says out "created branch [r001'] from [r001]"
	reads "r001'" 'Rot. '
	reads "$a" 'Root. More. One. '
	run 0 tree
	says out '(3 nodes, '
	says out "It begins with [r001], [r001']*"
	run 0 show "r001'" --json
	says out '"depth":0'
	sound
	run 0 do undo
	same 'a branch of the root'

	run 0 do respond r001 'Before. ' as:before
	before=$(sed -n 's/.*created \[\([^]]*\)\].*/\1/p' "$work/out")
	reads "$a" 'Before. Root. More. One. '
	run 0 show r001 --json
	says out "\"hash\":\"$hash\""
	says out '"depth":1'
	sound
	run 0 do split r001 'after:Root. '
	reads "$a" 'Before. Root. More. One. '
	run 0 do undo
	run 0 do move r001 to top
	reads "$a" 'Root. More. One. '
	reads "$before" 'Before. '
	run 0 do prune "$before"
	run 1 do prune r001
	says out 'the last root of a tree cannot be pruned'
	sound
	run 0 do undo
	run 0 do undo
	run 0 do undo
	same 'what stands before the root'

	run 0 do split r001 'after:Root. '
	reads "$a" 'Root. More. One. '
	sound
	run 0 do undo
	same 'a split root'
	responds r001 'Two. '
	b=$made
	run 0 do join "$a"
	reads "$a'" 'Root. More. One. '
	reads "$b" 'Root. More. Two. '
	sound

	# The same elsewhere, and what can be rescued.
	run 0 do respond r001 'Before. ' as:before
	rm -rf other saved
	run 0 export --tree --format json -o roots.json
	run 0 init other
	run 0 -g other import roots.json
	run 0 salvage .loom/grove.db saved
	for node in "$a'" "$b"; do
		run 0 export --format txt --path "$node"
		cp "$work/out" "$work/here"
		for there in other saved; do
			run 0 -g "$there" export --format txt --path "$node"
			checks=$((checks + 1))
			cmp -s "$work/out" "$work/here" || fail "$node reads otherwise in $there"
		done
	done
	run 0 -g other check --deep
	run 0 -g saved check --deep
	run 0 -g saved verify
done
verdict
