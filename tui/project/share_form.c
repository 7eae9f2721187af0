/* The form for a reference between two threads: who reads, whose files, which of them, copies or
 * the files themselves; beside it, the block as it would be afterwards. Enter applies it. Every
 * choice is looked up again, so circles and missing files show while choosing. */
#include <loom/project/threads_work.h>
#include <loom/lists/list.h>
#include <loom/desk/screen_gate.h>

enum row { ROW_READER = 1, ROW_SOURCE, ROW_BINDING, ROW_FILES };

struct form {
	struct loom_arena *names;
	struct loom_str *threads; /* all ids, to choose from */
	size_t count;
	size_t reader; /* indices of the two */
	size_t source;
	enum loom_leslie_binding binding;
	struct loom_arena *arena; /* of the files */
	struct loom_leslie_file *files;
	size_t file_count;
	bool *ticked;
	struct loom_buf block;
	bool refused;
	bool looking; /* for the block */
	bool stale;   /* a choice was made since */
};

static const struct tui_list_kind kind;

/* NULL when another view is open by now. */
static struct form *open_form(struct tui_app *app)
{
	return tui_list_is(app->list, &kind) ? tui_list_own(app->list) : NULL;
}

/* The view in which one of its own keys was pressed. */
static struct form *form_of(struct tui_app *app)
{
	return tui_list_own(app->list);
}

/* ---- rows ---- */

static void add_files(struct tui_list *list, const struct form *form)
{
	struct loom_arena *arena = tui_list_arena(list);
	size_t ticked = 0;

	for (size_t i = 0; i < form->file_count; i++)
		ticked += form->ticked[i];
	tui_list_add(list,
		     &(struct tui_entry){
			     .heading = true,
			     .text = ticked ? loom_arena_format(arena, "Which files: %zu ticked",
								ticked)
					    : LOOM_STR("Which files: all but the conversation, "
						       "until Space ticks some")});
	for (size_t i = 0; i < form->file_count; i++) {
		const struct loom_leslie_file *file = &form->files[i];
		bool folder = file->name.p[file->name.n - 1] == '/';

		tui_list_add(
			list,
			&(struct tui_entry){
				.lead = form->ticked[i] ? LOOM_STR("[x]") : LOOM_STR("[ ]"),
				.lead_role = form->ticked[i] ? TUI_ROLE_OK : TUI_ROLE_DIM,
				.text = file->name,
				.end = folder ? LOOM_STR("")
					      : loom_arena_format(arena, "%llu bytes",
								  (unsigned long long)file->size),
				.id = ROW_FILES + (int64_t)i});
	}
}

static enum loom_status read_form(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct form *form = tui_list_own(list);
	bool live = form->binding == LOOM_LESLIE_BINDING_LIVE;

	(void)app;
	(void)err;
	tui_list_add(list, &(struct tui_entry){.lead = LOOM_STR("reader"),
					       .lead_role = TUI_ROLE_KEY,
					       .text = form->threads[form->reader],
					       .role = TUI_ROLE_TITLE,
					       .end = LOOM_STR("--from"),
					       .id = ROW_READER});
	tui_list_add(list, &(struct tui_entry){.lead = LOOM_STR("source"),
					       .lead_role = TUI_ROLE_KEY,
					       .text = form->threads[form->source],
					       .role = TUI_ROLE_TITLE,
					       .end = LOOM_STR("--target"),
					       .id = ROW_SOURCE});
	tui_list_add(list,
		     &(struct tui_entry){.lead = LOOM_STR("binding"),
					 .lead_role = TUI_ROLE_KEY,
					 .text = live ? LOOM_STR("live: the files as they will be")
						      : LOOM_STR("frozen: copies as they are now"),
					 .end = LOOM_STR("--binding"),
					 .id = ROW_BINDING});
	add_files(list, form);
	return LOOM_OK;
}

/* ---- looking ---- */

