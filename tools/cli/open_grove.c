/* Opens the grove of a call for reading, with its actor. The first write or long request starts a
 * worker. Knows no command by name. */
#include <loom/cli/open_grove.h>
#include <loom/remote/remote.h>

#include <loom/work/stream.h>
#include <loom/cli/trust_ask.h>
#include <loom/hooks/hooks.h>
#include <loom/grove/sharing.h>
#include <loom/tree/person.h>
#include <loom/tree/request.h>
#include <loom/tree/job.h>
#include <loom/tree/open_store.h>

#include <limits.h>
#include <sys/stat.h>

#define HOOKS_MS 30000 /* a command waits so long for its hooks */

/* --- finding --- */

static enum loom_status make_personal(struct loom_cli *cli, struct loom_str dir,
				      struct loom_err *err)
{
	enum loom_status status = loom_grove_init(&cli->env, dir, err);

	/* Another process was faster. */
	if (status == LOOM_CONFLICT)
		return LOOM_OK;
	if (status == LOOM_OK)
		loom_out_note(cli->out, "created your personal grove in %.*s", LOOM_STR_ARG(dir));
	return status;
}

enum loom_status cli_grove_trust(struct loom_cli *cli, struct loom_str dir, bool ask,
				 struct loom_err *err)
{
	const struct loom_trust_question question = {.env = &cli->env,
						     .dir = dir,
						     .about = LOOM_TRUST_GROVE,
						     .person = ask && !cli->agent};
	enum loom_status status = loom_trust_settle(&question, err);

	if (status != LOOM_NOT_FOUND)
		return status;
	loom_err_clear(err);
	return LOOM_OK;
}

/* Says how safe an entry is, and who else sees it. */
static void say_promises(struct loom_cli *cli, const struct model_log_facts *facts)
{
	loom_answer_flag(cli, "server", facts->server);
	if (!facts->server) {
		loom_answer_line(cli,
				 "  a synchronising program may put an older file in its place and "
				 "so take back what was acknowledged; `loom sync --wait` heals "
				 "that");
		return;
	}
	loom_answer_flag(cli, "kept_twice", facts->kept_twice);
	loom_answer_text(cli, "role", loom_str_of(facts->role));
	loom_answer_line(cli, facts->kept_twice
				      ? "  it loses nothing when the server dies: a second server "
					"has each entry before it is acknowledged"
				      : "  it may lose the last second when the server dies: no "
					"synchronous standby is behind it");
	loom_answer_line(cli, "  the server's administrator can read all texts");
}

enum loom_status cli_say_log(struct loom_cli *cli, struct loom_str dir,
			     const struct model_log_facts *facts, struct loom_err *err)
{
	struct loom_remote_place place;
	struct loom_store *store = NULL;
	enum loom_status status = loom_store_open(&cli->env, dir, LOOM_READ, &store, err);

	if (!status)
		status = loom_remote_where(store, cli->arena, &place, err);
	loom_store_close(store);
	if (status)
		return status;
	loom_answer_done(cli, "the grove stands in the log %.*s", LOOM_STR_ARG(place.url));
	loom_answer_text(cli, "url", place.url);
	say_promises(cli, facts);
	loom_answer_line(cli, "  " CLI_SAYS_GIT);
	loom_answer_line(cli, "  elsewhere: loom clone %.*s",
			 LOOM_STR_ARG(loom_remote_for_others(place.url, cli->arena)));
	return LOOM_OK;
}

/* Follows the shared log before anything is read. Without it, what this machine has is read. */
static enum loom_status follow(struct loom_cli *cli, struct loom_store *reader,
			       struct loom_err *err)
{
	struct loom_remote_place place;
	struct loom_store *store = NULL;
	struct loom_err away = {.status = LOOM_OK};
	enum loom_status status = loom_remote_where(reader, cli->arena, &place, err);

	if (status || !place.url.n || cli->offline || loom_remote_is_current(reader))
		return status;
	status = loom_store_open(&cli->env, loom_store_dir(reader), LOOM_WRITE, &store, &away);
	if (!status && !loom_store_read_only(store))
		status = loom_remote_follow(store, &away);
	loom_store_close(store);
	if (status)
		loom_out_note(cli->out, "this is what this machine has: %s", away.text);
	return LOOM_OK;
}

