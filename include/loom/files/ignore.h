/* Which files of a project are shown: git's ignore rules, and .teddyignore above them.
 *
 * Every part of a path is decided by the last rule of the root's .teddyignore that matches it; else
 * by the nearest .gitignore that has a matching rule; else it is as its folder is. What
 * .teddyignore includes by a rule with a slash shows even below a folder that a .gitignore
 * excludes; what a .gitignore includes shows only while no folder above is excluded. Never shown:
 * .git, the ignore files themselves, and pipes, sockets and devices. .teddy and .loom show only
 * what a .teddyignore inclusion with a slash names. Patterns are git's, byte for byte. */
#ifndef LOOM_IGNORE_H
#define LOOM_IGNORE_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/files/path.h>
#include <loom/base/str.h>

/* One thing that is shown. Borrowed until the callback returns. */
struct loom_seen {
	struct loom_str path; /* from the root */
	struct loom_str name; /* its last part */
	size_t depth;         /* 0 directly below where the walk began */
	enum loom_file_kind kind;
};
/* Returns false to stop the walk. */
typedef bool (*loom_seen_fn)(void *ctx, const struct loom_seen *seen);

struct loom_walk_opts {
	struct loom_str below; /* begin in this folder (normal form); empty: the root */
	bool everything;       /* no rules: all but .git */
	/* Called for what could not be read; may be NULL. */
	void (*warn)(void *ctx, struct loom_str text);
	void *warn_ctx;
};

/* Calls `seen` for everything that is shown: folders before files, each by its lower-cased name
 * with ties by bytes, a folder before what is in it. Links are leaves. Depth costs memory, not
 * stack. `opts` may be NULL. LOOM_CANCELLED when the callback stopped it. */
enum loom_status loom_ignore_walk(const struct loom_root *root, const struct loom_walk_opts *opts,
				  loom_seen_fn seen, void *ctx, struct loom_err *err) LOOM_MUST;

/* Why a path is shown or hidden. */
struct loom_ignore_why {
	bool hidden;
	struct loom_str at;   /* the path itself, or the folder above it that decided */
	struct loom_str file; /* whose rule: "sub/.gitignore"; empty: no rule of a file */
	size_t line;          /* of that file, from 1 */
	struct loom_str rule; /* as written there */
	const char *built_in; /* why, when a rule of ours decided; else NULL */
};
/* The path need not exist; a trailing slash makes a missing one a folder. Texts go to the arena. */
enum loom_status loom_ignore_explain(const struct loom_root *root, struct loom_str path,
				     struct loom_arena *arena, struct loom_ignore_why *out,
				     struct loom_err *err) LOOM_MUST;

#endif
