/* Paths under attack: nothing is read or written outside the root, and a write is whole or not at
 * all. */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/base/env.h>
#include <loom/files/path.h>

#include <loom/files/beneath.h>
#include "support/prop.h"
#include "support/temp.h"

/* A root with a neighbour whose name begins like its own. */
struct world {
	struct temp temp;
	struct loom_root root;
};

static struct world world;

static void set_up(void *unused)
{
	char *path = NULL;

	(void)unused;
	temp_init(&world.temp);
	temp_write(&world.temp, "root/a.txt", LOOM_STR("inside\n"));
	temp_write(&world.temp, "root/d/b.txt", LOOM_STR("deeper\n"));
	temp_write(&world.temp, "root2/secret", LOOM_STR("secret\n"));
	path = temp_path(&world.temp, "root");
	if (loom_root_open(path, &world.root, NULL) != LOOM_OK)
		abort();
	free(path);
}

static void tear_down(void *unused)
{
	(void)unused;
	loom_root_close(&world.root);
	temp_fini(&world.temp);
}

static void make_link(const char *target, const char *name)
{
	char *path = temp_path(&world.temp, name);

	if (symlink(target, path) < 0)
		abort();
	free(path);
}

static enum loom_status read_into(struct loom_str path, bool links, struct loom_buf *out)
{
	loom_buf_clear(out);
	return loom_file_read(&world.root, path, &(struct loom_read_opts){.links = links}, out,
			      NULL);
}

static enum loom_status read_path(const char *path, bool links)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = read_into(loom_str_of(path), links, &text);

	loom_buf_fini(&text);
	return status;
}

static bool file_is(const char *name, const char *want)
{
	struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char *path = temp_path(&world.temp, name);
	bool same = temp_read(path, &got) && loom_str_is(loom_buf_str(&got), want);

	loom_buf_fini(&got);
	free(path);
	return same;
}

static size_t names_in(const char *path)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_folder_item *items = NULL;
	size_t count = 0;

	if (loom_folder_list(&world.root, loom_str_of(path), arena, &items, &count, NULL) !=
	    LOOM_OK)
		abort();
	loom_arena_destroy(arena);
	return count;
}

TEST a_normal_form_has_no_dots_and_no_empty_parts(void)
{
	static const char *const rows[][2] = {
		{"a", "a"},
		{"./a//b/./c", "a/b/c"},
		{"/a/b", "a/b"},
		{"a/../b", "b"},
		{"a/b/../../c", "c"},
		{"", ""},
		{"/", ""},
		{".", ""},
		{"a/..", ""},
		{"a/", "a"},
		{"...", "..."},
		{"a/.b", "a/.b"},
		{"..a/b..", "..a/b.."},
		{" a", " a"},
	};
	static const char *const outside[] = {"..",  "../a",   "a/../../b",
					      "/..", "./../a", "a/b/../../.."};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);

		ASSERT_EQ(LOOM_OK, loom_path_normal(loom_str_of(rows[i][0]), &got, NULL));
		ASSERT_STR_EQ(rows[i][1], loom_buf_cstr(&got));
		loom_buf_fini(&got);
	}
	for (size_t i = 0; i < LOOM_COUNT(outside); i++) {
		struct loom_buf got = LOOM_BUF_INIT(LOOM_BUF_MAX);

		ASSERT_EQm(outside[i], LOOM_PATH,
			   loom_path_normal(loom_str_of(outside[i]), &got, NULL));
		loom_buf_fini(&got);
	}
	PASS();
}

