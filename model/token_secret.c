/* Purpose: where the secret that signs checkpoint tokens lives.
 * Invariants: never in the grove, never shown or logged; always true randomness, also when a seed
 * makes all else repeatable; two processes that make it at once end up with the same one. */
#include <loom/token.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/hash.h>

#define SECRET_NAME  "token.secret"
#define SECRET_BYTES 32
#define SECRET_MAX   ((size_t)4096)

static enum loom_status io_failure(struct loom_err *err, const char *what, const char *path)
{
	return loom_fail(err, LOOM_IO, "%s %s: %s", what, path, strerror(errno));
}

/* Makes every missing folder of the path, 0700. */
static enum loom_status make_folders(const char *path, struct loom_err *err)
{
	struct loom_buf part = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	for (size_t i = 1; !status && i <= strlen(path); i++) {
		if (path[i] != '/' && path[i] != '\0')
			continue;
		loom_buf_clear(&part);
		loom_buf_add(&part, loom_str_make(path, i));
		if (mkdir(loom_buf_cstr(&part), 0700) != 0 && errno != EEXIST)
			status = io_failure(err, "cannot make", loom_buf_cstr(&part));
	}
	loom_buf_fini(&part);
	return status;
}

/* The grove's own folder, open. */
static enum loom_status open_folder(const struct loom_env *env, struct loom_str grove_id, int *out,
				    struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	if (grove_id.n == 0 || grove_id.p[0] == '.' ||
	    loom_str_find_char(grove_id, '/', 0) != SIZE_MAX)
		return loom_fail(err, LOOM_PATH, "a grove's id is a plain name");
	status = loom_env_dir(env, LOOM_DIR_STATE, &path, err);
	if (status)
		goto done;
	loom_buf_addc(&path, '/');
	loom_buf_add(&path, grove_id);
	status = make_folders(loom_buf_cstr(&path), err);
	if (status)
		goto done;
	*out = open(loom_buf_cstr(&path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*out < 0)
		status = io_failure(err, "cannot open", loom_buf_cstr(&path));
done:
	loom_buf_fini(&path);
	return status;
}

static bool write_all(int fd, struct loom_str text)
{
	size_t at = 0;

	while (at < text.n) {
		ssize_t n = write(fd, text.p + at, text.n - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return fsync(fd) == 0;
}

static bool draw_secret(struct loom_buf *out)
{
	uint8_t bytes[SECRET_BYTES];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return false;
	loom_hex(bytes, sizeof bytes, out);
	return true;
}

/* Writes a new secret beside its place and links it there: whoever comes second keeps the first
 * one's. */
static enum loom_status make_secret(int folder, struct loom_err *err)
{
	char name[64];
	struct loom_buf text = LOOM_BUF_INIT(SECRET_MAX);
	enum loom_status status = LOOM_OK;
	int fd = -1;

	(void)snprintf(name, sizeof name, SECRET_NAME ".%ld", (long)getpid());
	(void)unlinkat(folder, name, 0);
	fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || !draw_secret(&text) || !write_all(fd, loom_buf_str(&text)))
		status = io_failure(err, "cannot write", name);
	else if (linkat(folder, name, folder, SECRET_NAME, 0) != 0 && errno != EEXIST)
		status = io_failure(err, "cannot make", SECRET_NAME);
	else
		(void)fsync(folder);
	if (fd >= 0)
		(void)close(fd);
	(void)unlinkat(folder, name, 0);
	loom_buf_fini(&text);
	return status;
}

static enum loom_status check_file(int fd, struct loom_err *err)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return io_failure(err, "cannot look at", SECRET_NAME);
	if (!S_ISREG(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 077) != 0) {
		(void)loom_fail(err, LOOM_REFUSED,
				SECRET_NAME " is not a file that only its owner can read");
		return loom_hint(err, LOOM_REFUSED,
				 "chmod 600 it, or remove it to have a new one made (older tokens "
				 "will be refused)");
	}
	return LOOM_OK;
}

static enum loom_status read_secret(int fd, struct loom_buf *out, struct loom_err *err)
{
	char bytes[SECRET_MAX];
	enum loom_status status = check_file(fd, err);

	if (status)
		return status;
	ssize_t n = read(fd, bytes, sizeof bytes);
	if (n < 0)
		return io_failure(err, "cannot read", SECRET_NAME);
	struct loom_str text = loom_str_trim(loom_str_make(bytes, (size_t)n));
	if (text.n < SECRET_BYTES)
		return loom_fail(err, LOOM_REFUSED, SECRET_NAME " is too short to be a secret");
	loom_buf_add(out, text);
	return LOOM_OK;
}

enum loom_status loom_token_secret(const struct loom_env *env, struct loom_str grove_id,
				   struct loom_buf *out, struct loom_err *err)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC;
	const char *given = loom_env_var(env, "LOOM_TOKEN_SECRET");
	int folder = -1;
	int fd = -1;

	if (given) {
		loom_buf_adds(out, given);
		return LOOM_OK;
	}
	enum loom_status status = open_folder(env, grove_id, &folder, err);
	if (status)
		return status;
	fd = openat(folder, SECRET_NAME, flags);
	if (fd < 0 && errno == ENOENT) {
		status = make_secret(folder, err);
		fd = status ? -1 : openat(folder, SECRET_NAME, flags);
	}
	if (!status && fd < 0)
		status = errno == ELOOP ? loom_fail(err, LOOM_REFUSED, SECRET_NAME " is a link")
					: io_failure(err, "cannot open", SECRET_NAME);
	if (!status)
		status = read_secret(fd, out, err);
	if (fd >= 0)
		(void)close(fd);
	(void)close(folder);
	return status;
}
