/* Converts ULIDs and local ids to text and back.
 *
 * Number n of a tree goes to the shortest length whose half is not used up by smaller numbers, and
 * there through a permutation of all ids of that length: a Feistel network on the next even number
 * of bits, repeated until the result falls inside. Ids therefore look scattered, never repeat, and
 * are decoded by arithmetic alone. Assigning numbers is the store's business. */
#include <loom/base/id.h>

#include <inttypes.h>

#include <loom/base/mix.h>

/* ---- ULID ---- */

static const char crockford[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/* The values of the letters from A on; 0 for the four that are easily confused. */
static const uint8_t letter_values[] = {10, 11, 12, 13, 14, 15, 16, 17, 0,  18, 19, 0,  20,
					21, 0,  22, 23, 24, 25, 26, 0,  27, 28, 29, 30, 31};

/* Returns a character's value, 32 for an invalid one. */
static unsigned value_of(char c)
{
	const unsigned letter = ((unsigned)(unsigned char)c | 0x20) - 'a';

	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return letter < sizeof letter_values && letter_values[letter] ? letter_values[letter] : 32;
}

static void put_be(uint8_t *out, size_t n, uint64_t value)
{
	while (n--) {
		out[n] = (uint8_t)value;
		value >>= 8;
	}
}

struct loom_ulid loom_ulid_make(int64_t ms, uint64_t counter, const uint8_t random[5])
{
	const int64_t last = ((int64_t)1 << 48) - 1;
	struct loom_ulid ulid = {{0}};

	put_be(ulid.bytes, 6, (uint64_t)(ms < 0 ? 0 : ms > last ? last : ms));
	put_be(ulid.bytes + 6, 5, counter);
	memcpy(ulid.bytes + 11, random, 5);
	return ulid;
}

bool loom_ulid_eq(const struct loom_ulid *a, const struct loom_ulid *b)
{
	return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static uint64_t get_be(const uint8_t in[8])
{
	uint64_t value = 0;

	for (size_t i = 0; i < 8; i++)
		value = value << 8 | in[i];
	return value;
}

/* 26 characters of five bits each, so the first of them holds three. */
void loom_ulid_text(const struct loom_ulid *ulid, char out[LOOM_ULID_CHARS + 1])
{
	uint64_t high = get_be(ulid->bytes);
	uint64_t low = get_be(ulid->bytes + 8);

	out[LOOM_ULID_CHARS] = '\0';
	for (size_t i = LOOM_ULID_CHARS; i-- > 0;) {
		out[i] = crockford[low & 31];
		low = low >> 5 | high << 59;
		high >>= 5;
	}
}

/* Parses `text`, using `fill` for every missing character at its end. */
static bool read_filled(struct loom_str text, unsigned fill, struct loom_ulid *out)
{
	uint64_t high = 0;
	uint64_t low = 0;

	LOOM_ASSERT(fill < 32);
	*out = (struct loom_ulid){{0}};
	for (size_t i = 0; i < LOOM_ULID_CHARS; i++) {
		unsigned value = i < text.n ? value_of(text.p[i]) : fill;

		if (value > 31 || (i == 0 && i < text.n && value > 7))
			return false;
		high = high << 5 | low >> 59;
		low = low << 5 | value;
	}
	put_be(out->bytes, 8, high);
	put_be(out->bytes + 8, 8, low);
	return true;
}

bool loom_ulid_parse(struct loom_str text, struct loom_ulid *out)
{
	return text.n == LOOM_ULID_CHARS && read_filled(text, 0, out);
}

bool loom_ulid_range(struct loom_str prefix, size_t least, struct loom_ulid *low,
		     struct loom_ulid *high)
{
	return prefix.n >= least && prefix.n <= LOOM_ULID_CHARS && read_filled(prefix, 0, low) &&
	       read_filled(prefix, 31, high);
}

/* ---- the permutation ---- */

#define SHORTEST 4
#define LONGEST  8
#define ROUNDS   8

static const char letters[] = "abcdefghjkmnpqrstuvwxyz";
static const char digits[] = "23456789";

/* Character `at` of an id is a letter at even places, else a digit. */
static unsigned radix(size_t at)
{
	return at % 2 ? sizeof digits - 1 : sizeof letters - 1;
}

static uint64_t space_of(size_t length)
{
	uint64_t space = 1;

	for (size_t i = 0; i < length; i++)
		space *= radix(i);
	return space;
}

struct cipher {
	uint64_t key;
	uint64_t space;
	unsigned half_bits;
};

static struct cipher cipher_for(uint64_t key, size_t length)
{
	struct cipher cipher = {.key = model_mix64(key + length), .space = space_of(length)};

	while ((uint64_t)1 << 2 * cipher.half_bits < cipher.space)
		cipher.half_bits++;
	return cipher;
}

static uint64_t scramble(const struct cipher *cipher, unsigned round, uint64_t half)
{
	return model_mix64(cipher->key ^ model_mix64((uint64_t)(round + 1) << 32 | half));
}

/* Runs all rounds, forwards or backwards: swapping the halves before and after makes both one
 * loop. */
static uint64_t encrypt(const struct cipher *cipher, uint64_t value, bool backwards)
{
	const uint64_t mask = ((uint64_t)1 << cipher->half_bits) - 1;
	uint64_t left = backwards ? value & mask : value >> cipher->half_bits;
	uint64_t right = backwards ? value >> cipher->half_bits : value & mask;

	LOOM_ASSERT(value >> cipher->half_bits >> cipher->half_bits == 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned round = backwards ? ROUNDS - 1 - i : i;
		uint64_t next = left ^ (scramble(cipher, round, right) & mask);

		left = right;
		right = next;
	}
	return backwards ? right << cipher->half_bits | left : left << cipher->half_bits | right;
}

/* Values outside the space are intermediate: every cycle leads back inside. */
static uint64_t permute(const struct cipher *cipher, uint64_t value, bool backwards)
{
	LOOM_ASSERT(value < cipher->space);
	do
		value = encrypt(cipher, value, backwards);
	while (value >= cipher->space);
	return value;
}

/* ---- local ids ---- */

/* Writes number `num` >= 1 and returns its length; 0 if even the longest ids are used up. */
static size_t write_number(uint64_t key, uint64_t num, char *out)
{
	uint64_t at = num - 1;

	LOOM_ASSERT(num > 0);
	for (size_t length = SHORTEST; length <= LONGEST; length++) {
		struct cipher cipher = cipher_for(key, length);

		if (at >= cipher.space / 2) {
			at -= cipher.space / 2;
			continue;
		}
		at = permute(&cipher, at, false);
		for (size_t i = length - 1; i < length; at /= radix(i--)) /* wraps below 0 */
			out[i] = (i % 2 ? digits : letters)[at % radix(i)];
		return length;
	}
	return 0;
}

static bool read_number(uint64_t key, struct loom_str text, int64_t *out)
{
	struct cipher cipher = cipher_for(key, text.n);
	uint64_t value = 0;

	LOOM_ASSERT(text.n >= SHORTEST && text.n <= LONGEST);
	for (size_t i = 0; i < text.n; i++) {
		const char *set = i % 2 ? digits : letters;
		char c =
			text.p[i] >= 'A' && text.p[i] <= 'Z' ? (char)(text.p[i] | 0x20) : text.p[i];
		const char *hit = memchr(set, c, radix(i));

		if (!hit)
			return false;
		value = value * radix(i) + (uint64_t)(hit - set);
	}
	value = permute(&cipher, value, true);
	if (value >= cipher.space / 2)
		return false;
	for (size_t length = SHORTEST; length < text.n; length++)
		value += space_of(length) / 2;
	LOOM_ASSERT(value < INT64_MAX);
	*out = (int64_t)value + 1;
	return true;
}

void loom_local_text(uint64_t key, struct loom_local local, char out[LOOM_LOCAL_MAX])
{
	size_t n = 0;

	if (local.num < 0)
		n = (size_t)snprintf(out, LOOM_LOCAL_MAX, "ann-%" PRIu64, ~(uint64_t)local.num + 1);
	else if (local.num == 0)
		n = (size_t)snprintf(out, LOOM_LOCAL_MAX, "r001");
	else
		n = write_number(key, (uint64_t)local.num, out);
	if (!n)
		out[n++] = '?';
	LOOM_ASSERT(n < LOOM_LOCAL_MAX);
	if (local.prime > 3) {
		snprintf(out + n, LOOM_LOCAL_MAX - n, "'%" PRId32, local.prime);
		return;
	}
	for (int32_t i = 0; i < local.prime; i++)
		out[n++] = '\'';
	out[n] = '\0';
}

/* Accepts an apostrophe as keyboards, word processors or mathematicians write it. */
static bool take_apostrophe(struct loom_str *rest)
{
	static const struct loom_str forms[] = {LOOM_STR_INIT("'"), LOOM_STR_INIT("’"),
						LOOM_STR_INIT("′")};

	for (size_t i = 0; i < LOOM_COUNT(forms); i++) {
		if (loom_str_starts(*rest, forms[i])) {
			*rest = loom_str_sub(*rest, forms[i].n, rest->n);
			return true;
		}
	}
	return false;
}

/* Reads a version count. Leading zeros are refused, so that each version has one spelling. */
static bool read_count(struct loom_str text, int64_t most, int64_t *out)
{
	return text.n && text.p[0] != '0' && text.p[0] != '-' && loom_str_to_i64(text, out) &&
	       *out <= most;
}

/* Reads the part after the id: nothing, primes, one prime and a number, or a dot and a number. */
static bool read_primes(struct loom_str rest, int32_t *out)
{
	int64_t prime = 0;

	while (take_apostrophe(&rest) && prime < INT32_MAX)
		prime++;
	if (rest.n && prime == 0 && rest.p[0] == '.')
		rest = loom_str_sub(rest, 1, rest.n);
	else if (rest.n && prime != 1)
		return false;
	else if (!rest.n) {
		*out = (int32_t)prime;
		return true;
	}
	if (!read_count(rest, INT32_MAX, &prime))
		return false;
	*out = (int32_t)prime;
	return true;
}

/* Returns how many bytes precede the primes. */
static size_t stem_length(struct loom_str text)
{
	size_t n = 0;

	while (n < text.n && text.p[n] != '.' && text.p[n] != '\'' && (text.p[n] & 0x80) == 0)
		n++;
	return n;
}

static bool read_annotation(struct loom_str stem, int64_t *out)
{
	int64_t number = 0;

	if (!loom_str_eq_fold(loom_str_sub(stem, 0, 4), LOOM_STR("ann-")) ||
	    !read_count(loom_str_sub(stem, 4, stem.n), INT64_MAX, &number))
		return false;
	*out = -number;
	return true;
}

bool loom_local_parse(uint64_t key, struct loom_str text, struct loom_local *out)
{
	size_t n = stem_length(text);
	struct loom_str stem = loom_str_sub(text, 0, n);
	struct loom_local local = {0};

	if (!read_primes(loom_str_sub(text, n, text.n), &local.prime))
		return false;
	if (!loom_str_eq_fold(stem, LOOM_STR("r001")) && !read_annotation(stem, &local.num) &&
	    (n < SHORTEST || n > LONGEST || !read_number(key, stem, &local.num)))
		return false;
	*out = local;
	return true;
}

static bool has_digit(struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] >= '0' && text.p[i] <= '9')
			return true;
	return false;
}

static bool is_alphanumeric(struct loom_str text)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = (char)(text.p[i] | 0x20);

		if (!(text.p[i] >= '0' && text.p[i] <= '9') && !(c >= 'a' && c <= 'z'))
			return false;
	}
	return true;
}

bool loom_local_shape(struct loom_str text)
{
	size_t n = stem_length(text);
	struct loom_str stem = loom_str_sub(text, 0, n);
	struct loom_ulid low;
	struct loom_ulid high;
	int64_t number = 0;
	int32_t prime = 0;

	if (!read_primes(loom_str_sub(text, n, text.n), &prime))
		return false;
	if (read_annotation(stem, &number))
		return true;
	if (!has_digit(stem))
		return false;
	if (n >= 4 && n <= 8 && is_alphanumeric(stem))
		return true;
	return prime == 0 && n == text.n && loom_ulid_range(stem, LOOM_ULID_PREFIX, &low, &high);
}
