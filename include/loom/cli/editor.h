/* A person's own editor on a text. */
#ifndef LOOM_EDITOR_H
#define LOOM_EDITOR_H

#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/base/str.h>

/* Runs $VISUAL, else $EDITOR, else vi on a private copy of `text` and waits; *out gets what was
 * saved, at most its own maximum. The terminal is the editor's meanwhile: who draws on it has put
 * it back before; an editor that is stopped stops the program with it. LOOM_REFUSED when the editor
 * says that it failed; what was saved is in *out then too. LOOM_NOT_FOUND when it took the copy
 * away, LOOM_INVALID when it left no UTF-8: *out is empty, and what was left keeps its file. */
enum loom_status loom_editor_run(const struct loom_env *env, struct loom_str text,
				 struct loom_buf *out, struct loom_err *err) LOOM_MUST;

#endif
