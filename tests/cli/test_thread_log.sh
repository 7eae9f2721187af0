#!/bin/sh
# A thread's log on the command line: projection of a file, the line protocol, tokens.
. "$(dirname "$0")/lib.sh"

# A projection needs no grove.
cat >rows.json <<'EOF'
[{"seq":1,"kind":"ai_message","payload":{"context_ref":"default","role":"assistant","content":"yes"}},
 {"seq":0,"kind":"ai_message","payload":{"context_ref":"default","role":"user","content":"really?"}},
 {"seq":2,"kind":"ai_message","payload":{"context_ref":"side","role":"user","content":"elsewhere"}}]
EOF
run 0 thread project --system-prompt 'Be brief.' rows.json
json out
says out '"system_prompt":"Be brief."'
says out '{"role":"user","content":"really?"},{"role":"assistant","content":"yes"}'
run 0 thread project --lane side rows.json
says out 'elsewhere'
run 0 thread project --at 0 rows.json
checks=$((checks + 1))
! grep -q '"yes"' out || fail "a later row is in an earlier context"
run 0 thread project --at -1 rows.json
lines out 1
says out '{"system_prompt":null,"entries":[],"messages":[]'
run 2 thread project --at -2 rows.json
run 0 thread project --limit 1 rows.json
says out '"messages":[{"role":"assistant","content":"yes"}]'
run 0 thread project --limit -1 rows.json
says out '"messages":[{"role":"user","content":"really?"},{"role":"assistant","content":"yes"}]'
run 2 thread project --limit -2 rows.json
run 1 thread project missing.json
printf 'no rows' >bad.json
run 1 thread project bad.json
says err '✗ INVALID'

# The line protocol in memory.
printf '%s\n' '{"do":"run_start","request_id":"r1","content":"hi"}' 'nonsense' '{"do":"state"}' |
	"$loom" thread drive --memory >out 2>err
status 0 'drive --memory'
lines out 3
says out '"result":"rejected:json"'
says out '"status":"awaiting_llm"'

# Without a grove the log is not kept; with a file it starts from that.
echo '{"do":"state"}' | "$loom" thread drive >out 2>err
status 0 'drive without a grove'
says err 'note: there is no grove here, so the log is in memory and will be lost'
echo '{"do":"state"}' | "$loom" thread drive --log rows.json >out 2>err
status 0 'drive --log'
says out '"cursor":2'
run 2 thread drive --log rows.json --thread x
says err '--log and --thread cannot be combined'

# The line protocol in a grove: the next process finds everything acknowledged, and first ends the run
# that was left open.
run 0 init
run 0 new --title Log
run 1 thread log
says err '✗ NOT_FOUND: the tree "Log" has no thread of yours yet'

# Another agent's own thread.
run 0 agent add Ada --permissions loom_aware
run 0 agent add Bob --permissions loom_aware
run 1 thread log -a Ada
says err 'has no thread of Ada yet'
printf '→ view r001\n' | "$loom" run -a Ada >out 2>err
status 0 'run'
run 0 thread log -a Ada
says out '"call":"view r001"'
LOOM_AGENT=Bob run 1 thread log -a Ada
says err '✗ PERMISSION_DENIED: the log of Ada is private'
run 0 thread project -a Ada
says out '"entries":[]'
LOOM_AGENT=Bob run 1 thread project -a Ada
says err '✗ PERMISSION_DENIED: the log of Ada is private'
run 2 thread project -a Ada rows.json
says err 'FILE cannot be combined with a thread'
run 0 thread log -a Ada --after 0 --last 5
lines out 1
run 0 thread log -a Ada --last 1
lines out 1
run 0 thread log -a Ada --after -1 --last 1
lines out 1
LOOM_AGENT=Ada run 0 thread log -a ada
says out '"call":"view r001"'
run 1 thread log -a Nobody
run 1 thread log
printf '%s\n' '{"do":"run_start","request_id":"r1","content":"hi"}' \
	'{"do":"modify","op_id":"s","context_ref":"side","operation":{"type":"switch"}}' \
	'{"do":"steer","content":"not so fast"}' | "$loom" thread drive >out 2>err
status 0 'drive in the grove'
says out '"result":"queued"'
run 0 thread log
lines out 1
echo '{"do":"state"}' | "$loom" thread drive >out 2>err
says out '"status":"error","run_active":false'
says out '"active_context_ref":"side"'
run 0 drafts --json
says out '"why":"the turn ended before it was heard","bytes":11'
run 0 thread log
lines out 2
says err 'note: row 0: the turn ended with its program'
echo '{"kind":"note","payload":{"text":"by hand"}}' >row.json
run 0 thread append row.json
lines out 1
says out '{"result":"accepted","seq":2}'
echo '[{"kind":"note"}]' >row.json
run 1 thread append row.json
says err '✗ INVALID: a row must be a single JSON object'
says err 'hint: {"kind":"note"'
echo '{"context_ref":"x","operation":{"type":"switch"}}' >op.json
run 1 thread op op.json
says out '{"result":"noop","error":"invalid_op_id"}'
says err '✗ REFUSED: not applied: invalid_op_id'
echo '{"op_id":"s","operation":{"type":"switch"}}' >op.json
run 0 thread op op.json
says out '{"result":"noop"}'
run 0 thread checkpoint --fingerprint
lines out 1
fingerprint=$(cat out)
LOOM_TOKEN_SECRET=other run 0 thread checkpoint --fingerprint
checks=$((checks + 1))
[ "$(cat out)" = "$fingerprint" ] || fail "the fingerprint depends on the secret"

# Tokens: valid here, refused elsewhere with the reason.
run 0 thread checkpoint
token=$(cat out)
run 0 thread restore --check "$token"
says out ok
run 0 thread restore --check --json "$token"
says out '{"check":"ok"}'
run 0 thread checkpoint --json
json out
says out '{"token":"'
run 0 thread restore "$token"
json out
says out '"version":3'
run 0 thread restore --cancel 'no longer' "$token"
says out rt2.
LOOM_TOKEN_SECRET=other run 1 thread restore --check "$token"
says err '✗ invalid_token_signature'
LOOM_NOW=2200-01-01T00:00:00Z run 1 thread restore --check "$token"
says err '✗ token_expired'
run 1 thread restore --check 'rt1.x.y'
says err '✗ invalid_token_prefix'
run 1 thread restore --check " $token"
says err '✗ invalid_token_prefix'
run 0 thread restore --check "$token
"
run 1 thread restore --check 'rt2.x'
says err '✗ invalid_token_format'
printf '%s' "$token" | "$loom" thread restore --check - >out 2>err
status 0 'restore --check -'
says out ok

verdict
