/* Every system call of reading, listing and writing beneath a root fails once and for good, in
 * every way, on file systems of several kinds: a file is the old one or the new one, whoever asked
 * is told, no descriptor and no temporary file is left, and the next try works. */
#include <greatest.h>

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fcntl.h>

#include <loom/files/path.h>
#include <loom/salvage/salvage.h>

#include "faults/path_calls.h"
#include <loom/base/system.h>
#include "support/grove.h"
#include "support/ok.h"
#include "support/temp.h"

#define OLD "the old text"
#define NEW "the new text, which is a little longer"

static struct temp temp;
static struct loom_root root;
static struct loom_arena *arena;
static struct loom_buf got;

static void put(const char *name, const char *text)
{
	temp_write(&temp, name, loom_str_of(text));
}

static void link_to(const char *target, const char *name)
{
	char *path = temp_path(&temp, name);

	if (symlink(target, path) != 0)
		exit(99);
	free(path);
}

static void set_up(void *ctx)
{
	struct loom_err err;
	char *file = NULL;

	(void)ctx;
	temp_init(&temp);
	arena = loom_arena_create();
	loom_buf_init(&got, LOOM_BUF_MAX);
	put("a/old", OLD);
	put("a/sub/x", "x");
	link_to("old", "a/link");
	file = temp_path(&temp, "a/old");
	link_to(file, "a/absolute");
	free(file);
	if (loom_root_open(temp.path, &root, &err) != LOOM_OK)
		exit(99);
}

static void tear_down(void *ctx)
{
	(void)ctx;
	loom_root_close(&root);
	loom_buf_fini(&got);
	loom_arena_destroy(arena);
	temp_fini(&temp);
}

/* --- what is tried --- */

static enum loom_status read_file(const char *path, bool links, struct loom_err *err)
{
	struct loom_read_opts opts = {.links = links};

	loom_buf_clear(&got);
	return loom_file_read(&root, loom_str_of(path), &opts, &got, err);
}

static enum loom_status read_plain(struct loom_err *err)
{
	return read_file("a/old", false, err);
}

static enum loom_status read_absolute(struct loom_err *err)
{
	return read_file("a/absolute", true, err);
}

static enum loom_status read_ones_own(struct loom_err *err)
{
	char *path = temp_path(&temp, "a/old");
	enum loom_status status;

	loom_buf_clear(&got);
	status = loom_file_read_at(path, NULL, &got, err);
	free(path);
	return status;
}

static enum loom_status look(struct loom_err *err)
{
	struct loom_file_info info;

	return loom_path_info(&root, LOOM_STR("a"), false, &info, err);
}

static enum loom_status resolve(struct loom_err *err)
{
	loom_buf_clear(&got);
	return loom_path_resolve(&root, LOOM_STR("a/link"), &got, err);
}

static enum loom_status list(struct loom_err *err)
{
	struct loom_folder_item *items = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_folder_list(&root, LOOM_STR("a"), arena, &items, &count, err);

	loom_buf_clear(&got);
	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		loom_buf_addf(&got, "%.*s%c", LOOM_STR_ARG(items[i].name), "-/@?"[items[i].kind]);
	return status;
}

static enum loom_status make_folders(struct loom_err *err)
{
	return loom_folder_make(&root, LOOM_STR("b/c/d"), err);
}

static enum loom_status write_as(const char *path, const struct loom_write_opts *opts,
				 struct loom_err *err)
{
	return loom_file_write(&root, loom_str_of(path), LOOM_STR(NEW), opts, err);
}

static enum loom_status replace(struct loom_err *err)
{
	return write_as("a/old", NULL, err);
}

static enum loom_status make_new(struct loom_err *err)
{
	struct loom_write_opts opts = {.folders = true, .mode = 0600};

	return write_as("a/new/one", &opts, err);
}

static enum loom_status replace_expected(struct loom_err *err)
{
	struct loom_hash hash = loom_sha256(LOOM_STR(OLD));
	struct loom_write_opts opts = {.expected = &hash, .derived = true};

	return write_as("a/old", &opts, err);
}

static enum loom_status say_half(void *ctx, int fd, struct loom_err *err)
{
	(void)ctx;
	return write(fd, "more", 4) == 4 ? LOOM_OK : loom_fail(err, LOOM_IO, "no more");
}

static enum loom_status write_filled(struct loom_err *err)
{
	struct loom_write_opts opts = {.fill = say_half, .any_name = true};

