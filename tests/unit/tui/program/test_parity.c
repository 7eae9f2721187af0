/* A key is short for a command: every row of the table that has keys is run by each of them, and
 * leaves screen and grove as its command line does. A verb's line is run by another process; what
 * only the screen can do by its name behind the colon. What cannot be compared says why. */
#include <greatest.h>

#include <loom/tree/mark.h>
#include <loom/work/memory.h>
#include <loom/work/thread.h>

#include "support/child.h"
#include "support/grove.h"
#include <loom/program/app.h>
#include <loom/desk/desk.h>
#include <loom/tree/open_store.h>

struct table {
	struct grove grove;
	struct temp kept; /* the grove as it was made */
	int64_t tree;
	int64_t child; /* the first below the root */
	struct tui_app *app;
	struct tui_grid grid;
	struct loom_buf texts[2];
};

static void must_run(const char *command)
{
	if (system(command) != 0) {
		fprintf(stderr, "%s\n", command);
		abort();
	}
}

/* Puts the grove away, or back. */
static void copy(const char *from, const char *to)
{
	char command[1000];

	snprintf(command, sizeof command, "rm -rf '%s' && cp -a '%s' '%s'", to, from, to);
	must_run(command);
}

static void set_up(struct table *table)
{
	*table = (struct table){.tree = 0};
	grove_init(&table->grove);
	temp_init(&table->kept);
	table->tree = grove_tree(&table->grove, LOOM_DIALOGUE, "A beginning.");
	int64_t root = grove_root(&table->grove, table->tree);
	int64_t at;

	table->child = at = grove_node(&table->grove, root, "The first of two.");
	(void)grove_node(&table->grove, root, "The second of two.");
	for (int i = 0; i < 4; i++) {
		at = grove_node(&table->grove, at, "One of a chain.");
		if (i % 2)
			(void)grove_edit(&table->grove, at, "One of a chain, edited.");
	}
	loom_store_close(table->grove.store);
	table->grove.store = NULL;
	copy(table->grove.temp.path, table->kept.path);
	tui_grid_init(&table->grid, false);
	loom_buf_init(&table->texts[0], 1 << 22);
	loom_buf_init(&table->texts[1], 1 << 22);
}

static void tear_down(struct table *table)
{
	tui_grid_fini(&table->grid);
	loom_buf_fini(&table->texts[0]);
	loom_buf_fini(&table->texts[1]);
	temp_fini(&table->kept);
	grove_fini(&table->grove);
}

/* The grove as it was made, and the program on it. */
static void open_app(struct table *table)
{
	struct tui_app_opts opts = {.env = &table->grove.env,
				    .dir = loom_str_of(table->grove.temp.path)};
	const struct loom_env before = table->grove.env;
	struct loom_err err;

	copy(table->kept.path, table->grove.temp.path);
	loom_env_init_fixed(&table->grove.env, 1771840800000, 1);
	table->grove.env.var = before.var;
	table->grove.env.ctx = before.ctx;
	grove_must(tui_app_open(&table->app, &opts, &err), &err, "app");
}

static void type(struct table *table, const char *keys)
{
	struct loom_str text = loom_str_of(keys);
	struct tui_event event = {.kind = TUI_EVENT_KEY};

	for (size_t at = 0; at < text.n && tui_key_parse(text, &at, &event.key);)
		tui_app_event(table->app, &event);
	tui_app_work(table->app, true);
}

static void add_screen(struct table *table, struct loom_buf *out)
{
	tui_grid_reset(&table->grid, 100, 30);
	tui_app_draw(table->app, &table->grid);
	tui_grid_text(&table->grid, out);
	loom_buf_addf(out, "cursor %d,%d\n", table->grid.cursor_x, table->grid.cursor_y);
}

/* --- what is in the grove --- */

static void add_node(struct loom_store *store, int64_t id, struct loom_arena *arena,
		     struct loom_buf *out)
{
	struct loom_node node;
	struct loom_str *tags = NULL;
	size_t count = 0;
	struct loom_err err;

