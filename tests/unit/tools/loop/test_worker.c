/* The worker thread: order, answers, cancelling, draining. */
#include <greatest.h>

#include <pthread.h>
#include <time.h>

#include <loom/loop/worker.h>

struct world {
	struct loom_loop *loop;
	struct loom_worker *worker;
	pthread_t main;
	int order[2000];
	int order_count; /* loop's thread only */
	int wrong_thread;
};

/* One request; the worker writes `ran` and `context`, the loop reads them when it is done. */
struct note {
	struct world *world;
	int number;
	bool ran;
	bool in_main;
	int context;
	enum loom_status status;
	char text[64];
	enum loom_status answer; /* what run gives back */
	int repost;
};

static void nap(long ms)
{
	struct timespec span = {.tv_nsec = ms * 1000000};

	nanosleep(&span, NULL);
}

/* The thread's own context: how often it was opened. */
static enum loom_status open_context(void *ctx, void **out, struct loom_err *err)
{
	int *opened = loom_alloc(sizeof *opened);

	(void)ctx;
	(void)err;
	*opened = 77;
	*out = opened;
	return LOOM_OK;
}

static void close_context(void *context)
{
	free(context);
}

static enum loom_status run_note(void *context, void *payload, struct loom_task *task,
				 struct loom_err *err)
{
	struct note *note = payload;

	(void)task;
	note->ran = true;
	note->in_main = pthread_equal(pthread_self(), note->world->main);
	note->context = context ? *(int *)context : 0;
	return note->answer ? loom_fail(err, note->answer, "note %d", note->number) : LOOM_OK;
}

static void note_done(void *payload, enum loom_status status, const struct loom_err *err);

static void post_note(struct note *note)
{
	struct loom_job job = {.run = run_note, .done = note_done, .payload = note};

	loom_worker_post(note->world->worker, &job);
}

static void note_done(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct note *note = payload;
	struct world *world = note->world;

	note->status = status;
	snprintf(note->text, sizeof note->text, "%.60s", err->text);
	world->wrong_thread += !pthread_equal(pthread_self(), world->main) || note->in_main;
	world->order[world->order_count++] = note->number;
	if (note->repost-- > 0)
		post_note(note);
}

static void world_open(struct world *world)
{
	struct loom_worker_opts opts = {.open = open_context, .close = close_context};

	*world = (struct world){.loop = loom_loop_create(), .main = pthread_self()};
	opts.loop = world->loop;
	world->worker = loom_worker_create(&opts);
}

static void world_close(struct world *world)
{
	loom_worker_destroy(world->worker);
	loom_loop_destroy(world->loop);
}

TEST requests_run_in_order_in_the_other_thread_and_are_answered_in_this_one(void)
{
	static struct note notes[1000];
	struct world world;

	world_open(&world);
	for (int i = 0; i < 1000; i++) {
		notes[i] = (struct note){.world = &world, .number = i};
		post_note(&notes[i]);
	}
	ASSERT(loom_worker_pending(world.worker) > 0);
	while (loom_worker_pending(world.worker))
		loom_loop_step(world.loop, -1);
	ASSERT_EQ(1000, world.order_count);
	for (int i = 0; i < 1000; i++) {
		ASSERT_EQ(i, world.order[i]);
		ASSERT_EQ(77, notes[i].context);
		ASSERT_EQ(LOOM_OK, notes[i].status);
	}
	ASSERT_EQ(0, world.wrong_thread);
	world_close(&world);
	PASS();
}

TEST an_error_reaches_its_answer_with_its_text(void)
{
	struct world world;
	struct note bad = {.world = &world, .number = 4, .answer = LOOM_CONFLICT};
	struct note good = {.world = &world, .number = 5};

	world_open(&world);
	post_note(&bad);
	post_note(&good);
	world_close(&world);
	ASSERT_EQ(LOOM_CONFLICT, bad.status);
	ASSERT_STR_EQ("note 4", bad.text);
	ASSERT_EQ(LOOM_OK, good.status);
	ASSERT_STR_EQ("", good.text);
	PASS();
}

TEST destroying_finishes_what_was_posted(void)
{
	static struct note notes[200];
	struct world world;

	world_open(&world);
	for (int i = 0; i < 200; i++) {
		notes[i] = (struct note){.world = &world, .number = i};
		post_note(&notes[i]);
	}
	world_close(&world);
	ASSERT_EQ(200, world.order_count);
	for (int i = 0; i < 200; i++)
		ASSERT(notes[i].ran);
	PASS();
}

TEST what_is_posted_while_it_closes_is_answered_and_does_not_run(void)
{
	struct world world;
	struct note note = {.world = &world, .number = 1, .repost = 1};

	world_open(&world);
	post_note(&note);
	world_close(&world);
	ASSERT_EQ(2, world.order_count);
	ASSERT_EQ(LOOM_CANCELLED, note.status);
	PASS();
}

