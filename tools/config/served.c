/* Where the server of a model's file is, and whether it runs. It runs exactly as long as its
 * watcher holds its lock, so that nothing that is left over can be taken for a server. */
#include <loom/config/served.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/hash.h>

bool loom_served_is_file(struct loom_str alias)
{
	return alias.n > 5 &&
	       loom_str_eq_fold(loom_str_sub(alias, alias.n - 5, 5), LOOM_STR(".gguf"));
}

struct loom_str loom_served_dir(const struct loom_env *env, struct loom_arena *arena)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str dir = {NULL, 0};

	if (env && loom_env_dir(env, LOOM_DIR_STATE, &path, NULL) == LOOM_OK) {
		loom_buf_adds(&path, "/servers");
		dir = loom_arena_buf(arena, &path);
	}
	loom_buf_fini(&path);
	return dir;
}

/* Whether somebody else holds the lock. */
static bool is_locked(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;

	if (fd >= 0)
		close(fd);
	return locked;
}

static int read_port(const char *path)
{
	char text[16] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	long port = n > 0 ? strtol(text, NULL, 10) : 0;

	if (fd >= 0)
		close(fd);
	return port > 0 && port < 65536 ? (int)port : 0;
}

void loom_served_find(struct loom_str dir, struct loom_str file, struct loom_arena *arena,
		      struct loom_served *out)
{
	const struct loom_hash hash = loom_sha256(file);
	char name[17];

	for (size_t i = 0; i < 8; i++)
		snprintf(name + 2 * i, 3, "%02x", hash.bytes[i]);
	*out = (struct loom_served){
		.file = loom_arena_str(arena, file),
		.key = loom_arena_format(arena, "%.*s/%s.key", LOOM_STR_ARG(dir), name),
		.port_file = loom_arena_format(arena, "%.*s/%s.port", LOOM_STR_ARG(dir), name),
		.log = loom_arena_format(arena, "%.*s/%s.log", LOOM_STR_ARG(dir), name),
		.guard = loom_arena_format(arena, "%.*s/%s.guard", LOOM_STR_ARG(dir), name),
		.use = loom_arena_format(arena, "%.*s/%s.use", LOOM_STR_ARG(dir), name)};
	out->port = dir.n && is_locked(out->guard.p) ? read_port(out->port_file.p) : 0;
	out->running = out->port > 0;
}

int loom_served_hold(const struct loom_served *served)
{
	int fd = open(served->use.p, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void loom_served_touch(const struct loom_served *served)
{
	(void)!utimensat(AT_FDCWD, served->use.p, NULL, AT_SYMLINK_NOFOLLOW);
}
