/* Lanes and their keys. A key exists only in memory, is wiped when its lane ends, and is given only
 * to the request that needs it. */
#include "queue.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/grove/store.h>

static void key_failed(struct provider_lane *lane)
{
	lane->key_state = PROVIDER_KEY_FAILED;
	if (lane->key.p)
		explicit_bzero(lane->key.p, lane->key.cap);
	loom_buf_clear(&lane->key);
}

/* Takes the first line without surrounding blanks. A key that would make two headers is refused. */
static void settle_key(struct provider_lane *lane)
{
	struct loom_str rest = loom_buf_str(&lane->key);
	struct loom_str line = loom_str_make("", 0);
	bool good = lane->key.bad == LOOM_OK && loom_str_line(&rest, &line);

	line = loom_str_trim(line);
	for (size_t i = 0; i < line.n; i++)
		good = good && (lane->password || ((unsigned char)line.p[i] > 0x20 &&
						   (unsigned char)line.p[i] < 0x7f));
	if (!good || !line.n) {
		loom_fail(&lane->key_err, LOOM_MODEL, "the key of \"%.*s\" is malformed",
			  LOOM_STR_ARG(lane->provider->name));
		loom_hint(&lane->key_err, LOOM_MODEL, "the first line must be the key alone");
		key_failed(lane);
		return;
	}
	memmove(lane->key.p, line.p, line.n);
	explicit_bzero(lane->key.p + line.n, lane->key.cap - line.n);
	loom_buf_cut(&lane->key, line.n);
	lane->key_state = PROVIDER_KEY_READY;
}

static void read_variable(struct provider_lane *lane)
{
	const char *name = lane->provider->key_env.p;
	const char *value = loom_env_var(lane->voices->opts.env, name);

	if (value) {
		loom_buf_adds(&lane->key, value);
		settle_key(lane);
		return;
	}
	loom_fail(&lane->key_err, LOOM_MODEL, "\"%.*s\" has no key: $%s is not set",
		  LOOM_STR_ARG(lane->provider->name), name);
	loom_hint(&lane->key_err, LOOM_MODEL, "set it, or name a key_file or a key_cmd in %.*s",
		  LOOM_STR_ARG(lane->voices->opts.config->path));
	key_failed(lane);
}

/* Expands "~/x" to the home directory. */
static void file_path(const struct provider_lane *lane, struct loom_buf *out)
{
	struct loom_str name = lane->provider->key_file;
	const char *home = loom_env_var(lane->voices->opts.env, "HOME");

	if (home && loom_str_starts(name, LOOM_STR("~/"))) {
		loom_buf_adds(out, home);
		name = loom_str_sub(name, 1, SIZE_MAX);
	}
	loom_buf_add(out, name);
}

static enum loom_status refuse_open_file(struct provider_lane *lane, int fd, const char *path)
{
	struct stat info = {0};

	if (fd < 0 && errno == ELOOP) {
		loom_fail(&lane->key_err, LOOM_MODEL,
			  "%s is a symbolic link, and keys are not read through links", path);
		return loom_hint(&lane->key_err, LOOM_MODEL, "name the file that it points to");
	}
	if (fd < 0 || fstat(fd, &info)) {
		loom_fail(&lane->key_err, LOOM_MODEL, "no key of \"%.*s\": %s: %s",
			  LOOM_STR_ARG(lane->provider->name), path, strerror(errno));
		return loom_hint(&lane->key_err, LOOM_MODEL,
				 "write the key to that file and chmod 600 it");
	}
	if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
	    (info.st_mode & (S_IRWXG | S_IRWXO))) {
		loom_fail(&lane->key_err, LOOM_MODEL, "other users can read %s", path);
		return loom_hint(&lane->key_err, LOOM_MODEL, "chmod 600 %s", path);
	}
	return LOOM_OK;
}

/* Files of a project are copied, listed in payloads, shared with it and read by agents. */
static enum loom_status refuse_in_project(struct provider_lane *lane, const char *path)
{
	struct loom_buf project = LOOM_BUF_INIT(PATH_MAX);
	char real[PATH_MAX];
	bool personal = true;

	if (realpath(path, real) &&
	    loom_grove_find(lane->voices->opts.env, loom_str_of(dirname(real)), &project, &personal,
			    NULL) != LOOM_OK)
		personal = true;
	if (!personal) {
		loom_fail(&lane->key_err, LOOM_MODEL, "the key file %s is inside the project %s",
			  path, loom_buf_cstr(&project));
		loom_hint(&lane->key_err, LOOM_MODEL, "move it outside any grove");
	}
	loom_buf_fini(&project);
	return personal ? LOOM_OK : LOOM_MODEL;
}

