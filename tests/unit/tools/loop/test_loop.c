/* The event loop. */
#include <greatest.h>

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <loom/base/env.h>
#include <loom/loop/loop.h>

/* What callbacks leave behind. */
struct trace {
	struct loom_loop *loop;
	char text[64];
	size_t n;
	int fd;
	int other;
	uint64_t timer;
	int left;
	unsigned events;
};

static void mark(struct trace *trace, char c)
{
	if (trace->n < sizeof trace->text - 1)
		trace->text[trace->n++] = c;
}

static void timer_a(void *ctx)
{
	mark(ctx, 'a');
}

static void timer_b(void *ctx)
{
	mark(ctx, 'b');
}

static void timer_s(void *ctx)
{
	mark(ctx, 's');
}

/* Rounds until callbacks have left so much behind. */
static void run_until(const struct trace *trace, size_t n)
{
	while (trace->n < n)
		(void)loom_loop_step(trace->loop, -1);
}

static void nap(long ms)
{
	struct timespec span = {.tv_nsec = ms * 1000000};

	nanosleep(&span, NULL);
}

TEST timers_fire_once_in_the_order_of_their_deadlines(void)
{
	struct trace trace = {.loop = loom_loop_create()};
	int64_t begun = loom_env_boot();

	loom_loop_timer(trace.loop, 20, timer_b, &trace);
	loom_loop_timer(trace.loop, 5, timer_a, &trace);
	loom_loop_timer(trace.loop, 20, timer_a, &trace);
	loom_loop_timer(trace.loop, 0, timer_b, &trace);
	run_until(&trace, 4);
	ASSERT_STR_EQ("baba", trace.text);
	ASSERT(loom_env_boot() - begun >= 20);
	loom_loop_destroy(trace.loop);
	PASS();
}

TEST a_cancelled_timer_does_not_fire(void)
{
	struct trace trace = {.loop = loom_loop_create()};
	uint64_t id = loom_loop_timer(trace.loop, 1, timer_a, &trace);

	loom_loop_timer(trace.loop, 5, timer_b, &trace);
	loom_loop_timer_cancel(trace.loop, id);
	loom_loop_timer_cancel(trace.loop, id);
	loom_loop_timer_cancel(trace.loop, 0);
	run_until(&trace, 1);
	ASSERT_STR_EQ("b", trace.text);
	loom_loop_destroy(trace.loop);
	PASS();
}

static void timer_cancels_other(void *ctx)
{
	struct trace *trace = ctx;

	mark(trace, 'c');
	loom_loop_timer_cancel(trace->loop, trace->timer);
}

TEST a_timer_may_cancel_another_that_is_due_in_the_same_round(void)
{
	struct trace trace = {.loop = loom_loop_create()};

	loom_loop_timer(trace.loop, 0, timer_cancels_other, &trace);
	trace.timer = loom_loop_timer(trace.loop, 0, timer_a, &trace);
	nap(3);
	run_until(&trace, 1);
	ASSERT_STR_EQ("c", trace.text);
	loom_loop_destroy(trace.loop);
	PASS();
}

static void timer_again(void *ctx)
{
	struct trace *trace = ctx;

	mark(trace, 'r');
	if (--trace->left)
		loom_loop_timer(trace->loop, 0, timer_again, trace);
}

TEST a_timer_that_sets_itself_leaves_room_for_others(void)
{
	struct trace trace = {.loop = loom_loop_create(), .left = 3};

	loom_loop_timer(trace.loop, 0, timer_again, &trace);
	nap(2);
	ASSERT(loom_loop_step(trace.loop, -1));
	ASSERT_STR_EQ("r", trace.text);
	run_until(&trace, 3);
	ASSERT_STR_EQ("rrr", trace.text);
	loom_loop_destroy(trace.loop);
	PASS();
}

static void on_read(void *ctx, int fd, unsigned events)
{
	struct trace *trace = ctx;
	char c = 0;

	trace->events = events;
	if (read(fd, &c, 1) == 1)
		mark(trace, c);
	else
		loom_loop_watch(trace->loop, fd, 0, NULL, NULL);
}

