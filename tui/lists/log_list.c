/* The shared log as a list: where it is, what waits for it, and who works in it. */
#include <loom/lists/list.h>

#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/desk/log_follow.h>
#include <loom/desk/others.h>
#include <loom/grove/draft.h>
#include <loom/tree/person.h>

static void add(struct tui_list *list, const char *lead, struct loom_str text)
{
	tui_list_add(list, &(struct tui_entry){.lead = loom_str_of(lead),
					       .lead_role = TUI_ROLE_DIM,
					       .text = text,
					       .id = (int64_t)tui_list_added(list) + 1});
}

static void add_count(struct tui_list *list, const char *lead, int64_t count, const char *one,
		      const char *many)
{
	struct loom_buf out = LOOM_BUF_INIT(256);

	if (count) {
		loom_buf_add_count(&out, (uint64_t)count);
		loom_buf_addf(&out, " %s", loom_plural(count, one, many));
		add(list, lead, loom_arena_buf(tui_list_arena(list), &out));
	}
	loom_buf_fini(&out);
}

static enum loom_status count_drafts(struct tui_app *app, struct loom_arena *arena, int64_t *out,
				     struct loom_err *err)
{
	struct loom_draft *drafts = NULL;
	size_t count = 0;
	enum loom_status status = loom_draft_list(app->store, arena, &drafts, &count, err);

	*out = 0;
	for (size_t i = 0; i < count; i++)
		*out += loom_str_is(drafts[i].why, LOOM_DRAFT_WAITS);
	return status;
}

static enum loom_status add_log(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct tui_log_about about;
	int64_t drafts = 0;
	enum loom_status status = count_drafts(app, tui_list_arena(list), &drafts, err);

	if (status != LOOM_OK || !tui_log_about(app, tui_list_arena(list), &about))
		return status;
	tui_list_add(list, &(struct tui_entry){.heading = true, .text = LOOM_STR("Log")});
	add(list, "where", about.url);
	add(list, "now", about.state);
	add_count(list, "here", about.entries, "entry", "entries");
	add_count(list, "waits", about.rides, "position or choice, for the next entry",
		  "positions and choices, for the next entry");
	add_count(list, "waits", drafts, "draft: loom drafts send", "drafts: loom drafts send");
	add_count(list, "void", about.voids, "entry that broke a rule",
		  "entries that broke a rule");
	return status;
}

static const char *doing(const struct tui_app *app, const struct loom_member *member)
{
	for (size_t i = 0; i < app->news->present_count; i++)
		if (loom_str_eq(app->news->present[i].agent, member->agent.name))
			return "here now";
	return member->me ? "you" : "";
}

static enum loom_status add_members(struct tui_app *app, struct tui_list *list,
				    struct loom_err *err)
{
	static const char *const rights[] = {"reader", "writer", "admin"};
	struct loom_arena *arena = tui_list_arena(list);
	struct loom_member *all = NULL;
	size_t count = 0;
	enum loom_status status = loom_member_list(app->store, arena, &all, &count, err);

	tui_list_add(list, &(struct tui_entry){.heading = true, .text = LOOM_STR("Members")});
	for (size_t i = 0; i < count; i++)
		tui_list_add(list, &(struct tui_entry){
					   .lead = all[i].agent.name,
					   .lead_role = all[i].me ? TUI_ROLE_PATH : TUI_ROLE_TITLE,
					   .text = loom_arena_format(arena, "%.*s · %s",
								     LOOM_STR_ARG(all[i].account),
								     rights[all[i].may]),
					   .end = loom_str_of(doing(app, &all[i])),
					   .id = (int64_t)tui_list_added(list) + 1});
	return status;
}

static enum loom_status read_log(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!app->log)
		return LOOM_OK;
	status = add_log(app, list, err);
	return status == LOOM_OK ? add_members(app, list, err) : status;
}

TUI_DO(VIEW_REMOTE)
{
	static const struct tui_list_kind kind = {
		.title = "Shared log",
		.unit = "row",
		.empty = "this grove stands in no shared log: loom help remote",
		.ours = true,
		.read = read_log};

	tui_list_open(app, &kind, (struct loom_str){NULL, 0});
}
