/* A conversation with an agent: its thread's log, then the text being generated and what was said
 * to it but not heard yet. Calls and thoughts take one line each until they are opened. This is a
 * thread, not a tree: the line at the top says so, and every row has a bar at its left that tree
 * rows do not have. talk.c runs the turns. */
#include <loom/lists/talk.h>

#include <loom/desk/does.h>

#include <loom/work/thread.h>

#include <loom/lists/list.h>
#include <loom/terminal/wrap.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/position.h>
#include <loom/desk/workers.h>
#include <loom/lists/approve.h>
#include <loom/text/width.h>
#include <loom/writing/command_line.h>

#define NO_MESSAGES "no messages yet: i writes one"
#define MARKS_ROOM  14                 /* cells of "in the tree" behind a head */
#define PSEUDO      (INT64_C(1) << 50) /* ids from here on are not rows of the log */

/* LINE_WHOLE: the head of an open remark, for which its own line has no room. */
enum line_kind { LINE_HEAD, LINE_WHOLE, LINE_TEXT, LINE_BLANK };

struct line {
	size_t remark;
	enum line_kind kind;
	size_t from, to; /* range in its text, or in its head */
};

struct view {
	struct tui_talk *talk;
	void (*back)(struct tui_app *app,
		     struct loom_str name); /* called on leaving; may be NULL */
	struct loom_arena *arena;           /* of the remarks */
	struct tui_remarks remarks;
	int64_t *opened; /* remarks that were unfolded */
	size_t opened_count;
	struct line *lines;
	size_t line_count, line_cap;
	int width;  /* width the lines were wrapped for; 0: not wrapped yet */
	size_t top; /* the first line in sight */
	int height;
	int64_t at;  /* the remark under the cursor when it last moved */
	bool follow; /* bring the cursor into sight */
};

static const struct tui_list_kind kind;

/* NULL when another view is open by now. */
static struct view *open_view(struct tui_app *app)
{
	return tui_list_is(app->list, &kind) ? tui_list_own(app->list) : NULL;
}

/* The view in which one of its own keys was pressed. */
static struct view *view_of(struct tui_app *app)
{
	return tui_list_own(app->list);
}

static const struct tui_remark *remark_of(const struct view *view, const struct tui_entry *entry)
{
	return entry && (size_t)entry->other < view->remarks.count
		       ? &view->remarks.items[entry->other]
		       : NULL;
}

/* ---- folds ---- */

static size_t opened_at(const struct view *view, int64_t seq)
{
	for (size_t i = 0; i < view->opened_count; i++)
		if (view->opened[i] == seq)
			return i;
	return SIZE_MAX;
}

static bool is_folded(const struct view *view, const struct tui_remark *remark)
{
	return remark->folds && opened_at(view, remark->seq) == SIZE_MAX;
}

static void toggle_fold(struct tui_app *app, const struct tui_remark *remark)
{
	struct view *view = view_of(app);
	size_t at = opened_at(view, remark->seq);

	if (at != SIZE_MAX) {
		view->opened[at] = view->opened[--view->opened_count];
	} else {
		view->opened =
			loom_realloc(view->opened, view->opened_count + 1, sizeof *view->opened);
		view->opened[view->opened_count++] = remark->seq;
	}
	view->width = 0;
	view->follow = true;
}

/* ---- what there is to see ---- */

static void add_now(struct view *view, enum tui_said what, struct loom_str text, size_t number)
{
	struct tui_remarks *all = &view->remarks;

	all->items =
		loom_arena_grow(view->arena, all->items, all->count, &all->cap, sizeof *all->items);
	all->items[all->count++] = (struct tui_remark){.kind = what,
						       .seq = PSEUDO + (int64_t)number,
						       .at = LOOM_TIME_NONE,
						       .text = loom_arena_str(view->arena, text)};
}

static void add_what_is_now(struct view *view)
{
	const struct tui_talk *talk = view->talk;

	if (talk->said.n)
		add_now(view, TUI_SAID_AGENT, loom_buf_str(&talk->said), 0);
	for (size_t i = 0; i < talk->queued_count; i++)
		add_now(view, TUI_SAID_QUEUED, loom_buf_str(&talk->queued[i]), 1 + i);
	if (talk->running && talk->state == LOOM_CHAT_WAITING)
		add_now(view, TUI_SAID_NOTE,
			LOOM_STR("Waiting for your approval: ! shows the calls."), TUI_QUEUED + 1);
}

