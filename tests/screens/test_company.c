/* Several on one grove: what others do is seen at once and moves nothing; what others hold up holds
 * up no key, and what a key did is there in the end. */
#include "greatest.h"

#include "screens/desk.h"
#include "support/child.h"
#include "support/clock.h"
#include "support/fork.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEEN_MS 300
#define LEAVES  24
#define KEYS    (6 * (LEAVES - 1)) /* ends where it began */

#ifdef LOOM_INSTRUMENTED
#define SLOWER 4
#else
#define SLOWER 1
#endif

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int64_t quantile(int64_t *values, size_t n, int percent)
{
	qsort(values, n, sizeof *values, by_size);
	return values[(n - 1) * (size_t)percent / 100];
}

/* Waits until all of them show it; the ms that took, counted from `since`. */
static int64_t all_show(struct pty *const *ptys, size_t count, const char *text, int64_t since)
{
	for (size_t i = 0; i < count; i++)
		pty_until(ptys[i], text);
	return clock_ms() - since;
}

/* The row that the cursor is on, as text. */
static const char *cursor_row(struct pty *pty, char *out, size_t size)
{
	const char *row = pty_text(pty);
	int x, y;

	pty_cursor(pty, &x, &y);
	for (; y > 0 && row; y--)
		row = strchr(row, '\n') ? strchr(row, '\n') + 1 : NULL;
	snprintf(out, size, "%.*s", row ? (int)strcspn(row, "\n") : 0, row ? row : "");
	return out;
}

/* Runs loom with these arguments in the desk's grove. */
static bool loom(struct desk *desk, const char *const *args)
{
	char home[600];
	const char *const env[] = {home, NULL};
	const char *argv[16] = {SCREENS_LOOM, "-g", desk->grove.temp.path};
	struct child_opts opts = {.env = env, .cwd = desk->grove.temp.path};
	struct child_result said;
	bool good;

	for (size_t i = 0; args[i]; i++)
		argv[3 + i] = args[i];
	snprintf(home, sizeof home, "HOME=%s", desk->grove.temp.path);
	good = child_run(argv, &opts, &said) && said.status == 0;
	if (!good)
		fprintf(stderr, "%s%s", loom_buf_cstr(&said.out), loom_buf_cstr(&said.err));
	child_fini(&said);
	return good;
}

static bool respond(struct desk *desk, const char *id, const char *text)
{
	return loom(desk, (const char *const[]){"do", "respond", id, text, NULL});
}

/* Two look at a tree with the second child unfolded and stand below it, while the command line
 * writes above them, where rows must make room, and where they stand. */
TEST what_a_third_writes_is_seen_at_once_and_moves_no_cursor(void)
{
	struct desk desk;
	struct pty *ptys[2];
	int64_t waits[10];
	char row[600], text[40], id[40];

	desk_init(&desk, LOOM_DIALOGUE);
	for (size_t i = 0; i < 2; i++) {
		ptys[i] = desk_open(&desk, 140, 40, NULL);
		pty_type(ptys[i], i ? "ll]]" : "ll]]zR");
	}
	for (int i = 0; i < 10; i++) {
		int x[2], y[2], x_now, y_now;

		for (int p = 0; p < 2; p++) {
			pty_settle(ptys[p]);
			pty_cursor(ptys[p], &x[p], &y[p]);
		}
		snprintf(text, sizeof text, "News %d.", i);
		snprintf(id, sizeof id, "%s", grove_name(&desk.grove, desk.nodes[i % 2 ? 1 : 0]));
		ASSERT(respond(&desk, id, text));
		waits[i] = all_show(ptys, 2, text, clock_ms());
		for (int p = 0; p < 2; p++) {
			pty_settle(ptys[p]);
			pty_cursor(ptys[p], &x_now, &y_now);
			ASSERT_EQ_FMT(y[p], y_now, "%d");
			ASSERT_EQ_FMT(x[p], x_now, "%d");
			/* it may be drawn deeper: a row became a fork */
			cursor_row(ptys[p], row, sizeof row);
			ASSERTm(row, strstr(row, grove_name(&desk.grove, desk.nodes[4])));
		}
	}
	printf("seen after %lld ms, at most %lld\n", (long long)quantile(waits, 10, 50),
	       (long long)quantile(waits, 10, 100));
	ASSERT(quantile(waits, 10, 50) <= SEEN_MS * SLOWER);
	pty_close(ptys[0]);
	pty_close(ptys[1]);
	desk_fini(&desk);
	PASS();
}