	return loom_file_write(&root, LOOM_STR("a/filled"), LOOM_STR("and "), &opts, err);
}

static enum loom_status write_where_told(struct loom_err *err)
{
	char *path = temp_path(&temp, "a/old");
	enum loom_status status = loom_file_write_at(path, LOOM_STR(NEW), &root, err);

	free(path);
	return status;
}

/* What is there afterwards, or what was read: `before` when refused, `after` when it went well. */
static const struct act {
	const char *name;
	enum loom_status (*run)(struct loom_err *err);
	const char *file; /* NULL: what was read */
	const char *before;
	const char *after;
} acts[] = {
	{"read", read_plain, NULL, NULL, OLD},
	{"read by an absolute link", read_absolute, NULL, NULL, OLD},
	{"read one's own", read_ones_own, NULL, NULL, OLD},
	{"look", look, NULL, NULL, NULL},
	{"resolve", resolve, NULL, NULL, "a/old"},
	{"list", list, NULL, NULL, "absolute@link@old-sub/"},
	{"make folders", make_folders, NULL, NULL, NULL},
	{"replace", replace, "a/old", OLD, NEW},
	{"make", make_new, "a/new/one", "", NEW},
	{"replace what is expected", replace_expected, "a/old", OLD, NEW},
	{"write more", write_filled, "a/filled", "", "and more"},
	{"write where told", write_where_told, "a/old", OLD, NEW},
};

/* --- what must hold --- */

static int descriptors(void)
{
	DIR *here = opendir("/proc/self/fd");
	int count = 0;

	while (here && readdir(here))
		count++;
	if (here)
		closedir(here);
	return count;
}

/* Whether a temporary file stands in a folder or below it. */
static bool is_left_over(const char *folder)
{
	char *path = temp_path(&temp, folder);
	DIR *here = opendir(path);
	const struct dirent *item;
	bool found = false;

	while (here && (item = readdir(here)))
		found = found || strncmp(item->d_name, ".loom-", 6) == 0;
	if (here)
		closedir(here);
	free(path);
	return found;
}

static bool holds(const char *file, const char *text)
{
	char *path = temp_path(&temp, file);
	struct loom_buf now = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool there = temp_read(path, &now);
	bool same = *text ? there && loom_str_is(loom_buf_str(&now), text) : !there;

	loom_buf_fini(&now);
	free(path);
	return same;
}

static const char *fault_of(const struct act *act, enum loom_status status,
			    const struct loom_err *err)
{
	bool went_well = status == LOOM_OK;

	if (!went_well && !err->text[0])
		return "was refused without a word";
	if (went_well && act->file && !holds(act->file, act->after))
		return "was said to be done and is not";
	/* A folder that cannot be synced is told of when the file is there already. */
	if (!went_well && act->file && !holds(act->file, act->before) &&
	    !holds(act->file, act->after))
		return "left something that is neither old nor new";
	if (went_well && !act->file && act->after && !loom_str_is(loom_buf_str(&got), act->after))
		return "gave something else than is there";
	return is_left_over("a") || is_left_over("a/new") ? "left a temporary file" : NULL;
}

static void put_back(void)
{
	static const char *const made[] = {"a/new/one", "a/new", "a/filled", "b/c/d", "b/c", "b"};

	put("a/old", OLD);
	for (size_t i = 0; i < LOOM_COUNT(made); i++) {
		char *path = temp_path(&temp, made[i]);

		(void)remove(path);
		free(path);
	}
}

static const char *try_one(const struct act *act, const struct call_plan *plan, bool *out_fired)
{
	struct loom_err err = {.status = LOOM_OK};
	int open = descriptors();
	const char *fault;
	enum loom_status status;

	put_back();
	calls_arm(plan);
	status = act->run(&err);
	*out_fired = calls_disarm();
	fault = fault_of(act, status, &err);
	if (!fault && !*out_fired && status != LOOM_OK)
		fault = "did not work when nothing failed";
	if (!fault && descriptors() != open)
		fault = "left a descriptor open";
	if (fault)
		fprintf(stderr, "%s, call %lld, errno %d: %s: %s\n", act->name, (long long)plan->at,
			plan->error, fault, err.text);
	return fault;
}

