/* Presence: one file per session in .loom/live, held under flock while its process lives. A file
 * that can be locked belongs to a dead process and is removed. It has two parts at fixed offsets,
 * each written by a single call: what the session says, and until when its leases hold. */
#include <loom/grove/presence.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/hash.h>
#include <loom/base/json.h>
#include <loom/grove/sql.h>

#define NAME_MAX_BYTES 40
#define PRESENCE_MAX   4096
#define HOLD_BYTES     20

struct loom_session {
	int fd;
	char name[NAME_MAX_BYTES];
	char path[PATH_MAX];
};

static void live_dir(const struct loom_store *store, struct loom_buf *out)
{
	loom_buf_addf(out, "%.*s/" LOOM_GROVE_DIR "/live", LOOM_STR_ARG(loom_store_dir(store)));
}

/* Accepts only names we assign: nothing read from a row or a folder becomes a path unchecked. */
static bool is_session_name(struct loom_str name)
{
	if (name.n < 3 || name.n >= NAME_MAX_BYTES)
		return false;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'))
			return false;
	}
	return true;
}

static void draw_name(char out[NAME_MAX_BYTES])
{
	/* Never seeded: two processes may share a seed. */
	struct loom_env plain = {.seeded = false};
	struct loom_buf hex = LOOM_BUF_INIT(64);
	uint8_t random[6];

	loom_env_random(&plain, 0, random, sizeof random);
	loom_hex(random, sizeof random, &hex);
	snprintf(out, NAME_MAX_BYTES, "s-%d-%s", getpid(), loom_buf_cstr(&hex));
	LOOM_ASSERT(is_session_name(loom_str_of(out)));
	loom_buf_fini(&hex);
}

/* Names the file only once it is locked; otherwise a reader would take it for a dead session's. */
static bool place_file(const struct loom_store *store, struct loom_session *session,
		       const struct loom_buf *dir)
{
	char hidden[PATH_MAX];

	LOOM_ASSERT(session->name[0]);
	snprintf(session->path, sizeof session->path, "%s/%s", loom_buf_cstr(dir), session->name);
	snprintf(hidden, sizeof hidden, "%s/.%s", loom_buf_cstr(dir), session->name);
	session->fd = open(hidden, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (session->fd < 0)
		return false;
	model_fit_file(store, session->fd);
	if (flock(session->fd, LOCK_EX | LOCK_NB) == 0 && rename(hidden, session->path) == 0)
		return true;
	unlink(hidden);
	return false;
}

static enum loom_status announce(struct loom_store *store, struct loom_session *session,
				 struct loom_session **out, struct loom_err *err)
{
	struct loom_buf dir = LOOM_BUF_INIT(PATH_MAX - 64);
	enum loom_status status = LOOM_OK;

	*out = NULL;
	live_dir(store, &dir);
	(void)mkdir(loom_buf_cstr(&dir), 0700);
	model_fit_folder(store, loom_buf_cstr(&dir));
	if (place_file(store, session, &dir)) {
		*out = session;
	} else {
		const int why = errno;

		status = loom_fail_errno(err, why, "cannot announce this session");
		if (why == ENOENT)
			loom_hint(err, status,
				  "the grove was moved or removed: start again where it is now");
		loom_session_close(session);
	}
	LOOM_ASSERT((status == LOOM_OK) == (*out != NULL));
	loom_buf_fini(&dir);
	return status;
}

enum loom_status loom_session_open(struct loom_store *store, struct loom_session **out,
				   struct loom_err *err)
{
	struct loom_session *session = loom_alloc(sizeof *session);

	draw_name(session->name);
	return announce(store, session, out, err);
}

enum loom_status loom_session_mirror(struct loom_store *store, struct loom_str name,
				     struct loom_session **out, struct loom_err *err)
{
	struct loom_session *session = NULL;

	*out = NULL;
	if (!is_session_name(name))
		return loom_fail(err, LOOM_INVALID, "this is no session's name");
	session = loom_alloc(sizeof *session);
	snprintf(session->name, sizeof session->name, "%.*s", LOOM_STR_ARG(name));
	return announce(store, session, out, err);
}

void loom_session_close(struct loom_session *session)
{
	if (!session)
		return;
	if (session->fd >= 0) {
		unlink(session->path);
		close(session->fd);
	}
	free(session);
}

const char *loom_session_name(const struct loom_session *session)
{
	LOOM_ASSERT(session);
	return session->name;
}

enum loom_status loom_session_say(struct loom_session *session, const struct loom_presence *what,
				  struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(PRESENCE_MAX);
	struct loom_json json;
	bool written;

	LOOM_ASSERT(session->fd >= 0 && what);
	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put_int(&json, "pid", what->machine.n ? 0 : getpid());
	if (what->machine.n)
		loom_json_put(&json, "machine", what->machine);
	loom_json_put(&json, "agent", what->agent);
	loom_json_put_bool(&json, "human", what->human);
	loom_json_put(&json, "thread", what->thread);
	loom_json_put(&json, "tree", what->tree);
	loom_json_put(&json, "node", what->node);
	loom_json_put_int(&json, "depth", what->depth);
	loom_json_put(&json, "doing", what->doing);
	loom_json_put_int(&json, "since", what->since);
	loom_json_end_object(&json);
	loom_buf_addc(&text, '\n');
	while (text.bad == LOOM_OK && text.n < PRESENCE_MAX)
		loom_buf_addc(&text, ' ');
	written = text.bad == LOOM_OK && pwrite(session->fd, text.p, text.n, 0) == (ssize_t)text.n;
	loom_buf_fini(&text);
	return written ? LOOM_OK
		       : loom_fail_errno(err, errno, "cannot write this session's presence");
}

enum loom_status loom_session_hold(const struct loom_session *session, int64_t until,
				   struct loom_err *err)
{
	char text[HOLD_BYTES + 1];

	LOOM_ASSERT(session->fd >= 0 && until >= 0);
	snprintf(text, sizeof text, "%-19lld\n", (long long)until);
	return pwrite(session->fd, text, HOLD_BYTES, PRESENCE_MAX) == HOLD_BYTES
		       ? LOOM_OK
		       : loom_fail_errno(err, errno, "cannot say until when this turn holds");
}

static bool is_held(int fd)
{
	LOOM_ASSERT(fd >= 0);
	if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
		flock(fd, LOCK_UN);
		return false;
	}
	return errno == EWOULDBLOCK;
}

