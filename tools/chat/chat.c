/* A chat: a state machine in the loop's thread that posts one piece of work after the other, asks
 * the model in between, and has an actor do what the model asked for.
 *
 *     open → measure → compact → begin → ( prepare → ask → keep → act )* → drain → end
 *
 * While a piece of work is out, its half of the chat (conversation_log.c) belongs to the worker. A
 * request to stop is only noted, and handled between pieces; a turn that has begun is always ended
 * in its log. */
#include "inside.h"

#include <loom/engine/prompt_request.h>
#include <loom/log/budget.h>
#include <loom/language/parse.h>
#include <loom/tree/say_node.h>
#include <loom/language/scan.h>

enum work {
	WORK_OPEN,
	WORK_MEASURE,
	WORK_COMPACT,
	WORK_BEGIN,
	WORK_RESUME,
	WORK_PREPARE,
	WORK_KEEP,
	WORK_DRAIN,
	WORK_END
};

struct loom_chat {
	struct loom_chat_opts opts;
	struct chat_log log;
	struct loom_turn_log records;
	struct loom_actor *actor; /* NULL until something was to be done */
	enum loom_chat_state state;
	enum work work;
	bool closing;
	bool begun; /* our run is open in the log */
	int64_t thread;
	enum loom_status status;
	struct loom_err err;
	struct loom_generation *generation; /* NULL: none under way */
	struct chat_hearing hearing;        /* for its answer … */
	struct chat_saver saver;            /* … while it arrives */
	struct loom_act *acts;
	size_t act_count;
	size_t generating; /* choices of a call's generation under way */
	size_t undone;     /* calls of this round that were only proposed */
	size_t calls;
	bool limited;
	bool told; /* in this turn, what its calls should look like */
};

static void post(struct loom_chat *chat, enum work work);

static void enter(struct loom_chat *chat, enum loom_chat_state state)
{
	if (chat->state == state)
		return;
	chat->state = state;
	if (chat->opts.sink.state && !chat->closing)
		chat->opts.sink.state(chat->opts.sink.ctx, state);
}

/* The first failure counts. */
static void fail(struct loom_chat *chat, enum loom_status status, const struct loom_err *err)
{
	if (chat->status != LOOM_OK)
		return;
	chat->status = status;
	chat->err = *err;
}

/* ---- the end ---- */

static void free_chat(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct loom_chat *chat = payload;

	(void)status;
	(void)err;
	chat_close(&chat->log);
	loom_turn_destroy(chat->log.said);
	loom_arena_destroy(chat->log.arena);
	loom_arena_destroy(chat->log.lasting);
	loom_buf_fini(&chat->log.raw);
	loom_buf_fini(&chat->log.told);
	chat_hearing_fini(&chat->hearing);
	free(chat);
}

/* Runs after everything that was posted. */
static void close_chat(struct loom_chat *chat)
{
	const struct loom_job job = {.done = free_chat, .payload = chat};

	loom_actor_destroy(chat->actor);
	loom_worker_post(chat->opts.worker, &job);
}

static void give_back(const struct loom_chat *chat)
{
	for (size_t i = 0; i < chat->log.returned_count; i++)
		if (chat->opts.sink.returned)
			chat->opts.sink.returned(chat->opts.sink.ctx, chat->log.returned[i].text,
						 chat->log.returned[i].draft);
}

static void finish(struct loom_chat *chat)
{
	const struct loom_chat_end end = {.status = chat->status,
					  .err = chat->err,
					  .rounds = chat->begun ? chat->log.step + 1 : 0,
					  .calls = chat->calls,
					  .limited = chat->limited,
					  .waiting = chat->undone,
					  .usage = chat->log.used};

	if (chat->closing) {
		close_chat(chat);
		return;
	}
	if (chat->actor)
		loom_actor_yield(chat->actor);
	give_back(chat);
	enter(chat, LOOM_CHAT_IDLE);
	chat->opts.sink.done(chat->opts.sink.ctx, &end);
}

static void end_turn(struct loom_chat *chat)
{
	if (!chat->begun) {
		finish(chat);
		return;
	}
	chat->log.outcome = chat->status == LOOM_OK          ? LOOM_OUTCOME_COMPLETED
			    : chat->status == LOOM_CANCELLED ? LOOM_OUTCOME_CANCELLED
							     : LOOM_OUTCOME_FAILED;
	chat->log.why = loom_str_of(chat->log.outcome == LOOM_OUTCOME_FAILED ? chat->err.text : "");
	post(chat, WORK_END);
}

