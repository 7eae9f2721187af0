/* Where a call speaks: results on one descriptor, notes and errors on another. What prints results
 * is in results.h; commands describe them (answers.h).
 *
 * Whatever is shown goes through sanitise.h here, so that no handler can forget it. Output is
 * buffered; an error of the descriptor is remembered, later output is dropped, and
 * loom_out_flush tells. A reader that went away (EPIPE) is no error: loom_out_closed says so, and
 * what is still said falls silent. Texts are whole characters: a character cut between two calls
 * is shown as broken bytes. */
#ifndef LOOM_OUT_H
#define LOOM_OUT_H

#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/base/json.h>
#include <loom/base/str.h>

struct loom_out;

struct loom_out_opts {
	int out_fd;
	int err_fd;
	bool json; /* errors are JSON too */
	bool raw;  /* results leave as they are; the caller has seen to it that no terminal reads */
	const struct loom_env *env; /* NO_COLOR and TERM */
};

/* The style of a piece of text; without colour all are plain. */
enum loom_style { LOOM_PLAIN, LOOM_STRONG, LOOM_DIM, LOOM_GOOD, LOOM_BAD };

/* Descriptors and env are borrowed. Freed by loom_out_destroy. */
struct loom_out *loom_out_create(const struct loom_out_opts *opts) LOOM_MUST;
/* Frees; what was not flushed is lost. NULL is fine. */
void loom_out_destroy(struct loom_out *out);

/* Whether results are coloured. */
bool loom_out_color(const struct loom_out *out);
/* Whether results are read on a terminal. */
bool loom_out_on_terminal(const struct loom_out *out);
/* The same for notes. */
bool loom_out_notes_on_terminal(const struct loom_out *out);
/* Whether nobody reads results any more: a long listing may stop. */
bool loom_out_closed(const struct loom_out *out);
/* Cells of a line: the terminal's, or 80. */
size_t loom_out_columns(const struct loom_out *out);

/* One line of notes: "note: …", "warning: …". Results said before come first. */
void loom_out_note(struct loom_out *out, const char *format, ...) LOOM_PRINTF(2, 3);
/* The same for what a person should act upon. */
void loom_out_warn(struct loom_out *out, const char *format, ...) LOOM_PRINTF(2, 3);
/* A line of notes that begins in another program's words ("Error: "). */
void loom_out_say(struct loom_out *out, const char *head, struct loom_str text);
/* "✗ CODE: text" and "  hint: …"; in JSON {"error":{"code","text","hint","retryable"}}, one line
 * of notes too. `code` NULL: the code of err->status. */
void loom_out_error(struct loom_out *out, const char *code, const struct loom_err *err);

/* A line that stands on the terminal of notes until the next word is said; nothing elsewhere. */
void loom_out_progress(struct loom_out *out, struct loom_str line);
/* Wipes the line now. */
void loom_out_progress_clear(struct loom_out *out);

/* From here to loom_out_release nothing is written: who holds something of the grove must not wait
 * for a reader that stands still. What is said is kept, however much, and leaves then in its order;
 * a flush in between does nothing. Does not nest. */
void loom_out_hold(struct loom_out *out);
/* Forgets what is held, and goes on holding. */
void loom_out_drop(struct loom_out *out);
/* Harmless when nothing is held. */
void loom_out_release(struct loom_out *out);

/* From now on results are added to `copy` too, as they are given; NULL: no more. */
void loom_out_copy(struct loom_out *out, struct loom_buf *copy);

/* Writes what is buffered. LOOM_FULL or LOOM_IO when results could not all be written, now or
 * before. */
enum loom_status loom_out_flush(struct loom_out *out, struct loom_err *err) LOOM_MUST;

#endif
