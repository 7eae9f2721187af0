/* Documents: versions that only grow, conflicts that name the winner, sections as headings say. */
#include <greatest.h>

#include <loom/tree/document.h>
#include <loom/text/sections.h>

#include "support/grove_suite.h"
#include "support/ok.h"
#include "support/prop.h"
#include "support/raw.h"

static int64_t create(const char *name, const char *text)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t doc = 0;

	grove_begin(&g, "doc");
	grove_must(loom_doc_create(g.store, loom_str_of(name), loom_str_of(text), g.owner, &doc,
				   &err),
		   &err, "create");
	grove_commit(&g);
	return doc;
}

static enum loom_status write_by(int64_t doc, const char *text, int64_t author, int64_t base,
				 int64_t *out_op, struct loom_err *err)
{
	struct loom_op_spec spec = {.kind = "write", .actor = author};
	enum loom_status status = loom_op_begin(g.store, &spec, err);

	if (status == LOOM_OK)
		status = loom_op_end(g.store,
				     loom_doc_write(g.store, doc, loom_str_of(text), author, base,
						    err),
				     out_op, err);
	return status;
}

static struct loom_doc get(int64_t doc)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_doc out;

	grove_must(loom_doc_get(g.store, doc, true, g.arena, &out, &err), &err, "get");
	return out;
}

/* --- names --- */

TEST a_document_is_found_by_its_exact_name_or_without_case_when_unique(void)
{
	struct loom_err err;
	struct loom_doc doc;
	int64_t plan = create("Plan", "one");
	int64_t lower = create("plan", "two");
	int64_t notes = create("Notes", "three");

	OK(loom_doc_find(g.store, LOOM_STR("plan"), true, g.arena, &doc, &err));
	ASSERT_EQ(lower, doc.id);
	OK(loom_doc_find(g.store, LOOM_STR("Plan"), true, g.arena, &doc, &err));
	ASSERT_EQ(plan, doc.id);
	STATUS_IS(LOOM_SYNTAX, loom_doc_find(g.store, LOOM_STR("PLAN"), true, g.arena, &doc, &err));
	OK(loom_doc_find(g.store, LOOM_STR("NOTES"), false, g.arena, &doc, &err));
	ASSERT_EQ(notes, doc.id);
	ASSERT_EQ(0, doc.text.n);
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_doc_find(g.store, LOOM_STR("no"), true, g.arena, &doc, &err));
	PASS();
}

TEST names_are_bounded_plain_and_taken_once(void)
{
	static const struct {
		enum loom_status want;
		struct loom_str name;
	} cases[] = {
		{LOOM_INVALID, LOOM_STR_INIT("")},
		{LOOM_INVALID, LOOM_STR_INIT("a\nb")},
		{LOOM_INVALID, LOOM_STR_INIT("a\"b")},
		{LOOM_INVALID, LOOM_STR_INIT("a\0b")},
		{LOOM_INVALID, LOOM_STR_INIT("\x7f")},
		{LOOM_INVALID, LOOM_STR_INIT("\xc3")},
		{LOOM_CONFLICT, LOOM_STR_INIT("taken")},
		{LOOM_OK, LOOM_STR_INIT("Größe")},
		{LOOM_OK, LOOM_STR_INIT("../../etc/passwd")},
	};
	struct loom_err err;
	struct loom_buf longest = LOOM_BUF_INIT(1024);
	int64_t doc = 0;
	int64_t first = create("taken", "");

	grove_begin(&g, "names");
	for (size_t i = 0; i < LOOM_COUNT(cases); i++)
		STATUS_IS(cases[i].want, loom_doc_create(g.store, cases[i].name, LOOM_STR(""),
							 g.owner, &doc, &err));
	loom_buf_add_repeat(&longest, 'x', 200);
	OK(loom_doc_create(g.store, loom_buf_str(&longest), LOOM_STR(""), g.owner, &doc, &err));
	loom_buf_addc(&longest, 'x');
	STATUS_IS(LOOM_INVALID, loom_doc_create(g.store, loom_buf_str(&longest), LOOM_STR(""),
						g.owner, &doc, &err));
	STATUS_IS(LOOM_INVALID, loom_doc_rename(g.store, first, LOOM_STR(""), &err));
	STATUS_IS(LOOM_CONFLICT, loom_doc_rename(g.store, doc, LOOM_STR("taken"), &err));
	grove_commit(&g);
	loom_buf_fini(&longest);
	PASS();
}

TEST a_rename_is_undone_and_never_takes_a_name_in_use(void)
{
	struct loom_err err;
	struct loom_doc found;
	int64_t doc = create("before", "text");

	grove_begin(&g, "rename");
	OK(loom_doc_rename(g.store, doc, LOOM_STR("after"), &err));
	grove_commit(&g);
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_doc_find(g.store, LOOM_STR("before"), true, g.arena, &found, &err));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	OK(loom_doc_find(g.store, LOOM_STR("before"), true, g.arena, &found, &err));
	ASSERT_EQ(doc, found.id);
	PASS();
}

