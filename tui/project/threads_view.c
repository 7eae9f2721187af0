/* The threads of each objective: what they have and what they read of each other; beside them, the
 * context each would get now. The worker looks everything up; the view shows the last answer. */

#include <loom/project/threads_work.h>

#include <loom/desk/does.h>
#include <loom/lists/list.h>
#include <loom/lists/talk.h>
#include <loom/desk/screen_gate.h>
#include <loom/writing/command_line.h>

#include "inside.h"

#define FOLDED_FROM 24 /* threads: when there are more, they start folded */

struct view {
	struct tui_threads found;
	struct tui_leslie_watch *watch;
	struct loom_buf chosen; /* the row that gets the cursor once it exists */
	enum tui_command then;  /* then run this command on it */
	struct loom_buf title;
	struct loom_buf text;   /* shown beside the rows */
	struct loom_buf wanted; /* what the text should be about */
	struct loom_buf shown;  /* what it is about */
	enum tui_role role;
	bool block;                   /* the text is a <thread_context> */
	bool looking;                 /* for the text */
	struct tui_leslie_job *asked; /* y would post this */
};

static const struct tui_list_kind kind;
static void want_text(struct tui_app *app);
static void moved(struct tui_app *app, const struct tui_entry *entry);

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

static struct tui_thread *thread_of(struct view *view, const struct tui_entry *entry)
{
	size_t i = entry ? (size_t)(entry->id - 1) / ROW_SPAN : SIZE_MAX;

	return i < view->found.count ? &view->found.items[i] : NULL;
}

/* The index of a row among a thread's assets and, after them, its references. */
static size_t place_of(const struct tui_entry *entry)
{
	return (size_t)(entry->id - 1) % ROW_SPAN - 1;
}

/* The reference that a row of this thread stands for, or NULL. */
static const struct loom_leslie_edge *edge_of(const struct tui_thread *thread,
					      const struct tui_entry *entry)
{
	return entry->other == ROW_REFERENCE
		       ? &thread->thread.references[place_of(entry) - thread->assets.count]
		       : NULL;
}

static enum loom_status read_threads(struct tui_app *app, struct tui_list *list,
				     struct loom_err *err)
{
	return tui_threads_rows(app, list, &((struct view *)tui_list_own(list))->found, err);
}

/* ---- looking ---- */

static void keep_folds(struct view *view, struct tui_threads *found)
{
	for (size_t i = 0; i < found->count; i++) {
		found->items[i].folded = found->count >= FOLDED_FROM;
		for (size_t k = 0; k < view->found.count; k++)
			if (loom_str_eq(view->found.items[k].thread.id, found->items[i].thread.id))
				found->items[i].folded = view->found.items[k].folded;
	}
}

static int64_t row_of(const struct view *view, struct loom_str id)
{
	for (size_t i = 0; id.n && i < view->found.count; i++)
		if (loom_str_eq(view->found.items[i].thread.id, id))
			return 1 + (int64_t)(i * ROW_SPAN);
	return 0;
}

static void do_then(struct tui_app *app, struct view *view)
{
	const struct tui_binding binding = {.command = view->then};

	view->then = TUI_COMMAND_NONE;
	if (binding.command)
		(void)!tui_list_does(app, &(struct tui_match){.binding = &binding});
}

static void looked(struct tui_app *app, struct tui_leslie_job *job)
{
	struct view *view = open_view(app);

	if (!view || tui_list_serial(app->list) != job->serial)
		return;
	if (job->status != LOOM_OK) {
		tui_list_ready(app);
		tui_say(app, TUI_ROLE_ERROR, "%.*s", LOOM_STR_ARG(job->why));
		return;
	}
	tui_list_ready(app);
	keep_folds(view, &job->found);
	loom_arena_destroy(view->found.arena);
	view->found = job->found;
	tui_leslie_watch_these(view->watch, &view->found);
	job->arena = NULL;
	loom_buf_clear(&view->shown);
	tui_list_refresh(app);
	tui_list_to(app->list, row_of(view, loom_buf_str(&view->chosen)));
	loom_buf_clear(&view->chosen);
	moved(app, tui_list_at(app->list));
	if (job->text.n)
		tui_say(app, TUI_ROLE_WARN, "%.*s", LOOM_STR_ARG(job->text));
	do_then(app, view);
}

