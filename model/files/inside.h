/* Patterns, the rules of one file, and the rules in force at one folder. */
#ifndef MODEL_IGNORE_IMPL_H
#define MODEL_IGNORE_IMPL_H

#include <loom/files/ignore.h>

/* git's wildcard match. With `paths` a `*`, a `?` and a class stop at slashes, and `**` between
 * slashes does not. */
bool model_glob(struct loom_str pattern, struct loom_str text, bool paths);
/* How many bytes at the beginning of `s` stand for themselves. */
size_t model_glob_literal(struct loom_str s);

/* One line of an ignore file. */
struct model_rule {
	struct loom_str
		pattern; /* without `!`, the leading slash of an anchored one, trailing slash */
	size_t literal;  /* bytes of it that stand for themselves */
	size_t line;
	struct loom_str written; /* as in the file */
	bool include;
	bool folders;  /* a trailing slash: folders only */
	bool anchored; /* a slash elsewhere: matches the path, not the name */
	bool suffix;   /* `*` and then only literal bytes */
};

/* One ignore file. */
struct model_rules {
	char *text;
	struct model_rule *items;
	size_t count;
	size_t cap;
};

/* Takes a copy of `text`. */
struct model_rules *model_rules_parse(struct loom_str text);
void model_rules_destroy(struct model_rules *rules);

/* What is asked of a rule: `path` is from the folder of the ignore file, `name` its last part. */
struct model_subject {
	struct loom_str path;
	struct loom_str name;
	bool folder;
};
/* Whether the pattern fits; what a rule that fits means (`!`) is the caller's. */
bool model_rule_matches(const struct model_rule *rule, const struct model_subject *subject);
/* The last rule that matches, or NULL. */
const struct model_rule *model_rules_last(const struct model_rules *rules,
					  const struct model_subject *subject);
/* Whether an anchored inclusion could match something below the folder `path`. */
bool model_rules_reach_below(const struct model_rules *rules, struct loom_str path);

/* How things stand in a folder. */
struct model_shade {
	bool hidden;  /* the folder is excluded; what is in it needs an inclusion of its own */
	bool guarded; /* it is hidden .teddy or .loom, or below */
};

/* The rules in force, from the root down to the folder entered last. */
struct model_ignore {
	const struct loom_root *root;
	const struct loom_walk_opts *opts;
	bool everything;             /* no rules are read */
	struct model_rules *teddy;   /* NULL: none */
	struct model_rules **levels; /* one .gitignore a folder; NULL: none */
	size_t *bases;               /* length of that folder's path with its slash */
	size_t count;
	size_t cap;
};

struct model_verdict {
	bool hidden;
	bool final;     /* nothing below can be shown either */
	bool inherited; /* as its folder is: no rule of its own */
	bool guarded;
	const struct model_rule *rule; /* NULL: none */
	size_t level;                  /* whose .gitignore; SIZE_MAX: .teddyignore's */
	const char *built_in;
};

/* Borrows the root and the options; no folder is entered yet. */
void model_ignore_init(struct model_ignore *ignore, const struct loom_root *root,
		       const struct loom_walk_opts *opts);
void model_ignore_fini(struct model_ignore *ignore);
/* Enters the folder `path`, reading its .gitignore when it may have one; leaves it again. */
void model_ignore_enter(struct model_ignore *ignore, struct loom_str path, bool may_have_rules);
void model_ignore_leave(struct model_ignore *ignore);
/* What becomes of `path`, whose last part begins at name_at, in the folder entered last. */
struct model_verdict model_ignore_decide(const struct model_ignore *ignore, struct loom_str path,
					 size_t name_at, bool folder, struct model_shade shade);
/* Whether a folder of that verdict has to be entered. */
bool model_ignore_may_enter(const struct model_ignore *ignore, struct loom_str path,
			    const struct model_verdict *verdict);

#endif
