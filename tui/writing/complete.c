/* Completes command lines: verbs at the start, after that the parameters of the verb's notation,
 * ids of nodes nearby with their texts, documents, agents, stashes. */
#include <dirent.h>

#include <loom/desk/desk.h>
#include <loom/writing/paths.h>

#include <loom/commands/child_of_self.h>
#include <loom/language/registry.h>
#include <loom/cli/themes.h>
#include <loom/desk/subject.h>
#include <loom/tree/document.h>
#include <loom/work/memory.h>
#include <loom/writing/complete.h>

#define MOST 200

struct completing {
	struct tui_app *app;
	struct loom_arena *arena;
	struct tui_completions *out;
	size_t cap;
	struct loom_str word; /* its part before the caret */
	bool by_words;        /* match entries that contain the word, not only begin with it */
};

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

static bool fits(const struct completing *c, struct loom_str text, struct loom_str about)
{
	if (!c->by_words)
		return begins(text, c->word) && !loom_str_eq(text, c->word);
	return !begins(text, c->word) &&
	       (loom_text_mentions(text, c->word) || loom_text_mentions(about, c->word));
}

static void add_as(struct completing *c, struct loom_str text, struct loom_str about)
{
	if (c->out->count >= MOST)
		return;
	c->out->items = loom_arena_grow(c->arena, c->out->items, c->out->count, &c->cap,
					sizeof *c->out->items);
	c->out->items[c->out->count++] = (struct tui_completion){text, about};
}

static void add(struct completing *c, struct loom_str text, struct loom_str about)
{
	if (fits(c, text, about))
		add_as(c, text, about);
}

static void add_verbs(struct completing *c)
{
	for (int verb = LOOM_VERB_NONE + 1; verb < LOOM_VERB_COUNT; verb++) {
		const struct loom_verb_info *info = loom_verb_info((enum loom_verb)verb);
		add(c, loom_arena_format(c->arena, "%s ", info->name), loom_str_of(info->summary));
	}
	for (size_t i = 0; c->app->program && i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);
		/* The screen has its own new, use and import. */
		if (loom_verb_find(loom_str_of(command->name)) == LOOM_VERB_NONE &&
		    strcmp(command->name, "new") != 0 && strcmp(command->name, "use") != 0 &&
		    strcmp(command->name, "import") != 0)
			add(c, loom_arena_format(c->arena, "%s ", command->name),
			    loom_str_of(command->summary));
	}
	add(c, LOOM_STR("new "), LOOM_STR("A new tree: new \"TITLE\" [buffer]"));
	add(c, LOOM_STR("use "), LOOM_STR("Go to another tree, by title"));
	add(c, LOOM_STR("import "), LOOM_STR("Import files of other looms and chats"));
	add(c, LOOM_STR("theme "), LOOM_STR("Change the colours"));
	add(c, LOOM_STR("mouse "), LOOM_STR("Let loom (on) or the terminal (off) use the mouse"));
}

/* Actions of the screen, each with its key. */
static void add_actions(struct completing *c)
{
	struct loom_buf keys = LOOM_BUF_INIT(64);

	for (int i = 1; i < TUI_COMMANDS; i++) {
		const struct tui_command_info *info = tui_command_info((enum tui_command)i);

		loom_buf_clear(&keys);
		if (info->verb || strstr(info->keys, "<Any>") ||
		    !tui_keymap_spell(&c->app->keymap, TUI_KEYVIEW_NAV, (enum tui_command)i, &keys))
			continue;
		add(c, loom_str_of(info->name),
		    loom_arena_format(c->arena, "%s \xc2\xb7 %s", info->summary,
				      loom_buf_cstr(&keys)));
	}
	loom_buf_fini(&keys);
}

/* The palette: commands that begin with the word, then related ones. */
static void add_palette(struct completing *c)
{
	add_verbs(c);
	if (c->word.n)
		add_actions(c);
	c->by_words = true;
	add_verbs(c);
	add_actions(c);
	c->by_words = false;
}

static void add_row(struct completing *c, int64_t group)
{
	const struct tui_row *row = NULL;

	if (tui_rows_get(&c->app->rows, group, &row, NULL) == LOOM_OK)
		add(c, loom_arena_str(c->arena, loom_str_of(row->id)),
		    loom_arena_str(c->arena, loom_str_make(row->text, row->text_n)));
}

/* The position first, then the nodes on the screen around it. */
static void add_ids(struct completing *c)
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

static struct loom_str quoted(struct completing *c, const char *key, struct loom_str name)
{
	return loom_arena_format(c->arena, "%s\"%.*s\"", key, LOOM_STR_ARG(name));
}

