/* An actor: a state machine in the loop's thread that posts one piece of work after the other.
 *
 * While a piece is out, only the worker touches the engine; in between, its results are read here.
 * If an agent needs a person's leave, the whole turn is proposed first, and the actor looks for the
 * answer a few times a second. A generation is: called (worker), described (here), assembled
 * (worker), streamed (here; flush.c has it stored), ended (worker). */
#include <loom/actor/asking.h>

#include <loom/actor/summarize.h>

#include <loom/engine/handlers.h>
#include <loom/language/parse.h>
#include <loom/engine/summary_prompt.h>
#include <loom/tree/request.h>

#define LOOK_MS 200

enum work {
	WORK_OPEN,     /* open the engine, begin the turn, move, find out what needs leave */
	WORK_LEAVE,    /* look for an answer */
	WORK_READ,     /* find out whether a classifier's reading needs leave */
	WORK_CALL,     /* do one act */
	WORK_PLAN,     /* find the members of a plan */
	WORK_ASSEMBLE, /* assemble what the models are given */
	WORK_SHRINK,   /* assemble less, because it did not fit */
	WORK_END,      /* end a generation */
	WORK_SUM,      /* take the summary of a long result */
};

struct loom_actor {
	struct loom_actor_opts opts;
	struct loom_engine *engine;
	struct loom_arena *arena; /* for the acts under way */
	const struct loom_act *acts;
	size_t count;
	size_t at;
	bool busy;
	bool closing;
	bool stopped; /* the remaining acts are not done */
	bool new_turn;
	int64_t seq;
	struct loom_buf stand;
	/* the piece of work that is out */
	enum work work;
	enum loom_engine_next next;
	struct loom_result result;
	struct loom_call reading; /* a classifier's */
	bool has_reading;
	struct loom_voice_info *voices;
	const struct loom_plan *plan;    /* of the only voice, to take its place */
	struct loom_allowance allowance; /* of the acting agent */
	struct loom_err why;             /* why the model could not be asked */
	bool failed;
	/* the generation under way */
	struct actor_requests requests;
	bool shrunk; /* its prompts did not fit, and shorter ones were made */
	size_t levels;
	bool classifying;
	bool sums;    /* a model summarises long results */
	bool summing; /* it is being asked to */
	struct loom_str summary;
	struct actor_growing growing; /* the text so far */
	struct actor_leave leave;
	struct loom_act read_act; /* the reading as an act, and the leave it needs */
	struct actor_leave read_leave;
	struct actor_leave *asked; /* the one of the two being waited for */
	uint64_t looking;          /* timer of the next look for an answer; 0: none */
};

static void post(struct loom_actor *actor, enum work work);
static void go_on(struct loom_actor *actor);

void loom_acts_of(const struct loom_turn *turn, size_t from_call, size_t from_error,
		  struct loom_arena *arena, struct loom_act **out, size_t *out_count)
{
	const size_t most = turn->call_count + turn->error_count - from_call - from_error;
	size_t call = from_call;
	size_t error = from_error;

	*out = LOOM_ARENA_ARRAY(arena, most, struct loom_act);
	*out_count = 0;
	while (call < turn->call_count || error < turn->error_count) {
		struct loom_act *act = &(*out)[(*out_count)++];

		if (call == turn->call_count || (error < turn->error_count &&
						 turn->errors[error].line < turn->calls[call].line))
			act->refusal = &turn->errors[error++];
		else
			act->call = &turn->calls[call++];
	}
}

/* ---- in the worker's thread ---- */

static enum loom_status ask_leave(struct loom_actor *actor, struct actor_leave *leave,
				  const struct loom_act *acts, size_t count, struct loom_err *err)
{
	const struct actor_leave_of of = {.acts = acts,
					  .count = count,
					  .asker = actor->opts.waits ? actor->opts.engine.session
								     : NULL};

	*leave = (struct actor_leave){.acts = 0};
	if (actor->opts.approved)
		return LOOM_OK;
	return actor_leave_ask(leave, actor->engine, &of, actor->arena, err);
}

/* A classifier's reading was written by neither side, so it is proposed like any call, at the place
 * where it stands by then; one that changes something always. */
static enum loom_status ask_reading(struct loom_actor *actor, struct loom_err *err)
{
	const unsigned deeds = loom_call_need(&actor->reading).deeds;

