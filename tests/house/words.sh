#!/bin/sh
# Words that do not belong in the tree: unfinished work, paths of one machine, unknown hosts. A URL
# is allowed only if its host is in hosts.txt.
. "$(dirname "$0")/lib.sh"

hosts=tests/house/hosts.txt
left_over='\b(TO[D]O|FIX[M]E|X[X]X|HA[C]K|not implemente[d])\b'
places='(^|[^A-Za-z0-9_./-])/(wor[k]|hom[e]/[a-z]+)/'

host_known() {
	case $1 in
	'' | *.example | example.* | *.example.* | *.invalid | *.test | localhost | 127.* | 0.0.0.0 | '['* | 10.* | 192.*) return 0 ;;
	esac
	grep -qxF -- "$1" "$hosts"
}

list=$(mktemp)
trap 'rm -f "$list"' EXIT
files >"$list"
checked=$(wc -l <"$list")

found=$(grep -E '^(include|model|tools|tui|tests|themes)/' "$list" | tr '\n' '\0' |
	xargs -0 grep -InE -- "$left_over" || true)
[ -z "$found" ] || say "left-over work:
$found"

found=$(tr '\n' '\0' <"$list" | xargs -0 grep -InE -- "$places" || true)
[ -z "$found" ] || say "paths of one machine:
$found"

for host in $(tr '\n' '\0' <"$list" |
	xargs -0 grep -IohE -- '(https?|ssh|git|ftp)://[A-Za-z0-9._~@:[%-]*' |
	sed 's|^[a-z]*://||; s|^[^@]*@||; s|:.*||; s|\.$||' | sort -u); do
	case $host in
	*%* | *.) continue ;;
	esac
	host_known "$host" || say "$host: a host that $hosts does not name: $(tr '\n' '\0' <"$list" |
		xargs -0 grep -IlF -- "://$host" | head -n 3 | tr '\n' ' ')"
done
verdict
