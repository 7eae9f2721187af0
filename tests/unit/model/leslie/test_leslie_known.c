/* Long store files: what was checked before is believed by its bytes alone, and the room of the
 * generation before last is taken for the next one only when nobody reads it. */
#include <greatest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/leslie/inside.h"
#include "support/camp.h"
#include "support/prop.h"

GREATEST_MAIN_DEFS();

#define RELATIONS ".leslie/thread_relations.json"
#define BACKUP    RELATIONS ".bak"
#define SPARE     ".leslie/.thread_relations.json.spare"

static struct camp camp;

static const char *var(void *ctx, const char *name)
{
	struct camp *of = ctx;

	return strcmp(name, "XDG_CACHE_HOME") == 0 ? camp_path(of, "cache") : NULL;
}

static void set_up(void *ctx)
{
	(void)ctx;
	camp_init(&camp);
	camp.env.var = var;
	camp.env.ctx = &camp;
}

static void tear_down(void *ctx)
{
	(void)ctx;
	camp_fini(&camp);
}

static void spell_relations(struct loom_buf *out, size_t count)
{
	loom_buf_adds(out, "{\"version\":\"1.0\",\n\"threads\":{");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(
			out,
			"%s\n    \"t%zu\": {\"title\": \"number %zu\", \"objective\": \"obj\","
			" \"n\": [1, {\"x\": null}]}",
			i ? "," : "", i, i);
	loom_buf_adds(out, "\n},\"operations\":[");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(out, "%s\n    {\"id\": \"op-%zu\", \"params\": {\"of\": [\"t%zu\"]}}",
			      i ? "," : "", i, i);
	loom_buf_adds(out, "\n],\"relations\":{");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(out, "%s\n    \"t%zu\": {\"references_to\": [\"t%zu\"]}",
			      i ? "," : "", i, i + 1);
	loom_buf_adds(out, "\n}}\n");
}

static bool same_str(struct loom_str a, struct loom_str b)
{
	return a.n == b.n && (a.p == b.p || loom_str_eq(a, b));
}

static bool same_branch(const struct model_leslie_branch *a, const struct model_leslie_branch *b)
{
	if (!same_str(a->key, b->key) || a->value.p != b->value.p || a->value.n != b->value.n ||
	    a->count != b->count || a->last.p != b->last.p || a->last.n != b->last.n ||
	    !a->items != !b->items || !a->starts != !b->starts)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (a->items && (!same_str(a->items[i].key, b->items[i].key) ||
				 a->items[i].value.p != b->items[i].value.p ||
				 a->items[i].value.n != b->items[i].value.n))
			return false;
		if (a->starts && a->starts[i] != b->starts[i])
			return false;
	}
	return true;
}

/* Reads the text with what is known and without; both must find the same. What was not known is
 * kept for the next time when `keep` says so. Sets how many bytes were known. */
static bool both_agree(struct loom_str text, bool keep, size_t *out_known)
{
	struct loom_arena *arena = loom_arena_create();
	struct model_leslie_file file;
	struct model_leslie_known known;
	struct model_leslie_doc plain;
	struct loom_err err = {0};
	struct loom_err plain_err = {0};
	bool same = false;

	model_leslie_file_init(&file, MODEL_LESLIE_RELATIONS);
	loom_buf_add(&file.text, text);
	model_leslie_known_init(&known, camp.leslie, &file);
	text = loom_buf_str(&file.text);
	same = model_leslie_doc_read_known(arena, text, &known, &file.doc, &err) ==
	       model_leslie_doc_read(arena, text, &plain, &plain_err);
	same = same && err.at == plain_err.at && strcmp(err.text, plain_err.text) == 0;
	for (size_t i = 0; same && err.status == LOOM_OK && i < plain.count; i++)
		same = i < file.doc.count && same_branch(&file.doc.branches[i], &plain.branches[i]);
	*out_known = file.doc.known;
	model_leslie_known_fini(&known);
	if (keep && err.status == LOOM_OK)
		model_leslie_known_keep(camp.leslie, &file);
	model_leslie_file_fini(&file);
	loom_arena_destroy(arena);
	return same;
}

/* One change of the text: a byte here, a piece there. */
static void bend(struct prop *prop, struct loom_buf *text)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str all = loom_buf_str(text);
	size_t at = prop_below(prop, all.n);
	size_t from = prop_below(prop, all.n);
	size_t n = prop_below(prop, prop_once_in(prop, 4) ? 70000 : 300);

	loom_buf_add(&out, loom_str_sub(all, 0, at));
	if (prop_once_in(prop, 2))
		loom_buf_addc(&out, "{}[]\",: x1\n\xc3"[prop_below(prop, 12)]);
	else
		loom_buf_add(&out, loom_str_sub(all, from, n));
	loom_buf_add(&out, loom_str_sub(all, at + prop_below(prop, 3), SIZE_MAX));
	loom_buf_fini(text);
	*text = out;
}

