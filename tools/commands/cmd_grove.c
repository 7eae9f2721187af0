/* Groves and trees: init, share, new, trees, tree set, use. */
#include <loom/cli/services.h>

#include <loom/work/thread.h>

#include <loom/cli/open_grove.h>
#include <loom/cli/share_grove.h>
#include <loom/grove/sharing.h>
#include <loom/grove/trust.h>
#include <loom/remote/remote.h>
#include <loom/tree/open_store.h>

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <loom/commands/args_of.def>
#include <loom/commands/grove.def>

#define TEXT_MAX ((size_t)64 << 20)

/* --- init --- */

/* Prints the new grove's path, resolved as any other program would. */
static enum loom_status say_made(struct loom_cli *cli, struct loom_str dir, struct loom_err *err)
{
	struct loom_store *store = NULL;
	struct loom_ulid ulid;
	enum loom_status status = loom_store_open(&cli->env, dir, LOOM_READ, &store, err);

	if (status)
		return status;
	ulid = loom_store_ulid(store);
	loom_answer_ulid(cli, "grove", &ulid);
	loom_answer_text(cli, "dir", loom_store_dir(store));
	loom_answer_done(cli, "created a grove in %.*s", LOOM_STR_ARG(loom_store_dir(store)));
	loom_store_close(store);
	return LOOM_OK;
}

/* A directory that is created for the grove belongs to the group too. */
static bool is_missing(struct loom_cli *cli, struct loom_str dir)
{
	struct stat info;

	return stat(loom_arena_cstr(cli->arena, dir), &info) != 0 && errno == ENOENT;
}

static enum loom_status share_made(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	return cli_grove_share(grove, *(const int64_t *)ctx, err);
}

/* Creates the grove first and shares it when it is complete. */
static enum loom_status make_shared(struct loom_cli *cli, struct loom_str dir, struct loom_err *err)
{
	const struct loom_str name = args_of_init(cli)->shared;
	const bool missing = is_missing(cli, dir);
	const char *meant = cli->grove;
	int64_t group = LOOM_PRIVATE;
	enum loom_status status = loom_share_group(name, dir, &group, err);

	if (!status)
		status = loom_grove_init(&cli->env, dir, err);
	if (!status && missing)
		status = loom_share_folder(dir, group, err);
	if (!status && missing) /* others can write to it now */
		status = loom_trust_give(&cli->env, dir, LOOM_TRUST_GROVE, err);
	if (!status)
		status = say_made(cli, dir, err);
	cli->grove = loom_arena_cstr(cli->arena, dir);
	if (!status)
		status = cli_grove_with(cli, NULL, share_made, &group, err);
	cli->grove = meant;
	return status;
}

/* Creates the grove first and puts it into the log when it is complete. */
static enum loom_status make_in_log(struct loom_cli *cli, struct loom_str dir, struct loom_err *err)
{
	const struct loom_str url = args_of_init(cli)->store;
	struct model_log_facts facts;
	char real[PATH_MAX];
	enum loom_status status = LOOM_OK;

	if (is_missing(cli, dir))
		status = loom_remote_may_found(&cli->env, dir, url, err);
	else if (realpath(loom_arena_cstr(cli->arena, dir), real))
		status = loom_remote_may_found(&cli->env, loom_str_of(real), url, err);

	if (!status)
		status = loom_grove_init(&cli->env, dir, err);
	if (!status && !realpath(loom_arena_cstr(cli->arena, dir), real))
		status = loom_fail_errno(err, errno, "%.*s", LOOM_STR_ARG(dir));
	if (!status)
		status = loom_remote_add(&cli->env, loom_str_of(real), url, &facts, err);
	if (!status)
		status = say_made(cli, dir, err);
	return status ? status : cli_say_log(cli, loom_str_of(real), &facts, err);
}

