/* Ids as calls contain them, in one canonical form.
 *
 * loom_local_shape decides which shapes are ids, this file adds those of results (res-4), and only
 * the store knows which exist. */
#include "inside.h"

static bool is_digits(struct loom_str s)
{
	uint64_t value = 0;

	return s.n && s.p[0] != '0' && loom_str_to_u64(s, &value);
}

static struct loom_str without_frame(struct loom_str text)
{
	if (text.n >= 2 && text.p[0] == '[' && text.p[text.n - 1] == ']')
		return loom_str_sub(text, 1, text.n - 2);
	if (text.n && text.p[0] == '#')
		return loom_str_sub(text, 1, text.n);
	return text;
}

/* Length up to the primes: an apostrophe of any kind, or a dot. */
static size_t stem_length(struct loom_str text)
{
	size_t n = 0;

	while (n < text.n && text.p[n] != '\'' && text.p[n] != '.' && !(text.p[n] & 0x80))
		n++;
	return n;
}

/* The version that the primes of a valid id mean, 0 for none. */
static uint64_t version_of(struct loom_str primes)
{
	uint64_t signs = 0;
	size_t at = 0;
	uint64_t number = 0;

	while (at < primes.n && (unsigned char)(primes.p[at] - '0') > 9) {
		signs++;
		at += primes.p[at] & 0x80 ? 3 : 1;
	}
	return loom_str_to_u64(loom_str_sub(primes, at, primes.n), &number) ? number : signs;
}

static void add_lower(struct loom_buf *out, struct loom_str s)
{
	for (size_t i = 0; i < s.n; i++)
		loom_buf_addc(out, s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] | 0x20) : s.p[i]);
}

bool lang_id_read(struct loom_arena *arena, struct loom_str text, struct loom_str *out)
{
	struct loom_buf id = LOOM_BUF_INIT(64);
	struct loom_str bare = without_frame(text);
	size_t stem = stem_length(bare);
	uint64_t version = 0;

	if (loom_str_eq_fold(loom_str_sub(bare, 0, 4), LOOM_STR("res-"))) {
		if (!is_digits(loom_str_sub(bare, 4, bare.n)))
			return false;
		stem = bare.n;
	} else if (!loom_local_shape(bare)) {
		return false;
	}
	add_lower(&id, loom_str_sub(bare, 0, stem));
	version = version_of(loom_str_sub(bare, stem, bare.n));
	if (version > 3)
		loom_buf_addf(&id, "'%llu", (unsigned long long)version);
	else
		loom_buf_add_repeat(&id, '\'', (size_t)version);
	*out = loom_arena_buf(arena, &id);
	loom_buf_fini(&id);
	return true;
}

bool lang_node_read(struct loom_arena *arena, struct loom_str text, struct loom_str *out)
{
	static const struct {
		const char *said;
		const char *place;
	} places[] = {
		{"here", "here"}, {"this", "here"}, {"parent", "parent"},
		{"root", "root"}, {"last", "last"}, {"top", "top"},
	};

	for (size_t i = 0; i < LOOM_COUNT(places); i++)
		if (loom_str_eq_fold(text, loom_str_of(places[i].said))) {
			*out = loom_str_of(places[i].place);
			return true;
		}
	return lang_id_read(arena, text, out);
}