TEST what_is_known_changes_nothing_that_is_found(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct prop prop;
	size_t known = 0;

	prop_init(&prop, "what is known");
	spell_relations(&text, 1500);
	ASSERT(both_agree(loom_buf_str(&text), true, &known));
	ASSERT_EQ(0, known);
	ASSERT(both_agree(loom_buf_str(&text), false, &known));
	ASSERT(known > text.n - 200);
	for (int i = 0; i < 300; i++) {
		struct loom_buf bent = LOOM_BUF_INIT(LOOM_BUF_MAX);

		loom_buf_add(&bent, loom_buf_str(&text));
		for (size_t k = 1 + prop_below(&prop, 3); k > 0; k--)
			bend(&prop, &bent);
		ASSERT(both_agree(loom_buf_str(&bent), false, &known));
		loom_buf_fini(&bent);
	}
	loom_buf_fini(&text);
	PASS();
}

TEST an_insertion_costs_the_check_of_what_is_around_it(void)
{
	static const char more[] = "\n    \"new\": {\"x\": 1},";
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf longer = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str all;
	size_t known = 0;
	size_t at = 0;

	spell_relations(&text, 3000);
	all = loom_buf_str(&text);
	ASSERT(both_agree(all, true, &known));
	at = loom_str_find(all, LOOM_STR("\n    \"t0\": {\"references_to"), 0);
	loom_buf_add(&longer, loom_str_sub(all, 0, at));
	loom_buf_adds(&longer, more);
	loom_buf_add(&longer, loom_str_sub(all, at, SIZE_MAX));
	ASSERT(both_agree(loom_buf_str(&longer), false, &known));
	ASSERT(known > at - 200);
	loom_buf_fini(&longer);
	loom_buf_fini(&text);
	PASS();
}

/* The one file in the cache. */
static const char *cache_file(void)
{
	struct loom_root root = LOOM_ROOT_INIT;
	struct loom_folder_item *items = NULL;
	size_t count = 0;
	const char *path = NULL;

	if (loom_root_open(camp_path(&camp, "cache/loom"), &root, NULL) == LOOM_OK &&
	    loom_folder_list(&root, LOOM_STR("."), camp.arena, &items, &count, NULL) == LOOM_OK &&
	    count == 1)
		path = loom_arena_format(camp.arena, "%s/%.*s", camp_path(&camp, "cache/loom"),
					 LOOM_STR_ARG(items[0].name))
			       .p;
	loom_root_close(&root);
	return path;
}

TEST what_is_known_may_be_damaged_anywhere(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf whole = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *path = NULL;
	struct prop prop;
	size_t known = 0;

	prop_init(&prop, "damaged cache");
	spell_relations(&text, 800);
	ASSERT(both_agree(loom_buf_str(&text), true, &known));
	path = cache_file();
	ASSERT(path && temp_read(path, &whole));
	for (int i = 0; i < 200; i++) {
		size_t at = prop_below(&prop, whole.n);
		size_t n = prop_once_in(&prop, 3) ? prop_below(&prop, whole.n) : whole.n;
		char bad = (char)(whole.p[at] ^ (1 << prop_below(&prop, 8)));
		int fd = open(path, O_WRONLY | O_TRUNC);

		ASSERT(fd >= 0 && write(fd, whole.p, n) == (ssize_t)n);
		ASSERT(at >= n || pwrite(fd, &bad, 1, (off_t)at) == 1);
		close(fd);
		ASSERT(both_agree(loom_buf_str(&text), false, &known));
		ASSERT_EQ(0, known);
	}
	loom_buf_fini(&whole);
	loom_buf_fini(&text);
	PASS();
}

TEST short_files_and_homeless_people_have_no_cache(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t known = 0;

	spell_relations(&text, 5);
	ASSERT(both_agree(loom_buf_str(&text), true, &known));
	ASSERT(!camp_has(&camp, "cache"));
	camp.env.ctx = NULL;
	camp.env.var = NULL;
	loom_env_init_fixed(&camp.env, 1771840800000, 1);
	loom_buf_clear(&text);
	spell_relations(&text, 1500);
	ASSERT(both_agree(loom_buf_str(&text), true, &known));
	ASSERT(both_agree(loom_buf_str(&text), true, &known));
	ASSERT_EQ(0, known);
	loom_buf_fini(&text);
	PASS();
}

