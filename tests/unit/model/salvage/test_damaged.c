/* Damaged, cut and hostile databases: never a crash, never a hang, never a change of the file.
 * LOOM_TEST_MANY in the environment takes 25 times as many random ones. */
#include <greatest.h>

#include <unistd.h>

#include <loom/tree/document.h>
#include <loom/tree/mark.h>
#include <loom/tree/open_store.h>

#include "support/clock.h"
#include "support/ok.h"
#include "support/prop.h"
#include "support/raw.h"

static struct grove g; /* the sound one */
static struct loom_buf sound;
static size_t page_size;
static struct temp dir; /* where the damaged ones stand */
static char *file;
static char *tails[2];

static void fill(void)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t tree = grove_tree(&g, LOOM_DIALOGUE, "root");
	int64_t at = grove_root(&g, tree);
	int64_t doc = 0;
	bool changed = false;

	for (int i = 0; i < 120; i++) {
		char text[2000];

		memset(text, 'a' + i % 26, sizeof text - 1);
		snprintf(text, 24, "node text number %04d", i);
		text[23] = ' ';
		text[i % 3 ? 60 : sizeof text - 1] = '\0';
		at = grove_node(&g, i % 5 ? at : grove_root(&g, tree), text);
	}
	grove_begin(&g, "more");
	grove_must(loom_doc_create(g.store, LOOM_STR("plan"), LOOM_STR("document text"), g.owner,
				   &doc, &err),
		   &err, "doc");
	grove_must(loom_tag_set(g.store, at, LOOM_STR("tag"), true, &changed, &err), &err, "tag");
	grove_commit(&g);
	grove_prune(&g, at);
}

static void begin_all(void)
{
	char *path;

	grove_init(&g);
	fill();
	raw_settle(&g);
	path = raw_path(&g);
	if (!temp_read(path, &sound))
		exit(99);
	free(path);
	page_size = (size_t)(unsigned char)sound.p[16] << 8 | (unsigned char)sound.p[17];
	temp_init(&dir);
	temp_write(&dir, ".loom/x", LOOM_STR(""));
	file = temp_path(&dir, ".loom/grove.db");
	tails[0] = temp_path(&dir, ".loom/grove.db-wal");
	tails[1] = temp_path(&dir, ".loom/grove.db-shm");
}

static void end_all(void)
{
	grove_fini(&g);
	loom_buf_fini(&sound);
	temp_fini(&dir);
	free(file);
	free(tails[0]);
	free(tails[1]);
}

/* Looks at everything that a program would. Errors are answers. */
static void look_around(struct loom_store *store)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_tree *trees = NULL;
	struct loom_doc *docs = NULL;
	struct loom_op *ops = NULL;
	struct loom_nodes nodes = {NULL, 0};
	struct loom_page page = {.limit = 50, .parts = LOOM_NODE_ALL};
	size_t count = 0;
	int64_t seen = 0;

	if (loom_tree_list(store, arena, &trees, &count, NULL) == LOOM_OK && count)
		seen += loom_node_children(store, trees[0].root, &page, arena, &nodes, NULL) ==
			LOOM_OK;
	for (int64_t id = 1; id < 130; id += 7)
		seen += loom_node_path(store, id, 0, LOOM_NODE_ALL, arena, &nodes, NULL) == LOOM_OK;
	seen += loom_doc_list(store, arena, &docs, &count, NULL) == LOOM_OK;
	seen += loom_op_list(store, &(struct loom_op_page){.limit = 50}, arena, &ops, &count,
			     NULL) == LOOM_OK;
	seen += loom_tag_nodes(store, &(struct loom_tagged){.name = LOOM_STR("tag"), .limit = 10},
			       arena, &nodes, NULL) == LOOM_OK;
	(void)seen;
	loom_arena_destroy(arena);
}

struct outcome {
	enum loom_status opened;
	int64_t findings; /* of a deep check, when it opened */
	bool changed;     /* the file */
	int64_t ms;
};

static struct outcome try_file(struct loom_str bytes, enum loom_access access, bool deep)
{
	struct loom_check_opts opts = {.deep = deep};
	struct outcome out = {.findings = -1};
	struct loom_store *store = NULL;
	struct loom_err err;
	struct loom_buf after;
	int64_t start = clock_ms();

