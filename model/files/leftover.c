/* Leftovers of killed makers: names that mark them, locks that show whether the maker lives, and
 * their removal. */
#include <loom/files/half_made.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include <loom/base/hash.h>

#include <loom/files/beneath.h>
#include <loom/files/state_file.h>
#include <loom/base/system.h>

#define TRIES 100

bool model_part_name(const char *before, char *out, size_t room)
{
	uint64_t random = 0;
	int n;

	LOOM_ASSERT(before && room > 0);
	if (!model_random(&random, sizeof random)) {
		errno = EIO;
		return false;
	}
	n = snprintf(out, room, "%s%016llx", before, (unsigned long long)random);
	if (n > 0 && (size_t)n < room)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

void model_part_hold(int fd)
{
	LOOM_ASSERT(fd >= 0);
	(void)!flock(fd, LOCK_EX | LOCK_NB);
}

/* Returns 1 if locked under its name, 0 if a sweep removed it between creation and lock, -1 with
 * errno if the system refused. */
static int hold_named(int fd, int folder, const char *name)
{
	struct stat held;
	struct stat there;

	LOOM_ASSERT(fd >= 0);
	if (flock(fd, LOCK_EX) != 0 || fstat(fd, &held) != 0)
		return -1;
	if (fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : -1;
	return held.st_ino == there.st_ino && held.st_dev == there.st_dev;
}

/* Removes something just made that could not be locked; the name is still ours. */
static void drop_part(int fd, int folder, const char *name, int how)
{
	const int why = errno;

	unlinkat(folder, name, how);
	if (fd >= 0)
		close(fd);
	errno = why;
}

int model_part_file(int folder, const char *name, unsigned mode)
{
	for (int i = 0; i < TRIES; i++) {
		int fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				mode);
		int held = fd < 0 ? -1 : hold_named(fd, folder, name);

		if (fd < 0 || held > 0)
			return fd;
		drop_part(fd, folder, name, 0);
		if (held < 0)
			return -1;
	}
	errno = EBUSY;
	return -1;
}

int model_part_folder(int folder, const char *name, unsigned mode)
{
	for (int i = 0; i < TRIES; i++) {
		int fd = -1;
		int held = -1;

		if (mkdirat(folder, name, mode) < 0)
			return -1;
		fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			held = hold_named(fd, folder, name);
		else if (errno == ENOENT) /* swept away */
			held = 0;
		if (held > 0)
			return fd;
		drop_part(fd, folder, name, AT_REMOVEDIR);
		if (held < 0)
			return -1;
	}
	errno = EBUSY;
	return -1;
}

/* --- recognising leftovers --- */

/* Strips the suffix SQLite adds for files beside a copy. */
static struct loom_str without_beside(struct loom_str name)
{
	for (size_t i = 0; i < MODEL_BESIDE; i++)
		if (loom_str_ends(name, loom_str_of(model_beside[i])))
			return loom_str_sub(name, 0, name.n - strlen(model_beside[i]));
	return name;
}

/* Returns whether the name is one we gave to something unfinished. */
static bool is_part_name(struct loom_str name)
{
	const struct loom_str base = without_beside(name);
	struct loom_str front;
	uint8_t drawn[MODEL_PART_DIGITS / 2];

	if (base.n <= MODEL_PART_DIGITS)
		return false;
	front = loom_str_sub(base, 0, base.n - MODEL_PART_DIGITS);
	if (!loom_unhex(loom_str_sub(base, front.n, base.n), drawn, sizeof drawn))
		return false;
	LOOM_ASSERT(front.n + MODEL_PART_DIGITS == base.n);
	return loom_str_is(front, ".new-") || loom_str_is(front, ".loom-") ||
	       (loom_str_ends(front, LOOM_STR(".part-")) && front.n > 6);
}

/* --- names of earlier versions --- */

#define UNTOUCHED_S 3600
#define PID_DIGITS  10

static bool ends_in_pid(struct loom_str name)
{
	const struct loom_str mark = LOOM_STR(".part-");
	size_t front = name.n;

	while (front && name.p[front - 1] >= '0' && name.p[front - 1] <= '9')
		front--;
	return front < name.n && name.n - front <= PID_DIGITS && name.p[front] != '0' &&
	       front > mark.n && loom_str_ends(loom_str_sub(name, 0, front), mark);
}

static bool is_old_name(enum model_old_parts old, struct loom_str name)
{
	const struct loom_str mark = LOOM_STR(".new-");
	uint8_t drawn[4];

	if (old == MODEL_OLD_COPIES)
		return ends_in_pid(without_beside(name));
	return old == MODEL_OLD_THREADS && loom_str_starts(name, mark) &&
	       loom_unhex(loom_str_sub(name, mark.n, name.n), drawn, sizeof drawn);
}

static bool begins_with(int folder, const char *name, struct loom_str bytes)
{
	char head[16];
	const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	const bool all = fd >= 0 && pread(fd, head, bytes.n, 0) == (ssize_t)bytes.n;

	if (fd >= 0)
		close(fd);
	return all && loom_str_eq(loom_str_make(head, bytes.n), bytes);
}

/* Recognises an unfinished grove copy: it has its first page, or SQLite's journal beside it, since
 * the first page is written last. */
static bool is_copy(int folder, const char *name)
{
	const struct loom_str text = loom_str_of(name);
	const struct loom_str base = without_beside(text);
	const struct loom_str journal = LOOM_STR("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7");
	char beside[NAME_MAX + 16];
	char head[4];
	const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool ours = fd >= 0 && base.n == text.n && pread(fd, head, sizeof head, 68) == 4 &&
		    memcmp(head, "LOOM", sizeof head) == 0 &&
		    begins_with(folder, name, LOOM_STR("SQLite format 3"));

	if (fd >= 0)
		close(fd);
	snprintf(beside, sizeof beside, "%.*s-journal", LOOM_STR_ARG(base));
	return ours || begins_with(folder, beside, journal);
}

static bool is_old_part(enum model_old_parts old, int folder, const char *name,
			const struct stat *info)
{
	if (!is_old_name(old, loom_str_of(name)) || time(NULL) - info->st_mtime < UNTOUCHED_S)
		return false;
	return old == MODEL_OLD_COPIES ? S_ISREG(info->st_mode) && is_copy(folder, name)
				       : S_ISDIR(info->st_mode);
}

struct sweep {
	int folder;
	enum model_old_parts old;
	const char *where;                        /* prefix for reported names */
	void (*finding)(void *, struct loom_str); /* NULL: remove instead of reporting */
	void *ctx;
};

static void remove_part(const struct sweep *sweep, const char *name, mode_t mode)
{
	const struct loom_root root = {.fd = sweep->folder};
	char beside[NAME_MAX + 16];

	if (S_ISDIR(mode)) {
		model_remove_folder(&root, name);
		return;
	}
	for (size_t i = 0; i < MODEL_BESIDE; i++) {
		snprintf(beside, sizeof beside, "%s%s", name, model_beside[i]);
		unlinkat(sweep->folder, beside, 0);
	}
	unlinkat(sweep->folder, name, 0);
}

/* Keeps the lock from the check to the removal, so that nobody can claim the name in between. */
static void look_at_part(const struct sweep *sweep, const char *name)
{
	struct stat info;
	struct loom_buf line = LOOM_BUF_INIT(2 * PATH_MAX);
	int fd = openat(sweep->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && fstat(fd, &info) == 0 && (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode)) &&
	    info.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
	    (is_part_name(loom_str_of(name)) ||
	     is_old_part(sweep->old, sweep->folder, name, &info))) {
		loom_buf_addf(&line, "%s%s", sweep->where, name);
		if (sweep->finding)
			sweep->finding(sweep->ctx, loom_buf_str(&line));
		else
			remove_part(sweep, name, info.st_mode);
	}
	if (fd >= 0)
		close(fd);
	loom_buf_fini(&line);
}

