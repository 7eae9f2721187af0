#!/bin/sh
# One thing, one name, wherever a person reads it: the tables of commands, verbs, actions, help and
# settings, the messages, and README.md. glossary.txt has the words that are not used, what is said
# instead, and the few texts that keep them.
. "$(dirname "$0")/lib.sh"

words=tests/house/glossary.txt
list=$(mktemp)
texts=$(mktemp)
kept=$(mktemp)
trap 'rm -f "$list" "$texts" "$kept"' EXIT

# The built-in stories, the phrases that models use, formats of others and the store's own SQL are no
# texts of ours to a person.
files | grep -E '^(tools|tui|include/loom)/.*\.(c|h|def)$' |
	grep -vE '^(tools/ngram/corpus|tools/language/(phrase/|announce|inert|scan_|pasted_)|tools/import/(formats|looms|agents)/|tools/page/|include/loom/wishes)' >"$list"

# Every string with a blank in it, as FILE:LINE: text. Comments are left out.
tr '\n' '\0' <"$list" | xargs -0 awk '
	FNR == 1 { comment = 0 }
	{ line = $0
		while (1) {
			if (comment) {
				end = index(line, "*/")
				if (!end) next
				line = substr(line, end + 2)
				comment = 0 }
			if (!match(line, /"([^"\\]|\\.)*"|\/\*/)) next
			part = substr(line, RSTART, RLENGTH)
			line = substr(line, RSTART + RLENGTH)
			if (part == "/*") comment = 1
			else if (part ~ / /) printf "%s:%d: %s\n", FILENAME, FNR, part } }' >"$texts"
# Prose of the first page; what stands in code is no prose.
awk '/^```/ { code = !code } !code { gsub(/`[^`]*`/, ""); printf "README.md:%d: %s\n", FNR, $0 }' README.md \
	>>"$texts" 2>/dev/null || true
checked=$(wc -l <"$texts")

sed -n 's/^keep	//p' "$words" >"$kept"
while IFS='	' read -r pattern instead; do
	case $pattern in '' | '#'* | keep) continue ;; esac
	found=$(grep -iE -- ": .*(^|[^A-Za-z_-])($pattern)([^A-Za-z_-]|\$)" "$texts" | grep -vFf "$kept" || true)
	[ -z "$found" ] || say "say \"$instead\":
$found"
done <"$words"
verdict
