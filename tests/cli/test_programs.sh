#!/bin/sh
# The user's own programs and hooks: what they are told, who may run them, and what they cannot do.
. "$(dirname "$0")/lib.sh"
mkdir -p "$XDG_CONFIG_HOME/loom" "$work/bin"
config=$XDG_CONFIG_HOME/loom/config.json
heard=$work/heard
PATH=$work/bin:$(dirname "$loom"):$PATH
export PATH

# configure JSON: the user's configuration.
configure() {
	printf '%s\n' "$1" >"$config"
	chmod 600 "$config"
}

# program NAME: a program of that name, with the text of standard input as its shell script.
program() {
	{
		echo '#!/bin/sh'
		cat
	} >"$work/bin/$1"
	chmod 700 "$work/bin/$1"
}

# hears NAME COUNT: the events of that name that were heard so far.
hears() {
	checks=$((checks + 1))
	got=$(grep -c "\"event\":\"$1\"" "$heard" 2>/dev/null)
	[ "${got:-0}" -eq "$2" ] || fail "$what: ${got:-0} events $1, not $2"
}

program listen <<END
cat >>"$heard"
echo >>"$heard"
END

# --- programs ---

run 0 init grove
cd grove || exit 1
run 0 new --title Tale --root "The lane stood empty."
run 1 pipe shout r001
says err 'you have no program "shout"'
says err 'loom help programs'
configure '{"programs": {"shout": {"command": ["tr", "a-z", "A-Z"], "about": "Say a text in capitals"},
	"words": {"command": ["wc", "-w"]}, "export": {"command": ["true"]}, "thread": {"command": ["true"]},
	"view": {"command": ["true"]}, "redo": {"command": ["true"]}, "keys": {"command": ["true"]}}}'
run 0 pipe shout r001
says out 'THE LANE STOOD EMPTY.'
run 0 shout r001
says out 'THE LANE STOOD EMPTY.'
run 0 shout
says out 'THE LANE STOOD EMPTY.'
run 0 words r001 --json
json out
says out '"program":"words"'
printf 'a b c' | "$loom" pipe words - >"$work/out" 2>"$work/err"
status 0 "pipe words -"
says out 3
run 0 help
says out 'Your programs'
says out 'Say a text in capitals'
run 0 help shout
says out 'tr a-z A-Z'
says out 'example: loom shout a7x2'
run 0 help words
says out 'Run a text through wc -w'
run 1 pipe nosuch r001
says err 'your programs: shout, words'

# No name of ours is ever a program.
for name in export thread view redo keys; do
	run 1 pipe $name r001
	says err "\"$name\" is a name of loom's own"
done
run 0 export --format txt
says out 'The lane stood empty.'
for name in 'a' 'Big' '-x' 'a/b' 'a b' '1st' ''; do
	configure "{\"programs\": {\"$name\": {\"command\": [\"true\"]}}}"
	run 1 pipe shout r001
	says err "$config:1"
done
configure '{"programs": {"shout": {"about": "nothing"}}}'
run 1 pipe shout r001
says err 'has no "command"'

# There is no shell, and an argument stays one.
configure '{"programs": {"say": {"command": ["printf", "%s|", "$HOME; touch made", "`id`"]}}}'
run 0 pipe say r001
says out '$HOME; touch made|`id`|'
[ ! -e made ] || fail "a shell ran"

# The environment is clean: no keys, not even one that the configuration calls by another name.
program spill <<'END'
env
END
configure '{"providers": {"p": {"api": "openai", "base_url": "http://127.0.0.1:1", "key_env": "LC_SECRET"}},
	"programs": {"spill": {"command": ["spill"]}}}'
LC_SECRET=s3cret OPENAI_API_KEY=k3y AWS_SECRET_ACCESS_KEY=aws SSH_AUTH_SOCK=sock LD_PRELOAD='' SOMETHING=else \
	"$loom" spill r001 >"$work/out" 2>"$work/err"
