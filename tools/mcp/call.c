/* The tool `loom`: a turn's → lines, done by an actor on the worker while the loop goes on.
 *
 * Turns of one thread run one after the other, others side by side. A call cancelled by its client
 * ends as with ^C: the generation stops, what arrived is kept, the rest is not done, and no answer
 * is sent. */
#include <loom/mcp/mcp.h>

#include <loom/language/call.h>
#include <loom/engine/find_text.h>
#include <loom/engine/told.h>
#include <loom/tree/lease.h>
#include <loom/language/parse.h>
#include <loom/language/registry.h>
#include <loom/tree/request.h>
#include <loom/language/scan.h>

/* Turns running at once, and those waiting for them. */
#define RUNNING_MAX 4
#define WAITING_MAX 64
/* The assumed length of a choice, for progress only. */
#define CHOICE_TOKENS  200
#define BYTES_A_TOKEN  4
#define PROGRESS_MS    250
#define HEARTBEAT_MS   5000
#define HEARTBEAT_STEP 0.0001

struct mcp_job {
	struct mcp *mcp;
	struct mcp_job *next;
	struct mcp_request request; /* with texts in the job's arena */
	struct loom_str token;      /* for progress; p NULL: no progress wanted */
	struct loom_turn *turn;
	struct loom_str said;     /* its text */
	bool sees;                /* its agent may look at what there is */
	struct loom_arena *begun; /* the worker's, until it is told */
	struct loom_told files;   /* what its thread is told of its files, likewise */
	bool is_told;
	struct loom_str name; /* of its agent, for the worker */
	struct loom_act *acts;
	size_t count;
	struct loom_engine_opts engine;
	struct loom_turn_log log;
	struct loom_str node;
	int64_t lane;             /* turns of one lane wait for each other */
	struct loom_actor *actor; /* NULL: it is waiting */
	bool cancelled;
	bool failed;
	bool trouble; /* with the store, and the last result reported it */
	size_t proposed;
	struct loom_buf text;
	struct loom_buf calls;     /* the results for programs, a JSON array without its brackets */
	struct loom_request asked; /* what it is done for … */
	bool has_id;               /* … if its client named it */
	/* progress */
	size_t done;
	double told;
	int64_t told_at; /* boot clock */
	double expected; /* bytes of the generation under way */
	double arrived;
	struct loom_str ids;
	uint64_t heart;
};

static void start_waiting(struct mcp_home *home);

/* ---- progress ---- */

static void tell(struct mcp_job *job, double at)
{
	struct loom_buf text = LOOM_BUF_INIT(4096);
	struct loom_json *json = NULL;

	job->told = at;
	job->told_at = loom_env_boot();
	if (job->ids.p)
		loom_buf_addf(&text, "generating %.*s: about %lld tokens", LOOM_STR_ARG(job->ids),
			      (long long)(job->arrived / BYTES_A_TOKEN));
	else
		loom_buf_addf(&text, "%zu of %zu done", job->done, job->count);
	json = mcp_notice(job->mcp, job->request.outlet, "notifications/progress");
	loom_json_key(json, "progressToken");
	loom_json_raw(json, job->token);
	loom_json_key(json, "progress");
	loom_json_real(json, at);
	loom_json_put_int(json, "total", (int64_t)job->count);
	loom_json_put(json, "message", loom_buf_str(&text));
	mcp_end(job->mcp);
	loom_buf_fini(&text);
}

/* Whether the client has not taken what it was sent. */
static bool is_behind(const struct mcp_job *job)
{
	return job->request.outlet->backlog(job->request.outlet) > 0;
}

/* Progress must only rise. A client that does not keep up is not told every step. */
static void say_progress(struct mcp_job *job, bool now)
{
	double part = job->expected > 0 ? job->arrived / job->expected : 0;
	double at = (double)job->done + (part < 0.95 ? part : 0.95);

	if (!job->token.p || job->cancelled || is_behind(job) ||
	    (!now && loom_env_boot() - job->told_at < PROGRESS_MS) || at <= job->told)
		return;
	tell(job, at);
}

/* A model may think for minutes, and clients give up on a silent server. */
static void on_heartbeat(void *ctx)
{
	struct mcp_job *job = ctx;

	job->heart = loom_loop_timer(job->mcp->home->loop, HEARTBEAT_MS, on_heartbeat, job);
	if (job->token.p && !job->cancelled && !is_behind(job) &&
	    job->told + HEARTBEAT_STEP < (double)job->done + 1)
		tell(job, job->told + HEARTBEAT_STEP);
}

