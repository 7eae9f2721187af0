/* Paths that lead out of a thread, and what others do to the files meanwhile. Case 36 and its kin.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <greatest.h>

#include "support/camp_suite.h"
#include "support/clock.h"

static const char *reason(void)
{
	return loom_arena_cstr(camp.arena, camp.err.reason);
}

/* What a thread was given, as "a.md b/c.md ", in the order of a picture. */
static const char *copies_of(const char *id)
{
	struct loom_str lines = loom_str_of(camp_picture(&camp));
	struct loom_str line;
	struct loom_buf names = LOOM_BUF_INIT(1 << 20);
	const char *text = NULL;
	char folder[64];

	snprintf(folder, sizeof(folder), T "%s/context/inherited/", id);
	while (loom_str_cut(&lines, '\n', &line)) {
		size_t blank = loom_str_find_char(line, ' ', 0);
		struct loom_str name = loom_str_sub(line, strlen(folder), blank - strlen(folder));

		if (loom_str_starts(line, loom_str_of(folder)) &&
		    line.p[blank + 1] != '0' + LOOM_FILE_FOLDER && !loom_str_is(name, ".refs.json"))
			loom_buf_addf(&names, "%.*s ", LOOM_STR_ARG(name));
	}
	text = loom_arena_cstr(camp.arena, loom_buf_str(&names));
	loom_buf_fini(&names);
	return text;
}

/* Whether the last call warned of these files, in any order, and of nothing else. */
static bool left_out(const char *thread, const char *const *names, size_t count, const char *why)
{
	char text[512];

	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%s of %s was not copied: %s", names[i], thread, why);
		if (!camp_warned(&camp, text))
			return false;
	}
	return camp.warnings.count == count;
}

#define LEFT_OUT(thread, why, ...)                                                                 \
	left_out(thread, (const char *const[]){__VA_ARGS__},                                       \
		 LOOM_COUNT(((const char *const[]){__VA_ARGS__})), why)

/* ---- paths ---- */

TEST scopes_that_leave_the_thread_are_refused_and_change_nothing(void)
{
	static const char *const bad[] = {
		"../../../x",
		"/etc/x",
		"a/../../x",
		"..",
		".",
		"./plan.md",
		"a//b",
		"a/./b",
		"a\\b",
		"bad\x01name",
		"tab\there",
		"line\nbreak",
		"rlo\xe2\x80\xaegnp.md",
		"zero\xe2\x80\x8bwidth",
		"\xff\xfe",
		"c1\xc2\x9b",
		"context/inherited/x",
		"context",
		".meta",
		".meta/injections.log",
		".refs.json",
		"",
	};
	const char *before = NULL;

	camp_threads(&camp, "A B");
	camp_write(&camp, "x", "outside");
	camp_write(&camp, T "A/plan.md", "p");
	camp_write(&camp, T "A/context/inherited/x", "x");
	before = camp_picture(&camp);
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		char target[128];

		snprintf(target, sizeof(target), "A:%s", bad[i]);
		ASSERT_EQm(bad[i], LOOM_PATH, camp_freeze(&camp, "B", target));
		ASSERT_STR_EQm(bad[i], "T203", camp.err.code);
		ASSERT_EQm(bad[i], LOOM_PATH, camp_live(&camp, "B", target));
		ASSERT_EQm(bad[i], LOOM_PATH,
			   camp_spawn(&camp, "N", target, LOOM_LESLIE_BINDING_FROZEN));
	}
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

TEST targets_that_are_no_ids_are_refused(void)
{
	static const char *const bad[] = {"..", "../A", "A/..", ".global", "", "A B", "/etc"};
	const char *before = NULL;

	camp_threads(&camp, "A B");
	before = camp_picture(&camp);
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		ASSERT_EQm(bad[i], LOOM_PATH, camp_freeze(&camp, "B", bad[i]));
		ASSERT_STR_EQm(bad[i], "T203", camp.err.code);
	}
	ASSERT_EQ(LOOM_NOT_FOUND, camp_freeze(&camp, "..", "A"));
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

static void link_to(const char *target, const char *path)
{
	camp_remove(&camp, path);
	if (symlink(target, camp_path(&camp, path)) < 0)
		exit(1);
}

