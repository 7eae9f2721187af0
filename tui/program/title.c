/* The line at the top: the tree, who acts and who else is here, and whether all of it is saved. */
#include <loom/desk/desk.h>

#include <loom/desk/ghosts.h>
#include <loom/desk/log_follow.h>
#include <loom/desk/macro.h>
#include <loom/desk/others.h>
#include <loom/desk/subject.h>
#include <loom/desk/tree_view.h>
#include <loom/desk/workers.h>
#include <loom/lists/approve.h>
#include <loom/lists/list.h>
#include <loom/text/width.h>

#include "inside.h"

#define PARTS      8
#define STATE_ROOM 60 /* cells in which the state is told in full */

/* One part of the right side. */
struct part {
	struct loom_buf text;
	enum tui_role role;
	int rank; /* the highest one goes first when there is no room */
};

struct parts {
	struct part items[PARTS];
	size_t count;
};

static struct loom_buf *add_part(struct parts *parts, enum tui_role role, int rank)
{
	struct part *part = &parts->items[parts->count++];

	LOOM_ASSERT(parts->count <= PARTS);
	*part = (struct part){.text = LOOM_BUF_INIT(1 << 12), .role = role, .rank = rank};
	return &part->text;
}

/* Whether anything typed or done is not on disk yet. */
static bool is_saving(const struct tui_app *app)
{
	bool unsaved = app->work->writes > 0;

	for (const struct tui_view *const *view = app->views; *view && !unsaved; view++)
		unsaved = (*view)->unsaved && (*view)->unsaved(app);
	return unsaved;
}

/* Whether all is saved, and if not, why not. */
static void add_state(const struct tui_app *app, struct parts *parts, int room)
{
	const struct tui_held *held = &app->work->held;

	if (app->news->replaced)
		loom_buf_adds(add_part(parts, TUI_ROLE_WARN, 0), "another grove is here now");
	else if (held->pid && room >= STATE_ROOM)
		loom_buf_adds(add_part(parts, TUI_ROLE_WARN, 0),
			      "saving: another process holds the grove");
	else if (held->pid)
		loom_buf_adds(add_part(parts, TUI_ROLE_WARN, 0), "saving: grove is held");
	else if (is_saving(app))
		loom_buf_adds(add_part(parts, TUI_ROLE_RUNNING, 0), "saving");
	else
		loom_buf_adds(add_part(parts, TUI_ROLE_DIM, 0), "saved");
}

static void add_people(struct tui_app *app, struct parts *parts)
{
	struct loom_buf *out = add_part(parts, TUI_ROLE_DIM, 6);

	loom_buf_adds(out, "acting: ");
	loom_buf_add(out, loom_agent_called(app->actor, app->people.me,
					    tui_people_name(&app->people, app->actor)));
	if (app->news->present_count)
		loom_buf_addf(add_part(parts, TUI_ROLE_DIM, 5), "%zu %s here",
			      app->news->present_count,
			      loom_plural((int64_t)app->news->present_count, "other", "others"));
	if (tui_followed(app).n)
		loom_buf_addf(add_part(parts, TUI_ROLE_DIM, 4), "following %.*s",
			      LOOM_STR_ARG(tui_followed(app)));
	if (app->approvals->count)
		loom_buf_addf(add_part(parts, TUI_ROLE_WARN, 1), "%zu %s for you",
			      app->approvals->count,
			      loom_plural((int64_t)app->approvals->count, "waits", "wait"));
	if (tui_macro_recording(app))
		loom_buf_addf(add_part(parts, TUI_ROLE_RUNNING, 2), "recording %c",
			      tui_macro_recording(app));
	if (app->streams->count)
		loom_buf_adds(add_part(parts, TUI_ROLE_RUNNING, 3), "generating");
}

/* The cells that the parts take, with a dot between two. */
static int cells_of(const struct parts *parts)
{
	int cells = 0;

	for (size_t i = 0; i < parts->count; i++)
		cells += (int)loom_str_width(loom_buf_str(&parts->items[i].text)) + (i ? 3 : 0);
	return cells;
}