TEST a_rename_to_the_same_name_changes_nothing(void)
{
	struct loom_err err;
	int64_t doc = create("plan", "text");

	grove_begin(&g, "rename");
	OK(loom_doc_rename(g.store, doc, LOOM_STR("plan"), &err));
	ASSERT_EQ(0, grove_commit(&g));
	PASS();
}

TEST what_was_undone_is_neither_renamed_nor_written(void)
{
	struct loom_err err;
	int64_t doc = create("plan", "text");

	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	grove_begin(&g, "rename");
	STATUS_IS(LOOM_NOT_FOUND, loom_doc_rename(g.store, doc, LOOM_STR("x"), &err));
	loom_op_rollback(g.store);
	STATUS_IS(LOOM_NOT_FOUND, write_by(doc, "x", g.owner, -1, NULL, &err));
	PASS();
}

TEST an_undone_document_frees_its_name_and_cannot_come_back_beside_a_new_one(void)
{
	struct loom_err err;
	struct loom_doc *docs = NULL;
	size_t count = 0;
	int64_t second;

	create("plan", "first");
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	second = create("plan", "second");
	STATUS_IS(LOOM_CONFLICT, loom_op_redo(g.store, g.owner, NULL, &err));
	OK(loom_doc_list(g.store, g.arena, &docs, &count, &err));
	ASSERT_EQ(1, count);
	ASSERT_EQ(second, docs[0].id);
	PASS();
}

TEST undoing_a_rename_into_a_name_taken_since_is_refused(void)
{
	struct loom_err err;
	int64_t doc = create("plan", "first");
	int64_t op;

	grove_begin(&g, "rename");
	OK(loom_doc_rename(g.store, doc, LOOM_STR("old plan"), &err));
	op = grove_commit(&g);
	create("plan", "second");
	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, op, NULL, &err));
	ASSERT(loom_str_is(get(doc).name, "old plan"));
	PASS();
}

/* --- versions --- */

TEST versions_only_grow_and_each_keeps_its_text(void)
{
	struct loom_err err;
	struct loom_doc *versions = NULL;
	struct loom_doc one;
	size_t count = 0;
	int64_t doc = create("plan", "one");

	OK(write_by(doc, "one two", g.model, get(doc).head, NULL, &err));
	OK(write_by(doc, "one two three", g.owner, -1, NULL, &err));
	ASSERT_EQ(3, get(doc).version);
	ASSERT_EQ(3, get(doc).words);
	OK(loom_doc_history(g.store, doc, g.arena, &versions, &count, &err));
	ASSERT_EQ(3, count);
	ASSERT_EQ(3, versions[0].version);
	ASSERT(loom_str_is(versions[1].author_name, "ngram"));
	OK(loom_doc_version(g.store, versions[2].head, g.arena, &one, &err));
	ASSERT(loom_str_is(one.text, "one"));
	STATUS_IS(LOOM_NOT_FOUND, loom_doc_version(g.store, 4711, g.arena, &one, &err));
	PASS();
}

TEST the_loser_is_told_who_won_and_nothing_of_his_is_there(void)
{
	struct loom_err err;
	int64_t doc = create("plan", "base");
	int64_t base = get(doc).head;
	int64_t events = 0;
	int64_t after = 0;
	char revisions[96];

	(void)create("other", "which makes the numbers differ");
	OK(write_by(doc, "the winner's", g.model, base, NULL, &err));
	OK(loom_events_last(g.store, &events, &err));
	STATUS_IS(LOOM_CONFLICT, write_by(doc, "the loser's", g.owner, base, NULL, &err));
	ASSERT(strstr(err.text, "ngram"));
	snprintf(revisions, sizeof revisions, "revision %lld, yours began from %lld",
		 (long long)get(doc).head, (long long)base);
	ASSERT(strstr(err.text, revisions));
	ASSERT(strstr(err.text, "2026-02-23T10:00:00.000Z"));
	ASSERT(strstr(err.hint, "draft"));
	ASSERT(loom_str_is(get(doc).text, "the winner's"));
	OK(loom_events_last(g.store, &after, &err));
	ASSERT_EQ(events, after);
	ASSERT_EQ(3, raw_int(&g, "SELECT count(*) FROM docver"));
	PASS();
}