	unlink(tails[0]);
	unlink(tails[1]);
	temp_put(file, bytes);
	alarm(20);
	out.opened = loom_store_open(&g.env, loom_str_of(dir.path), access, &store, &err);
	if (out.opened == LOOM_OK) {
		look_around(store);
		if (loom_store_check(store, &opts, &out.findings, &err) != LOOM_OK)
			out.findings = 1;
	}
	loom_store_close(store);
	alarm(0);
	out.ms = clock_ms() - start;
	if (!temp_read(file, &after))
		exit(99);
	out.changed = !loom_str_eq(loom_buf_str(&after), bytes);
	loom_buf_fini(&after);
	return out;
}

/* The statuses that a bad file may have. */
static bool is_named(enum loom_status status)
{
	return status == LOOM_OK || status == LOOM_FOREIGN || status == LOOM_DAMAGED ||
	       status == LOOM_IO || status == LOOM_READ_ONLY;
}

#define HELD(out)                                                                                  \
	do {                                                                                       \
		if (!is_named((out).opened))                                                       \
			fprintf(stderr, "%s\n", loom_status_code((out).opened));                   \
		ASSERT(is_named((out).opened));                                                    \
		ASSERT((out).ms < 2000);                                                           \
	} while (0)

TEST the_sound_one_opens_without_findings_and_unchanged(void)
{
	struct outcome out = try_file(loom_buf_str(&sound), LOOM_READ, true);

	ASSERT_EQ(LOOM_OK, out.opened);
	ASSERT_EQ(0, out.findings);
	ASSERT_FALSE(out.changed);
	out = try_file(loom_buf_str(&sound), LOOM_WRITE, true);
	ASSERT_EQ(LOOM_OK, out.opened);
	ASSERT_FALSE(out.changed);
	PASS();
}

TEST every_byte_of_the_header_with_eight_values(void)
{
	for (size_t at = 0; at < 100; at++) {
		char kept = sound.p[at];
		const char values[] = {0,
				       1,
				       (char)0x7F,
				       (char)0xFF,
				       (char)(kept ^ 1),
				       (char)(kept ^ 0x10),
				       (char)(kept ^ 0x80),
				       (char)(kept + 1)};

		for (size_t i = 0; i < sizeof values; i++) {
			struct outcome out;

			sound.p[at] = values[i];
			out = try_file(loom_buf_str(&sound), i % 2 ? LOOM_WRITE : LOOM_READ, false);
			sound.p[at] = kept;
			HELD(out);
			/* only a sound file of the other journal mode is taken into use */
			ASSERT(!out.changed || (at == 18 || at == 19));
		}
	}
	PASS();
}

enum { ZEROED, RANDOM, HEADED, SWAPPED, EMPTIED, KINDS };

static void spoil(struct prop *prop, size_t page, int kind)
{
	char *at = sound.p + page * page_size;
	size_t other = prop_below(prop, sound.n / page_size) * page_size;
	struct loom_buf noise = LOOM_BUF_INIT(LOOM_BUF_MAX);

	prop_bytes(prop, page_size, &noise);
	if (kind == ZEROED)
		memset(at, 0, page_size);
	else if (kind == RANDOM)
		memcpy(at, noise.p, page_size);
	else if (kind == HEADED)
		memcpy(at, noise.p, 12);
	else if (kind == SWAPPED)
		memcpy(at, sound.p + other, page_size);
	else /* no cells: how a table begins */
		memcpy(at + 1, (const char[]){0, 0, 0, 0, (char)(page_size >> 8), 0, 0}, 7);
	loom_buf_fini(&noise);
}

/* A leaf without cells holds nothing that could be lost; what is put there instead may pass for
 * rows. */
static bool is_empty_leaf(const char *page)
{
	return (page[0] == 0x0A || page[0] == 0x0D) && !page[3] && !page[4];
}

