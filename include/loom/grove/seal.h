/* Seals: what a grove wrote, signed with a key of its own (Ed25519), so that it is known when it
 * comes back. The key lies in the grove's folder of state, 0600, made on first need; it is in no
 * copy of the grove, and no file brings one. */
#ifndef LOOM_SEAL_H
#define LOOM_SEAL_H

#include <loom/grove/store.h>

#define LOOM_SEAL_KEY 32
struct loom_seal {
	uint8_t key[LOOM_SEAL_KEY]; /* the public half: it names the key, and confirms nothing */
	uint8_t signature[64];
};

/* Signs `what` as this grove's. */
enum loom_status loom_seal_make(struct loom_store *store, struct loom_str what,
				struct loom_seal *out, struct loom_err *err) LOOM_MUST;
/* The public half of what this account signs with here. */
enum loom_status loom_seal_public(struct loom_store *store, uint8_t out[LOOM_SEAL_KEY],
				  struct loom_err *err) LOOM_MUST;
/* Whether this grove signed `what`, and not another one or a copy of it: this account, or, where
 * several work, another of them, by the key that it put into the grove. */
enum loom_status loom_seal_check(struct loom_store *store, struct loom_str what,
				 const struct loom_seal *seal, bool *out_ours,
				 struct loom_err *err) LOOM_MUST;

#endif
