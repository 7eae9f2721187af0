/* input.md: the bytes of the document, its parts, the lists and their editing. Where cmark is
 * installed, a Markdown parser of somebody else's says whether the document is what we meant. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/payload.h>
#include <loom/utf8.h>

#include "support/child.h"
#include "support/prop.h"
#include "support/temp.h"

/* A project of a test's own and what was built of it. */
struct world {
	struct temp temp;
	struct loom_root root;
	struct loom_arena *arena;
	struct loom_payload_opts opts;
	struct loom_payload payload;
};

static void world_init(struct world *world)
{
	*world = (struct world){.arena = loom_arena_create()};
	temp_init(&world->temp);
	if (loom_root_open(world->temp.path, &world->root, NULL) != LOOM_OK)
		abort();
	world->opts = (struct loom_payload_opts){
		.place = {.root = &world->root, .root_path = loom_str_of(world->temp.path)},
		.os = "Linux 6.1.0",
		.shell = "/bin/bash",
	};
}

static void world_fini(struct world *world)
{
	loom_payload_fini(&world->payload);
	loom_root_close(&world->root);
	loom_arena_destroy(world->arena);
	temp_fini(&world->temp);
}

static void put(const struct world *world, const char *name, const char *text)
{
	temp_write(&world->temp, name, loom_str_of(text));
}

static void put_turn(const struct world *world, const char *text)
{
	put(world, ".teddy/s/01/turn.context", text);
}

static enum loom_status build(struct world *world)
{
	loom_payload_fini(&world->payload);
	return loom_payload_build(&world->opts, world->arena, &world->payload, NULL);
}

static const char *text_of(const struct world *world)
{
	return loom_buf_cstr(&world->payload.text);
}

static bool has(const struct world *world, const char *part)
{
	return loom_str_find(loom_buf_str(&world->payload.text), loom_str_of(part), 0) != SIZE_MAX;
}

static size_t occurrences(struct loom_str text, const char *part)
{
	size_t count = 0;
	size_t at = 0;

	while ((at = loom_str_find(text, loom_str_of(part), at)) != SIZE_MAX) {
		count++;
		at++;
	}
	return count;
}

static size_t times(const struct world *world, const char *part)
{
	return occurrences(loom_buf_str(&world->payload.text), part);
}

static bool warned(const struct world *world, const char *part)
{
	for (size_t i = 0; i < world->payload.warning_count; i++)
		if (loom_str_find(world->payload.warnings[i], loom_str_of(part), 0) != SIZE_MAX)
			return true;
	return false;
}

#define ASSERT_BUILT(world)       ASSERT_EQ(LOOM_OK, build(world))
#define ASSERT_HAS(world, part)   ASSERTm(part, has(world, part))
#define ASSERT_LACKS(world, part) ASSERT_FALSEm(part, has(world, part))

/* The document as cmark's XML; false when cmark is not there. */
static bool parse(const struct world *world, struct loom_buf *out)
{
	const char *argv[] = {"cmark", "-t", "xml", NULL};
	struct child_opts opts = {.input = loom_buf_str(&world->payload.text)};
	struct child_result result;
	bool parsed = child_run(argv, &opts, &result) && result.status == 0;

	if (parsed)
		loom_buf_add(out, loom_buf_str(&result.out));
	child_fini(&result);
	return parsed;
}

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

