/* `report.md` of a thread in the store: what happened in its last turn, and who did it where. */
#ifndef LOOM_THREAD_REPORT_H
#define LOOM_THREAD_REPORT_H

#include <loom/work/thread.h>

/* Appends the report of log/report.h, with the names of the thread's agent and tree. LOOM_NOT_FOUND
 * if nothing was done or said in it yet. */
enum loom_status loom_thread_report(struct loom_store *store, const struct loom_thread *thread,
				    struct loom_arena *arena, struct loom_buf *out,
				    struct loom_err *err) LOOM_MUST;

#endif
