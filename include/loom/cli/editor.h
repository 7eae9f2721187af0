/* The person's own editor. */
#ifndef LOOM_EDITOR_H
#define LOOM_EDITOR_H

#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/base/str.h>

/* Runs $VISUAL, else $EDITOR, else vi on a private copy of `text`, and waits. *out gets the saved
 * text, up to its own maximum. The editor owns the terminal meanwhile, so the caller must have
 * restored it; stopping the editor stops the program too. LOOM_REFUSED if the editor reports a
 * failure; *out still has the saved text. LOOM_NOT_FOUND if it deleted the copy, LOOM_INVALID if it
 * left no UTF-8: then *out is empty, and the file stays. */
enum loom_status loom_editor_run(const struct loom_env *env, struct loom_str text,
				 struct loom_buf *out, struct loom_err *err) LOOM_MUST;

#endif