static struct loom_str who(const struct tui_app *app, const struct tui_talk *talk,
			   const struct tui_remark *remark)
{
	switch (remark->kind) {
	case TUI_SAID_HUMAN:
	case TUI_SAID_QUEUED:
		return LOOM_STR("you");
	case TUI_SAID_AGENT:
		return tui_people_name(&app->people, talk->agent);
	case TUI_SAID_THINKING:
		return LOOM_STR("thought");
	case TUI_SAID_CALL:
		return LOOM_STR("call");
	case TUI_SAID_NOTE:
	default:
		return LOOM_STR("note");
	}
}

static enum loom_status read_talk(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct view *view = tui_list_own(list);
	enum loom_status status = LOOM_OK;

	loom_arena_reset(view->arena);
	view->remarks = (struct tui_remarks){NULL, 0, 0, false};
	view->width = 0;
	if (view->talk->thread)
		status = tui_talk_read(app, view->talk, view->arena, &view->remarks, err);
	add_what_is_now(view);
	for (size_t i = 0; i < view->remarks.count; i++) {
		const struct tui_remark *remark = &view->remarks.items[i];

		tui_list_add(list, &(struct tui_entry){.lead = who(app, view->talk, remark),
						       .text = remark->head.n ? remark->head
									      : remark->text,
						       .id = remark->seq + 1,
						       .other = (int64_t)i});
	}
	return status;
}

/* ---- lines ---- */

static void add_line(struct view *view, struct line line)
{
	if (view->line_count == view->line_cap) {
		view->line_cap = view->line_cap ? view->line_cap * 2 : 256;
		view->lines = loom_realloc(view->lines, view->line_cap, sizeof *view->lines);
	}
	view->lines[view->line_count++] = line;
}

static void break_text(struct view *view, size_t i, enum line_kind what, int width)
{
	const struct tui_remark *remark = &view->remarks.items[i];
	const struct loom_str text = what == LINE_WHOLE ? remark->head : remark->text;
	size_t at = 0;

	while (at < text.n) {
		struct tui_line line = tui_wrap_line(text, at, width);

		add_line(view, (struct line){i, what, line.from, line.to});
		if (line.next <= at)
			break;
		at = line.next;
	}
}

static void break_remark(struct view *view, size_t i, int width)
{
	const struct tui_remark *remark = &view->remarks.items[i];

	/* Folded remarks form a block, separated from spoken ones. */
	if (!remark->folds && view->line_count &&
	    view->lines[view->line_count - 1].kind != LINE_BLANK)
		add_line(view, (struct line){.remark = i, .kind = LINE_BLANK});
	add_line(view, (struct line){.remark = i, .kind = LINE_HEAD});
	if (is_folded(view, remark))
		return;
	if ((int)loom_str_width(remark->head) + MARKS_ROOM > width)
		break_text(view, i, LINE_WHOLE, width);
	break_text(view, i, LINE_TEXT, width);
	add_line(view, (struct line){.remark = i, .kind = LINE_BLANK});
}

static void break_all(struct view *view, const struct tui_list *list, int width)
{
	if (view->width == width)
		return;
	view->follow = view->follow || view->width > 0; /* another width, so other lines */
	view->width = width;
	view->line_count = 0;
	for (size_t i = 0; i < tui_list_count(list); i++)
		break_remark(view, (size_t)tui_list_entry(list, i)->other,
			     width > 8 ? width - 4 : 4);
}

