#!/bin/sh
# Several voices at once: agents that are plans, names with commas, depth, and a voice that fails.
. "$(dirname "$0")/lib.sh"
mkdir -p config/loom
cat >config/loom/config.json <<'EOT'
{
  "providers": {"gone": {"api": "openai", "base_url": "http://127.0.0.1:1"}},
  "models": {"far": {"provider": "gone"}},
  "agents": {
    "a": {"model": "ngram", "n": 2, "tokens": 8},
    "b": {"model": "ngram", "tokens": 5},
    "dead": {"model": "far"},
    "duo": {"plan": ["a", {"agent": "b", "n": 3, "tokens": 12}]},
    "odd": {"plan": ["a", "duo"]},
    "half": {"plan": ["a", "dead"]},
    "nix": {"plan": ["a", "nobody"]}
  }
}
EOT
chmod 600 config/loom/config.json
run 0 init
run 0 new --title T --root 'Once upon a time' --mode buffer
for agent in a b dead odd half nix duo; do
	run 0 subject "$agent"
done
nodes() {
	"$loom" export --format json | grep -c '"ulid".*"parent"'
}
# made COUNT LINE: the line makes so many nodes, in one operation.
made() {
	count=$1
	before=$(nodes)
	shift
	run 0 do "$@"
	checks=$((checks + 1))
	[ "$(nodes)" -eq $((before + count)) ] || fail "$what: $(nodes) nodes, not $count more than $before"
	run 0 undo
	checks=$((checks + 1))
	[ "$(nodes)" -eq "$before" ] || fail "$what: not undone"
}
made 2 'continue using agent:"a"'
made 3 'continue using agent:"a,b"'
made 5 'continue using agent:"duo"'
made 5 continue
made 6 'continue depth:2 using agent:"a"'
made 6 'continue depth:2 n:2 using agent:"b"'
made 100 'continue n:100 tokens:1 using agent:"b"'
run 1 do 'continue n:101 using agent:"b"'
says out 'LIMIT_EXCEEDED: max continuations per request is 100'
run 1 do 'continue depth:7 n:2 using agent:"b"'
says out 'LIMIT_EXCEEDED'
run 1 do 'continue using agent:"odd"'
says out 'agent "duo" is several models itself'
run 1 do 'continue using agent:"a,duo"'
says out 'agent "duo" is several models itself'
run 1 do 'continue using agent:"nix"'
says out 'agent "nobody" does not exist'
run 1 do 'continue using agent:"a,zed"'
says out 'agent "zed" does not exist'
before=$(nodes)
run 1 do 'continue using agent:"half"'
says out '1 of 3 did not arrive'
checks=$((checks + 1))
[ "$(nodes)" -eq $((before + 2)) ] || fail 'the texts of the other voice are gone'

# The configuration says what is wrong with a plan.
for plan in '"a"' '[]' '[3]' '[{"n": 2}]' '[{"agent": "a", "n": 0}]'; do
	printf '{"agents": {"p": {"plan": %s}}}\n' "$plan" >config/loom/config.json
	run 1 do 'continue using agent:"b"'
	says out config.json
done
verdict
