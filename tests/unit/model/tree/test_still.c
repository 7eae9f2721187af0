/* Whoever only reads sees that its file is another one by now: any number of writes and folds is
 * the same grove, and an older copy of it, or another grove, is not. */
#include <greatest.h>

#include <loom/tree/open_store.h>

#include "support/child.h"
#include "support/grove.h"
#include "support/ok.h"
#include "support/prop.h"

static struct grove g;
static struct loom_store *reader;
static int64_t root;

static void copy(const char *from, const char *to)
{
	char line[1200];
	struct child_opts opts = {.cwd = g.temp.path};
	struct child_result said;

	/* In another process: closing the file in this one would drop its locks. */
	snprintf(line, sizeof line, "cat %s > %s", from, to);
	if (!child_shell(line, &opts, &said) || said.status != 0)
		abort();
	child_fini(&said);
}

static void begin(void)
{
	grove_init(&g);
	root = grove_root(&g, grove_tree(&g, LOOM_DIALOGUE, "Begin."));
	reader = grove_connect(&g, LOOM_READ);
}

static void end(void)
{
	loom_store_close(reader);
	grove_fini(&g);
}

static void write_large(void)
{
	static char text[700001];

	memset(text, 'x', sizeof text - 1);
	for (int i = 0; i < 14; i++)
		(void)grove_node(&g, root, text);
}

/* Something that others do: one of them folds at its end, one when its log is large. */
static void step(struct prop *prop)
{
	if (prop_once_in(prop, 60))
		write_large();
	else if (prop_once_in(prop, 3))
		grove_reopen(&g);
	else
		(void)grove_node(&g, root, "More.");
}

static bool is_still(void)
{
	struct loom_err err = {.status = LOOM_OK};
	const bool still = loom_store_still(reader, &err) == LOOM_OK;

	if (!still && !strstr(err.text, "or an older copy, replaced"))
		printf("%s\n", err.text);
	return still;
}

TEST whatever_others_write_and_fold_is_the_same_grove(void)
{
	struct prop prop;

	prop_init(&prop, "still");
	begin();
	for (int i = 0; i < prop_times(200); i++) {
		step(&prop);
		if (prop_once_in(&prop, 4))
			ASSERT(is_still());
	}
	end();
	PASS();
}

TEST an_older_copy_in_its_place_is_seen(void)
{
	struct prop prop;

	prop_init(&prop, "older");
	for (int i = 0; i < prop_times(12); i++) {
		begin();
		ASSERT(is_still());
		for (size_t n = prop_below(&prop, 10); n > 0; n--)
			step(&prop);
		grove_reopen(&g);
		copy(".loom/grove.db", "old.db");
		(void)grove_node(&g, root, "Newer.");
		for (size_t n = prop_below(&prop, 10); n > 0; n--)
			step(&prop);
		if (prop_once_in(&prop, 2)) {
			loom_store_close(g.store);
			g.store = NULL;
		} else {
			grove_reopen(&g);
		}
		ASSERT(is_still());
		copy("old.db", ".loom/grove.db");
		ASSERT_FALSE(is_still());
		end();
	}
	PASS();
}

TEST another_grove_in_its_place_is_seen(void)
{
	struct loom_buf other = LOOM_BUF_INIT(4096);
	struct loom_err err;

	begin();
	grove_reopen(&g);
	loom_buf_addf(&other, "%s/other", g.temp.path);
	OK(loom_grove_init(&g.env, loom_buf_str(&other), &err));
	copy("other/.loom/grove.db", ".loom/grove.db");
	ASSERT_FALSE(is_still());
	loom_buf_fini(&other);
	end();
	PASS();
}

SUITE(still)
{
	RUN_TEST(whatever_others_write_and_fold_is_the_same_grove);
	RUN_TEST(an_older_copy_in_its_place_is_seen);
	RUN_TEST(another_grove_in_its_place_is_seen);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(still);
	GREATEST_MAIN_END();
}
