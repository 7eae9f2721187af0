#!/bin/sh
# Tags and links on the command line.
. "$(dirname "$0")/lib.sh"
mkdir grove
cd grove || exit 1
run 0 init
run 0 tag
says err 'note: there are no tags'
lines out 0
run 0 doc list
says err 'note: there are no documents'
run 0 drafts
says err 'note: there are no drafts'
run 0 new --title Story --root 'once'
run 0 new --title Draft --root 'earlier'
run 0 use Story
run 0 do respond r001 'and then'
node=$(sed -n 's/^✓ created \[\([^]]*\)\].*/\1/p' "$work/out")
printf '# Motive\nfear\n' | "$loom" doc write notes >/dev/null

# --- tags ---
run 0 tag
silent out
run 0 tag "$node"
says out "[$node] has no tags"
run 0 tag "$node" motive 'two words'
says out "✓ tagged [$node] \"motive\""
says out "✓ tagged [$node] \"two words\""
run 0 tag "$node" motive
says out "✓ tagged [$node] \"motive\" unchanged"
run 0 tag Draft/r001 motive --json
json out
says out '"tags":["motive"]'
run 0 tag
says out '"motive" 2 nodes'
says out '"two words" 1 node'
run 0 tag --json
json out
run 0 tag --with motive
lines out 2
says out "[$node] in tree:\"Story\""
run 0 tag --with motive -t Story
lines out 1
run 0 tag --with motive --json
json out
run 0 tag --with nothing
silent out
run 0 tag -d "$node" motive
says out "✓ untagged [$node] \"motive\""
run 1 tag -d "$node" motive
says err "✗ NOT_FOUND: [$node] has no tag \"motive\""
# If one tag is missing, none is removed.
run 1 tag -d "$node" 'two words' missing
run 0 tag "$node"
says out 'two words'
lines out 1
run 0 undo
run 0 tag "$node"
lines out 2
# A tag has no invisible characters.
run 1 tag "$node" "$(printf 'a\033[2Jb\nc')"
says err 'may not contain invisible characters: U+001B at byte 1'
lines err 2

# --- links ---
run 0 link "$node"
says out "[$node] has no links"
run 0 link "$node" --doc notes
says out "✓ linked [$node] ↔ doc:\"notes\""
run 0 link "$node" --doc notes
says out 'unchanged'
run 0 link "$node" --doc notes --section motive --note 'key scene'
says out "↔ doc:\"notes\" §motive"
run 1 link "$node" --doc notes --section nowhere
run 0 link "$node" r001 --note 'same voice'
says out "✓ linked [$node] ↔ [r001]"
run 0 link "$node" Draft/r001
says out '↔ [r001] in tree:"Draft"'
run 0 link "$node" --tree Draft --json
json out
says out '"to":"tree:\"Draft\""'
run 0 link "$node"
says out "[$node] links:"
says out '  → doc:"notes" §motive (note: "key scene")'
says out '  → [r001] (note: "same voice")'
says out '  → [r001] in tree:"Draft"'
says out '  → tree:"Draft"'
lines out 6
# Both ends list it.
run 0 link r001
says out "  → [$node] (note: \"same voice\")"
run 0 link Draft/r001
says out "  → [$node] in tree:\"Story\""
run 0 link --doc notes
says out 'doc:"notes" links:'
says out "  → [$node]"
says out "  → [$node] §motive (note: \"key scene\")"
run 0 link --doc notes --json
json out
says out '{"doc":"notes","links":[{"id":'
run 0 link --tree Draft
says out '[r001] links:'
says out "  → [$node] in tree:\"Story\" (to the tree)"
run 0 link --tree Draft --json
json out
says out '{"tree":"Draft","links":[{"id":'
run 2 link
says err 'NODE is missing'
run 2 link --doc notes --note x
says err 'NODE is missing'
run 0 link "$node" --json
json out
says out '"to":{"doc":"notes","section":"motive"}'
run 0 show "$node" --json
json out
says out '"links":[{"id":'
run 0 show "$node"
says out '5 links'

run 1 link -d "$node" --doc notes
says err '✗ INVALID_SYNTAX'
says err 'choose one with --note TEXT or --section S'
run 0 link -d "$node" --doc notes --section motive
says out "✓ unlinked [$node] ↔ doc:\"notes\" §motive"
run 0 link -d "$node" r001
run 1 link -d "$node" r001
says err "✗ NOT_FOUND: [$node] has no link to [r001]"
run 0 link r001
says out '[r001] has no links'
run 0 undo
run 0 link r001
says out "[$node]"
run 2 link "$node" r001 --tree Draft
says err 'cannot be combined'
run 0 check --deep
verdict