	grove_must(loom_node_get(store, id, LOOM_NODE_ALL, arena, &node, &err), &err, "node");
	grove_must(loom_tag_of(store, id, arena, &tags, &count, &err), &err, "tags");
	loom_buf_addf(out, "%lld from %lld kind %d by %lld%s%s%s %.*s \"%.*s\"", (long long)id,
		      (long long)node.from_node, (int)node.kind, (long long)node.author,
		      node.bookmarked ? " bookmarked" : "", node.pruned ? " pruned" : "",
		      node.excluded ? " excluded" : "", LOOM_STR_ARG(node.label),
		      LOOM_STR_ARG(node.text));
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(out, " #%.*s", LOOM_STR_ARG(tags[i]));
	loom_buf_addc(out, '\n');
}

static void add_memory(struct loom_store *store, int64_t thread, struct loom_arena *arena,
		       struct loom_buf *out)
{
	struct loom_pin *pins = NULL;
	struct loom_stash *stashes = NULL;
	size_t count = 0;
	struct loom_err err;

	grove_must(loom_pin_list(store, thread, arena, &pins, &count, &err), &err, "pins");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(out, "pin %lld\n", (long long)pins[i].node);
	grove_must(loom_stash_list(store, thread, arena, &stashes, &count, &err), &err, "stashes");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(out, "stash %.*s\n", LOOM_STR_ARG(stashes[i].label));
}

/* Nodes with their marks, what the thread keeps, and perhaps where it stands: the screen keeps its
 * place of its own until something is written. */
static void add_grove(struct table *table, bool stands, struct loom_buf *out)
{
	struct grove *grove = &table->grove;
	struct loom_store *store = grove_connect(grove, LOOM_READ);
	struct loom_nodes nodes = {NULL, 0};
	struct loom_thread thread;
	int64_t stand = 0;
	bool more = false;
	struct loom_err err;

	loom_arena_reset(grove->arena);
	grove_must(loom_node_since(store, &(struct loom_since){.tree = table->tree, .limit = 1000},
				   grove->arena, &nodes, &more, &err),
		   &err, "nodes");
	for (size_t i = 0; i < nodes.count; i++)
		add_node(store, nodes.items[i].id, grove->arena, out);
	if (loom_thread_implicit(store, grove->owner, table->tree, grove->arena, &thread, NULL) ==
	    LOOM_OK) {
		add_memory(store, thread.id, grove->arena, out);
		if (stands && loom_thread_stand(store, &thread, &stand, NULL) == LOOM_OK)
			loom_buf_addf(out, "stands at %lld\n", (long long)stand);
	}
	loom_store_close(store);
}

/* --- verbs --- */

