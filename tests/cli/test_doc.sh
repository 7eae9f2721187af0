#!/bin/sh
# Documents on the command line: writing, the editor, conflicts, drafts, export.
. "$(dirname "$0")/lib.sh"
mkdir grove tmp
TMPDIR=$work/tmp
export TMPDIR
cd grove || exit 1
run 0 init

# bytes FILE TEXT: expects exactly these bytes.
bytes() {
	checks=$((checks + 1))
	printf '%b' "$2" | cmp -s - "$1" || fail "$what: $1 is not as expected"
}

# --- write, append, show, list ---
printf 'one two\n' >"$work/a.txt"
run 0 doc write notes "$work/a.txt"
says out '✓ created doc:"notes" (2 words)'
lines out 1
run 0 doc write notes "$work/a.txt"
says out '✓ doc:"notes" unchanged'
printf 'three' | "$loom" doc write --append notes >"$work/out" 2>"$work/err"
status 0 'loom doc write --append notes'
what='doc write --append'
says out '✓ appended to doc:"notes" (now 3 words)'
run 0 doc show notes
says out 'doc:"notes" (3 words · updated '
says out 'three'
lines out 3
run 0 doc show NOTES --json
json out
says out '"version":2'
says out '"text":"one two\nthree"'
run 0 doc show notes --at-version 1
says out 'one two'
run 1 doc show notes --at-version 7
says err 'has no version 7'
run 0 doc list
says out 'doc:"notes" (3 words'
run 0 doc list --json
json out
run 1 doc show missing
says err '✗ NOT_FOUND: document "missing" does not exist'
says err 'loom doc list'
run 1 doc write missing nofile.txt
run 1 doc write '' "$work/a.txt"
says err 'INVALID'
printf 'a\377b' >"$work/bad.txt"
run 1 doc write bad "$work/bad.txt"
says err 'not UTF-8'
run 1 doc show bad
run 2 doc write
run 2 doc
says err 'loom doc list|show|edit|write|import|export'
run 1 doc write notes nofile.txt
says err '✗ NOT_FOUND: there is no file nofile.txt'
says err 'hint: paths start at the current directory'
run 1 doc write notes .loom/grove.db
says err "✗ REFUSED: .loom/grove.db is a file of the grove itself"
ln -s grove.db .loom/link
run 1 doc import .loom/link --name x
says err "file of the grove itself"
rm .loom/link
run 0 check

# --- sections ---
printf '# Motive\nfear\n## Deep\nx\n# Other\ny\n' >"$work/s.md"
run 0 doc import "$work/s.md"
run 0 doc show s --section motive
says out 'doc:"s" §motive'
lines out 5
run 1 doc show s --section nothing

# --- conflicts: the base has moved on, the text is kept ---
head=$("$loom" doc show notes --json | sed 's/^.*"version":2,"head":\([0-9]*\),.*"text".*$/\1/')
run 0 doc write notes --base "$head" "$work/s.md"
says out '✓ wrote doc:"notes"'
printf 'mine\n' >"$work/mine.txt"
run 1 doc write notes --base "$head" "$work/mine.txt"
says err '✗ CONFLICT: doc:"notes" was changed by you'
says err 'hint: your text is kept: loom drafts show draft-'
now=$("$loom" doc list --json | sed 's/^.*"name":"notes"[^}]*"head":\([0-9]*\),.*$/\1/')
says err "(now revision $now, yours began from $head)"
run 0 doc export notes
cp "$work/out" "$work/kept"
cmp -s "$work/kept" "$work/s.md"
status 0 'a conflict changes nothing'
run 0 drafts
says out 'conflict "notes"'
lines out 1
draft=$(sed 's/ .*//' "$work/out")
run 0 drafts --json
json out
run 0 drafts show "$draft"
bytes "$work/out" 'mine\n'
run 0 drafts show "$draft" --json
json out
says out '"why":"doc:\"notes\" was changed by you'
run 1 drafts show draft-00000000
says err 'loom drafts'
run 1 drafts show ../../secret
run 1 drafts drop "$draft" draft-00000000
run 0 drafts list
lines out 1
run 0 drafts drop "$draft" "$draft"
says out "✓ dropped $draft"
run 0 drafts
silent out
run 1 doc write nowhere --base 1 "$work/a.txt"
says err 'NOT_FOUND'

