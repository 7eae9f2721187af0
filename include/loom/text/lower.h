/* Lower case of code points, the same whatever locale the program runs in. */
#ifndef MODEL_LOWER_IMPL_H
#define MODEL_LOWER_IMPL_H

#include <loom/base/str.h>

struct model_lower {
	void *locale; /* a locale_t; NULL: only ASCII is folded */
};

/* Never fails: without the table only ASCII is folded. */
void model_lower_init(struct model_lower *lower);
/* Frees the table; then only ASCII is folded. */
void model_lower_fini(struct model_lower *lower);
/* The code point that stands for it, itself when there is none. */
uint32_t model_lower_cp(const struct model_lower *lower, uint32_t cp);
/* Appends `s` in lower case; bytes that are not UTF-8 stay. */
void model_lower_text(const struct model_lower *lower, struct loom_str s, struct loom_buf *out);

#endif
