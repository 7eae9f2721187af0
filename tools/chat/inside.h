/* Inside a chat: reading and saving an answer, and the half on the worker that keeps the thread's
 * log. */
#ifndef CHAT_INSIDE_H
#define CHAT_INSIDE_H

#include <loom/chat/chat.h>
#include <loom/context/context.h>
#include <loom/providers/generate.h>
#include <loom/log/lifecycle.h>
#include <loom/work/thread_log.h>
#include <loom/engine/told.h>
#include <loom/engine/turn_log.h>

#include <loom/chat/compact.h>
#include <loom/chat/ties.h>
#include <loom/chat/unheard.h>

/* The worker's data about a thread and its turn. The loop's thread may touch it only while no piece
 * of work is out. */
struct chat_log {
	struct loom_arena *lasting; /* lives as long as the chat */
	struct loom_arena *arena;   /* lives for a turn */
	struct loom_agent agent;
	struct loom_tree tree;
	struct loom_thread thread;
	struct loom_session *session; /* the caller's, or own_session */
	struct loom_session *own_session;
	struct loom_thread_log *keeper;
	struct loom_log log;
	struct loom_run *run;
	/* the agent's voice, once the agent is known */
	struct loom_generate_voice voice;
	struct loom_str prompt;
	int64_t budget;
	int64_t window; /* tokens of the prompt and the answer together; 0: unknown */
	bool thoughts;  /* the voice takes signed thoughts back */
	int64_t most;   /* default length of an answer in tokens */
	struct loom_allowance allowance;
	/* the turn */
	struct loom_str input;
	struct loom_told files; /* of its files, when the turn began */
	bool handed;            /* it was handed over, not said */
	struct loom_str request;
	struct loom_heads *heads; /* of the run */
	int64_t began;            /* times in its contexts are relative to this */
	int64_t turn_seq;
	int64_t said_seq; /* of the model's latest message */
	int64_t step;
	struct loom_assembly assembly;
	size_t drained;
	int64_t tokens;         /* limit of its next answer; 0: the voice's setting */
	bool exhausted;         /* there is no room for another answer in this turn */
	struct loom_usage used; /* in this turn */
	/* the answer */
	struct loom_turn *said;
	struct loom_buf raw;
	struct loom_buf told;        /* its prose before its calls, as far as it was reported */
	bool ended;                  /* finish and usage are known */
	struct loom_str native;      /* calls that the provider sent beside it */
	struct loom_str thinking;    /* thoughts that it sent beside it … */
	struct loom_str reasoning;   /* … and signed: a JSON list, to be sent back as it is */
	struct loom_err empty;       /* why nothing was said; LOOM_OK: no reason is known */
	struct chat_unheard unheard; /* what it meant as calls and is none */
	bool tell;                   /* the model is told so */
	enum loom_finish finish;
	struct loom_usage usage; /* of that answer */
	/* before the turn */
	const struct loom_resuming *resuming; /* a turn to take up; NULL: a new one */
	struct chat_compaction compaction;
	bool compacts; /* the conversation is to be summed up first */
	/* how the turn ends */
	enum loom_run_outcome outcome;
	struct loom_str why; /* the reason of a failure */
	struct chat_returned *returned;
	size_t returned_count;
};

/* A queued text that never joined the log. */
struct chat_returned {
	struct loom_str text;
	struct loom_str draft;
};

/* An answer while it arrives. */
struct chat_hearing {
	struct loom_turn *turn; /* the log's */
	struct loom_buf *told;  /* the log's */
	size_t calls;           /* done earlier in this turn */
	bool cut;               /* it continued after its calls: that part is ignored */
	size_t prose;           /* bytes of its prose before its calls */
	struct loom_buf line;   /* an incomplete line */
	size_t line_at;         /* its offset in the prose */
	bool plain;             /* the line before it was prose, complete */
};
/* Initialises a hearing. Free it with chat_hearing_fini. */
void chat_hearing_init(struct chat_hearing *hearing);
/* Frees what the hearing holds. */
void chat_hearing_fini(struct chat_hearing *hearing);
/* Starts reading an answer into the log's turn; `calls` were done earlier in this turn. */
void chat_hearing_begin(struct chat_hearing *hearing, struct chat_log *log, size_t calls);
/* Reads more of the answer; what can be reported is then in the log's `told`. Not after a cut. */
void chat_hear(struct chat_hearing *hearing, struct loom_str text);
/* Ends the answer: its last line counts, unless it was cut. */
void chat_hear_end(struct chat_hearing *hearing, bool cut);
/* Returns whether the turn asks for something, valid or not. */
bool chat_turn_calls(const struct loom_turn *turn);

