/* `loom export`: writes trees as text. A file is written whole or not at all. Standard output gets
 * the text once it is complete, so that a truncated export never exits with success. */
#include <loom/cli/services.h>

#include <errno.h>
#include <unistd.h>

#include <loom/export/export.h>
#include <loom/files/path.h>
#include <loom/tree/say_node.h>
#include <loom/base/utf8.h>

#include <loom/cli/open_grove.h>
#include <loom/import/frame.h>

#include <loom/commands/args_of.def>
#include <loom/commands/keeping.def>

/* Above this size, written pages of the spill are released. */
#define RESIDENT_MAX ((size_t)64 << 20)

struct exporting {
	struct cli_grove *grove;
	const struct loom_export_format *format;
	struct loom_export what;
	struct loom_root refused;
	const char *path;          /* NULL: standard output */
	struct import_spill spill; /* collects the text for standard output */
	int fd;
	uint64_t bytes;
};

/* ---- takers ---- */

static enum loom_status to_file(void *ctx, struct loom_str text, struct loom_err *err)
{
	struct exporting *ex = ctx;

	ex->bytes += text.n;
	while (text.n) {
		ssize_t n = write(ex->fd, text.p, text.n);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return loom_fail_errno(err, errno, "%s", ex->path);
		text = loom_str_sub(text, (size_t)n, text.n);
	}
	return LOOM_OK;
}

static enum loom_status to_spill(void *ctx, struct loom_str text, struct loom_err *err)
{
	struct exporting *ex = ctx;

	import_spill_add(&ex->spill, text.p, text.n);
	return import_spill_settle(&ex->spill, err);
}

static enum loom_status fill(void *ctx, int fd, struct loom_err *err)
{
	struct exporting *ex = ctx;

	ex->fd = fd;
	return ex->format->run(&ex->what, err);
}

static enum loom_status run_format(struct exporting *ex, struct loom_err *err)
{
	const struct loom_write_opts opts = {.any_name = true, .fill = fill, .ctx = ex};

	ex->what.ctx = ex;
	if (ex->path) {
		ex->what.put = to_file;
		return loom_file_write_with(ex->path, LOOM_STR(""), &ex->refused, &opts, err);
	}
	ex->what.put = to_spill;
	return ex->format->run(&ex->what, err);
}

static enum loom_status on_worker(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct exporting *ex = ctx;
	enum loom_status status = loom_store_view(store, err);

	if (status != LOOM_OK)
		return status;
	ex->what.store = store;
	status = run_format(ex, err);
	loom_store_unview(store);
	return status == LOOM_OK && !ex->path ? import_spill_seal(&ex->spill, err) : status;
}

static void print_spill(struct exporting *ex)
{
	const uint64_t end = import_spill_end(&ex->spill);
	uint64_t at = 0;

	while (at < end && !loom_out_closed(ex->grove->cli->out)) {
		size_t n = end - at < 1 << 16 ? (size_t)(end - at) : 1 << 16;
		struct loom_str piece = import_spill_at(&ex->spill, at, n);

		if (at + n < end)
			piece = loom_utf8_clip(piece, piece.n - 4);
		loom_answer_bytes(ex->grove->cli, piece);
		at += piece.n;
	}
}

/* ---- what ---- */

static enum loom_status all_trees(struct exporting *ex, struct loom_err *err)
{
	struct cli_grove *grove = ex->grove;
	struct loom_tree *trees = NULL;
	int64_t *ids;
	size_t count = 0;
	enum loom_status status = loom_tree_list(grove->store, grove->arena, &trees, &count, err);

	ids = LOOM_ARENA_ARRAY(grove->arena, count, int64_t);
	/* In order of creation, so that the same grove gives the same text. */
	for (size_t i = 0; i < count; i++) {
		size_t k = i;

		for (; k > 0 && ids[k - 1] > trees[i].id; k--)
			ids[k] = ids[k - 1];
		ids[k] = trees[i].id;
	}
	ex->what.trees = ids;
	ex->what.tree_count = count;
	ex->what.grove = true;
	return status;
}

static enum loom_status choose(struct exporting *ex, struct loom_err *err)
{
	const struct args_of_export *args = args_of_export(ex->grove->cli);
	struct loom_str node = args->path;
	struct loom_str tree = args->tree;
	int64_t *one = LOOM_ARENA_ARRAY(ex->grove->arena, 1, int64_t);
	const bool path_only = ex->format->path_only || args->book;
	struct cli_spot spot;
	enum loom_status status;