	actor->reading.asks = deeds != LOOM_DEED_LOOKS && deeds != LOOM_DEED_REMEMBERS;
	actor->read_act = (struct loom_act){.call = &actor->reading};
	return ask_leave(actor, &actor->read_leave, &actor->read_act, 1, err);
}

static enum loom_status run_open(struct loom_actor *actor, struct loom_store *store,
				 struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!actor->engine) {
		actor->opts.engine.store = store;
		status = loom_engine_open(&actor->opts.engine, &actor->engine, err);
	}
	if (actor->count > 1)
		loom_request_in_parts(store);
	if (status == LOOM_OK && actor->new_turn)
		status = loom_engine_turn(actor->engine, actor->seq, err);
	if (status == LOOM_OK && actor->stand.n)
		status = loom_engine_stand(actor->engine, loom_buf_str(&actor->stand), err);
	return status == LOOM_OK ? ask_leave(actor, &actor->leave, actor->acts, actor->count, err)
				 : status;
}

/* Tells the engine the person's answer about the current act. */
static void tell_leave(struct loom_actor *actor)
{
	const struct actor_leave *leave = actor->has_reading ? &actor->read_leave : &actor->leave;
	const size_t at = actor->has_reading ? 0 : actor->at;
	struct loom_buf name = LOOM_BUF_INIT(256);
	enum loom_leave said = LOOM_LEAVE_NONE;

	if (actor->opts.approved)
		said = LOOM_LEAVE_GIVEN;
	else if (at < leave->acts)
		said = leave->given[at];
	if (said == LOOM_LEAVE_NONE && leave->proposal.id && leave->wants[at])
		loom_proposal_name(&leave->proposal, &name);
	loom_engine_leave(actor->engine, said, loom_buf_str(&name));
	loom_buf_fini(&name);
}

static void run_call(struct loom_actor *actor)
{
	const struct loom_act *act = &actor->acts[actor->at];
	const struct loom_call *call = actor->has_reading ? &actor->reading : act->call;

	actor->next = LOOM_ENGINE_DONE;
	tell_leave(actor);
	loom_engine_sums(actor->engine, actor->sums);
	if (actor->has_reading)
		loom_engine_read_as(actor->engine, call);
	if (call)
		actor->next = loom_engine_call(actor->engine, call, &actor->result);
	else
		loom_engine_refuse(actor->engine, act->refusal, &actor->result);
}

static void run_end(struct loom_actor *actor)
{
	actor->next =
		loom_engine_generated(actor->engine, actor->failed ? NULL : actor->requests.choices,
				      &actor->why, &actor->result);
}

static enum loom_status run_work(void *context, void *payload, struct loom_task *task,
				 struct loom_err *err)
{
	struct loom_actor *actor = payload;
	enum loom_status status = LOOM_OK;

	(void)task;
	if (actor->opts.request)
		loom_request_for(context, actor->opts.request);
	if (actor->opts.aside)
		loom_store_heed(context, actor->opts.aside);
	switch (actor->work) {
	case WORK_OPEN:
		status = run_open(actor, context, err);
		break;
	case WORK_LEAVE:
		status = actor_leave_look(actor->asked, actor->engine, err);
		break;
	case WORK_READ:
		status = ask_reading(actor, err);
		break;
	case WORK_CALL:
		run_call(actor);
		break;
	case WORK_PLAN:
		status = loom_engine_plan(actor->engine, actor->plan, err);
		break;
	case WORK_ASSEMBLE:
		status = loom_engine_assemble(actor->engine, actor->voices, &actor->allowance, err);
		break;
	case WORK_SHRINK:
		status = loom_engine_shrink(actor->engine, actor->voices, actor->requests.choices,
					    err);
		break;
	case WORK_END:
		run_end(actor);
		break;
	case WORK_SUM:
		loom_engine_summed(actor->engine, actor->summary, &actor->result);
		break;
	}
	if (actor->opts.aside)
		loom_store_heed(context, NULL);
	if (actor->opts.request)
		loom_request_for(context, NULL);
	return status;
}

/* ---- ending ---- */

static enum loom_status run_close(void *context, void *payload, struct loom_task *task,
				  struct loom_err *err)
{
	struct loom_actor *actor = payload;

	(void)context;
	(void)task;
	(void)err;
	loom_engine_close(actor->engine);
	return LOOM_OK;
}

