/* Signs and verifies with libcrypto. Signed data begins with its purpose and the grove's id. */
#include <loom/grove/seal.h>

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <loom/base/hash.h>
#include <loom/grove/sql.h>

#include <loom/files/state_file.h>

#define SEAL_BEGIN "loom seal 1\n"

static enum loom_status read_key(struct loom_store *store, bool make, uint8_t out[32],
				 bool *out_there, struct loom_err *err)
{
	const struct model_secret secret = {
		.name = "seal.key",
		.lost = "earlier exports will come back as claims",
		.make = make,
	};
	struct loom_buf folder = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = make ? loom_store_state_dir(store, &folder, err)
				       : model_state_dir(store, &folder, err);

	if (status == LOOM_OK)
		status = model_secret(loom_buf_str(&folder), &secret, &text, err);
	*out_there = text.n > 0;
	if (status == LOOM_OK && *out_there &&
	    !loom_unhex(loom_buf_str(&text), out, MODEL_SECRET_BYTES))
		status = loom_fail(err, LOOM_REFUSED, "%s is not a key of loom's", secret.name);
	if (text.n)
		OPENSSL_cleanse(text.p, text.n);
	loom_buf_fini(&text);
	loom_buf_fini(&folder);
	return status;
}

/* Ignores the machine's libcrypto configuration. */
static EVP_PKEY *load_key(const uint8_t secret[32])
{
	OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	return EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, secret, 32);
}

static void say(struct loom_store *store, struct loom_str what, struct loom_buf *out)
{
	const struct loom_ulid grove = loom_store_ulid(store);
	const struct loom_hash hash = loom_sha256(what);

	LOOM_ASSERT(out->n == 0);
	loom_buf_adds(out, SEAL_BEGIN);
	loom_buf_add(out, loom_str_make((const char *)grove.bytes, sizeof grove.bytes));
	loom_buf_add(out, loom_str_make((const char *)hash.bytes, sizeof hash.bytes));
}

static bool sign(EVP_PKEY *key, const struct loom_buf *text, struct loom_seal *out)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	size_t size = sizeof out->signature;
	size_t half = sizeof out->key;
	bool done = ctx && EVP_PKEY_get_raw_public_key(key, out->key, &half) == 1 &&
		    EVP_DigestSignInit(ctx, NULL, NULL, NULL, key) == 1 &&
		    EVP_DigestSign(ctx, out->signature, &size, (const unsigned char *)text->p,
				   text->n) == 1;

	LOOM_ASSERT(key && text->n > 0);
	EVP_MD_CTX_free(ctx);
	return done && size == sizeof out->signature;
}

static bool is_signed(EVP_PKEY *key, const struct loom_buf *text, const struct loom_seal *seal)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	bool good = ctx && EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, key) == 1 &&
		    EVP_DigestVerify(ctx, seal->signature, sizeof seal->signature,
				     (const unsigned char *)text->p, text->n) == 1;

	LOOM_ASSERT(key && text->n > 0);
	EVP_MD_CTX_free(ctx);
	return good;
}

enum loom_status loom_seal_make(struct loom_store *store, struct loom_str what,
				struct loom_seal *out, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(256);
	uint8_t secret[MODEL_SECRET_BYTES];
	EVP_PKEY *key = NULL;
	bool there = false;
	enum loom_status status = read_key(store, true, secret, &there, err);

	LOOM_ASSERT(out);
	if (status != LOOM_OK)
		return status;
	say(store, what, &text);
	key = load_key(secret);
	if (!key || !sign(key, &text, out))
		status = loom_fail(err, LOOM_FAULT, "libcrypto cannot sign with Ed25519");
	EVP_PKEY_free(key);
	OPENSSL_cleanse(secret, sizeof secret);
	loom_buf_fini(&text);
	return status;
}

enum loom_status loom_seal_public(struct loom_store *store, uint8_t out[LOOM_SEAL_KEY],
				  struct loom_err *err)
{
	uint8_t secret[MODEL_SECRET_BYTES];
	size_t size = LOOM_SEAL_KEY;
	EVP_PKEY *key = NULL;
	bool there = false;
	enum loom_status status = read_key(store, true, secret, &there, err);

	if (status != LOOM_OK)
		return status;
	key = load_key(secret);
	if (!key || EVP_PKEY_get_raw_public_key(key, out, &size) != 1)
		status = loom_fail(err, LOOM_FAULT, "libcrypto cannot sign with Ed25519");
	EVP_PKEY_free(key);
	OPENSSL_cleanse(secret, sizeof secret);
	return status;
}

static bool is_signed_by(EVP_PKEY *key, const struct loom_buf *text, const struct loom_seal *seal)
{
	const bool good = key && is_signed(key, text, seal);

	EVP_PKEY_free(key);
	return good;
}

/* A key that a file names counts when somebody who works here has put it into the grove. */
static enum loom_status check_members(struct loom_store *store, const struct loom_buf *text,
				      const struct loom_seal *seal, bool *out_ours,
				      struct loom_err *err)
{
	bool member = false;
	enum loom_status status = LOOM_OK;

	if (*out_ours || loom_store_group(store) == LOOM_PRIVATE)
		return LOOM_OK;
	status = model_member_key(store, seal->key, &member, err);
	if (status == LOOM_OK && member)
		*out_ours = is_signed_by(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL,
								     seal->key, sizeof seal->key),
					 text, seal);
	return status;
}

enum loom_status loom_seal_check(struct loom_store *store, struct loom_str what,
				 const struct loom_seal *seal, bool *out_ours, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(256);
	uint8_t secret[MODEL_SECRET_BYTES];
	bool there = false;
	enum loom_status status = read_key(store, false, secret, &there, err);

	LOOM_ASSERT(seal && out_ours);
	*out_ours = false;
	if (status != LOOM_OK)
		return status;
	say(store, what, &text);
	if (there)
		*out_ours = is_signed_by(load_key(secret), &text, seal);
	OPENSSL_cleanse(secret, sizeof secret);
	status = check_members(store, &text, seal, out_ours, err);
	loom_buf_fini(&text);
	return status;
}