static enum loom_status open_reader(struct loom_cli *cli, struct loom_str dir, bool personal,
				    struct loom_store **out, struct loom_err *err)
{
	enum loom_status status = loom_store_open(&cli->env, dir, LOOM_READ, out, err);

	if (!status) {
		status = follow(cli, *out, err);
		if (status) {
			loom_store_close(*out);
			*out = NULL;
		}
		return status;
	}
	if (status != LOOM_NOT_FOUND)
		return status;
	if (!personal) {
		loom_fail(err, status, "there is no grove in %.*s", LOOM_STR_ARG(dir));
		return loom_hint(err, status, "loom init %.*s", LOOM_STR_ARG(dir));
	}
	loom_fail(err, status, "there is no grove here, and no personal grove");
	return loom_hint(err, status,
			 "`loom init` creates one here; `loom new` starts your personal one");
}

/* The grove of -g or LOOM_GROVE, else the nearest one above, else the personal one. */
static enum loom_status find(struct loom_cli *cli, struct loom_buf *dir, bool *personal,
			     struct loom_err *err)
{
	*personal = false;
	if (!cli->grove)
		return loom_grove_find(&cli->env, LOOM_STR(""), dir, personal, err);
	loom_buf_adds(dir, cli->grove);
	return LOOM_OK;
}

static enum loom_status open_store(struct loom_cli *cli, const struct cli_need *need,
				   struct loom_store **out, struct loom_err *err)
{
	struct loom_buf dir = LOOM_BUF_INIT(PATH_MAX);
	bool personal = false;
	enum loom_status status = find(cli, &dir, &personal, err);

	if (status == LOOM_OK)
		status = cli_grove_trust(cli, loom_buf_str(&dir), !need->unasked, err);
	if (status == LOOM_OK)
		status = open_reader(cli, loom_buf_str(&dir), personal, out, err);
	if (status == LOOM_NOT_FOUND && personal && need->make && !cli->agent) {
		status = make_personal(cli, loom_buf_str(&dir), err);
		if (status == LOOM_OK)
			status = open_reader(cli, loom_buf_str(&dir), personal, out, err);
	}
	loom_buf_fini(&dir);
	return status;
}

/* --- the actor --- */

bool cli_grove_person(const struct cli_grove *grove)
{
	return grove->actor.kind == LOOM_AGENT_HUMAN && loom_agent_acts(&grove->actor);
}

static enum loom_status come_in(struct loom_store *store, void *ctx, struct loom_err *err)
{
	(void)store;
	(void)ctx;
	(void)err;
	return LOOM_OK;
}

/* A LOOM_ME that is nobody, or somebody else, can do nothing, but look. */
static enum loom_status read_as_usual(struct cli_grove *grove, struct loom_err *err)
{
	loom_out_warn(grove->cli->out, "%s (LOOM_ME): you can only look", err->text);
	loom_err_clear(err);
	return loom_person_usual(grove->store, grove->arena, &grove->actor, err);
}

/* An account that is new here enters the grove with whatever it does. But looking into another
 * account's private grove, or one that cannot be written, leaves nothing there: it is shown as its
 * founder sees it. */
static enum loom_status find_actor(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_store *store = grove->store;
	const struct loom_str name = loom_str_of(cli->agent ? cli->agent : "");
	const bool looks = loom_command_need(cli->command, cli->args).deeds == LOOM_DEED_LOOKS;
	struct cli_work work = {.what = "opening", .access = LOOM_WRITE, .run = come_in};
	enum loom_status status = loom_person_or(store, name, grove->arena, &grove->actor, err);

	if ((status == LOOM_NOT_FOUND || status == LOOM_PERMISSION) && looks && !name.n)
		status = read_as_usual(grove, err);
	if (status || loom_me(store))
		return status;
	if (!looks || loom_store_group(store) != LOOM_PRIVATE) {
		status = cli_grove_work(grove, &work, err);
		if (!status)
			return loom_person_or(store, name, grove->arena, &grove->actor, err);
	}
	if (!looks)
		return status;
	return name.n ? LOOM_OK : loom_person_founder(store, grove->arena, &grove->actor, err);
}