static void look_again_at_all(struct tui_app *app)
{
	struct tui_leslie_job *job;

	if (!open_view(app))
		return;
	job = tui_leslie_job(app);
	job->run = tui_leslie_threads;
	job->done = looked;
	tui_leslie_post(app, job);
}

/* ---- the text beside ---- */

enum tui_role tui_block_role(struct loom_str line)
{
	struct loom_str rest = loom_str_trim(line);

	if (loom_str_starts(rest, LOOM_STR("! ")))
		return TUI_ROLE_WARN;
	if (loom_str_starts(rest, LOOM_STR("<asset")))
		return TUI_ROLE_CODE;
	return loom_str_starts(rest, LOOM_STR("<ref")) ? TUI_ROLE_LINK : TUI_ROLE_TEXT;
}

static void text_found(struct tui_app *app, struct tui_leslie_job *job)
{
	struct view *view = open_view(app);

	if (!view || tui_list_serial(app->list) != job->serial)
		return;
	view->looking = false;
	view->role = job->status == LOOM_OK ? TUI_ROLE_TEXT : TUI_ROLE_WARN;
	view->block = job->number && job->status == LOOM_OK;
	loom_buf_clear(&view->text);
	loom_buf_add(&view->text, job->status == LOOM_OK ? job->text : job->why);
	loom_buf_clear(&view->shown);
	loom_buf_add(&view->shown, job->name);
	loom_buf_clear(&view->title);
	if (job->number)
		loom_buf_addf(&view->title, "What %.*s gets now", LOOM_STR_ARG(job->thread));
	else
		loom_buf_add(&view->title, job->name);
	want_text(app);
}

/* One look at a time; then whatever is wanted by that time. */
static void want_text(struct tui_app *app)
{
	struct view *view = view_of(app);
	struct tui_leslie_job *job;
	struct tui_thread *thread = thread_of(view, tui_list_at(app->list));
	struct loom_str wanted = loom_buf_str(&view->wanted);

	if (view->looking || !thread || loom_str_eq(wanted, loom_buf_str(&view->shown)))
		return;
	view->looking = true;
	job = tui_leslie_job(app);
	job->number = !loom_str_starts(wanted, LOOM_STR(".leslie/"));
	job->run = job->number ? tui_leslie_block : tui_leslie_asset;
	job->name = loom_arena_str(job->arena, wanted);
	job->thread = loom_arena_str(job->arena, thread->thread.id);
	job->done = text_found;
	tui_leslie_post(app, job);
}

static void moved(struct tui_app *app, const struct tui_entry *entry)
{
	struct view *view = tui_list_own(app->list);
	struct tui_thread *thread = thread_of(view, entry);

	loom_buf_clear(&view->wanted);
	if (!thread)
		return;
	loom_buf_add(&view->wanted, entry->other == ROW_ASSET
					    ? thread->assets.items[place_of(entry)].path
					    : thread->thread.id);
	want_text(app);
}

static void side(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	struct view *view = tui_list_own(app->list);

	if (entry && entry->other == TUI_TALK_ROW) {
		tui_talks_preview(app, entry, out);
	}
	if (!thread_of(view, entry))
		return;
	out->title = loom_buf_str(&view->title);
	out->text = loom_buf_str(&view->text);
	out->role = view->role;
	out->line_role = view->block ? tui_block_role : NULL;
}

/* ---- doing ---- */

static void done(struct tui_app *app, struct tui_leslie_job *job)
{
	struct view *view = open_view(app);

	if (job->status == LOOM_OK)
		tui_say(app, job->warnings.count ? TUI_ROLE_WARN : TUI_ROLE_OK, "%.*s",
			LOOM_STR_ARG(job->text));
	else
		tui_say(app, TUI_ROLE_ERROR, "%.*s", LOOM_STR_ARG(job->why));
	if (view && job->number && job->thread.n) {
		loom_buf_clear(&view->chosen);
		loom_buf_add(&view->chosen, job->thread);
	}
	look_again_at_all(app);
}

static struct tui_leslie_job *doing(struct tui_app *app, const struct tui_thread *thread)
{
	struct tui_leslie_job *job = tui_leslie_job(app);

	job->done = done;
	if (thread)
		job->thread = loom_arena_str(job->arena, thread->thread.id);
	return job;
}

