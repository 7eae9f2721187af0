/* Inside a chat: what is heard and saved of an answer, and its half on the worker, which keeps the
 * thread's log. */
#ifndef CHAT_INSIDE_H
#define CHAT_INSIDE_H

#include <loom/chat/chat.h>
#include <loom/context/context.h>
#include <loom/providers/generate.h>
#include <loom/log/lifecycle.h>
#include <loom/work/thread_log.h>
#include <loom/engine/turn_log.h>

#include <loom/chat/ties.h>

/* What the worker keeps of a thread and its turn. Touched by the loop's thread only while no piece
 * of work is out. */
struct chat_log {
	struct loom_arena *lasting; /* of the chat */
	struct loom_arena *arena;   /* of the turn */
	struct loom_agent agent;
	struct loom_tree tree;
	struct loom_thread thread;
	struct loom_session *session; /* the caller's, or own_session */
	struct loom_session *own_session;
	struct loom_thread_log *keeper;
	struct loom_log log;
	struct loom_run *run;
	/* the agent's voice, known once the agent is */
	struct loom_generate_voice voice;
	struct loom_str prompt;
	int64_t budget;
	int64_t most; /* tokens of an answer when none are asked for */
	struct loom_allowance allowance;
	/* the turn */
	struct loom_str input;
	struct loom_leslie_warnings warnings; /* of what the turn begins with */
	struct loom_str request;
	struct loom_heads *heads; /* of the run */
	int64_t began;            /* times in its contexts are told from here */
	int64_t turn_seq;
	int64_t said_seq; /* of what the model said last */
	int64_t step;
	struct loom_assembly assembly;
	size_t drained;
	int64_t tokens;         /* of its next answer at most; 0: what its voice is set to */
	bool exhausted;         /* there is no room for another answer in this turn */
	struct loom_usage used; /* in this turn */
	/* what the model said */
	struct loom_turn *said;
	struct loom_buf raw;
	struct loom_buf told; /* its prose before its calls, as far as it was told */
	bool ended;           /* finish and usage are known */
	bool hints;           /* its lines that are no calls are answered */
	enum loom_finish finish;
	struct loom_usage usage; /* of that answer */
	/* how it ends */
	enum loom_run_outcome outcome;
	struct loom_str why; /* it failed */
	struct chat_returned *returned;
	size_t returned_count;
};

/* What was queued and never joined the log. */
struct chat_returned {
	struct loom_str text;
	struct loom_str draft;
};

/* An answer while it comes: scanned as far as it is heard. */
struct chat_hearing {
	struct loom_turn *turn; /* the log's */
	struct loom_buf *told;  /* the log's */
	size_t calls;           /* that were done before, in this turn */
	bool cut;               /* it went on behind its calls: that is not heard */
	size_t prose;           /* bytes of its prose that stand before its calls */
	struct loom_buf line;   /* what has come of the line that is not whole */
	size_t line_at;         /* where in the prose it would stand */
	bool plain;             /* the line before it was prose, whole */
};
void chat_hearing_init(struct chat_hearing *hearing);
void chat_hearing_fini(struct chat_hearing *hearing);
void chat_hearing_begin(struct chat_hearing *hearing, struct chat_log *log, size_t calls);
/* What can be told of it is in the log's `told` by then. Not behind a cut. */
void chat_hear(struct chat_hearing *hearing, struct loom_str text);
void chat_hear_end(struct chat_hearing *hearing);
/* Whether it asks for something, rightly or not. */
bool chat_turn_calls(const struct loom_turn *turn);

/* Once a second what a model has said until then, while it says it. */
struct chat_saver {
	struct loom_loop *loop;
	struct loom_worker *worker;
	struct chat_log *log;
	uint64_t timer;
	bool out;     /* it is being written */
	size_t bytes; /* of the answer that were */
};
void chat_saver_begin(struct chat_saver *saver);
/* No more is written; what is on its way comes before everything that is posted from now on. */
void chat_saver_end(struct chat_saver *saver);

/* What the model said, without its calls, as far as it has come: what came behind them is in the
 * output only. In the loop's thread while the model is heard, else on the worker. */
void chat_message(const struct chat_log *chat, struct loom_arena *arena, struct loom_message *out);

/* All on the worker, in this order; each is whole or has not happened. */
enum loom_status chat_open(struct chat_log *chat, const struct loom_chat_opts *opts,
			   struct loom_store *store, struct loom_err *err) LOOM_MUST;
enum loom_status chat_begin(struct chat_log *chat, struct loom_store *store,
			    struct loom_err *err) LOOM_MUST;
/* What was queued joins the log; what the model is given is assembled and kept. */
enum loom_status chat_prepare(struct chat_log *chat, struct loom_store *store,
			      struct loom_err *err) LOOM_MUST;
enum loom_status chat_keep(struct chat_log *chat, struct loom_store *store,
			   struct loom_err *err) LOOM_MUST;
/* After a final answer: whether something was queued meanwhile is in chat->drained. */
enum loom_status chat_drain(struct chat_log *chat, struct loom_store *store,
			    struct loom_err *err) LOOM_MUST;
enum loom_status chat_end(struct chat_log *chat, struct loom_store *store,
			  struct loom_err *err) LOOM_MUST;
void chat_close(struct chat_log *chat);
/* At any time between begin and end. */
enum loom_status chat_queue(struct chat_log *chat, struct loom_str text,
			    struct loom_err *err) LOOM_MUST;
/* Keeps a text that nobody took; the id is in the arena, empty when it could not be kept. */
struct loom_str chat_draft(struct chat_log *chat, struct loom_store *store, struct loom_str text,
			   struct loom_arena *arena);

#endif
