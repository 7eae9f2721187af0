/* Signs and verifies with libcrypto, and ignores the machine's configuration of it. */
#include <loom/base/ed25519.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <loom/base/library.h>

/* The functions used of libcrypto. They need most of the library, where hash.c needs only a few
 * blocks of it. */
/* clang-format off */
#define CRYPTO_LIB(X) \
	X(OPENSSL_init_crypto) X(EVP_PKEY_new_raw_private_key) X(EVP_PKEY_new_raw_public_key) \
	X(EVP_PKEY_get_raw_public_key) X(EVP_PKEY_free) X(EVP_MD_CTX_new) X(EVP_MD_CTX_free) \
	X(EVP_DigestSignInit) X(EVP_DigestSign) X(EVP_DigestVerifyInit) X(EVP_DigestVerify)
/* clang-format on */

struct crypto_lib {
#define X(name) __typeof__(&(name)) name;
	CRYPTO_LIB(X)
#undef X
};

static enum loom_status load(struct crypto_lib *lib, struct loom_err *err)
{
	static const char *const files[] = {"libcrypto.so.3", "libcrypto.3.dylib", NULL};
	static const struct loom_symbol symbols[] = {
#define X(name) {#name, offsetof(struct crypto_lib, name)},
		CRYPTO_LIB(X)
#undef X
	};

	if (loom_library_load(files, symbols, LOOM_COUNT(symbols), lib)) {
		lib->OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
		return LOOM_OK;
	}
	loom_fail(err, LOOM_FAULT, "libcrypto is missing, and exports cannot be signed without it");
	return loom_hint(err, LOOM_FAULT, "install libcrypto 3 (Debian: libssl3)");
}

static enum loom_status cannot(struct loom_err *err)
{
	return loom_fail(err, LOOM_FAULT, "libcrypto cannot sign with Ed25519");
}

enum loom_status loom_ed25519_public(const uint8_t secret[LOOM_ED25519_KEY],
				     uint8_t out[LOOM_ED25519_KEY], struct loom_err *err)
{
	struct crypto_lib lib;
	size_t size = LOOM_ED25519_KEY;
	EVP_PKEY *key;
	enum loom_status status = load(&lib, err);

	LOOM_ASSERT(secret && out);
	if (status != LOOM_OK)
		return status;
	key = lib.EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, secret, LOOM_ED25519_KEY);
	if (!key || lib.EVP_PKEY_get_raw_public_key(key, out, &size) != 1)
		status = cannot(err);
	lib.EVP_PKEY_free(key);
	return status;
}

enum loom_status loom_ed25519_sign(const uint8_t secret[LOOM_ED25519_KEY], struct loom_str text,
				   uint8_t out[LOOM_ED25519_SIGNATURE], struct loom_err *err)
{
	struct crypto_lib lib;
	size_t size = LOOM_ED25519_SIGNATURE;
	EVP_PKEY *key;
	EVP_MD_CTX *ctx;
	enum loom_status status = load(&lib, err);

	LOOM_ASSERT(secret && text.n > 0);
	if (status != LOOM_OK)
		return status;
	key = lib.EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, secret, LOOM_ED25519_KEY);
	ctx = lib.EVP_MD_CTX_new();
	if (!key || !ctx || lib.EVP_DigestSignInit(ctx, NULL, NULL, NULL, key) != 1 ||
	    lib.EVP_DigestSign(ctx, out, &size, (const unsigned char *)text.p, text.n) != 1 ||
	    size != LOOM_ED25519_SIGNATURE)
		status = cannot(err);
	lib.EVP_MD_CTX_free(ctx);
	lib.EVP_PKEY_free(key);
	return status;
}

enum loom_status loom_ed25519_verify(const uint8_t key[LOOM_ED25519_KEY], struct loom_str text,
				     const uint8_t signature[LOOM_ED25519_SIGNATURE],
				     bool *out_good, struct loom_err *err)
{
	struct crypto_lib lib;
	EVP_PKEY *public;
	EVP_MD_CTX *ctx;
	enum loom_status status = load(&lib, err);

	LOOM_ASSERT(key && text.n > 0);
	*out_good = false;
	if (status != LOOM_OK)
		return status;
	public = lib.EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key, LOOM_ED25519_KEY);
	ctx = lib.EVP_MD_CTX_new();
	*out_good = public && ctx && lib.EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, public) == 1 &&
		    lib.EVP_DigestVerify(ctx, signature, LOOM_ED25519_SIGNATURE,
					 (const unsigned char *)text.p, text.n) == 1;
	lib.EVP_MD_CTX_free(ctx);
	lib.EVP_PKEY_free(public);
	return status;
}
