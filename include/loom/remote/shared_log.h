/* A shared log as the store needs it: numbered entries, appended one after the other. An engine is
 * a table of functions over its own `ctx`. */
#ifndef LOOM_SHARED_LOG_H
#define LOOM_SHARED_LOG_H

#include <loom/remote/entry.h>

/* A place in a log: so many entries, and the chain up to there. Nothing came before 0. */
struct model_mark {
	int64_t seq;
	struct loom_hash chain;
};

/* Receives an entry; LOOM_OK to go on, LOOM_CANCELLED to stop early without a failure. */
typedef enum loom_status model_entry_fn(void *ctx, int64_t seq, struct loom_str bytes,
					struct loom_err *err);

struct model_log {
	/* Begins a turn: until it is left, nobody else appends. LOOM_OFFLINE if the log cannot be
	 * reached, LOOM_BUSY if somebody's turn takes too long. */
	enum loom_status (*turn)(void *ctx, struct loom_err *err);
	/* Gives the log's last mark. */
	enum loom_status (*head)(void *ctx, struct model_mark *out, struct loom_err *err);
	/* Gives the mark at `seq`, whose chain is not 0 if the log reaches that far. */
	enum loom_status (*mark)(void *ctx, int64_t seq, struct model_mark *out,
				 struct loom_err *err);
	/* Gives the entries after `seq` in order; texts are valid during the call. */
	enum loom_status (*since)(void *ctx, int64_t seq, model_entry_fn *each, void *each_ctx,
				  struct loom_err *err);
	/* In a turn: makes an entry the next one. It is durable when this returns; the turn ends
	 * with it. LOOM_CONFLICT if the log's head is not `base`, or the id is in it already. */
	enum loom_status (*append)(void *ctx, const struct model_mark *base,
				   const uint8_t uid[MODEL_ENTRY_UID], struct loom_str bytes,
				   struct loom_err *err);
	/* Ends a turn without an entry; harmless outside one. */
	void (*leave)(void *ctx);
	/* Frees the connection. */
	void (*close)(void *ctx);
};

/* Makes an engine for an address (file:///ABS/FILE), which connects when it is first used.
 * LOOM_INVALID. */
enum loom_status model_log_at(struct loom_str url, const struct model_log **out, void **out_ctx,
			      struct loom_err *err) LOOM_MUST;

#endif