TEST an_answer_may_post_the_next_request(void)
{
	struct world world;
	struct note note = {.world = &world, .number = 1, .repost = 9};

	world_open(&world);
	post_note(&note);
	while (loom_worker_pending(world.worker))
		loom_loop_step(world.loop, -1);
	ASSERT_EQ(10, world.order_count);
	world_close(&world);
	PASS();
}

static enum loom_status run_until_cancelled(void *context, void *payload, struct loom_task *task,
					    struct loom_err *err)
{
	uint64_t n = 0;

	(void)context;
	(void)payload;
	while (!loom_task_cancelled(task)) {
		loom_task_report(task, ++n, 0);
		nap(1);
	}
	return loom_fail(err, LOOM_CANCELLED, "stopped");
}

static void cancel_task(void *ctx)
{
	loom_task_cancel(ctx);
}

TEST a_running_request_hears_that_it_shall_stop(void)
{
	struct world world;
	struct loom_task task = {.cancelled = false};
	struct loom_job job = {.run = run_until_cancelled, .task = &task};
	struct loom_err err = {.status = LOOM_OK};
	uint64_t done = 0;
	uint64_t total = 0;

	world_open(&world);
	loom_loop_timer(world.loop, 20, cancel_task, &task);
	ASSERT_EQ(LOOM_CANCELLED, loom_worker_call(world.worker, &job, &err));
	ASSERT_STR_EQ("stopped", err.text);
	loom_task_progress(&task, &done, &total);
	ASSERT(done > 0);
	world_close(&world);
	PASS();
}

/* Fails as often as the counter says. */
static enum loom_status open_failing(void *ctx, void **out, struct loom_err *err)
{
	int *left = ctx;

	if ((*left)-- > 0)
		return loom_fail(err, LOOM_BUSY, "not yet");
	return open_context(NULL, out, err);
}

TEST a_context_that_cannot_be_opened_fails_the_request_and_is_tried_again(void)
{
	struct world world = {.loop = loom_loop_create(), .main = pthread_self()};
	int failures = 2;
	struct loom_worker_opts opts = {.loop = world.loop,
					.open = open_failing,
					.close = close_context,
					.ctx = &failures};
	struct note notes[3];

	world.worker = loom_worker_create(&opts);
	for (int i = 0; i < 3; i++) {
		notes[i] = (struct note){.world = &world, .number = i};
		post_note(&notes[i]);
	}
	world_close(&world);
	ASSERT_EQ(LOOM_BUSY, notes[0].status);
	ASSERT_STR_EQ("not yet", notes[1].text);
	ASSERT(!notes[1].ran);
	ASSERT_EQ(LOOM_OK, notes[2].status);
	ASSERT_EQ(77, notes[2].context);
	PASS();
}

TEST a_call_gives_the_answer_back(void)
{
	struct world world;
	struct note note = {.world = &world, .number = 7, .answer = LOOM_NOT_FOUND};
	struct loom_job job = {.run = run_note, .done = note_done, .payload = &note};
	struct loom_err err = {.status = LOOM_OK};

	world_open(&world);
	ASSERT_EQ(LOOM_NOT_FOUND, loom_worker_call(world.worker, &job, &err));
	ASSERT_EQ(LOOM_NOT_FOUND, err.status);
	ASSERT_STR_EQ("note 7", err.text);
	ASSERT_EQ(1, world.order_count);
	note.answer = LOOM_OK;
	ASSERT_EQ(LOOM_OK, loom_worker_call(world.worker, &job, NULL));
	world_close(&world);
	PASS();
}

TEST a_worker_that_was_never_used_ends(void)
{
	struct world world;

	for (int i = 0; i < 50; i++) {
		world_open(&world);
		world_close(&world);
	}
	loom_worker_destroy(NULL);
	PASS();
}

SUITE(worker)
{
	RUN_TEST(requests_run_in_order_in_the_other_thread_and_are_answered_in_this_one);
	RUN_TEST(an_error_reaches_its_answer_with_its_text);
	RUN_TEST(destroying_finishes_what_was_posted);
	RUN_TEST(what_is_posted_while_it_closes_is_answered_and_does_not_run);
	RUN_TEST(an_answer_may_post_the_next_request);
	RUN_TEST(a_running_request_hears_that_it_shall_stop);
	RUN_TEST(a_context_that_cannot_be_opened_fails_the_request_and_is_tried_again);
	RUN_TEST(a_call_gives_the_answer_back);
	RUN_TEST(a_worker_that_was_never_used_ends);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(worker);
	GREATEST_MAIN_END();
}
