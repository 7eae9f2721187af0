/* What is under way: nodes that are being written, an import, turns of agents, summaries. */
#include "app_impl.h"
#include "import.h"
#include "list.h"
#include "talk.h"

static enum loom_status read_jobs(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct loom_buf progress = LOOM_BUF_INIT(1024);

	for (size_t i = 0; i < app->ghost_count; i++) {
		const struct tui_ghost *ghost = &app->ghosts[i];
		struct loom_arena *arena = tui_list_arena(list);
		tui_list_add(list,
			     &(struct tui_entry){
				     .lead = loom_arena_str(arena, loom_str_of(ghost->id)),
				     .lead_role = TUI_ROLE_RUNNING,
				     .text = loom_arena_str(arena, loom_buf_str(&ghost->text)),
				     .role = TUI_ROLE_MODEL,
				     .id = (int64_t)i + 1});
	}
	if (tui_import_progress(app, &progress))
		tui_list_add(list, &(struct tui_entry){.lead = LOOM_STR("import"),
						       .lead_role = TUI_ROLE_RUNNING,
						       .text = loom_arena_buf(tui_list_arena(list),
									      &progress),
						       .end = LOOM_STR("Esc in the tree stops it"),
						       .id = 2000000});
	loom_buf_fini(&progress);
	for (const struct tui_talk *talk = app->talks; talk; talk = talk->next)
		if (talk->running)
			tui_list_add(list,
				     &(struct tui_entry){
					     .lead = tui_people_name(&app->people, talk->agent),
					     .lead_role = TUI_ROLE_RUNNING,
					     .text = loom_str_of(loom_chat_state_word(talk->state)),
					     .end = LOOM_STR("a turn"),
					     .id = 1000000 + talk->agent,
					     .other = 1});
	return tui_sums_rows(app, list, err);
}

void tui_jobs_open(struct tui_app *app)
{
	static const struct tui_list_kind kind = {.title = "Work under way",
						  .unit = "job",
						  .empty = "nothing is under way",
						  .read = read_jobs};

	tui_list_open(app, &kind, LOOM_STR(""));
}
