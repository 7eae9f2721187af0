/* Which files of a project are shown: git's ignore rules, with .teddyignore taking precedence.
 *
 * A root in a git repository is seen as git sees it there: by the rules of the folders above it as
 * well, and by the repository's .git/info/exclude, which comes last.
 *
 * The last matching rule of the root's .teddyignore decides each part of a path; without one, the
 * nearest .gitignore with a matching rule; without that, the part's folder. A .teddyignore
 * inclusion shows a path even below a folder that a .gitignore excludes; a .gitignore inclusion
 * only while no folder above is excluded. Never shown: .git, the ignore files, and pipes,
 * sockets and devices. Below .teddy and .loom only what a .teddyignore inclusion with a slash names
 * is shown. Patterns are git's, byte for byte. */
#ifndef LOOM_IGNORE_H
#define LOOM_IGNORE_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/files/path.h>
#include <loom/base/str.h>

/* A shown entry. Borrowed until the callback returns. */
struct loom_seen {
	struct loom_str path; /* relative to the root */
	struct loom_str name; /* its last part */
	size_t depth;         /* 0 directly below the start of the walk */
	enum loom_file_kind kind;
};
/* Receives each entry; returns false to stop the walk. */
typedef bool (*loom_seen_fn)(void *ctx, const struct loom_seen *seen);

struct loom_walk_opts {
	struct loom_str below; /* start in this folder (normal form); empty: the root */
	bool everything;       /* ignore the rules and show all but .git */
	struct loom_str skip;  /* a path that is left out whatever the rules say; empty: none */
	/* Called for what cannot be read; may be NULL. */
	void (*warn)(void *ctx, struct loom_str text);
	void *warn_ctx;
};

/* Calls `seen` for everything that is shown: folders before files, each sorted by lower-cased name
 * and then by bytes, a folder before its contents. Links are not followed. Depth costs memory, not
 * stack. `opts` may be NULL. LOOM_CANCELLED if the callback stopped the walk. */
enum loom_status loom_ignore_walk(const struct loom_root *root, const struct loom_walk_opts *opts,
				  loom_seen_fn seen, void *ctx, struct loom_err *err) LOOM_MUST;

/* Appends the folder of the git repository that `dir` is in; false if it is in none. */
bool loom_repository_find(struct loom_str dir, struct loom_buf *out);

/* A rule that matches a path, or a folder above it. */
struct loom_ignore_match {
	struct loom_str at;   /* what it matches */
	struct loom_str file; /* relative to the root: "sub/.gitignore", "../.gitignore" */
	size_t line;
	struct loom_str rule; /* as written there */
};

/* The reason why a path is shown or hidden. */
struct loom_ignore_why {
	bool hidden;
	struct loom_str at;   /* the path itself, or the parent folder that decided */
	struct loom_str file; /* the file with the rule, "sub/.gitignore"; empty: no file's rule */
	size_t line;          /* the line in that file, from 1 */
	struct loom_str rule; /* as written there */
	const char *built_in; /* the reason if a built-in rule decided, else NULL */
	struct loom_ignore_match *matches; /* every rule that matches, whether it counts or not */
	size_t match_count;
};
/* Explains why `path` is shown or hidden; it need not exist, and a trailing slash makes a missing
 * one a folder. Texts go to the arena. */
enum loom_status loom_ignore_explain(const struct loom_root *root, struct loom_str path,
				     struct loom_arena *arena, struct loom_ignore_why *out,
				     struct loom_err *err) LOOM_MUST;

#endif
