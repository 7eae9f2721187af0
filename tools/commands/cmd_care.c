/* Maintenance: verify, check, backup. They only read, on the worker, and can be stopped. */
#include <loom/engine/told.h>
#include <loom/cli/services.h>

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/leftovers.h>
#include <loom/remote/remote.h>
#include <loom/salvage/heal.h>
#include <loom/search/search.h>
#include <loom/tree/say_node.h>

#include <loom/cli/open_grove.h>
#include <loom/tree/open_store.h>

#include <loom/commands/args_of.def>
#include <loom/commands/keeping.def>

/* One line for each finding, in order. */
struct finding {
	struct loom_str node; /* its name; empty if it is not a node */
	struct loom_str tree; /* the tree's title */
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

static void answer_findings(struct loom_cli *cli, const char *key, const struct findings *findings)
{
	loom_answer_list(cli, key);
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (!finding->node.n) {
			loom_answer_text(cli, NULL, finding->text);
			loom_answer_line(cli, "%.*s", LOOM_STR_ARG(finding->text));
			continue;
		}
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "node", finding->node);
		loom_answer_text(cli, "tree", finding->tree);
		loom_answer_text(cli, "why", finding->text);
		loom_answer_line(cli, "[%.*s] in tree:\"%.*s\": %.*s", LOOM_STR_ARG(finding->node),
				 LOOM_STR_ARG(finding->tree), LOOM_STR_ARG(finding->text));
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

/* --- verify --- */

/* The number of nodes by authors that nothing confirms. */
struct claimed {
	int64_t author;
	int64_t count;
};

struct verifying {
	struct findings findings;
	struct claimed *claims;
	size_t claim_count;
	size_t claim_cap;
	int64_t node; /* 0: the whole grove */
};

static void on_bad(void *ctx, const struct loom_node *node, const char *why)
{
	struct verifying *verifying = ctx;
	struct findings *findings = &verifying->findings;
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

static void on_claim(void *ctx, int64_t author)
{
	struct verifying *verifying = ctx;
	size_t at = 0;

	while (at < verifying->claim_count && verifying->claims[at].author != author)
		at++;
	if (at == verifying->claim_count) {
		verifying->claims = loom_arena_grow(verifying->findings.arena, verifying->claims,
						    verifying->claim_count, &verifying->claim_cap,
						    sizeof *verifying->claims);
		verifying->claims[verifying->claim_count++] = (struct claimed){.author = author};
	}
	verifying->claims[at].count++;
}

static enum loom_status verify(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct verifying *verifying = ctx;
	struct loom_verify_opts opts = {
		.node = verifying->node,
		.path = verifying->node != 0,
		.bad = on_bad,
		.claim = on_claim,
		.ctx = verifying,
	};
	int64_t bad = 0;

	verifying->findings.store = store;
	return loom_node_verify(store, &opts, &verifying->findings.checked, &bad, err);
}

static void answer_claim(struct loom_cli *cli, int64_t nodes, const struct loom_agent *agent)
{
	struct loom_buf who = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json *json;

	loom_answer_map(cli, NULL);
	loom_answer_number(cli, "nodes", nodes);
	json = loom_answer_writer(cli, NULL);
	if (json)
		loom_show_put_claim(json, agent);
	loom_show_claim(agent, &who);
	loom_answer_line(cli, "not vouched for: %s %s (%s)",
			 loom_answer_many(cli, nodes, "node", "nodes"), loom_buf_cstr(&who),
			 loom_claim_why(agent->claim));
	loom_answer_end(cli);
	loom_buf_fini(&who);
}

static enum loom_status say_verified(struct cli_grove *grove, const struct verifying *verifying,
				     struct loom_err *err)
{
	const struct findings *findings = &verifying->findings;
	struct loom_cli *cli = grove->cli;
	enum loom_status status = LOOM_OK;

	cli->found = findings->count > 0;
	loom_answer_number(cli, "checked", findings->checked);
	answer_findings(cli, "bad", findings);
	if (!findings->count)
		loom_answer_done(cli, "%s as recorded",
				 loom_answer_many(cli, findings->checked, "node is", "nodes are"));
	loom_answer_list(cli, "claims");
	for (size_t i = 0; i < verifying->claim_count && !status; i++) {
		const struct loom_agent *agent = NULL;

		status = cli_grove_agent(grove, verifying->claims[i].author, &agent, err);
		if (!status)
			answer_claim(cli, verifying->claims[i].count, agent);
	}
	return status;
}

static enum loom_status run_verify(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_str name = args_of_verify(grove->cli)->node;
	struct verifying verifying = {.findings = {.arena = grove->arena}};
	struct cli_work work = {
		.what = "verifying",
		.unit = "nodes",
		.access = LOOM_READ,
		.run = verify,
		.ctx = &verifying,
	};
	struct cli_spot spot;
	enum loom_status status = LOOM_OK;

	if (name.p)
		status = cli_grove_node(grove, name, LOOM_NODE_NARROW, &spot, err);
	if (!status && name.p)
		verifying.node = spot.node.id;
	if (!status)
		status = cli_grove_work(grove, &work, err);
	return status ? status : say_verified(grove, &verifying, err);
}

enum loom_status cmd_verify(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_verify, err);
}

/* --- check --- */

static void on_finding(void *ctx, struct loom_str text)
{
	struct findings *findings = ctx;

	add_finding(findings, (struct finding){.text = loom_arena_str(findings->arena, text)});
}

struct checking {
	struct cli_grove *grove;
	struct findings findings;
	bool deep;
	bool rebuild;
};

/* Rebuilds the index from the grove. */
static enum loom_status rebuild(struct loom_store *store, struct cli_grove *grove,
				struct loom_err *err)
{
	struct loom_search *search = NULL;
	int64_t behind = 0;
	enum loom_status status = loom_search_open(store, &search, err);