/* ---- the room of the generation before last ---- */

static void write_long(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	camp_objective(&camp);
	spell_relations(&text, 3000);
	camp_write(&camp, RELATIONS, loom_buf_cstr(&text));
	loom_buf_fini(&text);
}

static ino_t inode_of(const char *path)
{
	struct stat st;

	return stat(camp_path(&camp, path), &st) == 0 ? st.st_ino : 0;
}

static bool one_more(void)
{
	char id[32];
	static int n;

	snprintf(id, sizeof id, "more-%d", n++);
	camp_reopen(&camp);
	return camp_spawn(&camp, id, NULL, LOOM_LESLIE_BINDING_FROZEN) == LOOM_OK;
}

TEST a_long_file_takes_turns_and_each_generation_is_whole(void)
{
	const char *before = NULL;
	ino_t first = 0;
	int leased = open(camp_path(&camp, "lease"), O_RDWR | O_CREAT, 0600);
	bool leases = leased >= 0 && fcntl(leased, F_SETLEASE, F_WRLCK) == 0;

	close(leased);
	write_long();
	ASSERT(one_more());
	ASSERT(!camp_has(&camp, SPARE));
	ASSERT(one_more());
	ASSERT(camp_has(&camp, SPARE));
	first = inode_of(SPARE);
	for (int i = 0; i < 7; i++) {
		before = camp_read(&camp, RELATIONS);
		ASSERT(one_more());
		ASSERT_STR_EQ(before, camp_read(&camp, BACKUP));
		ASSERT(strlen(camp_read(&camp, RELATIONS)) > strlen(before));
	}
	if (leases)
		ASSERT(first == inode_of(RELATIONS));
	PASS();
}

TEST who_still_reads_an_old_generation_reads_it_as_it_was(void)
{
	const char *before = NULL;
	char *after = NULL;
	size_t n = 0;
	int fd = -1;

	write_long();
	ASSERT(one_more() && one_more());
	before = camp_read(&camp, RELATIONS);
	n = strlen(before);
	after = loom_arena_alloc(camp.arena, n);
	fd = open(camp_path(&camp, RELATIONS), O_RDONLY);
	for (int i = 0; i < 5; i++)
		ASSERT(one_more());
	ASSERT_EQ((ssize_t)n, read(fd, after, n));
	ASSERT_EQ(0, memcmp(before, after, n));
	close(fd);
	PASS();
}

TEST a_spare_file_that_is_another_s_is_left_alone(void)
{
	write_long();
	ASSERT(one_more() && one_more());
	camp_write(&camp, "precious", "precious");
	camp_remove(&camp, SPARE);
	ASSERT_EQ(0, link(camp_path(&camp, "precious"), camp_path(&camp, SPARE)));
	ASSERT(one_more());
	ASSERT_STR_EQ("precious", camp_read(&camp, "precious"));
	camp_remove(&camp, SPARE);
	ASSERT_EQ(0, symlink(camp_path(&camp, "precious"), camp_path(&camp, SPARE)));
	ASSERT(one_more());
	ASSERT_STR_EQ("precious", camp_read(&camp, "precious"));
	camp_remove(&camp, SPARE);
	ASSERT_EQ(0, mkfifo(camp_path(&camp, SPARE), 0600));
	ASSERT(one_more());
	PASS();
}

/* A shorter text over a longer one leaves nothing of it behind. */
TEST a_spare_file_that_is_longer_is_cut(void)
{
	const char *text = NULL;

	write_long();
	ASSERT(one_more() && one_more());
	ASSERT_EQ(0, truncate(camp_path(&camp, SPARE), 4 << 20));
	ASSERT(one_more());
	text = camp_read(&camp, RELATIONS);
	ASSERT_EQ('}', text[strlen(text) - 2]);
	ASSERT(strlen(text) < 1 << 20);
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(what_is_known_changes_nothing_that_is_found);
	RUN_TEST(an_insertion_costs_the_check_of_what_is_around_it);
	RUN_TEST(what_is_known_may_be_damaged_anywhere);
	RUN_TEST(short_files_and_homeless_people_have_no_cache);
	RUN_TEST(a_long_file_takes_turns_and_each_generation_is_whole);
	RUN_TEST(who_still_reads_an_old_generation_reads_it_as_it_was);
	RUN_TEST(a_spare_file_that_is_another_s_is_left_alone);
	RUN_TEST(a_spare_file_that_is_longer_is_cut);
	GREATEST_MAIN_END();
}
