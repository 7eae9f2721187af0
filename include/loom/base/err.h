/* Status codes and the error record.
 *
 * A function that can fail returns an enum loom_status and takes a nullable struct loom_err. The
 * origin fills the record once with loom_fail; layers between pass it on untouched; only the top
 * adds context. The record lives in the caller's memory: nothing is static, nothing is
 * allocated. */
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
	X(USAGE, "USAGE", false, 2)     /* a command line that cannot be parsed */                 \
	X(INVALID, "INVALID", false, 1) /* data that violates its format */                        \
	X(PATH, "PATH_REFUSED", false,                                                             \
	  1) /* a path that escapes its root or is not a regular file */                           \
	X(REFUSED, "REFUSED", false, 1)      /* understood but not allowed; the text says why */   \
	X(READ_ONLY, "READ_ONLY", false, 3)  /* written by a newer version, or not writable */     \
	X(FOREIGN, "NOT_A_GROVE", false, 3)  /* not one of our files */                            \
	X(DAMAGED, "DAMAGED", false, 3)      /* a store that fails its checks */                   \
	X(BUSY, "BUSY", true, 3)             /* another process holds the lock too long */         \
	X(FULL, "DISK_FULL", true, 3)        /* no space left */                                   \
	X(OFFLINE, "OFFLINE", true, 1)       /* the shared log cannot be reached */                \
	X(IO, "IO_ERROR", true, 3)           /* the system refused a read or write */              \
	X(CANCELLED, "CANCELLED", true, 130) /* stopped by a person */                             \
	X(FAULT, "INTERNAL", false, 3)       /* a bug of ours */

enum loom_status {
#define X(name, code, retry, exit_status) LOOM_##name,
	LOOM_STATUS_LIST(X)
#undef X
};

/* Describes an error: `text` is what happened and why, `hint` what to do instead (may be empty),
 * `at` a byte offset into the refused input, if any. A hint with several lines offers the lines
 * behind the first as further choices. */
struct loom_err {
	enum loom_status status;
	size_t at;
	char text[480];
	char hint[600];
};

/* Fills *err (if not NULL) and returns `status`. A text that is too long is cut at a character and
 * ends in "…". Clears the hint, except that a full disk always has its own. */
enum loom_status loom_fail(struct loom_err *err, enum loom_status status, const char *format, ...)
	LOOM_PRINTF(3, 4);

/* Fills *err (if not NULL) for a failed system call: appends the reason to the text, and takes the
 * status and, where one is known, the hint from the errno value `error`. Returns the status. */
enum loom_status loom_fail_errno(struct loom_err *err, int error, const char *format, ...)
	LOOM_PRINTF(3, 4);

/* Fills *err (if not NULL) for a user's file that cannot be read, and returns LOOM_NOT_FOUND or
 * LOOM_PATH. Pass EISDIR for something that exists but is not a file. */
enum loom_status loom_fail_file(struct loom_err *err, const char *path, int error);

/* Returns a static hint for a failed system call, "" if we have none. */
const char *loom_errno_hint(int error);

/* Sets the hint of an error that loom_fail has just filled; returns the given status. */
enum loom_status loom_hint(struct loom_err *err, enum loom_status status, const char *format, ...)
	LOOM_PRINTF(3, 4);

/* Empties the error record. */
void loom_err_clear(struct loom_err *err);

/* Returns the printed code, such as "NOT_FOUND". Static. */
const char *loom_status_code(enum loom_status status);

/* Returns whether the same request may succeed if tried again. */
bool loom_status_retryable(enum loom_status status);

/* Returns the exit status the command line ends with. */
int loom_status_exit(enum loom_status status);

#endif
