/* Cuts a streamed answer into events: server-sent events, or one JSON value per line. The input may
 * be split anywhere, even inside a character or a line end; nothing is interpreted before it is
 * complete. */
#ifndef LOOM_SSE_H
#define LOOM_SSE_H

#include <loom/base/err.h>
#include <loom/base/str.h>

enum loom_sse_kind {
	LOOM_SSE_EVENTS, /* text/event-stream */
	LOOM_SSE_LINES,  /* one event per line, empty lines skipped */
};

/* Called with one event; `event` is empty when it has no name. Both texts are borrowed until the
 * function returns. */
typedef void loom_sse_fn(void *ctx, struct loom_str event, struct loom_str data);

#define LOOM_SSE_MAX ((size_t)8 << 20) /* longest line and longest event in bytes */

/* A reader's state. The fields are private. */
struct loom_sse {
	enum loom_sse_kind kind;
	loom_sse_fn *fn;
	void *ctx;
	struct loom_buf line;
	struct loom_buf event;
	struct loom_buf data;
	bool has_data;
	bool after_cr;
	bool begun; /* past the first line: a byte order mark is data now */
};

/* Initialises a reader at the beginning of a stream; fn is called with `ctx`. Free it with
 * loom_sse_fini. */
void loom_sse_init(struct loom_sse *sse, enum loom_sse_kind kind, loom_sse_fn *fn, void *ctx);
/* Frees an unfinished event without calling fn. */
void loom_sse_fini(struct loom_sse *sse);
/* Reads more bytes and calls fn for each event that is complete. Fails with LOOM_LIMIT for a line
 * or an event that is too long, and so does every later call. */
enum loom_status loom_sse_feed(struct loom_sse *sse, struct loom_str bytes,
			       struct loom_err *err) LOOM_MUST;
/* Ends the stream. In LOOM_SSE_LINES a last line without a line end still counts; in
 * LOOM_SSE_EVENTS the last event counts although its empty line is missing, but a line that was cut
 * off does not. Fails with LOOM_LIMIT after an earlier failure. */
enum loom_status loom_sse_end(struct loom_sse *sse, struct loom_err *err) LOOM_MUST;

#endif