TEST every_page_in_five_ways(void)
{
	struct prop prop;
	struct loom_buf kept = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int unnoticed = 0;
	int tried = 0;

	prop_init(&prop, "pages");
	loom_buf_add(&kept, loom_buf_str(&sound));
	for (size_t page = 0; page < sound.n / page_size; page++) {
		for (int kind = 0; kind < KINDS; kind++) {
			struct outcome out;
			bool same;

			spoil(&prop, page, kind);
			same = loom_str_eq(loom_buf_str(&sound), loom_buf_str(&kept)) ||
			       (kind >= SWAPPED && is_empty_leaf(kept.p + page * page_size));
			out = try_file(loom_buf_str(&sound), kind % 2 ? LOOM_WRITE : LOOM_READ,
				       true);
			memcpy(sound.p, kept.p, sound.n);
			HELD(out);
			/* what looks like a long write that died is swept, as in a sound one */
			ASSERT(!out.changed || (kind % 2 && out.findings > 0));
			tried += !same;
			unnoticed += !same && out.opened == LOOM_OK && out.findings == 0;
		}
	}
	printf("%d pages damaged, %d unnoticed\n", tried, unnoticed);
	ASSERT_EQ_FMT(0, unnoticed, "%d");
	loom_buf_fini(&kept);
	PASS();
}

TEST every_length_is_refused_or_found(void)
{
	struct prop prop;

	prop_init(&prop, "lengths");
	for (int i = 0; i < prop_times(90); i++) {
		size_t n = i < 40 ? (size_t)i * 13 : prop_below(&prop, sound.n);
		struct outcome out =
			try_file(loom_str_sub(loom_buf_str(&sound), 0, n), i % 2, false);

		HELD(out);
		ASSERT_FALSE(out.changed);
		ASSERT(out.opened != LOOM_OK || out.findings > 0);
	}
	PASS();
}

TEST any_one_bit_anywhere(void)
{
	struct prop prop;
	int found = 0;

	prop_init(&prop, "flips");
	for (int i = 0; i < prop_times(400); i++) {
		size_t at = prop_below(&prop, sound.n);
		char bit = (char)(1 << prop_below(&prop, 8));
		struct outcome out;

		sound.p[at] ^= bit;
		out = try_file(loom_buf_str(&sound), LOOM_READ, true);
		sound.p[at] ^= bit;
		HELD(out);
		ASSERT_FALSE(out.changed);
		found += out.opened != LOOM_OK || out.findings > 0;
	}
	printf("%d of %d flips found\n", found, prop_times(400));
	PASS();
}

/* Where the n-th "node text number" stands, SIZE_MAX when there are no more. */
static size_t text_at(size_t from)
{
	return loom_str_find(loom_buf_str(&sound), LOOM_STR("node text number"), from);
}

TEST every_flip_in_a_nodes_text_is_found_by_a_deep_check(void)
{
	struct prop prop;
	size_t at = 0;
	int texts = 0;

	prop_init(&prop, "text flips");
	while ((at = text_at(at)) != SIZE_MAX) {
		size_t where = at + prop_below(&prop, 40);
		char bit = (char)(1 << prop_below(&prop, 8));
		struct outcome out;

		sound.p[where] ^= bit;
		out = try_file(loom_buf_str(&sound), LOOM_READ, true);
		sound.p[where] ^= bit;
		HELD(out);
		ASSERT(out.opened != LOOM_OK || out.findings > 0);
		texts++;
		at += 16;
	}
	ASSERT(texts >= 120);
	PASS();
}

TEST every_flip_in_a_documents_text_is_found_by_a_deep_check(void)
{
	size_t at = loom_str_find(loom_buf_str(&sound), LOOM_STR("document text"), 0);

	ASSERT(at != SIZE_MAX);
	for (size_t i = 0; i < 13; i++) {
		struct outcome out;

		sound.p[at + i] ^= 4;
		out = try_file(loom_buf_str(&sound), LOOM_READ, true);
		sound.p[at + i] ^= 4;
		ASSERT(out.opened != LOOM_OK || out.findings > 0);
	}
	PASS();
}

/* --- the log beside it --- */

TEST a_damaged_log_is_no_crash_and_the_file_stays(void)
{
	struct prop prop;
	struct loom_buf log;
	char *path = temp_path(&g.temp, ".loom/grove.db-wal");

	prop_init(&prop, "log");
	grove_node(&g, 1, "in the log only");
	ASSERT(temp_read(path, &log));
	ASSERT(log.n > 4096);
	for (int i = 0; i < prop_times(150); i++) {
		struct loom_store *store = NULL;
		struct loom_check_opts opts = {.deep = true};
		struct loom_err err;
		size_t at = i < 40 ? (size_t)i : prop_below(&prop, log.n);
		int64_t findings = 0;
		enum loom_status status;

		unlink(tails[1]);
		temp_put(file, loom_buf_str(&sound));
		log.p[at] ^= 0x11;
		temp_put(tails[0], loom_str_make(log.p, i % 10 ? log.n : at));
		log.p[at] ^= 0x11;
		alarm(20);
		status = loom_store_open(&g.env, loom_str_of(dir.path), LOOM_WRITE, &store, &err);
		ASSERT(is_named(status));
		/* a frame that is not whole counts for nothing, and what is left is sound */
		if (status == LOOM_OK) {
			look_around(store);
			OK(loom_store_check(store, &opts, &findings, &err));
			ASSERT_EQ(0, findings);
		}
		loom_store_close(store);
		alarm(0);
	}
	loom_buf_fini(&log);
	free(path);
	PASS();
}

