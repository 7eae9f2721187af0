/* The ignore rules by hand-made trees: what shows, in which order, and why. Whether single patterns
 * mean what git means by them is test_ignore_git's. */
#include <sys/stat.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/files/ignore.h>

#include "support/temp.h"

/* One tree: files apart by blanks (a slash at the end: an empty folder; NAME->TARGET: a link),
 * lines of an ignore file apart by bars. `shown` are the files and links, in the order of the walk.
 */
struct row {
	const char *id;
	const char *files;
	const char *git;
	const char *sub_git; /* sub/.gitignore */
	const char *teddy;
	const char *shown;
};

static const struct row rows[] = {
	{"I01", "dist/i.html dist/b.js src/m.c", "dist/", NULL, NULL, "src/m.c"},
	{"I03", "dist/app/i.html dist/app/b.js dist/z src/m.c", "dist/", NULL, "!dist/app/i.html",
	 "dist/app/i.html src/m.c"},
	{"I04", "dist/i.html dist/s/b.js x", "dist/", NULL, "!dist/", "dist/s/b.js dist/i.html x"},
	{"I05", "secret.md visible.txt", NULL, NULL, "secret.md", "visible.txt"},
	{"I06", "a.log keep.log", "*.log|!keep.log", NULL, "keep.log", ""},
	{"I08", "dist/i.html dist/b.js x", "dist/|!dist/i.html", NULL, NULL, "x"},
	{"I09", "dist/i.html dist/b.js x", "dist/*|!dist/i.html", NULL, NULL, "dist/i.html x"},
	{"I14", "a/x.c a/b/x.c", "a/*.c", NULL, NULL, "a/b/x.c"},
	{"I15", "r.tmp sub/n.tmp sub/only.txt sub/ok", "*.tmp", "!n.tmp|only.txt", NULL,
	 "sub/n.tmp sub/ok"},
	{"I16", "x.dat sub/x.dat sub/d/x.dat", NULL, "/x.dat", NULL, "sub/d/x.dat x.dat"},
	{"I17", "sub/gen.c sub/k", NULL, "gen.c", "!sub/gen.c", "sub/gen.c sub/k"},
	{"I18", "#x b.o c", "# c||\\#x|b.o   ", NULL, NULL, "c"},
	{"I19", "!imp imp", "\\!imp", NULL, NULL, "imp"},
	{"I21", ".env .cfg/x y", NULL, NULL, NULL, ".cfg/x .env y"},
	{"I22", ".teddy/memos.yaml .git/HEAD y", NULL, NULL, "!*", "y"},
	{"I23", "a.log imp.log", "!imp.log|*.log", NULL, NULL, ""},
	{"I25", "t/a t/b", NULL, NULL, "t/*|!t/a", "t/a"},
	{"I26", "log/x s/log k", "log", NULL, NULL, "k"},
	{"I28", "\xC3\xA9 e", "?", NULL, NULL, "\xC3\xA9"},
	{"I30", "o/a/k o/b/k o/b/x", "o/", NULL, "!o/*/k", "o/a/k o/b/k"},
	{"I31", "sub/loop->.. a->nowhere", NULL, NULL, NULL, "sub/loop a"},
	{"I32", "b/1 a/1 Z B.txt a.txt _u", NULL, NULL, NULL, "a/1 b/1 _u a.txt B.txt Z"},
	{"I33", "E/ logs/x.log", "*.log", NULL, NULL, ""},
	/* our own */
	{"a linked ignore file of git is not read", "sub/.gitignore->../rules rules sub/x", NULL,
	 NULL, NULL, "sub/x rules"},
	{"a link to a folder is no folder to a rule", "d/x l->d", "l/", NULL, NULL, "d/x l"},
	{"a byte order mark and CR are not part of a pattern", "a b c",
	 "\xEF\xBB\xBF"
	 "a\r|b\r",
	 NULL, NULL, "c"},
	{"a second mark is part of it", "a",
	 "|\xEF\xBB\xBF"
	 "a",
	 NULL, NULL, "a"},
	{"a tab at the end is part of a pattern", "a", "a\t", NULL, NULL, "a"},
	{"an escaped blank at the end is part of it", "a", "a\\ ", NULL, NULL, "a"},
	{"a later line wins within .teddyignore", "k", NULL, NULL, "!k|k", ""},
	{".teddyignore's exclusion hides what it includes below", "d/x", NULL, NULL, "d/|!d/x", ""},
	{".teddyignore wins over a deeper .gitignore", "sub/x sub/y", NULL, "!x", "x", "sub/y"},
	{"an inclusion without a slash opens every excluded folder", "m/a.log m/p/b.log m/c x",
	 "m/", NULL, "!*.log", "m/p/b.log m/a.log x"},
	{"but none that .teddyignore excludes itself", "m/a.log x", NULL, NULL, "m/|!*.log", "x"},
	{"and shows nothing of .loom and .git", ".loom/a.log .git/a.log x", NULL, NULL, "!*.log",
	 "x"},
	{"two stars open an excluded folder", "m/p/q/k m/p/z x", "m/", NULL, "!m/**/k",
	 "m/p/q/k x"},
	{"below an included folder git's rules count again", "d/a/x.o d/a/y d/z", "d/|*.o", NULL,
	 "!d/a/", "d/a/y"},
	{"git's inclusion counts below what .teddyignore included", "d/a/x.o d/z.o", "d/|*.o|!x.o",
	 NULL, "!d/a/", "d/a/x.o"},
	{".git is never shown, file or folder, however deep", ".git/x s/.git s/k", NULL, NULL,
	 "!.git|!/.git/x|!s/.git", "s/k"},
	{"the ignore files are never shown", "a .teddyignore s/.gitignore s/.teddyignore s/k", NULL,
	 NULL, "!/.teddyignore|!.gitignore", "s/k a"},
	{".teddy shows what a line with a slash names", ".teddy/memos.yaml .teddy/b y", NULL, NULL,
	 "!.teddy/memos.yaml", ".teddy/memos.yaml y"},
	{"a line without a slash behind it changes nothing there", ".teddy/memos.yaml .teddy/b y",
	 NULL, NULL, "!.teddy/memos.yaml|!*", ".teddy/memos.yaml y"},
	{"a folder's own slash names .teddy too", ".teddy/b .loom/c y", NULL, NULL, "!.teddy/",
	 ".teddy/b y"},
	{"all folders are not .teddy", ".teddy/b y", NULL, NULL, "!*/", "y"},
	{"a .gitignore does not open .teddy", ".teddy/b y", "!.teddy/|!.teddy/b", NULL, NULL, "y"},
	{".leslie follows the rules", ".leslie/a .leslie/b", ".leslie/b", NULL, NULL, ".leslie/a"},
	{".loom of a folder below is hidden too", "s/.loom/grove.db s/k", NULL, NULL, NULL, "s/k"},
	{"what a folder includes again is all of it", "dist/app/i.html dist/z src/m.c", "dist",
	 NULL, "!dist/app/", "dist/app/i.html src/m.c"},
	{"an inclusion without a slash counts where no folder is excluded", "a.log k/b.log k/c",
	 "*.log", NULL, "!*.log", "k/b.log k/c a.log"},
	{"a slash at the start anchors", "a/dist/x dist/x y", "/dist", NULL, NULL, "a/dist/x y"},
	{"a slash in the middle anchors", "a/b/c a/c b/c", "a/b", NULL, NULL, "a/c b/c"},
	{"two stars in the middle are any folders, none too", "a/x/b a/x/y/b a/b b", "a/**/b", NULL,
	 NULL, "b"},
	{"two stars at the start are any folders, none too", "foo/a x/foo/b c", "**/foo", NULL,
	 NULL, "c"},
	{"two stars at the end are all that is below", "foo/a foo/b/c d", "foo/**", NULL, NULL,
	 "d"},
	{"case counts", "A.txt a.txt", "a.txt", NULL, NULL, "A.txt"},
	{"what .teddyignore includes shows below what .gitignore excludes", "t/a t/b", "t/", NULL,
	 "!t/a", "t/a"},
	{"a slash at the end is for folders only", "logs", "logs/", NULL, NULL, "logs"},
	{"a class without a slash never takes one", "abc axc a/c", "a[!b]c", NULL, NULL, "a/c abc"},
	{"all but one", "a/b/x c/x", "/*|!/c", NULL, NULL, "c/x"},
	{"a chain of folders below an excluded one", "a/b/c/d.txt a/b/c/e.txt a/f", "a/", NULL,
	 "!a/b/c/d.txt", "a/b/c/d.txt"},
	{"two lines below an excluded folder", "d/x d/y d/z", "d/", NULL, "!d/x|!d/y", "d/x d/y"},
	{"a star below an excluded folder", "d/x.md d/y.c e", "d/", NULL, "!d/*.md", "d/x.md e"},
	{"an anchored line below an excluded folder", "d/x.md d/y.c e", "d/", NULL, "!/d/x.md",
	 "d/x.md e"},
	{"the last line of .teddyignore decides below too", "d/x d/y", "d/", NULL, "!d/*|d/y",
	 "d/x"},
	{"a deeper .gitignore wins over a higher one", "sub/a.log a.log", "*.log", "!a.log", NULL,
	 "sub/a.log"},
	{"a deeper .gitignore does nothing below an excluded folder", "sub/a.log b", "sub/",
	 "!a.log", NULL, "b"},
	{"it counts again below an included one", "sub/a.log sub/b.log b", "sub/", "a.log", "!sub/",
	 "sub/b.log b"},
	{".gitkeep and others are listed", "d/.gitkeep d/.gitattributes .gitmodules", NULL, NULL,
	 NULL, "d/.gitattributes d/.gitkeep .gitmodules"},
	{"no folder is hidden by its name alone", ".venv/x __pycache__/y node_modules/z", NULL,
	 NULL, NULL, ".venv/x __pycache__/y node_modules/z"},
};

