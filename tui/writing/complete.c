/* Completes command lines: at the start all that can be typed, best first; after that the
 * parameters of the verb's notation, ids of nodes nearby with their texts, documents, agents,
 * stashes. complete_command.c has the options of commands. */
#include <dirent.h>

#include <loom/desk/desk.h>
#include <loom/writing/paths.h>

#include <loom/commands/child_of_self.h>
#include <loom/language/registry.h>
#include <loom/cli/services.h>
#include <loom/cli/themes.h>
#include <loom/commands/programs.h>
#include <loom/commands/wish.h>
#include <loom/desk/subject.h>
#include <loom/tree/document.h>
#include <loom/work/memory.h>
#include <loom/writing/complete.h>

#include <loom/writing/command_line.h>

#include "inside.h"

#define MOST   200
#define RECENT 24 /* lines of the history that the palette looks at */

/* Whether `text` begins with `word`, which may omit the quote at its start or after its key. */
static bool begins(struct loom_str text, struct loom_str word)
{
	size_t quote = loom_str_find_char(text, '"', 0);

	if (quote < word.n && word.p[quote] != '"')
		return loom_str_eq_fold(loom_str_sub(text, 0, quote),
					loom_str_sub(word, 0, quote)) &&
		       begins(loom_str_sub(text, quote + 1, SIZE_MAX),
			      loom_str_sub(word, quote, SIZE_MAX));
	return text.n >= word.n && loom_str_eq_fold(loom_str_sub(text, 0, word.n), word);
}

static bool fits(const struct completing *c, struct loom_str text)
{
	return begins(text, c->word) && !loom_str_eq(text, c->word);
}

void tui_complete_add_row(struct completing *c, const struct tui_completion *row)
{
	c->out->items = loom_arena_grow(c->arena, c->out->items, c->out->count, &c->cap,
					sizeof *c->out->items);
	c->out->items[c->out->count++] = *row;
}

void tui_complete_add_as(struct completing *c, struct loom_str text, struct loom_str about)
{
	if (c->out->count >= MOST)
		return;
	tui_complete_add_row(c, &(struct tui_completion){.text = text, .about = about});
}

void tui_complete_add(struct completing *c, struct loom_str text, struct loom_str about)
{
	if (fits(c, text))
		tui_complete_add_as(c, text, about);
}

/* --- the palette --- */

/* A row of the palette before it is known to fit. */
struct row {
	struct tui_completion shown;
	struct loom_offer offer;
	unsigned rank;
	size_t at;
};

struct palette {
	struct completing *c;
	struct row *rows;
	size_t count, cap;
};

/* How long ago a command was typed: 1 is the last line; 0: not among the last ones. */
static size_t age_of(const struct tui_app *app, struct loom_str name)
{
	for (size_t age = 1; age <= RECENT; age++) {
		const struct loom_str line = tui_prompt_history(app, age);

		if (!line.p)
			return 0;
		if (loom_str_starts(line, name) && (line.n == name.n || line.p[name.n] == ' '))
			return age;
	}
	return 0;
}

/* Adds a row if the word fits it. Commands typed lately come before others that fit as well. */
static void offer(struct palette *p, const char *name, bool takes, const char *summary,
		  struct loom_str key)
{
	struct completing *c = p->c;
	struct row row = {.offer = {loom_str_of(name), key, loom_str_of(summary)}, .at = p->count};
	const size_t age = age_of(c->app, row.offer.name);

	row.rank = c->word.n ? loom_wish_rank(c->word, &row.offer) : 1;
	if (!row.rank)
		return;
	row.rank += age ? (unsigned)(10 * (RECENT + 1 - age)) : 0;
	row.shown = (struct tui_completion){takes ? loom_arena_format(c->arena, "%s ", name)
						  : loom_str_of(name),
					    loom_str_of(summary), key};
	p->rows = loom_arena_grow(c->arena, p->rows, p->count, &p->cap, sizeof *p->rows);
	p->rows[p->count++] = row;
}

static struct loom_str key_of(struct completing *c, enum tui_command command)
{
	struct loom_buf keys = LOOM_BUF_INIT(64);
	struct loom_str text = {NULL, 0};

