/* loom import: files of other looms and chats become trees. All files are read before anything is
 * written; what came of it is said tree by tree, and what did not come of it by kind and count. */
#include "cli_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/path.h>

#include "grove_impl.h"
#include "import_frame.h"

enum { TREES_SHOWN = 20, PIECE = 1 << 16, WAIT_MS = 100 };

struct importing {
	struct tool_grove *grove;
	struct loom_import *import;
	struct loom_root refused;
	size_t files;
	struct tool_spill *spills; /* one a file: its bytes */
	int64_t op;
	bool dry;
};

/* ---- bytes ---- */

static enum loom_status file_fail(const char *path, int why, struct loom_err *err)
{
	const enum loom_status status = why == ENOENT ? LOOM_NOT_FOUND : LOOM_IO;

	return loom_fail(err, status, "%s: %s", path, strerror(why));
}

static bool is_refused(const struct importing *im, const struct stat *info)
{
	for (size_t i = 0; i < im->refused.refused_count; i++)
		if (im->refused.refused[i].device == (uint64_t)info->st_dev &&
		    im->refused.refused[i].inode == (uint64_t)info->st_ino)
			return true;
	return false;
}

/* Looked at before it is opened: closing a file of the store by hand would drop its locks. */
static enum loom_status open_file(const struct importing *im, const char *path, int *out_fd,
				  struct loom_err *err)
{
	const int look = open(path, O_PATH | O_CLOEXEC);
	struct stat info;
	char held[40];
	enum loom_status status = LOOM_OK;

	if (look < 0 || fstat(look, &info) < 0) {
		status = file_fail(path, errno, err);
	} else if (is_refused(im, &info)) {
		status = loom_fail(err, LOOM_REFUSED, "%s is a file of the grove's store", path);
	} else if (!S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
		status = loom_fail(err, LOOM_PATH, "%s is no file", path);
	} else {
		snprintf(held, sizeof held, "/proc/self/fd/%d", look);
		*out_fd = open(held, O_RDONLY | O_CLOEXEC);
		if (*out_fd < 0)
			status = file_fail(path, errno, err);
	}
	if (look >= 0)
		close(look);
	return status;
}

/* A pipe may be silent for long: whoever waits for it can be stopped. */
static enum loom_status wait_for(struct importing *im, int fd, struct loom_err *err)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	while (poll(&ready, 1, WAIT_MS) == 0)
		if (loom_task_cancelled(&im->grove->cli->task))
			break;
	return loom_task_cancelled(&im->grove->cli->task)
		       ? loom_fail(err, LOOM_CANCELLED, "stopped; nothing was written")
		       : LOOM_OK;
}

static enum loom_status fill(struct importing *im, int fd, const char *path,
			     struct tool_spill *spill, struct loom_err *err)
{
	char *piece = loom_alloc(PIECE);
	enum loom_status status = LOOM_OK;
	ssize_t n = 1;

	while (status == LOOM_OK && n != 0) {
		status = wait_for(im, fd, err);
		if (status != LOOM_OK)
			break;
		n = read(fd, piece, PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			status = file_fail(path, errno, err);
			break;
		}
		tool_spill_add(spill, piece, (size_t)n);
		status = tool_spill_settle(spill, err);
		if (status == LOOM_OK && tool_spill_end(spill) > LOOM_IMPORT_BYTES_MAX)
			status = loom_fail(err, LOOM_LIMIT, "%s: more than 2 GiB", path);
		loom_task_report(&im->grove->cli->task, tool_spill_end(spill), 0);
	}
	free(piece);
	return status == LOOM_OK ? tool_spill_seal(spill, err) : status;
}

static enum loom_status read_file(struct importing *im, size_t i, struct loom_err *err)
{
	const char *path = loom_args_at(im->grove->cli->args, "FILE", i);
	const bool in = strcmp(path, "-") == 0;
	int fd = STDIN_FILENO;
	enum loom_status status = in ? LOOM_OK : open_file(im, path, &fd, err);

	if (status == LOOM_OK)
		status = fill(im, fd, in ? "standard input" : path, &im->spills[i], err);
	if (!in && fd > STDIN_FILENO)
		close(fd);
	return status;
}

static struct loom_str bytes_of(const struct importing *im, size_t i)
{
	struct tool_spill *spill = &im->spills[i];

	return tool_spill_at(spill, 0, tool_spill_end(spill));
}

/* ---- on the worker ---- */

static enum loom_status add_files(struct importing *im, bool first, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < im->files && status == LOOM_OK; i++) {
		const char *path = loom_args_at(im->grove->cli->args, "FILE", i);
		struct loom_str bytes = bytes_of(im, i);

		if (loom_import_goes_first(bytes) == first)
			status = loom_import_add(im->import,
						 strcmp(path, "-") == 0 ? LOOM_STR("standard input")
									: loom_str_of(path),
						 bytes, err);
	}
	return status;
}