static void split_rules(const struct temp *temp, const char *name, const char *rules)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str rest = loom_str_of(rules);
	struct loom_str line;

	while (loom_str_cut(&rest, '|', &line)) {
		loom_buf_add(&text, line);
		loom_buf_addc(&text, '\n');
	}
	temp_write(temp, name, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static void make_link(const struct temp *temp, struct loom_str item, size_t arrow)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str dir = loom_str_sub(item, 0, arrow);
	struct loom_str target = loom_str_sub(item, arrow + 2, item.n);
	char *path = temp_path(temp, loom_arena_cstr(arena, dir));
	char *slash = strrchr(path, '/');

	*slash = '\0';
	(void)!mkdir(path, 0700);
	*slash = '/';
	if (symlink(loom_arena_cstr(arena, target), path) < 0)
		abort();
	free(path);
	loom_arena_destroy(arena);
}

static void make_files(const struct temp *temp, const char *files)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str rest = loom_str_of(files);
	struct loom_str item;

	while (loom_str_cut(&rest, ' ', &item)) {
		size_t arrow = loom_str_find(item, LOOM_STR("->"), 0);
		char *name = loom_arena_cstr(arena, item);

		if (arrow != SIZE_MAX) {
			make_link(temp, item, arrow);
		} else if (name[item.n - 1] == '/') {
			char *path = temp_path(temp, name);

			if (mkdir(path, 0700) < 0)
				abort();
			free(path);
		} else {
			temp_write(temp, name, LOOM_STR("x\n"));
		}
	}
	loom_arena_destroy(arena);
}