static void drop_part(struct parts *parts, size_t at)
{
	loom_buf_fini(&parts->items[at].text);
	memmove(parts->items + at, parts->items + at + 1,
		(--parts->count - at) * sizeof *parts->items);
}

/* Drops what matters least until the rest fits; the state stays. */
static void fit(struct parts *parts, int room)
{
	while (parts->count > 1 && cells_of(parts) > room) {
		size_t last = 0;

		for (size_t i = 1; i < parts->count; i++)
			if (parts->items[i].rank > parts->items[last].rank)
				last = i;
		drop_part(parts, last);
	}
}

/* Returns the cells that it took, and two for the gap before it; `room` is what the title leaves.
 */
static int draw_right(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect, int room)
{
	struct parts parts = {.count = 0};
	struct tui_pen pen;
	int cells;

	add_people(app, &parts);
	add_state(app, &parts, room);
	fit(&parts, room);
	cells = cells_of(&parts);
	rect = (struct tui_rect){rect.x + rect.w - cells, rect.y, cells, 1};
	pen = tui_pen_make(grid, rect, TUI_INK(DIM));
	for (size_t i = 0; i < parts.count; i++) {
		pen.ink = TUI_INK(DIM);
		tui_pen_puts(&pen, i ? " \xc2\xb7 " : "");
		pen.ink.role = (uint8_t)parts.items[i].role;
		tui_pen_text(&pen, loom_buf_str(&parts.items[i].text));
		loom_buf_fini(&parts.items[i].text);
	}
	return cells ? cells + 2 : 0;
}

/* The tree's mode and subject as far as there is room up to `until`, and then what is hidden. */
static void draw_tree_part(struct tui_app *app, struct tui_pen *pen, int until)
{
	struct loom_buf hidden = LOOM_BUF_INIT(1 << 16);
	struct loom_buf log = LOOM_BUF_INIT(1 << 10);
	const struct loom_str subject = loom_buf_str(&app->subject->text);
	int rest;

	tui_log_say(app, &log);
	tui_filter_say(app, &hidden);
	rest = until - (int)loom_str_width(loom_buf_str(&hidden));
	pen->ink = TUI_INK(DIM);
	tui_pen_cut(pen, loom_buf_str(&log), rest - pen->x);
	if (app->tree.id && pen->x + 11 < rest)
		tui_pen_format(pen, " \xc2\xb7 %s",
			       app->tree.mode == LOOM_BUFFER ? "buffer" : "dialogue");
	if (subject.n && !tui_filter_text(app).n &&
	    pen->x + 3 + (int)loom_str_width(subject) <= rest)
		tui_pen_format(pen, " \xc2\xb7 %.*s", LOOM_STR_ARG(subject));
	pen->ink = TUI_INK(WARN);
	tui_pen_cut(pen, loom_buf_str(&hidden), until - pen->x);
	loom_buf_fini(&hidden);
	loom_buf_fini(&log);
}

static struct loom_str title_of(const struct tui_app *app)
{
	return app->list           ? tui_list_title(app->list)
	       : app->tree.title.n ? app->tree.title
	       : app->tree.id      ? LOOM_STR("(no title)")
				   : LOOM_STR("no tree yet");
}

/* How much is hidden takes its room before the title does. */
void tui_title_draw(struct tui_app *app, struct tui_grid *grid, struct tui_rect rect)
{
	struct tui_pen pen = tui_pen_make(grid, rect, TUI_INK(TITLE));
	struct loom_buf hidden = LOOM_BUF_INIT(1 << 16);
	int room;

	if (rect.w <= 0 || rect.h <= 0)
		return;
	if (!app->list)
		tui_filter_say(app, &hidden);
	room = rect.w - (int)loom_str_width(loom_buf_str(&hidden));
	room = rect.w - draw_right(app, grid, rect, room - (int)loom_str_width(title_of(app)) - 2);
	tui_pen_cut(&pen, title_of(app), room - (int)loom_str_width(loom_buf_str(&hidden)));
	if (!app->list)
		draw_tree_part(app, &pen, rect.x + room);
	loom_buf_fini(&hidden);
}
