#!/bin/sh
# A grove whose shared log is on a PostgreSQL server: encrypted, with passwords, roles and members,
# without the server, and with several hosts.
. "$(dirname "$0")/lib.sh"
unset LOOM_ME PGHOST PGPORT PGUSER PGPASSWORD PGPASSFILE PGSSLMODE PGSSLROOTCERT
support=$here/../support/postgres
pg=$(mktemp -u /tmp/loom-pg-XXXXXX)
server=
stop_server() {
	[ -z "$server" ] || kill -QUIT "$server"
	[ -z "$server" ] || wait "$server" 2>/dev/null
	server=
}
trap 'stop_server; rm -rf "$work" "$pg"' EXIT

# An authority of our own, and a server that it knows as 127.0.0.1.
mkdir certs
{
	openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=authority -keyout certs/ca.key \
		-out certs/ca.crt
	openssl req -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 -keyout certs/server.key \
		-out certs/server.csr
	printf 'subjectAltName=IP:127.0.0.1\n' >certs/names
	openssl x509 -req -in certs/server.csr -CA certs/ca.crt -CAkey certs/ca.key -days 30 \
		-CAcreateserial -extfile certs/names -out certs/server.crt
} >certs/said 2>&1 || fail "openssl: $(tail -n 3 certs/said)"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
export PGPORT="$port"
"$support" run "$pg" port="$port" listen_addresses=127.0.0.1 ssl_from="$work/certs" >/dev/null 2>server.txt &
server=$!
until "$support" ready "$pg" 2>/dev/null; do
	kill -0 "$server" 2>/dev/null || {
		wait "$server"
		got=$?
		server=
		cat server.txt
		exit $got
	}
	sleep 0.05
done
unset PGPORT
# with PASSWORD COMMAND…
with() {
	PGPASSWORD=$1
	export PGPASSWORD
	shift
	"$@"
	unset PGPASSWORD
}
sql() {
	PGPORT=$port "$support" sql "$pg" "$@"
}
sql "ALTER ROLE marie PASSWORD 'secret'" "ALTER ROLE jo PASSWORD 'secret of jo'"
place=postgresql://marie@127.0.0.1:$port/loom
safe="sslrootcert=$work/certs/ca.crt"

# the address is checked, and nothing is sent to a server that nobody vouches for
run 1 init novel --store "$place?sslmode=prefer"
says err '✗ INVALID: with sslmode=prefer'
run 1 init novel --store "postgresql://marie:secret@127.0.0.1:$port/loom?$safe"
says err '✗ INVALID: a password does not belong into an address'
lacks err secret@
run 1 init novel --store "$place/one/two?$safe"
says err '✗ INVALID: '
with secret run 1 init novel --store "$place"
says err '✗ OFFLINE: '
says err 'certificate'
with secret run 1 init novel --store "postgresql://marie@localhost:$port/loom?$safe"
says err '✗ OFFLINE: '
run 1 init novel --store "$place?$safe"
says err '✗ PERMISSION_DENIED: 127.0.0.1:'
says err 'wants a password'
with wrong run 1 init novel --store "$place?$safe"
says err 'does not take this password'
checks=$((checks + 1))
[ ! -e novel ] || fail 'a refused init left something'

# the password is in a file that the server's own programs know
printf '127.0.0.1:%s:loom:marie:secret\n*:*:*:jo:secret of jo\n' "$port" >"$HOME/.pgpass"
chmod 600 "$HOME/.pgpass"
with 'secret of jo' run 1 init novel --store "postgresql://jo@127.0.0.1:$port/loom?$safe"
says err '✗ PERMISSION_DENIED: only the owner of a database founds groves'
run 0 init novel --store "$place?$safe"
says out "stands in the log postgresql://marie@127.0.0.1:$port/loom/novel?$safe"
says out 'it may lose the last second when the server dies'
says out "the server's administrator can read all texts"
says out "loom clone postgresql://127.0.0.1:$port/loom/novel?$safe"
run 1 init elsewhere/novel --store "$place?$safe"
says err '✗ CONFLICT: '
run 0 -g novel new --title Ours --root 'It stood empty.'
run 0 -g novel do respond r001 'A door.'
checks=$((checks + 1))
[ "$(sql "SELECT count(*) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE NOT s.ssl AND a.usename = 'marie'")" = 0 ] ||
	fail 'a connection without encryption'

