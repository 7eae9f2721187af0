/* Grants: what each agent of a grove may do, and how its acts are approved. Kept in
 * $XDG_STATE_HOME/loom/<grove>/grants.json, outside everything an agent can write. */
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
};
#define LOOM_MAY_ALL      31u /* preset all: without cross_tree */
#define LOOM_MAY_ANALYST  9u  /* preset analyst */
#define LOOM_MAY_ANYTHING 63u /* a person */
#define LOOM_MAY_CHANGE   22u /* what writes or generates */

enum loom_approval { LOOM_APPROVE_AUTO, LOOM_APPROVE_ASK, LOOM_APPROVE_PROPOSE };

struct loom_grant {
	unsigned may;
	enum loom_approval approval;
	bool given;     /* something is recorded; loom_grant_set does not look at it */
	bool elsewhere; /* … but in another folder, of which this grove is a copy: nothing of it
			 * holds here */
};

/* What is recorded for an agent; nothing recorded: no permissions, auto. */
enum loom_status loom_grant_get(struct loom_store *store, const struct loom_ulid *agent,
				struct loom_grant *out, struct loom_err *err) LOOM_MUST;
/* Where else something was granted to an agent, and nothing here; empty: nowhere. */
enum loom_status loom_grant_elsewhere(struct loom_store *store, const struct loom_ulid *agent,
				      struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* Person only; the caller has checked that. */
enum loom_status loom_grant_set(struct loom_store *store, const struct loom_ulid *agent,
				const struct loom_grant *grant, struct loom_err *err) LOOM_MUST;

/* "loom_aware,doc_read", presets (all, analyst, subject/none) and "cross_tree"; LOOM_SYNTAX names
 * the word that is none, LOOM_REFUSED a permission without the one it needs. */
enum loom_status loom_grant_parse(struct loom_str text, unsigned *out,
				  struct loom_err *err) LOOM_MUST;
/* These permissions and those that they need. */
unsigned loom_grant_closure(unsigned may);
/* How the acts of an agent are approved from now on where nobody says it: who is given what writes
 * or generates for the first time has to ask; else it stays as it was. */
enum loom_approval loom_grant_approval(const struct loom_grant *before, unsigned may);
/* One permission's name, e.g. "loom_write". */
const char *loom_permission_name(enum loom_permission permission);
/* "loom_aware, doc_read"; "none". */
void loom_grant_text(unsigned may, struct loom_buf *out);
/* "auto", "ask", "propose"; false, and *out untouched, for another word. */
bool loom_approval_parse(struct loom_str text, enum loom_approval *out);
/* The word that loom_approval_parse reads; lives for ever. */
const char *loom_approval_name(enum loom_approval approval);

#endif