/* Saves the text of an answer once a second while it arrives. */
struct chat_saver {
	struct loom_loop *loop;
	struct loom_worker *worker;
	struct chat_log *log;
	uint64_t timer;
	bool out;     /* a write is under way */
	size_t bytes; /* of the answer, written so far */
};
/* Starts saving the log's answer. */
void chat_saver_begin(struct chat_saver *saver);
/* Stops saving. A write under way finishes before anything posted from now on. */
void chat_saver_end(struct chat_saver *saver);

/* Fills *out with the model's message so far, without its calls; what followed them is only in the
 * output. Runs in the loop's thread while the answer arrives, else on the worker. Texts live in the
 * arena. */
void chat_message(const struct chat_log *chat, struct loom_arena *arena, struct loom_message *out);

/* Returns whether the call stands word for word in what the model was given for this answer: in a
 * node, a result, a document, a file, but not in what a person said or the program suggested. */
bool chat_was_given(const struct chat_log *log, const struct loom_call *call);

/* Whether a call was meant, as far as the words around it tell. */
enum chat_sense {
	CHAT_UNCLEAR,
	CHAT_MEANS,
	CHAT_EXPLAINS,
};
/* Judges what leads to a call, of which the last words count; `bare` is the same without marks. */
enum chat_sense chat_sense_of(struct loom_str lead, struct loom_str bare);
/* Returns whether what follows a call says what it does. */
bool chat_sense_behind(struct loom_str text);

/* The steps of a turn, all on the worker and in this order. Each is done whole or not at all and
 * fails as the store does. This one opens the agent's thread, creating it if needed, and its log,
 * unless they are open; fails with LOOM_REFUSED when the agent is not loom-aware. */
enum loom_status chat_open(struct chat_log *chat, const struct loom_chat_opts *opts,
			   struct loom_store *store, struct loom_err *err) LOOM_MUST;
/* Finds out whether the turn fits the budget as it is; if not, takes what is to be summed up. */
enum loom_status chat_measure(struct chat_log *chat, struct loom_store *store,
			      struct loom_err *err) LOOM_MUST;
/* Opens the run of a turn again that was open at a checkpoint. Fails with LOOM_CONFLICT, and says
 * why, when that is no longer possible. */
enum loom_status chat_resume(struct chat_log *chat, struct loom_store *store,
			     struct loom_err *err) LOOM_MUST;
/* Puts the summary in place of what it sums up. */
enum loom_status chat_compact(struct chat_log *chat, struct loom_store *store,
			      struct loom_err *err) LOOM_MUST;
/* Opens a run and writes the turn's input. Fails with LOOM_CONFLICT when the thread cannot take a
 * turn now. */
enum loom_status chat_begin(struct chat_log *chat, struct loom_store *store,
			    struct loom_err *err) LOOM_MUST;
/* Adds what was queued to the log; assembles the model's input and keeps it. */
enum loom_status chat_prepare(struct chat_log *chat, struct loom_store *store,
			      struct loom_err *err) LOOM_MUST;
/* Keeps the model's message. */
enum loom_status chat_keep(struct chat_log *chat, struct loom_store *store,
			   struct loom_err *err) LOOM_MUST;
/* After a final answer, adds what was queued meanwhile; chat->drained is its number. */
enum loom_status chat_drain(struct chat_log *chat, struct loom_store *store,
			    struct loom_err *err) LOOM_MUST;
/* Ends the run and keeps what never joined the log as drafts. */
enum loom_status chat_end(struct chat_log *chat, struct loom_store *store,
			  struct loom_err *err) LOOM_MUST;
/* Frees what the worker keeps. */
void chat_close(struct chat_log *chat);
/* Queues a text for the turn, at any time between begin and end. Fails with LOOM_CONFLICT when no
 * turn is running or the run does not take it. */
enum loom_status chat_queue(struct chat_log *chat, struct loom_str text,
			    struct loom_err *err) LOOM_MUST;
/* A chat as far as a text is concerned that somebody says during its turn. */
struct chat_steered {
	struct chat_log *log;
	struct loom_worker *worker;
	const struct loom_chat_sink *sink;
	const bool *closing;
};
/* Queues a text, which is copied, for the turn under way (steer.c). */
void chat_steer(const struct chat_steered *chat, struct loom_str text);
/* Keeps a text that was never taken as a draft. Returns the draft's id in the arena, empty when it
 * could not be kept. */
struct loom_str chat_draft(struct chat_log *chat, struct loom_store *store, struct loom_str text,
			   struct loom_arena *arena);

#endif