# the password is where the configuration says
mv "$HOME/.pgpass" pgpass
mkdir -p "$XDG_CONFIG_HOME/loom"
settings() {
	printf '%s\n' "$1" >"$XDG_CONFIG_HOME/loom/config.json"
	chmod 600 "$XDG_CONFIG_HOME/loom/config.json"
}
run 1 -g novel do respond r001 'Without.'
says out '✗ PERMISSION_DENIED: 127.0.0.1:'
settings "{\"logs\": {\"127.0.0.1\": {\"key_env\": \"WRONG\"}, \"marie@127.0.0.1:$port\": {\"key_env\": \"MARIES\"}}}"
MARIES=secret run 0 -g novel do respond r001 'By a variable.'
run 1 -g novel do respond r001 'Without it.'
says out '$MARIES is not set'
printf 'secret\n' >marie.key
chmod 600 marie.key
settings "{\"logs\": {\"127.0.0.1:$port\": {\"key_file\": \"$work/marie.key\"}}}"
run 0 -g novel do respond r001 'By a file.'
chmod 644 marie.key
run 1 -g novel do respond r001 'By an open file.'
says out "other users can read $work/marie.key"
settings '{"logs": {"127.0.0.1": {"key_cmd": ["sh", "-c", "env >seen-env; echo secret"]}}}'
PGPASSWORD=wrong run 0 -g novel do respond r001 'By a program.'
checks=$((checks + 1))
! grep -q PGPASSWORD seen-env || fail 'a program sees the password'
settings '{"logs": {"127.0.0.1": {"key_cmd": ["false"]}}}'
run 1 -g novel do respond r001 'By no program.'
says out 'false ended with status 1'
settings '{"logs": {"127.0.0.1": {"key": "secret"}}}'
run 1 -g novel do respond r001 'By itself.'
lacks out '"secret"'
settings '{}'
with secret run 0 -g novel do respond r001 'By PGPASSWORD.'
PGPASSFILE=$work/pgpass run 0 -g novel do respond r001 'By PGPASSFILE.'
mv pgpass "$HOME/.pgpass"
for leak in "postgresql://marie:secret@127.0.0.1/loom" "postgres://marie:secret@127.0.0.1/loom/novel" \
	"postgresql://marie@127.0.0.1:$port/loom/novel?sslpassword=secret" "$place/novel?password=secret"; do
	run 1 clone "$leak" leaked
	lacks err secret
done

# roles: who is no member sees nothing; a reader reads; a writer writes; neither goes round the rules
theirs=postgresql://jo@127.0.0.1:$port/loom/novel?$safe
run 1 clone "$theirs" jo
says err '✗ NOT_FOUND: 127.0.0.1:'
says err 'hint: one who may do all adds you: loom members add jo'
checks=$((checks + 1))
[ ! -e jo ] || fail 'a refused clone left something'
run 2 -g novel members add jo owner
run 0 -g novel members add jo reader
says out 'the role "jo" is a reader of this grove'
run 0 clone "$theirs" jo
run 0 -g jo export
says out 'A door.'
run 1 -g jo do respond r001 'Not yet.'
says out '✗ PERMISSION_DENIED: the role jo may only read this grove'
run 1 -g jo members add jo admin
says err '✗ PERMISSION_DENIED: '
run 0 -g novel members add jo
run 0 -g novel members --json
json out
says out '"role":"role:jo"'
says out '"may":"writer"'
run 0 -g jo do respond r001 'From jo.'
run 0 -g novel export
says out 'From jo.'
run 1 -g jo members drop marie
says err '✗ PERMISSION_DENIED: the role jo is no admin of this grove'
for deed in "INSERT INTO loom.entry SELECT grove, 99, uid, role, at, chain, bytes FROM loom.entry" \
	"UPDATE loom.grove SET seq = 0" "DELETE FROM loom.entry" "UPDATE loom.member SET may = 2" \
	"SELECT * FROM loom.set_member(1, 'jo', 2)" "TRUNCATE loom.snapshot"; do
	checks=$((checks + 1))
	! psql -X -q -h "$pg" -p "$port" -U jo loom -v ON_ERROR_STOP=1 -c "$deed" >/dev/null 2>&1 ||
		fail "jo could: $deed"
