/* What others do: notices of writes, the feed of events, and who is here. Only nodes numbered after
 * the last check are read. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/others.h>
#include <loom/grove/draft.h>
#include <loom/desk/position.h>
#include <loom/desk/subject.h>
#include <loom/desk/workers.h>
#include <loom/work/thread.h>
#include <loom/work/stream.h>

#define NEWS_LOOK   4096 /* nodes checked for news at once */
#define EVENTS      512
#define UNSURE_MS   1000
#define OPS_LOOK    64 /* the last operations, looked at for one that this person caused */
#define HIDDEN_LOOK 64 /* unseen nodes checked for being hidden by now */

/* The last operation looked up, and whether it is this person's. */
struct done_by {
	int64_t op;
	bool me;
};

/* Text that a model wrote at my request is not news, nor is an import of mine. */
static bool is_mine(const struct tui_app *app, const struct loom_node *node, struct done_by *by)
{
	struct loom_op op;

	if (node->author == app->actor || (app->thread && node->thread == app->thread))
		return true;
	if (by->op != node->op) {
		by->op = node->op;
		by->me = loom_op_get(app->store, node->op, app->arena, &op, NULL) == LOOM_OK &&
			 op.actor == app->actor;
	}
	return by->me;
}

static void add_unseen(struct tui_app *app, const struct loom_node *node, struct done_by *by)
{
	if (is_mine(app, node, by) || node->kind != LOOM_CONTINUATION ||
	    node->group == app->position || app->news->unseen_count == TUI_UNSEEN)
		return;
	for (size_t i = 0; i < app->news->unseen_count; i++) {
		if (app->news->unseen[i] == node->group)
			return;
	}
	app->news->unseen[app->news->unseen_count++] = node->group;
}

void tui_news_seen(struct tui_app *app, int64_t group)
{
	for (size_t i = 0; i < app->news->unseen_count; i++) {
		if (app->news->unseen[i] != group)
			continue;
		memmove(app->news->unseen + i, app->news->unseen + i + 1,
			(app->news->unseen_count - i - 1) * sizeof *app->news->unseen);
		app->news->unseen_count--;
		return;
	}
}

bool tui_is_hidden(struct tui_app *app, int64_t group)
{
	bool visible = false;

	return !app->outline.pruned_too &&
	       (loom_group_visible(app->store, group, &visible, NULL, NULL) != LOOM_OK || !visible);
}

/* Nodes undone or pruned meanwhile are no longer news; checks the newest ones. */
static void forget_hidden(struct tui_app *app)
{
	size_t least =
		app->news->unseen_count > HIDDEN_LOOK ? app->news->unseen_count - HIDDEN_LOOK : 0;

	for (size_t i = app->news->unseen_count; i-- > least;)
		if (tui_is_hidden(app, app->news->unseen[i]))
			tui_news_seen(app, app->news->unseen[i]);
}

static void read_nodes(struct tui_app *app)
{
	struct loom_nodes nodes = {NULL, 0};
	struct done_by by = {.op = 0};
	bool more = false;
	struct loom_err err;

	if (!tui_must(app,
		      loom_node_since(app->store,
				      &(struct loom_since){.tree = app->tree.id,
							   .after = app->news->newest,
							   .limit = NEWS_LOOK},
				      app->arena, &nodes, &more, &err),
		      &err))
		return;
	for (size_t i = 0; i < nodes.count; i++)
		add_unseen(app, &nodes.items[i], &by);
	forget_hidden(app);
	tui_must(app, loom_node_newest(app->store, &app->news->newest, &err), &err);
}

/* True when there was an operation on this tree, or on none in particular. */
static bool read_events(struct tui_app *app)
{
	struct loom_event *events = NULL;
	size_t count = 0;
	bool ours = false;
	struct loom_err err;

	app->news->others_op = 0;

	if (!tui_must(app,
		      loom_events_since(app->store, app->news->event_seq, EVENTS, app->arena,
					&events, &count, &err),
		      &err))
		return false;
	for (size_t i = 0; i < count; i++) {
		app->news->event_seq = events[i].seq;
		if (events[i].act != LOOM_EVENT_UNDONE && events[i].actor != app->actor)
			app->news->others_op = events[i].op.id;
		ours = ours || events[i].op.tree == app->tree.id || !events[i].op.tree ||
		       !app->tree.id;
	}
	return ours || count == EVENTS;
}

static enum loom_status keep_broken(struct loom_store *store, struct tui_job *job,
				    struct loom_err *err)
{
	int64_t count = 0;

	(void)job;
	(void)err;
	if (!loom_store_read_only(store))
		(void)!loom_stream_sweep(store, &count, NULL);
	return LOOM_OK;
}