TEST a_descriptor_is_told_when_it_can_be_read_and_when_it_ends(void)
{
	struct trace trace = {.loop = loom_loop_create()};
	int ends[2];

	ASSERT_EQ(0, pipe(ends));
	loom_loop_watch(trace.loop, ends[0], LOOM_LOOP_READ, on_read, &trace);
	ASSERT(!loom_loop_step(trace.loop, 0));
	ASSERT_EQ(2, write(ends[1], "xy", 2));
	close(ends[1]);
	run_until(&trace, 2);
	ASSERT(loom_loop_step(trace.loop, 0)); /* the end */
	ASSERT_STR_EQ("xy", trace.text);
	ASSERT(trace.events & LOOM_LOOP_READ);
	ASSERT(trace.events & LOOM_LOOP_ERROR);
	close(ends[0]);
	loom_loop_destroy(trace.loop);
	PASS();
}

static void on_write(void *ctx, int fd, unsigned events)
{
	struct trace *trace = ctx;

	(void)fd;
	trace->events = events;
	mark(trace, 'w');
	loom_loop_watch(trace->loop, fd, 0, NULL, NULL);
}

TEST only_asked_for_events_are_told(void)
{
	struct trace trace = {.loop = loom_loop_create()};
	int ends[2];

	ASSERT_EQ(0, pipe(ends));
	loom_loop_watch(trace.loop, ends[1], LOOM_LOOP_READ, on_write, &trace);
	ASSERT(!loom_loop_step(trace.loop, 0));
	loom_loop_watch(trace.loop, ends[1], LOOM_LOOP_WRITE, on_write, &trace);
	ASSERT(loom_loop_step(trace.loop, 0));
	ASSERT_EQ(LOOM_LOOP_WRITE, trace.events);
	close(ends[0]);
	close(ends[1]);
	loom_loop_destroy(trace.loop);
	PASS();
}

/* Ends the other watch, closes its descriptor and watches a new one, which gets its number. */
static void on_replace(void *ctx, int fd, unsigned events)
{
	struct trace *trace = ctx;
	char c = 0;

	(void)events;
	ASSERT_OR_LONGJMP(read(fd, &c, 1) == 1);
	mark(trace, 'R');
	loom_loop_watch(trace->loop, trace->other, 0, NULL, NULL);
	loom_loop_watch(trace->loop, fd, 0, NULL, NULL);
	for (int i = 0; i < 40; i++)
		loom_loop_watch(trace->loop, 1000 + i, LOOM_LOOP_READ, on_read, trace);
	for (int i = 0; i < 40; i++)
		loom_loop_watch(trace->loop, 1000 + i, 0, NULL, NULL);
	loom_loop_watch(trace->loop, trace->other, LOOM_LOOP_READ, on_read, trace);
}

TEST a_callback_may_end_and_renew_watches_of_the_same_round(void)
{
	struct trace trace = {.loop = loom_loop_create()};
	int a[2];
	int b[2];

	ASSERT_EQ(0, pipe(a));
	ASSERT_EQ(0, pipe(b));
	trace.other = b[0];
	loom_loop_watch(trace.loop, a[0], LOOM_LOOP_READ, on_replace, &trace);
	loom_loop_watch(trace.loop, b[0], LOOM_LOOP_READ, on_write, &trace);
	ASSERT_EQ(1, write(a[1], "1", 1));
	ASSERT_EQ(1, write(b[1], "2", 1));
	ASSERT(loom_loop_step(trace.loop, -1));
	ASSERT_STR_EQ("R", trace.text);
	ASSERT(loom_loop_step(trace.loop, -1));
	ASSERT_STR_EQ("R2", trace.text);
	close(a[0]), close(a[1]), close(b[0]), close(b[1]);
	loom_loop_destroy(trace.loop);
	PASS();
}

static bool idle_a(void *ctx)
{
	struct trace *trace = ctx;

	mark(trace, 'i');
	return --trace->left > 0;
}

static bool idle_b(void *ctx)
{
	mark(ctx, 'j');
	return false;
}

TEST idle_work_runs_in_turns_and_only_when_nothing_is_ready(void)
{
	struct trace trace = {.loop = loom_loop_create(), .left = 3};

	loom_loop_idle(trace.loop, idle_a, &trace);
	loom_loop_idle(trace.loop, idle_b, &trace);
	loom_loop_timer(trace.loop, 0, timer_a, &trace);
	nap(2);
	run_until(&trace, 5);
	ASSERT_STR_EQ("aijii", trace.text);
	loom_loop_destroy(trace.loop);
	PASS();
}

TEST cancelled_idle_work_does_not_run(void)
{
	struct trace trace = {.loop = loom_loop_create(), .left = 3};

	loom_loop_idle(trace.loop, idle_a, &trace);
	loom_loop_idle(trace.loop, idle_b, &trace);
	loom_loop_idle_cancel(trace.loop, idle_a, &trace);
	run_until(&trace, 1);
	ASSERT_STR_EQ("j", trace.text);
	loom_loop_destroy(trace.loop);
	PASS();
}

