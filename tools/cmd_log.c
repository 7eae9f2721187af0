/* A thread's log on the command line: its rows, its projection, its lifecycle for runtimes in any
 * language, and checkpoint tokens. `project`, `drive --memory` and, with LOOM_TOKEN_SECRET, the
 * tokens need no grove. */
#include "cli_impl.h"

#include <loom/drive.h>
#include <loom/thread.h>
#include <loom/thread_log.h>
#include <loom/token.h>

#include <limits.h>

#include "bound_impl.h"
#include "unheard_impl.h"

#define ROWS_MAX     ((size_t)1 << 30)
#define LAST_DEFAULT 50

/* --- without a grove --- */

static enum loom_status say_json(struct loom_cli *cli, enum loom_status status,
				 struct loom_buf *text)
{
	if (status == LOOM_OK)
		loom_out_json_text(cli->out, loom_str_trim(loom_buf_str(text)));
	loom_buf_fini(text);
	return status;
}

static struct loom_project_text project_opts(const struct loom_args *args)
{
	int64_t limit = loom_args_number(args, "--limit", -1);

	return (struct loom_project_text){
		.lane = loom_args_str(args, "--lane"),
		.at = loom_args_number(args, "--at", LOOM_SEQ_HEAD),
		.prompt = loom_args_str(args, "--system-prompt"),
		.limited = limit >= 0,
		.limit = limit >= 0 ? (size_t)limit : 0,
	};
}

static enum loom_status project_file(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_project_text opts = project_opts(cli->args);
	struct loom_buf rows = LOOM_BUF_INIT(ROWS_MAX);
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status =
		loom_cli_read(cli, loom_args_get(cli->args, "FILE"), ROWS_MAX, &rows, err);

	if (status == LOOM_OK)
		status = loom_project_text(loom_buf_str(&rows), &opts, &out, err);
	loom_buf_fini(&rows);
	return say_json(cli, status, &out);
}

static enum loom_status drive_memory(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_buf rows = LOOM_BUF_INIT(ROWS_MAX);
	struct loom_drive_memory memory = {.prompt = loom_args_str(cli->args, "--system-prompt"),
					   .env = &cli->env};
	enum loom_status status = LOOM_OK;

	if (loom_args_has(cli->args, "--log"))
		status =
			loom_cli_read(cli, loom_args_get(cli->args, "--log"), ROWS_MAX, &rows, err);
	memory.rows = loom_buf_str(&rows);
	if (status == LOOM_OK)
		status = loom_drive_memory(&memory, stdin, stdout, err);
	loom_buf_fini(&rows);
	return status;
}

/* --- the thread that is meant --- */

/* The thread that the actor has in the current tree without having been given one. */
static enum loom_status find_implicit(struct tool_grove *grove, struct loom_thread *out,
				      struct loom_err *err)
{
	struct loom_tree tree;
	enum loom_status status = tool_grove_tree(grove, loom_str_make(NULL, 0), &tree, err);

	if (status != LOOM_OK)
		return status;
	status = loom_thread_implicit(grove->store, grove->actor.id, tree.id, grove->arena, out,
				      NULL);
	if (status != LOOM_NOT_FOUND)
		return status;
	loom_fail(err, status, "the tree \"%.*s\" has no thread of yours yet",
		  LOOM_STR_ARG(tree.title));
	return loom_hint(err, status,
			 "loom thread append, op and drive begin one; --thread names "
			 "another");
}

static enum loom_status find_thread(struct tool_grove *grove, struct loom_str name,
				    struct loom_thread *out, struct loom_err *err)
{
	enum loom_status status = name.p ? tool_grove_thread(grove, name, NULL, out, err)
					 : find_implicit(grove, out, err);

	if (status != LOOM_OK || tool_grove_person(grove) || out->agent == grove->actor.id)
		return status;
	loom_fail(err, LOOM_PERMISSION, "%.*s is another agent's thread", LOOM_STR_ARG(out->name));
	return loom_hint(err, LOOM_PERMISSION, "use your own thread");
}

/* Without a name the implicit thread, which begins to exist when it was never used. */
static enum loom_status ensure_thread(struct tool_grove *grove, struct loom_store *store,
				      struct loom_thread *out, struct loom_err *err)
{
	struct loom_tree tree;
	enum loom_status status = tool_grove_tree(grove, loom_str_make(NULL, 0), &tree, err);

