/* A shared log as the store needs it: numbered entries, appended one after the other. An engine is
 * a table of functions over its own `ctx`. */
#ifndef LOOM_SHARED_LOG_H
#define LOOM_SHARED_LOG_H

#include <loom/base/env.h>
#include <loom/base/task.h>
#include <loom/remote/entry.h>

/* A place in a log: so many entries, and the chain up to there. Nothing came before 0. */
struct model_mark {
	int64_t seq;
	struct loom_hash chain;
};

/* An entry as the log has it; texts are valid during the call. */
struct model_logged {
	int64_t seq;
	struct loom_str role; /* that the log saw it come from; empty: it cannot see that */
	struct loom_str bytes;
};
/* Receives an entry. A failure ends the reading and is returned by it. */
typedef enum loom_status model_entry_fn(void *ctx, const struct model_logged *entry,
					struct loom_err *err);
/* A reading of entries: from where, and what is done with each. */
struct model_reader {
	struct model_mark from;
	model_entry_fn *each;
	void *ctx;
};

/* How one learns that a log went on. */
struct model_news {
	int fd;        /* becomes readable when it may have; -1: it does not tell */
	int64_t every; /* how often to look besides, ms; 0: there is no need */
};

/* The facts that a log gives about itself and about whoever asks. */
struct model_log_facts {
	bool server;     /* it says by itself from whom an entry is */
	char role[64];   /* who asks, on a server */
	int may;         /* what they may there, an enum loom_member_may; -1: nothing, or unknown */
	int64_t kept;    /* the number of the entry after which it keeps a state */
	bool kept_twice; /* an entry is on two machines before it is acknowledged */
};

/* A copy of the log that a synchronising program made when two machines had written to it. */
struct model_log_copy {
	struct loom_str path;
	int64_t beyond; /* entries that only the copy has */
};

/* The word of a machine about its sessions; texts are valid during the call. */
#define MODEL_WORD_MAX ((size_t)1 << 16)
struct model_word {
	struct loom_str machine;
	struct loom_str says;
	int64_t age; /* since it was said, ms, by one clock for all machines */
};
typedef void model_word_fn(void *ctx, const struct model_word *word);

struct model_log {
	/* Begins a turn: until it is left, nobody else appends. Gives the entries after
	 * reader->from, or the first of them; then *out_more is set. LOOM_CONFLICT if the log does
	 * not have that mark, LOOM_OFFLINE if it cannot be reached, LOOM_BUSY if somebody's turn
	 * takes too long; no turn was begun then. */
	enum loom_status (*turn)(void *ctx, const struct model_reader *reader, bool *out_more,
				 struct loom_err *err);
	/* Gives entries like that, outside a turn. */
	enum loom_status (*since)(void *ctx, const struct model_reader *reader, bool *out_more,
				  struct loom_err *err);
	/* Gives the log's last mark. */
	enum loom_status (*head)(void *ctx, struct model_mark *out, struct loom_err *err);
	/* In a turn: makes an entry the next one. It is durable when this returns; the turn ends
	 * with it. LOOM_CONFLICT if the log's head is not `base`, or the id is in it already. */
	enum loom_status (*append)(void *ctx, const struct model_mark *base,
				   const uint8_t uid[MODEL_ENTRY_UID], struct loom_str bytes,
				   struct loom_err *err);
	/* Ends a turn without an entry; harmless outside one. */
	void (*leave)(void *ctx);
	/* Asks to be told when the log goes on. It may be called again, and the descriptor may be
	 * another one then. */
	enum loom_status (*watch)(void *ctx, struct model_news *out, struct loom_err *err);
	/* Reads what the descriptor has to tell; whether the log may have gone on. */
	bool (*hear)(void *ctx);
	/* Refuses if no log can be founded there. LOOM_CONFLICT if there is one. */
	enum loom_status (*may_found)(void *ctx, struct loom_err *err);
	/* Makes a new log with this id, whose first state is the grove's file `snapshot`. */
	enum loom_status (*found)(void *ctx, const char *snapshot, const struct loom_hash *id,
				  struct loom_err *err);
	/* Keeps the grove's file `snapshot`, as of entry `seq`, as the state that clones begin
	 * with. NULL where only the first one is kept. LOOM_PERMISSION. */
	enum loom_status (*keep)(void *ctx, const char *snapshot, int64_t seq,
				 struct loom_err *err);
	/* Writes the state that the log keeps to the new file `to`; *out is its place. */
	enum loom_status (*fetch)(void *ctx, const char *to, struct model_mark *out,
				  struct loom_err *err);
	/* Asks for the facts. LOOM_OFFLINE. */
	enum loom_status (*facts)(void *ctx, struct model_log_facts *out, struct loom_err *err);
	/* Lets a role in, which is made if there is none (*out_made), with these rights (an enum
	 * loom_member_may), or (-1) keeps it out. NULL where a log knows no roles. */
	enum loom_status (*admit)(void *ctx, const char *role, int may, bool *out_made,
				  struct loom_err *err);
	/* Gives the copies beside the log, in the arena. NULL where nobody makes any. */
	enum loom_status (*copies)(void *ctx, struct loom_arena *arena, struct model_log_copy **out,
				   size_t *out_count, struct loom_err *err);
	/* Says what the sessions of this machine do, instead of what it said before; an empty word
	 * takes it back. In a turn it is part of that and waits for its end. NULL where nobody
	 * hears it. */
	enum loom_status (*say)(void *ctx, struct loom_str word, struct loom_err *err);
	/* Gives the words of the other machines; in a turn, as they were when it began. */
	enum loom_status (*others)(void *ctx, model_word_fn *each, void *each_ctx,
				   struct loom_err *err);
	/* Frees the connection. */
	void (*close)(void *ctx);
};

struct model_log_opts {
	struct loom_str url; /* file:///ABS/FILE, or postgresql://HOST/DATABASE/GROVE */
	const struct loom_env *env;
	const char *machine; /* a name among those that share the log; NULL: it says nothing */
	/* A task whose cancellation ends a wait; looked at anew each time, nullable at both places.
	 */
	struct loom_task *const *task;
};
/* Makes an engine for an address, which connects when it is first used. What the options point to
 * is borrowed. LOOM_INVALID. */
enum loom_status model_log_at(const struct model_log_opts *opts, const struct model_log **out,
			      void **out_ctx, struct loom_err *err) LOOM_MUST;

#endif