/* --- what never ends --- */

/* The index of what is open says of every operation that it is, and of each again and again: it was
 * made for other numbers. */
TEST an_index_that_gives_the_same_operation_again_ends_as_damage(void)
{
	static const char *const steps[] = {
		"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
		"'CREATE INDEX op_open ON op(id + 1000000)' WHERE name = 'op_open'",
		"REINDEX op_open",
		"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
		"'CREATE INDEX op_open ON op(id) WHERE state = 0' WHERE name = 'op_open'",
	};
	struct loom_store *store = NULL;
	struct loom_err err;
	struct grove other;

	grove_init(&other);
	(void)grove_tree(&other, LOOM_DIALOGUE, "root");
	raw_exec(&other, "UPDATE op SET session = 'gone'");
	for (size_t i = 0; i < LOOM_COUNT(steps); i++)
		raw_exec(&other, steps[i]);
	alarm(20);
	STATUS_IS(LOOM_DAMAGED, loom_store_open(&other.env, loom_str_of(other.temp.path),
						LOOM_WRITE, &store, &err));
	alarm(0);
	ASSERT_STR_EQ("the store's operations are out of order", err.text);
	grove_fini(&other);
	PASS();
}

/* --- hostile schemas --- */

TEST what_others_have_put_into_the_schema_is_refused_by_name(void)
{
	static const struct {
		const char *sql;
		const char *name;
	} cases[] = {
		{"CREATE TRIGGER evil AFTER INSERT ON node BEGIN DELETE FROM mark; END", "evil"},
		{"CREATE VIEW evil AS SELECT * FROM node", "evil"},
		{"CREATE VIRTUAL TABLE evil USING fts5(x)", "evil"},
		{"DROP TRIGGER body_fixed; CREATE TRIGGER body_fixed BEFORE UPDATE ON body BEGIN "
		 "DELETE FROM mark; END",
		 "body_fixed"},
		{"DROP TRIGGER log_kept", "log_kept"},
	};
	struct loom_err err;

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_store *store = NULL;
		struct grove other;
		int64_t rows;

		grove_init(&other);
		raw_exec(&other, cases[i].sql);
		raw_settle(&other);
		rows = raw_int(&other, "SELECT count(*) FROM sqlite_schema");
		STATUS_IS(LOOM_DAMAGED, loom_store_open(&other.env, loom_str_of(other.temp.path),
							LOOM_WRITE, &store, &err));
		ASSERTm(err.text, strstr(err.text, cases[i].name));
		STATUS_IS(LOOM_DAMAGED, loom_store_open(&other.env, loom_str_of(other.temp.path),
							LOOM_READ, &store, &err));
		ASSERT_EQ(rows, raw_int(&other, "SELECT count(*) FROM sqlite_schema"));
		grove_fini(&other);
	}
	PASS();
}

SUITE(damaged)
{
	begin_all();
	RUN_TEST(the_sound_one_opens_without_findings_and_unchanged);
	RUN_TEST(every_byte_of_the_header_with_eight_values);
	RUN_TEST(every_page_in_five_ways);
	RUN_TEST(every_length_is_refused_or_found);
	RUN_TEST(any_one_bit_anywhere);
	RUN_TEST(every_flip_in_a_nodes_text_is_found_by_a_deep_check);
	RUN_TEST(every_flip_in_a_documents_text_is_found_by_a_deep_check);
	RUN_TEST(a_damaged_log_is_no_crash_and_the_file_stays);
	RUN_TEST(an_index_that_gives_the_same_operation_again_ends_as_damage);
	RUN_TEST(what_others_have_put_into_the_schema_is_refused_by_name);
	end_all();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(damaged);
	GREATEST_MAIN_END();
}
