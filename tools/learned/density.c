/* Tokens by kinds of bytes. Each count moves the kinds that the text has, in proportion to their
 * part in the estimate; one that was never seen takes most of the blame. Invariants: an estimate
 * grows with the text; a kind's token has between 1/4 of a byte and 16 bytes. */
#include <loom/learned/density.h>

#include <math.h>

#include <loom/base/utf8.h>

#define LEAST (1.0 / 16)
#define MOST  4.0
#define OLD   20000.0 /* bytes after which a kind hardly moves */

static double usual(int kind)
{
	static const double bytes[] = {
#define X(id, name, bytes) bytes,
		LOOM_TEXT_KINDS(X)
#undef X
	};

	return 1 / bytes[kind];
}

static enum loom_text_kind kind_of(uint32_t cp)
{
	if (cp < 0x80) {
		if ((cp | 0x20) >= 'a' && (cp | 0x20) <= 'z')
			return LOOM_TEXT_LETTERS;
		if (cp >= '0' && cp <= '9')
			return LOOM_TEXT_DIGITS;
		return cp <= ' ' ? LOOM_TEXT_BLANKS : LOOM_TEXT_POINTS;
	}
	if (cp >= 0x400 && cp < 0x530)
		return LOOM_TEXT_CYRILLIC;
	if ((cp >= 0x2E80 && cp < 0xA000) || (cp >= 0xAC00 && cp < 0xD7B0) ||
	    (cp >= 0xF900 && cp < 0xFB00) || (cp >= 0xFF00 && cp < 0xFFF0) ||
	    (cp >= 0x20000 && cp < 0x40000))
		return LOOM_TEXT_HAN;
	return LOOM_TEXT_OTHER;
}

void loom_text_mix_add(struct loom_text_mix *mix, struct loom_str text)
{
	for (size_t at = 0; at < text.n;) {
		const size_t from = at;
		const unsigned char c = (unsigned char)text.p[at];
		uint32_t cp = c;

		if (c < 0x80)
			at++;
		else
			cp = loom_utf8_next(text, &at);
		mix->bytes[kind_of(cp)] += (double)(at - from);
	}
}

static double rate(const struct loom_density *density, int kind)
{
	return density->tokens[kind] > 0 ? density->tokens[kind] : usual(kind);
}

double loom_density_tokens(const struct loom_density *density, const struct loom_text_mix *mix)
{
	double sum = 0;

	for (int kind = 0; kind < LOOM_TEXT_KIND_COUNT; kind++)
		sum += mix->bytes[kind] * rate(density, kind);
	return sum;
}

void loom_density_learn(struct loom_density *density, const struct loom_text_mix *mix,
			double tokens)
{
	double gain[LOOM_TEXT_KIND_COUNT];
	double power = 0;
	const double miss = tokens - loom_density_tokens(density, mix);

	if (!(tokens > 0) || !isfinite(tokens))
		return;
	/* A step of recursive least squares with the kinds taken as independent: the less a kind is
	 * known, the more it moves. */
	for (int kind = 0; kind < LOOM_TEXT_KIND_COUNT; kind++) {
		const double doubt = rate(density, kind) / (1 + density->seen[kind] / 500);

		gain[kind] = mix->bytes[kind] * doubt * doubt;
		power += gain[kind] * mix->bytes[kind];
	}
	for (int kind = 0; kind < LOOM_TEXT_KIND_COUNT && power > 0; kind++) {
		double next = rate(density, kind) + miss * gain[kind] / power;

		if (mix->bytes[kind] <= 0)
			continue;
		next = next < LEAST ? LEAST : next > MOST ? MOST : next;
		density->tokens[kind] = next;
		density->seen[kind] += mix->bytes[kind];
		if (density->seen[kind] > OLD)
			density->seen[kind] = OLD;
	}
}

bool loom_density_empty(const struct loom_density *density)
{
	for (int kind = 0; kind < LOOM_TEXT_KIND_COUNT; kind++)
		if (density->seen[kind] > 0)
			return false;
	return true;
}
