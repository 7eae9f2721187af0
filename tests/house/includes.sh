#!/bin/sh
# Who may include what: libraries stay in their rooms, and no room includes a room above it.
# A header of include/loom/ belongs to the room that defines the functions it declares; one that
# declares none belongs to the lowest.
. "$(dirname "$0")/lib.sh"

list=$(mktemp)
rooms=$(mktemp)
trap 'rm -f "$list" "$rooms"' EXIT

# "header room", a line for each public header: the sources are read first, then the headers.
files | grep -E '^(model|tools|tui)/.*\.c$' >"$list"
files | grep -E '^include/loom/.*\.(h|def)$' >>"$list"
xargs awk '
	/^[A-Za-z].*loom_[a-z0-9_]+\(/ || /^loom_[a-z0-9_]+\(/ {
		match($0, /loom_[a-z0-9_]+\(/)
		name = substr($0, RSTART, RLENGTH - 1)
		if (FILENAME !~ /^include/) {
			room = FILENAME; sub(/\/.*/, "", room)
			if ($0 !~ /;[ \t]*$/ && $0 !~ /^(extern|#)/) room_of[name] = room
		} else if (name in room_of && !(FILENAME in found)) {
			found[FILENAME] = 1
			print FILENAME, room_of[name]
		}
	}' <"$list" >"$rooms"

room_of() {
	room=$(sed -n "s|^$1 ||p" "$rooms")
	echo "${room:-model}"
}

rank() {
	case $1 in
	model) echo 0 ;;
	tools) echo 1 ;;
	*) echo 2 ;;
	esac
}

# The room that an included name stands in, or nothing when it is the system's or the folder's own.
room_of_include() {
	case $1 in
	loom/*) room_of "include/$1" ;;
	model/* | */model/*) echo model ;;
	tools/* | */tools/*) echo tools ;;
	tui/* | */tui/*) echo tui ;;
	esac
}

library_allowed() {
	case $2 in
	sqlite3.h | sqlite3ext.h)
		case $1 in model/store*.[ch] | model/schema.c) return 0 ;; esac
		return 1
		;;
	store_impl.h)
		# it shows the engine to whoever includes it
		case $1 in model/store*.[ch] | model/schema.c) return 0 ;; esac
		return 1
		;;
	*curses.h | ncurses*/* | term.h | panel.h | menu.h | form.h)
		case $1 in tui/term*.c | tui/screen.c | tui/input.c | tui/draw.c) return 0 ;; esac
		return 1
		;;
	linux/* | sys/random.h | sys/inotify.h | sys/syscall.h | sys/eventfd.h | sys/signalfd.h | sys/timerfd.h)
		# the files that another system needs anew: model/system.h
		case $1 in model/system.c | model/path.c | model/store_file.c | model/watch.c) return 0 ;; esac
		case $1 in tools/loop.c | tui/leslie_watch.c) return 0 ;; esac
		return 1
		;;
	curl/*)
		[ "$1" = tools/http.c ]
		return
		;;
	libxml/*)
		case $1 in *.h) return 1 ;; esac
		# the file says in its first comment that it reads or writes XML
		sed '/\*\//q' "$1" | grep -q XML
		return
		;;
	esac
	return 0
}

for file in $(files | grep -E '^(include/loom|model|tools|tui)/.*\.(c|h|def)$'); do
	case $file in
	include/*) room=$(room_of "$file") ;;
	*) room=${file%%/*} ;;
	esac
	sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]([^>"]+)[>"].*/\1/p' "$file" >"$list"
	while IFS= read -r included; do
		checked=$((checked + 1))
		library_allowed "$file" "$included" || say "$file: may not include <$included>"
		upper=$(room_of_include "$included")
		if [ -n "$upper" ] && [ "$(rank "$upper")" -gt "$(rank "$room")" ]; then
			say "$file ($room): includes $included, which belongs to $upper"
		fi
	done <"$list"
done
verdict
