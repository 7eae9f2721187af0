/* Calls that wait for a person: lists proposed by agents, and the calls of a paste. Nothing is
 * ticked at first; exactly the ticked calls are run, as one operation. If the asker still waits,
 * its list is only answered. If not, the list is run here in the name of the agent that proposed
 * it, provided that it still means what was listed. A shell command is answered by `loom approve`,
 * beside the screen. */
#include <loom/work/approval.h>

#include <loom/desk/does.h>
#include <loom/desk/others.h>

#include <loom/lists/list.h>
#include <loom/lists/paste_view.h>
#include <loom/lists/talk.h>
#include <loom/desk/do_line.h>
#include <loom/desk/shell.h>
#include <loom/desk/workers.h>
#include <loom/lists/approve.h>

#define CALLS_MAX 100000 /* a row's id is its list's number times this plus the call's */

struct tick {
	int64_t list;
	size_t call;
};

struct view {
	bool paste;
	void (*back)(struct tui_app *app, void *to); /* called on leaving; NULL: the view closes */
	void *to;
	struct loom_arena *arena; /* of the data below */
	struct loom_proposal *items;
	size_t count;
	struct tick *ticks;
	size_t tick_count;
};

static const struct tui_list_kind kind;
static void written(struct tui_app *app);

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

/* ---- ticks ---- */

static size_t tick_of(const struct view *view, int64_t list, size_t call)
{
	for (size_t i = 0; i < view->tick_count; i++)
		if (view->ticks[i].list == list && view->ticks[i].call == call)
			return i;
	return SIZE_MAX;
}

static void set_tick(struct view *view, int64_t list, size_t call, bool on)
{
	size_t at = tick_of(view, list, call);

	if (on == (at != SIZE_MAX))
		return;
	if (!on) {
		view->ticks[at] = view->ticks[--view->tick_count];
		return;
	}
	view->ticks = loom_realloc(view->ticks, view->tick_count + 1, sizeof *view->ticks);
	view->ticks[view->tick_count++] = (struct tick){list, call};
}

static size_t ticked_count(const struct view *view, const struct loom_proposal *proposal)
{
	size_t n = 0;

	for (size_t i = 0; i < proposal->count; i++)
		n += tick_of(view, proposal->id, i) != SIZE_MAX;
	return n;
}

/* ---- rows ---- */

static void take_paste(struct tui_app *app, struct view *view)
{
	const struct loom_turn *found = app->pasted ? app->pasted->found : NULL;
	struct loom_proposal *all = LOOM_ARENA_NEW(view->arena, struct loom_proposal);
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	if (!found || !found->call_count)
		return;
	all->count = found->call_count < CALLS_MAX ? found->call_count : CALLS_MAX - 1;
	all->calls = LOOM_ARENA_ARRAY(view->arena, all->count, struct loom_proposed);
	for (size_t i = 0; i < all->count; i++) {
		loom_buf_clear(&line);
		loom_call_print(&found->calls[i], &line);
		all->calls[i].call = loom_arena_buf(view->arena, &line);
		all->calls[i].line = found->calls[i].line;
	}
	loom_buf_fini(&line);
	view->items = all;
	view->count = 1;
}

/* A call is shown with its arrow; a shell command with the program's name. */
static struct loom_str spelled(struct loom_arena *arena, const struct loom_proposal *proposal,
			       size_t i)
{
	return loom_arena_format(arena, "%s%.*s", proposal->command.count ? "" : "→ ",
				 LOOM_STR_ARG(proposal->calls[i].call));
}

