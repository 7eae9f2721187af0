/* The themes that came with the program, as text; what they mean is the screen's business. */
#ifndef LOOM_THEMES_H
#define LOOM_THEMES_H

#include <loom/base/base.h>
#include <loom/base/str.h>

/* Generated from themes/ by the build; ends with a name of NULL. */
struct loom_theme_file {
	const char *name;
	const unsigned char *text; /* JSON */
	size_t n;
};
extern const struct loom_theme_file loom_theme_files[];

/* Name and text of the i-th; false behind the last. */
bool loom_theme_at(size_t i, const char **name, struct loom_str *json);

#endif
