/* `loom chat`: a loom-aware agent's turns. Its context is built, its model asked, its text scanned
 * as it streams; calls are run, their results join the log, and it goes on until it makes no more.
 *
 * Everything goes through the thread's log, on the worker; the loop asks the model and the actor.
 */
#include "cli_impl.h"

#include <loom/act.h>
#include <loom/context.h>
#include <loom/run.h>
#include <loom/thread.h>
#include <loom/thread_log.h>
#include <loom/turn_log.h>
#include <loom/utf8.h>

#include "bound_impl.h"

#define ROUNDS_MAX     8
#define LINE_MAX_BYTES ((size_t)1 << 20)

struct chat {
	struct tool_grove *grove;
	struct loom_agent agent;
	struct loom_tree tree;
	struct loom_thread thread;
	struct tool_voices voices;
	struct tool_asked voice;
	/* The worker's. */
	struct loom_session *session;
	struct loom_thread_log *keeper;
	struct loom_log log;
	struct loom_run *run;
	/* The turn's. */
	struct loom_arena *arena;
	struct loom_str input;
	struct loom_str request;
	int64_t began; /* times in its contexts are told from here */
	int64_t turn_seq;
	int64_t said_seq; /* of what the model said last */
	int64_t step;
	size_t calls; /* run so far */
	bool failed;
	struct loom_assembly assembly;
	struct loom_leslie_warnings warnings;
	/* What the model says. */
	struct loom_turn *turn;
	struct loom_generation *generation; /* NULL: none is under way */
	struct loom_buf raw;
	size_t prose;   /* bytes of its prose that stand before or between its calls */
	size_t printed; /* of them */
	bool cut;       /* it went on behind its calls: the rest is not heard */
	enum loom_finish finish;
	bool over;
	enum loom_status status;
	struct loom_err err;
};

/* ---- on the worker ---- */

static enum loom_status
work(struct chat *chat, const char *what,
     enum loom_status (*run)(struct loom_store *, void *, struct loom_err *), struct loom_err *err)
{
	const struct tool_work job = {.what = what, .access = LOOM_WRITE, .run = run, .ctx = chat};

	return tool_grove_work(chat->grove, &job, err);
}

static enum loom_status ensure_thread(struct chat *chat, struct loom_store *store,
				      struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (chat->thread.id)
		return LOOM_OK;
	status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	status = loom_thread_ensure(store, chat->agent.id, chat->tree.id, chat->grove->arena,
				    &chat->thread, err);
	return loom_quiet_end(store, status, err);
}

static enum loom_status open_run(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct chat *chat = ctx;
	struct loom_run_opts opts = {.env = loom_store_env(store)};
	enum loom_status status = ensure_thread(chat, store, err);

	if (status == LOOM_OK)
		status = loom_session_open(store, &chat->session, err);
	if (status == LOOM_OK)
		status = loom_thread_log_open(store, chat->thread.id, chat->session, &chat->keeper,
					      err);
	if (status != LOOM_OK)
		return status;
	chat->log = loom_thread_log_face(chat->keeper);
	opts.thread = chat->thread.name;
	opts.prompt = chat->voice.prompt;
	return loom_run_open(&chat->log, &opts, &chat->run, NULL, err);
}

static enum loom_status close_run(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct chat *chat = ctx;

	(void)store;
	(void)err;
	loom_run_close(chat->run);
	loom_thread_log_close(chat->keeper);
	loom_session_close(chat->session);
	return LOOM_OK;
}

/* Says why the log did not take it. */
static enum loom_status check(const struct loom_run_result *result, const char *what,
			      struct loom_err *err)
{
	if (result->answer == LOOM_ANSWER_ACCEPTED)
		return LOOM_OK;
	loom_fail(err, LOOM_CONFLICT, "the thread does not take %s: %s", what,
		  result->why ? result->why : loom_answer_word(result->answer));
	return loom_hint(err, LOOM_CONFLICT, "one run at a time works in a thread");
}

static struct loom_str as_json(struct chat *chat, struct loom_str text)
{
	struct loom_buf quoted = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	loom_json_quote(text, &quoted);
	out = loom_arena_buf(chat->arena, &quoted);
	loom_buf_fini(&quoted);
	return out;
}

