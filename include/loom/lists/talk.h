/* Conversations with agents: running turns, and the view of one. */
#ifndef TUI_TALK_H
#define TUI_TALK_H

#include <loom/chat/chat.h>
#include <loom/work/usage.h>

#include <loom/desk/desk.h>

#define TUI_QUEUED 16

/* A conversation opened in this sitting. Its turn goes on when nobody looks. */
struct tui_talk {
	struct tui_talk *next;
	struct tui_app *app;
	int64_t agent;
	int64_t tree;
	int64_t thread; /* 0: the implicit one, not yet created */
	struct loom_chat *chat;
	void (*changed)(
		struct tui_talk *talk); /* called on every change; NULL when no view shows it */
	bool running;
	bool began; /* the turn is in the log and can be steered */
	/* What a turn begins with, until it is in the log; if it never got there, kept for the next
	 * turn. */
	struct loom_buf opening;
	struct loom_buf early; /* said before the turn had begun */
	bool stopping;
	enum loom_chat_state state;
	struct loom_buf said; /* what the model has said so far of the current message */
	struct loom_buf queued[TUI_QUEUED]; /* said during the turn and not heard yet */
	size_t queued_count;
	/* Called once when the turn under way has ended, or, with `ran` false, when it never began;
	 * NULL for none. It frees its own data. */
	void (*after)(struct tui_talk *talk, bool ran);
	void *after_own;
	struct loom_usage used; /* total up to this row of its log */
	int64_t used_through;
};

/* The conversation of an agent in a tree, or in a thread when one is named; created if it is new.
 * Lives as long as the program. */
struct tui_talk *tui_talk_of(struct tui_app *app, int64_t agent, int64_t tree, int64_t thread);
/* Starts a turn, or steers the running one. */
void tui_talk_say(struct tui_talk *talk, struct loom_str text);
/* Starts a turn with a document that is handed over; false, having said why, while another turn
 * runs. */
bool tui_talk_hand(struct tui_talk *talk, struct loom_str text);
/* Cancels the current generation; called again, the whole turn. */
void tui_talk_cancel(struct tui_talk *talk);

/* in talk_read.c: a thread's log as remarks */
enum tui_said {
	TUI_SAID_HUMAN,
	TUI_SAID_AGENT,
	TUI_SAID_THINKING,
	TUI_SAID_CALL,   /* with its result */
	TUI_SAID_QUEUED, /* not heard yet */
	TUI_SAID_NOTE,
};
struct tui_remark {
	enum tui_said kind;
	int64_t seq;          /* of its row; unique for those without a row */
	int64_t at;           /* LOOM_TIME_NONE when unknown */
	struct loom_str head; /* one line; for a call, its line and outcome */
	struct loom_str text; /* the full text */
	struct loom_str node; /* the node that a call made or went to; may be empty */
	bool failed;
	bool folds;              /* folded until it is opened */
	struct loom_usage usage; /* of the answer; calls is 0 when unknown */
};
struct tui_remarks {
	struct tui_remark *items;
	size_t count, cap;
	bool more; /* older ones were left out */
};
/* Reads the last rows of its thread; texts are in the arena. Also adds up what its models used. */
enum loom_status tui_talk_read(struct tui_app *app, struct tui_talk *talk, struct loom_arena *arena,
			       struct tui_remarks *out, struct loom_err *err) LOOM_MUST;

/* Appends the last of what was said in a thread, the newest first, for a look in passing. */
void tui_talk_preview(struct tui_app *app, const struct loom_thread *thread, struct loom_buf *out);

/* In talk_view.c: opens the view of a conversation. */
void tui_talk_open(struct tui_app *app, struct tui_talk *talk);
/* Opens the conversation of the thread with this name; false when the grove has none. Leaving it
 * calls `back` with the name. */
bool tui_talk_open_named(struct tui_app *app, struct loom_str name,
			 void (*back)(struct tui_app *app, struct loom_str name));

#endif
