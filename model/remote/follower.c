/* One process of a machine follows the log for all: the one that holds .loom/follow.lock. The file
 * says whether it has come to the log's end. */
#include "inside.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <unistd.h>

#define CURRENT '+'

static int open_lock(const struct loom_store *store, int flags)
{
	char path[PATH_MAX];
	const int n = snprintf(path, sizeof path, "%s/" LOOM_GROVE_DIR "/follow.lock",
			       loom_buf_cstr(&store->dir));

	return n > 0 && (size_t)n < sizeof path
		       ? open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)
		       : -1;
}

bool loom_remote_claim(struct loom_store *store)
{
	struct model_remote *remote = store->remote;

	LOOM_ASSERT(remote);
	if (remote->claim >= 0)
		return true;
	remote->claim = open_lock(store, O_RDWR | O_CREAT);
	if (remote->claim < 0)
		return false;
	model_fit_file(store, remote->claim);
	if (flock(remote->claim, LOCK_EX | LOCK_NB) == 0)
		return true;
	close(remote->claim);
	remote->claim = -1;
	return false;
}

void loom_remote_say_current(struct loom_store *store, bool current)
{
	const char word[1] = {current ? CURRENT : '-'};

	LOOM_ASSERT(store->remote && store->remote->claim >= 0);
	if (pwrite(store->remote->claim, word, sizeof word, 0) != (ssize_t)sizeof word)
		remote_let_go(store->remote);
}

bool loom_remote_is_current(const struct loom_store *store)
{
	const int fd = open_lock(store, O_RDONLY);
	char word[1] = "";
	const bool held = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 &&
			  pread(fd, word, sizeof word, 0) == (ssize_t)sizeof word;

	if (fd >= 0)
		close(fd);
	return held && word[0] == CURRENT;
}

void remote_let_go(struct model_remote *remote)
{
	if (remote->claim >= 0)
		close(remote->claim);
	remote->claim = -1;
}

enum loom_status loom_remote_watch(struct loom_store *store, struct model_news *out,
				   struct loom_err *err)
{
	LOOM_ASSERT(store->remote);
	return store->remote->log->watch(store->remote->ctx, out, err);
}

bool loom_remote_hear(struct loom_store *store)
{
	LOOM_ASSERT(store->remote);
	return store->remote->log->hear(store->remote->ctx);
}