/* The input, below the thread's block when one is due. What is broken is in the log too. */
static enum loom_status head_input(struct chat *chat, struct loom_store *store,
				   struct loom_str *content, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str block = LOOM_STR("");
	enum loom_status status =
		tool_thread_block(store, &chat->thread, chat->arena, &block, &chat->warnings, err);

	if (status == LOOM_OK)
		status = tool_thread_warn(store, &chat->log, &chat->warnings, chat->arena, err);
	if (block.n)
		loom_thread_context_message(block, chat->input, &text);
	else
		loom_buf_add(&text, chat->input);
	*content = as_json(chat, loom_buf_str(&text));
	loom_buf_fini(&text);
	return status;
}

static enum loom_status start_run(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct chat *chat = ctx;
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	struct loom_message message = {.request_id = chat->request};
	int64_t head = 0;
	enum loom_status status = head_input(chat, store, &message.content, err);

	if (status == LOOM_OK)
		status = chat->log.ops->head(chat->log.ctx, &head, err);

	chat->request = loom_arena_format(chat->arena, "%.*s-%lld", LOOM_STR_ARG(chat->thread.name),
					  (long long)head + 1);
	message.request_id = chat->request;
	if (status == LOOM_OK)
		status = loom_run_start(chat->run, &message, &result, err);
	if (status == LOOM_OK)
		status = check(&result, "a turn now", err);
	chat->turn_seq = result.seq;
	chat->began = loom_env_now(loom_store_env(store));
	return status;
}

/* Steering that came meanwhile is in the log before the model is asked. What is sent is kept. */
static enum loom_status prepare(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct chat *chat = ctx;
	const struct loom_aware_opts opts = {.agent = &chat->agent,
					     .thread = chat->thread.id,
					     .prompt = chat->voice.prompt,
					     .at = LOOM_SEQ_HEAD,
					     .turn_seq = chat->turn_seq,
					     .now = chat->began,
					     .session = chat->session,
					     .budget = chat->voice.budget};
	const struct loom_input input = {.request = chat->request, .step = chat->step};
	struct loom_run_result drained = {.seq = LOOM_SEQ_NONE};
	enum loom_status status = loom_run_drain(chat->run, &drained, err);

	if (status == LOOM_OK)
		status = loom_assemble_aware(store, &opts, chat->arena, &chat->assembly, err);
	if (status == LOOM_OK)
		status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	status = loom_input_keep(store, &chat->log, &input, &chat->assembly, err);
	return loom_quiet_end(store, status, err);
}

static enum loom_status keep_raw(struct chat *chat, struct loom_store *store, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_log_row row = {.at_ms = LOOM_TIME_NONE, .kind = LOOM_STR(LOOM_KIND_OUTPUT)};
	struct loom_json json;
	int64_t seq = 0;
	enum loom_status status = loom_quiet_begin(store, err);

	if (status != LOOM_OK)
		return status;
	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "request_id", chat->request);
	loom_json_put_int(&json, "step", chat->step);
	loom_json_put(&json, "text", loom_buf_str(&chat->raw));
	loom_json_put(&json, "finish", loom_str_of(loom_finish_name(chat->finish)));
	loom_json_end_object(&json);
	row.payload = loom_buf_str(&text);
	status = loom_quiet_end(store, loom_log_append(&chat->log, &row, &seq, err), err);
	loom_buf_fini(&text);
	return status;
}

/* What the model said, without its calls; what came behind them is in the raw text only. */
static enum loom_status keep_said(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct chat *chat = ctx;
	struct loom_str prose = loom_str_sub(loom_buf_str(&chat->turn->prose), 0, chat->prose);
	struct loom_message message = {.request_id = chat->request};
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	enum loom_status status = keep_raw(chat, store, err);

	message.content = as_json(chat, loom_str_trim(prose));
	if (chat->turn->thinking.n)
		message.thinking = as_json(chat, loom_buf_str(&chat->turn->thinking));
	if (status == LOOM_OK)
		status = loom_run_assistant(chat->run, &message, &result, err);
	chat->said_seq = result.seq;
	return status == LOOM_OK ? check(&result, "what the model said", err) : status;
}

static enum loom_status end_run(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct chat *chat = ctx;
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	const enum loom_run_outcome outcome = chat->status == LOOM_OK ? LOOM_OUTCOME_COMPLETED
					      : chat->status == LOOM_CANCELLED
						      ? LOOM_OUTCOME_CANCELLED
						      : LOOM_OUTCOME_FAILED;

	(void)store;
	return loom_run_end(chat->run, chat->request, outcome, &result, err);
}

/* ---- asking the model ---- */