	if (tui_keymap_spell(&c->app->keymap, TUI_KEYVIEW_NAV, command, &keys))
		text = loom_arena_buf(c->arena, &keys);
	loom_buf_fini(&keys);
	return text;
}

static void offer_all(struct palette *p)
{
	const struct loom_config *config = tui_config(p->c->app, NULL);
	const struct loom_program *program;

	for (int verb = LOOM_VERB_NONE + 1; verb < LOOM_VERB_COUNT; verb++) {
		const struct loom_verb_info *info = loom_verb_info((enum loom_verb)verb);

		offer(p, info->name, info->args[0], info->summary,
		      key_of(p->c, tui_command_find(loom_str_of(info->name))));
	}
#define LOOM_SCREEN_WORD(name, args, summary) offer(p, name, true, summary, LOOM_STR(""));
#include <loom/screen_words.def>
	for (size_t i = 0; i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);

		if (loom_verb_find(loom_str_of(command->name)) == LOOM_VERB_NONE &&
		    loom_self_fits(command) &&
		    (p->c->app->program || strcmp(command->name, "use") == 0 ||
		     strcmp(command->name, "import") == 0))
			offer(p, command->name, command->usage[0], command->summary, LOOM_STR(""));
	}
	for (size_t i = 0; p->c->app->program && (program = loom_program_at(config, i)); i++)
		offer(p, loom_arena_cstr(p->c->arena, program->name), true,
		      loom_arena_cstr(p->c->arena, loom_program_about(p->c->arena, program)),
		      LOOM_STR(""));
	for (int i = 1; i < TUI_COMMANDS; i++) {
		const struct tui_command_info *info = tui_command_info((enum tui_command)i);

		/* The palette is this line. */
		if (!info->verb && !strstr(info->keys, "<Any>") && i != TUI_ACTION_COMMAND_LINE)
			offer(p, info->name, false, info->summary,
			      key_of(p->c, (enum tui_command)i));
	}
}

