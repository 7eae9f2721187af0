/* Help and keys, from the current keymap: each row tells what a key does, and Enter does it. */
#include <loom/commands/child_of_self.h>
#include <loom/commands/programs.h>
#include <loom/commands/wish.h>
#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/desk/subject.h>
#include <loom/language/registry.h>
#include <loom/lists/list.h>
#include <loom/writing/command_line.h>

static struct loom_str text_of(const struct tui_list *list, const struct loom_buf *buf)
{
	return loom_arena_buf(tui_list_arena(list), buf);
}

/* --- help: a row a command --- */

/* ids of entries, from here on: words that only the screen has, commands of the command line, the
 * user's programs */
#define WORDS_FROM    50000
#define SHELL_FROM    100000
#define PROGRAMS_FROM 200000

/* Where help was asked for. */
struct asked {
	enum tui_keyview view;
	bool listed[TUI_COMMANDS];
};

static const char *const places[] = {
	[TUI_KEYVIEW_ALL] = "everywhere except in texts",
	[TUI_KEYVIEW_NAV] = "tree and reader",
	[TUI_KEYVIEW_LENS] = "token lens",
	[TUI_KEYVIEW_LIST] = "lists",
	[TUI_KEYVIEW_COMPARE] = "comparing",
	[TUI_KEYVIEW_INSPECTOR] = "inspector",
	[TUI_KEYVIEW_PASTE] = "a paste",
	[TUI_KEYVIEW_APPROVE] = "approvals",
	[TUI_KEYVIEW_MEMORY] = "memory",
	[TUI_KEYVIEW_THREAD] = "a thread",
	[TUI_KEYVIEW_THREADS] = "threads",
	[TUI_KEYVIEW_SHARE] = "sharing between threads",
	[TUI_KEYVIEW_PAYLOAD] = "payload",
	[TUI_KEYVIEW_TEXT] = "writing a text",
	[TUI_KEYVIEW_PROMPT] = "the : line",
};

static void add_row(struct tui_list *list, const struct loom_buf *keys, const char *summary,
		    const char *name, int64_t id)
{
	const struct tui_entry entry = {.lead = text_of(list, keys),
					.lead_role = TUI_ROLE_KEY,
					.text = loom_str_of(summary),
					.end = loom_str_of(name),
					.id = id};

	tui_list_add(list, &entry);
}

static void add_head(struct tui_list *list, struct loom_str title)
{
	tui_list_add(list, &(struct tui_entry){.heading = true, .text = title});
}

/* Adds the command with its keys in a view, if it has any there; at most once. */
static bool add_in(struct tui_app *app, struct tui_list *list, enum tui_command command,
		   enum tui_keyview view)
{
	const struct tui_command_info *info = tui_command_info(command);
	struct asked *asked = tui_list_own(list);
	struct loom_buf keys = LOOM_BUF_INIT(256);
	const bool has =
		!asked->listed[command] && tui_keymap_spell(&app->keymap, view, command, &keys);

	if (has) {
		asked->listed[command] = true;
		add_row(list, &keys, info->summary, info->name, (int64_t)command);
	}
	loom_buf_fini(&keys);
	return has;
}