static void print_prose(struct chat *chat)
{
	struct loom_out *out = chat->grove->cli->out;
	struct loom_str prose = loom_buf_str(&chat->turn->prose);

	if (chat->grove->cli->json || chat->prose <= chat->printed)
		return;
	loom_out_text(out, loom_str_sub(prose, chat->printed, chat->prose - chat->printed));
	chat->printed = chat->prose;
	(void)!loom_out_flush(out, NULL);
}

/* Line by line: as soon as a line is whole it is known whether prose came behind calls. */
static void hear(struct chat *chat, struct loom_str text)
{
	while (text.n && !chat->cut) {
		size_t feed = loom_str_find_char(text, '\n', 0);
		struct loom_str line = loom_str_sub(text, 0, feed == SIZE_MAX ? text.n : feed + 1);

		loom_turn_feed(chat->turn, line);
		text = loom_str_sub(text, line.n, text.n);
		chat->cut = (chat->turn->call_count || chat->turn->error_count) &&
			    chat->turn->batch_count && !chat->turn->batch_open;
		if (!chat->turn->call_count && !chat->turn->error_count)
			chat->prose = chat->turn->prose.n;
	}
}

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct chat *chat = ctx;

	(void)choice;
	if (chat->cut)
		return;
	hear(chat, text);
	print_prose(chat);
	if (chat->cut && chat->generation)
		chat->voices.generator->cancel(chat->voices.generator->ctx, chat->generation, 0);
}

static void on_end(void *ctx, size_t choice, const struct loom_generated *result)
{
	struct chat *chat = ctx;

	(void)choice;
	loom_buf_clear(&chat->raw);
	loom_buf_add(&chat->raw, result->text);
	chat->finish = result->finish;
	if (result->finish == LOOM_FINISH_ERROR) {
		chat->status = LOOM_MODEL;
		chat->err = result->err;
	}
}

static void on_done(void *ctx)
{
	struct chat *chat = ctx;

	chat->generation = NULL;
	chat->over = true;
}

static void take_messages(struct chat *chat, struct loom_generate_request *request)
{
	const struct loom_assembly *from = &chat->assembly;
	struct loom_prompt_message *messages =
		LOOM_ARENA_ARRAY(chat->arena, from->count, struct loom_prompt_message);
	size_t count = 0;

	for (size_t i = 0; i < from->count; i++) {
		const struct loom_piece *piece = &from->pieces[i];

		if (piece->role == LOOM_ROLE_SYSTEM)
			request->system = piece->text;
		else if (piece->role != LOOM_ROLE_TOOL)
			messages[count++] = (struct loom_prompt_message){piece->role, piece->text};
	}
	request->messages = messages;
	request->message_count = count;
}

/* Steps the loop until it is over; ^C ends what the model writes. */
static void wait_for(struct chat *chat)
{
	struct loom_cli *cli = chat->grove->cli;

	loom_cli_listen(cli);
	while (!chat->over) {
		(void)loom_loop_step(loom_cli_loop(cli), -1);
		if (!loom_task_cancelled(&cli->task) || chat->status == LOOM_CANCELLED)
			continue;
		chat->status =
			loom_fail(&chat->err, LOOM_CANCELLED, "stopped; what was done stays done");
		if (chat->generation)
			chat->voices.generator->cancel(chat->voices.generator->ctx,
						       chat->generation, LOOM_CHOICES_ALL);
	}
	loom_cli_unlisten(cli);
}

static enum loom_status ask(struct chat *chat, struct loom_err *err)
{
	struct loom_generate_request request = {.voice = chat->voice.voice,
						.n = 1,
						.salt = (uint64_t)chat->thread.id << 40 ^
							(uint64_t)(chat->turn_seq + chat->step)};
	const struct loom_generate_sink sink = {on_chunk, on_end, on_done, chat};
	enum loom_status status = LOOM_OK;

	take_messages(chat, &request);
	chat->turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
	chat->prose = chat->printed = 0;
	chat->cut = chat->over = false;
	status = chat->voices.generator->start(chat->voices.generator->ctx, &request, &sink,
					       &chat->generation, err);
	if (status != LOOM_OK)
		return status;
	wait_for(chat);
	if (!chat->cut)
		loom_turn_end(chat->turn);
	if (!chat->turn->call_count && !chat->turn->error_count)
		chat->prose = chat->turn->prose.n;
	print_prose(chat);
	if (chat->status != LOOM_OK)
		*err = chat->err;
	return chat->status;
}

