/* A thread's log on the command line: its rows, its projection, and its lifecycle for other
 * runtimes. `project` and `drive --memory` need no grove. */
#include <loom/cli/services.h>

#include <loom/chat/drive.h>
#include <loom/engine/told.h>
#include <loom/tree/open_store.h>

#include <limits.h>
#include <unistd.h>

#include "log_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define ROWS_MAX     ((size_t)1 << 30)
#define RUNS_MAX     200 /* their ends are shown among the rows */
#define LAST_DEFAULT 50

/* --- without a grove --- */

static struct loom_project_text project_opts(const struct args_of_thread_project *args)
{
	int64_t limit = loom_number_or(args->limit, -1);

	return (struct loom_project_text){
		.lane = args->lane,
		.at = loom_number_or(args->at, LOOM_SEQ_HEAD),
		.prompt = args->system_prompt,
		.limited = limit >= 0,
		.limit = limit >= 0 ? (size_t)limit : 0,
	};
}

static enum loom_status project_file(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_project_text opts = project_opts(args_of_thread_project(cli));
	struct loom_buf rows = LOOM_BUF_INIT(ROWS_MAX);
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status =
		loom_cli_read(cli, args_of_thread_project(cli)->file.p, ROWS_MAX, &rows, err);

	if (status == LOOM_OK)
		status = loom_project_text(loom_buf_str(&rows), &opts, &out, err);
	if (status == LOOM_OK) {
		loom_answer_as_json(cli);
		loom_answer_json(cli, NULL, loom_str_trim(loom_buf_str(&out)));
	}
	loom_buf_fini(&rows);
	loom_buf_fini(&out);
	return status;
}

static enum loom_status drive_memory(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_buf rows = LOOM_BUF_INIT(ROWS_MAX);
	struct loom_drive_memory memory = {.prompt = args_of_thread_drive(cli)->system_prompt,
					   .env = &cli->env};
	enum loom_status status = LOOM_OK;

	if (args_of_thread_drive(cli)->log.p)
		status = loom_cli_read(cli, args_of_thread_drive(cli)->log.p, ROWS_MAX, &rows, err);
	memory.rows = loom_buf_str(&rows);
	if (status == LOOM_OK)
		status = loom_drive_memory(&memory, STDIN_FILENO, loom_answer_stream(), err);
	loom_buf_fini(&rows);
	return status;
}

/* --- reading --- */

struct shown_rows {
	struct cli_grove *grove;
	struct loom_str *runs; /* records of finished runs, newest first */
	size_t run_count;
};

/* After the last row of a turn that did not end well, prints how it ended. */
static void show_mark(const struct shown_rows *rows, int64_t seq)
{
	for (size_t i = 0; i < rows->run_count; i++) {
		struct loom_str text;
		int64_t last = 0;

		if (loom_run_mark(rows->runs[i], rows->grove->arena, &last, &text) && last == seq)
			loom_answer_note(rows->grove->cli, "row %lld: %.*s", (long long)seq,
					 LOOM_STR_ARG(text));
	}
}

static bool show_row(void *ctx, const struct loom_log_row *row)
{
	const struct shown_rows *rows = ctx;
	struct loom_cli *cli = rows->grove->cli;
	struct loom_json *json = loom_answer_writer(cli, NULL);

	if (json)
		loom_log_row_json(row, json);
	loom_answer_line(cli, "%lld %.*s %.*s", (long long)row->seq, LOOM_STR_ARG(row->kind),
			 LOOM_STR_ARG(row->payload));
	show_mark(rows, row->seq);
	return true;
}

/* Checks that the thread is named only once. */
static enum loom_status check_said_once(const struct args_of_thread_log *args, struct loom_err *err)
{
	if (!args->thread_word.p || !(args->thread.p || args->agent.p))
		return LOOM_OK;
	loom_fail(err, LOOM_USAGE, "loom thread log: the thread is given twice");
	return loom_hint(err, LOOM_USAGE, "loom thread log THREAD, or loom thread log -a AGENT");
}