/* ---- asking the model ---- */

/* Reports the prose that was not reported yet. */
static void tell(struct loom_chat *chat, size_t from)
{
	struct loom_str text = loom_str_sub(loom_buf_str(&chat->log.told), from, SIZE_MAX);

	if (!text.n)
		return;
	enter(chat, LOOM_CHAT_SAYING);
	if (chat->opts.sink.said && !chat->closing)
		chat->opts.sink.said(chat->opts.sink.ctx, text);
}

static void on_said(void *ctx, size_t choice, struct loom_str text)
{
	struct loom_chat *chat = ctx;
	const size_t told = chat->log.told.n;

	(void)choice;
	loom_buf_add(&chat->log.raw, text);
	if (chat->hearing.cut)
		return;
	chat_hear(&chat->hearing, text);
	tell(chat, told);
	if (chat->hearing.cut && chat->generation)
		chat->opts.generator->cancel(chat->opts.generator->ctx, chat->generation, 0);
}

static void on_end(void *ctx, size_t choice, const struct loom_generated *result)
{
	struct loom_chat *chat = ctx;

	(void)choice;
	loom_buf_clear(&chat->log.raw);
	loom_buf_add(&chat->log.raw, result->text);
	chat->log.finish = result->finish;
	chat->log.ended = true;
	chat->log.native = loom_arena_str(chat->log.arena, result->native);
	chat->log.thinking = loom_arena_str(chat->log.arena, result->thinking);
	chat->log.reasoning = loom_arena_str(chat->log.arena, result->reasoning);
	chat->log.empty = result->err;
	chat->log.usage = (struct loom_usage){.calls = 0};
	loom_usage_add(&chat->log.usage, result->record, (size_t)chat->log.assembly.total * 4,
		       result->text.n);
	loom_usage_join(&chat->log.used, &chat->log.usage);
	if (result->finish == LOOM_FINISH_ERROR) {
		struct loom_err err = result->err;

		if (result->text.n && !err.hint[0])
			loom_hint(&err, LOOM_MODEL, "what it said is kept: ask it to go on");
		fail(chat, LOOM_MODEL, &err);
	}
}

static void warn(struct loom_chat *chat, const char *format, ...) LOOM_PRINTF(2, 3);
static void warn(struct loom_chat *chat, const char *format, ...)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);
	va_list args;

	if (!chat->opts.sink.warning || chat->closing)
		return;
	va_start(args, format);
	loom_buf_addfv(&text, format, args);
	va_end(args);
	chat->opts.sink.warning(chat->opts.sink.ctx, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static void on_wait(void *ctx, int64_t ms, const struct loom_err *why)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);

	loom_generate_say_wait(ms, why, &text);
	warn(ctx, "%s", loom_buf_cstr(&text));
	loom_buf_fini(&text);
}

/* Thoughts are kept with the answer; a person sees that there are some. */
static void on_thought(void *ctx, size_t choice, struct loom_str text)
{
	(void)choice;
	(void)text;
	enter(ctx, LOOM_CHAT_THINKING);
}

/* Warns of an answer that looks complete and is not, or of none at all. */
static void warn_of_answer(struct loom_chat *chat)
{
	const struct chat_log *log = &chat->log;

	if (log->finish == LOOM_FINISH_LENGTH && log->empty.text[0])
		warn(chat, "%s", log->empty.text);
	else if (log->finish == LOOM_FINISH_LENGTH)
		warn(chat, "the answer was cut at its token limit");
	else if (log->finish == LOOM_FINISH_FILTER)
		warn(chat, "the provider withheld the rest of the answer");
	else if (log->finish != LOOM_FINISH_CANCELLED && log->finish != LOOM_FINISH_ERROR &&
		 !chat_turn_calls(log->said) && !log->unheard.count &&
		 !loom_str_trim(loom_buf_str(&log->said->prose)).n)
		warn(chat, "%s", log->empty.text[0] ? log->empty.text : "the answer is empty");
}

/* Shows the person what was meant as a call and is none. The model is told the same and asked
 * again, once in a turn. */
