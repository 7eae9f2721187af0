/* A person's own editor: the terminal is lent to it, and what it leaves is a text being written. */
#include "app_impl.h"

#include <loom/editor.h>

#define EDITED_MAX ((size_t)64 << 20)

void tui_external(struct tui_app *app)
{
	struct loom_buf text = LOOM_BUF_INIT(EDITED_MAX);
	struct loom_err err;
	enum loom_status status;

	if (!app->stage)
		return;
	if (!app->writing)
		tui_write_edit(app, 0);
	if (!app->writing)
		return;
	tui_stage_lend(app->stage);
	status = loom_editor_run(app->env, tui_write_text(app), &text, &err);
	tui_stage_take_back(app->stage);
	if (tui_must(app, status, &err))
		tui_write_set(app, loom_buf_str(&text));
	loom_buf_fini(&text);
}
