/* Memory backed by temporary files. Invariants: a piece of at least LOOM_PAGES_LEAST is a region of
 * its own, smaller ones come from calloc; only regions backed by a file are ever given back;
 * nothing is given back while the list of regions changes.
 *
 * The thread that works gives pages back itself: whenever it says what it touches, and for what
 * goes unsaid, as a long copy, a timer on its own CPU time interrupts it. The timer alone would
 * come too late: in one of its ticks, a thread that touches a word here and there maps hundreds of
 * megabytes. */
#include <loom/base/pages.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <loom/base/str.h>

#ifndef sigev_notify_thread_id /* the manual's name, which some C libraries spell differently */
#define sigev_notify_thread_id _sigev_un._tid
#endif

/* How often memory use is checked, and by which signal. A quarter of it may stay resident, and at
 * least LEAST. */
enum { LOOK_EVERY_NS = 1000000, SIGNAL_BEHIND = 6, LEAST = 16 << 20 };

/* One touch maps at most a window of 2^WINDOW bytes. After MOST_NEW windows that are not among the
 * last ones, memory use is checked as well. */
enum { WINDOW = 16, WINDOWS_KNOWN = 64, MOST_NEW = 128 };

struct region {
	struct region *next;
	char *p;
	size_t size;
	int fd; /* -1: not backed by a file of ours */
	bool lent;
};

struct loom_pages {
	char *dir;
	size_t most;
	struct region *regions;
	volatile sig_atomic_t changes; /* guards the list */
	int statm;
	size_t least;                   /* resident size after everything was given back */
	uintptr_t known[WINDOWS_KNOWN]; /* windows that were touched, each where its number says */
	unsigned fresh;                 /* since the last check */
	timer_t timer;
	sigset_t before; /* the thread's mask; workers block all signals */
	bool works;
};

struct loom_pages *loom_pages_create(const char *dir, size_t most)
{
	struct loom_pages *pages = loom_alloc(sizeof *pages);
	const struct loom_str in = loom_str_of(dir && *dir ? dir : "/tmp");

	pages->dir = loom_alloc(in.n + 1);
	memcpy(pages->dir, in.p, in.n);
	pages->most = most;
	pages->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	return pages;
}

/* ---- giving back ---- */

