/* Digests against published vectors; hex and base64url both ways. */
#include <greatest.h>

#include <loom/base/hash.h>

GREATEST_MAIN_DEFS();

static bool is_hex(struct loom_hash hash, const char *hex)
{
	struct loom_buf buf = LOOM_BUF_INIT(128);
	bool same = false;

	loom_hash_hex(&hash, &buf);
	same = strcmp(loom_buf_cstr(&buf), hex) == 0;
	loom_buf_fini(&buf);
	return same;
}

TEST sha256_gives_the_published_digests(void)
{
	ASSERT(is_hex(loom_sha256(LOOM_STR("")),
		      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
	ASSERT(is_hex(loom_sha256((struct loom_str){NULL, 0}),
		      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
	ASSERT(is_hex(loom_sha256(LOOM_STR("abc")),
		      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
	PASS();
}

TEST parts_and_streams_hash_as_if_joined(void)
{
	const struct loom_str parts[] = {LOOM_STR("a"), {NULL, 0}, LOOM_STR("b"), LOOM_STR("c")};
	struct loom_hash whole = loom_sha256(LOOM_STR("abc"));
	struct loom_hash joined = loom_sha256_parts(parts, LOOM_COUNT(parts));
	struct loom_hasher *hasher = loom_hasher_create();
	struct loom_hash streamed;

	for (size_t i = 0; i < LOOM_COUNT(parts); i++)
		loom_hasher_add(hasher, parts[i]);
	streamed = loom_hasher_finish(hasher);
	ASSERT(loom_hash_eq(&whole, &joined));
	ASSERT(loom_hash_eq(&whole, &streamed));
	streamed.bytes[31] ^= 1;
	ASSERT_FALSE(loom_hash_eq(&whole, &streamed));
	loom_hasher_destroy(loom_hasher_create());
	loom_hasher_destroy(NULL);
	PASS();
}

TEST hmac_gives_the_digests_of_rfc_4231(void)
{
	ASSERT(is_hex(loom_hmac_sha256(LOOM_STR("Jefe"), LOOM_STR("what do ya want for nothing?")),
		      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
	ASSERT(is_hex(loom_hmac_sha256((struct loom_str){NULL, 0}, (struct loom_str){NULL, 0}),
		      "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"));
	PASS();
}

TEST secrets_are_the_same_only_byte_for_byte(void)
{
	ASSERT(loom_same_secret(LOOM_STR("abc"), LOOM_STR("abc")));
	ASSERT(loom_same_secret((struct loom_str){NULL, 0}, LOOM_STR("")));
	ASSERT_FALSE(loom_same_secret(LOOM_STR("abc"), LOOM_STR("abd")));
	ASSERT_FALSE(loom_same_secret(LOOM_STR("abc"), LOOM_STR("ab")));
	PASS();
}

TEST hex_of_either_case_reads_back_and_nothing_else_does(void)
{
	uint8_t out[3];

	ASSERT(loom_unhex(LOOM_STR("00fFa9"), out, 3));
	ASSERT_MEM_EQ("\x00\xFF\xA9", out, 3);
	ASSERT_FALSE(loom_unhex(LOOM_STR("00ffa"), out, 3));
	ASSERT_FALSE(loom_unhex(LOOM_STR("00ffa"), out, 2));
	ASSERT_FALSE(loom_unhex(LOOM_STR("00ffa900"), out, 3));
	ASSERT_FALSE(loom_unhex(LOOM_STR("00fg00"), out, 3));
	ASSERT_FALSE(loom_unhex(LOOM_STR("0x0000"), out, 3));
	ASSERT(loom_unhex(LOOM_STR(""), out, 0));
	PASS();
}

TEST base64url_spells_the_vectors_of_rfc_4648(void)
{
	static const struct {
		struct loom_str data;
		const char *text;
	} cases[] = {
		{LOOM_STR_INIT(""), ""},
		{LOOM_STR_INIT("f"), "Zg"},
		{LOOM_STR_INIT("fo"), "Zm8"},
		{LOOM_STR_INIT("foo"), "Zm9v"},
		{LOOM_STR_INIT("foob"), "Zm9vYg"},
		{LOOM_STR_INIT("fooba"), "Zm9vYmE"},
		{LOOM_STR_INIT("foobar"), "Zm9vYmFy"},
		{LOOM_STR_INIT("\xFB\xFF\xBF\0"), "-_-_AA"},
	};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_buf text = LOOM_BUF_INIT(64);
		struct loom_buf back = LOOM_BUF_INIT(64);

		loom_base64url(cases[i].data, &text);
		ASSERT_STR_EQ(cases[i].text, loom_buf_cstr(&text));
		ASSERT(loom_unbase64url(loom_buf_str(&text), &back));
		ASSERT(loom_str_eq(cases[i].data, loom_buf_str(&back)));
		loom_buf_fini(&text);
		loom_buf_fini(&back);
	}
	PASS();
}

TEST base64url_refuses_padding_blanks_and_second_spellings(void)
{
	static const char *const cases[] = {"Zg==", "Z",    "Zm9vY", "Zm 8", "Zm9v\n",
					    "Zm+_", "Zm/_", "Zh",    "Zm9",  "éZZ"};

	for (size_t i = 0; i < LOOM_COUNT(cases); i++) {
		struct loom_buf back = LOOM_BUF_INIT(64);

		ASSERT_FALSEm(cases[i], loom_unbase64url(loom_str_of(cases[i]), &back));
		loom_buf_fini(&back);
	}
	PASS();
}

TEST any_bytes_survive_base64url(void)
{
	char bytes[257];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)(unsigned char)(i * 37 + 11);
	for (size_t n = 0; n <= sizeof bytes; n++) {
		struct loom_buf text = LOOM_BUF_INIT(1024);
		struct loom_buf back = LOOM_BUF_INIT(1024);

		loom_base64url(loom_str_make(bytes, n), &text);
		ASSERT(loom_unbase64url(loom_buf_str(&text), &back));
		ASSERT(loom_str_eq(loom_str_make(bytes, n), loom_buf_str(&back)));
		loom_buf_fini(&text);
		loom_buf_fini(&back);
	}
	PASS();
}

SUITE(hash)
{
	RUN_TEST(sha256_gives_the_published_digests);
	RUN_TEST(parts_and_streams_hash_as_if_joined);
	RUN_TEST(hmac_gives_the_digests_of_rfc_4231);
	RUN_TEST(secrets_are_the_same_only_byte_for_byte);
	RUN_TEST(hex_of_either_case_reads_back_and_nothing_else_does);
	RUN_TEST(base64url_spells_the_vectors_of_rfc_4648);
	RUN_TEST(base64url_refuses_padding_blanks_and_second_spellings);
	RUN_TEST(any_bytes_survive_base64url);
}

int main(int argc, char **argv)
{
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(hash);
	GREATEST_MAIN_END();
}
