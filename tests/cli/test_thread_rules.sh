#!/bin/sh
# Threads and sharing, rule by rule; each case has a project of its own.
. "$(dirname "$0")/lib.sh"
case=

# a CASE [THREADS…]: a new project with the objective "o" and these threads
a() {
	case=$1
	shift
	cd "$work" || exit 1
	rm -rf case
	mkdir case
	cd case || exit 1
	run 0 objective new --title "$case" --id o
	for id in "$@"; do
		spawn "$id"
	done
}

spawn() {
	id=$1
	shift
	run 0 thread spawn --objective o --intent "$id" --id "$id" "$@"
}

# put FILE TEXT: a file of a thread
put() {
	mkdir -p "$(dirname ".leslie/threads/$1")"
	printf %s "$2" >".leslie/threads/$1"
}

# equals GOT WANTED WHAT
equals() {
	checks=$((checks + 1))
	[ "$1" = "$2" ] || fail "$case: $3 is
    $1
  not
    $2"
}

# told THREAD MODE LIST: own assets and, after |REF, those of a reference, folders of threads left out
told() {
	run 0 thread context "$1" --mode "$2"
	list=$(sed -n -e 's/^  <asset type="\([a-z]*\)" path="\.leslie\/threads\/\(.*\)" \/>$/\1 \2/p' \
		-e 's/^    <asset type="\([a-z]*\)" path="\.leslie\/threads\/\(.*\)" \/>$/\1 \2/p' \
		-e 's/^  <ref thread="\(.*\)">$/|\1/p' "$work/out" | tr '\n' ' ')
	equals "${list% }" "$3" "what $1 is told"
}

# gives THREAD NAME TEXT [--from X]
gives() {
	thread=$1
	name=$2
	text=$3
	shift 3
	run 0 thread read "$thread" "$name" "$@"
	equals "$(cat "$work/out")" "$text" "$name of $thread"
}

picture() {
	find . -type d
	find . ! -type d ! -name '*.lock' -exec ls -ld --time-style=full-iso {} +
}

# refused CODE ARGUMENT…: exit status 1, the code on stderr, no output and no change
refused() {
	code=$1
	shift
	picture >"$work/before"
	run 1 thread "$@"
	silent out
	says err "$code"
	picture >"$work/after"
	checks=$((checks + 1))
	cmp -s "$work/before" "$work/after" || fail "$case: thread $*: a refusal changed something"
}

t=.leslie/threads

# --- assets ---

a 'a new thread is told nothing' A
told A spawn ''
told A load ''
says out '<thread_context thread="A" objective="o" relations_file=".leslie/thread_relations.json">'
lines out 2

a 'file form before folder form, in the order of the types' A
for kind in transcript learnings design progress plan; do
	put "A/$kind.md" x
	put "A/$kind/x" x
done
told A load 'plan A/plan.md plan A/plan/ progress A/progress.md progress A/progress/ design A/design.md design A/design/ learnings A/learnings.md learnings A/learnings/ transcript A/transcript.md transcript A/transcript/'
told A spawn ''

a 'the kind is what stands there, not what it is called' A
put A/design x
mkdir $t/A/plan.md
ln -s /etc $t/A/learnings
ln -s /etc/passwd $t/A/progress.md
told A load ''
put A/artifacts/progress.md x
told A load 'progress A/artifacts/progress.md'

a 'in the folder first, then in artifacts, each form by itself' A
put A/plan/x x
put A/artifacts/plan.md x
told A load 'plan A/artifacts/plan.md plan A/plan/'
put A/plan.md x
told A load 'plan A/plan.md plan A/plan/'

a 'an empty folder is there' A
mkdir $t/A/design
told A load 'design A/design/'

a 'no other file is an asset' A
put A/discuss/x x
put A/notes.txt x
put A/PLAN.md x
put A/plan.txt x
put A/code/plan.md x
put A/transcripts/x x
told A load ''

a 'what an agent writes is there at once' A B
spawn C --ref B --binding live
put A/artifacts/plan.md x
put B/artifacts/progress.md x
told A load 'plan A/artifacts/plan.md'
told C load '|B progress B/artifacts/progress.md'
told C spawn '|B progress B/artifacts/progress.md'
told C reinject '|B progress B/artifacts/progress.md'

