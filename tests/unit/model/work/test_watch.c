/* Change notice: silent while nothing happens, heard soon after another has committed. */
#include <greatest.h>

#include <poll.h>
#include <unistd.h>

#include <loom/grove/draft.h>
#include <loom/work/thread.h>
#include <loom/grove/watch.h>
#include <loom/tree/open_store.h>

#include "support/clock.h"
#include "support/fork.h"
#include "support/ok.h"

static struct grove g;
static int64_t root;

static void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	root = grove_root(&g, grove_tree(&g, LOOM_DIALOGUE, "root"));
}

static void tear_down(void *unused)
{
	(void)unused;
	grove_fini(&g);
}

static bool wait_for(const struct loom_watch *watch, int ms)
{
	struct pollfd fd = {.fd = loom_watch_fd(watch), .events = POLLIN};

	return poll(&fd, 1, ms) == 1;
}

TEST nothing_is_heard_while_nothing_happens(void)
{
	struct loom_watch *watch = loom_watch_open(g.store);

	ASSERT(loom_watch_fd(watch) >= 0);
	ASSERT_FALSE(wait_for(watch, 100));
	ASSERT_FALSE(loom_watch_drain(watch));
	/* nor while one reads */
	(void)grove_get(&g, root);
	ASSERT_FALSE(wait_for(watch, 50));
	loom_watch_close(watch);
	loom_watch_close(NULL);
	PASS();
}

TEST a_draft_is_heard_and_is_no_commit(void)
{
	struct loom_watch *watch = loom_watch_open(g.store);
	struct loom_draft draft = {.kind = LOOM_STR("text"), .text = LOOM_STR("Half a")};
	struct loom_err err;
	struct loom_str id;

	ASSERT_FALSE(loom_watch_drafts(watch));
	OK(loom_draft_save(g.store, &draft, g.arena, &id, &err));
	ASSERT(wait_for(watch, 300));
	ASSERT_FALSE(loom_watch_drain(watch));
	ASSERT(loom_watch_drafts(watch));
	ASSERT_FALSE(loom_watch_drafts(watch));
	OK(loom_draft_drop(g.store, id, &err));
	ASSERT(wait_for(watch, 300));
	ASSERT_FALSE(loom_watch_drain(watch));
	ASSERT(loom_watch_drafts(watch));
	loom_watch_close(watch);
	PASS();
}

TEST a_commit_is_heard_once_and_then_it_is_silent_again(void)
{
	struct loom_watch *watch = loom_watch_open(g.store);
	struct loom_store *reader = grove_connect(&g, LOOM_READ);

	grove_node(&g, root, "x");
	ASSERT(wait_for(watch, 20000));
	ASSERT(loom_watch_drain(watch));
	ASSERT(loom_store_changed(reader));
	ASSERT_FALSE(loom_watch_drain(watch));
	ASSERT_FALSE(wait_for(watch, 50));
	loom_store_close(reader);
	loom_watch_close(watch);
	PASS();
}

TEST other_files_in_the_folder_are_no_news(void)
{
	struct loom_watch *watch = loom_watch_open(g.store);

	temp_write(&g.temp, ".loom/notes.txt", LOOM_STR("x"));
	(void)wait_for(watch, 200);
	ASSERT_FALSE(loom_watch_drain(watch));
	loom_watch_close(watch);
	PASS();
}

TEST the_first_commit_of_a_grove_is_heard_too(void)
{
	struct loom_err err;
	struct loom_store *store = NULL;
	struct loom_watch *watch = NULL;
	struct temp dir;

	temp_init(&dir);
	OK(loom_grove_init(&g.env, loom_str_of(dir.path), &err));
	OK(loom_store_open(&g.env, loom_str_of(dir.path), LOOM_WRITE, &store, &err));
	watch = loom_watch_open(store);
	OK(loom_quiet_begin(store, &err));
	OK(loom_quiet_end(store, loom_use_tree(store, 1, &err), &err));
	ASSERT(wait_for(watch, 20000));
	ASSERT(loom_watch_drain(watch));
	loom_watch_close(watch);
	loom_store_close(store);
	temp_fini(&dir);
	PASS();
}

/* Reads as the screen does: waits for notice, asks whether it changed, reads on. Every commit of
 * the other is seen at the latest at its last notice: none may be left for the next change. */
TEST no_commit_of_another_process_is_missed(void)
{
	enum { COMMITS = 60 };
	struct loom_err err;
	struct grove_child child;
	struct loom_watch *watch = NULL;
	struct loom_store *reader = NULL;
	int64_t seen = 0;
	int64_t last = 0;
	int64_t end;

	if (!grove_fork(&g, &child)) {
		for (int i = 0; i < COMMITS; i++) {
			grove_node(&g, root, "x");
			usleep((useconds_t)(i * 37 % 5) * 1000);
		}
		_exit(0);
	}
	reader = grove_connect(&g, LOOM_READ);
	watch = loom_watch_open(g.store);
	OK(loom_events_last(reader, &last, &err));
	(void)loom_store_changed(reader);
	grove_child_go(&child);
	end = clock_ms() + 20000;
	while (seen < COMMITS && clock_ms() < end) {
		struct loom_event *events = NULL;
		size_t count = 0;

		if (!wait_for(watch, 2000))
			break;
		if (!loom_watch_drain(watch) || !loom_store_changed(reader))
			continue;
		OK(loom_events_since(reader, last, 1000, g.arena, &events, &count, &err));
		seen += (int64_t)count;
		last = count ? events[count - 1].seq : last;
	}
	ASSERT_EQ(0, grove_child_wait(&child));
	ASSERT_EQ_FMT((long long)COMMITS, (long long)seen, "%lld");
	loom_watch_close(watch);
	loom_store_close(reader);
	PASS();
}

TEST a_change_is_heard_within_300_ms(void)
{
	struct grove_child child;
	struct loom_watch *watch = NULL;
	struct loom_store *reader = NULL;
	int64_t start;

	if (!grove_fork(&g, &child)) {
		grove_node(&g, root, "x");
		grove_child_say(&child);
		_exit(0);
	}
	reader = grove_connect(&g, LOOM_READ);
	watch = loom_watch_open(g.store);
	(void)loom_store_changed(reader);
	grove_child_go(&child);
	ASSERT(grove_child_hear(&child));
	start = clock_ms();
	ASSERT(wait_for(watch, 20000));
	while (!(loom_watch_drain(watch) && loom_store_changed(reader)))
		ASSERT(wait_for(watch, 20000));
	ASSERT(clock_ms() - start < clock_limit(300));
	ASSERT_EQ(0, grove_child_wait(&child));
	loom_watch_close(watch);
	loom_store_close(reader);
	PASS();
}

SUITE(watch)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(nothing_is_heard_while_nothing_happens);
	RUN_TEST(a_draft_is_heard_and_is_no_commit);
	RUN_TEST(a_commit_is_heard_once_and_then_it_is_silent_again);
	RUN_TEST(other_files_in_the_folder_are_no_news);
	RUN_TEST(the_first_commit_of_a_grove_is_heard_too);
	RUN_TEST(no_commit_of_another_process_is_missed);
	RUN_TEST(a_change_is_heard_within_300_ms);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(watch);
	GREATEST_MAIN_END();
}
