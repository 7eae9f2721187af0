/* What a format has no place for is told, that and nothing else: of a tree with one of everything,
 * in every format. */
#include <greatest.h>

#include <loom/tree/document.h>
#include <loom/tree/job.h>
#include <loom/weave/weave.h>

#include <tests/support/exported.h>
#include <tests/support/packed.h>
#include <tests/support/read_tree.h>

GREATEST_MAIN_DEFS();

/* What a weave says, as text: its nodes in the order of their ids. */
static int by_bytes(const void *a, const void *b)
{
	return loom_str_cmp(*(const struct loom_str *)a, *(const struct loom_str *)b);
}

static void unweave(struct loom_str file, struct loom_buf *out)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str lines[READ_NODES];
	struct weave weave;
	struct weave_walk walk = {0};
	struct weave_node node;
	size_t count = 0;

	grove_must(weave_open(file, &weave, NULL), NULL, "weave");
	while (count < READ_NODES && weave_next(&weave, &walk, &node)) {
		struct loom_ulid id;
		char ulid[LOOM_ULID_CHARS + 1];

		for (size_t i = 0; i < sizeof id.bytes; i++)
			id.bytes[i] = (uint8_t)node.id.p[sizeof id.bytes - 1 - i];
		loom_ulid_text(&id, ulid);
		lines[count++] =
			loom_arena_format(arena, "%s %.*s%s\n", ulid, LOOM_STR_ARG(node.snippet),
					  node.bookmarked ? " *" : "");
	}
	qsort(lines, count, sizeof *lines, by_bytes);
	loom_buf_clear(out);
	for (size_t i = 0; i < count; i++)
		loom_buf_add(out, lines[i]);
	loom_arena_destroy(arena);
}

/* A tree with one of everything; `without` leaves one kind away. */
struct everything {
	struct grove grove;
	int64_t tree;
	int64_t tip;
	const char *words[LOOM_BESIDE_COUNT]; /* that a file has when it holds the kind */
};

static void mark_everything(struct everything *e, enum loom_beside without)
{
	struct loom_store *store = e->grove.store;
	const int64_t root = grove_root(&e->grove, e->tree);
	struct loom_link link = {.from = e->tip,
				 .to_node = root,
				 .note = LOOM_STR_INIT("LINKED"),
				 .author = e->grove.owner};
	struct loom_node_spec source = {.from = e->tip,
					.kind = LOOM_CONTEXT_SOURCE,
					.text = LOOM_STR_INIT("SOURCED"),
					.author = e->grove.owner,
					.seq = -1};
	struct loom_err err;
	int64_t made = 0;
	bool changed = false;

	grove_begin(&e->grove, "import");
	if (without != LOOM_BESIDE_SOURCES)
		grove_must(loom_node_create(store, &source, &made, &err), &err, "source");
	if (without != LOOM_BESIDE_LINKS)
		grove_must(loom_link_create(store, &link, &made, &changed, &err), &err, "link");
	if (without != LOOM_BESIDE_TAGS)
		grove_must(loom_tag_set(store, e->tip, LOOM_STR("TAGGED"), true, &changed, &err),
			   &err, "tag");
	if (without != LOOM_BESIDE_BOOKMARKS && without != LOOM_BESIDE_LABELS)
		grove_must(loom_bookmark_set(store, e->tip, true, LOOM_STR("BOOKED"), &changed,
					     &err),
			   &err, "bookmark");
	if (without != LOOM_BESIDE_SUMMARIES)
		grove_must(loom_summary_keep(store, LOOM_JOB_NODE, e->tip, LOOM_STR("SUMMED"),
					     false, &err),
			   &err, "summary");
	if (without != LOOM_BESIDE_DOCUMENTS)
		grove_must(loom_doc_create(store, LOOM_STR("paper"), LOOM_STR("DOCUMENTED"),
					   e->grove.owner, &made, &err),
			   &err, "document");
	grove_commit(&e->grove);
}

