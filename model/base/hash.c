/* SHA-256 and HMAC through libcrypto; hex and base64url.
 *
 * Uses the plain block functions: they neither allocate nor look anything up, so a digest cannot
 * fail, and hashing a short text is cheap. In libcrypto 3.0 the context-based ones crash when
 * memory runs out during their first call. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <loom/base/hash.h>

#include <openssl/crypto.h>
#include <openssl/sha.h>

enum { BLOCK = 64 };

struct loom_hasher {
	SHA256_CTX ctx;
};

struct loom_hasher *loom_hasher_create(void)
{
	struct loom_hasher *hasher = loom_alloc(sizeof *hasher);

	SHA256_Init(&hasher->ctx);
	return hasher;
}

void loom_hasher_add(struct loom_hasher *hasher, struct loom_str data)
{
	LOOM_ASSERT(hasher && loom_str_ok(data));
	if (data.n)
		SHA256_Update(&hasher->ctx, data.p, data.n);
}

struct loom_hash loom_hasher_finish(struct loom_hasher *hasher)
{
	struct loom_hash hash;

	SHA256_Final(hash.bytes, &hasher->ctx);
	loom_hasher_destroy(hasher);
	return hash;
}

void loom_hasher_destroy(struct loom_hasher *hasher)
{
	free(hasher);
}

struct loom_hash loom_sha256_parts(const struct loom_str *parts, size_t count)
{
	struct loom_hash hash;
	SHA256_CTX ctx;

	LOOM_ASSERT(parts || !count);
	SHA256_Init(&ctx);
	for (size_t i = 0; i < count; i++)
		if (parts[i].n)
			SHA256_Update(&ctx, parts[i].p, parts[i].n);
	SHA256_Final(hash.bytes, &ctx);
	return hash;
}

struct loom_hash loom_sha256(struct loom_str data)
{
	return loom_sha256_parts(&data, 1);
}

/* A key longer than a block is hashed first. */
struct loom_hash loom_hmac_sha256(struct loom_str key, struct loom_str data)
{
	struct loom_hash hash = {{0}};
	unsigned char inner[BLOCK] = {0};
	unsigned char outer[BLOCK] = {0};
	struct loom_str parts[2];

	if (key.n > BLOCK) {
		hash = loom_sha256(key);
		key = loom_str_make((const char *)hash.bytes, sizeof hash.bytes);
	}
	for (size_t i = 0; i < BLOCK; i++) {
		unsigned char byte = i < key.n ? (unsigned char)key.p[i] : 0;

		inner[i] = byte ^ 0x36;
		outer[i] = byte ^ 0x5C;
	}
	parts[0] = loom_str_make((const char *)inner, sizeof inner);
	parts[1] = data;
	hash = loom_sha256_parts(parts, 2);
	parts[0] = loom_str_make((const char *)outer, sizeof outer);
	parts[1] = loom_str_make((const char *)hash.bytes, sizeof hash.bytes);
	hash = loom_sha256_parts(parts, 2);
	OPENSSL_cleanse(inner, sizeof inner);
	OPENSSL_cleanse(outer, sizeof outer);
	return hash;
}

bool loom_hash_eq(const struct loom_hash *a, const struct loom_hash *b)
{
	LOOM_ASSERT(a && b);
	return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

bool loom_same_secret(struct loom_str a, struct loom_str b)
{
	return a.n == b.n && (a.n == 0 || CRYPTO_memcmp(a.p, b.p, a.n) == 0);
}

void loom_hex(const void *bytes, size_t n, struct loom_buf *out)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *b = bytes;
	char text[64];

	LOOM_ASSERT(bytes || !n);
	while (n) {
		const size_t now = n < sizeof text / 2 ? n : sizeof text / 2;

		for (size_t i = 0; i < now; i++) {
			text[2 * i] = digits[b[i] >> 4];
			text[2 * i + 1] = digits[b[i] & 15];
		}
		loom_buf_add(out, loom_str_make(text, 2 * now));
		b += now;
		n -= now;
	}
}

void loom_hash_hex(const struct loom_hash *hash, struct loom_buf *out)
{
	loom_hex(hash->bytes, sizeof hash->bytes, out);
}

/* The digit's value, or -1. */
static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool loom_unhex(struct loom_str text, void *out, size_t n)
{
	uint8_t *b = out;

	LOOM_ASSERT(out || !n);
	if (text.n % 2 || text.n / 2 != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int high = hex_value(text.p[2 * i]);
		int low = hex_value(text.p[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		b[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static const char base64url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void loom_base64url(struct loom_str data, struct loom_buf *out)
{
	for (size_t i = 0; i < data.n; i += 3) {
		size_t left = data.n - i < 3 ? data.n - i : 3;
		uint32_t bits = 0;
		char four[4];

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (k < left ? (unsigned char)data.p[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			four[k] = base64url[bits >> (18 - 6 * k) & 63];
		loom_buf_add(out, loom_str_make(four, left + 1));
	}
}

static int base64url_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '-' ? 62 : c == '_' ? 63 : -1;
}

bool loom_unbase64url(struct loom_str text, struct loom_buf *out)
{
	uint32_t bits = 0;
	unsigned held = 0;

	if (text.n % 4 == 1)
		return false;
	for (size_t i = 0; i < text.n; i++) {
		int value = base64url_value(text.p[i]);

		if (value < 0)
			return false;
		bits = (bits << 6 | (uint32_t)value) & 0xFFFF;
		held += 6;
		if (held >= 8) {
			held -= 8;
			loom_buf_addc(out, (char)(unsigned char)(bits >> held));
		}
	}
	/* The remaining bits must be zero: one text per value. */
	LOOM_ASSERT(held < 8);
	return (bits & ((1u << held) - 1)) == 0;
}
