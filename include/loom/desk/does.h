/* The functions of all actions, by id. Include it in files that define some of them. */
#ifndef TUI_DOES_H
#define TUI_DOES_H

#include <loom/desk/view.h>

/* Begins the definition of one: TUI_DO(PARENT) { … } */
#define TUI_DO(ID)                                                                                 \
	void tui_do_##ID(struct tui_app *app LOOM_UNUSED, const struct tui_match *match LOOM_UNUSED)

#define LOOM_VERB(id, name) tui_do_fn tui_do_##id;
#include <loom/verb_ids.def>
#define LOOM_ACTION(id, view) tui_do_fn tui_do_##id;
#include <loom/action_ids.def>

#endif
