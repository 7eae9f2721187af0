/* Change notification by inotify on the grove's directory, the drafts' directory and the sessions'
 * directory; not on the log file, which may not exist yet.
 *
 * A writer fills the log, syncs it and only then makes the commit visible, so a notice of the log
 * alone may come too early to see anything, and be the last one. The writer lock's file is written
 * after every commit; that notice never comes too early. */
#include <loom/grove/watch.h>

#include <limits.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <loom/files/state_file.h>

struct loom_watch {
	int fd;
	int drafts; /* the watch on drafts, -1: none */
	int live;   /* the watch on sessions */
	bool drafted, moved;
};

static void watch_live(struct loom_watch *watch, const struct loom_store *store)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);

	watch->live = -1;
	loom_buf_addf(&path, "%.*s/" LOOM_GROVE_DIR "/live", LOOM_STR_ARG(loom_store_dir(store)));
	if (watch->fd >= 0)
		watch->live = inotify_add_watch(watch->fd, loom_buf_cstr(&path),
						IN_MODIFY | IN_CREATE | IN_DELETE);
	loom_buf_fini(&path);
}

/* Drafts are outside the grove; without their directory there are no notices of them. */
static void watch_drafts(struct loom_watch *watch, struct loom_store *store)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);

	watch->drafts = -1;
	if (watch->fd >= 0 && model_draft_dir(store, &path, NULL) == LOOM_OK)
		watch->drafts =
			inotify_add_watch(watch->fd, loom_buf_cstr(&path), IN_MOVED_TO | IN_DELETE);
	loom_buf_fini(&path);
}

struct loom_watch *loom_watch_open(struct loom_store *store)
{
	struct loom_watch *watch = loom_alloc(sizeof *watch);
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);

	loom_buf_addf(&path, "%.*s/" LOOM_GROVE_DIR, LOOM_STR_ARG(loom_store_dir(store)));
	watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (watch->fd >= 0 && inotify_add_watch(watch->fd, loom_buf_cstr(&path),
						IN_MODIFY | IN_CREATE | IN_MOVED_TO) < 0) {
		close(watch->fd);
		watch->fd = -1;
	}
	watch_drafts(watch, store);
	watch_live(watch, store);
	loom_buf_fini(&path);
	return watch;
}

void loom_watch_close(struct loom_watch *watch)
{
	if (!watch)
		return;
	if (watch->fd >= 0)
		close(watch->fd);
	free(watch);
}

int loom_watch_fd(const struct loom_watch *watch)
{
	LOOM_ASSERT(watch);
	return watch->fd;
}

static bool tells_of_writes(const struct inotify_event *event)
{
	return (event->mask & IN_Q_OVERFLOW) ||
	       (event->len &&
		(strcmp(event->name, LOOM_GROVE_FILE "-wal") == 0 ||
		 strcmp(event->name, LOOM_GROVE_FILE) == 0 || strcmp(event->name, "lock") == 0));
}

bool loom_watch_drain(struct loom_watch *watch)
{
	LOOM_ASSERT(watch);
	_Alignas(struct inotify_event) char events[4096];
	bool ask = false;
	ssize_t n;

	while (watch->fd >= 0 && (n = read(watch->fd, events, sizeof events)) > 0) {
		for (char *p = events; p < events + n;) {
			const struct inotify_event *event = (const struct inotify_event *)(void *)p;

			if (watch->drafts >= 0 && event->wd == watch->drafts)
				watch->drafted = true;
			else if (watch->live >= 0 && event->wd == watch->live)
				watch->moved = true;
			else
				ask = ask || tells_of_writes(event);
			if (event->mask & IN_Q_OVERFLOW)
				watch->drafted = watch->moved = true;
			p += sizeof *event + event->len;
		}
	}
	return ask || watch->fd < 0;
}

bool loom_watch_drafts(struct loom_watch *watch)
{
	bool drafted = watch->drafted || watch->fd < 0;

	watch->drafted = false;
	return drafted;
}

bool loom_watch_live(struct loom_watch *watch)
{
	bool moved = watch->moved || watch->fd < 0;

	watch->moved = false;
	return moved;
}