/* The tasks, in the order of the tables: the subjects of the verbs, then those of the actions. */
static const struct task {
	const char *head; /* of an action's task; NULL for a command */
	int group;        /* of a verb, else -1 */
	enum tui_command command;
} tasks[] = {
#define LOOM_VERB(id, name, deed, change, permission, group, ...)                                  \
	{NULL, LOOM_GROUP_##group, TUI_VERB_##id},
#include <loom/verbs.def>
#define LOOM_HEAD(title)     {title, -1, TUI_COMMAND_NONE},
#define LOOM_ACTION(id, ...) {NULL, -1, TUI_ACTION_##id},
#include <loom/actions.def>
};

/* Adds a heading once the first row below it is known. */
static void head_before(struct tui_list *list, size_t at, const char *prefix, const char *title)
{
	struct loom_buf text = LOOM_BUF_INIT(256);

	loom_buf_addf(&text, "%s%s", prefix, title);
	tui_list_head_at(list, at, text_of(list, &text));
	loom_buf_fini(&text);
}

/* The keys of the view that help was asked for in, by task. */
static void add_here(struct tui_app *app, struct tui_list *list)
{
	const struct asked *asked = tui_list_own(list);
	const char *head = "";
	const char *said = NULL;

	for (size_t i = 0; i < LOOM_COUNT(tasks); i++) {
		const struct task *task = &tasks[i];
		const size_t at = tui_list_added(list);

		head = task->head         ? task->head
		       : task->group >= 0 ? loom_group_title((enum loom_group)task->group)
					  : head;
		if (task->head || !add_in(app, list, task->command, asked->view) || head == said)
			continue;
		head_before(list, at, "", head);
		said = head;
	}
}

/* The keys of all other views, with where they hold. */
static void add_elsewhere(struct tui_app *app, struct tui_list *list)
{
	for (int view = TUI_KEYVIEW_ALL + 1; view < TUI_KEYVIEWS; view++) {
		const size_t at = tui_list_added(list);

		for (size_t i = 0; i < LOOM_COUNT(tasks); i++)
			if (!tasks[i].head)
				(void)!add_in(app, list, tasks[i].command, (enum tui_keyview)view);
		if (tui_list_added(list) > at)
			head_before(list, at, "Keys in: ", places[view]);
	}
}

/* Adds what has no key and is typed: verbs, actions, then the commands that the shell has too. */
static void add_typed(struct tui_app *app, struct tui_list *list)
{
	const struct asked *asked = tui_list_own(list);
	const struct loom_buf none = LOOM_BUF_INIT(1);
	int64_t at = WORDS_FROM;

	add_head(list, LOOM_STR("Typed after :"));
	for (size_t i = 0; i < LOOM_COUNT(tasks); i++) {
		const struct tui_command_info *info = tui_command_info(tasks[i].command);

		if (!tasks[i].head && !asked->listed[tasks[i].command])
			add_row(list, &none, info->summary, info->name, (int64_t)tasks[i].command);
	}
#define LOOM_SCREEN_WORD(name, args, summary) add_row(list, &none, summary, name, at++);
#include <loom/screen_words.def>
	for (size_t i = 0; app->program && i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);

		if (loom_verb_find(loom_str_of(command->name)) == LOOM_VERB_NONE &&
		    loom_self_fits(command))
			add_row(list, &none, command->summary, command->name,
				SHELL_FROM + (int64_t)i);
	}
}

static void add_programs(struct tui_app *app, struct tui_list *list)
{
	struct loom_arena *arena = tui_list_arena(list);
	const struct loom_config *config = tui_config(app, NULL);
	const struct loom_buf none = LOOM_BUF_INIT(1);
	const struct loom_program *program;

	for (size_t i = 0; app->program && (program = loom_program_at(config, i)); i++) {
		if (i == 0)
			add_head(list, LOOM_STR("Your programs, typed after :"));
		add_row(list, &none, loom_arena_cstr(arena, loom_program_about(arena, program)),
			loom_arena_cstr(arena, program->name), PROGRAMS_FROM + (int64_t)i);
	}
}

static enum loom_status read_help(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct asked *asked = tui_list_own(list);

	(void)err;
	memset(asked->listed, 0, sizeof asked->listed);
	add_head(list, LOOM_STR("Key · action · : command"));
	add_here(app, list);
	add_elsewhere(app, list);
	add_typed(app, list);
	add_programs(app, list);
	return LOOM_OK;
}

static void offer_command(const struct tui_entry *entry, struct loom_offer *out)
{
	*out = (struct loom_offer){entry->end, entry->lead, entry->text};
}

/* --- keys: a row a command in a view, with all its keys there --- */

static void add_keys(const struct tui_binding *binding, struct loom_buf *out)
{
	loom_buf_adds(out, out->n ? " " : "");
	for (size_t i = 0; i < binding->n; i++)
		tui_key_spell(binding->keys[i], out);
}

/* Whether a binding is in force in its own view; later ones may have taken its keys. */
static bool holds(const struct tui_keymap *map, const struct tui_binding *binding)
{
	return (binding->command || binding->line) &&
	       (tui_keymap_exact(map, binding->view, binding->keys, binding->n) == binding ||
		binding->keys[binding->n - 1].code == TUI_KEY_ANY);
}

/* Whether an earlier row of this view lists it. */
static bool is_listed(const struct tui_keymap *map, const struct tui_binding *binding)
{
	for (const struct tui_binding *other = map->bindings; other < binding; other++)
		if (other->view == binding->view && !binding->line &&
		    other->command == binding->command && holds(map, other))
			return true;
	return false;
}

