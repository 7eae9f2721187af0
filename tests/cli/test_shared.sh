#!/bin/sh
# Two accounts of a group in one grove: real ones, in a view of their own of /etc/passwd.
here=$(cd "$(dirname "$0")" && pwd)
if [ "${LOOM_TEST_ACCOUNTS:-}" != made ]; then
	[ "$(id -u)" -eq 0 ] || { echo 'SKIP: only root can act as two accounts'; exit 77; }
	command -v setpriv >/dev/null || { echo 'SKIP: no setpriv'; exit 77; }
	accounts=$(mktemp -d)
	cp /etc/passwd /etc/group "$accounts"
	printf '%s\n' 'alice:x:61001:61001::/:/bin/sh' 'bob:x:61002:61002::/:/bin/sh' 'carol:x:61003:61003::/:/bin/sh' \
		>>"$accounts/passwd"
	printf '%s\n' 'alice:x:61001:' 'bob:x:61002:' 'carol:x:61003:' 'lab:x:61010:alice,bob' 'club:x:61011:alice' \
		>>"$accounts/group"
	LOOM_TEST_ACCOUNTS=made unshare -m sh -c 'mount --make-rprivate / &&
		mount --bind "$1/passwd" /etc/passwd && mount --bind "$1/group" /etc/group || exit 77
		shift && exec "$@"' sh "$accounts" "$0" "$@"
	got=$?
	rm -rf "$accounts"
	[ "$got" -ne 77 ] || echo 'SKIP: no mount namespace to make accounts in'
	exit "$got"
fi
. "$here/lib.sh"
unset LOOM_ME

# Whoever it is, the program can be run, and the folder reached.
chmod 755 "$work"
cp "$loom" "$work/loom"
loom=$work/loom
for who in alice bob carol; do
	mkdir -m 700 "$work/home-$who"
	chown "$who" "$work/home-$who"
done
mkdir -m 755 "$work/srv"
chown alice "$work/srv"

# as ACCOUNT ARGUMENT…: one call of the program in the current folder; out and err are kept.
by() {
	who=$1
	shift
	groups=$who
	[ "$who" = carol ] || groups=$who,lab
	[ "$who" != alice ] || groups=$groups,club
	setpriv --reuid "$who" --regid "$who" --groups "$groups" env HOME="$work/home-$who" XDG_CONFIG_HOME= \
		XDG_DATA_HOME= XDG_STATE_HOME= XDG_CACHE_HOME= "$@"
}
as() {
	wanted=$1
	account=$2
	shift 2
	checks=$((checks + 1))
	what="$account: loom $*"
	by "$account" "$loom" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	[ "$got" -eq "$wanted" ] || fail "$what: exit status $got, not $wanted"
}

# modes WHEN: everything in .loom is the group's, and nobody else's.
modes() {
	checks=$((checks + 1))
	find "$work/srv/novel/.loom" ! -group lab -o -type d ! -perm 2770 -o -type f ! -perm 0660 >"$work/found"
	[ ! -s "$work/found" ] || fail "$1: $(xargs ls -ld <"$work/found")"
}

cd "$work/srv" || exit 1
umask 077

# --- alone: the other one is told who can change that ---
as 0 alice init novel
cd novel || exit 1
chmod 755 .
as 0 alice new --title Marie --root 'It stood empty.'
for command in trees 'do respond r001 x' 'new --title Mine' check members; do
	# shellcheck disable=SC2086
	as 1 bob $command
	says err "the grove in $work/srv/novel is private to alice"
	says err 'alice can run `loom share GROUP` there, with a group that you both are in (yours: lab)'
done
as 1 bob -g "$work/srv/novel" trees
says err "private to alice"

# --- which group ---
as 1 alice share nobody-knows
says err 'there is no group "nobody-knows"'
as 1 bob -g . share lab
says err "private to alice"
as 1 alice share alice
says err 'only you are in the group alice'
says err 'use a group that you are in: '
as 1 alice share bob
says err 'you are not in the group bob'
as 0 alice share lab
says out 'is shared with the group lab'
says out 'can also write the file itself'
modes 'just shared'
as 0 alice share lab
modes 'shared twice'
as 0 alice trees
says out Marie

