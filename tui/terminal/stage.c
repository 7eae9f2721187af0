/* The event loop. Invariants: `dirty` says that the grid no longer shows the state; a frame is
 * drawn only when no input is pending and the terminal has taken the last frame. Draws nothing
 * itself. */
#include <loom/terminal/stage.h>

#include <loom/terminal/screen.h>
#include "terminal.h"

#define FRAME_BYTES    ((size_t)32 << 20)
#define PASTE_GIVEN_UP 3000 /* ms of silence within a paste */
#define REPLY_WAIT     300  /* ms to wait for a reply that is on its way */
#define REPLY_GIVEN_UP 2000 /* ms after the question */

struct tui_stage {
	struct tui_screen screen;
	struct tui_term *term;
	struct tui_input input;
	struct tui_grid grid;
	struct loom_buf bytes;
	struct tui_stage_opts opts;
	struct tui_stage_ops ops;
	void *ctx;
	bool dirty, over;
	int64_t stream_at;  /* ms: when a streaming frame is due; 0: none */
	int64_t frame_at;   /* ms: when the last frame was made */
	int64_t opened_at;  /* ms */
	int64_t input_at;   /* ms: when input last came */
	uint64_t idle_told; /* the counters when idleness was last reported */
};

static int64_t now_ms(void)
{
	return loom_env_ticks() / 1000000;
}

static bool says_utf8(const char *locale)
{
	return locale && (strcasestr(locale, "utf-8") || strcasestr(locale, "utf8"));
}

static bool env_utf8(const struct loom_env *env)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < LOOM_COUNT(names); i++) {
		const char *value = loom_env_var(env, names[i]);
		if (value)
			return says_utf8(value);
	}
	return false;
}

static int env_number(const struct loom_env *env, const char *name, int otherwise)
{
	const char *value = loom_env_var(env, name);
	uint64_t n;

	if (!value || !loom_str_to_u64(loom_str_of(value), &n) || n > 60000)
		return otherwise;
	return (int)n;
}

struct tui_stage_opts tui_stage_opts_of(const struct loom_env *env)
{
	const char *colours = loom_env_var(env, "COLORTERM");
	const char *type = loom_env_var(env, "TERM");
	bool utf8 = env_utf8(env);

	return (struct tui_stage_opts){
		.in = 0,
		.out = 1,
		.type = type ? type : "dumb",
		.no_colour = loom_env_var(env, "NO_COLOR") != NULL,
		.truecolour = colours &&
			      (strcmp(colours, "truecolor") == 0 || strcmp(colours, "24bit") == 0),
		.utf8 = utf8,
		.ascii = !utf8,
		.mouse = true,
		.esc_ms = env_number(env, "ESCDELAY", TUI_ESC_MS),
		.idle_fd = env_number(env, "LOOM_TEST_FD", -1),
	};
}

static enum loom_status open_parts(struct tui_stage *stage, const struct tui_theme *theme,
				   struct loom_err *err)
{
	const struct tui_stage_opts *opts = &stage->opts;
	struct tui_screen_opts device = {.in = opts->in,
					 .out = opts->out,
					 .mouse = opts->mouse,
					 .idle_fd = opts->idle_fd};
	struct tui_term_opts term = {.type = opts->type,
				     .no_colour = opts->no_colour,
				     .truecolour = opts->truecolour,
				     .asks = true,
				     .utf8 = opts->utf8,
				     .hold = true};
	enum loom_status status;

	if (strcmp(opts->type, "dumb") == 0)
		return loom_fail(err, LOOM_REFUSED, "a \"dumb\" terminal cannot be drawn on");
	status = tui_screen_open(&stage->screen, &device, err);
	if (status != LOOM_OK)
		return status;
	tui_screen_size(&stage->screen, &term.w, &term.h);
	return tui_term_open(&stage->term, &term, theme, err);
}

enum loom_status tui_stage_open(struct tui_stage **out, const struct tui_stage_opts *opts,
				const struct tui_stage_ops *ops, void *ctx,
				const struct tui_theme *theme, struct loom_err *err)
{
	struct tui_stage *stage = loom_alloc(sizeof(*stage));
	enum loom_status status;

	stage->opts = *opts;
	stage->ops = *ops;
	stage->ctx = ctx;
	stage->dirty = true;
	stage->opened_at = now_ms();
	stage->screen.signal_fd = -1;
	tui_input_init(&stage->input);
	tui_grid_init(&stage->grid, opts->ascii);
	loom_buf_init(&stage->bytes, FRAME_BYTES);
	status = open_parts(stage, theme, err);
	*out = stage;
	if (status == LOOM_OK)
		return LOOM_OK;
	tui_stage_close(stage);
	*out = NULL;
	return status;
}

