/* Drafts as rows under their anchors, so that nobody forgets what is not said yet. Read when the
 * tree is opened and whenever one was kept or dropped, here or by another process. */
#include "app_impl.h"

#define DRAFT_KEY (UINT64_C(1) << 59)

void tui_drafts_read(struct tui_app *app)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_draft *drafts = NULL;
	char tree[LOOM_ULID_CHARS + 1];
	size_t count = 0;

	app->draft_count = 0;
	loom_ulid_text(&app->tree.ulid, tree);
	if (loom_draft_list(app->store, arena, &drafts, &count, NULL) != LOOM_OK)
		count = 0;
	for (size_t i = 0; i < count && app->draft_count < TUI_DRAFTS; i++) {
		struct tui_draft_row *row = &app->drafts[app->draft_count];
		struct loom_node node;

		if (!loom_str_is(drafts[i].tree, tree) ||
		    loom_node_find(app->store, app->tree.id, drafts[i].anchor, arena, &node, NULL))
			continue;
		*row = (struct tui_draft_row){.anchor = node.group,
					      .edit = loom_str_is(drafts[i].kind, "edit")};
		row->text_n = (uint8_t)tui_text_head(drafts[i].text, row->text, sizeof row->text);
		app->draft_count++;
	}
	loom_arena_destroy(arena);
}

void tui_drafts_show(struct tui_app *app)
{
	for (size_t i = 0; i < app->draft_count; i++) {
		struct tui_draft_row *row = &app->drafts[i];
		uint32_t anchor = tui_items_find(app->outline.items, (uint64_t)row->anchor);

		if (tui_items_find(app->outline.items, DRAFT_KEY | i) || !anchor ||
		    !tui_items_shown(app->outline.items, anchor) ||
		    tui_items_folded(app->outline.items, anchor))
			continue;
		tui_outline_ghost(&app->outline, row->anchor, DRAFT_KEY | i);
	}
}

/* The rows go, and come back as they are now. */
void tui_drafts_again(struct tui_app *app)
{
	int64_t position = app->position;

	for (size_t i = 0; i < TUI_DRAFTS; i++) {
		uint32_t item = tui_items_find(app->outline.items, DRAFT_KEY | i);
		if (!item)
			continue;
		if (app->cursor == item)
			app->cursor = tui_items_find(app->outline.items, (uint64_t)position);
		tui_items_remove(app->outline.items, item);
	}
	if (!app->cursor)
		app->cursor = tui_items_at(app->outline.items, 0, NULL);
	tui_drafts_read(app);
	tui_drafts_show(app);
}

void tui_drafts_look(struct tui_app *app)
{
	if (!app->watch || !loom_watch_drafts(app->watch))
		return;
	tui_drafts_again(app);
	if (app->stage)
		tui_stage_dirty(app->stage);
}

const struct tui_draft_row *tui_drafts_at(const struct tui_app *app, uint32_t item)
{
	const struct tui_item *what = item ? tui_items_get(app->outline.items, item) : NULL;
	size_t at;

	if (!what || !(what->flags & TUI_OUTLINE_GHOST) || !(what->key & DRAFT_KEY))
		return NULL;
	at = (size_t)(what->key & ~DRAFT_KEY);
	return at < app->draft_count ? &app->drafts[at] : NULL;
}

/* To the next one, and its text is open. */
void tui_drafts_go(struct tui_app *app)
{
	size_t at = 0;

	if (app->draft_count == 0) {
		tui_say(app, TUI_ROLE_DIM, "no drafts in this tree");
		return;
	}
	while (at < app->draft_count && app->drafts[at].anchor != app->position)
		at++;
	at = at + 1 < app->draft_count ? at + 1 : 0;
	if (tui_go(app, app->drafts[at].anchor, TUI_GO_JUMP))
		tui_say(app, TUI_ROLE_TEXT, "a draft is here: %s opens it",
			app->drafts[at].edit ? "e" : "i");
}