/* With several lines there is no telling which of them is the key. */
static enum loom_status refuse_several(struct provider_lane *lane, struct loom_str text,
				       const char *path)
{
	struct loom_str line;
	size_t count = 0;

	while (loom_str_line(&text, &line))
		count += loom_str_trim(line).n > 0;
	if (count < 2)
		return LOOM_OK;
	loom_fail(&lane->key_err, LOOM_MODEL, "%s has %zu lines, but a key is one line", path,
		  count);
	return loom_hint(&lane->key_err, LOOM_MODEL, "remove everything but the key");
}

static enum loom_status read_open_file(struct provider_lane *lane, int fd, const char *path)
{
	char text[4096];
	ssize_t n = 0;
	enum loom_status status = refuse_open_file(lane, fd, path);

	if (status == LOOM_OK)
		status = refuse_in_project(lane, path);
	if (status != LOOM_OK)
		return status;
	n = read(fd, text, sizeof text);
	if (n < 0)
		return loom_fail(&lane->key_err, LOOM_MODEL, "%s: %s", path, strerror(errno));
	status = refuse_several(lane, loom_str_make(text, (size_t)n), path);
	if (status == LOOM_OK)
		loom_buf_add(&lane->key, loom_str_trim(loom_str_make(text, (size_t)n)));
	explicit_bzero(text, sizeof text);
	return status;
}

static void read_file(struct provider_lane *lane)
{
	struct loom_buf path = LOOM_BUF_INIT(4096);
	int fd = -1;

	file_path(lane, &path);
	fd = open(loom_buf_cstr(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
	if (read_open_file(lane, fd, loom_buf_cstr(&path)) == LOOM_OK)
		settle_key(lane);
	else
		key_failed(lane);
	if (fd >= 0)
		close(fd);
	loom_buf_fini(&path);
}

static void on_key_part(void *ctx, struct loom_str bytes)
{
	struct provider_lane *lane = ctx;

	loom_buf_add(&lane->key, bytes);
}

static void on_key_end(void *ctx, int status, int signal, struct loom_str said)
{
	struct provider_lane *lane = ctx;

	(void)said; /* it may contain the key */
	lane->child = NULL;
	if (status == 0) {
		settle_key(lane);
	} else {
		loom_fail(&lane->key_err, LOOM_MODEL,
			  "cannot get the key of \"%.*s\": %s ended with %s %d",
			  LOOM_STR_ARG(lane->provider->name), lane->provider->key_cmd[0],
			  signal ? "signal" : "status", signal ? signal : status);
		key_failed(lane);
	}
	lane->ready(lane);
}

static void ask_program(struct provider_lane *lane)
{
	struct loop_child_opts opts = {.loop = lane->voices->opts.loop,
				       .argv = lane->provider->key_cmd,
				       .config = lane->voices->opts.config,
				       .out = on_key_part,
				       .end = on_key_end,
				       .ctx = lane};

	lane->key_state = PROVIDER_KEY_COMING;
	if (loop_child_start(&opts, &lane->child, &lane->key_err) == LOOM_OK)
		return;
	lane->key_err.status = LOOM_MODEL;
	key_failed(lane);
}

/* A crash must not write a key to disk. */
static void leave_no_core(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CORE, &limit) != 0)
		return;
	limit.rlim_cur = 0;
	(void)setrlimit(RLIMIT_CORE, &limit);
}

void provider_lane_want_key(struct provider_lane *lane)
{
	if (lane->key_state == PROVIDER_KEY_COMING || lane->key_state == PROVIDER_KEY_READY)
		return;
	leave_no_core();
	loom_buf_clear(&lane->key);
	if (lane->provider->key_cmd)
		ask_program(lane);
	else if (lane->provider->key_file.n)
		read_file(lane);
	else if (lane->provider->key_env.n)
		read_variable(lane);
	else
		lane->key_state = PROVIDER_KEY_READY;
}

struct provider_lane *provider_lane_of(struct loom_voices *voices,
				       const struct loom_provider *provider)
{
	struct provider_lane *lane = voices->lanes;
	struct loom_provider *own = NULL;

	while (lane && !loom_str_eq(lane->provider->name, provider->name))
		lane = lane->next;
	if (lane)
		return lane;
	/* A provider without configuration lives only as long as a generation; its texts are
	 * static. */
	own = LOOM_ARENA_NEW(voices->arena, struct loom_provider);
	*own = *provider;
	lane = loom_alloc(sizeof *lane);
	*lane = (struct provider_lane){.next = voices->lanes, .voices = voices, .provider = own};
	loom_buf_init(&lane->key, PROVIDER_KEY_MAX);
	voices->lanes = lane;
	return lane;
}

void provider_lanes_destroy(struct loom_voices *voices)
{
	while (voices->lanes) {
		struct provider_lane *lane = voices->lanes;

		voices->lanes = lane->next;
		loom_loop_timer_cancel(voices->opts.loop, lane->timer);
		loop_child_stop(lane->child);
		if (lane->key.p)
			explicit_bzero(lane->key.p, lane->key.cap);
		loom_buf_fini(&lane->key);
		free(lane);
	}
}
