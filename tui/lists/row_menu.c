/* The menu of a row's thing: a node, a tree, a document, an agent. Lists every command that takes
 * one and starts its line; the command's notation says where the thing goes. */
#include <loom/lists/row_menu.h>

#include <loom/language/call.h>
#include <loom/commands/child_of_self.h>

#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/desk/subject.h>
#include <loom/lists/list.h>
#include <loom/writing/command_line.h>
#include <loom/language/registry.h>
#include <loom/commands/programs.h>
#include <loom/commands/wish.h>
#include <loom/writing/drafts.h>

#include "inside.h"

/* ids of entries: verbs below these; shell commands, the user's programs and actions of the screen
 * from them */
#define COMMANDS_FROM 1000
#define PROGRAMS_FROM 50000
#define ACTIONS_FROM  100000

struct menu {
	struct tui_noun noun;
	bool named; /* there is a noun */
	struct loom_buf name;
	struct tui_menu_facts facts;
	enum tui_keyview view;  /* of the keys that do the same where the menu was asked for */
	struct tui_list *under; /* the list it was asked for in, set aside; NULL for the tree */
};

/* How the two notations write a thing: as part of a verb's form, and as a value in a usage.
 * `family` begins the names of shell commands whose NAME means it. */
static const struct spelling {
	const char *form;
	const char *key; /* before the name in a form */
	const char *value;
	const char *family;
	const char *what;
} spellings[] = {
	[TUI_NOUN_NODE] = {"ID", "", "NODE", NULL, "node"},
	[TUI_NOUN_TREE] = {"tree:\"T\"", "tree:", "TREE", NULL, "tree"},
	[TUI_NOUN_DOCUMENT] = {"doc:\"D\"", "doc:", NULL, "doc ", "document"},
	[TUI_NOUN_AGENT] = {"agent:\"A\"", "agent:", "AGENT", "agent ", "agent"},
};

static void add_name(const struct tui_noun *noun, struct loom_buf *out)
{
	if (noun->kind == TUI_NOUN_NODE)
		loom_buf_add(out, noun->name);
	else
		loom_call_quote(noun->name, out);
}

/* --- verbs --- */

/* Finds the thing in `ID`, `pin:ID`, or one of `"TEXT"|content-of:ID` and returns what comes before
 * it; SIZE_MAX when the word does not contain it. */
static size_t find_in(struct loom_str word, const char *form, struct loom_str *out_lead)
{
	struct loom_str part;

	while (word.n && loom_str_cut(&word, '|', &part)) {
		if (!loom_str_ends(part, loom_str_of(form)))
			continue;
		*out_lead = loom_str_sub(part, 0, part.n - strlen(form));
		if (!out_lead->n || out_lead->p[out_lead->n - 1] == ':')
			return out_lead->n;
	}
	return SIZE_MAX;
}

static struct loom_str bare(struct loom_str word)
{
	while (word.n && word.p[0] == '[')
		word = loom_str_sub(word, 1, word.n);
	while (word.n && word.p[word.n - 1] == ']')
		word.n--;
	return word;
}

static bool is_word(struct loom_str word)
{
	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] < 'a' || word.p[i] > 'z')
			return false;
	return word.n > 0;
}

/* A word that introduces the next part: `to ID`, `[from ID]`, but not `[web] [in:ID]`. */
static bool leads(struct loom_str word, struct loom_str rest, const char *form)
{
	struct loom_str lead, next;

	return is_word(bare(word)) && !loom_str_ends(word, LOOM_STR("]")) &&
	       loom_str_cut(&rest, ' ', &next) && find_in(bare(next), form, &lead) != SIZE_MAX;
}

/* A required text: empty quotes with the caret in them. */
static void add_text(struct loom_buf *out, size_t *caret)
{
	loom_buf_adds(out, "\"\" ");
	if (*caret == SIZE_MAX)
		*caret = out->n - 2;
}

/* Adds a value that follows the thing under a word of its own: `before:ID2`, `at:N|after:"TEXT"`;
 * of several the text, which is easily typed. False when it has no such word. */
static bool add_under_word(struct loom_str word, struct loom_buf *out, size_t *caret)
{
	struct loom_str part, lead = LOOM_STR("");
	bool text = false;

	while (!text && word.n && loom_str_cut(&word, '|', &part)) {
		size_t colon = loom_str_find_char(part, ':', 0);

		if (colon == SIZE_MAX || !is_word(loom_str_sub(part, 0, colon)))
			return false;
		text = colon + 1 < part.n && part.p[colon + 1] == '"';
		if (text || !lead.n)
			lead = loom_str_sub(part, 0, colon + 1);
	}
	loom_buf_add(out, lead);
	if (text)
		add_text(out, caret);
	return true;
}

