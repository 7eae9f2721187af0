/* The built-in themes and presets of keys as text. The screen interprets them. */
#ifndef LOOM_THEMES_H
#define LOOM_THEMES_H

#include <loom/base/base.h>
#include <loom/base/str.h>

/* Generated from themes/ by the build; the last one has the name NULL. */
struct loom_theme_file {
	const char *name;
	const unsigned char *text; /* JSON */
	size_t n;
};
extern const struct loom_theme_file loom_theme_files[];

/* The name and text of the theme at index `i`; false after the last. */
bool loom_theme_at(size_t i, const char **name, struct loom_str *json);
/* The preset of keys at index `i`, and what it is; false after the last. */
bool loom_preset_at(size_t i, const char **name, const char **about, struct loom_str *json);

#endif
