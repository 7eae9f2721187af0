/* Groves and trees: init, new, trees, tree set, use. */
#include <loom/cli/services.h>

#include <loom/work/thread.h>

#include <loom/cli/open_grove.h>
#include <loom/tree/open_store.h>

#include <loom/commands/args_of.def>
#include <loom/commands/grove.def>

#define TEXT_MAX ((size_t)64 << 20)

/* --- init --- */

/* What the new grove is called, read back as anybody else would. */
static enum loom_status say_made(struct loom_cli *cli, struct loom_str dir, struct loom_err *err)
{
	struct loom_store *store = NULL;
	struct loom_ulid ulid;
	struct loom_json *json = NULL;
	enum loom_status status = loom_store_open(&cli->env, dir, LOOM_READ, &store, err);

	if (status)
		return status;
	if (cli->json) {
		ulid = loom_store_ulid(store);
		json = loom_out_json_begin(cli->out);
		loom_json_object(json);
		tool_json_ulid(json, "grove", &ulid);
		loom_json_put(json, "dir", loom_store_dir(store));
		loom_json_end_object(json);
		loom_out_json_end(cli->out);
	} else {
		loom_out_styled(cli->out, LOOM_GOOD, LOOM_STR("✓"));
		loom_out_textf(cli->out, " made a grove in %.*s\n",
			       LOOM_STR_ARG(loom_store_dir(store)));
	}
	loom_store_close(store);
	return LOOM_OK;
}

enum loom_status tool_cmd_init(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_str dir = args_of_init(cli)->dir;
	enum loom_status status = LOOM_OK;

	if (!dir.p)
		dir = cli->grove ? loom_str_of(cli->grove) : LOOM_STR(".");
	if (!dir.n) {
		loom_fail(err, LOOM_USAGE, "loom init: DIR names nothing");
		return loom_hint(err, LOOM_USAGE, "loom init [DIR]");
	}
	status = tool_grove_trust(cli, dir, true, err);
	if (!status)
		status = loom_grove_init(&cli->env, dir, err);
	return status ? status : say_made(cli, dir, err);
}

/* --- new --- */

struct new_tree {
	struct loom_tree_spec spec;
	bool use; /* becomes the current tree */
	struct loom_arena *arena;
	struct loom_tree made;
	char root[LOOM_LOCAL_MAX];
};

static enum loom_status make_tree(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct new_tree *new = ctx;
	int64_t tree = 0;
	enum loom_status status = LOOM_OK;

	if (!new->spec.title.n)
		status =
			loom_tree_spare_title(store, "untitled", new->arena, &new->spec.title, err);
	if (!status)
		status = loom_tree_create(store, &new->spec, &tree, err);
	if (!status && new->use)
		status = loom_use_tree(store, tree, err);
	if (!status)
		status = loom_tree_get(store, tree, new->arena, &new->made, err);
	if (!status)
		loom_op_say(store, "new tree \"%.*s\"", LOOM_STR_ARG(new->made.title));
	return status;
}

static void say_new(struct tool_grove *grove, const struct new_tree *new)
{
	struct loom_out *out = grove->cli->out;
	char ulid[LOOM_ULID_CHARS + 1];
	struct loom_json *json = NULL;

	loom_ulid_text(&new->made.ulid, ulid);
	if (!grove->cli->json) {
		loom_out_line(out, loom_str_of(ulid));
		return;
	}
	json = loom_out_json_begin(out);
	loom_json_object(json);
	loom_json_put(json, "id", loom_str_of(ulid));
	loom_json_put(json, "title", new->made.title);
	loom_json_put(json, "root", LOOM_STR("r001"));
	loom_json_end_object(json);
	loom_out_json_end(out);
}

static enum loom_status run_new(struct tool_grove *grove, struct loom_err *err)
{
	const struct args_of_new *args = args_of_new(grove->cli);
	struct loom_str mode = args->mode;
	struct loom_buf root = LOOM_BUF_INIT(TEXT_MAX);
	struct new_tree new = {
		.spec = {.mode = loom_str_is(mode, "buffer") ? LOOM_BUFFER : LOOM_DIALOGUE,
			 .title = args->title,
			 .system = args->system,
			 .root_text = args->root,
			 .author = grove->actor.id},
		.use = tool_grove_person(grove),
		.arena = grove->arena,
	};
	struct tool_write write = {.kind = "new", .run = make_tree, .ctx = &new};
	enum loom_status status = LOOM_OK;

