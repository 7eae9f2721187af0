/* Signatures with Ed25519 (RFC 8032). libcrypto is loaded on first use: few runs sign or verify,
 * and with it the program takes longer to start. */
#ifndef LOOM_ED25519_H
#define LOOM_ED25519_H

#include <loom/base/err.h>
#include <loom/base/str.h>

#define LOOM_ED25519_KEY       32
#define LOOM_ED25519_SIGNATURE 64

/* Derives the public half of a secret key. */
enum loom_status loom_ed25519_public(const uint8_t secret[LOOM_ED25519_KEY],
				     uint8_t out[LOOM_ED25519_KEY], struct loom_err *err) LOOM_MUST;
/* Signs `text` with a secret key. The same text gives the same signature each time. */
enum loom_status loom_ed25519_sign(const uint8_t secret[LOOM_ED25519_KEY], struct loom_str text,
				   uint8_t out[LOOM_ED25519_SIGNATURE],
				   struct loom_err *err) LOOM_MUST;
/* Sets *out_good to whether the owner of the public half `key` signed `text`. A signature that does
 * not fit, or a key that is none, is not an error. */
enum loom_status loom_ed25519_verify(const uint8_t key[LOOM_ED25519_KEY], struct loom_str text,
				     const uint8_t signature[LOOM_ED25519_SIGNATURE],
				     bool *out_good, struct loom_err *err) LOOM_MUST;

#endif