static const char is_link[] = "it is a symbolic link";

static void links_of_all_kinds(void)
{
	camp_write(&camp, "outside/secret", "s");
	camp_write(&camp, T "A/plan.md", "p");
	link_to("plan.md", T "A/alias.md");
	link_to("/etc/passwd", T "A/passwd");
	link_to("../../../outside", T "A/out");
	camp_write(&camp, T "C/design/fine.md", "f");
	link_to("../../../../outside/secret", T "C/design/evil.md");
	link_to("../../../outside", T "D/artifacts");
}

TEST links_are_refused_where_they_are_named(void)
{
	const char *before = NULL;

	camp_threads(&camp, "A B C D E");
	links_of_all_kinds();
	before = camp_picture(&camp);
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A:alias.md"));
	ASSERT_STR_EQ("T203", camp.err.code);
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A:passwd"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A:out"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A:out/secret"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "C:design/evil.md"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "D:artifacts"));
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "D:secret"));
	ASSERT_EQ(LOOM_PATH, camp_live(&camp, "B", "A:passwd"));
	ASSERT_EQ(LOOM_PATH, camp_live(&camp, "B", "A:out/secret"));
	ASSERT_EQ(LOOM_PATH, camp_spawn(&camp, "N", "A:passwd", LOOM_LESLIE_BINDING_LIVE));
	ASSERT_EQ(LOOM_PATH, camp_spawn(&camp, "N", "A:passwd", LOOM_LESLIE_BINDING_FROZEN));
	ASSERT_STR_EQ(before, camp_picture(&camp));
	PASS();
}

TEST links_in_folders_are_left_out_each_with_a_warning(void)
{
	const struct loom_leslie_refresh again = {.from = LOOM_STR("B")};
	struct loom_leslie_refreshed refreshed;

	camp_threads(&camp, "A B C D E F");
	links_of_all_kinds();
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT(LEFT_OUT("A", is_link, "alias.md", "passwd", "out"));
	ASSERT_STR_EQ("plan.md ", copies_of("B"));
	ASSERT(!camp_shared(&camp, "B", "out/secret", NULL));
	ASSERT(!camp_shared(&camp, "B", "passwd", NULL));
	ASSERT_EQ(LOOM_OK, camp_spawn(&camp, "N", "A", LOOM_LESLIE_BINDING_FROZEN));
	ASSERT(LEFT_OUT("A", is_link, "alias.md", "passwd", "out"));
	ASSERT_STR_EQ("plan.md ", copies_of("N"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "E", "C:design"));
	ASSERT(LEFT_OUT("C", is_link, "design/evil.md"));
	ASSERT_STR_EQ("design/fine.md ", copies_of("E"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "F", "C"));
	ASSERT(LEFT_OUT("C", is_link, "design/evil.md"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "F", "D"));
	ASSERT(LEFT_OUT("D", is_link, "artifacts"));
	ASSERT_STR_EQ("design/fine.md ", copies_of("F"));
	/* What has become a link since is left out of a refresh. */
	link_to("../../../outside/secret", T "A/plan.md");
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_refresh(camp.leslie, &again, camp.arena, &refreshed, &camp.err));
	camp.warnings = refreshed.warnings;
	ASSERT(LEFT_OUT("A", is_link, "alias.md", "passwd", "out", "plan.md"));
	ASSERT_STR_EQ("", copies_of("B"));
	PASS();
}

TEST a_link_that_comes_later_is_not_read_through(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, "outside/secret", "s");
	camp_write(&camp, T "A/design/x.md", "x");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A"));
	ASSERT_STR_EQ("x", camp_shared(&camp, "B", "design/x.md", NULL));
	camp_remove(&camp, T "A/design");
	link_to("../../../outside", T "A/design");
	ASSERT(!camp_shared(&camp, "B", "design/secret", NULL));
	ASSERT_STR_EQ("", camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	PASS();
}

TEST names_to_read_are_checked_like_scopes(void)
{
	static const char *const bad[] = {"../x", "/etc/passwd", "a/../../b", "", "a\\b", "x\x01"};

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "p");
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A"));
	for (size_t i = 0; i < LOOM_COUNT(bad); i++) {
		ASSERTm(bad[i], !camp_shared(&camp, "B", bad[i], NULL));
		ASSERT_STR_EQm(bad[i], "T203", camp.err.code);
	}
	PASS();
}

