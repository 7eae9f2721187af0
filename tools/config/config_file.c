/* Finds the configuration's file and checks whether others could have changed it. */
#include <loom/config/config.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIG_MAX ((size_t)1 << 20)

static enum loom_status read_all(int fd, struct loom_str path, struct loom_buf *out,
				 struct loom_err *err)
{
	char part[8192];
	ssize_t n = 0;

	while ((n = read(fd, part, sizeof part)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return loom_fail(err, LOOM_IO, "%.*s: %s", LOOM_STR_ARG(path),
					 strerror(errno));
		loom_buf_add(out, loom_str_make(part, (size_t)n));
	}
	if (out->bad != LOOM_OK)
		return loom_fail(err, LOOM_LIMIT, "%.*s is larger than 1 MiB", LOOM_STR_ARG(path));
	return LOOM_OK;
}

static enum loom_status judge_file(const struct stat *info, struct loom_str path,
				   struct loom_err *err)
{
	if (!S_ISREG(info->st_mode))
		return loom_fail(err, LOOM_REFUSED, "%.*s is not a regular file",
				 LOOM_STR_ARG(path));
	if (info->st_uid != geteuid() && info->st_uid != 0)
		return loom_fail(err, LOOM_REFUSED, "%.*s belongs to another user",
				 LOOM_STR_ARG(path));
	if (!(info->st_mode & (S_IWGRP | S_IWOTH)))
		return LOOM_OK;
	loom_fail(err, LOOM_REFUSED, "other users can write %.*s", LOOM_STR_ARG(path));
	return loom_hint(err, LOOM_REFUSED, "chmod 600 %.*s", LOOM_STR_ARG(path));
}

/* Headers may contain keys, and other users have no business knowing where a key is kept. */
static enum loom_status judge_readers(const struct stat *info, const struct loom_config *config,
				      struct loom_err *err)
{
	bool secret = config->log_count > 0;

	for (size_t i = 0; i < config->provider_count; i++) {
		const struct loom_provider *provider = &config->providers[i];

		secret |= provider->header_count || provider->key_env.n || provider->key_file.n ||
			  provider->key_cmd;
	}
	if (!secret || !(info->st_mode & (S_IRGRP | S_IROTH)))
		return LOOM_OK;
	loom_fail(err, LOOM_REFUSED, "other users can read %.*s, which says where keys are",
		  LOOM_STR_ARG(config->path));
	return loom_hint(err, LOOM_REFUSED, "chmod 600 %.*s", LOOM_STR_ARG(config->path));
}

static enum loom_status load_file(struct loom_str path, struct loom_arena *arena,
				  struct loom_config *out, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(CONFIG_MAX);
	struct stat info = {0};
	int fd = open(path.p, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	enum loom_status status = LOOM_OK;

	out->path = path;
	if (fd < 0 && errno == ENOENT)
		return LOOM_OK;
	if (fd < 0 || fstat(fd, &info))
		status = loom_fail(err, LOOM_IO, "%.*s: %s", LOOM_STR_ARG(path), strerror(errno));
	if (status == LOOM_OK)
		status = judge_file(&info, path, err);
	if (status == LOOM_OK)
		status = read_all(fd, path, &text, err);
	if (status == LOOM_OK)
		status = loom_config_read(loom_buf_str(&text), path, arena, out, err);
	if (status == LOOM_OK)
		status = judge_readers(&info, out, err);
	if (fd >= 0)
		close(fd);
	loom_buf_fini(&text);
	return status;
}

enum loom_status loom_config_load(const struct loom_env *env, struct loom_arena *arena,
				  struct loom_config *out, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = loom_env_dir(env, LOOM_DIR_CONFIG, &path, err);

	loom_config_init(out, env, arena);
	/* Without a home directory there is no user's configuration to read. */
	if (status == LOOM_NOT_FOUND) {
		if (err)
			loom_err_clear(err);
		loom_buf_fini(&path);
		return LOOM_OK;
	}
	loom_buf_adds(&path, "/config.json");
	if (status == LOOM_OK)
		status = load_file(loom_arena_buf(arena, &path), arena, out, err);
	loom_buf_fini(&path);
	return status;
}
