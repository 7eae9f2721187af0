/* The writer lock: one process at a time writes to a grove; others wait a bounded time. It is
 * advisory, and is released when its process ends. */
#include <loom/grove/sql.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_WAIT_MS 5000

#ifndef sigev_notify_thread_id /* the manual's name, which some C libraries spell differently */
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void ignore_signal(int signal_number)
{
	(void)signal_number;
}

/* Starts a timer that interrupts this thread's blocking flock every 50 ms, to check for the
 * deadline or a cancellation. *before keeps the thread's mask, as workers block all signals. */
static bool arm_timer(timer_t *timer, sigset_t *before)
{
	int number = SIGRTMIN + 5;
	struct sigaction action = {.sa_handler = ignore_signal};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
	struct itimerspec when = {
		.it_value = {0, 50 * 1000000},
		.it_interval = {0, 50 * 1000000},
	};
	sigset_t ours;

	event.sigev_notify_thread_id = gettid();
	sigemptyset(&action.sa_mask);
	sigemptyset(&ours);
	sigaddset(&ours, number);
	return sigaction(number, &action, NULL) == 0 &&
	       timer_create(CLOCK_MONOTONIC, &event, timer) == 0 &&
	       timer_settime(*timer, 0, &when, NULL) == 0 &&
	       pthread_sigmask(SIG_UNBLOCK, &ours, before) == 0;
}

/* If no timer can be made (RLIMIT_SIGPENDING, kernel memory), nothing would interrupt a blocking
 * wait. */
static bool poll_for_lock(int fd, int64_t until, struct loom_task *task)
{
	const struct timespec pause = {0, 10 * 1000000};

	LOOM_ASSERT(fd >= 0);
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if ((errno != EWOULDBLOCK && errno != EINTR) || loom_env_boot() >= until ||
		    loom_task_cancelled(task))
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static bool wait_for_lock(int fd, int64_t ms, struct loom_task *task)
{
	timer_t timer;
	sigset_t before;
	int64_t until = loom_env_boot() + ms;
	bool held = false;

	LOOM_ASSERT(fd >= 0 && ms >= 0);
	if (!arm_timer(&timer, &before))
		return poll_for_lock(fd, until, task);
	while (!held && loom_env_boot() < until && !loom_task_cancelled(task)) {
		held = flock(fd, LOCK_EX) == 0;
		if (!held && errno != EINTR)
			break;
	}
	timer_delete(timer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return held;
}

/* Parses "1: FLOCK ADVISORY WRITE 4711 fe:00:1234 0 EOF"; a waiter has an arrow before the kind. */
static int64_t holder_of(const char *line, uint64_t inode)
{
	long long pid = 0;
	unsigned long long file = 0;

	if (sscanf(line, "%*d: FLOCK %*s %*s %lld %*x:%*x:%llu", &pid, &file) != 2)
		return 0;
	return file == inode ? pid : 0;
}

int64_t loom_store_writer(const struct loom_store *store, char program[32])
{
	char path[PATH_MAX + 8];
	char line[256];
	struct stat info;
	int64_t pid = 0;
	FILE *locks = NULL;

	LOOM_ASSERT(program);
	program[0] = '\0';
	snprintf(path, sizeof path, "%s/" LOOM_GROVE_DIR "/lock", loom_buf_cstr(&store->dir));
	if (stat(path, &info) == 0)
		locks = fopen("/proc/locks", "re");
	while (locks && !pid && fgets(line, sizeof line, locks))
		pid = holder_of(line, (uint64_t)info.st_ino);
	if (locks)
		fclose(locks);
	snprintf(path, sizeof path, "/proc/%lld/comm", (long long)pid);
	locks = pid > 0 ? fopen(path, "re") : NULL;
	if (locks && fgets(program, 32, locks))
		program[strcspn(program, "\n")] = '\0';
	if (locks)
		fclose(locks);
	return pid;
}

static enum loom_status name_holder(const struct loom_store *store, struct loom_err *err)
{
	char pid[24] = "";
	ssize_t n = pread(store->lock_fd, pid, sizeof pid - 1, 0);
	struct loom_str text = loom_str_trim(loom_str_make(pid, n > 0 ? (size_t)n : 0));

	loom_fail(err, LOOM_BUSY, "the store is busy (pid %.*s has been writing for %d s)",
		  LOOM_STR_ARG(text), LOCK_WAIT_MS / 1000);
	return loom_hint(err, LOOM_BUSY, "try again, or see what that process is doing");
}

/* Writes our name to the lock file; best effort, as the disk may be full. */
static void write_holder(const struct loom_store *store)
{
	char pid[24];
	int n = snprintf(pid, sizeof pid, "%-20d\n", getpid());

	if (pwrite(store->lock_fd, pid, (size_t)n, 0) != n)
		return;
}

static bool lock_within(struct loom_store *store, int64_t ms, struct loom_task *task)
{
	return flock(store->lock_fd, LOCK_EX | LOCK_NB) == 0 ||
	       wait_for_lock(store->lock_fd, ms, task);
}

bool model_lock_within(struct loom_store *store, int64_t ms)
{
	const bool held = lock_within(store, ms, NULL);

	if (held)
		write_holder(store);
	return held;
}

enum loom_status model_lock(struct loom_store *store, struct loom_err *err)
{
	LOOM_ASSERT(store->lock_fd >= 0 && !store->writing);
	if (!lock_within(store, LOCK_WAIT_MS, store->task))
		return loom_task_cancelled(store->task)
			       ? loom_fail(err, LOOM_CANCELLED, "stopped; nothing was changed")
			       : name_holder(store, err);
	write_holder(store);
	return LOOM_OK;
}

/* Writes the file once more: the log is written before its commit is visible, so watchers need a
 * sign that comes after it. */
void model_unlock(struct loom_store *store)
{
	write_holder(store);
	flock(store->lock_fd, LOCK_UN);
}
