# Shared by the scripts for the command line, which source it; their first argument is the program.
# A failed check prints what it expected; `verdict` ends the script.
set -u
LC_ALL=C.UTF-8
export LC_ALL
loom=${1:?usage: $0 PROGRAM}
unset LOOM_GROVE LOOM_AGENT LOOM_NOW LOOM_SEED NO_COLOR
unset ANTHROPIC_API_KEY ANTHROPIC_BASE_URL OPENAI_API_KEY OPENAI_BASE_URL
here=$(cd "$(dirname "$0")" && pwd)
checks=0
bad=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The founder's name, whatever the account is called.
LOOM_ME=Olga
export LOOM_ME
# Isolates the script from the user's groves and settings.
HOME=$work XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data
XDG_STATE_HOME=$work/state XDG_CACHE_HOME=$work/cache
export HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME
cd "$work" || exit 1

fail() {
	bad=$((bad + 1))
	printf 'FAIL %s\n' "$*"
	[ ! -s "$work/out" ] || sed 's/^/    out: /' "$work/out" | head -n 20
	[ ! -s "$work/err" ] || sed 's/^/    err: /' "$work/err" | head -n 20
}

# run STATUS ARGUMENT…: runs the program and expects that exit status; keeps $work/out and /err.
run() {
	wanted=$1
	shift
	checks=$((checks + 1))
	what="loom $*"
	"$loom" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ "$got" -eq "$wanted" ] || fail "$what: exit status $got, not $wanted"
}

# status STATUS WHAT: expects this exit status of the last command, where `run` does not fit.
status() {
	got=$?
	checks=$((checks + 1))
	what=$2
	[ "$got" -eq "$1" ] || fail "$what: exit status $got, not $1"
}

# says out|err TEXT: expects that text; silent out|err: expects nothing.
says() {
	checks=$((checks + 1))
	grep -qF -e "$2" "$work/$1" || fail "$what: no \"$2\" on $1"
}

# lacks out|err TEXT: expects that this text is absent.
lacks() {
	checks=$((checks + 1))
	! grep -qF -e "$2" "$work/$1" || fail "$what: \"$2\" on $1"
}

silent() {
	checks=$((checks + 1))
	[ ! -s "$work/$1" ] || fail "$what: speaks on $1"
}

# lines out|err COUNT
lines() {
	checks=$((checks + 1))
	[ "$(wc -l <"$work/$1")" -eq "$2" ] || fail "$what: not $2 lines on $1"
}

# json out|err: expects one JSON document, if a parser is installed.
json() {
	checks=$((checks + 1))
	if command -v python3 >/dev/null; then
		python3 -c 'import json, sys; json.load(sys.stdin)' <"$work/$1" 2>/dev/null ||
			fail "$what: no JSON on $1"
	fi
}

# json_lines out|err: expects one JSON document per line, and at least one.
json_lines() {
	checks=$((checks + 1))
	[ -s "$work/$1" ] || fail "$what: nothing on $1"
	if command -v python3 >/dev/null; then
		python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <"$work/$1" 2>/dev/null ||
			fail "$what: a line on $1 is no JSON"
	fi
}

# wait_until WHAT COMMAND…: waits until the command succeeds. The minute is not a time limit to meet:
# it only ends the wait for a condition that never comes true.
wait_until() {
	awaited=$1
	shift
	checks=$((checks + 1))
	for _ in $(seq 600); do
		"$@" && return 0
		sleep 0.1
	done
	fail "never: $awaited"
	return 1
}

# holds FILE TEXT: whether the file contains the text; "" checks that it exists.
holds() {
	[ -f "$1" ] && grep -qF -e "$2" "$1" 2>/dev/null || [ -z "$2" -a -f "$1" ]
}

# rests PID: whether the process waits: all its threads sleep, and none has run for a while.
rests() {
	seen=$(cat /proc/"$1"/task/*/status 2>/dev/null | grep -E '^State|ctxt_switches')
	case $seen in '' | *State:?[!S]*) return 1 ;; esac
	sleep 0.1
	[ "$seen" = "$(cat /proc/"$1"/task/*/status 2>/dev/null | grep -E '^State|ctxt_switches')" ]
}

# waits_for_lock PID: whether the process waits for the writer lock.
waits_for_lock() {
	grep -qE -e "-> +FLOCK .* $1 " /proc/locks
}

# waits_for_pipe PID: whether the process has the pipe "waiting" open.
waits_for_pipe() {
	ls -l "/proc/$1/fd" 2>/dev/null | grep -q '/waiting$'
}

# stopped_by SIGNAL CONDITION ARGUMENT…: runs the program with the caller's input, and sends it the
# signal as soon as the condition holds. Check its status with `status`.
stopped_by() {
	signal=$1
	condition=$2
	shift 2
	exec 7<&0
	env --default-signal=INT "$loom" "$@" >"$work/out" 2>"$work/err" <&7 7<&- &
	running=$!
	exec 7<&-
	wait_until "loom $* waits" "$condition" $running
	kill -"$signal" $running
	wait $running
}

# until_says FILE TEXT: waits until the file contains the text; "" waits until it exists.
until_says() {
	wait_until "\"$2\" in $1" holds "$1" "$2"
}

skip() {
	printf 'SKIP: %s\n' "$*"
	exit 77
}

# play SCRIPT ARGUMENT…: starts a server on the loopback, which ends with the script.
play() {
	command -v python3 >/dev/null || skip 'no python3 to play the model'
	python3 "$@" &
	trap "kill $! 2>/dev/null; rm -rf '$work'" EXIT
	until_says port ''
	[ -f port ] || skip 'the model does not listen'
}

# configure MEMBERS: writes settings with that server as the provider "fake"; MEMBERS name its models.
configure() {
	mkdir -p config/loom
	cat >config/loom/config.json <<EOT
{"providers":{"fake":{"api":"openai","base_url":"http://127.0.0.1:$(cat port)/v1"}},$1}
EOT
	chmod 600 config/loom/config.json
}

# The seed of a storm: LOOM_TEST_SEED (random: a new one each time), else 1.
storm_seed() {
	command -v python3 >/dev/null || skip 'no python3 to make a storm'
	seed=${LOOM_TEST_SEED:-1}
	[ "$seed" != random ] || seed=$(od -An -N4 -tu4 /dev/urandom)
	seed=$((seed))
}

# storm SCRIPT SEED STEPS: runs one storm in an empty folder. LOOM_TEST_STEPS overrides STEPS.
storm() {
	checks=$((checks + 1))
	rm -rf storm
	mkdir storm
	cd storm || exit 1
	PYTHONDONTWRITEBYTECODE=1 python3 "$here/$1" "$loom" "$2" "${LOOM_TEST_STEPS:-$3}" \
		>"$work/out" 2>"$work/err" || fail "$1, seed $2"
	cat "$work/out"
	cd "$work" || exit 1
}

# storms SCRIPT STEPS: runs three storms.
storms() {
	storm_seed
	for n in 1 2 3; do
		storm "$1" $((seed + n)) "$2"
	done
}

verdict() {
	printf '%s: %d checks, %d wrong\n' "$(basename "$0" .sh)" "$checks" "$bad"
	[ "$checks" -gt 0 ] && [ "$bad" -eq 0 ]
	exit
}
