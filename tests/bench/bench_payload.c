/* The whole input.md beside git's own listing of the same folder. */
#include "bench/bench.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/payload/payload.h>

#include "support/child.h"
#include "support/prop.h"
#include "support/temp.h"

#define FILES_A_FOLDER 22
#define RESOURCES      40

struct repository {
	struct temp temp;
	struct loom_arena *arena;
	struct loom_root root;
	struct loom_str *folders;
	size_t folder_count;
};

static void make_file(const struct repository *repository, struct loom_str path)
{
	int folder = open(repository->temp.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = openat(folder, path.p, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, path.p, path.n) != (ssize_t)path.n)
		abort();
	close(fd);
	close(folder);
}

static void make_folders(struct repository *repository, struct prop *prop, size_t wanted)
{
	repository->folders = LOOM_ARENA_ARRAY(repository->arena, wanted, struct loom_str);
	repository->folders[0] = LOOM_STR(".");
	repository->folder_count = 1;
	while (repository->folder_count < wanted) {
		struct loom_str parent =
			repository->folders[prop_below(prop, repository->folder_count)];
		struct loom_str path = loom_arena_format(repository->arena, "%s/folder%zu",
							 parent.p, repository->folder_count);
		char *full = temp_path(&repository->temp, path.p);

		if (mkdir(full, 0700) == 0)
			repository->folders[repository->folder_count++] = path;
		free(full);
	}
}

/* `size` files that are shown, a fifth as many that are not, and a list of forty. */
static void make_files(struct repository *repository, struct prop *prop, size_t size)
{
	static const char *const endings[] = {"c", "h", "py", "md", "txt", "json"};
	struct loom_buf list = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < size + size / 5; i++) {
		struct loom_str folder =
			repository->folders[prop_below(prop, repository->folder_count)];
		const char *ending = i < size ? endings[prop_below(prop, 6)] : "log";
		struct loom_str path =
			loom_arena_format(repository->arena, "%s/File_%zu.%s", folder.p, i, ending);

		make_file(repository, path);
		if (i < RESOURCES)
			loom_buf_addf(&list, "%s\n", path.p);
	}
	temp_write(&repository->temp, ".teddy/s/01/turn.context", loom_buf_str(&list));
	temp_write(&repository->temp, ".gitignore",
		   LOOM_STR("node_modules/\nbuild/\n*.log\n*.o\n*~\n.DS_Store\n/dist\n*.pyc\n"));
	loom_buf_fini(&list);
}

static bool in_shell(const struct repository *repository, const char *command)
{
	struct child_opts opts = {.cwd = repository->temp.path, .timeout_ms = 120000};
	struct child_result result;
	bool done = child_shell(command, &opts, &result) && result.status == 0;

	child_fini(&result);
	return done;
}

static void close_repository(void *state)
{
	struct repository *repository = state;

	loom_root_close(&repository->root);
	loom_arena_destroy(repository->arena);
	temp_fini(&repository->temp);
	free(repository);
}

static void *open_repository(size_t size)
{
	struct repository *repository = loom_alloc(sizeof *repository);
	struct prop prop;

	prop_init_seed(&prop, 7);
	/* A disk would take minutes to make so many files; both sides read from memory anyway. */
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0);
	temp_init(&repository->temp);
	repository->arena = loom_arena_create();
	make_folders(repository, &prop, size / FILES_A_FOLDER + 1);
	make_files(repository, &prop, size);
	if (loom_root_open(repository->temp.path, &repository->root, NULL) == LOOM_OK &&
	    in_shell(repository, "git init -q && git add -A"))
		return repository;
	close_repository(repository);
	return NULL;
}

#ifdef LOOM_PROGRAM
static double write_payload(void *state)
{
	return in_shell(state, LOOM_PROGRAM " payload >/dev/null");
}

static double list_by_git(void *state)
{
	return in_shell(state, "git ls-files -co --exclude-standard >/dev/null");
}

/* Peak memory in MiB, of a process of its own. */
static double peak_memory(void *state)
{
	const struct repository *repository = state;
	const char *argv[] = {"sh", "-c",
			      LOOM_PROGRAM " payload >/dev/null & p=$!; peak=0; "
					   "while m=$(grep VmHWM /proc/$p/status 2>/dev/null); do "
					   "peak=$m; done; echo $peak",
			      NULL};
	struct child_opts opts = {.cwd = repository->temp.path};
	struct child_result result;
	double kib = 0;

	if (child_run(argv, &opts, &result))
		(void)sscanf(loom_buf_cstr(&result.out), "VmHWM: %lf", &kib);
	child_fini(&result);
	return kib / 1024;
}
#endif

/* The tree and the contents alone, in this process. */
static double build_payload(void *state)
{
	struct repository *repository = state;
	struct loom_arena *arena = loom_arena_create();
	struct loom_payload_opts opts = {.place = {.root = &repository->root}};
	struct loom_payload payload;
	double bytes = 0;

	if (loom_payload_build(&opts, arena, &payload, NULL) == LOOM_OK)
		bytes = (double)payload.text.n;
	loom_payload_fini(&payload);
	loom_arena_destroy(arena);
	return bytes;
}

static double walk_bare(void *state)
{
	return in_shell(state, "find . -type f >/dev/null");
}

static const struct bench_row rows[] = {
#ifdef LOOM_PROGRAM
	{
		.name = "payload: 50,000 files, 40 resources",
		.ours = "loom payload",
		.peer = "git ls-files -co --exclude-standard",
		.limit = 1.5,
		.size = 50000,
		.small = 2000,
		.open = open_repository,
		.close = close_repository,
		.run = write_payload,
		.run_peer = list_by_git,
	},
	{
		.name = "payload: peak memory",
		.ours = "loom payload",
		.unit = "MiB",
		.limit = 40,
		.size = 50000,
		.small = 2000,
		.open = open_repository,
		.close = close_repository,
		.run = peak_memory,
	},
#endif
	{
		.name = "payload: built in process",
		.ours = "loom_payload_build",
		.peer = "find -type f",
		.size = 50000,
		.small = 2000,
		.open = open_repository,
		.close = close_repository,
		.run = build_payload,
		.run_peer = walk_bare,
	},
};

const struct bench_suite bench_payload = {"payload", rows, LOOM_COUNT(rows)};
