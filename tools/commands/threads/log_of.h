/* What the commands about a thread's log share: which thread is meant, its log opened. */
#ifndef COMMANDS_THREADS_LOG_OF_H
#define COMMANDS_THREADS_LOG_OF_H

#include <loom/work/thread_log.h>

#include <loom/chat/ties.h>
#include <loom/chat/lost_input.h>

/* A log that one call looks at, or works on. */
struct threads_log {
	const struct loom_agent *whose; /* NULL: the thread is named, or the actor's */
	bool makes; /* it is written to: a thread that was never used begins to exist */
	struct loom_thread thread;
	struct loom_thread_log *keeper;
	struct loom_log log;
	struct loom_str prompt;
	struct loom_str named; /* the thread; p NULL: nothing names it */
};

/* The thread that an agent has in the current tree without having been given one. */
enum loom_status threads_log_of(struct cli_grove *grove, const struct loom_agent *whose,
				struct loom_thread *out, struct loom_err *err) LOOM_MUST;
/* The thread that is named, else (name.p NULL) the implicit one. LOOM_PERMISSION when it is another
 * agent's. */
enum loom_status threads_log_find(struct cli_grove *grove, struct loom_str name,
				  struct loom_thread *out, struct loom_err *err) LOOM_MUST;
/* The implicit thread, which begins to exist when it was never used; on a connection that writes.
 */
enum loom_status threads_log_ensure(struct cli_grove *grove, struct loom_store *store,
				    struct loom_thread *out, struct loom_err *err) LOOM_MUST;
/* Before something is written into the log of a spawned thread, somebody must hold it; one that is
 * not named (p NULL) needs nothing. */
enum loom_status threads_log_tie(struct cli_grove *grove, struct loom_str name,
				 struct loom_err *err) LOOM_MUST;
/* Opens the log that `out` asks for; `session` is nullable. The caller closes `out->keeper`, which
 * is NULL after an error that came before. */
enum loom_status threads_log_open(struct cli_grove *grove, struct loom_store *store,
				  const struct loom_session *session, struct threads_log *out,
				  struct loom_err *err) LOOM_MUST;
/* The lifecycle over it. */
enum loom_status threads_log_run(struct loom_store *store, const struct threads_log *log,
				 struct loom_run **out, struct loom_err *err) LOOM_MUST;

#endif