/* A process that has left may have died while a model wrote for it. Its partial text is saved now,
 * since nobody else may come to do it. */
static void somebody_left(struct tui_app *app)
{
	struct tui_job *job = tui_job_make(app);

	job->run = keep_broken;
	tui_job_post(job);
}

static void read_presence(struct tui_app *app)
{
	size_t before = app->news->present_count;
	struct loom_err err;

	loom_arena_reset(app->news->live_arena);
	app->news->present = NULL;
	app->news->present_count = 0;
	if (loom_presence_list(app->store, app->news->session, app->news->live_arena,
			       &app->news->present, &app->news->present_count, &err) != LOOM_OK)
		app->news->present_count = 0;
	if (app->news->present_count < before)
		somebody_left(app);
}

static void read_tree(struct tui_app *app)
{
	struct loom_tree tree;
	const int64_t id = app->tree.id;
	const int64_t root = app->tree.root;
	struct loom_err err;

	loom_arena_reset(app->tree_arena);
	app->tree = (struct loom_tree){.id = id};
	if (tui_must(app, loom_tree_get(app->store, id, app->tree_arena, &tree, &err), &err))
		app->tree = tree;
	if (app->outline.root == root) /* the whole tree goes on being shown */
		app->outline.root = app->tree.root;
	tui_subject_read(app);
}

/* Moves to where the followed session is now. */
static void go_after(struct tui_app *app)
{
	char tree[LOOM_ULID_CHARS + 1];
	struct loom_node node;

	if (!app->news->follow[0] || app->writing)
		return;
	loom_ulid_text(&app->tree.ulid, tree);
	for (size_t i = 0; i < app->news->present_count; i++) {
		if (loom_str_is(app->news->present[i].session, app->news->follow) &&
		    loom_str_is(app->news->present[i].tree, tree) &&
		    loom_node_find(app->store, app->tree.id, app->news->present[i].node, app->arena,
				   &node, NULL) == LOOM_OK &&
		    node.group != app->position) {
			app->news->led = true;
			tui_go(app, node.group, TUI_GO_STEP);
			app->news->led = false;
		}
	}
}

/* Returns the name of somebody present; "you" in another of one's own windows. */
static struct loom_str name_of(const struct tui_app *app, const struct loom_presence *who)
{
	const struct tui_person *person = tui_people_named(&app->people, who->agent);

	return person ? loom_agent_called(person->agent.id, app->people.me, who->agent)
		      : who->agent;
}

struct loom_str tui_followed(const struct tui_app *app)
{
	for (size_t i = 0; app->news->follow[0] && i < app->news->present_count; i++)
		if (loom_str_is(app->news->present[i].session, app->news->follow))
			return name_of(app, &app->news->present[i]);
	return LOOM_STR("");
}

void tui_follow_end(struct tui_app *app)
{
	if (!app->news->follow[0] || app->news->led)
		return;
	app->news->follow[0] = '\0';
	if (!app->message.text[0])
		tui_say(app, TUI_ROLE_DIM, "you moved: no longer following");
}

TUI_DO(FOLLOW)
{
	size_t next = 0;

	for (size_t i = 0; i < app->news->present_count; i++)
		if (loom_str_is(app->news->present[i].session, app->news->follow))
			next = i + 1;
	if (next >= app->news->present_count) {
		tui_say(app, TUI_ROLE_DIM,
			app->news->follow[0] ? "no longer following"
					     : "nobody else is here to follow");
		app->news->follow[0] = '\0';
		return;
	}
	snprintf(app->news->follow, sizeof app->news->follow, "%.*s",
		 LOOM_STR_ARG(app->news->present[next].session));
	tui_say(app, TUI_ROLE_OK, "following %.*s · F again: the next, then nobody",
		LOOM_STR_ARG(name_of(app, &app->news->present[next])));
	go_after(app);
}

/* When the shown tree was undone, or there was none: enters the current tree, unless the person is
 * writing the beginning of a new one. */
static void leave_gone(struct tui_app *app)
{
	struct loom_tree tree;
	struct loom_err err = {.status = LOOM_OK};
	int64_t other = 0;

	if (app->tree.id ? loom_tree_get(app->store, app->tree.id, app->arena, &tree, NULL) !=
				   LOOM_NOT_FOUND
			 : app->writing != NULL)
		return;
	if (loom_current_tree(app->store, &other, &err) == LOOM_OK)
		tui_app_tree(app, other);
	else if (err.status != LOOM_NOT_FOUND)
		tui_must(app, err.status, &err);
	else if (app->tree.id)
		tui_app_bare(app);
}

