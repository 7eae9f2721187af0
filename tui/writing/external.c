/* The user's own editor: it gets the terminal, and what it saves becomes the text being written. No
 * text is lost: when the editor fails or saves nothing, nothing changes. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>

#include <loom/cli/editor.h>
#include <loom/writing/external.h>
#include <loom/writing/text_editor.h>

#define EDITED_MAX ((size_t)64 << 20)

/* Editors add a line end to the last line; drop it if the text had none. */
static struct loom_str without_added_end(struct loom_str edited, struct loom_str before)
{
	if (loom_str_ends(edited, LOOM_STR("\n")) && !loom_str_ends(before, LOOM_STR("\n")))
		edited.n--;
	return edited;
}

/* Whether the editor changed the text. */
static bool is_another(struct tui_app *app, struct loom_str edited, struct loom_str before)
{
	if (loom_str_eq(without_added_end(edited, before), before)) {
		tui_say(app, TUI_ROLE_DIM, "the editor changed nothing");
		return false;
	}
	if (!loom_str_trim(edited).n) {
		tui_say(app, TUI_ROLE_WARN, "the editor saved nothing: the text is unchanged");
		return false;
	}
	return true;
}

bool tui_editor(struct tui_app *app, struct loom_str before, struct loom_buf *out)
{
	struct loom_err err;
	enum loom_status status;

	if (!app->stage) {
		tui_stuck(app, "there is no terminal for an editor");
		return false;
	}
	tui_stage_lend(app->stage);
	status = loom_editor_run(app->env, before, out, &err);
	tui_stage_take_back(app->stage);
	return tui_must(app, status, &err) && is_another(app, loom_buf_str(out), before);
}

void tui_external(struct tui_app *app)
{
	struct loom_buf text = LOOM_BUF_INIT(EDITED_MAX);
	bool began = !app->writing;

	if (began)
		tui_write_edit(app, 0);
	if (!app->writing)
		return;
	if (tui_editor(app, tui_write_text(app), &text))
		tui_write_set(app, without_added_end(loom_buf_str(&text), tui_write_text(app)));
	else if (began)
		tui_write_close(app);
	loom_buf_fini(&text);
}

TUI_DO(EXTERNAL)
{
	tui_external(app);
}
