#!/bin/sh
# --op ID: a repeated request runs once, and gives the same answer.
. "$(dirname "$0")/lib.sh"
# Nothing that strace looks at can look for leaks.
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export ASAN_OPTIONS
run 0 init
run 0 new --root once
printf 'a text\n' >file

ops() {
	"$loom" ops --last 1000 2>/dev/null | wc -l
}

# twice ARGUMENT…: the same answer and exit status again, and nothing more in the grove.
twice() {
	run 0 "$@"
	cp out first
	had=$(ops)
	run 0 "$@"
	checks=$((checks + 2))
	cmp -s out first || fail "$what: another answer"
	[ "$(ops)" -eq "$had" ] || fail "$what: done twice"
}

# id NUMBER: prints an id, in one of the three forms in turn
id() {
	case $(($1 % 3)) in
	0) printf '0123456789ABCDEFGHJKMN%04d' "$1" ;;
	1) printf '0123456789abcdef0123456789ab%04d' "$1" ;;
	2) printf '01234567-89ab-cdef-0123-4567abcd%04d' "$1" ;;
	esac
}

# --- every kind of command that writes ---
twice do --op "$(id 1)" respond r001 'again and again'
twice do --op "$(id 2)" --json respond r001 'in JSON'
twice --op "$(id 3)" new --title second --root two
twice new --title third --op "$(id 4)"
twice tag --op "$(id 5)" r001 motive
twice tree set --op "$(id 6)" -t once --title first
twice use --op "$(id 7)" first
twice link --op "$(id 8)" r001 --tree second
twice doc import --op "$(id 9)" --name notes file
twice doc write --op "$(id 10)" --append notes file
twice doc rename --op "$(id 11)" notes others
twice agent add --op "$(id 12)" ada --permissions all --approval auto
twice agent set --op "$(id 13)" ada --name eve
twice undo --op "$(id 14)"
twice undo --op "$(id 15)"
twice redo --op "$(id 16)"
printf '→ respond r001 "of a turn"\n→ bookmark r001 "here"\n' >turn
run 0 agent add runner --permissions all --approval auto
twice run --op "$(id 18)" -a runner turn
printf '{"root":{"text":"top","children":[{"text":"low"}]}}' >tree.json
twice import --op "$(id 19)" --format pyloom tree.json
run 0 check --deep

# --- data in files ---
twice objective new --op "$(id 61)" --title aim
objective=$(cat first)
twice thread spawn --op "$(id 62)" --objective "$objective"
twice thread spawn --op "$(id 63)" --objective "$objective" --id a
twice thread spawn --op "$(id 64)" --objective "$objective" --id b
printf 'a plan\n' >.leslie/threads/b/plan.md
twice thread ref --op "$(id 65)" --from a --target b --scope plan.md
twice thread refresh --op "$(id 66)" a
twice thread unref --op "$(id 67)" --from a --target b
twice thread lifecycle --op "$(id 68)" b suspend
twice thread plan --op "$(id 69)" --write file
twice do --op "$(id 76)" 'write doc:"global plan" append "once"'
printf '→ write doc:"global plan" append "of a turn"\n→ write doc:"global plan" append "and more"\n' >turn
twice run --op "$(id 77)" -a runner turn
twice payload add --op "$(id 70)" global file
twice payload remove --op "$(id 71)" global file
mkdir bare
cd bare || exit 1
run 1 -g . objective new --op "$(id 73)" --title aim
says err '--op needs a grove to remember it, and the project has none'
cd .. || exit 1

# --- an agent that has to ask: its list is there once, and what was approved is done once ---
run 0 agent add asker --permissions all
LOOM_AGENT=asker
export LOOM_AGENT
run 1 do --op "$(id 74)" respond r001 'of the asker'
cp err first
run 1 do --op "$(id 74)" respond r001 'of the asker'
cmp -s err first || fail 'what waits is told in other words'
run 1 new --op "$(id 75)" --title fourth
run 1 new --op "$(id 75)" --title fourth
unset LOOM_AGENT
had=$(ops)
run 0 approve
[ "$(grep -c 'respond' out)" -eq 1 ] || fail 'what waits stands there twice'
for hash in $(sed -n 's/^\([0-9a-f]\{8,\}\) · .*/\1/p' out); do
	run 0 approve "$hash"