TEST what_is_missing_says_so_and_fails_nothing(void)
{
	struct world world;

	world_init(&world);
	put(&world, "f", "x\n");
	put_turn(&world, "missing.txt\nf/below\nf\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "- [missing.txt](/missing.txt)\n- [f/below](/f/below)\n- [f](/f)\n");
	ASSERT_HAS(&world, "**Resource:** `[missing.txt](/missing.txt)`\n"
			   "````\n--- FILE NOT FOUND ---\n````\n");
	ASSERT_HAS(&world, "`[f/below](/f/below)`\n````\n--- FILE NOT FOUND ---\n````\n");
	ASSERT_HAS(&world, "`[f](/f)`\n````text\nx\n````\n---\n");
	world_fini(&world);
	PASS();
}

TEST what_is_no_text_becomes_one_line_with_kind_and_size(void)
{
	struct world world;

	world_init(&world);
	put(&world, "latin", "caf\xE9\n");
	temp_write(&world.temp, "nul", LOOM_STR("a\0b"));
	temp_write(&world.temp, "p.png", LOOM_STR("\x89PNG\r\n\x1A\n\0\0"));
	put(&world, "ok", "fine\n");
	put_turn(&world, "latin\nnul\np.png\nok\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "````\n--- NOT SHOWN: text that is not UTF-8, 5 bytes ---\n````\n");
	ASSERT_HAS(&world, "````\n--- NOT SHOWN: binary data, 3 bytes ---\n````\n");
	ASSERT_HAS(&world, "````\n--- NOT SHOWN: PNG image, 10 bytes ---\n````\n");
	ASSERT_HAS(&world, "````text\nfine\n````\n---\n");
	ASSERT(loom_utf8_valid(loom_buf_str(&world.payload.text), NULL));
	world_fini(&world);
	PASS();
}

TEST what_leads_outside_is_refused_with_a_warning(void)
{
	struct temp outside;
	struct world world;
	char *link = NULL;

	world_init(&world);
	temp_init(&outside);
	temp_write(&outside, "secret", LOOM_STR("key\n"));
	put(&world, "d/ok", "fine\n");
	link = temp_path(&world.temp, "d/out");
	ASSERT_EQ(0, symlink(outside.path, link));
	put_turn(&world, "../x\nd/out/secret\nd/../../y\nd/ok\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "- [../x](/../x)\n");
	ASSERT_EQ(3, (int)times(&world, "--- NOT SHOWN: outside the root ---"));
	ASSERT_LACKS(&world, "key");
	ASSERT(warned(&world, "../x"));
	ASSERT(warned(&world, "d/out/secret"));
	ASSERT_HAS(&world, "fine\n");
	free(link);
	temp_fini(&outside);
	world_fini(&world);
	PASS();
}

TEST links_are_followed_as_long_as_they_stay_beneath(void)
{
	struct world world;
	char *near = NULL;
	char *absolute = NULL;
	char *target = NULL;

	world_init(&world);
	put(&world, "real/a.txt", "here\n");
	near = temp_path(&world.temp, "near.txt");
	absolute = temp_path(&world.temp, "absolute.txt");
	target = temp_path(&world.temp, "real/a.txt");
	ASSERT_EQ(0, symlink("real/a.txt", near));
	ASSERT_EQ(0, symlink(target, absolute));
	put_turn(&world, "near.txt\nabsolute.txt\n");
	ASSERT_BUILT(&world);
	ASSERT_EQ(2, (int)times(&world, "````text\nhere\n````\n"));
	free(near);
	free(absolute);
	free(target);
	world_fini(&world);
	PASS();
}

TEST pipes_and_the_stores_own_files_are_never_opened(void)
{
	struct loom_file_id own[1];
	struct loom_file_info info;
	struct world world;
	char *pipe_path = NULL;
	char *store = NULL;
	char *twin = NULL;

	world_init(&world);
	put(&world, ".loom/grove.db", "SECRET");
	pipe_path = temp_path(&world.temp, "pipe");
	store = temp_path(&world.temp, ".loom/grove.db");
	twin = temp_path(&world.temp, "twin");
	ASSERT_EQ(0, mkfifo(pipe_path, 0600));
	ASSERT_EQ(0, link(store, twin));
	ASSERT_EQ(LOOM_OK,
		  loom_path_info(&world.root, LOOM_STR(".loom/grove.db"), false, &info, NULL));
	own[0] = info.id;
	world.root.refused = own;
	world.root.refused_count = 1;
	put_turn(&world, "pipe\n.loom/grove.db\ntwin\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "--- NOT SHOWN: a device, pipe or socket ---");
	ASSERT_EQ(2, (int)times(&world, "--- NOT SHOWN: a file of the store ---"));
	ASSERT_LACKS(&world, "SECRET");
	free(pipe_path);
	free(store);
	free(twin);
	world_fini(&world);
	PASS();
}

TEST comments_and_blanks_are_passed_over_but_nothing_inline(void)
{
	struct world world;

	world_init(&world);
	put(&world, "a", "x\n");
	put(&world, "#x", "y\n");
	put_turn(&world, "\xEF\xBB\xBF# c\n\n \t a \t\r\na # c\n./#x\n  # no\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [a](/a)\n- [a # c](</a # c>)\n- [#x](/#x)\n\n");
	ASSERT_HAS(&world, "`[a # c](</a # c>)`\n````\n--- FILE NOT FOUND ---\n");
	world_fini(&world);
	PASS();
}

TEST a_folder_stands_for_its_visible_files_sorted(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".gitignore", "d/a\n");
	put(&world, "d/b", "1\n");
	put(&world, "d/a", "2\n");
	put(&world, "d/s/c", "3\n");
	put(&world, "d/B", "4\n");
	put_turn(&world, "d/\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [d/B](/d/B)\n- [d/b](/d/b)\n- [d/s/c](/d/s/c)\n\n");
	ASSERT_EQ(3, (int)times(&world, "**Resource:**"));
	put_turn(&world, "d\nd/a\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "- [d/s/c](/d/s/c)\n- [d/a](/d/a)\n\n");
	ASSERT_HAS(&world, "````text\n2\n````\n");
	world_fini(&world);
	PASS();
}

TEST a_folder_passes_over_links_to_folders_and_out(void)
{
	struct world world;
	char *loop = NULL;
	char *good = NULL;
	char *dangling = NULL;
	char *out = NULL;

	world_init(&world);
	put(&world, "d/b", "1\n");
	loop = temp_path(&world.temp, "d/loop");
	good = temp_path(&world.temp, "d/good");
	dangling = temp_path(&world.temp, "d/dangling");
	out = temp_path(&world.temp, "d/out");
	ASSERT_EQ(0, symlink("..", loop));
	ASSERT_EQ(0, symlink("b", good));
	ASSERT_EQ(0, symlink("nowhere", dangling));
	ASSERT_EQ(0, symlink("/etc/passwd", out));
	put_turn(&world, "d\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [d/b](/d/b)\n- [d/good](/d/good)\n\n## 5.");
	ASSERT(warned(&world, "d/out"));
	free(loop);
	free(good);
	free(dangling);
	free(out);
	world_fini(&world);
	PASS();
}

TEST a_folder_without_visible_files_stays_in_the_summary(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".gitignore", "d/\n");
	put(&world, "d/a", "2\n");
	put_turn(&world, "d\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [d](/d)\n");
	ASSERT_HAS(&world, "--- FOLDER WITHOUT VISIBLE FILES ---");
	world_fini(&world);
	PASS();
}

TEST a_path_with_sessions_in_it_is_a_path_like_any_other(void)
{
	struct world world;

	world_init(&world);
	put(&world, "src/sessions/store.py", "here\n");
	put_turn(&world, "src/sessions/store.py\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "````python\nhere\n````\n");
	world_fini(&world);
	PASS();
}

TEST patterns_are_reported_not_expanded(void)
{
	struct world world;

	world_init(&world);
	put(&world, "a.py", "x\n");
	put(&world, "w?.py", "odd\n");
	put_turn(&world, "*.py\nw?.py\n[a].py\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "- [*.py](/*.py)\n");
	ASSERT_HAS(&world, "--- UNRESOLVED: patterns are not expanded ---");
	ASSERT_HAS(&world, "````python\nodd\n````\n");
	ASSERT_HAS(&world, "--- FILE NOT FOUND ---");
	ASSERT(warned(&world, "*.py"));
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

/* A web of the test's own. */
struct web {
	int calls;
	enum loom_status status;
	const char *type;
	const char *body;
};

static enum loom_status fetch(void *ctx, struct loom_str url, struct loom_buf *body,
			      struct loom_buf *type, struct loom_err *err)
{
	struct web *web = ctx;

	(void)url;
	web->calls++;
	if (web->status != LOOM_OK)
		return loom_fail(err, web->status, "the server said 404");
	loom_buf_adds(body, web->body);
	loom_buf_adds(type, web->type);
	return LOOM_OK;
}

TEST a_url_is_fetched_once_and_named_by_its_content_type(void)
{
	struct web web = {.type = "text/html; charset=utf-8", .body = "<!doctype html>\n"};
	struct world world;

	world_init(&world);
	world.opts.fetch = fetch;
	world.opts.fetch_ctx = &web;
	put_turn(&world, "https://example.com/docs?a=1&b=2\n");
	put(&world, ".teddy/global.context", "https://example.com/docs?a=1&b=2\n");
	ASSERT_BUILT(&world);
	ASSERT_EQ(1, web.calls);
	ASSERT_EQ(2, (int)times(&world, "- [https://example.com/docs?a=1&b=2]"
					"(https://example.com/docs?a=1&b=2)\n"));
	ASSERT_HAS(&world, "**Resource:** `[https://example.com/docs?a=1&b=2]"
			   "(https://example.com/docs?a=1&b=2)`\n"
			   "````html\n<!doctype html>\n````\n---\n");
	world_fini(&world);
	PASS();
}

TEST content_types_give_info_strings(void)
{
	static const char *const rows[][2] = {
		{"text/plain", "text"},
		{"TEXT/HTML;charset=x", "html"},
		{"text/markdown", "markdown"},
		{"application/json", "json"},
		{"application/ld+json", "json"},
		{"image/svg+xml", "xml"},
		{"application/xhtml+xml", "html"},
		{"text/css", "css"},
		{"text/x-python", "python"},
		{"", "text"},
		{"nonsense", "text"},
		{"text/`x", "text"},
	};
	struct web web = {.body = "x\n"};
	struct world world;

	world_init(&world);
	world.opts.fetch = fetch;
	world.opts.fetch_ctx = &web;
	put_turn(&world, "http://127.0.0.1/x\n");
	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		web.type = rows[i][0];
		ASSERT_BUILT(&world);
		ASSERTm(rows[i][0],
			has(&world, loom_arena_format(world.arena, "\n````%s\nx\n", rows[i][1]).p));
	}
	world_fini(&world);
	PASS();
}

TEST a_url_that_fails_leaves_the_other_resources_alone(void)
{
	struct web web = {.status = LOOM_IO};
	struct world world;

	world_init(&world);
	put(&world, "a", "fine\n");
	put_turn(&world, "https://example.com/x\na\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "````\n--- NOT FETCHED ---\n````\n");
	world.opts.fetch = fetch;
	world.opts.fetch_ctx = &web;
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "````\n--- NOT FETCHED: the server said 404 ---\n````\n");
	ASSERT_HAS(&world, "````text\nfine\n````\n---\n");
	ASSERT(warned(&world, "404"));
	world_fini(&world);
	PASS();
}

TEST without_a_session_every_list_in_teddy_is_global(void)
{
	struct world world;

	world_init(&world);
	put(&world, "a", "1\n");
	put(&world, "b", "2\n");
	put(&world, ".teddy/init.context", "b\n");
	put(&world, ".teddy/global.context", "a\n");
	put(&world, ".teddy/notes/readme", "no session\n");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Global\n- [a](/a)\n- [b](/b)\n\n");
	put(&world, ".teddy/s/session.context", "");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Global\n- [a](/a)\n\n");
	world_fini(&world);
	PASS();
}

static void set_time(const struct world *world, const char *name, time_t when)
{
	struct timespec times_of[2] = {{.tv_sec = when}, {.tv_sec = when}};
	char *path = temp_path(&world->temp, name);

	if (utimensat(AT_FDCWD, path, times_of, 0) < 0)
		abort();
	free(path);
}

TEST the_newest_session_and_its_highest_turn_are_meant(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".teddy/old/session.context", "old\n");
	put(&world, ".teddy/old/02/turn.context", "old-2\n");
	put(&world, ".teddy/new/session.context", "new\n");
	put(&world, ".teddy/new/01/turn.context", "new-1\n");
	put(&world, ".teddy/new/10/turn.context", "new-10\n");
	put(&world, ".teddy/new/9/turn.context", "no turn\n");
	set_time(&world, ".teddy/old/session.context", 1000);
	set_time(&world, ".teddy/old/02/turn.context", 1000);
	set_time(&world, ".teddy/old/02", 1000);
	set_time(&world, ".teddy/old", 1000);
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [new-10](/new-10)\n\n### Session\n- [new](/new)\n\n");
	ASSERT(loom_str_is(world.payload.session, "new"));
	world.opts.place.turn = LOOM_STR("1");
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [new-1](/new-1)\n\n");
	world.opts.place =
		(struct loom_payload_place){.root = &world.root, .session = LOOM_STR("old")};
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [old-2](/old-2)\n\n### Session\n- [old](/old)\n\n");
	world_fini(&world);
	PASS();
}

TEST dated_sessions_are_ordered_by_their_names(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".teddy/sessions/20260202_090000-b/session.context", "b\n");
	put(&world, ".teddy/sessions/20260101_090000-a/session.context", "a\n");
	ASSERT_BUILT(&world);
	ASSERT(loom_str_is(world.payload.session, "20260202_090000-b"));
	world_fini(&world);
	PASS();
}

TEST a_session_or_turn_that_is_not_there_is_not_found(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".teddy/s/session.context", "a\n");
	world.opts.place.session = LOOM_STR("other");
	ASSERT_EQ(LOOM_NOT_FOUND, build(&world));
	world.opts.place.session = LOOM_STR("../s");
	ASSERT_EQ(LOOM_NOT_FOUND, build(&world));
	world.opts.place.session = LOOM_STR("s");
	world.opts.place.turn = LOOM_STR("3");
	ASSERT_EQ(LOOM_NOT_FOUND, build(&world));
	world.opts.place.turn = LOOM_STR("x");
	ASSERT_EQ(LOOM_SYNTAX, build(&world));
	world_fini(&world);
	PASS();
}

TEST a_caller_may_give_the_entries_instead_of_lists(void)
{
	struct loom_payload_entry entries[3];
	struct world world;

	world_init(&world);
	put(&world, "own.md", "own\n");
	put(&world, "plan.md", "plan\n");
	put_turn(&world, "ignored\n");
	entries[0] = loom_payload_entry_make(&world.opts.place, LOOM_SCOPE_GLOBAL,
					     LOOM_STR("plan.md"), world.arena);
	entries[1] = loom_payload_entry_make(&world.opts.place, LOOM_SCOPE_TURN,
					     LOOM_STR("./own.md"), world.arena);
	entries[2] = loom_payload_entry_make(&world.opts.place, LOOM_SCOPE_SESSION,
					     LOOM_STR("plan.md"), world.arena);
	world.opts.given = true;
	world.opts.entries = entries;
	world.opts.entry_count = 3;
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Turn\n- [own.md](/own.md)\n\n### Session\n- [plan.md](/plan.md)\n"
			   "\n### Global\n- [plan.md](/plan.md)\n\n");
	ASSERT_EQ(2, (int)times(&world, "**Resource:**"));
	world_fini(&world);
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

static void make_dirs(const struct world *world, const char *name)
{
	put(world, loom_arena_format(world->arena, "%s/keep", name).p, "");
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

static bool list_is(const struct world *world, const char *name, const char *want)
{
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char *path = temp_path(&world->temp, name);
	bool same = temp_read(path, &got) && loom_str_is(loom_buf_str(&got), want);

	if (!same)
		fprintf(stderr, "%s: %s\n", name, loom_buf_cstr(&got));
	loom_buf_fini(&got);
	free(path);
	return same;
}

static enum loom_status edit(const struct world *world, enum loom_payload_edit what,
			     enum loom_scope scope, const char *target)
{
	struct loom_str targets[1] = {loom_str_of(target)};

	return loom_payload_edit(&world->opts.place, what, scope, targets, 1, NULL);
}

TEST adding_keeps_what_is_there_and_adds_once(void)
{
	struct world world;

	world_init(&world);
	put(&world, ".teddy/s/session.context", "# mine\r\n  b  ");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "./a//x"));
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "/a/x"));
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "b"));
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "#odd"));
	ASSERT_EQ(LOOM_OK,
		  edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "https://e.org/?q=#x"));
	ASSERT(list_is(&world, ".teddy/s/session.context",
		       "# mine\r\n  b  \na/x\n./#odd\nhttps://e.org/?q=#x\n"));
	world_fini(&world);
	PASS();
}

