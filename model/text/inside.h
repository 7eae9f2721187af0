/* What the room knows of Unicode 15.0: properties of code points, and where clusters end. */
#ifndef MODEL_UNICODE_IMPL_H
#define MODEL_UNICODE_IMPL_H

#include <loom/base/str.h>

/* The bits of a code point; tests/gen-tables writes the same. */
enum {
	MODEL_BREAK_MASK = 15,  /* an enum model_break */
	MODEL_WIDTH_SHIFT = 4,  /* two bits of cells */
	MODEL_NAMED = 1 << 6,   /* a reader could not see it, or what it does: shown by its name */
	MODEL_MARK = 1 << 7,    /* a combining mark (general category M) */
	MODEL_PICTURE = 1 << 8, /* extended pictographic */
	MODEL_EMOJI_STYLE = 1 << 9, /* U+FE0F may stand behind it */
	MODEL_JOINS = 1 << 10,      /* of a script whose letters need joiners between them */
	MODEL_CONSONANT = 1 << 11,  /* Indic conjuncts */
	MODEL_LINKER = 1 << 12,     /* their viramas */
	MODEL_RTL = 1 << 13,
	MODEL_TONE_BASE = 1 << 14, /* a skin tone may stand behind it */
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

/* The bits of any value; LOOM_CP_BAD and what lies above U+10FFFF count as a named control. */
unsigned model_cp_props(uint32_t cp);

static inline int model_props_width(unsigned props)
{
	return props >> MODEL_WIDTH_SHIFT & 3;
}

static inline enum model_break model_props_break(unsigned props)
{
	return (enum model_break)(props & MODEL_BREAK_MASK);
}

/* Whether joined emoji, written without styles and skin tones, are listed as one picture. */
bool model_zwj_listed(const uint32_t *cps, size_t count);

/* A cluster in the making: what the break rules and the width must remember of it. */
struct model_cluster {
	bool begun;
	bool picture;       /* its base is pictographic: what joins adds no cells */
	bool picture_tail;  /* a picture, its extensions, then perhaps a joiner */
	bool conjunct;      /* a consonant is waiting for a virama */
	bool linked;        /* and has got it */
	bool regional_half; /* a flag lacks its second letter */
	bool styled;        /* U+FE0F behind a digit: becomes wide with a keycap */
	enum model_break last;
	unsigned last_props;
	int width;
};

/* Takes the next code point into the cluster; false (and nothing taken) when it begins another. */
bool model_cluster_take(struct model_cluster *cluster, uint32_t cp, unsigned props);

#endif