static void on_yes(struct tui_app *app)
{
	struct view *view = open_view(app);

	if (!view || !view->asked)
		return;
	tui_leslie_post(app, view->asked);
	view->asked = NULL;
}

static void drop_asked(struct view *view)
{
	tui_leslie_drop(view->asked);
	view->asked = NULL;
}

static void ask(struct tui_app *app, struct tui_leslie_job *job)
{
	struct view *view = view_of(app);

	drop_asked(view);
	view->asked = job;
	app->asked = on_yes;
}

static void step(struct tui_app *app, const struct tui_thread *thread,
		 enum loom_leslie_action action)
{
	struct tui_leslie_job *job;
	enum loom_leslie_status to;

	if (!tui_may(app, "thread lifecycle"))
		return;
	job = doing(app, thread);
	job->run = tui_leslie_step;
	job->action = action;
	/* Impossible steps are refused further down, with a message from the table of steps. */
	if (action == LOOM_LESLIE_SUSPEND || action == LOOM_LESLIE_RESUME ||
	    !loom_leslie_next(thread->thread.status, action, &to)) {
		tui_leslie_post(app, job);
		return;
	}
	ask(app, job);
	tui_say(app, TUI_ROLE_WARN, "y: %.*s is %s for good", LOOM_STR_ARG(thread->thread.id),
		loom_leslie_status_name(to));
}

static void end(struct tui_app *app, const struct tui_thread *thread,
		const struct loom_leslie_edge *edge)
{
	enum loom_leslie_status to;
	struct tui_leslie_job *job;

	if (!edge) {
		step(app, thread,
		     loom_leslie_next(thread->thread.status, LOOM_LESLIE_ARCHIVE, &to)
			     ? LOOM_LESLIE_ARCHIVE
			     : LOOM_LESLIE_CANCEL);
		return;
	}
	if (!tui_may(app, "thread unref"))
		return;
	job = doing(app, thread);
	job->run = tui_leslie_unref;
	job->name = loom_arena_str(job->arena, edge->thread);
	ask(app, job);
	tui_say(app, TUI_ROLE_WARN, "y: %.*s no longer reads %.*s, and its copies are deleted",
		LOOM_STR_ARG(thread->thread.id), LOOM_STR_ARG(edge->thread));
}

static void refresh(struct tui_app *app, const struct tui_thread *thread,
		    const struct loom_leslie_edge *edge)
{
	struct tui_leslie_job *job;

	if (!tui_may(app, "thread refresh"))
		return;
	job = doing(app, thread);
	job->run = tui_leslie_refresh;
	job->name = loom_arena_str(job->arena, edge ? edge->thread : LOOM_STR(""));
	tui_leslie_post(app, job);
}

/* Spawns in the row's objective, or else the only one, or else a new one. */
static void spawn(struct tui_app *app, struct loom_str intent)
{
	struct view *view = open_view(app);
	struct tui_leslie_job *job;
	struct tui_thread *thread;

	if (!view || !tui_may(app, "thread spawn"))
		return;
	job = doing(app, NULL);
	thread = thread_of(view, tui_list_at(app->list));
	if (thread)
		job->thread = loom_arena_str(job->arena, thread->thread.objective);
	else if (view->found.objective_count)
		job->thread = loom_arena_str(job->arena, view->found.objectives[0].id);
	job->name = loom_arena_str(job->arena, intent);
	job->run = tui_leslie_spawn;
	job->number = 1;
	tui_leslie_post(app, job);
}

static void mark(struct tui_app *app, const struct tui_thread *thread)
{
	if (loom_str_is(thread->thread.id, app->source)) {
		app->source[0] = '\0';
	} else {
		snprintf(app->source, sizeof app->source, "%.*s", LOOM_STR_ARG(thread->thread.id));
		tui_say(app, TUI_ROLE_OK, "%s is the source: r on another thread lets that read it",
			app->source);
	}
	tui_list_refresh(app);
}

static void fold(struct tui_app *app, struct tui_thread *thread, bool folded)
{
	thread->folded = folded;
	tui_list_refresh(app);
}

/* ---- the menu ---- */

