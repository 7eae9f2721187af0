/* What can be done with a row: the menu lists this and nothing else. */
#include <loom/desk/desk.h>
#include <loom/desk/position.h>
#include <loom/tree/mark.h>
#include <loom/work/memory.h>
#include <loom/writing/drafts.h>

#include "inside.h"

static bool is_pinned(struct tui_app *app, const struct tui_row *row)
{
	struct loom_pin *pins = NULL;
	size_t count = 0;

	if (!app->thread ||
	    loom_pin_list(app->store, app->thread, app->arena, &pins, &count, NULL) != LOOM_OK)
		return false;
	for (size_t i = 0; i < count; i++)
		if (pins[i].kind == LOOM_PIN_NODE &&
		    (pins[i].node == row->node || pins[i].node == row->group))
			return true;
	return false;
}

static bool is_linked(struct tui_app *app, int64_t node)
{
	struct loom_link *links = NULL;
	size_t count = 0;

	return loom_link_list(app->store, LOOM_LINK_NODE, node, app->arena, &links, &count, NULL) ==
		       LOOM_OK &&
	       count > 0;
}

static void look_at_seam(struct tui_app *app, int64_t node, struct tui_menu_facts *out)
{
	struct loom_seam seam;
	struct loom_str came;

	if (loom_node_came(app->store, node, app->arena, &came, &seam, NULL) != LOOM_OK)
		return;
	out->seamed = loom_seam_any(&seam);
	out->unseamed = seam.off;
}

void tui_menu_look(struct tui_app *app, struct tui_menu_facts *out)
{
	const struct tui_row *row = NULL;

	*out = (struct tui_menu_facts){.draft = tui_draft_here(app)};
	if (tui_rows_get(&app->rows, app->position, &row, NULL) != LOOM_OK)
		return;
	*out = (struct tui_menu_facts){
		.known = true,
		.draft = out->draft,
		.root = !row->parent,
		.pruned = row->pruned,
		.bookmarked = row->bookmarked,
		.excluded = row->excluded,
		.tagged = row->tag_count > 0,
		.alone = app->n < 2 && app->selected_count < 2,
		.leaf = row->children == 0,
		.newer = row->version<row->versions, .older = row->version> 1,
	};
	out->linked = is_linked(app, row->node);
	out->pinned = is_pinned(app, row);
	look_at_seam(app, row->node, out);
}

bool tui_menu_verb_fits(const struct tui_menu_facts *facts, enum loom_verb verb)
{
	if (!facts->known)
		return verb != LOOM_VERB_RECALL;
	switch ((int)verb) {
	case LOOM_VERB_PRUNE:
		return !facts->pruned && !(facts->root && facts->alone);
	case LOOM_VERB_RESTORE:
		return facts->pruned;
	case LOOM_VERB_UNBOOKMARK:
		return facts->bookmarked;
	case LOOM_VERB_UNTAG:
		return facts->tagged;
	case LOOM_VERB_UNLINK:
		return facts->linked;
	case LOOM_VERB_EXCLUDE:
		return !facts->excluded;
	case LOOM_VERB_INCLUDE:
		return facts->excluded;
	case LOOM_VERB_UNSEAM:
		return facts->seamed;
	case LOOM_VERB_SEAM:
		return facts->unseamed;
	case LOOM_VERB_PIN:
		return !facts->pinned;
	case LOOM_VERB_DROP:
		return facts->pinned;
	case LOOM_VERB_RECALL:
		return false;
	default:
		return true;
	}
}

static bool action_fits(const struct tui_menu_facts *facts, enum tui_command action)
{
	switch ((int)action) {
	case TUI_ACTION_RETRY:
		return !facts->root;
	case TUI_ACTION_KEEP_ONLY:
	case TUI_ACTION_COMPARE:
		return !facts->alone;
	case TUI_ACTION_NEWER:
		return facts->newer;
	case TUI_ACTION_OLDER:
		return facts->older;
	case TUI_ACTION_FOLD:
	case TUI_ACTION_HOIST:
		return !facts->leaf;
	default:
		return true;
	}
}

