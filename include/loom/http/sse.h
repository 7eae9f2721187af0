/* Streamed answers cut into events: server-sent events, or JSON a line. Bytes come cut anywhere,
 * within a character or a line end too; nothing is looked at before it is whole. */
#ifndef LOOM_SSE_H
#define LOOM_SSE_H

#include <loom/base/err.h>
#include <loom/base/str.h>

enum loom_sse_kind {
	LOOM_SSE_EVENTS, /* text/event-stream */
	LOOM_SSE_LINES,  /* an event a line, empty lines left out */
};

/* One event; `event` is empty when it was not named. Borrowed until the function returns. */
typedef void loom_sse_fn(void *ctx, struct loom_str event, struct loom_str data);

#define LOOM_SSE_MAX ((size_t)8 << 20) /* bytes of a line, and of an event */

/* Fields are the reader's own. */
struct loom_sse {
	enum loom_sse_kind kind;
	loom_sse_fn *fn;
	void *ctx;
	struct loom_buf line;
	struct loom_buf event;
	struct loom_buf data;
	bool has_data;
	bool after_cr;
	bool begun; /* the first line is behind: no byte order mark any more */
};

/* The stream's beginning; ended by loom_sse_fini. */
void loom_sse_init(struct loom_sse *sse, enum loom_sse_kind kind, loom_sse_fn *fn, void *ctx);
/* Frees what was held of an unfinished event; fn is not called. */
void loom_sse_fini(struct loom_sse *sse);
/* Calls fn for each event that is whole now. LOOM_LIMIT for a line or an event that is too long;
 * every further call fails then. */
enum loom_status loom_sse_feed(struct loom_sse *sse, struct loom_str bytes,
			       struct loom_err *err) LOOM_MUST;
/* The answer is over: a last line without its end counts in LOOM_SSE_LINES; in events what is whole
 * counts although the empty line after it is missing, and a line that was cut off does not. */
enum loom_status loom_sse_end(struct loom_sse *sse, struct loom_err *err) LOOM_MUST;

#endif
