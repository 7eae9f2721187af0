/* A text through one of the user's programs: `|` takes what `y` would copy, and the line behind the
 * colon says which program gets it. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>

#include <loom/commands/child_of_self.h>
#include <loom/commands/programs.h>
#include <loom/desk/copy.h>
#include <loom/desk/do_line.h>
#include <loom/desk/shell.h>
#include <loom/desk/subject.h>
#include <loom/writing/command_line.h>

#include "inside.h"

struct tui_piped {
	struct loom_buf text; /* of the row; empty: none was taken */
};

static void begin(struct tui_app *app)
{
	app->piped = loom_alloc(sizeof *app->piped);
	loom_buf_init(&app->piped->text, LOOM_BUF_MAX);
}

static void closed(struct tui_app *app)
{
	loom_buf_fini(&app->piped->text);
	free(app->piped);
	app->piped = NULL;
}

const struct tui_view tui_view_piped = {
	.told = {[TUI_TOLD_BEGIN] = begin, [TUI_TOLD_CLOSED] = closed},
};

TUI_DO(PIPE)
{
	(void)match;
	if (!loom_program_at(tui_config(app, NULL), 0)) {
		tui_stuck(app,
			  "you have no programs yet \xc2\xb7 :help programs says how to add one");
		return;
	}
	loom_buf_clear(&app->piped->text);
	tui_copy_to(app, &app->piped->text);
	tui_app_choose(app, TUI_ACTION_COPY);
	tui_copy_to(app, NULL);
	if (app->piped->text.n)
		tui_prompt_command(app, LOOM_STR("pipe "), SIZE_MAX);
}

bool tui_pipe_line(struct tui_app *app, struct loom_str line)
{
	struct loom_str with =
		loom_arena_format(app->arena, "%.*s -", LOOM_STR_ARG(loom_str_trim(line)));
	struct loom_buf text = app->piped->text;
	bool taken;

	loom_buf_init(&app->piped->text, LOOM_BUF_MAX);
	taken = text.n && loom_self_takes(app->arena, with)
			? tui_shell_line_with(app, loom_str_trim(line), loom_buf_str(&text))
			: tui_shell_line(app, line);
	loom_buf_fini(&text);
	return taken;
}

struct loom_str tui_pipe_spelled(struct tui_app *app, struct loom_str line)
{
	struct loom_str rest = line;
	struct loom_str word = {NULL, 0};

	if (!loom_str_cut(&rest, ' ', &word) || !loom_program_is_free(word) ||
	    !loom_program_find(tui_config(app, NULL), word))
		return LOOM_STR("");
	return loom_arena_format(app->arena, "pipe %.*s", LOOM_STR_ARG(line));
}