enum tui_command tui_menu_action(const struct tui_menu_facts *facts, size_t index)
{
	static const enum tui_command nodes[] = {
		TUI_ACTION_CONTINUE_WITH, TUI_ACTION_RETRY,       TUI_ACTION_EXTERNAL,
		TUI_ACTION_BRANCH,        TUI_ACTION_NEWER,       TUI_ACTION_OLDER,
		TUI_ACTION_KEEP_ONLY,     TUI_ACTION_COMPARE,     TUI_ACTION_SELECT,
		TUI_ACTION_COPY,          TUI_ACTION_COPY_PATH,   TUI_ACTION_WOULD_SEND,
		TUI_ACTION_WAS_SENT,      TUI_ACTION_FOLD,        TUI_ACTION_HOIST,
		TUI_ACTION_LENS,          TUI_ACTION_BRING_AGENT, TUI_ACTION_PIPE,
	};
	static const enum tui_command drafts[] = {
		TUI_VERB_RESPOND, TUI_ACTION_COMMIT, TUI_VERB_CONTINUE,
		TUI_VERB_PRUNE,   TUI_ACTION_COPY,   TUI_ACTION_EXTERNAL,
	};
	const enum tui_command *all = facts->draft ? drafts : nodes;
	const size_t count = facts->draft ? LOOM_COUNT(drafts) : LOOM_COUNT(nodes);

	for (size_t i = 0; i < count; i++)
		if ((facts->draft || action_fits(facts, all[i])) && index-- == 0)
			return all[i];
	return TUI_COMMAND_NONE;
}

/* Moving about is not doing something with the row. */
static bool only_moves(enum tui_command command)
{
	static const enum tui_command moves[] = {
		TUI_ACTION_DOWN,         TUI_ACTION_UP,        TUI_ACTION_TOP,
		TUI_ACTION_BOTTOM,       TUI_ACTION_HALF_DOWN, TUI_ACTION_HALF_UP,
		TUI_ACTION_PAGE_DOWN,    TUI_ACTION_PAGE_UP,   TUI_ACTION_OTHER_UP,
		TUI_ACTION_OTHER_DOWN,   TUI_ACTION_FIND,      TUI_ACTION_FILTER,
		TUI_ACTION_FIND_NEXT,    TUI_ACTION_FIND_PREV, TUI_ACTION_CANCEL,
		TUI_ACTION_BACK,         TUI_ACTION_PARENT,    TUI_ACTION_CHILD,
		TUI_ACTION_PANE_NEXT,    TUI_ACTION_PANE_PREV, TUI_ACTION_SIBLING_NEXT,
		TUI_ACTION_SIBLING_PREV, TUI_ACTION_ZOOM,      TUI_ACTION_IN,
		TUI_ACTION_OUT,          TUI_ACTION_FORK_UP,   TUI_ACTION_FORK_DOWN,
		TUI_ACTION_MENU,
	};

	for (size_t i = 0; i < LOOM_COUNT(moves); i++)
		if (moves[i] == command)
			return true;
	return false;
}

/* Counted are the commands that the kind gives a meaning, those of its own view of keys, and those
 * of any list. */
enum tui_command tui_menu_of_list(const struct tui_app *app, const struct tui_list *list,
				  size_t index)
{
	static const enum tui_command any[] = {TUI_ACTION_OPEN, TUI_ACTION_ADD, TUI_ACTION_EXTERNAL,
					       TUI_ACTION_COPY, TUI_ACTION_PIPE};
	bool listed[TUI_COMMANDS] = {false};

	for (int command = 1; command < TUI_COMMANDS; command++) {
		for (const struct tui_meaning *row = list->kind->means; row && row->command; row++)
			listed[command] |= (int)row->command == command;
		for (size_t i = 0; list->kind->view && i < app->keymap.count; i++)
			listed[command] |= (int)app->keymap.bindings[i].command == command &&
					   app->keymap.bindings[i].view == list->kind->view;
		for (size_t i = 0; i < LOOM_COUNT(any); i++)
			listed[command] |= (int)any[i] == command;
		if (listed[command] && !only_moves((enum tui_command)command) &&
		    tui_list_offers(list, (enum tui_command)command) && index-- == 0)
			return (enum tui_command)command;
	}
	return TUI_COMMAND_NONE;
}
