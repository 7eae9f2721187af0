/* input.md: the bytes of the document and its parts. Where cmark is installed, a Markdown parser of
 * somebody else's says whether the document is what we meant. */
#include <greatest.h>

#include <loom/utf8.h>

#include "support/payload_world.h"
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

static void make_golden(const struct world *world)
{
	put(world, ".gitignore", "dist/\n");
	put(world, ".teddyignore", "!dist/i.html\n");
	put(world, "dist/b.js", "x");
	put(world, "dist/i.html", "x");
	put(world, "src/main.py", "print(1)\n");
	put(world, "README.md", "# Readme\n````\ninner\n````\n");
	put(world, ".teddy/memos.yaml", "- Use pnpm.\n");
	put_turn(world, "src/main.py\nREADME.md\n");
	put(world, ".teddy/s/session.context", "# what we work on\n./src/main.py\n");
	put(world, ".teddy/global.context", "missing.txt\n");
}

static void make_dirs(const struct world *world, const char *name)
{
	put(world, loom_arena_format(world->arena, "%s/keep", name).p, "");
}

TEST the_golden_project_gives_the_golden_document(void)
{
	struct world world;
	struct loom_str want;

	world_init(&world);
	make_golden(&world);
	want = loom_arena_format(world.arena, golden, world.temp.path);
	ASSERT_BUILT(&world);
	ASSERT_STR_EQ(want.p, text_of(&world));
	ASSERT_EQ(0, (int)world.payload.warning_count);
	world_fini(&world);
	PASS();
}

TEST sessions_below_the_sessions_folder_give_the_same(void)
{
	struct world world;
	struct loom_str want;

	world_init(&world);
	make_golden(&world);
	put(&world, ".teddy/s/session.context", "wrong\n");
	put(&world, ".teddy/sessions/20260101_120000-x/session.context", "src/main.py\n");
	put(&world, ".teddy/sessions/20260101_120000-x/01/turn.context", "wrong\n");
	put(&world, ".teddy/sessions/20260101_120000-x/07/turn.context", "src/main.py\nREADME.md");
	want = loom_arena_format(world.arena, golden, world.temp.path);
	world.opts.place.session = LOOM_STR("20260101_120000-x");
	ASSERT_BUILT(&world);
	ASSERT_STR_EQ(want.p, text_of(&world));
	ASSERT(loom_str_is(world.payload.turn, "07"));
	world_fini(&world);
	PASS();
}

TEST a_minimal_project_has_sections_one_two_four_and_five(void)
{
	struct world world;

	world_init(&world);
	put(&world, "a", "x");
	ASSERT_BUILT(&world);
	ASSERT_STR_EQ(loom_arena_format(world.arena,
					"# Agent Invocation Payload\n\n## 1. System Information\n"
					"- **CWD:** %s\n- **OS:** Linux 6.1.0\n"
					"- **Shell:** /bin/bash\n\n"
					"## 2. Project Structure\n````\na\n````\n\n"
					"## 4. Context Summary\n\n## 5. Resource Contents\n",
					world.temp.path)
			      .p,
		      text_of(&world));
	world_fini(&world);
	PASS();
}

TEST memos_stand_verbatim_in_a_fence_they_cannot_close(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".teddy/memos.yaml", "- a\n- b: \"c\"");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "\n## 3. Memos\n````\n- a\n- b: \"c\"\n````\n\n## 4. ");
	put(&world, ".teddy/memos.yaml", "- a\n````\n- b\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "\n## 3. Memos\n`````\n- a\n````\n- b\n`````\n\n## 4. ");
	put(&world, ".teddy/memos.yaml", "");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "\n## 3. Memos\n````\n````\n\n## 4. ");
	world_fini(&world);
	PASS();
}

