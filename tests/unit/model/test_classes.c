/* The table of what is shared, mine and passing, against the schema. */
#include <greatest.h>

#include <loom/grove/sql.h>
#include <loom/remote/classes.h>

#include "support/grove.h"

static struct grove g;

static void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
}

static void tear_down(void *unused)
{
	(void)unused;
	grove_fini(&g);
}

/* How often a list names a column, as NAME, *NAME, ^NAME or NAME=VALUE. */
static int named(const char *list, struct loom_str column)
{
	struct loom_str rest = loom_str_of(list);
	struct loom_str word;
	int count = 0;

	while (rest.n && loom_str_cut(&rest, ' ', &word)) {
		if (word.n && (word.p[0] == '*' || word.p[0] == '^'))
			word = loom_str_sub(word, 1, word.n);
		count += loom_str_eq(loom_str_sub(word, 0, loom_str_find_char(word, '=', 0)),
				     column);
	}
	return count;
}

static const struct model_class *class_of(struct loom_str table)
{
	for (size_t i = 0; i < model_class_count; i++)
		if (loom_str_is(table, model_classes[i].table))
			return &model_classes[i];
	return NULL;
}

TEST every_column_has_a_class(void)
{
	struct query q = model_query(g.store,
				     "SELECT t.name, c.name, c.pk FROM pragma_table_list t JOIN "
				     "pragma_table_info(t.name) c WHERE t.schema = 'main' AND "
				     "t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid",
				     NULL);
	int count = 0;
	int wrong = 0;

	for (; model_row(&q); count++) {
		const struct model_class *class = class_of(model_borrow(&q, 0));
		const struct loom_str column = model_borrow(&q, 1);
		int times = 0;

		if (class)
			times = named(class->shared, column) + named(class->mine, column) +
				named(class->passing, column);
		if (times != 1)
			fprintf(stderr, "%.*s.%.*s is in %d classes (model/remote/classes.c)\n",
				LOOM_STR_ARG(model_borrow(&q, 0)), LOOM_STR_ARG(column), times);
		wrong += times != 1;
	}
	ASSERT_EQ(LOOM_OK, model_done(&q));
	ASSERT(count > 100);
	ASSERT_EQ(0, wrong);
	PASS();
}

/* The key is what SQLite knows a row by, and comes first. */
TEST keys_are_those_of_the_schema(void)
{
	for (size_t i = 0; i < model_class_count; i++) {
		const struct model_class *class = &model_classes[i];
		struct model_shape shape;
		struct query q = model_query(g.store,
					     "SELECT name, pk FROM pragma_table_info(?) WHERE pk "
					     "ORDER BY pk",
					     NULL);
		size_t keys = 0;

		model_bind_text(&q, loom_str_of(class->table));
		model_shape_of(class, &shape);
		for (; model_row(&q); keys++)
			if (class->shared && !loom_str_eq(shape.column[keys], model_borrow(&q, 0)))
				FAILm(class->table);
		ASSERT_EQ(LOOM_OK, model_done(&q));
		ASSERT_EQm(class->table, class->keys, keys);
	}
	PASS();
}

SUITE(classes)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(every_column_has_a_class);
	RUN_TEST(keys_are_those_of_the_schema);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(classes);
	GREATEST_MAIN_END();
}
