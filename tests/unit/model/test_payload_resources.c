/* input.md: what the listed resources become: files, folders, links, addresses, and what is
 * refused. */
#include <sys/stat.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/utf8.h>

#include "support/payload_world.h"

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

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(resources);
	GREATEST_MAIN_END();
}