/* A file SQLite put beside a copy goes with the copy; by itself it belongs to nobody. */
static bool stands_alone(const struct sweep *sweep, struct loom_str name, struct loom_str base)
{
	char copy[NAME_MAX + 1];

	snprintf(copy, sizeof copy, "%.*s", LOOM_STR_ARG(base));
	return base.n == name.n || faccessat(sweep->folder, copy, F_OK, AT_SYMLINK_NOFOLLOW) != 0;
}

static void look_at_name(void *ctx, const char *name, size_t length, unsigned char type)
{
	const struct sweep *sweep = ctx;
	const struct loom_str text = loom_str_make(name, length);

	LOOM_ASSERT(length > 0);
	(void)type;
	if ((is_part_name(text) || is_old_name(sweep->old, text)) &&
	    stands_alone(sweep, text, without_beside(text)))
		look_at_part(sweep, name);
}

void model_part_sweep(int folder, enum model_old_parts old)
{
	struct sweep sweep = {.folder = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
			      .old = old,
			      .where = ""};

	if (sweep.folder < 0)
		return;
	(void)model_folder_each(sweep.folder, look_at_name, &sweep);
	close(sweep.folder);
}

void model_part_list(const struct model_part_place *place, void (*each)(void *, struct loom_str),
		     void *ctx)
{
	struct sweep sweep = {.old = place->old,
			      .where = place->where,
			      .finding = each,
			      .ctx = ctx};

	sweep.folder = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (sweep.folder < 0)
		return;
	(void)model_folder_each(sweep.folder, look_at_name, &sweep);
	close(sweep.folder);
}