static void make_tree(const struct temp *temp, const struct row *row)
{
	make_files(temp, row->files);
	if (row->git)
		split_rules(temp, ".gitignore", row->git);
	if (row->sub_git)
		split_rules(temp, "sub/.gitignore", row->sub_git);
	if (row->teddy)
		split_rules(temp, ".teddyignore", row->teddy);
}

static bool add_file(void *ctx, const struct loom_seen *seen)
{
	struct loom_buf *out = ctx;

	if (seen->kind == LOOM_FILE_FOLDER)
		return true;
	if (out->n)
		loom_buf_addc(out, ' ');
	loom_buf_add(out, seen->path);
	return true;
}

static bool add_line(void *ctx, const struct loom_seen *seen)
{
	struct loom_buf *out = ctx;

	loom_buf_add_repeat(out, ' ', seen->depth * 2);
	loom_buf_add(out, seen->name);
	loom_buf_adds(out, seen->kind == LOOM_FILE_FOLDER ? "/\n" : "\n");
	return true;
}

/* What the walk of a folder gives, by the given callback. */
static enum loom_status walk(const struct temp *temp, const char *below, loom_seen_fn fn,
			     struct loom_buf *out)
{
	struct loom_walk_opts opts = {.below = loom_str_of(below)};
	struct loom_root root;
	enum loom_status status = loom_root_open(temp->path, &root, NULL);

