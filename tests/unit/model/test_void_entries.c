/* Entries that somebody hostile, or something broken, puts into the log: void everywhere, and the
 * groves stay alike. */
#include <greatest.h>

#include <loom/grove/sql.h>
#include <loom/tree/open_store.h>
#include <loom/work/thread.h>

#include "support/ok.h"
#include "support/replica.h"
#include "support/storm.h"

#define STRANGER "uid:4242"

static struct grove g;
static struct temp other_dir;
static struct memory_log *memory;
static struct loom_store *other;
static struct loom_arena *arena;
static struct model_shape shapes[64];

static void set_up(void *unused)
{
	(void)unused;
	grove_init(&g);
	memory = memory_log_create();
	replica_found(g.store, memory);
	replica_clone(&g, &other_dir, memory, &other);
	arena = loom_arena_create();
	for (size_t i = 0; i < model_class_count; i++)
		model_shape_of(&model_classes[i], &shapes[i]);
	grove_tree(&g, LOOM_DIALOGUE, "root");
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_arena_destroy(arena);
	loom_store_close(other);
	grove_fini(&g);
	temp_fini(&other_dir);
	memory_log_destroy(memory);
}

/* --- forging --- */

static int64_t number_of(struct loom_store *store, const char *sql)
{
	struct query q = model_query(store, sql, NULL);
	int64_t out = -1;

	return model_one(&q, -1, &out) == LOOM_OK ? out : -1;
}

static int64_t voids(struct loom_store *store)
{
	return number_of(store, "SELECT count(*) FROM remote_void");
}

static size_t class_of(const char *table)
{
	size_t i = 0;

	while (strcmp(model_classes[i].table, table) != 0)
		i++;
	return i;
}

static struct model_cell *cell_of(const struct model_change *change, const char *column)
{
	const struct model_shape *shape = &shapes[change->class];
	size_t i = 0;

	while (!loom_str_is(shape->column[i], column))
		i++;
	return &change->now[i];
}

static void set_number(const struct model_change *change, const char *column, int64_t n)
{
	*cell_of(change, column) = (struct model_cell){.type = MODEL_CELL_INT, .n = n};
}

static void set_text(const struct model_change *change, const char *column, const char *text)
{
	*cell_of(change, column) =
		(struct model_cell){.type = MODEL_CELL_TEXT, .s = loom_str_of(text)};
}

/* The entry of a node that Olga wrote, to be changed and put in as another. */
static struct model_entry genuine(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct model_entry entry;
	struct loom_str bytes;

	grove_node(&g, 1, "genuine");
	bytes = loom_arena_str(arena, memory_log_entry(memory, memory_log_entries(memory)));
	grove_must(model_entry_decode(shapes, bytes, arena, &entry, &err), &err, "decode");
	return entry;
}

/* The same, as if it came next: with numbers that follow. */
static void move_on(struct model_entry *entry)
{
	const int64_t op = number_of(g.store, "SELECT max(id) + 1 FROM op");
	const int64_t node = number_of(g.store, "SELECT max(id) + 1 FROM node");
	const struct model_mark head = memory_log_head(memory);

	entry->base = head.seq;
	entry->prev = head.chain;
	for (size_t i = 0; i < entry->count; i++) {
		struct model_change *change = &entry->changes[i];
		const char *table = model_classes[change->class].table;

		if (change->act != MODEL_ADDED)
			table = "";
		if (strcmp(table, "op") == 0) {
			set_number(change, "id", op);
			cell_of(change, "uid")->s = LOOM_STR("0123456789abcdef");
		} else if (strcmp(table, "node") == 0) {
			set_number(change, "id", node);
			set_number(change, "grp", node);
			set_number(change, "op", op);
			set_number(change, "num", cell_of(change, "num")->n + 1);
			set_number(change, "ord", cell_of(change, "ord")->n + 1);
			cell_of(change, "ulid")->s = LOOM_STR("fedcba9876543210");
		} else if (strcmp(table, "event") == 0) {
			set_number(change, "seq",
				   number_of(g.store, "SELECT max(seq) + 1 FROM event"));
			set_number(change, "op", op);
		} else if (strcmp(table, "op_change") == 0) {
			set_number(change, "op", op);
			set_number(change, "target", node);
		} else if (strcmp(table, "op_needs") == 0) {
			set_number(change, "op", op);
		} else if (strcmp(table, "job") == 0) {
			set_number(change, "id", number_of(g.store, "SELECT max(id) + 1 FROM job"));
			set_number(change, "target", node);
		} else if (strcmp(table, "body") == 0) {
			set_number(change, "id", node);
		} else {
			*change = entry->changes[--entry->count];
			i--;
		}
	}
}