status 0 spill
says out 'LOOM_HOOKS=off'
says out "HOME=$HOME"
says out "LOOM_GROVE=$work/grove"
for leak in s3cret k3y aws sock LD_PRELOAD SOMETHING; do
	lacks out "$leak"
done

# It is bounded in time and output, and nothing that it started stays.
program endless <<'END'
yes
END
program sleeper <<END
sleep 1000 & echo \$! >"$work/pid"
sleep 1000
END
program leaver <<END
sleep 1000 >/dev/null 2>&1 & echo \$! >"$work/pid"
echo done
END
program fails <<'END'
echo "no such luck" >&2
exit 3
END
gone() {
	! kill -0 "$(cat "$work/pid")" 2>/dev/null || grep -q '^State:.Z' "/proc/$(cat "$work/pid")/status" 2>/dev/null
}
configure '{"programs": {"endless": {"command": ["endless"]}, "sleeper": {"command": ["sleeper"], "timeout": 0.5},
	"leaver": {"command": ["leaver"]}, "fails": {"command": ["fails"]}, "lost": {"command": ["no-such-program"]}}}'
run 1 endless r001
says err 'wrote more than'
run 1 sleeper r001
says err 'sleeper ran for more than 0.5 s and was stopped'
wait_until "what it started is gone" gone
run 0 leaver r001
says out done
wait_until "what it left behind is gone" gone
run 3 fails r001
says err 'fails ended with status 3: no such luck'
run 1 lost r001
says err 'no-such-program: No such file'

# --- agents: by name only, whatever they may do otherwise ---

configure '{"programs": {"shout": {"command": ["tr", "a-z", "A-Z"], "agents": ["Ada"]},
	"whoami": {"command": ["loom", "tag", "r001", "seen"], "agents": ["Ada"]},
	"mine": {"command": ["true"]}}}'
run 0 agent add Ada --permissions all --approval auto
run 0 agent add Bob --permissions all --approval auto
export LOOM_AGENT=Bob
run 1 pipe shout r001
says err 'is not open to Bob'
run 1 shout r001
LOOM_AGENT=Ada
run 0 shout r001
says out 'THE LANE'
run 1 mine r001
says err 'is not open to Ada'
run 0 whoami r001
unset LOOM_AGENT
run 0 ops --last 1
says out Ada

# --- hooks ---

configure '{"hooks": {"node_made": ["listen"], "generation_ended": ["listen"], "turn_ended": ["listen"]}}'
run 0 do respond r001 'A door opened.'
hears node_made 1
hears generation_ended 0
json_lines_heard() {
	checks=$((checks + 1))
	! command -v python3 >/dev/null || python3 - "$heard" <<'END' || fail "$what: what was heard is not right"
import json, sys
rows = [json.loads(row) for row in open(sys.argv[1]) if row.strip()]
last = rows[-1]
assert last["actor"]["name"] == "Olga" and last["actor"]["kind"] == "person", last
assert last["tree"]["title"] == "Tale" and last["count"] == 1, last
assert [node["text"] for node in last["nodes"]] == ["A door opened."], last
END
}
json_lines_heard

# What made no node raises nothing, and reading raises nothing.
run 0 tag r001 again
run 0 tree
hears node_made 1
run 0 undo
run 0 redo
hears node_made 1

# A model's text is both.
run 0 do continue from r001 n:2
hears generation_ended "$(grep -c '"event":"generation_ended"' "$heard")"
[ "$(grep -c '"event":"generation_ended"' "$heard")" -ge 1 ] || fail "no generation was heard"

# An import is one event.
rm -f "$heard"
printf 'one\n\ntwo\n\nthree\n' >"$work/t.md"
run 0 import --split paragraph "$work/t.md"
hears node_made 1

