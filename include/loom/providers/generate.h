/* Generation: how a model is asked and how its answers arrive.
 *
 * A generator hides every way to reach a model (embedded, over HTTP, a program) behind one
 * interface. It belongs to one loop and its thread: it is called there and answers there, through
 * the loop, never from inside the call that asks. It knows nothing of trees; the caller turns its
 * answers into nodes. */
#ifndef LOOM_GENERATE_H
#define LOOM_GENERATE_H

#include <loom/config/plan.h>
#include <loom/config/way.h>
#include <loom/log/budget.h>
#include <loom/base/err.h>
#include <loom/log/prompt.h>
#include <loom/base/str.h>
#include <loom/work/usage.h>

/* The purpose of the text. Each may have a model of its own. */
enum loom_generate_use {
	LOOM_GENERATE_SUBJECT,      /* continuations */
	LOOM_GENERATE_COLLABORATOR, /* the turn of a loom-aware agent */
	LOOM_GENERATE_SUMMARY,
	LOOM_GENERATE_CLASSIFIER, /* reads one line that did not parse */
};

/* Selects the model and its sampling by name in the configuration. Unknown names are left empty. */
struct loom_generate_voice {
	enum loom_generate_use use;
	struct loom_str agent;    /* the agent's name */
	struct loom_str model;    /* alias, as the grove has it for the agent */
	struct loom_str sampling; /* JSON object, as the grove has it for the agent */
	struct loom_str line;     /* JSON object, as the line has it */
};

/* The input of a generation: either `text`, to be continued byte for byte (a buffer), or
 * `messages`, a conversation; what they say as the system joins the prompt. No byte of them is
 * altered. Borrowed until start returns. */
struct loom_generate_request {
	struct loom_generate_voice voice;
	struct loom_str system; /* empty: none */
	struct loom_str text;
	bool open; /* the text may end inside a word: its last part was cut by its length */
	enum loom_way
		way; /* how to make a chat model continue the text; UNSAID: as is known of it */
	struct loom_str input; /* hash of the whole input, for the record; empty: not recorded */
	const struct loom_prompt_message *messages;
	size_t message_count;
	size_t n;       /* number of choices, at least 1 */
	int64_t tokens; /* most per choice; 0: the voice's setting */
	uint64_t salt;  /* for seeded samplers: unique within the grove */
};

/* Facts about a voice that are known without asking it. */
struct loom_voice_info {
	struct loom_str model;         /* as displayed: the alias, or the server's name for it */
	struct loom_str provider;      /* "ngram", a configured name, … */
	int64_t context;               /* tokens, configured or learned; 0: unknown */
	int64_t budget;                /* of a prompt whose answer has `tokens` */
	double token_bytes;            /* bytes of a token, as it was counted; 0: never */
	int64_t tokens;                /* length of an answer when the request sets none */
	int64_t most;                  /* longest answer possible; 0: unknown */
	int64_t n;                     /* number of choices when the request sets none */
	enum loom_strategy truncation; /* how an overlong prompt is cut */
	struct loom_str system;        /* the configured agent's system prompt; empty: none */
	bool configured;               /* false: the embedded model stands in */
	bool thoughts;                 /* it takes signed thoughts back */
	bool priced;
	double price_in;                 /* of a million tokens of the prompt */
	struct loom_allowance allowance; /* of the configured agent */
	/* Of a plan: the voices to ask in its place; nothing else is known of it then. */
	struct loom_plan plan;
};

/* Returns the budget of a prompt in estimated tokens (loom_token_estimate), so that `answer` more
 * fit into the voice's window; 0: the window is unknown. */
int64_t loom_voice_budget(const struct loom_voice_info *voice, int64_t answer);

enum loom_finish {
	LOOM_FINISH_STOP,      /* the model ended */
	LOOM_FINISH_STOP_TEXT, /* a stop text was generated */
	LOOM_FINISH_LENGTH,
	LOOM_FINISH_FILTER,
	LOOM_FINISH_CANCELLED,
	LOOM_FINISH_ERROR, /* err says why; text may hold what arrived */
};
/* Returns "stop", "stop_seq", "length", "filter", "cancelled" or "error". Static. */
const char *loom_finish_name(enum loom_finish finish);

/* A finished choice. Borrowed until the callback returns. */
struct loom_generated {
	struct loom_str text;   /* all chunks joined; whole characters only */
	struct loom_str raw;    /* the answer as it arrived, with any half character at its end */
	struct loom_str record; /* JSON object: resolved provider, model id, endpoint, strategy,
				   parameters, finish, usage, latency, log-probabilities … */
	/* Calls of tools that the provider sent beside the text, although none were offered: a JSON
	 * list of {name, arguments}; empty: none. */
	struct loom_str native;
	struct loom_str thinking; /* what it thought; no part of the text */
	struct loom_str
		reasoning;    /* JSON list: thoughts as the provider signed them; empty: none */
	struct loom_str body; /* the request's body as it was sent; empty: none was */
	/* The prompt did not fit: its tokens as the server counts them, and its window; 0: not
	 * told. */
	bool overflow;
	int64_t overflow_prompt;
	int64_t overflow_window;
	enum loom_finish finish;
	/* LOOM_MODEL: class, HTTP status, message. Of an empty answer too: why it is empty. */
	struct loom_err err;
};

/* The callbacks of a generation. All run in the loop's thread. */
struct loom_generate_sink {
	/* More text of a choice, in whole characters. May be NULL. */
	void (*chunk)(void *ctx, size_t choice, struct loom_str text);
	/* Called exactly once for every choice, 0 … n-1, in any order. */
	void (*end)(void *ctx, size_t choice, const struct loom_generated *result);
	/* Called exactly once, after the last end; the generation is freed when it returns. */
	void (*done)(void *ctx);
	void *ctx;
	/* The model could not be asked and will be asked again in `ms`, or at once in another way;
	 * `why` is the reason. May be NULL. */
	void (*waits)(void *ctx, int64_t ms, const struct loom_err *why);
	/* More of what a choice thinks, in whole characters. May be NULL. */
	void (*thinks)(void *ctx, size_t choice, struct loom_str text);
};

/* Appends what `waits` tells, as people read it. */
void loom_generate_say_wait(int64_t ms, const struct loom_err *why, struct loom_buf *out);

struct loom_generation; /* in progress; owned by the generator */

#define LOOM_CHOICES_ALL SIZE_MAX

struct loom_generator {
	/* Starts a generation. Fails with LOOM_MODEL when the voice cannot be asked, and the hint
	 * says what to set up; nothing was started then and the sink is not called. Trouble with
	 * the model itself is reported to the sink's `end`. *out is borrowed until `done`. */
	enum loom_status (*start)(void *ctx, const struct loom_generate_request *request,
				  const struct loom_generate_sink *sink,
				  struct loom_generation **out, struct loom_err *err);
	/* Ends one choice, or LOOM_CHOICES_ALL; each ends as LOOM_FINISH_CANCELLED within 200
	 * ms. */
	void (*cancel)(void *ctx, struct loom_generation *generation, size_t choice);
	/* Describes the voice without asking it. Texts live as long as the generator. Fails with
	 * LOOM_MODEL and a hint when the voice cannot be asked. */
	enum loom_status (*describe)(void *ctx, const struct loom_generate_voice *voice,
				     struct loom_voice_info *out, struct loom_err *err);
	void *ctx;
	int64_t result_tokens; /* tokens of a result shown to agents before it is shortened; 0:
				  1,000 */
};

#endif
