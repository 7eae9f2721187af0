/* `report.md`: what happened in the last turn of a thread, as one Markdown document beside
 * `input.md`, which says how the world is. Taken from the thread's log and from nothing else. */
#ifndef LOOM_REPORT_H
#define LOOM_REPORT_H

#include <loom/log/log.h>

struct loom_report_opts {
	struct loom_str thread;
	struct loom_str agent;
	struct loom_str tree; /* its title */
};

/* Appends the report: who, when, the operations, every call with its result, what was said. A turn
 * is the rows of one request. LOOM_NOT_FOUND when nobody has done or said anything yet. */
enum loom_status loom_report(const struct loom_log *log, const struct loom_report_opts *opts,
			     struct loom_arena *arena, struct loom_buf *out,
			     struct loom_err *err) LOOM_MUST;

#endif