TEST files_with_a_second_name_pipes_and_devices_are_not_copied(void)
{
	const char *before = NULL;

	camp_threads(&camp, "A B C D");
	camp_write(&camp, "outside", "s");
	camp_write(&camp, T "A/learnings.md", "l");
	ASSERT_EQ(0, link(camp_path(&camp, "outside"), camp_path(&camp, T "A/plan.md")));
	ASSERT_EQ(0, mkfifo(camp_path(&camp, T "C/pipe"), 0600));
	before = camp_picture(&camp);
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "A:plan.md"));
	ASSERT_STR_EQ("T203", camp.err.code);
	ASSERT_EQ(LOOM_PATH, camp_freeze(&camp, "B", "C:pipe"));
	ASSERT_EQ(LOOM_PATH, camp_live(&camp, "B", "C:pipe"));
	ASSERT_STR_EQ(before, camp_picture(&camp));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT(LEFT_OUT("A", "it has another name (a hard link) and may belong to somebody else",
			"plan.md"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "C"));
	ASSERT(LEFT_OUT("C", "it is neither a file nor a folder", "pipe"));
	ASSERT_STR_EQ("learnings.md ", copies_of("B"));
	/* What was not copied is not told either: its path leads to the live file. */
	ASSERT_STR_EQ("ref A learnings A/learnings.md", camp_assets(&camp, "B", LOOM_CONTEXT_LOAD));
	ASSERT_EQ(LOOM_OK, camp_live(&camp, "D", "C"));
	ASSERT(!camp_shared(&camp, "D", "pipe", NULL));
	PASS();
}

TEST odd_names_are_left_out_each_with_one_warning(void)
{
	static const char why[] = "the name contains an invisible character";
	const struct loom_leslie_refresh again = {.from = LOOM_STR("B")};
	struct loom_leslie_refreshed refreshed;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "p");
	camp_write(&camp, T "A/line\nbreak", "x");
	camp_write(&camp, T "A/zero\xe2\x80\x8bwidth/1.md", "x");
	camp_write(&camp, T "A/zero\xe2\x80\x8bwidth/2.md", "x");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT(LEFT_OUT("A", why,
			"line\xe2\x8f\x8e"
			"break",
			"zero<U+200B>width"));
	ASSERT_STR_EQ("plan.md ", copies_of("B"));
	ASSERT_EQ(LOOM_OK, camp_spawn(&camp, "N", "A", LOOM_LESLIE_BINDING_FROZEN));
	ASSERT_EQ(2, camp.warnings.count);
	ASSERT_STR_EQ("plan.md ", copies_of("N"));
	camp_write(&camp, T "A/plan.md", "q");
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_refresh(camp.leslie, &again, camp.arena, &refreshed, &camp.err));
	ASSERT_EQ(2, refreshed.warnings.count);
	ASSERT_STR_EQ("q", camp_shared(&camp, "B", "plan.md", NULL));
	PASS();
}

TEST files_of_the_store_are_not_copied(void)
{
	struct loom_leslie_opts opts = {.start = camp.temp.path, .env = &camp.env};
	struct loom_leslie_ref ref = {.from = LOOM_STR("B"), .target = {.thread = LOOM_STR("A")}};
	struct loom_leslie_ref_result out;
	struct loom_file_id store;
	struct loom_leslie *leslie = NULL;
	struct stat st;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/grove.db", "store");
	ASSERT_EQ(0, stat(camp_path(&camp, T "A/grove.db"), &st));
	store = (struct loom_file_id){(uint64_t)st.st_dev, (uint64_t)st.st_ino};
	opts.refused = &store;
	opts.refused_count = 1;
	ASSERT_EQ(LOOM_OK, loom_leslie_open(&opts, &leslie, NULL));
	ASSERT_EQ(LOOM_PATH, loom_leslie_ref(leslie, &ref, camp.arena, &out, &camp.err));
	ASSERT_STR_EQ("T203", camp.err.code);
	loom_leslie_close(leslie);
	PASS();
}