TEST a_call_that_fails_leaves_the_old_file_or_the_new_one(const struct act *act)
{
	static const int errors[] = {EIO, ENOSPC, EINTR, EROFS, EEXIST, ENOENT, EINVAL, CALL_CUT};
	const char *fault = NULL;

	for (size_t i = 0; i < LOOM_COUNT(errors) * 6 && !fault; i++) {
		const size_t kind = i % 6;
		struct call_plan plan = {.error = errors[i / 6],
					 .sticky = kind & 1,
					 .no_nameless = kind >= 2,
					 .no_flags = kind >= 4,
					 .no_links = kind >= 4};
		bool fired = true;

		while (fired && !fault && plan.at < 200) {
			plan.at++;
			fault = try_one(act, &plan, &fired);
		}
		ASSERTm(act->name, plan.at > 1 && plan.at < 200);
	}
	ASSERT_EQm(act->name, NULL, fault);
	PASS();
}

/* Some file systems do not say with a name what it stands for. */
TEST a_kind_that_no_folder_tells_is_asked_for(void)
{
	struct call_plan plan = {.no_kinds = true, .only = "fstatat", .error = EIO};
	struct loom_err err;

	calls_arm(&plan);
	OK(list(&err));
	ASSERT(loom_str_is(loom_buf_str(&got), "absolute@link@old-sub/"));
	plan.at = 1;
	plan.sticky = true;
	calls_arm(&plan);
	OK(list(&err));
	ASSERT(calls_disarm());
	ASSERT(loom_str_is(loom_buf_str(&got), "absolute?link?old?sub?"));
	PASS();
}

/* Each errno of an open has a refusal of its own, and words for it. */
TEST a_refusal_says_which_kind_it_is(void)
{
	static const struct {
		int error;
		enum loom_status status;
		const char *words;
	} rows[] = {
		{ENOENT, LOOM_NOT_FOUND, "no file"},   {ENOTDIR, LOOM_NOT_FOUND, "no file"},
		{EXDEV, LOOM_PATH, "leaves its root"}, {ELOOP, LOOM_PATH, "symbolic link"},
		{ENAMETOOLONG, LOOM_PATH, "too long"}, {ENOSPC, LOOM_FULL, "no space left"},
		{EDQUOT, LOOM_FULL, "no space left"},  {EROFS, LOOM_READ_ONLY, "is read-only"},
		{ENOSYS, LOOM_IO, "lacks openat2"},    {EACCES, LOOM_IO, "Permission denied"},
		{EAGAIN, LOOM_IO, "unavailable"},      {EINTR, LOOM_IO, "Interrupted"},
	};
	struct loom_err err;

	for (size_t i = 0; i < LOOM_COUNT(rows); i++) {
		struct call_plan plan = {.only = "openat2",
					 .at = 1,
					 .sticky = true,
					 .error = rows[i].error};

		calls_arm(&plan);
		loom_err_clear(&err);
		ASSERT_EQ(rows[i].status, look(&err));
		ASSERT(calls_disarm());
		ASSERTm(err.text, strstr(err.text, rows[i].words));
	}
	PASS();
}

/* Somebody else takes each name that is drawn; a name is drawn a few times and not for ever. */
TEST a_name_that_is_taken_is_drawn_again(void)
{
	struct call_plan once = {.only = "linkat", .at = 1, .error = EEXIST};
	struct call_plan always = {.only = "linkat", .at = 1, .sticky = true, .error = EEXIST};
	struct call_plan named = {.only = "openat", .at = 2, .error = EEXIST, .no_nameless = true};
	struct loom_err err;

	calls_arm(&once);
	OK(replace(&err));
	ASSERT(calls_disarm());
	calls_arm(&always);
	STATUS_IS(LOOM_IO, replace(&err));
	ASSERT(calls_disarm());
	calls_arm(&named);
	OK(replace(&err));
	ASSERT(calls_disarm());
	calls_arm(&once);
	STATUS_IS(LOOM_CONFLICT, make_new(&err));
	ASSERT(calls_disarm());
	ASSERT(strstr(err.text, "meanwhile"));
	PASS();
}

/* Some file systems have nothing to sync of a folder; that is no failure. */
TEST a_folder_that_cannot_be_synced_at_all_is_fine(void)
{
	struct call_plan plan = {.only = "fsync", .at = 2, .error = EINVAL};
	struct loom_err err;

	calls_arm(&plan);
	OK(replace(&err));
	ASSERT(calls_disarm());
	ASSERT(holds("a/old", NEW));
	PASS();
}

/* ---- where a rename takes no flags ---- */

static const struct call_plan plain[] = {{.no_flags = true}, {.no_flags = true, .no_links = true}};