TEST going_back_to_an_old_head_does_not_revive_an_old_base(void)
{
	struct loom_err err;
	int64_t doc = create("plan", "one");
	int64_t first = get(doc).head;
	int64_t second;

	OK(write_by(doc, "two", g.owner, first, NULL, &err));
	second = get(doc).head;
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	ASSERT(loom_str_is(get(doc).text, "one"));
	/* who has read what was undone has read something else than what is there */
	STATUS_IS(LOOM_CONFLICT, write_by(doc, "three", g.owner, second, NULL, &err));
	OK(write_by(doc, "three", g.owner, first, NULL, &err));
	ASSERT_EQ(3, get(doc).version);
	PASS();
}

TEST a_write_that_others_have_built_on_is_not_undone(void)
{
	struct loom_err err;
	int64_t doc = create("plan", "one");
	int64_t second = 0;

	OK(write_by(doc, "two", g.owner, -1, &second, &err));
	OK(write_by(doc, "three", g.model, -1, NULL, &err));
	STATUS_IS(LOOM_CONFLICT, loom_op_undo(g.store, g.owner, second, NULL, &err));
	OK(loom_op_undo(g.store, g.model, 0, NULL, &err));
	OK(loom_op_undo(g.store, g.owner, second, NULL, &err));
	ASSERT(loom_str_is(get(doc).text, "one"));
	ASSERT_EQ(1, get(doc).version);
	PASS();
}

TEST history_shows_no_version_that_was_undone(void)
{
	struct loom_err err;
	struct loom_doc *versions = NULL;
	size_t count = 0;
	int64_t doc = create("plan", "one");

	OK(write_by(doc, "two", g.owner, -1, NULL, &err));
	OK(loom_op_undo(g.store, g.owner, 0, NULL, &err));
	OK(write_by(doc, "three", g.owner, -1, NULL, &err));
	OK(loom_doc_history(g.store, doc, g.arena, &versions, &count, &err));
	ASSERT_EQ(2, count);
	ASSERT_EQ(3, versions[0].version);
	ASSERT_EQ(1, versions[1].version);
	PASS();
}

TEST text_is_kept_byte_for_byte(void)
{
	struct loom_err err;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct prop prop;
	int64_t doc = create("plan", "");

	prop_init(&prop, "document text");
	for (int i = 0; i < 30; i++) {
		struct loom_doc now;

		loom_buf_clear(&text);
		prop_text(&prop, prop_size(&prop, 3000), &text);
		if (prop_once_in(&prop, 2))
			loom_buf_addc(&text, '\0');
		loom_buf_adds(&text, i % 2 ? "\r\n  " : "");
		grove_begin(&g, "write");
		OK(loom_doc_write(g.store, doc, loom_buf_str(&text), g.owner, -1, &err));
		grove_commit(&g);
		now = get(doc);
		ASSERT(loom_str_eq(now.text, loom_buf_str(&text)));
		ASSERT_EQ(loom_word_count(loom_buf_str(&text)), now.words);
	}
	loom_buf_fini(&text);
	PASS();
}

TEST what_is_not_utf8_is_refused_with_the_place(void)
{
	struct loom_err err;
	int64_t doc = create("plan", "good");

	STATUS_IS(LOOM_INVALID, write_by(doc, "abc\xff", g.owner, -1, NULL, &err));
	ASSERT(strstr(err.text, "byte 3"));
	ASSERT(loom_str_is(get(doc).text, "good"));
	PASS();
}

TEST the_list_is_by_name(void)
{
	struct loom_err err;
	struct loom_doc *docs = NULL;
	size_t count = 0;

	create("c", "1");
	create("a", "2");
	create("b", "3");
	OK(loom_doc_list(g.store, g.arena, &docs, &count, &err));
	ASSERT_EQ(3, count);
	ASSERT(loom_str_is(docs[0].name, "a"));
	ASSERT(loom_str_is(docs[2].name, "c"));
	PASS();
}

/* --- words and sections --- */