static void make_everything(struct everything *e, enum loom_mode mode, enum loom_beside without)
{
	struct loom_err err;
	int64_t excluded;
	int64_t old;
	bool changed = false;

	*e = (struct everything){.words = {[LOOM_BESIDE_VERSIONS] = "VERSIONED",
					   [LOOM_BESIDE_NOTES] = "NOTED",
					   [LOOM_BESIDE_SOURCES] = "SOURCED",
					   [LOOM_BESIDE_LINKS] = "LINKED",
					   [LOOM_BESIDE_TAGS] = "TAGGED",
					   [LOOM_BESIDE_LABELS] = "BOOKED",
					   [LOOM_BESIDE_SUMMARIES] = "SUMMED",
					   [LOOM_BESIDE_PRUNED] = "PRUNED",
					   [LOOM_BESIDE_EXCLUDED] = "EXCLUDED",
					   [LOOM_BESIDE_DOCUMENTS] = "DOCUMENTED"}};
	grove_init(&e->grove);
	e->tree = grove_tree(&e->grove, mode, "Root. ");
	excluded = grove_node(&e->grove, grove_root(&e->grove, e->tree), "EXCLUDED. ");
	if (without != LOOM_BESIDE_PRUNED)
		grove_prune(&e->grove, grove_node(&e->grove, excluded, "PRUNED. "));
	old = grove_node(&e->grove, excluded,
			 without == LOOM_BESIDE_VERSIONS ? "Middle. " : "VERSIONED. ");
	if (without != LOOM_BESIDE_VERSIONS) {
		struct loom_node_spec spec = {.from = old,
					      .text = LOOM_STR_INIT("Middle. "),
					      .author = e->grove.owner,
					      .seq = -1};

		grove_begin(&e->grove, "edit");
		grove_must(loom_node_edit(e->grove.store, &spec, LOOM_EDIT_VERSION, &old, &err),
			   &err, "edit");
		grove_commit(&e->grove);
	}
	e->tip = grove_node(&e->grove, old, "End. ");
	if (without != LOOM_BESIDE_NOTES)
		grove_note(&e->grove, e->tip, "NOTED");
	if (without != LOOM_BESIDE_EXCLUDED && without != LOOM_BESIDE_EXCLUSIONS) {
		grove_begin(&e->grove, "exclude");
		grove_must(loom_exclude_set(e->grove.store, excluded, true, &changed, &err), &err,
			   "exclude");
		grove_commit(&e->grove);
	}
	mark_everything(e, without);
}

/* What of a tree is written. */
enum part { TREE, PATH, BOOK };

static void write_everything(struct everything *e, const char *format, enum part part,
			     struct loom_buf *out, struct loom_export_told *told)
{
	struct loom_buf file = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_export what = {.store = e->grove.store,
				   .trees = &e->tree,
				   .tree_count = 1,
				   .tip = part != TREE ? e->tip : 0,
				   .book = part == BOOK,
				   .reader = e->grove.owner,
				   .grove = true,
				   .told = told};

	*told = (struct loom_export_told){.lines = 0};
	exported_run(format, &what, &file);
	if (strcmp(format, "epub") == 0) {
		packed_read(loom_buf_str(&file), out);
	} else if (strcmp(format, "tapestry") == 0) {
		unweave(loom_buf_str(&file), out);
	} else {
		loom_buf_clear(out);
		loom_buf_add(out, loom_buf_str(&file));
	}
	loom_buf_fini(&file);
}

static bool says(const struct loom_buf *file, const char *word)
{
	return loom_str_find(loom_buf_str(file), loom_str_of(word), 0) != SIZE_MAX;
}

/* The ids that a grove draws differ from those of another. */
static bool same_but_for_ids(struct loom_str a, struct loom_str b)
{
	for (size_t at = 0; a.n == b.n && at < a.n; at++) {
		struct loom_ulid id;

		if (loom_ulid_parse(loom_str_sub(a, at, LOOM_ULID_CHARS), &id))
			at += LOOM_ULID_CHARS - 1;
		else if (a.p[at] != b.p[at])
			return false;
	}
	return a.n == b.n;
}

/* The files without a mark of exclusion, and without a bookmark. */
struct without {
	struct loom_buf exclusion;
	struct loom_buf bookmark;
};

/* Whether the file has it: by the words that are nowhere else, by an id of the tip; a mark where
 * the file without it is another. */
