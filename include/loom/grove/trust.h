/* Decisions a person made on first contact with a project.
 *
 * A grove opens without a question if you own its folder, its .loom and its grove.db and nobody
 * else can write there; root is no exception. In a folder with the sticky bit nobody can replace
 * others' files, and root's folders are as safe as the machine. Everything else requires consent
 * once, and so does fetching the URLs a project's lists name.
 *
 * The decisions are in trust.json in the state directory, outside every project. Each is valid for
 * one folder: its real path, device, inode, creation time and owner. Another folder that later has
 * that path inherits nothing, nor does a copy. */
#ifndef LOOM_TRUST_H
#define LOOM_TRUST_H

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/base/err.h>
#include <loom/base/id.h>
#include <loom/base/str.h>

/* Things a person can consent to; bits. */
enum loom_trust_about {
	LOOM_TRUST_GROVE =
		1, /* opening the grove although somebody else owns it or can write to it */
	LOOM_TRUST_FETCH = 2, /* fetching the URLs that the project's lists name */
};

/* One thing that needs consent. */
struct loom_trust_need {
	struct loom_str word; /* as recorded: "fetch", "owner 1001", "group 50", "others" */
	struct loom_str said; /* "/srv/p/.loom belongs to alice (uid 1001)" */
	struct loom_str
		path; /* the path others can write to; empty: something else is the matter */
};
struct loom_trust_needs {
	const struct loom_trust_need *items;
	size_t count;
};
/* Lists everything about a project directory that needs consent, given or not; fetching is included
 * whenever `about` asks for it. LOOM_NOT_FOUND if there is no such directory. */
enum loom_status loom_trust_needs(struct loom_str dir, unsigned about, struct loom_arena *arena,
				  struct loom_trust_needs *out, struct loom_err *err) LOOM_MUST;

/* Checks that all necessary consent was given. LOOM_REFUSED names what is missing, and the command
 * to give it. */
enum loom_status loom_trust_check(const struct loom_env *env, struct loom_str dir, unsigned about,
				  struct loom_err *err) LOOM_MUST;
/* Records a person's consent; the caller has asked. */
enum loom_status loom_trust_give(const struct loom_env *env, struct loom_str dir, unsigned about,
				 struct loom_err *err) LOOM_MUST;

/* Reads what a person answered to a question about the folder, known by its word, such as
 * "summaries anthropic": *out_asked if they were asked, *out_yes if they agreed. */
enum loom_status loom_trust_answered(const struct loom_env *env, struct loom_str dir,
				     struct loom_str word, bool *out_asked, bool *out_yes,
				     struct loom_err *err) LOOM_MUST;
/* Records a person's answer to such a question; a no is recorded with "no " before the word. */
enum loom_status loom_trust_answer(const struct loom_env *env, struct loom_str dir,
				   struct loom_str word, bool yes, struct loom_err *err) LOOM_MUST;

/* The consent given for one folder. */
struct loom_trusted {
	struct loom_str path;
	const struct loom_str *words;
	size_t word_count;
	int64_t since;
	bool stands; /* that same folder still exists */
};
/* Lists all folders with consent, in the arena. */
enum loom_status loom_trust_list(const struct loom_env *env, struct loom_arena *arena,
				 struct loom_trusted **out, size_t *out_count,
				 struct loom_err *err) LOOM_MUST;
/* Withdraws all consent given for a path, whatever is there now. LOOM_NOT_FOUND if there was
 * none. */
enum loom_status loom_trust_drop(const struct loom_env *env, struct loom_str dir,
				 struct loom_err *err) LOOM_MUST;

/* The grants of an agent of the grove in `dir`. */
struct loom_trust_grants {
	struct loom_ulid grove;
	struct loom_ulid agent;
	struct loom_str dir;
};
/* Records that a person made these grants in that folder. */
enum loom_status loom_trust_note_grants(const struct loom_env *env,
					const struct loom_trust_grants *grants,
					struct loom_err *err) LOOM_MUST;
/* If the grants were made elsewhere but not in `dir`, as in a copy of the grove, appends one such
 * folder. A grove that was moved still counts as the same place. */
enum loom_status loom_trust_grants_elsewhere(const struct loom_env *env,
					     const struct loom_trust_grants *grants,
					     struct loom_buf *out_where,
					     struct loom_err *err) LOOM_MUST;

#endif
