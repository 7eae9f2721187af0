/* Unicode 15.0 for this room: properties of code points and the boundaries of clusters. */
#ifndef MODEL_UNICODE_IMPL_H
#define MODEL_UNICODE_IMPL_H

#include <loom/base/str.h>

/* The property bits of a code point; must match tests/gen-tables. */
enum {
	MODEL_BREAK_MASK = 15,      /* an enum model_break */
	MODEL_WIDTH_SHIFT = 4,      /* two bits: the width in cells */
	MODEL_NAMED = 1 << 6,       /* invisible, or with an invisible effect: displayed by name */
	MODEL_MARK = 1 << 7,        /* a combining mark (general category M) */
	MODEL_PICTURE = 1 << 8,     /* extended pictographic */
	MODEL_EMOJI_STYLE = 1 << 9, /* U+FE0F may follow */
	MODEL_JOINS = 1 << 10,      /* from a script whose letters need joiners */
	MODEL_CONSONANT = 1 << 11,  /* Indic conjuncts */
	MODEL_LINKER = 1 << 12,     /* their viramas */
	MODEL_RTL = 1 << 13,
	MODEL_TONE_BASE = 1 << 14, /* a skin tone may follow */
};

/* Grapheme_Cluster_Break */
enum model_break {
	MODEL_BREAK_OTHER,
	MODEL_BREAK_CR,
	MODEL_BREAK_LF,
	MODEL_BREAK_CONTROL,
	MODEL_BREAK_EXTEND,
	MODEL_BREAK_ZWJ,
	MODEL_BREAK_REGIONAL,
	MODEL_BREAK_PREPEND,
	MODEL_BREAK_SPACING,
	MODEL_BREAK_L,
	MODEL_BREAK_V,
	MODEL_BREAK_T,
	MODEL_BREAK_LV,
	MODEL_BREAK_LVT,
};

/* Returns the property bits of any value; LOOM_CP_BAD and values above U+10FFFF count as named
 * controls. */
unsigned model_cp_props(uint32_t cp);

static inline int model_props_width(unsigned props)
{
	return props >> MODEL_WIDTH_SHIFT & 3;
}

static inline enum model_break model_props_break(unsigned props)
{
	return (enum model_break)(props & MODEL_BREAK_MASK);
}

/* Returns whether an emoji sequence, without styles and skin tones, is listed as one emoji. */
bool model_zwj_listed(const uint32_t *cps, size_t count);

/* A cluster under construction: the state that the break rules and the width need. */
struct model_cluster {
	bool begun;
	bool picture;       /* its base is pictographic: what joins it adds no cells */
	bool picture_tail;  /* a picture and its extensions, then perhaps a joiner */
	bool conjunct;      /* a consonant awaits a virama */
	bool linked;        /* the virama has come */
	bool regional_half; /* a flag awaits its second letter */
	bool styled;        /* U+FE0F after a digit: a keycap makes it wide */
	enum model_break last;
	unsigned last_props;
	int width;
};

/* Adds the next code point to the cluster; false, adding nothing, if it begins another cluster. */
bool model_cluster_take(struct model_cluster *cluster, uint32_t cp, unsigned props);

#endif