static void put(struct model_entry *entry)
{
	struct loom_buf bytes = LOOM_BUF_INIT(MODEL_ENTRY_MAX);

	model_entry_encode(shapes, entry, &bytes);
	memory_log_put(memory, loom_buf_str(&bytes));
	loom_buf_fini(&bytes);
	replica_settle(g.store);
	replica_settle(other);
	replica_settle(g.store);
}

static struct model_change *find(const struct model_entry *entry, const char *table)
{
	const size_t class = class_of(table);

	for (size_t i = 0; i < entry->count; i++)
		if (entry->changes[i].class == class)
			return &entry->changes[i];
	fprintf(stderr, "no change of %s\n", table);
	exit(99);
}

static bool why_has(struct loom_store *store, const char *words)
{
	struct query q =
		model_query(store, "SELECT why FROM remote_void ORDER BY seq DESC LIMIT 1", NULL);
	bool has = false;

	if (model_row(&q)) {
		has = loom_str_find(model_borrow(&q, 0), loom_str_of(words), 0) != SIZE_MAX;
		if (!has)
			fprintf(stderr, "void because %.*s\n", LOOM_STR_ARG(model_borrow(&q, 0)));
	}
	(void)model_done(&q);
	return has;
}

/* Puts it in; it must be void for this reason on both sides, which stay alike. */
#define VOID(entry, words)                                                                         \
	do {                                                                                       \
		const int64_t before_ = voids(g.store);                                            \
		put(entry);                                                                        \
		ASSERT_EQ(before_ + 1, voids(g.store));                                            \
		ASSERT_EQ(before_ + 1, voids(other));                                              \
		ASSERT(why_has(g.store, words));                                                   \
		ASSERT(why_has(other, words));                                                     \
		ASSERT(replica_same(g.store, other));                                              \
	} while (0)

static struct model_entry moved(void)
{
	struct model_entry entry = genuine();

	move_on(&entry);
	return entry;
}

/* A person of another account, who comes in by an entry of their own. */
static struct model_entry newcomer(int64_t may)
{
	const struct model_mark head = memory_log_head(memory);
	struct model_entry entry = {.schema = MODEL_SCHEMA_VERSION,
				    .base = head.seq,
				    .prev = head.chain,
				    .role = LOOM_STR(STRANGER)};
	struct model_change *changes = LOOM_ARENA_ARRAY(arena, 2, struct model_change);
	const int64_t agent = number_of(g.store, "SELECT max(id) + 1 FROM agent");

	entry.changes = changes;
	entry.count = 2;
	changes[0] = (struct model_change){.act = MODEL_ADDED, .class = class_of("agent")};
	changes[1] = (struct model_change){.act = MODEL_ADDED, .class = class_of("member")};
	for (size_t i = 0; i < 2; i++)
		changes[i].now =
			LOOM_ARENA_ARRAY(arena, shapes[changes[i].class].all, struct model_cell);
	for (const char *const *column = (const char *const[]){"model", "sampling", "origin", NULL};
	     *column; column++)
		set_text(&changes[0], *column, "");
	set_number(&changes[0], "id", agent);
	set_number(&changes[0], "op", 1);
	*cell_of(&changes[0], "ulid") =
		(struct model_cell){.type = MODEL_CELL_BLOB, .s = LOOM_STR("a-new-person-xyz")};
	set_text(&changes[0], "name", "Zoe");
	for (const char *const *column =
		     (const char *const[]){"kind", "aware", "created", "claim", NULL};
	     *column; column++)
		set_number(&changes[0], *column, 0);
	set_number(&changes[0], "ver", 1);
	set_number(&changes[1], "id", number_of(g.store, "SELECT max(id) + 1 FROM member"));
	set_text(&changes[1], "role", STRANGER);
	for (const char *const *column = (const char *const[]){"op", "live", "ver", "since", NULL};
	     *column; column++)
		set_number(&changes[1], *column, 1);
	set_number(&changes[1], "agent", agent);
	set_number(&changes[1], "by", agent);
	set_number(&changes[1], "may", may);
	return entry;
}

