/* A chat's half on the worker: its thread's log, from the person's text to the model's input, the
 * answer and the end of the run. Knows nothing of loops and models. */
#include "inside.h"
#include <loom/chat/lost_input.h>

#include <loom/grove/draft.h>
#include <loom/engine/turn_log.h>
#include <loom/tree/job.h>
#include <loom/tree/lease.h>
#include <loom/language/parse.h>
#include <loom/language/scan.h>
#include <loom/work/thread.h>

/* ---- opening ---- */

static enum loom_status ensure_thread(struct chat_log *chat, struct loom_store *store,
				      struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);

	if (status != LOOM_OK)
		return status;
	status = loom_thread_ensure(store, chat->agent.id, chat->tree.id, chat->lasting,
				    &chat->thread, err);
	return loom_quiet_end(store, status, err);
}

static enum loom_status find_thread(struct chat_log *chat, const struct loom_chat_opts *opts,
				    struct loom_store *store, struct loom_err *err)
{
	int64_t tree = opts->tree;
	enum loom_status status =
		loom_agent_get(store, opts->agent, chat->lasting, &chat->agent, err);

	if (status == LOOM_OK && (chat->agent.kind != LOOM_AGENT_MODEL || !chat->agent.aware)) {
		loom_fail(err, LOOM_REFUSED, "%.*s is not a loom-aware agent",
			  LOOM_STR_ARG(chat->agent.name));
		return loom_hint(err, LOOM_REFUSED, "loom agent set %.*s --permissions loom_aware",
				 LOOM_STR_ARG(chat->agent.name));
	}
	if (status == LOOM_OK && opts->thread) {
		status = loom_thread_get(store, opts->thread, chat->lasting, &chat->thread, err);
		tree = chat->thread.tree;
	}
	if (status == LOOM_OK)
		status = loom_tree_get(store, tree, chat->lasting, &chat->tree, err);
	if (status == LOOM_OK && !chat->thread.id)
		status = ensure_thread(chat, store, err);
	return status;
}

static enum loom_status move(struct chat_log *chat, struct loom_store *store, int64_t place,
			     struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);

	if (status != LOOM_OK)
		return status;
	status = loom_thread_move(store, chat->thread.id, place, err);
	if (status == LOOM_OK)
		status = loom_turn_log_step(store, &chat->log, LOOM_STR(""), place, err);
	return loom_quiet_end(store, status, err);
}

/* Names the turn by the row that it begins with. */
static enum loom_status name_request(struct chat_log *chat, struct loom_err *err)
{
	int64_t head = LOOM_SEQ_NONE;
	enum loom_status status = chat->log.ops->head(chat->log.ctx, &head, err);

	chat->request = loom_arena_format(chat->arena, "%.*s-%lld", LOOM_STR_ARG(chat->thread.name),
					  (long long)head + 1);
	return status;
}

/* Puts the thread where the conversation is to begin. */
static enum loom_status take_place(struct chat_log *chat, const struct loom_chat_opts *opts,
				   struct loom_store *store, struct loom_err *err)
{
	struct loom_node node;
	int64_t head = LOOM_SEQ_NONE;
	enum loom_status status = chat->log.ops->head(chat->log.ctx, &head, err);

	if (status != LOOM_OK || !opts->place || (head != LOOM_SEQ_NONE && !opts->goes))
		return status;
	status = loom_node_get(store, opts->place, LOOM_NODE_NARROW, chat->lasting, &node, err);
	if (status != LOOM_OK || chat->thread.position == node.id)
		return status;
	if (node.tree == chat->thread.tree)
		return move(chat, store, node.id, err);
	if (!opts->goes)
		return LOOM_OK;
	loom_fail(err, LOOM_CROSS_TREE, "the thread is in another tree than that node");
	return loom_hint(err, LOOM_CROSS_TREE, "name a node of the thread's own tree");
}

