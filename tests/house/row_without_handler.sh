#!/bin/sh
# A verb, a command or an action without its function does not link. Adds a row to a copy of the
# table and of its ids, compiles the files that expand the rows, and links: without the row's function
# the linker names it; with it, linking succeeds.
# usage: row_without_handler.sh SOURCE_ROOT BUILD_FOLDER COMPILER FLAGS LIBRARIES TUI.a TOOLS.a MODEL.a
set -eu
LC_ALL=C
export LC_ALL
root=$1
build=$2
compiler=$3
flags=$4
libraries=$5
shift 5
rooms=$*
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/main.c"

# link OUT MORE…: links the records of the tables in $work/loom
link() {
	out=$1
	shift
	# shellcheck disable=SC2086
	"$compiler" $flags -w -std=c11 -D_GNU_SOURCE -DLOOM_VERSION='"0"' -I"$work" -I"$root/include" \
		-I"$build/include" -o "$work/$out" "$work/main.c" "$root/tools/engine/engine.c" \
		"$root/tools/commands/help/table_of_commands.c" "$root/tui/program/views.c" "$@" $rooms $libraries \
		>"$work/said" 2>&1
}

# before_first KIND ROW FILE: prints the file with ROW inserted before its first row of that kind
before_first() {
	awk -v kind="$1(" -v row="$2" 'index($0, kind) == 1 && !done { print row; done = 1 } 1' "$3"
}

# needs ROW HANDLER: checks that the row links only with its handler
needs() {
	kind=${1%%(*}
	rm -rf "$work/loom"
	mkdir -p "$work/loom/commands"
	table=$(cd "$root/include" && grep -l "^$kind(" loom/*.def loom/commands/*.def | head -n 1)
	before_first "$kind" "$1" "$root/include/$table" >"$work/$table"
	ids=${table%s.def}_ids.def
	[ ! -f "$build/include/$ids" ] ||
		before_first "$kind" "$(echo "$1" | cut -d, -f1,2))" "$build/include/$ids" >"$work/$ids"
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
needs 'LOOM_ACTION(DUMMY, NAV, "dummy", "", "")' tui_do_DUMMY
