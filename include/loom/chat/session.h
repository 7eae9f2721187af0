/* Calls done from a command line, and how their results are printed. */
#ifndef LOOM_CHAT_SESSION_H
#define LOOM_CHAT_SESSION_H

#include <loom/actor/act.h>
#include <loom/engine/turn_log.h>

#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>

/* The calls of one command line while they run. */
struct chat_session {
	struct cli_grove *grove;
	struct loom_agent agent;
	struct loom_engine_opts engine;
	struct loom_turn_log log;
	int64_t own_thread;   /* for a turn: the thread whose log gets it; 0: not yet begun */
	struct loom_str node; /* where to stand first */
	int64_t seq;          /* the row of the log that the calls come from; -1: none */
	bool approved;        /* a person has approved exactly these calls */
	bool one;             /* `do`: one call, printed without its line */
	bool first;           /* nothing has been printed yet */
	bool failed;
	enum loom_status trouble; /* trouble with the store that a result reported */
	bool over;
	bool stopping;
	enum loom_status status;
	struct loom_err err;
};

/* Initialises a session for an agent; the caller adds to session->engine before acting. `grove` is
 * borrowed. */
void chat_session_init(struct chat_session *session, struct cli_grove *grove,
		       const struct loom_agent *agent);
/* Does the acts with an actor on the worker; prints each result when it is durable, or with --json
 * adds it to the list that the answer has open. ^C stops the generation and skips the rest. Trouble
 * with the store that a result has reported is returned as an error with *err empty, so that it is
 * printed once. */
enum loom_status chat_session_act(struct chat_session *session, const struct loom_act *acts,
				  size_t count, struct loom_err *err) LOOM_MUST;
/* Prints what is new to the thread of a turn, before its results; with --json as "told". Empty:
 * nothing is. */
void chat_session_tell(struct chat_session *session, struct loom_str text);
/* Prints one result and notes whether it failed. ctx is the session. */
void chat_session_result(void *ctx, const struct loom_act *act, const struct loom_result *result);
/* Looks up the budget of the agent's own model, if one of the acts asks how much of it is left. */
void chat_session_budget(struct chat_session *session, const struct loom_act *acts, size_t count);

#endif
