/* Help and keys, from the current keymap: each row tells what a key does, and Enter does it. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/language/registry.h>
#include <loom/lists/list.h>
#include <loom/writing/command_line.h>

static struct loom_str text_of(const struct tui_list *list, const struct loom_buf *buf)
{
	return loom_arena_buf(tui_list_arena(list), buf);
}

/* --- help: a row a command --- */

static bool spell_anywhere(struct tui_app *app, enum tui_command command, struct loom_buf *out)
{
	for (int view = TUI_KEYVIEW_ALL; view < TUI_KEYVIEWS; view++) {
		if (tui_keymap_spell(&app->keymap, (enum tui_keyview)view, command, out))
			return true;
	}
	return false;
}

static void add_command(struct tui_app *app, struct tui_list *list, enum tui_command command)
{
	const struct tui_command_info *info = tui_command_info(command);
	struct tui_entry entry = {.lead_role = TUI_ROLE_KEY,
				  .text = loom_str_of(info->summary),
				  .end = loom_str_of(info->name),
				  .id = (int64_t)command};
	struct loom_buf keys = LOOM_BUF_INIT(256);

	spell_anywhere(app, command, &keys);
	entry.lead = text_of(list, &keys);
	tui_list_add(list, &entry);
	loom_buf_fini(&keys);
}

static void add_head(struct tui_list *list, const char *title)
{
	tui_list_add(list, &(struct tui_entry){.heading = true, .text = loom_str_of(title)});
}

/* The verbs of the language by subject. */
static void add_verbs(struct tui_app *app, struct tui_list *list)
{
	static const struct {
		enum loom_group group;
		enum tui_command command;
	} rows[] = {
#define LOOM_VERB(id, name, deed, change, permission, group, ...)                                  \
	{LOOM_GROUP_##group, TUI_VERB_##id},
#include <loom/verbs.def>
	};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		if (i == 0 || rows[i].group != rows[i - 1].group)
			add_head(list, loom_group_title(rows[i].group));
		add_command(app, list, rows[i].command);
	}
}

/* The actions of the screen, in table order. */
static void add_actions(struct tui_app *app, struct tui_list *list)
{
	static const struct {
		const char *head; /* NULL for an action */
		enum tui_command command;
	} rows[] = {
#define LOOM_HEAD(title)     {title, TUI_COMMAND_NONE},
#define LOOM_ACTION(id, ...) {NULL, TUI_ACTION_##id},
#include <loom/actions.def>
	};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		if (rows[i].head)
			add_head(list, rows[i].head);
		else
			add_command(app, list, rows[i].command);
	}
}

static enum loom_status read_help(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	(void)err;
	add_head(list, "Key · action · : command");
	add_verbs(app, list);
	add_actions(app, list);
	return LOOM_OK;
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
	static const char *const names[] = {
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
	const struct tui_keymap *map = &app->keymap;

	(void)err;
	for (int view = 0; view < TUI_KEYVIEWS; view++) {
		tui_list_add(list, &(struct tui_entry){.heading = true,
						       .text = loom_str_of(names[view])});
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
						  .open = open_command};

	tui_list_open(app, &kind, (struct loom_str){NULL, 0});
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