static int rename_in_a(const char *from, const char *to)
{
	char *folder = temp_path(&temp, "a");
	int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int result = model_rename_new(fd, from, to);
	int error = errno;

	close(fd);
	free(folder);
	return result == 0 ? 0 : error;
}

TEST a_file_takes_a_name_and_never_one_that_is_taken(const struct call_plan *plan)
{
	put("a/taken", "theirs");
	link_to("nowhere", "a/hangs");
	calls_arm(plan);
	ASSERT_EQ(EEXIST, rename_in_a("old", "taken"));
	ASSERT_EQ(EEXIST, rename_in_a("old", "hangs"));
	ASSERT_EQ(EEXIST, rename_in_a("old", "sub"));
	ASSERT_EQ(ENOENT, rename_in_a("none", "fresh"));
	ASSERT_EQ(0, rename_in_a("old", "fresh"));
	calls_disarm();
	ASSERT(holds("a/taken", "theirs"));
	ASSERT(holds("a/fresh", OLD));
	ASSERT(holds("a/old", ""));
	PASS();
}

TEST a_folder_takes_a_name_and_never_one_that_is_taken(const struct call_plan *plan)
{
	put("a/other/y", "y");
	calls_arm(plan);
	ASSERT_EQ(EEXIST, rename_in_a("sub", "other"));
	ASSERT_EQ(EEXIST, rename_in_a("sub", "old"));
	ASSERT_EQ(0, rename_in_a("sub", "fresh"));
	calls_disarm();
	ASSERT(holds("a/other/y", "y"));
	ASSERT(holds("a/fresh/x", "x"));
	ASSERT(holds("a/sub/x", ""));
	PASS();
}

TEST a_name_that_was_kept_for_nothing_is_given_back(void)
{
	struct call_plan plan = {.no_flags = true,
				 .no_links = true,
				 .only = "renameat",
				 .at = 1,
				 .sticky = true,
				 .error = EACCES};

	calls_arm(&plan);
	ASSERT_EQ(EACCES, rename_in_a("old", "fresh"));
	calls_disarm();
	calls_arm(&plan);
	ASSERT_EQ(EACCES, rename_in_a("sub", "fresh"));
	ASSERT(calls_disarm());
	ASSERT(holds("a/old", OLD));
	ASSERT(holds("a/sub/x", "x"));
	ASSERT(holds("a/fresh", ""));
	PASS();
}

/* A grove is made, copied twice under one name, and saved into another. */
TEST a_grove_is_made_copied_and_saved_there(const struct call_plan *plan)
{
	struct grove grove;
	struct loom_salvage_report report;
	struct loom_salvage_opts salvage = {.env = &grove.env, .file = grove.temp.path};
	char *copy = temp_path(&temp, "copy.db");
	char *saved = temp_path(&temp, "saved");
	struct loom_err err;

	calls_arm(plan);
	grove_init(&grove);
	(void)grove_tree(&grove, LOOM_BUFFER, OLD);
	OK(loom_store_backup(grove.store, loom_str_of(copy), &err));
	STATUS_IS(LOOM_CONFLICT, loom_store_backup(grove.store, loom_str_of(copy), &err));
	salvage.dir = saved;
	OK(loom_salvage(&salvage, &report, &err));
	STATUS_IS(LOOM_CONFLICT, loom_salvage(&salvage, &report, &err));
	calls_disarm();
	grove_fini(&grove);
	free(saved);
	free(copy);
	PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	GREATEST_SET_SETUP_CB(set_up, NULL);
	GREATEST_SET_TEARDOWN_CB(tear_down, NULL);
	for (size_t i = 0; i < LOOM_COUNT(acts); i++)
		RUN_TESTp(a_call_that_fails_leaves_the_old_file_or_the_new_one, &acts[i]);
	RUN_TEST(a_kind_that_no_folder_tells_is_asked_for);
	RUN_TEST(a_refusal_says_which_kind_it_is);
	RUN_TEST(a_name_that_is_taken_is_drawn_again);
	RUN_TEST(a_folder_that_cannot_be_synced_at_all_is_fine);
	for (size_t i = 0; i < LOOM_COUNT(plain); i++) {
		RUN_TESTp(a_file_takes_a_name_and_never_one_that_is_taken, &plain[i]);
		RUN_TESTp(a_folder_takes_a_name_and_never_one_that_is_taken, &plain[i]);
		RUN_TESTp(a_grove_is_made_copied_and_saved_there, &plain[i]);
	}
	RUN_TEST(a_name_that_was_kept_for_nothing_is_given_back);
	GREATEST_MAIN_END();
}