static enum loom_status run_log(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_thread_log *args = args_of_thread_log(grove->cli);
	struct loom_agent agent;
	struct shown_rows rows = {.grove = grove};
	struct loom_log_visitor visitor = {show_row, &rows};
	struct loom_log_range range = {.through = LOOM_SEQ_HEAD};
	struct threads_log log = {.makes = false,
				  .named = args->thread_word.p ? args->thread_word : args->thread};
	int64_t head = 0;
	int64_t last = loom_number_or(args->last, LAST_DEFAULT);
	enum loom_status status = check_said_once(args, err);

	if (status == LOOM_OK)
		status = threads_log_whose(grove, args->agent, &agent, &log.whose, err);
	if (status == LOOM_OK)
		status = threads_log_open(grove, grove->store, NULL, &log, err);
	if (status == LOOM_OK)
		status = log.log.ops->head(log.log.ctx, &head, err);
	range.after = loom_number_or(args->after, head - last);
	if (args->last.given && range.after < head - last)
		range.after = head - last;
	if (status == LOOM_OK && !loom_answer_structured(grove->cli))
		status = loom_thread_log_runs(log.keeper, RUNS_MAX, grove->arena, &rows.runs,
					      &rows.run_count, err);
	loom_answer_list(grove->cli, NULL);
	if (status == LOOM_OK)
		status = log.log.ops->read(log.log.ctx, &range, &visitor, err);
	loom_thread_log_close(log.keeper);
	return status;
}

enum loom_status cmd_thread_log(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_log, err);
}

/* Names the nodes in a snapshot. */
struct named_nodes {
	struct cli_grove *grove;
	int64_t agent; /* its own words */
};

static bool give_node(void *ctx, struct loom_str ulid, struct loom_node_text *out)
{
	const struct named_nodes *nodes = ctx;
	struct cli_grove *grove = nodes->grove;
	struct loom_node node;
	enum loom_status status = loom_node_find(grove->store, 0, ulid, grove->arena, &node, NULL);

	if (status == LOOM_OK)
		status = loom_node_get(grove->store, node.id, LOOM_NODE_TEXT, grove->arena, &node,
				       NULL);
	if (status != LOOM_OK)
		return false;
	*out = (struct loom_node_text){.role = node.author == nodes->agent ? "assistant" : "user",
				       .text = node.text};
	return true;
}

static enum loom_status run_project(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_thread_project *args = args_of_thread_project(grove->cli);
	struct loom_project_text text = project_opts(args);
	struct named_nodes nodes = {.grove = grove};
	const struct loom_messages_opts messages = {.node = give_node, .ctx = &nodes};
	struct loom_derived derived = {.lane = text.lane};
	struct loom_agent agent;
	struct threads_log log = {.makes = false, .named = args->thread};
	enum loom_status status = threads_log_whose(grove, args->agent, &agent, &log.whose, err);

	if (status == LOOM_OK)
		status = threads_log_open(grove, grove->store, NULL, &log, err);
	nodes.agent = status == LOOM_OK ? log.thread.agent : 0;
	if (status == LOOM_OK && !text.lane.n)
		status = loom_derive(&log.log, text.at, grove->arena, &derived, err);
	loom_answer_as_json(grove->cli);
	loom_answer_map(grove->cli, NULL);
	if (status == LOOM_OK) {
		struct loom_project_opts opts = {.thread = log.thread.name,
						 .lane = derived.lane,
						 .at = text.at,
						 .prompt = text.prompt,
						 .limited = text.limited,
						 .limit = text.limit};

		status = loom_project_json(&log.log, &opts, &messages,
					   loom_answer_writer(grove->cli, NULL), err);
	}
	loom_thread_log_close(log.keeper);
	return status;
}

enum loom_status cmd_thread_project(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_thread_project *args = args_of_thread_project(cli);

	if (!args->thread.p && !args->agent.p)
		return project_file(cli, err);
	if (!args->file.p)
		return cli_grove_run(cli, NULL, run_project, err);
	loom_fail(err, LOOM_USAGE, "loom thread project: FILE cannot be combined with a thread");
	return loom_hint(err, LOOM_USAGE, "loom thread project --at 12 rows.json");
}

/* --- writing --- */

/* Looks up what a spawned thread is told in which another program begins a run, and tells the
 * person. */
struct led {
	struct loom_store *store;
	const struct threads_log *log;
	struct loom_cli *cli;
};

static void say_warning(void *ctx, struct loom_str text)
{
	loom_out_warn(ctx, "%.*s", LOOM_STR_ARG(text));
}

static enum loom_status lead(void *ctx, struct loom_arena *arena, struct loom_told *out,
			     struct loom_err *err)
{
	const struct led *led = ctx;
	enum loom_status status =
		loom_told_now(led->store, &led->log->thread, &led->log->log, arena, out, err);