static void add_documents(struct completing *c, const char *key)
{
	struct loom_doc *docs = NULL;
	size_t count = 0;

	if (loom_doc_list(c->app->store, c->arena, &docs, &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++)
		add(c, quoted(c, key, docs[i].name), LOOM_STR("document"));
}

static void add_agents(struct completing *c, const char *key)
{
	for (size_t i = 0; i < c->app->people.count; i++) {
		const struct tui_person *person = &c->app->people.items[i];
		if (person->agent.kind == LOOM_AGENT_MODEL && !person->claim.n)
			add(c, quoted(c, key, person->agent.name),
			    loom_arena_str(c->arena, person->agent.model));
	}
}

/* Agents of the configuration that the grove does not have yet; naming one adds it. */
static void add_configured(struct completing *c)
{
	const struct loom_config *config = tui_config(c->app, NULL);

	for (size_t i = 0; config && i < config->agent_count; i++)
		if (!tui_people_named(&c->app->people, config->agents[i].name))
			add(c, quoted(c, "", config->agents[i].name), config->agents[i].model);
	for (size_t i = 0; config && i < config->model_count; i++)
		if (!tui_people_named(&c->app->people, config->models[i].alias))
			add(c, quoted(c, "", config->models[i].alias), LOOM_STR("model"));
}

static void add_stashes(struct completing *c, const char *key)
{
	struct loom_stash *stashes = NULL;
	size_t count = 0;

	if (!c->app->thread || loom_stash_list(c->app->store, c->app->thread, c->arena, &stashes,
					       &count, NULL) != LOOM_OK)
		return;
	for (size_t i = 0; i < count; i++)
		add(c, quoted(c, key, stashes[i].label), loom_str_sub(stashes[i].text, 0, 60));
}

/* By id when another tree has the same title. */
static void add_tree(struct completing *c, const char *key, const struct loom_tree *tree)
{
	struct loom_str name = quoted(c, key, tree->title);
	struct loom_tree only;
	char id[LOOM_ULID_CHARS + 1];

	if (loom_tree_find(c->app->store, tree->title, c->arena, &only, NULL) == LOOM_OK) {
		add(c, name, LOOM_STR("tree"));
		return;
	}
	loom_ulid_text(&tree->ulid, id);
	if (fits(c, name, (struct loom_str){NULL, 0}))
		add_as(c, loom_arena_format(c->arena, "%s%s", key, id), tree->title);
}

static void add_trees(struct completing *c, const char *key)
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
		add(c, loom_str_of(name), LOOM_STR("theme"));
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
		add_documents(c, "doc:");
		return;
	}
	if (loom_str_is(key, "agent:")) {
		add_agents(c, "agent:");
		return;
	}
	if (loom_str_is(key, "stash:") || loom_str_is(key, "recall:")) {
		add_stashes(c, loom_arena_cstr(c->arena, key));
		return;
	}
	if (loom_str_is(key, "tree:")) {
		add_trees(c, "tree:");
		return;
	}
	if (colon == SIZE_MAX || rest.n == 0 || !(rest.p[0] >= 'a' && rest.p[0] <= 'z')) {
		add(c, key, (struct loom_str){NULL, 0});
		return;
	}
	while (loom_str_cut(&rest, '|', &choice))
		add(c,
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
		add_ids(c);
		return;
	}
	/* `content-of:a7`: keep the key. */
	c->out->from += colon + 1;
	c->word = loom_str_sub(word, colon + 1, word.n);
	add_ids(c);
	if (c->out->count)
		return;
	c->out->from -= colon + 1;
	c->word = word;
}

/* The second word of a two-word command. */
static void add_commands(struct completing *c, struct loom_str line)
{
	size_t first = loom_str_find_char(line, ' ', 0);
	struct loom_str head = loom_str_sub(line, 0, first + 1);

	if (c->out->from != first + 1)
		return;
	for (size_t i = 0; c->app->program && i < loom_command_count(); i++) {
		const struct loom_command *command = loom_command_at(i);
		struct loom_str name = loom_str_of(command->name);

		if (loom_str_starts(name, head))
			add(c,
			    loom_arena_format(c->arena, "%.*s ",
					      LOOM_STR_ARG(loom_str_sub(name, head.n, name.n))),
			    loom_str_of(command->summary));
	}
}

/* What a command's usage names: options, their choices, agents, nodes. */
static void add_usage(struct completing *c, struct loom_str line)
{
	const struct loom_command *command = c->app->program ? loom_self_command(line) : NULL;
	struct loom_str rest = loom_str_of(command ? command->usage : "");
	size_t at = 0;

	while (at < rest.n) {
		size_t n = strcspn(rest.p + at, " |[]()\xe2,");
		struct loom_str word = loom_str_sub(rest, at, at + n);

		if (loom_str_starts(word, LOOM_STR("--")) && word.n > 2)
			add(c, loom_arena_format(c->arena, "%.*s ", LOOM_STR_ARG(word)),
			    LOOM_STR(""));
		else if (loom_str_is(word, "AGENT"))
			add_agents(c, "");
		else if (loom_str_is(word, "NODE"))
			add_ids(c);
		else if (word.n && word.p[0] >= 'a' && word.p[0] <= 'z')
			add(c, loom_arena_str(c->arena, word), LOOM_STR(""));
		at += n + (n == 0);
	}
	if (command && loom_str_is(loom_str_of(command->name), "subject"))
		add_configured(c);
	add_commands(c, line);
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
		add(c, loom_arena_buf(c->arena, &path), (struct loom_str){NULL, 0});
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
static void add_files(struct completing *c, struct loom_str line, size_t behind, size_t caret)
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

void tui_complete(struct tui_app *app, struct loom_str line, size_t caret, struct loom_arena *arena,
		  struct tui_completions *out)
{
	struct completing c = {.app = app, .arena = arena, .out = out};
	const struct loom_verb_info *info;
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
	if (first == SIZE_MAX || first >= caret) {
		add_palette(&c);
		return;
	}
	if (loom_str_is(loom_str_sub(line, 0, first), "import")) {
		add_files(&c, line, first + 1, caret);
		return;
	}
	if (loom_str_is(loom_str_sub(line, 0, first), "theme"))
		add_themes(&c);
	if (loom_str_is(loom_str_sub(line, 0, first), "use"))
		add_trees(&c, "");
	info = loom_verb_info(loom_verb_find(loom_str_sub(line, 0, first)));
	if (!info) {
		add_usage(&c, line);
		return;
	}
	add_forms(&c, info);
	if (takes_id(info) && out->count == 0)
		add_ids_behind(&c);
	else if (takes_id(info) && loom_str_find_char(c.word, ':', 0) == SIZE_MAX)
		add_ids(&c);
}