# --- references ---

a 'one level, and no reference without an asset' A B C
put C/plan.md c
run 0 thread ref --from B --target C
run 0 thread ref --from A --target B
told A load ''
put B/plan.md b
told A load ''
run 0 thread refresh A
told A load '|B plan B/plan.md'
told B load 'plan B/plan.md |C plan C/plan.md'

a 'references stand in the order of their making, one a thread' A B C
put B/plan.md b
put C/plan.md c
run 0 thread ref --from A --target C
run 0 thread ref --from A --target B --binding live
run 0 thread ref --from A --target C --binding live
told A load '|C plan C/plan.md |B plan B/plan.md'

a 'one asset a file, its type by the name above it' A
for name in design/api.md design/db/schema.sql plan.md artifacts/learnings/x notes.txt; do
	put "A/$name" x
done
spawn B --ref A:design/db/schema.sql,design/api.md,artifacts/learnings/x,plan.md,notes.txt
told B load '|A plan A/plan.md design A/design/db/schema.sql design A/design/api.md learnings A/artifacts/learnings/x'
gives B notes.txt x
spawn C --ref A:design
told C load '|A design A/design/'
spawn D --ref A:design/ --binding live
told D load '|A design A/design/'
spawn E --ref A:artifacts
told E load '|A learnings A/artifacts/learnings/'

a 'transcripts are given only by name' A
put A/plan.md x
put A/transcript.md secret
put A/.meta/transcripts/1.txt secret
spawn B --ref A
spawn C --ref A --binding live
told B load '|A plan A/plan.md'
told C load '|A plan A/plan.md'
refused 'File not referenced' read B transcript.md
refused 'File not referenced' read C transcript.md
spawn D --ref A:transcript.md
told D load '|A transcript A/transcript.md'
gives D transcript.md secret

a 'what stands with a dot at the top is given only by name, what is private never' A
for name in .hidden artifacts/.env code/.env artifacts/context/x artifacts/.meta/x context/live/x .meta/x; do
	put "A/$name" x
done
spawn B --ref A
spawn C --ref A --binding live
for thread in B C; do
	gives $thread code/.env x
	for name in .hidden .env artifacts/.env context/x artifacts/context/x .meta/x context/live/x; do
		refused 'File not referenced' read $thread $name
	done
done
for name in artifacts/context artifacts/.meta/x .meta context; do
	refused T203 ref --from B --target A --scope $name
done
for binding in frozen live; do
	spawn $binding --ref A:.hidden,artifacts/.env --binding $binding
	gives $binding .hidden x
	gives $binding .env x
done

a 'frozen is what was copied, until it is copied anew' A B
put A/artifacts/plan.md v1
put A/artifacts/design/x 1
put A/artifacts/design/y 1
run 0 thread ref --from B --target A
says out 'B → A (frozen, 3 files copied)'
put A/artifacts/plan.md v2
put A/learnings/z z
rm $t/A/artifacts/design/y
told B load '|A plan A/artifacts/plan.md design A/artifacts/design/'
gives B plan.md v1
gives B artifacts/plan.md v1
gives B design/y 1
run 0 thread refresh B --name plan.md
gives B plan.md v2
gives B design/y 1
run 0 thread refresh B --target A
told B load '|A plan A/artifacts/plan.md design A/artifacts/design/ learnings A/learnings/'
refused 'File not referenced' read B design/y
equals "$(stat -c %a $t/B/context/inherited/plan.md)" 400 'the mode of a copy'

a 'a refresh whose source is gone keeps the copy' A B
put A/notes.txt 1
put A/todo.txt 1
run 0 thread ref --from B --target A --scope notes.txt,todo.txt
rm $t/A/notes.txt
put A/todo.txt 2
run 1 thread refresh B
says err 'left as they are: no file notes.txt'
mkdir -p $t/L/design
spawn L
put L/design/a.md 1
run 0 thread ref --from B --target L
ln -s /etc/passwd $t/L/design/link.md
run 0 thread refresh B --target L
says err 'design/link.md of L was not copied: it is a symbolic link'
rm $t/L/design/link.md
run 0 thread unref --from B --target L
gives B notes.txt 1
gives B todo.txt 1
rm -r $t/A
run 1 thread refresh B
says err 'Referenced Thread A not found'
gives B todo.txt 1
told B load ''
says err 'Referenced Thread A not found'

