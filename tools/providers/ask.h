/* Asks: one HTTP request for one or several choices of a generation, tried up to three times. */
#ifndef TOOLS_ASK_IMPL_H
#define TOOLS_ASK_IMPL_H

#include "dialect.h"
#include "queue.h"

enum provider_ask_state {
	PROVIDER_ASK_QUEUED,
	PROVIDER_ASK_RUNNING,
	PROVIDER_ASK_WAITING, /* to be tried again */
	PROVIDER_ASK_OVER,
};

/* What an answer's body is. */
enum provider_ask_body {
	PROVIDER_BODY_NONE,     /* no head yet */
	PROVIDER_BODY_EVENTS,   /* a stream */
	PROVIDER_BODY_DOCUMENT, /* one JSON value, although a stream was asked for */
	PROVIDER_BODY_REFUSAL,  /* of a status that is no success, or not to be understood */
};

/* What the answer has said of a choice. */
struct provider_part {
	bool seen;
	bool touched; /* by the event that is read now */
	bool finished;
	enum loom_finish finish;
	struct loom_buf echo; /* what may be the repeated beginning of the answer */
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
	struct loom_http_call *call;
	uint64_t timer;
	/* of the answer */
	enum provider_ask_body body;
	int status;
	int64_t retry_after_ms;
	int should_retry;
	struct loom_buf location;
	struct loom_buf document; /* or refusal */
	struct loom_sse sse;
	struct loom_str event; /* that is read now */
	struct provider_part *parts;
	bool began; /* a byte of a success has come */
	bool over;
	struct loom_err failure; /* LOOM_OK: none */
	struct loom_arena *scratch;
};

/* Makes the ask ready for an answer, and forgets an earlier one. */
void provider_ask_reset(struct provider_ask *ask);
/* Frees what the answer left. */
void provider_ask_fini(struct provider_ask *ask);
/* The head and the bytes of an answer. */
void provider_ask_head(struct provider_ask *ask, const struct loom_http_head *head);
void provider_ask_bytes(struct provider_ask *ask, struct loom_str bytes);
/* The answer has ended as it should: what is left of it is read. */
void provider_ask_read_rest(struct provider_ask *ask);
/* Fills ask->failure from a refusal. */
void provider_ask_explain_refusal(struct provider_ask *ask);
/* Whether the server refused for want of money: no use to try again. */
bool provider_ask_wants_money(const struct provider_ask *ask);
/* What a choice has held back as a possible echo is its own after all. */
void provider_ask_release(struct provider_ask *ask, size_t choice);

#endif
