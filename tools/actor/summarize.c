/* A summarizer: claims a job on the worker, asks the model in the loop, stores the answer on the
 * worker, and so on until nothing is waiting. A job not finished when its session ends is waiting
 * again by itself. */
#include <loom/actor/summarize.h>

#include <loom/tree/op.h>
#include <loom/base/utf8.h>
#include <loom/engine/summary_prompt.h>

#define KEPT_MAX 1000 /* bytes per summary */

enum work { WORK_CLAIM, WORK_KEEP, WORK_SWEEP, WORK_CLOSE };

struct loom_summarizer {
	struct loom_summarizer_opts opts;
	struct loom_arena *arena; /* for the job under way */
	struct loom_session *session;
	enum work work;
	bool busy;
	bool stopping;
	bool given_up;
	bool closing;
	bool hopeless;                  /* a model has failed */
	bool model;                     /* there is one */
	struct loom_summary_job wanted; /* target 0: any waiting job */
	bool forced;                    /* queue it first */
	struct loom_summary_job job;    /* id 0: none */
	struct loom_buf prompt;
	struct loom_str extract;
	struct loom_str summary;
	bool is_extract;
	struct loom_swept *swept;
	size_t swept_count;
	struct loom_prompt_message message;
	struct loom_generation *generation;
	struct loom_err err;
	enum loom_status status;
};

static void post(struct loom_summarizer *summarizer, enum work work);

/* ---- on the worker ---- */

/* A session claims the job, so that others notice when its process is gone. */
static enum loom_status begin_claim(struct loom_summarizer *summarizer, struct loom_store *store,
				    struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!summarizer->session)
		status = loom_session_open(store, &summarizer->session, err);
	return status == LOOM_OK ? loom_quiet_begin(store, err) : status;
}

static enum loom_status claim(struct loom_summarizer *summarizer, struct loom_store *store,
			      struct loom_err *err)
{
	const struct loom_summary_job *wanted = &summarizer->wanted;
	enum loom_status status = begin_claim(summarizer, store, err);

	if (status != LOOM_OK)
		return status;
	if (summarizer->forced)
		status = loom_job_put(store, wanted->kind, wanted->target, err);
	if (status == LOOM_OK)
		status = loom_job_claim(store, summarizer->session, wanted->kind, wanted->target,
					summarizer->arena, &summarizer->job, err);
	return loom_quiet_end(store, status, err);
}

/* A target that no longer exists needs no summary. */
static enum loom_status drop_gone(struct loom_summarizer *summarizer, struct loom_store *store,
				  struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);

	if (status != LOOM_OK)
		return status;
	return loom_quiet_end(store, loom_job_end(store, summarizer->job.id, false, err), err);
}

/* Claims the first of these nodes that has not failed; *out is 0 if there is none. */
static enum loom_status claim_first(struct loom_summarizer *summarizer, struct loom_store *store,
				    const int64_t *nodes, size_t count,
				    struct loom_summary_job *out, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	bool fresh = false;

	*out = (struct loom_summary_job){.id = 0};
	for (size_t i = 0; i < count && status == LOOM_OK && !out->id; i++) {
		status = loom_job_put_new(store, LOOM_JOB_NODE, nodes[i], &fresh, err);
		if (status == LOOM_OK)
			status = loom_job_claim(store, summarizer->session, LOOM_JOB_NODE, nodes[i],
						summarizer->arena, out, err);
		if (status != LOOM_OK || out->state != LOOM_JOB_FAILED)
			continue;
		status = loom_job_end(store, out->id, true, err);
		out->id = 0;
	}
	return status;
}

/* A tree is summed up from its nodes: takes one of them that has no summary yet in its place. */
static enum loom_status nodes_first(struct loom_summarizer *summarizer, struct loom_store *store,
				    struct loom_err *err)
{
	struct loom_summary_job first;
	int64_t *nodes = NULL;
	size_t count = 0;
	enum loom_status status = loom_summary_lacks(store, summarizer->job.target,
						     summarizer->arena, &nodes, &count, err);