done
checks=$((checks + 1))
[ "$(ops)" -eq $((had + 2)) ] || fail 'what was approved was not done once'
LOOM_AGENT=asker run 0 new --op "$(id 75)" --title fourth
[ "$(ops)" -eq $((had + 2)) ] || fail 'what was approved was done again'

# --- over MCP ---
# rpc AGENT: calls on standard input, a line each: NUMBER TEXT ARGUMENTS
rpc() {
	{
		printf '%s\n' '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}'
		while IFS='|' read -r number text more; do
			printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"loom","arguments":{"text":"%s"%s}}}\n' \
				"$number" "$text" "$more"
		done
	} | "$loom" mcp -a "$1" >served 2>err
	for number in 1 2 3 4; do
		sed -n "s/^{\"jsonrpc\":\"2.0\",\"id\":$number,\"result\"://p" served >"answer$number"
	done
}
had=$(ops)
what='a call over MCP'
rpc runner <<EOT
1|→ respond r001 \\"over MCP\\"\\nand prose\\n→ tag r001 \\"mcp\\"|,"op":"$(id 80)"
2|→ respond r001 \\"over MCP\\"\\nand prose\\n→ tag r001 \\"mcp\\"|,"op":"$(id 80)"
3|→ respond r001 \\"another\\"|,"op":"$(id 80)"
4|→ respond r001 \\"another\\"|,"op":"12345"
EOT
checks=$((checks + 3))
grep -q created answer1 && cmp -s answer1 answer2 || fail 'another answer'
cp answer1 first
grep -q '✗ CONFLICT: that id was used before, for another call' answer3 || fail 'not refused'
grep -q 'ULID' answer4 || fail 'what is no id was taken'
[ "$(ops)" -eq $((had + 2)) ] || fail 'not done once'
# From another process, at another position, by another agent, and not as a call at all.
rpc runner <<EOT
1|→ respond r001 \\"over MCP\\"\\nand prose\\n→ tag r001 \\"mcp\\"|,"op":"$(id 80 | tr a-f A-F)"
2|→ respond r001 \\"over MCP\\"\\nand prose\\n→ tag r001 \\"mcp\\"|,"node":"r001","op":"$(id 80)"
3|→ respond a2a2 \\"into nothing\\"|,"op":"$(id 81)"
EOT
checks=$((checks + 3))
cmp -s answer1 first || fail 'another answer the next day'
grep -q '✗ CONFLICT' answer2 || fail 'another place is the same call'
grep -q '✗ NOT_FOUND' answer3 || fail 'nothing was found'
[ "$(ops)" -eq $((had + 2)) ] || fail 'not done once'
run 1 do --op "$(id 80)" respond r001 'over MCP'
says err '✗ CONFLICT: that id was used before, for another command'
# A failed call is tried again.
rpc runner <<EOT
1|→ respond r001 \\"into something\\"|,"op":"$(id 81)"
EOT
[ "$(ops)" -eq $((had + 3)) ] || fail 'what failed took the id'
rpc asker <<EOT
1|→ respond r001 \\"asked over MCP\\"|,"op":"$(id 82)"
2|→ respond r001 \\"asked over MCP\\"|,"op":"$(id 82)"
EOT
run 0 approve
checks=$((checks + 1))
[ "$(grep -c 'asked over MCP' out)" -eq 1 ] || fail 'a call over MCP waits twice'
# Several servers at once.
had=$(ops)
for n in 1 2 3 4 5 6; do
	(
		mkdir -p "at$n" && cd "at$n" || exit 1
		echo "1|→ respond r001 \\\\\"of six\\\\\"|,\"op\":\"$(id 83)\"" | rpc runner
	) &
done
wait
checks=$((checks + 2))
[ "$(ops)" -eq $((had + 1)) ] || fail 'six servers were not one'
cat at*/answer1 | grep -q '✗' && fail "one of six servers refused: $(cat at*/answer1)"

# --- a command that takes none says so, and what to do instead ---
run 2 trees --op "$(id 90)"
says err 'loom trees takes no --op'
for line in 'mcp -a runner' 'thread drive' 'events' 'chat -a runner' 'backup copy.db' 'export -o out.json' \
	'doc edit notes' 'check --rebuild' 'log'; do
	# shellcheck disable=SC2086
	run 2 $line --op "$(id 90)"
	says err 'takes no --op'
	says err '  hint: '
done

