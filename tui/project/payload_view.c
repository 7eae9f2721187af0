/* The project's payload, `input.md`: the files and URLs it is made from, by scope, the cost of each
 * part, and its text beside them. Toggling, adding and moving edit the lists at once, and the
 * payload is rebuilt after every change. */
#include <loom/project/payload_view.h>

#include <loom/desk/copy.h>
#include <loom/desk/does.h>

#include <loom/lists/list.h>
#include <loom/desk/screen_gate.h>
#include <loom/writing/command_line.h>

#define OFF_MAX 64

enum row { ROW_WHOLE, ROW_ENTRY, ROW_OFF, ROW_PART, ROW_WARNING };

/* Removed from a list here but still shown, so that it can be put back. */
struct off {
	enum loom_scope scope;
	struct loom_buf target;
	size_t line; /* its line in the list before */
};

/* The place when the view was last left. */
struct tui_payload_place {
	int scope;         /* the scope that picked paths go to */
	char session[256]; /* whose payload is shown; empty: the newest */
	char turn[24];
};

struct view {
	struct tui_payload_job now; /* what is shown; nothing yet when its arena is NULL */
	struct off off[OFF_MAX];
	size_t off_count;
	int64_t chosen; /* the row that gets the cursor once it exists */
};

static const struct tui_list_kind kind;
static void open_here(struct tui_app *app);

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

/* A row's permanent id, from its scope and target. */
static int64_t row_id(enum loom_scope scope, struct loom_str target)
{
	uint64_t hash = 1469598103934665603U + (uint64_t)scope;
	size_t n = target.n && target.p[target.n - 1] == '/' ? target.n - 1 : target.n;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)target.p[i]) * 1099511628211U;
	return (int64_t)(hash >> 2 | 1U << 20);
}

/* ---- rows ---- */

/* The cost of an entry's resources (a folder has several); *found: the file exists. */
static size_t tokens_of(const struct view *view, struct loom_str target)
{
	size_t tokens = 0;

	for (size_t i = 0; i < view->now.payload.part_count; i++) {
		const struct loom_payload_part *part = &view->now.payload.parts[i];
		bool in = target.n == 0 ||
			  (loom_str_starts(part->name, target) &&
			   (part->name.n == target.n || part->name.p[target.n] == '/'));

		if (part->resource && in)
			tokens += part->tokens;
	}
	return tokens;
}

static const struct loom_payload_part *part_of(const struct view *view, struct loom_str target)
{
	for (size_t i = 0; i < view->now.payload.part_count; i++)
		if (view->now.payload.parts[i].resource &&
		    loom_str_eq(view->now.payload.parts[i].name, target))
			return &view->now.payload.parts[i];
	return NULL;
}

static struct loom_str slice(const struct view *view, const struct loom_payload_part *part)
{
	return loom_str_sub(loom_buf_str(&view->now.payload.text), part->from, part->bytes);
}

static struct loom_str count_text(struct loom_arena *arena, size_t tokens)
{
	struct loom_buf out = LOOM_BUF_INIT(64);
	struct loom_str text;

	loom_buf_add_count(&out, tokens);
	loom_buf_adds(&out, " t");
	text = loom_arena_buf(arena, &out);
	loom_buf_fini(&out);
	return text;
}

static void add_whole(struct tui_list *list, const struct view *view)
{
	struct loom_arena *arena = tui_list_arena(list);
	struct loom_buf text = LOOM_BUF_INIT(1 << 12);
	size_t bytes = view->now.payload.text.n;
	struct tui_entry entry = {.lead = LOOM_STR("input.md"),
				  .lead_role = TUI_ROLE_TITLE,
				  .end = count_text(arena, (bytes + 3) / 4),
				  .id = 1,
				  .other = ROW_WHOLE};

	if (view->now.payload.session.n)
		loom_buf_addf(&text, "session %.*s · turn %.*s · ",
			      LOOM_STR_ARG(view->now.payload.session),
			      LOOM_STR_ARG(view->now.payload.turn));
	loom_buf_add_count(&text, bytes);
	loom_buf_addf(&text, " bytes");
	entry.text = loom_arena_buf(arena, &text);
	tui_list_add(list, &entry);
	loom_buf_fini(&text);
}