a 'live goes to the original' A B
put A/artifacts/design.md 1
run 0 thread ref --from B --target A --binding live --scope artifacts/design.md
gives B design.md 1
put A/artifacts/design.md 2
gives B design.md 2
gives B artifacts/design.md 2
rm $t/A/artifacts/design.md
refused T202 read B design.md
rm -r $t/A
refused T202 read B design.md

a 'frozen wins, whichever came first' A B
put A/plan.md 1
run 0 thread ref --from B --target A --binding live --scope plan.md
run 0 thread ref --from B --target A --scope plan.md
put A/plan.md 2
gives B plan.md 1

a 'two with one name' A B C
put A/plan.md a
put B/plan.md b
run 0 thread ref --from C --target A
run 0 thread ref --from C --target B
says err 'warning: plan.md is already taken; the one from B is called B/plan.md'
gives C plan.md a
gives C plan.md b --from B
gives C B/plan.md b
put B/plan.md b2
run 0 thread refresh C --target B
gives C plan.md a
gives C plan.md b2 --from B
told C load '|A plan A/plan.md |B plan B/plan.md'

a 'reading a folder says what is in it' A B
put A/design/s/deep x
put A/design/api.md x
run 0 thread ref --from B --target A
for thread in B '--own A'; do
	# shellcheck disable=SC2086
	refused 'it is a folder' read $thread design
	says err 'hint: name a file in it, such as design/api.md'
done
gives A design/s/deep x --own

a 'a flat map of pointers, as others write it' A B
put A/artifacts/plan.md x
run 0 thread ref --from B --target A --binding live --scope artifacts/plan.md
for path in .leslie/threads/A/artifacts/plan.md A/artifacts/plan.md; do
	printf '{"p.md": "%s"}' "$path" >$t/B/context/live/.refs.json
	gives B p.md x
done
for path in ../../../etc/passwd /etc/passwd A/../../../etc/passwd ''; do
	printf '{"p.md": "%s"}' "$path" >$t/B/context/live/.refs.json
	run 1 thread read B p.md
	silent out
done

a 'a live reference that another program made, of all a thread has' A B
put A/plan.md x
put A/transcript.md secret
put A/.hidden secret
run 0 thread ref --from B --target A --binding live
rm -r $t/B/context
gives B plan.md x
refused 'File not referenced' read B transcript.md
refused 'File not referenced' read B .hidden
told B load '|A plan A/plan.md'

a 'copies that another program made, with what was in its source' A B
put A/plan.md now
run 0 thread ref --from B --target A
rm -r $t/B/context
put B/context/inherited/A/plan.md then
put B/context/inherited/A/context/inherited/C/plan.md far
told B load '|A plan A/plan.md'
gives B plan.md then
gives B plan.md then --from A
refused 'File not referenced' read B context/inherited/C/plan.md
run 0 thread refresh B
gives B plan.md now

# --- names ---

a 'names that leave, hide or are nobody'\''s to share' A B
put A/plan.md x
ln -s /etc/passwd $t/A/link
ln -s plan.md $t/A/inner
mkfifo $t/A/pipe
for scope in ../../../x /etc/x a/../../x . .. ./plan.md '' a,,b 'a\b' context context/live .meta/x \
	.refs.json link inner pipe "$(printf 'a\001b')" "$(printf 'a\342\200\213b')"; do
	refused T203 ref --from B --target A --scope "$scope"
	[ -z "$scope" ] || refused T203 spawn --objective o --ref "A:$scope"
done
refused T202 ref --from B --target A --scope missing.md
for id in .global .. a/b 'a b' é ''; do
	refused T203 spawn --objective o --id "$id"
	refused T101 context "$id"
