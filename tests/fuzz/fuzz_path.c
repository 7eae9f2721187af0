/* Paths beneath a root in which links lead in, out, round and nowhere. What a small byte stands for
 * is a name of that root, so that paths are found; the verdict is openat2's, asked here as well,
 * and nothing that is not beneath the root is ever seen. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <loom/files/path.h>
#include <loom/text/sanitise.h>

#include "support/temp.h"
#include "tests/fuzz/fuzz.h"

static struct temp temp;
static struct loom_root root;
static struct loom_file_id inside[16];
static size_t inside_count;

static void link_to(const char *target, const char *name)
{
	char *path = temp_path(&temp, name);

	must(symlink(target, path) == 0);
	free(path);
}

static void end_world(void)
{
	loom_root_close(&root);
	temp_fini(&temp);
}

/* Every file and folder of the root, by its number. */
static void note_inside(void)
{
	static const char *const names[] = {".",    "a",   "d",   "d/b", "d/e",  "d/e/c", "link",
					    "d/up", "abs", "out", "far", "loop", "gone"};

	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		struct stat st;

		must(fstatat(root.fd, names[i], &st, AT_SYMLINK_NOFOLLOW) == 0);
		inside[inside_count++] =
			(struct loom_file_id){(uint64_t)st.st_dev, (uint64_t)st.st_ino};
	}
}

static void begin_world(void)
{
	char *path = NULL;

	temp_init(&temp);
	temp_write(&temp, "root/a", LOOM_STR("inside"));
	temp_write(&temp, "root/d/b", LOOM_STR("inside"));
	temp_write(&temp, "root/d/e/c", LOOM_STR("inside"));
	temp_write(&temp, "root2/a", LOOM_STR("outside"));
	link_to("a", "root/link");
	link_to("../..", "root/d/up");
	link_to("../root2", "root/out");
	link_to("/etc", "root/far");
	link_to("loop", "root/loop");
	link_to("nowhere", "root/gone");
	path = temp_path(&temp, "root/d");
	link_to(path, "root/abs");
	free(path);
	path = temp_path(&temp, "root");
	must(loom_root_open(path, &root, NULL) == LOOM_OK);
	free(path);
	note_inside();
	atexit(end_world);
}

static bool is_inside(const struct loom_file_id *id)
{
	for (size_t i = 0; i < inside_count; i++)
		if (inside[i].device == id->device && inside[i].inode == id->inode)
			return true;
	return false;
}

/* The kernel's own verdict on the path. */
static bool kernel_allows(const char *path, bool links)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC,
			       .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
	int fd = -1;

	how.flags |= links ? 0 : O_NOFOLLOW;
	how.resolve |= links ? 0 : RESOLVE_NO_SYMLINKS;
	fd = (int)syscall(SYS_openat2, root.fd, *path ? path : ".", &how, sizeof how);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void reach(struct loom_str path, const char *cstr)
{
	struct loom_read_opts opts = {.links = true};
	struct loom_buf text = LOOM_BUF_INIT(100);
	struct loom_buf place = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_file_info info;
	bool plain = loom_path_info(&root, path, false, &info, NULL) == LOOM_OK;

	must(!plain || is_inside(&info.id));
	must(plain == kernel_allows(cstr, false));
	if (loom_path_info(&root, path, true, &info, NULL) == LOOM_OK) {
		must(is_inside(&info.id) && info.kind != LOOM_FILE_LINK);
		must(loom_path_resolve(&root, path, &place, NULL) == LOOM_OK);
		must(kernel_allows(loom_buf_cstr(&place), false));
	} else {
		must(!kernel_allows(cstr, true));
	}
	if (loom_file_read(&root, path, &opts, &text, NULL) == LOOM_OK)
		must(loom_str_is(loom_buf_str(&text), "inside"));
	else
		must(text.n == 0);
	loom_buf_fini(&text);
	loom_buf_fini(&place);
}

/* The normal form leads nowhere that the path does not say, and is its own. */
static void check_normal(struct loom_str path)
{
	struct loom_buf once = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf twice = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str rest;
	struct loom_str part;

	if (loom_path_normal(path, &once, NULL) == LOOM_OK) {
		must(loom_path_normal(loom_buf_str(&once), &twice, NULL) == LOOM_OK);
		must(loom_str_eq(loom_buf_str(&once), loom_buf_str(&twice)));
		rest = loom_buf_str(&once);
		while (once.n && loom_str_cut(&rest, '/', &part))
			must(part.n && !loom_str_is(part, ".") && !loom_str_is(part, ".."));
	}
	loom_buf_fini(&once);
	loom_buf_fini(&twice);
}

static void check_names(struct loom_str path)
{
	struct loom_str rest = path;
	struct loom_str last = {NULL, 0};
	struct loom_str part;

	while (loom_str_cut(&rest, '/', &part)) {
		if (loom_path_check_name(part, NULL) == LOOM_OK)
			must(loom_shown_plain(part) && !memchr(part.p, '\n', part.n));
		must(loom_path_is_twin(last, part) == loom_path_is_twin(part, last));
		last = part;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const words[] = {"a", "b",   "c",   "d",    "e",    "link", "up", "abs",
					    "/", "out", "far", "loop", "gone", "..",   ".",  "//"};
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str whole;

	if (!inside_count)
		begin_world();
	for (size_t i = 0; i < size && i < 400; i++) {
		if (data[i] < LOOM_COUNT(words))
			loom_buf_adds(&path, words[data[i]]);
		else
			loom_buf_addc(&path, data[i] == 16 ? '\0' : (char)data[i]);
	}
	whole = loom_buf_str(&path);
	check_normal(whole);
	check_names(whole);
	if (!whole.n || !memchr(whole.p, '\0', whole.n))
		reach(whole, loom_buf_cstr(&path));
	else
		must(loom_path_info(&root, whole, true, &(struct loom_file_info){0}, NULL) ==
		     LOOM_PATH);
	loom_buf_fini(&path);
	return 0;
}
