#!/bin/sh
# Comments in plain English, in every room of rooms.txt: no sentence has "who" as its subject, no
# declaration's comment begins with "What", and the contract of a header's prototype has more than
# three words and can be read without the one above it.
. "$(dirname "$0")/lib.sh"

list=$(mktemp)
trap 'rm -f "$list"' EXIT
files | awk '
	NR == FNR {
		if (/^[a-z]/) {
			room = $1
			sub(/:$/, "", room)
			folders[room]
			sub(/.*\//, "", room)
			folders["include/loom/" room] }
		next }
	/\.[ch]$/ {
		folder = $0
		sub(/\/[^\/]*$/, "", folder)
		if (folder in folders) print }' tests/house/rooms.txt - >"$list"
checked=$(wc -l <"$list")

# Comments are taken whole, blocks and ends of lines alike; strings are not looked into.
found=$(tr '\n' '\0' <"$list" | xargs -0 -n 100 awk '
	function wrong(what) { printf "%s:%d: %s: %s\n", FILENAME, start, what, substr(text, 1, 60) }
	function judge(own, i, n, part) {
		gsub(/[[:space:]]+/, " ", text)
		sub(/^ /, "", text)
		sub(/ $/, "", text)
		n = split(text, part, /[.;:] /)
		for (i = 1; i <= n; i++)
			if (part[i] ~ /^(Who|Whose|Whoever|Whom) / && part[i] !~ /\?$/) wrong("who as a subject")
		last = own ? text : ""
		last_line = start }
	# A comment stands above a prototype of a header when the next code is one: NAME(...);
	function contract(line, words, list) {
		if (last == "" || last ~ /^-/) { last = ""; return }
		if (line ~ /^(static|struct [a-z_]+ \{|enum|typedef|#define|extern)/ || line ~ /^[a-z].*\(/) {
			if (last ~ /^What /) { text = last; start = last_line; wrong("What opens it") } }
		if (FILENAME ~ /\.h$/ && line ~ /^[a-z][a-z0-9_ ]*[ *][a-z0-9_]+\(/ && line !~ /^(static|typedef)/) {
			words = split(last, list, " ")
			text = last; start = last_line
			if (words <= 3) wrong("too short a contract")
			else if (last ~ /^(The same|As (above|before|[a-z_]+\()|… |Likewise)/ || last ~ /^[A-Z]?[a-z]* likewise/)
				wrong("leans on its neighbour") }
		last = "" }
	FNR == 1 { inside = 0; last = "" }
	{
		line = $0
		if (inside) {
			end = index(line, "*/")
			piece = end ? substr(line, 1, end - 1) : line
			sub(/^[[:space:]]*\*? ?/, "", piece)
			text = text " " piece
			if (end) { inside = 0; judge(own) }
			next }
		gsub(/\\"/, "", line)
		gsub(/"[^"]*"/, "\"\"", line)
		at = index(line, "/*")
		if (!at) {
			if (line ~ /[^[:space:]]/) contract(line)
			else last = ""
			next }
		own = substr(line, 1, at - 1) !~ /[^[:space:]]/ && substr(line, 1, at - 1) == ""
		if (!own && substr(line, 1, at - 1) ~ /[^[:space:]]/) contract(substr(line, 1, at - 1))
		start = FNR
		rest = substr($0, index($0, "/*") + 2)
		end = index(rest, "*/")
		text = end ? substr(rest, 1, end - 1) : rest
		if (end) judge(own); else inside = 1 }')
[ -z "$found" ] || say "$found"
verdict
