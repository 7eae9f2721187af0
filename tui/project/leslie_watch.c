/* Watches `.leslie/`, so that changes by other programs show up. It watches the folders of the
 * shown threads, not what is deep inside them. It reads nothing, and wakes up only when something
 * was written. */
#include <loom/project/threads_work.h>

#include <limits.h>
#include <sys/inotify.h>
#include <unistd.h>

#define QUIET_MS 120 /* of quiet before looking again: writers write in bursts */
#define MASK                                                                                       \
	(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE | IN_ONLYDIR |       \
	 IN_EXCL_UNLINK)

struct tui_leslie_watch {
	struct tui_app *app;
	void (*again)(struct tui_app *app);
	int fd;
	uint64_t timer;
};

static void on_quiet(void *ctx)
{
	struct tui_leslie_watch *watch = ctx;

	watch->timer = 0;
	watch->again(watch->app);
}

/* Locks and half-written files are not news. */
static bool is_news(const struct inotify_event *event)
{
	struct loom_str name = loom_str_of(event->len ? event->name : "");

	return name.n && !loom_str_ends(name, LOOM_STR(".lock")) &&
	       !loom_str_starts(name, LOOM_STR(".")) &&
	       loom_str_find(name, LOOM_STR(".tmp"), 0) == SIZE_MAX;
}

static void on_notice(void *ctx, int fd, unsigned events)
{
	struct tui_leslie_watch *watch = ctx;
	_Alignas(struct inotify_event) char bytes[4096];
	bool news = false;
	ssize_t n;

	(void)events;
	while ((n = read(fd, bytes, sizeof bytes)) > 0) {
		for (ssize_t at = 0; at < n;) {
			struct inotify_event event;
			const struct inotify_event *whole = (const void *)(bytes + at);

			memcpy(&event, whole, sizeof event);
			news = news || is_news(whole);
			at += (ssize_t)(sizeof event + event.len);
		}
	}
	if (!news)
		return;
	loom_loop_timer_cancel(watch->app->loop, watch->timer);
	watch->timer = loom_loop_timer(watch->app->loop, QUIET_MS, on_quiet, watch);
}

struct tui_leslie_watch *tui_leslie_watch(struct tui_app *app, void (*again)(struct tui_app *app))
{
	struct tui_leslie_watch *watch = loom_alloc(sizeof *watch);

	watch->app = app;
	watch->again = again;
	watch->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (watch->fd >= 0)
		loom_loop_watch(app->loop, watch->fd, LOOM_LOOP_READ, on_notice, watch);
	return watch;
}

static void add(const struct tui_leslie_watch *watch, const char *root, const char *thread,
		const char *below)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/.leslie%s%s%s", root, thread ? "/threads/" : "",
			 thread ? thread : "", below);

	/* What is missing, or cannot be watched, is noticed at the next look. */
	if (n > 0 && (size_t)n < sizeof path)
		(void)!inotify_add_watch(watch->fd, path, MASK);
}

void tui_leslie_watch_these(struct tui_leslie_watch *watch, const struct tui_threads *threads)
{
	const char *root = threads->root.p ? threads->root.p : "";

	if (watch->fd < 0 || !root[0])
		return;
	add(watch, root, NULL, "");
	add(watch, root, "", ""); /* the folders of all threads, which may go and come back */
	for (size_t i = 0; i < threads->count; i++) {
		const char *id = loom_arena_cstr(watch->app->arena, threads->items[i].thread.id);

		if (!loom_leslie_id_ok(threads->items[i].thread.id))
			continue;
		add(watch, root, id, "");
		add(watch, root, id, "/artifacts");
		add(watch, root, id, "/context/inherited");
	}
}

void tui_leslie_unwatch(struct tui_leslie_watch *watch)
{
	if (!watch)
		return;
	loom_loop_timer_cancel(watch->app->loop, watch->timer);
	if (watch->fd >= 0) {
		loom_loop_watch(watch->app->loop, watch->fd, 0, NULL, NULL);
		close(watch->fd);
	}
	free(watch);
}