/* ---- doing what it asked for ---- */

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	struct chat *chat = ctx;
	struct loom_out *out = chat->grove->cli->out;

	(void)act;
	chat->calls++;
	if (chat->grove->cli->json)
		return;
	loom_out_styled(out, LOOM_STRONG, result->line);
	loom_out_texts(out, "\n");
	loom_out_line(out, result->text);
	(void)!loom_out_flush(out, NULL);
}

static void on_acted(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct chat *chat = ctx;

	chat->over = true;
	if (status != LOOM_OK && chat->status == LOOM_OK) {
		chat->status = status;
		chat->err = *err;
	}
}

static enum loom_status act(struct chat *chat, struct loom_err *err)
{
	struct loom_turn_log log;
	struct loom_actor_opts opts = {
		.engine = {.agent = chat->agent.id,
			   .thread = chat->thread.id,
			   .session = chat->session,
			   .log = &log.face,
			   .window = chat->voice.window},
		.loop = loom_cli_loop(chat->grove->cli),
		.worker = tool_grove_worker(chat->grove),
		.generator = chat->voices.generator,
		.classify = true,
		.sink = {.result = on_result, .done = on_acted, .ctx = chat},
	};
	struct loom_actor *actor = NULL;
	struct loom_act *acts = NULL;
	size_t count = 0;

	loom_turn_log_init(&log, chat->request);
	loom_acts_of(chat->turn, 0, 0, chat->arena, &acts, &count);
	actor = loom_actor_create(&opts);
	loom_actor_turn(actor, chat->said_seq);
	chat->over = false;
	loom_actor_act(actor, acts, count);
	wait_for(chat);
	loom_actor_yield(actor);
	loom_actor_destroy(actor);
	if (chat->status != LOOM_OK)
		*err = chat->err;
	return chat->status;
}

/* ---- a turn ---- */

/* One call of the model and what it asks for; *more: it is to be asked again. */
static enum loom_status round_once(struct chat *chat, bool *more, struct loom_err *err)
{
	enum loom_status status = work(chat, "reading", prepare, err);

	*more = false;
	if (status == LOOM_OK)
		status = ask(chat, err);
	if (chat->turn && (status == LOOM_OK || chat->raw.n)) {
		struct loom_err ignored;
		enum loom_status kept =
			work(chat, "writing", keep_said, status == LOOM_OK ? err : &ignored);

		status = status == LOOM_OK ? kept : status;
	}
	if (status == LOOM_OK && (chat->turn->call_count || chat->turn->error_count)) {
		*more = true;
		status = act(chat, err);
	}
	loom_turn_destroy(chat->turn);
	chat->turn = NULL;
	return status;
}

static enum loom_status take_turn(struct chat *chat, struct loom_str input, struct loom_err *err)
{
	struct loom_err ignored;
	bool more = true;
	enum loom_status status = LOOM_OK;

	chat->arena = loom_arena_create();
	chat->input = input;
	chat->status = LOOM_OK;
	chat->calls = 0;
	chat->warnings = (struct loom_leslie_warnings){.items = NULL};
	status = work(chat, "writing", start_run, err);
	for (size_t i = 0; i < chat->warnings.count; i++)
		loom_out_warn(chat->grove->cli->out, "%.*s", LOOM_STR_ARG(chat->warnings.items[i]));
	if (status == LOOM_OK) {
		for (chat->step = 0; status == LOOM_OK && more; chat->step++) {
			if (chat->step == ROUNDS_MAX || chat->calls >= LOOM_CALLS_MAX) {
				loom_out_note(chat->grove->cli->out,
					      "the turn ends here: %lld rounds, %zu calls",
					      (long long)chat->step, chat->calls);
				break;
			}
			loom_buf_clear(&chat->raw);
			status = round_once(chat, &more, err);
		}
		chat->status = status;
		if (work(chat, "writing", end_run, status == LOOM_OK ? err : &ignored) != LOOM_OK &&
		    status == LOOM_OK)
			status = err->status;
	}
	if (!chat->grove->cli->json)
		loom_out_texts(chat->grove->cli->out, "\n");
	loom_arena_destroy(chat->arena);
	return status;
}

/* Lines of standard input, a turn each. */
static enum loom_status converse(struct chat *chat, struct loom_err *err)
{
	struct loom_str line;
	bool end = false;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK) {
		status = loom_cli_line(chat->grove->cli, LINE_MAX_BYTES, &line, &end, err);
		if (status != LOOM_OK || end)
			break;
		if (loom_str_trim(line).n)
			status = take_turn(chat, line, err);
	}
	return status;
}