/* Fills one whole form with the thing. False when the form takes none. */
static bool fill_form(struct loom_str form, const struct tui_noun *noun, struct loom_buf *out,
		      size_t *caret)
{
	const struct spelling *spelling = &spellings[noun->kind];
	struct loom_str word, lead;
	bool found = false;

	while (form.n && loom_str_cut(&form, ' ', &word)) {
		struct loom_str inner = bare(word);
		bool optional = word.n && word.p[0] == '[';

		if (found && optional)
			break;
		if (!found && find_in(inner, spelling->form, &lead) != SIZE_MAX) {
			loom_buf_addf(out, "%.*s%s", LOOM_STR_ARG(lead), spelling->key);
			add_name(noun, out);
			loom_buf_addc(out, ' ');
			found = true;
		} else if (inner.n && inner.p[0] == '"' && !optional) {
			add_text(out, caret);
		} else if (found ? is_word(inner) : leads(word, form, spelling->form)) {
			loom_buf_addf(out, "%.*s ", LOOM_STR_ARG(inner));
		} else if (found && !optional && add_under_word(inner, out, caret)) {
			continue;
		} else if (found || (!optional && find_in(inner, "ID", &lead) == 0)) {
			break; /* another thing comes first or next; it is left to type */
		}
	}
	return found;
}

/* Forms are separated by ` | `. */
static struct loom_str next_form(struct loom_str *rest)
{
	size_t bar = loom_str_find(*rest, LOOM_STR(" | "), 0);
	struct loom_str form = loom_str_sub(*rest, 0, bar == SIZE_MAX ? rest->n : bar);

	*rest = loom_str_sub(*rest, bar == SIZE_MAX ? rest->n : bar + 3, SIZE_MAX);
	return form;
}

static bool begin_verb(const struct loom_verb_info *info, const struct tui_noun *noun,
		       struct loom_buf *out, size_t *caret)
{
	struct loom_str rest = loom_str_of(info->args);

	while (rest.n) {
		struct loom_str form = next_form(&rest);

		loom_buf_clear(out);
		*caret = SIZE_MAX;
		loom_buf_addf(out, "%s ", info->name);
		if (fill_form(form, noun, out, caret))
			return true;
	}
	return false;
}

/* --- commands --- */

/* The place of the value in a usage, as a word of its own; SIZE_MAX when it is not there. */
static size_t find_value(struct loom_str usage, const char *value)
{
	for (size_t at = 0; (at = loom_str_find(usage, loom_str_of(value), at)) != SIZE_MAX; at++) {
		size_t end = at + strlen(value);

		if ((at == 0 || strchr(" [(|=", usage.p[at - 1])) &&
		    (end == usage.n || !(usage.p[end] >= 'A' && usage.p[end] <= 'Z')))
			return at;
	}
	return SIZE_MAX;
}

/* The option whose value begins at `at`, and the character between the two: `-t,--tree TREE`,
 * `--tree[=TREE]`. Empty for a positional. */
static struct loom_str option_of(struct loom_str usage, size_t at, char *out_between)
{
	size_t end = at - (at > 0);
	size_t from;

	*out_between = at > 0 && usage.p[at - 1] == '=' ? '=' : ' ';
	if (*out_between == '=' && end > 0 && usage.p[end - 1] == '[')
		end--;
	else if (at == 0 || usage.p[at - 1] != ' ')
		return LOOM_STR("");
	for (from = end; from > 0 && !strchr(" [(|,", usage.p[from - 1]);)
		from--;
	return usage.p[from] == '-' ? loom_str_sub(usage, from, end - from) : LOOM_STR("");
}

/* Whether something else has to be typed before the value. */
static bool comes_later(struct loom_str usage, size_t at)
{
	struct loom_str before = loom_str_sub(usage, 0, at);
	struct loom_str word;

	while (before.n && loom_str_cut(&before, ' ', &word))
		if (word.n && word.p[0] >= 'A' && word.p[0] <= 'Z')
			return true;
	return false;
}

static bool begin_command(const struct loom_command *command, const struct tui_noun *noun,
			  struct loom_buf *out)
{
	const struct spelling *spelling = &spellings[noun->kind];
	const char *family = spelling->family;
	bool own = family && strncmp(command->name, family, strlen(family)) == 0;
	struct loom_str usage = loom_str_of(command->usage);
	const char *value = own ? "NAME" : spelling->value;
	size_t at = value ? find_value(usage, value) : SIZE_MAX;
	struct loom_str option;
	char between;