/* The file of a session, -1: there is none. */
static int open_session(const struct loom_store *store, struct loom_str name)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	int fd = -1;

	if (is_session_name(name)) {
		live_dir(store, &path);
		loom_buf_addf(&path, "/%.*s", LOOM_STR_ARG(name));
		fd = open(loom_buf_cstr(&path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	}
	loom_buf_fini(&path);
	return fd;
}

bool loom_session_alive(const struct loom_store *store, struct loom_str name)
{
	const int fd = open_session(store, name);
	const bool alive = fd >= 0 && is_held(fd);

	if (fd >= 0)
		close(fd);
	return alive;
}

bool loom_session_holds(const struct loom_store *store, struct loom_str name)
{
	const int fd = open_session(store, name);
	char text[HOLD_BYTES] = "";
	uint64_t until = 0;
	const bool said = fd >= 0 && is_held(fd) &&
			  pread(fd, text, sizeof text, PRESENCE_MAX) == HOLD_BYTES &&
			  loom_str_to_u64(loom_str_trim(loom_str_make(text, sizeof text)), &until);

	if (fd >= 0)
		close(fd);
	return said && until > (uint64_t)loom_env_boot();
}

static struct loom_str copy_member(const cJSON *json, const char *key, struct loom_arena *arena)
{
	return loom_arena_str(arena, loom_json_str(json, key));
}

static bool read_presence(int fd, struct loom_str name, struct loom_arena *arena,
			  struct loom_presence *out)
{
	char text[PRESENCE_MAX + 1];
	ssize_t n = pread(fd, text, PRESENCE_MAX, 0);
	cJSON *json = NULL;

	*out = (struct loom_presence){.session = loom_arena_str(arena, name)};
	if (n <= 0 || loom_json_parse(loom_str_trim(loom_str_make(text, (size_t)n)), NULL, &json,
				      NULL) != LOOM_OK)
		return false;
	out->machine = copy_member(json, "machine", arena);
	out->agent = copy_member(json, "agent", arena);
	out->thread = copy_member(json, "thread", arena);
	out->tree = copy_member(json, "tree", arena);
	out->node = copy_member(json, "node", arena);
	out->doing = copy_member(json, "doing", arena);
	out->human = cJSON_IsTrue(loom_json_get(json, "human"));
	(void)loom_json_int(json, "pid", &out->pid);
	(void)loom_json_int(json, "depth", &out->depth);
	(void)loom_json_int(json, "since", &out->since);
	cJSON_Delete(json);
	return true;
}

/* Reads one file: fills *out for another living session; removes a dead one's file. */
static bool look_at_file(int dir, const char *name, const struct loom_session *self,
			 struct loom_arena *arena, struct loom_presence *out)
{
	bool there = false;
	int fd;

	if (!is_session_name(loom_str_of(name)) || (self && strcmp(name, self->name) == 0))
		return false;
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	if (is_held(fd))
		there = read_presence(fd, loom_str_of(name), arena, out);
	else
		unlinkat(dir, name, 0);
	close(fd);
	return there;
}

enum loom_status loom_presence_list(struct loom_store *store, const struct loom_session *session,
				    struct loom_arena *arena, struct loom_presence **out,
				    size_t *out_count, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(PATH_MAX);
	size_t cap = 0;
	const struct dirent *entry;
	DIR *dir;

	*out = NULL;
	*out_count = 0;
	live_dir(store, &path);
	dir = opendir(loom_buf_cstr(&path));
	loom_buf_fini(&path);
	if (!dir)
		return errno == ENOENT ? LOOM_OK
				       : loom_fail_errno(err, errno, "cannot see who is here");
	while ((entry = readdir(dir)) != NULL) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		if (look_at_file(dirfd(dir), entry->d_name, session, arena, &(*out)[*out_count]))
			++*out_count;
	}
	closedir(dir);
	return LOOM_OK;
}
