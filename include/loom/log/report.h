/* `report.md`: what happened in a thread's last turn, as a Markdown document; `input.md` beside it
 * describes the project. Taken from the thread's log alone. */
#ifndef LOOM_REPORT_H
#define LOOM_REPORT_H

#include <loom/log/log.h>

struct loom_report_opts {
	struct loom_str thread;
	struct loom_str agent;
	struct loom_str tree; /* of the tree: its title */
};

/* Appends the report: who, when, the operations, every call with its result, the messages. A turn
 * is the rows of one request. LOOM_NOT_FOUND if nothing was done or said yet. */
enum loom_status loom_report(const struct loom_log *log, const struct loom_report_opts *opts,
			     struct loom_arena *arena, struct loom_buf *out,
			     struct loom_err *err) LOOM_MUST;

#endif
