#!/bin/sh
# Objects that call each other in a cycle can only be changed together: no cycle among the objects
# below TOP has more than MOST objects.
# usage: circles.sh SOURCE_ROOT BUILD_FOLDER TOP MOST
usage='usage: circles.sh SOURCE_ROOT BUILD_FOLDER TOP MOST'
build=$(cd "${2:?$usage}" && pwd)
top=${3:?$usage}
most=${4:?$usage}
. "$(dirname "$0")/lib.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objects "$build"

# Tarjan's algorithm: a component ends where a walk returns to the lowest index it can reach.
awk -v top="$top/" -v most="$most" '
	function min(a, b) { return a < b ? a : b }
	function walk(v, i, n, w, list, members) {
		place[v] = low[v] = ++count
		stack[++height] = v
		on[v] = 1
		n = split(calls[v], list, " ")
		for (i = 1; i <= n; i++) {
			w = list[i]
			if (!(w in place)) { walk(w); low[v] = min(low[v], low[w]) }
			else if (on[w]) low[v] = min(low[v], place[w]) }
		if (low[v] != place[v]) return
		n = 0
		do { w = stack[height--]; on[w] = 0; members = members " " w; n++ } while (w != v)
		if (n > largest) largest = n
		if (n > most) { print "a circle of " n " objects, and " most " are the most:" members; bad++ } }
	FILENAME ~ /defined$/ { if (index($1, top) == 1) { where[$2] = $1; objects[$1] = 1 }; next }
	index($2, top) == 1 && ($3 in where) && where[$3] != $2 && !(($2, where[$3]) in seen) {
		seen[$2, where[$3]] = 1
		calls[$2] = calls[$2] " " where[$3] }
	END {
		for (v in objects) if (!(v in place)) walk(v)
		printf "circles: the largest of %d objects of %s has %d\n", count, top, largest
		exit bad > 0 }' "$work/defined" "$work/mentions" || bad=$((bad + 1))
checked=$(wc -l <"$work/objects")
verdict
