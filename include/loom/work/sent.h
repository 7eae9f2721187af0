/* The request that a text was generated with: its body as it was sent, in the record of the
 * generation. The prompt's texts stand in the tree already, so the record refers to them; the body
 * is rebuilt byte for byte, and its SHA-256 proves it. No header and no key is part of it.
 *
 * "request": {"sha256", "bytes", "top", "body"}, where in the body
 *   {"$text": [ITEM …]}       is a string: "…" as it is, N the next N texts, -N as many passed
 * over,
 *                             {"skip": N} the next text without its first N bytes, {"part": HASH}
 *   {"$again": [N, A, B]}     in a list: A and B in turn, N items in all
 * Texts are those of the nodes above the generated one, `top` steps up first. */
#ifndef LOOM_SENT_H
#define LOOM_SENT_H

#include <loom/tree/node.h>

/* Inside a write: makes that member of the record for a text to be generated below `from`. *out is
 * in the arena. Fails as the store does. */
enum loom_status loom_sent_pack(struct loom_store *store, int64_t from, struct loom_str body,
				struct loom_arena *arena, struct loom_str *out,
				struct loom_err *err) LOOM_MUST;

/* How much of a body is filled in. */
enum loom_sent_fill {
	LOOM_SENT_PARTS, /* what does not stand in the tree; for an export with the tree's texts */
	LOOM_SENT_WHOLE, /* everything */
};
/* Returns a node's record with the body of its request filled in; one whose texts are not the same
 * any more says "lost": true instead of a body. A record without a request stays as it is. *out is
 * in the arena, or the record. Fails as the store does. */
enum loom_status loom_sent_fill(struct loom_store *store, int64_t node, struct loom_str record,
				enum loom_sent_fill fill, struct loom_arena *arena,
				struct loom_str *out, struct loom_err *err) LOOM_MUST;

#endif