TEST folders_too_deep_are_left_out(void)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf deep = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const char *given = NULL;

	camp_threads(&camp, "A B C");
	for (int i = 0; i < 32; i++)
		loom_buf_adds(&deep, "d/");
	loom_buf_addf(&path, T "A/%sf", loom_buf_cstr(&deep));
	camp_write(&camp, loom_buf_cstr(&path), "x");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT_EQ(0, camp.warnings.count);
	given = copies_of("B");
	ASSERT_EQ(deep.n + 2, strlen(given));
	loom_buf_cut(&path, path.n - 1);
	loom_buf_adds(&path, "d/f");
	camp_write(&camp, loom_buf_cstr(&path), "x");
	loom_buf_adds(&deep, "d");
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "C", "A"));
	ASSERT(LEFT_OUT("A", "a reference copies folders at most 32 deep", loom_buf_cstr(&deep)));
	ASSERT_STR_EQ(given, copies_of("C"));
	loom_buf_fini(&deep);
	loom_buf_fini(&path);
	PASS();
}

TEST a_file_too_large_is_left_out_and_refused_by_name(void)
{
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/huge", "x");
	camp_write(&camp, T "A/plan.md", "p");
	ASSERT_EQ(0, truncate(camp_path(&camp, T "A/huge"), ((off_t)1 << 30) + 1));
	ASSERT_EQ(LOOM_LIMIT, camp_freeze(&camp, "B", "A:huge"));
	ASSERT(!camp_has(&camp, T "B/context/inherited/huge"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	ASSERT(LEFT_OUT("A", "it is larger than the 1 GiB that a reference copies", "huge"));
	ASSERT(!camp_has(&camp, T "B/context/inherited/huge"));
	ASSERT_STR_EQ("p", camp_shared(&camp, "B", "plan.md", NULL));
	PASS();
}

static const char too_much[] = " of A and what comes after it were not copied: "
			       "a reference copies at most 10,000 files and 1 GiB";

/* Whether there is one warning, and it says that a limit was reached. */
static bool one_warning_of_a_limit(void)
{
	return camp.warnings.count == 1 &&
	       loom_str_ends(camp.warnings.items[0], loom_str_of(too_much));
}

TEST too_many_bytes_are_left_out_with_one_warning(void)
{
	const struct loom_leslie_ref ref = {.from = LOOM_STR("B"),
					    .target = {.thread = LOOM_STR("A")}};
	struct loom_thread_context context;

	camp_threads(&camp, "A B");
	for (int i = 0; i < 5; i++) {
		char path[64];

		snprintf(path, sizeof(path), T "A/large-%d", i);
		camp_write(&camp, path, "x");
		ASSERT_EQ(0, truncate(camp_path(&camp, path), (off_t)400 << 20));
	}
	ASSERT_EQ(LOOM_OK, loom_leslie_foresee(camp.leslie, &ref, camp.arena, &context,
					       &camp.warnings, &camp.err));
	ASSERT(one_warning_of_a_limit());
	PASS();
}

/* Names come in order, so the one that is said is the ten thousand and first. */
TEST of_too_many_files_ten_thousand_are_copied(void)
{
	const struct loom_leslie_ref ref = {.from = LOOM_STR("B"),
					    .target = {.thread = LOOM_STR("A")}};
	struct loom_thread_context context;

	camp_threads(&camp, "A B");
	for (int i = 0; i < 10003; i++) {
		char path[64];

		snprintf(path, sizeof(path), T "A/%05d", i);
		ASSERT_EQ(0, mknod(camp_path(&camp, path), S_IFREG | 0600, 0));
	}
	ASSERT_EQ(LOOM_OK, loom_leslie_foresee(camp.leslie, &ref, camp.arena, &context,
					       &camp.warnings, &camp.err));
	ASSERT(one_warning_of_a_limit());
	ASSERT(loom_str_starts(camp.warnings.items[0], LOOM_STR("10000 of A and")));
	PASS();
}

/* ---- races ---- */

static pid_t in_a_process(void (*work)(void))
{
	pid_t child = fork();

	if (child == 0) {
		/* A test that fails leaves nobody behind. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work();
		_exit(0);
	}
	return child;
}

static void stop(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static void keep_writing(void)
{
	char block[4096];
	int fd = open(camp_path(&camp, T "A/busy.log"), O_WRONLY | O_APPEND);

	memset(block, 'x', sizeof(block));
	for (;;) {
		if (write(fd, block, 64) < 0)
			_exit(1);
		if (lseek(fd, 0, SEEK_END) > (8 << 20) && ftruncate(fd, 1 << 20) < 0)
			_exit(1);
	}
}

TEST a_file_that_is_being_written_is_not_taken_half(void)
{
	char *big = loom_alloc((4 << 20) + 1);
	enum loom_status status = LOOM_OK;
	pid_t child = 0;

	memset(big, 'y', 4 << 20);
	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/busy.log", big);
	free(big);
	child = in_a_process(keep_writing);
	/* On a busy machine the writer may rest while a copy is made: then the copy is whole, and
	 * the next one is tried. */
	for (int tries = 0; tries < 200 && status == LOOM_OK; tries++) {
		status = camp_freeze(&camp, "B", "A:busy.log");
		if (status == LOOM_OK)
			camp_remove(&camp, T "B/context/inherited/busy.log");
	}
	stop(child);
	ASSERT_EQ(LOOM_CONFLICT, status);
	ASSERT_STR_EQ("T204", camp.err.code);
	ASSERT(strstr(reason(), "CHANGED_DURING_COPY"));
	ASSERT(!camp_has(&camp, T "B/context/inherited/busy.log"));
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A:busy.log"));
	PASS();
}

static void keep_exchanging(void)
{
	const char *a = camp_path(&camp, T "A/design");
	const char *b = camp_path(&camp, "trap");

	for (;;)
		renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

/* `trap` is a link to a folder outside; it changes places with A's design/ all the time. */
TEST no_exchange_of_names_lets_a_secret_in(void)
{
	pid_t child = 0;
	int64_t until = 0;
	int copied = 0;

	camp_threads(&camp, "A B");
	camp_write(&camp, "outside/x.md", "secret");
	camp_write(&camp, T "A/design/x.md", "fine");
	link_to("outside", "trap");
	link_to(camp_path(&camp, "outside"), "trap2");
	child = in_a_process(keep_exchanging);
	until = clock_ms() + 1500;
	while (clock_ms() < until) {
		const char *text = NULL;

		if (camp_freeze(&camp, "B", "A:design/x.md") == LOOM_OK)
			copied++;
		text = camp_read(&camp, T "B/context/inherited/design/x.md");
		ASSERT(!text || strcmp(text, "fine") == 0);
		text = camp_shared(&camp, "B", "design/x.md", NULL);
		ASSERT(!text || strcmp(text, "fine") == 0);
		loom_arena_reset(camp.arena);
	}
	stop(child);
	ASSERT(copied > 0);
	PASS();
}

static void keep_referencing(void)
{
	camp_reopen(&camp);
	for (int i = 0; i < 10; i++)
		(void)!camp_freeze(&camp, "B", i % 2 ? "A" : "C:plan.md,design");
}

TEST references_of_one_thread_at_the_same_time_lose_nothing(void)
{
	pid_t children[4];

	camp_threads(&camp, "A B C D");
	camp_write(&camp, T "A/progress.md", "a");
	camp_write(&camp, T "C/plan.md", "c");
	camp_write(&camp, T "C/design/d.md", "d");
	camp_write(&camp, T "D/learnings.md", "l");
	for (int i = 0; i < 4; i++)
		children[i] = in_a_process(keep_referencing);
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "D"));
	for (int i = 0; i < 4; i++)
		waitpid(children[i], NULL, 0);
	ASSERT_STR_EQ("a", camp_shared(&camp, "B", "progress.md", NULL));
	ASSERT_STR_EQ("c", camp_shared(&camp, "B", "plan.md", NULL));
	ASSERT_STR_EQ("d", camp_shared(&camp, "B", "design/d.md", NULL));
	ASSERT_STR_EQ("l", camp_shared(&camp, "B", "learnings.md", NULL));
	{
		struct loom_leslie_thread thread;

		ASSERT_EQ(LOOM_OK, loom_leslie_thread(camp.leslie, LOOM_STR("B"), camp.arena,
						      &thread, NULL));
		ASSERT_EQ(3, thread.reference_count);
		ASSERT(thread.references[0].frozen);
	}
	PASS();
}

static void write_by_hand(void)
{
	camp_reopen(&camp);
	for (int i = 0; i < 30; i++) {
		char id[16];

		snprintf(id, sizeof(id), "hand-%d", i);
		camp_threads(&camp, id);
	}
}

TEST threads_and_references_at_the_same_time_lose_nothing(void)
{
	struct loom_leslie_thread *threads = NULL;
	size_t count = 0;
	pid_t child = 0;

	camp_threads(&camp, "A B");
	camp_write(&camp, T "A/plan.md", "a");
	child = in_a_process(write_by_hand);
	for (int i = 0; i < 10; i++) {
		ASSERT_EQ(LOOM_OK, camp_live(&camp, "B", "A:plan.md"));
		ASSERT_EQ(LOOM_OK,
			  loom_leslie_unref(camp.leslie, LOOM_STR("B"), LOOM_STR("A"), &camp.err));
	}
	waitpid(child, NULL, 0);
	ASSERT_EQ(LOOM_OK,
		  loom_leslie_threads(camp.leslie, NULL, camp.arena, &threads, &count, NULL));
	ASSERT_EQ(32, count);
	PASS();
}

static void reference_for_ever(void)
{
	camp_reopen(&camp);
	for (;;)
		(void)!camp_freeze(&camp, "B", "A");
}

TEST one_that_is_killed_leaves_whole_copies(void)
{
	camp_threads(&camp, "A B");
	for (int i = 0; i < 20; i++) {
		char path[64];

		snprintf(path, sizeof(path), T "A/design/%d.md", i);
		camp_write(&camp, path, "text");
	}
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	for (int round = 0; round < 8; round++) {
		const struct timespec pause = {.tv_nsec = 11000000L + round * 3700000L};
		pid_t child = in_a_process(reference_for_ever);

		nanosleep(&pause, NULL);
		stop(child);
		for (int i = 0; i < 20; i++) {
			char name[64];

			snprintf(name, sizeof(name), "design/%d.md", i);
			ASSERT_STR_EQ("text", camp_shared(&camp, "B", name, NULL));
		}
	}
	ASSERT_EQ(LOOM_OK, camp_freeze(&camp, "B", "A"));
	{
		struct loom_root root = LOOM_ROOT_INIT;
		struct loom_folder_item *items = NULL;
		size_t count = 0;

		ASSERT_EQ(LOOM_OK, loom_root_open(camp_path(&camp, T "B/context"), &root, NULL));
		ASSERT_EQ(LOOM_OK,
			  loom_folder_list(&root, LOOM_STR(""), camp.arena, &items, &count, NULL));
		ASSERT_EQ(2, count);
		loom_root_close(&root);
	}
	PASS();
}

SUITE(leslie_path)
{
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	RUN_TEST(scopes_that_leave_the_thread_are_refused_and_change_nothing);
	RUN_TEST(targets_that_are_no_ids_are_refused);
	RUN_TEST(links_are_refused_where_they_are_named);
	RUN_TEST(links_in_folders_are_left_out_each_with_a_warning);
	RUN_TEST(a_link_that_comes_later_is_not_read_through);
	RUN_TEST(names_to_read_are_checked_like_scopes);
	RUN_TEST(files_with_a_second_name_pipes_and_devices_are_not_copied);
	RUN_TEST(odd_names_are_left_out_each_with_one_warning);
	RUN_TEST(files_of_the_store_are_not_copied);
	RUN_TEST(folders_too_deep_are_left_out);
	RUN_TEST(a_file_too_large_is_left_out_and_refused_by_name);
	RUN_TEST(too_many_bytes_are_left_out_with_one_warning);
	RUN_TEST(of_too_many_files_ten_thousand_are_copied);
	RUN_TEST(a_file_that_is_being_written_is_not_taken_half);
	RUN_TEST(no_exchange_of_names_lets_a_secret_in);
	RUN_TEST(references_of_one_thread_at_the_same_time_lose_nothing);
	RUN_TEST(threads_and_references_at_the_same_time_lose_nothing);
	RUN_TEST(one_that_is_killed_leaves_whole_copies);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(leslie_path);
	GREATEST_MAIN_END();
}