static struct model_entry one_change(enum model_act act, const char *table, int64_t id)
{
	struct model_entry entry = moved();
	struct model_change *change = LOOM_ARENA_NEW(arena, struct model_change);
	const size_t class = class_of(table);

	*change = (struct model_change){.act = act, .class = class};
	change->now = LOOM_ARENA_ARRAY(arena, shapes[class].all, struct model_cell);
	change->was = LOOM_ARENA_ARRAY(arena, shapes[class].all, struct model_cell);
	change->now[0] = (struct model_cell){.type = MODEL_CELL_INT, .n = id};
	entry.changes = change;
	entry.count = 1;
	return entry;
}

static void set_bit(struct model_change *change, const char *column)
{
	change->set |= UINT64_C(1) << (cell_of(change, column) - change->now);
}

/* --- the rules --- */

TEST what_is_put_in_as_it_should_be_is_done(void)
{
	struct model_entry entry = moved();
	const int64_t nodes = number_of(g.store, "SELECT count(*) FROM node");

	put(&entry);
	ASSERT(voids(g.store) == 0 || why_has(g.store, "nothing"));
	ASSERT_EQ(nodes + 1, number_of(other, "SELECT count(*) FROM node"));
	ASSERT(replica_same(g.store, other));
	PASS();
}

TEST only_members_write_and_only_for_themselves(void)
{
	struct model_entry entry = moved();

	entry.role = LOOM_STR(STRANGER);
	VOID(&entry, "is no member");
	entry = newcomer(2);
	VOID(&entry, "may not bind");
	entry = newcomer(1);
	put(&entry);
	ASSERT_EQ(2, voids(other));
	entry = moved();
	entry.role = LOOM_STR(STRANGER);
	VOID(&entry, "does not speak for");
	set_number(find(&entry, "op"), "actor", g.model);
	move_on(&entry);
	VOID(&entry, "does not speak for"); /* the event's */
	PASS();
}

/* Whoever binds their account to somebody's person would speak for them from then on. */
TEST nobody_becomes_somebody_else(void)
{
	struct model_entry entry = newcomer(1);
	int64_t zoe;

	entry.changes++; /* no person of their own, but the founder */
	entry.count = 1;
	set_number(entry.changes, "agent", g.owner);
	VOID(&entry, "may not bind");
	entry = newcomer(1);
	set_number(&entry.changes[1], "agent", g.owner);
	VOID(&entry, "may not bind");
	entry = newcomer(1);
	zoe = cell_of(&entry.changes[0], "id")->n;
	put(&entry);
	ASSERT_EQ(2, voids(other));
	/* a member does not, either */
	entry = newcomer(1);
	entry.changes++;
	entry.count = 1;
	set_number(entry.changes, "agent", g.owner);
	VOID(&entry, "may not bind");
	/* their own person is theirs to take up again */
	set_number(entry.changes, "agent", zoe);
	entry.base = memory_log_head(memory).seq;
	entry.prev = memory_log_head(memory).chain;
	put(&entry);
	ASSERT_EQ(3, voids(other));
	ASSERT(replica_same(g.store, other));
	PASS();
}

TEST nobody_renames_somebody_else(void)
{
	struct model_entry entry = newcomer(1);
	int64_t zoe = cell_of(&entry.changes[0], "id")->n;

	put(&entry);
	ASSERT_EQ(0, voids(other));
	entry = one_change(MODEL_CHANGED, "agent", zoe);
	set_text(entry.changes, "name", "Nobody");
	entry.changes->was[cell_of(entry.changes, "name") - entry.changes->now] =
		(struct model_cell){.type = MODEL_CELL_TEXT, .s = LOOM_STR_INIT("Zoe")};
	set_bit(entry.changes, "name");
	VOID(&entry, "another's person");
	entry.base = memory_log_head(memory).seq;
	entry.prev = memory_log_head(memory).chain;
	entry.role = LOOM_STR(STRANGER);
	put(&entry);
	ASSERT_EQ(1, voids(other));
	ASSERT(replica_same(g.store, other));
	PASS();
}

