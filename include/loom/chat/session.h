/* Calls done from a command line: who does them, and how what came of them is said. */
#ifndef LOOM_CHAT_SESSION_H
#define LOOM_CHAT_SESSION_H

#include <loom/actor/act.h>
#include <loom/engine/turn_log.h>

#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>

/* One call of the command line while it runs. */
struct chat_session {
	struct cli_grove *grove;
	struct loom_agent agent;
	struct loom_engine_opts engine;
	struct loom_turn_log log;
	int64_t own_thread;   /* a turn's: whose log it stands in, 0: it is still to begin */
	struct loom_str node; /* to stand at first */
	int64_t seq;          /* the row of the log that the calls come from, -1: none */
	bool approved;        /* a person has approved these very calls */
	bool one;             /* `do`: one call, without its line */
	bool first;           /* nothing was printed yet */
	bool failed;
	enum loom_status trouble; /* of the store, as results told of it */
	bool over;
	bool stopping;
	enum loom_status status;
	struct loom_err err;
	struct loom_json json; /* of the calls so far, when it is asked for */
	struct loom_buf calls;
};

/* The least that a session needs; the caller adds to session->engine before it acts. */
void chat_session_init(struct chat_session *session, struct cli_grove *grove,
		       const struct loom_agent *agent);
void chat_session_fini(struct chat_session *session);
/* Does the acts with an actor on the worker; prints each result as soon as it is durable, or adds
 * it to `json`. ^C ends what is generated and leaves the rest. A store in trouble that a result has
 * told of is an error too, and not told of again: *err is empty then. */
enum loom_status chat_session_act(struct chat_session *session, const struct loom_act *acts,
				  size_t count, struct loom_err *err) LOOM_MUST;
/* One result: said, and counted where it failed. ctx is the session. */
void chat_session_result(void *ctx, const struct loom_act *act, const struct loom_result *result);
/* Keeps what the turn says beside its calls in the log of `own_thread`: nothing when it says
 * nothing, or when a run is open there. `text` is all of it, as it came (say_turn.c). */
enum loom_status chat_session_said(struct chat_session *session, const struct loom_turn *turn,
				   struct loom_str text, struct loom_err *err) LOOM_MUST;
/* How much the agent's own model takes, for those acts that ask what is left of it. */
void chat_session_budget(struct chat_session *session, const struct loom_act *acts, size_t count);

#endif