# --- import: all or nothing, in one operation ---
mkdir texts
printf 'red\n' >texts/red.md
printf 'blue\n' >texts/blue.txt
run 0 doc import texts/red.md texts/blue.txt
lines out 2
run 0 undo
run 1 doc show red
run 1 doc show blue
run 0 redo
printf 'other\n' >texts/red.md
printf 'green\n' >texts/green.md
run 1 doc import texts/green.md texts/red.md
says err '✗ CONFLICT: there already is a document "red"'
says err '--replace'
run 1 doc show green
run 0 doc import --replace texts/green.md texts/red.md --json
json out
run 2 doc import --name x texts/red.md texts/blue.txt
run 2 doc import -
says err 'standard input needs a --name'
printf 'from a pipe' | "$loom" doc import --name piped - >"$work/out" 2>"$work/err"
status 0 'loom doc import --name piped -'
run 1 doc import texts

# --- export ---
run 0 doc export piped
bytes "$work/out" 'from a pipe'
run 0 doc export piped -o "$work/piped.md"
bytes "$work/piped.md" 'from a pipe'
run 1 doc export piped -o .loom/grove.db
run 0 verify
mkdir "$work/all"
run 0 doc export --all -o "$work/all"
bytes "$work/all/red.md" 'other\n'
run 2 doc export --all
run 2 doc export
run 0 doc export --all -o "$work/made"
bytes "$work/made/red.md" 'other\n'
run 1 doc export --all -o "$work/none/below"
says err 'none'
run 1 doc export --all -o "$work/made/red.md"
run 0 doc import --name ../up texts/red.md
run 1 doc export --all -o "$work/all"
says err 'PATH_REFUSED'
checks=$((checks + 1))
[ ! -e "$work/up.md" ] || fail 'a name led out of the directory'
run 0 undo

# --- the editor ---
cat >"$work/editor" <<'SH'
#!/bin/sh
stat -c %a "$1" >"$WORK/mode"
cp "$1" "$WORK/before"
printf '%b' "$EDIT" >"$1"
SH
chmod +x "$work/editor"
export WORK="$work" VISUAL="$work/editor" EDIT='edited\n'
run 0 doc edit red
says out '✓ wrote doc:"red" (now 1 word)'
bytes "$work/before" 'other\n'
bytes "$work/mode" '600\n'
run 0 doc edit red
says out '✓ doc:"red" unchanged'
VISUAL=true run 0 doc edit fresh
says out '✓ doc:"fresh" not created: the text is empty'
run 0 doc edit fresh
says out '✓ created doc:"fresh" (1 word)'
bytes "$work/before" ''
checks=$((checks + 1))
[ -z "$(find "$TMPDIR" -maxdepth 1 -name 'loom-*.md' -newer "$work/editor" -user "$(id -u)" 2>/dev/null)" ] ||
	fail 'the temporary file is still there'
