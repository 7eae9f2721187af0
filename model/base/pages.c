/* Memory that temporary files stand for.
 * Invariants: a piece of at least LOOM_PAGES_LEAST is a region of its own, smaller ones are
 * calloc's; only regions that a file backs are ever given back; the list of regions changes under
 * the mutex alone, so that nothing is given back that is no longer there. */
#include <loom/base/pages.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <loom/base/str.h>

/* How often it is looked whether the program takes too much. A quarter of what there is may be
 * resident, and as much as LEAST in any case. */
enum { LOOK_EVERY_NS = 1000000, LEAST = 16 << 20 };

struct region {
	struct region *next;
	char *p;
	size_t size;
	int fd; /* -1: no file of ours stands behind it */
	bool lent;
};

struct loom_pages {
	char *dir;
	size_t most;
	struct region *regions;
	pthread_t keeper;
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	bool runs;
	bool ends;
};

struct loom_pages *loom_pages_create(const char *dir, size_t most)
{
	struct loom_pages *pages = loom_alloc(sizeof *pages);
	const struct loom_str in = loom_str_of(dir && *dir ? dir : "/tmp");

	pages->dir = loom_alloc(in.n + 1);
	memcpy(pages->dir, in.p, in.n);
	pages->most = most;
	pthread_mutex_init(&pages->mutex, NULL);
	pthread_cond_init(&pages->ended, NULL);
	return pages;
}

/* ---- giving back ---- */

/* How many bytes the program takes; 0 where that cannot be known. */
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

static void give_back(const struct loom_pages *pages)
{
	for (const struct region *region = pages->regions; region; region = region->next)
		if (region->fd >= 0 || region->lent)
			(void)madvise(region->p, region->size, MADV_DONTNEED);
}

static void *keep_small(void *ctx)
{
	struct loom_pages *pages = ctx;
	const int statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	struct timespec until;
	size_t least = 0; /* that it took when all was given back */

	pthread_mutex_lock(&pages->mutex);
	while (!pages->ends) {
		const size_t taken = resident(statm);
		const size_t most = allowed(pages);

		/* What is in use comes back at once, and costs. */
		if (statm < 0 || (taken > most && taken > least + most / 2)) {
			give_back(pages);
			least = resident(statm);
		}
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += LOOK_EVERY_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_clockwait(&pages->ended, &pages->mutex, CLOCK_MONOTONIC, &until);
	}
	pthread_mutex_unlock(&pages->mutex);
	if (statm >= 0)
		close(statm);
	return NULL;
}

/* ---- regions ---- */

/* The first one begins the keeping; where there can be no thread, it takes more memory. */
static void add_region(struct loom_pages *pages, const struct region *made)
{
	struct region *region = loom_alloc(sizeof *region);

	*region = *made;
	pthread_mutex_lock(&pages->mutex);
	region->next = pages->regions;
	pages->regions = region;
	if (!pages->runs)
		pages->runs = !pthread_create(&pages->keeper, NULL, keep_small, pages);
	pthread_mutex_unlock(&pages->mutex);
}

static struct region **find_region(struct loom_pages *pages, const void *p)
{
	struct region **at = &pages->regions;

	while (*at && (*at)->p != p)
		at = &(*at)->next;
	return at;
}

/* Drops a region that stands in the list; its memory is unmapped where it is ours. */
static void drop_region(struct loom_pages *pages, struct region **at)
{
	struct region *region = *at;

	pthread_mutex_lock(&pages->mutex);
	*at = region->next;
	pthread_mutex_unlock(&pages->mutex);
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
	pthread_mutex_lock(&pages->mutex);
	pages->ends = true;
	pthread_cond_signal(&pages->ended);
	pthread_mutex_unlock(&pages->mutex);
	if (pages->runs)
		pthread_join(pages->keeper, NULL);
	while (pages->regions)
		drop_region(pages, &pages->regions);
	pthread_cond_destroy(&pages->ended);
	pthread_mutex_destroy(&pages->mutex);
	free(pages->dir);
	free(pages);
}

/* The room is really the file's: what is touched later cannot find the disk full. */
static int make_file(const struct loom_pages *pages, size_t size)
{
	const int fd = open(pages->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 && posix_fallocate(fd, 0, (off_t)size) != 0) {
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

	/* calloc takes what mmap did not give, or ends the program. */
	return p ? p : loom_alloc(size);
}

/* A region of a file, longer: the same pages, elsewhere. */
static void *stretch(struct loom_pages *pages, struct region *region, size_t size)
{
	char *p = MAP_FAILED;

	if (posix_fallocate(region->fd, 0, (off_t)size) != 0)
		return NULL;
	pthread_mutex_lock(&pages->mutex);
	p = mremap(region->p, region->size, size, MREMAP_MAYMOVE);
	if (p != MAP_FAILED) {
		region->p = p;
		region->size = size;
	}
	pthread_mutex_unlock(&pages->mutex);
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
