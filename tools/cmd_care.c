/* Care: verify, check, backup. Reads only, on the worker; each can be stopped. */
#include "cli_impl.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/search.h>

#include "grove_impl.h"

/* What was found, one line each, in the order in which it was found. */
struct finding {
	struct loom_str node; /* its name, empty when it is no node */
	struct loom_str tree; /* its title */
	struct loom_str text;
};
struct findings {
	struct loom_arena *arena;
	struct loom_store *store; /* the worker's */
	struct finding *items;
	size_t count;
	size_t cap;
	int64_t checked;
};

static void add_finding(struct findings *findings, struct finding finding)
{
	findings->items = loom_arena_grow(findings->arena, findings->items, findings->count,
					  &findings->cap, sizeof *findings->items);
	findings->items[findings->count++] = finding;
}

static void findings_json(struct loom_json *json, const struct findings *findings)
{
	loom_json_array(json);
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (!finding->node.n) {
			loom_json_text(json, finding->text);
			continue;
		}
		loom_json_object(json);
		loom_json_put(json, "node", finding->node);
		loom_json_put(json, "tree", finding->tree);
		loom_json_put(json, "why", finding->text);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void say_findings(struct tool_grove *grove, const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (finding->node.n)
			tool_say_line(grove, "[%.*s] in tree:\"%.*s\": %.*s",
				      LOOM_STR_ARG(finding->node), LOOM_STR_ARG(finding->tree),
				      LOOM_STR_ARG(finding->text));
		else
			tool_say_line(grove, "%.*s", LOOM_STR_ARG(finding->text));
	}
}

/* --- verify --- */

static void on_bad(void *ctx, const struct loom_node *node, const char *why)
{
	struct findings *findings = ctx;
	char name[LOOM_LOCAL_MAX] = "?";
	struct loom_tree tree = {.id = 0};

	if (loom_node_name(findings->store, node, name, NULL) ||
	    loom_tree_get(findings->store, node->tree, findings->arena, &tree, NULL))
		tree.title = LOOM_STR("?");
	add_finding(findings, (struct finding){
				      .node = loom_arena_str(findings->arena, loom_str_of(name)),
				      .tree = tree.title,
				      .text = loom_arena_str(findings->arena, loom_str_of(why)),
			      });
}

struct verifying {
	struct findings findings;
	int64_t node; /* 0: the grove */
};

static enum loom_status verify(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct verifying *verifying = ctx;
	struct loom_verify_opts opts = {
		.node = verifying->node,
		.path = verifying->node != 0,
		.bad = on_bad,
		.ctx = &verifying->findings,
	};
	int64_t bad = 0;

	verifying->findings.store = store;
	return loom_node_verify(store, &opts, &verifying->findings.checked, &bad, err);
}

static void say_verified(struct tool_grove *grove, const struct verifying *verifying)
{
	const struct findings *findings = &verifying->findings;
	struct loom_json *json = NULL;

	grove->cli->found = findings->count > 0;
	if (!grove->cli->json) {
		say_findings(grove, findings);
		if (!findings->count)
			tool_say_done(grove, "%.*s node%s as recorded",
				      LOOM_STR_ARG(tool_count(grove, findings->checked)),
				      findings->checked == 1 ? " is" : "s are");
		return;
	}
	json = loom_out_json_begin(grove->cli->out);
	loom_json_object(json);
	loom_json_put_int(json, "checked", findings->checked);
	loom_json_key(json, "bad");
	findings_json(json, findings);
	loom_json_end_object(json);
	loom_out_json_end(grove->cli->out);
}

static enum loom_status run_verify(struct tool_grove *grove, struct loom_err *err)
{
	struct loom_str name = loom_args_str(grove->cli->args, "NODE");
	struct verifying verifying = {.findings = {.arena = grove->arena}};
	struct tool_work work = {
		.what = "verifying",
		.unit = "nodes",
		.access = LOOM_READ,
		.run = verify,
		.ctx = &verifying,
	};
	struct tool_spot spot;
	enum loom_status status = LOOM_OK;

	if (name.p)
		status = tool_grove_node(grove, name, LOOM_NODE_NARROW, &spot, err);
	if (!status && name.p)
		verifying.node = spot.node.id;
	if (!status)
		status = tool_grove_work(grove, &work, err);
	if (!status)
		say_verified(grove, &verifying);
	return status;
}

enum loom_status tool_cmd_verify(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = LOOM_MAY_AWARE};

	return tool_grove_run(cli, &need, run_verify, err);
}

/* --- check --- */

static void on_finding(void *ctx, struct loom_str text)
{
	struct findings *findings = ctx;

	add_finding(findings, (struct finding){.text = loom_arena_str(findings->arena, text)});
}

struct checking {
	struct tool_grove *grove;
	struct findings findings;
	bool deep;
	bool rebuild;
};

/* The index is thrown away and made anew from the grove. */
static enum loom_status rebuild(struct loom_store *store, struct tool_grove *grove,
				struct loom_err *err)
{
	struct loom_search *search = NULL;
	int64_t behind = 0;
	enum loom_status status = loom_search_open(store, &search, err);