static void on_signal(void *ctx, int signo)
{
	struct trace *trace = ctx;

	mark(trace, signo == SIGUSR1 ? 'u' : signo == SIGINT ? 'I' : '?');
}

TEST signals_come_through_the_loop_and_are_given_back(void)
{
	struct trace trace = {.loop = loom_loop_create()};
	sigset_t blocked;

	loom_loop_signal(trace.loop, SIGUSR1, on_signal, &trace);
	loom_loop_signal(trace.loop, SIGINT, on_signal, &trace);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGINT);
	ASSERT(loom_loop_step(trace.loop, 1000));
	ASSERT(strchr(trace.text, 'u'));
	ASSERT(strchr(trace.text, 'I'));
	loom_loop_signal(trace.loop, SIGINT, NULL, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	ASSERT(!sigismember(&blocked, SIGINT));
	ASSERT(sigismember(&blocked, SIGUSR1));
	loom_loop_destroy(trace.loop);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	ASSERT(!sigismember(&blocked, SIGUSR1));
	PASS();
}

static void on_bell(void *ctx)
{
	mark(ctx, '!');
}

static void *ring_later(void *ctx)
{
	nap(10);
	loom_bell_ring(ctx);
	loom_bell_ring(ctx);
	loom_bell_ring(ctx);
	return NULL;
}

TEST another_thread_wakes_the_loop_with_a_bell(void)
{
	struct trace trace = {.loop = loom_loop_create()};
	struct loom_bell *bell = loom_bell_create(trace.loop, on_bell, &trace);
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, ring_later, bell));
	run_until(&trace, 1);
	pthread_join(thread, NULL);
	ASSERT_EQ('!', trace.text[0]);
	while (loom_loop_step(trace.loop, 0))
		continue;
	ASSERT(trace.n <= 3);
	loom_bell_destroy(bell);
	loom_loop_destroy(trace.loop);
	PASS();
}

TEST rings_before_the_call_are_one(void)
{
	struct trace trace = {.loop = loom_loop_create()};
	struct loom_bell *bell = loom_bell_create(trace.loop, on_bell, &trace);

	for (int i = 0; i < 1000; i++)
		loom_bell_ring(bell);
	while (loom_loop_step(trace.loop, 0))
		continue;
	ASSERT_STR_EQ("!", trace.text);
	loom_bell_destroy(bell);
	loom_loop_destroy(trace.loop);
	PASS();
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

TEST an_idle_loop_wakes_for_nothing(void)
{
	struct trace trace = {.loop = loom_loop_create()};
	struct loom_bell *bell = loom_bell_create(trace.loop, on_bell, &trace);
	long before = 0;
	int rounds = 0;

	loom_loop_timer(trace.loop, 300, timer_s, &trace);
	before = switches();
	while (!trace.n) {
		loom_loop_step(trace.loop, -1);
		rounds++;
	}
	ASSERT_EQ(1, rounds);
	ASSERT(switches() - before <= 3);
	loom_bell_destroy(bell);
	loom_loop_destroy(trace.loop);
	PASS();
}

TEST no_loop_is_nothing_to_destroy(void)
{
	loom_loop_destroy(NULL);
	PASS();
}

SUITE(loop)
{
	RUN_TEST(timers_fire_once_in_the_order_of_their_deadlines);
	RUN_TEST(a_cancelled_timer_does_not_fire);
	RUN_TEST(a_timer_may_cancel_another_that_is_due_in_the_same_round);
	RUN_TEST(a_timer_that_sets_itself_leaves_room_for_others);
	RUN_TEST(a_descriptor_is_told_when_it_can_be_read_and_when_it_ends);
	RUN_TEST(only_asked_for_events_are_told);
	RUN_TEST(a_callback_may_end_and_renew_watches_of_the_same_round);
	RUN_TEST(idle_work_runs_in_turns_and_only_when_nothing_is_ready);
	RUN_TEST(cancelled_idle_work_does_not_run);
	RUN_TEST(signals_come_through_the_loop_and_are_given_back);
	RUN_TEST(another_thread_wakes_the_loop_with_a_bell);
	RUN_TEST(rings_before_the_call_are_one);
	RUN_TEST(an_idle_loop_wakes_for_nothing);
	RUN_TEST(no_loop_is_nothing_to_destroy);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(loop);
	GREATEST_MAIN_END();
}
