/* How many tokens a text has in a vocabulary that nobody has shown us: estimated by kinds of bytes,
 * corrected by each count that a server reports. Pure. */
#ifndef LOOM_DENSITY_H
#define LOOM_DENSITY_H

#include <loom/base/str.h>

/* Kinds of text, each with its own length of a token: id, name in the file, bytes per token as long
 * as nothing is known (low, so that the estimate is high). */
#define LOOM_TEXT_KINDS(X)                                                                         \
	X(LETTERS, "letters", 4.0)                                                                 \
	X(DIGITS, "digits", 1.5)                                                                   \
	X(POINTS, "points", 1.5)                                                                   \
	X(BLANKS, "blanks", 4.0)                                                                   \
	X(HAN, "han", 2.0)                                                                         \
	X(CYRILLIC, "cyrillic", 3.0)                                                               \
	X(OTHER, "other", 2.0)

enum loom_text_kind {
#define X(id, name, bytes) LOOM_TEXT_##id,
	LOOM_TEXT_KINDS(X)
#undef X
		LOOM_TEXT_KIND_COUNT
};

struct loom_density {
	double tokens[LOOM_TEXT_KIND_COUNT]; /* per byte of the kind; 0: unknown */
	double seen[LOOM_TEXT_KIND_COUNT];   /* bytes of the kind in counted texts */
};

/* The bytes of a text by kind. */
struct loom_text_mix {
	double bytes[LOOM_TEXT_KIND_COUNT];
};

/* Adds a text's bytes by kind. */
void loom_text_mix_add(struct loom_text_mix *mix, struct loom_str text);
/* Returns an estimate of the mix's tokens. */
double loom_density_tokens(const struct loom_density *density, const struct loom_text_mix *mix);
/* Corrects the density by a text that was counted. */
void loom_density_learn(struct loom_density *density, const struct loom_text_mix *mix,
			double tokens);
/* Returns whether nothing was ever counted. */
bool loom_density_empty(const struct loom_density *density);

#endif