static const struct {
	const char *verb;
	const char *view;
	const char *before; /* keys that lead there */
	const char *then;   /* more of them, when the first are done */
	const char *after;  /* keys that complete it */
	const char *line;   /* what the other process does, & the child's id; NULL: nothing */
	const char *why;    /* not compared: */
} verbs[] = {
	{.verb = "view", .view = "nav", .before = "l", .line = "view &"},
	{.verb = "switch", .view = "nav", .after = "&<Enter>", .line = "switch to &"},
	{.verb = "search", .view = "*", .before = "l", .after = "first<Enter>"},
	{.verb = "continue", .view = "nav", .before = "l2", .line = "continue from & n:2"},
	{.verb = "respond",
	 .view = "nav",
	 .before = "l",
	 .after = "So.<Enter>",
	 .line = "respond & So."},
	{.verb = "annotate",
	 .view = "nav",
	 .before = "l",
	 .after = "Hm<Enter>",
	 .line = "annotate & Hm"},
	{.verb = "edit",
	 .view = "nav",
	 .before = "l",
	 .after = "<C-k>New<Esc>",
	 .line = "edit & New"},
	{.verb = "split", .view = "nav", .why = "the caret is set in the text: screens/surgery"},
	{.verb = "join", .view = "nav", .before = "l", .line = "join &"},
	{.verb = "move", .view = "nav", .why = "what is picked is moved: screens/surgery"},
	{.verb = "bookmark", .view = "nav", .before = "l", .line = "bookmark &"},
	{.verb = "bookmark", .view = "compare", .before = "l=", .line = "bookmark &"},
	{.verb = "tag", .view = "nav", .before = "l", .after = "odd<Enter>", .line = "tag & odd"},
	{.verb = "prune", .view = "nav", .before = "l", .line = "prune &"},
	{.verb = "prune", .view = "compare", .before = "l=", .line = "prune &"},
	{.verb = "pin", .view = "nav", .before = "l", .line = "pin &"},
	{.verb = "stash",
	 .view = "nav",
	 .before = "l",
	 .after = "aside<Enter>",
	 .line = "stash aside content-of:&"},
	{.verb = "pin", .view = "memory", .before = "lom", .line = "pin &"},
	{.verb = "stash",
	 .view = "memory",
	 .before = "lom",
	 .after = "aside<Enter>",
	 .line = "stash aside content-of:&"},
	{.verb = "recall",
	 .view = "memory",
	 .before = "lsaside<Enter>",
	 .then = "om",
	 .line = "stash aside content-of:&;recall aside"},
	{.verb = "drop",
	 .view = "memory",
	 .before = "lp",
	 .then = "om",
	 .line = "pin &;drop pin:&"},
	{.verb = "memory", .view = "*", .before = "l", .line = "memory"},
	{.verb = "help", .view = "*", .before = "l", .line = "help"},
	{.verb = "undo", .view = "*", .before = "lb", .line = "bookmark &;undo"},
	{.verb = "redo", .view = "*", .before = "lbu", .line = "bookmark &;undo;redo"},
};

static void add_with_id(const char *text, const char *id, struct loom_buf *out)
{
	for (; *text; text++) {
		if (*text == '&')
			loom_buf_adds(out, id);
		else
			loom_buf_addc(out, *text);
	}
}

/* One line by another process. */
static void run_line(struct table *table, const char *line)
{
	struct loom_buf command = LOOM_BUF_INIT(4096);
	char home[300];
	const char *const env[] = {home, "LOOM_NOW=2026-02-23T10:00:00Z", "LOOM_SEED=1", NULL};
	struct child_opts opts = {.env = env, .cwd = table->grove.temp.path};
	struct child_result said;

	snprintf(home, sizeof home, "HOME=%s", table->grove.temp.path);
	loom_buf_addf(&command,
		      "export XDG_CONFIG_HOME=\"$HOME\" XDG_DATA_HOME=\"$HOME\" "
		      "XDG_STATE_HOME=\"$HOME\" XDG_CACHE_HOME=\"$HOME\"; exec '" LOOM_PROGRAM
		      "' do %s",
		      line);
	if (!child_shell(loom_buf_cstr(&command), &opts, &said) || said.status != 0) {
		fprintf(stderr, "%s: %s%s\n", line, loom_buf_cstr(&said.out),
			loom_buf_cstr(&said.err));
		abort();
	}
	child_fini(&said);
	loom_buf_fini(&command);
}

/* The lines of a row, after the step that who sits at the screen makes. */
static void run_lines(struct table *table, const char *before, const char *lines, const char *id)
{
	struct loom_str rest = loom_str_of(lines);
	struct loom_str line;
	struct loom_buf text = LOOM_BUF_INIT(4096);

	copy(table->kept.path, table->grove.temp.path);
	if (before[0] == 'l') {
		loom_buf_addf(&text, "switch to %s", id);
		run_line(table, loom_buf_cstr(&text));
	}
	while (rest.n && loom_str_cut(&rest, ';', &line)) {
		loom_buf_clear(&text);
		add_with_id(loom_arena_cstr(table->grove.arena, line), id, &text);
		run_line(table, loom_buf_cstr(&text));
	}
	loom_buf_fini(&text);
}

