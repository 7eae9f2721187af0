/* Lower-cases code points, independently of the program's locale. */
#ifndef MODEL_LOWER_IMPL_H
#define MODEL_LOWER_IMPL_H

#include <loom/base/str.h>

struct model_lower {
	void *locale; /* a locale_t; NULL: fold only ASCII */
};

/* Loads the table. Never fails: without a table only ASCII is folded. Freed by model_lower_fini. */
void model_lower_init(struct model_lower *lower);
/* Frees the table; after that only ASCII is folded. */
void model_lower_fini(struct model_lower *lower);
/* Returns the lower case of `cp`, or `cp` itself if it has none. */
uint32_t model_lower_cp(const struct model_lower *lower, uint32_t cp);
/* Appends `s` in lower case; invalid UTF-8 stays as it is. */
void model_lower_text(const struct model_lower *lower, struct loom_str s, struct loom_buf *out);

#endif
