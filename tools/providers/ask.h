/* Asks: one HTTP request each, for one or several choices of a generation, tried up to three
 * times. */
#ifndef TOOLS_ASK_IMPL_H
#define TOOLS_ASK_IMPL_H

#include <loom/providers/dialect.h>
#include "queue.h"

enum provider_ask_state {
	PROVIDER_ASK_QUEUED,
	PROVIDER_ASK_RUNNING,
	PROVIDER_ASK_WAITING, /* for the next try */
	PROVIDER_ASK_OVER,
};

/* The kinds of an answer's body. */
enum provider_ask_body {
	PROVIDER_BODY_NONE,     /* no head yet */
	PROVIDER_BODY_EVENTS,   /* a stream */
	PROVIDER_BODY_DOCUMENT, /* one JSON value, although a stream was requested */
	/* The body of a failure, or of an answer that cannot be understood. */
	PROVIDER_BODY_REFUSAL,
};

/* A choice's part of the answer. */
struct provider_part {
	bool seen;
	bool touched; /* by the current event */
	bool finished;
	enum loom_finish finish;
	struct loom_buf echo; /* what may be a repetition of the answer's beginning */
	bool echo_over;
};

struct provider_ask {
	struct loom_generation *generation;
	const struct provider_dialect *dialect;
	size_t first;
	size_t count;
	uint64_t serial;
	enum provider_ask_state state;
	int tries;
	int waited; /* tries that a server was only waited for */
	struct loom_http_call *call;
	uint64_t timer;
	/* about the answer */
	enum provider_ask_body body;
	int status;
	int64_t retry_after_ms;
	int should_retry;
	struct loom_buf location;
	struct loom_buf document; /* or a refusal */
	struct loom_sse sse;
	struct loom_str event;     /* being read */
	struct loom_str body_sent; /* in the generation's arena */
	enum loom_way way;         /* how its text was presented */
	int lessons;               /* what its refusals have taught so far */
	bool renamed;              /* the token limit has its other name */
	int64_t refused_since;     /* boot clock: no connection since then; 0: not waiting */
	bool wait_told;            /* a person knows that the server is waited for */
	struct provider_part *parts;
	bool began; /* a byte of a successful answer has arrived */
	bool over;
	struct loom_err failure; /* LOOM_OK: no failure */
	struct loom_arena *scratch;
};

/* The largest list of models that is read, in bytes. */
#define PROVIDER_LIST_MAX ((size_t)2 << 20)
/* Asks a server for its list of models; *out is the call. Fails as loom_http_begin does. */
enum loom_status provider_list_ask(const struct provider_lane *lane, int64_t timeout_ms,
				   const struct loom_http_sink *sink, struct loom_http_call **out,
				   struct loom_err *err) LOOM_MUST;

/* Returns whether the ask was for a summary, and the vendor no longer serves its model. */
bool provider_small_gone(const struct provider_ask *ask);
/* Returns the id of the newest small model in a vendor's list of models, other than `gone`; empty:
 * there is none. In the arena. */
struct loom_str provider_small_newest(enum loom_api which, struct loom_str list,
				      struct loom_str gone, struct loom_arena *arena);

/* Prepares the ask for a new answer and drops an earlier one. */
void provider_ask_reset(struct provider_ask *ask);
/* Frees what an answer left. */
void provider_ask_fini(struct provider_ask *ask);
/* Takes the head of an answer and decides the kind of its body. */
void provider_ask_head(struct provider_ask *ask, const struct loom_http_head *head);
/* Takes more bytes of the body and passes complete events to the dialect. */
void provider_ask_bytes(struct provider_ask *ask, struct loom_str bytes);
/* Reads what is left of an answer that ended properly. */
void provider_ask_read_rest(struct provider_ask *ask);
/* Writes the body of the request: the dialect's, without what is known to be refused, with the
 * configured members merged in. Keeps it for the record. */
void provider_ask_body(struct provider_ask *ask, struct loom_buf *out);
/* Learns from a refusal; returns whether the request is to be sent again. Fills ask->failure if
 * something that somebody has set is refused. */
bool provider_ask_relearn(struct provider_ask *ask);
/* Fills ask->failure from a refusal, with a hint. */
void provider_ask_explain_refusal(struct provider_ask *ask);
/* Returns whether the server refused for lack of money, so that a retry is useless. */
bool provider_ask_wants_money(const struct provider_ask *ask);
/* Delivers what a choice has held back as a possible echo. */
void provider_ask_release(struct provider_ask *ask, size_t choice);

#endif
