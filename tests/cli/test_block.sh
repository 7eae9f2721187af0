#!/bin/sh
# What agents in spawned threads are told of their files, whatever happens to these;
# block_storm.py has the rules.
. "$(dirname "$0")/lib.sh"
storms block_storm.py 60

# Files that come and go in a live folder are told by name, once; of many the first ones.
cd "$work" || exit 1
run 0 init gained
cd gained || exit 1
run 0 new --title T --root r
run 0 agent add Claude --permissions all --approval auto
run 0 objective new --title Goal --id goal
run 0 thread spawn --objective goal --id S
folder=.leslie/threads/S/design
mkdir -p $folder/deep
touch $folder/a.md
run 0 thread spawn --objective goal --id T -a Claude --ref S --binding live
# turn ARGUMENT…: a turn of its agent, whose model somebody else asks.
turn() {
	checks=$((checks + 1))
	what="loom run $*"
	echo '→ view r001' | "$loom" run -a Claude --thread T "$@" >"$work/out" 2>"$work/err" || fail "$what"
}
turn
lacks out 'Thread ==='
touch $folder/b.md $folder/deep/c.md
turn --dry-run
lacks out 'Thread ==='
turn
checks=$((checks + 1))
[ "$(head -n 5 "$work/out")" = "=== Thread ===
S has more files: $folder/b.md, $folder/deep/c.md
===

→ view r001" ] || fail "$what: it is told otherwise"
says err "S has more files: $folder/b.md"
turn
lacks out 'Thread ==='
silent err
rm $folder/a.md
turn --json
json out
says out "S no longer has: $folder/a.md\\n===\""
for n in $(seq -w 50); do touch "$folder/n$n.md"; done
turn
says out "$folder/n20.md and 30 more"
lacks out n21.md
# A copy is what it was, whatever came since.
run 0 thread spawn --objective goal --id U -a Claude --ref S
echo '→ view r001' | "$loom" run -a Claude --thread U >/dev/null 2>&1
touch $folder/later.md
echo '→ view r001' | "$loom" run -a Claude --thread U >"$work/out" 2>"$work/err"
what='a turn with a frozen folder'
lacks out 'Thread ==='
# What an earlier version did not keep is not told as new.
nothing=e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
echo '{"kind":"thread_state","payload":{"known":{"refs":[{"thread":"S","copies":"'$nothing'","paths":["'$folder'/"]}],"warnings":[]}}}' >row.json
run 0 thread append row.json --thread T
turn
lacks out 'Thread ==='
touch $folder/new.md
turn
says out "S has more files: $folder/new.md"
verdict
