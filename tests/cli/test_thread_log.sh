#!/bin/sh
# A thread's log from outside: projection of a file, the line protocol, tokens.
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
run 0 thread project --limit 1 rows.json
says out '"messages":[{"role":"assistant","content":"yes"}]'
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

# The same in the grove: what was acknowledged is there for the next process, whose first act is to
# end the run that the first one left open.
run 0 init
run 0 new --title Log
run 0 thread checkpoint --fingerprint
lines out 1
fingerprint=$(cat out)
LOOM_TOKEN_SECRET=other run 0 thread checkpoint --fingerprint
checks=$((checks + 1))
[ "$(cat out)" = "$fingerprint" ] || fail "the fingerprint depends on the secret"

# Tokens: made here, good here, refused by name elsewhere.
run 0 thread checkpoint
token=$(cat out)
run 0 thread restore --check "$token"
says out ok
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
run 1 thread restore --check 'rt2.x'
says err '✗ invalid_token_format'
printf '%s' "$token" | "$loom" thread restore --check - >out 2>err
status 0 'restore --check -'
says out ok

verdict
