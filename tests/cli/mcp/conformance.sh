#!/bin/sh
# The official conformance suite of MCP, of a pinned version, against `loom mcp --http`: all that the
# revisions of 2025-11-25 and 2026-07-28 require but what we do not offer. It tests with tools, resources
# and prompts of its own, which a server is to have for it; those scenarios cannot be passed, nor can
# logging and what a server asks its client for. It is fetched from npm's registry; without it all is
# skipped.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"

command -v node >/dev/null && command -v npm >/dev/null || skip 'no npm here'
mkdir "$work/suite"
cp "$here"/*.mjs "$work/suite"
(cd "$work/suite" && timeout 900 npm install --no-audit --no-fund --fetch-retries=0 --fetch-timeout=60000 \
	node@22 @modelcontextprotocol/conformance@0.2.0-alpha.12 >npm.log 2>&1) ||
	skip 'the suite cannot be had from npm'

run 0 init grove
cd grove || exit 1
run 0 new --title House --root 'Once there was.'
run 0 agent add ada --permissions all --approval auto
token=$("$loom" token new ada 2>/dev/null)
"$loom" mcp --http 127.0.0.1:0 >"$work/url" 2>"$work/server.err" &
server=$!
wait_until 'the server listens' holds "$work/url" /mcp
port=$(sed 's|.*:\([0-9]*\)/mcp|\1|' "$work/url")
# The suite cannot send a token.
node "$work/suite/bearer.mjs" "$port" "$token" >"$work/port" &
bearer=$!
wait_until 'the bearer listens' grep -q . "$work/port"

# Theirs, which we do not have: tools, resources, prompts, logging, requests to the client, tasks.
not_offered='^(logging-|completion-complete|tools-call-|elicitation-|resources-(read|templates|subscribe|unsubscribe)|prompts-get-|input-required-|json-schema-2020-12|tasks-|http-custom-header)'
must='server-initialize ping tools-list server-sse-multiple-streams resources-list prompts-list
dns-rebinding-protection server-session-lifecycle sep-2164-resource-not-found caching http-header-validation'

for revision in 2025-11-25 2026-07-28; do
	checks=$((checks + 1))
	(cd "$work/suite" && timeout 600 node_modules/.bin/node \
		node_modules/@modelcontextprotocol/conformance/dist/index.js server \
		--url "http://127.0.0.1:$(cat "$work/port")/mcp" --requirements "$revision" -o "results-$revision") \
		>"$work/out" 2>"$work/err" </dev/null
	sed -n 's/^✗ \([^:]*\):.*/\1/p' "$work/out" | grep -vE "$not_offered" >"$work/wrong"
	for scenario in $(cat "$work/wrong"); do
		# Where a scenario wants a tool of theirs for some of its checks, the others must pass.
		python3 - "$work/suite/results-$revision" "$scenario" <<'END' || fail "$revision: $scenario"
import glob, json, sys
folder, scenario = sys.argv[1:]
checks = [check for file in glob.glob("%s/**/*%s*/checks.json" % (folder, scenario), recursive=True)
          for check in json.load(open(file))]
bad = [check for check in checks if check["status"] == "FAILURE"
       and not check.get("errorMessage", "").startswith("Not testable")]
for check in bad:
    print(check["id"], check.get("errorMessage"))
sys.exit(1 if bad or not checks else 0)
END
	done
	for scenario in $must; do
		checks=$((checks + 1))
		grep -qE "^[✓✗] $scenario:" "$work/out" || continue
		grep -q "^✓ $scenario:" "$work/out" || fail "$revision: $scenario"
	done
	checks=$((checks + 1))
	[ "$(grep -c '^✓' "$work/out")" -ge 8 ] || fail "$revision: too few scenarios passed"
done
kill "$bearer" "$server"
verdict
