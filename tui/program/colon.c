/* Lines after the colon: verbs, run as any agent's line is, and the few words about the screen and
 * the grove. */
#include <loom/desk/desk.h>

#include <loom/cli/cli.h>
#include <loom/cli/themes.h>

#include <loom/project/import_view.h>
#include <loom/project/inspector.h>
#include <loom/lists/list.h>
#include <loom/desk/do_line.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/keep_place.h>
#include <loom/desk/looks.h>
#include <loom/desk/others.h>
#include <loom/language/registry.h>
#include <loom/desk/screen_gate.h>
#include <loom/desk/shell.h>
#include <loom/desk/workers.h>

#include "inside.h"

struct making {
	bool buffer;
	int64_t tree; /* that it made */
};

static enum loom_status write_tree(struct loom_store *store, struct tui_job *job,
				   struct loom_err *err)
{
	struct making *making = job->own;
	struct loom_tree_spec spec = {
		.mode = making->buffer ? LOOM_BUFFER : LOOM_DIALOGUE,
		.title = loom_buf_str(&job->text),
		.author = job->actor,
	};

	return tui_tree_make(store, &spec, job->arena, &making->tree, err);
}

static void tree_written(struct tui_app *app, struct tui_job *job, enum loom_status status,
			 const struct loom_err *err)
{
	const struct making *making = job->own;

	tui_news_look(app);
	if (tui_must(app, status, err) && tui_app_tree(app, making->tree)) {
		tui_keep_position(app);
		tui_say_new_tree(app);
	}
}

/* A quote in a name may be escaped by a backslash. */
static struct loom_str unquoted(struct tui_app *app, struct loom_str text)
{
	struct loom_buf plain = LOOM_BUF_INIT(LOOM_BUF_MAX);

	text = loom_str_trim(text);
	if (text.n < 2 || text.p[0] != '"' || text.p[text.n - 1] != '"')
		return text;
	for (size_t i = 1; i + 1 < text.n; i++) {
		if (text.p[i] == '\\' && (text.p[i + 1] == '"' || text.p[i + 1] == '\\') &&
		    i + 2 < text.n)
			i++;
		loom_buf_addc(&plain, text.p[i]);
	}
	text = loom_arena_buf(app->arena, &plain);
	loom_buf_fini(&plain);
	return text;
}

/* Removes a mode from the end of the arguments of `new`, if it is a word of its own. */
static bool ends_in_mode(struct loom_str *rest, const char *mode)
{
	size_t n = strlen(mode);

	if (!loom_str_ends(*rest, loom_str_of(mode)) ||
	    (rest->n > n && rest->p[rest->n - n - 1] != ' '))
		return false;
	*rest = loom_str_sub(*rest, 0, rest->n - n);
	return true;
}

/* Takes a title and a mode; a line with options goes to the shell command. */
static void new_tree(struct tui_app *app, struct loom_str rest)
{
	struct making *making;
	struct tui_job *job;

	rest = loom_str_trim(rest);
	if (rest.n && rest.p[0] == '-' && tui_shell_new(app, rest))
		return;
	if (!tui_may(app, "new"))
		return;
	job = tui_job_make(app);
	making = LOOM_ARENA_NEW(job->arena, struct making);
	making->buffer = ends_in_mode(&rest, "buffer");
	if (!making->buffer)
		ends_in_mode(&rest, "dialogue");
	job->own = making;
	loom_buf_add(&job->text, unquoted(app, rest));
	job->run = write_tree;
	job->done = tree_written;
	tui_job_post(job);
}

static void use_tree(struct tui_app *app, struct loom_str name)
{
	struct tui_binding trees = {.command = TUI_ACTION_VIEW_TREES};
	struct loom_tree tree;
	struct loom_err err;

	if (loom_str_trim(name).n == 0)
		tui_app_command(app, &(struct tui_match){.binding = &trees});
	else if (tui_must(app,
			  loom_tree_find(app->store, unquoted(app, name), app->arena, &tree, &err),
			  &err))
		tui_app_tree(app, tree.id);
}

static void say_themes(struct tui_app *app)
{
	struct loom_buf all = LOOM_BUF_INIT(1024);
	struct loom_str json;
	const char *name;

	for (size_t i = 0; loom_theme_at(i, &name, &json); i++)
		loom_buf_addf(&all, "%s%s%s", i ? ", " : "", name,
			      strcmp(name, app->theme.name) == 0 ? " (now)" : "");
	tui_say(app, TUI_ROLE_TEXT, "themes: %s", loom_buf_cstr(&all));
	loom_buf_fini(&all);
}

static void use_theme(struct tui_app *app, struct loom_str name)
{
	struct tui_theme theme;
	struct loom_err err;

	if (loom_str_trim(name).n == 0) {
		say_themes(app);
		return;
	}
	if (!tui_must(app, tui_theme_named(unquoted(app, name), &theme, &err), &err))
		return;
	tui_use_theme(app, &theme);
	tui_say(app, TUI_ROLE_OK, "the theme is %.*s", LOOM_STR_ARG(unquoted(app, name)));
}

static void mouse(struct tui_app *app, struct loom_str rest)
{
	rest = loom_str_trim(rest);
	if (rest.n && !loom_str_is(rest, "on") && !loom_str_is(rest, "off")) {
		tui_stuck(app, "the mouse is on or off, not \"%.*s\"", LOOM_STR_ARG(rest));
		return;
	}
	app->no_mouse = rest.n ? loom_str_is(rest, "off") : !app->no_mouse;
	if (app->stage)
		tui_stage_mouse(app->stage, !app->no_mouse);
	tui_say(app, TUI_ROLE_OK,
		!app->no_mouse ? "loom uses the mouse" : "the terminal uses the mouse");
}

static void quit(struct tui_app *app, struct loom_str rest)
{
	(void)rest;
	app->over = true;
	if (app->stage)
		tui_stage_quit(app->stage);
}

static const struct {
	const char *word;
	void (*run)(struct tui_app *app, struct loom_str rest);
} words[] = {
	{"new", new_tree},
	{"use", use_tree},
	{"import", tui_import},
	{"theme", use_theme},
	{"mouse", mouse},
	{"quit", quit},
	{"q", quit},
	{"diff-with", tui_inspect_diff_with},
	{"save", tui_inspect_save},
};

/* Actions of the screen can be called by name: `:next-sibling`, `:redo`. */
static bool by_name(struct tui_app *app, struct loom_str line)
{
	enum tui_command command = tui_command_find(line);

	if (!command || tui_command_info(command)->verb)
		return false;
	tui_app_choose(app, command);
	return true;
}

/* Whether the line begins with a two-word shell command: `theme list`. */
static bool has_two_words(struct loom_str line, size_t blank)
{
	size_t next = blank == SIZE_MAX ? blank : loom_str_find_char(line, ' ', blank + 1);

	return blank != SIZE_MAX && loom_command_find(loom_str_sub(line, 0, next));
}

void tui_colon(struct tui_app *app, struct loom_str line)
{
	size_t blank = loom_str_find_char(line, ' ', 0);
	struct loom_str word = loom_str_sub(line, 0, blank == SIZE_MAX ? line.n : blank);
	const bool two_words = has_two_words(line, blank);

	for (size_t i = 0; i < LOOM_COUNT(words); i++) {
		if (!loom_str_is(word, words[i].word) || two_words)
			continue;
		words[i].run(app, loom_str_sub(line, word.n, line.n));
		return;
	}
	if (by_name(app, line))
		return;
	if ((loom_verb_find(word) != LOOM_VERB_NONE && !two_words) || !tui_shell_line(app, line))
		tui_run_line(app, line, NULL);
}
