/* Grants: what each agent of a grove may do, and how its actions are approved. Stored in
 * $XDG_STATE_HOME/loom/<grove>/grants.json, which no agent can write. */
#ifndef LOOM_GRANT_H
#define LOOM_GRANT_H

#include <loom/grove/store.h>

enum loom_permission {
	LOOM_MAY_NONE = 0,
	LOOM_MAY_AWARE = 1,
	LOOM_MAY_WRITE = 2,
	LOOM_MAY_GENERATE = 4,
	LOOM_MAY_DOC_READ = 8,
	LOOM_MAY_DOC_WRITE = 16,
	LOOM_MAY_CROSS_TREE = 32,
	LOOM_MAY_THREADS = 64,
};
#define LOOM_MAY_ALL      95u  /* preset all: everything but cross_tree */
#define LOOM_MAY_ANALYST  9u   /* preset analyst */
#define LOOM_MAY_ANYTHING 127u /* a person */
#define LOOM_MAY_CHANGE   86u  /* the permissions that write or generate */

enum loom_approval { LOOM_APPROVE_AUTO, LOOM_APPROVE_ASK, LOOM_APPROVE_PROPOSE };

struct loom_grant {
	unsigned may;
	enum loom_approval approval;
	bool given;     /* a grant is on record; ignored by loom_grant_set */
	bool elsewhere; /* … but for another folder, of which this grove is a copy: it has no effect
			   here */
};

/* Reads an agent's grant; without one: no permissions, auto. */
enum loom_status loom_grant_get(struct loom_store *store, const struct loom_ulid *agent,
				struct loom_grant *out, struct loom_err *err) LOOM_MUST;
/* Appends the folder where an agent has a grant if it has none here, e.g. because this grove is a
 * copy; otherwise appends nothing. */
enum loom_status loom_grant_elsewhere(struct loom_store *store, const struct loom_ulid *agent,
				      struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* Records a grant. Only a person may do this; the caller has checked. */
enum loom_status loom_grant_set(struct loom_store *store, const struct loom_ulid *agent,
				const struct loom_grant *grant, struct loom_err *err) LOOM_MUST;

/* Parses a list such as "loom_aware,doc_read", the presets (all, analyst, subject, none) and
 * "cross_tree". LOOM_SYNTAX names an unknown word, LOOM_REFUSED a permission whose prerequisite is
 * missing. */
enum loom_status loom_grant_parse(struct loom_str text, unsigned *out,
				  struct loom_err *err) LOOM_MUST;
/* Returns these permissions plus their prerequisites. */
unsigned loom_grant_closure(unsigned may);
/* Returns the approval mode to use unless a person chooses one: an agent that gets its first
 * permission to write or generate has to ask; otherwise the mode stays as it was. */
enum loom_approval loom_grant_approval(const struct loom_grant *before, unsigned may);
/* Returns a permission's name, e.g. "loom_write". Static. */
const char *loom_permission_name(enum loom_permission permission);
/* Appends a list such as "loom_aware, doc_read", or "none". */
void loom_grant_text(unsigned may, struct loom_buf *out);
/* Parses "auto", "ask" or "propose"; false, leaving *out alone, for anything else. */
bool loom_approval_parse(struct loom_str text, enum loom_approval *out);
/* Returns the word that loom_approval_parse accepts. Static. */
const char *loom_approval_name(enum loom_approval approval);

#endif