TEST a_reader_writes_nothing(void)
{
	struct model_entry entry = newcomer(0);

	put(&entry);
	ASSERT_EQ(0, voids(other));
	entry = moved();
	entry.role = LOOM_STR(STRANGER);
	set_number(find(&entry, "op"), "actor", g.model);
	set_number(find(&entry, "event"), "actor", g.model);
	VOID(&entry, "may only read");
	PASS();
}

TEST numbers_follow(void)
{
	struct model_entry entry = moved();

	set_number(find(&entry, "event"), "seq", cell_of(find(&entry, "event"), "seq")->n + 1);
	VOID(&entry, "a number that does not follow");
	entry = moved();
	set_number(find(&entry, "node"), "id", 1);
	VOID(&entry, "a number that does not follow");
	entry = moved();
	set_number(find(&entry, "op"), "id", INT64_MAX);
	VOID(&entry, "a number that does not follow");
	PASS();
}

TEST an_entry_stands_on_the_one_before_it(void)
{
	struct model_entry entry = moved();

	entry.base--;
	VOID(&entry, "does not stand on");
	entry = moved();
	entry.prev.bytes[0] ^= 1;
	VOID(&entry, "does not stand on");
	PASS();
}

TEST what_is_only_added_is_never_changed_or_removed(void)
{
	struct model_entry entry = one_change(MODEL_GONE, "node", 1);

	VOID(&entry, "never removed");
	entry = one_change(MODEL_GONE, "body", 1);
	VOID(&entry, "never removed");
	entry = one_change(MODEL_GONE, "event", 1);
	VOID(&entry, "not an entry");
	entry = one_change(MODEL_CHANGED, "body", 1);
	set_text(entry.changes, "text", "another");
	set_bit(entry.changes, "text");
	VOID(&entry, "not an entry");
	entry = one_change(MODEL_CHANGED, "node", 1);
	set_number(entry.changes, "author", 2);
	set_bit(entry.changes, "author");
	VOID(&entry, "not an entry");
	PASS();
}

TEST a_row_is_changed_from_what_it_is(void)
{
	struct model_entry entry = one_change(MODEL_CHANGED, "tree", 1);

	set_text(entry.changes, "title", "another");
	set_bit(entry.changes, "title");
	VOID(&entry, "a row that is not as it says");
	PASS();
}

TEST nothing_refers_to_what_is_not_there(void)
{
	struct model_entry entry = moved();

	set_number(find(&entry, "op_needs"), "needs", 99999);
	VOID(&entry, "refers to what is not there");
	PASS();
}

TEST an_entry_of_a_newer_schema_stops_the_grove(void)
{
	struct loom_err err;
	struct model_entry entry = moved();
	struct loom_buf bytes = LOOM_BUF_INIT(MODEL_ENTRY_MAX);

	entry.schema = MODEL_SCHEMA_VERSION + 1;
	model_entry_encode(shapes, &entry, &bytes);
	memory_log_put(memory, loom_buf_str(&bytes));
	loom_buf_fini(&bytes);
	STATUS_IS(LOOM_READ_ONLY, loom_quiet_begin(g.store, &err));
	ASSERT_EQ(0, voids(g.store));
	PASS();
}

/* --- any bytes --- */

/* Where the schema's number stands: a newer one stops the grove, which has a test of its own. */
enum { SCHEMA_AT = 7 };

static void mutate(struct prop *prop, struct loom_buf *bytes)
{
	const char schema = bytes->p[SCHEMA_AT];

	for (size_t n = prop_below(prop, 4); n && bytes->n; n--)
		bytes->p[prop_below(prop, bytes->n)] ^= (char)(1 << prop_below(prop, 8));
	bytes->p[SCHEMA_AT] = schema;
	if (prop_once_in(prop, 8))
		loom_buf_cut(bytes, prop_below(prop, bytes->n));
}