	loom_buf_clear(out);
	if (at == SIZE_MAX || !loom_self_fits(command) ||
	    loom_verb_find(loom_str_of(command->name)) != LOOM_VERB_NONE ||
	    strcmp(command->name, "do") == 0)
		return false;
	option = option_of(usage, at, &between);
	if (!option.n && comes_later(usage, at))
		return false;
	if (own && (option.n || loom_str_ends(loom_str_of(command->name), LOOM_STR(" add"))))
		return false; /* here it names something new */
	loom_buf_addf(out, "%s ", command->name);
	if (option.n)
		loom_buf_addf(out, "%.*s%c", LOOM_STR_ARG(option), between);
	add_name(noun, out);
	loom_buf_addc(out, ' ');
	return true;
}

/* --- the list --- */

static bool begin_program(struct tui_app *app, size_t index, const struct tui_noun *noun,
			  struct loom_buf *out)
{
	const struct loom_program *program = loom_program_at(tui_config(app, NULL), index);

	loom_buf_clear(out);
	if (!program || noun->kind != TUI_NOUN_NODE)
		return false;
	loom_buf_addf(out, "%.*s ", LOOM_STR_ARG(program->name));
	add_name(noun, out);
	return true;
}

static bool begin_line(struct tui_app *app, int64_t entry, const struct tui_noun *noun,
		       struct loom_buf *out, size_t *caret)
{
	*caret = SIZE_MAX;
	if (entry >= PROGRAMS_FROM)
		return begin_program(app, (size_t)(entry - PROGRAMS_FROM), noun, out);
	if (entry >= COMMANDS_FROM)
		return begin_command(loom_command_at((size_t)(entry - COMMANDS_FROM)), noun, out);
	return begin_verb(loom_verb_info((enum loom_verb)entry), noun, out, caret);
}

/* Adds a row: what a command is called, what it does, and its key where the menu was asked for. */
static void add_entry(struct tui_app *app, struct tui_list *list, const char *name,
		      const char *summary, int64_t id)
{
	const struct menu *menu = tui_list_own(list);
	const enum tui_command command = tui_command_find(loom_str_of(name));
	struct loom_buf keys = LOOM_BUF_INIT(64);
	struct tui_entry entry = {.lead = loom_str_of(name),
				  .lead_role = TUI_ROLE_CALL,
				  .text = loom_str_of(summary),
				  .id = id};

	if (command && (!menu->under || id >= ACTIONS_FROM))
		tui_keymap_spell(&app->keymap, menu->view, command, &keys);
	entry.end = loom_arena_buf(tui_list_arena(list), &keys);
	tui_list_add(list, &entry);
	loom_buf_fini(&keys);
}

static void add_title(struct tui_list *list, const struct menu *menu)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (menu->named) {
		loom_buf_addf(&line, "%s%s ", menu->facts.draft ? "draft below " : "",
			      spellings[menu->noun.kind].what);
		add_name(&menu->noun, &line);
	} else {
		loom_buf_adds(&line, menu->under->kind->unit);
	}
	tui_list_add(list,
		     &(struct tui_entry){.heading = true,
					 .text = loom_arena_buf(tui_list_arena(list), &line)});
	loom_buf_fini(&line);
}

static void add_verbs(struct tui_app *app, struct tui_list *list, const struct menu *menu)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t caret;

	for (int verb = LOOM_VERB_NONE + 1; verb < LOOM_VERB_COUNT; verb++) {
		const struct loom_verb_info *info = loom_verb_info((enum loom_verb)verb);

		if (begin_line(app, verb, &menu->noun, &line, &caret) &&
		    (menu->noun.kind != TUI_NOUN_NODE ||
		     tui_menu_verb_fits(&menu->facts, (enum loom_verb)verb)))
			add_entry(app, list, info->name, info->summary, verb);
	}
	loom_buf_fini(&line);
}

static void add_actions(struct tui_app *app, struct tui_list *list, const struct menu *menu)
{
	enum tui_command command;

	for (size_t i = 0;
	     (command = menu->under ? tui_menu_of_list(app, menu->under, i)
				    : tui_menu_action(&menu->facts, i)) != TUI_COMMAND_NONE;
	     i++)
		add_entry(app, list, tui_command_info(command)->name,
			  menu->facts.draft ? tui_draft_word(command)
					    : tui_command_info(command)->summary,
			  ACTIONS_FROM + (int64_t)command);
}

