#!/bin/sh
# Export on the command line: every format, of a grove with one of everything, and the import of it.
. "$(dirname "$0")/lib.sh"
LOOM_NOW=2026-02-23T10:00:00Z LOOM_SEED=3
export LOOM_NOW LOOM_SEED

# made ARGUMENT…: runs a call that creates one node, and prints its id.
made() {
	"$loom" do "$@" 2>"$work/err" | sed -n 's/^✓ created \[\([^]]*\)\].*/\1/p'
}

mkdir grove
cd grove || exit 1
run 0 init
run 0 new --title 'A "tale"' --system 'Be "brief" & <kind>' --root 'Once <upon> a & time'
printf '# Motive\nfear\n' | "$loom" doc write notes >/dev/null
left=$(made respond r001 "$(printf 'She left.\nShe came "back" \\ home.')")
stayed=$(made respond r001 'He stayed.')
run 0 do switch "$left"
run 0 do continue n:2 tokens:5
kept=$(sed -n 's/^ *\[\([^]]*\)\].*/\1/p' "$work/out" | sed -n 1p)
culled=$(sed -n 's/^ *\[\([^]]*\)\].*/\1/p' "$work/out" | sed -n 2p)
run 0 do bookmark "$left" 'key <one>'
run 0 do bookmark "$kept"
run 0 do annotate "$left" "$(printf 'tone\nto keep')"
run 0 tag "$culled" 'rated:bad'
run 0 link "$left" "$stayed" --note 'same voice'
run 0 link "$left" --doc notes --section motive
run 0 new --title Draft --root 'earlier'
run 0 use 'A "tale"'
run 0 link "$left" --tree Draft
run 0 do exclude "$stayed"

# --- the tree and the option are optional ---
run 0 export
cp "$work/out" "$work/whole"
run 0 export --tree
cmp -s "$work/out" "$work/whole" || fail "export --tree is not the current tree's"
run 0 export --tree --format json
run 0 export --tree Draft --format txt
says out 'Olga: earlier'
run 0 export --format txt --tree=Draft
says out 'Olga: earlier'
run 2 export --tree --grove
says err 'cannot be combined'

# --- to be read ---
run 0 export --format md
says out '# A "tale"'
says out 'Be "brief" & <kind>'
says out "### [$left] Olga · 2026-02-23T10:00 · bookmarked: key <one>"
says out '> note by Olga'
says out '> to keep'
run 0 export --format md --path "$left"
says out "[$left]"
lacks out "[$kept]"
lacks out "[$stayed]"
run 0 export --format md-branches --path "$left"
says out "## A branch at [r001]"
says out "## A branch at [$left]"
says out 'He stayed.'
run 0 export --format txt
says out 'Olga: Once <upon> a & time'
run 0 export --format txt --path "$left"
lacks out 'He stayed.'
run 0 export --format html
says out 'Once &lt;upon&gt; a &amp; time'
says out 'Be &quot;brief&quot; &amp; &lt;kind&gt;'
says out '<div class="n note" dir="auto">tone'
says out 'key &lt;one&gt;'
says out '<details id="t1-2" open><summary>'
lacks out '<script'
run 0 export --format html --path "$left"
says out 'She left.'
lacks out 'He stayed.'
lacks out '<details'
says err 'not in html: 3 links'
run 0 export --format md --path "$left" -o "$work/path.md" --json
json out
says out '"not_kept":[{"what":"notes","count":1},{"what":"links","count":3}]'
says err 'not in md: 1 note, 3 links'

# --- pictures ---
run 0 export --format svg
says out '<svg '
says out 'Once &lt;upon&gt; a &amp; time'
run 0 export --format dot
says out 'digraph "A \"tale\"" {'
says out "[label=\"$left: She left. She came \\\"back\\\" \\\\ h…\", peripheries=2]"
says out 'color="#4466cc"'
says out ' -> n'

