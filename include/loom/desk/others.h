/* What others do, and who is here. */
#ifndef TUI_OTHERS_H
#define TUI_OTHERS_H

#include <loom/desk/desk.h>
#include <loom/grove/presence.h>
#include <loom/grove/watch.h>

#define TUI_UNSEEN 1024

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
	char follow[64]; /* id of the session being followed; empty for none */
	bool led;        /* the current move follows that session */
};

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