TEST a_name_that_hides_something_is_refused(void)
{
	static const char *const good[] = {"a",   "notes.md", ".hidden", "a b", "caf\xC3\xA9",
					   "a-b", "x~",       "..a",     "#x"};
	static const char *const bad[] = {"",
					  ".",
					  "..",
					  "a/b",
					  "-x",
					  "~x",
					  "a ",
					  "a.",
					  "a\n",
					  "a\x7F",
					  "\xFF",
					  "a\xC2\x9B",
					  "a\xE2\x80\xAE"
					  "b",
					  "a\xE2\x80\x8B"
					  "b",
					  "a\tb"};
	struct loom_err err;
	char longest[257];

	for (size_t i = 0; i < LOOM_COUNT(good); i++)
		ASSERT_EQm(good[i], LOOM_OK, loom_path_check_name(loom_str_of(good[i]), NULL));
	for (size_t i = 0; i < LOOM_COUNT(bad); i++)
		ASSERT_EQm(bad[i], LOOM_PATH, loom_path_check_name(loom_str_of(bad[i]), NULL));
	ASSERT_EQ(LOOM_PATH, loom_path_check_name(LOOM_STR(".."), &err));
	ASSERT_STR_EQ("the name \"..\" means a folder", err.text);
	memset(longest, 'x', sizeof longest);
	ASSERT_EQ(LOOM_OK, loom_path_check_name(loom_str_make(longest, 255), NULL));
	ASSERT_EQ(LOOM_PATH, loom_path_check_name(loom_str_make(longest, 256), NULL));
	ASSERT_EQ(LOOM_PATH, loom_path_check_name(LOOM_STR("a\0b"), NULL));
	ASSERT_EQ(LOOM_OK, loom_path_check(LOOM_STR("a/b.c/d"), NULL));
	ASSERT_EQ(LOOM_PATH, loom_path_check(LOOM_STR("a//d"), NULL));
	ASSERT_EQ(LOOM_PATH, loom_path_check(LOOM_STR("a/../d"), NULL));
	PASS();
}

TEST twins_differ_only_in_case_or_composition(void)
{
	static const struct {
		const char *a;
		const char *b;
		bool twin;
	} rows[] = {
		{"Notes.md", "notes.md", true},
		{"caf\xC3\xA9", "cafe\xCC\x81", true},
		{"CAF\xC3\x89", "cafe\xCC\x81", true},
		{"caf\xC3\xA9", "CAF\xC3\x89", true},
		{"cafe", "caf\xC3\xA9", false},
		{"cafe", "cafe\xCC\x81", false},
		{"a", "a", false},
		{"a", "ab", false},
		{"ab", "a", false},
		{"", "a", false},
		{"a\xCC\x81", "a\xCC\x80", false},
		{"x\xCC\x81", "\xC3\xA9", false},
		{"x\xCC\x81", "x", false},
	};

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		ASSERT_EQm(rows[i].a, rows[i].twin,
			   loom_path_is_twin(loom_str_of(rows[i].a), loom_str_of(rows[i].b)));
		ASSERT_EQm(rows[i].a, rows[i].twin,
			   loom_path_is_twin(loom_str_of(rows[i].b), loom_str_of(rows[i].a)));
	}
	PASS();
}

TEST nothing_outside_the_root_is_read_whatever_it_is_called(void)
{
	static const char *const names[] = {"../root2/secret",
					    "d/../../root2/secret",
					    "/etc/passwd",
					    "//etc/passwd",
					    "..",
					    "out/secret",
					    "absolute",
					    "up/root2/secret",
					    "chain"};
	char *target = NULL;

	target = temp_path(&world.temp, "root2/secret");
	make_link("../root2", "root/out");
	make_link(target, "root/absolute");
	make_link("..", "root/up");
	make_link("absolute", "root/chain");
	make_link("/proc/self/cwd", "root/magic");
	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		ASSERT_EQm(names[i], LOOM_PATH, read_path(names[i], true));
		ASSERT_EQm(names[i], LOOM_PATH, read_path(names[i], false));
	}
	ASSERT_EQ(LOOM_PATH, read_path("magic/a.txt", true));
	free(target);
	PASS();
}