/* Takes pending replies before another program gets the terminal, which would read them as typed
 * keys. Keys typed meanwhile are dropped. */
static void take_replies(struct tui_stage *stage)
{
	int64_t until = now_ms() + REPLY_WAIT;
	struct tui_event event;

	if (until > stage->opened_at + REPLY_GIVEN_UP)
		return;
	while (tui_term_waits(stage->term) && now_ms() < until && !stage->screen.gone) {
		tui_screen_wait(&stage->screen, NULL, 0, (int)(until - now_ms()));
		loom_buf_clear(&stage->bytes);
		if (!tui_screen_read(&stage->screen, &stage->bytes))
			return;
		tui_input_feed(&stage->input, loom_buf_str(&stage->bytes));
		while (tui_input_next(&stage->input, false, &event))
			if (event.kind == TUI_EVENT_REPLY)
				tui_term_reply(stage->term, event.text);
	}
}

void tui_stage_close(struct tui_stage *stage)
{
	if (!stage)
		return;
	if (stage->term && stage->screen.up)
		take_replies(stage);
	loom_buf_clear(&stage->bytes);
	tui_term_close(stage->term, &stage->bytes);
	tui_screen_close(&stage->screen, loom_buf_str(&stage->bytes));
	tui_input_fini(&stage->input);
	tui_grid_fini(&stage->grid);
	loom_buf_fini(&stage->bytes);
	free(stage);
}

/* --- one turn of the loop --- */

static void leave(struct tui_stage *stage)
{
	if (!stage->over && stage->ops.leave)
		stage->ops.leave(stage->ctx);
	stage->over = true;
}

static void stop(struct tui_stage *stage)
{
	take_replies(stage);
	loom_buf_clear(&stage->bytes);
	tui_term_leave(stage->term, &stage->bytes);
	tui_screen_stop(&stage->screen, loom_buf_str(&stage->bytes));
	stage->dirty = true;
}

static void interrupt(struct tui_stage *stage)
{
	struct tui_event event = {.kind = TUI_EVENT_KEY, .key = {'c', TUI_KEY_CTRL}};

	tui_input_abandon(&stage->input);
	stage->ops.event(stage->ctx, &event);
	stage->dirty = true;
}

static void take_signals(struct tui_stage *stage)
{
	unsigned set = tui_screen_signals(&stage->screen);

	if (set & TUI_SIGNAL_INTERRUPT)
		interrupt(stage);
	if (set & TUI_SIGNAL_STOP)
		stop(stage);
	if (set & TUI_SIGNAL_CONTINUE)
		tui_stage_redraw(stage);
	if (set & TUI_SIGNAL_RESIZE)
		stage->dirty = true;
	if (set & (TUI_SIGNAL_LEAVE | TUI_SIGNAL_HANGUP))
		leave(stage);
}

static void take_events(struct tui_stage *stage, bool flush)
{
	struct tui_event event;

	while (!stage->over && tui_input_next(&stage->input, flush, &event)) {
		if (event.kind == TUI_EVENT_NONE)
			continue;
		if (event.kind == TUI_EVENT_REPLY)
			tui_term_reply(stage->term, event.text);
		stage->ops.event(stage->ctx, &event);
		stage->dirty = true;
	}
}

static void take_input(struct tui_stage *stage)
{
	int64_t now = now_ms();
	int64_t silent;

	loom_buf_clear(&stage->bytes);
	if (!tui_screen_read(&stage->screen, &stage->bytes))
		leave(stage);
	if (stage->bytes.n > 0)
		stage->input_at = now;
	silent = now - stage->input_at;
	tui_input_feed(&stage->input, loom_buf_str(&stage->bytes));
	if (stage->input.pasting && silent >= PASTE_GIVEN_UP)
		tui_input_abandon(&stage->input);
	take_events(stage, tui_input_waiting(&stage->input) && silent >= stage->opts.esc_ms);
}