	if (status == LOOM_NOT_FOUND || !count)
		return LOOM_OK; /* the prompt tells */
	if (status == LOOM_OK)
		status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	status = claim_first(summarizer, store, nodes, count, &first, err);
	if (status == LOOM_OK && first.id)
		status = loom_job_leave(store, summarizer->job.id, err);
	status = loom_quiet_end(store, status, err);
	if (status == LOOM_OK && first.id)
		summarizer->job = first;
	return status;
}

static enum loom_status run_claim(struct loom_summarizer *summarizer, struct loom_store *store,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (;;) {
		loom_arena_reset(summarizer->arena);
		loom_buf_clear(&summarizer->prompt);
		summarizer->job.id = 0;
		status = claim(summarizer, store, err);
		summarizer->forced = false;
		if (status != LOOM_OK || !summarizer->job.id)
			return status;
		if (summarizer->job.kind == LOOM_JOB_TREE && summarizer->model)
			status = nodes_first(summarizer, store, err);
		if (status != LOOM_OK)
			return status;
		status = loom_summary_prompt(store, summarizer->job.kind, summarizer->job.target,
					     summarizer->arena, &summarizer->prompt,
					     &summarizer->extract, err);
		if (status != LOOM_NOT_FOUND)
			return status;
		status = drop_gone(summarizer, store, err);
		if (status != LOOM_OK || summarizer->wanted.target)
			return status;
	}
}

static enum loom_status keep(struct loom_summarizer *summarizer, struct loom_store *store,
			     struct loom_err *err)
{
	const struct loom_summary_job *job = &summarizer->job;
	const bool failed = summarizer->status != LOOM_OK;
	enum loom_status status = loom_quiet_begin(store, err);

	if (status != LOOM_OK)
		return status;
	if (!failed)
		status = loom_summary_keep(store, job->kind, job->target, summarizer->summary,
					   summarizer->is_extract, err);
	if (status == LOOM_OK)
		status = loom_job_end(store, job->id, failed, err);
	return loom_quiet_end(store, status, err);
}

/* Without a model, stores all waiting extracts in one write, because others are notified of each
 * write. */
static enum loom_status sweep(struct loom_summarizer *summarizer, struct loom_store *store,
			      struct loom_err *err)
{
	loom_arena_reset(summarizer->arena);
	return loom_job_sweep(store, summarizer->arena, &summarizer->swept,
			      &summarizer->swept_count, err);
}

static enum loom_status run_work(void *context, void *payload, struct loom_task *task,
				 struct loom_err *err)
{
	struct loom_summarizer *summarizer = payload;
	enum loom_status status = LOOM_OK;

	(void)task;
	switch (summarizer->work) {
	case WORK_CLAIM:
		status = run_claim(summarizer, context, err);
		break;
	case WORK_KEEP:
		status = keep(summarizer, context, err);
		break;
	case WORK_SWEEP:
		status = sweep(summarizer, context, err);
		break;
	case WORK_CLOSE:
		break;
	}
	return status;
}

/* ---- the end ---- */

static void free_summarizer(struct loom_summarizer *summarizer)
{
	loom_session_close(summarizer->session);
	loom_arena_destroy(summarizer->arena);
	loom_buf_fini(&summarizer->prompt);
	free(summarizer);
}

static void rest(struct loom_summarizer *summarizer, enum loom_status status,
		 const struct loom_err *err)
{
	summarizer->busy = summarizer->stopping = false;
	if (summarizer->closing)
		post(summarizer, WORK_CLOSE);
	else if (summarizer->opts.idle)
		summarizer->opts.idle(summarizer->opts.ctx, status, err);
}

/* ---- the model ---- */

static void on_chunk(void *ctx, size_t choice, struct loom_str text)
{
	(void)ctx;
	(void)choice;
	(void)text;
}

struct loom_str loom_summary_tidy(struct loom_str text, struct loom_arena *arena)
{
	struct loom_buf line = LOOM_BUF_INIT(1 << 20);
	struct loom_str out;