# --- the other one: agrees once, and works under his own name ---
as 1 carol trees
says err 'is shared with the group lab, and you are not in it'
says err 'usermod -aG lab carol'
as 1 bob trees
says err 'belongs to alice (uid 61001); it is not used until a person trusts it'
says err "loom trust $work/srv/novel"
as 0 bob trust
as 0 bob log
says out 'human "alice"'
as 0 bob do respond r001 'A door, from bob.'
as 0 bob members
says out '  alice · account alice (uid 61001) · founder'
says out '* bob · account bob (uid 61002)'
as 0 alice members
says out '* alice'
says out '  bob'
as 0 alice members --json
json out
says out '"group":"lab","gid":61010'
says out '"role":"uid:61002"'
as 0 bob log
says out '] you · '
as 0 alice grep door
says out 'human "bob"'
modes 'both have written'
as 0 alice do respond r001 'A window, from alice.'
as 0 alice doc write plan </dev/null

# --- LOOM_ME is one of one's own ---
LOOM_ME=alice
export LOOM_ME
as 0 bob log
says err 'your account is not "alice" (LOOM_ME): you can only look'
says out '] you · '
as 1 bob do respond r001 x
says err '✗ PERMISSION_DENIED: your account is not "alice"'
says err 'that is the account alice'
unset LOOM_ME
LOOM_AGENT=alice
export LOOM_AGENT
as 1 bob do respond r001 x
says err 'your account is not "alice"'
unset LOOM_AGENT
as 0 bob members set --name Robert
as 1 bob agent set alice --name Eve
says err 'your account is not "alice"'
as 1 bob members set alice --name Eve
says err 'not a person of your account'
as 0 alice grep door
says out 'human "Robert"'

# --- each one's undo takes his own ---
as 0 bob undo
says out 'renamed'
as 0 bob undo
says out 'responded to [r001]'
as 1 bob undo
says err 'nothing to undo'
as 0 alice log
lacks out 'from bob'
as 0 bob redo
as 0 bob undo 3
as 0 bob redo

# --- a current tree of one's own ---
as 0 bob new --title Other --root 'Elsewhere.'
as 0 alice tree
says out 'Tree: "Marie"'
as 0 bob tree
says out 'Tree: "Other"'

# --- agents: each grants for himself, and is asked himself ---
as 0 alice agent add Claude --permissions all --approval ask
LOOM_AGENT=Claude
export LOOM_AGENT
as 1 bob do respond r001 'for bob'
says out 'loom_write not enabled'
as 1 alice tag r001 seen
hash=$(sed -n 's/.*loom approve \([0-9a-f]*\).*/\1/p' "$work/err")
unset LOOM_AGENT
[ -n "$hash" ] || fail 'nothing waits'
as 0 bob approve
says err 'nothing is waiting'
as 1 bob approve "$hash"
says err 'that waits for "alice"'
as 1 bob approve "$hash" --refuse
as 0 alice approve "$hash"
as 0 alice tag
says out seen

# --- state that is the account's: drafts, trust, keys, the search index ---
as 0 bob grep window
says out 'from alice'
checks=$((checks + 1))
[ -z "$(find "$work/srv" "$work/home-alice" -user bob ! -path '*/novel/.loom/*')" ] || fail 'bob wrote elsewhere'
as 0 bob drafts
silent out

# --- what a teammate exports comes back as his; what a file says of a key does not count ---
as 0 bob export --format json
cp "$work/out" "$work/bob.json"
chmod 644 "$work/bob.json"
as 0 alice import "$work/bob.json" --dry-run
lacks out 'said to be'

# --- both at once: nothing is lost, nobody is refused for good ---
write() {
	for n in $(seq 25); do
		by "$1" "$loom" do respond r001 "text $n of $1" >/dev/null 2>>"$work/trouble" ||
			echo "$1 $n" >>"$work/lost"
	done
}
as 0 bob use Marie
: >"$work/lost"
: >"$work/trouble"
chmod 666 "$work/lost" "$work/trouble"
write alice &
write bob &
wait
checks=$((checks + 1))
[ ! -s "$work/lost" ] || fail "lost: $(cat "$work/lost" "$work/trouble")"
as 0 alice export --format jsonl
[ "$(grep -c 'text [0-9]* of alice' "$work/out")" -eq 25 ] || fail 'of alice'
[ "$(grep -c 'text [0-9]* of bob' "$work/out")" -eq 25 ] || fail 'of bob'
modes 'after both have written at once'
as 0 bob check --deep
says out 'no problems'

