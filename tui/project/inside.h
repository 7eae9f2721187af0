/* Shared by the files of this room. */
#ifndef TUI_PROJECT_INSIDE_H
#define TUI_PROJECT_INSIDE_H

#include <loom/lists/list.h>
#include <loom/lists/talk.h>
#include <loom/project/threads_work.h>

/* In threads_rows.c: a row's `other` is its kind; its id less one counts in spans of one thread
 * each. */
#define ROW_SPAN 4096
enum row { ROW_THREAD, ROW_ASSET, ROW_REFERENCE };

/* Adds the rows of all threads. */
enum loom_status tui_threads_rows(struct tui_app *app, struct tui_list *list,
				  const struct tui_threads *found, struct loom_err *err) LOOM_MUST;

/* In talk_list.c: rows for conversations with loom-aware agents that are not threads of an
 * objective; `other` is TUI_TALK_ROW and `id` is below 0. */
#define TUI_TALK_ROW 100
/* Adds the rows of conversations. */
enum loom_status tui_talks_add(struct tui_app *app, struct tui_list *list,
			       const struct tui_threads *found, struct loom_err *err) LOOM_MUST;
/* Shows the last of what was said in the conversation of a row. */
void tui_talks_preview(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out);
/* Opens the conversation of a row. */
void tui_talks_open(struct tui_app *app, const struct tui_entry *entry);
/* Appends the position of a thread. */
void tui_talks_place(struct tui_app *app, const struct loom_thread *thread, struct loom_buf *out);

#endif
