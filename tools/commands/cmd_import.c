/* loom import: files of other looms and chats become trees. All files are read before anything is
 * written; what came of it is said tree by tree, and what did not come of it by kind and count. */
#include <loom/cli/services.h>

#include <loom/import/import.h>
#include <loom/files/path.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/keeping.def>

struct importing {
	struct tool_grove *grove;
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

/* ---- saying ---- */

static void say_report(struct tool_grove *grove, const struct loom_import_report *report, bool dry)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 24);
	struct loom_str rest;
	struct loom_str line;

	loom_import_head(report, dry, &text);
	for (rest = loom_buf_str(&text); rest.n && loom_str_line(&rest, &line);)
		tool_say_done(grove, "%.*s", LOOM_STR_ARG(line));
	loom_buf_clear(&text);
	loom_import_tell(report, &text);
	for (rest = loom_buf_str(&text); rest.n && loom_str_line(&rest, &line);)
		tool_say_line(grove, "%.*s", LOOM_STR_ARG(line));
	loom_buf_fini(&text);
}

static void lines_json(struct loom_json *json, const char *key,
		       const struct loom_import_lines *lines)
{
	loom_json_key(json, key);
	loom_json_array(json);
	for (size_t i = 0; i < lines->count; i++) {
		loom_json_object(json);
		loom_json_put(json, "what", lines->items[i].text);
		loom_json_put_int(json, "count", lines->items[i].count);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void tree_json(struct tool_grove *grove, struct loom_json *json,
		      const struct loom_import_made *made)
{
	struct loom_tree tree;

	loom_json_object(json);
	loom_json_put(json, "file", made->file);
	loom_json_put(json, "format", made->format);
	loom_json_put(json, "title", made->title);
	loom_json_key(json, "tree");
	if (made->tree && !loom_tree_get(grove->store, made->tree, grove->arena, &tree, NULL)) {
		char ulid[LOOM_ULID_CHARS + 1];

		loom_ulid_text(&tree.ulid, ulid);
		loom_json_text(json, loom_str_of(ulid));
	} else {
		loom_json_null(json);
	}
	loom_json_put_int(json, "nodes", made->nodes);
	loom_json_put_int(json, "added", made->added);
	loom_json_put_int(json, "known", made->known);
	loom_json_end_object(json);
}

static void say_json(struct tool_grove *grove, const struct loom_import_report *report,
		     const struct importing *im)
{
	struct loom_json *json = loom_out_json_begin(grove->cli->out);

	loom_json_object(json);
	loom_json_put_bool(json, "dry_run", im->dry);
	tool_json_id(json, "op", im->op);
	loom_json_put_int(json, "nodes", report->nodes);
	loom_json_put_int(json, "added", report->added);
	loom_json_put_int(json, "known", report->known);
	loom_json_put_int(json, "restored", report->restored);
	loom_json_put_int(json, "documents", report->documents);
	loom_json_key(json, "trees");
	loom_json_array(json);
	for (size_t i = 0; i < report->tree_count; i++)
		tree_json(grove, json, &report->trees[i]);
	loom_json_end_array(json);
	lines_json(json, "repaired", &report->repaired);
	lines_json(json, "not_understood", &report->unknown);
	lines_json(json, "not_kept", &report->lost);
	lines_json(json, "secrets", &report->secrets);
	lines_json(json, "unseen", &report->unseen);
	loom_json_put_int(json, "claims", report->claims);
	lines_json(json, "claimed", &report->claimed);
	loom_json_end_object(json);
	loom_out_json_end(grove->cli->out);
}

/* ---- the call ---- */

static enum loom_status work(struct importing *im, struct loom_err *err)
{
	const enum loom_access access = im->dry ? LOOM_READ : LOOM_WRITE;
	struct tool_work reading = {
		.what = "reading", .unit = "bytes", .access = access, .run = read_all, .ctx = im};
	struct tool_work writing = {.what = im->dry ? "looking" : "importing",
				    .unit = "nodes",
				    .access = access,
				    .run = write_all,
				    .ctx = im};
	enum loom_status status = tool_grove_work(im->grove, &reading, err);

	if (status == LOOM_OK)
		status = tool_grove_work(im->grove, &writing, err);
	return status;
}

static enum loom_status run(struct tool_grove *grove, struct loom_err *err)
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
	tool_grove_refused(grove, &im.refused);
	im.paths = LOOM_ARENA_ARRAY(grove->arena, im.files, const char *);
	for (size_t i = 0; i < im.files; i++)
		im.paths[i] = args->file.p[i].p;
	status = work(&im, err);
	if (status == LOOM_OK && grove->cli->json)
		say_json(grove, loom_import_report(im.import), &im);
	else if (status == LOOM_OK)
		say_report(grove, loom_import_report(im.import), im.dry);
	loom_import_destroy(im.import);
	return status;
}

enum loom_status tool_cmd_import(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.make = true};

	return tool_grove_run(cli, &need, run, err);
}