TEST what_one_screen_does_the_other_shows(void)
{
	struct desk desk;
	struct pty *ptys[2];
	int64_t waits[5];
	char text[40];

	desk_init(&desk, LOOM_DIALOGUE);
	for (size_t i = 0; i < 2; i++) {
		ptys[i] = desk_open(&desk, 120, 40, NULL);
		pty_type(ptys[i], "l");
	}
	for (int i = 0; i < 5; i++) {
		snprintf(text, sizeof text, "Reply %d", i);
		pty_type(ptys[i % 2], "gglli");
		pty_type(ptys[i % 2], text);
		pty_write(ptys[i % 2], LOOM_STR("\r"));
		pty_until(ptys[i % 2], "created");
		pty_settle(ptys[i % 2]);
		pty_type(ptys[1 - i % 2], "gglll");
		waits[i] = all_show(&ptys[1 - i % 2], 1, text, clock_ms());
	}
	ASSERT(quantile(waits, 5, 50) <= SEEN_MS * SLOWER);
	pty_close(ptys[0]);
	pty_close(ptys[1]);
	desk_fini(&desk);
	PASS();
}

/* Following lasts until the user moves; the top line shows it all the while. */
/* An agent prunes where a person stands: it is said, and undoing it leads back. */
TEST who_loses_the_ground_is_told_and_led_back(void)
{
	struct desk desk;
	struct pty *pty;
	char id[40];

	desk_init(&desk, LOOM_DIALOGUE);
	ASSERT(loom(&desk, (const char *const[]){"agent", "add", "--permissions", "all",
						 "--approval", "auto", "Claude", NULL}));
	pty = desk_open(&desk, 140, 40, NULL);
	pty_type(pty, "ll]]");
	pty_settle(pty);
	snprintf(id, sizeof id, "%s", grove_name(&desk.grove, desk.nodes[4]));
	ASSERT(loom(&desk, (const char *const[]){"do", "-a", "Claude", "prune", id, NULL}));
	pty_until(pty, "you stood there");
	ASSERT(loom(&desk, (const char *const[]){"do", "-a", "Claude", "undo", NULL}));
	pty_until(pty, "is back, and you are there again");
	pty_close(pty);
	desk_fini(&desk);
	PASS();
}

TEST who_is_followed_is_followed_until_one_moves(void)
{
	struct desk desk;
	struct pty *one, *other;

	desk_init(&desk, LOOM_DIALOGUE);
	one = desk_open(&desk, 100, 30, NULL);
	other = desk_open(&desk, 100, 30, NULL);
	pty_until(one, "1 other here");
	pty_type(one, "F");
	ASSERT(strstr(pty_text(one), "F again: the next"));
	pty_type(other, "l");
	pty_until(one, "r001 → s9k6");
	pty_type(one, "w");
	ASSERT(strstr(pty_text(one), "following you"));
	pty_type(one, "wgg");
	ASSERT(strstr(pty_text(one), "you moved: no longer following"));
	pty_type(other, "l");
	pty_wait(one);
	pty_settle(one);
	ASSERT_FALSE(strstr(pty_text(one), "following you"));
	ASSERT_FALSE(strstr(pty_text(one), "r001 → "));
	pty_close(one);
	pty_close(other);
	desk_fini(&desk);
	PASS();
}

/* --- others in the way --- */

/* In a child: many nodes below the root, in operations of 250. */
static void import_many(struct grove *grove, int64_t tree, int64_t root)
{
	struct loom_err err;

	for (int batch = 0; batch < 40 / SLOWER; batch++) {
		grove_begin(grove, "import");
		for (int i = 0; i < 250; i++) {
			struct loom_node_spec spec = {.tree = tree,
						      .from = root,
						      .text = LOOM_STR("One of very many."),
						      .author = grove->model,
						      .seq = -1};
			int64_t node;

			grove_must(loom_node_create(grove->store, &spec, &node, &err), &err,
				   "node");
		}
		grove_commit(grove);
	}
}

/* In a child: the writer's lock, for three seconds. */
static void hold_lock(const struct grove *grove, const struct grove_child *child)
{
	char path[600];
	int fd;

	snprintf(path, sizeof path, "%s/.loom/lock", grove->temp.path);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX) != 0)
		_exit(1);
	grove_child_say(child);
	poll(NULL, 0, 3000);
	_exit(0);
}

/* Presses a key and waits until the cursor has moved; in µs. */
static int64_t press(struct pty *pty, const char *key)
{
	int64_t since = clock_ns();
	int x, y, x_now, y_now;

	pty_cursor(pty, &x, &y);
	pty_write(pty, loom_str_of(key));
	do {
		pty_wait(pty);
		pty_cursor(pty, &x_now, &y_now);
		if (clock_ns() - since > 5000000000) {
			fprintf(stderr, "%s does nothing for 5 s:\n%s", key, pty_text(pty));
			abort();
		}
	} while (x == x_now && y == y_now);
	return (clock_ns() - since) / 1000;
}

