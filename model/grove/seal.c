/* Signed data begins with its purpose and the grove's id. */
#include <loom/grove/seal.h>

#include <string.h>

#include <openssl/crypto.h>

#include <loom/base/ed25519.h>
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

static void say(struct loom_store *store, struct loom_str what, struct loom_buf *out)
{
	const struct loom_ulid grove = loom_store_ulid(store);
	const struct loom_hash hash = loom_sha256(what);

	LOOM_ASSERT(out->n == 0);
	loom_buf_adds(out, SEAL_BEGIN);
	loom_buf_add(out, loom_str_make((const char *)grove.bytes, sizeof grove.bytes));
	loom_buf_add(out, loom_str_make((const char *)hash.bytes, sizeof hash.bytes));
}

enum loom_status loom_seal_make(struct loom_store *store, struct loom_str what,
				struct loom_seal *out, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(256);
	uint8_t secret[MODEL_SECRET_BYTES];
	bool there = false;
	enum loom_status status = read_key(store, true, secret, &there, err);

	LOOM_ASSERT(out);
	if (status != LOOM_OK)
		return status;
	say(store, what, &text);
	status = loom_ed25519_public(secret, out->key, err);
	if (status == LOOM_OK)
		status = loom_ed25519_sign(secret, loom_buf_str(&text), out->signature, err);
	OPENSSL_cleanse(secret, sizeof secret);
	loom_buf_fini(&text);
	return status;
}

enum loom_status loom_seal_public(struct loom_store *store, uint8_t out[LOOM_SEAL_KEY],
				  struct loom_err *err)
{
	uint8_t secret[MODEL_SECRET_BYTES];
	bool there = false;
	enum loom_status status = read_key(store, true, secret, &there, err);

	if (status != LOOM_OK)
		return status;
	status = loom_ed25519_public(secret, out, err);
	OPENSSL_cleanse(secret, sizeof secret);
	return status;
}

/* A key that a file names counts if it is this account's own, or if somebody who works here has put
 * it into the grove. */
static enum loom_status check_known(struct loom_store *store, const struct loom_seal *seal,
				    bool *out_known, struct loom_err *err)
{
	uint8_t secret[MODEL_SECRET_BYTES];
	uint8_t own[LOOM_SEAL_KEY];
	bool there = false;
	enum loom_status status = read_key(store, false, secret, &there, err);

	if (status != LOOM_OK)
		return status;
	if (there)
		status = loom_ed25519_public(secret, own, err);
	OPENSSL_cleanse(secret, sizeof secret);
	*out_known = status == LOOM_OK && there && memcmp(own, seal->key, sizeof own) == 0;
	if (status != LOOM_OK || *out_known || loom_store_group(store) == LOOM_PRIVATE)
		return status;
	return model_member_key(store, seal->key, out_known, err);
}

enum loom_status loom_seal_check(struct loom_store *store, struct loom_str what,
				 const struct loom_seal *seal, bool *out_ours, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(256);
	bool known = false;
	enum loom_status status = check_known(store, seal, &known, err);

	LOOM_ASSERT(seal && out_ours);
	*out_ours = false;
	if (status != LOOM_OK || !known)
		return status;
	say(store, what, &text);
	status =
		loom_ed25519_verify(seal->key, loom_buf_str(&text), seal->signature, out_ours, err);
	loom_buf_fini(&text);
	return status;
}