	if (status == LOOM_OK)
		status = loom_ignore_walk(&root, &opts, fn, out, NULL);
	loom_root_close(&root);
	return status;
}

TEST every_row_shows_exactly_its_files(const struct row *row)
{
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct temp temp;

	temp_init(&temp);
	make_tree(&temp, row);
	ASSERT_EQ(LOOM_OK, walk(&temp, "", add_file, &got));
	ASSERT_STR_EQm(row->id, row->shown, loom_buf_cstr(&got));
	loom_buf_fini(&got);
	temp_fini(&temp);
	PASS();
}

/* Rows have to agree with the explanation of each of their files, shown or not. */
TEST every_row_is_explained_as_it_is_shown(const struct row *row)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf shown = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str rest = loom_str_of(row->files);
	struct loom_root root;
	struct loom_str item;
	struct temp temp;

	temp_init(&temp);
	make_tree(&temp, row);
	loom_buf_addf(&shown, " %s ", row->shown);
	ASSERT_EQ(LOOM_OK, loom_root_open(temp.path, &root, NULL));
	while (loom_str_cut(&rest, ' ', &item)) {
		struct loom_ignore_why why;
		struct loom_str path =
			loom_str_sub(item, 0, loom_str_find(item, LOOM_STR("->"), 0));
		struct loom_str want = loom_arena_format(arena, " %.*s ", LOOM_STR_ARG(path));
		bool is_shown = loom_str_find(loom_buf_str(&shown), want, 0) != SIZE_MAX;

		if (path.p[path.n - 1] == '/')
			continue;
		ASSERT_EQ(LOOM_OK, loom_ignore_explain(&root, path, arena, &why, NULL));
		ASSERT_EQ_FMTm(loom_arena_cstr(arena, path), !is_shown, why.hidden, "%d");
	}
	loom_root_close(&root);
	loom_buf_fini(&shown);
	loom_arena_destroy(arena);
	temp_fini(&temp);
	PASS();
}

static enum greatest_test_res lines_are(const struct row *row, const char *below,
					const char *expected)
{
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct temp temp;

	temp_init(&temp);
	make_tree(&temp, row);
	ASSERT_EQ(LOOM_OK, walk(&temp, below, add_line, &got));
	ASSERT_STR_EQ(expected, loom_buf_cstr(&got));
	loom_buf_fini(&got);
	temp_fini(&temp);
	PASS();
}

TEST folders_come_first_and_capitals_do_not_count(void)
{
	static const struct row row = {.files = "b/1 a/1 Z B.txt a.txt _u"};

	CHECK_CALL(lines_are(&row, "", "a/\n  1\nb/\n  1\n_u\na.txt\nB.txt\nZ\n"));
	PASS();
}

TEST names_equal_but_for_case_are_ordered_by_bytes(void)
{
	static const struct row row = {.files = "a A aa Aa aA AA \xC3\x84 \xC3\xA4 z"};

	CHECK_CALL(lines_are(&row, "", "A\na\nAA\nAa\naA\naa\nz\n\xC3\x84\n\xC3\xA4\n"));
	PASS();
}

TEST a_folder_without_visible_files_still_has_its_line(void)
{
	static const struct row row = {.files = "E/ logs/x.log", .git = "*.log"};

	CHECK_CALL(lines_are(&row, "", "E/\nlogs/\n"));
	PASS();
}

TEST an_excluded_folder_has_a_line_only_above_what_was_included(void)
{
	static const struct row row = {.files = "dist/app/i dist/app/b dist/img/x dist/e/ s",
				       .git = "dist/",
				       .teddy = "!dist/app/i|!dist/img/nothing"};

	CHECK_CALL(lines_are(&row, "", "dist/\n  app/\n    i\ns\n"));
	PASS();
}

