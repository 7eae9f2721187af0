/* The threads of each objective as rows: what each has, and what it reads of others. */
#include <loom/lists/list.h>
#include <loom/lists/talk.h>

#include "inside.h"

static struct loom_str status_of(const struct loom_leslie_thread *thread)
{
	return thread->status == LOOM_LESLIE_STATUSES
		       ? thread->status_text
		       : loom_str_of(loom_leslie_status_name(thread->status));
}

static enum tui_role status_role(enum loom_leslie_status status)
{
	switch (status) {
	case LOOM_LESLIE_ACTIVE:
		return TUI_ROLE_TITLE;
	case LOOM_LESLIE_WAITING_HUMAN:
		return TUI_ROLE_WARN;
	case LOOM_LESLIE_COMPLETED:
		return TUI_ROLE_OK;
	case LOOM_LESLIE_SUSPENDED:
	case LOOM_LESLIE_CANCELLED:
	case LOOM_LESLIE_ARCHIVED:
	case LOOM_LESLIE_FROZEN:
	case LOOM_LESLIE_STATUSES:
	default:
		return TUI_ROLE_DIM;
	}
}

/* The agent working in the grove's thread of this name, and its position. */
static void say_position(struct tui_app *app, struct loom_str name, struct loom_buf *out)
{
	struct loom_thread thread;

	if (loom_thread_find(app->store, name, app->arena, &thread, NULL) != LOOM_OK)
		return;
	loom_buf_addf(out, " · %.*s", LOOM_STR_ARG(tui_people_name(&app->people, thread.agent)));
	tui_talks_place(app, &thread, out);
}

static void add_thread(struct tui_app *app, struct tui_list *list, const struct tui_thread *thread,
		       int64_t id)
{
	struct loom_arena *arena = tui_list_arena(list);
	bool source = loom_str_is(thread->thread.id, app->source);
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);
	struct tui_entry entry = {
		.lead = loom_arena_format(arena, "%s %.*s",
					  !thread->assets.count && !thread->thread.reference_count
						  ? " "
					  : thread->folded ? "▸"
							   : "▾",
					  LOOM_STR_ARG(thread->thread.id)),
		.lead_role = source ? TUI_ROLE_SELECTED : status_role(thread->thread.status),
		.role = thread->broken ? TUI_ROLE_WARN : TUI_ROLE_TEXT,
		.end = loom_arena_format(arena, "%zu %s", thread->assets.count,
					 loom_plural((int64_t)thread->assets.count, "asset",
						     "assets")),
		.id = id,
		.other = ROW_THREAD,
	};

	loom_buf_addf(&text, "%s%.*s%s", source ? "source · " : "",
		      LOOM_STR_ARG(status_of(&thread->thread)),
		      thread->thread.gone ? " · its folder is gone" : "");
	if (thread->broken)
		loom_buf_addf(&text, " · %zu broken", thread->broken);
	if (thread->thread.title.n && !loom_str_eq(thread->thread.title, thread->thread.id))
		loom_buf_addf(&text, " · %.*s", LOOM_STR_ARG(thread->thread.title));
	say_position(app, thread->thread.id, &text);
	entry.text = loom_arena_buf(arena, &text);
	tui_list_add(list, &entry);
	loom_buf_fini(&text);
}

/* Shown by its name within the thread; the full path is in the text beside. */
static void add_asset(struct tui_list *list, const struct tui_thread *thread,
		      const struct loom_asset *asset, int64_t id)
{
	struct loom_arena *arena = tui_list_arena(list);
	struct loom_str name = asset->path;

	if (loom_str_starts(name, thread->thread.path))
		name = loom_str_sub(name, thread->thread.path.n, name.n);
	tui_list_add(list, &(struct tui_entry){.lead = loom_arena_format(arena, "    %s",
									 loom_asset_type_name(
										 asset->type)),
					       .lead_role = TUI_ROLE_LINK,
					       .text = name,
					       .id = id,
					       .other = ROW_ASSET});
}

static void add_reference(struct tui_app *app, struct tui_list *list,
			  const struct loom_leslie_edge *edge, int64_t id)
{
	struct loom_arena *arena = tui_list_arena(list);
	const bool bad = edge->broken || (edge->copies && edge->state != LOOM_COPY_SOUND);
	struct tui_entry entry = {.lead = loom_arena_format(arena, "    %s %.*s",
							    edge->broken ? "✗" : "→",
							    LOOM_STR_ARG(edge->thread)),
				  .lead_role = edge->broken ? TUI_ROLE_WARN : TUI_ROLE_CALL,
				  .role = bad ? TUI_ROLE_WARN : TUI_ROLE_TEXT,
				  .id = id,
				  .other = ROW_REFERENCE};
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);

	loom_buf_adds(&text, edge->broken ? "" : "reads: ");
	loom_leslie_edge_say(edge, loom_env_now(app->env), &text);
	entry.text = loom_arena_buf(arena, &text);
	tui_list_add(list, &entry);
	loom_buf_fini(&text);
}

static void add_rows(struct tui_app *app, struct tui_list *list, const struct tui_threads *found,
		     size_t i)
{
	const struct tui_thread *thread = &found->items[i];
	int64_t id = 2 + (int64_t)(i * ROW_SPAN);
	size_t room = ROW_SPAN - 2;

	add_thread(app, list, thread, id - 1);
	for (size_t k = 0; k < thread->assets.count && !thread->folded && room; k++, room--)
		add_asset(list, thread, &thread->assets.items[k], id++);
	for (size_t k = 0; k < thread->thread.reference_count && !thread->folded && room;
	     k++, room--)
		add_reference(app, list, &thread->thread.references[k], id++);
}

static void add_objective(struct tui_app *app, struct tui_list *list,
			  const struct tui_threads *found, const struct loom_objective *objective)
{
	struct loom_str id = objective ? objective->id : LOOM_STR("");
	bool headed = false;

	for (size_t i = 0; i < found->count; i++) {
		bool known = false;

		for (size_t k = 0; !objective && k < found->objective_count; k++)
			known = known || loom_str_eq(found->objectives[k].id,
						     found->items[i].thread.objective);
		if (objective ? !loom_str_eq(found->items[i].thread.objective, id) : known)
			continue;
		if (!headed)
			tui_list_add(
				list,
				&(struct tui_entry){
					.heading = true,
					.text = objective ? loom_arena_format(
								    tui_list_arena(list),
								    "%.*s · %.*s · %.*s",
								    LOOM_STR_ARG(objective->title),
								    LOOM_STR_ARG(id),
								    LOOM_STR_ARG(objective->status))
							  : LOOM_STR("no known objective")});
		headed = true;
		add_rows(app, list, found, i);
	}
}

enum loom_status tui_threads_rows(struct tui_app *app, struct tui_list *list,
				  const struct tui_threads *found, struct loom_err *err)
{
	if (!found->arena)
		return LOOM_OK;
	for (size_t i = 0; i < found->objective_count; i++)
		add_objective(app, list, found, &found->objectives[i]);
	add_objective(app, list, found, NULL);
	return tui_talks_add(app, list, found, err);
}