# --- whatever the umask, whoever closes last ---
for mask in 000 022 077; do
	umask $mask
	as 0 bob do respond r001 "umask $mask"
	as 0 alice do respond r001 "umask $mask"
	modes "umask $mask"
done
umask 077

# --- a backup is private, and a restore keeps the place's modes ---
as 0 bob backup "$work/home-bob/b.db"
[ "$(stat -c %a "$work/home-bob/b.db")" = 600 ] || fail 'a backup that others may read'
as 0 bob restore --yes "$work/home-bob/b.db"
modes 'restored by bob'
as 0 alice do respond r001 'after the restore'
modes 'after the restore'
as 1 alice share --private
says err 'belongs to bob (uid 61002), and only its owner can change its mode'
says err 'make grove.db yours'
as 0 alice log
as 0 alice backup "$work/home-alice/b.db"
as 0 alice restore --yes "$work/home-alice/b.db"
modes 'restored by alice'

# --- everything else is refused as ever ---
db=.loom/grove.db
strange() {
	as "$1" alice trees
	says err "$2"
	says err 'hint: '
}
chmod 0666 $db
strange 3 'may be written by others'
chmod 0660 $db
chgrp club $db
strange 3 'may be written by others'
chgrp lab $db
chgrp club .loom
chmod 2770 .loom
strange 1 'the group club can write'
chgrp lab .loom
chmod 2770 .loom
chmod 2777 .loom
strange 1 'anybody can write'
chmod 2770 .loom
# the row has the last word: modes alone share nothing
mkdir -m 755 ../other
chown alice ../other
cd ../other || exit 1
as 0 alice init
chgrp -R lab .loom
chmod 2770 .loom
chmod 660 .loom/grove.db
as 1 alice trees
as 0 alice trust
as 3 alice trees
says err 'may be written by others'
cd ../novel || exit 1

# --- alone again ---
as 1 bob share --private
says err 'and only its owner can change its mode'
as 0 alice share --private
checks=$((checks + 1))
[ -z "$(find .loom -user alice -perm /077)" ] || fail "left open: $(find .loom -perm /077)"
[ "$(stat -c %a .loom)" = 700 ] || fail 'the folder is left open'
as 1 bob trees
says err "private to alice"
as 0 alice members
says out '  bob'

# --- made for a group from the beginning ---
cd "$work/srv" || exit 1
as 0 alice init --shared=lab fresh
says out 'is shared with the group lab'
[ "$(stat -c '%a %G' fresh)" = '2770 lab' ] || fail "the folder: $(stat -c '%a %G' fresh)"
as 0 bob trust fresh
as 0 bob -g fresh new --title 'Of bob' --root x
as 0 alice -g fresh trees
says out 'Of bob'

# --- and so is .leslie, whoever makes it; what is no part of the grove stays private ---
cd fresh || exit 1
as 0 bob objective new --title aim
objective=$(cat "$work/out")
as 0 bob thread spawn --objective "$objective" --id of-bob
printf 'a plan\n' >"$work/plan"
chmod 644 "$work/plan"
as 0 alice thread plan --write "$work/plan"
as 0 alice thread spawn --objective "$objective" --id of-alice --ref of-bob
as 0 bob thread refresh of-alice
as 0 alice thread unref --from of-alice --target of-bob
as 0 bob thread lifecycle of-alice suspend
as 0 alice thread list
says out of-bob
says out of-alice
checks=$((checks + 1))
find .leslie ! -group lab -o -type d ! -perm 2770 -o -type f ! -perm 0660 ! -perm 0440 >"$work/found"
[ ! -s "$work/found" ] || fail "not the group's: $(xargs ls -ld <"$work/found")"
as 0 bob export -o of-bob.json
[ "$(stat -c %a of-bob.json)" = 600 ] || fail 'an export that others may read'
cd ..
as 1 alice init --shared=alice mine
says err 'only you are in the group alice'
[ ! -e mine ] || fail 'made although it was refused'
chmod 700 "$work/srv"
as 0 alice -g fresh share lab
says err 'cannot reach it'
verdict
