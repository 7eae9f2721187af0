/* Keys that abbreviate command lines, and a few that choose what others act on. Each builds the
 * line a person could have typed. A choice of version exists only on the screen and is saved by the
 * worker as a position is. */
#include <loom/sharing/turn_files.h>
#include <loom/desk/desk.h>
#include <loom/language/call.h>
#include <loom/desk/does.h>
#include <loom/language/registry.h>
#include <loom/base/utf8.h>
#include <loom/desk/copy.h>
#include <loom/desk/do_line.h>
#include <loom/desk/ghosts.h>
#include <loom/desk/keep_place.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>
#include <loom/desk/screen_gate.h>
#include <loom/desk/subject.h>
#include <loom/desk/tree_view.h>
#include <loom/desk/workers.h>
#include <loom/writing/command_line.h>
#include <loom/reading/measure.h>

#define MANY 512 /* siblings pruned at once */

static const struct tui_row *here(struct tui_app *app)
{
	const struct tui_row *row = NULL;

	return tui_rows_get(&app->rows, app->position, &row, NULL) == LOOM_OK ? row : NULL;
}

static void run_format(struct tui_app *app, const char *format, ...) LOOM_PRINTF(2, 3);
static void run_format(struct tui_app *app, const char *format, ...)
{
	struct loom_buf line = LOOM_BUF_INIT(1 << 16);
	va_list args;

	va_start(args, format);
	loom_buf_addfv(&line, format, args);
	va_end(args);
	tui_run_line(app, loom_buf_str(&line), NULL);
	loom_buf_fini(&line);
}

/* --- keeping --- */

/* Where the cursor goes when its node disappears: the next sibling, or else the previous, or else
 * the parent. Chosen before the operation, used after it. */
static int64_t next_place(struct tui_app *app, const struct tui_row *row)
{
	struct loom_page page = {.kind = LOOM_CONTINUATION, .after = row->ord, .limit = 1};
	struct loom_nodes nodes = {NULL, 0};
	int64_t back = 1;

	if (loom_node_children(app->store, row->among, &page, app->arena, &nodes, NULL) ==
		    LOOM_OK &&
	    nodes.count)
		return nodes.items[0].group;
	for (page.limit = 64; row->ord > 1 && back < row->ord * 2; back *= 8) {
		page.after = row->ord - 1 - back > 0 ? row->ord - 1 - back : 0;
		if (loom_node_children(app->store, row->among, &page, app->arena, &nodes, NULL))
			break;
		for (size_t i = nodes.count; i-- > 0;)
			if (nodes.items[i].ord < row->ord)
				return nodes.items[i].group;
	}
	return row->parent ? row->parent : row->group;
}

static void go_when_done(struct tui_app *app, int64_t group, bool ok)
{
	if (ok && group)
		tui_go(app, group, TUI_GO_STEP);
}

/* `what` is the verb times MANY plus the number of nodes. */
static void say_picked(struct tui_app *app, int64_t what, bool ok)
{
	if (!ok)
		return;
	app->selected_count = 0;
	tui_say(app, TUI_ROLE_OK, "%s %lld %s · u undoes it",
		loom_verb_info((enum loom_verb)(what / MANY))->past, (long long)(what % MANY),
		loom_plural(what % MANY, "node", "nodes"));
}

/* Applies a verb to the picked nodes instead of the cursor's, as one operation with these words.
 * False when nothing is picked. */
static bool with_picked(struct tui_app *app, enum loom_verb verb, struct loom_str words)
{
	struct tui_run_opts opts = {.quiet = true, .done = say_picked};
	struct loom_call *calls =
		LOOM_ARENA_ARRAY(app->arena, app->selected_count + 1, struct loom_call);
	const struct tui_row *row = NULL;
	size_t count = 0;

	for (size_t i = 0; i < app->selected_count; i++) {
		if (tui_rows_get(&app->rows, app->selected[i], &row, NULL) != LOOM_OK)
			continue;
		calls[count] = loom_call_of(verb);
		calls[count].label = calls[count].content = words;
		calls[count++].id = loom_arena_str(app->arena, loom_str_of(row->id));
	}
	opts.number = (int64_t)verb * MANY + (int64_t)count;
	if (count)
		tui_run_calls(app, calls, count, &opts);
	return count > 0;
}

