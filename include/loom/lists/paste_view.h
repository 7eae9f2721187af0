/* A paste that is more than a text: the turns and calls that were found in it. */
#ifndef TUI_PASTE_H
#define TUI_PASTE_H

#include <loom/language/parse.h>
#include <loom/chat/paste.h>
#include <loom/language/pasted_turns.h>

#include <loom/desk/desk.h>

#define TUI_PASTE_AT_ONCE ((size_t)128 << 10) /* bytes that are looked through in no time */
#define TUI_SPEAKERS      5

/* What was found. The text is its own; the turns lie in it. */
struct tui_pasted {
	struct loom_arena *arena;
	struct loom_str text;
	struct loom_turns turns;
	struct loom_turn *found; /* its calls, which only propose */
	/* What a person has said about it so far. */
	bool *left_out;                 /* one a turn: no node is made of it */
	size_t author_of[TUI_SPEAKERS]; /* 0: as written; else one more than the person's place */
};

/* Copies the text and looks through it. */
struct tui_pasted *tui_pasted_read(struct loom_str text);
/* NULL is fine. */
void tui_pasted_free(struct tui_pasted *pasted);
/* Whether there is more to it than text that one may simply write. */
bool tui_pasted_asks(const struct tui_pasted *pasted);
/* The same by the worker that looks at files; `done` gets what was found, and takes it. */
void tui_pasted_look(struct tui_app *app, struct loom_str text,
		     void (*done)(struct tui_app *app, struct tui_pasted *pasted));

/* paste_view.c: what to do with a paste is asked when there is more to it; else it is simply text.
 */
void tui_paste(struct tui_app *app, struct loom_str text);

/* Turns as nodes, one below the other: one operation. Copies all of it. The position goes to the
 * last one. */
void tui_pasted_write(struct tui_app *app, const struct loom_paste_node *nodes, size_t count);

#endif
