/* Files brought into the grove from the screen. */
#ifndef TUI_IMPORT_H
#define TUI_IMPORT_H

#include <loom/desk/desk.h>
#include <loom/writing/command_line.h>

/* Behind the colon: `import FILE…`, as a shell would read it (\ '…' "…", ~/, file://). One import
 * at a time; it is read and written by the workers, says how far it is, and is one operation. */
void tui_import(struct tui_app *app, struct loom_str rest);
/* A paste: whether it could be the paths of files that were dropped on the terminal. Then those are
 * looked for; when they are there a command line offers to import them, else `otherwise` gets the
 * text. */
bool tui_import_dropped(struct tui_app *app, struct loom_str text, tui_take_fn *otherwise);
/* What is done right now, for the list of jobs; false when there is none. */
bool tui_import_progress(const struct tui_app *app, struct loom_buf *out);

#endif