static void prune(struct tui_app *app)
{
	const struct tui_row *row = here(app);
	struct tui_run_opts opts = {.done = go_when_done};
	struct loom_call call = loom_call_of(LOOM_VERB_PRUNE);
	struct tui_row copy;

	if (with_picked(app, LOOM_VERB_PRUNE, (struct loom_str){NULL, 0}) || !row)
		return;
	copy = *row;
	if (copy.pruned) {
		call = loom_call_of(LOOM_VERB_RESTORE);
		opts.number = copy.group;
	} else {
		opts.number = next_place(app, &copy);
	}
	call.id = loom_str_of(copy.id);
	tui_run_calls(app, &call, 1, &opts);
}

static void say_kept(struct tui_app *app, int64_t count, bool ok)
{
	if (ok)
		tui_say(app, TUI_ROLE_OK, "kept this one, pruned %lld %s · u undoes it",
			(long long)count, loom_plural(count, "sibling", "siblings"));
}

static void keep_only(struct tui_app *app)
{
	const struct tui_row *row = here(app);
	struct tui_run_opts opts = {.quiet = true, .done = say_kept};
	struct loom_call call = loom_call_of(LOOM_VERB_PRUNE);
	int64_t count = 0;

	if (!row ||
	    loom_node_count(app->store, row->among, LOOM_CONTINUATION, &count, NULL) != LOOM_OK)
		return;
	opts.number = count - 1;
	call.siblings_of = loom_arena_str(app->arena, loom_str_of(row->id));
	if (opts.number < 1)
		tui_stuck(app, "no siblings to prune");
	else
		tui_run_calls(app, &call, 1, &opts);
}

static void toggle_bookmark(struct tui_app *app)
{
	const struct tui_row *row = here(app);

	if (!with_picked(app, LOOM_VERB_BOOKMARK, (struct loom_str){NULL, 0}) && row)
		run_format(app, "%s %s", row->bookmarked ? "unbookmark" : "bookmark", row->id);
}

static void ask(struct tui_app *app, const char *format, size_t back)
{
	struct loom_buf line = LOOM_BUF_INIT(1 << 12);
	const struct tui_row *row = here(app);
	struct loom_str rest = loom_str_of(format);
	struct loom_str part;

	while (row && rest.n && loom_str_cut(&rest, '@', &part)) {
		loom_buf_add(&line, part);
		if (rest.p)
			loom_buf_adds(&line, row->id);
	}
	tui_prompt_command(app, loom_buf_str(&line), line.n >= back ? line.n - back : line.n);
	loom_buf_fini(&line);
}

static void tag_picked(struct tui_app *app, struct loom_str words)
{
	with_picked(app, LOOM_VERB_TAG, loom_arena_str(app->arena, words));
}

static void annotate_picked(struct tui_app *app, struct loom_str words)
{
	with_picked(app, LOOM_VERB_ANNOTATE, loom_arena_str(app->arena, words));
}

/* Prompts for the words first. */
static void ask_words(struct tui_app *app, enum loom_verb verb)
{
	const bool tags = verb == LOOM_VERB_TAG;

	if (!app->selected_count)
		ask(app, tags ? "tag @ \"\"" : "annotate @ \"\"", 1);
	else
		tui_prompt_line(app,
				tags ? "tag for the picked nodes: " : "note on the picked nodes: ",
				LOOM_STR(""), tags ? tag_picked : annotate_picked);
}

/* Prompts with the line that c would run, as the subject is set up (several continuations by
 * default), to be edited. */
static void continue_with(struct tui_app *app)
{
	struct loom_str name =
		loom_str_sub(loom_buf_str(&app->subject->text), 0, app->subject->name);
	struct loom_buf line = LOOM_BUF_INIT(1 << 12);
	const struct tui_row *row = here(app);

	if (row)
		loom_buf_addf(&line, "continue from %s ", row->id);
	if (row && !app->subject->several) /* each of several has numbers of its own */
		loom_buf_addf(&line, "n:%lld tokens:%lld ",
			      (long long)(app->subject->n ? app->subject->n : 3),
			      (long long)(app->subject->tokens ? app->subject->tokens : 60));
	if (row)
		loom_buf_adds(&line, "using agent:");
	loom_call_quote(name, &line);
	tui_prompt_command(app, loom_buf_str(&line), line.n - 1);
	loom_buf_fini(&line);
}