/* Up and down the leaves, from the last one on; marks each of them on the first way up. */
static void press_many(struct pty *pty, int64_t *waits, bool mark)
{
	for (size_t i = 0; i < KEYS; i++) {
		if (mark && i < LEAVES)
			pty_write(pty, LOOM_STR("b"));
		waits[i] = press(pty, i / (LEAVES - 1) % 2 ? "j" : "k");
		poll(NULL, 0, 20);
	}
}

static size_t bookmarked(struct desk *desk, const int64_t *leaves)
{
	size_t n = 0;

	loom_arena_reset(desk->grove.arena);
	for (size_t i = 0; i < LEAVES; i++)
		n += grove_get(&desk->grove, leaves[i]).bookmarked;
	return n;
}

static const char *compare_waits(int64_t *idle, int64_t *held)
{
	int64_t alone = quantile(idle, KEYS, 99);
	int64_t among = quantile(held, KEYS, 99);
	int64_t limit = alone * 8 > 40000 * SLOWER ? alone * 8 : 40000 * SLOWER;

	printf("p99 %lld us among others, %lld us alone\n", (long long)among, (long long)alone);
	return among <= limit ? NULL : "others hold up the keys";
}

TEST nobody_else_holds_up_a_key_and_no_key_is_lost(void)
{
	struct desk desk;
	struct grove_child importer, holder;
	struct pty *pty;
	int64_t idle[KEYS], held[KEYS], leaves[LEAVES];
	const char *wrong;
	int64_t until = 0;

	desk_init(&desk, LOOM_DIALOGUE);
	for (size_t i = 0; i < LEAVES; i++)
		leaves[i] = desk_add(&desk, desk.nodes[0], true, "A leaf.");
	if (!grove_fork(&desk.grove, &importer)) {
		import_many(&desk.grove, desk.tree, desk.nodes[0]);
		_exit(0);
	}
	if (!grove_fork(&desk.grove, &holder))
		hold_lock(&desk.grove, &holder);
	pty = desk_open(&desk, 140, 40, NULL);
	pty_type(pty, "G");
	press_many(pty, idle, false);
	grove_child_go(&importer);
	grove_child_go(&holder);
	ASSERT(grove_child_hear(&holder));
	press_many(pty, held, true);
	ASSERT_EQ(0, grove_child_wait(&holder));
	ASSERT_EQ(0, grove_child_wait(&importer));
	for (until = clock_ms() + 8000; bookmarked(&desk, leaves) < LEAVES && clock_ms() < until;)
		poll(NULL, 0, 50);
	ASSERT_EQ_FMT((size_t)LEAVES, bookmarked(&desk, leaves), "%zu");
	wrong = compare_waits(idle, held);
	ASSERT_EQm(wrong, NULL, wrong);
	pty_close(pty);
	desk_fini(&desk);
	PASS();
}

TEST who_holds_a_write_up_is_named_and_the_text_stays_in_sight(void)
{
	struct desk desk;
	struct pty *pty;
	char path[600];
	char said[64];
	int64_t since;
	int fd;

	desk_init(&desk, LOOM_DIALOGUE);
	pty = desk_open(&desk, 110, 26, NULL);
	pty_type(pty, "llia text that was sent");
	snprintf(path, sizeof path, "%s/.loom/lock", desk.grove.temp.path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ASSERT_EQ(0, flock(fd, LOCK_EX));
	since = clock_ms();
	pty_write(pty, LOOM_STR("\r"));
	snprintf(said, sizeof said, "waiting for the grove: pid %d (", (int)getpid());
	pty_until(pty, said);
	ASSERT(clock_ms() - since < 1000 * SLOWER);
	ASSERT(strstr(pty_text(pty), "sent, not saved yet"));
	ASSERT(strstr(pty_text(pty), "a text that was sent"));
	ASSERT(strstr(pty_text(pty), "saving"));
	ASSERT_FALSE(strstr(pty_text(pty), "· saved"));
	close(fd);
	pty_until(pty, "created");
	pty_until(pty, "· saved");
	ASSERT(strstr(pty_text(pty), "a text that was sent"));
	ASSERT_FALSE(strstr(pty_text(pty), "not saved yet"));
	pty_close(pty);
	desk_fini(&desk);
	PASS();
}

SUITE(company)
{
	RUN_TEST(what_a_third_writes_is_seen_at_once_and_moves_no_cursor);
	RUN_TEST(what_one_screen_does_the_other_shows);
	RUN_TEST(who_loses_the_ground_is_told_and_led_back);
	RUN_TEST(who_is_followed_is_followed_until_one_moves);
	RUN_TEST(nobody_else_holds_up_a_key_and_no_key_is_lost);
	RUN_TEST(who_holds_a_write_up_is_named_and_the_text_stays_in_sight);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(company);
	GREATEST_MAIN_END();
}