# A hook's own calls act as the event's actor, and raise no events.
rm -f "$heard"
program answer <<END
cat >>"$heard"
echo >>"$heard"
loom annotate r001 "heard it" >>"$work/answer" 2>&1 || loom do annotate r001 "heard it" >>"$work/answer" 2>&1
END
configure '{"hooks": {"node_made": ["answer"]}}'
run 0 do respond r001 'Once.'
hears node_made 1
run 0 ops --last 1
says out 'annotat'
LOOM_AGENT=Ada
export LOOM_AGENT
run 0 do respond r001 'Twice.'
unset LOOM_AGENT
hears node_made 2
run 0 ops --last 1
says out Ada
says out annotat

# What an agent may not do, its event's hook may not do in its name.
run 0 agent add Meek --permissions loom_aware,loom_write --approval ask
program boss <<END
loom new --title Stolen --root x >>"$work/boss" 2>&1
loom agent set Meek --approval auto >>"$work/boss" 2>&1
END
configure '{"hooks": {"node_made": ["boss"]}}'
LOOM_AGENT=Ada
export LOOM_AGENT
run 0 do respond r001 'Thrice.'
unset LOOM_AGENT
holds "$work/boss" PERMISSION_DENIED || fail "an agent's hook had a person's rights"
run 0 agent show Meek
says out ask

# A hook that fails, floods or never ends is reported and does not stop the work.
configure '{"hooks": {"node_made": ["fails"]}}'
run 0 do respond r001 'Four.'
says err 'hook node_made: fails ended with status 3: no such luck'
configure '{"hooks": {"node_made": ["endless"]}}'
run 0 do respond r001 'Five.'
says err 'hook node_made: endless wrote more than'
configure '{"hooks": {"node_made": ["sleeper"], "timeout": 0.5}}'
run 0 do respond r001 'Six.'
says err 'ran for more than 0.5 s'
wait_until "what the hook started is gone" gone
configure '{"hooks": {"node_made": ["spill"]}}'
program spill <<END
env >"$work/env"
END
OPENAI_API_KEY=k3y SOMETHING=else "$loom" do respond r001 'Seven.' >"$work/out" 2>"$work/err"
status 0 'respond with a hook'
! grep -q 'k3y\|SOMETHING' "$work/env" || fail "a hook saw a key"
grep -q '^LOOM_EVENT=node_made$' "$work/env" || fail "a hook was not told its event"

# The end of a turn is an event of the agent.
rm -f "$heard"
configure '{"providers": {"p": {"api": "command", "command": ["sh", "-c", "cat >/dev/null; echo Hello."]}},
	"models": {"m": {"provider": "p"}}, "hooks": {"turn_ended": ["listen"]}}'
run 0 agent set Ada --model m
run 0 chat -a Ada --input 'Good morning.'
hears turn_ended 1
holds "$heard" '"name":"Ada"' || fail "whose turn ended was not told"
holds "$heard" '"thread":"' || fail "the thread was not told"

# LOOM_HOOKS=off is heard.
rm -f "$heard"
configure '{"hooks": {"node_made": ["listen"]}}'
LOOM_HOOKS=off "$loom" do respond r001 'Eight.' >"$work/out" 2>"$work/err"
status 0 'respond without hooks'
hears node_made 0

# Nothing of it comes from a project, whatever its files are called.
rm -f "$heard" "$config"
for place in . .loom .leslie .config/loom; do
	mkdir -p "$place"
	printf '{"hooks": {"node_made": ["listen"]}, "programs": {"shout": {"command": ["listen"]}}}\n' \
		>"$place/config.json"
done
run 0 do respond r001 'Nine.'
hears node_made 0
run 1 pipe shout r001
says err 'you have no program'

# Nor from a file that others can write.
configure '{"hooks": {"node_made": ["listen"]}, "programs": {"shout": {"command": ["listen"]}}}'
chmod 666 "$config"
run 0 do respond r001 'Ten.'
hears node_made 0
run 1 pipe shout r001
says err 'other users can write'
verdict