# --- for training ---
run 0 export --format jsonl
says err 'have no message from a model: trainers reject such lines'
json_lines out
says out '{"role":"system","content":"Be \"brief\" & <kind>"}'
lacks out 'He stayed.'
run 0 export --format jsonl --path "$kept"
lines out 1
says out '"role":"assistant"'
lacks out 'He stayed.'
run 0 export --format pairs
lines out 0
says err 'no sibling is judged the other way'
says err 'rated:good'
run 0 tag "$kept" 'rated:good'
run 0 export --format pairs
json_lines out
lines out 1
says out '"reason":{"chosen":"rated:good","rejected":"rated:bad"}'
run 0 tag "$kept" 'rated:good' -d
run 0 do prune "siblings-of:$kept"
says out "✓ kept [$kept], pruned 1 sibling"
run 0 do prune "siblings-of:$kept"
says out "✓ kept [$kept] unchanged"
run 0 export --format pairs
says out '"reason":{"chosen":"kept","rejected":"pruned"}'
says out '"chosen":[{"role":"assistant"'
says out '"rejected":[{"role":"assistant"'
says out '"content":"Once <upon> a & time"'

# --- for other programs ---
run 0 export --format chatgpt
json out
says out '"mapping"'
run 0 export --format pyloom
json out
says out '"children"'

# --- loom's own: everything comes back ---
run 0 export --grove -o "$work/all.json"
grep -q '"doc":"notes"' "$work/all.json" || fail 'a link to a document is not in the export'
grep -q '"note":"same voice"' "$work/all.json" || fail 'a note of a link is not in the export'
run 0 export --grove
json out
says out '"name":"notes"'
says out '"tags":["rated:bad"]'
mkdir "$work/other"
cd "$work/other" || exit 1
run 0 init
run 0 import "$work/all.json"
run 0 use 'A "tale"'
run 0 show "$left" --json
says out '"bookmark_label":"key <one>"'
run 0 link "$left"
says out 'same voice'
says out 'doc:"notes"'
says out 'tree:"Draft"'
run 0 doc show notes
says out 'fear'
run 0 verify
run 0 import "$work/all.json"
says out 'nothing new'
says out '· 1 node, 0 new'

# --- a word that is mended upstream is mended in every file, and stays so elsewhere ---
cd "$work/grove" || exit 1
run 0 new --mode buffer --title Mended --root 'Alpha. '
typo=$(made respond r001 'Bta. ')
last=$(made respond "$typo" 'Gamma. ')
run 0 do edit "$typo" 'Beta. '
for format in md html jsonl pyloom chatgpt txt svg dot; do
	run 0 export --format $format
	says out 'Beta.'
	case $format in
	md | html) ;;
	*)
		lacks out 'Bta.'
		says err "not in $format: 1 version"
		;;
	esac
done
for format in txt md; do
	run 0 export --format $format --path "$last"
	printf 'Alpha. Beta. Gamma. ' | cmp -s - "$work/out" || fail "--path in $format is not the text"
done
run 0 export --format json -o "$work/mended.json"
lacks err 'not in'
cd "$work/other" || exit 1
run 0 import "$work/mended.json"
run 0 use Mended
run 0 export --format jsonl
says out '{"role":"user","content":"Beta. "}'

# --- ids that clash are given anew ---
sed -e "s/\"id\":\"$typo\",//" -e "s/\"id\":\"$last\"/\"id\":\"$typo\"/" "$work/mended.json" >"$work/clash.json"
mkdir "$work/third"
cd "$work/third" || exit 1
run 0 init
run 0 import "$work/clash.json"
says out 'a tree in which a node has no id: all its nodes get new ids'
run 0 export --format txt
printf 'Alpha. Beta. Gamma. ' | cmp -s - "$work/out" || fail 'a tree of new ids has another text'
run 0 check --deep

# --- refusals ---
run 2 export --format poem
says err 'unknown export format "poem"'
says err 'md-branches'
run 1 export --path none
run 1 export --tree none
run 1 export -o .loom/grove.db
run 1 export -o "$work/no/such/folder/x.md"
run 2 export --path "$left" --grove
verdict
