#!/bin/sh
# A full disk or an unwritable place: one error with a hint, and nothing is lost. The file-size limit
# stands in for a full disk.
. "$(dirname "$0")/lib.sh"

run 0 init grove
cd grove || exit 1
run 0 new --title A --root 'hello'
run 0 do respond r001 'first'
run 0 new --title B
run 0 use A
first=$("$loom" log --json | sed -n 's/.*"id":"\([a-z0-9]*\)".*/\1/p' | tail -n 1)
run 0 agent add Claude --permissions all --approval auto
run 0 agent add Asker --permissions all --approval ask
printf '→ respond r001 "proposed"\n' | "$loom" run -a Asker >/dev/null 2>&1
list=$("$loom" approve 2>&1 | sed -n 's/.*loom approve \([0-9a-f]*\).*/\1/p')
printf '→ respond r001 "one"\n→ respond r001 "two"\n' >"$work/turn"
printf 'Human: go on\n\nAssistant: so it goes.\n' >"$work/talk"
printf 'words\n' >"$work/page"
printf '{"kind":"note","payload":{"text":"x"}}' >"$work/row"
run 0 doc import "$work/page"
goal=$("$loom" objective new --title Goal)
run 0 thread spawn --objective "$goal" --intent x --id one
echo '# plan' >.leslie/threads/one/plan.md
run 0 thread spawn --objective "$goal" --intent y --id two --ref one:plan.md
"$loom" ops --json >"$work/ops"

# one_error: expects exactly one error, with a hint.
one_error() {
	checks=$((checks + 1))
	[ "$(cat "$work/out" "$work/err" | grep -c -e '^✗' -e '^Error:')" -eq 1 ] ||
		fail "$what: not one error"
	checks=$((checks + 1))
	[ "$(cat "$work/out" "$work/err" | grep -c -e '^  hint: .')" -eq 1 ] ||
		fail "$what: not one hint"
}

# full ARGUMENT…: runs the command with a file-size limit of 4 KiB.
full() {
	checks=$((checks + 1))
	what="loom $* on a full disk"
	(ulimit -f 8 && exec "$loom" "$@") >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ "$got" -eq 3 ] || fail "$what: exit status $got, not 3"
	one_error
}

# The shared-memory file is larger than that, so another program keeps it open.
"$loom" events --follow >/dev/null 2>&1 &
follower=$!
trap 'kill $follower 2>/dev/null; rm -rf "$work"' EXIT
shared() { [ -f .loom/grove.db-shm ] && [ "$(wc -c <.loom/grove.db-shm)" -ge 32768 ]; }
wait_until 'a follower shares the index of the log' shared

# In JSON, too, there is one error: as the answer or, if none was begun, on standard error.
(ulimit -f 8 && exec "$loom" --json do respond r001 'more') >"$work/out" 2>"$work/err"
status 3 'loom --json do respond on a full disk'
checks=$((checks + 1))
[ ! -s "$work/out" ] || [ ! -s "$work/err" ] || fail "$what: told twice"
cat "$work/err" >>"$work/out"
says out '"code":"DISK_FULL"'
json out

full new
full init below
full tree set --title Z
full use B
full tag r001 x
full do respond r001 'more'
full do annotate r001 'more'
full do edit "$first" 'more'
full do prune "$first"
full do continue r001 n:2
full do stash x "a text"
full do search hello
full grep hello
full run -a Claude "$work/turn"
says out '→ respond r001 "two"'
says out 'not done: a line above it failed'
full approve "$list"
full approve "$list" --refuse
full paste --as Claude --approve "$(
	"$loom" paste --as Claude "$work/talk" 2>&1 | sed -n 's/.*--approve \([0-9a-f]*\).*/\1/p'
)" "$work/talk"
full doc write page "$work/turn"
full import "$work/talk"
full agent add Other
full backup "$work/copy.db"
full salvage .loom/grove.db "$work/saved"
full thread append --thread two "$work/row"
kill $follower
wait $follower 2>/dev/null
"$loom" ops --json >"$work/now"
checks=$((checks + 1))
cmp -s "$work/ops" "$work/now" || fail 'something was done on a full disk'
run 0 check --deep
run 0 do respond r001 'and again'
checks=$((checks + 1))
[ -z "$(find "$work" -name '*.part*' -o -name '*.new-*')" ] || fail 'something was left behind'

# A path that SQLite refuses, but the system accepts.
deep=$work/$(printf '%0200d/%0200d/%0200d' 1 2 3)
mkdir -p "$deep"
run 1 init "$deep"
says err '✗ PATH_REFUSED: the path of a grove can have at most'
says err 'hint: put it in a place with a shorter path'
checks=$((checks + 1))
[ ! -e "$deep/.loom" ] || fail 'a path that is too long is begun with'
mkdir -p "$work/short" && run 0 init "$work/short/grove"
mkdir -p "$deep" && mv "$work/short/grove" "$deep/grove"
run 1 -g "$deep/grove" trees
says err 'the path of a grove can have at most'

# Work that succeeded before is not reported as failed.
(unset HOME XDG_STATE_HOME && exec "$loom" agent add Late --permissions all --approval auto) \
	>"$work/out" 2>"$work/err"
status 1 'loom agent add without a home'
says err 'agent "Late" exists, but its permissions were not saved: no home'
says err 'hint: once that is fixed: loom agent set "Late" --permissions'
TMPDIR=$work/none EDITOR=true run 3 doc edit page
says err 'hint: set TMPDIR to another directory'

# A limit on open files is not reported as a refused path, and the path is named once.
for files in 7 8 9; do
	(ulimit -n $files && exec "$loom" thread ref --from two --target one --scope plan.md) \
		>"$work/out" 2>"$work/err" </dev/null
	got=$?
	checks=$((checks + 1))
	[ $got -ne 0 ] || fail "thread ref with $files open files is done"
	says err 'Too many open files'
	silent out
	checks=$((checks + 1))
	! grep -qE '([a-z./_]+): \1:|Path refused' "$work/err" || fail 'a path is named twice'
done

verdict
