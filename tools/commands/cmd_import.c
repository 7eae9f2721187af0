/* `loom import`: turns files of other looms and chat programs into trees. Reads all files before it
 * writes anything, then reports each tree, and each kind of problem with its count. */
#include <loom/cli/services.h>

#include <loom/import/import.h>
#include <loom/files/path.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/keeping.def>

struct importing {
	struct cli_grove *grove;
	struct loom_import *import;
	struct loom_root refused;
	const char **paths;
	size_t files;
	int64_t op;
	bool dry;
};

/* ---- on the worker ---- */

static enum loom_status read_all(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct importing *im = ctx;
	const struct loom_import_paths paths = {.items = im->paths,
						.count = im->files,
						.refused = &im->refused};

	(void)store;
	return loom_import_read(im->import, &paths, err);
}

static enum loom_status write_all(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct importing *im = ctx;
	struct loom_import_write how = {.actor = im->grove->actor.id, .dry = im->dry};

	return loom_import_write(im->import, store, &how, &im->op, err);
}

/* ---- printing ---- */

static void say_report(struct loom_cli *cli, const struct loom_import_report *report, bool dry)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 24);
	struct loom_str rest;
	struct loom_str line;

	loom_import_head(report, dry, &text);
	for (rest = loom_buf_str(&text); rest.n && loom_str_line(&rest, &line);)
		loom_answer_done(cli, "%.*s", LOOM_STR_ARG(line));
	loom_buf_clear(&text);
	loom_import_tell(report, &text);
	for (rest = loom_buf_str(&text); rest.n && loom_str_line(&rest, &line);)
		loom_answer_line(cli, "%.*s", LOOM_STR_ARG(line));
	loom_buf_fini(&text);
}

static void answer_lines(struct loom_cli *cli, const char *key,
			 const struct loom_import_lines *lines)
{
	loom_answer_list(cli, key);
	for (size_t i = 0; i < lines->count; i++) {
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "what", lines->items[i].text);
		loom_answer_number(cli, "count", lines->items[i].count);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

static void answer_tree(struct loom_cli *cli, const struct loom_import_made *made)
{
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "file", made->file);
	loom_answer_text(cli, "format", made->format);
	loom_answer_text(cli, "title", made->title);
	if (made->tree)
		loom_answer_ulid(cli, "tree", &made->ulid);
	else
		loom_answer_null(cli, "tree");
	loom_answer_number(cli, "nodes", made->nodes);
	loom_answer_number(cli, "added", made->added);
	loom_answer_number(cli, "known", made->known);
	loom_answer_end(cli);
}

static void answer_report(struct loom_cli *cli, const struct loom_import_report *report,
			  const struct importing *im)
{
	say_report(cli, report, im->dry);
	loom_answer_flag(cli, "dry_run", im->dry);
	loom_answer_id(cli, "op", im->op);
	loom_answer_number(cli, "nodes", report->nodes);
	loom_answer_number(cli, "added", report->added);
	loom_answer_number(cli, "known", report->known);
	loom_answer_number(cli, "restored", report->restored);
	loom_answer_number(cli, "documents", report->documents);
	loom_answer_list(cli, "trees");
	for (size_t i = 0; i < report->tree_count; i++)
		answer_tree(cli, &report->trees[i]);
	loom_answer_end(cli);
	answer_lines(cli, "repaired", &report->repaired);
	answer_lines(cli, "not_understood", &report->unknown);
	answer_lines(cli, "not_kept", &report->lost);
	answer_lines(cli, "secrets", &report->secrets);
	answer_lines(cli, "unseen", &report->unseen);
	loom_answer_number(cli, "claims", report->claims);
	answer_lines(cli, "claimed", &report->claimed);
}

/* ---- the call ---- */

static enum loom_status work(struct importing *im, struct loom_err *err)
{
	const enum loom_access access = im->dry ? LOOM_READ : LOOM_WRITE;
	struct cli_work reading = {
		.what = "reading", .unit = "bytes", .access = access, .run = read_all, .ctx = im};
	struct cli_work writing = {.what = im->dry ? "looking" : "importing",
				   .unit = "nodes",
				   .access = access,
				   .run = write_all,
				   .ctx = im};
	enum loom_status status = cli_grove_work(im->grove, &reading, err);

	if (status == LOOM_OK)
		status = cli_grove_work(im->grove, &writing, err);
	return status;
}

static enum loom_status run(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_import *args = args_of_import(grove->cli);
	struct importing im = {
		.grove = grove,
		.files = args->file.n,
		.dry = args->dry_run,
	};
	struct loom_import_opts opts = {.env = &grove->cli->env,
					.format = args->format.p,
					.task = &grove->cli->task};
	enum loom_status status = loom_import_create(&opts, &im.import, err);

	if (status != LOOM_OK)
		return status;
	cli_grove_refused(grove, &im.refused);
	im.paths = LOOM_ARENA_ARRAY(grove->arena, im.files, const char *);
	for (size_t i = 0; i < im.files; i++)
		im.paths[i] = args->file.p[i].p;
	status = work(&im, err);
	if (status == LOOM_OK)
		answer_report(grove->cli, loom_import_report(im.import), &im);
	loom_import_destroy(im.import);
	return status;
}

enum loom_status cmd_import(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.make = true};

	return cli_grove_run(cli, &need, run, err);
}