enum loom_status chat_open(struct chat_log *chat, const struct loom_chat_opts *opts,
			   struct loom_store *store, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (chat->keeper)
		return LOOM_OK;
	status = find_thread(chat, opts, store, err);
	if (status == LOOM_OK && !opts->session && !chat->own_session)
		status = loom_session_open(store, &chat->own_session, err);
	if (status != LOOM_OK)
		return status;
	chat->session = opts->session ? opts->session : chat->own_session;
	status = loom_thread_log_open(store, chat->thread.id, chat->session, &chat->keeper, err);
	if (status != LOOM_OK)
		return status;
	chat->log = loom_thread_log_face(chat->keeper);
	return take_place(chat, opts, store, err);
}

static enum loom_status open_run(struct chat_log *chat, struct loom_store *store,
				 struct loom_err *err)
{
	const struct chat_run_place place = {.store = store,
					     .thread = &chat->thread,
					     .log = &chat->log,
					     .prompt = chat->prompt};

	return chat->run ? LOOM_OK : chat_run_open(&place, &chat->run, err);
}

void chat_close(struct chat_log *chat)
{
	loom_run_close(chat->run);
	loom_thread_log_close(chat->keeper);
	loom_session_close(chat->own_session);
	loom_heads_destroy(chat->heads);
}

/* ---- a turn ---- */

/* Reports why the log did not take it. */
static enum loom_status check(const struct loom_run_result *result, const char *what,
			      struct loom_err *err)
{
	if (result->answer == LOOM_ANSWER_ACCEPTED || result->answer == LOOM_ANSWER_QUEUED)
		return LOOM_OK;
	loom_fail(err, LOOM_CONFLICT, "the thread cannot take %s: %s", what,
		  result->why ? result->why : loom_answer_word(result->answer));
	return loom_hint(err, LOOM_CONFLICT, "a thread has one run at a time");
}

/* The context of the turn that begins in row `turn_seq`; LOOM_SEQ_HEAD: none has begun. */
static struct loom_aware_opts context_of(const struct chat_log *chat, int64_t turn_seq)
{
	return (struct loom_aware_opts){.agent = &chat->agent,
					.thread = chat->thread.id,
					.prompt = chat->prompt,
					.at = LOOM_SEQ_HEAD,
					.turn_seq = turn_seq,
					.request = chat->request,
					.now = chat->began,
					.session = chat->session,
					.heads = chat->heads,
					.budget = chat->budget,
					.thoughts = chat->thoughts};
}

/* Returns the block if this turn is to begin with it. One whose context is too large begins with
 * it, and is refused later, with the reason. */
static struct loom_str block_due(struct chat_log *chat, struct loom_store *store)
{
	struct loom_aware_opts opts = context_of(chat, LOOM_SEQ_HEAD);
	struct loom_assembly assembly;

	if (!chat->files.block.n)
		return LOOM_STR("");
	opts.input = chat->input;
	if (loom_told_assemble(store, &chat->files, &opts, chat->arena, &assembly, NULL) != LOOM_OK)
		return chat->files.block;
	return opts.block;
}

/* Keeps what is broken, with the block that leaves it out; damage always. What is broken and known
 * is not said again. */
static enum loom_status keep_warnings(struct chat_log *chat, struct loom_store *store, bool block,
				      struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!block && !chat->files.damaged)
		chat->files.warnings.count = 0;
	if (!chat->files.warnings.count)
		return LOOM_OK;
	status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	status = loom_told_warn(&chat->log, chat->request, &chat->files.warnings, chat->arena, err);
	return loom_quiet_end(store, status, err);
}

/* Writes the input, after the thread's block when that is due. */
static enum loom_status write_input(struct chat_log *chat, struct loom_store *store,
				    struct loom_message *out, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str block = LOOM_STR("");
	enum loom_status status =
		loom_told_now(store, &chat->thread, &chat->log, chat->arena, &chat->files, err);

	if (status == LOOM_OK)
		block = block_due(chat, store);
	out->block = block.n > 0;
	out->given = chat->handed;
	if (status == LOOM_OK)
		status = keep_warnings(chat, store, out->block, err);
	if (out->block)
		loom_thread_context_message(block, chat->input, &text);
	else
		loom_buf_add(&text, chat->input);
	out->content = loom_json_quoted(loom_buf_str(&text), chat->arena);
	/* What it knows counts once it is told (chat_prepare): its program may die before. */
	out->news = chat->files.news;
	loom_buf_fini(&text);
	return status;
}

