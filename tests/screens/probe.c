/* A program that does nothing but show what the terminal tells it: for tests of the foundation.
 * Keys: q quits, S crashes, A aborts, X exits without closing, F has a fork of it crash, w writes
 * what is difficult. */
#include <sys/wait.h>
#include <unistd.h>

#include <loom/base/env.h>

#include <loom/terminal/layout.h>
#include <loom/terminal/stage.h>

struct probe {
	struct tui_stage *stage;
	struct loom_buf log; /* events, a line each */
	int events;
	bool difficult;
	bool left;
	bool no_mouse;
};

static void add_event(struct probe *probe, const struct tui_event *event)
{
	struct loom_buf *log = &probe->log;

	loom_buf_addf(log, "%d ", ++probe->events);
	if (event->kind == TUI_EVENT_KEY)
		tui_key_spell(event->key, log);
	else if (event->kind == TUI_EVENT_PASTE)
		loom_buf_addf(log, "paste of %zu bytes: %.*s", event->text.n,
			      LOOM_STR_ARG(loom_str_sub(event->text, 0, 20)));
	else if (event->kind == TUI_EVENT_MOUSE)
		loom_buf_addf(log, "mouse %d,%d", event->mouse.x, event->mouse.y);
	else if (event->kind == TUI_EVENT_FOCUS)
		loom_buf_adds(log, event->focused ? "focus" : "no focus");
	else
		loom_buf_addf(log, "reply %.*s", LOOM_STR_ARG(event->text));
	loom_buf_addc(log, '\n');
}

static void crash(uint32_t key)
{
	/* no page is there; read from memory, so that no compiler knows */
	volatile uintptr_t address = 64;
	volatile int *nowhere = (volatile int *)address;

	if (key == 'S')
		*nowhere = 1;
	if (key == 'A')
		abort();
	if (key == 'X')
		exit(3);
}

/* Forks a child that crashes, as the reader of untrusted input may. */
static void crash_fork(void)
{
	pid_t child = fork();

	if (child == 0) {
		/* what a sanitizer says of it would stand on the screen */
		(void)!freopen("/dev/null", "w", stderr);
		crash('S');
	}
	waitpid(child, NULL, 0);
}

static void on_event(void *ctx, const struct tui_event *event)
{
	struct probe *probe = ctx;

	add_event(probe, event);
	if (event->kind != TUI_EVENT_KEY || event->key.mods)
		return;
	crash(event->key.code);
	if (event->key.code == 'F')
		crash_fork();
	if (event->key.code == 'q')
		tui_stage_quit(probe->stage);
	if (event->key.code == 'w')
		probe->difficult = !probe->difficult;
	if (event->key.code == 'm')
		tui_stage_mouse(probe->stage, (probe->no_mouse = !probe->no_mouse) == false);
}

static void draw_difficult(struct tui_grid *grid, struct tui_rect rect)
{
	static const char *const lines[] = {
		"family \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7 "
		"end",
		"heart \xe2\x9d\xa4\xef\xb8\x8f end, flag \xf0\x9f\x87\xa9\xf0\x9f\x87\xaa end",
		"e\xcc\x81 \xe6\xbc\xa2\xe5\xad\x97 \xe0\xb8\x81\xe0\xb8\xb3 end",
		"\x1b[2J\x07\r\xe2\x80\xae reversed \xc2\x9b"
		"31m \xff end",
	};
	struct tui_pen pen = tui_pen_make(grid, rect, TUI_INK(TEXT));

	for (int i = 0; i < (int)LOOM_COUNT(lines); i++) {
		tui_pen_to(&pen, 0, i);
		tui_pen_puts(&pen, lines[i]);
	}
}

static void draw_log(const struct probe *probe, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_pen pen = tui_pen_make(grid, rect, TUI_INK(MODEL));
	struct loom_str rest = loom_buf_str(&probe->log);
	struct loom_str line;
	int skip = probe->events - rect.h;
	int y = 0;

	while (rest.n > 0 && loom_str_line(&rest, &line)) {
		if (skip-- > 0)
			continue;
		tui_pen_to(&pen, 0, y++);
		tui_pen_text(&pen, line);
	}
}

static void on_draw(void *ctx, struct tui_grid *grid)
{
	const struct probe *probe = ctx;
	struct tui_layout_opts opts = {.w = grid->w, .h = grid->h, .focus = TUI_PANE_READER};
	struct tui_layout made = tui_layout_make(&opts);
	struct tui_pen pen = tui_pen_make(grid, made.status, TUI_INK(STRONG));

	tui_layout_draw(grid, &made, TUI_PANE_READER);
	tui_pen_format(&pen, "%dx%d, %d events ", grid->w, grid->h, probe->events);
	if (probe->difficult)
		draw_difficult(grid, made.panes[TUI_PANE_READER]);
	else
		draw_log(probe, grid, made.panes[TUI_PANE_READER]);
	grid->cursor_x = made.panes[TUI_PANE_READER].x;
	grid->cursor_y = made.panes[TUI_PANE_READER].y;
	grid->cursor_shown = true;
}

static void on_leave(void *ctx)
{
	((struct probe *)ctx)->left = true;
}

int main(void)
{
	static const struct tui_stage_ops ops = {.event = on_event,
						 .draw = on_draw,
						 .leave = on_leave};
	struct probe probe = {.log = LOOM_BUF_INIT(1 << 24)};
	struct tui_theme theme;
	struct loom_env env;
	struct loom_err err;
	struct tui_stage_opts opts;

	if (loom_env_init(&env, &err) != LOOM_OK ||
	    tui_theme_named(LOOM_STR("default"), &theme, &err) != LOOM_OK)
		return 2;
	opts = tui_stage_opts_of(&env);
	if (tui_stage_open(&probe.stage, &opts, &ops, &probe, &theme, &err) != LOOM_OK) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	tui_stage_run(probe.stage);
	tui_stage_close(probe.stage);
	printf("%s after %d events\n", probe.left ? "saved" : "quit", probe.events);
	loom_buf_fini(&probe.log);
	return 0;
}
