/* The colours of the screen. */
#include <loom/desk/desk.h>
#include <loom/desk/looks.h>

void tui_use_theme(struct tui_app *app, const struct tui_theme *theme)
{
	app->theme = *theme;
	tui_theme_upon(&app->theme, app->ground);
	if (app->stage)
		tui_stage_theme(app->stage, &app->theme);
}

bool tui_try_theme(struct tui_app *app, struct loom_str name)
{
	struct tui_theme theme;

	if (tui_theme_named(name, &theme, NULL) != LOOM_OK)
		return false;
	if (strcmp(theme.name, app->theme.name) != 0)
		tui_use_theme(app, &theme);
	return true;
}

void tui_told_ground(struct tui_app *app, enum tui_background ground)
{
	struct tui_theme theme;

	if (app->ground_set || ground == app->ground ||
	    tui_theme_named(loom_str_of(app->theme.name), &theme, NULL) != LOOM_OK)
		return;
	app->ground = ground;
	tui_use_theme(app, &theme);
}

static const char *const grounds[] = {
	[TUI_BACKGROUND_TERMINAL] = "auto",
	[TUI_BACKGROUND_DARK] = "dark",
	[TUI_BACKGROUND_LIGHT] = "light",
};

const char *tui_ground_name(enum tui_background ground)
{
	return grounds[ground];
}

bool tui_ground_find(struct loom_str name, enum tui_background *out)
{
	for (size_t i = 0; i < LOOM_COUNT(grounds); i++)
		if (loom_str_is(name, grounds[i])) {
			*out = (enum tui_background)i;
			return true;
		}
	return false;
}