static const struct {
	enum tui_command command;
	const char *text;
} menu[] = {
	{TUI_ACTION_OPEN, "open… the full text of this row"},
	{TUI_ACTION_THREAD_SHARE, "ref… let it read another thread's files"},
	{TUI_ACTION_THREAD_REFRESH, "copy its references again"},
	{TUI_ACTION_SELECT, "mark it as the source of a reference"},
	{TUI_ACTION_THREAD_SUSPEND, "suspend or resume it"},
	{TUI_ACTION_THREAD_DONE, "mark its work as done"},
	{TUI_ACTION_THREAD_END, "cancel or archive it"},
	{TUI_ACTION_ADD, "a new thread for this objective"},
};

static enum loom_status read_menu(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	(void)err;
	for (size_t i = 0; i < LOOM_COUNT(menu); i++) {
		struct loom_buf keys = LOOM_BUF_INIT(64);

		tui_keymap_spell(&app->keymap, TUI_KEYVIEW_THREADS, menu[i].command, &keys);
		tui_list_add(list,
			     &(struct tui_entry){
				     .lead = loom_arena_buf(tui_list_arena(list), &keys),
				     .lead_role = TUI_ROLE_KEY,
				     .text = loom_str_of(menu[i].text),
				     .end = loom_str_of(tui_command_info(menu[i].command)->name),
				     .id = (int64_t)menu[i].command});
		loom_buf_fini(&keys);
	}
	return LOOM_OK;
}

static void leave_menu(struct tui_app *app)
{
	struct loom_str chosen = loom_arena_str(app->arena, tui_list_argument(app->list));

	tui_threads_open(app, chosen);
}

static void open_menu(struct tui_app *app, const struct tui_entry *entry)
{
	enum tui_command command = (enum tui_command)entry->id;

	leave_menu(app);
	view_of(app)->then = command;
}

static void show_menu(struct tui_app *app, const struct tui_thread *thread)
{
	static const struct tui_list_kind menu_kind = {.title = "Actions for this thread",
						       .unit = "command",
						       .empty = "",
						       .ours = true,
						       .read = read_menu,
						       .open = open_menu,
						       .leave = leave_menu};
	struct loom_str id = loom_arena_str(app->arena, thread->thread.id);

	tui_list_open(app, &menu_kind, id);
}

/* ---- commands ---- */

/* The thread of the current row, or NULL. */
static struct tui_thread *thread_here(struct tui_app *app)
{
	return thread_of(view_of(app), tui_list_at(app->list));
}

static void with_thread(struct tui_app *app, const struct tui_match *match,
			void (*does)(struct tui_app *app, const struct tui_thread *thread,
				     const struct loom_leslie_edge *edge))
{
	struct tui_thread *thread = thread_here(app);

	if (thread)
		does(app, thread, edge_of(thread, tui_list_at(app->list)));
	else
		tui_nothing_here(app, match);
}

static void share(struct tui_app *app, const struct tui_thread *thread,
		  const struct loom_leslie_edge *edge)
{
	(void)edge;
	tui_share_open(app, &view_of(app)->found, thread->thread.id, loom_str_of(app->source));
}

static void suspend(struct tui_app *app, const struct tui_thread *thread,
		    const struct loom_leslie_edge *edge)
{
	(void)edge;
	step(app, thread,
	     thread->thread.status == LOOM_LESLIE_ACTIVE ? LOOM_LESLIE_SUSPEND
							 : LOOM_LESLIE_RESUME);
}

static void complete(struct tui_app *app, const struct tui_thread *thread,
		     const struct loom_leslie_edge *edge)
{
	(void)edge;
	step(app, thread, LOOM_LESLIE_DONE);
}

TUI_DO(THREAD_SHARE)
{
	with_thread(app, match, share);
}

TUI_DO(THREAD_REFRESH)
{
	with_thread(app, match, refresh);
}

TUI_DO(THREAD_SUSPEND)
{
	with_thread(app, match, suspend);
}

TUI_DO(THREAD_DONE)
{
	with_thread(app, match, complete);
}

TUI_DO(THREAD_END)
{
	with_thread(app, match, end);
}

TUI_MEANS(pick_source)
{
	const struct tui_thread *thread = thread_here(app);

	if (thread)
		mark(app, thread);
	return thread != NULL;
}

TUI_MEANS(menu_here)
{
	const struct tui_thread *thread = thread_here(app);

	if (thread)
		show_menu(app, thread);
	return thread != NULL;
}

/* Opens a row that is a conversation. False when it is not. */
static bool open_talk(struct tui_app *app)
{
	const struct tui_entry *entry = tui_list_at(app->list);

	if (!entry || entry->other != TUI_TALK_ROW)
		return false;
	tui_talks_open(app, entry);
	return true;
}