	ex->what.book = args->book;
	ex->what.by = args->author;
	if (args->grove)
		return all_trees(ex, err);
	ex->what.trees = one;
	ex->what.tree_count = 1;
	if (node.p) {
		status = cli_grove_spot(ex->grove, node, LOOM_NODE_NARROW, &spot, err);
		ex->what.tip = status == LOOM_OK ? spot.node.id : 0;
	} else {
		status = cli_grove_tree(ex->grove, tree.n ? tree : (struct loom_str){NULL, 0},
					&spot.tree, err);
		if (status == LOOM_OK && path_only)
			status = cli_grove_stand(ex->grove, &spot.tree, LOOM_NODE_NARROW, &spot,
						 err);
		ex->what.tip = status == LOOM_OK && path_only ? spot.node.id : 0;
	}
	if (status == LOOM_OK) {
		one[0] = spot.tree.id;
		ex->what.thread = ex->what.tip ? spot.thread : 0;
	}
	return status;
}

/* --format, else by the file's extension, else json, or md for a book. */
static enum loom_status choose_format(struct exporting *ex, struct loom_err *err)
{
	const struct args_of_export *args = args_of_export(ex->grove->cli);
	struct loom_str name = args->format;
	const char *dot = ex->path ? strrchr(ex->path, '.') : NULL;

	if (name.p)
		return loom_export_find(name, &ex->format, err);
	if (dot && !strchr(dot, '/') &&
	    loom_export_find(loom_str_of(dot + 1), &ex->format, NULL) == LOOM_OK)
		return LOOM_OK;
	return loom_export_find(args->book ? LOOM_STR("md") : LOOM_STR("json"), &ex->format, err);
}

/* A book is one text, in a format that can be one. */
static enum loom_status check_book(const struct exporting *ex, struct loom_err *err)
{
	const struct args_of_export *args = args_of_export(ex->grove->cli);

	if (args->book && args->grove) {
		loom_fail(err, LOOM_USAGE, "a book is a single path, not a grove");
		return loom_hint(err, LOOM_USAGE, "loom export --book --path NODE");
	}
	if (args->book && !ex->format->book) {
		loom_fail(err, LOOM_USAGE, "%s cannot be a book", ex->format->name);
		return loom_hint(err, LOOM_USAGE, "--format md, html or epub can");
	}
	if (args->author.p && !args->book && !ex->format->binary) {
		loom_fail(err, LOOM_USAGE, "loom export: --author is for books");
		return loom_hint(err, LOOM_USAGE, "loom export --book --author NAME");
	}
	if (ex->format->binary && !ex->path && loom_out_on_terminal(ex->grove->cli->out)) {
		loom_fail(err, LOOM_USAGE, "%s is no text for a terminal", ex->format->name);
		return loom_hint(err, LOOM_USAGE, "-o FILE writes it to a file");
	}
	return LOOM_OK;
}

static enum loom_status check(const struct exporting *ex, struct loom_err *err)
{
	if (ex->format->one_tree && ex->what.tree_count > 1) {
		loom_fail(err, LOOM_USAGE, "%s holds a single tree, not a grove", ex->format->name);
		return loom_hint(err, LOOM_USAGE, "loom export --format %s --tree TREE",
				 ex->format->name);
	}
	return check_book(ex, err);
}

/* Reports the losses by kind and count. */
static void say_lost(const struct exporting *ex)
{
	const int64_t *lost = ex->what.told->lost;
	struct loom_cli *cli = ex->grove->cli;
	struct loom_buf list = LOOM_BUF_INIT(1 << 12);

	loom_answer_list(cli, "not_kept");
	for (enum loom_beside kind = 0; kind < LOOM_BESIDE_COUNT; kind++) {
		if (!lost[kind])
			continue;
		loom_buf_adds(&list, list.n ? ", " : "");
		loom_show_many(lost[kind], loom_beside_one(kind), loom_beside_several(kind), &list);
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "what", loom_str_of(loom_beside_several(kind)));
		loom_answer_number(cli, "count", lost[kind]);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
	if (list.n)
		loom_out_note(cli->out, "not in %s: %s", ex->format->name, loom_buf_cstr(&list));
	loom_buf_fini(&list);
}