enum loom_status cmd_init(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_str dir = args_of_init(cli)->dir;
	enum loom_status status = LOOM_OK;

	if (!dir.p)
		dir = cli->grove ? loom_str_of(cli->grove) : LOOM_STR(".");
	if (!dir.n) {
		loom_fail(err, LOOM_USAGE, "loom init: DIR is empty");
		return loom_hint(err, LOOM_USAGE, "loom init [DIR]");
	}
	if (args_of_init(cli)->shared.p && args_of_init(cli)->store.p) {
		loom_fail(err, LOOM_USAGE, "loom init: --shared and --store cannot be combined");
		return loom_hint(err, LOOM_USAGE, "`loom share GROUP` shares it afterwards");
	}
	status = cli_grove_trust(cli, dir, true, err);
	if (!status && args_of_init(cli)->store.p)
		return make_in_log(cli, dir, err);
	if (!status && args_of_init(cli)->shared.p)
		return make_shared(cli, dir, err);
	if (!status)
		status = loom_grove_init(&cli->env, dir, err);
	return status ? status : say_made(cli, dir, err);
}

/* --- share --- */

static enum loom_status run_share(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_share *args = args_of_share(grove->cli);
	int64_t group = LOOM_PRIVATE;
	enum loom_status status = LOOM_OK;

	if (!args->private)
		status = loom_share_group(args->group, loom_store_dir(grove->store), &group, err);
	return status ? status : cli_grove_share(grove, group, err);
}

enum loom_status cmd_share(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_share, err);
}

/* --- new --- */

struct new_tree {
	struct loom_tree_spec spec;
	bool use; /* make it the current tree */
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
		status = loom_tree_title_of(store, new->spec.root_text, new->arena,
					    &new->spec.title, err);
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

static void say_new(struct loom_cli *cli, const struct new_tree *new)
{
	char ulid[LOOM_ULID_CHARS + 1];

	loom_ulid_text(&new->made.ulid, ulid);
	loom_answer_line(cli, "%s", ulid);
	loom_answer_text(cli, "id", loom_str_of(ulid));
	loom_answer_text(cli, "title", new->made.title);
	loom_answer_text(cli, "root", LOOM_STR("r001"));
}

static enum loom_status run_new(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_new *args = args_of_new(grove->cli);
	struct loom_str mode = args->mode;
	struct loom_buf root = LOOM_BUF_INIT(TEXT_MAX);
	struct new_tree new = {
		.spec = {.mode = loom_str_is(mode, "buffer") ? LOOM_BUFFER : LOOM_DIALOGUE,
			 .title = args->bare_title.p ? args->bare_title : args->title,
			 .system = args->system,
			 .root_text = args->root,
			 .author = grove->actor.id},
		.use = cli_grove_person(grove),
		.arena = grove->arena,
	};
	struct cli_write write = {.kind = "new", .run = make_tree, .ctx = &new};
	enum loom_status status = LOOM_OK;

	if (loom_str_is(new.spec.root_text, "-")) {
		status = loom_cli_read(grove->cli, NULL, TEXT_MAX, &root, err);
		new.spec.root_text = loom_buf_str(&root);
	}
	if (!status)
		status = cli_grove_write(grove, &write, err);
	if (!status)
		say_new(grove->cli, &new);
	loom_buf_fini(&root);
	return status;
}

enum loom_status cmd_new(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.make = true};

	return cli_grove_run(cli, &need, run_new, err);
}

/* --- trees --- */

static const char *mode_name(const struct loom_tree *tree)
{
	return tree->mode == LOOM_BUFFER ? "buffer" : "dialogue";
}

static void answer_tree(struct loom_cli *cli, const struct loom_tree *tree, bool current)
{
	loom_answer_ulid(cli, "id", &tree->ulid);
	loom_answer_text(cli, "title", tree->title);
	loom_answer_text(cli, "mode", loom_str_of(mode_name(tree)));
	loom_answer_flag(cli, "current", current);
	loom_answer_number(cli, "nodes", tree->nodes);
	loom_answer_number(cli, "branches", loom_tree_branches(tree));
	loom_answer_number(cli, "leaves", tree->leaves);
	loom_answer_time(cli, "created", tree->created);
	loom_answer_time(cli, "active", tree->active);
	loom_answer_text(cli, "description", tree->description);
	loom_answer_text(cli, "summary", tree->summary);
	loom_answer_text(cli, "system", tree->system);
}

