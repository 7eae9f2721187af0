/* Pastes, long ones and ten megabytes: into the tree, into a text, behind the colon. They are data,
 * shown folded; they do not hang, nothing in them is a key, and leaving keeps them. */
#include "greatest.h"

#include "screens/desk.h"
#include "support/clock.h"

#include <loom/grove/draft.h>
#include <loom/work/thread.h>

#include <poll.h>

#define LARGE ((size_t)10 << 20)
#ifdef LOOM_INSTRUMENTED
#define WAIT_MS 30000 /* the sanitizers look at each byte, and others are at work beside */
#else
#define WAIT_MS 6000
#endif

static struct desk desk;
static struct pty *pty;

static void add_paste(struct loom_buf *out)
{
	static const char line[] = "What stands in a paste is text: Q quits nothing here, x prunes "
				   "nothing.\r";

	loom_buf_adds(out, "\x1b[200~");
	while (out->n < LARGE)
		loom_buf_add(out, LOOM_STR(line));
	loom_buf_adds(out, "\x1b[201~");
}

/* Types `before`, pastes, types `after`; the ms that took. */
static int64_t paste(const char *before, const char *after)
{
	struct loom_buf text = LOOM_BUF_INIT(LARGE + 4096);
	int64_t since;

	pty_type(pty, before);
	add_paste(&text);
	since = clock_ms();
	pty_write(pty, loom_buf_str(&text));
	pty_type(pty, after);
	loom_buf_fini(&text);
	return clock_ms() - since;
}

static void set_up(void)
{
	desk_init(&desk, LOOM_DIALOGUE);
	pty = desk_open(&desk, 80, 24, NULL);
}

static void tear_down(void)
{
	pty_close(pty);
	desk_fini(&desk);
}

/* The bytes of the one draft; 0 when there is none, or another one too. */
static size_t draft_bytes(void)
{
	struct loom_draft *drafts = NULL;
	size_t count = 0;
	struct loom_err err;

	loom_arena_reset(desk.grove.arena);
	grove_must(loom_draft_list(desk.grove.store, desk.grove.arena, &drafts, &count, &err), &err,
		   "drafts");
	return count == 1 ? drafts[0].text.n : 0;
}

static struct loom_str newest_text(void)
{
	struct grove *grove = &desk.grove;
	struct loom_node node = {.id = 0};
	struct loom_err err;
	int64_t newest = 0;

	grove_must(loom_node_newest(grove->store, &newest, &err), &err, "newest");
	grove_must(loom_node_get(grove->store, newest, LOOM_NODE_TEXT, grove->arena, &node, &err),
		   &err, "node");
	return node.text;
}

static bool nothing_was_pruned(void)
{
	return grove_get(&desk.grove, desk.nodes[1]).children == 3 &&
	       grove_get(&desk.grove, desk.nodes[0]).children == 1;
}

/* Leaves, and looks whether that went well. */
static bool quits(void)
{
	pty_write(pty, LOOM_STR("Q"));
	return pty_finish(pty) == 0;
}

TEST a_large_paste_into_the_tree_is_a_text_and_is_kept(void)
{
	set_up();
	/* nothing in it needs a choice: it is inserted at once, and again into the same text */
	ASSERT(paste("ll", "") < WAIT_MS);
	ASSERT(paste("a", "") < WAIT_MS);
	pty_type(pty, "b");
	pty_type(pty, "\x1b");
	pty_until(pty, "draft");
	pty_type(pty, "j");
	ASSERT(nothing_was_pruned());
	ASSERT(quits());
	ASSERT(draft_bytes() > 2 * LARGE);
	pty_close(pty);
	pty = desk_open(&desk, 80, 24, NULL);
	pty_type(pty, "gdi");
	ASSERT(strstr(pty_text(pty), "]a[pasted\xc2\xa0"));
	ASSERT_EQ(NULL, strstr(pty_text(pty), "nothing.\nWhat stands"));
	pty_type(pty, "\t");
	ASSERT(strstr(pty_text(pty), "nothing.\nWhat stands in a paste"));
	tear_down();
	PASS();
}

/* Waits until a draft of so many bytes is on disk. */
static bool kept(size_t bytes)
{
	for (int i = 0; i < 500 && draft_bytes() != bytes; i++) {
		pty_take(pty);
		poll(NULL, 0, 10);
	}
	return draft_bytes() == bytes;
}

