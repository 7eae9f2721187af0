/* Lists about where one stands: what the thread keeps, every command that takes this node, the work
 * under way, one document. */
#include "app_impl.h"
#include "list.h"
#include "talk.h"

static struct loom_str text_of(const struct tui_list *list, const struct loom_buf *buf)
{
	return loom_arena_buf(tui_list_arena(list), buf);
}

/* --- memory: pins and stashes --- */

static void add_pin(struct tui_app *app, struct tui_list *list, const struct loom_pin *pin)
{
	struct loom_arena *arena = tui_list_arena(list);
	struct tui_entry entry = {.lead_role = TUI_ROLE_ID, .id = pin->id};
	const struct tui_row *row = NULL;
	struct loom_doc doc;

	if (pin->kind == LOOM_PIN_NODE &&
	    tui_rows_get(&app->rows, tui_group_of(app, pin->node), &row, NULL) == LOOM_OK) {
		entry.lead = loom_arena_format(arena, "pin:%s", row->id);
		entry.text = loom_arena_str(arena, loom_str_make(row->text, row->text_n));
	} else if (pin->kind == LOOM_PIN_DOC &&
		   loom_doc_get(app->store, pin->doc, false, arena, &doc, NULL) == LOOM_OK) {
		entry.lead = loom_arena_format(arena, "pin:doc:\"%.*s\"", LOOM_STR_ARG(doc.name));
		entry.text = pin->section;
	} else {
		entry.lead = pin->result;
		entry.text = pin->text;
	}
	tui_list_add(list, &entry);
}

static void add_stash(struct tui_list *list, const struct loom_stash *stash)
{
	struct loom_arena *arena = tui_list_arena(list);
	struct tui_entry entry = {
		.lead = loom_arena_format(arena, "stash:\"%.*s\"", LOOM_STR_ARG(stash->label)),
		.lead_role = stash->recalled ? TUI_ROLE_OK : TUI_ROLE_TITLE,
		.text = stash->text,
		.end = loom_arena_format(arena, "%s%zu t", stash->recalled ? "recalled · " : "",
					 (stash->text.n + 3) / 4),
		.id = stash->id,
		.other = 1,
	};

	tui_list_add(list, &entry);
}

static enum loom_status read_memory(struct tui_app *app, struct tui_list *list,
				    struct loom_err *err)
{
	struct loom_pin *pins = NULL;
	struct loom_stash *stashes = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	if (!app->thread)
		return LOOM_OK;
	status = loom_pin_list(app->store, app->thread, tui_list_arena(list), &pins, &count, err);
	if (count)
		tui_list_add(list, &(struct tui_entry){.heading = true, .text = LOOM_STR("Pins")});
	for (size_t i = 0; i < count; i++)
		add_pin(app, list, &pins[i]);
	count = 0;
	if (status == LOOM_OK)
		status = loom_stash_list(app->store, app->thread, tui_list_arena(list), &stashes,
					 &count, err);
	if (count)
		tui_list_add(list,
			     &(struct tui_entry){.heading = true, .text = LOOM_STR("Stashes")});
	for (size_t i = 0; i < count; i++)
		add_stash(list, &stashes[i]);
	return status;
}

static bool memory_command(struct tui_app *app, const struct tui_entry *entry,
			   const struct tui_match *match)
{
	struct loom_buf line = LOOM_BUF_INIT(4096);
	bool drop = match->binding->command == TUI_VERB_DROP;
	struct tui_run_opts opts = {.stay = true};

	if (!entry || (!drop && match->binding->command != TUI_VERB_RECALL))
		return false;
	if (drop)
		loom_buf_addf(&line, "drop %.*s", LOOM_STR_ARG(entry->lead));
	else if (entry->other)
		loom_buf_addf(&line, "recall %.*s",
			      LOOM_STR_ARG(
				      loom_str_sub(entry->lead, strlen("stash:"), entry->lead.n)));
	if (line.n)
		tui_run_line(app, loom_buf_str(&line), &opts);
	else
		tui_say(app, TUI_ROLE_DIM, "a pin is in every context already");
	loom_buf_fini(&line);
	return true;
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
	(void)err;
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
	return LOOM_OK;
}

/* --- the table --- */

static const struct {
	enum tui_command command;
	struct tui_list_kind kind;
} here[] = {
	{TUI_VERB_MEMORY,
	 {.title = "Memory",
	  .unit = "thing",
	  .empty = "this thread keeps nothing: p pins a node, s stashes a text",
	  .view = TUI_KEYVIEW_MEMORY,
	  .read = read_memory,
	  .command = memory_command}},
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
