/* Patterns, the rules of one file, and the rules in force at one folder. */
#ifndef MODEL_IGNORE_IMPL_H
#define MODEL_IGNORE_IMPL_H

#include <loom/files/ignore.h>

/* Matches git's wildcards. With `paths`, `*`, `?` and classes stop at slashes, and `**` between
 * slashes does not. */
bool model_glob(struct loom_str pattern, struct loom_str text, bool paths);
/* Returns the length of the literal prefix of `s`. */
size_t model_glob_literal(struct loom_str s);

/* One line of an ignore file. */
struct model_rule {
	struct loom_str pattern; /* without `!`, the leading slash of an anchored rule, and a
				    trailing slash */
	size_t literal;          /* length of its literal prefix */
	size_t line;
	struct loom_str written; /* as in the file */
	bool include;
	bool folders;  /* had a trailing slash: only folders match */
	bool anchored; /* had another slash: matches the path, not the name */
	bool suffix;   /* `*` followed by literal bytes only */
};

/* One ignore file. */
struct model_rules {
	char *text;
	struct model_rule *items;
	size_t count;
	size_t cap;
};

/* Parses an ignore file from a copy of `text`. Freed by model_rules_destroy. */
struct model_rules *model_rules_parse(struct loom_str text);
void model_rules_destroy(struct model_rules *rules);

/* The path to match: `path` is relative to the ignore file's folder, `name` is its last part. */
struct model_subject {
	struct loom_str path;
	struct loom_str name;
	bool folder;
};
/* Returns whether the pattern matches; the caller handles `!`. */
bool model_rule_matches(const struct model_rule *rule, const struct model_subject *subject);
/* Returns the last matching rule, or NULL. */
const struct model_rule *model_rules_last(const struct model_rules *rules,
					  const struct model_subject *subject);
/* Returns whether an inclusion could match something below the folder `path`; with `guarded` only
 * one with a slash counts. */
bool model_rules_reach_below(const struct model_rules *rules, struct loom_str path, bool guarded);

/* The state of a folder for its contents. */
struct model_shade {
	bool hidden;  /* excluded: its contents need an inclusion of their own */
	bool guarded; /* is a hidden .teddy or .loom, or lies below one */
};

struct model_verdict {
	bool hidden;
	bool final;     /* nothing below can be shown either */
	bool inherited; /* no rule of its own: follows its folder */
	bool guarded;
	const struct model_rule *rule; /* NULL: none */
	size_t level;                  /* the level of its .gitignore, or one of the next */
	const char *built_in;
};
#define MODEL_OF_TEDDY   SIZE_MAX       /* .teddyignore */
#define MODEL_OF_EXCLUDE (SIZE_MAX - 1) /* the repository's info/exclude */

/* The rules in force, from the top of the repository down to the folder entered last. */
struct model_ignore {
	const struct loom_root *root;
	const struct loom_walk_opts *opts;
	bool everything;             /* read no rules */
	struct model_rules *teddy;   /* NULL: none */
	struct model_rules **levels; /* a .gitignore per folder; NULL: none */
	size_t *bases;               /* length of each folder's path with its slash */
	size_t count;
	size_t cap;
	size_t above;                 /* how many of the levels are above the root */
	struct loom_buf prefix;       /* the root's path in its repository, with a slash … */
	struct loom_buf *whole;       /* … and a path behind it, while it is matched */
	struct model_rules *exclude;  /* NULL: none */
	struct model_shade shade;     /* of the root */
	struct model_verdict outside; /* what hides the root */
};

/* Prepares the rules; no folder is entered yet. The root and the options are borrowed. */
void model_ignore_init(struct model_ignore *ignore, const struct loom_root *root,
		       const struct loom_walk_opts *opts);
void model_ignore_fini(struct model_ignore *ignore);
/* Enters the folder `path`, leaving those it is not in, and reads its .gitignore if it may have
 * one. */
void model_ignore_enter(struct model_ignore *ignore, struct loom_str path, bool may_have_rules);
void model_ignore_leave(struct model_ignore *ignore);
/* Adds the level of a folder of `root`, which need not be the project's. `path` is relative to it
 * and ends in a slash; `base` is its length in the repository. */
void model_ignore_add_level(struct model_ignore *ignore, const struct loom_root *root,
			    struct loom_str path, size_t base);
/* Loads a file's rules; NULL if it is missing or unreadable. */
struct model_rules *model_ignore_load(const struct model_ignore *ignore,
				      const struct loom_root *root, struct loom_str path,
				      bool links);
/* Finds the last matching rule of the .gitignore files, then of info/exclude. The path is that in
 * the repository. */
void model_ignore_by_git(const struct model_ignore *ignore, const struct model_subject *subject,
			 struct model_verdict *verdict);
/* In ignore_above.c: enters the folders of the repository above the root, and finds out whether
 * their rules hide it. */
void model_ignore_look_above(struct model_ignore *ignore);
/* Decides about `path`, whose last part begins at name_at, in the folder entered last. */
struct model_verdict model_ignore_decide(const struct model_ignore *ignore, struct loom_str path,
					 size_t name_at, bool folder, struct model_shade shade);
/* Returns whether a folder with that verdict has to be entered. */
bool model_ignore_may_enter(const struct model_ignore *ignore, struct loom_str path,
			    const struct model_verdict *verdict);

#endif
