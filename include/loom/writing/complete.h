/* Completions of a command line. */
#ifndef TUI_COMPLETE_H
#define TUI_COMPLETE_H

#include <loom/desk/desk.h>

struct tui_completion {
	struct loom_str text;  /* replaces the word */
	struct loom_str about; /* what it does */
	struct loom_str key;   /* that does the same; may be empty */
};
struct tui_completions {
	size_t from; /* where the word begins */
	struct tui_completion *items;
	size_t count;
	struct loom_str takes; /* the forms of the line's command; may be empty */
};
/* The completions of `line` at `caret`, in the arena. */
void tui_complete(struct tui_app *app, struct loom_str line, size_t caret, struct loom_arena *arena,
		  struct tui_completions *out);

#endif
