/* A model's server of our own, on this machine, that does what a script says: every format, and
 * every way to misbehave.
 *
 * A script is lines. `on METHOD PATH` begins a reply; several for one path are given in turn, and
 * the last of them for ever. What a reply does, in order:
 *
 *	status N          type T          header NAME: VALUE       before anything is sent
 *	send TEXT         sends (the head first); \n \r \t \\ \xHH, \A the Authorization or
 *x-api-key that came, \P the port raw TEXT          the same without a head bytewise MS       from
 *here on one byte a write, with a pause repeat N TEXT     sends N times headers N         a header
 *line of N bytes sleep MS          hang (until the client goes)          reset          close
 *
 * A reply that ends closes the connection. Each connection has a process of its own.
 *
 * In place of a script a function can answer: what a script cannot foresee. */
#ifndef LOOM_TESTS_SUPPORT_FAKE_H
#define LOOM_TESTS_SUPPORT_FAKE_H

#include <sys/types.h>

#include <loom/base/str.h>

struct fake_shared;

struct fake {
	pid_t child;
	int port;
	struct fake_shared *shared;
};

/* Starts it; the program ends when it cannot. */
void fake_start(struct fake *fake, const char *script);
/* A request that a function answers, in a process of its own. */
struct fake_ask {
	struct loom_str method;
	struct loom_str path;
	struct loom_str body;
	void *talk;
};
typedef void fake_answer(void *ctx, const struct fake_ask *ask);
/* Starts one that asks `answer` for each reply; what it never said is a 404. */
void fake_start_with(struct fake *fake, fake_answer *answer, void *ctx);
/* Sends, the head with this status and type first; false when the client has gone. */
bool fake_say(const struct fake_ask *ask, int status, const char *type, struct loom_str bytes);
void fake_stop(struct fake *fake);

/* Adds the text, with its port wherever that says $P. */
void fake_fill(const struct fake *fake, const char *text, struct loom_buf *out);

/* How many requests came; how many clients went before their reply was over. */
int fake_requests(const struct fake *fake);
int fake_hangups(const struct fake *fake);
/* How many replies are under way, and the most there ever were. */
int fake_open(const struct fake *fake);
int fake_open_most(const struct fake *fake);
/* All that came, requests whole, one after the other. */
struct loom_str fake_log(const struct fake *fake);
/* The body of the request of that number, from 0; empty when there is none. */
struct loom_str fake_body(const struct fake *fake, int number);

#endif
