/* What a model is told of a tree is what the screen's reader reads, without what is excluded. */
#include <greatest.h>

#include <loom/context/context.h>

#include <tests/support/read_tree.h>

GREATEST_MAIN_DEFS();

enum { ROUNDS = 60 };

/* Each passage stands where the one before ended, or behind what parts them. */
static bool says_in_order(const struct read_way *way, struct loom_str text)
{
	for (size_t i = 0; i < way->count; i++) {
		const size_t at = loom_str_find(text, way->items[i], 0);

		if (at == SIZE_MAX)
			return false;
		text = loom_str_sub(text, at + way->items[i].n, text.n);
	}
	return loom_str_find_char(text, 'w', 0) == SIZE_MAX;
}

static enum greatest_test_res told_as_read(const struct read_tree *t, int64_t tip)
{
	const struct loom_subject_opts opts = {.tip = tip, .thread = t->thread};
	const struct read_way way = read_way_to(t, tip, false);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_assembly out;
	struct loom_err err;

	grove_must(loom_assemble_subject(t->grove->store, &opts, t->grove->arena, &out, &err), &err,
		   "context");
	for (size_t i = 0; i < out.count; i++)
		if (out.pieces[i].part == LOOM_PART_PATH)
			loom_buf_add(&text, out.pieces[i].said.text);
	if (t->mode == LOOM_BUFFER)
		ASSERT(loom_str_eq(read_joined(t, &way, ""), loom_buf_str(&text)));
	else
		ASSERT(says_in_order(&way, loom_buf_str(&text)));
	loom_buf_fini(&text);
	PASS();
}

TEST a_model_is_told_what_the_reader_reads(void)
{
	struct prop prop;
	const int times = prop_times(ROUNDS);

	prop_init(&prop, "contexts and the reader");
	for (int i = 0; i < times; i++) {
		struct read_tree t;
		struct grove grove;

		grove_init(&grove);
		read_tree_grow(&t, &grove, prop_next(&prop));
		for (size_t k = 0; k < t.tip_count; k++)
			CHECK_CALL(told_as_read(&t, t.tips[k]));
		grove_fini(&grove);
	}
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(a_model_is_told_what_the_reader_reads);
	GREATEST_MAIN_END();
}