/* The window and the price of the agent that it would go to, beside its tokens. */
static void add_goal(struct tui_app *app, struct tui_list *list, const struct view *view)
{
	struct loom_arena *arena = tui_list_arena(list);
	struct loom_buf text = LOOM_BUF_INIT(1 << 12);

	tui_payload_fits(app, view->now.payload.text.n, &text);
	if (text.n)
		tui_list_add(list, &(struct tui_entry){.lead = LOOM_STR("goes to"),
						       .lead_role = TUI_ROLE_DIM,
						       .text = loom_arena_buf(arena, &text),
						       .id = 2,
						       .other = ROW_WHOLE});
	loom_buf_fini(&text);
}

static void add_entry(struct tui_list *list, const struct view *view,
		      const struct loom_payload_entry *source)
{
	struct loom_arena *arena = tui_list_arena(list);
	const struct loom_payload_part *part = part_of(view, source->target);
	bool lost = part &&
		    loom_str_find(slice(view, part), LOOM_STR("--- FILE NOT FOUND ---"), 0) !=
			    SIZE_MAX &&
		    part->bytes < 200;
	struct tui_entry entry = {.lead = LOOM_STR("[x]"),
				  .lead_role = TUI_ROLE_OK,
				  .text = source->target.n ? source->target
							   : LOOM_STR("(everything)"),
				  .end = count_text(arena, tokens_of(view, source->target)),
				  .id = row_id(source->scope, source->target),
				  .other = ROW_ENTRY};

	if (lost || source->outside) {
		entry.role = TUI_ROLE_WARN;
		entry.end = source->outside ? LOOM_STR("outside") : LOOM_STR("not found");
	}
	tui_list_add(list, &entry);
}

static void add_scope(struct tui_list *list, const struct view *view, enum loom_scope scope)
{
	struct loom_arena *arena = tui_list_arena(list);
	struct loom_str file = view->now.lists.files[scope];

	tui_list_add(list,
		     &(struct tui_entry){
			     .heading = true,
			     .text = file.n ? loom_arena_format(arena, "%s · %.*s",
								loom_scope_name(scope),
								LOOM_STR_ARG(file))
					    : loom_arena_format(arena,
								"%s scope: empty (a adds a file)",
								loom_scope_name(scope))});
	for (size_t i = 0; i < view->now.lists.count; i++)
		if (view->now.lists.entries[i].scope == scope)
			add_entry(list, view, &view->now.lists.entries[i]);
	for (size_t i = 0; i < view->off_count; i++)
		if (view->off[i].scope == scope)
			tui_list_add(list,
				     &(struct tui_entry){
					     .lead = LOOM_STR("[ ]"),
					     .lead_role = TUI_ROLE_DIM,
					     .text = loom_arena_buf(arena, &view->off[i].target),
					     .role = TUI_ROLE_DIM,
					     .end = LOOM_STR("taken out"),
					     .id = row_id(scope,
							  loom_buf_str(&view->off[i].target)),
					     .other = ROW_OFF});
}

static void add_parts(struct tui_list *list, const struct view *view)
{
	const struct loom_payload *payload = &view->now.payload;
	struct loom_arena *arena = tui_list_arena(list);

	tui_list_add(list, &(struct tui_entry){.heading = true, .text = LOOM_STR("sections")});
	for (size_t i = 0; i < payload->part_count; i++)
		if (!payload->parts[i].resource)
			tui_list_add(list,
				     &(struct tui_entry){
					     .text = payload->parts[i].name,
					     .end = count_text(arena, payload->parts[i].tokens),
					     .id = 1000 + (int64_t)i,
					     .other = ROW_PART});
	if (payload->warning_count)
		tui_list_add(list,
			     &(struct tui_entry){.heading = true, .text = LOOM_STR("warnings")});
	for (size_t i = 0; i < payload->warning_count; i++)
		tui_list_add(list, &(struct tui_entry){.text = payload->warnings[i],
						       .role = TUI_ROLE_WARN,
						       .id = 10000 + (int64_t)i,
						       .other = ROW_WARNING});
}

static enum loom_status read_payload(struct tui_app *app, struct tui_list *list,
				     struct loom_err *err)
{
	struct view *view = tui_list_own(list);

	(void)err;
	if (!view->now.arena)
		return LOOM_OK;
	add_whole(list, view);
	add_goal(app, list, view);
	for (int scope = 0; scope < LOOM_SCOPES; scope++)
		add_scope(list, view, (enum loom_scope)scope);
	add_parts(list, view);
	return LOOM_OK;
}