	if (status == LOOM_OK)
		status = loom_search_rebuild(search, err);
	if (status == LOOM_OK)
		status = commands_search_feed(grove, search, &behind, err);
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

/* Compares the grove with its log. Without the log, the rest of the check stands. */
static enum loom_status ask_log(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct loom_log_opinion *opinion = ctx;

	return loom_log_compare(loom_store_env(store), loom_store_dir(store), opinion, err);
}

static enum loom_status check_log(struct checking *checking, struct loom_err *err)
{
	struct cli_grove *grove = checking->grove;
	struct loom_log_opinion opinion = {.finding = on_finding, .ctx = &checking->findings};
	struct cli_work work = {.what = "comparing with the log",
				.access = LOOM_READ,
				.run = ask_log,
				.ctx = &opinion};
	struct loom_remote_place place;
	enum loom_status status = loom_remote_where(grove->store, grove->arena, &place, err);

	if (status || !place.url.n || !checking->deep || grove->cli->offline)
		return status;
	status = cli_grove_work(grove, &work, err);
	if (status == LOOM_OFFLINE) {
		loom_out_note(grove->cli->out, "not compared with the shared log: %s",
			      err ? err->text : "");
		loom_err_clear(err);
		return LOOM_OK;
	}
	loom_answer_flag(grove->cli, "compared", opinion.compared);
	if (!status && opinion.compared)
		loom_answer_line(grove->cli, "compared with the shared log: %s",
				 loom_answer_many(grove->cli, opinion.entries, "entry", "entries"));
	return status;
}

/* Checks the files of `.leslie/`, whose copies are mended with --repair. */
static enum loom_status check_threads(struct checking *checking, struct loom_err *err)
{
	struct cli_grove *grove = checking->grove;
	const bool repair = args_of_check(grove->cli)->repair;
	struct loom_leslie_faults faults = {.items = NULL};
	struct loom_leslie *leslie = NULL;
	enum loom_status status =
		loom_told_leslie(grove->store, "system", grove->arena, &leslie, err);

