/* Long work of a connection hears its task; who watches a grove is told in time. */
#include "greatest.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <fcntl.h>

#include <loom/grove/watch.h>
#include <loom/tree/open_store.h>

#include "support/clock.h"
#include "support/grove.h"

#define OK(call) ASSERT_EQ_FMTm(err.text, LOOM_OK, (call), "%d")

static struct grove g;
static struct loom_err err;

static void make(void)
{
	int64_t node = 0;

	memset(&err, 0, sizeof err);
	grove_init(&g);
	node = grove_root(&g, grove_tree(&g, LOOM_DIALOGUE, "once"));
	for (int i = 0; i < 40; i++)
		node = grove_node(&g, node, "and then");
}

TEST a_cancelled_task_stops_checks_and_copies_and_changes_nothing(void)
{
	struct loom_check_opts check = {.deep = true};
	struct loom_verify_opts verify = {.node = 0};
	struct loom_task task = {.cancelled = true};
	char *copy = NULL;
	struct stat info;
	int64_t count = 0;
	int64_t bad = 0;

	make();
	copy = temp_path(&g.temp, "copy.db");
	loom_store_heed(g.store, &task);
	ASSERT_EQ(LOOM_CANCELLED, loom_store_check(g.store, &check, &count, &err));
	ASSERT_EQ(LOOM_CANCELLED, loom_node_verify(g.store, &verify, &count, &bad, &err));
	ASSERT_EQ(LOOM_CANCELLED, loom_store_backup(g.store, loom_str_of(copy), &err));
	ASSERT_EQ(-1, stat(copy, &info));
	loom_store_heed(g.store, NULL);
	OK(loom_store_check(g.store, &check, &count, &err));
	ASSERT_EQ(0, count);
	OK(loom_store_backup(g.store, loom_str_of(copy), &err));
	ASSERT_EQ(0, stat(copy, &info));
	free(copy);
	grove_fini(&g);
	PASS();
}

TEST counting_a_branch_leaves_the_task_in_force(void)
{
	struct loom_task task = {.cancelled = false};
	struct loom_count count;
	int64_t root = 0;
	int64_t node = 0;

	memset(&err, 0, sizeof err);
	grove_init(&g);
	node = root = grove_root(&g, grove_tree(&g, LOOM_DIALOGUE, "once"));
	grove_begin(&g, "many");
	for (int i = 0; i < 3000; i++) {
		struct loom_node_spec spec = {.from = node,
					      .text = LOOM_STR("x"),
					      .author = g.owner,
					      .seq = -1};

		grove_must(loom_node_create(g.store, &spec, &node, &err), &err, "node");
	}
	grove_commit(&g);
	loom_store_heed(g.store, &task);
	OK(loom_node_subtree(g.store, root, &count, &err));
	ASSERT_EQ(3001, count.nodes);
	task.cancelled = true;
	ASSERT_EQ(LOOM_CANCELLED, loom_node_subtree(g.store, root, &count, &err));
	loom_store_heed(g.store, NULL);
	OK(loom_node_subtree(g.store, root, &count, &err));
	grove_fini(&g);
	PASS();
}

TEST long_work_says_how_far_it_is(void)
{
	struct loom_verify_opts verify = {.node = 0};
	struct loom_task task = {.cancelled = false};
	uint64_t done = 0;
	uint64_t total = 0;
	char *copy = NULL;
	int64_t count = 0;
	int64_t bad = 0;

	make();
	copy = temp_path(&g.temp, "copy.db");
	loom_store_heed(g.store, &task);
	OK(loom_node_verify(g.store, &verify, &count, &bad, &err));
	loom_task_progress(&task, &done, &total);
	ASSERT_EQ(41, done);
	ASSERT_EQ(41, total);
	OK(loom_store_backup(g.store, loom_str_of(copy), &err));
	loom_task_progress(&task, &done, &total);
	ASSERT(total > 10);
	ASSERT_EQ(total, done);
	free(copy);
	grove_fini(&g);
	PASS();
}

