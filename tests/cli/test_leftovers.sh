#!/bin/sh
# `loom check` reports the leftovers of a killed backup, spawn or export, and the next one removes them;
# files of a living process, and a person's files with similar names, stay.
. "$(dirname "$0")/lib.sh"
# Nothing that strace looks at can look for leaks.
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export ASAN_OPTIONS
strace -o /dev/null true 2>/dev/null || skip 'no strace to kill at a moment of its own choosing'
run 0 init
run 0 new --root once
run 0 objective new --title Goal
objective=$(cat out)

# killed CALL NUMBER ARGUMENT…: kills the program as it makes that system call so often.
killed() {
	what="$1 $2"
	inject=inject=$1:signal=KILL:when=$2
	shift 2
	strace -f -o /dev/null -e "$inject" "$loom" "$@" >out 2>err
	got=$?
	checks=$((checks + 1))
	[ "$got" -eq 137 ] || fail "$1 was not killed at $what: exit status $got"
}

# parts: how many lie there by now, the journals of a copy not counted: they come and go.
parts() {
	ls -A . .leslie/threads 2>/dev/null | grep -cE '(^\.new|\.part|^\.loom)-[0-9a-f]{16}$'
}

# there COUNT WHAT: expects this many parts
there() {
	checks=$((checks + 1))
	[ "$(parts)" -eq "$1" ] || fail "$2: $(parts) parts, not $1"
}

# The place for backups is recorded once, before anything is counted here.
run 0 backup first.db
rm first.db

# A person's own.
mkdir -p .leslie/threads/.new-mine .leslie/threads/.new-12345678 own
for own in novel.db.part-2 novel.db.part-two .loom-notes novel.part-0123456789abcdeg \
	novel.part-0123456789abcde; do
	printf 'mine\n' >"$own"
done
ls -A . .leslie/threads | grep -vE '^(out|err)$' | sort >before

# --- a backup ---
killed fsync 1 backup novel.db
there 1 'a killed backup'
run 0 check
says out '.part-'
run 0 check --json
json out
says out '"leftovers":["novel.db.part-'
run 0 backup other.db
there 0 'the next backup'
run 0 check
lacks out 'left over'

# --- a backup that lives ---
strace -f -o /dev/null -e inject=fsync:signal=STOP:when=1 "$loom" backup slow.db >slow 2>&1 &
slow=$!

# asleep: whether the slow one was stopped at its moment.
asleep() {
	held=$(ps -o pid= --ppid $slow | tr -d ' ')
	[ -n "$held" ] && grep -q '^State:.[Tt]' "/proc/$held/status" && [ "$(parts)" -eq 1 ]
}

wait_until 'the slow backup stands still' asleep
there 1 'a backup under way'
run 0 backup quick.db
run 0 check
lacks out 'left over'
there 1 'a backup under way beside another'
kill -CONT "$held"
wait $slow
status 0 'the slow backup'
[ -f slow.db ] || fail 'the slow backup was swept away'

# --- a spawn ---
killed renameat2 1 thread spawn --objective "$objective" --intent Work
there 1 'a killed spawn'
run 0 check
says out '.leslie/threads/.new-'
run 0 thread spawn --objective "$objective" --intent Work
there 0 'the next spawn'

# --- an export over a file that is there ---
printf 'old\n' >story.md
killed renameat 1 export --format md -o story.md
there 1 'a killed export'
[ "$(cat story.md)" = old ] || fail 'a killed export changed the file'
run 0 check
says out '.loom-'
run 0 export --format md -o story.md
there 0 'the next export'

# --- leftovers of earlier versions ---
run 0 backup kept.db
cp kept.db novel.db.part-4711
: >novel.db.part-4711-journal
printf 'half' >half.db.part-812
printf '\331\325\005\371\040\241\143\327' >half.db.part-812-journal
cp kept.db young.db.part-815
printf 'SQLite format 3\0 of somebody else' >theirs.db.part-816
mkdir -p .leslie/threads/.new-0badf00d/context
printf 'half\n' >.leslie/threads/.new-0badf00d/thread.json
touch -d '2 hours ago' ./*.part-4711* ./*.part-812* ./*.part-816 novel.db.part-2 \
	.leslie/threads/.new-0badf00d .leslie/threads/.new-mine
run 0 check
says out 'novel.db.part-4711'
says out 'half.db.part-812 '
says out '.leslie/threads/.new-0badf00d'
lacks out 'part-815'
lacks out 'part-816'
lacks out 'part-2'
lacks out 'new-mine'
lacks out 'new-12345678'
run 0 thread spawn --objective "$objective" --intent Work
[ ! -e .leslie/threads/.new-0badf00d ] || fail 'the folder of an earlier version stays'
run 0 backup next.db
for gone in novel.db.part-4711 novel.db.part-4711-journal half.db.part-812 half.db.part-812-journal; do
	[ ! -e "$gone" ] || fail "$gone stays"
done
[ -f young.db.part-815 ] || fail 'what was touched just now was taken'
[ -f theirs.db.part-816 ] || fail 'what is no grove of ours was taken'
rm -f kept.db next.db young.db.part-815 theirs.db.part-816

# --- beside the project, and where backups go ---
mkdir -p project where
run 0 init project
"$loom" -g project new --root one >out 2>err
run 0 -g project backup first.db
killed fsync 1 -g project backup beside.db
cd project || exit 1
run 0 check
says out 'left over from a killed program: ../beside.db.part-'
run 0 backup ../where/whole.db
killed fsync 1 backup ../where/half.db
run 0 check
says out "left over from a killed program: $work/where/half.db.part-"
checks=$((checks + 1))
[ "$(grep -c "left over" "$work/out")" -eq 2 ] || fail 'not named once each'
run 0 backup ../where/next.db
run 0 backup ../next.db
run 0 check
lacks out 'left over'
cd .. || exit 1
rm -rf project where first.db next.db

rm -f novel.db other.db slow.db quick.db story.md slow
rmdir own 2>/dev/null
mkdir own
ls -A . .leslie/threads | grep -vE '^(out|err|before|after|thread-.*)$' | sort >after
sed -i '/^thread-/d; /^before$/d; /^after$/d' before
checks=$((checks + 1))
diff before after >out || fail 'something of a person went, or something stayed'
verdict