	if (status == LOOM_OK)
		status = loom_search_rebuild(search, err);
	if (status == LOOM_OK)
		status = tool_search_feed(grove, search, &behind, err);
	loom_search_close(search);
	return status;
}

static enum loom_status check(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct checking *checking = ctx;
	struct loom_check_opts opts = {.deep = checking->deep,
				       .finding = on_finding,
				       .ctx = &checking->findings};
	enum loom_status status = loom_store_check(store, &opts, &checking->findings.checked, err);

	if (status == LOOM_OK && checking->rebuild)
		status = rebuild(store, checking->grove, err);
	return status;
}

static enum loom_status run_check(struct tool_grove *grove, struct loom_err *err)
{
	struct checking checking = {
		.grove = grove,
		.findings = {.arena = grove->arena},
		.deep = loom_args_has(grove->cli->args, "--deep"),
		.rebuild = loom_args_has(grove->cli->args, "--rebuild"),
	};
	struct tool_work work = {.what = "checking",
				 .access = LOOM_READ,
				 .run = check,
				 .ctx = &checking};
	struct loom_json *json = NULL;
	enum loom_status status = tool_grove_work(grove, &work, err);

	if (status)
		return status;
	grove->cli->found = checking.findings.count > 0;
	if (!grove->cli->json) {
		say_findings(grove, &checking.findings);
		if (!checking.findings.count)
			tool_say_done(grove, checking.rebuild
						     ? "nothing found; the index is made anew"
						     : "nothing found");
		return LOOM_OK;
	}
	json = loom_out_json_begin(grove->cli->out);
	loom_json_object(json);
	loom_json_key(json, "findings");
	findings_json(json, &checking.findings);
	loom_json_end_object(json);
	loom_out_json_end(grove->cli->out);
	return LOOM_OK;
}

enum loom_status tool_cmd_check(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = LOOM_MAY_AWARE};

	return tool_grove_run(cli, &need, run_check, err);
}

/* --- backup --- */

/* An absolute path: a name that begins with "file:" would be an address to SQLite. */
static enum loom_status absolute(const char *file, struct loom_buf *out, struct loom_err *err)
{
	char dir[PATH_MAX];

	if (file[0] != '/' && !getcwd(dir, sizeof dir))
		return loom_fail(err, LOOM_PATH, "no current directory: %s", strerror(errno));
	if (file[0] != '/')
		loom_buf_addf(out, "%s/", dir);
	loom_buf_adds(out, file);
	return out->bad ? loom_fail(err, LOOM_PATH, "the path is too long") : LOOM_OK;
}

static enum loom_status backup(struct loom_store *store, void *ctx, struct loom_err *err)
{
	return loom_store_backup(store, loom_buf_str(ctx), err);
}

/* The line that puts it back, from where one stands. */
static void add_restore(struct tool_grove *grove, const char *file, struct loom_buf *out)
{
	char real[PATH_MAX];

	loom_buf_adds(out, "loom restore ");
	if (grove->cli->grove) {
		loom_buf_adds(out, "-g ");
		tool_add_word(out, loom_store_dir(grove->store));
		loom_buf_addc(out, ' ');
	}
	tool_add_word(out, loom_str_of(realpath(file, real) ? real : file));
}

static void say_backup(struct tool_grove *grove, const char *file)
{
	struct loom_buf command = LOOM_BUF_INIT(1 << 16);
	struct loom_json *json = NULL;
	struct stat info = {.st_size = 0};

	(void)stat(file, &info);
	add_restore(grove, file, &command);
	if (!grove->cli->json) {
		tool_say_done(grove, "backed up to %s (%.*s bytes); this line puts it back:", file,
			      LOOM_STR_ARG(tool_count(grove, (int64_t)info.st_size)));
		tool_say_line(grove, "%s", loom_buf_cstr(&command));
	} else {
		json = loom_out_json_begin(grove->cli->out);
		loom_json_object(json);
		loom_json_put(json, "file", loom_str_of(file));
		loom_json_put_int(json, "bytes", (int64_t)info.st_size);
		loom_json_put(json, "restore", loom_buf_str(&command));
		loom_json_end_object(json);
		loom_out_json_end(grove->cli->out);
	}
	loom_buf_fini(&command);
}

static enum loom_status run_backup(struct tool_grove *grove, struct loom_err *err)
{
	struct loom_buf file = LOOM_BUF_INIT(PATH_MAX - 64);
	struct tool_work work = {
		.what = "copying",
		.unit = "pages",
		.access = LOOM_READ,
		.run = backup,
		.ctx = &file,
	};
	const char *name = loom_args_get(grove->cli->args, "FILE");
	enum loom_status status = absolute(name, &file, err);

	if (!status && strcmp(name, "-") == 0)
		status = loom_fail(err, LOOM_USAGE,
				   "loom backup: a backup is a file, not standard output");
	if (!status)
		status = tool_grove_work(grove, &work, err);
	if (!status)
		say_backup(grove, loom_buf_cstr(&file));
	loom_buf_fini(&file);
	return status;
}

enum loom_status tool_cmd_backup(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = 0};

	return tool_grove_run(cli, &need, run_backup, err);
}