static void foresee(struct tui_app *app);

static void fill_ref(const struct form *form, struct tui_leslie_job *job)
{
	struct loom_arena *arena = job->arena;
	struct loom_str *scopes = LOOM_ARENA_ARRAY(arena, form->file_count + 1, struct loom_str);
	size_t count = 0;

	for (size_t i = 0; i < form->file_count; i++)
		if (form->ticked[i])
			scopes[count++] = loom_arena_str(arena, form->files[i].name);
	job->ref = (struct loom_leslie_ref){
		.from = loom_arena_str(arena, form->threads[form->reader]),
		.target = {.thread = loom_arena_str(arena, form->threads[form->source]),
			   .scopes = scopes,
			   .scope_count = count},
		.binding = form->binding};
	job->thread = job->ref.from;
}

static void foreseen(struct tui_app *app, struct tui_leslie_job *job)
{
	struct form *form = open_form(app);

	if (!form || tui_list_serial(app->list) != job->serial)
		return;
	form->looking = false;
	form->refused = job->status != LOOM_OK;
	loom_buf_clear(&form->block);
	loom_buf_add(&form->block, form->refused ? job->why : job->text);
	if (form->stale)
		foresee(app);
}

static void foresee(struct tui_app *app)
{
	struct form *form = form_of(app);
	struct tui_leslie_job *job;

	form->stale = form->looking;
	if (form->looking)
		return;
	form->looking = true;
	job = tui_leslie_job(app);
	fill_ref(form, job);
	job->run = tui_leslie_foresee;
	job->done = foreseen;
	tui_leslie_post(app, job);
}

static void files_found(struct tui_app *app, struct tui_leslie_job *job)
{
	struct form *form = open_form(app);

	/* Another source may have been chosen meanwhile, and its files requested. */
	if (!form || tui_list_serial(app->list) != job->serial ||
	    !loom_str_eq(job->thread, form->threads[form->source]))
		return;
	loom_arena_destroy(form->arena);
	form->arena = job->arena;
	job->arena = NULL;
	form->files = job->files;
	form->file_count = job->file_count;
	form->ticked = LOOM_ARENA_ARRAY(form->arena, form->file_count, bool);
	tui_list_ready(app);
	tui_list_refresh(app);
	foresee(app);
}

static void look(struct tui_app *app)
{
	struct form *form = form_of(app);
	struct tui_leslie_job *job = tui_leslie_job(app);

	job->thread = loom_arena_str(job->arena, form->threads[form->source]);
	job->run = tui_leslie_files;
	job->done = files_found;
	tui_leslie_post(app, job);
}

/* ---- choosing ---- */

/* The next thread, skipping the other one of the two. */
static size_t next(const struct form *form, size_t at, size_t other, int by)
{
	do
		at = (at + form->count + (size_t)by) % form->count;
	while (at == other && form->count > 1);
	return at;
}

static void change(struct tui_app *app, int64_t row, int by)
{
	struct form *form = form_of(app);

	if (row == ROW_READER)
		form->reader = next(form, form->reader, form->source, by);
	else if (row == ROW_SOURCE)
		form->source = next(form, form->source, form->reader, by);
	else if (row == ROW_BINDING)
		form->binding = form->binding == LOOM_LESLIE_BINDING_LIVE
					? LOOM_LESLIE_BINDING_FROZEN
					: LOOM_LESLIE_BINDING_LIVE;
	else
		form->ticked[row - ROW_FILES] = !form->ticked[row - ROW_FILES];
	if (row == ROW_SOURCE) {
		form->file_count = 0;
		look(app);
	}
	tui_list_refresh(app);
	foresee(app);
}

