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
	struct loom_import_paths paths;
	struct loom_import_sync *sync;
	int64_t op;
	bool dry;
};

/* ---- on the worker ---- */

static enum loom_status read_all(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct importing *im = ctx;

	(void)store;
	return loom_import_read(im->import, &im->paths, err);
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
	answer_lines(cli, "split", &report->split);
}

/* ---- what could be imported ---- */

struct listing {
	struct loom_cli *cli;
	const char *only; /* a format; NULL: all */
	bool silent;
	int64_t files;
	int64_t others;
	uint64_t bytes;
};

static void say_size(uint64_t bytes, struct loom_buf *out)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	double size = (double)bytes;
	size_t unit = 0;

	for (; size >= 1000 && unit + 1 < LOOM_COUNT(units); unit++)
		size /= 1000;
	loom_buf_addf(out, unit && size < 10 ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

static void list_file(void *ctx, const struct loom_import_listed *listed)
{
	struct listing *listing = ctx;
	struct loom_buf size = LOOM_BUF_INIT(100);

	if (!listed->format || (listing->only && strcmp(listed->format, listing->only) != 0)) {
		listing->others++;
		return;
	}
	listing->files++;
	listing->bytes += listed->size;
	if (!listing->silent) {
		say_size(listed->size, &size);
		loom_answer_line(listing->cli, "%-16s %8s  %.*s", listed->format,
				 loom_buf_cstr(&size), LOOM_STR_ARG(listed->file));
		loom_answer_map(listing->cli, NULL);
		loom_answer_text(listing->cli, "format", loom_str_of(listed->format));
		loom_answer_text(listing->cli, "file", listed->file);
		loom_answer_number(listing->cli, "bytes", (int64_t)listed->size);
		loom_answer_end(listing->cli);
	}
	loom_buf_fini(&size);
}

static enum loom_status list_paths(struct listing *listing, const struct loom_import_paths *paths,
				   struct loom_err *err)
{
	struct loom_import_opts opts = {.env = &listing->cli->env, .task = &listing->cli->task};
	struct loom_import *import = NULL;
	enum loom_status status = loom_import_create(&opts, &import, err);

	if (status == LOOM_OK)
		status = loom_import_list(import, paths, list_file, listing, err);
	loom_import_destroy(import);
	return status;
}

static enum loom_status list_given(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_import *args = args_of_import(cli);
	struct loom_arena *arena = loom_arena_create();
	struct listing listing = {.cli = cli, .only = args->format.p};
	const char **items = LOOM_ARENA_ARRAY(arena, args->file.n + 1, const char *);
	const struct loom_import_paths paths = {.items = items, .count = args->file.n};
	enum loom_status status;

	for (size_t i = 0; i < args->file.n; i++)
		items[i] = args->file.p[i].p;
	loom_answer_list(cli, "files");
	status = list_paths(&listing, &paths, err);
	loom_answer_end(cli);
	loom_answer_number(cli, "others", listing.others);
	if (status == LOOM_OK && !listing.files)
		loom_answer_note(cli, "there is nothing to import");
	else if (status == LOOM_OK && listing.others)
		loom_answer_note(cli, "and %lld that no format knows", (long long)listing.others);
	if (status == LOOM_OK)
		loom_answer_give(cli);
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status list_place(struct loom_cli *cli, const struct loom_import_place *place,
				   struct loom_err *err)
{
	const struct loom_import_paths paths = {.items = &place->path, .count = 1};
	struct listing listing = {.cli = cli, .only = place->format, .silent = true};
	struct loom_buf size = LOOM_BUF_INIT(100);
	enum loom_status status = list_paths(&listing, &paths, err);

	if (status == LOOM_OK && listing.files) {
		say_size(listing.bytes, &size);
		loom_answer_line(cli, "%-16s %lld %s, %s  %s", place->format,
				 (long long)listing.files,
				 loom_plural(listing.files, "file", "files"), loom_buf_cstr(&size),
				 place->path);
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "format", loom_str_of(place->format));
		loom_answer_text(cli, "place", loom_str_of(place->path));
		loom_answer_number(cli, "files", listing.files);
		loom_answer_number(cli, "bytes", (int64_t)listing.bytes);
		loom_answer_end(cli);
	}
	loom_buf_fini(&size);
	return status == LOOM_CANCELLED ? status : LOOM_OK;
}

static enum loom_status list_found(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_import_place place;
	enum loom_status status = LOOM_OK;
	size_t count = 0;

	loom_answer_list(cli, "places");
	for (; status == LOOM_OK && loom_import_place_at(&cli->env, count, arena, &place); count++)
		status = list_place(cli, &place, err);
	loom_answer_end(cli);
	if (status == LOOM_OK)
		loom_answer_note(cli, count ? "to bring one in, and what grows there: loom import "
					      "--sync PLACE"
					    : "no program that loom knows keeps files here");
	if (status == LOOM_OK)
		loom_answer_give(cli);
	loom_arena_destroy(arena);
	return status;
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
		.paths = {.count = args->file.n},
		.dry = args->dry_run,
	};
	struct loom_import_opts opts = {.env = &grove->cli->env,
					.format = args->format.p,
					.task = &grove->cli->task};
	const char **items = NULL;
	enum loom_status status = LOOM_OK;

	if (args->split.p && !loom_split_read(args->split, &opts.split)) {
		loom_fail(err, LOOM_USAGE, "\"%.*s\" is no way to split a text",
			  LOOM_STR_ARG(args->split));
		return loom_hint(err, LOOM_USAGE,
				 "--split heading|scene|paragraph|none|words:N, as in words:300");
	}
	status = loom_import_create(&opts, &im.import, err);
	if (status != LOOM_OK)
		return status;
	cli_grove_refused(grove, &im.refused);
	im.paths.refused = &im.refused;
	items = LOOM_ARENA_ARRAY(grove->arena, im.paths.count + 1, const char *);
	for (size_t i = 0; i < im.paths.count; i++)
		items[i] = args->file.p[i].p;
	im.paths.items = items;
	if (args->sync)
		status = loom_import_sync_open(grove->store, &im.sync, err);
	if (status == LOOM_OK && im.sync)
		status = loom_import_sync_paths(im.sync, &im.paths, err);
	if (status == LOOM_OK)
		status = work(&im, err);
	if (status == LOOM_OK && im.sync)
		status = loom_import_sync_save(im.sync, err);
	if (status == LOOM_OK)
		answer_report(grove->cli, loom_import_report(im.import), &im);
	loom_import_destroy(im.import);
	loom_import_sync_close(im.sync);
	return status;
}

enum loom_status cmd_import(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.make = true};
	const struct args_of_import *args = args_of_import(cli);

	if (args->found)
		return list_found(cli, err);
	if (!args->file.n && !args->sync) {
		loom_fail(err, LOOM_USAGE, "no file to import");
		return loom_hint(err, LOOM_USAGE,
				 "where known programs keep theirs: loom import --found");
	}
	return args->list ? list_given(cli, err) : cli_grove_run(cli, &need, run, err);
}