/* ---- before a turn ---- */

/* Returns how many of a lane's messages, the newest first, cost at most that. */
static size_t newest_that_fit(const struct chat_log *chat, const struct loom_context *context,
			      int64_t most)
{
	int64_t cost = 0;
	size_t count = 0;

	while (count < context->count) {
		struct loom_prompt_message said;

		loom_entry_message(&context->entries[context->count - count - 1], chat->arena,
				   &said);
		cost += loom_prompt_tokens(&said);
		if (cost > most)
			break;
		count++;
	}
	return count;
}

/* Takes the oldest messages, so that half of the budget is free again, and the last exchange stays
 * if it is not too long. */
static bool take_oldest(struct chat_log *chat, const struct loom_context *context,
			const struct loom_assembly *whole)
{
	const int64_t talk = loom_assembly_part_tokens(whole, LOOM_PART_MESSAGES);
	const int64_t eighth = chat->budget / 8;
	const int64_t free = chat->budget / 2 - (whole->total - talk) - chat->compaction.tokens;
	size_t stay = newest_that_fit(chat, context, free > eighth ? free : eighth);

	if (stay < 2 && newest_that_fit(chat, context, chat->budget / 4) >= 2)
		stay = 2;
	/* What is short is no use to sum up: the rest of the context has to give way. */
	return talk > chat->budget / 4 && stay < context->count &&
	       chat_compaction_take(&chat->compaction, context, context->count - stay);
}

/* Refuses a text that alone is too long for the model, since it cannot give way to anything. */
static enum loom_status check_length(const struct chat_log *chat, struct loom_err *err)
{
	const int64_t tokens = loom_token_estimate(chat->input.n);
	struct loom_buf text = LOOM_BUF_INIT(256);

	if (tokens <= chat->budget)
		return LOOM_OK;
	loom_buf_add_count(&text, (uint64_t)tokens);
	loom_buf_adds(&text, " tokens, and ");
	loom_buf_add(&text, chat->agent.name);
	loom_buf_adds(&text, "'s model takes ");
	loom_buf_add_count(&text, (uint64_t)chat->budget);
	loom_fail(err, LOOM_LIMIT, "the text has about %s", loom_buf_cstr(&text));
	loom_buf_fini(&text);
	return loom_hint(err, LOOM_LIMIT,
			 "shorten it (a payload: `loom payload remove SCOPE PATH`), or give the "
			 "agent a model with a larger window");
}

enum loom_status chat_measure(struct chat_log *chat, struct loom_store *store, struct loom_err *err)
{
	struct loom_aware_opts opts = context_of(chat, LOOM_SEQ_HEAD);
	struct loom_run_state state;
	struct loom_assembly whole;
	enum loom_status status = LOOM_OK;

	chat->compacts = false;
	if (!chat->budget)
		return LOOM_OK;
	if (check_length(chat, err) != LOOM_OK)
		return LOOM_LIMIT;
	chat->compaction.arena = chat->arena;
	chat->compaction.title = chat->tree.title;
	chat->compaction.tokens = chat->window / 8;
	opts.heads = NULL;
	opts.budget = 0;
	opts.input = chat->input;
	status = open_run(chat, store, err);
	if (status == LOOM_OK)
		status = loom_told_now(store, &chat->thread, &chat->log, chat->arena, &chat->files,
				       err);
	opts.block = chat->files.block; /* needed again once the messages with it are gone */
	opts.news = chat->files.news;
	if (status == LOOM_OK)
		status = loom_run_look(chat->run, &state, err);
	if (status == LOOM_OK)
		status = loom_assemble_aware(store, &opts, chat->arena, &whole, err);
	if (status == LOOM_OK && !state.active && chat->compaction.tokens &&
	    whole.total > chat->budget)
		chat->compacts = take_oldest(chat, state.context, &whole);
	return status;
}

