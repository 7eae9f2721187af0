#!/bin/sh
# The clients that people use, of pinned versions, against both doors of `loom mcp`: Inspector over the
# command line in every era, the two SDKs from scripts. They are fetched from npm's registry into a
# folder of the test's own; without npm, or without the registry, all of it is skipped.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"

command -v node >/dev/null && command -v npm >/dev/null || skip 'no npm here'
mkdir "$work/clients"
cp "$here"/*.mjs "$work/clients"
(cd "$work/clients" && timeout 600 npm install --no-audit --no-fund --ignore-scripts \
	--fetch-retries=0 --fetch-timeout=20000 @modelcontextprotocol/inspector@2.12.0 \
	@modelcontextprotocol/client@2.4.0 @modelcontextprotocol/sdk@1.32.2 >npm.log 2>&1) ||
	skip 'the clients cannot be had from npm'

run 0 init grove
cd grove || exit 1
run 0 new --mode buffer --title House --root 'Once there was.'
run 0 agent add ada --permissions all --approval auto
# Clients pass on hardly any variable.
cat >"$work/serve" <<END
#!/bin/sh
export HOME='$HOME' XDG_CONFIG_HOME='$XDG_CONFIG_HOME' XDG_DATA_HOME='$XDG_DATA_HOME'
export XDG_STATE_HOME='$XDG_STATE_HOME' XDG_CACHE_HOME='$XDG_CACHE_HOME'
exec '$loom' mcp --agent ada -g '$work/grove'
END
chmod +x "$work/serve"
token=$("$loom" token new ada 2>/dev/null)
"$loom" mcp --http 127.0.0.1:0 >"$work/url" 2>"$work/server.err" &
server=$!
wait_until 'the server listens' holds "$work/url" /mcp

# inspect STATUS ERA ARGUMENT…: one request by Inspector, through $door.
inspect() {
	wanted=$1
	what="inspector $door $*"
	era=$2
	shift 2
	checks=$((checks + 1))
	if [ "$door" = pipe ]; then
		set -- "$work/serve" "$@"
	else
		set -- "$url" --transport http --header "Authorization: Bearer $token" "$@"
	fi
	timeout 60 "$work/clients/node_modules/.bin/mcp-inspector" --cli "$@" \
		--protocol-era "$era" --format json >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ "$got" -eq "$wanted" ] || fail "$what: exit status $got, not $wanted"
}

url=$(cat "$work/url")
for door in pipe http; do
	for era in legacy auto modern; do
		inspect 0 "$era" --method tools/list
		says out loom_context
		inspect 0 "$era" --method tools/call --tool-name loom --tool-arg 'text=→ view r001'
		says out 'Once there was.'
		inspect 5 "$era" --method tools/call --tool-name loom --tool-arg 'text=→ view zz99'
		says out NOT_FOUND
		inspect 0 "$era" --method resources/list
		says out loom://tree/
		inspect 0 "$era" --method resources/read --uri loom://node/r001
		says out 'Once there was.'
		inspect 0 "$era" --method prompts/list
		says out loom-aware
	done
done

# script STATUS MODE FILE: one of the scripts beside this, through $door.
script() {
	checks=$((checks + 1))
	what="$3 $2 $door"
	through=
	[ "$door" = pipe ] || through=$url
	(cd "$work/clients" && SERVE="$work/serve" LOOM="$loom" GROVE="$work/grove" MODE="$2" \
		URL="$through" TOKEN="$token" timeout 120 node "$3") >"$work/out" 2>"$work/err"
	got=$?
	[ "$got" -eq "$1" ] || fail "$what: exit status $got, not $1"
}

for door in pipe http; do
	script 0 auto client.mjs
	says out 2026-07-28
	script 0 legacy client.mjs
	says out 2025-11-25
	script 0 pin client.mjs
	says out 2026-07-28
	script 0 legacy sdk.mjs
	says out updated
done
kill "$server"
verdict
