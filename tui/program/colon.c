/* Lines after the colon: verbs, run as any agent's line is, and the few words about the screen and
 * the grove. */
#include <loom/desk/desk.h>

#include <loom/cli/cli.h>
#include <loom/commands/child_of_self.h>
#include <loom/commands/programs.h>
#include <loom/commands/wish.h>
#include <loom/cli/themes.h>

#include <loom/project/import_view.h>
#include <loom/project/inspector.h>
#include <loom/lists/list.h>
#include <loom/desk/do_line.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/keep_place.h>
#include <loom/desk/looks.h>
#include <loom/desk/others.h>
#include <loom/language/parse.h>
#include <loom/language/registry.h>
#include <loom/desk/screen_gate.h>
#include <loom/desk/shell.h>
#include <loom/desk/subject.h>
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

#define WORDS 64

/* A title, a mode, and nothing else: as the command line spells them, and as a word behind the
 * title. False for a line with more. */
static bool read_new(struct tui_app *app, struct loom_str rest, bool *buffer,
		     struct loom_str *title)
{
	char *words[WORDS];
	const size_t count = loom_self_words(app->arena, rest, words, WORDS);

	for (size_t i = 0; i < count; i++) {
		const struct loom_str word = loom_str_of(words[i]);
		const struct loom_str next = loom_str_of(i + 1 < count ? words[i + 1] : "");

		if (loom_str_is(word, "--mode=buffer") || loom_str_is(word, "--mode=dialogue"))
			*buffer = loom_str_ends(word, LOOM_STR("buffer"));
		else if (loom_str_is(word, "--mode") &&
			 (loom_str_is(next, "buffer") || loom_str_is(next, "dialogue")))
			*buffer = loom_str_is(loom_str_of(words[++i]), "buffer");
		else if (loom_str_is(word, "--title") && i + 1 < count && !title->n)
			*title = loom_str_of(words[++i]);
		else if (loom_str_starts(word, LOOM_STR("-")) || title->n)
			return false;
		else
			*title = word;
	}
	return true;
}

static bool has_option(struct loom_str rest)
{
	return loom_str_starts(rest, LOOM_STR("--")) ||
	       loom_str_find(rest, LOOM_STR(" --"), 0) != SIZE_MAX;
}

