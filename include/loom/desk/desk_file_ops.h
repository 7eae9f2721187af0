/* Records what the screen did to files outside the grove. */
#ifndef TUI_OUTSIDE_H
#define TUI_OUTSIDE_H

#include <loom/sharing/file_ops.h>

#include <loom/desk/desk.h>

/* Lists a file operation among the grove's operations; copied. The file operation stands even when
 * the listing fails. */
void tui_list_outside(struct tui_app *app, const struct loom_outside *what);

#endif
