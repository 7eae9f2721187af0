/* A text to read, line by line in a list: answers, messages, documents. */
#include <loom/lists/list.h>

#include <loom/desk/desk.h>
#include <loom/terminal/wrap.h>

/* Wraps a long line into several rows as prose is wrapped. */
static void add_text_row(struct tui_list *list, struct loom_str line, enum tui_role role,
			 int64_t *n)
{
	for (size_t at = 0;;) {
		struct tui_line piece = tui_wrap_line(line, at, TUI_MEASURE - 4);

		tui_list_add(list, &(struct tui_entry){.text = loom_str_sub(line, piece.from,
									    piece.to - piece.from),
						       .role = role,
						       .id = ++*n});
		if (piece.next <= at || piece.next >= line.n)
			break;
		at = piece.next;
	}
}

void tui_text_rows(struct tui_list *list, struct loom_str title, struct loom_str text)
{
	struct loom_str line;
	int64_t n = 0;

	tui_list_whole(list, text);
	add_text_row(list, title, TUI_ROLE_CALL, &n);
	while (text.n && loom_str_line(&text, &line))
		add_text_row(list, line, TUI_ROLE_RESULT, &n);
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
