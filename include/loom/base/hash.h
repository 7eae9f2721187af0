/* SHA-256 and HMAC through libcrypto, with hex and base64url. */
#ifndef LOOM_HASH_H
#define LOOM_HASH_H

#include <loom/base/str.h>

struct loom_hash {
	uint8_t bytes[32];
};

/* Returns the SHA-256 of `data`. */
struct loom_hash loom_sha256(struct loom_str data);
/* Returns the SHA-256 of `count` parts as if they were joined. */
struct loom_hash loom_sha256_parts(const struct loom_str *parts, size_t count);
/* Returns the HMAC-SHA-256 (RFC 2104) of `data`; a key longer than a block is hashed first. */
struct loom_hash loom_hmac_sha256(struct loom_str key, struct loom_str data);
/* Compares two hashes. Not for secrets: stops at the first byte that differs. */
bool loom_hash_eq(const struct loom_hash *a, const struct loom_hash *b);
/* Compares two secrets in constant time. */
bool loom_same_secret(struct loom_str a, struct loom_str b);

/* A running SHA-256, for files. */
struct loom_hasher;
/* Starts a running hash. Freed by loom_hasher_finish or loom_hasher_destroy. */
struct loom_hasher *loom_hasher_create(void) LOOM_MUST;
/* Feeds the next bytes to the hash. */
void loom_hasher_add(struct loom_hasher *hasher, struct loom_str data);
/* Returns the hash and frees the hasher. */
struct loom_hash loom_hasher_finish(struct loom_hasher *hasher);
/* Frees a hasher that is not needed any more. NULL is fine. */
void loom_hasher_destroy(struct loom_hasher *hasher);

/* Appends 64 lower-case hex digits. */
void loom_hash_hex(const struct loom_hash *hash, struct loom_buf *out);
/* Appends any bytes as lower-case hex, two digits each. */
void loom_hex(const void *bytes, size_t n, struct loom_buf *out);
/* Parses exactly 2·n hex digits of either case; false for anything else. */
bool loom_unhex(struct loom_str text, void *out, size_t n);
/* Appends base64url without padding. */
void loom_base64url(struct loom_str data, struct loom_buf *out);
/* Decodes base64url without padding and appends the bytes. False if malformed; `out` may then hold
 * a part. */
bool loom_unbase64url(struct loom_str text, struct loom_buf *out);

#endif