enum loom_status chat_compact(struct chat_log *chat, struct loom_store *store, struct loom_err *err)
{
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	enum loom_status status = chat_compaction_apply(&chat->compaction, chat->run,
							loom_str_make(NULL, 0), &result, err);

	(void)store;
	/* Somebody else was faster. */
	chat->compacts = status == LOOM_OK;
	if (status != LOOM_REFUSED)
		return status;
	loom_err_clear(err);
	return LOOM_OK;
}

/* Lets others see who is at work where, from the beginning of a turn to its end. */
static void show_presence(const struct chat_log *chat, struct loom_store *store, const char *doing)
{
	const struct loom_presence who = {.agent = chat->agent.name,
					  .thread = chat->thread.name,
					  .doing = loom_str_of(doing)};
	struct loom_thread thread;
	int64_t at = 0;

	if (loom_thread_get(store, chat->thread.id, chat->arena, &thread, NULL) == LOOM_OK &&
	    loom_thread_stand(store, &thread, &at, NULL) == LOOM_OK)
		loom_session_at(store, chat->session, &who, at);
}

enum loom_status chat_begin(struct chat_log *chat, struct loom_store *store, struct loom_err *err)
{
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	struct loom_message message = {.request_id = LOOM_STR("")};
	enum loom_status status = open_run(chat, store, err);

	loom_heads_destroy(chat->heads);
	chat->heads = loom_heads_create();
	chat->began = loom_env_now(loom_store_env(store));
	if (status == LOOM_OK)
		status = name_request(chat, err);
	if (status == LOOM_OK)
		status = write_input(chat, store, &message, err);
	message.request_id = chat->request;
	if (status == LOOM_OK)
		status = loom_run_start(chat->run, &message, &result, err);
	chat_unheard_keep(store, &chat->thread, result.returned);
	if (status == LOOM_OK)
		status = check(&result, "a turn now", err);
	chat->turn_seq = result.seq;
	if (status != LOOM_OK)
		return status;
	show_presence(chat, store, "answering");
	return LOOM_OK;
}

/* ---- a turn that is taken up ---- */

/* Reads how the run ended, if it did, and where it began. */
static enum loom_status find_ended(struct chat_log *chat, struct loom_resuming *what,
				   enum loom_run_outcome *out, bool *out_ended,
				   struct loom_err *err)
{
	struct loom_str *records = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_thread_log_runs(chat->keeper, 1, chat->arena, &records, &count, err);

	*out_ended = false;
	if (status != LOOM_OK || !count ||
	    !loom_jval_says(loom_jval_get(records[0], "request_id"), what->request_id))
		return status;
	*out_ended = loom_run_outcome_parse(loom_jval_text(loom_jval_get(records[0], "outcome"),
							   chat->arena),
					    out);
	(void)loom_jval_int(loom_jval_get(records[0], "from_seq"), &what->from_seq);
	return LOOM_OK;
}

static enum loom_status refuse_resuming(const char *why, struct loom_err *err)
{
	static const char *const said[][2] = {
		{"busy", "another turn is running in its thread"},
		{"moved_on", "its thread has moved on"},
		{"other_log", "its thread held something else then, as a log of another past does"},
		{"no_such_run", "its thread does not know it"},
		{"completed", "it was completed"},
		{"cancelled", "it was stopped"},
	};

	for (size_t i = 0; i < LOOM_COUNT(said); i++)
		if (strcmp(why, said[i][0]) == 0)
			why = said[i][1];
	loom_fail(err, LOOM_CONFLICT, "the turn cannot be taken up: %s", why);
	return loom_hint(
		err, LOOM_CONFLICT,
		"`loom thread lane --restore SEQ` goes back to what the thread held at a row");
}

static bool take_step(void *ctx, const struct loom_log_row *row)
{
	struct chat_log *chat = ctx;
	const struct loom_str payload = loom_jval_of(row->payload);

	if (loom_jval_says(loom_jval_get(payload, "request_id"), chat->request) &&
	    loom_jval_int(loom_jval_get(payload, "step"), &chat->step))
		chat->step++;
	return false;
}

