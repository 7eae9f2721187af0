/* The commands that apply to the thing a row stands for. */
#ifndef TUI_ROW_MENU_H
#define TUI_ROW_MENU_H

#include <loom/base/str.h>

enum tui_noun_kind { TUI_NOUN_NODE, TUI_NOUN_TREE, TUI_NOUN_DOCUMENT, TUI_NOUN_AGENT };
struct tui_noun {
	enum tui_noun_kind kind;
	struct loom_str name; /* as commands spell it, without quotes */
};

#endif