TEST a_copy_holds_one_moment_although_others_write_meanwhile(void)
{
	struct loom_store *reader = NULL;
	struct loom_task task = {.cancelled = false};
	char *dir = NULL;
	char *copy = NULL;
	struct loom_store *opened = NULL;
	struct loom_tree *trees = NULL;
	size_t count = 0;

	make();
	dir = temp_path(&g.temp, "other/.loom");
	temp_write(&g.temp, "other/.loom/x", LOOM_STR(""));
	copy = temp_path(&g.temp, "other/.loom/grove.db");
	reader = grove_connect(&g, LOOM_READ);
	loom_store_heed(reader, &task);
	OK(loom_store_view(reader, &err));
	OK(loom_tree_list(reader, g.arena, &trees, &count, &err));
	grove_tree(&g, LOOM_DIALOGUE, "later");
	OK(loom_store_backup(reader, loom_str_of(copy), &err));
	loom_store_unview(reader);
	loom_store_close(reader);
	*strrchr(dir, '/') = '\0';
	OK(loom_store_open(&g.env, loom_str_of(dir), LOOM_WRITE, &opened, &err));
	OK(loom_tree_list(opened, g.arena, &trees, &count, &err));
	ASSERT_EQ(1, count);
	loom_store_close(opened);
	free(copy);
	free(dir);
	grove_fini(&g);
	PASS();
}

/* The thread that waits for the writer lock, and the end of its wait: the task cancelled or,
 * without one, the lock let go. */
struct waiter {
	pid_t thread;
	struct loom_task *task;
	int fd;
};

/* Whether a thread of ours sleeps in the kernel for a lock or for a time. */
static bool is_asleep(pid_t thread)
{
	char path[64];
	long call = -1;
	FILE *file = NULL;

	snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)thread);
	file = fopen(path, "r");
	if (file) {
		if (fscanf(file, "%ld", &call) != 1)
			call = -1;
		fclose(file);
	}
	return call == SYS_flock || call == SYS_nanosleep || call == SYS_clock_nanosleep;
}

static void *end_its_wait(void *ctx)
{
	const struct waiter *waiter = ctx;
	const int64_t began = clock_ms();

	while (!is_asleep(waiter->thread) && clock_ms() - began < 4000)
		usleep(1000);
	if (waiter->task)
		loom_task_cancel(waiter->task);
	else
		close(waiter->fd);
	return NULL;
}

/* A worker's thread blocks every signal; the wait for the lock must be interrupted there too. */
TEST waiting_for_the_writer_lock_can_be_called_off_in_any_thread(void)
{
	struct loom_task task = {.cancelled = false};
	struct waiter waiter = {.thread = gettid(), .task = &task, .fd = -1};
	struct loom_op_spec spec = {.kind = "test", .actor = 1};
	char *lock = NULL;
	pthread_t thread;
	sigset_t all;
	sigset_t before;
	int64_t started = 0;
	int fd = -1;

	make();
	lock = temp_path(&g.temp, ".loom/lock");
	fd = open(lock, O_RDWR | O_CLOEXEC);
	ASSERT(fd >= 0 && flock(fd, LOCK_EX) == 0);
	ASSERT_EQ(0, pthread_create(&thread, NULL, end_its_wait, &waiter));
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	loom_store_heed(g.store, &task);
	started = loom_env_boot();
	ASSERT_EQ(LOOM_CANCELLED, loom_op_begin(g.store, &spec, &err));
	ASSERT(loom_env_boot() - started < clock_limit(2000));
	pthread_sigmask(SIG_SETMASK, NULL, &all);
	ASSERT_EQ(1, sigismember(&all, SIGRTMIN + 5));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_join(thread, NULL);
	loom_store_heed(g.store, NULL);
	close(fd);
	OK(loom_op_begin(g.store, &spec, &err));
	loom_op_rollback(g.store);
	free(lock);
	grove_fini(&g);
	PASS();
}

