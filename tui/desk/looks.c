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