TEST an_included_empty_folder_brings_the_folders_above(void)
{
	static const struct row row = {.files = "d/x", .git = "d/", .teddy = "!d/sub/"};
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct temp temp;
	char *path = NULL;

	temp_init(&temp);
	make_tree(&temp, &row);
	path = temp_path(&temp, "d/sub");
	ASSERT_EQ(0, mkdir(path, 0700));
	ASSERT_EQ(LOOM_OK, walk(&temp, "", add_line, &got));
	ASSERT_STR_EQ("d/\n  sub/\n", loom_buf_cstr(&got));
	free(path);
	loom_buf_fini(&got);
	temp_fini(&temp);
	PASS();
}

TEST a_link_that_loops_is_a_leaf(void)
{
	static const struct row row = {.files = "sub/loop->.. a->nowhere"};

	CHECK_CALL(lines_are(&row, "", "sub/\n  loop\na\n"));
	PASS();
}

TEST a_walk_below_a_folder_knows_the_rules_above_it(void)
{
	static const struct row row = {.files = "sub/d/a.o sub/d/b sub/d/c/x.o sub/d/c/y top",
				       .git = "*.o",
				       .sub_git = "y"};

	CHECK_CALL(lines_are(&row, "sub/d", "c/\nb\n"));
	PASS();
}

TEST a_walk_below_an_excluded_folder_shows_only_inclusions(void)
{
	static const struct row row = {.files = "o/a/k o/a/x o/y", .git = "o/", .teddy = "!o/a/k"};

	CHECK_CALL(lines_are(&row, "o", "a/\n  k\n"));
	CHECK_CALL(lines_are(&row, "o/a", "k\n"));
	PASS();
}

TEST pipes_are_not_shown_and_not_opened(void)
{
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct temp temp;
	char *pipe_path = NULL;
	char *rules_path = NULL;

	temp_init(&temp);
	temp_write(&temp, "s/k", LOOM_STR(""));
	pipe_path = temp_path(&temp, "pipe");
	rules_path = temp_path(&temp, "s/.gitignore");
	ASSERT_EQ(0, mkfifo(pipe_path, 0600));
	ASSERT_EQ(0, mkfifo(rules_path, 0600));
	ASSERT_EQ(LOOM_OK, walk(&temp, "", add_file, &got));
	ASSERT_STR_EQ("s/k", loom_buf_cstr(&got));
	free(pipe_path);
	free(rules_path);
	loom_buf_fini(&got);
	temp_fini(&temp);
	PASS();
}

TEST a_thousand_folders_deep_needs_no_more_descriptors(void)
{
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct temp temp;

	temp_init(&temp);
	for (int i = 0; i < 1100; i++)
		loom_buf_adds(&name, "d/");
	loom_buf_adds(&name, "leaf");
	temp_write(&temp, loom_buf_cstr(&name), LOOM_STR(""));
	ASSERT_EQ(LOOM_OK, walk(&temp, "", add_file, &got));
	ASSERT_STR_EQ(loom_buf_cstr(&name), loom_buf_cstr(&got));
	loom_buf_fini(&name);
	loom_buf_fini(&got);
	temp_fini(&temp);
	PASS();
}

static bool stop_at_once(void *ctx, const struct loom_seen *seen)
{
	(void)seen;
	++*(int *)ctx;
	return false;
}

TEST a_callback_stops_the_walk(void)
{
	static const struct row row = {.files = "a/1 b/1 c"};
	struct loom_root root;
	struct temp temp;
	int calls = 0;

	temp_init(&temp);
	make_tree(&temp, &row);
	ASSERT_EQ(LOOM_OK, loom_root_open(temp.path, &root, NULL));
	ASSERT_EQ(LOOM_CANCELLED, loom_ignore_walk(&root, NULL, stop_at_once, &calls, NULL));
	ASSERT_EQ(1, calls);
	loom_root_close(&root);
	temp_fini(&temp);
	PASS();
}

/* path; hidden; the part that decided; file; line; rule */
struct reason {
	const char *path;
	bool hidden;
	const char *at;
	const char *file;
	size_t line;
	const char *rule;
};