static void referred(struct tui_app *app, struct tui_leslie_job *job)
{
	struct form *form = open_form(app);

	if (job->status != LOOM_OK) {
		tui_say(app, TUI_ROLE_ERROR, "%.*s", LOOM_STR_ARG(job->why));
		return;
	}
	if (form && tui_list_serial(app->list) == job->serial)
		tui_threads_open(app, job->thread);
	tui_say(app, job->warnings.count ? TUI_ROLE_WARN : TUI_ROLE_OK, "%.*s",
		LOOM_STR_ARG(job->text));
}

static void refer(struct tui_app *app)
{
	struct tui_leslie_job *job;

	if (!tui_may(app, "thread ref"))
		return;
	job = tui_leslie_job(app);
	fill_ref(form_of(app), job);
	job->run = tui_leslie_ref;
	job->done = referred;
	tui_leslie_post(app, job);
}

TUI_MEANS(make_it)
{
	refer(app);
	return true;
}

static bool change_row(struct tui_app *app, const struct tui_match *match, int way)
{
	const struct tui_entry *entry = tui_list_at(app->list);

	(void)match;
	if (entry)
		change(app, entry->id, way);
	return true;
}

static const struct tui_meaning means[] = {{TUI_ACTION_OPEN, make_it, 0},
					   {TUI_ACTION_SELECT, change_row, 1},
					   {TUI_ACTION_IN, change_row, 1},
					   {TUI_ACTION_OUT, change_row, -1},
					   {.command = TUI_COMMAND_NONE}};

static void leave(struct tui_app *app)
{
	struct form *form = form_of(app);

	tui_threads_open(app, loom_arena_str(app->arena, form->threads[form->reader]));
}

static void side(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	struct form *form = tui_list_own(app->list);

	(void)entry;
	out->title =
		loom_arena_format(app->arena,
				  form->refused ? "%.*s cannot read it" : "What %.*s would get",
				  LOOM_STR_ARG(form->threads[form->reader]));
	out->title_role = form->refused ? TUI_ROLE_ERROR : TUI_ROLE_TITLE;
	out->text = loom_buf_str(&form->block);
	out->role = form->refused ? TUI_ROLE_ERROR : TUI_ROLE_TEXT;
	out->line_role = form->refused ? NULL : tui_block_role;
}

/* ---- the view ---- */

static void forget(void *own)
{
	struct form *form = own;

	loom_arena_destroy(form->names);
	loom_arena_destroy(form->arena);
	loom_buf_fini(&form->block);
	free(form);
}

static const struct tui_list_kind kind = {
	.title = "Let a thread read another",
	.unit = "row",
	.empty = "",
	.view = TUI_KEYVIEW_SHARE,
	.read = read_form,
	.means = means,
	.side = side,
	.leave = leave,
	.forget = forget,
};

static size_t index_of(const struct form *form, struct loom_str id, size_t otherwise)
{
	for (size_t i = 0; i < form->count; i++)
		if (loom_str_eq(form->threads[i], id))
			return i;
	return otherwise;
}

void tui_share_open(struct tui_app *app, const struct tui_threads *threads, struct loom_str from,
		    struct loom_str source)
{
	struct form *form;

	if (threads->count < 2) {
		tui_say(app, TUI_ROLE_DIM, "no other thread to read: a creates one");
		return;
	}
	form = loom_alloc(sizeof *form);
	form->names = loom_arena_create();
	form->arena = loom_arena_create();
	form->threads = LOOM_ARENA_ARRAY(form->names, threads->count, struct loom_str);
	form->count = threads->count;
	for (size_t i = 0; i < threads->count; i++)
		form->threads[i] = loom_arena_str(form->names, threads->items[i].thread.id);
	loom_buf_init(&form->block, LOOM_BUF_MAX);
	form->reader = index_of(form, from, 0);
	form->source = index_of(form, source, form->reader);
	if (form->source == form->reader)
		form->source = next(form, form->reader, form->reader, 1);
	tui_list_open_with(app, &kind, form);
	tui_list_to(app->list, ROW_BINDING);
	tui_list_wait(app->list);
	look(app);
	foresee(app);
}