static void free_actor(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct loom_actor *actor = payload;
	const struct loom_actor_sink sink = actor->opts.sink;

	(void)status;
	(void)err;
	loom_arena_destroy(actor->arena);
	loom_buf_fini(&actor->stand);
	free(actor);
	if (sink.gone)
		sink.gone(sink.ctx);
}

/* Reports an act that was not done; the reason was reported for the one that ended the turn. */
static void say_undone(struct loom_actor *actor, const struct loom_act *act,
		       enum loom_status status)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *why = status == LOOM_CANCELLED ? "not done: it was stopped before"
						   : "not done: a line above it failed";
	struct loom_result result = {.status = status, .text = loom_str_of(why)};

	if (act->call)
		engine_line(act->call, &line);
	else
		engine_line_text(act->refusal->text, &line);
	result.line = loom_buf_str(&line);
	result.whole = result.text;
	loom_fail(&result.err, status, "%s", why);
	actor->opts.sink.result(actor->opts.sink.ctx, act, &result);
	loom_buf_fini(&line);
}

/* Ends the acts, whatever the outcome. */
static void finish(struct loom_actor *actor, enum loom_status status, const struct loom_err *err)
{
	actor->busy = false;
	actor->stopped = false;
	if (actor->closing) {
		struct loom_job job = {.run = run_close,
				       .done = free_actor,
				       .payload = actor,
				       .closes = true};

		loom_worker_post(actor->opts.worker, &job);
		return;
	}
	/* If none had begun, the error alone says it all. */
	for (size_t i = actor->at; status != LOOM_OK && actor->at && i < actor->count; i++)
		say_undone(actor, &actor->acts[i], status);
	actor->opts.sink.done(actor->opts.sink.ctx, status, err);
}

static void deliver(struct loom_actor *actor)
{
	const struct loom_act *act = &actor->acts[actor->at];

	if (!actor->closing)
		actor->opts.sink.result(actor->opts.sink.ctx, act, &actor->result);
	actor->shrunk = false;
	actor->has_reading = false;
	actor->at++;
	/* With the store in trouble, every further call would only repeat the message. */
	if (loom_status_exit(actor->result.status) == 3 && actor->result.status != LOOM_READ_ONLY)
		finish(actor, actor->result.status, &actor->result.err);
	else
		go_on(actor);
}

/* ---- the model ---- */

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct loom_actor *actor = ctx;

	if (actor->classifying || actor->summing)
		return;
	actor_growing_say(&actor->growing, choice, text);
	/* A screen shows the first level grow, and the others when they are there. */
	if (actor->opts.sink.chunk && !actor->closing && actor->levels == 1)
		actor->opts.sink.chunk(actor->opts.sink.ctx, choice, text);
}

static void on_thought(void *ctx, size_t choice, struct loom_str text)
{
	struct loom_actor *actor = ctx;

	if (!actor->classifying && !actor->summing && actor->opts.sink.thinks && !actor->closing &&
	    actor->levels == 1)
		actor->opts.sink.thinks(actor->opts.sink.ctx, choice, text);
}

static void on_wait(void *ctx, int64_t ms, const struct loom_err *why)
{
	struct loom_actor *actor = ctx;
	struct loom_buf text = LOOM_BUF_INIT(4096);

	loom_generate_say_wait(ms, why, &text);
	if (actor->opts.sink.note && !actor->closing)
		actor->opts.sink.note(actor->opts.sink.ctx, loom_buf_str(&text));
	loom_buf_fini(&text);
}

/* An incomplete summary is not used. */
static void take_summary(struct loom_actor *actor)
{
	const struct loom_generated *said = &actor->requests.choices[0];
	const bool whole =
		said->finish != LOOM_FINISH_ERROR && said->finish != LOOM_FINISH_CANCELLED;

	actor->summing = false;
	actor->summary = whole ? loom_summary_tidy(said->text, actor->arena) : LOOM_STR("");
	post(actor, WORK_SUM);
}

static void on_done(void *ctx)
{
	struct loom_actor *actor = ctx;
	const struct loom_act *act = &actor->acts[actor->at];

	actor_growing_end(&actor->growing);
	if (actor->summing) {
		take_summary(actor);
		return;
	}
	/* nothing came because every prompt was too long: once, shorter ones are tried */
	if (!actor->classifying && !actor->shrunk && !actor->stopped &&
	    actor_requests_overflowed(&actor->requests, loom_engine_choices(actor->engine))) {
		actor->shrunk = true;
		post(actor, WORK_SHRINK);
		return;
	}
	if (!actor->classifying) {
		post(actor, WORK_END);
		return;
	}
	actor->classifying = false;
	actor->has_reading = actor_classify_read(actor->arena, act->refusal,
						 actor->requests.choices[0].text, &actor->reading);
	post(actor, actor->has_reading ? WORK_READ : WORK_CALL);
}

