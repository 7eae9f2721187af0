/* Commands of the command line, typed after the colon: runs the program as a child beside the loop
 * and shows its output. One at a time; Esc ends it. */
#include <loom/desk/desk.h>

#include <loom/commands/child_of_self.h>
#include <loom/text/sanitise.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/keep_place.h>
#include <loom/desk/others.h>
#include <loom/desk/shell.h>
#include <loom/desk/workers.h>

#define SLOW_MS 300

struct tui_shell {
	struct loom_self *self;
	struct loom_buf line;
	uint64_t timer;
	bool enters; /* enter the tree it makes */
};

static void forget(struct tui_app *app)
{
	struct tui_shell *shell = app->shell;

	app->shell = NULL;
	tui_look_ends(app);
	loom_loop_timer_cancel(app->loop, shell->timer);
	loom_buf_fini(&shell->line);
	free(shell);
}

static void end(struct tui_app *app)
{
	if (!app->shell)
		return;
	loom_self_stop(app->shell->self);
	forget(app);
}

static bool stop(struct tui_app *app)
{
	if (!app->shell)
		return false;
	end(app);
	tui_say(app, TUI_ROLE_WARN, "stopped");
	return true;
}

const struct tui_view tui_view_shell = {.stop = stop, .told = {[TUI_TOLD_ENDING] = end}};

/* A single line becomes a message, more becomes a text to read. */
static void show(struct tui_app *app, struct loom_str line, enum tui_role role,
		 struct loom_str text)
{
	struct loom_str rest = loom_str_trim(text);
	struct loom_str first;

	if (rest.n == 0) {
		tui_say(app, TUI_ROLE_OK, "%.*s: done", LOOM_STR_ARG(line));
		return;
	}
	if (role == TUI_ROLE_OK && loom_str_find_char(rest, '\n', 0) != SIZE_MAX) {
		tui_text_open(app, line, rest);
		return;
	}
	tui_say(app, role, "%s", "");
	while (loom_str_line(&rest, &first)) {
		first = loom_str_trim(first);
		if (first.n)
			tui_say(app, role, "%s%s%.*s", app->message.text,
				app->message.text[0] ? " \xc2\xb7 " : "", LOOM_STR_ARG(first));
	}
}

/* Enters the tree whose id is the whole output. */
static bool enter(struct tui_app *app, struct loom_str id)
{
	struct loom_tree tree;

	if (loom_tree_find(app->store, loom_str_trim(id), app->arena, &tree, NULL) != LOOM_OK ||
	    !tui_app_tree(app, tree.id))
		return false;
	tui_keep_position(app);
	tui_say_new_tree(app);
	return true;
}

static void done(void *ctx, int status, struct loom_str out, struct loom_str said)
{
	struct tui_app *app = ctx;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	bool enters = app->shell->enters && status == 0;

	loom_buf_add(&line, loom_buf_str(&app->shell->line));
	loom_buf_add(&text, status > 1 || !out.n ? said : out);
	forget(app);
	tui_news_look(app);
	tui_hush(app);
	if (!enters || !enter(app, loom_buf_str(&text)))
		show(app, loom_buf_str(&line),
		     status && (status > 1 || !out.n) ? TUI_ROLE_ERROR : TUI_ROLE_OK,
		     loom_buf_str(&text));
	loom_buf_fini(&text);
	loom_buf_fini(&line);
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void say_slow(void *ctx)
{
	struct tui_app *app = ctx;

	app->shell->timer = 0;
	tui_say(app, TUI_ROLE_RUNNING, "%s \xc2\xb7 Esc stops", loom_buf_cstr(&app->shell->line));
	if (app->stage)
		tui_stage_dirty(app->stage);
}

bool tui_shell_line(struct tui_app *app, struct loom_str line)
{
	return tui_shell_line_with(app, line, LOOM_STR(""));
}

bool tui_shell_line_with(struct tui_app *app, struct loom_str line, struct loom_str input)
{
	char tree[LOOM_ULID_CHARS + 1];
	struct loom_self_opts opts = {.loop = app->loop,
				      .program = app->program,
				      .grove = loom_buf_cstr(&app->dir),
				      .tree = app->tree.id ? tree : NULL,
				      .line = input.n ? loom_arena_format(app->arena, "%.*s -",
									  LOOM_STR_ARG(line))
						      : line,
				      .input = input,
				      .done = done,
				      .ctx = app};
	struct loom_self *self = NULL;
	struct loom_err err;

	if (!app->program || !loom_self_command(line))
		return false;
	if (app->shell) {
		tui_say(app, TUI_ROLE_WARN, "%s is still running \xc2\xb7 Esc stops it",
			loom_buf_cstr(&app->shell->line));
		return true;
	}
	/* The child must see the position that is on the screen. */
	tui_keep_now(app);
	loom_ulid_text(&app->tree.ulid, tree);
	if (!tui_must(app, loom_self_start(&opts, &self, &err), &err))
		return true;
	app->shell = loom_alloc(sizeof *app->shell);
	app->shell->self = self;
	loom_buf_init(&app->shell->line, LOOM_BUF_MAX);
	loom_buf_add(&app->shell->line, line);
	app->shell->timer = loom_loop_timer(app->loop, SLOW_MS, say_slow, app);
	tui_look_begins(app);
	return true;
}

bool tui_shell_new(struct tui_app *app, struct loom_str rest)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct tui_shell *before = app->shell;
	bool taken;

	loom_buf_adds(&line, "new ");
	loom_buf_add(&line, rest);
	taken = tui_shell_line(app, loom_buf_str(&line));
	if (taken && app->shell && app->shell != before)
		app->shell->enters = true;
	loom_buf_fini(&line);
	return taken;
}