static bool has_kind(struct everything *e, enum loom_beside kind, const struct loom_buf *file,
		     const struct without *without)
{
	char ulid[LOOM_ULID_CHARS + 1];
	const struct loom_node tip = grove_get(&e->grove, e->tip);

	if (kind == LOOM_BESIDE_EXCLUSIONS)
		return !same_but_for_ids(loom_buf_str(file), loom_buf_str(&without->exclusion)) ||
		       !says(file, e->words[LOOM_BESIDE_EXCLUDED]);
	if (kind == LOOM_BESIDE_BOOKMARKS)
		return !same_but_for_ids(loom_buf_str(file), loom_buf_str(&without->bookmark));
	if (kind != LOOM_BESIDE_IDS)
		return says(file, e->words[kind]);
	loom_ulid_text(&tip.ulid, ulid);
	return says(file, ulid) || says(file, grove_name(&e->grove, e->tip));
}

static enum greatest_test_res tells_all(const struct loom_export_format *format,
					enum loom_mode mode, enum part part)
{
	struct loom_buf file = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct without without = {LOOM_BUF_INIT(LOOM_BUF_MAX), LOOM_BUF_INIT(LOOM_BUF_MAX)};
	struct loom_export_told told;
	struct loom_export_told less;
	struct everything e;

	make_everything(&e, mode, LOOM_BESIDE_EXCLUSIONS);
	write_everything(&e, format->name, part, &without.exclusion, &less);
	grove_fini(&e.grove);
	make_everything(&e, mode, LOOM_BESIDE_BOOKMARKS);
	write_everything(&e, format->name, part, &without.bookmark, &less);
	grove_fini(&e.grove);
	make_everything(&e, mode, LOOM_BESIDE_COUNT);
	write_everything(&e, format->name, part, &file, &told);
	for (enum loom_beside kind = 0; kind < LOOM_BESIDE_COUNT; kind++) {
		/* A branch beside the path that was asked for is nobody's loss. */
		const bool beside = part != TREE && kind == LOOM_BESIDE_PRUNED &&
				    strcmp(format->name, "md-branches") != 0;
		/* With a bookmark its label is lost. */
		const bool above =
			kind == LOOM_BESIDE_LABELS && told.lost[LOOM_BESIDE_BOOKMARKS] > 0;
		const bool has = beside || above || has_kind(&e, kind, &file, &without);

		if (has != (told.lost[kind] == 0))
			fprintf(stderr, "%s%s, %s: %s, %lld told\n", format->name,
				part == BOOK ? " --book"
				: part       ? " --path"
					     : "",
				mode == LOOM_BUFFER ? "prose" : "talk", loom_beside_several(kind),
				(long long)told.lost[kind]);
		ASSERT_EQ(has, told.lost[kind] == 0);
	}
	grove_fini(&e.grove);
	loom_buf_fini(&file);
	loom_buf_fini(&without.exclusion);
	loom_buf_fini(&without.bookmark);
	PASS();
}

/* Nothing is told of what is not there. */
static enum greatest_test_res tells_no_more(const char *format, enum loom_mode mode,
					    enum loom_beside kind)
{
	struct loom_buf file = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_export_told told;
	struct everything e;

	make_everything(&e, mode, kind);
	write_everything(&e, format, TREE, &file, &told);
	ASSERT_EQ(0, (int)told.lost[kind]);
	grove_fini(&e.grove);
	loom_buf_fini(&file);
	PASS();
}

TEST what_a_format_has_no_place_for_is_told_and_nothing_else(void)
{
	const struct loom_export_format *format;

	for (size_t i = 0; (format = loom_export_at(i)) != NULL; i++)
		for (enum loom_mode mode = LOOM_DIALOGUE; mode <= LOOM_BUFFER; mode++) {
			if (strcmp(format->name, "pairs") == 0)
				continue;
			if (!format->path_only)
				CHECK_CALL(tells_all(format, mode, TREE));
			if (strcmp(format->name, "json") != 0)
				CHECK_CALL(tells_all(format, mode, PATH));
			if (format->book)
				CHECK_CALL(tells_all(format, mode, BOOK));
		}
	for (enum loom_beside kind = 0; kind < LOOM_BESIDE_IDS; kind++)
		CHECK_CALL(tells_no_more("jsonl", LOOM_DIALOGUE, kind));
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(what_a_format_has_no_place_for_is_told_and_nothing_else);
	GREATEST_MAIN_END();
}