	text = loom_utf8_clip(loom_str_trim(text), KEPT_MAX);
	for (size_t i = 0; i < text.n; i++)
		loom_buf_addc(&line, text.p[i] == '\n' || text.p[i] == '\r' ? ' ' : text.p[i]);
	out = loom_arena_buf(arena, &line);
	loom_buf_fini(&line);
	if (out.n > 1 && out.p[0] == '"' && out.p[out.n - 1] == '"')
		out = loom_str_sub(out, 1, out.n - 2);
	return out;
}

static void on_wait(void *ctx, int64_t ms, const struct loom_err *why)
{
	const struct loom_summarizer *summarizer = ctx;

	(void)ms;
	if (summarizer->opts.noted && !summarizer->closing)
		summarizer->opts.noted(summarizer->opts.ctx, why);
}

static void on_end(void *ctx, size_t choice, const struct loom_generated *result)
{
	struct loom_summarizer *summarizer = ctx;

	(void)choice;
	summarizer->summary = loom_summary_tidy(result->text, summarizer->arena);
	if (result->finish == LOOM_FINISH_ERROR) {
		summarizer->status = LOOM_MODEL;
		summarizer->err = result->err;
	} else if (!summarizer->summary.n) {
		summarizer->status =
			loom_fail(&summarizer->err, LOOM_MODEL, "the model wrote no summary");
	}
}

static void on_done(void *ctx)
{
	struct loom_summarizer *summarizer = ctx;

	summarizer->generation = NULL;
	/* An incomplete summary is not used; the job waits again as soon as this session ends. */
	if (summarizer->closing || summarizer->given_up) {
		rest(summarizer, LOOM_CANCELLED, NULL);
		return;
	}
	summarizer->hopeless = summarizer->status != LOOM_OK;
	post(summarizer, WORK_KEEP);
}

static bool has_model(const struct loom_summarizer *summarizer)
{
	const struct loom_generator *generator = summarizer->opts.generator;
	const struct loom_generate_voice voice = {.use = LOOM_GENERATE_SUMMARY};
	struct loom_voice_info info;

	return generator->describe(generator->ctx, &voice, &info, NULL) == LOOM_OK &&
	       info.configured;
}

static void keep_extract(struct loom_summarizer *summarizer)
{
	summarizer->summary = summarizer->extract;
	summarizer->is_extract = true;
	post(summarizer, WORK_KEEP);
}

static void ask(struct loom_summarizer *summarizer)
{
	const struct loom_generator *generator = summarizer->opts.generator;
	const struct loom_generate_sink sink = {.chunk = on_chunk,
						.end = on_end,
						.done = on_done,
						.ctx = summarizer,
						.waits = on_wait};
	struct loom_generate_request request = {.voice = {.use = LOOM_GENERATE_SUMMARY},
						.messages = &summarizer->message,
						.message_count = 1,
						.n = 1,
						.tokens = LOOM_SUMMARY_TOKENS,
						.salt = (uint64_t)summarizer->job.target << 20 ^
							0x73756d};

	summarizer->status = LOOM_OK;
	summarizer->is_extract = false;
	summarizer->message =
		(struct loom_prompt_message){.role = LOOM_ROLE_USER,
					     .text = loom_buf_str(&summarizer->prompt)};
	if (!has_model(summarizer)) {
		keep_extract(summarizer);
		return;
	}
	summarizer->status = generator->start(generator->ctx, &request, &sink,
					      &summarizer->generation, &summarizer->err);
	if (summarizer->status != LOOM_OK) {
		summarizer->hopeless = true;
		post(summarizer, WORK_KEEP);
	}
}

/* ---- the machine ---- */

static void on_kept(struct loom_summarizer *summarizer, enum loom_status status,
		    const struct loom_err *err)
{
	const bool one = summarizer->wanted.target == summarizer->job.target &&
			 summarizer->wanted.kind == summarizer->job.kind &&
			 summarizer->wanted.target;

	if (status == LOOM_OK && summarizer->status == LOOM_OK && summarizer->opts.made &&
	    !summarizer->closing)
		summarizer->opts.made(summarizer->opts.ctx, &summarizer->job, summarizer->summary,
				      summarizer->is_extract);
	if (status != LOOM_OK)
		rest(summarizer, status, err);
	else if (summarizer->status != LOOM_OK)
		rest(summarizer, summarizer->status, &summarizer->err);
	else if (one || summarizer->stopping || summarizer->closing)
		rest(summarizer, LOOM_OK, NULL);
	else
		post(summarizer, WORK_CLAIM);
}