enum loom_status cli_grove_who(struct cli_grove *grove, struct loom_gate_who *out,
			       struct loom_err *err)
{
	enum loom_status status =
		loom_gate_who(grove->store, &grove->actor, grove->ungranted, out, err);

	if (status == LOOM_OK && out->kind == LOOM_WHO_PERSON && !grove->cli->agent)
		out->kind = LOOM_WHO_ME;
	return status;
}

/* --- the worker --- */

/* Nobody would ever take up what still waits for a model; nor may it hold up this call. */
static void sweep(struct loom_store *store)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_swept *swept = NULL;
	size_t count = 0;

	(void)!loom_job_sweep(store, arena, &swept, &count, NULL);
	loom_arena_destroy(arena);
}

static enum loom_status open_writer(void *ctx, void **out_context, struct loom_err *err)
{
	struct cli_grove *grove = ctx;
	struct loom_store *store = NULL;
	int64_t partial = 0;
	enum loom_status status = loom_store_open(&grove->worker_env, loom_store_dir(grove->store),
						  grove->worker_access, &store, err);

	/* Recovers what a process that died was writing. This call must not have to wait for that,
	 * nor be stopped by it. */
	if (status == LOOM_OK && grove->worker_access == LOOM_WRITE && !loom_store_read_only(store))
		(void)!loom_stream_sweep(store, &partial, NULL);
	if (status == LOOM_OK) {
		loom_request_for(store, cli_request_asked(grove->cli));
		loom_summary_extracts(store, grove->worker_extracts);
		if (grove->worker_extracts && !loom_store_read_only(store))
			sweep(store);
	}
	*out_context = store;
	return status;
}

static void close_writer(void *context)
{
	loom_store_close(context);
}

static void start_worker(struct cli_grove *grove, enum loom_access access)
{
	struct loom_worker_opts opts = {
		.loop = loom_cli_loop(grove->cli),
		.open = open_writer,
		.close = close_writer,
		.ctx = grove,
	};

	if (grove->worker)
		return;
	grove->worker_env = grove->cli->env;
	grove->worker_access = access;
	grove->worker_extracts = access == LOOM_WRITE && !cli_small_there(grove);
	grove->worker = loom_worker_create(&opts);
}

struct loom_worker *cli_grove_worker(struct cli_grove *grove)
{
	start_worker(grove, LOOM_WRITE);
	return grove->worker;
}

static enum loom_status run_work(void *context, void *payload, struct loom_task *task,
				 struct loom_err *err)
{
	const struct cli_work *work = payload;
	struct loom_store *store = context;
	enum loom_status status = LOOM_OK;

	loom_store_heed(store, task);
	status = work->run(store, work->ctx, err);
	loom_store_heed(store, NULL);
	return status;
}

enum loom_status cli_grove_work(struct cli_grove *grove, const struct cli_work *work,
				struct loom_err *err)
{
	struct cli_work copy = *work;
	struct loom_cli_work job = {
		.what = work->what,
		.unit = work->unit,
		.run = run_work,
		.payload = &copy,
	};

	start_worker(grove, work->access);
	return loom_cli_work(grove->cli, grove->worker, &job, err);
}

struct writing {
	struct cli_grove *grove;
	struct cli_write *write;
};

static enum loom_status run_write(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct writing *writing = ctx;
	struct cli_write *write = writing->write;
	struct loom_op_spec spec = {
		.kind = write->kind,
		.inverse = write->inverse,
		.text = write->text,
		.actor = writing->grove->actor.id,
		.tree = write->tree,
	};
	enum loom_status status =
		write->kind ? loom_op_begin(store, &spec, err) : loom_quiet_begin(store, err);

	if (status)
		return status;
	return loom_op_end(store, write->run(store, write->ctx, err), &write->op, err);
}

enum loom_status cli_grove_write(struct cli_grove *grove, struct cli_write *write,
				 struct loom_err *err)
{
	struct writing writing = {.grove = grove, .write = write};
	struct cli_work work = {
		.what = "writing",
		.access = LOOM_WRITE,
		.run = run_write,
		.ctx = &writing,
	};

	return cli_grove_work(grove, &work, err);
}

/* --- files --- */