static void expect(struct loom_actor *actor, size_t count, size_t choices)
{
	actor->requests = (struct actor_requests){.generator = actor->opts.generator,
						  .arena = actor->arena,
						  .sink = {.chunk = on_chunk,
							   .done = on_done,
							   .ctx = actor,
							   .waits = on_wait,
							   .thinks = on_thought}};
	actor_requests_expect(&actor->requests, count, choices);
}

/* Asks for one text that is no node. */
static enum loom_status start_one(struct loom_actor *actor,
				  const struct loom_generate_request *request)
{
	static const size_t only[] = {0};

	LOOM_ASSERT(request->n == 1);
	expect(actor, 1, 1);
	return actor_requests_start(&actor->requests, request, only, NULL);
}

/* The result is long, or a summary is to be kept. */
static void sum_up(struct loom_actor *actor)
{
	int64_t tokens = 0;
	struct loom_prompt_message message = {.role = LOOM_ROLE_USER,
					      .text = loom_engine_long(actor->engine, actor->arena,
								       &tokens)};
	const struct loom_generate_request request = {.voice = {.use = LOOM_GENERATE_SUMMARY},
						      .messages = &message,
						      .message_count = 1,
						      .n = 1,
						      .tokens = tokens};

	actor->summing = true;
	if (!actor->stopped && start_one(actor, &request) == LOOM_OK)
		return;
	actor->summing = false;
	actor->summary = LOOM_STR("");
	post(actor, WORK_SUM);
}

/* Ends the call with the reason why the model was not asked. */
static void give_up(struct loom_actor *actor, const struct loom_err *err)
{
	actor->why = *err;
	actor->failed = true;
	post(actor, WORK_END);
}

/* Looks up what the acting agent is allowed to use. */
static void look_up_allowance(struct loom_actor *actor)
{
	const struct loom_generator *generator = actor->opts.generator;
	/* This use finds a model for any agent; only the allowance matters. */
	const struct loom_generate_voice voice = {.use = LOOM_GENERATE_SUBJECT,
						  .agent = loom_engine_agent(actor->engine)};
	struct loom_voice_info info;

	actor->allowance = (struct loom_allowance){.turn = 0};
	if (generator->describe(generator->ctx, &voice, &info, NULL) == LOOM_OK)
		actor->allowance = info.allowance;
}

/* Describes the voices. A plan in the place of the only one is kept, to be looked up. */
static enum loom_status describe_all(struct loom_actor *actor, struct loom_err *err)
{
	const struct loom_generator *generator = actor->opts.generator;
	const size_t count = loom_engine_voices(actor->engine);
	size_t asks = 0;
	const struct loom_engine_ask *ask = loom_engine_asks(actor->engine, &asks);
	const bool member = actor->plan != NULL;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(asks >= count);
	actor->plan = NULL;
	actor->voices = LOOM_ARENA_ARRAY(actor->arena, count, struct loom_voice_info);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		const struct loom_str name = ask[i].request.voice.agent;
		struct loom_voice_info *voice = &actor->voices[i];

		status = generator->describe(generator->ctx, &ask[i].request.voice, voice, err);
		if (status != LOOM_OK || !voice->plan.count)
			continue;
		if (count == 1 && !member) {
			actor->plan = &voice->plan;
			continue;
		}
		loom_fail(err, LOOM_PERMISSION, "agent \"%.*s\" is several models itself",
			  LOOM_STR_ARG(name));
		status = loom_hint(err, LOOM_PERMISSION, "name the ones it consists of: \"%.*s\"…",
				   LOOM_STR_ARG(voice->plan.items[0].agent));
	}
	return status;
}

/* The engine has begun a generation: finds out whom to ask. */
static void describe(struct loom_actor *actor)
{
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;

	actor->failed = false;
	if (!actor->opts.generator) {
		loom_fail(&err, LOOM_MODEL, "no model is available here");
		status = loom_hint(&err, LOOM_MODEL, "`loom models` lists what is reachable");
	} else {
		status = describe_all(actor, &err);
		look_up_allowance(actor);
	}
	if (status != LOOM_OK)
		give_up(actor, &err);
	else
		post(actor, actor->plan ? WORK_PLAN : WORK_ASSEMBLE);
}