/* Takes a title and a mode; a line with other options goes to the shell command. */
static void new_tree(struct tui_app *app, struct loom_str rest)
{
	struct making *making;
	struct tui_job *job;
	struct loom_str title = {NULL, 0};
	bool buffer = false;

	rest = loom_str_trim(rest);
	if (loom_str_starts(rest, LOOM_STR("tree \""))) { /* the verb, as an agent writes it */
		tui_run_line(app, loom_arena_format(app->arena, "new %.*s", LOOM_STR_ARG(rest)),
			     NULL);
		return;
	}
	if (!has_option(rest) || !read_new(app, rest, &buffer, &title)) {
		if (has_option(rest) && tui_shell_new(app, rest))
			return;
		title = rest;
		buffer = ends_in_mode(&title, "buffer");
		if (!buffer)
			ends_in_mode(&title, "dialogue");
		title = unquoted(app, title);
	}
	if (!tui_may(app, "new"))
		return;
	job = tui_job_make(app);
	making = LOOM_ARENA_NEW(job->arena, struct making);
	making->buffer = buffer;
	job->own = making;
	loom_buf_add(&job->text, title);
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

/* For terminals that do not tell what their background is. */
static void use_ground(struct tui_app *app, struct loom_str rest)
{
	struct tui_theme theme;

	rest = loom_str_trim(rest);
	if (!rest.n) {
		tui_say(app, TUI_ROLE_TEXT, "the terminal is %s%s", tui_ground_name(app->ground),
			app->ground_set ? ", as you said" : "");
		return;
	}
	if (!tui_ground_find(rest, &app->ground)) {
		tui_stuck(app, "the terminal is dark, light, or auto to ask it, not \"%.*s\"",
			  LOOM_STR_ARG(rest));
		return;
	}
	app->ground_set = app->ground != TUI_BACKGROUND_TERMINAL;
	if (tui_must(app, tui_theme_named(loom_str_of(app->theme.name), &theme, NULL), NULL))
		tui_use_theme(app, &theme);
	tui_say(app, TUI_ROLE_OK,
		app->ground_set ? "colours for a terminal that is %s"
				: "the terminal tells, if it can",
		tui_ground_name(app->ground));
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

/* Ours, or of a program of the user's. */
static bool help_page_of(struct tui_app *app, struct loom_str name, struct loom_buf *out)
{
	const struct loom_program *program;

	if (loom_help_text(app->arena, name, out))
		return true;
	program = loom_program_find(tui_config(app, NULL), name);
	if (program)
		loom_program_page(app->arena, program, out);
	return program != NULL;
}

/* The page of a command, a verb or a topic; without a name, all of them. */
static void help(struct tui_app *app, struct loom_str rest)
{
	struct loom_buf page = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str name;

	rest = loom_str_trim(rest);
	name = unquoted(app, rest);
	if (!name.n)
		tui_app_choose(app, TUI_VERB_HELP);
	else if (help_page_of(app, name, &page))
		tui_text_open(app, loom_arena_format(app->arena, "help %.*s", LOOM_STR_ARG(name)),
			      loom_buf_str(&page));
	else
		tui_stuck(app,
			  "nothing is called \"%.*s\" \xc2\xb7 ? and / find commands by any word",
			  LOOM_STR_ARG(name));
	loom_buf_fini(&page);
}

static const struct {
	const char *word;
	void (*run)(struct tui_app *app, struct loom_str rest);
} words[] = {
	{"new", new_tree},
	{"use", use_tree},
	{"import", tui_import},
	{"theme", use_theme},
	{"ground", use_ground},
	{"mouse", mouse},
	{"quit", quit},
	{"q", quit},
	{"help", help},
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

static bool reads_as_call(struct tui_app *app, struct loom_str line)
{
	struct loom_call call;
	struct loom_refusal refusal;

	return loom_parse_line(app->arena, line, &call, &refusal) == LOOM_OK;
}

/* Whether the line's verb begins with no node, or the line has one there, or an option. */
static bool names_node(struct tui_app *app, struct loom_str line)
{
	const size_t first = loom_str_find_char(line, ' ', 0);
	const struct loom_verb_info *info =
		loom_verb_info(loom_verb_find(loom_str_sub(line, 0, first)));
	struct loom_str rest =
		first == SIZE_MAX ? LOOM_STR("") : loom_str_trim(loom_str_sub(line, first, line.n));
	struct loom_str word = {NULL, 0};

	if (!info || !loom_str_starts(loom_str_of(info->args), LOOM_STR("ID")) ||
	    loom_str_starts(rest, LOOM_STR("-")) || !loom_str_cut(&rest, ' ', &word))
		return true;
	return reads_as_call(app, loom_arena_format(app->arena, "view %.*s", LOOM_STR_ARG(word)));
}

/* Runs a line that begins with a verb. What the language does not read as it stands is read as the
 * shell reads it: as the command of that name, or as the arguments of `loom do`. */
static void run_verb(struct tui_app *app, struct loom_str line)
{
	struct loom_call call;
	struct loom_refusal refusal;
	char *argv[WORDS];
	size_t count;

	if (reads_as_call(app, line)) {
		tui_run_line(app, line, NULL);
		return;
	}
	if (loom_self_command(line) && names_node(app, line) && loom_self_takes(app->arena, line) &&
	    tui_shell_line(app, line))
		return;
	/* What is in quotes is a text in both; a shell's word may be anything. */
	count = loom_str_find_char(line, '"', 0) == SIZE_MAX
			? loom_self_words(app->arena, line, argv, WORDS)
			: WORDS;
	if (count < WORDS &&
	    loom_parse_argv(app->arena, (int)count, argv, &call, &refusal) == LOOM_OK)
		tui_run_calls(app, &call, 1, NULL);
	else
		tui_run_line(app, line, NULL);
}

static void run_line(struct tui_app *app, struct loom_str line);

void tui_colon(struct tui_app *app, struct loom_str line)
{
	const struct loom_str piped = tui_pipe_spelled(app, line);

	run_line(app, piped.n ? piped : line);
}

static void run_line(struct tui_app *app, struct loom_str line)
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
	if (by_name(app, line) || (loom_str_is(word, "pipe") && tui_pipe_line(app, line)))
		return;
	if (loom_verb_find(word) != LOOM_VERB_NONE && !two_words)
		run_verb(app, line);
	else if (!tui_shell_line(app, line))
		tui_run_line(app, line, NULL);
}