static void add_commands(struct tui_app *app, struct tui_list *list, const struct menu *menu)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t caret;

	for (size_t i = 0; app->program && i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);

		if (begin_line(app, COMMANDS_FROM + (int64_t)i, &menu->noun, &line, &caret))
			add_entry(app, list, command->name, command->summary,
				  COMMANDS_FROM + (int64_t)i);
	}
	loom_buf_fini(&line);
}

static void add_programs(struct tui_app *app, struct tui_list *list, const struct menu *menu)
{
	struct loom_arena *arena = tui_list_arena(list);
	const struct loom_config *config = tui_config(app, NULL);
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct loom_program *program;

	for (size_t i = 0; app->program && (program = loom_program_at(config, i)); i++)
		if (begin_program(app, i, &menu->noun, &line))
			add_entry(app, list, loom_arena_cstr(arena, program->name),
				  loom_arena_cstr(arena, loom_program_about(arena, program)),
				  PROGRAMS_FROM + (int64_t)i);
	loom_buf_fini(&line);
}

static enum loom_status read_menu(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	const struct menu *menu = tui_list_own(list);

	(void)err;
	add_title(list, menu);
	if (menu->named && !menu->facts.draft)
		add_verbs(app, list, menu);
	add_actions(app, list, menu);
	if (menu->named && !menu->facts.draft)
		add_commands(app, list, menu);
	if (menu->named && !menu->facts.draft)
		add_programs(app, list, menu);
	return LOOM_OK;
}

/* Closes the menu; what it was asked for comes back. */
static void leave(struct tui_app *app)
{
	struct menu *menu = tui_list_own(app->list);
	struct tui_list *under = menu->under;

	menu->under = NULL;
	tui_list_bring_back(app, under);
}

/* Does an action, or opens a form as a command line, with the command's arguments shown above it.
 */
static void open_entry(struct tui_app *app, const struct tui_entry *entry)
{
	const struct menu *menu = tui_list_own(app->list);
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t caret;

	if (entry->id >= ACTIONS_FROM) {
		leave(app);
		tui_app_choose(app, (enum tui_command)(entry->id - ACTIONS_FROM));
	} else if (begin_line(app, entry->id, &menu->noun, &line, &caret)) {
		tui_list_close(app);
		tui_prompt_command(app, loom_buf_str(&line), caret);
	}
	loom_buf_fini(&line);
}

static void forget(void *own)
{
	struct menu *menu = own;

	tui_list_discard(menu->under);
	loom_buf_fini(&menu->name);
	free(menu);
}

static void offer(const struct tui_entry *entry, struct loom_offer *out)
{
	*out = (struct loom_offer){entry->lead, entry->end, entry->text};
}

static void open_menu(struct tui_app *app, const struct tui_noun *noun,
		      const struct tui_menu_facts *facts)
{
	static const struct tui_list_kind kind = {.title = "Actions",
						  .unit = "command",
						  .empty = "",
						  .ours = true,
						  .read = read_menu,
						  .open = open_entry,
						  .offer = offer,
						  .leave = leave,
						  .forget = forget};
	struct menu *menu = loom_alloc(sizeof *menu);

	loom_buf_init(&menu->name, LOOM_BUF_MAX);
	if (noun) {
		loom_buf_add(&menu->name, noun->name);
		menu->noun = (struct tui_noun){noun->kind, loom_buf_str(&menu->name)};
		menu->named = true;
	}
	menu->facts = *facts;
	menu->view = tui_app_keyview(app);
	menu->under = tui_list_set_aside(app);
	tui_list_open_with(app, &kind, menu);
}

TUI_DO(MENU)
{
	const struct tui_row *row = NULL;
	struct tui_noun noun = {.kind = TUI_NOUN_NODE};
	struct tui_menu_facts facts = {.known = false};
	char id[LOOM_LOCAL_MAX];

	if (app->list) {
		const bool named = tui_list_noun(app, &noun) != TUI_COMMAND_NONE;

		if (named || tui_menu_of_list(app, app->list, 0))
			open_menu(app, named ? &noun : NULL, &facts);
		else
			tui_stuck(app, "no actions for this list");
		return;
	}
	if (tui_rows_get(&app->rows, app->position, &row, NULL) != LOOM_OK)
		return;
	snprintf(id, sizeof id, "%s", row->id);
	noun.name = loom_str_of(id);
	tui_menu_look(app, &facts);
	open_menu(app, &noun, &facts);
}