TEST words_are_what_blanks_part(void)
{
	static const struct {
		int64_t want;
		const char *text;
	} cases[] = {
		{0, ""},
		{0, " \n\t\r "},
		{1, "a"},
		{3, "  one\ttwo\nthree "},
		{2, "a\xC2\xA0"
		    "b"},
		{2, "ein\xE3\x80\x80zwei"},
		{1, "don't"},
		{1, "a\xE2\x80\x8B"
		    "b"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++)
		ASSERT_EQ_FMT((long long)cases[i].want,
			      (long long)loom_word_count(loom_str_of(cases[i].text)), "%lld");
	PASS();
}

static const char paper[] = "intro\n"
			    "# One\n"
			    "text\n"
			    "## Sub: part ##\n"
			    "deep\n"
			    "```\n"
			    "# One\n"
			    "```\n"
			    "# **Two**\n"
			    "last\n"
			    "####### seven\n"
			    "#nospace\n"
			    "    # indented code\n"
			    "~~~~ md\n"
			    "## Sub\n"
			    "~~~\n"
			    "# Two\n"
			    "~~~~~\n"
			    "# Größe\r\n"
			    "end";

static enum greatest_test_res section_is(const char *name, const char *want)
{
	struct loom_err err;
	size_t from = 0;
	size_t to = 0;
	struct loom_str text = loom_str_of(paper);

	OK(loom_doc_section(text, loom_str_of(name), &from, &to, &err));
	ASSERT(from <= to && to <= text.n);
	ASSERT_STRN_EQ(want, text.p + from, to - from);
	ASSERT_EQ_FMT(strlen(want), to - from, "%zu");
	PASS();
}

TEST a_section_is_its_heading_up_to_the_next_of_its_level(void)
{
	CHECK_CALL(section_is("One", "# One\ntext\n## Sub: part ##\ndeep\n```\n# One\n```\n"));
	CHECK_CALL(section_is("sub: part", "## Sub: part ##\ndeep\n```\n# One\n```\n"));
	CHECK_CALL(section_is("two",
			      "# **Two**\nlast\n####### seven\n#nospace\n    # indented code\n"
			      "~~~~ md\n## Sub\n~~~\n# Two\n~~~~~\n"));
	PASS();
}

TEST the_last_section_runs_to_the_end(void)
{
	CHECK_CALL(section_is("größe", "# Größe\r\nend"));
	CHECK_CALL(section_is("  # große ", "# Größe\r\nend"));
	PASS();
}

TEST a_section_that_is_not_there_or_twice_is_refused(void)
{
	struct loom_err err;
	size_t from = 0;
	size_t to = 0;

	STATUS_IS(LOOM_NOT_FOUND,
		  loom_doc_section(loom_str_of(paper), LOOM_STR("seven"), &from, &to, &err));
	STATUS_IS(LOOM_NOT_FOUND,
		  loom_doc_section(loom_str_of(paper), LOOM_STR("nospace"), &from, &to, &err));
	STATUS_IS(LOOM_NOT_FOUND, loom_doc_section(LOOM_STR(""), LOOM_STR("x"), &from, &to, &err));
	STATUS_IS(LOOM_SYNTAX,
		  loom_doc_section(LOOM_STR("# A\n# a\n"), LOOM_STR("A"), &from, &to, &err));
	PASS();
}

TEST sections_of_any_text_stay_within_it(void)
{
	struct prop prop;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	prop_init(&prop, "sections");
	for (int i = 0; i < 400; i++) {
		static const char *const bits[] = {"# a\n", "## b\n", "```\n", "~~~\n", "#",
						   " ",     "\n",     "a",     "\r\n",  "`"};
		size_t from = 0;
		size_t to = 0;

		loom_buf_clear(&text);
		for (size_t k = prop_below(&prop, 40); k > 0; k--)
			loom_buf_adds(&text, bits[prop_below(&prop, LOOM_COUNT(bits))]);
		if (loom_doc_section(loom_buf_str(&text), LOOM_STR("a"), &from, &to, NULL) !=
		    LOOM_OK)
			continue;
		ASSERT(from < to && to <= text.n);
		ASSERT(from == 0 || text.p[from - 1] == '\n');
		ASSERT(to == text.n || text.p[to - 1] == '\n');
	}
	loom_buf_fini(&text);
	PASS();
}

SUITE(document)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(a_document_is_found_by_its_exact_name_or_without_case_when_unique);
	RUN_TEST(names_are_bounded_plain_and_taken_once);
	RUN_TEST(a_rename_is_undone_and_never_takes_a_name_in_use);
	RUN_TEST(a_rename_to_the_same_name_changes_nothing);
	RUN_TEST(what_was_undone_is_neither_renamed_nor_written);
	RUN_TEST(an_undone_document_frees_its_name_and_cannot_come_back_beside_a_new_one);
	RUN_TEST(undoing_a_rename_into_a_name_taken_since_is_refused);
	RUN_TEST(versions_only_grow_and_each_keeps_its_text);
	RUN_TEST(the_loser_is_told_who_won_and_nothing_of_his_is_there);
	RUN_TEST(going_back_to_an_old_head_does_not_revive_an_old_base);
	RUN_TEST(a_write_that_others_have_built_on_is_not_undone);
	RUN_TEST(history_shows_no_version_that_was_undone);
	RUN_TEST(text_is_kept_byte_for_byte);
	RUN_TEST(what_is_not_utf8_is_refused_with_the_place);
	RUN_TEST(the_list_is_by_name);
	RUN_TEST(words_are_what_blanks_part);
	RUN_TEST(a_section_is_its_heading_up_to_the_next_of_its_level);
	RUN_TEST(the_last_section_runs_to_the_end);
	RUN_TEST(a_section_that_is_not_there_or_twice_is_refused);
	RUN_TEST(sections_of_any_text_stay_within_it);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(document);
	GREATEST_MAIN_END();
}