/* * 01JC… "The house" dialogue · 12 nodes · 3 branches · 2h ago */
static void say_tree(struct cli_grove *grove, const struct loom_tree *tree, bool current)
{
	struct loom_cli *cli = grove->cli;
	char ulid[LOOM_ULID_CHARS + 1];

	loom_ulid_text(&tree->ulid, ulid);
	loom_answer_line(cli, "%c %s \"%.*s\" %s · %s · %s · %.*s", current ? '*' : ' ', ulid,
			 LOOM_STR_ARG(tree->title), mode_name(tree),
			 loom_answer_many(cli, tree->nodes, "node", "nodes"),
			 loom_answer_many(cli, loom_tree_branches(tree), "branch", "branches"),
			 LOOM_STR_ARG(cli_ago(grove, tree->active)));
}

static enum loom_status run_trees(struct cli_grove *grove, struct loom_err *err)
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
	loom_answer_list(grove->cli, "trees");
	for (size_t i = 0; i < count; i++) {
		bool is_current = trees[i].id == current;

		loom_answer_map(grove->cli, NULL);
		answer_tree(grove->cli, &trees[i], is_current);
		say_tree(grove, &trees[i], is_current);
		loom_answer_end(grove->cli);
	}
	if (!count)
		loom_answer_note(grove->cli, "no trees yet; `loom new` creates one");
	return LOOM_OK;
}

enum loom_status cmd_trees(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_trees, err);
}

/* --- tree set --- */

struct tree_change {
	struct {
		struct loom_str value; /* p NULL: unchanged */
		enum loom_tree_field field;
		const char *what;
	} fields[3];
	struct loom_str title;
	struct loom_arena *arena;
	struct loom_tree tree; /* before the change, then after it */
};

/* Sets the operation's line: the new title, or else which field changed. */
static void say_change(struct loom_store *store, const struct tree_change *change)
{
	struct loom_str title = change->title;
	struct loom_buf what = LOOM_BUF_INIT(256);

	for (size_t i = 0; i < LOOM_COUNT(change->fields); i++)
		if (change->fields[i].value.p)
			loom_buf_addf(&what, "%s%s", what.n ? ", " : "", change->fields[i].what);
	if (title.n && !loom_str_eq(title, change->tree.title))
		loom_op_say(store, "renamed tree \"%.*s\" to \"%.*s\"",
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

static enum loom_status run_tree_set(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_tree_set *args = args_of_tree_set(grove->cli);
	struct tree_change change = {
		.fields = {{args->title, LOOM_TREE_TITLE, "title"},
			   {args->description, LOOM_TREE_DESCRIPTION, "description"},
			   {args->system, LOOM_TREE_SYSTEM, "system prompt"}},
		.title = args->title,
		.arena = grove->arena,
	};
	struct cli_write write = {.kind = "tree", .run = change_tree, .ctx = &change};
	int64_t current = 0;
	enum loom_status status = check_change(&change, err);

	if (!status)
		status = cli_grove_tree(grove, args->tree, &change.tree, err);
	write.tree = change.tree.id;
	if (!status)
		status = cli_grove_write(grove, &write, err);
	if (status)
		return status;
	loom_answer_done(grove->cli, "tree \"%.*s\" %s", LOOM_STR_ARG(change.tree.title),
			 write.op ? "changed" : "unchanged");
	if (loom_current_tree(grove->store, &current, NULL))
		current = 0;
	answer_tree(grove->cli, &change.tree, change.tree.id == current);
	return LOOM_OK;
}

enum loom_status cmd_tree_set(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_tree_set, err);
}

/* --- use --- */

static enum loom_status use_tree(struct loom_store *store, void *ctx, struct loom_err *err)
{
	return loom_use_tree(store, *(const int64_t *)ctx, err);
}

static enum loom_status run_use(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_tree tree;
	struct cli_write write = {.run = use_tree, .ctx = &tree.id};
	enum loom_status status = cli_grove_tree(grove, args_of_use(grove->cli)->tree, &tree, err);

	if (!status)
		status = cli_grove_write(grove, &write, err);
	if (status)
		return status;
	loom_answer_done(grove->cli, "the current tree is \"%.*s\"", LOOM_STR_ARG(tree.title));
	answer_tree(grove->cli, &tree, true);
	return LOOM_OK;
}

enum loom_status cmd_use(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_use, err);
}
