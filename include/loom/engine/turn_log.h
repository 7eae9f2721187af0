/* What a thread keeps of what was done in it: the engine's records as rows of the thread's log.
 *
 * A call becomes a tool_action (line, call, status, code, the first line of its result, its
 * operation) and a tool_result (the text given back, and the whole of it when that was shortened);
 * a thread that moved gets a position. All in the transaction of the call itself. */
#ifndef LOOM_TURN_LOG_H
#define LOOM_TURN_LOG_H

#include <loom/engine/engine.h>

struct loom_turn_log {
	struct loom_engine_log face; /* for struct loom_engine_opts; its ctx is this very struct */
	struct loom_str request;     /* the run that the rows belong to; empty: none. Borrowed */
};

/* Where it is made it stays: the face points at it. */
void loom_turn_log_init(struct loom_turn_log *out, struct loom_str request);

#endif
