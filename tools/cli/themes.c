/* The built-in themes, from the table that the build generates. */
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