/* Prompts with the line that moves an agent to this row, the first that can move. */
static void bring_agent(struct tui_app *app)
{
	const struct tui_row *row = here(app);
	const struct tui_people *people = &app->people;
	struct loom_buf line = LOOM_BUF_INIT(1 << 12);
	size_t i = 0;

	while (i < people->count &&
	       (people->items[i].agent.kind != LOOM_AGENT_MODEL || !people->items[i].agent.aware))
		i++;
	if (i == people->count) {
		tui_stuck(app, "no agent moves in trees: `:agent add NAME --permissions "
			       "loom_aware` creates one");
		return;
	}
	if (!row)
		return;
	loom_buf_adds(&line, "do -a ");
	loom_call_quote(people->items[i].agent.name, &line);
	loom_buf_addf(&line, " switch to %s", row->id);
	tui_prompt_command(app, loom_buf_str(&line), line.n);
	loom_buf_fini(&line);
}

void tui_stash_ask(struct tui_app *app)
{
	ask(app, "stash \"\" content-of:@",
	    strlen("\" content-of:") + (here(app) ? loom_str_of(here(app)->id).n : 0));
}

static void toggle_pin(struct tui_app *app)
{
	const struct tui_row *row = here(app);
	struct loom_pin *pins = NULL;
	size_t count = 0;

	if (with_picked(app, LOOM_VERB_PIN, (struct loom_str){NULL, 0}) || !row)
		return;
	if (app->thread && loom_pin_list(app->store, app->thread, app->arena, &pins, &count, NULL))
		count = 0;
	for (size_t i = 0; i < count; i++) {
		if (pins[i].kind == LOOM_PIN_NODE && pins[i].node == row->node) {
			run_format(app, "drop pin:%s", row->id);
			return;
		}
	}
	run_format(app, "pin %s", row->id);
}

/* --- making --- */

static void retry(struct tui_app *app, int count)
{
	const struct tui_row *row = here(app);
	const struct tui_row *parent = NULL;

	if (!row || !row->parent || tui_rows_get(&app->rows, row->parent, &parent, NULL)) {
		tui_stuck(app, "nothing stands before a root that could be continued again");
		return;
	}
	app->streams->retried = app->position;
	tui_continue_from(app, parent->id, count);
}

/* Branches after the part of the node before the caret. */
static void branch(struct tui_app *app, int count)
{
	size_t node = 0;
	size_t at = 0;
	char id[LOOM_LOCAL_MAX];
	struct loom_str came;
	struct loom_seam seam;
	struct loom_err err;

	if (!tui_reader_ready(&app->reader, &err) || !tui_reader_at(&app->reader, &node, &at) ||
	    at == 0) {
		tui_stuck(app, "B branches at the caret: Tab to the text, j k move");
		return;
	}
	if (loom_node_came(app->store, app->reader.path.items[node].id, app->reader.arena, &came,
			   &seam, &err) != LOOM_OK) {
		tui_say(app, TUI_ROLE_WARN, "%s", err.text);
		return;
	}
	loom_local_text(app->tree.key, app->reader.path.items[node].local, id);
	at = loom_seam_to_came(&seam, came.n, at);
	at = loom_utf8_length(loom_str_sub(came, 0, at));
	tui_keep_jump(app, app->position);
	if (count)
		run_format(app, "continue from %s at:%zu n:%d", id, at, count);
	else if (app->subject->n)
		run_format(app, "continue from %s at:%zu n:%lld", id, at,
			   (long long)app->subject->n);
	else
		run_format(app, "continue from %s at:%zu", id, at);
}

/* --- versions --- */

/* A version shown in place of the others of its group. */
struct choice {
	int64_t group, member;
};

static enum loom_status choose_member(struct loom_store *store, const struct tui_job *job,
				      struct loom_err *err)
{
	const struct choice *choice = job->own;