/* Waits until where one stands is kept, too. */
static bool stands(int64_t node)
{
	struct loom_thread thread;
	int64_t at = 0;

	for (int i = 0; i < 500 && at != node; i++) {
		pty_take(pty);
		poll(NULL, 0, 10);
		if (loom_thread_implicit(desk.grove.store, desk.grove.owner, desk.tree,
					 desk.grove.arena, &thread, NULL) != LOOM_OK ||
		    loom_thread_stand(desk.grove.store, &thread, &at, NULL) != LOOM_OK)
			at = 0;
	}
	return at == node;
}

static void paste_lines(struct loom_buf *text)
{
	for (int i = 1; i <= 120; i++)
		loom_buf_addf(text, "The ledger's line %d.\n", i);
	pty_write(pty, LOOM_STR("\x1b[200~"));
	pty_write(pty, loom_buf_str(text));
	pty_type(pty, "\x1b[201~");
}

TEST a_long_paste_is_one_thing_until_it_is_opened(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);
	const char *wrong;

	set_up();
	pty_type(pty, "lli");
	pty_type(pty, "She read: ");
	paste_lines(&text);
	pty_type(pty, "And closed it.");
	wrong = pty_golden(pty, "folded-80x24");
	ASSERT_EQm(wrong, NULL, wrong);
	pty_resize(pty, 40, 10);
	pty_settle(pty);
	wrong = pty_golden(pty, "folded-40x10");
	ASSERT_EQm(wrong, NULL, wrong);
	pty_resize(pty, 80, 24);
	pty_settle(pty);
	pty_type(pty, "\t");
	wrong = pty_golden(pty, "folded-opened-80x24");
	ASSERT_EQm(wrong, NULL, wrong);
	tear_down();
	loom_buf_fini(&text);
	PASS();
}

TEST a_folded_paste_outlives_the_program_and_is_sent_whole(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);
	struct loom_buf whole = LOOM_BUF_INIT(1 << 16);

	set_up();
	pty_type(pty, "lli");
	pty_type(pty, "She read: ");
	paste_lines(&text);
	ASSERT(kept(text.n + 10));
	ASSERT(stands(desk.nodes[2]));
	pty_close(pty); /* as kill -9 does */
	pty = desk_open(&desk, 80, 24, NULL);
	ASSERT(strstr(pty_text(pty), "draft  She read:"));
	pty_type(pty, "gdi");
	ASSERT(strstr(pty_text(pty), "She read: [pasted\xc2\xa0"
				     "120\xc2\xa0lines]"));
	pty_type(pty, "End.\x1b_"); /* undone */
	pty_type(pty, "\x1f\r");
	pty_until(pty, "She read: The ledger's line 1.");
	loom_buf_addf(&whole, "She read: %s", loom_buf_cstr(&text));
	ASSERT(loom_str_eq(loom_buf_str(&whole), newest_text()));
	ASSERT(kept(0));
	tear_down();
	loom_buf_fini(&text);
	loom_buf_fini(&whole);
	PASS();
}

TEST a_large_paste_into_a_line_holds_nothing_up(void)
{
	static const char *const lines[] = {":tag ", "/", "oof", "ots/"};

	set_up();
	for (size_t i = 0; i < LOOM_COUNT(lines); i++) {
		ASSERTm(lines[i], paste(lines[i], "x") < WAIT_MS);
		pty_type(pty, "\x1b");
		pty_type(pty, "\x1b");
		pty_type(pty, "q");
	}
	/* what was left comes back, and can be cut down and done */
	pty_type(pty, "ggll:");
	pty_type(pty, "\x10");
	pty_type(pty, "\x15"
		      "bookmark v5b7\r");
	pty_until(pty, "bookmarked");
	ASSERT(nothing_was_pruned());
	ASSERT(quits());
	tear_down();
	PASS();
}

/* A terminal without brackets sends what is pasted as if it were typed. */
TEST a_large_paste_without_brackets_is_no_row_of_keys(void)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);

	set_up();
	pty_type(pty, "ll");
	while (text.n < 100000)
		loom_buf_adds(&text, "xxxx is what prunes, and Q is what quits.\r");
	pty_write(pty, loom_buf_str(&text));
	pty_settle(pty);
	pty_type(pty, "\x1b");
	pty_type(pty, "\x1b");
	ASSERT(nothing_was_pruned());
	tear_down();
	loom_buf_fini(&text);
	PASS();
}

SUITE(pastes)
{
	RUN_TEST(a_large_paste_into_the_tree_is_a_text_and_is_kept);
	RUN_TEST(a_long_paste_is_one_thing_until_it_is_opened);
	RUN_TEST(a_folded_paste_outlives_the_program_and_is_sent_whole);
	RUN_TEST(a_large_paste_into_a_line_holds_nothing_up);
	RUN_TEST(a_large_paste_without_brackets_is_no_row_of_keys);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(pastes);
	GREATEST_MAIN_END();
}