/* Opens the thread's conversation if it has one, otherwise enlarges the text beside it. */
TUI_MEANS(open_row)
{
	const struct tui_entry *entry = tui_list_at(app->list);
	const struct tui_thread *thread = thread_of(view_of(app), entry);

	if (open_talk(app))
		return true;
	if (!thread)
		return false;
	if (entry->other != ROW_THREAD ||
	    !tui_talk_open_named(app, thread->thread.id, tui_threads_open))
		tui_list_zoom(app->list);
	return true;
}

TUI_MEANS(into_row)
{
	const struct tui_entry *entry = tui_list_at(app->list);
	struct tui_thread *thread = thread_of(view_of(app), entry);

	if (open_talk(app))
		return true;
	if (!thread)
		return false;
	if (entry->other == ROW_THREAD && thread->folded)
		fold(app, thread, false);
	else
		tui_list_zoom(app->list);
	return true;
}

TUI_MEANS(out_of_row)
{
	const struct tui_entry *entry = tui_list_at(app->list);
	struct tui_thread *thread = thread_of(view_of(app), entry);

	if (thread && entry->other != ROW_THREAD)
		tui_list_to(app->list, row_of(view_of(app), thread->thread.id));
	else if (thread && !thread->folded && thread->assets.count + thread->thread.reference_count)
		fold(app, thread, true);
	else
		return false;
	return true;
}

TUI_MEANS(add_thread_here)
{
	tui_prompt_line(app, "purpose of the new thread: ", LOOM_STR(""), spawn);
	return true;
}

/* The picture is redrawn as well. */
TUI_MEANS(look_again)
{
	look_again_at_all(app);
	return false;
}

static const struct tui_meaning means[] = {
	{TUI_ACTION_ADD, add_thread_here, 0}, {TUI_ACTION_REDRAW, look_again, 0},
	{TUI_ACTION_SELECT, pick_source, 0},  {TUI_ACTION_MENU, menu_here, 0},
	{TUI_ACTION_OPEN, open_row, 0},       {TUI_ACTION_IN, into_row, 0},
	{TUI_ACTION_OUT, out_of_row, 0},      {.command = TUI_COMMAND_NONE},
};

/* ---- the view ---- */

static bool offers(const struct tui_list *list, const struct tui_entry *entry,
		   enum tui_command command)
{
	if (command == TUI_ACTION_THREAD_REFRESH || command == TUI_ACTION_THREAD_SHARE ||
	    command == TUI_ACTION_SELECT || command == TUI_ACTION_MENU)
		return thread_of(tui_list_own(list), entry) != NULL;
	return command != TUI_ACTION_OPEN || entry != NULL;
}

static void forget(void *own)
{
	struct view *view = own;

	drop_asked(view);
	tui_leslie_unwatch(view->watch);
	loom_arena_destroy(view->found.arena);
	loom_buf_fini(&view->chosen);
	loom_buf_fini(&view->title);
	loom_buf_fini(&view->text);
	loom_buf_fini(&view->wanted);
	loom_buf_fini(&view->shown);
	free(view);
}

static const struct tui_list_kind kind = {
	.title = "Threads",
	.unit = "row",
	.empty = "no threads: a creates one; to chat, an agent needs permissions",
	.view = TUI_KEYVIEW_THREADS,
	.read = read_threads,
	.means = means,
	.offers = offers,
	.moved = moved,
	.side = side,
	.forget = forget,
};

void tui_threads_open(struct tui_app *app, struct loom_str chosen)
{
	struct view *view = loom_alloc(sizeof *view);

	loom_buf_init(&view->chosen, 1 << 10);
	loom_buf_init(&view->title, 1 << 12);
	loom_buf_init(&view->text, LOOM_BUF_MAX);
	loom_buf_init(&view->wanted, 1 << 16);
	loom_buf_init(&view->shown, 1 << 16);
	loom_buf_add(&view->chosen, chosen);
	view->watch = tui_leslie_watch(app, look_again_at_all);
	tui_list_open_with(app, &kind, view);
	tui_list_wait(app->list);
	look_again_at_all(app);
}

TUI_DO(VIEW_THREADS)
{
	tui_threads_open(app, LOOM_STR(""));
}
