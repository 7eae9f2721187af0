/* The built-in themes, from the table that the build generates, and the presets of keys. */
#include <loom/cli/themes.h>

bool loom_theme_at(size_t i, const char **name, struct loom_str *json)
{
	size_t count = 0;

	while (loom_theme_files[count].name)
		count++;
	if (i >= count)
		return false;
	*name = loom_theme_files[i].name;
	*json = loom_str_make((const char *)loom_theme_files[i].text, loom_theme_files[i].n);
	return true;
}

static const struct {
	const char *name;
	const char *about;
	const char *json;
} presets[] = {
#define LOOM_PRESET(name_, about_, json_) {name_, about_, json_},
#include <loom/presets.def>
};

bool loom_preset_at(size_t i, const char **name, const char **about, struct loom_str *json)
{
	if (i >= LOOM_COUNT(presets))
		return false;
	*name = presets[i].name;
	*about = presets[i].about;
	*json = loom_str_of(presets[i].json);
	return true;
}
