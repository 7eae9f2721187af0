/* input.md: the bytes of the document and its parts. Where cmark is installed, a Markdown parser of
 * somebody else's says whether the document is what we meant. */

#include <greatest.h>

#include <loom/payload/payload.h>
#include <loom/base/utf8.h>

#include "support/project_suite.h"
#include "support/prop.h"

static const char golden[] = "# Agent Invocation Payload\n"
			     "\n"
			     "## 1. System Information\n"
			     "- **CWD:** %s\n"
			     "- **OS:** Linux 6.1.0\n"
			     "- **Shell:** /bin/bash\n"
			     "\n"
			     "## 2. Project Structure\n"
			     "````\n"
			     "dist/\n"
			     "  i.html\n"
			     "src/\n"
			     "  main.py\n"
			     "README.md\n"
			     "````\n"
			     "\n"
			     "## 3. Memos\n"
			     "````\n"
			     "- Use pnpm.\n"
			     "````\n"
			     "\n"
			     "## 4. Context Summary\n"
			     "\n"
			     "### Turn\n"
			     "- [src/main.py](/src/main.py)\n"
			     "- [README.md](/README.md)\n"
			     "\n"
			     "### Session\n"
			     "- [src/main.py](/src/main.py)\n"
			     "\n"
			     "### Global\n"
			     "- [missing.txt](/missing.txt)\n"
			     "\n"
			     "## 5. Resource Contents\n"
			     "\n"
			     "---\n"
			     "**Resource:** `[src/main.py](/src/main.py)`\n"
			     "````python\n"
			     "print(1)\n"
			     "````\n"
			     "---\n"
			     "**Resource:** `[README.md](/README.md)`\n"
			     "`````markdown\n"
			     "# Readme\n"
			     "````\n"
			     "inner\n"
			     "````\n"
			     "`````\n"
			     "---\n"
			     "**Resource:** `[missing.txt](/missing.txt)`\n"
			     "````\n"
			     "--- FILE NOT FOUND ---\n"
			     "````\n"
			     "---\n";

static void make_golden(void)
{
	project_put(&project, ".gitignore", "dist/\n");
	project_put(&project, ".teddyignore", "!dist/i.html\n");
	project_put(&project, "dist/b.js", "x");
	project_put(&project, "dist/i.html", "x");
	project_put(&project, "src/main.py", "print(1)\n");
	project_put(&project, "README.md", "# Readme\n````\ninner\n````\n");
	project_put(&project, ".teddy/memos.yaml", "- Use pnpm.\n");
	project_put_turn(&project, "src/main.py\nREADME.md\n");
	project_put(&project, ".teddy/s/session.context", "# what we work on\n./src/main.py\n");
	project_put(&project, ".teddy/global.context", "missing.txt\n");
}

TEST the_golden_project_gives_the_golden_document(void)
{
	struct loom_str want;

	make_golden();
	want = loom_arena_format(project.arena, golden, project.temp.path);
	ASSERT_BUILT(&project);
	ASSERT_STR_EQ(want.p, project_text_of(&project));
	ASSERT_EQ(1, (int)project.payload.warning_count);
	ASSERT(project_warned(&project, "missing.txt: no such file (.teddy/global.context:1)"));
	PASS();
}

TEST sessions_below_the_sessions_folder_give_the_same(void)
{
	struct loom_str want;

	make_golden();
	project_put(&project, ".teddy/s/session.context", "wrong\n");
	project_put(&project, ".teddy/sessions/20260101_120000-x/session.context", "src/main.py\n");
	project_put(&project, ".teddy/sessions/20260101_120000-x/01/turn.context", "wrong\n");
	project_put(&project, ".teddy/sessions/20260101_120000-x/07/turn.context",
		    "src/main.py\nREADME.md");
	want = loom_arena_format(project.arena, golden, project.temp.path);
	project.opts.place.session = LOOM_STR("20260101_120000-x");
	ASSERT_BUILT(&project);
	ASSERT_STR_EQ(want.p, project_text_of(&project));
	ASSERT(loom_str_is(project.payload.turn, "07"));
	PASS();
}

