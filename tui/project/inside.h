/* What the files of this room share. */
#ifndef TUI_PROJECT_INSIDE_H
#define TUI_PROJECT_INSIDE_H

#include <loom/lists/list.h>
#include <loom/project/threads_work.h>

/* threads_rows.c: `other` of a row is what it is; its id, less one, counts spans of a thread each.
 */
#define ROW_SPAN 4096
enum row { ROW_THREAD, ROW_ASSET, ROW_REFERENCE };

enum loom_status tui_threads_rows(struct tui_app *app, struct tui_list *list,
				  const struct tui_threads *found, struct loom_err *err) LOOM_MUST;

#endif
