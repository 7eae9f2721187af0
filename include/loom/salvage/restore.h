/* Restore: puts a backup in the place of a grove.
 *
 * In two steps, so that a person can be asked in between. The first copies the file beside the
 * grove and checks the copy deeply; the file itself is only read. The second keeps the present
 * grove and puts the copy in its place with one rename: a kill at any moment leaves the old grove
 * or the new one, complete. */
#ifndef LOOM_RESTORE_H
#define LOOM_RESTORE_H

#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/base/str.h>
#include <loom/base/task.h>

struct loom_restore;

struct loom_restore_opts {
	struct loom_env *env;
	const char *file;    /* a backup, a grove.db, or a directory with .loom/ */
	struct loom_str dir; /* the project whose grove it becomes */
	/* Called for each finding of the check. */
	void (*finding)(void *ctx, struct loom_str text);
	void *ctx;
};

#define LOOM_RESTORE_PATH 4096

struct loom_restore_report {
	int64_t bytes;
	int64_t trees;
	int64_t findings;
	bool own;                     /* the file was kept here by an earlier restore */
	bool replaces;                /* there is a grove to replace */
	char kept[LOOM_RESTORE_PATH]; /* where that is kept, empty: there was none */
	char log[LOOM_RESTORE_PATH];  /* and a log that could not be folded into it, or empty */
};

/* Finds the target of a restore without -g: the nearest directory above `start` with .loom/, with
 * or without a grove in it, otherwise the personal grove's. */
enum loom_status loom_restore_place(const struct loom_env *env, struct loom_str start,
				    struct loom_buf *out_dir, struct loom_err *err) LOOM_MUST;

/* Copies the file beside the grove and checks it. Findings are not failures. LOOM_FOREIGN,
 * LOOM_READ_ONLY for a file of a newer loom, LOOM_CANCELLED. Free *out with loom_restore_close. */
enum loom_status loom_restore_begin(const struct loom_restore_opts *opts, struct loom_task *task,
				    struct loom_restore **out, struct loom_restore_report *report,
				    struct loom_err *err) LOOM_MUST;
/* Puts the copy in place. LOOM_BUSY names the programs that have the grove open. */
enum loom_status loom_restore_finish(struct loom_restore *restore, struct loom_task *task,
				     struct loom_restore_report *report,
				     struct loom_err *err) LOOM_MUST;
/* Frees the restore, removing a copy that was not put in place. NULL is fine. */
void loom_restore_close(struct loom_restore *restore);

#endif
