/* Importing files from the screen. */
#ifndef TUI_IMPORT_H
#define TUI_IMPORT_H

#include <loom/desk/desk.h>
#include <loom/writing/command_line.h>

/* Runs `import FILE…` as typed after the colon, with paths as a shell reads them (\ '…' "…", ~/,
 * file://). One import at a time; the workers read and write it as one operation and report its
 * progress. */
void tui_import(struct tui_app *app, struct loom_str rest);
/* Whether a paste may be the paths of files dropped on the terminal. If so, looks for the files:
 * when they exist a command line offers to import them, otherwise `otherwise` gets the text. */
bool tui_import_dropped(struct tui_app *app, struct loom_str text, tui_take_fn *otherwise);
/* Appends the progress of the import, for the list of jobs. False when there is none. */
bool tui_import_progress(const struct tui_app *app, struct loom_buf *out);

#endif