TEST a_path_with_a_nul_is_refused(void)
{
	struct loom_folder_item *items = NULL;
	struct loom_file_info info;
	size_t count = 0;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	ASSERT_EQ(LOOM_PATH, read_into(LOOM_STR("a.txt\0x"), true, &text));
	ASSERT_EQ(0, (int)text.n);
	ASSERT_EQ(LOOM_PATH, loom_path_normal(LOOM_STR("a.txt\0x"), &text, NULL));
	ASSERT_EQ(LOOM_PATH, loom_path_check(LOOM_STR(""), NULL));
	ASSERT_EQ(LOOM_PATH, loom_folder_make(&world.root, LOOM_STR("n\0x"), NULL));
	ASSERT_EQ(LOOM_PATH,
		  loom_file_write(&world.root, LOOM_STR("n\0x"), LOOM_STR("x"), NULL, NULL));
	ASSERT_EQ(LOOM_PATH, loom_path_info(&world.root, LOOM_STR("a\0x"), true, &info, NULL));
	ASSERT_EQ(LOOM_PATH, loom_path_resolve(&world.root, LOOM_STR("a\0x"), &text, NULL));
	ASSERT_EQ(LOOM_PATH,
		  loom_folder_list(&world.root, LOOM_STR("d\0x"), NULL, &items, &count, NULL));
	loom_buf_fini(&text);
	PASS();
}

TEST what_is_longer_than_a_name_can_be_is_refused_and_says_so(void)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct loom_write_opts any = {.any_name = true};
	struct loom_err err = {.text = ""};

	loom_buf_add_repeat(&name, 'n', 300);
	ASSERT_EQ(LOOM_PATH, loom_file_read(&world.root, loom_buf_str(&name), NULL, &text, &err));
	ASSERT(strstr(err.text, "is too long"));
	ASSERT_EQ(LOOM_PATH, loom_folder_make(&world.root, loom_buf_str(&name), &err));
	ASSERT_EQ(LOOM_PATH,
		  loom_file_write(&world.root, loom_buf_str(&name), LOOM_STR("x"), &any, &err));
	ASSERT_EQ(2, names_in(""));
	loom_buf_fini(&name);
	loom_buf_fini(&text);
	PASS();
}

TEST where_no_file_can_be_made_a_write_says_why(void)
{
	const struct loom_write_opts any = {.any_name = true};
	struct loom_root root = LOOM_ROOT_INIT;
	struct loom_err err = {.text = ""};

	if (loom_root_open("/proc/self", &root, NULL) != LOOM_OK)
		SKIPm("no /proc");
	ASSERT(loom_file_write(&root, LOOM_STR("a.txt"), LOOM_STR("x"), &any, &err) != LOOM_OK);
	ASSERT(strstr(err.text, "a.txt"));
	ASSERT(loom_folder_make(&root, LOOM_STR("folder"), &err) != LOOM_OK);
	ASSERT(strstr(err.text, "folder"));
	loom_root_close(&root);
	loom_root_close(&root);
	loom_root_close(NULL);
	PASS();
}

TEST links_beneath_the_root_are_followed_only_when_asked(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char *target = NULL;

	target = temp_path(&world.temp, "root/d");
	make_link("d/b.txt", "root/near");
	make_link(target, "root/absolute");
	make_link("loop", "root/loop");
	make_link("nowhere", "root/dangling");
	ASSERT_EQ(LOOM_OK, read_into(LOOM_STR("near"), true, &text));
	ASSERT_STR_EQ("deeper\n", loom_buf_cstr(&text));
	ASSERT_EQ(LOOM_OK, read_into(LOOM_STR("absolute/b.txt"), true, &text));
	ASSERT_STR_EQ("deeper\n", loom_buf_cstr(&text));
	ASSERT_EQ(LOOM_PATH, read_path("near", false));
	ASSERT_EQ(LOOM_PATH, read_path("absolute/b.txt", false));
	ASSERT_EQ(LOOM_PATH, read_path("loop", true));
	ASSERT_EQ(LOOM_NOT_FOUND, read_path("dangling", true));
	loom_buf_fini(&text);
	free(target);
	PASS();
}

