#!/bin/sh
# A verb or a command without a handler does not link. Adds a row to a copy of the table, compiles the
# files that expand the rows, and links: without the row's handler the linker names the missing
# function; with it, linking succeeds.
# usage: row_without_handler.sh SOURCE_ROOT COMPILER FLAGS LIBRARIES TOOLS.a MODEL.a
set -eu
LC_ALL=C
export LC_ALL
root=$1
compiler=$2
flags=$3
libraries=$4
tools=$5
model=$6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/main.c"

# link OUT MORE…: links the records of the tables in $work/loom
link() {
	out=$1
	shift
	# shellcheck disable=SC2086
	"$compiler" $flags -w -std=c11 -D_GNU_SOURCE -DLOOM_VERSION='"0"' -I"$work" -I"$root/include" \
		-o "$work/$out" "$work/main.c" "$root/tools/engine/engine.c" \
		"$root/tools/commands/help/table_of_commands.c" "$@" "$tools" "$model" $libraries \
		>"$work/said" 2>&1
}

# needs ROW HANDLER: checks that the row links only with its handler
needs() {
	kind=${1%%(*}
	rm -rf "$work/loom"
	mkdir -p "$work/loom/commands"
	table=$(cd "$root/include" && grep -l "^$kind(" loom/*.def loom/commands/*.def | head -n 1)
	awk -v kind="$kind(" -v row="$1" 'index($0, kind) == 1 && !done { print row; done = 1 } 1' \
		"$root/include/$table" >"$work/$table"
	if link without; then
		echo "$1 links without a handler"
		exit 1
	fi
	grep -q "undefined reference to \`$2'" "$work/said" || {
		echo "$1 does not link, but for another reason:"
		cat "$work/said"
		exit 1
	}
	echo "int $2(void *a, void *b) { return 0; }" >"$work/handler.c"
	link with "$work/handler.c" || {
		echo "$1 does not link with a handler either: nothing is proven"
		cat "$work/said"
		exit 1
	}
	echo "$1 does not link without $2"
}

needs 'LOOM_VERB(DUMMY, dummy, LOOKS, READS, AWARE, META, "", "", "", "", "", "")' engine_verb_dummy
needs 'LOOM_COMMAND(dummy, "dummy", LOOKS, NONE, META, "", "")\nLOOM_END(dummy)' cmd_dummy
