/* Status codes and the error record.
 *
 * A function that can fail returns an enum loom_status and takes a nullable struct loom_err. The
 * origin fills the record once with loom_fail; layers between pass it on untouched; only the top
 * adds context. The record lives in the caller's memory: nothing is static, nothing is allocated.
 */
#ifndef LOOM_ERR_H
#define LOOM_ERR_H

#include <loom/base/base.h>

/* name, code as printed, whether trying again may help, exit status of the command line */
#define LOOM_STATUS_LIST(X)                                                                        \
	X(OK, "OK", false, 0)                                                                      \
	X(NOT_FOUND, "NOT_FOUND", false, 1)                                                        \
	X(PERMISSION, "PERMISSION_DENIED", false, 1)                                               \
	X(SYNTAX, "INVALID_SYNTAX", true, 1)                                                       \
	X(LIMIT, "LIMIT_EXCEEDED", true, 1)                                                        \
	X(CROSS_TREE, "CROSS_TREE", true, 1)                                                       \
	X(CONFLICT, "CONFLICT", true, 1)                                                           \
	X(MODEL, "MODEL_ERROR", true, 1)                                                           \
	X(USAGE, "USAGE", false, 2)         /* a command line that is not understood */            \
	X(INVALID, "INVALID", false, 1)     /* data that breaks its format */                      \
	X(PATH, "PATH_REFUSED", false, 1)   /* a path that leaves its root, or is no plain file */ \
	X(REFUSED, "REFUSED", false, 1)     /* understood, and not done; the text says why */      \
	X(READ_ONLY, "READ_ONLY", false, 3) /* a newer grove, or no right to write */              \
	X(FOREIGN, "NOT_A_GROVE", false, 3) /* a file that is not ours */                          \
	X(DAMAGED, "DAMAGED", false, 3)     /* a store that fails its checks */                    \
	X(BUSY, "BUSY", true, 3)            /* somebody else holds the lock for too long */        \
	X(FULL, "DISK_FULL", true, 3)       /* no space left */                                    \
	X(IO, "IO_ERROR", true, 3)          /* the machine refused a read or a write */            \
	X(CANCELLED, "CANCELLED", true, 130) /* a person stopped it */                             \
	X(FAULT, "INTERNAL", false, 3)       /* our own mistake */

enum loom_status {
#define X(name, code, retry, exit_status) LOOM_##name,
	LOOM_STATUS_LIST(X)
#undef X
};

/* What went wrong: text says what and why, hint says what to do instead (may be empty); at is a
 * byte offset into the input that was refused, where there is one. */
struct loom_err {
	enum loom_status status;
	size_t at;
	char text[480];
	char hint[240];
};

/* Fills *err (if not NULL) and returns `status`; too long a text is cut at a character and ends
 * in "…". Clears the hint; that of a full disk is always the same. */
enum loom_status loom_fail(struct loom_err *err, enum loom_status status, const char *format, ...)
	LOOM_PRINTF(3, 4);

/* The same for a system call that failed: the text ends in why, and the status and, where there is
 * something to be done about it, the hint are those of `error`. Returns the status. */
enum loom_status loom_fail_errno(struct loom_err *err, int error, const char *format, ...)
	LOOM_PRINTF(3, 4);

/* The same for a file of a user's that cannot be read: LOOM_NOT_FOUND, else LOOM_PATH. EISDIR: it
 * is there, and no file. */
enum loom_status loom_fail_file(struct loom_err *err, const char *path, int error);

/* What to do about a system call that failed; empty where nothing is known. Lives for ever. */
const char *loom_errno_hint(int error);

/* Adds the hint of an error that loom_fail has just filled; returns the status given. */
enum loom_status loom_hint(struct loom_err *err, enum loom_status status, const char *format, ...)
	LOOM_PRINTF(3, 4);

/* Makes *err say nothing again. */
void loom_err_clear(struct loom_err *err);

/* The code as printed: "NOT_FOUND". Lives for ever. */
const char *loom_status_code(enum loom_status status);

/* Whether the same request may succeed when tried again. */
bool loom_status_retryable(enum loom_status status);

/* The exit status that the command line ends with. */
int loom_status_exit(enum loom_status status);

#endif
