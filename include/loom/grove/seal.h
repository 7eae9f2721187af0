/* Seals: signatures with the grove's own key (Ed25519) on what it exports, so that the grove
 * recognises it on return. The key is in the grove's state folder, mode 0600, made on first use;
 * copies of the grove do not have it, and no import brings one. */
#ifndef LOOM_SEAL_H
#define LOOM_SEAL_H

#include <loom/base/ed25519.h>
#include <loom/grove/store.h>

#define LOOM_SEAL_KEY LOOM_ED25519_KEY
struct loom_seal {
	/* the public half: identifies the key, proves nothing by itself */
	uint8_t key[LOOM_SEAL_KEY];
	uint8_t signature[LOOM_ED25519_SIGNATURE];
};

/* Signs `what` with this grove's key. */
enum loom_status loom_seal_make(struct loom_store *store, struct loom_str what,
				struct loom_seal *out, struct loom_err *err) LOOM_MUST;
/* Gives the public half of this account's key for this grove. */
enum loom_status loom_seal_public(struct loom_store *store, uint8_t out[LOOM_SEAL_KEY],
				  struct loom_err *err) LOOM_MUST;
/* Sets *out_ours to whether this grove, rather than another one or a copy, signed `what`: with this
 * account's key or, in a shared grove, with the key that another account registered in it. */
enum loom_status loom_seal_check(struct loom_store *store, struct loom_str what,
				 const struct loom_seal *seal, bool *out_ours,
				 struct loom_err *err) LOOM_MUST;

#endif