/* ---- the actor's callbacks ---- */

static void on_begin(void *ctx, const struct loom_act *act, const char *const *ids, size_t count)
{
	struct mcp_job *job = ctx;
	struct loom_buf names = LOOM_BUF_INIT(1 << 16);
	const int64_t tokens = act->call && act->call->tokens ? act->call->tokens : CHOICE_TOKENS;

	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&names, "%s%s", i ? ", " : "", ids[i]);
	job->ids = loom_arena_buf(job->request.arena, &names);
	job->expected = (double)count * (double)tokens * BYTES_A_TOKEN;
	job->arrived = 0;
	loom_buf_fini(&names);
}

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	struct mcp_job *job = ctx;

	(void)choice;
	job->arrived += (double)text.n;
	say_progress(job, false);
}

static void add_call(struct mcp_job *job, const struct loom_result *result)
{
	struct loom_json json;

	loom_buf_adds(&job->calls, job->calls.n ? "," : "");
	loom_json_init(&json, &job->calls);
	loom_json_object(&json);
	loom_json_put(&json, "line", result->line);
	cli_json_result(&json, result);
	loom_json_end_object(&json);
}

static void on_result(void *ctx, const struct loom_act *act, const struct loom_result *result)
{
	struct mcp_job *job = ctx;
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf id = LOOM_BUF_INIT(32);

	(void)act;
	if (job->text.n)
		loom_buf_adds(&job->text, "\n\n");
	loom_buf_addf(&whole, "%.*s\n%.*s", LOOM_STR_ARG(result->line), LOOM_STR_ARG(result->text));
	if (result->number)
		loom_buf_addf(&id, "res-%lld", (long long)result->number);
	loom_show_result(loom_buf_str(&whole), loom_buf_str(&id), &job->text);
	loom_buf_fini(&whole);
	loom_buf_fini(&id);
	add_call(job, result);
	job->proposed += result->proposed;
	job->failed |= result->status != LOOM_OK && !result->proposed;
	job->trouble = loom_status_exit(result->status) == loom_status_exit(LOOM_IO);
	job->done++;
	job->expected = job->arrived = 0;
	job->ids = loom_str_make(NULL, 0);
	say_progress(job, false);
}

/* ---- ending ---- */

static void unlink_job(struct mcp_job *job)
{
	struct mcp_job **at = &job->mcp->home->jobs;

	while (*at != job)
		at = &(*at)->next;
	*at = job->next;
}

static void free_job(struct mcp_job *job)
{
	loom_turn_destroy(job->turn);
	loom_buf_fini(&job->text);
	loom_buf_fini(&job->calls);
	loom_buf_fini(&job->asked.inputs);
	loom_arena_destroy(job->request.arena);
	loom_arena_destroy(job->begun);
	free(job);
}

static void on_gone(void *ctx)
{
	free_job(ctx);
}

/* Frees the job as soon as the worker has finished with it; by then its client may be gone. */
static void close_job(struct mcp_job *job)
{
	loom_loop_timer_cancel(job->mcp->home->loop, job->heart);
	mcp_request_over(&job->request);
	unlink_job(job);
	loom_actor_destroy(job->actor);
}

static void say_hints(struct mcp_job *job)
{
	for (size_t i = 0; i < job->turn->hint_count; i++)
		loom_buf_addf(&job->text, "%snote: line %lld: %s", job->text.n ? "\n\n" : "",
			      (long long)job->turn->hints[i].line,
			      loom_scan_hint_text(job->turn->hints[i].hint));
	if (job->proposed)
		loom_buf_addf(&job->text,
			      "\n\n(proposed: %zu of these %s not done; a person "
			      "decides, and need not be asked twice)",
			      job->proposed, loom_plural((int64_t)job->proposed, "is", "are"));
}

static void say_trouble(struct mcp_job *job, enum loom_status status, const struct loom_err *err)
{
	if (status == LOOM_OK)
		return;
	job->failed = true;
	if (job->trouble)
		return;
	if (job->text.n)
		loom_buf_adds(&job->text, "\n\n");
	loom_show_err(err, &job->text);
}