	return loom_thread_choose(store, job->thread, choice->group, choice->member, err);
}

static enum loom_status write_choice(struct loom_store *store, struct tui_job *job,
				     struct loom_err *err)
{
	return tui_write_thread(store, job, choose_member, err);
}

static void choice_written(struct tui_app *app, struct tui_job *job, enum loom_status status,
			   const struct loom_err *err)
{
	if (tui_must(app, status, err) && tui_thread_written(app, job))
		tui_refresh(app);
}

/* In a dialogue, versions are siblings made by editing, except those that were edited in place. */
static void other_sibling(struct tui_app *app, const struct tui_row *row, bool newer)
{
	struct loom_page page = {.kind = LOOM_CONTINUATION, .limit = MANY};
	struct loom_nodes nodes = {NULL, 0};
	struct loom_node self;
	int64_t found = 0;

	if (loom_node_get(app->store, row->node, LOOM_NODE_NARROW, app->arena, &self, NULL) ||
	    loom_node_children(app->store, row->among, &page, app->arena, &nodes, NULL))
		return;
	for (size_t i = 0; i < nodes.count && !(found && newer); i++) {
		const struct loom_node *node = &nodes.items[i];
		bool kin = node->local.num == self.local.num;
		bool after = node->id > self.id;
		if (kin && node->id != self.id && after == newer)
			found = node->group;
	}
	if (found)
		tui_go(app, found, TUI_GO_STEP);
	else
		tui_stuck(app, "no %s version", newer ? "newer" : "older");
}

static void version(struct tui_app *app, bool newer)
{
	const struct tui_row *row = NULL;
	struct loom_nodes nodes = {NULL, 0};
	struct choice *choice;
	struct tui_job *job;
	size_t at = 0;

	if (tui_rows_get(&app->rows, tui_read_group(app), &row, NULL) != LOOM_OK)
		return;
	if (app->tree.mode == LOOM_DIALOGUE && row->versions < 2) {
		struct tui_row copy = *row;
		other_sibling(app, &copy, newer);
		return;
	}
	if (loom_node_members(app->store, row->group, LOOM_NODE_NARROW, app->arena, &nodes, NULL))
		return;
	while (at + 1 < nodes.count && nodes.items[at].id != row->node)
		at++;
	if (newer ? at + 1 >= nodes.count : at == 0) {
		tui_stuck(app, "no %s version", newer ? "newer" : "older");
		return;
	}
	job = tui_job_make(app);
	job->run = write_choice;
	job->done = choice_written;
	choice = LOOM_ARENA_NEW(job->arena, struct choice);
	choice->group = row->group;
	choice->member = nodes.items[newer ? at + 1 : at - 1].id;
	job->own = choice;
	tui_job_post(job);
}

/* --- undo --- */

struct undoing {
	int64_t asked; /* 0 for the actor's last operation */
	int64_t done;
};

static enum loom_status write_redo(struct loom_store *store, struct tui_job *job,
				   struct loom_err *err)
{
	struct undoing *undoing = job->own;

	return loom_outside_redo(store, job->actor, &undoing->done, err);
}

static enum loom_status write_undo(struct loom_store *store, struct tui_job *job,
				   struct loom_err *err)
{
	struct undoing *undoing = job->own;

	return loom_outside_undo(store, job->actor, undoing->asked, &undoing->done, err);
}

static void say_op(struct tui_app *app, const struct tui_job *job, const char *what)
{
	const struct undoing *undoing = job->own;
	struct loom_op op;

	if (loom_op_get(app->store, undoing->done, app->arena, &op, NULL) != LOOM_OK)
		return;
	if (op.actor == app->actor) {
		tui_say(app, TUI_ROLE_OK, "%s: %.*s · oo", what,
			LOOM_STR_ARG(op.text.n ? op.text : op.kind));
	} else {
		struct loom_buf age = LOOM_BUF_INIT(64);

		loom_time_ago(op.at, loom_env_now(app->env), true, &age);
		tui_say(app, TUI_ROLE_OK, "%s: %.*s: %.*s, %s · oo", what,
			LOOM_STR_ARG(op.actor_name), LOOM_STR_ARG(op.text.n ? op.text : op.kind),
			loom_buf_cstr(&age));
		loom_buf_fini(&age);
	}
}

