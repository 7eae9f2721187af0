#!/bin/sh
# New files are as private as the grove and never writable by others, whatever the umask.
. "$(dirname "$0")/lib.sh"

# made UMASK: creates everything below and beside the project under this umask
made() (
	umask "$1"
	mkdir "$work/$1" && cd "$work/$1" || exit 1
	run 0 init p
	cd p || exit 1
	run 0 new --title Marie --root 'It stood empty.'
	printf 'text\n' >"$work/note.md"
	run 0 doc import "$work/note.md" --name plan
	run 0 agent add Claude --permissions all --approval auto
	run 0 export --format json -o out.json
	run 0 export --format html -o out.html
	run 0 doc export plan -o plan.md
	run 0 doc export --all -o docs
	run 0 backup copy.db
	goal=$("$loom" objective new --title goal)
	one=$("$loom" thread spawn --objective "$goal" --intent one)
	run 0 thread plan --write "$work/note.md"
	mkdir -p ".leslie/threads/$one/design"
	echo design >".leslie/threads/$one/design/a.md"
	chmod 755 ".leslie/threads/$one/design"
	chmod 644 ".leslie/threads/$one/design/a.md"
	run 0 thread spawn --objective "$goal" --intent two --ref "$one:design"
	printf '→ respond r001 "x"\n' >"$work/turn"
	run 0 run -a Claude "$work/turn"
	run 0 run -a Claude --thread "$one" "$work/turn"
	run 0 thread transcript "$one"
	mkdir -p -m 755 .teddy/first
	chmod 755 .teddy
	: >.teddy/first/session.context
	chmod 644 .teddy/first/session.context
	run 0 payload add global note.md
	run 0 payload add session other.md
	run 0 payload -o input.md
	run 0 payload --report -o report.md
	[ "$bad" -eq 0 ]
)
for mask in 000 002 022 077; do
	checks=$((checks + 1))
	made "$mask" >"$work/log" 2>&1 || fail "umask $mask: $(cat "$work/log")"
	what="umask $mask"
	(cd "$work/$mask/p" && find . -perm /022 ! -type l) >"$work/out"
	silent out
	# files: 0600, or less; what everybody may read is said here
	(cd "$work/$mask/p" && find . -perm /077 ! -type l ! -path '*/design*' ! -path './.teddy*' ! -path .) \
		>"$work/out"
	silent out
done
what='the lists of a project'
stat -c '%a %n' 022/p/.teddy/global.context 077/p/.teddy/global.context 022/p >"$work/out"
says out '644 022/p/.teddy/global.context'
says out '600 077/p/.teddy/global.context'
says out '755 022/p'

# An existing file keeps its mode.
cd 022/p || exit 1
for mode in 644 640 600; do
	for file in out.json plan.md input.md; do
		chmod "$mode" "$file"
	done
	run 0 export --format json -o out.json
	run 0 doc export plan -o plan.md
	run 0 payload -o input.md
	for file in out.json plan.md input.md; do
		checks=$((checks + 1))
		[ "$(stat -c %a "$file")" = "$mode" ] || fail "$file: not $mode any more"
	done
done
verdict