static void answer(struct mcp_job *job)
{
	struct loom_buf data = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (job->calls.n)
		loom_buf_addf(&data, "{\"calls\":[%s]}", loom_buf_cstr(&job->calls));
	if (job->is_told)
		loom_buf_add(&text, loom_told_frame(&job->files, job->request.arena));
	loom_buf_addf(&text, "%s%s", text.n ? "\n\n" : "", loom_buf_cstr(&job->text));
	if (!job->cancelled)
		mcp_text(job->mcp, &job->request,
			 &(struct mcp_said){loom_buf_str(&text), loom_buf_str(&data), job->failed});
	loom_buf_fini(&data);
	loom_buf_fini(&text);
}

static void end_job(struct mcp_job *job)
{
	struct mcp_home *home = job->mcp->home;

	answer(job);
	close_job(job);
	start_waiting(home);
	mcp_sums_soon(home);
}

/* ---- doing a call once ---- */

/* Reads what the call is done for: who asks for what, and where. */
static enum loom_status read_op(struct mcp_job *job, const struct mcp_args *args,
				struct loom_err *err)
{
	const struct loom_str words[] = {job->mcp->agent.name, LOOM_STR_INIT("mcp"), args->thread,
					 args->tree,           args->node,           args->text};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	if (!args->op.p)
		return LOOM_OK;
	status = cli_request_id(args->op, &job->asked.id, err);
	for (size_t i = 0; i < LOOM_COUNT(words); i++) {
		loom_buf_add(&text, words[i]);
		loom_buf_addc(&text, '\0');
	}
	job->asked.words = loom_sha256(loom_buf_str(&text));
	loom_buf_fini(&text);
	job->has_id = status == LOOM_OK;
	return status;
}

/* Takes over the answer that run_keep has kept; before answers had results for programs, it was
 * only the text. */
static void take_kept(struct mcp_job *job, const struct loom_request_answer *answer)
{
	const struct loom_str calls = loom_jval_get(answer->text, "calls");

	if (!answer->json) {
		loom_buf_add(&job->text, answer->text);
		return;
	}
	loom_buf_add(&job->text,
		     loom_jval_text(loom_jval_get(answer->text, "text"), job->request.arena));
	if (calls.n > 2)
		loom_buf_add(&job->calls, loom_str_sub(calls, 1, calls.n - 2));
}

/* Repeats the first answer. */
static enum loom_status say_again(struct mcp_job *job, const struct loom_request_answer *answer,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!answer->same)
		return cli_request_other("for another call", err);
	if (answer->begun)
		return cli_request_begun(answer, err);
	loom_buf_clear(&job->text);
	loom_buf_clear(&job->calls);
	job->failed = answer->found;
	if (answer->kept) {
		take_kept(job, answer);
		return LOOM_OK;
	}
	loom_buf_adds(&job->text, "✓ ");
	status = cli_request_done(job->mcp->grove, answer, &job->text, err);
	if (status != LOOM_OK)
		loom_buf_clear(&job->text);
	return status;
}

/* Whether the call was done before, or its id cannot be used; the text says which. */
static bool is_answered(struct mcp_job *job)
{
	struct mcp *mcp = job->mcp;
	struct loom_request_answer answer = {.known = false};
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = LOOM_OK;

	if (!job->has_id)
		return false;
	mcp_scratch(mcp, job->request.arena);
	status = loom_request_find(mcp->grove->store, &job->asked, job->request.arena, &answer,
				   &err);
	if (status == LOOM_OK && answer.known)
		status = say_again(job, &answer, &err);
	mcp_scratch(mcp, NULL);
	say_trouble(job, status, &err);
	return status != LOOM_OK || answer.known;
}

static enum loom_status run_keep(void *context, void *payload, struct loom_task *task,
				 struct loom_err *err)
{
	struct mcp_job *job = payload;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_request_answer kept = {.found = job->failed, .json = true};
	struct loom_json json;
	enum loom_status status;

	(void)task;
	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "text", loom_buf_str(&job->text));
	loom_json_end_object(&json);
	text.n--;
	loom_buf_addf(&text, ",\"calls\":[%s]}", loom_buf_cstr(&job->calls));
	kept.text = loom_buf_str(&text);
	status = loom_request_keep(context, &job->asked, &kept, err);
	loom_buf_fini(&text);
	return status;
}

/* The call is done, whether or not its answer can be kept; a repeated call is just told less. */
static void on_kept(void *payload, enum loom_status status, const struct loom_err *err)
{
	(void)status;
	(void)err;
	end_job(payload);
}