static void add_head(struct tui_app *app, struct tui_list *list,
		     const struct loom_proposal *proposal)
{
	struct view *view = tui_list_own(list);
	struct loom_arena *arena = tui_list_arena(list);
	struct loom_buf name = LOOM_BUF_INIT(128);
	struct loom_buf ago = LOOM_BUF_INIT(64);

	loom_proposal_name(proposal, &name);
	loom_time_ago(proposal->at, loom_env_now(app->env), true, &ago);
	tui_list_add(list,
		     &(struct tui_entry){
			     .lead = proposal->guest.name.p
					     ? loom_arena_format(arena, "a guest, \"%.*s\"",
								 LOOM_STR_ARG(proposal->guest.name))
					     : tui_people_name(&app->people, proposal->agent),
			     .lead_role = proposal->guest.name.p
						  ? TUI_ROLE_DIM
						  : tui_people_role(&app->people, proposal->agent),
			     .text = loom_arena_format(
				     arena, "%zu %s · %zu ticked · %s%s", proposal->count,
				     proposal->command.count ? loom_plural((int64_t)proposal->count,
									   "command", "commands")
							     : loom_plural((int64_t)proposal->count,
									   "call", "calls"),
				     ticked_count(view, proposal), loom_buf_cstr(&ago),
				     proposal->session.n ? " · waiting" : ""),
			     .role = TUI_ROLE_STRONG,
			     .end = loom_arena_buf(arena, &name),
			     .id = proposal->id * CALLS_MAX,
			     .other = -1});
	loom_buf_fini(&name);
	loom_buf_fini(&ago);
}

static void add_call(struct tui_list *list, const struct loom_proposal *proposal, size_t i)
{
	struct view *view = tui_list_own(list);
	const struct loom_proposed *call = &proposal->calls[i];
	bool on = tick_of(view, proposal->id, i) != SIZE_MAX;

	tui_list_add(list, &(struct tui_entry){.lead = on ? LOOM_STR("  [x]") : LOOM_STR("  [ ]"),
					       .lead_role = on ? TUI_ROLE_OK : TUI_ROLE_DIM,
					       .text = spelled(tui_list_arena(list), proposal, i),
					       .role = TUI_ROLE_CALL,
					       .end = call->permission,
					       .id = proposal->id * CALLS_MAX + 1 + (int64_t)i,
					       .other = (int64_t)i});
}

static enum loom_status read_lists(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct view *view = tui_list_own(list);
	enum loom_status status = LOOM_OK;

	loom_arena_reset(view->arena);
	view->items = NULL;
	view->count = 0;
	if (view->paste)
		take_paste(app, view);
	else
		status = loom_proposal_list(app->store, view->arena, &view->items, &view->count,
					    err);
	for (size_t i = 0; i < view->count && status == LOOM_OK; i++) {
		if (!view->paste)
			add_head(app, list, &view->items[i]);
		for (size_t k = 0; k < view->items[i].count; k++)
			add_call(list, &view->items[i], k);
	}
	return status;
}

static const struct loom_proposal *proposal_of(const struct view *view,
					       const struct tui_entry *entry)
{
	for (size_t i = 0; entry && i < view->count; i++)
		if (view->items[i].id == entry->id / CALLS_MAX)
			return &view->items[i];
	return NULL;
}

/* ---- the text beside ---- */

/* The whole input and working directory of a command: nobody approves what was not shown. */
static struct loom_str command_text(struct loom_arena *arena, const struct loom_proposal *proposal)
{
	const struct loom_proposed_command *command = &proposal->command;
	struct loom_str input = command->input;
	struct loom_str line;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str out;

	loom_buf_addf(&text, "%.*s\n\nin %.*s", LOOM_STR_ARG(proposal->calls[0].call),
		      LOOM_STR_ARG(command->dir));
	if (command->grove.p)
		loom_buf_addf(&text, "\nwith LOOM_GROVE=%.*s", LOOM_STR_ARG(command->grove));
	if (command->input.n)
		loom_buf_adds(&text, "\n\nits standard input:");
	while (loom_str_line(&input, &line))
		loom_buf_addf(&text, "\n| %.*s", LOOM_STR_ARG(line));
	out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return out;
}

