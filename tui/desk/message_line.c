/* Messages in the bottom line: why a key did nothing, what failed, what was done. Each goes when it
 * has been read; the last ones are kept for the list of messages. */
#include <loom/desk/desk.h>

#define LEAST_MS 2500 /* the time to notice it */
#define BYTE_MS  60   /* and to read it */

void tui_hush(struct tui_app *app)
{
	loom_loop_timer_cancel(app->loop, app->message_timer);
	app->message_timer = 0;
	app->message.text[0] = '\0';
}

/* A question stays until it is answered. */
static void on_read(void *ctx)
{
	struct tui_app *app = ctx;

	app->message_timer = 0;
	if (app->asked)
		return;
	app->message.text[0] = '\0';
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void time_it(struct tui_app *app)
{
	const uint64_t ms = LEAST_MS + BYTE_MS * strlen(app->message.text);

	loom_loop_timer_cancel(app->loop, app->message_timer);
	app->message_timer = loom_loop_timer(app->loop, (int64_t)ms, on_read, app);
}

static void say(struct tui_app *app, enum tui_role role, const char *format, va_list args)
	LOOM_PRINTF(3, 0);

static void say(struct tui_app *app, enum tui_role role, const char *format, va_list args)
{
	struct tui_message *message = &app->message;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t n;

	loom_buf_addfv(&text, format, args);
	n = text.n < sizeof message->text ? text.n : sizeof message->text - 1;
	while (n < text.n && n > 0 && (text.p[n] & 0xc0) == 0x80)
		n--; /* do not split a character */
	memcpy(message->text, loom_buf_cstr(&text), n);
	message->text[n] = '\0';
	loom_buf_fini(&text);
	message->role = role;
	message->at = loom_env_now(app->env);
	time_it(app);
	if (role != TUI_ROLE_DIM)
		app->messages[app->message_count++ % TUI_MESSAGES] = *message;
}

void tui_say(struct tui_app *app, enum tui_role role, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(app, role, format, args);
	va_end(args);
}

void tui_stuck(struct tui_app *app, const char *format, ...)
{
	va_list args;

	app->stuck = true;
	va_start(args, format);
	say(app, TUI_ROLE_DIM, format, args);
	va_end(args);
}

/* Appends a hint as one types it here: what a shell calls `loom undo 8` is `:undo 8`. */
static void add_hint(const char *hint, struct loom_buf *out)
{
	static const struct loom_str program = LOOM_STR_INIT("loom ");
	struct loom_str rest = loom_str_of(hint);

	for (size_t at = 0; at < rest.n; at++) {
		const char before = at ? rest.p[at - 1] : ' ';
		const struct loom_str here = loom_str_sub(rest, at, rest.n);

		if ((before == ' ' || before == '`') && loom_str_starts(here, program) &&
		    here.n > program.n && here.p[program.n] >= 'a' && here.p[program.n] <= 'z') {
			loom_buf_addc(out, ':');
			at += program.n - 1;
		} else {
			loom_buf_addc(out, rest.p[at]);
		}
	}
}

bool tui_must(struct tui_app *app, enum loom_status status, const struct loom_err *err)
{
	struct loom_buf hint = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (status == LOOM_OK)
		return true;
	app->stuck = true;
	if (err)
		add_hint(err->hint, &hint);
	if (hint.n)
		tui_say(app, TUI_ROLE_ERROR, "%s · %s", err->text, loom_buf_cstr(&hint));
	else if (err)
		tui_say(app, TUI_ROLE_ERROR, "%s", err->text);
	loom_buf_fini(&hint);
	return false;
}