static void on_done(void *ctx, enum loom_status status, const struct loom_err *err)
{
	struct mcp_job *job = ctx;
	struct loom_job keep = {.run = run_keep, .done = on_kept, .payload = job};
	struct loom_err why = {.status = LOOM_OK};

	if (status == LOOM_CANCELLED)
		loom_fail(&why, status, "stopped; what was done stays done");
	else if (err)
		why = *err;
	/* Another call with the same id was faster. */
	if (job->asked.late && is_answered(job)) {
		end_job(job);
		return;
	}
	say_hints(job);
	say_trouble(job, status, &why);
	if (job->has_id && status == LOOM_OK)
		loom_worker_post(cli_grove_worker(job->mcp->grove), &keep);
	else
		end_job(job);
}

/* ---- beginning ---- */

/* Looks up the budget of the agent's own model, for acts that ask how much of it is left. A model
 * asked elsewhere is unknown here. */
static void find_budget(struct mcp_job *job)
{
	struct cli_asked asked;

	for (size_t i = 0; i < job->count && !job->engine.budget; i++) {
		const struct loom_call *call = job->acts[i].call;

		if (!call || call->verb != LOOM_VERB_MEMORY || !job->mcp->agent.model.n)
			continue;
		cli_voice_of(mcp_voices(job->mcp->home), &job->mcp->agent, &asked);
		job->engine.prompt = asked.prompt;
		job->engine.budget = asked.budget;
	}
}

/* Whether the turn may ask a model. */
static bool asks(const struct mcp_job *job)
{
	for (size_t i = 0; i < job->count; i++)
		if (!job->acts[i].call || job->acts[i].call->verb == LOOM_VERB_CONTINUE ||
		    loom_verb_info(job->acts[i].call->verb)->deed == LOOM_DEED_LOOKS)
			return true;
	return false;
}

/* Finds the turn's thread, which begins now if the turn has something to keep in it. */
static enum loom_status find_thread(const struct mcp_job *job, struct loom_store *store,
				    int64_t *out, struct loom_err *err)
{
	struct loom_thread thread = {.id = job->engine.thread};
	enum loom_status status = LOOM_OK;

	if (!thread.id)
		status = loom_thread_implicit(store, job->engine.agent, job->engine.tree,
					      job->begun, &thread, err);
	if (status == LOOM_NOT_FOUND && (!job->sees || !loom_turn_says(job->turn))) {
		thread.id = 0;
		status = LOOM_OK;
	} else if (status == LOOM_NOT_FOUND) {
		status = loom_quiet_begin(store, err);
		if (status != LOOM_OK)
			return status;
		status = loom_thread_ensure(store, job->engine.agent, job->engine.tree, job->begun,
					    &thread, err);
		status = loom_quiet_end(store, status, err);
	}
	*out = thread.id;
	return status;
}

/* Lets others see where the agent is, which goes on from there. */
static void show_presence(const struct mcp_job *job, struct loom_store *store, int64_t id)
{
	struct loom_presence who = {.agent = job->name, .doing = LOOM_STR_INIT("reading")};
	struct loom_thread thread;
	int64_t at = 0;

	if (!id || loom_thread_get(store, id, job->begun, &thread, NULL) != LOOM_OK ||
	    loom_thread_stand(store, &thread, &at, NULL) != LOOM_OK)
		return;
	who.thread = thread.name;
	loom_session_at(store, job->engine.session, &who, at);
}

/* Before the calls: names the turn, keeps what it says beside them, and tells its thread what is
 * new. What goes wrong here stops no call. */
static enum loom_status run_begin(void *context, void *payload, struct loom_task *task,
				  struct loom_err *err)
{
	struct mcp_job *job = payload;
	struct loom_turn_said said = {.turn = job->turn, .text = job->said};
	enum loom_status status = find_thread(job, context, &said.thread, err);

	(void)task;
	if (status == LOOM_OK)
		status =
			loom_turn_name(context, said.thread, "mcp", job->begun, &said.request, err);
	if (status != LOOM_OK)
		return status;
	job->log.request = said.request;
	show_presence(job, context, said.thread);
	return said.thread && job->sees
		       ? loom_told_turn(context, &said, job->begun, &job->files, err)
		       : LOOM_OK;
}

static void say_warning(void *ctx, struct loom_str text)
{
	loom_out_warn(ctx, "%.*s", LOOM_STR_ARG(text));
}