TEST an_explanation_names_file_line_and_rule(void)
{
	static const struct row row = {.files = "dist/app/i dist/z sub/k sub/n top .teddy/m .git/c",
				       .git = "# built|dist/|*.tmp",
				       .sub_git = "!k|n  ",
				       .teddy = "!dist/app/i|top"};
	static const struct reason reasons[] = {
		{"dist/app/i", false, "dist/app/i", ".teddyignore", 1, "!dist/app/i"},
		{"dist/z", true, "dist", ".gitignore", 2, "dist/"},
		{"dist/app/other", true, "dist", ".gitignore", 2, "dist/"},
		{"./sub//k", false, "sub/k", "sub/.gitignore", 1, "!k"},
		{"sub/n", true, "sub/n", "sub/.gitignore", 2, "n"},
		{"top", true, "top", ".teddyignore", 2, "top"},
		{"dist", true, "dist", ".gitignore", 2, "dist/"},
		{"new/dist", false, "new/dist", "", 0, ""},
		{"new/dist/", true, "new/dist", ".gitignore", 2, "dist/"},
		{"sub", false, "sub", "", 0, ""},
		{".teddy/m", true, ".teddy", "", 0, ""},
		{".git/c", true, ".git", "", 0, ""},
	};
	struct loom_arena *arena = loom_arena_create();
	struct loom_root root;
	struct temp temp;

	temp_init(&temp);
	make_tree(&temp, &row);
	ASSERT_EQ(LOOM_OK, loom_root_open(temp.path, &root, NULL));
	for (size_t i = 0; i < LOOM_COUNT(reasons); i++) {
		const struct reason *want = &reasons[i];
		struct loom_ignore_why why;

		ASSERT_EQ(LOOM_OK,
			  loom_ignore_explain(&root, loom_str_of(want->path), arena, &why, NULL));
		ASSERT_EQm(want->path, want->hidden, why.hidden);
		ASSERT_STR_EQm(want->path, want->at, loom_arena_cstr(arena, why.at));
		ASSERT_STR_EQm(want->path, want->file, loom_arena_cstr(arena, why.file));
		ASSERT_EQm(want->path, want->line, why.line);
		ASSERT_STR_EQm(want->path, want->rule, loom_arena_cstr(arena, why.rule));
	}
	loom_root_close(&root);
	loom_arena_destroy(arena);
	temp_fini(&temp);
	PASS();
}

TEST a_path_that_leaves_the_root_is_not_explained(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_ignore_why why;
	struct loom_root root;

	ASSERT_EQ(LOOM_OK, loom_root_open("/tmp", &root, NULL));
	ASSERT_EQ(LOOM_PATH, loom_ignore_explain(&root, LOOM_STR("../x"), arena, &why, NULL));
	loom_root_close(&root);
	loom_arena_destroy(arena);
	PASS();
}

SUITE(ignore)
{
	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		RUN_TEST1(every_row_shows_exactly_its_files, &rows[i]);
		RUN_TEST1(every_row_is_explained_as_it_is_shown, &rows[i]);
	}
	RUN_TEST(folders_come_first_and_capitals_do_not_count);
	RUN_TEST(names_equal_but_for_case_are_ordered_by_bytes);
	RUN_TEST(a_folder_without_visible_files_still_has_its_line);
	RUN_TEST(an_excluded_folder_has_a_line_only_above_what_was_included);
	RUN_TEST(an_included_empty_folder_brings_the_folders_above);
	RUN_TEST(a_link_that_loops_is_a_leaf);
	RUN_TEST(a_walk_below_a_folder_knows_the_rules_above_it);
	RUN_TEST(a_walk_below_an_excluded_folder_shows_only_inclusions);
	RUN_TEST(pipes_are_not_shown_and_not_opened);
	RUN_TEST(a_thousand_folders_deep_needs_no_more_descriptors);
	RUN_TEST(a_callback_stops_the_walk);
	RUN_TEST(an_explanation_names_file_line_and_rule);
	RUN_TEST(a_path_that_leaves_the_root_is_not_explained);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(ignore);
	GREATEST_MAIN_END();
}
