/* Surgery by keys: split at the caret, hang the picked branches below this row or copy them there,
 * and put a node before or after its sibling. Before a branch is hung elsewhere, one line says what
 * would stand where, and asks. */
#include <loom/desk/desk.h>

#include <loom/base/utf8.h>
#include <loom/desk/does.h>
#include <loom/desk/do_line.h>
#include <loom/desk/position.h>
#include <loom/language/call.h>

static const struct tui_row *row_of(struct tui_app *app, int64_t group)
{
	const struct tui_row *row = NULL;

	return tui_rows_get(&app->rows, group, &row, NULL) == LOOM_OK ? row : NULL;
}

/* The id of a row, which outlives the row. */
static struct loom_str id_of(struct tui_app *app, int64_t group)
{
	const struct tui_row *row = row_of(app, group);

	return row ? loom_arena_str(app->arena, loom_str_of(row->id)) : LOOM_STR("");
}

TUI_DO(SPLIT)
{
	struct loom_call call = loom_call_of(LOOM_VERB_SPLIT);
	const struct loom_node *node;
	char id[LOOM_LOCAL_MAX];
	size_t at_node = 0;
	size_t at = 0;
	struct loom_err err;

	if (!tui_reader_ready(&app->reader, &err) || !tui_reader_at(&app->reader, &at_node, &at) ||
	    at == 0) {
		tui_stuck(app, "a node is split at the caret: Tab to the text, j k move");
		return;
	}
	node = &app->reader.path.items[at_node];
	loom_local_text(app->tree.key, node->local, id);
	call.id = loom_str_of(id);
	call.at = (int64_t)loom_utf8_length(loom_str_sub(node->text, 0, at));
	tui_run_calls(app, &call, 1, NULL);
}

TUI_DO(JOIN)
{
	struct loom_call call = loom_call_of(LOOM_VERB_JOIN);

	call.id = id_of(app, app->position);
	if (call.id.n)
		tui_run_calls(app, &call, 1, NULL);
}

/* --- elsewhere --- */

static void hung(struct tui_app *app, int64_t count, bool ok)
{
	(void)count;
	if (ok)
		app->selected_count = 0;
}

/* Applies a verb to each picked branch, with this row as its new place, as one operation. */
static void hang_picked(struct tui_app *app, enum loom_verb verb)
{
	const struct tui_run_opts opts = {.done = hung};
	struct loom_call *calls =
		LOOM_ARENA_ARRAY(app->arena, app->selected_count + 1, struct loom_call);
	const struct loom_str to = id_of(app, app->position);
	size_t count = 0;

	for (size_t i = 0; i < app->selected_count; i++) {
		calls[count] = loom_call_of(verb);
		calls[count].id = id_of(app, app->selected[i]);
		calls[count].target.node = to;
		count += calls[count].id.n > 0;
	}
	if (count && to.n)
		tui_run_calls(app, calls, count, &opts);
}

static void move_picked(struct tui_app *app)
{
	hang_picked(app, LOOM_VERB_MOVE);
}

static void copy_picked(struct tui_app *app)
{
	hang_picked(app, LOOM_VERB_COPY);
}

/* Says which texts would follow each other, and asks. */
static void ask(struct tui_app *app, const char *what, void (*then)(struct tui_app *app))
{
	const struct tui_row *to = NULL;
	const struct tui_row *row = NULL;
	struct tui_row first;
	char more[40] = "";

	if (app->selected_count)
		row = row_of(app, app->selected[0]);
	if (!row) {
		tui_stuck(app, "pick the branch with Space, then go to where it shall hang");
		return;
	}
	first = *row;
	to = row_of(app, app->position);
	if (!to)
		return;
	if (app->selected_count > 1)
		snprintf(more, sizeof more, " and %zu more", app->selected_count - 1);
	app->asked = then;
	tui_say(app, TUI_ROLE_WARN, "%s [%s] “%.*s”%s below [%s] “%.*s”? y/n", what, first.id,
		(int)first.text_n, first.text, more, to->id, (int)to->text_n, to->text);
}

TUI_DO(MOVE)
{
	ask(app, "hang", move_picked);
}

TUI_DO(COPY_BRANCH)
{
	ask(app, "copy", copy_picked);
}

/* --- among siblings --- */

/* Puts one sibling directly before another. */
static void order(struct tui_app *app, int64_t group, int64_t before)
{
	struct loom_call call = loom_call_of(LOOM_VERB_ORDER);

	call.id = id_of(app, group);
	call.before = id_of(app, before);
	if (call.id.n && call.before.n)
		tui_run_calls(app, &call, 1, NULL);
}

static void swap(struct tui_app *app, int64_t by)
{
	const struct tui_row *row = row_of(app, app->position);
	const int64_t beside = row ? tui_sibling(app, row, by) : 0;

	if (!beside)
		tui_stuck(app, "it stands %s among its siblings already",
			  by > 0 ? "last" : "first");
	else if (by > 0)
		order(app, beside, app->position);
	else
		order(app, app->position, beside);
}

TUI_DO(EARLIER)
{
	swap(app, -1);
}

TUI_DO(LATER)
{
	swap(app, 1);
}
