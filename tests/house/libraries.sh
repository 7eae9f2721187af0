#!/bin/sh
# Libraries stay in their rooms. rooms.sh checks includes between rooms.
. "$(dirname "$0")/lib.sh"

list=$(mktemp)
trap 'rm -f "$list"' EXIT

library_allowed() {
	case $2 in
	sqlite3.h | sqlite3ext.h | loom/grove/sql.h | loom/tree/tree_rows.h)
		# these two headers expose the engine to every file that includes them
		case $1 in model/grove/* | model/remote/* | model/tree/* | model/work/* | model/search/* | model/salvage/* | model/reading/*) return 0 ;; esac
		[ "$1" = include/loom/grove/sql.h ] || [ "$1" = include/loom/tree/tree_rows.h ]
		return
		;;
	*curses.h | ncurses*/* | term.h | panel.h | menu.h | form.h)
		case $1 in tui/terminal/*.c) return 0 ;; esac
		return 1
		;;
	linux/* | sys/random.h | sys/inotify.h | sys/syscall.h | sys/eventfd.h | sys/signalfd.h | sys/timerfd.h)
		# the files to port to another system: include/loom/base/system.h
		case $1 in model/base/system.c | model/files/path.c | model/grove/grove_file.c | model/grove/watch.c | model/remote/file_log.c) return 0 ;; esac
		case $1 in tools/loop/loop.c | tui/project/leslie_watch.c) return 0 ;; esac
		return 1
		;;
	curl/*)
		case $1 in tools/http/*.c) return 0 ;; esac
		return 1
		;;
	libpq-fe.h)
		case $1 in model/remote/postgres/*) return 0 ;; esac
		return 1
		;;
	microhttpd.h)
		case $1 in tools/server/*) return 0 ;; esac
		return 1
		;;
	libxml/*)
		case $1 in model/shared/*.c) return 0 ;; esac
		return 1
		;;
	esac
	return 0
}

for file in $(files | grep -E '^(include/loom|model|tools|tui)/.*\.(c|h|def)$'); do
	sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]([^>"]+)[>"].*/\1/p' "$file" >"$list"
	while IFS= read -r included; do
		checked=$((checked + 1))
		library_allowed "$file" "$included" || say "$file: may not include <$included>"
	done <"$list"
done
verdict