	if (status == LOOM_OK)
		status = loom_leslie_check(leslie, repair, grove->arena, &faults, err);
	loom_leslie_close(leslie);
	for (size_t i = 0; status == LOOM_OK && i < faults.count; i++) {
		const struct loom_leslie_fault *fault = &faults.items[i];
		struct loom_str text =
			loom_arena_format(grove->arena, "%.*s: %.*s", LOOM_STR_ARG(fault->path),
					  LOOM_STR_ARG(fault->what));

		if (fault->mended)
			loom_answer_line(grove->cli, "mended: %.*s", LOOM_STR_ARG(text));
		else
			add_finding(&checking->findings, (struct finding){.text = text});
	}
	return status;
}

/* Not damage: something that a killed program left unfinished. */
static void on_leftover(void *ctx, struct loom_str path)
{
	struct findings *left = ctx;

	add_finding(left, (struct finding){.text = loom_arena_str(left->arena, path)});
}

static void say_check(struct cli_grove *grove, const struct checking *checking)
{
	struct loom_cli *cli = grove->cli;
	struct findings left = {.arena = grove->arena};

	loom_leftover_list(grove->store, on_leftover, &left);
	answer_findings(cli, "findings", &checking->findings);
	if (!checking->findings.count)
		loom_answer_done(cli,
				 checking->rebuild ? "no problems; index rebuilt" : "no problems");
	loom_answer_list(cli, "leftovers");
	for (size_t i = 0; i < left.count; i++) {
		loom_answer_text(cli, NULL, left.items[i].text);
		loom_answer_line(cli,
				 "left over from a killed program: %.*s (the next program to "
				 "create something there removes it)",
				 LOOM_STR_ARG(left.items[i].text));
	}
}

static enum loom_status run_check(struct cli_grove *grove, struct loom_err *err)
{
	struct checking checking = {
		.grove = grove,
		.findings = {.arena = grove->arena},
		.deep = args_of_check(grove->cli)->deep,
		.rebuild = args_of_check(grove->cli)->rebuild,
	};
	struct cli_work work = {.what = "checking",
				.access = LOOM_READ,
				.run = check,
				.ctx = &checking};
	enum loom_status status = cli_grove_work(grove, &work, err);

	if (!status)
		status = check_log(&checking, err);
	if (!status)
		status = check_threads(&checking, err);
	if (status)
		return status;
	grove->cli->found = checking.findings.count > 0;
	say_check(grove, &checking);
	return LOOM_OK;
}

enum loom_status cmd_check(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_check, err);
}

/* --- backup --- */

/* Makes the path absolute: SQLite would take a name that begins with "file:" as a URI. */
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

/* Adds the command that restores the backup, for the current directory. */
static void add_restore(struct cli_grove *grove, const char *file, struct loom_buf *out)
{
	char real[PATH_MAX];

	loom_buf_adds(out, "loom restore ");
	if (grove->cli->grove) {
		loom_buf_adds(out, "-g ");
		cli_add_word(out, loom_store_dir(grove->store));
		loom_buf_addc(out, ' ');
	}
	cli_add_word(out, loom_str_of(realpath(file, real) ? real : file));
}

static void say_backup(struct cli_grove *grove, const char *file)
{
	struct loom_cli *cli = grove->cli;
	struct loom_buf command = LOOM_BUF_INIT(1 << 16);
	struct stat info = {.st_size = 0};

	(void)stat(file, &info);
	add_restore(grove, file, &command);
	loom_answer_done(cli, "backed up to %s (%s); to restore it:", file,
			 loom_answer_many(cli, (int64_t)info.st_size, "byte", "bytes"));
	loom_answer_line(cli, "%s", loom_buf_cstr(&command));
	loom_answer_text(cli, "file", loom_str_of(file));
	loom_answer_number(cli, "bytes", (int64_t)info.st_size);
	loom_answer_text(cli, "restore", loom_buf_str(&command));
	loom_buf_fini(&command);
}

static enum loom_status run_backup(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_buf file = LOOM_BUF_INIT(PATH_MAX - 64);
	struct cli_work work = {
		.what = "copying",
		.unit = "pages",
		.access = LOOM_READ,
		.run = backup,
		.ctx = &file,
	};
	const char *name = args_of_backup(grove->cli)->file.p;
	enum loom_status status = absolute(name, &file, err);

	if (!status && strcmp(name, "-") == 0)
		status = loom_fail(err, LOOM_USAGE,
				   "loom backup: needs a file, not standard output");
	if (!status)
		status = cli_grove_work(grove, &work, err);
	if (!status)
		say_backup(grove, loom_buf_cstr(&file));
	loom_buf_fini(&file);
	return status;
}

enum loom_status cmd_backup(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_backup, err);
}