done
sql 'CREATE ROLE eve LOGIN'
checks=$((checks + 1))
[ "$(psql -X -A -t -h "$pg" -p "$port" -U eve loom -c 'SELECT count(*) FROM loom.entry' \
	-c 'SELECT count(*) FROM loom.grove' -c 'SELECT count(*) FROM loom.snapshot' | tr -d '\n')" = 000 ] ||
	fail 'eve sees something'
run 0 -g novel members add anna
says out 'the server did not have it'
run 0 -g novel members drop anna
run 0 -g novel members drop jo
run 1 -g jo do respond r001 'Too late.'
says out '✗ NOT_FOUND: '
run 0 -g novel members add jo writer
run 0 -g jo do respond r001 'Again.'
run 0 -g novel members
lines out 2

# somebody who speaks for another is not believed
sql "INSERT INTO loom.entry SELECT e.grove, g.seq + 1, '\\x00112233445566778899aabbccddeeff', 'jo', now(), sha256(g.chain || e.bytes), e.bytes FROM loom.entry e JOIN loom.grove g ON g.id = e.grove WHERE e.seq = 2" \
	"UPDATE loom.grove g SET seq = e.seq, chain = e.chain FROM loom.entry e WHERE e.grove = g.id AND e.seq = g.seq + 1"
run 0 -g novel sync
run 0 -g novel remote --json
says out '"void":1'
run 0 -g jo do respond r001 'After it.'
run 0 -g novel check --deep

# without the server one reads
stop_server
run 0 -g novel export
says out 'After it.'
says err 'this is what this machine has: 127.0.0.1:'
run 1 -g novel do respond r001 'Not now.'
says out '✗ OFFLINE: 127.0.0.1:'
run 1 clone "$place/novel?$safe" third
says err '✗ OFFLINE: '
PGPORT=$port "$support" again "$pg" >/dev/null 2>&1 &
server=$!
wait_until 'the server is back' env PGPORT="$port" "$support" ready "$pg"
run 0 -g novel do respond r001 'Back.'

# of several hosts, the one that can be written to; a file's name for a grove; in and out
run 0 clone "postgresql://marie@127.0.0.1:1,127.0.0.1:$port/loom/novel?$safe" third
run 0 -g third export
says out 'Back.'
run 0 init 'a b' --store "$place?$safe"
run 0 clone "$place/a%20b?$safe" second
(mkdir usual && cd usual && "$loom" clone "$place/a%20b?$safe" >/dev/null) || fail 'no clone'
checks=$((checks + 1))
[ -d 'usual/a b/.loom' ] || fail 'the clone does not have the name of the grove'
with secret run 1 clone "postgresql://marie@127.0.0.1:$port/nodb/novel?$safe" none
says err '✗ NOT_FOUND: '
says err 'database "nodb" does not exist'
run 0 -g second remote drop
run 0 -g second new --title Mine --root 'By itself.'
run 0 -g second members
says out 'founder'
run 1 -g second remote add "$place/a%20b?$safe"
says err '✗ CONFLICT: '
run 0 -g second remote add "$place?$safe"
says out "/loom/second?"
run 0 -g second members
says out 'admin'
run 0 -g second do respond r001 'Together.'
run 0 -g second check --deep
verdict