	if (status == LOOM_OK)
		status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	status = loom_thread_ensure(store, grove->actor.id, tree.id, grove->arena, out, err);
	return loom_quiet_end(store, status, err);
}

/* Before something is written into the log of a spawned thread, somebody must hold it. */
static enum loom_status tie_thread(struct tool_grove *grove, struct loom_err *err)
{
	const struct tool_tie tie = {.agent = grove->actor.id};
	struct loom_str name = loom_args_str(grove->cli->args, "--thread");
	struct loom_thread thread;

	return name.p ? tool_grove_thread(grove, name, &tie, &thread, err) : LOOM_OK;
}

/* A log that one call looks at, or works on. */
struct opened {
	bool makes; /* it is written to: a thread that was never used begins to exist */
	struct loom_thread thread;
	struct loom_thread_log *keeper;
	struct loom_log log;
	struct loom_str prompt;
};

static enum loom_status open_log(struct tool_grove *grove, struct loom_store *store,
				 const struct loom_session *session, struct opened *out,
				 struct loom_err *err)
{
	struct loom_str name = loom_args_str(grove->cli->args, "--thread");
	enum loom_status status = out->makes && !name.p
					  ? ensure_thread(grove, store, &out->thread, err)
					  : find_thread(grove, name, &out->thread, err);

	out->keeper = NULL;
	if (status == LOOM_OK)
		status = loom_thread_log_open(store, out->thread.id, session, &out->keeper, err);
	if (status != LOOM_OK)
		return status;
	out->log = loom_thread_log_face(out->keeper);
	out->prompt = loom_str_make(NULL, 0);
	return LOOM_OK;
}

static enum loom_status open_run(struct loom_store *store, const struct opened *log,
				 struct loom_run **out, struct loom_err *err)
{
	const struct tool_run_place place = {.store = store,
					     .thread = &log->thread,
					     .log = &log->log,
					     .prompt = log->prompt};

	return tool_run_open(&place, out, err);
}

/* --- looking --- */

struct shown_rows {
	struct tool_grove *grove;
	struct loom_json *json; /* NULL: lines of text */
};

static bool show_row(void *ctx, const struct loom_log_row *row)
{
	struct shown_rows *rows = ctx;

	if (rows->json)
		loom_log_row_json(row, rows->json);
	else
		tool_say_line(rows->grove, "%lld %.*s %.*s", (long long)row->seq,
			      LOOM_STR_ARG(row->kind), LOOM_STR_ARG(row->payload));
	return true;
}

static enum loom_status run_log(struct tool_grove *grove, struct loom_err *err)
{
	const struct loom_args *args = grove->cli->args;
	struct shown_rows rows = {.grove = grove};
	struct loom_log_visitor visitor = {show_row, &rows};
	struct loom_log_range range = {.through = LOOM_SEQ_HEAD};
	struct opened log = {.makes = false};
	int64_t head = 0;
	int64_t last = loom_args_number(args, "--last", LAST_DEFAULT);
	enum loom_status status = open_log(grove, grove->store, NULL, &log, err);

	if (status == LOOM_OK)
		status = log.log.ops->head(log.log.ctx, &head, err);
	range.after = loom_args_number(args, "--after", head - last);
	if (status == LOOM_OK && grove->cli->json) {
		rows.json = loom_out_json_begin(grove->cli->out);
		loom_json_array(rows.json);
	}
	if (status == LOOM_OK)
		status = log.log.ops->read(log.log.ctx, &range, &visitor, err);
	if (rows.json) {
		loom_json_end_array(rows.json);
		loom_out_json_end(grove->cli->out);
	}
	loom_thread_log_close(log.keeper);
	return status;
}

enum loom_status tool_cmd_thread_log(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = LOOM_MAY_AWARE, .what = "read the log"};

	return tool_grove_run(cli, &need, run_log, err);
}

/* Whose nodes a snapshot may name. */
struct named_nodes {
	struct tool_grove *grove;
	int64_t agent; /* whose own words they are */
};

