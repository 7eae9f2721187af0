/* No word is out of reach: every view is walked through at five sizes, row by row, with what stands
 * beside each row, and each word of its contents has to have been on the screen. */
#include <ctype.h>
#include <unistd.h>

#include <greatest.h>

#include <loom/desk/desk.h>
#include <loom/desk/tree_view.h>
#include <loom/lists/list.h>

#include "support/views.h"

#define LONG_WORD 20 /* longer ones may be broken: their ends are looked for */
#define STEPS     400

static const struct {
	int w, h;
} sizes[] = {{40, 10}, {60, 16}, {80, 24}, {120, 40}, {200, 50}};

static struct loom_buf seen;  /* all pictures so far */
static struct loom_buf shown; /* the last one */

/* Draws, and returns whether the picture is another one. */
static bool look(int w, int h)
{
	struct loom_buf now = LOOM_BUF_INIT(1 << 20);
	bool other;

	table_draw(&table, w, h);
	tui_grid_text(&table.grid, &now);
	loom_buf_addf(&now, "%d,%d\n", table.grid.cursor_x, table.grid.cursor_y);
	other = !loom_str_eq(loom_buf_str(&now), loom_buf_str(&shown));
	loom_buf_clear(&shown);
	loom_buf_add(&shown, loom_buf_str(&now));
	if (other)
		loom_buf_add(&seen, loom_buf_str(&now));
	loom_buf_fini(&now);
	return other;
}

/* A call of a conversation is folded at first. */
static void open_here(void)
{
	if (table.app->list && tui_list_view(table.app->list) == TUI_KEYVIEW_THREAD)
		table_type(&table, "l");
}

/* Down one row after the other, and at each through the text beside it. */
static void walk(int w, int h)
{
	loom_buf_clear(&seen);
	loom_buf_clear(&shown);
	/* The side pane of a small screen needs all of it. */
	if (table.app->focus == TUI_PANE_SIDE && !table.app->zoomed)
		table_type(&table, "w");
	table_type(&table, "gg");
	look(w, h);
	open_here();
	for (int row = 0; row < STEPS; row++) {
		for (int step = 0; step < STEPS; step++) {
			table_type(&table, "J");
			tui_hush(table.app);
			if (!look(w, h))
				break;
		}
		table_type(&table, "j");
		open_here();
		tui_hush(table.app);
		if (!look(w, h))
			break;
	}
}

static bool was_seen(struct loom_str word)
{
	return loom_str_find(loom_buf_str(&seen), word, 0) != SIZE_MAX;
}

static bool has_letter(struct loom_str word)
{
	for (size_t i = 0; i < word.n; i++)
		if (isalnum((unsigned char)word.p[i]))
			return true;
	return false;
}

/* NULL, or a word that was never on the screen. */
static const char *missing(struct loom_str text)
{
	static char word[200];

	for (size_t at = 0; at < text.n;) {
		size_t end = at;
		struct loom_str whole;

		while (end < text.n && !isspace((unsigned char)text.p[end]) &&
		       !loom_str_starts(loom_str_sub(text, end, 3), LOOM_STR("\xe2\x8f\x8e")))
			end++;
		whole = loom_str_sub(text, at, end - at);
		at = end + (end < text.n && !isspace((unsigned char)text.p[end]) ? 3 : 1);
		while (whole.n && ispunct((unsigned char)whole.p[whole.n - 1]))
			whole.n--;
		while (whole.n && whole.p[0] == '\\') /* quoted to be read out */
			whole = loom_str_sub(whole, 1, whole.n);
		if (whole.n < 2 || !has_letter(whole))
			continue;
		snprintf(word, sizeof word, "%.*s", LOOM_STR_ARG(whole));
		if (whole.n <= LONG_WORD && !was_seen(whole))
			return word;
		if (whole.n > LONG_WORD &&
		    (!was_seen(loom_str_sub(whole, 0, LONG_WORD / 2)) ||
		     !was_seen(loom_str_sub(whole, whole.n - LONG_WORD / 2, whole.n))))
			return word;
	}
	return NULL;
}

/* All words of a list. One that draws itself may say in its own words what its entries begin with.
 */
static void list_contents(const struct tui_list *list, struct loom_buf *out)
{
	const enum tui_keyview view = tui_list_view(list);

	if (view != TUI_KEYVIEW_THREAD && view != TUI_KEYVIEW_COMPARE && list != table.app->side) {
		tui_list_text(table.app, list, out);
		return;
	}
	for (size_t i = 0; i < tui_list_count(list); i++)
		loom_buf_addf(out, "%.*s\n", LOOM_STR_ARG(tui_list_entry(list, i)->text));
}

/* The words of a list, or the texts of the tree. */
static void contents(struct loom_buf *out)
{
	const struct tui_list *list =
		table.app->focus == TUI_PANE_SIDE ? table.app->side : table.app->list;

	if (list) {
		list_contents(list, out);
		return;
	}
	for (int64_t node = 1; table.app->tree.id && node <= 16; node++) {
		struct loom_node read;
		int64_t hidden = 0;
		int64_t shown_node = 0;

		if (loom_node_get(table.app->store, node, LOOM_NODE_TEXT, table.grove.arena, &read,
				  NULL) != LOOM_OK ||
		    read.tree != table.app->tree.id || read.kind != LOOM_CONTINUATION ||
		    loom_node_visible(table.app->store, node, &shown_node, &hidden, NULL) !=
			    LOOM_OK ||
		    hidden || (tui_filter_text(table.app).n && node == 3))
			continue;
		loom_buf_add(out, read.text);
		loom_buf_addc(out, '\n');
	}
}

TEST every_word_can_be_reached(const struct view *view)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 22);
	static char said[400];
	const char *word = NULL;

	arrive(view);
	contents(&text);
	for (size_t i = 0; i < LOOM_COUNT(sizes) && !word; i++) {
		walk(sizes[i].w, sizes[i].h);
		word = missing(loom_buf_str(&text));
		snprintf(said, sizeof said, "%s at %dx%d: \"%s\"", view->name, sizes[i].w,
			 sizes[i].h, word ? word : "");
		if (word && getenv("SHOW"))
			fprintf(stderr, "%s\n====\n%s\n", loom_buf_cstr(&text),
				loom_buf_cstr(&seen));
	}
	loom_buf_fini(&text);
	table_fini(&table);
	ASSERT_EQm(said, NULL, word);
	PASS();
}

SUITE(reach)
{
	SET_TEARDOWN(tear_down, NULL);
	for (size_t i = 0; i < LOOM_COUNT(views); i++)
		RUN_TESTp(every_word_can_be_reached, &views[i]);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv)
{
	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0);
	loom_buf_init(&seen, LOOM_BUF_MAX);
	loom_buf_init(&shown, 1 << 20);
	GREATEST_MAIN_BEGIN();
	RUN_SUITE(reach);
	GREATEST_MAIN_END();
}
