/* A grove's secrets, one file each in its state folder. Invariants: never stored in the grove,
 * never shown or logged; always truly random, even when a seed makes everything else repeatable;
 * two processes that create one at the same time end up with the same secret. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/hash.h>

#include <loom/files/state_file.h>
#include <loom/base/system.h>

#define SECRET_MAX ((size_t)4096)

/* Writes a new secret beside its place and links it there; the loser of a race uses the
 * winner's. */
static enum loom_status make_secret(const char *path, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(SECRET_MAX);
	struct loom_buf beside = LOOM_BUF_INIT(LOOM_BUF_MAX);
	uint8_t bytes[MODEL_SECRET_BYTES];
	enum loom_status status = LOOM_OK;

	loom_buf_addf(&beside, "%s-%ld", path, (long)getpid());
	if (!model_random(bytes, sizeof bytes)) {
		status = loom_fail(err, LOOM_IO, "no randomness: %s", strerror(errno));
		goto done;
	}
	loom_hex(bytes, sizeof bytes, &text);
	LOOM_ASSERT(text.n == 2 * sizeof bytes);
	status = model_file_write(loom_buf_cstr(&beside), loom_buf_str(&text), err);
	if (!status && link(loom_buf_cstr(&beside), path) != 0 && errno != EEXIST)
		status = loom_fail_errno(err, errno, "cannot make %s", path);
	if (!status && !model_sync_name(path))
		status = loom_fail_errno(err, errno, "cannot keep %s", path);
	(void)unlink(loom_buf_cstr(&beside));
done:
	loom_buf_fini(&beside);
	loom_buf_fini(&text);
	return status;
}

static enum loom_status check_file(int fd, const struct model_secret *secret, struct loom_err *err)
{
	struct stat info;

	if (fstat(fd, &info) != 0)
		return loom_fail(err, LOOM_IO, "cannot look at %s: %s", secret->name,
				 strerror(errno));
	if (S_ISREG(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 077) == 0)
		return LOOM_OK;
	(void)loom_fail(err, LOOM_REFUSED, "%s must be a file that only its owner can read",
			secret->name);
	return loom_hint(err, LOOM_REFUSED, "chmod 600 it, or remove it and a new one is made (%s)",
			 secret->lost);
}

static enum loom_status read_secret(int fd, const struct model_secret *secret, struct loom_buf *out,
				    struct loom_err *err)
{
	char bytes[SECRET_MAX];
	enum loom_status status = check_file(fd, secret, err);

	LOOM_ASSERT(fd >= 0 && secret->name);
	if (status)
		return status;
	ssize_t n = read(fd, bytes, sizeof bytes);
	if (n < 0)
		return loom_fail(err, LOOM_IO, "cannot read %s: %s", secret->name, strerror(errno));
	struct loom_str text = loom_str_trim(loom_str_make(bytes, (size_t)n));
	if (text.n < MODEL_SECRET_BYTES)
		return loom_fail(err, LOOM_REFUSED, "%s is too short to be a secret", secret->name);
	loom_buf_add(out, text);
	return LOOM_OK;
}

static enum loom_status open_secret(const char *path, bool make, int *out_fd, struct loom_err *err)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

	*out_fd = open(path, flags);
	if (*out_fd < 0 && errno == ENOENT) {
		if (!make)
			return LOOM_OK;
		enum loom_status status = make_secret(path, err);
		if (status)
			return status;
		*out_fd = open(path, flags);
	}
	if (*out_fd >= 0)
		return LOOM_OK;
	if (errno == ELOOP)
		return loom_fail(err, LOOM_REFUSED, "%s is a link", path);
	return loom_fail_errno(err, errno, "cannot open %s", path);
}

enum loom_status model_secret(struct loom_str folder, const struct model_secret *secret,
			      struct loom_buf *out, struct loom_err *err)
{
	struct loom_buf path = LOOM_BUF_INIT(LOOM_BUF_MAX);
	int fd = -1;
	enum loom_status status;

	LOOM_ASSERT(secret->name && secret->lost);
	loom_buf_add(&path, folder);
	loom_buf_addf(&path, "/%s", secret->name);
	status = open_secret(loom_buf_cstr(&path), secret->make, &fd, err);
	if (!status && fd >= 0)
		status = read_secret(fd, secret, out, err);
	if (fd >= 0)
		(void)close(fd);
	loom_buf_fini(&path);
	return status;
}