/* The scope and target of a row; false for other rows. */
static bool entry_of(const struct view *view, const struct tui_entry *row, enum loom_scope *scope,
		     struct loom_str *target)
{
	for (size_t i = 0; row && row->other == ROW_ENTRY && i < view->now.lists.count; i++) {
		*scope = view->now.lists.entries[i].scope;
		*target = view->now.lists.entries[i].target;
		if (row_id(*scope, *target) == row->id)
			return true;
	}
	for (size_t i = 0; row && row->other == ROW_OFF && i < view->off_count; i++) {
		*scope = view->off[i].scope;
		*target = loom_buf_str(&view->off[i].target);
		if (row_id(*scope, *target) == row->id)
			return true;
	}
	return false;
}

/* ---- building ---- */

static void drop_now(struct view *view)
{
	if (view->now.arena)
		loom_payload_fini(&view->now.payload);
	loom_arena_destroy(view->now.arena);
	view->now.arena = NULL;
}

/* Selects a session and turn; empty: the newest. */
static void stay(struct tui_app *app, struct loom_str session, struct loom_str turn)
{
	snprintf(app->payload->session, sizeof app->payload->session, "%.*s",
		 LOOM_STR_ARG(session));
	snprintf(app->payload->turn, sizeof app->payload->turn, "%.*s", LOOM_STR_ARG(turn));
}

static void built(struct tui_app *app, struct tui_payload_job *job)
{
	struct view *view = open_view(app);

	if (!view || tui_list_serial(app->list) != job->serial)
		return;
	tui_list_ready(app);
	if (!tui_must(app, job->status, &job->why)) {
		if (view->now.arena)
			stay(app, view->now.payload.session, view->now.payload.turn);
		return;
	}
	drop_now(view);
	view->now = *job;
	job->arena = NULL;
	tui_list_refresh(app);
	if (view->chosen)
		tui_list_to(app->list, view->chosen);
	if (tui_list_at(app->list) && tui_list_at(app->list)->id == view->chosen)
		view->chosen = 0;
}

static struct tui_payload_job *begin(struct tui_app *app)
{
	struct tui_payload_job *job = tui_payload_job(app);

	job->session = loom_arena_str(job->arena, loom_str_of(app->payload->session));
	job->turn = loom_arena_str(job->arena, loom_str_of(app->payload->turn));
	job->run = tui_payload_build;
	job->done = built;
	return job;
}

static void edit(struct tui_app *app, enum loom_payload_edit what, enum loom_scope scope,
		 struct loom_str target, size_t line)
{
	struct tui_payload_job *job;

	if (!tui_may(app, "payload add"))
		return;
	job = begin(app);
	job->edit = what;
	job->scope = scope;
	job->target = loom_arena_str(job->arena, target);
	job->line = line;
	tui_payload_post(app, job);
}

/* ---- commands ---- */

/* The line of a target in a scope's list; 0 when it is not in it. */
static size_t line_of(const struct view *view, enum loom_scope scope, struct loom_str target)
{
	const struct loom_payload_lists *lists = &view->now.lists;

	for (size_t i = 0; i < lists->count; i++)
		if (lists->entries[i].scope == scope &&
		    loom_str_eq(lists->entries[i].target, target))
			return lists->entries[i].line;
	return 0;
}

static void drop_off(struct view *view, size_t i)
{
	loom_buf_fini(&view->off[i].target);
	view->off_count--;
	memmove(&view->off[i], &view->off[i + 1], (view->off_count - i) * sizeof view->off[0]);
}

static void take_out(struct tui_app *app, enum loom_scope scope, struct loom_str target)
{
	struct view *view = view_of(app);
	struct off *off;

	if (view->off_count == OFF_MAX)
		drop_off(view, 0);
	off = &view->off[view->off_count++];
	off->scope = scope;
	loom_buf_init(&off->target, LOOM_BUF_MAX);
	loom_buf_add(&off->target, target);
	off->line = line_of(view, scope, target);
	view->chosen = row_id(scope, target);
	edit(app, LOOM_PAYLOAD_REMOVE, scope, target, 0);
}

static void put_back(struct tui_app *app, enum loom_scope scope, struct loom_str target)
{
	struct view *view = view_of(app);
	struct loom_str kept = loom_arena_str(app->arena, target);
	size_t line = 0;

	for (size_t i = 0; i < view->off_count; i++)
		if (view->off[i].scope == scope &&
		    loom_str_eq(loom_buf_str(&view->off[i].target), kept)) {
			line = view->off[i].line;
			drop_off(view, i--);
		}
	view->chosen = row_id(scope, kept);
	edit(app, LOOM_PAYLOAD_ADD, scope, kept, line);
}