static void on_swept(struct loom_summarizer *summarizer, enum loom_status status,
		     const struct loom_err *err)
{
	const struct loom_summarizer_opts *opts = &summarizer->opts;
	const size_t count = status == LOOM_OK ? summarizer->swept_count : 0;

	for (size_t i = 0; i < count && opts->made && !summarizer->closing; i++)
		opts->made(opts->ctx, &summarizer->swept[i].job, summarizer->swept[i].extract,
			   true);
	if (count == LOOM_SWEEP_MAX && !summarizer->stopping && !summarizer->closing)
		post(summarizer, WORK_SWEEP);
	else
		rest(summarizer, status, err);
}

static void on_work(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct loom_summarizer *summarizer = payload;

	if (summarizer->work == WORK_CLOSE)
		free_summarizer(summarizer);
	else if (summarizer->work == WORK_SWEEP)
		on_swept(summarizer, status, err);
	else if (summarizer->work == WORK_KEEP)
		on_kept(summarizer, status, err);
	else if (status != LOOM_OK || !summarizer->job.id || summarizer->stopping ||
		 summarizer->closing)
		rest(summarizer, status, err);
	else
		ask(summarizer);
}

static void post(struct loom_summarizer *summarizer, enum work work)
{
	const struct loom_job job = {.run = run_work, .done = on_work, .payload = summarizer};

	summarizer->work = work;
	loom_worker_post(summarizer->opts.worker, &job);
}

/* ---- the interface ---- */

struct loom_summarizer *loom_summarizer_create(const struct loom_summarizer_opts *opts)
{
	struct loom_summarizer *summarizer = loom_alloc(sizeof *summarizer);

	summarizer->opts = *opts;
	summarizer->arena = loom_arena_create();
	loom_buf_init(&summarizer->prompt, LOOM_BUF_MAX);
	return summarizer;
}

static void cancel(const struct loom_summarizer *summarizer)
{
	if (summarizer->generation)
		summarizer->opts.generator->cancel(summarizer->opts.generator->ctx,
						   summarizer->generation, LOOM_CHOICES_ALL);
}

void loom_summarizer_destroy(struct loom_summarizer *summarizer)
{
	if (!summarizer)
		return;
	summarizer->closing = true;
	if (!summarizer->busy)
		post(summarizer, WORK_CLOSE);
	else
		cancel(summarizer);
}

void loom_summarizer_give_up(struct loom_summarizer *summarizer)
{
	summarizer->given_up = true;
	loom_summarizer_stop(summarizer);
	cancel(summarizer);
}

static void begin(struct loom_summarizer *summarizer, const struct loom_summary_job *wanted)
{
	summarizer->wanted = *wanted;
	summarizer->forced = wanted->target != 0;
	summarizer->busy = true;
	summarizer->model = has_model(summarizer);
	post(summarizer, wanted->target || summarizer->model ? WORK_CLAIM : WORK_SWEEP);
}

void loom_summarizer_poke(struct loom_summarizer *summarizer)
{
	const struct loom_summary_job any = {.target = 0};

	if (!summarizer->busy && !summarizer->hopeless && !summarizer->given_up)
		begin(summarizer, &any);
}

void loom_summarizer_make(struct loom_summarizer *summarizer, enum loom_job_kind kind,
			  int64_t target)
{
	const struct loom_summary_job one = {.kind = kind, .target = target};

	begin(summarizer, &one);
}

bool loom_summarizer_busy(const struct loom_summarizer *summarizer)
{
	return summarizer->busy;
}

void loom_summarizer_stop(struct loom_summarizer *summarizer)
{
	summarizer->stopping = summarizer->busy;
}