static void on_told(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct mcp_job *job = payload;

	(void)err;
	job->is_told = status == LOOM_OK;
	if (job->is_told && job->files.changed)
		loom_told_say(&job->files, say_warning, job->mcp->home->cli->out);
}

static void start(struct mcp_job *job)
{
	const struct loom_job begin = {.run = run_begin, .done = on_told, .payload = job};
	struct mcp *mcp = job->mcp;
	struct loom_actor_opts opts = {
		.loop = mcp->home->loop,
		.worker = cli_grove_worker(mcp->grove),
		.classify = true,
		.sink = {.result = on_result,
			 .begin = on_begin,
			 .chunk = on_chunk,
			 .done = on_done,
			 .gone = on_gone,
			 .ctx = job},
	};

	find_budget(job);
	/* A client that cannot announce itself still works. */
	if (!mcp->session && loom_session_open(mcp->grove->store, &mcp->session, NULL) != LOOM_OK)
		mcp->session = NULL;
	job->engine.session = mcp->session;
	job->name = loom_arena_str(job->begun, mcp->agent.name);
	opts.engine = job->engine;
	opts.request = job->has_id ? &job->asked : NULL;
	if (asks(job))
		opts.generator = mcp_voices(mcp->home)->generator;
	loom_worker_post(cli_grove_worker(mcp->grove), &begin);
	job->heart = loom_loop_timer(mcp->home->loop, HEARTBEAT_MS, on_heartbeat, job);
	job->actor = loom_actor_create(&opts);
	if (job->node.p)
		loom_actor_stand(job->actor, job->node);
	loom_actor_act(job->actor, job->acts, job->count);
}

static bool is_of_same_agent(const struct mcp_job *job, const struct mcp_job *other)
{
	return job->mcp->agent.id == other->mcp->agent.id;
}

/* Whether an agent's call may start beside its others. */
static bool is_free(const struct mcp_job *job)
{
	size_t running = 0;

	for (const struct mcp_job *at = job->mcp->home->jobs; at; at = at->next) {
		if (!at->actor || !is_of_same_agent(at, job))
			continue;
		if (at->lane == job->lane)
			return false;
		running++;
	}
	return running < RUNNING_MAX;
}

/* Starts the call, or answers it as when it was done. */
static void start_or_answer(struct mcp_job *job)
{
	if (!is_answered(job)) {
		start(job);
		return;
	}
	answer(job);
	mcp_request_over(&job->request);
	unlink_job(job);
	free_job(job);
}

/* Starts waiting calls, oldest first; one that has to wait for its thread lets others pass. */
static void start_waiting(struct mcp_home *home)
{
	struct mcp_job *next = NULL;

	for (struct mcp_job *job = home->jobs; job; job = next) {
		next = job->next;
		if (!job->actor && is_free(job))
			start_or_answer(job);
	}
}

/* Appends a call, and returns how many of its agent were there before. */
static size_t append(struct mcp_job *job)
{
	struct mcp_job **at = &job->mcp->home->jobs;
	size_t before = 0;

	for (; *at; at = &(*at)->next)
		before += is_of_same_agent(*at, job);
	*at = job;
	return before;
}

static enum loom_status prepare(struct mcp_job *job, struct loom_str arguments,
				struct loom_err *err)
{
	static const char *const takes[] = {"text", "op", "thread", "tree", "node", NULL};
	static const struct loom_engine_hooks hooks = {.search = loom_find_call};
	struct mcp *mcp = job->mcp;
	struct loom_err refused = {.status = LOOM_OK};
	struct mcp_args args;
	struct mcp_place place;
	enum loom_status status = mcp_args_read(arguments, takes, job->request.arena, &args, err);