static bool give_node(void *ctx, struct loom_str ulid, struct loom_node_text *out)
{
	const struct named_nodes *nodes = ctx;
	struct tool_grove *grove = nodes->grove;
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

static enum loom_status run_project(struct tool_grove *grove, struct loom_err *err)
{
	struct loom_project_text text = project_opts(grove->cli->args);
	struct named_nodes nodes = {.grove = grove};
	struct loom_messages_opts messages = {.limited = text.limited,
					      .limit = text.limit,
					      .node = give_node,
					      .ctx = &nodes};
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_derived derived = {.lane = text.lane};
	struct loom_json json;
	struct opened log = {.makes = false};
	enum loom_status status = open_log(grove, grove->store, NULL, &log, err);

	nodes.agent = status == LOOM_OK ? log.thread.agent : 0;
	if (status == LOOM_OK && !text.lane.n)
		status = loom_derive(&log.log, text.at, grove->arena, &derived, err);
	loom_json_init(&json, &out);
	loom_json_object(&json);
	if (status == LOOM_OK) {
		struct loom_project_opts opts = {.thread = log.thread.name,
						 .lane = derived.lane,
						 .at = text.at,
						 .prompt = text.prompt};

		status = loom_project_json(&log.log, &opts, &messages, &json, err);
	}
	loom_json_end_object(&json);
	loom_thread_log_close(log.keeper);
	return say_json(grove->cli, status, &out);
}

enum loom_status tool_cmd_thread_project(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = LOOM_MAY_AWARE, .what = "read the log"};

	if (loom_args_has(cli->args, "--thread"))
		return tool_grove_run(cli, &need, run_project, err);
	return project_file(cli, err);
}

/* --- working --- */

/* A filter has no screen that could wait: it writes from the calling thread, on a connection and
 * with a session of its own, whose end ends the run that it opened. */
static enum loom_status drive_stored(struct tool_grove *grove, struct loom_store *store,
				     struct loom_err *err)
{
	struct loom_session *session = NULL;
	struct loom_drive *drive = NULL;
	struct opened log = {.makes = true};
	struct loom_run_opts opts;
	enum loom_status status = loom_session_open(store, &session, err);

	if (status == LOOM_OK)
		status = open_log(grove, store, session, &log, err);
	log.prompt = loom_args_str(grove->cli->args, "--system-prompt");
	opts = (struct loom_run_opts){.thread = log.thread.name,
				      .prompt = log.prompt,
				      .env = loom_store_env(store)};
	if (status == LOOM_OK)
		status = loom_drive_open(&log.log, &opts, &drive, err);
	if (status == LOOM_OK)
		tool_unheard_keep(store, &log.thread, loom_drive_unheard(drive));
	if (status == LOOM_OK)
		status = loom_drive_stream(drive, stdin, stdout, err);
	loom_drive_close(drive);
	loom_thread_log_close(log.keeper);
	loom_session_close(session);
	return status;
}

static enum loom_status run_drive(struct tool_grove *grove, struct loom_err *err)
{
	struct loom_store *store = NULL;
	enum loom_status status = tie_thread(grove, err);

	if (status == LOOM_OK)
		status = loom_store_open(&grove->cli->env, loom_store_dir(grove->store), LOOM_WRITE,
					 &store, err);
	if (status == LOOM_OK)
		status = drive_stored(grove, store, err);
	loom_store_close(store);
	return status;
}

/* Whether a log could be kept: without a grove there is nothing to keep it in. */
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

/* What is accepted is kept, unless it was asked to be kept in memory or there is nowhere else. */
enum loom_status tool_cmd_thread_drive(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = LOOM_MAY_AWARE, .what = "keep a log"};
	bool rows = loom_args_has(cli->args, "--log");

	if (rows && loom_args_has(cli->args, "--thread")) {
		loom_fail(err, LOOM_USAGE,
			  "loom thread drive: --log and --thread exclude each other");
		return loom_hint(err, LOOM_USAGE, "a log that starts from a file is in memory");
	}
	if (rows || loom_args_has(cli->args, "--memory"))
		return drive_memory(cli, err);
	if (loom_args_has(cli->args, "--thread") || grove_there(cli))
		return tool_grove_run(cli, &need, run_drive, err);
	loom_out_note(cli->out, "there is no grove here: the log is in memory, and is not kept");
	return drive_memory(cli, err);
}