static const char *child_id(struct table *table)
{
	static char id[LOOM_LOCAL_MAX];
	struct loom_store *store = grove_connect(&table->grove, LOOM_READ);
	struct loom_store *before = table->grove.store;

	table->grove.store = store;
	snprintf(id, sizeof id, "%s", grove_name(&table->grove, table->child));
	table->grove.store = before;
	loom_store_close(store);
	return id;
}

static const char *differs(struct table *table, const char *what, struct loom_str keys)
{
	if (loom_str_eq(loom_buf_str(&table->texts[0]), loom_buf_str(&table->texts[1])))
		return NULL;
	fprintf(stderr, "%s by %.*s:\n%s\n--- by its line:\n%s\n", what, LOOM_STR_ARG(keys),
		loom_buf_cstr(&table->texts[0]), loom_buf_cstr(&table->texts[1]));
	return what;
}

/* A verb by one of its keys beside its line by another process. */
static const char *wrong_verb(struct table *table, size_t row, struct loom_str keys, const char *id)
{
	const char *before = verbs[row].before ? verbs[row].before : "";
	struct loom_buf typed = LOOM_BUF_INIT(1000);

	open_app(table);
	type(table, before);
	type(table, verbs[row].then ? verbs[row].then : "");
	loom_buf_add(&typed, keys);
	type(table, loom_buf_cstr(&typed));
	loom_buf_clear(&typed);
	add_with_id(verbs[row].after ? verbs[row].after : "", id, &typed);
	type(table, loom_buf_cstr(&typed));
	tui_app_close(table->app);
	loom_buf_clear(&table->texts[0]);
	add_grove(table, strcmp(verbs[row].verb, "switch") == 0, &table->texts[0]);
	run_lines(table, before, verbs[row].line ? verbs[row].line : "", id);
	loom_buf_clear(&table->texts[1]);
	add_grove(table, strcmp(verbs[row].verb, "switch") == 0, &table->texts[1]);
	loom_buf_fini(&typed);
	return differs(table, verbs[row].verb, keys);
}

static size_t find_verb(const char *name, struct loom_str view)
{
	for (size_t i = 0; i < LOOM_COUNT(verbs); i++)
		if (strcmp(verbs[i].verb, name) == 0 && loom_str_is(view, verbs[i].view))
			return i;
	return SIZE_MAX;
}

TEST every_key_of_a_verb_does_what_its_line_does(void)
{
	struct table table;
	const char *wrong = NULL;
	const char *id;
	size_t compared = 0, changed = 0;
	struct loom_buf untouched = LOOM_BUF_INIT(1 << 20);

	set_up(&table);
	id = child_id(&table);
	add_grove(&table, false, &untouched);
	for (int i = 1; i < TUI_COMMANDS && !wrong; i++) {
		const struct tui_command_info *info = tui_command_info((enum tui_command)i);
		struct loom_str rest = loom_str_of(info->keys);
		struct loom_str pair;

		while (info->verb && !wrong && rest.n && loom_str_cut(&rest, ' ', &pair)) {
			size_t colon = loom_str_find_char(pair, ':', 0);
			size_t row = find_verb(info->name, loom_str_sub(pair, 0, colon));

			if (row == SIZE_MAX) {
				wrong = "a key that the table above does not know";
				fprintf(stderr, "%s %.*s\n", info->name, LOOM_STR_ARG(pair));
			} else if (!verbs[row].why) {
				wrong = wrong_verb(&table, row,
						   loom_str_sub(pair, colon + 1, SIZE_MAX), id);
				compared++;
				changed += !loom_str_eq(loom_buf_str(&untouched),
							loom_buf_str(&table.texts[1]));
			}
		}
	}
	tear_down(&table);
	loom_buf_fini(&untouched);
	ASSERT_EQm(wrong, NULL, wrong);
	ASSERT(compared > 15);
	ASSERT(changed > 10); /* or the comparison is blind */
	PASS();
}

/* --- what only the screen can do --- */

