/* Lines in, sentences out. A line that consists of keys is typed as keys; any other is a command,
 * with or without its colon. Lists that open are read out. */
#include <loom/program/plain.h>

#include <unistd.h>

#include <loom/text/quoting.h>
#include <loom/text/sanitise.h>

#include <loom/desk/desk.h>
#include <loom/lists/list.h>
#include <loom/lists/side.h>
#include <loom/writing/command_line.h>
#include <loom/writing/text_editor.h>

#include "inside.h"

static void say(struct loom_str text)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_shown_text(&out, text);
	printf("%s\n", loom_buf_cstr(&out));
	loom_buf_fini(&out);
}

/* Prints a sentence of the program. */
static void tell(struct loom_str text)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_adds(&out, LOOM_SAYS_LOOM);
	loom_buf_add(&out, text);
	say(loom_buf_str(&out));
	loom_buf_fini(&out);
}

/* Prints a title on one line, whatever it contains. */
static void say_title(struct loom_str title)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_shown_line(&line, title, 0);
	(void)loom_body_add(&out, loom_buf_str(&line), LOOM_BELOW_HEADERS | LOOM_BELOW_SENTENCES);
	say(loom_buf_str(&out));
	loom_buf_fini(&line);
	loom_buf_fini(&out);
}

/* [a7x2] by human, depth 7, 2 of 3, 3 continuations: the text. */
static void say_place(struct tui_app *app)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct tui_row *row = NULL;
	struct loom_node node;

	if (!app->tree.id) {
		tui_bare_text(app, &out);
		say(loom_buf_str(&out));
		loom_buf_fini(&out);
		return;
	}
	if (tui_rows_get(&app->rows, app->position, &row, NULL) != LOOM_OK ||
	    loom_node_get(app->store, app->member, LOOM_NODE_TEXT, app->arena, &node, NULL) !=
		    LOOM_OK)
		return;
	loom_buf_addf(&out, "[%s] %s", row->id,
		      tui_people_claimed(&app->people, row->author) ? "" : "by ");
	loom_shown_line(&out, tui_people_name(&app->people, row->author), 0);
	loom_buf_addf(&out, ", depth %lld", (long long)row->depth);
	if (row->pruned)
		loom_buf_adds(&out, ", pruned");
	else if (app->n > 1)
		loom_buf_addf(&out, ", %lld of %lld", (long long)app->k, (long long)app->n);
	loom_buf_addf(&out, ", %lld %s%s: ", (long long)row->children,
		      loom_plural(row->children, "continuation", "continuations"),
		      row->bookmarked ? ", bookmarked" : "");
	(void)loom_body_add_inside(&out, node.text, LOOM_BELOW_HEADERS | LOOM_BELOW_SENTENCES);
	say(loom_buf_str(&out));
	loom_buf_fini(&out);
}

/* Keys only if the whole line is one key command: `quit` is a word, not q, u, i, t. */
static bool are_keys(struct tui_app *app, struct loom_str line)
{
	struct tui_chord chord = {.n = 0};
	enum tui_chord_state state = TUI_CHORD_NONE;
	struct tui_match match;
	struct tui_key key;

	for (size_t at = 0; at < line.n;) {
		if (!tui_key_parse(line, &at, &key))
			return false;
		state = tui_keymap_feed(&app->keymap, tui_app_keyview(app), &chord, key, &match);
		if (state == TUI_CHORD_NONE || (state == TUI_CHORD_DONE && at < line.n))
			return false;
	}
	return state == TUI_CHORD_DONE;
}

static void press(struct tui_app *app, struct loom_str line)
{
	struct tui_event event = {.kind = TUI_EVENT_KEY};

	for (size_t at = 0; at < line.n && tui_key_parse(line, &at, &event.key);)
		tui_app_event(app, &event);
}

/* Reads text up to a line with a single full stop. */
static void write_text(struct tui_app *app, struct loom_str line)
{
	if (!loom_str_is(line, ".")) {
		if (tui_write_text(app).n)
			tui_write_paste(app, LOOM_STR("\n"));
		tui_write_paste(app, line);
		return;
	}
	tui_app_choose(app, tui_write_posts(app) ? TUI_ACTION_TEXT_ENTER : TUI_ACTION_TEXT_DONE);
}

static void read_out(struct tui_app *app)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);

	tui_list_text(app, app->list, &out);
	say(loom_str_trim(loom_buf_str(&out)));
	loom_buf_fini(&out);
	tui_list_close(app);
}

static void take(struct tui_app *app, struct loom_str line)
{
	int64_t before = app->position;
	int64_t member = app->member;

	tui_hush(app);
	if (app->writing)
		write_text(app, line);
	else if (are_keys(app, line))
		press(app, line);
	else if (loom_str_starts(line, LOOM_STR(":")) && line.n > 1)
		tui_colon(app, loom_str_sub(line, 1, line.n));
	else if (line.n)
		tui_colon(app, line);
	else
		before = 0;
	tui_app_work(app, true);
	if (app->prompt) {
		tui_prompt_close(app);
		tell(LOOM_STR("this needs arguments: type it as a command (`help` lists them)"));
	}
	if (app->list)
		read_out(app);
	if (app->side) {
		app->list = app->side;
		app->side = NULL;
		tui_focus(app, TUI_PANE_TREE);
		read_out(app);
	}
	if (app->message.text[0])
		tell(loom_str_of(app->message.text));
	if (app->writing && !tui_write_text(app).n)
		tell(LOOM_STR("write; a line with a single full stop ends the text"));
	if (!app->over && !app->writing && (before != app->position || member != app->member))
		say_place(app);
}

void tui_plain_run(struct tui_app *app)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	/* Only a picture could continue with these. */
	tui_prompt_close(app);
	tui_side_close(app);
	if (app->tree.id)
		say_title(app->tree.title);
	say_place(app);
	if (isatty(STDIN_FILENO))
		tell(LOOM_STR("keys as on the screen, or one command per line; ? lists them, "
			      "Q leaves"));
	fflush(stdout);
	while (!app->over && (n = getline(&line, &cap, stdin)) > 0) {
		struct loom_str text = loom_str_make(line, (size_t)n);

		if (text.p[text.n - 1] == '\n')
			text.n--;
		take(app, text);
		fflush(stdout);
	}
	free(line);
}