/* ---- what others did at this person's request, and to their place ---- */

void tui_news_caused(struct tui_app *app, int64_t thread)
{
	struct tui_news *news = app->news;

	for (size_t i = 0; i < news->caused_count; i++)
		if (news->caused[i] == thread)
			return;
	if (thread && news->caused_count < TUI_CAUSED)
		news->caused[news->caused_count++] = thread;
}

static bool is_caused(const struct tui_app *app, const struct loom_op *op)
{
	for (size_t i = 0; op->thread && i < app->news->caused_count; i++)
		if (app->news->caused[i] == op->thread)
			return true;
	return false;
}

int64_t tui_news_undoable(struct tui_app *app)
{
	const struct loom_op_page page = {.limit = OPS_LOOK};
	struct loom_op *ops = NULL;
	size_t count = 0;

	if (!app->news->caused_count ||
	    loom_op_list(app->store, &page, app->arena, &ops, &count, NULL) != LOOM_OK)
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (ops[i].state != LOOM_OP_DONE)
			continue;
		if (ops[i].actor == app->actor)
			return 0;
		if (is_caused(app, &ops[i]))
			return ops[i].id;
	}
	return 0;
}

/* Says who took the place away that this person stood on, and how it comes back. */
static void say_moved(struct tui_app *app, int64_t was)
{
	const struct tui_row *now = NULL;
	struct loom_op op;

	if (tui_rows_get(&app->rows, app->position, &now, NULL) != LOOM_OK ||
	    loom_op_get(app->store, app->news->others_op, app->arena, &op, NULL) != LOOM_OK ||
	    op.actor == app->actor || op.state != LOOM_OP_DONE)
		return;
	app->news->left = was;
	app->news->stood = app->position;
	if (is_caused(app, &op))
		tui_say(app, TUI_ROLE_OK,
			"%.*s: %.*s · you stood there, and are at [%s] now · "
			"u takes it back",
			LOOM_STR_ARG(op.actor_name), LOOM_STR_ARG(op.text), now->id);
	else
		tui_say(app, TUI_ROLE_OK,
			"%.*s: %.*s · you stood there, and are at [%s] now · "
			":undo %lld takes it back",
			LOOM_STR_ARG(op.actor_name), LOOM_STR_ARG(op.text), now->id,
			(long long)op.id);
}

/* Tells a person whose place was taken away, and leads them back to it when it is there again. */
static void hold_place(struct tui_app *app, int64_t was)
{
	struct tui_news *news = app->news;
	const struct tui_row *row = NULL;

	if (was && app->position != was && tui_is_hidden(app, was)) {
		say_moved(app, was);
	} else if (news->left && app->position != news->stood) {
		news->left = 0;
	} else if (news->left && !tui_is_hidden(app, news->left)) {
		const int64_t back = news->left;

		news->left = 0;
		if (!app->writing && tui_go(app, back, TUI_GO_STEP) &&
		    tui_rows_get(&app->rows, back, &row, NULL) == LOOM_OK)
			tui_say(app, TUI_ROLE_OK, "[%s] is back, and you are there again", row->id);
	}
}

/* Shows what was done, here or elsewhere. */
static void take_events(struct tui_app *app)
{
	const int64_t was = app->position;
	const int64_t tree = app->tree.id;
	struct loom_err err;

	leave_gone(app);
	tui_must(app, tui_people_read(&app->people, app->store, &err), &err);
	if (app->tree.id) {
		read_tree(app);
		read_nodes(app);
		tui_refresh(app);
		if (app->tree.id == tree)
			hold_place(app, was);
	}
	tui_tell(app, TUI_TOLD_DONE);
}

