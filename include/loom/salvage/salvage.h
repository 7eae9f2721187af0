/* Salvage: what can still be read of a damaged grove, into a new one.
 *
 * The damaged file and its log are only read. Everything is found by looking at every page, so that
 * neither a broken table of contents nor a lost page keeps back what lies on the others. What could
 * not be read is replaced only where something else hangs on it, and then it says so. */
#ifndef LOOM_SALVAGE_H
#define LOOM_SALVAGE_H

#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/base/str.h>
#include <loom/base/task.h>

/* Of one kind of thing. */
struct loom_salvage_count {
	const char *what; /* "nodes"; lives for ever */
	int64_t rescued;  /* all that stands in the new grove, what is doubtful too */
	int64_t doubtful; /* of them: not as it was recorded, or nobody knows */
	int64_t lost;     /* known to be missing */
};
#define LOOM_SALVAGE_KINDS 9

struct loom_salvage_report {
	int64_t pages;
	int64_t bad_pages;   /* could not be made sense of */
	int64_t stray_pages; /* no way led to them; what they hold was known by its shape */
	int64_t bad_rows;    /* on pages that can be read */
	int64_t short_pages; /* no way led to them, and their rows could be anybody's: of an index
			      * or sources, choices of versions, places visited */
	int64_t frames;      /* committed pages taken from the log beside the file */
	int64_t bad_frames;  /* of the log, not readable */
	int64_t loose_texts; /* texts whose node is lost: in a tree of their own */
	int64_t findings;    /* said below */
	struct loom_salvage_count counts[LOOM_SALVAGE_KINDS];
};

struct loom_salvage_opts {
	struct loom_env *env;
	const char *file;       /* grove.db, or the directory that has .loom/ */
	const char *dir;        /* where the new grove is to be; must not exist */
	struct loom_task *task; /* nullable */
	/* One line a finding. */
	void (*finding)(void *ctx, struct loom_str text);
	void *ctx;
};

/* LOOM_NOT_FOUND, LOOM_CONFLICT when `dir` is there, LOOM_FOREIGN when nothing of a grove is in the
 * file, LOOM_CANCELLED. The new grove appears at once and whole, or not at all. */
enum loom_status loom_salvage(const struct loom_salvage_opts *opts, struct loom_salvage_report *out,
			      struct loom_err *err) LOOM_MUST;

#endif