static void side(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	struct view *view = tui_list_own(app->list);
	const struct loom_proposal *proposal = proposal_of(view, entry);
	const struct loom_proposed *call;

	if (!proposal)
		return;
	if (entry->other < 0 && proposal->guest.name.p) {
		out->title = LOOM_STR("a comment");
		out->text = loom_arena_format(app->arena,
					      "Somebody who says to be %.*s wrote this by %.*s. "
					      "Approved, it becomes a note; "
					      "until then no agent sees it.",
					      LOOM_STR_ARG(proposal->guest.name),
					      LOOM_STR_ARG(proposal->guest.from));
		return;
	}
	if (entry->other < 0) {
		out->title = proposal->command.count ? LOOM_STR("a command")
						     : LOOM_STR("a list of calls");
		out->text =
			proposal->session.n
				? LOOM_STR("The agent waits for your answer, then runs what you "
					   "ticked.")
				: LOOM_STR("The agent has stopped waiting. What you tick runs "
					   "now, in its name, if nothing changed since.");
		return;
	}
	call = &proposal->calls[entry->other];
	out->title = call->target.n ? call->target : LOOM_STR("concerns no node or document");
	if (view->paste)
		out->title = loom_arena_format(app->arena, "line %lld of the paste",
					       (long long)call->line);
	out->text = proposal->command.count ? command_text(app->arena, proposal)
					    : spelled(app->arena, proposal, (size_t)entry->other);
	out->role = TUI_ROLE_CALL;
}

/* ---- the person's word ---- */

struct word {
	struct loom_proposal proposal;
	bool *ticked;
	bool approve;
	bool run; /* run it here */
	struct loom_act *acts;
};

static enum loom_status write_word(struct loom_store *store, struct tui_job *job, bool fits,
				   struct loom_err *err)
{
	struct word *word = job->own;
	const struct loom_decision decision = {.by = job->actor,
					       .approve = word->approve,
					       .ticked = word->ticked};
	int64_t id = word->proposal.id;
	enum loom_status status;

	if (!fits)
		return loom_proposal_void(store, id, err);
	status = loom_proposal_decide(store, id, &decision, err);
	if (status == LOOM_OK && word->approve && !word->proposal.session.n)
		status = loom_proposal_claim(store, id, &word->run, err);
	return status;
}

static enum loom_status decide(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	struct word *word = job->own;
	bool fits = true;
	enum loom_status status =
		loom_proposal_get(store, word->proposal.id, job->arena, &word->proposal, err);

	if (status == LOOM_OK)
		status = loom_acts_proposed(&word->proposal, job->arena, &word->acts, err);
	if (status == LOOM_OK && word->approve && !word->proposal.session.n &&
	    word->proposal.state == LOOM_PROPOSAL_WAITS)
		status = loom_acts_fit(store, &word->proposal, word->acts, job->arena, &fits, err);
	if (status == LOOM_OK)
		status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	status = loom_quiet_end(store, write_word(store, job, fits, err), err);
	if (status != LOOM_OK || fits)
		return status;
	loom_fail(err, LOOM_CONFLICT, "its target has changed since, so it is void");
	return loom_hint(err, LOOM_CONFLICT, "have the agent propose it again");
}

static void run_here(struct tui_app *app, const struct word *word)
{
	struct tui_run_opts opts = {.stay = true,
				    .agent = word->proposal.agent,
				    .tree = word->proposal.tree,
				    .thread = word->proposal.thread,
				    .seq = word->proposal.seq,
				    .guest = &word->proposal.guest};
	struct loom_call *calls =
		LOOM_ARENA_ARRAY(app->arena, word->proposal.count, struct loom_call);
	size_t count = 0;

	for (size_t i = 0; i < word->proposal.count; i++)
		if (word->ticked[i])
			calls[count++] = *word->acts[i].call;
	tui_run_calls(app, calls, count, &opts);
}