enum loom_status chat_resume(struct chat_log *chat, struct loom_store *store, struct loom_err *err)
{
	const struct loom_log_visitor visitor = {take_step, chat};
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	struct loom_resuming what = *chat->resuming;
	enum loom_run_outcome outcome = LOOM_OUTCOME_WORKER_EXIT;
	bool ended = false;
	enum loom_status status = open_run(chat, store, err);

	if (status == LOOM_OK)
		status = find_ended(chat, &what, &outcome, &ended, err);
	if (status == LOOM_OK && ended &&
	    (outcome == LOOM_OUTCOME_COMPLETED || outcome == LOOM_OUTCOME_CANCELLED))
		return refuse_resuming(loom_run_outcome_word(outcome), err);
	if (status == LOOM_OK)
		status = loom_run_resume(chat->run, &what, &result, err);
	if (status == LOOM_OK && result.answer != LOOM_ANSWER_ACCEPTED)
		return refuse_resuming(result.why, err);
	chat->files = (struct loom_told){.block = LOOM_STR("")};
	chat->request = loom_arena_str(chat->arena, what.request_id);
	chat->turn_seq = result.seq;
	chat->began = loom_env_now(loom_store_env(store));
	loom_heads_destroy(chat->heads);
	chat->heads = loom_heads_create();
	if (status != LOOM_OK)
		return status;
	show_presence(chat, store, "answering");
	return loom_log_newest(&chat->log, LOOM_STR(LOOM_KIND_INPUT), LOOM_SEQ_HEAD, &visitor, err);
}

enum loom_status chat_drain(struct chat_log *chat, struct loom_store *store, struct loom_err *err)
{
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	enum loom_status status = loom_run_drain(chat->run, &result, err);

	(void)store;
	chat->drained = status == LOOM_OK ? result.drained : 0;
	return status;
}

/* Tokens left for the answer out of a limit, after the prompt. */
static int64_t room_in(int64_t limit, const struct loom_usage *used, int64_t told)
{
	return limit ? limit - loom_usage_tokens(used) - told : INT64_MAX;
}

/* How long the next answer may be, and whether there may be one. The agent's total includes this
 * turn, which is in the log by then. */
static enum loom_status afford(struct chat_log *chat, struct loom_store *store,
			       struct loom_err *err)
{
	const struct loom_allowance *may = &chat->allowance;
	const int64_t told = chat->assembly.total;
	const int64_t room = room_in(may->turn, &chat->used, told);
	int64_t most = chat->most ? chat->most : INT64_MAX;
	struct loom_usage all = {.calls = 0};
	enum loom_status status = LOOM_OK;

	chat->exhausted = room <= 0;
	if (chat->exhausted && !chat->step) {
		loom_fail(err, LOOM_LIMIT,
			  "max tokens per turn is %lld, and the context alone has %lld",
			  (long long)may->turn, (long long)told);
		return loom_hint(err, LOOM_LIMIT,
				 "a person can raise turn_tokens of the agent in config.json");
	}
	if (may->tokens || may->cost > 0)
		status = loom_usage_agent(store, chat->agent.id, &all, err);
	if (status == LOOM_OK)
		status = loom_usage_check(may, &all, told + 1, chat->agent.name, err);
	if (room < most)
		most = room;
	if (chat->window > told && chat->window - told < most)
		most = chat->window - told;
	if (room_in(may->tokens, &all, told) < most)
		most = room_in(may->tokens, &all, told);
	chat->tokens = most < INT64_MAX ? most : 0;
	return status;
}

/* Queues summaries for the nodes that were given by their first sentence only, for the next
 * time. */
static enum loom_status queue_bare(const struct chat_log *chat, struct loom_store *store,
				   struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < chat->assembly.whose_count && status == LOOM_OK; i++)
		if (chat->assembly.whose[i].bare)
			status = loom_summary_due(store, LOOM_JOB_NODE,
						  chat->assembly.whose[i].of->id, err);
	return status;
}