TEST a_list_is_made_where_there_is_none(void)
{
	struct world world;

	world_init(&world);
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "a"));
	ASSERT(list_is(&world, ".teddy/global.context", "a\n"));
	ASSERT_EQ(LOOM_NOT_FOUND, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_SESSION, "a"));
	put(&world, ".teddy/s/session.context", "");
	ASSERT_EQ(LOOM_NOT_FOUND, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_TURN, "a"));
	world.opts.place.turn = LOOM_STR("3");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_TURN, "a"));
	ASSERT(list_is(&world, ".teddy/s/03/turn.context", "a\n"));
	world_fini(&world);
	PASS();
}

TEST removing_takes_out_every_spelling_and_nothing_else(void)
{
	struct world world;

	world_init(&world);
	put_turn(&world, "\xEF\xBB\xBF"
			 "a\n# a\n\n./a\r\nb\n/a");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_REMOVE, LOOM_SCOPE_TURN, "a"));
	ASSERT(list_is(&world, ".teddy/s/01/turn.context", "\xEF\xBB\xBF# a\n\nb\n"));
	ASSERT_EQ(LOOM_NOT_FOUND, edit(&world, LOOM_PAYLOAD_REMOVE, LOOM_SCOPE_TURN, "a"));
	world_fini(&world);
	PASS();
}

