/* Salvage: recovers what is readable in a damaged grove into a new one.
 *
 * The damaged file and its log are only read. Every page is examined, so that neither a broken
 * table of contents nor a lost page hides what is on the others. Unreadable rows are replaced only
 * where something else depends on them, and then say so. */
#ifndef LOOM_SALVAGE_H
#define LOOM_SALVAGE_H

#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/base/str.h>
#include <loom/base/task.h>

/* Counts for one kind of thing. */
struct loom_salvage_count {
	const char *what; /* "nodes"; static */
	int64_t rescued;  /* everything in the new grove, doubtful things included */
	int64_t doubtful; /* of these: not as recorded, or impossible to tell */
	int64_t lost;     /* known to be missing */
};
#define LOOM_SALVAGE_KINDS 9

struct loom_salvage_report {
	int64_t pages;
	int64_t bad_pages;   /* unintelligible */
	int64_t stray_pages; /* nothing led to them; their contents were recognised by shape */
	int64_t bad_rows;    /* on readable pages */
	int64_t short_pages; /* nothing led to them, and their rows are ambiguous: an index or
				sources, choices of versions, places visited */
	int64_t frames;      /* committed pages taken from the log beside the file */
	int64_t bad_frames;  /* unreadable, in the log */
	int64_t loose_texts; /* texts without their node: in a tree of their own */
	int64_t findings;    /* reported through `finding` */
	struct loom_salvage_count counts[LOOM_SALVAGE_KINDS];
};

struct loom_salvage_opts {
	struct loom_env *env;
	const char *file;       /* grove.db, or the directory with .loom/ */
	const char *dir;        /* directory of the new grove; must not exist */
	struct loom_task *task; /* nullable */
	/* Called for each finding. */
	void (*finding)(void *ctx, struct loom_str text);
	void *ctx;
};

/* Salvages a grove. LOOM_NOT_FOUND, LOOM_CONFLICT if `dir` exists, LOOM_FOREIGN if the file has
 * nothing of a grove, LOOM_CANCELLED. The new grove appears all at once, or not at all. */
enum loom_status loom_salvage(const struct loom_salvage_opts *opts, struct loom_salvage_report *out,
			      struct loom_err *err) LOOM_MUST;

#endif
