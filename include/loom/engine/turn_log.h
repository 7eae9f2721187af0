/* The engine's records as rows of the thread's log.
 *
 * A call becomes a tool_action (line, call, status, code, first line of the result, operation) and
 * a tool_result (the text given back, and the whole text when that was shortened); a move becomes a
 * position. All are written in the transaction of the call. */
#ifndef LOOM_TURN_LOG_H
#define LOOM_TURN_LOG_H

#include <loom/engine/engine.h>

struct loom_turn_log {
	struct loom_engine_log face; /* for struct loom_engine_opts; its ctx is this struct */
	struct loom_str request;     /* the run that the rows belong to; empty: none; borrowed */
};

/* Initialises *out. It must not move afterwards, because the face points at it. */
void loom_turn_log_init(struct loom_turn_log *out, struct loom_str request);
/* Inside a write: appends the row that says a thread stands at this node from now on. `request` is
 * the run it belongs to; empty: none. Fails as the store and the log do. */
enum loom_status loom_turn_log_step(struct loom_store *store, const struct loom_log *log,
				    struct loom_str request, int64_t place,
				    struct loom_err *err) LOOM_MUST;

/* Names a turn from outside by its door and its first row, "run-12", to tell its rows from those of
 * others; in the arena. thread 0: its thread begins with it. Fails as the log does. */
enum loom_status loom_turn_name(struct loom_store *store, int64_t thread, const char *door,
				struct loom_arena *arena, struct loom_str *out,
				struct loom_err *err) LOOM_MUST;

struct loom_turn;
/* Such a turn, and where it belongs. */
struct loom_turn_said {
	int64_t thread;
	struct loom_str request;
	const struct loom_turn *turn; /* read with its prose */
	struct loom_str text;         /* as it arrived */
};
/* Returns whether a turn says anything beside its calls. */
bool loom_turn_says(const struct loom_turn *turn);
/* Inside a write: keeps in its thread's log what a turn says beside its calls. It joins the
 * conversation unless a run is open in the thread. Fails as the log does. */
enum loom_status loom_turn_said(struct loom_store *store, const struct loom_turn_said *said,
				struct loom_err *err) LOOM_MUST;

#endif