/* Entries of a storm, put in again at the head with a few bits turned. */
TEST bent_entries_do_the_same_everywhere(void)
{
	const int times = getenv("LOOM_NIGHTLY") ? 1000000 : 4000;
	struct storm storm = {g.store, .arena = arena, .person = g.owner, .model = g.model};
	struct loom_err err = {.status = LOOM_OK};
	struct loom_buf bytes = LOOM_BUF_INIT(MODEL_ENTRY_MAX);
	int64_t low = 0; /* good ones */
	int64_t high = 0;
	struct prop prop;

	prop_init(&prop, "bent entries");
	prop_init_seed(&storm.prop, prop_next(&prop));
	OK(loom_session_open(g.store, &storm.session, &err));
	for (int i = 0; i < times; i++) {
		const struct model_mark head = memory_log_head(memory);
		struct model_entry entry;

		if (i % 100 == 0) {
			replica_settle(g.store);
			low = memory_log_entries(memory);
			for (int j = 0; j < 20 || memory_log_entries(memory) < low + 4; j++)
				storm_step(&storm);
			replica_settle(g.store); /* what still waited to ride */
			high = memory_log_entries(memory);
			replica_settle(other);
			ASSERT(replica_same(g.store, other));
			continue;
		}
		OK(model_entry_decode(shapes,
				      memory_log_entry(memory, prop_between(&prop, low + 1, high)),
				      arena, &entry, &err));
		entry.base = head.seq;
		entry.prev = head.chain;
		loom_buf_clear(&bytes);
		model_entry_encode(shapes, &entry, &bytes);
		mutate(&prop, &bytes);
		memory_log_put(memory, loom_buf_str(&bytes));
		loom_arena_reset(arena);
	}
	loom_buf_fini(&bytes);
	loom_session_close(storm.session);
	replica_settle(g.store);
	replica_settle(other);
	replica_settle(g.store);
	ASSERT(voids(g.store) > times / 4);
	ASSERT_EQ(voids(g.store), voids(other));
	ASSERT(replica_same(g.store, other));
	PASS();
}

/* --- the log itself --- */

TEST without_the_log_one_reads_and_moves_but_does_not_write(void)
{
	struct loom_err err;
	const struct loom_op_spec spec = {.kind = "respond", .actor = g.owner};
	struct loom_thread thread;
	const int64_t node = grove_node(&g, 1, "further on");

	OK(loom_quiet_begin(g.store, &err));
	OK(loom_thread_ensure(g.store, g.owner, 1, arena, &thread, &err));
	OK(loom_quiet_end(g.store, LOOM_OK, &err));
	memory_log_cut(memory, true);
	STATUS_IS(LOOM_OFFLINE, loom_op_begin(g.store, &spec, &err));
	OK(loom_quiet_begin(g.store, &err));
	OK(loom_quiet_end(g.store, loom_thread_move(g.store, thread.id, node, &err), &err));
	OK(loom_quiet_begin(g.store, &err)); /* a new thread is everybody's */
	OK(loom_thread_ensure(g.store, g.model, 1, arena, &thread, &err));
	STATUS_IS(LOOM_OFFLINE, loom_quiet_end(g.store, LOOM_OK, &err));
	memory_log_cut(memory, false);
	grove_node(&g, 1, "again");
	replica_settle(other);
	ASSERT_EQ(node, number_of(other, "SELECT position FROM thread"));
	ASSERT(replica_same(g.store, other));
	PASS();
}

TEST a_log_that_lost_its_end_is_a_fork(void)
{
	struct loom_err err;
	const struct loom_op_spec spec = {.kind = "respond", .actor = g.owner};

	grove_node(&g, 1, "acknowledged");
	memory_log_lose(memory);
	STATUS_IS(LOOM_REFUSED, loom_op_begin(g.store, &spec, &err));
	ASSERT(strstr(err.text, "different ways"));
	PASS();
}

SUITE(void_entries)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_is_put_in_as_it_should_be_is_done);
	RUN_TEST(only_members_write_and_only_for_themselves);
	RUN_TEST(nobody_becomes_somebody_else);
	RUN_TEST(nobody_renames_somebody_else);
	RUN_TEST(a_reader_writes_nothing);
	RUN_TEST(numbers_follow);
	RUN_TEST(an_entry_stands_on_the_one_before_it);
	RUN_TEST(what_is_only_added_is_never_changed_or_removed);
	RUN_TEST(a_row_is_changed_from_what_it_is);
	RUN_TEST(nothing_refers_to_what_is_not_there);
	RUN_TEST(an_entry_of_a_newer_schema_stops_the_grove);
	RUN_TEST(bent_entries_do_the_same_everywhere);
	RUN_TEST(without_the_log_one_reads_and_moves_but_does_not_write);
	RUN_TEST(a_log_that_lost_its_end_is_a_fork);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(void_entries);
	GREATEST_MAIN_END();
}