	if (status == LOOM_OK)
		loom_told_say(out, say_warning, led->cli->out);
	return status;
}

/* A filter has no screen to keep responsive, so it writes from the calling thread, on a connection
 * and in a session of its own. The end of that session ends the runs it opened. */
static enum loom_status drive_stored(struct cli_grove *grove, struct loom_store *store,
				     struct loom_err *err)
{
	struct loom_session *session = NULL;
	struct loom_drive *drive = NULL;
	const struct args_of_thread_drive *args = args_of_thread_drive(grove->cli);
	struct threads_log log = {.makes = true, .named = args->thread};
	struct led led = {store, &log, grove->cli};
	const struct loom_drive_head head = {lead, &led};
	struct loom_run_opts opts;
	struct loom_agent agent;
	enum loom_status status = loom_session_open(store, &session, err);

	if (status == LOOM_OK)
		status = threads_log_whose(grove, args->agent, &agent, &log.whose, err);
	if (status == LOOM_OK)
		status = threads_log_open(grove, store, session, &log, err);
	log.prompt = args->system_prompt;
	opts = (struct loom_run_opts){.thread = log.thread.name,
				      .prompt = log.prompt,
				      .env = loom_store_env(store)};
	if (status == LOOM_OK)
		status = loom_drive_open(&log.log, &opts, &drive, err);
	if (status == LOOM_OK)
		loom_drive_lead(drive, &head);
	if (status == LOOM_OK)
		chat_unheard_keep(store, &log.thread, loom_drive_unheard(drive));
	if (status == LOOM_OK)
		status = loom_drive_stream(drive, STDIN_FILENO, loom_answer_stream(), err);
	loom_drive_close(drive);
	loom_thread_log_close(log.keeper);
	loom_session_close(session);
	return status;
}

static enum loom_status run_drive(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_store *store = NULL;
	enum loom_status status =
		threads_log_tie(grove, args_of_thread_drive(grove->cli)->thread, err);

	if (status == LOOM_OK)
		status = loom_store_open(&grove->cli->env, loom_store_dir(grove->store), LOOM_WRITE,
					 &store, err);
	if (status == LOOM_OK)
		status = drive_stored(grove, store, err);
	loom_store_close(store);
	return status;
}

/* Whether there is a grove to keep a log in. */
static bool grove_there(struct loom_cli *cli)
{
	struct loom_buf dir = LOOM_BUF_INIT(PATH_MAX);
	struct loom_store *store = NULL;
	enum loom_status status = LOOM_OK;

	if (!cli->grove)
		status = loom_grove_find(&cli->env, LOOM_STR(""), &dir, NULL, NULL);
	if (!cli->grove && status == LOOM_OK)
		status = loom_store_open(&cli->env, loom_buf_str(&dir), LOOM_READ, &store, NULL);
	loom_store_close(store);
	loom_buf_fini(&dir);
	return status != LOOM_NOT_FOUND;
}

/* Keeps what it accepts in the grove, unless the log is in memory by request or because there is no
 * grove. */
enum loom_status cmd_thread_drive(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_thread_drive *args = args_of_thread_drive(cli);
	bool rows = args->log.p;

	if (rows && (args->thread.p || args->agent.p)) {
		loom_fail(err, LOOM_USAGE, "loom thread drive: --log and %s cannot be combined",
			  args->thread.p ? "--thread" : "--agent");
		return loom_hint(err, LOOM_USAGE, "a log that starts from a file stays in memory");
	}
	if (rows || args->memory)
		return drive_memory(cli, err);
	if (args->thread.p || args->agent.p || grove_there(cli))
		return cli_grove_run(cli, NULL, run_drive, err);
	loom_out_note(cli->out, "there is no grove here, so the log is in memory and will be lost");
	return drive_memory(cli, err);
}

/* A row or a context operation, given as JSON. */
struct change {
	struct cli_grove *grove;
	const struct loom_agent *whose; /* NULL: the named thread, or one's own */
	struct loom_str thread;         /* p NULL: none given */
	const char *file;               /* NULL: standard input */
	struct loom_str json;
	bool operation;
	const char *word;    /* the answer's word */
	const char *refused; /* why the operation was refused, or NULL */
	int64_t seq;         /* its row; below 0: none */
};