# --- another command, other inputs, no id ---
had=$(ops)
run 1 do --op "$(id 1)" respond r001 'something else'
says err '✗ CONFLICT: that id was used before, for another command'
run 1 tag --op "$(id 1)" r001 motive
says err '✗ CONFLICT'
LOOM_AGENT=runner run 1 do --op "$(id 1)" respond r001 'again and again'
says err '✗ CONFLICT'
printf 'another text\n' >file
run 1 doc write --op "$(id 10)" --append notes file
says err '✗ CONFLICT: that id was used before, and the command'\''s input has changed'
run 2 do --op 12345 respond r001 x
says err 'ULID'
[ "$(ops)" -eq "$had" ] || fail 'what was refused left something'
# The same id in another form is the same id.
run 0 do --op "$(id 1 | tr a-f A-F)" respond r001 'again and again'
[ "$(ops)" -eq "$had" ] || fail 'an id in capitals is another one'
# In the other output format, it says what is known.
run 0 do --op "$(id 1)" --json respond r001 'again and again'
json out
says out '"again":true'

# --- a failed command, or one without effect, is tried again ---
run 1 do --op "$(id 30)" respond a2a2 'into nothing'
run 0 do --op "$(id 30)" respond r001 'into something'

# --- a turn of which something fails is done once as well ---
printf '→ respond r001 "once only"\n→ respond a2a2 "into nothing"\n' >turn
run 1 run --op "$(id 31)" -a runner turn
cp out first
had=$(ops)
run 1 run --op "$(id 31)" -a runner turn
checks=$((checks + 2))
cmp -s out first || fail 'another answer for a turn that failed'
[ "$(ops)" -eq "$had" ] || fail 'a turn that failed was done again'

# --- many at once ---
had=$(ops)
for _ in 1 2 3 4 5 6 7 8; do
	"$loom" do --op "$(id 40)" respond r001 'of eight' >>all 2>&1 &
done
wait
checks=$((checks + 2))
[ "$(ops)" -eq $((had + 1)) ] || fail 'eight at once were not one'
grep -q '✗' all && fail "one of eight was refused: $(cat all)"

