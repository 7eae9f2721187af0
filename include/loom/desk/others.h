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
	bool replaced;  /* another grove stands where this one stood */
	int64_t unsure; /* since when (boot clock) somebody writes over its file; 0: nobody does */
	int64_t event_seq;
	int64_t newest; /* number of the last node that was looked at for news */
	int64_t unseen[TUI_UNSEEN];
	size_t unseen_count;
	struct loom_arena *live_arena;
	struct loom_presence *present;
	size_t present_count;
	char follow[64]; /* whose session; empty: nobody's */
	bool led;        /* a move that is made now is theirs */
};

/* What others do */
void tui_news_start(struct tui_app *app);
void tui_news_seen(struct tui_app *app, int64_t group);
/* Pruned, or below what is, and not shown. */
bool tui_is_hidden(struct tui_app *app, int64_t group);
void tui_presence_say(struct tui_app *app, const char *doing);
/* One has moved oneself. */
void tui_follow_end(struct tui_app *app);
/* The name of who is followed; empty: nobody is, or not here any more. */
struct loom_str tui_followed(const struct tui_app *app);
/* Asks the store now, without waiting for a notice. */
void tui_news_look(struct tui_app *app);

#endif