	if (loom_str_is(new.spec.root_text, "-")) {
		status = loom_cli_read(grove->cli, NULL, TEXT_MAX, &root, err);
		new.spec.root_text = loom_buf_str(&root);
	}
	if (!status)
		status = tool_grove_write(grove, &write, err);
	if (!status)
		say_new(grove, &new);
	loom_buf_fini(&root);
	return status;
}

enum loom_status tool_cmd_new(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.make = true};

	return tool_grove_run(cli, &need, run_new, err);
}

/* --- trees --- */

static void say_tree(struct tool_grove *grove, const struct loom_tree *tree, bool current)
{
	char ulid[LOOM_ULID_CHARS + 1];
	int64_t branches = loom_tree_branches(tree);

	loom_ulid_text(&tree->ulid, ulid);
	tool_say_line(grove, "%c %s \"%.*s\" %s · %.*s node%s · %.*s branch%s · %.*s",
		      current ? '*' : ' ', ulid, LOOM_STR_ARG(tree->title),
		      tree->mode == LOOM_BUFFER ? "buffer" : "dialogue",
		      LOOM_STR_ARG(tool_count(grove, tree->nodes)), tree->nodes == 1 ? "" : "s",
		      LOOM_STR_ARG(tool_count(grove, branches)), branches == 1 ? "" : "es",
		      LOOM_STR_ARG(tool_ago(grove, tree->active)));
}

static void tree_json(struct loom_json *json, const struct loom_tree *tree, bool current)
{
	loom_json_object(json);
	tool_json_ulid(json, "id", &tree->ulid);
	loom_json_put(json, "title", tree->title);
	loom_json_put(json, "mode",
		      tree->mode == LOOM_BUFFER ? LOOM_STR("buffer") : LOOM_STR("dialogue"));
	loom_json_put_bool(json, "current", current);
	loom_json_put_int(json, "nodes", tree->nodes);
	loom_json_put_int(json, "branches", loom_tree_branches(tree));
	loom_json_put_int(json, "leaves", tree->leaves);
	tool_json_time(json, "created", tree->created);
	tool_json_time(json, "active", tree->active);
	loom_json_put(json, "description", tree->description);
	loom_json_put(json, "summary", tree->summary);
	loom_json_put(json, "system", tree->system);
	loom_json_end_object(json);
}

static void trees_json(struct loom_out *out, const struct loom_tree *trees, size_t count,
		       int64_t current)
{
	struct loom_json *json = loom_out_json_begin(out);

	loom_json_object(json);
	loom_json_key(json, "trees");
	loom_json_array(json);
	for (size_t i = 0; i < count; i++)
		tree_json(json, &trees[i], trees[i].id == current);
	loom_json_end_array(json);
	loom_json_end_object(json);
	loom_out_json_end(out);
}

static enum loom_status run_trees(struct tool_grove *grove, struct loom_err *err)
{
	struct loom_tree *trees = NULL;
	struct loom_err none;
	size_t count = 0;
	int64_t current = 0;
	enum loom_status status = loom_tree_list(grove->store, grove->arena, &trees, &count, err);

	if (status)
		return status;
	if (count && loom_current_tree(grove->store, &current, &none))
		current = 0;
	if (grove->cli->json)
		trees_json(grove->cli->out, trees, count, current);
	for (size_t i = 0; i < count && !grove->cli->json; i++)
		say_tree(grove, &trees[i], trees[i].id == current);
	if (!count && !grove->cli->json)
		loom_out_note(grove->cli->out, "no trees yet; loom new makes one");
	return LOOM_OK;
}

enum loom_status tool_cmd_trees(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.view = true};

	return tool_grove_run(cli, &need, run_trees, err);
}

/* --- tree set --- */

struct tree_change {
	struct {
		struct loom_str value; /* p NULL: it stays */
		enum loom_tree_field field;
		const char *what;
	} fields[3];
	struct loom_str title;
	struct loom_arena *arena;
	struct loom_tree tree; /* as it was, then as it is */
};

