/* Conversations with agents: the turns that run, and the view of one. */
#ifndef TUI_TALK_H
#define TUI_TALK_H

#include <loom/chat/chat.h>
#include <loom/work/usage.h>

#include <loom/desk/desk.h>

#define TUI_QUEUED 16

/* A conversation that was opened in this sitting. A turn goes on while nobody looks. */
struct tui_talk {
	struct tui_talk *next;
	struct tui_app *app;
	int64_t agent;
	int64_t tree;
	int64_t thread; /* 0: the implicit one, not made yet */
	struct loom_chat *chat;
	void (*changed)(struct tui_talk *talk); /* where it is looked at; NULL: nowhere */
	bool running;
	bool began; /* the turn is in the log, and can be steered */
	/* What a turn begins with, until it is in the log; kept for the next one where it never
	 * was. */
	struct loom_buf opening;
	struct loom_buf early; /* said before it had begun */
	bool stopping;
	enum loom_chat_state state;
	struct loom_buf said;               /* by the model, of the message that is being said */
	struct loom_buf queued[TUI_QUEUED]; /* said meanwhile, and not heard yet */
	size_t queued_count;
	struct loom_usage used; /* by the rows of its log up to this one */
	int64_t used_through;
};

/* The conversation of an agent in a tree, or in a thread when one is named; made when it is new.
 * Lives as long as the program. */
struct tui_talk *tui_talk_of(struct tui_app *app, int64_t agent, int64_t tree, int64_t thread);
/* Takes a turn, or steers the one that runs. */
void tui_talk_say(struct tui_talk *talk, struct loom_str text);
/* What is generated now; again: the whole turn. */
void tui_talk_cancel(struct tui_talk *talk);

/* talk_read.c: a thread's log as things to look at. */
enum tui_said {
	TUI_SAID_HUMAN,
	TUI_SAID_AGENT,
	TUI_SAID_THINKING,
	TUI_SAID_CALL,   /* and its result */
	TUI_SAID_QUEUED, /* not heard yet */
	TUI_SAID_NOTE,
};
struct tui_remark {
	enum tui_said kind;
	int64_t seq;          /* of its row; another for what has none */
	int64_t at;           /* LOOM_TIME_NONE: not known */
	struct loom_str head; /* one line: of a call, its line and what came of it */
	struct loom_str text; /* all of it */
	struct loom_str node; /* in the tree, that a call made or went to; may be empty */
	bool failed;
	bool folds;              /* is folded until it is opened */
	struct loom_usage usage; /* of the answer; calls 0: not known */
};
struct tui_remarks {
	struct tui_remark *items;
	size_t count, cap;
	bool more; /* older ones were left out */
};
/* The last rows of its thread, all texts in the arena; what its models used is added up. */
enum loom_status tui_talk_read(struct tui_app *app, struct tui_talk *talk, struct loom_arena *arena,
			       struct tui_remarks *out, struct loom_err *err) LOOM_MUST;

/* talk_view.c */
void tui_talk_open(struct tui_app *app, struct tui_talk *talk);
/* By the name of a thread; false when the grove has none of that name. Leaving goes to `back`, with
 * that name. */
bool tui_talk_open_named(struct tui_app *app, struct loom_str name,
			 void (*back)(struct tui_app *app, struct loom_str name));

#endif