/* Positions, presence and drafts change without an event; then it is enough to see who is here. */
static void take_news(struct tui_app *app)
{
	read_presence(app);
	tui_tell(app, TUI_TOLD_WRITTEN);
	if (read_events(app))
		take_events(app);
	tui_tell(app, TUI_TOLD_PRESENT);
	go_after(app);
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void on_unsure(void *ctx)
{
	struct tui_app *app = ctx;

	tui_news_look(app);
	if (app->news->unsure && !app->news->replaced)
		loom_loop_timer(app->loop, LOOM_WATCH_POLL_MS, on_unsure, app);
}

/* A file that is being overwritten cannot be judged at first; if it goes on, it is another grove.
 * Reported once; the picture stays as it was. */
static bool is_still(struct tui_app *app)
{
	struct loom_err err = {.status = LOOM_OK};
	const enum loom_status status = loom_store_still(app->store, &err);
	const int64_t now = loom_env_boot();
	const bool first = !app->news->unsure;

	if (status != LOOM_BUSY)
		app->news->unsure = 0;
	else if (first)
		app->news->unsure = now;
	if (status == LOOM_BUSY && now - app->news->unsure < UNSURE_MS) {
		if (first)
			loom_loop_timer(app->loop, LOOM_WATCH_POLL_MS, on_unsure, app);
		return false;
	}
	app->news->replaced = !tui_must(app, status, &err);
	if (app->news->replaced && app->stage)
		tui_stage_dirty(app->stage);
	return !app->news->replaced;
}

void tui_news_look(struct tui_app *app)
{
	if (!app->news->replaced && is_still(app) && loom_store_changed(app->store))
		take_news(app);
}

/* Somebody moved without writing anything. */
static void look_around(struct tui_app *app)
{
	if (!loom_watch_live(app->news->watch))
		return;
	read_presence(app);
	go_after(app);
	tui_tell(app, TUI_TOLD_PRESENT);
	if (app->stage)
		tui_stage_dirty(app->stage);
}

static void on_watch(void *ctx, int fd, unsigned events)
{
	struct tui_app *app = ctx;

	(void)fd;
	(void)events;
	if (loom_watch_drain(app->news->watch))
		tui_news_look(app);
	tui_tell(app, TUI_TOLD_NOTICED);
	look_around(app);
}

static void on_poll(void *ctx)
{
	struct tui_app *app = ctx;

	tui_news_look(app);
	tui_tell(app, TUI_TOLD_NOTICED);
	look_around(app);
	loom_loop_timer(app->loop, LOOM_WATCH_POLL_MS, on_poll, app);
}

void tui_presence_say(struct tui_app *app, const char *doing)
{
	char tree[LOOM_ULID_CHARS + 1];
	const struct tui_person *who = tui_people_get(&app->people, app->actor);
	const struct tui_row *row = NULL;
	struct loom_presence what = {.doing = loom_str_of(doing), .tree = {tree, LOOM_ULID_CHARS}};
	struct loom_err err;

	if (!app->news->session || !who ||
	    tui_rows_get(&app->rows, app->position, &row, &err) != LOOM_OK)
		return;
	loom_ulid_text(&app->tree.ulid, tree);
	what.agent = who->agent.name;
	what.human = who->agent.kind == LOOM_AGENT_HUMAN;
	what.node = loom_str_of(row->id);
	what.depth = row->depth;
	if (loom_session_say(app->news->session, &what, &err) != LOOM_OK)
		return;
}

void tui_news_start(struct tui_app *app)
{
	struct loom_err err;

	if (loom_session_open(app->store, &app->news->session, &err) != LOOM_OK)
		app->news->session = NULL;
	tui_must(app, loom_events_last(app->store, &app->news->event_seq, &err), &err);
	tui_must(app, loom_node_newest(app->store, &app->news->newest, &err), &err);
	(void)loom_store_changed(app->store);
	(void)!loom_store_still(app->store, NULL);
	read_presence(app);
	tui_tell(app, TUI_TOLD_OPEN);
	app->news->watch = loom_watch_open(app->store);
	if (loom_watch_fd(app->news->watch) >= 0)
		loom_loop_watch(app->loop, loom_watch_fd(app->news->watch), LOOM_LOOP_READ,
				on_watch, app);
	else
		loom_loop_timer(app->loop, LOOM_WATCH_POLL_MS, on_poll, app);
}

static void news_stop(struct tui_app *app)
{
	if (app->news->watch && loom_watch_fd(app->news->watch) >= 0)
		loom_loop_watch(app->loop, loom_watch_fd(app->news->watch), 0, NULL, NULL);
	loom_watch_close(app->news->watch);
	loom_session_close(app->news->session);
	app->news->watch = NULL;
	app->news->session = NULL;
}

static void stands(struct tui_app *app)
{
	tui_news_seen(app, app->position);
}

static void begin(struct tui_app *app)
{
	app->news = loom_alloc(sizeof *app->news);
	app->news->live_arena = loom_arena_create();
}

static void left(struct tui_app *app)
{
	app->news->unseen_count = 0;
	app->news->left = 0;
}

static void closed(struct tui_app *app)
{
	if (app->store)
		news_stop(app);
	loom_arena_destroy(app->news->live_arena);
	free(app->news);
}

const struct tui_view tui_view_news = {
	.told = {[TUI_TOLD_BEGIN] = begin,
		 [TUI_TOLD_STANDS] = stands,
		 [TUI_TOLD_LEFT] = left,
		 [TUI_TOLD_CLOSED] = closed},
};
