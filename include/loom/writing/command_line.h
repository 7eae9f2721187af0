/* The line at the bottom that the user types into. */
#ifndef TUI_COMMAND_LINE_H
#define TUI_COMMAND_LINE_H

#include <loom/desk/desk.h>

/* The purpose of a line. Every function may be NULL. */
struct tui_line_kind {
	const char *sign; /* shown before the text */
	void (*changed)(struct tui_app *app, struct loom_str text);
	/* Called for Enter and for Esc, after the line was closed. */
	void (*accept)(struct tui_app *app, struct loom_str line);
	void (*left)(struct tui_app *app);
	/* Up and down, instead of moving through the history. */
	void (*step)(struct tui_app *app, int by);
	/* Appends the state of the line, in a few words for its right end. */
	void (*state)(struct tui_app *app, struct loom_buf *out);
};
/* Opens a line with `text` in it and the caret at `caret` (SIZE_MAX: at the end). */
void tui_prompt_open(struct tui_app *app, const struct tui_line_kind *kind, struct loom_str text,
		     size_t caret);
/* Opens a command line with `text` in it and the caret at `caret` (SIZE_MAX: at the end). */
void tui_prompt_command(struct tui_app *app, struct loom_str text, size_t caret);
/* Whether a line of this kind is open. */
bool tui_prompt_is(const struct tui_app *app, const struct tui_line_kind *kind);
/* Gets the line after Enter. */
typedef void tui_take_fn(struct tui_app *app, struct loom_str line);
/* Opens a line whose text goes to `take` on Enter; Esc discards it. `sign` must be static. */
void tui_prompt_line(struct tui_app *app, const char *sign, struct loom_str text,
		     tui_take_fn *take);
/* Like tui_prompt_line, but pasted text keeps its line breaks. */
void tui_prompt_lines(struct tui_app *app, const char *sign, struct loom_str text,
		      tui_take_fn *take);
/* Closes the line, if one is open. */
void tui_prompt_close(struct tui_app *app);
/* The half-typed command and its caret; empty for none. Borrowed until the next key. */
struct loom_str tui_prompt_typed(const struct tui_app *app, size_t *out_caret);
/* The line that was typed `age` lines ago, 1 being the last; p NULL when there is none. */
struct loom_str tui_prompt_history(const struct tui_app *app, size_t age);
/* Pastes into the open line. */
void tui_prompt_paste(struct tui_app *app, struct loom_str text);

/* Types a key without a binding into the open line. False when the line does not take it. */
bool tui_prompt_key(struct tui_app *app, struct tui_key key);

#endif
