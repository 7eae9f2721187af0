/* A text to read, line by line in a list: answers, messages, documents. Its lines are broken for
 * the width of the screen, and again when that changes. */
#include <loom/lists/list.h>

#include <loom/desk/desk.h>
#include <loom/terminal/wrap.h>

#include "inside.h"

#define FIRST_WIDTH 76 /* until it is drawn */

/* Breaks a line into rows. An entry's `other` is the byte of the text where it begins. */
static void add_rows(struct tui_list *list, struct loom_str line, enum tui_role role, int cells,
		     size_t from)
{
	for (size_t at = 0;;) {
		const struct tui_line piece = tui_wrap_line(line, at, cells);

		tui_list_add(list, &(struct tui_entry){.text = loom_str_sub(line, piece.from,
									    piece.to - piece.from),
						       .role = role,
						       .id = (int64_t)list->count + 1,
						       .other = (int64_t)(from + piece.from)});
		if (piece.next <= at || piece.next >= line.n)
			break;
		at = piece.next;
	}
}

void tui_text_wrap(struct tui_list *list, int width)
{
	const struct tui_entry *entry = tui_list_at(list);
	const int64_t at = entry ? entry->other : 0;
	const int cells = width < 8 ? 8 : width < TUI_MEASURE ? width : TUI_MEASURE;
	struct loom_str rest = list->whole;
	struct loom_str line;

	list->wrapped = width;
	list->count = 0;
	add_rows(list, list->whole_title, TUI_ROLE_TITLE, cells, 0);
	while (rest.n && loom_str_line(&rest, &line))
		add_rows(list, line, TUI_ROLE_TEXT, cells, (size_t)(line.p - list->whole.p));
	tui_list_show(list);
	for (size_t i = 0; i < list->shown_count; i++)
		if (list->all[list->shown[i]].other <= at)
			list->at = i;
}

void tui_text_rows(struct tui_list *list, struct loom_str title, struct loom_str text)
{
	list->whole_title = loom_arena_str(list->arena, title);
	list->whole = loom_arena_str(list->arena, text);
	tui_text_wrap(list, list->wrapped ? list->wrapped : FIRST_WIDTH);
}

static enum loom_status read_text(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct loom_str text = tui_list_argument(list);
	struct loom_str title;

	(void)app;
	(void)err;
	if (loom_str_line(&text, &title))
		tui_text_rows(list, title, text);
	return LOOM_OK;
}

static bool show(struct tui_app *app, struct loom_str title, struct loom_str text)
{
	static const struct tui_list_kind kind = {.title = "Answer",
						  .unit = "line",
						  .empty = "nothing",
						  .read = read_text};
	struct loom_buf all = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_add(&all, title);
	loom_buf_addc(&all, '\n');
	loom_buf_add(&all, text);
	tui_list_open(app, &kind, loom_buf_str(&all));
	loom_buf_fini(&all);
	return true;
}

const struct tui_view tui_view_answer = {.show = show};