static void move_to(struct tui_app *app, int by)
{
	struct view *view = view_of(app);
	struct loom_str target;
	enum loom_scope scope = LOOM_SCOPE_TURN;
	int to;

	if (!entry_of(view, tui_list_at(app->list), &scope, &target) ||
	    tui_list_at(app->list)->other == ROW_OFF) {
		tui_say(app, TUI_ROLE_DIM, "only entries of a scope can be moved");
		return;
	}
	to = (int)scope + by;
	if (to < 0 || to >= LOOM_SCOPES) {
		tui_say(app, TUI_ROLE_DIM, "%s is the %s scope", loom_scope_name(scope),
			by > 0 ? "widest" : "narrowest");
		return;
	}
	view->chosen = row_id((enum loom_scope)to, target);
	edit(app, LOOM_PAYLOAD_MOVE, (enum loom_scope)to, target, 0);
}

static void explained(struct tui_app *app, struct tui_payload_job *job)
{
	if (tui_must(app, job->status, &job->why))
		tui_say(app, TUI_ROLE_OK, "%.*s", LOOM_STR_ARG(job->text));
}

static void explain(struct tui_app *app, struct loom_str path)
{
	struct tui_payload_job *job;

	if (!open_view(app))
		return;
	job = begin(app);
	job->run = tui_payload_why;
	job->done = explained;
	job->target = loom_arena_str(job->arena, path);
	tui_payload_post(app, job);
}

/* Adds to the scope of the current row, or else to the narrowest scope with a list. */
static void add_path(struct tui_app *app, struct loom_str path)
{
	struct view *view = open_view(app);

	if (view)
		put_back(app, (enum loom_scope)app->payload->scope, path);
}

static void paths_found(struct tui_app *app, struct tui_payload_job *job)
{
	struct view *view = open_view(app);

	if (!view || tui_list_serial(app->list) != job->serial)
		return;
	tui_list_ready(app);
	if (tui_must(app, job->status, &job->why))
		tui_pick_open(app, job, add_path, open_here);
}

static void add(struct tui_app *app, const struct tui_entry *entry)
{
	struct view *view = view_of(app);
	struct tui_payload_job *job = begin(app);
	struct loom_str target;
	enum loom_scope scope = LOOM_SCOPE_TURN;

	if (!entry_of(view, entry, &scope, &target))
		for (scope = LOOM_SCOPE_TURN; scope < LOOM_SCOPE_GLOBAL; scope++)
			if (view->now.lists.files[scope].n)
				break;
	app->payload->scope = (int)scope;
	job->run = tui_payload_paths;
	job->done = paths_found;
	tui_list_wait(app->list);
	tui_payload_post(app, job);
}

static void turn_by(struct tui_app *app, int by)
{
	struct view *view = view_of(app);
	uint64_t now = 0;

	if (!loom_str_to_u64(view->now.payload.turn, &now) || (by < 0 && now == 0)) {
		tui_say(app, TUI_ROLE_DIM, "no turns here");
		return;
	}
	stay(app, view->now.payload.session,
	     loom_arena_format(app->arena, "%02lld", (long long)now + by));
	tui_payload_post(app, begin(app));
}

static void use_session(struct tui_app *app, struct loom_str name)
{
	if (!open_view(app))
		return;
	stay(app, name, LOOM_STR(""));
	tui_payload_post(app, begin(app));
}

TUI_MEANS(toggle)
{
	const struct tui_entry *entry = tui_list_at(app->list);
	struct loom_str target;
	enum loom_scope scope = LOOM_SCOPE_TURN;

	if (!entry_of(view_of(app), entry, &scope, &target))
		tui_say(app, TUI_ROLE_DIM, "only entries of a list can be removed");
	else if (entry->other == ROW_OFF)
		put_back(app, scope, target);
	else
		take_out(app, scope, target);
	return true;
}

TUI_MEANS(add_path_here)
{
	add(app, tui_list_at(app->list));
	return true;
}

/* The picture is redrawn as well. */
TUI_MEANS(build_again)
{
	tui_payload_post(app, begin(app));
	return false;
}

TUI_MEANS(zoom)
{
	tui_list_zoom(app->list);
	return true;
}

TUI_DO(SCOPE_WIDER)
{
	move_to(app, 1);
}