/* Keys that lead into a view; a view that is not there yet is passed over. */
static const struct {
	const char *view;
	const char *keys;
} ways[] = {
	{"*", "ll"},          {"nav", "ll"},      {"list", "oo"},    {"compare", "l="},
	{"inspector", "loc"}, {"memory", "lpom"}, {"approve", "l!"}, {"thread", "oh<Enter>"},
	{"threads", "oh"},    {"lens", "lzl"},
};

static const struct {
	const char *name;
	const char *why;
} apart[] = {
	{"mark", "which mark is part of the key"},
	{"go-mark", "which mark is part of the key"},
	{"fold-depth", "which depth is part of the key"},
	{"record", "which macro is part of the key"},
	{"play", "which macro is part of the key"},
	{"save", "asks for the file that the line names"},
	{"editor", "another program takes the terminal"},
	{"copy-text", "needs a terminal, which it gives the text"},
	{"copy-path", "needs a terminal, which it gives the text"},
};

static bool stands_apart(const char *name)
{
	for (size_t i = 0; i < LOOM_COUNT(apart); i++)
		if (strcmp(name, apart[i].name) == 0)
			return true;
	return false;
}

/* The screen and the grove behind some keys; false when the view is not there. */
static bool try_keys(struct table *table, const char *way, const char *view, const char *keys,
		     struct loom_buf *out)
{
	bool there;

	open_app(table);
	type(table, way);
	there = strcmp(view, "*") == 0 ||
		strcmp(tui_keyview_name(tui_app_keyview(table->app)), view) == 0;
	if (there) {
		loom_buf_clear(out);
		add_screen(table, out); /* whose sizes some keys go by */
		loom_buf_clear(out);
		type(table, keys);
		add_screen(table, out);
		loom_buf_addf(out, "%s\n", tui_app_over(table->app) ? "over" : "goes on");
	}
	tui_app_close(table->app);
	if (there)
		add_grove(table, false, out);
	return there;
}

static const char *wrong_action(struct table *table, const struct tui_command_info *info,
				struct loom_str pair, size_t *compared)
{
	size_t colon = loom_str_find_char(pair, ':', 0);
	struct loom_str view = loom_str_sub(pair, 0, colon);
	const char *keys =
		loom_arena_cstr(table->grove.arena, loom_str_sub(pair, colon + 1, SIZE_MAX));
	char line[100];

	snprintf(line, sizeof line, ":%s<Enter>", info->name);
	for (size_t i = 0; i < LOOM_COUNT(ways); i++) {
		if (!loom_str_is(view, ways[i].view))
			continue;
		if (!try_keys(table, ways[i].keys, ways[i].view, keys, &table->texts[0]) ||
		    !try_keys(table, ways[i].keys, ways[i].view, line, &table->texts[1]))
			return NULL;
		*compared += 1;
		return differs(table, info->name, loom_str_sub(pair, colon + 1, SIZE_MAX));
	}
	return NULL; /* where letters write there is no colon */
}

TEST every_key_of_the_screen_does_what_its_name_does(void)
{
	struct table table;
	const char *wrong = NULL;
	size_t compared = 0;

	set_up(&table);
	for (int i = 1; i < TUI_COMMANDS && !wrong; i++) {
		const struct tui_command_info *info = tui_command_info((enum tui_command)i);
		struct loom_str rest = loom_str_of(info->keys);
		struct loom_str pair;

		while (!info->verb && !stands_apart(info->name) && !wrong && rest.n &&
		       loom_str_cut(&rest, ' ', &pair))
			wrong = wrong_action(&table, info, pair, &compared);
	}
	tear_down(&table);
	printf("%zu keys compared\n", compared);
	ASSERT_EQm(wrong, NULL, wrong);
	ASSERT(compared > 100);
	PASS();
}

SUITE(parity)
{
	RUN_TEST(every_key_of_a_verb_does_what_its_line_does);
	RUN_TEST(every_key_of_the_screen_does_what_its_name_does);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(parity);
	GREATEST_MAIN_END();
}
