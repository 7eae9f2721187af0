/* Finds the function for a command: asks the views from front to back and takes the first meaning.
 * The program passes in the tables of views and functions. */
#include <loom/desk/desk.h>

const struct tui_view *tui_view_in_front(const struct tui_app *app)
{
	for (const struct tui_view *const *view = app->views; *view; view++)
		if ((*view)->keys && (*view)->there(app))
			return *view;
	return NULL;
}

enum tui_keyview tui_app_keyview(const struct tui_app *app)
{
	const struct tui_view *view = tui_view_in_front(app);

	return view ? view->keys(app) : TUI_KEYVIEW_NAV;
}

bool tui_means(const struct tui_meaning *rows, struct tui_app *app, const struct tui_match *match)
{
	for (; rows && rows->command; rows++)
		if (rows->command == match->binding->command && rows->means(app, match, rows->by))
			return true;
	return false;
}

bool tui_row_does(struct tui_app *app, const struct tui_match *match, enum tui_keyview view)
{
	const enum tui_command command = match->binding->command;

	if (!app->does[command] || tui_command_view(command) != view)
		return false;
	app->does[command](app, match);
	return true;
}

void tui_nothing_here(struct tui_app *app, const struct tui_match *match)
{
	tui_stuck(app, "%s does nothing here", tui_command_info(match->binding->command)->name);
}

void tui_app_command(struct tui_app *app, const struct tui_match *match)
{
	for (const struct tui_view *const *view = app->views; *view; view++)
		if ((*view)->command && (!(*view)->there || (*view)->there(app)) &&
		    (*view)->command(app, match))
			return;
	tui_nothing_here(app, match);
}

void tui_app_line(struct tui_app *app, const char *line)
{
	const struct tui_binding binding = {.line = (char *)(uintptr_t)line};

	tui_app_command(app, &(struct tui_match){.binding = &binding});
}

void tui_app_choose(struct tui_app *app, enum tui_command command)
{
	const struct tui_binding binding = {.command = command};

	tui_app_command(app, &(struct tui_match){.binding = &binding});
}

void tui_tell(struct tui_app *app, enum tui_told what)
{
	for (const struct tui_view *const *view = app->views; *view; view++)
		if ((*view)->told[what])
			(*view)->told[what](app);
}

void tui_text_open(struct tui_app *app, struct loom_str title, struct loom_str text)
{
	for (const struct tui_view *const *view = app->views; *view; view++)
		if ((*view)->show && (*view)->show(app, title, text))
			return;
}