TEST a_minimal_project_has_sections_one_two_four_and_five(void)
{
	project_put(&project, "a", "x");
	ASSERT_BUILT(&project);
	ASSERT_STR_EQ(loom_arena_format(project.arena,
					"# Agent Invocation Payload\n\n## 1. System Information\n"
					"- **CWD:** %s\n- **OS:** Linux 6.1.0\n"
					"- **Shell:** /bin/bash\n\n"
					"## 2. Project Structure\n````\na\n````\n\n"
					"## 4. Context Summary\n\n## 5. Resource Contents\n",
					project.temp.path)
			      .p,
		      project_text_of(&project));
	PASS();
}

TEST memos_stand_verbatim_in_a_fence_they_cannot_close(void)
{
	project_put(&project, ".teddy/memos.yaml", "- a\n- b: \"c\"");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "\n## 3. Memos\n````\n- a\n- b: \"c\"\n````\n\n## 4. ");
	project_put(&project, ".teddy/memos.yaml", "- a\n````\n- b\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "\n## 3. Memos\n`````\n- a\n````\n- b\n`````\n\n## 4. ");
	project_put(&project, ".teddy/memos.yaml", "");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "\n## 3. Memos\n````\n````\n\n## 4. ");
	PASS();
}

TEST memos_that_are_no_text_do_not_spoil_the_document(void)
{
	project_put(&project, ".teddy/memos.yaml", "caf\xE9\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "\n## 3. Memos\n````\n--- NOT SHOWN");
	ASSERT(project_warned(&project, "memos.yaml"));
	ASSERT(loom_utf8_valid(loom_buf_str(&project.payload.text), NULL));
	PASS();
}

TEST scopes_come_in_their_order_and_only_those_with_entries(void)
{
	project_put(&project, "a", "1\n");
	project_put(&project, "b", "2\n");
	project_put(&project, "c", "3\n");
	project_put_turn(&project, "a\n");
	project_put(&project, ".teddy/s/session.context", "b\n");
	project_put(&project, ".teddy/global.context", "c\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Turn\n- [a](/a)\n\n### Session\n- [b](/b)\n\n"
			     "### Global\n- [c](/c)\n\n## 5.");
	ASSERT_HAS(&project, "---\n**Resource:** `[a](/a)`\n````text\n1\n````\n"
			     "---\n**Resource:** `[b](/b)`\n````text\n2\n````\n"
			     "---\n**Resource:** `[c](/c)`\n````text\n3\n````\n---\n");
	project_put_turn(&project, "");
	project_put(&project, ".teddy/global.context", "# nothing\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "## 4. Context Summary\n\n### Session\n- [b](/b)\n\n## 5.");
	PASS();
}

TEST one_file_is_listed_in_each_scope_and_shown_once(void)
{
	project_put(&project, "d/z.js", "1\n");
	project_put_turn(&project, "d/z.js\n./d/z.js\nd//z.js\n/d/z.js\nd/../d/./z.js\n");
	project_put(&project, ".teddy/s/session.context", "d/z.js\n");
	project_put(&project, ".teddy/global.context",
		    loom_arena_format(project.arena, "%s/d/z.js\n", project.temp.path).p);
	ASSERT_BUILT(&project);
	ASSERT_EQ(3, (int)project_times(&project, "- [d/z.js](/d/z.js)\n"));
	ASSERT_EQ(1, (int)project_times(&project, "**Resource:**"));
	ASSERT_EQ(0, (int)project.payload.warning_count);
	PASS();
}

TEST order_within_a_scope_is_that_of_the_file(void)
{
	project_put(&project, "a", "1");
	project_put(&project, "b", "2");
	project_put_turn(&project, "b\na\nb\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Turn\n- [b](/b)\n- [a](/a)\n\n");
	PASS();
}

TEST a_fence_is_longer_than_any_run_of_backticks_in_it(void)
{
	project_put(&project, "a.md", "x ```\n  `````` y\n");
	project_put_turn(&project, "a.md\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "\n```````markdown\nx ```\n  `````` y\n```````\n---\n");
	PASS();
}

TEST a_newline_is_added_only_when_the_last_one_lacks(void)
{
	project_put(&project, "bare", "x");
	project_put(&project, "empty", "");
	project_put(&project, "crlf", "a\r\nb\r\n");
	project_put(&project, "blank", "x\n\n");
	project_put_turn(&project, "bare\nempty\ncrlf\nblank\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "`[bare](/bare)`\n````text\nx\n````\n");
	ASSERT_HAS(&project, "`[empty](/empty)`\n````text\n````\n");
	ASSERT_HAS(&project, "`[crlf](/crlf)`\n````text\na\r\nb\r\n````\n");
	ASSERT_HAS(&project, "`[blank](/blank)`\n````text\nx\n\n````\n");
	PASS();
}

TEST info_strings_follow_the_extension(void)
{
	static const char *const rows[][2] = {
		{"a.py", "python"},
		{"a.js", "javascript"},
		{"a.ts", "typescript"},
		{"a.MD", "markdown"},
		{"a.zsh", "shell"},
		{"a.bash", "shell"},
		{"a.sh", "shell"},
		{"a.yml", "yaml"},
		{"a.yaml", "yaml"},
		{"a.txt", "text"},
		{"a.rb", "ruby"},
		{"a.rs", "rust"},
		{"a.h", "c"},
		{"a.c", "c"},
		{"a.hpp", "cpp"},
		{"a.cxx", "cpp"},
		{"a.cc", "cpp"},
		{"a.cs", "csharp"},
		{"a.cfg", "ini"},
		{"a.conf", "ini"},
		{"a.ini", "ini"},
		{"a.tf", "terraform"},
		{"a.ps1", "powershell"},
		{"a.tar.gz", "gz"},
		{"a.csv", "csv"},
		{"Makefile", "text"},
		{".env", "text"},
		{".env.local", "local"},
		{"a.", "text"},
		{"a.x`y", "text"},
		{"a.b c", "text"},
		{"d.py/plain", "text"},
		{"html.html", "html"},
	};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		project_put(&project, rows[i][0], "x\n");
		project_put_turn(&project, loom_arena_format(project.arena, "%s\n", rows[i][0]).p);
		ASSERT_BUILT(&project);
		ASSERTm(rows[i][0],
			project_has(&project,
				    loom_arena_format(project.arena, "\n````%s\nx\n````\n---\n",
						      rows[i][1])
					    .p));
	}
	PASS();
}

TEST ordinary_names_stay_raw_and_odd_ones_make_valid_links(void)
{
	static const char *const rows[][2] = {
		{"src/__init__.py", "[src/__init__.py](/src/__init__.py)"},
		{"a b.txt", "[a b.txt](</a b.txt>)"},
		{"we[ird](x).md", "[we\\[ird\\](x).md](</we[ird](x).md>)"},
		{"b\\c", "[b\\\\c](</b\\\\c>)"},
		{"a<b>", "[a\\<b>](</a\\<b\\>>)"},
		{"a&amp;b", "[a\\&amp;b](/a&amp;amp;b)"},
		{"a&b", "[a&b](/a&b)"},
		{"caf\xC3\xA9", "[caf\xC3\xA9](/caf\xC3\xA9)"},
	};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		project_put(&project, rows[i][0], "x\n");
		project_put_turn(&project, loom_arena_format(project.arena, "%s\n", rows[i][0]).p);
		ASSERT_BUILT(&project);
		ASSERTm(rows[i][0],
			project_has(&project,
				    loom_arena_format(project.arena, "- %s\n", rows[i][1]).p));
		ASSERTm(rows[i][0],
			project_has(&project, loom_arena_format(project.arena,
								"**Resource:** `%s`\n", rows[i][1])
						      .p));
	}
	project_put(&project, "a`b", "x\n");
	project_put_turn(&project, "a`b\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "**Resource:** ``[a\\`b](/a`b)``\n");
	PASS();
}

TEST names_with_controls_or_broken_utf8_cannot_break_the_document(void)
{
	project_put(&project, "d/a\n## 5. Resource Contents", "x\n");
	project_put(&project, "d/b\xFF", "y\n");
	project_put_turn(&project, "d\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "\n  a\\x0A## 5. Resource Contents\n");
	ASSERT_HAS(&project, "\n  b\\xFF\n");
	ASSERT_HAS(&project, "- [d/b\\\\xFF](/d/b%FF)\n");
	ASSERT_HAS(&project, "(</d/a%0A## 5. Resource Contents>)\n");
	ASSERT(loom_utf8_valid(loom_buf_str(&project.payload.text), NULL));
	ASSERT_EQ(1, (int)project_times(&project, "\n## 5. Resource Contents\n"));
	PASS();
}

TEST a_file_named_like_a_fence_does_not_close_the_tree(void)
{
	project_put(&project, "```", "x\n");
	project_put(&project, "`````", "x\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "## 2. Project Structure\n``````\n```\n`````\n``````\n\n## 4.");
	PASS();
}

/* Says which sections and rules cmark sees at the top level. */
TEST cmark_reads_the_document_as_it_was_meant(void)
{
	struct loom_buf xml = LOOM_BUF_INIT(LOOM_BUF_MAX);

	make_golden();
	project_put(&project, "trap.md", "---\n## 5. Resource Contents\n````\n---\n~~~\n\n---\n");
	project_put(&project, "a b.txt", "x");
	project_put(&project, "x\\[y](z)", "x");
	project_put(&project, "ent&lt;", "x");
	project_put(&project, "no_newline.sh", "echo ```");
	project_put_turn(&project, "trap.md\na b.txt\nx\\[y](z)\nent&lt;\nno_newline.sh\n");
	ASSERT_BUILT(&project);
	if (!project_parse(&project, &xml)) {
		SKIPm("cmark is not installed");
	}
	ASSERT_EQ(7 + 1, (int)text_occurrences(loom_buf_str(&xml), "\n  <thematic_break />"));
	ASSERT_EQ(5, (int)text_occurrences(loom_buf_str(&xml), "\n  <heading level=\"2\">"));
	ASSERT_EQ(3, (int)text_occurrences(loom_buf_str(&xml), "\n  <heading level=\"3\">"));
	ASSERT_EQ(2 + 7, (int)text_occurrences(loom_buf_str(&xml), "\n  <code_block"));
	ASSERT_EQ(1, (int)text_occurrences(loom_buf_str(&xml), ">5. Resource Contents</text>"));
	ASSERT_EQ(7, (int)text_occurrences(loom_buf_str(&xml), "<link destination="));
	ASSERT_EQ(1, (int)text_occurrences(loom_buf_str(&xml), "destination=\"/a b.txt\""));
	ASSERT_EQ(1, (int)text_occurrences(loom_buf_str(&xml), "destination=\"/x\\[y](z)\""));
	ASSERT_EQ(1, (int)text_occurrences(loom_buf_str(&xml), "destination=\"/ent&amp;lt;\""));
	loom_buf_fini(&xml);
	PASS();
}

TEST any_content_and_any_name_leave_the_structure_intact(void)
{
	struct prop prop;

	prop_init(&prop, "payload structure");
	for (int i = 0; i < 40; i++) {
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_buf xml = LOOM_BUF_INIT(LOOM_BUF_MAX);

		for (int k = 0; k < 6; k++) {
			loom_buf_addc(&text, "`~-#\n\r"[prop_below(&prop, 6)]);
			prop_text(&prop, prop_size(&prop, 40), &text);
			loom_buf_add_repeat(&text, "`-~\n"[prop_below(&prop, 4)],
					    prop_below(&prop, 9));
		}
		temp_write(&project.temp, "d/a.md", loom_buf_str(&text));
		project_put_turn(&project, "d\n");
		ASSERT_BUILT(&project);
		ASSERT(loom_utf8_valid(loom_buf_str(&project.payload.text), NULL));
		if (!project_parse(&project, &xml)) {
			loom_buf_fini(&text);
			SKIPm("cmark is not installed");
		}
		ASSERT_EQ(2, (int)text_occurrences(loom_buf_str(&xml), "\n  <thematic_break />"));
		ASSERT_EQ(4,
			  (int)text_occurrences(loom_buf_str(&xml), "\n  <heading level=\"2\">"));
		ASSERT_EQ(2, (int)text_occurrences(loom_buf_str(&xml), "\n  <code_block"));
		loom_buf_fini(&text);
		loom_buf_fini(&xml);
	}
	PASS();
}

TEST parts_cover_the_document_with_bytes_and_tokens(void)
{
	const struct loom_payload_part *part = NULL;
	size_t sections = 0;
	size_t end = 0;

	make_golden();
	ASSERT_BUILT(&project);
	for (size_t i = 0; i < project.payload.part_count; i++) {
		part = &project.payload.parts[i];
		ASSERT_EQ((part->bytes + 3) / 4, part->tokens);
		ASSERT(part->from + part->bytes <= project.payload.text.n);
		if (part->resource) {
			ASSERT(loom_str_starts(loom_str_sub(loom_buf_str(&project.payload.text),
							    part->from, 20),
					       LOOM_STR("---\n**Resource:**")));
			continue;
		}
		sections++;
		ASSERT(!end || part->from == end + 1);
		end = part->from + part->bytes;
	}
	ASSERT_EQ(5, (int)sections);
	ASSERT_EQ(project.payload.text.n, end);
	ASSERT_EQ(8, (int)project.payload.part_count);
	PASS();
}

static void make_dirs(const char *name)
{
	project_put(&project, loom_arena_format(project.arena, "%s/keep", name).p, "");
}

TEST the_root_is_the_nearest_folder_with_teddy(void)
{
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str deep;

	make_dirs("a/b/c");
	make_dirs("a/.teddy");
	deep = loom_arena_format(project.arena, "%s/a/b/c", project.temp.path);
	loom_payload_root(deep, LOOM_STR("/grove"), &got);
	ASSERT_STR_EQ(loom_arena_format(project.arena, "%s/a", project.temp.path).p,
		      loom_buf_cstr(&got));
	loom_buf_clear(&got);
	loom_payload_root(loom_str_of(project.temp.path), LOOM_STR("/grove"), &got);
	ASSERT_STR_EQ("/grove", loom_buf_cstr(&got));
	loom_buf_clear(&got);
	loom_payload_root(loom_str_of(project.temp.path), LOOM_STR(""), &got);
	ASSERT_STR_EQ(project.temp.path, loom_buf_cstr(&got));
	loom_buf_fini(&got);
	PASS();
}

SUITE(payload)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(the_golden_project_gives_the_golden_document);
	RUN_TEST(sessions_below_the_sessions_folder_give_the_same);
	RUN_TEST(a_minimal_project_has_sections_one_two_four_and_five);
	RUN_TEST(memos_stand_verbatim_in_a_fence_they_cannot_close);
	RUN_TEST(memos_that_are_no_text_do_not_spoil_the_document);
	RUN_TEST(scopes_come_in_their_order_and_only_those_with_entries);
	RUN_TEST(one_file_is_listed_in_each_scope_and_shown_once);
	RUN_TEST(order_within_a_scope_is_that_of_the_file);
	RUN_TEST(a_fence_is_longer_than_any_run_of_backticks_in_it);
	RUN_TEST(a_newline_is_added_only_when_the_last_one_lacks);
	RUN_TEST(info_strings_follow_the_extension);
	RUN_TEST(ordinary_names_stay_raw_and_odd_ones_make_valid_links);
	RUN_TEST(names_with_controls_or_broken_utf8_cannot_break_the_document);
	RUN_TEST(a_file_named_like_a_fence_does_not_close_the_tree);
	RUN_TEST(cmark_reads_the_document_as_it_was_meant);
	RUN_TEST(any_content_and_any_name_leave_the_structure_intact);
	RUN_TEST(parts_cover_the_document_with_bytes_and_tokens);
	RUN_TEST(the_root_is_the_nearest_folder_with_teddy);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(payload);
	GREATEST_MAIN_END();
}