/* One row, or one context operation, given as JSON. */
struct change {
	struct tool_grove *grove;
	struct loom_str json;
	bool operation;
	struct loom_buf *out; /* the answer */
	const char *refused;  /* what is wrong with the operation, or NULL */
};

static void answer(struct change *change, const char *word, const char *why, int64_t seq)
{
	struct loom_json json;

	loom_json_init(&json, change->out);
	loom_json_object(&json);
	loom_json_put(&json, "result", loom_str_of(word));
	if (why)
		loom_json_put(&json, "error", loom_str_of(why));
	if (seq >= 0)
		loom_json_put_int(&json, "seq", seq);
	loom_json_end_object(&json);
}

static enum loom_status append_row(struct change *change, struct opened *log, struct loom_err *err)
{
	struct loom_str object = loom_jval_of(change->json);
	struct loom_log_row row = {.at_ms = LOOM_TIME_NONE};
	int64_t seq = 0;
	enum loom_status status = loom_json_check(change->json, NULL, err);

	if (status != LOOM_OK)
		return status;
	row.kind = loom_jval_text(loom_jval_get(object, "kind"), change->grove->arena);
	row.payload = loom_jval_get(object, "payload");
	row.refs = loom_jval_get(object, "refs");
	status = log->log.ops->begin(log->log.ctx, err);
	if (status != LOOM_OK)
		return status;
	status = loom_log_append(&log->log, &row, &seq, err);
	if (status == LOOM_OK)
		status = log->log.ops->commit(log->log.ctx, err);
	else
		log->log.ops->rollback(log->log.ctx);
	if (status == LOOM_OK)
		answer(change, "accepted", NULL, seq);
	return status;
}

static enum loom_status modify(struct loom_store *store, struct change *change, struct opened *log,
			       struct loom_err *err)
{
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	struct loom_run *run = NULL;
	enum loom_status status = open_run(store, log, &run, err);

	if (status == LOOM_OK)
		status = loom_run_modify(run, change->json, false, &result, err);
	if (status == LOOM_OK)
		answer(change, loom_answer_word(result.answer), result.why, result.seq);
	if (status == LOOM_OK && result.why)
		change->refused = result.why;
	loom_run_close(run);
	return status;
}

static enum loom_status work_change(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct change *change = ctx;
	struct opened log = {.makes = true};
	enum loom_status status = open_log(change->grove, store, NULL, &log, err);

	if (status == LOOM_OK)
		status = change->operation ? modify(store, change, &log, err)
					   : append_row(change, &log, err);
	loom_thread_log_close(log.keeper);
	return status;
}

static enum loom_status run_change(struct tool_grove *grove, bool operation, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT((size_t)64 << 20);
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct change change = {.grove = grove, .operation = operation, .out = &out};
	struct tool_work work = {.what = "writing",
				 .access = LOOM_WRITE,
				 .run = work_change,
				 .ctx = &change};
	enum loom_status status = tool_grove_read(grove, loom_args_get(grove->cli->args, "FILE"),
						  text.max, &text, err);

	change.json = loom_str_trim(loom_buf_str(&text));
	if (status == LOOM_OK)
		status = tie_thread(grove, err);
	if (status == LOOM_OK)
		status = tool_grove_work(grove, &work, err);
	loom_buf_fini(&text);
	status = say_json(grove->cli, status, &out);
	return status == LOOM_OK && change.refused
		       ? loom_fail(err, LOOM_REFUSED, "not applied: %s", change.refused)
		       : status;
}

static enum loom_status run_append(struct tool_grove *grove, struct loom_err *err)
{
	return run_change(grove, false, err);
}

static enum loom_status run_op(struct tool_grove *grove, struct loom_err *err)
{
	return run_change(grove, true, err);
}

enum loom_status tool_cmd_thread_append(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = 0};

	return tool_grove_run(cli, &need, run_append, err);
}

enum loom_status tool_cmd_thread_op(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = 0};

	return tool_grove_run(cli, &need, run_op, err);
}

/* --- tokens --- */

#define TOKEN_MAX     ((size_t)16 << 20)
#define TOKEN_LIFE_MS ((int64_t)24 * 60 * 60 * 1000)