# --- a disk that does not confirm ---
if strace -o /dev/null true 2>/dev/null; then
	for when in 1 1+; do
		had=$(ops)
		strace -f -o /dev/null -e inject=fdatasync:error=EIO:when=$when \
			"$loom" do --op "$(id 5$((${#when})))" respond r001 z >out 2>err
		status 3 "a sync that fails ($when)"
		[ $when = 1 ] && says out 'none of it is in the grove'
		[ $when = 1+ ] && says out 'it may still be in the grove'
		[ $when = 1 ] && [ "$(ops)" -ne "$had" ] && fail 'it is in the grove'
		run 0 do --op "$(id 5$((${#when})))" respond r001 z
		run 0 do --op "$(id 5$((${#when})))" respond r001 z
		checks=$((checks + 1))
		[ "$(ops)" -eq $((had + 1)) ] || fail "after a sync that failed ($when): not once"
	done
	# Killed between commit and answer: the repeat says what was done.
	had=$(ops)
	strace -f -o /dev/null -e inject=fdatasync:signal=KILL:when=2 \
		"$loom" do --op "$(id 60)" respond r001 'killed' >out 2>err
	run 0 do --op "$(id 60)" respond r001 'killed'
	[ "$(ops)" -eq $((had + 1)) ] || fail 'killed behind its commit: not once'

	# Killed anywhere while files are changed: said again it is done once, or refused with a
	# word; what was refused the first time may be said again.
	threads() {
		find .leslie/threads -mindepth 1 -maxdepth 1 -type d ! -name '.*' | wc -l
	}
	number=0
	killed=0
	for call in mkdirat fsync fdatasync renameat renameat2 rename pwrite64 close; do
		when=1
		got=137
		while [ $got -ne 0 ] && [ $when -lt 40 ]; do
			number=$((number + 1))
			uuid=$(printf '76543210-89ab-cdef-0123-4567abcd%04d' $number)
			had=$(threads)
			strace -f -o /dev/null -e inject=$call:signal=KILL:when=$when \
				"$loom" thread spawn --op "$uuid" --objective "$objective" >out 2>err
			got=$?
			"$loom" thread spawn --op "$uuid" --objective "$objective" >out 2>err
			again=$?
			checks=$((checks + 1))
			case $again,$(($(threads) - had)) in
			0,1) ;;
			1,0 | 1,1) grep -q 'with this id was started' err || fail "killed at $call $when: refused in other words" ;;
			*) fail "killed at $call $when: exit status $again, $(($(threads) - had)) threads" ;;
			esac
			[ $got -eq 0 ] || killed=$((killed + 1))
			when=$((when + 1))
		done
	done
	checks=$((checks + 1))
	[ $killed -gt 20 ] || fail "killed only $killed times"

	# The same for a file that a call writes: killed at any moment, it is appended to once.
	appended() {
		grep -c "^line $number\$" .leslie/threads/.global/plan.md
	}
	begun=0
	for call in fsync renameat renameat2 rename pwrite64 fdatasync close; do
		when=1
		got=137
		while [ $got -ne 0 ] && [ $when -lt 40 ]; do
			number=$((number + 1))
			uuid=$(printf '76543210-89ab-cdef-0123-4567abcd%04d' $number)
			line="write doc:\"global plan\" append \"line $number\""
			strace -f -o /dev/null -e inject=$call:signal=KILL:when=$when \
				"$loom" do --op "$uuid" "$line" >out 2>err
			got=$?
			"$loom" do --op "$uuid" "$line" >out 2>err
			again=$?
			checks=$((checks + 1))
			case $again,$(appended) in
			0,1) ;;
			1,0 | 1,1)
				begun=$((begun + 1))
				grep -q 'a command with this id was started' err || fail "killed at $call $when: refused in other words"
				;;
			*) fail "killed at $call $when: exit status $again, $(appended) lines" ;;
			esac
			when=$((when + 1))
		done
	done
	checks=$((checks + 1))
	[ $begun -gt 0 ] || fail 'never killed while the file was changed'
	# A server that is killed: a call of one line is done once, or refused when it writes files;
	# of several lines some may be missing, and then that is said.
	printf '%s\n' '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' >hello
	# ask TEXT: the request, and what it answers when it is made again
	ask() {
		uuid=$(printf '76543210-89ab-cdef-0123-4567abcd%04d' $number)
		{
			cat hello
			printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"loom","arguments":{"text":"%s","op":"%s"}}}\n' "$1" "$uuid"
		} >request
		strace -f -o /dev/null -e inject=$call:signal=KILL:when=$when \
			"$loom" mcp -a runner <request >first 2>err
		"$loom" mcp -a runner <request >out 2>err
		"$loom" export --format json >all.json 2>err
	}
	# copies TEXT: how often it is in the grove
	copies() {
		grep -o "\"text\":\"$1\"" all.json | wc -l
	}
	begun=0
	redone=0
	for call in fdatasync pwrite64 write fsync linkat rename close; do
		when=1
		: >first
		until grep -q '"id":1' first || [ $when -ge 240 ]; do
			number=$((number + 1))
			ask "→ respond r001 \\\"one $number.\\\""
			checks=$((checks + 2))
			grep -q '✓' out && [ "$(copies "one $number\.")" -eq 1 ] ||
				fail "a server killed at $call $when: $(copies "one $number\.") times, $(cat out)"
			number=$((number + 1))
			ask "→ respond r001 \\\"two $number.\\\"\\n→ respond r001 \\\"three $number.\\\"\\n→ write doc:\\\"global plan\\\" append \\\"line $number\\\""
			there=$(copies "two $number\.")$(copies "three $number\.")$(appended)
			case $there in
			111)
				redone=$((redone + 1))
				grep -q '✓\|a command with this id was started' out || fail "a server killed at $call $when: $(cat out)"
				;;
			100 | 110)
				begun=$((begun + 1))
				grep -q '✗ CONFLICT: a command with this id was started' out || fail "a server killed at $call $when did $there: $(cat out)"
				;;
			*) fail "a server killed at $call $when: $there" ;;
			esac
			when=$((when + 1 + when / 3))
		done
	done
	checks=$((checks + 2))
	[ $begun -gt 2 ] || fail "a server was killed in the middle $begun times"
	[ $redone -gt 10 ] || fail "a killed server's call was done again $redone times"
	# What failed before it changed a file took no id.
	uuid=$(printf '76543210-89ab-cdef-0123-4567abcd%04d' $((number + 1)))
	run 1 do --op "$uuid" 'write doc:"global plan" replace "not there" with "x"'
	run 1 do --op "$uuid" 'write doc:"global plan" replace "not there" with "x"'
	lacks err 'was started'
	lacks out 'was started'
	run 1 thread spawn --op "$(id 90)" --objective none-such
	run 1 thread spawn --op "$(id 90)" --objective none-such
	lacks err 'was started'
fi
run 0 check --deep
verdict
