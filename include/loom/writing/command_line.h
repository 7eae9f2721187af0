/* One line at the bottom. */
#ifndef TUI_COMMAND_LINE_H
#define TUI_COMMAND_LINE_H

#include <loom/desk/desk.h>

/* What a line is for. Every function may be NULL. */
struct tui_line_kind {
	const char *sign; /* before it */
	void (*changed)(struct tui_app *app, struct loom_str text);
	/* Enter, and Esc; the line is closed by then. */
	void (*accept)(struct tui_app *app, struct loom_str line);
	void (*left)(struct tui_app *app);
	/* Up and down, in the place of the lines before. */
	void (*step)(struct tui_app *app, int by);
	/* Appends how it stands, in a few words for its end. */
	void (*state)(struct tui_app *app, struct loom_buf *out);
};
/* `text` stands in it already, with the caret at `caret` (SIZE_MAX: at its end). */
void tui_prompt_open(struct tui_app *app, const struct tui_line_kind *kind, struct loom_str text,
		     size_t caret);
/* The same for a command. */
void tui_prompt_command(struct tui_app *app, struct loom_str text, size_t caret);
bool tui_prompt_is(const struct tui_app *app, const struct tui_line_kind *kind);
/* A line for `take`, behind `sign` (which lives for ever); what is left with Esc is not taken. */
typedef void tui_take_fn(struct tui_app *app, struct loom_str line);
void tui_prompt_line(struct tui_app *app, const char *sign, struct loom_str text,
		     tui_take_fn *take);
/* The same for words that may have lines: what is pasted keeps its own. */
void tui_prompt_lines(struct tui_app *app, const char *sign, struct loom_str text,
		      tui_take_fn *take);
void tui_prompt_close(struct tui_app *app);
/* The command that is half typed, and where the caret is in it; empty: none is. Borrowed until the
 * next key. */
struct loom_str tui_prompt_typed(const struct tui_app *app, size_t *out_caret);
void tui_prompt_paste(struct tui_app *app, struct loom_str text);

#endif
