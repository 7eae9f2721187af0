/* The repository that a root lies in. Its rules reach into all of its folders, also into one that
 * is looked at alone: a package of many in one repository lists what git lists there.
 *
 * Only ignore files are read above the root, and only while a .git above shows that it is one. */
#include "inside.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_git(struct loom_str dir)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct stat st;
	bool there = false;

	loom_buf_addf(&path, "%.*s/.git", LOOM_STR_ARG(dir));
	there = lstat(loom_buf_cstr(&path), &st) == 0;
	loom_buf_fini(&path);
	return there;
}

bool loom_repository_find(struct loom_str dir, struct loom_buf *out)
{
	while (dir.n && dir.p[dir.n - 1] == '/')
		dir.n--;
	while (!has_git(dir)) {
		if (!dir.n)
			return false;
		while (dir.n && dir.p[dir.n - 1] != '/')
			dir.n--;
		while (dir.n && dir.p[dir.n - 1] == '/')
			dir.n--;
	}
	loom_buf_add(out, dir.n ? dir : LOOM_STR("/"));
	return true;
}

/* The path of the root as it is called now; empty if that cannot be had. */
static void path_of(const struct loom_root *root, struct loom_buf *out)
{
	char name[64];
	char path[PATH_MAX];
	ssize_t n = 0;

	snprintf(name, sizeof name, "/proc/self/fd/%d", root->fd);
	n = readlink(name, path, sizeof path);
	if (n > 0 && path[0] == '/' && (size_t)n < sizeof path)
		loom_buf_add(out, loom_str_make(path, (size_t)n));
}

/* Enters the folders above the root, the repository's first. The first of them that a rule hides
 * hides all below it. */
static void enter_above(struct model_ignore *ignore, const struct loom_root *top)
{
	const struct loom_str prefix = loom_buf_str(&ignore->prefix);
	size_t from = 0;

	while (from < prefix.n) {
		size_t end = loom_str_find_char(prefix, '/', from);
		struct loom_str part = loom_str_sub(prefix, 0, end);
		struct model_subject subject = {.path = part,
						.name = loom_str_sub(part, from, part.n),
						.folder = true};
		struct model_verdict verdict = {.level = MODEL_OF_EXCLUDE};

		LOOM_ASSERT(end != SIZE_MAX && end > from);
		model_ignore_add_level(ignore, top, loom_str_sub(prefix, 0, from), from);
		model_ignore_by_git(ignore, &subject, &verdict);
		if (verdict.hidden && !ignore->shade.hidden)
			ignore->outside = verdict;
		ignore->shade.hidden = ignore->shade.hidden || verdict.hidden;
		ignore->above++;
		from = end + 1;
	}
	LOOM_ASSERT(ignore->above == ignore->count);
}

/* Begins the paths in the repository with that of the root. */
static void set_prefix(struct model_ignore *ignore, struct loom_str path, size_t top)
{
	while (top < path.n && path.p[top] == '/')
		top++;
	loom_buf_add(&ignore->prefix, loom_str_sub(path, top, path.n));
	if (!ignore->prefix.n)
		return;
	loom_buf_addc(&ignore->prefix, '/');
	ignore->whole = loom_alloc(sizeof *ignore->whole);
	loom_buf_init(ignore->whole, LOOM_BUF_MAX);
	loom_buf_add(ignore->whole, loom_buf_str(&ignore->prefix));
}

void model_ignore_look_above(struct model_ignore *ignore)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf dir = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_root top = LOOM_ROOT_INIT;

	LOOM_ASSERT(ignore->count == 0 && !ignore->prefix.n);
	path_of(ignore->root, &path);
	if (path.n && loom_repository_find(loom_buf_str(&path), &dir) &&
	    loom_root_open(loom_buf_cstr(&dir), &top, NULL) == LOOM_OK) {
		ignore->exclude =
			model_ignore_load(ignore, &top, LOOM_STR(".git/info/exclude"), false);
		set_prefix(ignore, loom_buf_str(&path), dir.n);
		enter_above(ignore, &top);
	}
	loom_root_close(&top);
	loom_buf_fini(&path);
	loom_buf_fini(&dir);
}