TEST moving_takes_from_all_other_scopes(void)
{
	struct world world;

	world_init(&world);
	put_turn(&world, "x\na\n");
	put(&world, ".teddy/s/session.context", "y\n");
	put(&world, ".teddy/global.context", "./a\nz\n");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_MOVE, LOOM_SCOPE_SESSION, "a"));
	ASSERT(list_is(&world, ".teddy/s/01/turn.context", "x\n"));
	ASSERT(list_is(&world, ".teddy/s/session.context", "y\na\n"));
	ASSERT(list_is(&world, ".teddy/global.context", "z\n"));
	ASSERT_EQ(LOOM_NOT_FOUND, edit(&world, LOOM_PAYLOAD_MOVE, LOOM_SCOPE_TURN, "nowhere"));
	world_fini(&world);
	PASS();
}

TEST one_bad_target_changes_no_list(void)
{
	struct loom_str targets[] = {LOOM_STR_INIT("a"), LOOM_STR_INIT("../b")};
	struct world world;

	world_init(&world);
	put(&world, ".teddy/global.context", "z\n");
	ASSERT_EQ(LOOM_PATH, loom_payload_edit(&world.opts.place, LOOM_PAYLOAD_ADD,
					       LOOM_SCOPE_GLOBAL, targets, 2, NULL));
	ASSERT_EQ(LOOM_PATH, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "a\nb"));
	ASSERT_EQ(LOOM_PATH, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "a "));
	ASSERT(list_is(&world, ".teddy/global.context", "z\n"));
	world_fini(&world);
	PASS();
}