/* Scrolls just enough to show the current remark; the last one to its end. */
static void see_cursor(struct view *view, const struct tui_list *list, size_t height)
{
	const struct tui_entry *entry = tui_list_at(list);
	size_t first = SIZE_MAX;
	size_t last = 0;
	bool ends = tui_list_index(list) + 1 == tui_list_count(list);

	for (size_t i = 0; entry && i < view->line_count; i++) {
		if (view->lines[i].remark != (size_t)entry->other)
			continue;
		first = first == SIZE_MAX ? i : first;
		last = i;
	}
	view->follow = false;
	if (first == SIZE_MAX)
		return;
	if (last >= view->top + height)
		view->top = last + 1 - height;
	if (first < view->top && !ends)
		view->top = first;
	if (ends && view->line_count > height)
		view->top = view->line_count - height;
}

/* ---- drawing ---- */

static enum tui_role said_role(const struct tui_app *app, const struct tui_talk *talk,
			       const struct tui_remark *remark)
{
	switch (remark->kind) {
	case TUI_SAID_HUMAN:
		return TUI_ROLE_HUMAN;
	case TUI_SAID_AGENT:
		return tui_people_role(&app->people, talk->agent);
	case TUI_SAID_THINKING:
		return TUI_ROLE_THINKING;
	case TUI_SAID_CALL:
		return remark->failed ? TUI_ROLE_ERROR : TUI_ROLE_CALL;
	case TUI_SAID_QUEUED:
		return TUI_ROLE_DRAFT;
	case TUI_SAID_NOTE:
	default:
		return TUI_ROLE_WARN;
	}
}

static void draw_fold_head(const struct view *view, const struct tui_remark *remark,
			   struct tui_pen *pen)
{
	bool folded = is_folded(view, remark);
	struct loom_str head = remark->head;

	tui_pen_symbol(pen, folded ? TUI_SYMBOL_CLOSED : TUI_SYMBOL_OPEN);
	tui_pen_blank(pen, 1);
	if (remark->kind == TUI_SAID_THINKING) {
		tui_pen_cut(pen, head, tui_pen_left(pen));
		if (folded)
			tui_pen_format(pen, " · %zu bytes", remark->text.n);
		return;
	}
	tui_pen_cut(pen, head, tui_pen_left(pen) - (remark->node.n ? MARKS_ROOM : 0));
	if (!remark->node.n || tui_pen_left(pen) < MARKS_ROOM)
		return;
	pen->ink = TUI_INK(DIM);
	tui_pen_puts(pen, " · in the tree");
}

