#!/bin/sh
# Fails every STEP-th call of each command of the program, once and for good, and looks what is left:
# allocations with the one shim, calls that change files with the other. A command does its work
# whole or says why it did not; the grove is sound, and the next one can work in it.
#   sweep_program.sh SWEEP SHIM LOOM STEP ERROR…
# ERROR is one of those of faults/fault.h, or MEMORY for the other shim.
# LOOM_TEST_SEED says where it begins (random: elsewhere each time).
set -eu

ops() {
	"$loom" -g world/grove ops --last 1000 --json | grep -o '"op":' | wc -l
}

# look BEFORE AFTER: what is left, of a command that leads from so many operations to so many
look() {
	now=$(ops) || return 1
	why=
	case $LOOM_FAULT_EXIT:$LOOM_FAULT_SAID in
	[0123]:?* | 0: | -1:*) ;;
	# the C library ends a thread that it has no room for
	127:*'out of memory'*) ;;
	*) why='it ended as no command ends' ;;
	esac
	case $LOOM_FAULT_EXIT:$LOOM_FAULT_SAID in
	0:*'done, but not listed'*) ;;
	0:*) [ "$now" -eq "$2" ] || why='it is not done' ;;
	esac
	if [ "$now" -lt "$1" ] || [ "$now" -gt "$2" ]; then why='other operations are there'; fi
	"$loom" -g world/grove check --deep || why='the grove is not sound'
	"$loom" -g world/grove do respond r001 'and on' >/dev/null || why='nobody can go on'
	[ -z "$why" ] || echo "$why ($1 operations, now $now of $2)"
	[ -z "$why" ]
}

if [ "$1" = look ]; then
	loom=$2
	shift 2
	look "$@"
	exit
fi

sweep=$1 shim=$2 loom=$3 step=$4
shift 4
self=$(realpath "$0")
dir=$(mktemp -d "${TMPDIR:-/tmp}/loom-program-XXXXXX")
trap 'rm -rf "$dir"' EXIT
seed=${LOOM_TEST_SEED:-1}
[ "$seed" != random ] || seed=$(od -An -N3 -tu4 /dev/urandom)
from=$((seed % step))
echo "program: LOOM_TEST_SEED=$((seed))"
cd "$dir"
unset LOOM_GROVE LOOM_AGENT
HOME=$dir/world/home XDG_CONFIG_HOME=$HOME/config XDG_DATA_HOME=$HOME/data
XDG_STATE_HOME=$HOME/state XDG_CACHE_HOME=$HOME/cache
LOOM_NOW=2026-02-23T10:00:00Z LOOM_SEED=7
export HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME LOOM_NOW LOOM_SEED

make_world() {
	mkdir -p world/home world/grove
	"$loom" init world/grove
	cd world/grove
	"$loom" new --title Talk --root 'Hello, how are you?'
	"$loom" do respond r001 'Well.'
	"$loom" new --mode buffer --title Story --root 'The house stood empty.'
	"$loom" do continue r001 n:2 tokens:8
	"$loom" agent add Claude --permissions all --approval auto
	"$loom" agent add Asker --permissions all --approval ask
	printf '→ respond r001 "Asked."\n→ prune r001\n' | "$loom" run -a Asker || true
	printf '## User\n\nHello.\n\n## Assistant\n\n→ respond r001 "Hello."\n' >talk.md
	printf 'Well.\n→ respond r001 "As agreed."\n→ stash "x" "kept"\n→ memory\n' >turn.txt
	"$loom" doc write notes <talk.md
	"$loom" objective new --title Goal >../goal
	"$loom" thread spawn --objective "$(cat ../goal)" --intent x --id one
	printf '# Plan\n\nFirst this.\n' >.leslie/threads/one/plan.md
	"$loom" thread spawn --objective "$(cat ../goal)" --intent y --id two --ref one:plan.md
	cd ../..
}
make_world >said 2>&1
mv world template
cat >commands <<'EOT'
version
help prune
help --man
trees
new --title More --root 'Another one.'
new --mode buffer --title Prose
use Story
tree --depth 9 Talk/r001
show Talk/r001 --json
log
grep house
diff Talk/r001 Story/r001
do view r001
do respond r001 'More of it.'
do edit r001 'The house stands empty.'
do annotate r001 'A note.'
do prune r001
do continue r001 n:2 tokens:8
do stash x 'kept'
do memory
tag r001 one two
link Talk/r001 Story/r001 --note why
run -a Claude template/grove/turn.txt
run -a Asker template/grove/turn.txt
parse template/grove/turn.txt
approve
paste --as Claude template/grove/talk.md
undo
ops
events
doc list
doc show notes
doc write notes --append template/grove/talk.md
import template/grove/talk.md
export --format md -o world/out.md
export --grove --format json
agent add Another
agent set Claude --approval ask
agent list
objective list
thread spawn --objective GOAL --intent z --id three --ref one:plan.md
thread context two
thread refresh two
thread log -a Claude
thread project --thread one
thread checkpoint one
context -a Claude --format json
payload -o world/input.md
summarize
models
usage
keys --json
theme list
verify
check --deep
backup world/copy.db
salvage world/grove/.loom/grove.db world/again
EOT
sed -i "s/GOAL/$(cat template/goal)/" commands

# fail ERROR STICKY COMMAND…: every STEP-th call of it, in that way
fail() {
	from=$((from % step + 1))
	options="$2 --under $dir/world --error $1"
	[ "$1" != MEMORY ] || options=$2
	shift 2
	# shellcheck disable=SC2086
	"$sweep" --shim "$shim" $options --from "$from" --step "$step" \
		--prepare 'rm -rf world && cp -a template world' \
		--check "exec '$self' look '$loom' $before $after" \
		-- "$loom" -g world/grove "$@" >said </dev/null && status=0 || status=$?
	runs=$((runs + $(sed -n 's/^sweep: \([0-9]*\) calls failed.*/\1/p' said)))
	# one that makes no such call cannot be failed
	[ "$status" -ne 0 ] && [ "$status" -ne 3 ] || return 0
	echo "loom $*, $options:"
	cat said
	bad=$((bad + 1))
}

# try COMMAND…: as it is, and in every way of $errors
try() {
	rm -rf world && cp -a template world
	before=$(ops)
	"$loom" -g world/grove "$@" >said 2>&1 </dev/null && status=0 || status=$?
	after=$(ops)
	[ "$status" -le 1 ] || {
		echo "loom $*: is no command that could fail"
		cat said
		exit 1
	}
	for error in $errors; do
		fail "$error" '' "$@"
		# what is interrupted is tried again, and would be for ever
		[ "$error" = EINTR ] || fail "$error" --sticky "$@"
	done
}

errors=$* runs=0 bad=0
while read -r line; do
	eval "try $line"
done <commands
echo "program: $runs calls failed, $bad commands not well"
[ "$runs" -gt 0 ] && [ "$bad" -eq 0 ]