/* The operation's line: the new name, or what else is new. */
static void say_change(struct loom_store *store, const struct tree_change *change)
{
	struct loom_str title = change->title;
	struct loom_buf what = LOOM_BUF_INIT(256);

	for (size_t i = 0; i < LOOM_COUNT(change->fields); i++)
		if (change->fields[i].value.p)
			loom_buf_addf(&what, "%s%s", what.n ? ", " : "", change->fields[i].what);
	if (title.n && !loom_str_eq(title, change->tree.title))
		loom_op_say(store, "tree \"%.*s\" is called \"%.*s\"",
			    LOOM_STR_ARG(change->tree.title), LOOM_STR_ARG(title));
	else
		loom_op_say(store, "%s of tree \"%.*s\"", loom_buf_cstr(&what),
			    LOOM_STR_ARG(change->tree.title));
	loom_buf_fini(&what);
}

static enum loom_status change_tree(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct tree_change *change = ctx;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < LOOM_COUNT(change->fields) && !status; i++)
		if (change->fields[i].value.p)
			status = loom_tree_set(store, change->tree.id, change->fields[i].field,
					       change->fields[i].value, err);
	if (status)
		return status;
	say_change(store, change);
	return loom_tree_get(store, change->tree.id, change->arena, &change->tree, err);
}

static enum loom_status check_change(const struct tree_change *change, struct loom_err *err)
{
	bool any = false;

	for (size_t i = 0; i < LOOM_COUNT(change->fields); i++)
		any = any || change->fields[i].value.p;
	if (!any) {
		loom_fail(err, LOOM_USAGE, "nothing to change");
		return loom_hint(err, LOOM_USAGE, "loom tree set --title \"The other house\"");
	}
	if (!change->title.p || loom_str_trim(change->title).n)
		return LOOM_OK;
	loom_fail(err, LOOM_INVALID, "a tree needs a title");
	return loom_hint(err, LOOM_INVALID, "loom tree set --title \"The other house\"");
}

static enum loom_status run_tree_set(struct tool_grove *grove, struct loom_err *err)
{
	const struct args_of_tree_set *args = args_of_tree_set(grove->cli);
	struct tree_change change = {
		.fields = {{args->title, LOOM_TREE_TITLE, "title"},
			   {args->description, LOOM_TREE_DESCRIPTION, "description"},
			   {args->system, LOOM_TREE_SYSTEM, "system prompt"}},
		.title = args->title,
		.arena = grove->arena,
	};
	struct tool_write write = {.kind = "tree", .run = change_tree, .ctx = &change};
	struct loom_json *json = NULL;
	int64_t current = 0;
	enum loom_status status = check_change(&change, err);

	if (!status)
		status = tool_grove_tree(grove, args->tree, &change.tree, err);
	write.tree = change.tree.id;
	if (!status)
		status = tool_grove_write(grove, &write, err);
	if (status)
		return status;
	tool_say_done(grove, "tree \"%.*s\" %s", LOOM_STR_ARG(change.tree.title),
		      write.op ? "changed" : "unchanged");
	if (!grove->cli->json)
		return LOOM_OK;
	if (loom_current_tree(grove->store, &current, NULL))
		current = 0;
	json = loom_out_json_begin(grove->cli->out);
	tree_json(json, &change.tree, change.tree.id == current);
	loom_out_json_end(grove->cli->out);
	return LOOM_OK;
}

enum loom_status tool_cmd_tree_set(struct loom_cli *cli, struct loom_err *err)
{
	return tool_grove_run(cli, NULL, run_tree_set, err);
}

/* --- use --- */

static enum loom_status use_tree(struct loom_store *store, void *ctx, struct loom_err *err)
{
	return loom_use_tree(store, *(const int64_t *)ctx, err);
}

static enum loom_status run_use(struct tool_grove *grove, struct loom_err *err)
{
	struct loom_tree tree;
	struct tool_write write = {.run = use_tree, .ctx = &tree.id};
	struct loom_json *json = NULL;
	enum loom_status status = tool_grove_tree(grove, args_of_use(grove->cli)->tree, &tree, err);

	if (!status)
		status = tool_grove_write(grove, &write, err);
	if (status)
		return status;
	tool_say_done(grove, "the current tree is \"%.*s\"", LOOM_STR_ARG(tree.title));
	if (!grove->cli->json)
		return LOOM_OK;
	json = loom_out_json_begin(grove->cli->out);
	tree_json(json, &tree, true);
	loom_out_json_end(grove->cli->out);
	return LOOM_OK;
}

enum loom_status tool_cmd_use(struct loom_cli *cli, struct loom_err *err)
{
	return tool_grove_run(cli, NULL, run_use, err);
}