TEST memos_that_are_no_text_do_not_spoil_the_document(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".teddy/memos.yaml", "caf\xE9\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "\n## 3. Memos\n````\n--- NOT SHOWN");
	ASSERT(warned(&world, "memos.yaml"));
	ASSERT(loom_utf8_valid(loom_buf_str(&world.payload.text), NULL));
	world_fini(&world);
	PASS();
}

TEST scopes_come_in_their_order_and_only_those_with_entries(void)
{
	struct world world;

	world_init(&world);
	put(&world, "a", "1\n");
	put(&world, "b", "2\n");
	put(&world, "c", "3\n");
	put_turn(&world, "a\n");
	put(&world, ".teddy/s/session.context", "b\n");
	put(&world, ".teddy/global.context", "c\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [a](/a)\n\n### Session\n- [b](/b)\n\n"
			   "### Global\n- [c](/c)\n\n## 5.");
	ASSERT_HAS(&world, "---\n**Resource:** `[a](/a)`\n````text\n1\n````\n"
			   "---\n**Resource:** `[b](/b)`\n````text\n2\n````\n"
			   "---\n**Resource:** `[c](/c)`\n````text\n3\n````\n---\n");
	put_turn(&world, "");
	put(&world, ".teddy/global.context", "# nothing\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "## 4. Context Summary\n\n### Session\n- [b](/b)\n\n## 5.");
	world_fini(&world);
	PASS();
}

TEST one_file_is_listed_in_each_scope_and_shown_once(void)
{
	struct world world;

	world_init(&world);
	put(&world, "d/z.js", "1\n");
	put_turn(&world, "d/z.js\n./d/z.js\nd//z.js\n/d/z.js\nd/../d/./z.js\n");
	put(&world, ".teddy/s/session.context", "d/z.js\n");
	put(&world, ".teddy/global.context",
	    loom_arena_format(world.arena, "%s/d/z.js\n", world.temp.path).p);
	ASSERT_BUILT(&world);
	ASSERT_EQ(3, (int)times(&world, "- [d/z.js](/d/z.js)\n"));
	ASSERT_EQ(1, (int)times(&world, "**Resource:**"));
	ASSERT_EQ(0, (int)world.payload.warning_count);
	world_fini(&world);
	PASS();
}

TEST order_within_a_scope_is_that_of_the_file(void)
{
	struct world world;

	world_init(&world);
	put(&world, "a", "1");
	put(&world, "b", "2");
	put_turn(&world, "b\na\nb\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [b](/b)\n- [a](/a)\n\n");
	world_fini(&world);
	PASS();
}

TEST a_fence_is_longer_than_any_run_of_backticks_in_it(void)
{
	struct world world;

	world_init(&world);
	put(&world, "a.md", "x ```\n  `````` y\n");
	put_turn(&world, "a.md\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "\n```````markdown\nx ```\n  `````` y\n```````\n---\n");
	world_fini(&world);
	PASS();
}

TEST a_newline_is_added_only_when_the_last_one_lacks(void)
{
	struct world world;

	world_init(&world);
	put(&world, "bare", "x");
	put(&world, "empty", "");
	put(&world, "crlf", "a\r\nb\r\n");
	put(&world, "blank", "x\n\n");
	put_turn(&world, "bare\nempty\ncrlf\nblank\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "`[bare](/bare)`\n````text\nx\n````\n");
	ASSERT_HAS(&world, "`[empty](/empty)`\n````text\n````\n");
	ASSERT_HAS(&world, "`[crlf](/crlf)`\n````text\na\r\nb\r\n````\n");
	ASSERT_HAS(&world, "`[blank](/blank)`\n````text\nx\n\n````\n");
	world_fini(&world);
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
	struct world world;

	world_init(&world);
	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		put(&world, rows[i][0], "x\n");
		put_turn(&world, loom_arena_format(world.arena, "%s\n", rows[i][0]).p);
		ASSERT_BUILT(&world);
		ASSERTm(rows[i][0],
			has(&world,
			    loom_arena_format(world.arena, "\n````%s\nx\n````\n---\n", rows[i][1])
				    .p));
	}
	world_fini(&world);
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
	struct world world;

	world_init(&world);
	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		put(&world, rows[i][0], "x\n");
		put_turn(&world, loom_arena_format(world.arena, "%s\n", rows[i][0]).p);
		ASSERT_BUILT(&world);
		ASSERTm(rows[i][0],
			has(&world, loom_arena_format(world.arena, "- %s\n", rows[i][1]).p));
		ASSERTm(rows[i][0],
			has(&world,
			    loom_arena_format(world.arena, "**Resource:** `%s`\n", rows[i][1]).p));
	}
	put(&world, "a`b", "x\n");
	put_turn(&world, "a`b\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "**Resource:** ``[a\\`b](/a`b)``\n");
	world_fini(&world);
	PASS();
}

TEST names_with_controls_or_broken_utf8_cannot_break_the_document(void)
{
	struct world world;

	world_init(&world);
	put(&world, "d/a\n## 5. Resource Contents", "x\n");
	put(&world, "d/b\xFF", "y\n");
	put_turn(&world, "d\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "\n  a\\x0A## 5. Resource Contents\n");
	ASSERT_HAS(&world, "\n  b\\xFF\n");
	ASSERT_HAS(&world, "- [d/b\\\\xFF](/d/b%FF)\n");
	ASSERT_HAS(&world, "(</d/a%0A## 5. Resource Contents>)\n");
	ASSERT(loom_utf8_valid(loom_buf_str(&world.payload.text), NULL));
	ASSERT_EQ(1, (int)times(&world, "\n## 5. Resource Contents\n"));
	world_fini(&world);
	PASS();
}

TEST a_file_named_like_a_fence_does_not_close_the_tree(void)
{
	struct world world;

	world_init(&world);
	put(&world, "```", "x\n");
	put(&world, "`````", "x\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "## 2. Project Structure\n``````\n```\n`````\n``````\n\n## 4.");
	world_fini(&world);
	PASS();
}

/* Says which sections and rules cmark sees at the top level. */
TEST cmark_reads_the_document_as_it_was_meant(void)
{
	struct loom_buf xml = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct world world;

	world_init(&world);
	make_golden(&world);
	put(&world, "trap.md", "---\n## 5. Resource Contents\n````\n---\n~~~\n\n---\n");
	put(&world, "a b.txt", "x");
	put(&world, "x\\[y](z)", "x");
	put(&world, "ent&lt;", "x");
	put(&world, "no_newline.sh", "echo ```");
	put_turn(&world, "trap.md\na b.txt\nx\\[y](z)\nent&lt;\nno_newline.sh\n");
	ASSERT_BUILT(&world);
	if (!parse(&world, &xml)) {
		world_fini(&world);
		SKIPm("cmark is not installed");
	}
	ASSERT_EQ(7 + 1, (int)occurrences(loom_buf_str(&xml), "\n  <thematic_break />"));
	ASSERT_EQ(5, (int)occurrences(loom_buf_str(&xml), "\n  <heading level=\"2\">"));
	ASSERT_EQ(3, (int)occurrences(loom_buf_str(&xml), "\n  <heading level=\"3\">"));
	ASSERT_EQ(2 + 7, (int)occurrences(loom_buf_str(&xml), "\n  <code_block"));
	ASSERT_EQ(1, (int)occurrences(loom_buf_str(&xml), ">5. Resource Contents</text>"));
	ASSERT_EQ(7, (int)occurrences(loom_buf_str(&xml), "<link destination="));
	ASSERT_EQ(1, (int)occurrences(loom_buf_str(&xml), "destination=\"/a b.txt\""));
	ASSERT_EQ(1, (int)occurrences(loom_buf_str(&xml), "destination=\"/x\\[y](z)\""));
	ASSERT_EQ(1, (int)occurrences(loom_buf_str(&xml), "destination=\"/ent&amp;lt;\""));
	loom_buf_fini(&xml);
	world_fini(&world);
	PASS();
}

TEST any_content_and_any_name_leave_the_structure_intact(void)
{
	struct prop prop;

	prop_init(&prop, "payload structure");
	for (int i = 0; i < 40; i++) {
		struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct loom_buf xml = LOOM_BUF_INIT(LOOM_BUF_MAX);
		struct world world;

		world_init(&world);
		for (int k = 0; k < 6; k++) {
			loom_buf_addc(&text, "`~-#\n\r"[prop_below(&prop, 6)]);
			prop_text(&prop, prop_size(&prop, 40), &text);
			loom_buf_add_repeat(&text, "`-~\n"[prop_below(&prop, 4)],
					    prop_below(&prop, 9));
		}
		temp_write(&world.temp, "d/a.md", loom_buf_str(&text));
		put_turn(&world, "d\n");
		ASSERT_BUILT(&world);
		ASSERT(loom_utf8_valid(loom_buf_str(&world.payload.text), NULL));
		if (!parse(&world, &xml)) {
			loom_buf_fini(&text);
			world_fini(&world);
			SKIPm("cmark is not installed");
		}
		ASSERT_EQ(2, (int)occurrences(loom_buf_str(&xml), "\n  <thematic_break />"));
		ASSERT_EQ(4, (int)occurrences(loom_buf_str(&xml), "\n  <heading level=\"2\">"));
		ASSERT_EQ(2, (int)occurrences(loom_buf_str(&xml), "\n  <code_block"));
		loom_buf_fini(&text);
		loom_buf_fini(&xml);
		world_fini(&world);
	}
	PASS();
}

TEST parts_cover_the_document_with_bytes_and_tokens(void)
{
	const struct loom_payload_part *part = NULL;
	struct world world;
	size_t sections = 0;
	size_t end = 0;

	world_init(&world);
	make_golden(&world);
	ASSERT_BUILT(&world);
	for (size_t i = 0; i < world.payload.part_count; i++) {
		part = &world.payload.parts[i];
		ASSERT_EQ((part->bytes + 3) / 4, part->tokens);
		ASSERT(part->from + part->bytes <= world.payload.text.n);
		if (part->resource) {
			ASSERT(loom_str_starts(loom_str_sub(loom_buf_str(&world.payload.text),
							    part->from, 20),
					       LOOM_STR("---\n**Resource:**")));
			continue;
		}
		sections++;
		ASSERT(!end || part->from == end + 1);
		end = part->from + part->bytes;
	}
	ASSERT_EQ(5, (int)sections);
	ASSERT_EQ(world.payload.text.n, end);
	ASSERT_EQ(8, (int)world.payload.part_count);
	world_fini(&world);
	PASS();
}

TEST the_root_is_the_nearest_folder_with_teddy(void)
{
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct world world;
	struct loom_str deep;

	world_init(&world);
	make_dirs(&world, "a/b/c");
	make_dirs(&world, "a/.teddy");
	deep = loom_arena_format(world.arena, "%s/a/b/c", world.temp.path);
	loom_payload_root(deep, LOOM_STR("/grove"), &got);
	ASSERT_STR_EQ(loom_arena_format(world.arena, "%s/a", world.temp.path).p,
		      loom_buf_cstr(&got));
	loom_buf_clear(&got);
	loom_payload_root(loom_str_of(world.temp.path), LOOM_STR("/grove"), &got);
	ASSERT_STR_EQ("/grove", loom_buf_cstr(&got));
	loom_buf_clear(&got);
	loom_payload_root(loom_str_of(world.temp.path), LOOM_STR(""), &got);
	ASSERT_STR_EQ(world.temp.path, loom_buf_cstr(&got));
	loom_buf_fini(&got);
	world_fini(&world);
	PASS();
}

SUITE(document)
{
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
	RUN_SUITE(document);
	GREATEST_MAIN_END();
}