TEST a_file_of_ones_own_is_read_by_its_whole_path(void)
{
	struct loom_read_opts few = {.max = 3};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char *path = temp_path(&world.temp, "root/d/b.txt");
	char *link = NULL;

	make_link("d/b.txt", "root/near");
	link = temp_path(&world.temp, "root/near");
	ASSERT_EQ(LOOM_OK, loom_file_read_at(path, NULL, &text, NULL));
	ASSERT_STR_EQ("deeper\n", loom_buf_cstr(&text));
	loom_buf_clear(&text);
	ASSERT_EQ(LOOM_LIMIT, loom_file_read_at(path, &few, &text, NULL));
	ASSERT_EQ(LOOM_PATH, loom_file_read_at(link, NULL, &text, NULL));
	ASSERT_EQ(LOOM_NOT_FOUND, loom_file_read_at("no such file", NULL, &text, NULL));
	loom_buf_fini(&text);
	free(path);
	free(link);
	PASS();
}

TEST a_path_leads_to_its_real_place(void)
{
	struct loom_buf place = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char *target = NULL;

	target = temp_path(&world.temp, "root");
	make_link("d", "root/l");
	make_link(target, "root/d/self");
	ASSERT_EQ(LOOM_OK,
		  loom_path_resolve(&world.root, LOOM_STR("l/self/l/b.txt"), &place, NULL));
	ASSERT_STR_EQ("d/b.txt", loom_buf_cstr(&place));
	loom_buf_clear(&place);
	ASSERT_EQ(LOOM_OK, loom_path_resolve(&world.root, LOOM_STR("l/self"), &place, NULL));
	ASSERT_EQ(0, (int)place.n);
	ASSERT_EQ(LOOM_PATH, loom_path_resolve(&world.root, LOOM_STR("../root2"), &place, NULL));
	loom_buf_fini(&place);
	free(target);
	PASS();
}

TEST a_pipe_or_a_folder_is_refused_without_waiting(void)
{
	char *path = NULL;

	path = temp_path(&world.temp, "root/pipe");
	ASSERT_EQ(0, mkfifo(path, 0600));
	alarm(5);
	ASSERT_EQ(LOOM_PATH, read_path("pipe", true));
	alarm(0);
	ASSERT_EQ(LOOM_PATH, read_path("d", true));
	ASSERT_EQ(LOOM_PATH, read_path("", true));
	free(path);
	PASS();
}

TEST a_file_of_the_store_is_refused_by_any_name(void)
{
	struct loom_file_info info;
	struct loom_file_id own[3];
	char *old = NULL;
	char *new = NULL;

	old = temp_path(&world.temp, "root/a.txt");
	new = temp_path(&world.temp, "root/d/twin");
	ASSERT_EQ(0, link(old, new));
	ASSERT_EQ(LOOM_OK, loom_path_info(&world.root, LOOM_STR("a.txt"), false, &info, NULL));
	ASSERT_EQ(2, (int)info.links);
	/* the same number on another device, and another one on the same */
	own[0] = own[1] = own[2] = info.id;
	own[0].device++;
	own[1].inode++;
	world.root.refused = own;
	world.root.refused_count = 2;
	ASSERT_EQ(LOOM_OK, read_path("a.txt", true));
	world.root.refused_count = 3;
	ASSERT_EQ(LOOM_REFUSED, read_path("a.txt", true));
	ASSERT_EQ(LOOM_REFUSED, read_path("d/twin", true));
	ASSERT_EQ(LOOM_REFUSED,
		  loom_file_write(&world.root, LOOM_STR("d/twin"), LOOM_STR("x"), NULL, NULL));
	ASSERT(file_is("root/a.txt", "inside\n"));
	free(old);
	free(new);
	PASS();
}