/* What runs are set up with here: the → language is their only tool. */
static void add_fingerprint(struct loom_arena *arena, struct loom_buf *out)
{
	struct loom_str *tools = LOOM_ARENA_ARRAY(arena, LOOM_VERB_COUNT, struct loom_str);
	struct loom_token_config config = {.max_steps = 8, .tools = tools};

	for (int verb = LOOM_VERB_NONE + 1; verb < LOOM_VERB_COUNT; verb++)
		tools[config.tool_count++] = loom_str_of(loom_verb_name((enum loom_verb)verb));
	loom_token_fingerprint(&config, out);
}

/* The grove's secret; with LOOM_TOKEN_SECRET no grove is needed. */
static enum loom_status add_secret(struct loom_cli *cli, struct tool_grove *grove,
				   struct loom_buf *out, struct loom_err *err)
{
	struct loom_buf folder = LOOM_BUF_INIT(4096);
	enum loom_status status =
		grove ? loom_store_state_dir(grove->store, &folder, err) : LOOM_OK;

	if (status == LOOM_OK)
		status = loom_token_secret(&cli->env, loom_buf_str(&folder), out, err);
	loom_buf_fini(&folder);
	return status;
}

static bool secret_given(const struct loom_cli *cli)
{
	return loom_env_var(&cli->env, "LOOM_TOKEN_SECRET") != NULL;
}

/* One word: alone on its line, or as the one member of a document. */
static void say_word(struct loom_cli *cli, const char *key, struct loom_str word)
{
	struct loom_json *json;

	if (!cli->json) {
		loom_out_line(cli->out, word);
		return;
	}
	json = loom_out_json_begin(cli->out);
	loom_json_object(json);
	loom_json_put(json, key, word);
	loom_json_end_object(json);
	loom_out_json_end(cli->out);
}

static enum loom_status say_fingerprint(struct loom_cli *cli)
{
	struct loom_buf text = LOOM_BUF_INIT(256);

	add_fingerprint(cli->arena, &text);
	say_word(cli, "fingerprint", loom_buf_str(&text));
	loom_buf_fini(&text);
	return LOOM_OK;
}

static enum loom_status issue(struct tool_grove *grove, struct loom_str state, struct loom_buf *out,
			      struct loom_err *err)
{
	struct loom_buf secret = LOOM_BUF_INIT(4096);
	struct loom_buf fingerprint = LOOM_BUF_INIT(256);
	int64_t now = loom_env_now(&grove->cli->env);
	struct loom_token_claims claims = {
		.run_id = loom_jval_text(loom_jval_get(state, "run_id"), grove->arena),
		.request_id = loom_jval_text(loom_jval_get(state, "request_id"), grove->arena),
		.iat_ms = now,
		.expires = true,
		.exp_ms = now + TOKEN_LIFE_MS,
		.state = state,
	};
	enum loom_status status = add_secret(grove->cli, grove, &secret, err);

	add_fingerprint(grove->arena, &fingerprint);
	claims.fingerprint = loom_buf_str(&fingerprint);
	if (status == LOOM_OK)
		status = loom_token_issue(&claims, loom_buf_str(&secret), out, err);
	loom_buf_fini(&secret);
	loom_buf_fini(&fingerprint);
	return status;
}

struct checkpoint {
	struct tool_grove *grove;
	struct loom_buf *state;
};

static enum loom_status work_checkpoint(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct checkpoint *checkpoint = ctx;
	struct tool_grove *grove = checkpoint->grove;
	struct loom_run *run = NULL;
	struct opened log = {.keeper = NULL};
	const char *name = loom_args_get(grove->cli->args, "ID");
	enum loom_status status = name ? find_thread(grove, loom_str_of(name), &log.thread, err)
				       : ensure_thread(grove, store, &log.thread, err);

	if (status == LOOM_OK)
		status = loom_thread_log_open(store, log.thread.id, NULL, &log.keeper, err);
	if (status == LOOM_OK) {
		log.log = loom_thread_log_face(log.keeper);
		status = open_run(store, &log, &run, err);
	}
	if (status == LOOM_OK)
		status = loom_run_checkpoint(run, checkpoint->state, err);
	loom_run_close(run);
	loom_thread_log_close(log.keeper);
	return status;
}