/* Draws what the answer cost, if there is room for it. */
static void draw_usage(const struct tui_remark *remark, struct tui_pen *pen)
{
	struct loom_buf text = LOOM_BUF_INIT(256);

	loom_buf_adds(&text, " · ");
	loom_usage_show(&remark->usage, &text);
	if (remark->usage.calls && (int)loom_str_width(loom_buf_str(&text)) <= tui_pen_left(pen))
		tui_pen_text(pen, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static void draw_head(struct tui_app *app, const struct view *view, const struct tui_remark *remark,
		      struct tui_pen *pen)
{
	struct loom_buf ago = LOOM_BUF_INIT(64);

	pen->ink.role = (uint8_t)said_role(app, view->talk, remark);
	if (remark->folds) {
		draw_fold_head(view, remark, pen);
		return;
	}
	pen->ink.attr = TUI_BOLD;
	tui_pen_text(pen, who(app, view->talk, remark));
	pen->ink = TUI_INK(DIM);
	if (remark->at != LOOM_TIME_NONE) {
		loom_time_ago(remark->at, loom_env_now(app->env), true, &ago);
		tui_pen_format(pen, " · %s", loom_buf_cstr(&ago));
	} else if (remark->kind == TUI_SAID_QUEUED) {
		tui_pen_puts(pen, " · not heard yet");
	} else if (remark->kind == TUI_SAID_AGENT) {
		tui_pen_puts(pen, " · says");
	}
	draw_usage(remark, pen);
	loom_buf_fini(&ago);
}

static void draw_line(struct tui_app *app, const struct view *view, const struct line *line,
		      struct tui_grid *grid, struct tui_rect row)
{
	const struct tui_remark *remark = &view->remarks.items[line->remark];
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(DIM));

	if (line->kind == LINE_BLANK)
		return;
	pen.ink.role = (uint8_t)said_role(app, view->talk, remark);
	tui_pen_symbol(&pen, TUI_SYMBOL_PASSING);
	tui_pen_blank(&pen, 1);
	if (line->kind == LINE_HEAD) {
		draw_head(app, view, remark, &pen);
		return;
	}
	if (line->kind == LINE_WHOLE) {
		tui_pen_blank(&pen, 2);
		tui_pen_text(&pen, loom_str_sub(remark->head, line->from, line->to - line->from));
		return;
	}
	pen.ink = TUI_INK(TEXT);
	if (remark->folds) {
		tui_pen_blank(&pen, 2);
		pen.ink.role =
			remark->kind == TUI_SAID_THINKING ? TUI_ROLE_THINKING : TUI_ROLE_RESULT;
	}
	tui_pen_text(&pen, loom_str_sub(remark->text, line->from, line->to - line->from));
}

/* The thread, its position and its state, in the one line that does not scroll. */
static void draw_top(struct tui_app *app, const struct view *view, struct tui_grid *grid,
		     struct tui_rect row)
{
	const struct tui_talk *talk = view->talk;
	struct tui_pen pen = tui_pen_make(grid, row, TUI_INK(TITLE));
	struct loom_thread thread;
	struct loom_tree tree;
	struct loom_node node;
	char id[LOOM_LOCAL_MAX];

	tui_pen_text(&pen, tui_people_name(&app->people, talk->agent));
	pen.ink = TUI_INK(DIM);
	if (!talk->thread ||
	    loom_thread_get(app->store, talk->thread, app->arena, &thread, NULL) != LOOM_OK) {
		tui_pen_puts(&pen, " · a new thread");
		return;
	}
	tui_pen_format(&pen, " · %.*s · a thread, beside the tree", LOOM_STR_ARG(thread.name));
	if (loom_node_get(app->store, thread.position, LOOM_NODE_NARROW, app->arena, &node, NULL) ||
	    loom_tree_get(app->store, thread.tree, app->arena, &tree, NULL))
		return;
	loom_local_text(tree.key, node.local, id);
	tui_pen_format(&pen, " · at [%s] of %.*s", id, LOOM_STR_ARG(tree.title));
}

static void draw_talk(struct tui_app *app, struct tui_list *list, struct tui_grid *grid,
		      struct tui_rect rect)
{
	struct view *view = tui_list_own(list);
	const struct tui_entry *entry = tui_list_at(list);
	struct tui_rect body = {rect.x, rect.y + 1, rect.w, rect.h - 1};
	struct tui_pen pen = tui_pen_make(grid, body, TUI_INK(DIM));

	if (rect.w <= 0 || rect.h <= 0)
		return;
	draw_top(app, view, grid, (struct tui_rect){rect.x, rect.y, rect.w, 1});
	grid->cursor_x = rect.x;
	grid->cursor_y = rect.y;
	grid->cursor_shown = true;
	body.w = tui_layout_prose(body).w;
	if (body.h <= 0)
		return;
	view->height = body.h;
	break_all(view, list, body.w);
	if (view->follow)
		see_cursor(view, list, (size_t)body.h);
	if (view->top + (size_t)body.h > view->line_count)
		view->top =
			view->line_count > (size_t)body.h ? view->line_count - (size_t)body.h : 0;
	if (!view->line_count)
		tui_pen_puts(&pen, tui_list_count(list) || view->remarks.count ? "nothing matches"
									       : NO_MESSAGES);
	for (int y = 0; y < body.h && view->top + (size_t)y < view->line_count; y++) {
		const struct line *line = &view->lines[view->top + (size_t)y];
		struct tui_rect row = {body.x, body.y + y, body.w, 1};

		draw_line(app, view, line, grid, row);
		if (!entry || line->remark != (size_t)entry->other || line->kind != LINE_HEAD)
			continue;
		tui_grid_ground(grid, row, TUI_ROLE_CURSOR);
		grid->cursor_y = row.y;
	}
}

static void status(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out)
{
	const struct view *view = tui_list_own(list);
	const size_t count = tui_list_count(list);

	(void)app;
	if (view->talk->running)
		loom_buf_addf(out, "%s… · Esc stops", loom_chat_state_word(view->talk->state));
	else
		loom_buf_addf(out, "%zu of %zu%s", tui_list_index(list) + (count > 0), count,
			      view->remarks.more ? "+" : "");
	if (!view->talk->used.calls)
		return;
	loom_buf_adds(out, " · ");
	loom_usage_show(&view->talk->used, out);
}

/* ---- commands ---- */

static void take_words(struct tui_app *app, struct loom_str text)
{
	struct view *view = open_view(app);

	if (view)
		tui_talk_say(view->talk, text);
}

/* Text of a turn that never began can be sent again, or changed. */
static void speak(struct tui_app *app, const struct tui_talk *talk)
{
	if (talk->running)
		tui_prompt_lines(app, "steer: ", LOOM_STR(""), take_words);
	else
		tui_prompt_lines(app, "say: ", loom_buf_str(&talk->opening), take_words);
}

static void go_to_node(struct tui_app *app, const struct tui_remark *remark)
{
	int64_t tree = view_of(app)->talk->tree;
	struct loom_node node;
	struct loom_err err;

	if (!tui_must(app, loom_node_find(app->store, tree, remark->node, app->arena, &node, &err),
		      &err))
		return;
	tui_list_close(app);
	if (tree == app->tree.id || tui_app_tree(app, tree))
		tui_go(app, node.group, TUI_GO_JUMP);
}

static void scroll(struct view *view, int by)
{
	size_t most = view->line_count > (size_t)view->height
			      ? view->line_count - (size_t)view->height
			      : 0;

	if (by < 0)
		view->top -= (size_t)-by < view->top ? (size_t)-by : view->top;
	else
		view->top = view->top + (size_t)by < most ? view->top + (size_t)by : most;
}

/* Scrolls by lines. */
static bool by_rows(struct tui_app *app, const struct tui_match *match, int rows)
{
	scroll(view_of(app), rows * tui_match_count(match));
	return true;
}

/* `by` counts halves of a page. */
static bool by_page(struct tui_app *app, const struct tui_match *match, int by)
{
	struct view *view = view_of(app);
	int page = view->height > 2 ? view->height - 1 : 1;

	scroll(view, by * tui_match_count(match) * page / 2);
	return true;
}

static const struct tui_remark *remark_here(struct tui_app *app)
{
	return remark_of(view_of(app), tui_list_at(app->list));
}

TUI_MEANS(open_remark)
{
	const struct tui_remark *remark = remark_here(app);

	if (remark && remark->node.n)
		go_to_node(app, remark);
	else if (remark && remark->folds)
		toggle_fold(app, remark);
	return remark != NULL;
}

TUI_MEANS(unfold)
{
	const struct tui_remark *remark = remark_here(app);

	if (remark && is_folded(view_of(app), remark))
		toggle_fold(app, remark);
	return remark != NULL;
}

TUI_MEANS(fold_again)
{
	const struct tui_remark *remark = remark_here(app);

	if (!remark || !remark->folds || is_folded(view_of(app), remark))
		return false;
	toggle_fold(app, remark);
	return true;
}

static void back_to_talk(struct tui_app *app, void *talk)
{
	tui_talk_open(app, talk);
}

TUI_MEANS(approve)
{
	tui_approve_beside(app, back_to_talk, view_of(app)->talk);
	return true;
}

TUI_MEANS(cancel)
{
	struct view *view = view_of(app);

	if (!view->talk->running)
		return false;
	tui_talk_cancel(view->talk);
	return true;
}

TUI_DO(STEER)
{
	speak(app, view_of(app)->talk);
}

static const struct tui_meaning means[] = {
	{TUI_ACTION_APPROVALS, approve, 0},  {TUI_ACTION_CANCEL, cancel, 0},
	{TUI_ACTION_OTHER_DOWN, by_rows, 3}, {TUI_ACTION_OTHER_UP, by_rows, -3},
	{TUI_ACTION_HALF_DOWN, by_page, 1},  {TUI_ACTION_HALF_UP, by_page, -1},
	{TUI_ACTION_PAGE_DOWN, by_page, 2},  {TUI_ACTION_PAGE_UP, by_page, -2},
	{TUI_ACTION_OPEN, open_remark, 0},   {TUI_ACTION_IN, unfold, 0},
	{TUI_ACTION_OUT, fold_again, 0},     {.command = TUI_COMMAND_NONE},
};

static void moved(struct tui_app *app, const struct tui_entry *entry)
{
	struct view *view = tui_list_own(app->list);
	int64_t at = entry ? entry->id : 0;

	view->follow = view->follow || at != view->at;
	view->at = at;
	view->width = 0; /* a filter may have changed what is shown */
}

static void leave(struct tui_app *app)
{
	struct view *view = tui_list_own(app->list);
	struct loom_thread thread;

	if (view->back &&
	    loom_thread_get(app->store, view->talk->thread, app->arena, &thread, NULL) == LOOM_OK)
		view->back(app, thread.name);
	else
		tui_list_close(app);
}

/* ---- the view ---- */

static void forget(void *own)
{
	struct view *view = own;

	loom_arena_destroy(view->arena);
	free(view->opened);
	free(view->lines);
	free(view);
}

static bool offers(const struct tui_list *list, const struct tui_entry *entry,
		   enum tui_command command)
{
	const struct view *view = tui_list_own(list);
	const struct tui_remark *remark = remark_of(view, entry);

	if (command == TUI_ACTION_OPEN)
		return remark && remark->node.n;
	return command != TUI_ACTION_IN || (remark && is_folded(view, remark));
}

static const struct tui_list_kind kind = {
	.title = "A conversation",
	.unit = "message",
	.empty = NO_MESSAGES,
	.view = TUI_KEYVIEW_THREAD,
	.read = read_talk,
	.means = means,
	.offers = offers,
	.draw = draw_talk,
	.status = status,
	.moved = moved,
	.leave = leave,
	.forget = forget,
};

static void to_end(struct tui_app *app)
{
	struct view *view = view_of(app);

	tui_list_step(app, (int)tui_list_count(app->list));
	view->follow = true;
}

static void read_again(struct tui_talk *talk)
{
	struct tui_app *app = talk->app;
	struct view *view = open_view(app);
	bool at_end;

	if (!view || view->talk != talk)
		return;
	at_end = tui_list_index(app->list) + 1 >= tui_list_count(app->list);
	tui_list_refresh(app);
	if (at_end)
		to_end(app);
}

struct recovery {
	int64_t thread;
};

static enum loom_status recover(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	const struct recovery *recovery = job->own;

	return loom_chat_recover(store, recovery->thread, err);
}

static void recovered(struct tui_app *app, struct tui_job *job, enum loom_status status,
		      const struct loom_err *err)
{
	const struct recovery *recovery = job->own;
	const struct view *view = open_view(app);

	(void)err;
	if (status == LOOM_OK && view && view->talk->thread == recovery->thread)
		read_again(view->talk);
}

/* Text that a turn was saying when its process died belongs to the conversation. */
static void recover_talk(struct tui_app *app, struct tui_talk *talk)
{
	struct tui_job *job = NULL;
	struct recovery *recovery;

	if (!talk->thread || talk->running || !loom_chat_left_open(app->store, talk->thread))
		return;
	job = tui_job_make(app);
	job->run = recover;
	job->done = recovered;
	recovery = LOOM_ARENA_NEW(job->arena, struct recovery);
	recovery->thread = talk->thread;
	job->own = recovery;
	job->silent = true;
	tui_job_post(job);
}

void tui_talk_open(struct tui_app *app, struct tui_talk *talk)
{
	struct view *view = loom_alloc(sizeof *view);

	view->talk = talk;
	talk->changed = read_again;
	view->arena = loom_arena_create();
	tui_list_open_with(app, &kind, view);
	to_end(app);
	recover_talk(app, talk);
}

bool tui_talk_open_named(struct tui_app *app, struct loom_str name,
			 void (*back)(struct tui_app *app, struct loom_str name))
{
	struct loom_thread thread;

	if (loom_thread_find(app->store, name, app->arena, &thread, NULL) != LOOM_OK)
		return false;
	tui_talk_open(app, tui_talk_of(app, thread.agent, thread.tree, thread.id));
	view_of(app)->back = back;
	return true;
}