/* The last timer that this user may have is taken. */
TEST where_no_timer_is_left_the_writer_lock_is_waited_for_all_the_same(void)
{
	struct waiter waiter = {.thread = gettid()};
	struct loom_op_spec spec = {.kind = "test", .actor = 1};
	struct rlimit before;
	struct rlimit few;
	enum loom_status status;
	bool spare;
	char *lock = NULL;
	pthread_t thread;
	timer_t timer;
	int fd = -1;

	make();
	lock = temp_path(&g.temp, ".loom/lock");
	fd = open(lock, O_RDWR | O_CLOEXEC);
	waiter.fd = fd;
	ASSERT(fd >= 0 && flock(fd, LOCK_EX) == 0);
	ASSERT_EQ(0, getrlimit(RLIMIT_SIGPENDING, &before));
	few = (struct rlimit){.rlim_cur = 1, .rlim_max = before.rlim_max};
	ASSERT_EQ(0, setrlimit(RLIMIT_SIGPENDING, &few));
	spare = timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0;
	ASSERT_EQ(0, pthread_create(&thread, NULL, end_its_wait, &waiter));
	status = loom_op_begin(g.store, &spec, &err);
	ASSERT_EQ(0, setrlimit(RLIMIT_SIGPENDING, &before));
	pthread_join(thread, NULL);
	if (spare)
		timer_delete(timer);
	OK(status);
	loom_op_rollback(g.store);
	free(lock);
	grove_fini(&g);
	PASS();
}

TEST opening_a_grove_waits_for_no_writer(void)
{
	struct loom_store *other = NULL;
	char *lock = NULL;
	int64_t started = 0;
	int fd = -1;

	make();
	lock = temp_path(&g.temp, ".loom/lock");
	fd = open(lock, O_RDWR | O_CLOEXEC);
	ASSERT(fd >= 0 && flock(fd, LOCK_EX) == 0);
	started = loom_env_boot();
	other = grove_connect(&g, LOOM_WRITE);
	ASSERT(loom_env_boot() - started < clock_limit(2000));
	loom_store_close(other);
	close(fd);
	free(lock);
	grove_fini(&g);
	PASS();
}

struct follower {
	struct loom_watch *watch;
	struct loom_store *store;
	atomic_int seen;
	atomic_int wakes;
	atomic_bool stop;
};

/* Looks at the grove only when it is told to: a notice that comes before its commit can be seen,
 * and is the last one, would leave it behind. */
static void *follow(void *ctx)
{
	struct follower *f = ctx;
	struct pollfd waiting = {.fd = loom_watch_fd(f->watch), .events = POLLIN};

	while (!atomic_load(&f->stop)) {
		if (poll(&waiting, 1, 50) <= 0)
			continue;
		atomic_fetch_add(&f->wakes, 1);
		if (loom_watch_drain(f->watch) && loom_store_changed(f->store)) {
			int64_t last = 0;

			if (loom_events_last(f->store, &last, NULL) == LOOM_OK)
				atomic_store(&f->seen, (int)last);
		}
	}
	return NULL;
}

TEST every_commit_is_told_when_it_can_be_seen(void)
{
	struct follower f = {.watch = NULL};
	pthread_t thread;
	int64_t last = 0;
	int wakes = 0;

	make();
	f.watch = loom_watch_open(g.store);
	if (loom_watch_fd(f.watch) < 0)
		SKIPm("no inotify here");
	f.store = grove_connect(&g, LOOM_READ);
	ASSERT_EQ(0, pthread_create(&thread, NULL, follow, &f));
	for (int i = 0; i < 60; i++) {
		grove_tree(&g, LOOM_DIALOGUE, "more");
		OK(loom_events_last(g.store, &last, &err));
		for (int waited = 0; waited < 60000 && atomic_load(&f.seen) < last; waited++)
			usleep(1000);
		ASSERT_EQ_FMT((int)last, atomic_load(&f.seen), "%d");
	}
	wakes = atomic_load(&f.wakes);
	usleep(200000);
	ASSERT_EQ_FMT(wakes, atomic_load(&f.wakes), "%d");
	atomic_store(&f.stop, true);
	pthread_join(thread, NULL);
	loom_watch_close(f.watch);
	loom_store_close(f.store);
	grove_fini(&g);
	PASS();
}

SUITE(heed)
{
	RUN_TEST(a_cancelled_task_stops_checks_and_copies_and_changes_nothing);
	RUN_TEST(counting_a_branch_leaves_the_task_in_force);
	RUN_TEST(long_work_says_how_far_it_is);
	RUN_TEST(a_copy_holds_one_moment_although_others_write_meanwhile);
	RUN_TEST(waiting_for_the_writer_lock_can_be_called_off_in_any_thread);
	RUN_TEST(where_no_timer_is_left_the_writer_lock_is_waited_for_all_the_same);
	RUN_TEST(opening_a_grove_waits_for_no_writer);
	RUN_TEST(every_commit_is_told_when_it_can_be_seen);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(heed);
	GREATEST_MAIN_END();
}
