/* What is listed and cannot be shown as it is: missing, binary, outside, folders, patterns, URLs.
 */
#include <sys/stat.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/payload/payload.h>
#include <loom/base/utf8.h>

#include "support/project_suite.h"
#include "support/prop.h"

TEST what_is_missing_says_so_and_fails_nothing(void)
{
	project_put(&project, "f", "x\n");
	project_put_turn(&project, "missing.txt\nf/below\nf\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "- [missing.txt](/missing.txt)\n- [f/below](/f/below)\n- [f](/f)\n");
	ASSERT_HAS(&project, "**Resource:** `[missing.txt](/missing.txt)`\n"
			     "````\n--- FILE NOT FOUND ---\n````\n");
	ASSERT_HAS(&project, "`[f/below](/f/below)`\n````\n--- FILE NOT FOUND ---\n````\n");
	ASSERT_HAS(&project, "`[f](/f)`\n````text\nx\n````\n---\n");
	PASS();
}

TEST what_is_no_text_becomes_one_line_with_kind_and_size(void)
{
	project_put(&project, "latin", "caf\xE9\n");
	temp_write(&project.temp, "nul", LOOM_STR("a\0b"));
	temp_write(&project.temp, "p.png", LOOM_STR("\x89PNG\r\n\x1A\n\0\0"));
	project_put(&project, "ok", "fine\n");
	project_put_turn(&project, "latin\nnul\np.png\nok\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "````\n--- NOT SHOWN: text that is not UTF-8, 5 bytes ---\n````\n");
	ASSERT_HAS(&project, "````\n--- NOT SHOWN: binary data, 3 bytes ---\n````\n");
	ASSERT_HAS(&project, "````\n--- NOT SHOWN: PNG image, 10 bytes ---\n````\n");
	ASSERT_HAS(&project, "````text\nfine\n````\n---\n");
	ASSERT(loom_utf8_valid(loom_buf_str(&project.payload.text), NULL));
	PASS();
}

TEST what_leads_outside_is_refused_with_a_warning(void)
{
	struct temp outside;
	char *link = NULL;

	temp_init(&outside);
	temp_write(&outside, "secret", LOOM_STR("key\n"));
	project_put(&project, "d/ok", "fine\n");
	link = temp_path(&project.temp, "d/out");
	ASSERT_EQ(0, symlink(outside.path, link));
	project_put_turn(&project, "../x\nd/out/secret\nd/../../y\nd/ok\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "- [../x](/../x)\n");
	ASSERT_EQ(3, (int)project_times(&project, "--- NOT SHOWN: outside the root ---"));
	ASSERT_LACKS(&project, "key");
	ASSERT(project_warned(&project, "../x"));
	ASSERT(project_warned(&project, "d/out/secret"));
	ASSERT_HAS(&project, "fine\n");
	free(link);
	temp_fini(&outside);
	PASS();
}

TEST links_are_followed_as_long_as_they_stay_beneath(void)
{
	char *near = NULL;
	char *absolute = NULL;
	char *target = NULL;

	project_put(&project, "real/a.txt", "here\n");
	near = temp_path(&project.temp, "near.txt");
	absolute = temp_path(&project.temp, "absolute.txt");
	target = temp_path(&project.temp, "real/a.txt");
	ASSERT_EQ(0, symlink("real/a.txt", near));
	ASSERT_EQ(0, symlink(target, absolute));
	project_put_turn(&project, "near.txt\nabsolute.txt\n");
	ASSERT_BUILT(&project);
	ASSERT_EQ(2, (int)project_times(&project, "````text\nhere\n````\n"));
	free(near);
	free(absolute);
	free(target);
	PASS();
}

TEST pipes_and_the_stores_own_files_are_never_opened(void)
{
	struct loom_file_id own[1];
	struct loom_file_info info;
	char *pipe_path = NULL;
	char *store = NULL;
	char *twin = NULL;

	project_put(&project, ".loom/grove.db", "SECRET");
	pipe_path = temp_path(&project.temp, "pipe");
	store = temp_path(&project.temp, ".loom/grove.db");
	twin = temp_path(&project.temp, "twin");
	ASSERT_EQ(0, mkfifo(pipe_path, 0600));
	ASSERT_EQ(0, link(store, twin));
	ASSERT_EQ(LOOM_OK,
		  loom_path_info(&project.root, LOOM_STR(".loom/grove.db"), false, &info, NULL));
	own[0] = info.id;
	project.root.refused = own;
	project.root.refused_count = 1;
	project_put_turn(&project, "pipe\n.loom/grove.db\ntwin\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "--- NOT SHOWN: a device, pipe or socket ---");
	ASSERT_EQ(2, (int)project_times(&project, "--- NOT SHOWN: a file of the store ---"));
	ASSERT_LACKS(&project, "SECRET");
	free(pipe_path);
	free(store);
	free(twin);
	PASS();
}

TEST a_folder_stands_for_its_visible_files_sorted(void)
{
	project_put(&project, ".gitignore", "d/a\n");
	project_put(&project, "d/b", "1\n");
	project_put(&project, "d/a", "2\n");
	project_put(&project, "d/s/c", "3\n");
	project_put(&project, "d/B", "4\n");
	project_put_turn(&project, "d/\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Turn\n- [d/B](/d/B)\n- [d/b](/d/b)\n- [d/s/c](/d/s/c)\n\n");
	ASSERT_EQ(3, (int)project_times(&project, "**Resource:**"));
	project_put_turn(&project, "d\nd/a\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "- [d/s/c](/d/s/c)\n- [d/a](/d/a)\n\n");
	ASSERT_HAS(&project, "````text\n2\n````\n");
	PASS();
}

TEST a_folder_passes_over_links_to_folders_and_out(void)
{
	char *loop = NULL;
	char *good = NULL;
	char *dangling = NULL;
	char *out = NULL;

	project_put(&project, "d/b", "1\n");
	loop = temp_path(&project.temp, "d/loop");
	good = temp_path(&project.temp, "d/good");
	dangling = temp_path(&project.temp, "d/dangling");
	out = temp_path(&project.temp, "d/out");
	ASSERT_EQ(0, symlink("..", loop));
	ASSERT_EQ(0, symlink("b", good));
	ASSERT_EQ(0, symlink("nowhere", dangling));
	ASSERT_EQ(0, symlink("/etc/passwd", out));
	project_put_turn(&project, "d\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Turn\n- [d/b](/d/b)\n- [d/good](/d/good)\n\n## 5.");
	ASSERT(project_warned(&project, "d/out"));
	free(loop);
	free(good);
	free(dangling);
	free(out);
	PASS();
}

TEST a_folder_without_visible_files_stays_in_the_summary(void)
{
	project_put(&project, ".gitignore", "d/\n");
	project_put(&project, "d/a", "2\n");
	project_put_turn(&project, "d\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "### Turn\n- [d](/d)\n");
	ASSERT_HAS(&project, "--- FOLDER WITHOUT VISIBLE FILES ---");
	PASS();
}

TEST a_path_with_sessions_in_it_is_a_path_like_any_other(void)
{
	project_put(&project, "src/sessions/store.py", "here\n");
	project_put_turn(&project, "src/sessions/store.py\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "````python\nhere\n````\n");
	PASS();
}

TEST patterns_are_reported_not_expanded(void)
{
	project_put(&project, "a.py", "x\n");
	project_put(&project, "w?.py", "odd\n");
	project_put_turn(&project, "*.py\nw?.py\n[a].py\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "- [*.py](/*.py)\n");
	ASSERT_HAS(&project, "--- UNRESOLVED: patterns are not expanded ---");
	ASSERT_HAS(&project, "````python\nodd\n````\n");
	ASSERT_HAS(&project, "--- FILE NOT FOUND ---");
	ASSERT(project_warned(&project, "*.py"));
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

	project.opts.fetch = fetch;
	project.opts.fetch_ctx = &web;
	project_put_turn(&project, "https://example.com/docs?a=1&b=2\n");
	project_put(&project, ".teddy/global.context", "https://example.com/docs?a=1&b=2\n");
	ASSERT_BUILT(&project);
	ASSERT_EQ(1, web.calls);
	ASSERT_EQ(2, (int)project_times(&project, "- [https://example.com/docs?a=1&b=2]"
						  "(https://example.com/docs?a=1&b=2)\n"));
	ASSERT_HAS(&project, "**Resource:** `[https://example.com/docs?a=1&b=2]"
			     "(https://example.com/docs?a=1&b=2)`\n"
			     "````html\n<!doctype html>\n````\n---\n");
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

	project.opts.fetch = fetch;
	project.opts.fetch_ctx = &web;
	project_put_turn(&project, "http://127.0.0.1/x\n");
	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		web.type = rows[i][0];
		ASSERT_BUILT(&project);
		ASSERTm(rows[i][0],
			project_has(
				&project,
				loom_arena_format(project.arena, "\n````%s\nx\n", rows[i][1]).p));
	}
	PASS();
}

TEST a_url_that_fails_leaves_the_other_resources_alone(void)
{
	struct web web = {.status = LOOM_IO};

	project_put(&project, "a", "fine\n");
	project_put_turn(&project, "https://example.com/x\na\n");
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "````\n--- NOT FETCHED ---\n````\n");
	project.opts.fetch = fetch;
	project.opts.fetch_ctx = &web;
	ASSERT_BUILT(&project);
	ASSERT_HAS(&project, "````\n--- NOT FETCHED: the server said 404 ---\n````\n");
	ASSERT_HAS(&project, "````text\nfine\n````\n---\n");
	ASSERT(project_warned(&project, "404"));
	PASS();
}

SUITE(payload_resources)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
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
	RUN_SUITE(payload_resources);
	GREATEST_MAIN_END();
}
