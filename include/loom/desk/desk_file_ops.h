/* What the screen did to files beside the grove. */
#ifndef TUI_OUTSIDE_H
#define TUI_OUTSIDE_H

#include <loom/actor/file_ops.h>

#include <loom/desk/desk.h>

/* Lists it among the operations; copied. That it is done stands whatever becomes of this. */
void tui_list_outside(struct tui_app *app, const struct loom_outside *what);

#endif
