/* The event loop over poll. Timers share one timerfd on the boot clock and signals one signalfd,
 * both ordinary watches, so an idle loop sleeps in poll without a timeout.
 *
 * Watches never move during dispatch: a removed one only loses its function, and new ones are
 * appended. They are swept before the next poll. */
#include <loom/loop/loop.h>

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <loom/base/env.h>

struct watch {
	int fd;
	unsigned events;
	loom_loop_fd_fn *fn; /* NULL: removed */
	void *ctx;
};

struct timer {
	uint64_t id;
	int64_t due; /* boot clock, ms */
	loom_loop_fn *fn;
	void *ctx;
};

struct idle {
	loom_loop_idle_fn *fn;
	void *ctx;
};

struct taken_signal {
	int signo;
	bool was_blocked;
	loom_loop_signal_fn *fn;
	void *ctx;
};

struct loom_loop {
	struct watch *watches;
	size_t watch_count;
	size_t watch_cap;
	struct pollfd *polls;
	size_t poll_cap;
	struct timer *timers;
	size_t timer_count;
	size_t timer_cap;
	uint64_t last_timer;
	int64_t armed; /* when the timerfd fires; 0: never */
	struct idle *idles;
	size_t idle_count;
	size_t idle_cap;
	struct taken_signal *signals;
	size_t signal_count;
	size_t signal_cap;
	int timer_fd;
	int signal_fd;
	bool running;
};

/* Makes room for one more item in a growing array. */
static void *room(void *items, size_t count, size_t *cap, size_t size)
{
	if (count < *cap)
		return items;
	*cap = *cap ? *cap * 2 : 8;
	return loom_realloc(items, *cap, size);
}

/* Without this descriptor there is no way to go on. */
static int must_fd(int fd, const char *what)
{
	if (fd < 0) {
		const int why = errno;

		fprintf(stderr, "loom: %s: %s\n", what, strerror(why));
		if (loom_errno_hint(why)[0])
			fprintf(stderr, "  hint: %s\n", loom_errno_hint(why));
		exit(3);
	}
	return fd;
}

static void on_timer_fd(void *ctx, int fd, unsigned events);
static void on_signal_fd(void *ctx, int fd, unsigned events);

struct loom_loop *loom_loop_create(void)
{
	struct loom_loop *loop = loom_alloc(sizeof *loop);