static enum loom_status append_row(struct change *change, struct threads_log *log,
				   struct loom_err *err)
{
	struct loom_str object = loom_jval_of(change->json);
	struct loom_log_row row = {.at_ms = LOOM_TIME_NONE};
	enum loom_status status = loom_log_json_check(change->json, err);

	if (status == LOOM_OK && loom_jval_type(object) != LOOM_JTYPE_OBJECT)
		status = loom_fail(err, LOOM_INVALID, "a row must be a single JSON object");
	if (status == LOOM_OK && !loom_jval_get(object, "payload").n)
		status = loom_fail(err, LOOM_INVALID, "a row needs a kind and a payload");
	if (status != LOOM_OK)
		return loom_hint(err, status,
				 "{\"kind\":\"note\",\"payload\":{\"text\":\"…\"}}, one row per "
				 "call; `loom thread drive` takes many lines");
	row.kind = loom_jval_text(loom_jval_get(object, "kind"), change->grove->arena);
	row.payload = loom_jval_get(object, "payload");
	row.refs = loom_jval_get(object, "refs");
	status = log->log.ops->begin(log->log.ctx, err);
	if (status != LOOM_OK)
		return status;
	status = loom_log_append(&log->log, &row, &change->seq, err);
	if (status == LOOM_OK)
		status = log->log.ops->commit(log->log.ctx, err);
	else
		log->log.ops->rollback(log->log.ctx);
	change->word = "accepted";
	return status;
}

static enum loom_status modify(struct loom_store *store, struct change *change,
			       struct threads_log *log, struct loom_err *err)
{
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	struct loom_run *run = NULL;
	enum loom_status status = threads_log_run(store, log, &run, err);

	if (status == LOOM_OK)
		status = loom_run_modify(run, change->json, false, &result, err);
	change->word = loom_answer_word(result.answer);
	change->refused = result.why;
	change->seq = result.seq;
	loom_run_close(run);
	return status;
}

static enum loom_status work_change(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct change *change = ctx;
	struct threads_log log = {.makes = true, .named = change->thread, .whose = change->whose};
	enum loom_status status = threads_log_open(change->grove, store, NULL, &log, err);

	if (status == LOOM_OK)
		status = change->operation ? modify(store, change, &log, err)
					   : append_row(change, &log, err);
	loom_thread_log_close(log.keeper);
	return status;
}

/* Printed here, because a refused operation then fails. */
static void answer(struct loom_cli *cli, const struct change *change)
{
	loom_answer_as_json(cli);
	loom_answer_text(cli, "result", loom_str_of(change->word));
	if (change->refused)
		loom_answer_text(cli, "error", loom_str_of(change->refused));
	if (change->seq >= 0)
		loom_answer_number(cli, "seq", change->seq);
	loom_answer_give(cli);
}

static enum loom_status run_change(struct change *change, struct loom_str agent,
				   struct loom_err *err)
{
	struct cli_grove *grove = change->grove;
	struct loom_agent whose;
	struct loom_buf text = LOOM_BUF_INIT((size_t)64 << 20);
	struct cli_work work = {.what = "writing",
				.access = LOOM_WRITE,
				.run = work_change,
				.ctx = change};
	enum loom_status status = cli_grove_read(grove, change->file, text.max, &text, err);

	change->json = loom_str_trim(loom_buf_str(&text));
	if (status == LOOM_OK)
		status = threads_log_whose(grove, agent, &whose, &change->whose, err);
	if (status == LOOM_OK)
		status = threads_log_tie(grove, change->thread, err);
	if (status == LOOM_OK)
		status = cli_grove_work(grove, &work, err);
	loom_buf_fini(&text);
	if (status != LOOM_OK)
		return status;
	answer(grove->cli, change);
	return change->refused ? loom_fail(err, LOOM_REFUSED, "not applied: %s", change->refused)
			       : LOOM_OK;
}

static enum loom_status run_append(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_thread_append *args = args_of_thread_append(grove->cli);
	struct change change = {.grove = grove, .thread = args->thread, .file = args->file.p};

	return run_change(&change, args->agent, err);
}

static enum loom_status run_op(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_thread_op *args = args_of_thread_op(grove->cli);
	struct change change = {.grove = grove,
				.thread = args->thread,
				.file = args->file.p,
				.operation = true};

	return run_change(&change, args->agent, err);
}

enum loom_status cmd_thread_append(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_append, err);
}

enum loom_status cmd_thread_op(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_op, err);
}
