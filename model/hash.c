/* SHA-256 and HMAC by libcrypto; hex and base64url. libcrypto fails here only when memory is used
 * up or its installation is broken: the program ends, as it does for our own memory. */
#include <loom/hash.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <unistd.h>

struct loom_hasher {
	EVP_MD_CTX *ctx;
};

static void need(bool worked)
{
	static const char text[] = "loom: the crypto library refuses SHA-256\n";
	ssize_t written = 0;

	if (worked)
		return;
	written = write(STDERR_FILENO, text, sizeof text - 1);
	(void)written;
	exit(3);
}

struct loom_hasher *loom_hasher_create(void)
{
	struct loom_hasher *hasher = loom_alloc(sizeof *hasher);

	hasher->ctx = EVP_MD_CTX_new();
	need(hasher->ctx && EVP_DigestInit_ex(hasher->ctx, EVP_sha256(), NULL) == 1);
	return hasher;
}

void loom_hasher_add(struct loom_hasher *hasher, struct loom_str data)
{
	if (data.n)
		need(EVP_DigestUpdate(hasher->ctx, data.p, data.n) == 1);
}

struct loom_hash loom_hasher_finish(struct loom_hasher *hasher)
{
	struct loom_hash hash;

	need(EVP_DigestFinal_ex(hasher->ctx, hash.bytes, NULL) == 1);
	loom_hasher_destroy(hasher);
	return hash;
}

void loom_hasher_destroy(struct loom_hasher *hasher)
{
	if (!hasher)
		return;
	EVP_MD_CTX_free(hasher->ctx);
	free(hasher);
}

struct loom_hash loom_sha256(struct loom_str data)
{
	struct loom_hash hash;

	need(EVP_Digest(data.n ? data.p : "", data.n, hash.bytes, NULL, EVP_sha256(), NULL) == 1);
	return hash;
}

struct loom_hash loom_sha256_parts(const struct loom_str *parts, size_t count)
{
	struct loom_hasher *hasher = loom_hasher_create();

	for (size_t i = 0; i < count; i++)
		loom_hasher_add(hasher, parts[i]);
	return loom_hasher_finish(hasher);
}

struct loom_hash loom_hmac_sha256(struct loom_str key, struct loom_str data)
{
	struct loom_hash hash;

	need(key.n <= INT32_MAX);
	need(HMAC(EVP_sha256(), key.n ? key.p : "", (int)key.n,
		  (const unsigned char *)(data.n ? data.p : ""), data.n, hash.bytes, NULL) != NULL);
	return hash;
}

bool loom_hash_eq(const struct loom_hash *a, const struct loom_hash *b)
{
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
	size_t held = 0;

	for (size_t i = 0; i < n; i++) {
		text[held++] = digits[b[i] >> 4];
		text[held++] = digits[b[i] & 15];
		if (held == sizeof text || i + 1 == n) {
			loom_buf_add(out, loom_str_make(text, held));
			held = 0;
		}
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
	/* What is left over holds no data: one text for each value. */
	return (bits & ((1u << held) - 1)) == 0;
}
