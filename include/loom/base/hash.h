/* SHA-256 and HMAC through libcrypto, and their spelling. */
#ifndef LOOM_HASH_H
#define LOOM_HASH_H

#include <loom/base/str.h>

struct loom_hash {
	uint8_t bytes[32];
};

/* Of the whole of it at once. */
struct loom_hash loom_sha256(struct loom_str data);
/* Over parts as if joined. */
struct loom_hash loom_sha256_parts(const struct loom_str *parts, size_t count);
/* RFC 2104; a key longer than a block is hashed first. */
struct loom_hash loom_hmac_sha256(struct loom_str key, struct loom_str data);
/* Not for secrets: stops at the first byte that differs. */
bool loom_hash_eq(const struct loom_hash *a, const struct loom_hash *b);
/* Same time whatever the bytes are. */
bool loom_same_secret(struct loom_str a, struct loom_str b);

/* Streaming, for files. */
struct loom_hasher;
/* Freed by loom_hasher_finish or loom_hasher_destroy. */
struct loom_hasher *loom_hasher_create(void) LOOM_MUST;
/* The next bytes of the stream. */
void loom_hasher_add(struct loom_hasher *hasher, struct loom_str data);
/* Ends the stream and frees the hasher. */
struct loom_hash loom_hasher_finish(struct loom_hasher *hasher);
/* Gives the stream up. NULL is fine. */
void loom_hasher_destroy(struct loom_hasher *hasher);

/* 64 lower-case hex digits. */
void loom_hash_hex(const struct loom_hash *hash, struct loom_buf *out);
/* The same for any bytes: two digits each. */
void loom_hex(const void *bytes, size_t n, struct loom_buf *out);
/* Reads exactly 2·n digits of either case. */
bool loom_unhex(struct loom_str text, void *out, size_t n);
/* Base64url without padding; reading refuses anything else. */
void loom_base64url(struct loom_str data, struct loom_buf *out);
/* Appends the bytes; false for what no data is spelt by, and then `out` may hold a part. */
bool loom_unbase64url(struct loom_str text, struct loom_buf *out);

#endif