enum loom_status chat_prepare(struct chat_log *chat, struct loom_store *store, struct loom_err *err)
{
	const struct loom_aware_opts opts = context_of(chat, chat->turn_seq);
	const struct loom_input input = {.request = chat->request, .step = chat->step};
	enum loom_status status = chat_drain(chat, store, err);

	if (status == LOOM_OK)
		status = loom_assemble_aware(store, &opts, chat->arena, &chat->assembly, err);
	if (status == LOOM_OK)
		status = loom_assembly_judge(store, chat->arena, &chat->assembly, err);
	if (status == LOOM_OK)
		status = afford(chat, store, err);
	if (status == LOOM_OK && chat->exhausted)
		return LOOM_OK;
	if (status == LOOM_OK)
		status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	status = loom_input_keep(store, &chat->log, &input, &chat->assembly, err);
	if (status == LOOM_OK && chat->files.changed) {
		status = loom_block_tell(&chat->log, chat->request, chat->files.known, LOOM_STR(""),
					 err);
		chat->files.changed = false;
	}
	if (status == LOOM_OK)
		status = queue_bare(chat, store, err);
	return loom_quiet_end(store, status, err);
}

static struct loom_str output_json(const struct chat_log *chat, enum loom_finish finish,
				   const struct loom_usage *usage, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	struct loom_str out;

	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "request_id", chat->request);
	loom_json_put(&json, "run_id", chat->request);
	loom_json_put_int(&json, "step", chat->step);
	loom_json_put(&json, "text", loom_buf_str(&chat->raw));
	loom_json_put(&json, "finish", loom_str_of(loom_finish_name(finish)));
	loom_json_key(&json, "usage");
	loom_usage_write(usage, &json);
	loom_json_end_object(&json);
	out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return out;
}

void chat_message(const struct chat_log *chat, struct loom_arena *arena, struct loom_message *out)
{
	struct loom_usage usage = {.calls = 0};
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);

	/* A wrong form does not stay as an example. */
	chat_unheard_cut(&chat->unheard, loom_buf_str(&chat->told), &said);
	/* Until the answer has ended, its cost can only be estimated from its length. */
	loom_usage_add(&usage, LOOM_STR("{}"), (size_t)chat->assembly.total * 4, chat->raw.n);
	*out = (struct loom_message){
		.request_id = chat->request,
		.content = loom_json_quoted(loom_str_trim(loom_buf_str(&said)), arena),
		.output = chat->ended ? output_json(chat, chat->finish, &chat->usage, arena)
				      : output_json(chat, LOOM_FINISH_ERROR, &usage, arena),
	};
	/* what it thought beside its text, and what it marked as a thought in it */
	loom_buf_clear(&said);
	loom_buf_add(&said, chat->thinking);
	if (chat->thinking.n && chat->said->thinking.n)
		loom_buf_adds(&said, "\n\n");
	loom_buf_add(&said, loom_buf_str(&chat->said->thinking));
	if (said.n)
		out->thinking = loom_json_quoted(loom_buf_str(&said), arena);
	out->reasoning = chat->reasoning;
	loom_buf_fini(&said);
}

/* Tells the model what it meant as calls and is none, as a result of this turn that fades like any
 * other. */
static enum loom_status keep_unheard(struct chat_log *chat, struct loom_store *store,
				     struct loom_err *err)
{
	struct loom_log_row row = {.at_ms = LOOM_TIME_NONE, .kind = LOOM_STR(LOOM_KIND_RESULT)};
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	int64_t seq = 0;
	enum loom_status status = loom_quiet_begin(store, err);

	if (status != LOOM_OK)
		return status;
	chat_unheard_say(&chat->unheard, "\n  hint: ", &said);
	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "request_id", chat->request);
	loom_json_put(&json, "run_id", chat->request);
	loom_json_put(&json, "text", loom_buf_str(&said));
	loom_json_put(&json, "own", loom_buf_str(&said));
	loom_json_end_object(&json);
	row.payload = loom_buf_str(&text);
	status = loom_quiet_end(store, loom_log_append(&chat->log, &row, &seq, err), err);
	loom_buf_fini(&said);
	loom_buf_fini(&text);
	return status;
}

