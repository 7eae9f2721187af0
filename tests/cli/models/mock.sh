#!/bin/sh
# A second opinion on the wire formats: a mock of model servers that others wrote, of a pinned
# version, asked as OpenAI's chat, Anthropic's messages and Ollama's chat; its 429 and its cut
# connections. Fetched from npm's registry into a folder of the test's own; without npm, or without
# the registry, all of it is skipped.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"

command -v node >/dev/null && command -v npm >/dev/null || skip 'no npm here'
mkdir mock fixtures
(cd mock && timeout 300 npm install --no-audit --no-fund --ignore-scripts --fetch-retries=0 \
	--fetch-timeout=20000 @copilotkit/aimock@1.43.0 >npm.log 2>&1) ||
	skip 'the mock cannot be had from npm'
cat >fixtures/talk.json <<'END'
{"fixtures": [{"match": {"userMessage": "stood empty"},
  "response": {"content": " It had stood so — “empty”, they said — since the flood of März."}}]}
END
port=$(node -e 's = require("net").createServer().listen(0, "127.0.0.1", () => {
	console.log(s.address().port); s.close(); })')

# serve ARGUMENT…: the mock, until `enough`.
serve() {
	rm -f log
	mock/node_modules/.bin/llmock -p "$port" -h 127.0.0.1 -f fixtures -c 8 "$@" >log 2>&1 &
	server=$!
	trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
	for _ in $(seq 600); do
		node -e 'require("net").connect('"$port"', "127.0.0.1").on("connect", () =>
			process.exit(0)).on("error", () => process.exit(1))' && return
		sleep 0.1
	done
	skip 'the mock does not listen'
}
enough() {
	kill $server
	wait $server 2>/dev/null
}

run 0 init
run 0 new --title House --root 'The house stood empty.'
mkdir -p config/loom
cat >config/loom/config.json <<END
{"providers": {
  "open": {"api": "openai", "base_url": "http://127.0.0.1:$port/v1"},
  "anth": {"api": "anthropic", "base_url": "http://127.0.0.1:$port"},
  "olla": {"api": "ollama", "base_url": "http://127.0.0.1:$port"}},
 "models": {
  "gpt": {"provider": "open", "id": "gpt-4o", "endpoint": "chat"},
  "claude": {"provider": "anth", "id": "claude-3-5-haiku", "max_out": 100},
  "llama": {"provider": "olla", "id": "llama3", "endpoint": "chat"}}}
END
chmod 600 config/loom/config.json
for model in gpt claude llama; do
	run 0 agent add "$model" --model "$model"
done

# Each says the same, to the byte, streamed in pieces that cut characters anywhere.
serve
for model in gpt claude llama; do
	run 0 do continue from r001 using "agent:\"$model\"" n:2
	says out '✓ generating 2 continuations'
	for id in $(grep -o '\[[a-z0-9]*\] "' out | tr -d '[]" '); do
		[ "$id" = r001 ] && continue
		run 0 show "$id" --json
		says out 'It had stood so — “empty”, they said — since the flood of März.'
		says out '"finish":"stop"'
	done
done
enough

# It refuses for a second, always: after three tries the refusal is what is told.
serve --chaos-ratelimit 1
run 1 do continue from r001 using 'agent:"gpt"'
says out '✗ MODEL_ERROR'
says out '429'
enough
serve --chaos-disconnect 1
run 1 do continue from r001 using 'agent:"gpt"'
says out '✗ MODEL_ERROR'
enough
run 0 check

verdict