static bool frame_due(const struct tui_stage *stage, int64_t now)
{
	return stage->dirty || (stage->stream_at > 0 && now >= stage->stream_at);
}

static void frame(struct tui_stage *stage)
{
	int64_t now = now_ms();
	int w, h;

	if (!frame_due(stage, now) || tui_screen_busy(&stage->screen))
		return;
	tui_screen_size(&stage->screen, &w, &h);
	tui_grid_reset(&stage->grid, w, h);
	stage->ops.draw(stage->ctx, &stage->grid);
	loom_buf_clear(&stage->bytes);
	tui_term_frame(stage->term, &stage->grid, &stage->bytes);
	tui_screen_write(&stage->screen, loom_buf_str(&stage->bytes));
	stage->dirty = false;
	stage->stream_at = 0;
	stage->frame_at = now;
}

/* True when only an outside event can change anything. */
static bool idle(const struct tui_stage *stage)
{
	return !stage->dirty && stage->stream_at == 0 && !tui_screen_busy(&stage->screen) &&
	       !tui_input_waiting(&stage->input) &&
	       !(stage->ops.busy && stage->ops.busy(stage->ctx));
}

static void tell_idle(struct tui_stage *stage)
{
	uint64_t known =
		stage->screen.bytes_in + stage->screen.bytes_out + stage->screen.signals + 1;

	if (!idle(stage) || known == stage->idle_told)
		return;
	stage->idle_told = known;
	tui_screen_idle(&stage->screen);
}

static void lower(int *timeout, int64_t ms)
{
	int bounded = ms < 0 ? 0 : ms > 60000 ? 60000 : (int)ms;

	if (*timeout < 0 || bounded < *timeout)
		*timeout = bounded;
}

static void wait_for_something(struct tui_stage *stage)
{
	struct pollfd fds[TUI_STAGE_FDS];
	int64_t now = now_ms();
	int timeout = -1;
	size_t n = 0;

	if (stage->ops.fds)
		n = stage->ops.fds(stage->ctx, fds, TUI_STAGE_FDS, &timeout);
	if (tui_input_waiting(&stage->input))
		lower(&timeout, stage->input_at + stage->opts.esc_ms - now);
	if (stage->input.pasting)
		lower(&timeout, stage->input_at + PASTE_GIVEN_UP - now);
	if (stage->stream_at > 0 && !tui_screen_busy(&stage->screen))
		lower(&timeout, stage->stream_at - now);
	if (stage->dirty && !tui_screen_busy(&stage->screen))
		timeout = 0;
	tui_screen_wait(&stage->screen, fds, n, timeout);
	if (stage->ops.ready)
		stage->ops.ready(stage->ctx, fds, n);
}

void tui_stage_run(struct tui_stage *stage)
{
	while (!stage->over) {
		frame(stage);
		tell_idle(stage);
		wait_for_something(stage);
		take_signals(stage);
		take_input(stage);
	}
}

/* --- for the program on the stage */

void tui_stage_quit(struct tui_stage *stage)
{
	stage->over = true;
}

void tui_stage_dirty(struct tui_stage *stage)
{
	stage->dirty = true;
}

void tui_stage_stream(struct tui_stage *stage)
{
	if (stage->stream_at == 0)
		stage->stream_at = stage->frame_at + TUI_STREAM_MS;
}

void tui_stage_redraw(struct tui_stage *stage)
{
	tui_term_redraw(stage->term);
	stage->dirty = true;
}

void tui_stage_theme(struct tui_stage *stage, const struct tui_theme *theme)
{
	tui_term_theme(stage->term, theme);
	stage->dirty = true;
}

void tui_stage_mouse(struct tui_stage *stage, bool on)
{
	tui_screen_mouse(&stage->screen, on);
}

void tui_stage_send(struct tui_stage *stage, struct loom_str bytes)
{
	tui_screen_write(&stage->screen, bytes);
}

void tui_stage_lend(struct tui_stage *stage)
{
	take_replies(stage);
	loom_buf_clear(&stage->bytes);
	tui_term_leave(stage->term, &stage->bytes);
	tui_screen_leave(&stage->screen, loom_buf_str(&stage->bytes));
}

void tui_stage_take_back(struct tui_stage *stage)
{
	tui_screen_enter(&stage->screen);
	tui_stage_redraw(stage);
}