static void redone(struct tui_app *app, struct tui_job *job, enum loom_status status,
		   const struct loom_err *err)
{
	tui_news_look(app);
	if (tui_must(app, status, err))
		say_op(app, job, "redone");
}

static void undone(struct tui_app *app, struct tui_job *job, enum loom_status status,
		   const struct loom_err *err)
{
	tui_news_look(app);
	if (tui_must(app, status, err))
		say_op(app, job, "undone");
}

void tui_undo(struct tui_app *app, int64_t op)
{
	struct undoing *undoing;
	struct tui_job *job;

	if (!tui_may(app, "undo"))
		return;
	job = tui_job_make(app);
	job->run = write_undo;
	job->done = undone;
	undoing = LOOM_ARENA_NEW(job->arena, struct undoing);
	undoing->asked = op;
	job->own = undoing;
	tui_job_post(job);
}

static void redo(struct tui_app *app)
{
	struct tui_job *job;

	if (!tui_may(app, "redo"))
		return;
	job = tui_job_make(app);
	job->run = write_redo;
	job->done = redone;
	job->own = LOOM_ARENA_NEW(job->arena, struct undoing);
	tui_job_post(job);
}

/* --- picking, copying --- */

static void pick_here(struct tui_app *app)
{
	for (size_t i = 0; i < app->selected_count; i++) {
		if (app->selected[i] != app->position)
			continue;
		app->selected[i] = app->selected[--app->selected_count];
		return;
	}
	if (app->selected_count < LOOM_COUNT(app->selected))
		app->selected[app->selected_count++] = app->position;
}

/* Picks the node, or drops it, and steps on to the next row. */
static void select_rows(struct tui_app *app, int count)
{
	for (uint32_t next = app->cursor; count > 0 && next; count--) {
		pick_here(app);
		next = tui_items_next(app->outline.items, app->cursor);
		tui_cursor_to(app, next);
	}
}

static void copy(struct tui_app *app, bool path)
{
	struct loom_nodes nodes = {NULL, 0};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err err;

	if (!tui_must(app,
		      loom_node_path_end(app->store,
					 &(struct loom_path_end){.tip = app->member,
								 .thread = app->thread,
								 .limit = path ? SIZE_MAX : 1,
								 .parts = LOOM_NODE_TEXT},
					 app->arena, &nodes, &err),
		      &err))
		return;
	loom_reading_join(&nodes, app->tree.mode, &text);
	tui_copy(app, loom_buf_str(&text), path ? "the path" : "the text");
	loom_buf_fini(&text);
}

/* --- commands --- */

TUI_DO(BRING_AGENT)
{
	bring_agent(app);
}

TUI_DO(UNDO)
{
	tui_undo(app, tui_news_undoable(app));
}

TUI_DO(REDO)
{
	redo(app);
}

TUI_DO(SELECT)
{
	select_rows(app, tui_match_count(match));
}

TUI_DO(COPY)
{
	copy(app, false);
}

TUI_DO(COPY_PATH)
{
	copy(app, true);
}

TUI_DO(BOOKMARK)
{
	toggle_bookmark(app);
}

TUI_DO(PRUNE)
{
	prune(app);
}

TUI_DO(KEEP_ONLY)
{
	keep_only(app);
}

TUI_DO(TAG)
{
	ask_words(app, LOOM_VERB_TAG);
}

TUI_DO(ANNOTATE)
{
	ask_words(app, LOOM_VERB_ANNOTATE);
}

TUI_DO(PIN)
{
	toggle_pin(app);
}

TUI_DO(STASH)
{
	tui_stash_ask(app);
}

TUI_DO(SWITCH)
{
	ask(app, "switch to ", 0);
}

TUI_DO(CONTINUE)
{
	tui_continue_here(app, match->count);
}

TUI_DO(RETRY)
{
	retry(app, match->count);
}

TUI_DO(CONTINUE_WITH)
{
	continue_with(app);
}

TUI_DO(BRANCH)
{
	branch(app, match->count);
}

TUI_DO(NEWER)
{
	version(app, true);
}

TUI_DO(OLDER)
{
	version(app, false);
}
