/* A chat on a terminal, or as a stream of events: what is said and what is typed. */
#ifndef LOOM_CHAT_FACE_H
#define LOOM_CHAT_FACE_H

#include <loom/chat/chat.h>
#include <loom/actor/summarize.h>

#include <loom/cli/services.h>
#include <loom/cli/open_grove.h>

struct chat_face {
	struct cli_grove *grove;
	struct loom_agent agent;
	struct loom_tree tree;
	struct loom_thread thread; /* id 0: the implicit one */
	struct cli_voices voices;
	struct loom_chat *chat;
	struct loom_summarizer *summarizer; /* NULL where nobody stays for it */
	bool live;                          /* what is typed while a turn runs is heard */
	bool person;                        /* a person types: on a terminal */
	bool once;                          /* one turn */
	bool at_begin;                      /* of a line on the screen */
	int64_t proposal;                   /* that waits for leave, 0: none */
	size_t stops;                       /* how often ^C was pressed in this turn */
	bool over;                          /* the turn is */
	bool left;                          /* nothing more will be typed, or ^C between turns */
	bool stopped;
	struct loom_chat_end end;
	struct loom_buf typed; /* the line that is not whole yet */
};

/* What a chat tells, said or as events. The sink's ctx is the face. */
void chat_face_sink(struct chat_face *face, struct loom_chat_sink *out);
/* A new line of input is awaited. */
void chat_face_prompt(struct chat_face *face);

#endif