	loop->signal_fd = -1;
	loop->timer_fd =
		must_fd(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd");
	loom_loop_watch(loop, loop->timer_fd, LOOM_LOOP_READ, on_timer_fd, loop);
	return loop;
}

void loom_loop_destroy(struct loom_loop *loop)
{
	if (!loop)
		return;
	LOOM_ASSERT(!loop->running);
	while (loop->signal_count)
		loom_loop_signal(loop, loop->signals[0].signo, NULL, NULL);
	close(loop->timer_fd);
	if (loop->signal_fd >= 0)
		close(loop->signal_fd);
	free(loop->watches);
	free(loop->polls);
	free(loop->timers);
	free(loop->idles);
	free(loop->signals);
	free(loop);
}

static struct watch *find_watch(struct loom_loop *loop, int fd)
{
	for (size_t i = 0; i < loop->watch_count; i++)
		if (loop->watches[i].fn && loop->watches[i].fd == fd)
			return &loop->watches[i];
	return NULL;
}

void loom_loop_watch(struct loom_loop *loop, int fd, unsigned events, loom_loop_fd_fn *fn,
		     void *ctx)
{
	struct watch *watch = find_watch(loop, fd);

	if (!events) {
		if (watch)
			watch->fn = NULL;
		return;
	}
	if (!watch) {
		loop->watches =
			room(loop->watches, loop->watch_count, &loop->watch_cap, sizeof *watch);
		watch = &loop->watches[loop->watch_count++];
	}
	*watch = (struct watch){.fd = fd, .events = events, .fn = fn, .ctx = ctx};
}

static void sweep_watches(struct loom_loop *loop)
{
	size_t kept = 0;

	for (size_t i = 0; i < loop->watch_count; i++)
		if (loop->watches[i].fn)
			loop->watches[kept++] = loop->watches[i];
	loop->watch_count = kept;
}

/* Sets the timerfd to the earliest timer, without a system call when it already is. */
static void arm(struct loom_loop *loop)
{
	struct itimerspec spec = {.it_value = {.tv_sec = 0}};
	int64_t due = 0;

	for (size_t i = 0; i < loop->timer_count; i++)
		if (!due || loop->timers[i].due < due)
			due = loop->timers[i].due;
	if (due == loop->armed)
		return;
	spec.it_value.tv_sec = (time_t)(due / 1000);
	spec.it_value.tv_nsec = (long)(due % 1000) * 1000000;
	timerfd_settime(loop->timer_fd, TFD_TIMER_ABSTIME, &spec, NULL);
	loop->armed = due;
}

uint64_t loom_loop_timer(struct loom_loop *loop, int64_t ms, loom_loop_fn *fn, void *ctx)
{
	int64_t due = 0;

	if (__builtin_add_overflow(loom_env_boot(), ms > 0 ? ms : 0, &due))
		due = INT64_MAX;
	loop->timers =
		room(loop->timers, loop->timer_count, &loop->timer_cap, sizeof *loop->timers);
	loop->timers[loop->timer_count++] = (struct timer){.id = ++loop->last_timer,
							   .due = due > 0 ? due : 1,
							   .fn = fn,
							   .ctx = ctx};
	return loop->last_timer;
}

/* Keeps the order of timers, which decides between equal deadlines. */
static void remove_timer(struct loom_loop *loop, size_t index)
{
	loop->timer_count--;
	memmove(&loop->timers[index], &loop->timers[index + 1],
		(loop->timer_count - index) * sizeof *loop->timers);
}

void loom_loop_timer_cancel(struct loom_loop *loop, uint64_t id)
{
	for (size_t i = 0; i < loop->timer_count; i++)
		if (loop->timers[i].id == id) {
			remove_timer(loop, i);
			return;
		}
}

/* Takes the earliest timer that is due and was set before this round began. */
static bool take_due(struct loom_loop *loop, int64_t now, uint64_t newest, struct timer *out)
{
	size_t best = loop->timer_count;

	for (size_t i = 0; i < loop->timer_count; i++) {
		const struct timer *timer = &loop->timers[i];

		if (timer->due <= now && timer->id <= newest &&
		    (best == loop->timer_count || timer->due < loop->timers[best].due))
			best = i;
	}
	if (best == loop->timer_count)
		return false;
	*out = loop->timers[best];
	remove_timer(loop, best);
	return true;
}

static void on_timer_fd(void *ctx, int fd, unsigned events)
{
	struct loom_loop *loop = ctx;
	uint64_t newest = loop->last_timer;
	int64_t now = loom_env_boot();
	struct timer timer;
	uint64_t expired = 0;

	(void)events;
	if (read(fd, &expired, sizeof expired) > 0)
		loop->armed = 0;
	while (take_due(loop, now, newest, &timer))
		timer.fn(timer.ctx);
}

void loom_loop_idle(struct loom_loop *loop, loom_loop_idle_fn *fn, void *ctx)
{
	loop->idles = room(loop->idles, loop->idle_count, &loop->idle_cap, sizeof *loop->idles);
	loop->idles[loop->idle_count++] = (struct idle){.fn = fn, .ctx = ctx};
}

void loom_loop_idle_cancel(struct loom_loop *loop, loom_loop_idle_fn *fn, void *ctx)
{
	size_t kept = 0;

	for (size_t i = 0; i < loop->idle_count; i++)
		if (loop->idles[i].fn != fn || loop->idles[i].ctx != ctx)
			loop->idles[kept++] = loop->idles[i];
	loop->idle_count = kept;
}

/* Runs one slice of the first idle job and moves it behind the others if it has more. */
static bool run_idle(struct loom_loop *loop)
{
	struct idle idle;

	if (!loop->idle_count)
		return false;
	idle = loop->idles[0];
	loop->idle_count--;
	memmove(loop->idles, loop->idles + 1, loop->idle_count * sizeof *loop->idles);
	if (idle.fn(idle.ctx))
		loom_loop_idle(loop, idle.fn, idle.ctx);
	return true;
}

static struct taken_signal *find_signal(struct loom_loop *loop, int signo)
{
	for (size_t i = 0; i < loop->signal_count; i++)
		if (loop->signals[i].signo == signo)
			return &loop->signals[i];
	return NULL;
}

static void set_blocked(int signo, bool blocked, bool *was_blocked)
{
	sigset_t one;
	sigset_t before;

	sigemptyset(&one);
	sigaddset(&one, signo);
	pthread_sigmask(blocked ? SIG_BLOCK : SIG_UNBLOCK, &one, &before);
	if (was_blocked)
		*was_blocked = sigismember(&before, signo) == 1;
}

static void update_signal_fd(struct loom_loop *loop)
{
	bool fresh = loop->signal_fd < 0;
	sigset_t all;

	sigemptyset(&all);
	for (size_t i = 0; i < loop->signal_count; i++)
		sigaddset(&all, loop->signals[i].signo);
	loop->signal_fd =
		must_fd(signalfd(loop->signal_fd, &all, SFD_CLOEXEC | SFD_NONBLOCK), "signalfd");
	if (fresh)
		loom_loop_watch(loop, loop->signal_fd, LOOM_LOOP_READ, on_signal_fd, loop);
}

static void give_signal_back(struct loom_loop *loop, struct taken_signal *taken)
{
	struct taken_signal old = *taken;

	*taken = loop->signals[--loop->signal_count];
	update_signal_fd(loop);
	if (!old.was_blocked)
		set_blocked(old.signo, false, NULL);
}

void loom_loop_signal(struct loom_loop *loop, int signo, loom_loop_signal_fn *fn, void *ctx)
{
	struct taken_signal *taken = find_signal(loop, signo);

	if (!fn) {
		if (taken)
			give_signal_back(loop, taken);
		return;
	}
	if (!taken) {
		loop->signals =
			room(loop->signals, loop->signal_count, &loop->signal_cap, sizeof *taken);
		taken = &loop->signals[loop->signal_count++];
		*taken = (struct taken_signal){.signo = signo};
		set_blocked(signo, true, &taken->was_blocked);
	}
	taken->fn = fn;
	taken->ctx = ctx;
	update_signal_fd(loop);
}

static void on_signal_fd(void *ctx, int fd, unsigned events)
{
	struct loom_loop *loop = ctx;
	struct signalfd_siginfo info;

	(void)events;
	while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) {
		const struct taken_signal *taken = find_signal(loop, (int)info.ssi_signo);

		if (taken)
			taken->fn(taken->ctx, taken->signo);
	}
}