static void add_binding(struct tui_app *app, struct tui_list *list,
			const struct tui_binding *binding)
{
	const struct tui_keymap *map = &app->keymap;
	struct tui_entry entry = {.lead_role = TUI_ROLE_KEY, .id = (int64_t)binding->command};
	struct loom_buf keys = LOOM_BUF_INIT(256);

	for (size_t i = 0; i < map->count; i++) {
		const struct tui_binding *other = &map->bindings[i];
		if (other == binding || (!binding->line && other->view == binding->view &&
					 other->command == binding->command && holds(map, other)))
			add_keys(other, &keys);
	}
	entry.lead = text_of(list, &keys);
	if (binding->line) {
		loom_buf_clear(&keys);
		loom_buf_addf(&keys, ":%s", binding->line);
		entry.text = text_of(list, &keys);
		entry.id = -1 - (int64_t)(binding - map->bindings);
	} else {
		entry.text = loom_str_of(tui_command_info(binding->command)->summary);
		entry.end = loom_str_of(tui_command_info(binding->command)->name);
	}
	tui_list_add(list, &entry);
	loom_buf_fini(&keys);
}

static enum loom_status read_keys(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	const struct tui_keymap *map = &app->keymap;

	(void)err;
	for (int view = 0; view < TUI_KEYVIEWS; view++) {
		tui_list_add(list, &(struct tui_entry){.heading = true,
						       .text = loom_str_of(places[view])});
		for (size_t i = 0; i < map->count; i++) {
			const struct tui_binding *binding = &map->bindings[i];
			if ((int)binding->view == view && holds(map, binding) &&
			    !is_listed(map, binding))
				add_binding(app, list, binding);
		}
	}
	return LOOM_OK;
}

/* --- Enter --- */

/* A verb takes arguments: opens its line, filled in for the node at the position. */
static void begin_line(struct tui_app *app, const char *name)
{
	const struct loom_verb_info *info = loom_verb_info(loom_verb_find(loom_str_of(name)));
	const struct tui_row *row = NULL;
	struct loom_buf line = LOOM_BUF_INIT(4096);

	loom_buf_addf(&line, "%s ", name);
	if (info && loom_str_starts(loom_str_of(info->args), LOOM_STR("ID")) &&
	    tui_rows_get(&app->rows, app->position, &row, NULL) == LOOM_OK)
		loom_buf_addf(&line, "%s ", row->id);
	tui_prompt_command(app, loom_buf_str(&line), SIZE_MAX);
	loom_buf_fini(&line);
}

static void open_command(struct tui_app *app, const struct tui_entry *entry)
{
	struct tui_binding binding = {.n = 0};
	struct tui_match match = {.binding = &binding};

	tui_list_close(app);
	if (entry->id >= PROGRAMS_FROM) {
		begin_line(app, loom_arena_cstr(app->arena, entry->end));
		return;
	}
	if (entry->id >= SHELL_FROM) {
		begin_line(app, loom_command_at((size_t)(entry->id - SHELL_FROM))->name);
		return;
	}
	if (entry->id >= WORDS_FROM) {
		begin_line(app, loom_arena_cstr(app->arena, entry->end));
		return;
	}
	if (entry->id < 0) {
		binding = app->keymap.bindings[-1 - entry->id];
		tui_app_command(app, &match);
		return;
	}
	if (tui_command_info((enum tui_command)entry->id)->verb)
		begin_line(app, tui_command_info((enum tui_command)entry->id)->name);
	else
		tui_app_choose(app, (enum tui_command)entry->id);
}

/* Help does not offer help. */
static bool help_offers(const struct tui_list *list, const struct tui_entry *entry,
			enum tui_command command)
{
	(void)list;
	return command == TUI_ACTION_OPEN ? entry != NULL : command == TUI_ACTION_BACK;
}

/* --- opening them --- */

TUI_DO(HELP)
{
	static const struct tui_list_kind kind = {.title = "Help",
						  .unit = "command",
						  .empty = "",
						  .ours = true,
						  .read = read_help,
						  .offers = help_offers,
						  .offer = offer_command,
						  .forget = free,
						  .open = open_command};
	struct asked *asked = loom_alloc(sizeof *asked);

	asked->view = tui_app_keyview(app);
	tui_list_open_with(app, &kind, asked);
}

TUI_DO(VIEW_KEYS)
{
	static const struct tui_list_kind kind = {.title = "Keys",
						  .unit = "command",
						  .empty = "",
						  .ours = true,
						  .read = read_keys,
						  .open = open_command};

	tui_list_open(app, &kind, (struct loom_str){NULL, 0});
}
