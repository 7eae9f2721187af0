/* What servers say in bodies that are no answers, whatever their shape: an error's words, which
 * member of a request is refused, whether a model is still being loaded. Pure. */
#ifndef LOOM_SERVER_WORDS_H
#define LOOM_SERVER_WORDS_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

/* Returns the server's own words: the message of a JSON document, the title or the text of a page,
 * or the text itself, on one line without markup. Empty if there are none. In the arena. */
struct loom_str loom_server_words(struct loom_str body, struct loom_arena *arena);

/* A member of a request that a server does not take. */
struct loom_refused {
	struct loom_str field;  /* as the request has it; of a member within, the outermost name */
	struct loom_str member; /* the member within, where it was named; else empty */
	struct loom_str words;  /* what the server says */
	bool value;             /* it takes the member, but not this value */
};
/* Returns whether a refusal is about one member of the request, which it names: as a parameter
 * ("param", "loc", a quoted name) and with a word that says that it is not taken. Texts are in the
 * arena or in the request. */
bool loom_server_refuses(struct loom_str body, struct loom_str request, struct loom_arena *arena,
			 struct loom_refused *out);

/* Returns whether the server says that it is still loading the model. */
bool loom_server_loads(struct loom_str body);

/* The sizes that a server names when a prompt does not fit; 0: not named. */
struct loom_overflow {
	int64_t prompt; /* tokens of the prompt, as it counts them */
	int64_t window; /* tokens that fit, the answer included */
};
/* Returns whether the refusal is about a prompt that does not fit into the window. */
bool loom_server_overflows(struct loom_str body, struct loom_arena *arena,
			   struct loom_overflow *out);

/* Returns the largest answer that the refusal of a token limit allows, which is below `asked`; 0:
 * it names none. */
int64_t loom_server_most(struct loom_str words, int64_t asked);

#endif