static enum loom_status run_checkpoint(struct tool_grove *grove, struct loom_err *err)
{
	struct loom_buf state = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf token = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct checkpoint checkpoint = {.grove = grove, .state = &state};
	struct tool_work work = {.what = "writing",
				 .access = LOOM_WRITE,
				 .run = work_checkpoint,
				 .ctx = &checkpoint};
	enum loom_status status = tool_grove_work(grove, &work, err);

	if (status == LOOM_OK)
		status = issue(grove, loom_buf_str(&state), &token, err);
	if (status == LOOM_OK)
		say_word(grove->cli, "token", loom_buf_str(&token));
	loom_buf_fini(&state);
	loom_buf_fini(&token);
	return status;
}

enum loom_status tool_cmd_thread_checkpoint(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = LOOM_MAY_AWARE, .what = "take a checkpoint"};

	if (loom_args_has(cli->args, "--fingerprint"))
		return say_fingerprint(cli);
	return tool_grove_run(cli, &need, run_checkpoint, err);
}

/* A refused token is named by what is wrong with it, as the first word of the line. */
static enum loom_status refuse_token(struct loom_cli *cli, const char *wrong, struct loom_err *err)
{
	struct loom_err said = {.status = LOOM_REFUSED};

	loom_fail(&said, LOOM_REFUSED, "the token is not taken up");
	loom_out_error(cli->out, wrong, &said);
	loom_err_clear(err);
	return LOOM_REFUSED;
}

static enum loom_status accept_token(struct loom_cli *cli, const struct loom_token *token,
				     const struct loom_token_holder *holder, struct loom_err *err)
{
	struct loom_str reason = loom_args_str(cli->args, "--cancel");
	struct loom_buf fresh = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	if (reason.p)
		status = loom_token_cancel(token, reason, holder, &fresh, err);
	if (status == LOOM_OK && reason.p)
		say_word(cli, "token", loom_buf_str(&fresh));
	else if (status == LOOM_OK && loom_args_has(cli->args, "--check"))
		say_word(cli, "check", LOOM_STR("ok"));
	else if (status == LOOM_OK)
		loom_out_line(cli->out, token->claims.state);
	loom_buf_fini(&fresh);
	return status;
}

static enum loom_status read_token(struct loom_cli *cli, struct loom_buf *out, struct loom_err *err)
{
	const char *given = loom_args_get(cli->args, "TOKEN");

	if (strcmp(given, "-") == 0)
		return loom_cli_read(cli, NULL, TOKEN_MAX, out, err);
	loom_buf_adds(out, given);
	return LOOM_OK;
}

/* A pipe ends a token with a newline; what stands before the prefix is damage. */
static struct loom_str trim_end(struct loom_str text)
{
	struct loom_str inner = loom_str_trim(text);

	return inner.n ? loom_str_make(text.p, (size_t)(inner.p - text.p) + inner.n) : inner;
}

static enum loom_status restore(struct loom_cli *cli, struct tool_grove *grove,
				struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(TOKEN_MAX + 1);
	struct loom_buf secret = LOOM_BUF_INIT(4096);
	struct loom_buf fingerprint = LOOM_BUF_INIT(256);
	struct loom_token token;
	enum loom_status status = read_token(cli, &text, err);

	if (status == LOOM_OK)
		status = add_secret(cli, grove, &secret, err);
	add_fingerprint(cli->arena, &fingerprint);
	if (status == LOOM_OK) {
		struct loom_token_holder holder = {.secret = loom_buf_str(&secret),
						   .fingerprint = loom_buf_str(&fingerprint),
						   .now_ms = loom_env_now(&cli->env)};
		const char *wrong = loom_token_check(trim_end(loom_buf_str(&text)), &holder,
						     cli->arena, &token);

		status = wrong ? refuse_token(cli, wrong, err)
			       : accept_token(cli, &token, &holder, err);
	}
	loom_buf_fini(&text);
	loom_buf_fini(&secret);
	loom_buf_fini(&fingerprint);
	return status;
}

static enum loom_status run_restore(struct tool_grove *grove, struct loom_err *err)
{
	return restore(grove->cli, grove, err);
}

enum loom_status tool_cmd_thread_restore(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = 0};

	return secret_given(cli) ? restore(cli, NULL, err)
				 : tool_grove_run(cli, &need, run_restore, err);
}
