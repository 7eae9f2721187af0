/* An HTTP server in the event loop: requests in, answers and streams out.
 *
 * A request is an exchange. It is refused by its head, or read whole within the limit that its head
 * was given, and then answered at once, later, or piece by piece. Everything happens in the loop's
 * thread, and what a client sends, withholds or leaves untaken costs a bounded amount of memory and
 * keeps nobody else waiting. */
#ifndef LOOM_SERVER_H
#define LOOM_SERVER_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/base/str.h>
#include <loom/loop/loop.h>

struct loom_server;
struct loom_exchange;

/* The head of a request has arrived: answer it to refuse the request, or say with
 * loom_exchange_take how large a body may be (nothing, if it says nothing). */
typedef void loom_server_fn(void *ctx, struct loom_exchange *exchange);

struct loom_server_opts {
	struct loom_loop *loop;
	struct loom_str address;      /* "127.0.0.1:8080", "[::1]:0"; port 0: any free one */
	bool outside;                 /* the address need not be of this machine alone */
	const struct loom_str *names; /* further host names by which it is reached */
	size_t name_count;
	const char *certificate; /* PEM texts, both or neither */
	const char *key;
	bool proxied;  /* reached by https through a program in front */
	int64_t hurry; /* divides the time that a client is given; 0: 1 */
	loom_server_fn *head;
	loom_server_fn *request; /* the whole request has arrived, unless its head was refused */
	void *ctx;
};

/* Listens; free with loom_server_close. LOOM_REFUSED for an address that others can reach unless
 * `outside` is set, LOOM_USAGE for a text that is no address, LOOM_FAULT without the library,
 * LOOM_CONFLICT for a port that is taken. */
enum loom_status loom_server_open(const struct loom_server_opts *opts, struct loom_server **out,
				  struct loom_err *err) LOOM_MUST;
/* Ends all exchanges and stops listening; NULL is allowed. Not inside a callback of the server. */
void loom_server_close(struct loom_server *server);
/* Appends where the server is reached: "http://127.0.0.1:8080". */
void loom_server_url(const struct loom_server *server, struct loom_buf *out);

/* ---- a request ---- */

/* Returns "GET", "POST" …; borrowed, as everything about a request is, while its exchange lives. */
struct loom_str loom_exchange_method(const struct loom_exchange *exchange);
/* Returns the decoded path, without the query. */
struct loom_str loom_exchange_path(const struct loom_exchange *exchange);
/* Returns a parameter of the query, decoded; p NULL: absent. */
struct loom_str loom_exchange_query(const struct loom_exchange *exchange, const char *name);
/* Returns a header's value without blanks around it; p NULL: absent, or there are several of that
 * name. */
struct loom_str loom_exchange_header(const struct loom_exchange *exchange, const char *name);
/* Whether an Accept header allows this type, such as "text/event-stream". */
bool loom_exchange_accepts(const struct loom_exchange *exchange, struct loom_str type);
/* Whether a page of some other origin sent the request, by its Origin header; without one, false.
 * `null_too`: "null" counts as another one. */
bool loom_exchange_is_foreign(const struct loom_exchange *exchange, bool null_too);
/* Returns the body, all of it once `request` is called. */
struct loom_str loom_exchange_body(const struct loom_exchange *exchange);
/* Returns a field of a body that is a form (application/x-www-form-urlencoded), decoded into the
 * arena; p NULL: absent or malformed. */
struct loom_str loom_exchange_field(const struct loom_exchange *exchange, const char *name,
				    struct loom_arena *arena);
/* Returns whether so much waits to be taken by others that only a small answer is welcome now. */
bool loom_exchange_is_pressed(const struct loom_exchange *exchange);
/* An arena that lives as long as the exchange. */
struct loom_arena *loom_exchange_arena(struct loom_exchange *exchange);

/* In `head`: accepts a body of at most `max` bytes. */
void loom_exchange_take(struct loom_exchange *exchange, size_t max);

/* ---- its answer ---- */

struct loom_header {
	const char *name;
	struct loom_str value;
};
#define LOOM_ANSWER_HEADERS 8
struct loom_http_answer {
	unsigned status;
	const char *type; /* NULL: there is no body */
	struct loom_str body;
	/* Ends with the first whose name is NULL. Line breaks in a value are refused by an
	 * assertion. */
	struct loom_header headers[LOOM_ANSWER_HEADERS];
};
/* Answers an exchange; the body is copied. It may be the first answer only. */
void loom_exchange_answer(struct loom_exchange *exchange, const struct loom_http_answer *answer);
/* Answers with a short text: the status's reason and a sentence. */
void loom_exchange_refuse(struct loom_exchange *exchange, unsigned status, const char *why);

/* Begins an answer in pieces, of which `answer` has everything but the body. */
void loom_exchange_stream(struct loom_exchange *exchange, const struct loom_http_answer *answer);
/* Adds a piece. Nothing is limited here: ask loom_exchange_untaken first. */
void loom_exchange_write(struct loom_exchange *exchange, struct loom_str piece);
/* Ends the stream when its client has taken everything. */
void loom_exchange_end(struct loom_exchange *exchange);
/* Returns how many bytes the client has not taken yet. */
size_t loom_exchange_untaken(const struct loom_exchange *exchange);

/* Has fn called once, when the exchange is over and its pointer dies: answered, or left by its
 * client. An exchange that is neither answered nor followed when `request` returns is answered with
 * status 500. */
typedef void loom_exchange_over_fn(void *ctx);
void loom_exchange_follow(struct loom_exchange *exchange, loom_exchange_over_fn *fn, void *ctx);

#endif
