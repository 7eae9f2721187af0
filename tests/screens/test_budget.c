/* The cost of the program on a slow line and on battery: bytes per key, frames for many keys, and
 * nothing at all while nobody does anything. */
#include "greatest.h"

#include "screens/desk.h"

#include <poll.h>

/* bytes */
#define MOVE   600
#define LINE   3000
#define SCREEN 6000

static struct desk desk;
static struct pty *pty;

/* A tree of forty leaves, so that it scrolls, and one text that fills a screen. */
static void set_up(int w, int h)
{
	struct loom_buf text = LOOM_BUF_INIT(20000);

	desk_init(&desk, LOOM_DIALOGUE);
	for (int i = 0; i < 40; i++) {
		loom_buf_clear(&text);
		loom_buf_addf(&text, "Leaf %d, of which there are many in this tree.", i);
		for (int more = 0; i == 39 && more < 120; more++)
			loom_buf_addf(&text, " And %d times more is said of it than of others.",
				      more);
		desk_add(&desk, desk.nodes[0], i % 3 == 0, loom_buf_cstr(&text));
	}
	loom_buf_fini(&text);
	pty = desk_open(&desk, w, h, NULL);
}

static void tear_down(void)
{
	pty_close(pty);
	desk_fini(&desk);
}

/* The bytes that a key costs. */
static uint64_t cost(const char *key)
{
	uint64_t before = pty_bytes(pty);

	pty_type(pty, key);
	return pty_bytes(pty) - before;
}

/* Whether `times` presses cost no more than `limit` each. */
static bool within(uint64_t limit, const char *keys, int times)
{
	uint64_t most = 0;

	for (int i = 0; i < times; i++) {
		uint64_t one = cost(keys);

		most = one > most ? one : most;
	}
	if (most > limit)
		fprintf(stderr, "%s: %llu bytes\n%s", keys, (unsigned long long)most,
			pty_text(pty));
	return most <= limit;
}

TEST a_move_costs_a_few_hundred_bytes(void)
{
	static const int sizes[][2] = {{80, 24}, {140, 40}, {40, 10}};

	for (size_t i = 0; i < LOOM_COUNT(sizes); i++) {
		set_up(sizes[i][0], sizes[i][1]);
		cost("gg");
		cost("jj"); /* what surrounds the siblings is there now */
		ASSERT(within(MOVE, "j", 3));
		ASSERT(within(MOVE, "k", 3));
		ASSERT(within(LINE, "l", 2)); /* the text moves too */
		ASSERT(within(MOVE, "]", 2));
		ASSERT(within(MOVE, "[", 2));
		ASSERT(within(LINE, "h", 2));
		ASSERT(cost("j") > 0);
		tear_down();
	}
	PASS();
}

TEST a_scrolled_line_costs_less_than_a_screen(void)
{
	static const int sizes[][2] = {{80, 24}, {140, 40}};

	for (size_t i = 0; i < LOOM_COUNT(sizes); i++) {
		/* no terminal scrolls one of two columns: there the whole width is the cheap way */
		const bool columns = sizes[i][0] >= 120;

		set_up(sizes[i][0], sizes[i][1]);
		cost("gg");
		ASSERT(within(LINE, "j", 38)); /* the tree */
		ASSERT(within(LINE, "k", 38));
		cost("G");
		ASSERT(within(columns ? SCREEN : LINE, "J", 30)); /* the text beside it */
		ASSERT(within(columns ? SCREEN : LINE, "K", 30));
		cost(columns ? "\tw" : "\t");
		ASSERT(within(LINE, "k", 30)); /* the text itself */
		ASSERT(within(LINE, "j", 30));
		cost(columns ? "w\tggll]" : "\tggll]");
		ASSERT(within(columns ? SCREEN : LINE, "l", 14)); /* down a chain: both */
		tear_down();
	}
	PASS();
}

TEST a_whole_screen_costs_six_kilobytes(void)
{
	static const char *const keys[] = {"\x0c", "?",  "q",  "ot", "q",  "oo", "q",
					   "oa",   "q",  "oe", "q",  "zM", "zR", "\x04",
					   "\x15", "gg", "G",  "w",  "w",  "=",  "q",
					   "oc",   "q",  "om", "q",  "ok", "q",  "."};

	set_up(80, 24);
	cost("G");
	for (size_t i = 0; i < LOOM_COUNT(keys); i++)
		ASSERTm(keys[i], within(SCREEN, keys[i], 1));
	tear_down();
	PASS();
}

TEST two_hundred_keys_at_once_are_one_paint(void)
{
	struct loom_buf keys = LOOM_BUF_INIT(1024);
	uint64_t frames;

	set_up(80, 24);
	loom_buf_add_repeat(&keys, 'j', 200);
	frames = pty_frames(pty);
	pty_write(pty, loom_buf_str(&keys));
	pty_settle(pty);
	/* a read may come between two writes of the kernel */
	ASSERT(pty_frames(pty) - frames <= 2);
	ASSERT(strstr(pty_text(pty), "Leaf 39"));
	tear_down();
	loom_buf_fini(&keys);
	PASS();
}

/* NULL when nothing happens for as long as that. */
static const char *unrest(int ms)
{
	uint64_t wakes, bytes;

	pty_settle(pty);
	poll(NULL, 0, 3000); /* what is kept a moment after the last key is kept now */
	pty_settle(pty);
	wakes = pty_wakes(pty);
	bytes = pty_bytes(pty);
	poll(NULL, 0, ms);
	pty_settle(pty);
	if (pty_bytes(pty) != bytes)
		return "it writes";
	if (pty_wakes(pty) != wakes)
		return "it wakes up";
	return wakes > 0 ? NULL : "the measure is blind";
}

TEST nothing_happens_while_nobody_does_anything(void)
{
	const char *wrong;

	set_up(80, 24);
	pty_type(pty, "ll");
	wrong = unrest(1500);
	ASSERT_EQm(wrong, NULL, wrong);
	/* with a worker, a change and a list */
	pty_type(pty, "b");
	pty_until(pty, "bookmarked");
	pty_type(pty, "oo");
	wrong = unrest(1500);
	ASSERT_EQm(wrong, NULL, wrong);
	/* with what a model wrote, and a text half written */
	pty_type(pty, "q");
	pty_write(pty, LOOM_STR("c"));
	pty_until(pty, "depth:3");
	pty_type(pty, "iHalf a text");
	wrong = unrest(1500);
	ASSERT_EQm(wrong, NULL, wrong);
	tear_down();
	PASS();
}

SUITE(budget)
{
	RUN_TEST(a_move_costs_a_few_hundred_bytes);
	RUN_TEST(a_scrolled_line_costs_less_than_a_screen);
	RUN_TEST(a_whole_screen_costs_six_kilobytes);
	RUN_TEST(two_hundred_keys_at_once_are_one_paint);
	RUN_TEST(nothing_happens_while_nobody_does_anything);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(budget);
	GREATEST_MAIN_END();
}