static void heed_unheard(struct loom_chat *chat)
{
	struct chat_log *log = &chat->log;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	chat_unheard_find(log->said, log->native, log->arena, &log->unheard);
	log->tell = log->unheard.count && !chat->told;
	chat->told |= log->tell;
	if (log->unheard.count) {
		chat_unheard_say(&log->unheard, " · ", &text);
		warn(chat, "%s", loom_buf_cstr(&text));
	}
	loom_buf_fini(&text);
}

/* Whether the model would have gone on. */
static bool was_cut(const struct chat_log *log)
{
	return log->finish == LOOM_FINISH_LENGTH || log->finish == LOOM_FINISH_FILTER;
}

static void on_over(void *ctx)
{
	struct loom_chat *chat = ctx;
	const size_t told = chat->log.told.n;

	chat->generation = NULL;
	chat_saver_end(&chat->saver);
	chat_hear_end(&chat->hearing, was_cut(&chat->log));
	tell(chat, told);
	heed_unheard(chat);
	warn_of_answer(chat);
	enter(chat, LOOM_CHAT_READING);
	if (chat->status == LOOM_OK || chat->log.raw.n)
		post(chat, WORK_KEEP);
	else
		end_turn(chat);
}

static void ask(struct loom_chat *chat)
{
	const struct loom_generator *generator = chat->opts.generator;
	const struct loom_generate_sink sink = {.chunk = on_said,
						.end = on_end,
						.done = on_over,
						.ctx = chat,
						.waits = on_wait,
						.thinks = on_thought};
	struct loom_generate_request request = {.voice = chat->log.voice,
						.n = 1,
						.tokens = chat->log.tokens,
						.salt = (uint64_t)chat->log.thread.id << 40 ^
							(uint64_t)(chat->log.turn_seq +
								   chat->log.step)};
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;

	loom_request_take(&chat->log.assembly, chat->log.arena, &request);
	loom_turn_destroy(chat->log.said);
	chat->log.said = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
	loom_buf_clear(&chat->log.raw);
	chat->log.ended = false;
	chat->undone = 0;
	chat->log.native = chat->log.thinking = chat->log.reasoning = LOOM_STR("");
	loom_err_clear(&chat->log.empty);
	chat->log.unheard.count = 0;
	chat_hearing_begin(&chat->hearing, &chat->log, chat->calls);
	enter(chat, LOOM_CHAT_ASKING);
	chat_saver_begin(&chat->saver);
	status = generator->start(generator->ctx, &request, &sink, &chat->generation, &err);
	if (status == LOOM_OK)
		return;
	chat_saver_end(&chat->saver);
	fail(chat, status, &err);
	end_turn(chat);
}

/* ---- doing what it asked for ---- */

/* Being told what a call looks like costs the model no round. */
static bool at_limit(const struct loom_chat *chat)
{
	return chat->log.step + 1 >= LOOM_CHAT_ROUNDS_MAX + chat->told ||
	       chat->calls >= LOOM_CALLS_MAX;
}

/* Asks the model again, unless it has reached a limit. */
static void next_round(struct loom_chat *chat)
{
	if (chat->status == LOOM_OK && !at_limit(chat)) {
		chat->log.step++;
		post(chat, WORK_PREPARE);
		return;
	}
	chat->limited = chat->status == LOOM_OK;
	end_turn(chat);
}

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	struct loom_chat *chat = ctx;

	chat->generating = 0;
	chat->calls += act->call || result->read_as; /* lines that are not calls do not count */
	chat->undone += result->proposed;
	enter(chat, LOOM_CHAT_ACTING);
	if (chat->opts.sink.result && !chat->closing)
		chat->opts.sink.result(chat->opts.sink.ctx, act, result);
}

static void on_begin(void *ctx, const struct loom_act *act, const char *const *ids, size_t count)
{
	struct loom_chat *chat = ctx;

	chat->generating = count;
	if (chat->opts.sink.begin && !chat->closing)
		chat->opts.sink.begin(chat->opts.sink.ctx, act, ids, count);
}

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct loom_chat *chat = ctx;

	if (chat->opts.sink.chunk && !chat->closing)
		chat->opts.sink.chunk(chat->opts.sink.ctx, choice, text);
}

static void on_waits(void *ctx, const struct loom_proposal *proposal)
{
	struct loom_chat *chat = ctx;

	enter(chat, LOOM_CHAT_WAITING);
	if (chat->opts.sink.waits && !chat->closing)
		chat->opts.sink.waits(chat->opts.sink.ctx, proposal);
}