# Words of a shell, and an editor that renames a new file into place.
export VISUAL='sh -c '"'"'printf moved >"$1.new"; mv "$1.new" "$1"'"'"' x'
run 0 doc edit red
run 0 doc export red
bytes "$work/out" 'moved'
# Somebody else writes while the editor is open.
cat >"$work/slow" <<SH
#!/bin/sh
printf 'theirs\n' | "$loom" doc write red - >/dev/null
printf 'mine\n' >"\$1"
SH
chmod +x "$work/slow"
export VISUAL="$work/slow"
run 1 doc edit red
says err '✗ CONFLICT'
says err 'your text is kept'
run 0 doc export red
bytes "$work/out" 'theirs\n'
run 0 drafts show "$("$loom" drafts | sed 's/ .*//')"
bytes "$work/out" 'mine\n'
# An editor that fails: nothing is written, what it had saved is kept.
export VISUAL="sh -c 'echo half >\"\$1\"; exit 3' x"
run 1 doc edit red
says err '✗ REFUSED: the editor exited with status 3'
says err 'your text is kept'
export VISUAL=false
run 1 doc edit red
says err 'hint: its text is not used'
export VISUAL=/no/such/editor
run 1 doc edit red
says err 'set VISUAL or EDITOR'
# A parent that ignores SIGCHLD does not hide the editor's exit status.
if env --ignore-signal=CHLD true 2>/dev/null; then
	cat >"$work/heard" <<'SH'
#!/bin/sh
printf 'heard\n' >"$1"
SH
	chmod +x "$work/heard"
	VISUAL="$work/heard" env --ignore-signal=CHLD "$loom" doc edit heard \
		</dev/null >"$work/out" 2>"$work/err"
	status 0 'loom doc edit, started with SIGCHLD ignored'
	run 0 doc export heard
	bytes "$work/out" 'heard\n'
fi
# A cancelled write still keeps the text. The editor script takes the lock, so that ^C arrives while
# the program waits for it.
if command -v flock >/dev/null && [ -r /proc/locks ]; then
	cat >"$work/locker" <<SH
#!/bin/sh
printf 'precious\n' >"\$1"
(
	exec </dev/null >/dev/null 2>&1
	flock .loom/lock sh -c 'echo >$work/held; for _ in \$(seq 300); do [ -f $work/over ] && exit; sleep 0.1; done' &
	until [ -f "$work/pid" ] && grep -qE -e "-> +FLOCK .* \$(cat $work/pid) " /proc/locks; do sleep 0.1; done
	kill -INT "\$(cat $work/pid)"
) &
until [ -f "$work/held" ]; do sleep 0.1; done
SH
	chmod +x "$work/locker"
	export VISUAL="$work/locker"
	sh -c 'echo $$ >"$1/pid"; exec "$2" doc edit red' x "$work" "$loom" >"$work/out" 2>"$work/err"
	status 130 'loom doc edit, interrupted while it waits'
	: >"$work/over"
	what='loom doc edit, interrupted'
	says err 'your text is kept'
	run 0 drafts show "$("$loom" drafts | sed -n '1s/ .*//p')"
	bytes "$work/out" 'precious\n'
fi
unset VISUAL
export EDITOR=true
run 0 doc edit red
says out 'unchanged'
run 2 doc edit

# --- an agent needs leave ---
run 0 agent add ada --permissions loom_aware
export LOOM_AGENT=ada
run 1 doc list
says err '✗ PERMISSION_DENIED: doc_read not enabled'
run 1 doc write notes "$work/a.txt"
says err '✗ PERMISSION_DENIED: doc_write not enabled'
says err 'hint: request elevated permissions or ask the human to write the document'
run 1 drafts
says err 'is for a person'
unset LOOM_AGENT
run 0 agent set ada --permissions doc_read,doc_write --approval auto
export LOOM_AGENT=ada
run 0 doc write hers "$work/a.txt"
run 0 doc show hers --json
says out '"author":"ada"'
unset LOOM_AGENT
run 0 check --deep
# --- another name ---
run 0 doc rename notes 'old notes'
says out '✓ renamed to doc:"old notes"'
run 1 doc show notes
run 0 doc show 'OLD NOTES'
run 0 ops --last 1
says out 'renamed doc:"notes" to "old notes"'
run 0 doc rename 'old notes' 'old notes' --json
json out
says out '"changed":false'
run 1 doc rename 'old notes' red
says err CONFLICT
run 1 doc rename 'old notes' ''
run 1 doc rename nothing x
says err 'loom doc list'
run 2 doc rename notes
run 0 undo
run 0 doc show notes
verdict
