/* A loom-aware agent's turns in its thread, driven from a loop. A turn builds the context, asks the
 * model, scans the answer as it streams and does its calls; their results join the log, and the
 * model is asked again until it makes no more calls. Nobody waits: the worker does everything that
 * touches the store, and the sink is called in the loop's thread.
 *
 * What a person says during a turn steers it: it is queued in the thread and joins the log before
 * the model is asked next. What never joins the log comes back and is kept as a draft. */
#ifndef LOOM_CHAT_H
#define LOOM_CHAT_H

#include <loom/log/lifecycle.h>
#include <loom/actor/act.h>

#define LOOM_CHAT_ROUNDS_MAX 8 /* requests to the model in one turn */

struct loom_chat;

/* name, word */
#define LOOM_CHAT_STATE_LIST(X)                                                                    \
	X(IDLE, "idle")         /* no turn is running */                                           \
	X(READING, "reading")   /* building the context, or writing */                             \
	X(ASKING, "asking")     /* the model was asked and has said nothing yet */                 \
	X(THINKING, "thinking") /* the model thinks before it says anything */                     \
	X(SAYING, "saying")                                                                        \
	X(ACTING, "acting")   /* doing its calls */                                                \
	X(WAITING, "waiting") /* for a person's leave */
enum loom_chat_state {
#define X(name, word) LOOM_CHAT_##name,
	LOOM_CHAT_STATE_LIST(X)
#undef X
};
/* Returns the state's word, as "idle". Static. */
const char *loom_chat_state_word(enum loom_chat_state state);

/* How a turn ended. Texts live until the callback returns. */
struct loom_chat_end {
	enum loom_status status; /* LOOM_CANCELLED: stopped; what was done stays done */
	struct loom_err err;     /* filled when status is not LOOM_OK */
	int64_t rounds;
	size_t calls;
	size_t waiting; /* calls of its last round that a person has to approve */
	bool limited;   /* ended by a limit, not by the model */
	struct loom_usage usage;
};

/* Appends which limit ended a limited turn, and how far the turn came. */
void loom_chat_limit_text(const struct loom_chat_end *end, struct loom_buf *out);

/* The callbacks of a chat. All run in the loop's thread; any but done may be NULL. */
struct loom_chat_sink {
	void (*state)(void *ctx, enum loom_chat_state state);
	/* A turn has begun: its text is row `seq` of the thread's log. */
	void (*began)(void *ctx, int64_t thread, int64_t seq);
	/* Something a person should know, for example a broken reference. */
	void (*warning)(void *ctx, struct loom_str text);
	/* More prose of the model, without its calls and what follows them. */
	void (*said)(void *ctx, struct loom_str text);
	/* The model has finished a message; it is row `seq`. */
	void (*message)(void *ctx, int64_t seq);
	/* A call, or a line that is not a call, is done and durable. */
	void (*result)(void *ctx, const struct loom_act *act, const struct loom_result *result);
	/* Another model begins to write `count` nodes for the call, which will have these ids, and
	 * then goes on writing them. */
	void (*begin)(void *ctx, const struct loom_act *act, const char *const *ids, size_t count);
	void (*chunk)(void *ctx, size_t choice, struct loom_str text);
	/* A person's leave is needed. The proposal lives until the state changes. */
	void (*waits)(void *ctx, const struct loom_proposal *proposal);
	/* A text said during the turn was queued (LOOM_OK), or `err` says why not. */
	void (*queued)(void *ctx, struct loom_str text, enum loom_status status,
		       const struct loom_err *err);
	/* That many queued texts have joined the log; the model hears them next. */
	void (*heard)(void *ctx, size_t count);
	/* A text that never joined the log comes back; it was kept as a draft with this id. Empty:
	 * it could not be kept. */
	void (*returned)(void *ctx, struct loom_str text, struct loom_str draft);
	void (*done)(void *ctx, const struct loom_chat_end *end);
	void *ctx;
};

struct loom_chat_opts {
	struct loom_loop *loop;                 /* borrowed */
	struct loom_worker *worker;             /* borrowed; its context is a struct loom_store * */
	const struct loom_generator *generator; /* borrowed */
	int64_t agent;                          /* a loom-aware one */
	/* Selects the implicit thread of agent and tree, unless … */
	int64_t tree;
	int64_t thread; /* … this is set; 0: the implicit thread */
	/* A node where the conversation begins if its log is empty; 0: where the thread stands. */
	int64_t place;
	bool goes;                             /* it goes there in any case */
	struct loom_session *session;          /* borrowed; NULL: the chat opens its own */
	const struct loom_engine_hooks *hooks; /* borrowed; may be NULL */
	bool alone; /* nobody can be asked for leave: what needs it waits, and the turn ends */
	struct loom_chat_sink sink;
};

/* Creates a chat and copies the options; opens nothing yet. Free it with loom_chat_destroy. */
struct loom_chat *loom_chat_create(const struct loom_chat_opts *opts) LOOM_MUST;
/* Stops the turn under way and frees the chat; the sink is not called any more. NULL is allowed.
 * What the options borrow must outlive the worker's remaining work. */
void loom_chat_destroy(struct loom_chat *chat);

/* Takes a turn with this text, which is copied; sink.done reports its end. Must not be called while
 * a turn runs. */
void loom_chat_start(struct loom_chat *chat, struct loom_str text);
/* Like loom_chat_start, with a text that was handed over and not said: of a pipe, a document. A
 * call that stands in it is not taken for the model's own. */
void loom_chat_hand(struct loom_chat *chat, struct loom_str text);
/* Takes up a turn that was open at a checkpoint, as if it had never stopped: the model is asked
 * next. `what` is copied. Fails, through sink.done, with LOOM_CONFLICT if the thread has moved on.
 */
void loom_chat_take_up(struct loom_chat *chat, const struct loom_resuming *what);
/* Queues a text, which is copied, for the turn under way. Without a turn, or when it is too late,
 * sink.returned gives it back. */
void loom_chat_steer(struct loom_chat *chat, struct loom_str text);
enum loom_chat_cancel {
	LOOM_CANCEL_ONE, /* the generation under way: a model's nodes, else the turn's own text */
	LOOM_CANCEL_ALL, /* the turn */
};
/* Stops a generation or the turn; what has arrived is kept. Does nothing when nothing runs. */
void loom_chat_cancel(struct loom_chat *chat, enum loom_chat_cancel what);
/* From now on nobody can be asked for leave: see `alone` of the options. What is being asked
 * already still waits for an answer. */
void loom_chat_alone(struct loom_chat *chat);
/* Returns the state last reported to the sink. */
enum loom_chat_state loom_chat_state(const struct loom_chat *chat);
/* Returns the chat's thread; 0 before the first turn has begun. */
int64_t loom_chat_thread(const struct loom_chat *chat);

/* Returns whether the thread has a turn whose process died during it. */
bool loom_chat_left_open(struct loom_store *store, int64_t thread);
/* Ends such a turn as the next one would: what the model was saying joins the log, and the queued
 * texts become drafts. For readers of the thread; `store` must be open with LOOM_WRITE. Fails as
 * the store does. */
enum loom_status loom_chat_recover(struct loom_store *store, int64_t thread,
				   struct loom_err *err) LOOM_MUST;

#endif