enum loom_status chat_keep(struct chat_log *chat, struct loom_store *store, struct loom_err *err)
{
	struct loom_message message;
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	enum loom_status status = LOOM_OK;

	chat_message(chat, chat->arena, &message);
	status = loom_run_assistant(chat->run, &message, &result, err);
	chat->said_seq = result.seq;
	if (status == LOOM_OK)
		status = check(&result, "what the model said", err);
	return status == LOOM_OK && chat->tell ? keep_unheard(chat, store, err) : status;
}

enum loom_status chat_queue(struct chat_log *chat, struct loom_str text, struct loom_err *err)
{
	const struct loom_steer steer = {.content = text};
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	enum loom_status status = LOOM_OK;

	if (!chat->run)
		return loom_fail(err, LOOM_CONFLICT, "no turn is running");
	/* A text that is not taken comes back; that is not a failure of the chat. */
	status = loom_run_steer(chat->run, &steer, &result, err);
	return status == LOOM_OK ? check(&result, "it", err) : status;
}

/* ---- the end ---- */

struct loom_str chat_draft(struct chat_log *chat, struct loom_store *store, struct loom_str text,
			   struct loom_arena *arena)
{
	return chat->thread.id ? chat_unheard_draft(store, &chat->thread, text, arena)
			       : LOOM_STR("");
}

static void take_returned(struct chat_log *chat, struct loom_store *store, struct loom_str list)
{
	struct loom_jwalk walk = loom_jval_walk(list);
	struct loom_str item;

	chat->returned = LOOM_ARENA_ARRAY(chat->arena, loom_jval_count(list), struct chat_returned);
	chat->returned_count = 0;
	while (loom_jwalk_next(&walk, NULL, &item)) {
		struct chat_returned *one = &chat->returned[chat->returned_count++];

		one->text =
			loom_arena_str(chat->arena,
				       loom_jval_text(loom_jval_get(item, "content"), chat->arena));
		one->draft = chat_draft(chat, store, one->text, chat->arena);
	}
}

enum loom_status chat_end(struct chat_log *chat, struct loom_store *store, struct loom_err *err)
{
	struct loom_run_result result = {.seq = LOOM_SEQ_NONE};
	const struct loom_run_ending ending = {chat->request, chat->outcome, chat->why};
	enum loom_status status = loom_run_end(chat->run, &ending, &result, err);

	show_presence(chat, store, "reading");
	if (status == LOOM_OK && result.returned.n)
		take_returned(chat, store, result.returned);
	return status;
}

/* ---- turns that died ---- */

static bool is_left_open(const struct loom_log *log)
{
	struct loom_buf record = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool open = log->ops->slot_read(log->ctx, LOOM_SLOT_RUN, &record, NULL) == LOOM_OK &&
		    record.n && !log->ops->run_alive(log->ctx, loom_buf_str(&record));

	loom_buf_fini(&record);
	return open;
}

bool loom_chat_left_open(struct loom_store *store, int64_t thread)
{
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	bool open = false;

	if (loom_thread_log_open(store, thread, NULL, &keeper, NULL) != LOOM_OK)
		return false;
	log = loom_thread_log_face(keeper);
	open = is_left_open(&log);
	loom_thread_log_close(keeper);
	return open;
}

enum loom_status loom_chat_recover(struct loom_store *store, int64_t thread, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_thread_log *keeper = NULL;
	struct loom_run *run = NULL;
	struct loom_thread row;
	struct loom_log log;
	const struct chat_run_place place = {.store = store, .thread = &row, .log = &log};
	enum loom_status status = loom_thread_get(store, thread, arena, &row, err);

	if (status == LOOM_OK)
		status = loom_thread_log_open(store, thread, NULL, &keeper, err);
	if (status == LOOM_OK) {
		log = loom_thread_log_face(keeper);
		status = chat_run_open(&place, &run, err);
	}
	loom_run_close(run);
	loom_thread_log_close(keeper);
	loom_arena_destroy(arena);
	return status;
}