static void say_begin(struct loom_actor *actor, size_t count)
{
	const char **ids = LOOM_ARENA_ARRAY(actor->arena, count, const char *);

	if (!actor->opts.sink.begin || actor->closing || actor->levels > 1)
		return;
	for (size_t i = 0; i < count; i++)
		ids[i] = loom_engine_choice(actor->engine, i);
	actor->opts.sink.begin(actor->opts.sink.ctx, &actor->acts[actor->at], ids, count);
}

static void ask(struct loom_actor *actor)
{
	const size_t choices = loom_engine_choices(actor->engine);
	size_t count = 0;
	const struct loom_engine_ask *asks = loom_engine_asks(actor->engine, &count);
	struct loom_err err = {.status = LOOM_OK};

	if (actor->stopped) {
		loom_fail(&err, LOOM_CANCELLED, "stopped before the model was asked");
		give_up(actor, &err);
		return;
	}
	actor->levels += !actor->shrunk;
	expect(actor, count, choices);
	for (size_t i = 0; i < count; i++)
		(void)!actor_requests_start(&actor->requests, &asks[i].request, asks[i].slots,
					    &err);
	if (!actor->requests.running) {
		give_up(actor, &err);
		return;
	}
	if (!actor->shrunk)
		say_begin(actor, choices);
	actor_growing_begin(&actor->growing, actor->opts.worker, actor->engine, choices);
}

/* Asks a classifier about a line that did not parse; true when it is being asked. */
static bool classify(struct loom_actor *actor)
{
	const struct loom_act *act = &actor->acts[actor->at];
	const struct loom_generator *generator = actor->opts.generator;
	struct loom_generate_request request;
	struct loom_voice_info voice;

	if (act->call || !actor->opts.classify || !generator || !actor_may_classify(act->refusal))
		return false;
	actor_classify_request(actor->arena, act->refusal, &request);
	if (generator->describe(generator->ctx, &request.voice, &voice, NULL) != LOOM_OK ||
	    !voice.configured)
		return false;
	actor->classifying = true;
	if (start_one(actor, &request) == LOOM_OK)
		return true;
	actor->classifying = false;
	return false;
}

/* ---- leave ---- */

static void look(struct loom_actor *actor)
{
	actor->asked->give_up = actor->stopped || actor->closing;
	post(actor, WORK_LEAVE);
}

static void on_look(void *ctx)
{
	struct loom_actor *actor = ctx;

	actor->looking = 0;
	look(actor);
}

static void wait_for_leave(struct loom_actor *actor)
{
	if (actor->stopped || actor->closing)
		look(actor);
	else
		actor->looking = loom_loop_timer(actor->opts.loop, LOOK_MS, on_look, actor);
}

/* Goes on with the acts, or with the reading of a line. */
static void answered(struct loom_actor *actor)
{
	if (actor->has_reading && !actor->stopped && !actor->closing) {
		post(actor, WORK_CALL);
		return;
	}
	actor->has_reading = false;
	go_on(actor);
}

/* Goes on, or waits for leave. */
static void enter(struct loom_actor *actor, struct actor_leave *leave)
{
	actor->asked = leave;
	if (!leave->waiting) {
		answered(actor);
		return;
	}
	if (actor->opts.sink.waits && !actor->closing)
		actor->opts.sink.waits(actor->opts.sink.ctx, &leave->proposal);
	wait_for_leave(actor);
}

/* ---- the machine ---- */

