/* The locks of `.leslie/`.
 *
 * The reference's lock is a folder beside the file, stale after ten seconds without a touch; we
 * take it the same way, objectives first. Among loom processes a flock precedes it: it waits
 * without polling for long, is released when its process ends, and lets the next one clear the lock
 * folders of a killed process at once, because the locked file names them. */
#include "inside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <loom/files/beneath.h>
#include <loom/base/system.h>

#define STALE_NS       INT64_C(10000000000)
#define FLOCK_WAIT_MS  30000 /* a flock ends with its process, so its holder is working */
#define FOLDER_WAIT_MS 5000
#define LOCK_FILE      ".loom.lock"

static const char *const lock_names[2] = {MODEL_LESLIE_OBJECTIVES ".lock",
					  MODEL_LESLIE_RELATIONS ".lock"};

static enum loom_status refuse_lock(struct loom_leslie *leslie, struct loom_leslie_err *err,
				    const char *name)
{
	model_leslie_refuse(leslie, err, LOOM_BUSY, LOOM_THREAD_LOCKED, "File lock failed");
	model_leslie_because(leslie, err, "another program holds .leslie/%s", name);
	model_leslie_detail(leslie, err, "filePath",
			    loom_arena_format(leslie->arena, ".leslie/%s", name));
	return loom_hint(err ? &err->err : NULL, LOOM_BUSY, "try again in a moment");
}

static enum loom_status take_flock(struct loom_leslie *leslie, struct loom_leslie_err *err)
{
	LOOM_ASSERT(leslie->lock_file < 0);
	leslie->lock_file = model_open_beneath(leslie->home.fd, LOCK_FILE, O_RDWR | O_CREAT,
					       MODEL_FILE_MODE, MODEL_NO_LINKS);
	if (leslie->lock_file < 0) {
		const int why = errno;

		model_leslie_refuse(leslie, err, LOOM_IO, LOOM_THREAD_LOCKED, "File lock failed");
		model_leslie_because(leslie, err, ".leslie/%s: %s", LOCK_FILE, strerror(why));
		return loom_hint(err ? &err->err : NULL, LOOM_IO, "%s", loom_errno_hint(why));
	}
	model_root_fit(&leslie->home, leslie->lock_file);
	if (!model_flock(leslie->lock_file, FLOCK_WAIT_MS))
		return refuse_lock(leslie, err, LOCK_FILE);
	return LOOM_OK;
}

static bool look(int home, const char *name, struct model_leslie_lock *out)
{
	struct loom_file_info info;
	struct stat st;

	if (fstatat(home, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	model_file_info(&st, &info);
	*out = (struct model_leslie_lock){.inode = info.id.inode, .modified_ns = info.modified_ns};
	return true;
}

static bool is_old(const struct model_leslie_lock *lock)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec - lock->modified_ns > STALE_NS;
}

static bool same_lock(const struct model_leslie_lock *a, const struct model_leslie_lock *b)
{
	return a->inode == b->inode && a->modified_ns == b->modified_ns;
}

/* Reads what the last loom process signed: the lock folders it had created, or was about to
 * create. */
static bool read_signed(int lock_file, struct model_leslie_lock out[2])
{
	char text[128] = "";
	ssize_t n = pread(lock_file, text, sizeof(text) - 1, 0);

	return n > 0 && sscanf(text, "%" SCNu64 " %" SCNd64 " %" SCNu64 " %" SCNd64, &out[0].inode,
			       &out[0].modified_ns, &out[1].inode, &out[1].modified_ns) == 4;
}

/* Renames a dead lock away and checks it again, so that a fresh one that came in between is put
 * back. */
static void clear_away(int home, const char *name, const struct model_leslie_lock *dead)
{
	struct model_leslie_lock moved = {0};
	char aside[64];

	snprintf(aside, sizeof(aside), ".%s.%d", name, (int)getpid());
	if (renameat(home, name, home, aside) < 0)
		return;
	if (look(home, aside, &moved) && !same_lock(&moved, dead))
		model_rename_new(home, aside, name);
	else
		unlinkat(home, aside, AT_REMOVEDIR);
}

/* Clears the folders of a killed loom process: we hold the flock, so it is not alive. */
static void clear_killed(const struct loom_leslie *leslie)
{
	struct model_leslie_lock gone[2] = {{0}};
	struct model_leslie_lock there = {0};

	LOOM_ASSERT(leslie->lock_file >= 0);
	if (!read_signed(leslie->lock_file, gone))
		return;
	for (int i = 0; i < 2; i++)
		if (look(leslie->home.fd, lock_names[i], &there) && same_lock(&there, &gone[i]))
			clear_away(leslie->home.fd, lock_names[i], &there);
}

/* Records which lock folders are ours, in case we are killed. */
static void sign(const struct loom_leslie *leslie)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "%" PRIu64 " %" PRId64 " %" PRIu64 " %" PRId64 "\n",
			 leslie->locks[0].inode, leslie->locks[0].modified_ns,
			 leslie->locks[1].inode, leslie->locks[1].modified_ns);

	LOOM_ASSERT(n > 0 && (size_t)n < sizeof(text));
	/* Best effort: without it the lock goes stale after ten seconds. */
	if (pwrite(leslie->lock_file, text, (size_t)n, 0) == n && ftruncate(leslie->lock_file, n))
		return;
}