TEST a_reader_may_refuse_other_names_and_large_files(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	char *old = NULL;
	char *new = NULL;

	ASSERT_EQ(LOOM_LIMIT, loom_file_read(&world.root, LOOM_STR("a.txt"),
					     &(struct loom_read_opts){.max = 6}, &text, NULL));
	ASSERT_EQ(LOOM_OK, loom_file_read(&world.root, LOOM_STR("a.txt"),
					  &(struct loom_read_opts){.max = 7}, &text, NULL));
	old = temp_path(&world.temp, "root/a.txt");
	new = temp_path(&world.temp, "root/twin");
	ASSERT_EQ(0, link(old, new));
	ASSERT_EQ(LOOM_PATH, loom_file_read(&world.root, LOOM_STR("a.txt"),
					    &(struct loom_read_opts){.single = true}, &text, NULL));
	free(old);
	free(new);
	loom_buf_fini(&text);
	PASS();
}

TEST a_lock_that_is_not_to_be_had_is_waited_for_and_given_up(void)
{
	int other = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int mine = openat(world.root.fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int theirs = openat(world.root.fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int64_t began = loom_env_boot();

	ASSERT(other >= 0 && mine >= 0 && theirs >= 0);
	close(other);
	ASSERT_FALSE(model_flock(other, 0));
	ASSERT(model_flock(theirs, 0));
	ASSERT_FALSE(model_flock(mine, 20));
	ASSERT(loom_env_boot() - began > 20);
	close(theirs);
	ASSERT(model_flock(mine, 20));
	close(mine);
	PASS();
}

TEST a_name_that_has_two_twins_is_refused_too(void)
{
	temp_write(&world.temp, "root/d/readme", LOOM_STR("1"));
	temp_write(&world.temp, "root/d/README", LOOM_STR("2"));
	ASSERT_EQ(LOOM_PATH,
		  loom_file_write(&world.root, LOOM_STR("d/Readme"), LOOM_STR("3"), NULL, NULL));
	ASSERT(file_is("root/d/readme", "1") && file_is("root/d/README", "2"));
	PASS();
}

/* What says that it is empty and is not: files of the kernel, or one that grows meanwhile. */
TEST a_file_that_grows_while_it_is_read_ends_at_the_limit(void)
{
	struct loom_read_opts opts = {.max = 10};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf small = LOOM_BUF_INIT(5);
	struct loom_root self;

	ASSERT_EQ(LOOM_OK, loom_root_open("/proc/self", &self, NULL));
	ASSERT_EQ(LOOM_LIMIT, loom_file_read(&self, LOOM_STR("status"), &opts, &text, NULL));
	ASSERT_EQ(LOOM_LIMIT, loom_file_read(&self, LOOM_STR("status"), NULL, &small, NULL));
	loom_buf_clear(&text);
	ASSERT_EQ(LOOM_OK, loom_file_read(&self, LOOM_STR("status"), NULL, &text, NULL));
	ASSERT(text.n > 10);
	loom_root_close(&self);
	loom_buf_fini(&text);
	loom_buf_fini(&small);
	PASS();
}

TEST a_root_may_be_the_whole_machine(void)
{
	struct loom_buf place = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_root all;
	char *file = NULL;

	file = temp_path(&world.temp, "root/d/b.txt");
	make_link(file, "root/link");
	free(file);
	file = temp_path(&world.temp, "root/link");
	ASSERT_EQ(LOOM_OK, loom_root_open("/", &all, NULL));
	ASSERT_EQ(LOOM_OK, loom_path_resolve(&all, loom_str_of(file + 1), &place, NULL));
	ASSERT(loom_str_ends(loom_buf_str(&place), LOOM_STR("/root/d/b.txt")));
	ASSERT(loom_buf_str(&place).p[0] != '/');
	loom_root_close(&all);
	loom_buf_fini(&place);
	free(file);
	PASS();
}

/* Calls `step` for about half a second while a child swaps two names without a pause. */
static bool race(const char *one, const char *other, bool (*step)(void))
{
	clock_t start = clock();
	pid_t child = fork();
	bool held = true;

	if (child == 0) {
		for (;;)
			renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
	}
	while (held && clock() - start < CLOCKS_PER_SEC / 2)
		for (int i = 0; held && i < 100; i++)
			held = step();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return held;
}

static bool reads_no_secret(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = read_into(LOOM_STR("d/secret"), true, &text);
	bool held = status != LOOM_OK || loom_str_is(loom_buf_str(&text), "mine\n");

	loom_buf_fini(&text);
	return held;
}

TEST a_racing_rename_never_leads_a_read_outside(void)
{
	char *folder = NULL;
	char *link = NULL;
	bool held = false;

	temp_write(&world.temp, "root/d/secret", LOOM_STR("mine\n"));
	make_link("../root2", "root/l");
	folder = temp_path(&world.temp, "root/d");
	link = temp_path(&world.temp, "root/l");
	held = race(folder, link, reads_no_secret);
	ASSERT(held);
	free(folder);
	free(link);
	PASS();
}

static bool writes_nothing_outside(void)
{
	struct stat st;
	char *path = temp_path(&world.temp, "root2/new");
	bool held = false;

	(void)!loom_file_write(&world.root, LOOM_STR("d/new"), LOOM_STR("x"), NULL, NULL);
	held = lstat(path, &st) < 0;
	free(path);
	return held;
}

TEST a_racing_rename_never_leads_a_write_outside(void)
{
	char *folder = NULL;
	char *link = NULL;
	bool held = false;

	make_link("../root2", "root/l");
	folder = temp_path(&world.temp, "root/d");
	link = temp_path(&world.temp, "root/l");
	held = race(folder, link, writes_nothing_outside);
	ASSERT(held);
	free(folder);
	free(link);
	PASS();
}

TEST a_write_makes_or_replaces_a_file_and_leaves_nothing_else(void)
{
	struct stat st;
	char *path = NULL;

	ASSERT_EQ(LOOM_OK,
		  loom_file_write(&world.root, LOOM_STR("d/new"), LOOM_STR("one"), NULL, NULL));
	ASSERT(file_is("root/d/new", "one"));
	path = temp_path(&world.temp, "root/d/new");
	ASSERT_EQ(0, chmod(path, 0640));
	ASSERT_EQ(LOOM_OK,
		  loom_file_write(&world.root, LOOM_STR("d/new"), LOOM_STR(""), NULL, NULL));
	ASSERT(file_is("root/d/new", ""));
	ASSERT_EQ(0, stat(path, &st));
	ASSERT_EQ(0640, (int)(st.st_mode & 0777));
	ASSERT_EQ(2, (int)names_in("d"));
	ASSERT_EQ(LOOM_NOT_FOUND,
		  loom_file_write(&world.root, LOOM_STR("x/y"), LOOM_STR(""), NULL, NULL));
	ASSERT_EQ(LOOM_OK, loom_file_write(&world.root, LOOM_STR("x/y/z"), LOOM_STR("deep"),
					   &(struct loom_write_opts){.folders = true}, NULL));
	ASSERT(file_is("root/x/y/z", "deep"));
	free(path);
	PASS();
}

TEST a_write_refuses_what_it_must_not_replace(void)
{
	struct loom_hash old = loom_sha256(LOOM_STR("inside\n"));
	struct loom_hash other = loom_sha256(LOOM_STR("something else"));

	make_link("a.txt", "root/l");
	ASSERT_EQ(LOOM_PATH,
		  loom_file_write(&world.root, LOOM_STR("l"), LOOM_STR("x"), NULL, NULL));
	ASSERT_EQ(LOOM_PATH,
		  loom_file_write(&world.root, LOOM_STR("d"), LOOM_STR("x"), NULL, NULL));
	ASSERT_EQ(LOOM_PATH,
		  loom_file_write(&world.root, LOOM_STR("../x"), LOOM_STR("x"), NULL, NULL));
	ASSERT_EQ(LOOM_PATH, loom_file_write(&world.root, LOOM_STR(""), LOOM_STR("x"), NULL, NULL));
	ASSERT_EQ(LOOM_CONFLICT, loom_file_write(&world.root, LOOM_STR("a.txt"), LOOM_STR("x"),
						 &(struct loom_write_opts){.fresh = true}, NULL));
	ASSERT_EQ(LOOM_CONFLICT,
		  loom_file_write(&world.root, LOOM_STR("a.txt"), LOOM_STR("x"),
				  &(struct loom_write_opts){.expected = &other}, NULL));
	ASSERT(file_is("root/a.txt", "inside\n"));
	ASSERT_EQ(LOOM_OK, loom_file_write(&world.root, LOOM_STR("a.txt"), LOOM_STR("x"),
					   &(struct loom_write_opts){.expected = &old}, NULL));
	ASSERT(file_is("root/a.txt", "x"));
	PASS();
}

TEST new_names_follow_the_rules_unless_a_person_chose_them(void)
{
	ASSERT_EQ(LOOM_PATH,
		  loom_file_write(&world.root, LOOM_STR("-x"), LOOM_STR(""), NULL, NULL));
	ASSERT_EQ(LOOM_PATH,
		  loom_file_write(&world.root, LOOM_STR("A.txt"), LOOM_STR(""), NULL, NULL));
	ASSERT_EQ(LOOM_PATH, loom_file_write(&world.root, LOOM_STR("~/x"), LOOM_STR(""),
					     &(struct loom_write_opts){.folders = true}, NULL));
	ASSERT_EQ(LOOM_OK, loom_file_write(&world.root, LOOM_STR("A.txt"), LOOM_STR("two"),
					   &(struct loom_write_opts){.any_name = true}, NULL));
	ASSERT(file_is("root/a.txt", "inside\n"));
	PASS();
}

TEST a_path_of_the_command_line_is_written_where_it_says(void)
{
	struct loom_err err;
	char *path = NULL;
	char *link = NULL;

	path = temp_path(&world.temp, "out.md");
	ASSERT_EQ(LOOM_OK, loom_file_write_at(path, LOOM_STR("x"), NULL, NULL));
	ASSERT(file_is("out.md", "x"));
	make_link("out.md", "l");
	link = temp_path(&world.temp, "l");
	ASSERT_EQ(LOOM_PATH, loom_file_write_at(link, LOOM_STR("y"), NULL, NULL));
	ASSERT_EQ(LOOM_PATH, loom_file_write_at("/dev/null", LOOM_STR("y"), NULL, NULL));
	ASSERT_EQ(LOOM_NOT_FOUND, loom_file_write_at("/nowhere/x", LOOM_STR("y"), NULL, &err));
	ASSERT_STR_EQ("make it first: mkdir -p /nowhere/", err.hint);
	ASSERT(file_is("out.md", "x"));
	free(path);
	free(link);
	PASS();
}

/* Writes a text larger than the limit on file sizes; 0 when it failed as it should. */
static int write_too_much(void)
{
	struct rlimit limit = {4096, 4096};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	loom_buf_add_repeat(&text, 'x', 100000);
	status = loom_file_write(&world.root, LOOM_STR("a.txt"), loom_buf_str(&text), NULL, NULL);
	loom_buf_fini(&text);
	return status == LOOM_OK ? 1 : 0;
}

TEST a_write_that_runs_out_of_room_leaves_the_old_file(void)
{
	int status = 0;
	pid_t child = 0;

	child = fork();
	if (child == 0)
		_exit(write_too_much());
	waitpid(child, &status, 0);
	ASSERT(WIFEXITED(status));
	ASSERT_EQ(0, WEXITSTATUS(status));
	ASSERT(file_is("root/a.txt", "inside\n"));
	ASSERT_EQ(2, (int)names_in(""));
	PASS();
}

static void write_for_ever(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (char c = 'a';; c = c == 'z' ? 'a' : (char)(c + 1)) {
		loom_buf_clear(&text);
		loom_buf_add_repeat(&text, c, 300000);
		(void)!loom_file_write(&world.root, LOOM_STR("a.txt"), loom_buf_str(&text), NULL,
				       NULL);
	}
}

static bool is_whole(void)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool whole = loom_file_read(&world.root, LOOM_STR("a.txt"), NULL, &text, NULL) == LOOM_OK;

	for (size_t i = 1; whole && i < text.n && text.n != 7; i++)
		whole = text.p[i] == text.p[0];
	whole = whole && (text.n == 300000 || loom_str_is(loom_buf_str(&text), "inside\n"));
	loom_buf_fini(&text);
	return whole;
}

TEST a_writer_killed_at_any_moment_leaves_a_whole_file(void)
{
	struct prop prop;

	prop_init(&prop, "killed writers");
	for (int i = 0; i < 30; i++) {
		pid_t child = fork();

		if (child == 0)
			write_for_ever();
		usleep((useconds_t)prop_between(&prop, 200, 15000));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		ASSERT(is_whole());
	}
	PASS();
}

TEST folders_are_listed_by_bytes_with_their_kinds(void)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_folder_item *items = NULL;
	size_t count = 0;

	make_link("d", "root/B");
	ASSERT_EQ(LOOM_OK,
		  loom_folder_list(&world.root, LOOM_STR(""), arena, &items, &count, NULL));
	ASSERT_EQ(3, (int)count);
	ASSERT(loom_str_is(items[0].name, "B"));
	ASSERT_EQ(LOOM_FILE_LINK, items[0].kind);
	ASSERT_EQ(LOOM_FILE_PLAIN, items[1].kind);
	ASSERT_EQ(LOOM_FILE_FOLDER, items[2].kind);
	ASSERT_EQ(LOOM_NOT_FOUND,
		  loom_folder_list(&world.root, LOOM_STR("x"), arena, &items, &count, NULL));
	loom_arena_destroy(arena);
	PASS();
}

