/* Signatures, by the vectors of RFC 8032 (7.1) and by what must not pass for one. */
#include <greatest.h>

#include <string.h>

#include <loom/base/ed25519.h>
#include <loom/base/hash.h>

GREATEST_MAIN_DEFS();

struct vector {
	const char *secret;
	const char *key;
	const char *text;
	const char *signature;
};

static const struct vector vectors[] = {
	{"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
	 "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
	 "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
	 "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
	{"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
	 "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
	 "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
	 "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
};

struct signed_text {
	uint8_t secret[LOOM_ED25519_KEY];
	uint8_t key[LOOM_ED25519_KEY];
	char text[4];
	size_t size;
	uint8_t signature[LOOM_ED25519_SIGNATURE];
};

static bool read_vector(const struct vector *vector, struct signed_text *out)
{
	out->size = strlen(vector->text) / 2;
	return loom_unhex(loom_str_of(vector->secret), out->secret, sizeof out->secret) &&
	       loom_unhex(loom_str_of(vector->key), out->key, sizeof out->key) &&
	       loom_unhex(loom_str_of(vector->text), out->text, out->size) &&
	       loom_unhex(loom_str_of(vector->signature), out->signature, sizeof out->signature);
}

static bool is_good(const struct signed_text *text)
{
	bool good = false;

	return loom_ed25519_verify(text->key, loom_str_make(text->text, text->size),
				   text->signature, &good, NULL) == LOOM_OK &&
	       good;
}

TEST the_vectors_come_out(void)
{
	for (size_t i = 0; i < LOOM_COUNT(vectors); i++) {
		struct signed_text want;
		uint8_t key[LOOM_ED25519_KEY];
		uint8_t signature[LOOM_ED25519_SIGNATURE];

		ASSERT(read_vector(&vectors[i], &want));
		ASSERT_EQ(LOOM_OK, loom_ed25519_public(want.secret, key, NULL));
		ASSERT_MEM_EQ(want.key, key, sizeof key);
		ASSERT_EQ(LOOM_OK,
			  loom_ed25519_sign(want.secret, loom_str_make(want.text, want.size),
					    signature, NULL));
		ASSERT_MEM_EQ(want.signature, signature, sizeof signature);
		ASSERT(is_good(&want));
	}
	PASS();
}

TEST a_flipped_bit_anywhere_is_seen(void)
{
	struct signed_text text;

	ASSERT(read_vector(&vectors[1], &text));
	for (size_t i = 0; i < sizeof text.signature; i++) {
		text.signature[i] ^= 0x10;
		ASSERT_FALSE(is_good(&text));
		text.signature[i] ^= 0x10;
	}
	for (size_t i = 0; i < text.size; i++) {
		text.text[i] ^= 1;
		ASSERT_FALSE(is_good(&text));
		text.text[i] ^= 1;
	}
	for (size_t i = 0; i < sizeof text.key; i++) {
		text.key[i] ^= 1;
		ASSERT_FALSE(is_good(&text));
		text.key[i] ^= 1;
	}
	ASSERT(is_good(&text));
	PASS();
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_TEST(the_vectors_come_out);
	RUN_TEST(a_flipped_bit_anywhere_is_seen);
	GREATEST_MAIN_END();
}
