/* Ghosts: nodes that models are writing, from their first byte until they exist. They are rows with
 * keys of their own, added again whenever the outline is rebuilt. */
#include <loom/desk/desk.h>
#include <loom/desk/ghosts.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>

#define GHOST_KEY  (UINT64_C(1) << 60)
#define GHOST_TEXT ((size_t)64 << 20)

struct tui_ghost *tui_stream_at(const struct tui_app *app, uint32_t item)
{
	const struct tui_item *what = item ? tui_items_get(app->outline.items, item) : NULL;
	size_t at;

	if (!what || !(what->flags & TUI_OUTLINE_GHOST) || !(what->key & GHOST_KEY))
		return NULL;
	at = (size_t)(what->key & ~GHOST_KEY);
	return at < app->streams->count ? &app->streams->items[at] : NULL;
}

static void show_rows(struct tui_app *app)
{
	for (size_t i = 0; i < app->streams->count; i++) {
		struct tui_ghost *ghost = &app->streams->items[i];
		ghost->item = tui_items_find(app->outline.items, GHOST_KEY | i);
		if (!ghost->item)
			ghost->item = tui_outline_ghost(&app->outline, ghost->from, GHOST_KEY | i);
	}
}

static void extra(struct tui_app *app, const struct tui_ghost *ghost)
{
	struct tui_extra what = {.on = ghost != NULL, .role = TUI_ROLE_MODEL};

	/* A copy, since the ghost may grow or vanish while something else is selected. */
	loom_buf_clear(&app->streams->shown);
	if (ghost) {
		loom_buf_add(&app->streams->shown, loom_buf_str(&ghost->text));
		what.text = loom_buf_str(&app->streams->shown);
		what.title = LOOM_STR("being written · Esc stops");
	}
	tui_reader_extra(&app->reader, &what);
}

/* The reader follows the cursor onto a ghost and off it. */
static void chosen(struct tui_app *app, uint32_t item)
{
	const struct tui_ghost *ghost = tui_stream_at(app, item);
	struct loom_err err = {.status = LOOM_OK};

	if (app->writing || !app->streams->count)
		return;
	extra(app, ghost);
	if (ghost)
		tui_reader_see(&app->reader, 0, &err);
}

void tui_stream_begin(struct tui_app *app, struct tui_run *run, int64_t from,
		      const char *const *ids, size_t count)
{
	bool there =
		(app->position == from || app->position == app->streams->retried) && !app->writing;

	app->streams->retried = 0;
	if (app->streams->count + count > TUI_STREAMS)
		return;
	app->streams->items = loom_realloc(app->streams->items, app->streams->count + count,
					   sizeof *app->streams->items);
	for (size_t i = 0; i < count; i++) {
		struct tui_ghost *ghost = &app->streams->items[app->streams->count];
		*ghost = (struct tui_ghost){.run = run, .choice = i, .from = from};
		snprintf(ghost->id, sizeof ghost->id, "%s", ids[i]);
		loom_buf_init(&ghost->text, GHOST_TEXT);
		ghost->item =
			tui_outline_ghost(&app->outline, from, GHOST_KEY | app->streams->count);
		app->streams->count++;
	}
	/* Moves to the first ghost unless the person has gone elsewhere. */
	if (there && app->streams->items[app->streams->count - count].item)
		tui_cursor_to(app, app->streams->items[app->streams->count - count].item);
	tui_keep_in_sight(app);
}

void tui_stream_chunk(struct tui_app *app, const struct tui_run *run, size_t choice,
		      struct loom_str text)
{
	for (size_t i = 0; i < app->streams->count; i++) {
		struct tui_ghost *ghost = &app->streams->items[i];
		if (ghost->run != run || ghost->choice != choice)
			continue;
		loom_buf_add(&ghost->text, text);
		if (ghost == tui_stream_at(app, app->cursor) && !app->writing)
			extra(app, ghost);
	}
	if (app->stage)
		tui_stage_stream(app->stage);
}

static void remove_ghosts(struct tui_app *app, const struct tui_run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < app->streams->count; i++) {
		if (app->streams->items[i].item)
			tui_items_remove(app->outline.items, app->streams->items[i].item);
		if (app->streams->items[i].run == run)
			loom_buf_fini(&app->streams->items[i].text);
		else
			app->streams->items[kept++] = app->streams->items[i];
	}
	app->streams->count = kept;
}

void tui_stream_end(struct tui_app *app, const struct tui_run *run)
{
	const struct tui_ghost *here = tui_stream_at(app, app->cursor);
	char id[LOOM_LOCAL_MAX] = "";
	struct loom_node node;
	bool any = false;

	for (size_t i = 0; i < app->streams->count; i++)
		any = any || app->streams->items[i].run == run;
	if (!any)
		return;
	if (here && here->run == run)
		snprintf(id, sizeof id, "%s", here->id);
	if (!app->writing)
		extra(app, NULL);
	remove_ghosts(app, run);
	tui_cursor_home(app);
	tui_news_look(app);
	show_rows(app);
	if (id[0] && loom_node_find(app->store, app->tree.id, loom_str_of(id), app->arena, &node,
				    NULL) == LOOM_OK)
		tui_go(app, node.group, TUI_GO_STEP);
}

static int64_t anchor_at(const struct tui_app *app, uint32_t item)
{
	const struct tui_ghost *ghost = tui_stream_at(app, item);

	return ghost ? ghost->from : 0;
}

static void begin(struct tui_app *app)
{
	app->streams = loom_alloc(sizeof *app->streams);
	loom_buf_init(&app->streams->shown, LOOM_BUF_MAX);
}

static void closed(struct tui_app *app)
{
	struct tui_streams *streams = app->streams;

	for (size_t i = 0; i < streams->count; i++)
		loom_buf_fini(&streams->items[i].text);
	free(streams->items);
	loom_buf_fini(&streams->shown);
	free(streams);
}

const struct tui_view tui_view_stream = {
	.anchor = anchor_at,
	.chosen = chosen,
	.told = {[TUI_TOLD_BEGIN] = begin, [TUI_TOLD_ROWS] = show_rows, [TUI_TOLD_CLOSED] = closed},
};
