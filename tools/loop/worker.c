/* The worker thread. One mutex guards two lists: requests to run, and requests to answer. A bell
 * tells the loop that there are answers.
 *
 * A request is in exactly one place at a time: the waiting list, the thread, or the answered
 * list. */
#include <loom/loop/worker.h>

#include <pthread.h>
#include <signal.h>

struct request {
	struct request *next;
	struct loom_job job;
	struct loom_task own_task; /* used when the job brings none */
	enum loom_status status;
	struct loom_err err;
};

struct list {
	struct request *first;
	struct request **last;
};

struct loom_worker {
	struct loom_worker_opts opts;
	pthread_t thread;
	pthread_mutex_t mutex; /* guards the next four */
	pthread_cond_t posted;
	struct list waiting;
	struct list answered;
	bool stop;
	/* For the loop's thread only. */
	struct loom_bell *bell;
	size_t pending;
	bool closing;
	struct loom_worker_common common;
};

static void list_init(struct list *list)
{
	list->first = NULL;
	list->last = &list->first;
}

static void list_add(struct list *list, struct request *request)
{
	LOOM_ASSERT(!*list->last);
	request->next = NULL;
	*list->last = request;
	list->last = &request->next;
}

static struct request *list_take(struct list *list)
{
	struct request *request = list->first;

	if (!request)
		return NULL;
	list->first = request->next;
	if (!list->first)
		list->last = &list->first;
	return request;
}

/* Sleeps until there is a request; returns NULL when the worker ends. */
static struct request *next_request(struct loom_worker *worker)
{
	struct request *request = NULL;

	pthread_mutex_lock(&worker->mutex);
	while (!worker->waiting.first && !worker->stop)
		pthread_cond_wait(&worker->posted, &worker->mutex);
	request = list_take(&worker->waiting);
	pthread_mutex_unlock(&worker->mutex);
	return request;
}

static void answer(struct loom_worker *worker, struct request *request)
{
	pthread_mutex_lock(&worker->mutex);
	list_add(&worker->answered, request);
	pthread_mutex_unlock(&worker->mutex);
	loom_bell_ring(worker->bell);
}

static enum loom_status cancelled(struct loom_err *err)
{
	return loom_fail(err, LOOM_CANCELLED, "stopped before it started");
}

static enum loom_status run_request(struct loom_worker *worker, struct request *request,
				    void **context, bool *is_open)
{
	enum loom_status status = LOOM_OK;

	if (loom_task_cancelled(request->job.task))
		return cancelled(&request->err);
	if (!*is_open && worker->opts.open) {
		status = worker->opts.open(worker->opts.ctx, context, &request->err);
		if (status)
			return status;
	}
	*is_open = true;
	/* Opening may have taken a while. */
	if (loom_task_cancelled(request->job.task))
		return cancelled(&request->err);
	if (!request->job.run)
		return LOOM_OK;
	return request->job.run(*context, request->job.payload, request->job.task, &request->err);
}

static void *work(void *ctx)
{
	struct loom_worker *worker = ctx;
	struct request *request = NULL;
	void *context = NULL;
	bool is_open = false;

	while ((request = next_request(worker))) {
		request->status = run_request(worker, request, &context, &is_open);
		answer(worker, request);
	}
	if (is_open && worker->opts.close)
		worker->opts.close(context);
	return NULL;
}

/* Delivers all answers so far, in the loop's thread. */
static void deliver(void *ctx)
{
	struct loom_worker *worker = ctx;
	struct request *request = NULL;

	do {
		pthread_mutex_lock(&worker->mutex);
		request = list_take(&worker->answered);
		pthread_mutex_unlock(&worker->mutex);
		if (!request)
			break;
		LOOM_ASSERT(worker->pending > 0);
		worker->pending--;
		if (request->job.done)
			request->job.done(request->job.payload, request->status, &request->err);
		free(request);
	} while (true);
}

/* Signals belong to the thread that runs the loop. */
static void start_thread(struct loom_worker *worker)
{
	sigset_t all;
	sigset_t before;
	int failed = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&worker->thread, NULL, work, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed) {
		fprintf(stderr, "loom: cannot start a thread for writing: %s\n", strerror(failed));
		exit(3);
	}
}

struct loom_worker *loom_worker_create(const struct loom_worker_opts *opts)
{
	struct loom_worker *worker = loom_alloc(sizeof *worker);

	LOOM_ASSERT(opts->loop);
	worker->opts = *opts;
	pthread_mutex_init(&worker->mutex, NULL);
	pthread_cond_init(&worker->posted, NULL);
	list_init(&worker->waiting);
	list_init(&worker->answered);
	worker->bell = loom_bell_create(opts->loop, deliver, worker);
	start_thread(worker);
	return worker;
}

void loom_worker_destroy(struct loom_worker *worker)
{
	if (!worker)
		return;
	worker->closing = true;
	while (worker->pending) {
		loom_bell_wait(worker->bell);
		deliver(worker);
	}
	pthread_mutex_lock(&worker->mutex);
	worker->stop = true;
	pthread_cond_signal(&worker->posted);
	pthread_mutex_unlock(&worker->mutex);
	pthread_join(worker->thread, NULL);
	loom_bell_destroy(worker->bell);
	pthread_cond_destroy(&worker->posted);
	pthread_mutex_destroy(&worker->mutex);
	if (worker->common.thing)
		worker->common.end(worker->common.thing);
	free(worker);
}

void loom_worker_post(struct loom_worker *worker, const struct loom_job *job)
{
	struct request *request = loom_alloc(sizeof *request);

	LOOM_ASSERT(!worker->stop);
	request->job = *job;
	if (!request->job.task)
		request->job.task = &request->own_task;
	if (worker->closing && !job->closes)
		loom_task_cancel(request->job.task);
	worker->pending++;
	pthread_mutex_lock(&worker->mutex);
	list_add(&worker->waiting, request);
	pthread_cond_signal(&worker->posted);
	pthread_mutex_unlock(&worker->mutex);
}

size_t loom_worker_pending(const struct loom_worker *worker)
{
	return worker->pending;
}

struct loom_loop *loom_worker_loop(const struct loom_worker *worker)
{
	return worker->opts.loop;
}

struct loom_worker_common *loom_worker_common(struct loom_worker *worker)
{
	return &worker->common;
}

/* A request whose caller waits for the answer. */
struct call {
	const struct loom_job *job;
	enum loom_status status;
	struct loom_err err;
	bool answered;
};

static enum loom_status run_call(void *context, void *payload, struct loom_task *task,
				 struct loom_err *err)
{
	struct call *call = payload;

	return call->job->run(context, call->job->payload, task, err);
}

static void call_done(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct call *call = payload;

	LOOM_ASSERT(!call->answered);
	call->status = status;
	call->err = *err;
	call->answered = true;
	if (call->job->done)
		call->job->done(call->job->payload, status, err);
}

enum loom_status loom_worker_call(struct loom_worker *worker, const struct loom_job *job,
				  struct loom_err *err)
{
	struct call call = {.job = job};
	struct loom_job posted = {.run = run_call,
				  .done = call_done,
				  .payload = &call,
				  .task = job->task};

	LOOM_ASSERT(job->run);
	loom_worker_post(worker, &posted);
	while (!call.answered)
		loom_loop_step(worker->opts.loop, -1);
	if (err && call.status)
		*err = call.err;
	return call.status;
}