static enum loom_status read_all(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct importing *im = ctx;
	enum loom_status status = LOOM_OK;

	(void)store;
	for (size_t i = 0; i < im->files && status == LOOM_OK; i++)
		status = read_file(im, i, err);
	if (status == LOOM_OK)
		status = add_files(im, true, err);
	if (status == LOOM_OK)
		status = add_files(im, false, err);
	if (status == LOOM_OK)
		status = loom_import_settle(im->import, err);
	for (size_t i = 0; i < im->files; i++)
		tool_spill_fini(&im->spills[i]);
	return status;
}

static enum loom_status write_all(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct importing *im = ctx;
	struct loom_import_write how = {.actor = im->grove->actor.id, .dry = im->dry};

	return loom_import_write(im->import, store, &how, &im->op, err);
}

/* ---- saying ---- */

static void say_tree(struct tool_grove *grove, const struct loom_import_made *made)
{
	const char *kind =
		made->known ? (made->added ? " new, the others were there" : " new") : "";

	if (made->known)
		tool_say_line(grove, "  tree:\"%.*s\" · %.*s node%s, %.*s%s · %.*s",
			      LOOM_STR_ARG(made->title),
			      LOOM_STR_ARG(tool_count(grove, made->nodes)),
			      made->nodes == 1 ? "" : "s",
			      LOOM_STR_ARG(tool_count(grove, made->added)), kind,
			      LOOM_STR_ARG(made->format));
	else
		tool_say_line(grove, "  tree:\"%.*s\" · %.*s node%s · %.*s",
			      LOOM_STR_ARG(made->title),
			      LOOM_STR_ARG(tool_count(grove, made->nodes)),
			      made->nodes == 1 ? "" : "s", LOOM_STR_ARG(made->format));
}

static void say_lines(struct tool_grove *grove, const char *title,
		      const struct loom_import_lines *lines)
{
	if (!lines->count)
		return;
	tool_say_line(grove, "%s:", title);
	for (size_t i = 0; i < lines->count; i++)
		tool_say_line(grove, "  %.*s × %.*s",
			      LOOM_STR_ARG(tool_count(grove, lines->items[i].count)),
			      LOOM_STR_ARG(lines->items[i].text));
}

static void say_head(struct tool_grove *grove, const struct loom_import_report *report, bool dry)
{
	if (report->restored)
		tool_say_done(grove, "brought back what had been undone (%.*s operation%s)",
			      LOOM_STR_ARG(tool_count(grove, report->restored)),
			      report->restored == 1 ? "" : "s");
	if (!report->added && report->known)
		tool_say_done(grove, "nothing new: all %.*s nodes %s there",
			      LOOM_STR_ARG(tool_count(grove, report->known)),
			      report->restored ? "are" : "were");
	else
		tool_say_done(grove, "%s %.*s node%s in %zu tree%s",
			      dry ? "would import" : "imported",
			      LOOM_STR_ARG(tool_count(grove, report->added)),
			      report->added == 1 ? "" : "s", report->tree_count,
			      report->tree_count == 1 ? "" : "s");
}

static void say_report(struct tool_grove *grove, const struct loom_import_report *report, bool dry)
{
	say_head(grove, report, dry);
	for (size_t i = 0; i < report->tree_count && i < TREES_SHOWN; i++)
		say_tree(grove, &report->trees[i]);
	if (report->tree_count > TREES_SHOWN)
		tool_say_line(grove, "  and %.*s more trees",
			      LOOM_STR_ARG(tool_count(grove, (int64_t)(report->tree_count -
								       TREES_SHOWN))));
	if (report->documents)
		tool_say_line(grove, "  %.*s document%s",
			      LOOM_STR_ARG(tool_count(grove, report->documents)),
			      report->documents == 1 ? "" : "s");
	say_lines(grove, "repaired", &report->repaired);
	say_lines(grove, "not understood, kept beside the nodes", &report->unknown);
	say_lines(grove, "not kept", &report->lost);
	say_lines(grove, "secrets left out", &report->secrets);
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
	const struct loom_args *args = grove->cli->args;
	struct importing im = {
		.grove = grove,
		.files = loom_args_count(args, "FILE"),
		.dry = loom_args_has(args, "--dry-run"),
	};
	struct loom_import_opts opts = {.env = &grove->cli->env,
					.format = loom_args_get(args, "--format"),
					.task = &grove->cli->task};
	enum loom_status status = loom_import_create(&opts, &im.import, err);

	if (status != LOOM_OK)
		return status;
	tool_grove_refused(grove, &im.refused);
	im.spills = LOOM_ARENA_ARRAY(grove->arena, im.files, struct tool_spill);
	for (size_t i = 0; i < im.files; i++)
		tool_spill_init(&im.spills[i], loom_env_var(&grove->cli->env, "TMPDIR"));
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
	static const struct tool_need need = {.what = "import the file", .make = true};

	return tool_grove_run(cli, &need, run, err);
}