static void decided(struct tui_app *app, struct tui_job *job, enum loom_status status,
		    const struct loom_err *err)
{
	struct word *word = job->own;

	written(app);
	if (!tui_must(app, status, err))
		return;
	/* What it does now is done at this person's word, and u takes it back. */
	if (word->approve)
		tui_news_caused(app, word->proposal.thread);
	if (word->run)
		run_here(app, word);
	else
		tui_say(app, TUI_ROLE_OK, "%s",
			!word->approve             ? "refused"
			: word->proposal.session.n ? "approved: the agent goes on"
						   : "approved");
}

static void say_word(struct tui_app *app, const struct loom_proposal *proposal, bool approve)
{
	struct view *view = view_of(app);
	struct tui_job *job = tui_job_make(app);
	struct word *word = LOOM_ARENA_NEW(job->arena, struct word);

	word->proposal.id = proposal->id;
	word->approve = approve;
	word->ticked = LOOM_ARENA_ARRAY(job->arena, proposal->count, bool);
	for (size_t i = 0; i < proposal->count; i++)
		word->ticked[i] = tick_of(view, proposal->id, i) != SIZE_MAX;
	job->own = word;
	job->run = decide;
	job->done = decided;
	tui_job_post(job);
}

/* Runs the program itself, which acts as the agent and reports the outcome. */
static void answer_command(struct tui_app *app, const struct loom_proposal *proposal, bool approve)
{
	struct loom_buf line = LOOM_BUF_INIT(256);

	loom_buf_adds(&line, "approve ");
	loom_hash_hex(&proposal->hash, &line);
	loom_buf_adds(&line, approve ? "" : " --refuse");
	if (!tui_shell_line(app, loom_buf_str(&line)))
		tui_say(app, TUI_ROLE_WARN, "in a shell: loom %s", loom_buf_cstr(&line));
	loom_buf_fini(&line);
}

static void answer(struct tui_app *app, const struct loom_proposal *proposal, bool approve)
{
	if (proposal->command.count)
		answer_command(app, proposal, approve);
	else
		say_word(app, proposal, approve);
}

static void run_pasted(struct tui_app *app, const struct loom_proposal *proposal)
{
	struct view *view = view_of(app);
	struct loom_call *calls = LOOM_ARENA_ARRAY(app->arena, proposal->count, struct loom_call);
	size_t count = 0;

	for (size_t i = 0; i < proposal->count; i++)
		if (tick_of(view, proposal->id, i) != SIZE_MAX)
			calls[count++] = app->pasted->found->calls[i];
	tui_run_calls(app, calls, count, &(struct tui_run_opts){.stay = true});
	tui_list_leave(app);
}

/* ---- commands ---- */

static void tick(struct tui_app *app, const struct tui_entry *entry)
{
	struct view *view = view_of(app);
	const struct loom_proposal *proposal = proposal_of(view, entry);
	bool on;

	if (!proposal)
		return;
	on = entry->other < 0 ? ticked_count(view, proposal) < proposal->count
			      : tick_of(view, proposal->id, (size_t)entry->other) == SIZE_MAX;
	for (size_t i = 0; i < proposal->count; i++)
		if (entry->other < 0 || (size_t)entry->other == i)
			set_tick(view, proposal->id, i, on);
	tui_list_refresh(app);
}

static void run_ticked(struct tui_app *app, const struct tui_entry *entry)
{
	struct view *view = view_of(app);
	const struct loom_proposal *proposal = proposal_of(view, entry);

	if (!proposal || !ticked_count(view, proposal))
		tui_say(app, TUI_ROLE_DIM, "nothing is ticked here · Space ticks a call");
	else if (view->paste)
		run_pasted(app, proposal);
	else
		answer(app, proposal, true);
}

static void refuse(struct tui_app *app, const struct tui_entry *entry)
{
	struct view *view = view_of(app);
	const struct loom_proposal *proposal = proposal_of(view, entry);

	if (view->paste)
		tui_list_leave(app);
	else if (proposal)
		answer(app, proposal, false);
}

/* Goes on to the next call; the line of a whole list is no call. */
TUI_DO(TICK)
{
	const struct tui_entry *entry = tui_list_at(app->list);
	const bool one = entry && entry->other >= 0;

	tick(app, entry);
	if (one)
		tui_list_step(app, 1);
}