	if (status == LOOM_OK)
		status = read_op(job, &args, err);
	if (status == LOOM_OK && args.node.p)
		status = mcp_may_look(mcp, LOOM_VERB_VIEW, err);
	if (status == LOOM_OK)
		status = mcp_place(mcp, &args, &place, err);
	if (status != LOOM_OK)
		return status;
	mcp_engine(mcp, &job->engine);
	loom_turn_log_init(&job->log, LOOM_STR(""));
	job->engine.store = NULL;
	job->engine.log = &job->log.face;
	job->engine.hooks = &hooks;
	job->engine.tree = place.tree.id;
	job->engine.thread = args.thread.p ? place.thread.id : 0;
	job->lane = job->engine.thread && !place.thread.implicit ? place.thread.id : -place.tree.id;
	job->node = loom_arena_str(job->request.arena, place.node);
	if (!place.node.p)
		job->node.p = NULL;
	job->sees = mcp_may_look(mcp, LOOM_VERB_VIEW, &refused) == LOOM_OK;
	job->said = loom_arena_str(job->begun, args.text);
	loom_turn_feed(job->turn, args.text);
	loom_turn_end(job->turn);
	(void)loom_turn_cut(job->turn);
	loom_acts_of(job->turn, 0, 0, job->request.arena, &job->acts, &job->count);
	if (job->count || job->node.p)
		return LOOM_OK;
	loom_fail(err, LOOM_SYNTAX, "there is no → line in the text");
	return loom_hint(err, LOOM_SYNTAX,
			 "a command begins with → on a line of its own; → help lists them");
}

static struct mcp_job *create(struct mcp *mcp, const struct mcp_request *request)
{
	struct mcp_job *job = loom_alloc(sizeof *job);
	struct loom_str meta = loom_jval_get(request->params, "_meta");
	struct loom_str token = loom_jval_get(meta, "progressToken");
	struct loom_arena *arena = loom_arena_create();

	job->mcp = mcp;
	job->request = *request;
	job->request.arena = arena;
	job->request.batch = mcp_batch_hold(request->batch);
	job->request.id = loom_arena_str(arena, request->id);
	job->request.params = job->request.method = LOOM_STR("");
	job->token = mcp_id(token, arena);
	job->turn = loom_turn_create(LOOM_SOURCE_MODEL, LOOM_TURN_WITH_PROSE);
	job->begun = loom_arena_create();
	loom_buf_init(&job->text, LOOM_BUF_MAX);
	loom_buf_init(&job->calls, LOOM_BUF_MAX);
	loom_buf_init(&job->asked.inputs, LOOM_BUF_MAX);
	return job;
}

static void run_loom(struct mcp *mcp, const struct mcp_request *request, struct loom_str arguments)
{
	struct mcp_job *job = create(mcp, request);
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = prepare(job, arguments, &err);

	if (status == LOOM_OK && append(job) >= WAITING_MAX) {
		unlink_job(job);
		status = loom_fail(&err, LOOM_LIMIT, "%d calls are waiting already", WAITING_MAX);
	}
	if (status == LOOM_OK) {
		start_waiting(mcp->home);
		return;
	}
	say_hints(job);
	say_trouble(job, status, &err);
	answer(job);
	mcp_request_over(&job->request);
	free_job(job);
}

void mcp_call(struct mcp *mcp, const struct mcp_request *request)
{
	struct loom_str name = loom_jval_get(request->params, "name");
	struct loom_str arguments = loom_jval_get(request->params, "arguments");

	if (arguments.p && loom_jval_type(arguments) != LOOM_JTYPE_OBJECT)
		mcp_error(mcp, request, MCP_PARAMS, LOOM_STR("\"arguments\" is not an object"));
	else if (loom_jval_says(name, LOOM_STR("loom")))
		run_loom(mcp, request, arguments);
	else if (loom_jval_says(name, LOOM_STR("loom_context")))
		mcp_context(mcp, request, arguments);
	else
		mcp_error(mcp, request, MCP_PARAMS,
			  LOOM_STR("the tools are loom and loom_context"));
}

/* ---- cancelling ---- */

static void cancel(struct mcp_job *job)
{
	if (job->actor) {
		loom_actor_cancel(job->actor, LOOM_CHOICES_ALL);
		return;
	}
	mcp_request_over(&job->request);
	unlink_job(job);
	free_job(job);
}

bool mcp_call_cancel(struct mcp *mcp, struct loom_str id)
{
	struct mcp_job *job = mcp->home->jobs;

	while (job && (job->mcp != mcp || job->cancelled || !loom_str_eq(job->request.id, id)))
		job = job->next;
	if (!job)
		return false;
	job->cancelled = true;
	cancel(job);
	return true;
}

void mcp_calls_stop(struct mcp *mcp)
{
	struct mcp_job *next = NULL;

	for (struct mcp_job *job = mcp->home->jobs; job; job = next) {
		next = job->next;
		if (job->mcp == mcp)
			cancel(job);
	}
}

bool mcp_calls_any(const struct mcp *mcp)
{
	const struct mcp_job *job = mcp->home->jobs;

	while (job && job->mcp != mcp)
		job = job->next;
	return job != NULL;
}
