/* Files brought into the grove from the screen. */
#ifndef TUI_IMPORT_H
#define TUI_IMPORT_H

#include <loom/desk/desk.h>

/* Behind the colon: `import FILE…`, as a shell would read it (\ '…' "…", ~/, file://). One import
 * at a time; it is read and written by the workers, says how far it is, and is one operation. */
void tui_import(struct tui_app *app, struct loom_str rest);
/* A paste: whether it could be the paths of files that were dropped on the terminal. Then those are
 * looked for; when they are there a command line offers to import them, else `otherwise` gets the
 * text. */
bool tui_import_dropped(struct tui_app *app, struct loom_str text, tui_take_fn *otherwise);
/* What is done right now, for the list of jobs; false when there is none. */
bool tui_import_progress(const struct tui_app *app, struct loom_buf *out);

/* The paths that such a line names, in the arena; SIZE_MAX when a quote does not end. */
size_t tui_paths_read(struct loom_str line, struct loom_str home, struct loom_arena *arena,
		      const char ***out);
/* Appends a path as tui_paths_read reads it. */
void tui_path_spell(struct loom_str path, struct loom_buf *out);

#endif
