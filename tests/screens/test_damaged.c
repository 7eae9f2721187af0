/* A text that does not fit its hash: the reader says so above it, and only there. */
#include "greatest.h"

#include "screens/desk.h"
#include <loom/tree/open_store.h>

#define SAYS "damaged, see loom verify "

/* Turns a letter of it in the file, the grove at rest. */
static bool damage(struct desk *desk, const char *text)
{
	char *path = temp_path(&desk->grove.temp, ".loom/grove.db");
	struct loom_buf bytes = {0};
	size_t at = SIZE_MAX;

	loom_store_close(desk->grove.store);
	desk->grove.store = NULL;
	if (temp_read(path, &bytes))
		at = loom_str_find(loom_buf_str(&bytes), loom_str_of(text), 0);
	if (at != SIZE_MAX) {
		bytes.p[at + strlen(text) - 1] ^= 1;
		temp_write(&desk->grove.temp, ".loom/grove.db", loom_buf_str(&bytes));
	}
	loom_buf_fini(&bytes);
	free(path);
	return at != SIZE_MAX;
}

static enum greatest_test_res look(bool damaged)
{
	struct desk desk;
	struct pty *pty = NULL;
	char says[80];

	desk_init(&desk, LOOM_DIALOGUE);
	snprintf(says, sizeof says, SAYS "%s", grove_name(&desk.grove, desk.nodes[1]));
	if (damaged)
		ASSERT(damage(&desk, "what she would find there."));
	pty = desk_open(&desk, 240, 40, NULL);
	ASSERT_FALSE(strstr(pty_text(pty), SAYS));
	pty_type(pty, "l");
	pty_until(pty, "It was the smell");
	ASSERT_EQ(damaged, strstr(pty_text(pty), says) != NULL);
	pty_type(pty, "h");
	pty_settle(pty);
	ASSERT_FALSE(strstr(pty_text(pty), SAYS));
	pty_close(pty);
	desk_fini(&desk);
	PASS();
}

TEST a_text_that_is_whole_has_no_mark(void)
{
	CHECK_CALL(look(false));
	PASS();
}

TEST a_text_that_was_changed_has_one_above_it(void)
{
	CHECK_CALL(look(true));
	PASS();
}

SUITE(damaged_texts)
{
	RUN_TEST(a_text_that_is_whole_has_no_mark);
	RUN_TEST(a_text_that_was_changed_has_one_above_it);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(damaged_texts);
	GREATEST_MAIN_END();
}