static void name_aside(int which, char out[64])
{
	LOOM_ASSERT(which == 0 || which == 1);
	snprintf(out, 64, ".%s.own", lock_names[which]);
}

/* Creates both folders under temporary names and signs them before they become the locks: whenever
 * we are killed, the next process knows them. */
static bool prepare(struct loom_leslie *leslie)
{
	int home = leslie->home.fd;
	char aside[64];

	LOOM_ASSERT(leslie->lock_file >= 0);
	for (int i = 0; i < 2; i++) {
		name_aside(i, aside);
		(void)!unlinkat(home, aside, AT_REMOVEDIR);
		if (model_root_folder(&leslie->home, aside) < 0 ||
		    !look(home, aside, &leslie->locks[i]))
			return false;
	}
	sign(leslie);
	return true;
}

static enum loom_status take_folder(struct loom_leslie *leslie, int which,
				    struct loom_leslie_err *err)
{
	int home = leslie->home.fd;
	const char *name = lock_names[which];
	struct model_leslie_lock other = {0};
	int64_t until = loom_env_boot() + FOLDER_WAIT_MS;
	char aside[64];

	LOOM_ASSERT(!leslie->locks[which].held);
	name_aside(which, aside);
	for (int round = 0; model_rename_new(home, aside, name) < 0; round++) {
		if (errno != EEXIST || loom_env_boot() > until)
			return refuse_lock(leslie, err, name);
		if (look(home, name, &other) && is_old(&other))
			clear_away(home, name, &other);
		else
			model_pause(round);
	}
	leslie->locks[which].held = true;
	return LOOM_OK;
}

enum loom_status model_leslie_lock(struct loom_leslie *leslie, struct loom_leslie_err *err)
{
	enum loom_status status = take_flock(leslie, err);

	LOOM_ASSERT(leslie->home.fd >= 0);
	if (status == LOOM_OK)
		clear_killed(leslie);
	if (status == LOOM_OK && !prepare(leslie))
		status = refuse_lock(leslie, err, lock_names[0]);
	for (int i = 0; status == LOOM_OK && i < 2; i++)
		status = take_folder(leslie, i, err);
	if (status != LOOM_OK)
		model_leslie_unlock(leslie);
	return status;
}

void model_leslie_unlock(struct loom_leslie *leslie)
{
	struct model_leslie_lock now = {0};
	char aside[64];

	for (int i = 1; i >= 0; i--) {
		name_aside(i, aside);
		if (leslie->lock_file >= 0 && !leslie->locks[i].held)
			(void)!unlinkat(leslie->home.fd, aside, AT_REMOVEDIR);
		/* It is not ours any more if somebody thought us dead. */
		if (leslie->locks[i].held && look(leslie->home.fd, lock_names[i], &now) &&
		    same_lock(&now, &leslie->locks[i]))
			unlinkat(leslie->home.fd, lock_names[i], AT_REMOVEDIR);
		leslie->locks[i] = (struct model_leslie_lock){0};
	}
	if (leslie->lock_file >= 0) {
		/* Best effort: an entry about locks that are gone matches none. */
		(void)!ftruncate(leslie->lock_file, 0);
		close(leslie->lock_file);
	}
	leslie->lock_file = -1;
}
