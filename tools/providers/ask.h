/* Asks: one HTTP request for one or several choices of a generation, tried up to three times. */
#ifndef TOOLS_ASK_IMPL_H
#define TOOLS_ASK_IMPL_H

#include "dialect.h"
#include "queue.h"

enum tool_ask_state {
	TOOL_ASK_QUEUED,
	TOOL_ASK_RUNNING,
	TOOL_ASK_WAITING, /* to be tried again */
	TOOL_ASK_OVER,
};

/* What an answer's body is. */
enum tool_ask_body {
	TOOL_BODY_NONE,     /* no head yet */
	TOOL_BODY_EVENTS,   /* a stream */
	TOOL_BODY_DOCUMENT, /* one JSON value, although a stream was asked for */
	TOOL_BODY_REFUSAL,  /* of a status that is no success, or not to be understood */
};

/* What the answer has said of a choice. */
struct tool_part {
	bool seen;
	bool touched; /* by the event that is read now */
	bool finished;
	enum loom_finish finish;
	struct loom_buf echo; /* what may be the repeated beginning of the answer */
	bool echo_over;
};

struct tool_ask {
	struct loom_generation *generation;
	const struct tool_dialect *dialect;
	size_t first;
	size_t count;
	uint64_t serial;
	enum tool_ask_state state;
	int tries;
	struct loom_http_call *call;
	uint64_t timer;
	/* of the answer */
	enum tool_ask_body body;
	int status;
	int64_t retry_after_ms;
	int should_retry;
	struct loom_buf location;
	struct loom_buf document; /* or refusal */
	struct loom_sse sse;
	struct loom_str event; /* that is read now */
	struct tool_part *parts;
	bool began; /* a byte of a success has come */
	bool over;
	struct loom_err failure; /* LOOM_OK: none */
	struct loom_arena *scratch;
};

/* Makes the ask ready for an answer, and forgets an earlier one. */
void tool_ask_reset(struct tool_ask *ask);
/* Frees what the answer left. */
void tool_ask_fini(struct tool_ask *ask);
/* The head and the bytes of an answer. */
void tool_ask_head(struct tool_ask *ask, const struct loom_http_head *head);
void tool_ask_bytes(struct tool_ask *ask, struct loom_str bytes);
/* The answer has ended as it should: what is left of it is read. */
void tool_ask_read_rest(struct tool_ask *ask);
/* Fills ask->failure from a refusal. */
void tool_ask_explain_refusal(struct tool_ask *ask);
/* Whether the server refused for want of money: no use to try again. */
bool tool_ask_wants_money(const struct tool_ask *ask);
/* What a choice has held back as a possible echo is its own after all. */
void tool_ask_release(struct tool_ask *ask, size_t choice);

#endif