/* Returns the program's resident bytes; 0 if unknown. */
static size_t resident(int statm)
{
	char text[128];
	const ssize_t n = pread(statm, text, sizeof text - 1, 0);
	const char *second = NULL;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	second = strchr(text, ' ');
	return second ? strtoull(second, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

static size_t allowed(const struct loom_pages *pages)
{
	size_t all = 0;

	for (const struct region *region = pages->regions; region; region = region->next)
		all += region->size / 4;
	return all < LEAST ? LEAST : all < pages->most ? all : pages->most;
}

/* Pages in use come straight back, at a cost: wait until as much again was allocated. */
static void look(struct loom_pages *pages)
{
	const int was = errno;
	const size_t taken = resident(pages->statm);
	const size_t most = allowed(pages);

	if (taken > most && taken > pages->least + most / 2) {
		for (const struct region *region = pages->regions; region; region = region->next)
			if (region->fd >= 0 || region->lent)
				(void)madvise(region->p, region->size, MADV_DONTNEED);
		memset(pages->known, 0, sizeof pages->known);
		pages->least = resident(pages->statm);
	}
	pages->fresh = 0;
	errno = was;
}

static void look_in_time(int number, siginfo_t *info, void *context)
{
	struct loom_pages *pages = info->si_value.sival_ptr;

	(void)number;
	(void)context;
	if (!pages->changes)
		look(pages);
}

void loom_pages_touch(struct loom_pages *pages, const void *p, size_t size)
{
	const uintptr_t first = (uintptr_t)p >> WINDOW;
	const uintptr_t last = ((uintptr_t)p + (size ? size - 1 : 0)) >> WINDOW;

	if (!pages || !pages->works)
		return;
	for (uintptr_t window = first; window <= last; window++) {
		uintptr_t *known = &pages->known[window % WINDOWS_KNOWN];

		pages->fresh += *known != window;
		*known = window;
	}
	if (pages->fresh > MOST_NEW)
		look(pages);
}

void loom_pages_work(struct loom_pages *pages)
{
	const int number = SIGRTMIN + SIGNAL_BEHIND;
	struct sigaction action = {.sa_sigaction = look_in_time,
				   .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = number};
	const struct itimerspec when = {{0, LOOK_EVERY_NS}, {0, LOOK_EVERY_NS}};
	sigset_t ours;

	event.sigev_notify_thread_id = gettid();
	event.sigev_value.sival_ptr = pages;
	sigemptyset(&action.sa_mask);
	sigemptyset(&ours);
	sigaddset(&ours, number);
	if (pages->works || pages->statm < 0 || sigaction(number, &action, NULL) != 0 ||
	    timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &pages->timer) != 0)
		return;
	pages->works = true;
	pthread_sigmask(SIG_UNBLOCK, &ours, &pages->before);
	(void)!timer_settime(pages->timer, 0, &when, NULL);
}

/* A pending signal is consumed before this returns. */
void loom_pages_rest(struct loom_pages *pages)
{
	if (!pages->works)
		return;
	timer_delete(pages->timer);
	pthread_sigmask(SIG_SETMASK, &pages->before, NULL);
	pages->works = false;
}

/* ---- regions ---- */

/* Brackets each change of the list. */
static void change(struct loom_pages *pages, bool begins)
{
	atomic_signal_fence(memory_order_seq_cst);
	pages->changes = begins;
	atomic_signal_fence(memory_order_seq_cst);
}

static void add_region(struct loom_pages *pages, const struct region *made)
{
	struct region *region = loom_alloc(sizeof *region);

	/* The kernel may otherwise map two megabytes at one touch. */
	(void)madvise(made->p, made->size, MADV_NOHUGEPAGE);
	*region = *made;
	change(pages, true);
	region->next = pages->regions;
	pages->regions = region;
	change(pages, false);
}

static struct region **find_region(struct loom_pages *pages, const void *p)
{
	struct region **at = &pages->regions;

	while (*at && (*at)->p != p)
		at = &(*at)->next;
	return at;
}

/* Removes a region from the list, and unmaps its memory if it is ours. */
static void drop_region(struct loom_pages *pages, struct region **at)
{
	struct region *region = *at;

	change(pages, true);
	*at = region->next;
	change(pages, false);
	if (!region->lent)
		munmap(region->p, region->size);
	if (region->fd >= 0)
		close(region->fd);
	free(region);
}

void loom_pages_destroy(struct loom_pages *pages)
{
	if (!pages)
		return;
	loom_pages_rest(pages);
	while (pages->regions)
		drop_region(pages, &pages->regions);
	if (pages->statm >= 0)
		close(pages->statm);
	free(pages->dir);
	free(pages);
}

/* Allocates the file's blocks, so that touching a page later cannot fail on a full disk. */
static bool has_room(int fd, size_t size)
{
	int failed = 0;

	do
		failed = posix_fallocate(fd, 0, (off_t)size);
	while (failed == EINTR);
	return failed == 0;
}

static int make_file(const struct loom_pages *pages, size_t size)
{
	const int fd = open(pages->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 && !has_room(fd, size)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void *take_region(struct loom_pages *pages, size_t size)
{
	struct region region = {.size = size, .fd = make_file(pages, size)};
	const int how = region.fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;

	region.p = mmap(NULL, size, PROT_READ | PROT_WRITE, how, region.fd, 0);
	if (region.p == MAP_FAILED) {
		if (region.fd >= 0)
			close(region.fd);
		return NULL;
	}
	add_region(pages, &region);
	return region.p;
}

/* ---- pieces ---- */

void *loom_pages_take(struct loom_pages *pages, size_t size)
{
	void *p = size >= LOOM_PAGES_LEAST ? take_region(pages, size) : NULL;

	/* Falls back to calloc if mmap fails, or ends the program. */
	return p ? p : loom_alloc(size);
}

/* Grows a region's file; its pages stay, possibly at another address. */
static void *stretch(struct loom_pages *pages, struct region *region, size_t size)
{
	char *p = MAP_FAILED;

	if (!has_room(region->fd, size))
		return NULL;
	change(pages, true);
	p = mremap(region->p, region->size, size, MREMAP_MAYMOVE);
	if (p != MAP_FAILED) {
		region->p = p;
		region->size = size;
	}
	change(pages, false);
	return p == MAP_FAILED ? NULL : p;
}

void *loom_pages_resize(struct loom_pages *pages, void *p, size_t old, size_t size)
{
	struct region *region = p && old >= LOOM_PAGES_LEAST ? *find_region(pages, p) : NULL;
	void *larger = NULL;

	if (region && region->fd >= 0 && size > old)
		larger = stretch(pages, region, size);
	if (larger)
		return larger;
	larger = loom_pages_take(pages, size);
	if (p)
		memcpy(larger, p, old < size ? old : size);
	loom_pages_return(pages, p, old);
	return larger;
}

void loom_pages_return(struct loom_pages *pages, void *p, size_t size)
{
	struct region **at = p && size >= LOOM_PAGES_LEAST ? find_region(pages, p) : NULL;

	if (at && *at)
		drop_region(pages, at);
	else
		free(p);
}

void loom_pages_lend(struct loom_pages *pages, const void *p, size_t size)
{
	const struct region region = {.p = (char *)(uintptr_t)p,
				      .size = size,
				      .fd = -1,
				      .lent = true};

	if (p)
		add_region(pages, &region);
}

void loom_pages_unlend(struct loom_pages *pages, const void *p)
{
	struct region **at = find_region(pages, p);

	if (p && *at && (*at)->lent)
		drop_region(pages, at);
}