static size_t fill_polls(struct loom_loop *loop)
{
	sweep_watches(loop);
	while (loop->poll_cap < loop->watch_count)
		loop->polls =
			room(loop->polls, loop->poll_cap, &loop->poll_cap, sizeof *loop->polls);
	for (size_t i = 0; i < loop->watch_count; i++) {
		const struct watch *watch = &loop->watches[i];

		loop->polls[i] = (struct pollfd){
			.fd = watch->fd,
			.events = (short)((watch->events & LOOM_LOOP_READ ? POLLIN : 0) |
					  (watch->events & LOOM_LOOP_WRITE ? POLLOUT : 0) |
					  (watch->events & LOOM_LOOP_GONE ? POLLRDHUP : 0)),
		};
	}
	return loop->watch_count;
}

/* Reports a hang-up as readable too: reading gets what is left, then the end. */
static unsigned events_of(short revents)
{
	return (revents & (POLLIN | POLLHUP) ? LOOM_LOOP_READ : 0u) |
	       (revents & POLLOUT ? LOOM_LOOP_WRITE : 0u) |
	       (revents & (POLLRDHUP | POLLHUP) ? LOOM_LOOP_GONE : 0u) |
	       (revents & (POLLERR | POLLHUP | POLLNVAL) ? LOOM_LOOP_ERROR : 0u);
}

static void dispatch(struct loom_loop *loop, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct watch watch = loop->watches[i];
		unsigned events =
			events_of(loop->polls[i].revents) & (watch.events | LOOM_LOOP_ERROR);

		if (events && watch.fn)
			watch.fn(watch.ctx, watch.fd, events);
	}
}

static int poll_timeout(const struct loom_loop *loop, int64_t max_wait_ms)
{
	if (loop->idle_count)
		return 0;
	if (max_wait_ms < 0)
		return -1;
	return max_wait_ms > INT32_MAX ? INT32_MAX : (int)max_wait_ms;
}

size_t loom_loop_fds(struct loom_loop *loop, struct pollfd *out, size_t max, int *timeout_ms)
{
	size_t count = 0;

	arm(loop);
	count = fill_polls(loop);
	if (loop->idle_count)
		*timeout_ms = 0;
	if (count > max)
		count = max;
	memcpy(out, loop->polls, count * sizeof *out);
	return count;
}

bool loom_loop_step(struct loom_loop *loop, int64_t max_wait_ms)
{
	size_t count = 0;
	int ready = 0;
	bool worked = false;

	LOOM_ASSERT(!loop->running && "a callback must not run the loop");
	loop->running = true;
	arm(loop);
	count = fill_polls(loop);
	ready = poll(loop->polls, count, poll_timeout(loop, max_wait_ms));
	if (ready > 0)
		dispatch(loop, count);
	worked = ready > 0 || (ready == 0 && run_idle(loop));
	loop->running = false;
	return worked;
}

struct loom_bell {
	struct loom_loop *loop;
	int fd;
	loom_loop_fn *fn;
	void *ctx;
};

static void silence(const struct loom_bell *bell)
{
	uint64_t rings = 0;
	ssize_t n = read(bell->fd, &rings, sizeof rings);

	(void)n;
}

static void on_ring(void *ctx, int fd, unsigned events)
{
	struct loom_bell *bell = ctx;

	(void)fd;
	(void)events;
	silence(bell);
	bell->fn(bell->ctx);
}

struct loom_bell *loom_bell_create(struct loom_loop *loop, loom_loop_fn *fn, void *ctx)
{
	struct loom_bell *bell = loom_alloc(sizeof *bell);

	*bell = (struct loom_bell){.loop = loop, .fn = fn, .ctx = ctx};
	bell->fd = must_fd(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
	loom_loop_watch(loop, bell->fd, LOOM_LOOP_READ, on_ring, bell);
	return bell;
}

void loom_bell_destroy(struct loom_bell *bell)
{
	if (!bell)
		return;
	loom_loop_watch(bell->loop, bell->fd, 0, NULL, NULL);
	close(bell->fd);
	free(bell);
}

void loom_bell_ring(struct loom_bell *bell)
{
	static const uint64_t one = 1;
	ssize_t n = write(bell->fd, &one, sizeof one);

	(void)n; /* when it is full, it is ringing already */
}

void loom_bell_wait(struct loom_bell *bell)
{
	struct pollfd waiting = {.fd = bell->fd, .events = POLLIN};
	int ready = 0;

	do
		ready = poll(&waiting, 1, -1);
	while (ready < 0 && errno == EINTR);
	silence(bell);
}
