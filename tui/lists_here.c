/* Lists about where one stands: every command that takes this node, the work under way, one
 * document. */
#include "app_impl.h"
#include "import.h"
#include "list.h"
#include "talk.h"

static struct loom_str text_of(const struct tui_list *list, const struct loom_buf *buf)
{
	return loom_arena_buf(tui_list_arena(list), buf);
}

/* --- the menu of a row --- */

static enum loom_status read_menu(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	(void)err;
	for (int verb = LOOM_VERB_NONE + 1; verb < LOOM_VERB_COUNT; verb++) {
		const struct loom_verb_info *info = loom_verb_info((enum loom_verb)verb);
		struct tui_entry entry = {.lead = loom_str_of(info->name),
					  .lead_role = TUI_ROLE_CALL,
					  .text = loom_str_of(info->summary),
					  .id = verb};
		struct loom_buf keys = LOOM_BUF_INIT(64);
		enum tui_command command = tui_command_find(loom_str_of(info->name));

		if (!strstr(info->args, "ID"))
			continue;
		tui_keymap_spell(&app->keymap, TUI_KEYVIEW_NAV, command, &keys);
		entry.end = text_of(list, &keys);
		tui_list_add(list, &entry);
		loom_buf_fini(&keys);
	}
	return LOOM_OK;
}

/* The form is the command line itself, with what the verb takes beside it. */
static void open_menu(struct tui_app *app, const struct tui_entry *entry)
{
	const struct loom_verb_info *info = loom_verb_info((enum loom_verb)entry->id);
	const struct tui_row *row = NULL;
	struct loom_buf line = LOOM_BUF_INIT(4096);

	tui_list_close(app);
	if (!info || tui_rows_get(&app->rows, app->position, &row, NULL) != LOOM_OK)
		return;
	loom_buf_addf(&line, "%s %s ", info->name, row->id);
	tui_prompt_open(app, TUI_PROMPT_COMMAND, loom_buf_str(&line), SIZE_MAX);
	loom_buf_fini(&line);
}

/* --- work under way --- */

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
						       .text = text_of(list, &progress),
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

/* --- the table --- */

static const struct {
	enum tui_command command;
	struct tui_list_kind kind;
} here[] = {
	{TUI_ACTION_MENU,
	 {.title = "What can be done with this node",
	  .unit = "command",
	  .empty = "",
	  .read = read_menu,
	  .open = open_menu}},
	{TUI_ACTION_VIEW_JOBS,
	 {.title = "Work under way",
	  .unit = "job",
	  .empty = "nothing is under way",
	  .read = read_jobs}},
};

bool tui_lists_here(struct tui_app *app, const struct tui_match *match)
{
	for (size_t i = 0; i < LOOM_COUNT(here); i++) {
		if (here[i].command != match->binding->command)
			continue;
		tui_list_open(app, &here[i].kind, (struct loom_str){NULL, 0});
		return true;
	}
	return false;
}

void tui_document_open(struct tui_app *app, const struct tui_entry *entry)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf title = LOOM_BUF_INIT(4096);
	struct loom_doc doc;
	struct loom_err err;

	if (tui_must(app, loom_doc_get(app->store, entry->id, true, arena, &doc, &err), &err)) {
		loom_buf_addf(&title, "%.*s · version %lld", LOOM_STR_ARG(doc.name),
			      (long long)doc.version);
		tui_text_open(app, loom_buf_str(&title), doc.text);
	}
	loom_buf_fini(&title);
	loom_arena_destroy(arena);
}