static void on_acted(void *ctx, enum loom_status status, const struct loom_err *err)
{
	static const struct loom_err stopped = {.status = LOOM_CANCELLED, .text = "stopped"};
	struct loom_chat *chat = ctx;

	if (status != LOOM_OK)
		fail(chat, status, err ? err : &stopped);
	enter(chat, LOOM_CHAT_READING);
	/* If everything waits for a person, there is nothing new to tell the model; if anything
	 * waits and nobody can be asked, it would only try again. */
	if (chat->status == LOOM_OK &&
	    (chat->undone == chat->act_count || (chat->undone && chat->opts.alone)))
		post(chat, WORK_DRAIN);
	else
		next_round(chat);
}

static void make_actor(struct loom_chat *chat)
{
	const struct loom_actor_opts opts = {
		.engine = {.agent = chat->log.agent.id,
			   .thread = chat->log.thread.id,
			   .session = chat->log.session,
			   .log = &chat->records.face,
			   .hooks = chat->opts.hooks,
			   .prompt = chat->log.prompt,
			   .budget = chat->log.budget},
		.loop = chat->opts.loop,
		.worker = chat->opts.worker,
		.generator = chat->opts.generator,
		.classify = true,
		.waits = true,
		.sink = {.result = on_result,
			 .waits = on_waits,
			 .begin = on_begin,
			 .chunk = on_chunk,
			 .done = on_acted,
			 .ctx = chat},
	};

	chat->actor = loom_actor_create(&opts);
}

static void act(struct loom_chat *chat)
{
	if (!chat->actor)
		make_actor(chat);
	if (chat->opts.alone)
		loom_actor_alone(chat->actor);
	chat->records.request = chat->log.request;
	chat->generating = chat->undone = 0;
	for (size_t i = 0; i < chat->log.said->call_count; i++) {
		struct loom_call *call = &chat->log.said->calls[i];

		call->past_limit = chat->calls + i >= LOOM_CALLS_MAX;
		call->asks = chat_was_given(&chat->log, call);
	}
	loom_acts_of(chat->log.said, 0, 0, chat->log.arena, &chat->acts, &chat->act_count);
	enter(chat, LOOM_CHAT_ACTING);
	loom_actor_turn(chat->actor, chat->log.said_seq);
	loom_actor_act(chat->actor, chat->acts, chat->act_count);
}

/* ---- the machine ---- */

/* Finds out what the context needs to know about the agent's voice. */
static void describe(struct loom_chat *chat)
{
	struct chat_log *log = &chat->log;
	struct loom_voice_info info;

	log->voice = (struct loom_generate_voice){.use = LOOM_GENERATE_COLLABORATOR,
						  .agent = log->agent.name,
						  .model = log->agent.model,
						  .sampling = log->agent.sampling};
	if (chat->opts.generator->describe(chat->opts.generator->ctx, &log->voice, &info, NULL) !=
	    LOOM_OK)
		return;
	log->prompt = loom_arena_str(log->lasting, info.system);
	log->budget = info.budget;
	log->window = info.context;
	log->most = info.tokens;
	log->thoughts = info.thoughts;
	log->allowance = info.allowance;
}

/* ---- before a turn ---- */

static void on_summed(void *ctx)
{
	struct loom_chat *chat = ctx;

	if (chat->status != LOOM_OK)
		end_turn(chat);
	else
		post(chat, WORK_COMPACT);
}

/* The conversation no longer fits: sums up its older part before the turn. */
static void sum_up(struct loom_chat *chat)
{
	struct chat_compaction *compaction = &chat->log.compaction;

	compaction->generator = chat->opts.generator;
	compaction->done = on_summed;
	compaction->ctx = chat;
	if (!chat_compaction_ask(compaction))
		post(chat, WORK_COMPACT);
}

static void on_compacted(struct loom_chat *chat)
{
	const struct chat_compaction *compaction = &chat->log.compaction;
	struct loom_buf text = LOOM_BUF_INIT(256);

	if (!chat->log.compacts) {
		post(chat, WORK_BEGIN);
		return;
	}
	loom_show_many((int64_t)compaction->going_count, "older message is", "older messages are",
		       &text);
	warn(chat, "%s summed up%s, so that the conversation fits; the log keeps %s",
	     loom_buf_cstr(&text), compaction->extract ? " by extracts" : "",
	     compaction->going_count == 1 ? "it" : "them");
	loom_buf_fini(&text);
	post(chat, WORK_BEGIN);
}