TUI_DO(SCOPE_NARROWER)
{
	move_to(app, -1);
}

TUI_DO(TURN_NEXT)
{
	turn_by(app, 1);
}

TUI_DO(TURN_PREV)
{
	turn_by(app, -1);
}

TUI_DO(PAYLOAD_SESSION)
{
	tui_prompt_line(app, "session: ", LOOM_STR(""), use_session);
}

TUI_DO(PAYLOAD_WHY)
{
	const struct tui_entry *entry = tui_list_at(app->list);

	tui_prompt_line(app, "why hidden or shown, path: ",
			entry && entry->other <= ROW_OFF && entry->other != ROW_WHOLE
				? entry->text
				: LOOM_STR(""),
			explain);
}

/* ---- the text beside ---- */

static enum tui_role line_role(struct loom_str line)
{
	if (loom_str_starts(line, LOOM_STR("#")))
		return TUI_ROLE_HEADING;
	if (loom_str_starts(line, LOOM_STR("````")) || loom_str_starts(line, LOOM_STR("---")))
		return TUI_ROLE_DIM;
	return loom_str_starts(line, LOOM_STR("**Resource:**")) ? TUI_ROLE_LINK : TUI_ROLE_TEXT;
}

static void side(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	struct view *view = tui_list_own(app->list);
	const struct loom_payload_part *part = NULL;

	if (!view->now.arena || !entry)
		return;
	out->title = LOOM_STR("input.md");
	out->text = loom_buf_str(&view->now.payload.text);
	out->line_role = line_role;
	if (entry->other == ROW_ENTRY)
		part = part_of(view, entry->text);
	else if (entry->other == ROW_PART)
		part = &view->now.payload.parts[entry->id - 1000];
	if (part) {
		out->title = part->name;
		out->text = slice(view, part);
	} else if (entry->other == ROW_OFF) {
		out->title = entry->text;
		out->text = LOOM_STR("removed; Space puts it back in its place");
		out->line_role = NULL;
	}
}

bool tui_payload_shown(struct tui_app *app, struct tui_payload_shown *out)
{
	const struct view *view = open_view(app);

	if (!view || !view->now.arena)
		return false;
	*out = (struct tui_payload_shown){.text = loom_buf_str(&view->now.payload.text),
					  .lists = &view->now.lists};
	return true;
}

/* Copies the text beside the row, which on the first row is all of it. */
TUI_MEANS(copy_beside)
{
	struct tui_side beside = {.text = LOOM_STR("")};

	side(app, tui_list_at(app->list), &beside);
	if (beside.text.n)
		tui_copy(app, beside.text, loom_arena_cstr(app->arena, beside.title));
	return beside.text.n > 0;
}

static const struct tui_meaning means[] = {
	{TUI_ACTION_SELECT, toggle, 0},
	{TUI_ACTION_ADD, add_path_here, 0},
	{TUI_ACTION_REDRAW, build_again, 0},
	{TUI_ACTION_OPEN, zoom, 0},
	{TUI_ACTION_IN, zoom, 0},
	{TUI_ACTION_COPY, copy_beside, 0},
	{.command = TUI_COMMAND_NONE},
};

/* ---- the view ---- */

static void forget(void *own)
{
	struct view *view = own;

	drop_now(view);
	while (view->off_count)
		drop_off(view, 0);
	free(view);
}

static const struct tui_list_kind kind = {
	.title = "Payload",
	.unit = "row",
	.empty = "no payload can be built here",
	.view = TUI_KEYVIEW_PAYLOAD,
	.read = read_payload,
	.means = means,
	.side = side,
	.forget = forget,
};

static void open_here(struct tui_app *app)
{
	tui_list_open_with(app, &kind, loom_alloc(sizeof(struct view)));
	tui_list_wait(app->list);
	tui_payload_post(app, begin(app));
}

static void open_newest(struct tui_app *app)
{
	stay(app, LOOM_STR(""), LOOM_STR(""));
	open_here(app);
}

TUI_DO(VIEW_PAYLOAD)
{
	open_newest(app);
}

static void begin_place(struct tui_app *app)
{
	app->payload = loom_alloc(sizeof *app->payload);
}

static void closed(struct tui_app *app)
{
	free(app->payload);
}

const struct tui_view tui_view_payload = {
	.told = {[TUI_TOLD_BEGIN] = begin_place, [TUI_TOLD_CLOSED] = closed}};
