/* Looks up code points in the generated tables, which are sorted ranges. */
#include "inside.h"

#include <loom/base/utf8.h>
#include <loom/text/width.h>

/* Ranges have no gaps: each extends to the start of the next. */
struct range {
	uint32_t first;
	uint16_t props;
};

/* From first to last, every step-th code point folds to itself plus `add`. */
struct fold_run {
	uint32_t first;
	uint32_t last;
	uint32_t step;
	int32_t add;
};

#include "unicode_table.inc"

static unsigned ascii_props(uint32_t cp)
{
	unsigned plain = MODEL_BREAK_OTHER | 1 << MODEL_WIDTH_SHIFT;

	if (cp == '\n')
		return MODEL_BREAK_LF | MODEL_NAMED;
	if (cp == '\r')
		return MODEL_BREAK_CR | MODEL_NAMED;
	if (cp < 0x20 || cp == 0x7F)
		return MODEL_BREAK_CONTROL | MODEL_NAMED;
	return cp == '#' || cp == '*' || (cp >= '0' && cp <= '9') ? plain | MODEL_EMOJI_STYLE
								  : plain;
}

/* The table calls all Hangul syllables LV; in fact only every 28th is, the others end in a
 * consonant. */
static unsigned syllable_props(uint32_t cp, unsigned props)
{
	LOOM_ASSERT(cp >= 0xAC00 && cp <= 0xD7A3);
	return (cp - 0xAC00) % 28 ? (props & ~(unsigned)MODEL_BREAK_MASK) | MODEL_BREAK_LVT : props;
}

unsigned model_cp_props(uint32_t cp)
{
	size_t low = 0;
	size_t high = LOOM_COUNT(ranges);

	if (cp < 0x80)
		return ascii_props(cp);
	if (cp > 0x10FFFF)
		return MODEL_BREAK_CONTROL | MODEL_NAMED;
	/* The last range that begins at or before cp contains it. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (ranges[middle].first <= cp)
			low = middle;
		else
			high = middle;
	}
	LOOM_ASSERT(ranges[low].first <= cp);
	if (cp >= 0xAC00 && cp <= 0xD7A3)
		return syllable_props(cp, ranges[low].props);
	return ranges[low].props;
}

int loom_cp_width(uint32_t cp)
{
	return model_props_width(model_cp_props(cp));
}

bool loom_cp_is_mark(uint32_t cp)
{
	unsigned props = model_cp_props(cp);
	enum model_break kind = model_props_break(props);

	return (props & MODEL_MARK) || kind == MODEL_BREAK_EXTEND || kind == MODEL_BREAK_ZWJ ||
	       kind == MODEL_BREAK_SPACING;
}

bool loom_cp_is_rtl(uint32_t cp)
{
	return cp >= 0x80 && (model_cp_props(cp) & MODEL_RTL);
}

uint32_t loom_cp_fold(uint32_t cp)
{
	const struct fold_run *run = NULL;
	size_t low = 0;
	size_t high = LOOM_COUNT(fold_runs);

	if (cp < 0x80)
		return cp >= 'A' && cp <= 'Z' ? cp + 0x20 : cp;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (fold_runs[middle].last < cp)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == LOOM_COUNT(fold_runs))
		return cp;
	run = &fold_runs[low];
	if (cp < run->first || (cp - run->first) % run->step)
		return cp;
	LOOM_ASSERT((int64_t)cp + run->add >= 0);
	return (uint32_t)((int64_t)cp + run->add);
}

/* Returns the next character that is not a combining mark, folded; 0 at the end. */
static uint32_t next_folded(struct loom_str s, size_t *at)
{
	while (*at < s.n) {
		uint32_t cp = loom_utf8_next(s, at);

		if (cp < 0x80 || !loom_cp_is_mark(cp))
			return loom_cp_fold(cp);
	}
	return 0;
}

static bool goes_on(struct loom_str text, size_t at, struct loom_str part, size_t in)
{
	while (in < part.n) {
		uint32_t wanted = next_folded(part, &in);

		if (wanted && next_folded(text, &at) != wanted)
			return false;
	}
	return true;
}

size_t loom_utf8_find(struct loom_str text, struct loom_str part, size_t from)
{
	size_t behind = 0;
	uint32_t first = next_folded(part, &behind);

	for (size_t at = from; first && at < text.n;) {
		size_t next = at;

		if (loom_cp_fold(loom_utf8_next(text, &next)) == first &&
		    goes_on(text, next, part, behind))
			return at;
		at = next;
	}
	return SIZE_MAX;
}

static int compare_sequence(const uint32_t *cps, size_t count, const uint32_t *listed)
{
	for (size_t i = 0; i < count; i++)
		if (cps[i] != listed[i])
			return cps[i] < listed[i] ? -1 : 1;
	return listed[count] ? -1 : 0;
}

bool model_zwj_listed(const uint32_t *cps, size_t count)
{
	size_t low = 0;
	size_t high = LOOM_COUNT(zwj_sequences);

	LOOM_ASSERT(cps && count > 0);
	if (count >= LOOM_COUNT(zwj_sequences[0]))
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare_sequence(cps, count, zwj_sequences[middle]);

		if (order == 0)
			return true;
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}