/* ---- who and where ---- */

/* Who is not named is the one there is. */
static enum loom_status find_agent(struct chat *chat, struct loom_str name, struct loom_err *err)
{
	struct tool_grove *grove = chat->grove;
	struct loom_agent *list = NULL;
	size_t count = 0;
	size_t aware = 0;
	enum loom_status status = LOOM_OK;

	if (name.p)
		return loom_agent_find(grove->store, name, grove->arena, &chat->agent, err);
	status = loom_agent_list(grove->store, grove->arena, &list, &count, err);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		if (list[i].kind != LOOM_AGENT_MODEL || !list[i].aware)
			continue;
		aware++;
		chat->agent = list[i];
	}
	if (status != LOOM_OK || aware == 1)
		return status;
	loom_fail(err, LOOM_NOT_FOUND,
		  aware ? "several loom-aware agents are here" : "no loom-aware agent is here");
	return loom_hint(err, LOOM_NOT_FOUND, "%s",
			 aware ? "loom chat -a AGENT says whom"
			       : "loom agent add NAME --permissions loom_aware makes one");
}

static enum loom_status find_thread(struct chat *chat, struct loom_str name, struct loom_err *err)
{
	struct tool_grove *grove = chat->grove;
	struct tool_tie tie = {0};
	struct loom_err ignored;
	enum loom_status status = tool_grove_thread(grove, name, NULL, &chat->thread, &ignored);
	const struct loom_agent *holder = NULL;

	if (status == LOOM_OK)
		status = tool_grove_agent(grove, chat->thread.agent, &holder, err);
	else if (status == LOOM_NOT_FOUND)
		status = LOOM_OK;
	/* A thread that no agent works in yet is for the one who is named, or the one there is. */
	if (status == LOOM_OK && (!holder || holder->kind == LOOM_AGENT_HUMAN)) {
		status = find_agent(chat, loom_args_str(grove->cli->args, "--agent"), err);
		tie.agent = chat->agent.id;
	}
	if (status == LOOM_OK)
		status = tool_grove_thread(grove, name, &tie, &chat->thread, err);
	if (status == LOOM_OK)
		status = loom_agent_get(grove->store, chat->thread.agent, grove->arena,
					&chat->agent, err);
	return status == LOOM_OK ? loom_tree_get(grove->store, chat->thread.tree, grove->arena,
						 &chat->tree, err)
				 : status;
}

static enum loom_status find_all(struct chat *chat, struct loom_err *err)
{
	const struct loom_args *args = chat->grove->cli->args;
	struct loom_str thread = loom_args_str(args, "--thread");
	enum loom_status status = LOOM_OK;

	if (thread.p)
		status = find_thread(chat, thread, err);
	else
		status = find_agent(chat, loom_args_str(args, "--agent"), err);
	if (status == LOOM_OK && !thread.p)
		status = tool_grove_tree(chat->grove, loom_args_str(args, "--tree"), &chat->tree,
					 err);
	if (status != LOOM_OK || (chat->agent.kind == LOOM_AGENT_MODEL && chat->agent.aware))
		return status;
	loom_fail(err, LOOM_REFUSED, "%.*s is no loom-aware agent", LOOM_STR_ARG(chat->agent.name));
	return loom_hint(err, LOOM_REFUSED, "loom agent set %.*s --permissions loom_aware",
			 LOOM_STR_ARG(chat->agent.name));
}

static enum loom_status run_chat(struct tool_grove *grove, struct loom_err *err)
{
	struct chat chat = {.grove = grove, .raw = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	struct loom_str input = loom_args_str(grove->cli->args, "--input");
	struct loom_err ignored;
	enum loom_status status = find_all(&chat, err);

	if (status != LOOM_OK)
		return status;
	tool_voices_open(grove, &chat.voices);
	tool_voice_of(&chat.voices, &chat.agent, &chat.voice);
	status = work(&chat, "opening", open_run, err);
	if (status == LOOM_OK)
		status = input.p ? take_turn(&chat, input, err) : converse(&chat, err);
	(void)!work(&chat, "closing", close_run, &ignored);
	tool_voices_close(&chat.voices);
	loom_buf_fini(&chat.raw);
	return status;
}

enum loom_status tool_cmd_chat(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.what = "talk to an agent"};

	return tool_grove_run(cli, &need, run_chat, err);
}