static void tell_heard(const struct loom_chat *chat)
{
	if (chat->log.drained && chat->opts.sink.heard && !chat->closing)
		chat->opts.sink.heard(chat->opts.sink.ctx, chat->log.drained);
}

static void say_warning(void *ctx, struct loom_str text)
{
	warn(ctx, "%.*s", LOOM_STR_ARG(text));
}

static void on_begun(struct loom_chat *chat)
{
	loom_told_say(&chat->log.files, say_warning, chat);
	if (chat->opts.sink.began && !chat->closing)
		chat->opts.sink.began(chat->opts.sink.ctx, chat->log.thread.id, chat->log.turn_seq);
	post(chat, WORK_PREPARE);
}

static void on_kept(struct loom_chat *chat)
{
	if (chat->opts.sink.message && !chat->closing)
		chat->opts.sink.message(chat->opts.sink.ctx, chat->log.said_seq);
	if (chat_turn_calls(chat->log.said))
		act(chat);
	else if (chat->log.tell)
		next_round(chat);
	else
		post(chat, WORK_DRAIN);
}

static void on_drained(struct loom_chat *chat)
{
	tell_heard(chat);
	if (chat->log.drained)
		next_round(chat);
	else
		end_turn(chat);
}

/* There is no room for another answer; this one was not begun. */
static void stop_short(struct loom_chat *chat)
{
	chat->log.step--;
	chat->limited = true;
	end_turn(chat);
}

/* A piece of work succeeded and the turn was not stopped. */
static void go_on(struct loom_chat *chat)
{
	switch (chat->work) {
	case WORK_OPEN:
		chat->thread = chat->log.thread.id;
		describe(chat);
		post(chat, chat->log.resuming ? WORK_RESUME : WORK_MEASURE);
		break;
	case WORK_MEASURE:
		if (chat->log.compacts)
			sum_up(chat);
		else
			post(chat, WORK_BEGIN);
		break;
	case WORK_COMPACT:
		on_compacted(chat);
		break;
	case WORK_BEGIN:
	case WORK_RESUME:
		on_begun(chat);
		break;
	case WORK_PREPARE:
		tell_heard(chat);
		if (chat->log.exhausted)
			stop_short(chat);
		else
			ask(chat);
		break;
	case WORK_KEEP:
		on_kept(chat);
		break;
	case WORK_DRAIN:
		on_drained(chat);
		break;
	case WORK_END:
		finish(chat);
		break;
	}
}

static void on_work(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct loom_chat *chat = payload;

	if ((chat->work == WORK_BEGIN || chat->work == WORK_RESUME) && status == LOOM_OK)
		chat->begun = true;
	if (status != LOOM_OK)
		fail(chat, status, err);
	if (chat->work == WORK_END)
		finish(chat);
	else if (chat->status != LOOM_OK)
		end_turn(chat);
	else
		go_on(chat);
}

static enum loom_status run_work(void *context, void *payload, struct loom_task *task,
				 struct loom_err *err)
{
	struct loom_chat *chat = payload;
	struct loom_store *store = context;
	enum loom_status status = LOOM_OK;

	(void)task;
	switch (chat->work) {
	case WORK_OPEN:
		status = chat_open(&chat->log, &chat->opts, store, err);
		break;
	case WORK_MEASURE:
		status = chat_measure(&chat->log, store, err);
		break;
	case WORK_COMPACT:
		status = chat_compact(&chat->log, store, err);
		break;
	case WORK_BEGIN:
		status = chat_begin(&chat->log, store, err);
		break;
	case WORK_RESUME:
		status = chat_resume(&chat->log, store, err);
		break;
	case WORK_PREPARE:
		status = chat_prepare(&chat->log, store, err);
		break;
	case WORK_KEEP:
		status = chat_keep(&chat->log, store, err);
		break;
	case WORK_DRAIN:
		status = chat_drain(&chat->log, store, err);
		break;
	case WORK_END:
		status = chat_end(&chat->log, store, err);
		break;
	}
	return status;
}

static void post(struct loom_chat *chat, enum work work)
{
	const struct loom_job job = {.run = run_work, .done = on_work, .payload = chat};

	chat->work = work;
	loom_worker_post(chat->opts.worker, &job);
}

/* ---- the interface ---- */

