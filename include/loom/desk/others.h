/* What others do, and who is here. */
#ifndef TUI_OTHERS_H
#define TUI_OTHERS_H

#include <loom/desk/desk.h>
#include <loom/grove/presence.h>
#include <loom/grove/watch.h>

#define TUI_UNSEEN 1024

/* Conversations of a sitting whose acts u takes back. */
#define TUI_CAUSED 32

struct tui_news {
	struct loom_watch *watch;
	struct loom_session *session;
	bool replaced;  /* the grove was replaced by another one */
	int64_t unsure; /* since when (boot clock) its file is being overwritten; 0: it is not */
	int64_t event_seq;
	int64_t newest; /* number of the last node checked for news */
	int64_t unseen[TUI_UNSEEN];
	size_t unseen_count;
	struct loom_arena *live_arena;
	struct loom_presence *present;
	size_t present_count;
	char follow[64];            /* id of the session being followed; empty for none */
	bool led;                   /* the current move follows that session */
	int64_t caused[TUI_CAUSED]; /* threads that this person spoke in */
	size_t caused_count;
	int64_t others_op; /* the last operation of somebody else; 0: none */
	int64_t left;      /* the group that it took away from under this person … */
	int64_t stood;     /* … and the one that they stand on since; 0: none */
};

/* Takes what is done in a thread for done at this person's request: u takes it back as well. */
void tui_news_caused(struct tui_app *app, int64_t thread);
/* Returns the newest operation that this person caused, 0 when it is one of their own. */
int64_t tui_news_undoable(struct tui_app *app);

/* Starts watching the grove for other people's work. */
void tui_news_start(struct tui_app *app);
/* Marks a group as seen. */
void tui_news_seen(struct tui_app *app, int64_t group);
/* Whether a group is pruned, or below a pruned one, and pruned branches are not shown. */
bool tui_is_hidden(struct tui_app *app, int64_t group);
/* Tells others what this session is doing. */
void tui_presence_say(struct tui_app *app, const char *doing);
/* Stops following, since the person has moved. */
void tui_follow_end(struct tui_app *app);
/* The name of the agent being followed; empty when there is none or it has left. */
struct loom_str tui_followed(const struct tui_app *app);
/* Asks the store for news now instead of waiting for a notice. */
void tui_news_look(struct tui_app *app);

#endif
