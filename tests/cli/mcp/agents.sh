#!/bin/sh
# The agents that people use, of pinned versions, against both doors of `loom mcp`: Claude Code, Codex,
# opencode and gemini-cli. A script stands for their vendors: it tells whoever asks to call our tool
# once. They are fetched from npm's registry; without npm, or without the registry, all of it is
# skipped.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"

command -v node >/dev/null && command -v npm >/dev/null || skip 'no npm here'
mkdir "$work/agents"
cp "$here"/*.mjs "$work/agents"
(cd "$work/agents" && timeout 1800 npm install --no-audit --no-fund --fetch-retries=0 --fetch-timeout=60000 \
	@anthropic-ai/claude-code@2.1.197 @openai/codex@0.169.0 opencode-ai@1.18.33 @google/gemini-cli@0.61.0 \
	>npm.log 2>&1) || skip 'the agents cannot be had from npm'
bin=$work/agents/node_modules/.bin

run 0 init grove
cd grove || exit 1
run 0 new --title House --root 'Once there was.'
run 0 agent add ada --permissions all --approval auto
token=$("$loom" token new ada 2>/dev/null)
"$loom" mcp --http 127.0.0.1:0 >"$work/url" 2>"$work/server.err" &
server=$!
wait_until 'the server listens' holds "$work/url" /mcp
url=$(cat "$work/url")
cat >"$work/serve" <<END
#!/bin/sh
export HOME='$HOME' XDG_CONFIG_HOME='$XDG_CONFIG_HOME' XDG_DATA_HOME='$XDG_DATA_HOME'
export XDG_STATE_HOME='$XDG_STATE_HOME' XDG_CACHE_HOME='$XDG_CACHE_HOME'
exec '$loom' mcp --agent ada -g '$work/grove'
END
chmod +x "$work/serve"

# scripted NAME: starts the endpoint that has its clients annotate as NAME; its port in $port.
scripted() {
	: >"$work/port"
	node "$work/agents/scripted.mjs" "$1" >"$work/port" &
	endpoint=$!
	wait_until 'the endpoint listens' grep -q . "$work/port"
	port=$(cat "$work/port")
}

# by NAME COMMAND…: runs an agent in a home of its own; it must have called our tool once.
by() {
	name=$1
	what=$1
	shift
	checks=$((checks + 1))
	(cd "$home/project" && env HOME="$home" XDG_CONFIG_HOME="$home/.config" XDG_DATA_HOME="$home/.local/share" \
		XDG_STATE_HOME="$home/.state" XDG_CACHE_HOME="$home/.cache" LOOM_TOKEN="$token" \
		timeout 240 "$@") >"$work/out" 2>"$work/err" </dev/null || fail "$what: exit status $?"
	checks=$((checks + 1))
	[ "$("$loom" do list r001 annotations | grep -cF "by $name\"")" -eq 1 ] || fail "$what: did not annotate once"
	kill "$endpoint"
}

for door in pipe http; do
	home=$work/home-$door
	mkdir -p "$home/project" "$home/.codex" "$home/.gemini"
	if [ "$door" = pipe ]; then
		json="\"command\":\"$work/serve\",\"args\":[]"
		claude="\"type\":\"stdio\",$json"
		gemini=$json
		opencode="\"type\":\"local\",\"command\":[\"$work/serve\"]"
		codex="command = \"$work/serve\""
	else
		header="\"headers\":{\"Authorization\":\"Bearer $token\"}"
		claude="\"type\":\"http\",\"url\":\"$url\",$header"
		gemini="\"httpUrl\":\"$url\",$header"
		opencode="\"type\":\"remote\",\"url\":\"$url\",\"oauth\":false,$header"
		codex="url = \"$url\"
bearer_token_env_var = \"LOOM_TOKEN\""
	fi

	scripted "claude-$door"
	echo "{\"mcpServers\":{\"loom\":{$claude}}}" >"$home/mcp.json"
	by "claude-$door" env ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY=none \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 "$bin/claude" -p 'note it' --mcp-config "$home/mcp.json" \
		--allowedTools mcp__loom__loom

	scripted "codex-$door"
	cat >"$home/.codex/config.toml" <<END
model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:$port/v1"
wire_api = "responses"
[mcp_servers.loom]
$codex
END
	by "codex-$door" "$bin/codex" exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox 'note it'

	scripted "opencode-$door"
	cat >"$home/project/opencode.json" <<END
{"model":"scripted/m","permission":"allow","mcp":{"loom":{$opencode,"enabled":true}},
 "provider":{"scripted":{"npm":"@ai-sdk/openai-compatible","models":{"m":{"name":"m","tool_call":true}},
  "options":{"baseURL":"http://127.0.0.1:$port/v1","apiKey":"none"}}}}
END
	by "opencode-$door" "$bin/opencode" run 'note it'

	scripted "gemini-$door"
	cat >"$home/.gemini/settings.json" <<END
{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},
 "mcpServers":{"loom":{$gemini,"trust":true}}}
END
	by "gemini-$door" env GEMINI_API_KEY=none GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$port" \
		"$bin/gemini" -y -m gemini-2.5-flash -p 'note it'
done
kill "$server"
verdict