done
refused T203 spawn --objective o --id "$(printf '%065d' 1)"
run 0 thread spawn --objective o --id "$(printf '%064d' 1)"

a 'names with signs of XML and letters of all kinds' A
name="design/é 日本 & <a> \"b\" 'c'.md"
put "A/$name" x
spawn B --ref "A:$name"
run 0 thread context B
says out "path=\".leslie/threads/A/design/é 日本 &amp; &lt;a&gt; &quot;b&quot; &apos;c&apos;.md\""
cp "$work/out" ../block
run 0 thread parse ../block
gives B "$name" x

# --- cycles ---

a 'the circle is told from its smallest id, wherever it closes' x y z
for last in 'x y z' 'y z x' 'z x y'; do
	# shellcheck disable=SC2086
	set -- $last
	a "a circle closed by $3" x y z
	run 0 thread ref --from "$1" --target "$2" --binding live
	run 0 thread ref --from "$2" --target "$3" --binding live
	refused 'Reason: Circular reference detected (x → y → z → x)' ref --from "$3" --target "$1"
	says err "Error: Cannot reference $1 from $3"
	lines err 2
	run 1 thread ref --from "$3" --target "$1" --json
	says out '"code":"T201","message":"Circular reference detected (x → y → z → x)"'
	silent err
done

a 'to itself, and to one that is yet to come' A B
refused 'Circular reference detected (A → A)' ref --from A --target A
refused 'Circular reference detected (new → new)' spawn --objective o --id new --ref new
run 0 thread ref --from A --target later
says err 'Referenced Thread later not found'
run 0 thread ref --from B --target A --binding live
refused 'Circular reference detected (A → later → B → A)' spawn --objective o --id later --ref B
says err 'Error: Cannot create Thread with --ref B'
spawn later

a 'a diamond is none, nor are parents and children' A B C D
for edge in 'A B' 'A C' 'B D' 'C D'; do
	run 0 thread ref --from "${edge% *}" --target "${edge#* }"
done
spawn child --parent A --ref A
spawn other --parent A
run 0 thread ref --from A --target other

# --- files ---

a 'a file without its threads is half of one' A B
for text in '{}' '{"version":"1.0"}' '[]' null '{' ''; do
	printf %s "$text" >.leslie/thread_relations.json
	run 0 thread list
	says out 'A  active'
	says err 'is damaged; its backup is used'
done
cp .leslie/thread_relations.json.bak kept
spawn C
run 0 thread list
lines out 2
checks=$((checks + 1))
cmp -s kept .leslie/thread_relations.json.bak || fail 'a damaged file went into the backup'

a 'a thread of others is active when they call it pending' A
sed -i 's/"active"/"pending"/' .leslie/thread_relations.json
run 0 thread list --status active
lines out 1
checks=$((checks + 1))
grep -q '"status": "active"' $t/.global/registry.json || fail 'the registry has no active thread'
run 0 thread lifecycle A suspend

a 'states and what leads from one to another' A
for step in '1 resume' '1 archive' '0 suspend' '1 suspend' '1 archive' '0 resume' '0 suspend' '0 done' \
	'1 done' '1 cancel' '1 suspend' '1 resume' '0 archive' '1 archive' '1 resume' '1 done'; do
	if [ "${step% *}" = 1 ]; then
		refused T102 lifecycle A "${step#* }"
	else
		run 0 thread lifecycle A "${step#* }"
	fi
done
for state in frozen:archive waiting_human:resume waiting_human:cancel; do
	a "what leads out of $state" A
	sed -i "s/\"active\"/\"${state%:*}\"/" .leslie/thread_relations.json
	for action in suspend 'done'; do
		refused T102 lifecycle A "$action"
	done
	run 0 thread lifecycle A "${state#*:}"
done

a 'an objective is complete when all its threads are over' A B
run 0 thread lifecycle A 'done'
run 0 objective show o --json
says out '"status":"active"'
run 0 thread lifecycle B cancel
run 0 objective show o --json
says out '"status":"completed"'
run 0 thread lifecycle B archive
run 0 objective show o --json
says out '"status":"completed"'
spawn C
run 0 objective show o --json
says out '"status":"active"'

verdict
