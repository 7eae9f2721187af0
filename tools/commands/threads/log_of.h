/* Shared by the commands about a thread's log: finding the thread and opening its log. */
#ifndef COMMANDS_THREADS_LOG_OF_H
#define COMMANDS_THREADS_LOG_OF_H

#include <loom/work/thread_log.h>

#include <loom/chat/ties.h>
#include <loom/chat/lost_input.h>
#include <loom/cli/open_grove.h>

/* A log that a call reads or writes. */
struct threads_log {
	const struct loom_agent *whose; /* NULL: the named thread, or the actor's */
	bool makes;                     /* it is written: create a thread that was never used */
	struct loom_thread thread;
	struct loom_thread_log *keeper;
	struct loom_log log;
	struct loom_str prompt;
	struct loom_str named; /* the thread; p NULL: none named */
};

/* The agent of that name in *out, kept in `agent`, for its thread in the current tree; NULL without
 * a name (p NULL). LOOM_PERMISSION to an agent for another's: a person may read any log. */
enum loom_status threads_log_whose(struct cli_grove *grove, struct loom_str name,
				   struct loom_agent *agent, const struct loom_agent **out,
				   struct loom_err *err) LOOM_MUST;
/* The system prompt that the thread's agent has, which a snapshot must keep; p NULL: none. */
enum loom_status threads_log_prompt(struct cli_grove *grove, const struct cli_voices *voices,
				    const struct loom_thread *thread, struct loom_str *out,
				    struct loom_err *err) LOOM_MUST;
/* The agent's own thread in the current tree. */
enum loom_status threads_log_of(struct cli_grove *grove, const struct loom_agent *whose,
				struct loom_thread *out, struct loom_err *err) LOOM_MUST;
/* The named thread or, with name.p NULL, the agent's own in the current tree. LOOM_PERMISSION if it
 * is another agent's. */
enum loom_status threads_log_find(struct cli_grove *grove, struct loom_str name,
				  struct loom_thread *out, struct loom_err *err) LOOM_MUST;
/* Ties a spawned thread to an agent before its log is first written. Without a name (p NULL) does
 * nothing. */
enum loom_status threads_log_tie(struct cli_grove *grove, struct loom_str name,
				 struct loom_err *err) LOOM_MUST;
/* Opens the log that `out` asks for; `session` may be NULL. The caller closes `out->keeper`, which
 * is NULL after an early error. */
enum loom_status threads_log_open(struct cli_grove *grove, struct loom_store *store,
				  const struct loom_session *session, struct threads_log *out,
				  struct loom_err *err) LOOM_MUST;
/* Creates the lifecycle of a run on the opened log. */
enum loom_status threads_log_run(struct loom_store *store, const struct threads_log *log,
				 struct loom_run **out, struct loom_err *err) LOOM_MUST;

#endif