/* Reports what was judged and makes no pair. */
static void say_left_out(const struct exporting *ex)
{
	static const struct {
		const char *one;
		const char *several;
		const char *why;
	} kinds[] = {
#define X(id, one, several, why) {one, several, why},
		LOOM_EXPORT_LEFT_LIST(X)
#undef X
	};
	struct loom_cli *cli = ex->grove->cli;
	struct loom_buf line = LOOM_BUF_INIT(256);

	loom_answer_list(cli, "left_out");
	for (size_t i = 0; i < LOOM_COUNT(kinds); i++) {
		const int64_t count = ex->what.told->left_out[i];

		if (!count)
			continue;
		loom_buf_clear(&line);
		loom_show_many(count, kinds[i].one, kinds[i].several, &line);
		loom_out_note(cli->out, "left out: %s: %s", loom_buf_cstr(&line), kinds[i].why);
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "why", loom_str_of(kinds[i].why));
		loom_answer_number(cli, "count", count);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
	if (!ex->what.told->pairs && loom_str_is(loom_str_of(ex->format->name), "pairs"))
		loom_out_note(cli->out, "a pair is two siblings that were judged: `loom do prune "
					"siblings-of:ID` keeps one, `loom tag ID rated:good` and "
					"rated:bad rate them");
	loom_buf_fini(&line);
}

static void say(const struct exporting *ex)
{
	struct loom_cli *cli = ex->grove->cli;

	loom_answer_done(cli, "wrote %s (%s, %s)", ex->path, ex->format->name,
			 loom_answer_many(cli, (int64_t)ex->bytes, "byte", "bytes"));
	loom_answer_text(cli, "file", loom_str_of(ex->path));
	loom_answer_text(cli, "format", loom_str_of(ex->format->name));
	loom_answer_number(cli, "trees", (int64_t)ex->what.tree_count);
	loom_answer_number(cli, "bytes", (int64_t)ex->bytes);
}

static enum loom_status run(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_export_told told = {.lines = 0};
	const char *dir = loom_env_var(&grove->cli->env, "TMPDIR");
	struct loom_pages *pages = loom_pages_create(dir, RESIDENT_MAX);
	struct exporting ex = {.grove = grove,
			       .path = args_of_export(grove->cli)->output.p,
			       .what = {.task = &grove->cli->task,
					.reader = grove->actor.id,
					.told = &told}};
	struct cli_work work = {.what = "exporting",
				.unit = "nodes",
				.access = LOOM_READ,
				.run = on_worker,
				.ctx = &ex};
	enum loom_status status;

	if (ex.path && strcmp(ex.path, "-") == 0)
		ex.path = NULL;
	import_spill_init(&ex.spill, dir, pages);
	cli_grove_refused(grove, &ex.refused);
	loom_pages_work(pages);
	status = choose_format(&ex, err);
	if (status == LOOM_OK)
		status = choose(&ex, err);
	if (status == LOOM_OK)
		status = check(&ex, err);
	if (status == LOOM_OK)
		status = cli_grove_work(grove, &work, err);
	if (status == LOOM_OK && ex.path)
		say(&ex);
	else if (status == LOOM_OK)
		print_spill(&ex);
	if (status == LOOM_OK) {
		say_lost(&ex);
		say_left_out(&ex);
	}
	loom_pages_rest(pages);
	if (status == LOOM_OK && told.unanswered)
		loom_out_note(grove->cli->out,
			      "%lld of %lld conversations have no message from a model: trainers "
			      "reject such lines",
			      (long long)told.unanswered, (long long)told.lines);
	if (status == LOOM_OK && told.damaged)
		loom_out_note(grove->cli->out,
			      "%lld of these texts %s damaged; `loom check --deep` names them",
			      (long long)told.damaged, told.damaged == 1 ? "is" : "are");
	if (status == LOOM_OK && told.unsealed.status)
		loom_out_note(grove->cli->out,
			      "not signed, so a later import will treat it as claims: %s",
			      told.unsealed.text);
	import_spill_fini(&ex.spill);
	loom_pages_destroy(pages);
	return status;
}

enum loom_status cmd_export(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run, err);
}
