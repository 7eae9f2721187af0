/* What a person has agreed to at first contact with a project.
 *
 * A grove is opened without a question when its folder, its .loom and its grove.db are one's own
 * and nobody else may write there; root is no exception. A folder with the sticky bit is nobody's
 * to replace things in, and a folder of root's is as safe as the machine. Everything else has to be
 * agreed to once, and so has fetching what a project's lists name.
 *
 * The answers are in trust.json of the state directory, outside every project. They hold for one
 * folder: its real path, device, inode, time of birth and owner. Another folder that comes to stand
 * at that path inherits nothing, and neither does a copy. */
#ifndef LOOM_TRUST_H
#define LOOM_TRUST_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/base/id.h>
#include <loom/base/str.h>

/* What may be agreed to; bits. */
enum loom_trust_about {
	LOOM_TRUST_GROVE = 1, /* the grove is opened, whoever else owns it or may write into it */
	LOOM_TRUST_FETCH = 2, /* the URLs that the project's lists name are fetched */
};

/* One thing that has to be agreed to. */
struct loom_trust_need {
	struct loom_str word; /* as it is recorded: "fetch", "owner 1001", "group 50", "others" */
	struct loom_str said; /* "/srv/p/.loom belongs to alice (uid 1001)" */
	struct loom_str path; /* what others should not write into; empty: that is not the matter */
};
struct loom_trust_needs {
	const struct loom_trust_need *items;
	size_t count;
};
/* All that has to be agreed to about a project directory, whether it was or not; fetching always
 * counts when it is asked about. LOOM_NOT_FOUND when there is no such directory. */
enum loom_status loom_trust_needs(struct loom_str dir, unsigned about, struct loom_arena *arena,
				  struct loom_trust_needs *out, struct loom_err *err) LOOM_MUST;

/* LOOM_REFUSED when something was not agreed to: names it, and the command. */
enum loom_status loom_trust_check(const struct loom_env *env, struct loom_str dir, unsigned about,
				  struct loom_err *err) LOOM_MUST;
/* Records that a person has agreed; the caller has asked. */
enum loom_status loom_trust_give(const struct loom_env *env, struct loom_str dir, unsigned about,
				 struct loom_err *err) LOOM_MUST;

/* What was agreed to for one folder. */
struct loom_trusted {
	struct loom_str path;
	const struct loom_str *words;
	size_t word_count;
	int64_t since;
	bool stands; /* the folder that it was said of is still there */
};
/* All folders that something was agreed to for, in the arena. */
enum loom_status loom_trust_list(const struct loom_env *env, struct loom_arena *arena,
				 struct loom_trusted **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;
/* Takes back all that was agreed to for that path, whatever stands there now. LOOM_NOT_FOUND when
 * nothing was. */
enum loom_status loom_trust_drop(const struct loom_env *env, struct loom_str dir,
				 struct loom_err *err) LOOM_MUST;

/* The grants of one agent of a grove, as it stands in `dir`. */
struct loom_trust_grants {
	struct loom_ulid grove;
	struct loom_ulid agent;
	struct loom_str dir;
};
/* Notes that a person has given them there. */
enum loom_status loom_trust_note_grants(const struct loom_env *env,
					const struct loom_trust_grants *grants,
					struct loom_err *err) LOOM_MUST;
/* Appends a folder where they were given when they were, but not in `dir`: that is a copy. A grove
 * that was moved is still where they were given. */
enum loom_status loom_trust_grants_elsewhere(const struct loom_env *env,
					     const struct loom_trust_grants *grants,
					     struct loom_buf *out_where,
					     struct loom_err *err) LOOM_MUST;

#endif
