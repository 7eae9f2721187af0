/* What one grove writes, another that stands in the same log has, byte for byte; and an entry that
 * breaks a rule is void everywhere. */
#include <greatest.h>

#include <loom/grove/sql.h>
#include <loom/tree/open_store.h>

#include "support/ok.h"
#include "support/replica.h"
#include "support/storm.h"

static struct grove g;
static struct temp other_dir;
static struct memory_log *memory;
static struct loom_store *other;
static struct storm storms[2];

static void prepare(struct storm *storm, struct loom_store *store)
{
	struct loom_err err = {.status = LOOM_OK};

	storm->store = store;
	storm->arena = loom_arena_create();
	storm->person = g.owner;
	storm->model = g.model;
	grove_must(loom_session_open(store, &storm->session, &err), &err, "session");
}

static void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	memory = memory_log_create();
	replica_found(g.store, memory);
	replica_clone(&g, &other_dir, memory, &other);
	prepare(&storms[0], g.store);
	prepare(&storms[1], other);
}

static void tear_down(void *unused)
{
	(void)unused;
	for (size_t i = 0; i < LOOM_COUNT(storms); i++) {
		loom_session_close(storms[i].session);
		loom_arena_destroy(storms[i].arena);
	}
	loom_store_close(other);
	grove_fini(&g);
	temp_fini(&other_dir);
	memory_log_destroy(memory);
}

/* --- the law --- */

static int64_t voids(struct loom_store *store)
{
	struct query q = model_query(store, "SELECT count(*) FROM remote_void", NULL);
	int64_t count = 0;

	return model_one(&q, 0, &count) == LOOM_OK ? count : -1;
}

static void settle(void)
{
	replica_settle(g.store);
	replica_settle(other);
	replica_settle(g.store);
}

static void print_voids(struct loom_store *store)
{
	struct query q = model_query(store, "SELECT seq, why FROM remote_void", NULL);

	while (model_row(&q))
		fprintf(stderr, "entry %lld: %.*s\n", (long long)model_int(&q, 0),
			LOOM_STR_ARG(model_borrow(&q, 1)));
	(void)model_done(&q);
}

TEST what_two_write_by_turns_both_have(void)
{
	const char *many = getenv("LOOM_NIGHTLY");
	const int times = many ? 10000 : 400;
	const char *last = "nothing";
	struct prop prop;

	prop_init(&prop, "entries");
	prop_init_seed(&storms[0].prop, prop_next(&prop));
	prop_init_seed(&storms[1].prop, prop_next(&prop));
	for (int i = 0; i < times; i++) {
		last = storm_step(&storms[prop_below(&prop, 2)]);
		if (i % 50 != 49)
			continue;
		settle();
		print_voids(other);
		ASSERT_EQ(0, voids(other));
		ASSERT_EQ(0, voids(g.store));
		if (!replica_same(g.store, other))
			fprintf(stderr, "after \"%s\", the %dth\n", last, i);
		ASSERT(replica_same(g.store, other));
	}
	PASS();
}

/* Each table that is shared is in some entry: a new one needs an operation in the storm. */
TEST the_storm_reaches_every_table(void)
{
	bool seen[64] = {false};
	struct loom_arena *arena = loom_arena_create();
	struct loom_err err;
	struct model_shape shapes[64];

	ASSERT(model_class_count <= LOOM_COUNT(seen));
	prop_init_seed(&storms[0].prop, 7);
	for (size_t i = 0; i < model_class_count; i++)
		model_shape_of(&model_classes[i], &shapes[i]);
	for (int i = 0; i < 2000; i++)
		storm_step(&storms[0]);
	replica_settle(g.store);
	for (int64_t seq = 1; seq <= memory_log_entries(memory); seq++) {
		struct model_entry entry;

		OK(model_entry_decode(shapes, memory_log_entry(memory, seq), arena, &entry, &err));
		for (size_t i = 0; i < entry.count; i++)
			seen[entry.changes[i].class] = true;
		loom_arena_reset(arena);
	}
	/* The current trees of those who did not found it. */
	for (size_t i = 0; i < model_class_count; i++)
		if (!seen[i] && model_classes[i].shared &&
		    strcmp(model_classes[i].table, "place") != 0)
			FAILm(model_classes[i].table);
	loom_arena_destroy(arena);
	PASS();
}

SUITE(entries)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_two_write_by_turns_both_have);
	RUN_TEST(the_storm_reaches_every_table);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(entries);
	GREATEST_MAIN_END();
}
