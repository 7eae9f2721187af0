/* What can be done with the thing that a row stands for. */
#ifndef TUI_ROW_MENU_H
#define TUI_ROW_MENU_H

#include <loom/base/str.h>

#include <loom/keys/keymap.h>

struct tui_app;

enum tui_noun_kind { TUI_NOUN_NODE, TUI_NOUN_TREE, TUI_NOUN_DOCUMENT, TUI_NOUN_AGENT };
struct tui_noun {
	enum tui_noun_kind kind;
	struct loom_str name; /* as commands spell it, without quotes */
};

/* Every command that takes it; leaving opens the list that `from` opens (none: the tree) with the
 * cursor on `entry`. */
void tui_menu_open(struct tui_app *app, const struct tui_noun *noun, enum tui_command from,
		   int64_t entry);

#endif