static int by_rank(const void *a, const void *b)
{
	const struct row *x = a;
	const struct row *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Everything that can be typed, the best first: by name, key or synonym. */
static void add_palette(struct completing *c)
{
	struct palette p = {.c = c};

	offer_all(&p);
	if (p.count)
		qsort(p.rows, p.count, sizeof *p.rows, by_rank);
	for (size_t i = 0; i < p.count && c->out->count < MOST; i++)
		if (!loom_str_eq(p.rows[i].shown.text, c->word))
			tui_complete_add_row(c, &p.rows[i].shown);
}

static void add_row(struct completing *c, int64_t group)
{
	const struct tui_row *row = NULL;

	if (tui_rows_get(&c->app->rows, group, &row, NULL) == LOOM_OK)
		tui_complete_add(c, loom_arena_str(c->arena, loom_str_of(row->id)),
				 loom_arena_str(c->arena, loom_str_make(row->text, row->text_n)));
}

/* The position first, then the nodes on the screen around it. */
void tui_complete_ids(struct completing *c)
{
	const struct tui_items *items = c->app->outline.items;
	uint32_t item = tui_items_at(items, c->app->top, NULL);

	add_row(c, c->app->position);
	for (int n = 0; item && n < 60; n++, item = tui_items_next(items, item)) {
		int64_t group = tui_outline_group(&c->app->outline, item);
		if (group && group != c->app->position)
			add_row(c, group);
	}
}

struct loom_str tui_complete_quoted(struct completing *c, const char *key, struct loom_str name)
{
	return loom_arena_format(c->arena, "%s\"%.*s\"", key, LOOM_STR_ARG(name));
}

void tui_complete_documents(struct completing *c, const char *key)
{
	struct loom_doc *docs = NULL;
	size_t count = 0;

	if (loom_doc_list(c->app->store, c->arena, &docs, &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++)
		tui_complete_add(c, tui_complete_quoted(c, key, docs[i].name),
				 LOOM_STR("document"));
}

void tui_complete_agents(struct completing *c, const char *key)
{
	for (size_t i = 0; i < c->app->people.count; i++) {
		const struct tui_person *person = &c->app->people.items[i];
		if (person->agent.kind == LOOM_AGENT_MODEL && !person->claim.n)
			tui_complete_add(c, tui_complete_quoted(c, key, person->agent.name),
					 loom_arena_str(c->arena, person->agent.model));
	}
}

/* Agents of the configuration that the grove does not have yet; naming one adds it. */
void tui_complete_configured(struct completing *c)
{
	const struct loom_config *config = tui_config(c->app, NULL);

	for (size_t i = 0; config && i < config->agent_count; i++)
		if (!tui_people_named(&c->app->people, config->agents[i].name))
			tui_complete_add(c, tui_complete_quoted(c, "", config->agents[i].name),
					 config->agents[i].model);
	for (size_t i = 0; config && i < config->model_count; i++)
		if (!tui_people_named(&c->app->people, config->models[i].alias))
			tui_complete_add(c, tui_complete_quoted(c, "", config->models[i].alias),
					 LOOM_STR("model"));
}

void tui_complete_programs(struct completing *c)
{
	const struct loom_config *config = tui_config(c->app, NULL);
	const struct loom_program *program;

	for (size_t i = 0; (program = loom_program_at(config, i)); i++)
		tui_complete_add(c,
				 loom_arena_format(c->arena, "%.*s ", LOOM_STR_ARG(program->name)),
				 loom_program_about(c->arena, program));
}

static bool is_program(const struct completing *c, struct loom_str word)
{
	return loom_program_find(tui_config(c->app, NULL), word) != NULL;
}

static void add_stashes(struct completing *c, const char *key)
{
	struct loom_stash *stashes = NULL;
	size_t count = 0;

	if (!c->app->thread || loom_stash_list(c->app->store, c->app->thread, c->arena, &stashes,
					       &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++)
		tui_complete_add(c, tui_complete_quoted(c, key, stashes[i].label),
				 loom_str_sub(stashes[i].text, 0, 60));
}

/* By id when another tree has the same title. */
static void add_tree(struct completing *c, const char *key, const struct loom_tree *tree)
{
	struct loom_str name = tui_complete_quoted(c, key, tree->title);
	struct loom_tree only;
	char id[LOOM_ULID_CHARS + 1];

	if (loom_tree_find(c->app->store, tree->title, c->arena, &only, NULL) == LOOM_OK) {
		tui_complete_add(c, name, LOOM_STR("tree"));
		return;
	}
	loom_ulid_text(&tree->ulid, id);
	if (fits(c, name))
		tui_complete_add_as(c, loom_arena_format(c->arena, "%s%s", key, id), tree->title);
}

void tui_complete_trees(struct completing *c, const char *key)
{
	struct loom_tree *trees = NULL;
	size_t count = 0;

	if (loom_tree_list(c->app->store, c->arena, &trees, &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++)
		add_tree(c, key, &trees[i]);
}

static void add_themes(struct completing *c)
{
	const char *name;
	struct loom_str json;

	for (size_t i = 0; loom_theme_at(i, &name, &json); i++)
		tui_complete_add(c, loom_str_of(name), LOOM_STR("theme"));
}

/* One word of the notation: `n:1-10`, `as:branch|version`, `full`, `doc:"D"`, `ID`. */
static void add_form(struct completing *c, struct loom_str form)
{
	size_t colon = loom_str_find_char(form, ':', 0);
	struct loom_str key = loom_str_sub(form, 0, colon == SIZE_MAX ? form.n : colon + 1);
	struct loom_str rest = loom_str_sub(form, key.n, form.n);
	struct loom_str choice;

	if (form.n == 0 || strchr("\"|…", form.p[0]) || (form.p[0] >= 'A' && form.p[0] <= 'Z'))
		return;
	if (loom_str_is(key, "doc:")) {
		tui_complete_documents(c, "doc:");
		return;
	}
	if (loom_str_is(key, "agent:")) {
		tui_complete_agents(c, "agent:");
		return;
	}
	if (loom_str_is(key, "stash:") || loom_str_is(key, "recall:")) {
		add_stashes(c, loom_arena_cstr(c->arena, key));
		return;
	}
	if (loom_str_is(key, "tree:")) {
		tui_complete_trees(c, "tree:");
		return;
	}
	if (colon == SIZE_MAX || rest.n == 0 || !(rest.p[0] >= 'a' && rest.p[0] <= 'z')) {
		tui_complete_add(c, key, (struct loom_str){NULL, 0});
		return;
	}
	while (loom_str_cut(&rest, '|', &choice))
		tui_complete_add(c,
				 loom_arena_format(c->arena, "%.*s%.*s", LOOM_STR_ARG(key),
						   LOOM_STR_ARG(choice)),
				 (struct loom_str){NULL, 0});
}

static void add_forms(struct completing *c, const struct loom_verb_info *info)
{
	struct loom_str rest = loom_str_of(info->args);
	struct loom_str form;

	while (loom_str_cut(&rest, ' ', &form)) {
		while (form.n && form.p[0] == '[')
			form = loom_str_sub(form, 1, form.n);
		while (form.n && form.p[form.n - 1] == ']')
			form.n--;
		add_form(c, form);
	}
}

static bool takes_id(const struct loom_verb_info *info)
{
	return strstr(info->args, "ID") != NULL;
}

static void add_ids_behind(struct completing *c)
{
	struct loom_str word = c->word;
	size_t colon = loom_str_find_char(word, ':', 0);

	if (colon == SIZE_MAX) {
		tui_complete_ids(c);
		return;
	}
	/* `content-of:a7`: keep the key. */
	c->out->from += colon + 1;
	c->word = loom_str_sub(word, colon + 1, word.n);
	tui_complete_ids(c);
	if (c->out->count)
		return;
	c->out->from -= colon + 1;
	c->word = word;
}

/* The entries of a directory that begin with the last part of the path. */
static void add_entries(struct completing *c, DIR *dir, struct loom_str lead)
{
	struct loom_buf path = LOOM_BUF_INIT(1 << 16);
	const bool hidden = c->word.n > lead.n && c->word.p[lead.n] == '.';
	struct dirent *entry;

	while (c->out->count < MOST && (entry = readdir(dir))) {
		const bool below = entry->d_type == DT_DIR;

		if (entry->d_name[0] == '.' && !hidden)
			continue;
		loom_buf_clear(&path);
		loom_buf_add(&path, lead);
		tui_path_spell(loom_str_of(entry->d_name), &path);
		if (below)
			loom_buf_addc(&path, '/');
		tui_complete_add(c, loom_arena_buf(c->arena, &path), (struct loom_str){NULL, 0});
	}
	loom_buf_fini(&path);
}

static int by_text(const void *a, const void *b)
{
	const struct tui_completion *x = a;
	const struct tui_completion *y = b;

	return loom_str_cmp(x->text, y->text);
}

/* Completes the path that ends the line; blanks in it are escaped by a backslash. */
void tui_complete_files(struct completing *c, struct loom_str line, size_t behind, size_t caret)
{
	const char *home = loom_env_var(c->app->env, "HOME");
	const char **dirs = NULL;
	struct loom_str lead;
	size_t from = caret;
	DIR *dir;

	while (from > behind &&
	       (line.p[from - 1] != ' ' || (from - 1 > behind && line.p[from - 2] == '\\')))
		from--;
	c->out->from = from;
	c->word = loom_arena_str(c->arena, loom_str_sub(line, from, caret - from));
	lead = c->word;
	while (lead.n && lead.p[lead.n - 1] != '/')
		lead.n--;
	if (lead.n && tui_paths_read(lead, loom_str_of(home ? home : ""), c->arena, &dirs) != 1)
		return;
	dir = opendir(lead.n ? dirs[0] : ".");
	if (!dir)
		return;
	add_entries(c, dir, lead);
	closedir(dir);
	if (c->out->count)
		qsort(c->out->items, c->out->count, sizeof *c->out->items, by_text);
}

/* The verb that a line of the screen begins with: some words are the commands of that name. */
static const struct loom_verb_info *verb_of(struct loom_str word)
{
	if (loom_str_is(word, "new") || loom_str_is(word, "help"))
		return NULL;
	return loom_verb_info(loom_verb_find(word));
}

/* The forms of what the line begins with, to stand above the completions. */
static void add_takes(struct completing *c, struct loom_str line, struct loom_str word)
{
	const struct loom_verb_info *verb = verb_of(word);
	const struct loom_command *command = loom_self_command(line);
	const enum tui_command action = tui_command_find(word);

	if (command && (!verb || strchr(command->name, ' ')))
		c->out->takes = loom_arena_format(c->arena, "%s %s", command->name, command->usage);
	else if (verb)
		c->out->takes = loom_arena_format(c->arena, "%s %s", verb->name, verb->args);
	else if (action)
		c->out->takes = loom_str_of(tui_command_info(action)->summary);
	else if (is_program(c, word))
		c->out->takes = loom_arena_format(c->arena, "%.*s [NODE]", LOOM_STR_ARG(word));
#define LOOM_SCREEN_WORD(name, args, summary)                                                      \
	if (loom_str_is(word, name))                                                               \
		c->out->takes = LOOM_STR(name " " args);
#include <loom/screen_words.def>
}

/* The completions behind the first word. */
static void add_arguments(struct completing *c, struct loom_str line, struct loom_str word,
			  size_t caret)
{
	const struct loom_verb_info *info = verb_of(word);

	if (is_program(c, word) && c->out->from == word.n + 1)
		tui_complete_ids(c);
	if (loom_str_is(word, "theme"))
		add_themes(c);
	if (loom_str_is(word, "ground")) {
		tui_complete_add(c, LOOM_STR("dark"), LOOM_STR("the terminal is dark"));
		tui_complete_add(c, LOOM_STR("light"), LOOM_STR("the terminal is light"));
		tui_complete_add(c, LOOM_STR("auto"), LOOM_STR("ask the terminal"));
	}
	if (loom_str_is(word, "mouse")) {
		tui_complete_add(c, LOOM_STR("on"), LOOM_STR("loom uses the mouse"));
		tui_complete_add(c, LOOM_STR("off"), LOOM_STR("the terminal uses the mouse"));
	}
	if (info) {
		add_forms(c, info);
		if (takes_id(info) && c->out->count == 0)
			add_ids_behind(c);
		else if (takes_id(info) && loom_str_find_char(c->word, ':', 0) == SIZE_MAX)
			tui_complete_ids(c);
	}
	if (loom_str_is(word, "import") && !loom_str_starts(c->word, LOOM_STR("-")))
		tui_complete_files(c, line, word.n + 1, caret);
	else if (!info || (c->app->program && c->word.n))
		tui_complete_usage(c, line, caret);
}

/* Whether a line that goes on behind this word begins with a command. */
static bool is_known(struct completing *c, struct loom_str line, struct loom_str word)
{
	const char *first = loom_arena_cstr(c->arena, word);

#define LOOM_SCREEN_WORD(name, args, summary)                                                      \
	if (loom_str_is(word, name))                                                               \
		return true;
#include <loom/screen_words.def>
	return loom_verb_find(word) != LOOM_VERB_NONE || loom_self_command(line) ||
	       is_program(c, word) || help_table_goes_on(&first, 1) || loom_str_is(word, "save") ||
	       loom_str_is(word, "diff-with");
}

void tui_complete(struct tui_app *app, struct loom_str line, size_t caret, struct loom_arena *arena,
		  struct tui_completions *out)
{
	struct completing c = {.app = app, .arena = arena, .out = out};
	size_t from = caret;
	size_t first;
	bool quote = false;

	*out = (struct tui_completions){.from = 0};
	for (size_t i = 0; i < caret; i++)
		quote ^= line.p[i] == '"';
	while (from > 0 && (quote || line.p[from - 1] != ' ')) {
		from--;
		quote ^= line.p[from] == '"';
	}
	out->from = from;
	c.word = loom_arena_str(arena, loom_str_sub(line, from, caret - from));
	first = loom_str_find_char(line, ' ', 0);
	add_takes(&c, line, loom_str_sub(line, 0, first == SIZE_MAX ? line.n : first));
	if (first == SIZE_MAX || first >= caret ||
	    !is_known(&c, line, loom_str_sub(line, 0, first))) {
		/* What begins no line is a wish: all of it is replaced. */
		out->from = 0;
		c.word = loom_arena_str(arena, loom_str_sub(line, 0, caret));
		add_palette(&c);
	} else {
		add_arguments(&c, line, loom_str_sub(line, 0, first), caret);
	}
}
