/* What the files of this room share. */
#ifndef TUI_PROJECT_INSIDE_H
#define TUI_PROJECT_INSIDE_H

#include <loom/lists/list.h>
#include <loom/lists/talk.h>
#include <loom/project/threads_work.h>

/* threads_rows.c: `other` of a row is what it is; its id, less one, counts spans of a thread each.
 */
#define ROW_SPAN 4096
enum row { ROW_THREAD, ROW_ASSET, ROW_REFERENCE };

enum loom_status tui_threads_rows(struct tui_app *app, struct tui_list *list,
				  const struct tui_threads *found, struct loom_err *err) LOOM_MUST;

/* talk_list.c: rows of a list, `other` of each is TUI_TALK_ROW and `id` below 0. Those of
 * loom-aware agents that are no threads of an objective. */
#define TUI_TALK_ROW 100
enum loom_status tui_talks_add(struct tui_app *app, struct tui_list *list,
			       const struct tui_threads *found, struct loom_err *err) LOOM_MUST;
void tui_talks_open(struct tui_app *app, const struct tui_entry *entry);
/* Appends where a thread stands. */
void tui_talks_place(struct tui_app *app, const struct loom_thread *thread, struct loom_buf *out);

#endif