void cli_grove_refused(struct cli_grove *grove, struct loom_root *out)
{
	struct loom_file_id *ids =
		LOOM_ARENA_ARRAY(grove->arena, LOOM_STORE_FILES, struct loom_file_id);

	out->refused = ids;
	out->refused_count = loom_store_files(loom_store_dir(grove->store), ids);
}

enum loom_status cli_grove_read(struct cli_grove *grove, const char *path, size_t max,
				struct loom_buf *out, struct loom_err *err)
{
	struct loom_root store = LOOM_ROOT_INIT;
	struct stat info;

	cli_grove_refused(grove, &store);
	if (path && strcmp(path, "-") != 0 && stat(path, &info) == 0)
		for (size_t i = 0; i < store.refused_count; i++)
			if (store.refused[i].device == (uint64_t)info.st_dev &&
			    store.refused[i].inode == (uint64_t)info.st_ino)
				return loom_fail(err, LOOM_REFUSED,
						 "%s is a file of the grove itself", path);
	return loom_cli_read(grove->cli, path, max, out, err);
}

/* --- a call --- */

static enum loom_status run_in(struct cli_grove *grove, const struct cli_need *need,
			       cli_grove_ctx_fn *fn, void *ctx, struct loom_err *err)
{
	enum loom_status status = find_actor(grove, err);

	if (!status && need->view)
		status = loom_store_view(grove->store, err);
	if (status)
		return status;
	status = fn(grove, ctx, err);
	if (!status)
		loom_answer_give(grove->cli);
	if (need->view)
		loom_store_unview(grove->store);
	return status;
}

/* With --op, a request that was done before is answered and not run again, even if another process
 * finished it in the meantime. */
static enum loom_status run_once(struct cli_grove *grove, const struct cli_need *need,
				 cli_grove_ctx_fn *fn, void *ctx, struct loom_err *err)
{
	bool answered = false;
	enum loom_status status = cli_request_answer(grove, &answered, err);

	if (status || answered)
		return status;
	status = cli_request_begin(grove, need->files, err);
	if (status == LOOM_OK)
		status = run_in(grove, need, fn, ctx, err);
	return cli_request_end(grove, status, err);
}

static struct loom_loop *loop_of(void *ctx)
{
	return loom_cli_loop(ctx);
}

static void complain(void *ctx, const char *text)
{
	const struct loom_cli *cli = ctx;

	loom_out_warn(cli->out, "%s", text);
}

static enum loom_status run_opened(struct loom_cli *cli, const struct cli_need *need,
				   cli_grove_ctx_fn *fn, void *ctx, struct loom_err *err)
{
	const struct cli_need how = need ? *need : (struct cli_need){.make = false};
	struct cli_grove grove = {.cli = cli, .arena = cli->arena, .ctx = how.ctx};
	enum loom_status status = open_store(cli, &how, &grove.store, err);

	if (status)
		return status;
	/* A slow reader must not keep the view open, because the store's log would grow with every
	 * write; and an answer may still be replaced by an earlier one. */
	if (how.view || cli->request)
		loom_out_hold(cli->out);
	status = run_once(&grove, &how, fn, ctx, err);
	/* Print the answer first, because closing folds the log. Flushing reports what could not be
	 * printed. */
	loom_out_release(cli->out);
	(void)!loom_out_flush(cli->out, NULL);
	loom_worker_destroy(grove.worker);
	loom_store_close(grove.store);
	return status;
}

enum loom_status cli_grove_with(struct loom_cli *cli, const struct cli_need *need,
				cli_grove_ctx_fn *fn, void *ctx, struct loom_err *err)
{
	const struct loom_hooks_opts opts = {.env = &cli->env,
					     .loop = loop_of,
					     .complain = complain,
					     .ctx = cli};
	struct loom_hooks *hooks = loom_hooks_open(&opts);
	enum loom_status status = run_opened(cli, need, fn, ctx, err);

	loom_hooks_close(hooks, HOOKS_MS);
	return status;
}

struct plain {
	cli_grove_fn *fn;
};

static enum loom_status run_plain(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	const struct plain *plain = ctx;

	return plain->fn(grove, err);
}

enum loom_status cli_grove_run(struct loom_cli *cli, const struct cli_need *need, cli_grove_fn *fn,
			       struct loom_err *err)
{
	struct plain plain = {fn};

	return cli_grove_with(cli, need, run_plain, &plain, err);
}
