/* A loom-aware agent's turns in its thread, driven from a loop: the context is built, the model
 * asked, what it says is scanned as it streams; its calls are done, their results join the log, and
 * it goes on until it makes no more. Nobody waits: everything of the store is done on the worker,
 * everything is told in the loop's thread.
 *
 * What is said while a turn runs steers it: it is kept in the thread's queue and joins the log
 * before the model is asked next. What never joined comes back, and is kept as a draft. */
#ifndef LOOM_CHAT_H
#define LOOM_CHAT_H

#include <loom/actor/act.h>

#define LOOM_CHAT_ROUNDS_MAX 8 /* calls of the model in one turn */

struct loom_chat;

/* name, word */
#define LOOM_CHAT_STATE_LIST(X)                                                                    \
	X(IDLE, "idle")       /* no turn runs */                                                   \
	X(READING, "reading") /* the context is built, or something is written down */             \
	X(ASKING, "asking")   /* the model was asked and says nothing yet */                       \
	X(SAYING, "saying")                                                                        \
	X(ACTING, "acting")   /* its calls are done */                                             \
	X(WAITING, "waiting") /* for a person's leave */
enum loom_chat_state {
#define X(name, word) LOOM_CHAT_##name,
	LOOM_CHAT_STATE_LIST(X)
#undef X
};
/* Lives for ever. */
const char *loom_chat_state_word(enum loom_chat_state state);

/* How a turn ended. Texts live until the callback returns. */
struct loom_chat_end {
	enum loom_status status; /* LOOM_CANCELLED: stopped; what was done stays done */
	struct loom_err err;     /* when status says so */
	int64_t rounds;
	size_t calls;
	bool limited; /* ended by the limits, not by the model */
	struct loom_usage usage;
};

/* For one that was limited: by what, and how far it came. */
void loom_chat_limit_text(const struct loom_chat_end *end, struct loom_buf *out);

/* All in the loop's thread; any may be NULL, save done. */
struct loom_chat_sink {
	void (*state)(void *ctx, enum loom_chat_state state);
	/* A turn has begun: its text is row `seq` of the thread's log. */
	void (*began)(void *ctx, int64_t thread, int64_t seq);
	/* Something that a person should know, e.g. a reference that is broken. */
	void (*warning)(void *ctx, struct loom_str text);
	/* Prose of the model, as it grows; calls, and what it says behind them, are left out. */
	void (*said)(void *ctx, struct loom_str text);
	/* The model has said all of one message; row `seq`. */
	void (*message)(void *ctx, int64_t seq);
	/* One of its calls (or a line that is none) is done, and durable. */
	void (*result)(void *ctx, const struct loom_act *act, const struct loom_result *result);
	/* Another model begins to write nodes for it, and goes on. As in act.h. */
	void (*begin)(void *ctx, const struct loom_act *act, const char *const *ids, size_t count);
	void (*chunk)(void *ctx, size_t choice, struct loom_str text);
	/* A person's leave is needed. Lives until the state is another. */
	void (*waits)(void *ctx, const struct loom_proposal *proposal);
	/* What was said meanwhile is queued (LOOM_OK), or why not. */
	void (*queued)(void *ctx, struct loom_str text, enum loom_status status,
		       const struct loom_err *err);
	/* So many queued texts have joined the log; the model is told next. */
	void (*heard)(void *ctx, size_t count);
	/* A text that never joined comes back, kept as a draft of this id (empty: it could not be).
	 */
	void (*returned)(void *ctx, struct loom_str text, struct loom_str draft);
	void (*done)(void *ctx, const struct loom_chat_end *end);
	void *ctx;
};

struct loom_chat_opts {
	struct loom_loop *loop;                 /* borrowed */
	struct loom_worker *worker;             /* borrowed; its context is a struct loom_store * */
	const struct loom_generator *generator; /* borrowed */
	int64_t agent;                          /* a loom-aware one */
	int64_t tree;                           /* for the implicit thread of agent and tree … */
	int64_t thread;                         /* … or this one; 0: the implicit one */
	struct loom_session *session;           /* borrowed; NULL: the chat opens its own */
	const struct loom_engine_hooks *hooks;  /* borrowed, nullable */
	struct loom_chat_sink sink;
};

/* Copies the options and opens nothing yet. Freed by loom_chat_destroy. */
struct loom_chat *loom_chat_create(const struct loom_chat_opts *opts) LOOM_MUST;
/* Stops the turn under way; the sink hears nothing more. NULL is fine. The worker must be finished
 * before what the options borrow goes away. */
void loom_chat_destroy(struct loom_chat *chat);

/* Takes a turn with this text (copied); sink.done comes when it is over. Not while one runs. */
void loom_chat_start(struct loom_chat *chat, struct loom_str text);
/* Queues a text (copied) for the turn under way. With no turn it comes back. */
void loom_chat_steer(struct loom_chat *chat, struct loom_str text);
enum loom_chat_cancel {
	LOOM_CANCEL_ONE, /* what is being generated now: a model's nodes, else the turn's own text
			  */
	LOOM_CANCEL_ALL, /* the turn */
};
/* What arrived is kept. Harmless when nothing runs. */
void loom_chat_cancel(struct loom_chat *chat, enum loom_chat_cancel what);
/* What it is at, as of the last thing the sink was told. */
enum loom_chat_state loom_chat_state(const struct loom_chat *chat);
/* Its thread, 0 before the first turn has begun. */
int64_t loom_chat_thread(const struct loom_chat *chat);

/* Whether a thread has a turn whose process died in it. */
bool loom_chat_left_open(struct loom_store *store, int64_t thread);
/* Ends such a turn, as the next one would: what it was saying joins the log, and what was queued
 * for it is kept as drafts. For those who look at the thread; on a store that writes. */
enum loom_status loom_chat_recover(struct loom_store *store, int64_t thread,
				   struct loom_err *err) LOOM_MUST;

#endif