static void on_work(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct loom_actor *actor = payload;

	switch (actor->work) {
	case WORK_OPEN:
		actor->new_turn = false;
		loom_buf_clear(&actor->stand);
		if (status == LOOM_OK)
			enter(actor, &actor->leave);
		else
			finish(actor, status, err);
		break;
	case WORK_READ:
		if (status == LOOM_OK)
			enter(actor, &actor->read_leave);
		else
			finish(actor, status, err);
		break;
	case WORK_LEAVE:
		if (status != LOOM_OK)
			finish(actor, status, err);
		else if (actor->asked->waiting)
			wait_for_leave(actor);
		else
			answered(actor);
		break;
	case WORK_CALL:
		actor->plan = NULL;
		actor->levels = 0;
		if (actor->next == LOOM_ENGINE_GENERATE)
			describe(actor);
		else if (actor->next == LOOM_ENGINE_SUM_UP)
			sum_up(actor);
		else
			deliver(actor);
		break;
	case WORK_PLAN:
		if (status == LOOM_OK)
			describe(actor);
		else
			give_up(actor, err);
		break;
	case WORK_ASSEMBLE:
	case WORK_SHRINK:
		if (status == LOOM_OK)
			ask(actor);
		else
			give_up(actor, err);
		break;
	case WORK_END:
		actor->shrunk = false;
		if (actor->next == LOOM_ENGINE_GENERATE)
			post(actor, WORK_ASSEMBLE);
		else
			deliver(actor);
		break;
	case WORK_SUM:
		deliver(actor);
		break;
	}
}

static void post(struct loom_actor *actor, enum work work)
{
	struct loom_job job = {.run = run_work, .done = on_work, .payload = actor};

	actor->work = work;
	loom_worker_post(actor->opts.worker, &job);
}

/* Does the next act, or ends. */
static void go_on(struct loom_actor *actor)
{
	if (actor->at >= actor->count)
		finish(actor, LOOM_OK, NULL);
	else if (actor->stopped || actor->closing)
		finish(actor, LOOM_CANCELLED, NULL);
	else if (!classify(actor))
		post(actor, WORK_CALL);
}

/* ---- the interface ---- */

struct loom_actor *loom_actor_create(const struct loom_actor_opts *opts)
{
	struct loom_actor *actor = loom_alloc(sizeof *actor);

	actor->opts = *opts;
	if (opts->generator && !opts->engine.result_tokens)
		actor->opts.engine.result_tokens = (size_t)opts->generator->result_tokens;
	actor->arena = loom_arena_create();
	actor->seq = -1;
	loom_buf_init(&actor->stand, 256);
	return actor;
}

void loom_actor_destroy(struct loom_actor *actor)
{
	if (!actor)
		return;
	actor->closing = true;
	if (actor->busy)
		loom_actor_cancel(actor, LOOM_CHOICES_ALL);
	else
		finish(actor, LOOM_OK, NULL);
}

void loom_actor_turn(struct loom_actor *actor, int64_t seq)
{
	actor->new_turn = true;
	actor->seq = seq;
}

void loom_actor_stand(struct loom_actor *actor, struct loom_str node)
{
	loom_buf_clear(&actor->stand);
	loom_buf_add(&actor->stand, node);
}

static bool has_summaries(const struct loom_actor *actor)
{
	const struct loom_generate_voice voice = {.use = LOOM_GENERATE_SUMMARY};
	const struct loom_generator *generator = actor->opts.generator;
	struct loom_voice_info info;

	return generator && generator->describe(generator->ctx, &voice, &info, NULL) == LOOM_OK &&
	       info.configured;
}

void loom_actor_act(struct loom_actor *actor, const struct loom_act *acts, size_t count)
{
	loom_arena_reset(actor->arena);
	actor->acts = acts;
	actor->count = count;
	actor->at = 0;
	actor->has_reading = false;
	actor->sums = has_summaries(actor);
	actor->busy = true;
	post(actor, WORK_OPEN);
}

void loom_actor_alone(struct loom_actor *actor)
{
	LOOM_ASSERT(!actor->busy);
	actor->opts.waits = false;
}

bool loom_actor_busy(const struct loom_actor *actor)
{
	return actor->busy;
}

void loom_actor_cancel(struct loom_actor *actor, size_t choice)
{
	if (choice == LOOM_CHOICES_ALL)
		actor->stopped = actor->busy;
	if (choice == LOOM_CHOICES_ALL && actor->looking) {
		loom_loop_timer_cancel(actor->opts.loop, actor->looking);
		on_look(actor);
	}
	actor_requests_cancel(&actor->requests, choice);
}

static enum loom_status run_yield(void *context, void *payload, struct loom_task *task,
				  struct loom_err *err)
{
	struct loom_actor *actor = payload;

	(void)context;
	(void)task;
	(void)err;
	if (actor->engine)
		loom_engine_yield(actor->engine);
	return LOOM_OK;
}

void loom_actor_yield(struct loom_actor *actor)
{
	struct loom_job job = {.run = run_yield, .payload = actor};

	loom_worker_post(actor->opts.worker, &job);
}
