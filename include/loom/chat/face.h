/* A chat on a terminal, or as a stream of events. */
#ifndef LOOM_CHAT_FACE_H
#define LOOM_CHAT_FACE_H

#include <loom/chat/chat.h>
#include <loom/chat/drain.h>

#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>

struct chat_face {
	struct cli_grove *grove;
	struct loom_agent agent;
	struct loom_tree tree;
	struct loom_thread thread; /* id 0: the implicit one */
	int64_t place;             /* as in struct loom_chat_opts */
	bool goes;
	struct cli_voices voices;
	struct loom_chat *chat;
	struct chat_drain *drain; /* makes summaries beside the chat */
	bool live;                /* listens to what is typed while a turn runs */
	bool person;              /* a person types, on a terminal */
	bool once;                /* one turn only */
	bool hands;               /* turns are handed over, not said */
	bool at_begin;            /* of a line on the screen */
	int64_t proposal;         /* waits for leave; 0: none */
	size_t stops;             /* how often ^C was pressed in this turn */
	bool over;                /* the turn has ended */
	bool left;                /* end of input, or ^C between turns */
	bool stopped;
	struct loom_chat_end end;
	struct loom_buf typed; /* an unfinished line */
};

/* Fills *out with callbacks that print the chat or write it as events. Their ctx is the face, which
 * is borrowed. */
void chat_face_sink(struct chat_face *face, struct loom_chat_sink *out);
/* Prints the prompt for a new line of input. */
void chat_face_prompt(struct chat_face *face);

#endif