TEST the_whole_project_can_be_listed(void)
{
	struct world world;

	world_init(&world);
	put(&world, "a", "1\n");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "."));
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_ADD, LOOM_SCOPE_GLOBAL, "/"));
	ASSERT(list_is(&world, ".teddy/global.context", ".\n"));
	ASSERT_BUILT(&world);
	ASSERT_HAS(&world, "### Global\n- [a](/a)\n\n");
	ASSERT_EQ(LOOM_OK, edit(&world, LOOM_PAYLOAD_REMOVE, LOOM_SCOPE_GLOBAL, "./"));
	ASSERT(list_is(&world, ".teddy/global.context", ""));
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

SUITE(resources)
{
	RUN_TEST(what_is_missing_says_so_and_fails_nothing);
	RUN_TEST(what_is_no_text_becomes_one_line_with_kind_and_size);
	RUN_TEST(what_leads_outside_is_refused_with_a_warning);
	RUN_TEST(links_are_followed_as_long_as_they_stay_beneath);
	RUN_TEST(pipes_and_the_stores_own_files_are_never_opened);
	RUN_TEST(a_folder_stands_for_its_visible_files_sorted);
	RUN_TEST(a_folder_passes_over_links_to_folders_and_out);
	RUN_TEST(a_folder_without_visible_files_stays_in_the_summary);
	RUN_TEST(a_path_with_sessions_in_it_is_a_path_like_any_other);
	RUN_TEST(patterns_are_reported_not_expanded);
	RUN_TEST(a_url_is_fetched_once_and_named_by_its_content_type);
	RUN_TEST(content_types_give_info_strings);
	RUN_TEST(a_url_that_fails_leaves_the_other_resources_alone);
}

SUITE(lists)
{
	RUN_TEST(comments_and_blanks_are_passed_over_but_nothing_inline);
	RUN_TEST(without_a_session_every_list_in_teddy_is_global);
	RUN_TEST(the_newest_session_and_its_highest_turn_are_meant);
	RUN_TEST(dated_sessions_are_ordered_by_their_names);
	RUN_TEST(a_session_or_turn_that_is_not_there_is_not_found);
	RUN_TEST(a_caller_may_give_the_entries_instead_of_lists);
	RUN_TEST(adding_keeps_what_is_there_and_adds_once);
	RUN_TEST(a_list_is_made_where_there_is_none);
	RUN_TEST(removing_takes_out_every_spelling_and_nothing_else);
	RUN_TEST(moving_takes_from_all_other_scopes);
	RUN_TEST(one_bad_target_changes_no_list);
	RUN_TEST(the_whole_project_can_be_listed);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(document);
	RUN_SUITE(resources);
	RUN_SUITE(lists);
	GREATEST_MAIN_END();
}
