/* Grapheme clusters and their width: the extended clusters of UAX #29 in Unicode 15.0, plus the
 * later rule for Indic conjuncts. The rules are a state machine fed one code point at a time
 * (model_cluster_take), so text is neither copied nor indexed. */
#include <loom/text/width.h>

#include <loom/base/utf8.h>

#include "inside.h"

/* How far a caret looks back for a certain boundary; only hostile text has longer clusters. */
#define LOOK_BACK 1024

static bool is_control(enum model_break kind)
{
	return kind == MODEL_BREAK_CR || kind == MODEL_BREAK_LF || kind == MODEL_BREAK_CONTROL;
}

/* Hangul: keeps the parts of a syllable together. */
static bool syllable_holds(enum model_break left, enum model_break right)
{
	if (left == MODEL_BREAK_L)
		return right == MODEL_BREAK_L || right == MODEL_BREAK_V ||
		       right == MODEL_BREAK_LV || right == MODEL_BREAK_LVT;
	if (left == MODEL_BREAK_LV || left == MODEL_BREAK_V)
		return right == MODEL_BREAK_V || right == MODEL_BREAK_T;
	return (left == MODEL_BREAK_LVT || left == MODEL_BREAK_T) && right == MODEL_BREAK_T;
}

/* Returns whether the rules keep the next code point in the cluster. */
static bool holds(const struct model_cluster *cluster, unsigned props)
{
	enum model_break left = cluster->last;
	enum model_break right = model_props_break(props);

	if (left == MODEL_BREAK_CR && right == MODEL_BREAK_LF)
		return true;
	if (is_control(left) || is_control(right))
		return false;
	if (syllable_holds(left, right))
		return true;
	if (right == MODEL_BREAK_EXTEND || right == MODEL_BREAK_ZWJ ||
	    right == MODEL_BREAK_SPACING || left == MODEL_BREAK_PREPEND)
		return true;
	if (cluster->linked && (props & MODEL_CONSONANT))
		return true;
	if (cluster->picture_tail && left == MODEL_BREAK_ZWJ && (props & MODEL_PICTURE))
		return true;
	return cluster->regional_half && right == MODEL_BREAK_REGIONAL;
}

/* Records what the rules with a longer memory than one code point need. */
static void remember(struct model_cluster *cluster, uint32_t cp, unsigned props)
{
	enum model_break kind = model_props_break(props);
	bool extends = kind == MODEL_BREAK_EXTEND || kind == MODEL_BREAK_ZWJ;

	if (props & MODEL_PICTURE)
		cluster->picture_tail = true;
	else if (!extends || (kind == MODEL_BREAK_EXTEND && cluster->last == MODEL_BREAK_ZWJ))
		cluster->picture_tail = false;
	if (props & MODEL_CONSONANT) {
		cluster->conjunct = true;
		cluster->linked = false;
	} else if (cluster->conjunct && (props & MODEL_LINKER)) {
		cluster->linked = true;
	} else if (!extends || cp == 0x200C) {
		cluster->conjunct = false;
		cluster->linked = false;
	}
	cluster->regional_half = kind == MODEL_BREAK_REGIONAL && !cluster->regional_half;
}

static void widen(struct model_cluster *cluster, uint32_t cp, unsigned props)
{
	int width = model_props_width(props);
	bool keycap = cp == 0x20E3 && cluster->styled;
	bool style = cp == 0xFE0F && (cluster->last_props & MODEL_EMOJI_STYLE);
	bool digit = style && !(cluster->last_props & MODEL_PICTURE);

	if (!cluster->begun)
		cluster->picture = props & MODEL_PICTURE;
	if (keycap || (style && !digit))
		width = 2;
	if (cluster->picture || keycap)
		cluster->width = width > cluster->width ? width : cluster->width;
	else
		cluster->width += width;
	cluster->styled = digit;
}

bool model_cluster_take(struct model_cluster *cluster, uint32_t cp, unsigned props)
{
	if (cluster->begun && !holds(cluster, props))
		return false;
	remember(cluster, cp, props);
	widen(cluster, cp, props);
	cluster->begun = true;
	cluster->last = model_props_break(props);
	cluster->last_props = props;
	return true;
}

/* A printable ASCII character followed by ASCII is a cluster of its own. */
static bool is_plain(struct loom_str s, size_t at)
{
	unsigned char c = (unsigned char)s.p[at];

	return c >= 0x20 && c < 0x7F && (at + 1 == s.n || (unsigned char)s.p[at + 1] < 0x80);
}

int loom_grapheme_next(struct loom_str s, size_t *at)
{
	struct model_cluster cluster = {0};

	LOOM_ASSERT(*at < s.n);
	if (is_plain(s, *at)) {
		*at += 1;
		return 1;
	}
	while (*at < s.n) {
		size_t next = *at;
		uint32_t cp = loom_utf8_next(s, &next);

		if (!model_cluster_take(&cluster, cp, model_cp_props(cp)))
			break;
		*at = next;
	}
	LOOM_ASSERT(cluster.begun && cluster.width >= 0);
	return cluster.width;
}

/* Returns whether there is a boundary between two neighbours regardless of what came before. */
static bool sure_boundary(uint32_t left, uint32_t right)
{
	unsigned left_props = model_cp_props(left);
	unsigned right_props = model_cp_props(right);
	struct model_cluster cluster = {0};

	(void)model_cluster_take(&cluster, left, left_props);
	if (model_cluster_take(&cluster, right, right_props))
		return false;
	if (model_props_break(left_props) == MODEL_BREAK_ZWJ && (right_props & MODEL_PICTURE))
		return false;
	return !(right_props & MODEL_CONSONANT) || !loom_cp_is_mark(left);
}

size_t loom_grapheme_prev(struct loom_str s, size_t at)
{
	struct loom_str before = loom_str_sub(s, 0, at);
	size_t start = before.n;
	size_t from = 0;
	uint32_t right = loom_utf8_prev(before, &start);

	LOOM_ASSERT(at > 0 && at <= s.n);
	for (int i = 0; start > 0 && i < LOOK_BACK; i++) {
		size_t back = start;
		uint32_t left = loom_utf8_prev(before, &back);

		if (sure_boundary(left, right))
			break;
		right = left;
		start = back;
	}
	for (from = start; from < before.n;) {
		start = from;
		(void)loom_grapheme_next(before, &from);
	}
	LOOM_ASSERT(start < before.n);
	return start;
}

size_t loom_str_width(struct loom_str s)
{
	size_t width = 0;

	for (size_t at = 0; at < s.n;)
		width += (size_t)loom_grapheme_next(s, &at);
	return width;
}
