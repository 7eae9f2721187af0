/* Output of a call: results on one descriptor, notes and errors on another. results.h prints
 * results; commands describe them (answers.h).
 *
 * All text is sanitised here, so that no handler can forget it. Output is buffered. After an error
 * of the descriptor, later output is dropped and loom_out_flush reports it. A reader that has gone
 * (EPIPE) is no error: loom_out_closed tells, and further output is discarded. Texts must be whole
 * characters: one that is cut between two calls is shown as broken bytes. */
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
	bool json; /* print errors as JSON too */
	bool raw;  /* print results unsanitised; the caller made sure that no terminal reads them */
	const struct loom_env *env; /* for NO_COLOR and TERM */
};

/* The style of a piece of text; without colour they all look plain. */
enum loom_style { LOOM_PLAIN, LOOM_STRONG, LOOM_DIM, LOOM_GOOD, LOOM_BAD };

/* Creates an output; free it with loom_out_destroy. Borrows the descriptors and env. */
struct loom_out *loom_out_create(const struct loom_out_opts *opts) LOOM_MUST;
/* Frees the output and discards what was not flushed. NULL is fine. */
void loom_out_destroy(struct loom_out *out);

/* Whether results are coloured. */
bool loom_out_color(const struct loom_out *out);
/* Whether results go to a terminal. */
bool loom_out_on_terminal(const struct loom_out *out);
/* Whether notes go to a terminal. */
bool loom_out_notes_on_terminal(const struct loom_out *out);
/* Whether the reader of results has gone, so that a long listing can stop. */
bool loom_out_closed(const struct loom_out *out);
/* The width of a line in cells: the terminal's, or 80. */
size_t loom_out_columns(const struct loom_out *out);

/* Prints one line "note: …", after the results printed so far. */
void loom_out_note(struct loom_out *out, const char *format, ...) LOOM_PRINTF(2, 3);
/* Prints one line "warning: …": something a person should act on. */
void loom_out_warn(struct loom_out *out, const char *format, ...) LOOM_PRINTF(2, 3);
/* Prints one line of notes that begins with another program's prefix ("Error: "). */
void loom_out_say(struct loom_out *out, const char *head, struct loom_str text);
/* Prints an error, "✗ CODE: text" and "  hint: …", or as JSON
 * {"error":{"code","text","hint","retryable"}} on one line. `code` NULL takes the code of
 * err->status. */
void loom_out_error(struct loom_out *out, const char *code, const struct loom_err *err);

/* Shows a line on the terminal of notes until the next output; does nothing elsewhere. */
void loom_out_progress(struct loom_out *out, struct loom_str line);
/* Removes the progress line. */
void loom_out_progress_clear(struct loom_out *out);

/* Keeps all output back, however much, until loom_out_release prints it in order. A caller that
 * holds a lock of the grove uses this, so that a slow reader cannot block it. A flush does nothing
 * meanwhile. Does not nest. */
void loom_out_hold(struct loom_out *out);
/* Discards the held output, and keeps holding. */
void loom_out_drop(struct loom_out *out);
/* Prints the held output and stops holding; harmless if nothing is held. */
void loom_out_release(struct loom_out *out);

/* From now on, adds results to `copy` as well; NULL stops it. */
void loom_out_copy(struct loom_out *out, struct loom_buf *copy);

/* Writes what is buffered. LOOM_FULL or LOOM_IO if results could not all be written, now or
 * earlier. */
enum loom_status loom_out_flush(struct loom_out *out, struct loom_err *err) LOOM_MUST;

#endif
