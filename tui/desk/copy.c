/* Copies text to the terminal's clipboard and reports what had to be replaced. */
#include <loom/desk/desk.h>

#include <loom/terminal/clip.h>
#include <loom/desk/copy.h>

void tui_copy(struct tui_app *app, struct loom_str text, const char *what)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf said = LOOM_BUF_INIT(256);
	size_t named = 0;

	if (app->copies_to) {
		loom_buf_clear(app->copies_to);
		loom_buf_add(app->copies_to, text);
		return;
	}
	if (!tui_clip(text, &out, &named)) {
		tui_say(app, TUI_ROLE_WARN,
			"%s is too long for the clipboard \xc2\xb7 "
			":export --path NODE -o FILE",
			what);
		loom_buf_fini(&out);
		return;
	}
	if (app->stage)
		tui_stage_send(app->stage, loom_buf_str(&out));
	loom_buf_addf(&said, "%s copied to the clipboard (%zu bytes", what, text.n);
	if (named)
		loom_buf_addf(&said, "; %zu %s shown by name", named,
			      loom_plural((int64_t)named, "control", "controls"));
	tui_say(app, TUI_ROLE_OK, "%s)", loom_buf_cstr(&said));
	loom_buf_fini(&said);
	loom_buf_fini(&out);
}

void tui_copy_to(struct tui_app *app, struct loom_buf *taken)
{
	app->copies_to = taken;
}
