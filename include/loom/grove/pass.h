/* Passes: secrets that a person hands out, and what each of them opens. A token lets its bearer act
 * as one agent, a page link lets its bearer read one branch.
 *
 * Only the hash of a secret is kept, in $XDG_STATE_HOME/loom/<grove>/passes.json beside the grants:
 * no copy of a grove brings a pass, and nothing in it can make one. */
#ifndef LOOM_PASS_H
#define LOOM_PASS_H

#include <loom/base/hash.h>
#include <loom/grove/store.h>

enum loom_pass_kind { LOOM_PASS_TOKEN, LOOM_PASS_PAGE };

struct loom_pass {
	enum loom_pass_kind kind;
	struct loom_ulid opens; /* the agent, or the node the branch is named by */
	bool comments;          /* of a page: its readers may comment */
	int64_t made;           /* when */
	int64_t commented;      /* how many comments have come by it */
	struct loom_hash hash;  /* of its secret */
};

/* Length of a pass's name: the first digits of its hash. */
#define LOOM_PASS_NAME 8
/* Writes the name by which people tell passes apart. It opens nothing. */
void loom_pass_name(const struct loom_pass *pass, char out[LOOM_PASS_NAME + 1]);

/* Makes a pass that opens pass->opens, and appends its secret, which nobody can be told again.
 * Fills in hash and time. Only a person may do this; the caller has checked. LOOM_LIMIT if there
 * are too many. */
enum loom_status loom_pass_make(struct loom_store *store, struct loom_pass *pass,
				struct loom_buf *out_secret, struct loom_err *err) LOOM_MUST;
/* Revokes a pass by name or by a longer part of its hash, or all that open `opens` if that is not
 * NULL; *out_count says how many there were. */
struct loom_pass_which {
	enum loom_pass_kind kind;
	struct loom_str name;
	const struct loom_ulid *opens;
};
enum loom_status loom_pass_revoke(struct loom_store *store, const struct loom_pass_which *which,
				  size_t *out_count, struct loom_err *err) LOOM_MUST;
/* Counts one more comment that came by a page link. LOOM_NOT_FOUND if it was revoked, LOOM_LIMIT
 * if it has brought `most` already. */
enum loom_status loom_pass_count(struct loom_store *store, const struct loom_hash *hash,
				 int64_t most, struct loom_err *err) LOOM_MUST;

/* Remembers where the grove was last served, such as "http://127.0.0.1:8080". */
enum loom_status loom_pass_served(struct loom_store *store, struct loom_str address,
				  struct loom_err *err) LOOM_MUST;
/* Appends where the grove was last served; nothing if it never was. */
enum loom_status loom_pass_address(struct loom_store *store, struct loom_buf *out,
				   struct loom_err *err) LOOM_MUST;
/* Appends the hash, in hex, of a secret: a token, or a link, which ends with its secret. Appends
 * nothing for any other text. */
void loom_pass_hash(struct loom_str secret, struct loom_buf *out);

/* The passes as they are now, looked at again when the file has changed. */
struct loom_passes;
/* Opens the passes of a grove for the person who works here. The store is borrowed. Free with
 * loom_passes_close. */
enum loom_status loom_passes_open(struct loom_store *store, struct loom_passes **out,
				  struct loom_err *err) LOOM_MUST;
/* Frees the passes; NULL is fine. */
void loom_passes_close(struct loom_passes *passes);
/* Reads the file again if it is another one than before, which *out_changed says. A file that
 * cannot be read opens nothing. */
enum loom_status loom_passes_look(struct loom_passes *passes, bool *out_changed,
				  struct loom_err *err) LOOM_MUST;
/* Returns the pass with that secret, or NULL; takes the same time for every wrong secret. Borrowed
 * until the next look. */
const struct loom_pass *loom_passes_find(const struct loom_passes *passes, enum loom_pass_kind kind,
					 struct loom_str secret);
/* Returns whether a pass still stands. */
bool loom_passes_stands(const struct loom_passes *passes, const struct loom_hash *hash);
/* Lists the passes, oldest first; borrowed until the next look. */
const struct loom_pass *loom_passes_list(const struct loom_passes *passes, size_t *out_count);

#endif