TUI_DO(RUN)
{
	run_ticked(app, tui_list_at(app->list));
}

TUI_DO(REFUSE)
{
	refuse(app, tui_list_at(app->list));
}

TUI_MEANS(zoom)
{
	tui_list_zoom(app->list);
	return true;
}

static const struct tui_meaning means[] = {{TUI_ACTION_OPEN, zoom, 0},
					   {TUI_ACTION_IN, zoom, 0},
					   {.command = TUI_COMMAND_NONE}};

static void leave(struct tui_app *app)
{
	struct view *view = tui_list_own(app->list);

	if (view->back)
		view->back(app, view->to);
	else
		tui_list_close(app);
}

static void forget(void *own)
{
	struct view *view = own;

	loom_arena_destroy(view->arena);
	free(view->ticks);
	free(view);
}

static bool offers(const struct tui_list *list, const struct tui_entry *entry,
		   enum tui_command command)
{
	(void)list;
	return entry || command == TUI_ACTION_CANCEL;
}

static const struct tui_list_kind kind = {
	.title = "Calls that wait for you",
	.unit = "row",
	.empty = "nothing waits for your approval",
	.view = TUI_KEYVIEW_APPROVE,
	.read = read_lists,
	.means = means,
	.offers = offers,
	.side = side,
	.leave = leave,
	.forget = forget,
	.over = true,
};

static void open_lists(struct tui_app *app, bool paste)
{
	struct view *view = loom_alloc(sizeof *view);

	view->paste = paste;
	view->arena = loom_arena_create();
	tui_list_open_with(app, &kind, view);
}

void tui_approve_beside(struct tui_app *app, void (*back)(struct tui_app *app, void *to), void *to)
{
	open_lists(app, false);
	view_of(app)->back = back;
	view_of(app)->to = to;
}

void tui_approve_paste(struct tui_app *app, void (*back)(struct tui_app *app, void *to))
{
	if (!app->pasted || !app->pasted->found->call_count) {
		tui_say(app, TUI_ROLE_DIM, "it has no call that can be run");
		return;
	}
	open_lists(app, true);
	view_of(app)->back = back;
}

/* ---- news ---- */

static void say_asked(struct tui_app *app, const struct loom_proposal *newest)
{
	const int64_t count = (int64_t)newest->count;

	if (newest->guest.name.p)
		tui_say(app, TUI_ROLE_WARN, "a guest left a comment: ! shows it");
	else
		tui_say(app, TUI_ROLE_WARN, "%.*s asks to run %lld %s: ! shows %s",
			LOOM_STR_ARG(tui_people_name(&app->people, newest->agent)),
			(long long)count, loom_plural(count, "call", "calls"),
			loom_plural(count, "it", "them"));
}

static void written(struct tui_app *app)
{
	struct view *view = open_view(app);
	struct loom_proposal *items = NULL;
	struct loom_arena *arena = loom_arena_create();
	size_t count = 0;

	if (loom_proposal_list(app->store, arena, &items, &count, NULL) != LOOM_OK)
		count = 0;
	if (count && items[count - 1].id > app->approvals->last) {
		app->approvals->last = items[count - 1].id;
		say_asked(app, &items[count - 1]);
	}
	if (view && !view->paste && count != app->approvals->count)
		tui_list_refresh(app);
	app->approvals->count = count;
	loom_arena_destroy(arena);
}

TUI_DO(APPROVALS)
{
	open_lists(app, false);
}

static void begin(struct tui_app *app)
{
	app->approvals = loom_alloc(sizeof *app->approvals);
}

static void closed(struct tui_app *app)
{
	free(app->approvals);
}

const struct tui_view tui_view_approvals = {
	.told = {[TUI_TOLD_BEGIN] = begin,
		 [TUI_TOLD_WRITTEN] = written,
		 [TUI_TOLD_CLOSED] = closed},
};