void loom_chat_steer(struct loom_chat *chat, struct loom_str text)
{
	const struct chat_steered steered = {.log = &chat->log,
					     .worker = chat->opts.worker,
					     .sink = &chat->opts.sink,
					     .closing = &chat->closing};

	chat_steer(&steered, text);
}

struct loom_chat *loom_chat_create(const struct loom_chat_opts *opts)
{
	struct loom_chat *chat = loom_alloc(sizeof *chat);

	chat->opts = *opts;
	chat->log.lasting = loom_arena_create();
	loom_buf_init(&chat->log.raw, LOOM_BUF_MAX);
	loom_buf_init(&chat->log.told, LOOM_BUF_MAX);
	chat->saver =
		(struct chat_saver){.loop = opts->loop, .worker = opts->worker, .log = &chat->log};
	chat_hearing_init(&chat->hearing);
	loom_turn_log_init(&chat->records, LOOM_STR(""));
	return chat;
}

void loom_chat_destroy(struct loom_chat *chat)
{
	if (!chat)
		return;
	chat->closing = true;
	if (chat->state == LOOM_CHAT_IDLE)
		close_chat(chat);
	else
		loom_chat_cancel(chat, LOOM_CANCEL_ALL);
}

static void start(struct loom_chat *chat)
{
	chat->log.step = 0;
	chat->log.returned_count = 0;
	chat->log.drained = 0;
	chat->log.used = (struct loom_usage){.calls = 0};
	chat->begun = chat->limited = chat->told = false;
	chat->status = LOOM_OK;
	chat->calls = chat->undone = 0;
	enter(chat, LOOM_CHAT_READING);
	post(chat, WORK_OPEN);
}

static void new_arena(struct loom_chat *chat)
{
	loom_arena_destroy(chat->log.arena);
	chat->log.arena = loom_arena_create();
	chat->log.resuming = NULL;
	chat->log.handed = false;
	chat->log.input = LOOM_STR("");
}

void loom_chat_start(struct loom_chat *chat, struct loom_str text)
{
	new_arena(chat);
	chat->log.input = loom_arena_str(chat->log.arena, text);
	start(chat);
}

void loom_chat_hand(struct loom_chat *chat, struct loom_str text)
{
	new_arena(chat);
	chat->log.handed = true;
	chat->log.input = loom_arena_str(chat->log.arena, text);
	start(chat);
}

void loom_chat_take_up(struct loom_chat *chat, const struct loom_resuming *what)
{
	struct loom_resuming *copy = NULL;

	new_arena(chat);
	copy = LOOM_ARENA_NEW(chat->log.arena, struct loom_resuming);
	*copy = *what;
	copy->request_id = loom_arena_str(chat->log.arena, what->request_id);
	copy->run_id = loom_arena_str(chat->log.arena, what->run_id);
	copy->lane = loom_arena_str(chat->log.arena, what->lane);
	chat->log.resuming = copy;
	start(chat);
}

static void stop(struct loom_chat *chat)
{
	struct loom_err err = {.status = LOOM_OK};

	if (chat->state == LOOM_CHAT_IDLE)
		return;
	(void)loom_fail(&err, LOOM_CANCELLED, "stopped; what was done stays done");
	fail(chat, LOOM_CANCELLED, &err);
	if (chat->generation)
		chat->opts.generator->cancel(chat->opts.generator->ctx, chat->generation,
					     LOOM_CHOICES_ALL);
	else if (chat->log.compaction.generation)
		chat_compaction_cancel(&chat->log.compaction);
	else if (chat->actor && loom_actor_busy(chat->actor))
		loom_actor_cancel(chat->actor, LOOM_CHOICES_ALL);
}

void loom_chat_cancel(struct loom_chat *chat, enum loom_chat_cancel what)
{
	const bool nodes = chat->state == LOOM_CHAT_ACTING && chat->generating;

	if (what == LOOM_CANCEL_ALL || !nodes) {
		stop(chat);
		return;
	}
	for (size_t i = 0; i < chat->generating; i++)
		loom_actor_cancel(chat->actor, i);
}

void loom_chat_alone(struct loom_chat *chat)
{
	chat->opts.alone = true;
}

enum loom_chat_state loom_chat_state(const struct loom_chat *chat)
{
	return chat->state;
}

int64_t loom_chat_thread(const struct loom_chat *chat)
{
	return chat->thread;
}
