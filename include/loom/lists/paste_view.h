/* A paste that is more than text: turns and calls were found in it. */
#ifndef TUI_PASTE_H
#define TUI_PASTE_H

#include <loom/language/parse.h>
#include <loom/chat/paste.h>
#include <loom/language/pasted_turns.h>

#include <loom/desk/desk.h>

#define TUI_PASTE_AT_ONCE ((size_t)128 << 10) /* pastes up to this size are parsed at once */
#define TUI_SPEAKERS      5

/* A pasted text and the turns found in it. The text is a copy; the turns refer to it. */
struct tui_pasted {
	struct loom_arena *arena;
	struct loom_str text;
	struct loom_turns turns;
	struct loom_turn *found; /* its calls, which are only proposals */
	/* The person's choices so far. */
	bool *left_out;                 /* one per turn: make no node of it */
	size_t author_of[TUI_SPEAKERS]; /* 0: as written; otherwise the person's index plus one */
};

/* Copies the text and parses it. */
struct tui_pasted *tui_pasted_read(struct loom_str text);
/* Frees it; NULL is fine. */
void tui_pasted_free(struct tui_pasted *pasted);
/* Whether it holds more than text that can simply be inserted. */
bool tui_pasted_asks(const struct tui_pasted *pasted);
/* Parses a large text on the looking worker; `done` gets the result and owns it. */
void tui_pasted_look(struct tui_app *app, struct loom_str text,
		     void (*done)(struct tui_app *app, struct tui_pasted *pasted));

/* In paste_view.c: lists what a paste holds, or inserts it when it is plain text. */
void tui_paste(struct tui_app *app, struct loom_str text);

/* Writes turns as nodes, one below the other, as one operation. Copies all of them. The position
 * moves to the last one. */
void tui_pasted_write(struct tui_app *app, const struct loom_paste_node *nodes, size_t count);

#endif
