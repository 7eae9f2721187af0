/* Restore: a backup put in the place of a grove.
 *
 * Two steps, so that a person can be asked between them. The first copies the file beside the grove
 * and looks at the copy as a deep check does; the file itself is only read. The second keeps what
 * stands there and puts the copy in its place by one rename: whenever it is ended, the old grove or
 * the new one is there, whole. */
#ifndef LOOM_RESTORE_H
#define LOOM_RESTORE_H

#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/base/str.h>
#include <loom/base/task.h>

struct loom_restore;

struct loom_restore_opts {
	struct loom_env *env;
	const char *file;    /* a backup, a grove.db, or a directory that has .loom/ */
	struct loom_str dir; /* the project whose grove it becomes */
	/* One line a finding of the check. */
	void (*finding)(void *ctx, struct loom_str text);
	void *ctx;
};

#define LOOM_RESTORE_PATH 4096

struct loom_restore_report {
	int64_t bytes;
	int64_t trees;
	int64_t findings;
	bool own;                     /* the file is one that an earlier restore has kept here */
	bool replaces;                /* a grove stands there */
	char kept[LOOM_RESTORE_PATH]; /* where that is kept, empty: nothing was there */
	char log[LOOM_RESTORE_PATH];  /* and a log that could not be folded into it, or empty */
};

/* Where a restore without -g goes to: the nearest directory above `start` that has .loom/, with or
 * without a grove in it, else the personal grove's. */
enum loom_status loom_restore_place(const struct loom_env *env, struct loom_str start,
				    struct loom_buf *out_dir, struct loom_err *err) LOOM_MUST;

/* Copies the file beside the grove and looks at it. Findings are no failure. LOOM_FOREIGN,
 * LOOM_READ_ONLY for what a newer loom wrote, LOOM_CANCELLED. */
enum loom_status loom_restore_begin(const struct loom_restore_opts *opts, struct loom_task *task,
				    struct loom_restore **out, struct loom_restore_report *report,
				    struct loom_err *err) LOOM_MUST;
/* Puts it in place. LOOM_BUSY names those who have the grove open. */
enum loom_status loom_restore_finish(struct loom_restore *restore, struct loom_task *task,
				     struct loom_restore_report *report,
				     struct loom_err *err) LOOM_MUST;
/* Takes away what was not put in place. NULL is fine. */
void loom_restore_close(struct loom_restore *restore);

#endif