SUITE(names)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_normal_form_has_no_dots_and_no_empty_parts);
	RUN_TEST(a_name_that_hides_something_is_refused);
	RUN_TEST(twins_differ_only_in_case_or_composition);
}

SUITE(reading)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(nothing_outside_the_root_is_read_whatever_it_is_called);
	RUN_TEST(a_path_with_a_nul_is_refused);
	RUN_TEST(what_is_longer_than_a_name_can_be_is_refused_and_says_so);
	RUN_TEST(where_no_file_can_be_made_a_write_says_why);
	RUN_TEST(links_beneath_the_root_are_followed_only_when_asked);
	RUN_TEST(a_file_of_ones_own_is_read_by_its_whole_path);
	RUN_TEST(a_path_leads_to_its_real_place);
	RUN_TEST(a_pipe_or_a_folder_is_refused_without_waiting);
	RUN_TEST(a_file_of_the_store_is_refused_by_any_name);
	RUN_TEST(a_lock_that_is_not_to_be_had_is_waited_for_and_given_up);
	RUN_TEST(a_name_that_has_two_twins_is_refused_too);
	RUN_TEST(a_file_that_grows_while_it_is_read_ends_at_the_limit);
	RUN_TEST(a_root_may_be_the_whole_machine);
	RUN_TEST(a_reader_may_refuse_other_names_and_large_files);
	RUN_TEST(a_racing_rename_never_leads_a_read_outside);
	RUN_TEST(folders_are_listed_by_bytes_with_their_kinds);
}

SUITE(writing)
{
	SET_SETUP(set_up, NULL);
	SET_TEARDOWN(tear_down, NULL);
	RUN_TEST(a_racing_rename_never_leads_a_write_outside);
	RUN_TEST(a_write_makes_or_replaces_a_file_and_leaves_nothing_else);
	RUN_TEST(a_write_refuses_what_it_must_not_replace);
	RUN_TEST(new_names_follow_the_rules_unless_a_person_chose_them);
	RUN_TEST(a_path_of_the_command_line_is_written_where_it_says);
	RUN_TEST(a_write_that_runs_out_of_room_leaves_the_old_file);
	RUN_TEST(a_writer_killed_at_any_moment_leaves_a_whole_file);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(names);
	RUN_SUITE(reading);
	RUN_SUITE(writing);
	GREATEST_MAIN_END();
}
