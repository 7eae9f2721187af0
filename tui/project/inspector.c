/* The context a model would get from here, or got for a node: queries, and the keys that make
 * others. The worker builds contexts of any length; the main thread only shows what has arrived. */
#include <loom/project/inspector.h>

#include <loom/desk/does.h>

#include <loom/log/budget.h>
#include <loom/files/path.h>
#include <loom/desk/copy.h>
#include <loom/desk/do_line.h>
#include <loom/desk/enter_tree.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>
#include <loom/desk/screen_gate.h>
#include <loom/desk/workers.h>
#include <loom/work/thread_log.h>
#include <loom/writing/command_line.h>

#include <unistd.h>

/* NULL when another view is open by now. */
static struct tui_inspector *open_inspector(const struct tui_app *app)
{
	return app->list && tui_list_view(app->list) == TUI_KEYVIEW_INSPECTOR
		       ? tui_list_own(app->list)
		       : NULL;
}

/* The view in which one of its own keys was pressed. */
static struct tui_inspector *inspector(const struct tui_app *app)
{
	return tui_list_own(app->list);
}

static void free_asking(struct tui_asking *asking)
{
	if (!asking)
		return;
	loom_arena_destroy(asking->arena);
	free(asking);
}

/* --- on the worker --- */

static enum loom_status name_place(struct loom_store *store, struct tui_asking *asking,
				   int64_t home, struct loom_err *err)
{
	struct loom_tree tree;
	struct loom_node node;
	char id[LOOM_LOCAL_MAX];
	enum loom_status status = loom_node_get(store, asking->answer.position, LOOM_NODE_NARROW,
						asking->arena, &node, err);

	if (status == LOOM_OK)
		status = loom_tree_get(store, node.tree, asking->arena, &tree, err);
	if (status == LOOM_OK)
		status = loom_node_name(store, &node, id, err);
	if (status != LOOM_OK)
		return status;
	asking->place = tree.id == home ? loom_arena_format(asking->arena, "[%s]", id)
					: loom_arena_format(asking->arena, "%.*s [%s]",
							    LOOM_STR_ARG(tree.title), id);
	return LOOM_OK;
}

static enum loom_status compare(struct loom_store *store, struct tui_asking *asking,
				struct loom_err *err)
{
	struct loom_inspected other;
	struct loom_diff diff;
	enum loom_status status = loom_inspect(store, &asking->beside, asking->arena, &other, err);

	if (status != LOOM_OK)
		return status;
	loom_word_diff(loom_assembly_text(&asking->answer.assembly, asking->arena),
		       loom_assembly_text(&other.assembly, asking->arena), asking->arena, &diff);
	tui_inspect_diff(asking, &diff);
	return LOOM_OK;
}

static enum loom_status run(struct loom_store *store, struct tui_job *job, struct loom_err *err)
{
	struct tui_asking *asking = job->own;
	enum loom_status status =
		loom_inspect(store, &asking->what, asking->arena, &asking->answer, err);

	if (status == LOOM_OK)
		status = name_place(store, asking, job->tree, err);
	if (status != LOOM_OK)
		return status;
	if (asking->compare)
		return compare(store, asking, err);
	tui_inspect_sections(asking);
	return LOOM_OK;
}

/* --- asking --- */

static void answered(struct tui_app *app, struct tui_job *job, enum loom_status status,
		     const struct loom_err *err)
{
	struct tui_asking *asking = job->own;
	struct tui_inspector *view = open_inspector(app);

	if (!view || view->number != asking->number) {
		free_asking(asking);
		return;
	}
	view->answered = asking->number;
	view->failed[0] = '\0';
	if (status != LOOM_OK) {
		snprintf(view->failed, sizeof view->failed, "%s%s%s", err->text,
			 err->hint[0] ? " · " : "", err->hint);
		tui_must(app, status, err);
		free_asking(asking);
		tui_list_ready(app);
		return;
	}
	view->view.items = NULL; /* the caret stays until it is drawn */
	view->view.count = 0;
	free_asking(view->shown);
	view->shown = asking;
	tui_list_refresh(app);
	tui_list_ready(app);
}

static struct loom_inspect copy_question(const struct loom_inspect *what, struct loom_arena *arena)
{
	struct loom_inspect copy = *what;

	copy.agent.name = loom_arena_str(arena, what->agent.name);
	copy.prompt = loom_arena_str(arena, what->prompt);
	if (what->input.p)
		copy.input = loom_arena_str(arena, what->input);
	return copy;
}

/* Posts the view's query, compared with `beside` unless that is NULL. */
static void ask(struct tui_app *app, const struct loom_inspect *beside, struct loom_str name)
{
	struct tui_inspector *view = inspector(app);
	struct tui_asking *asking = loom_alloc(sizeof *asking);
	struct tui_job *job = tui_job_make(app);

	view->number++;
	if (!view->quiet)
		tui_list_wait(app->list);
	view->quiet = false;
	view->event_seq = app->news->event_seq;
	asking->arena = loom_arena_create();
	asking->number = view->number;
	asking->what = copy_question(&view->what, asking->arena);
	asking->was = view->was;
	if (beside) {
		asking->compare = true;
		asking->beside = copy_question(beside, asking->arena);
		asking->beside_name = loom_arena_str(asking->arena, name);
	}
	job->own = asking;
	job->run = run;
	job->done = answered;
	tui_job_look(job);
}

/* Prompt and budget come from the agent's voice. */
static void give_voice(struct tui_app *app, struct loom_inspect *what)
{
	const struct loom_generator *generator = tui_generator(app);
	const struct loom_agent *agent = &what->agent;
	const struct loom_generate_voice voice = {.use = agent->aware ? LOOM_GENERATE_COLLABORATOR
								      : LOOM_GENERATE_SUBJECT,
						  .agent = agent->name,
						  .model = agent->model,
						  .sampling = agent->sampling};
	struct loom_voice_info info;

	what->prompt = LOOM_STR("");
	what->budget = 0;
	if (generator->describe(generator->ctx, &voice, &info, NULL) != LOOM_OK)
		return;
	what->prompt = info.system;
	what->budget = info.budget;
	what->truncation = info.truncation;
	what->thoughts = info.thoughts;
}

/* The thread whose choices and log count: a loom-aware agent's own, otherwise the user's. */
static int64_t thread_of(struct tui_app *app, const struct loom_agent *agent)
{
	struct loom_thread thread;

	if (!agent->aware)
		return app->thread;
	return loom_thread_implicit(app->store, agent->id, app->tree.id, app->arena, &thread,
				    NULL) == LOOM_OK
		       ? thread.id
		       : 0;
}

static void ask_for(struct tui_app *app, const struct loom_agent *agent)
{
	struct tui_inspector *view = inspector(app);
	int64_t position = view->what.position;

	loom_arena_reset(view->ask);
	view->what = (struct loom_inspect){.agent = *agent,
					   .tree = app->tree.id,
					   .position = position ? position : app->member,
					   .here = true,
					   .at = LOOM_SEQ_HEAD,
					   .thread = thread_of(app, agent)};
	view->was = false;
	give_voice(app, &view->what);
	view->what = copy_question(&view->what, view->ask);
	ask(app, NULL, LOOM_STR(""));
}

static void ask_here(struct tui_app *app)
{
	struct loom_agent subject;
	struct loom_err err;

	if (tui_must(app, loom_inspect_subject(app->store, &app->tree, app->arena, &subject, &err),
		     &err))
		ask_for(app, &subject);
}

static bool ask_was(struct tui_app *app, int64_t node)
{
	struct tui_inspector *view = inspector(app);
	struct loom_inspect what;
	struct loom_err err;

	if (!tui_must(app, loom_inspect_node(app->store, node, app->arena, &what, &err), &err))
		return false;
	give_voice(app, &what);
	loom_arena_reset(view->ask);
	view->what = copy_question(&what, view->ask);
	view->was = true;
	ask(app, NULL, LOOM_STR(""));
	return true;
}

/* --- the list --- */

/* Whether what is shown is what would be sent now, and nothing else is asked for. */
static bool is_of_now(const struct tui_inspector *view)
{
	return view->answered == view->number && view->shown && !view->was &&
	       !view->shown->compare && view->what.at == LOOM_SEQ_HEAD;
}

static void ask_quietly(struct tui_app *app, struct tui_inspector *view)
{
	view->quiet = true;
	ask(app, NULL, LOOM_STR(""));
}

/* The sections are also list entries, so that filtering and reading out work as in any list. */
static enum loom_status read_sections(struct tui_app *app, struct tui_list *list,
				      struct loom_err *err)
{
	struct tui_inspector *view = tui_list_own(list);

	(void)err;
	for (size_t i = 0; view->shown && i < view->shown->count; i++) {
		const struct tui_section *section = &view->shown->sections[i];

		tui_list_add(list, &(struct tui_entry){.lead = section->head,
						       .text = section->text,
						       .end = section->end,
						       .id = (int64_t)i + 1});
	}
	/* Work of others may have changed what would be sent now. */
	if (view->event_seq != app->news->event_seq && is_of_now(view))
		ask_quietly(app, view);
	return LOOM_OK;
}

/* A log grows without operations. */
static void written(struct tui_app *app)
{
	struct tui_inspector *view = open_inspector(app);
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	int64_t head = 0;

	if (!view || !is_of_now(view) || view->shown->answer.head == LOOM_SEQ_NONE ||
	    loom_thread_log_open(app->store, view->what.thread, NULL, &keeper, NULL) != LOOM_OK)
		return;
	log = loom_thread_log_face(keeper);
	if (log.ops->head(log.ctx, &head, NULL) == LOOM_OK && head != view->shown->answer.head)
		ask_quietly(app, view);
	loom_thread_log_close(keeper);
}

const struct tui_view tui_view_inspector = {.told = {[TUI_TOLD_WRITTEN] = written}};

static void forget(void *own)
{
	struct tui_inspector *view = own;

	free_asking(view->shown);
	loom_arena_destroy(view->ask);
	free(view);
}

static void status(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out)
{
	const struct tui_inspector *view = tui_list_own(app->list);
	const struct loom_assembly *assembly = view->shown ? &view->shown->answer.assembly : NULL;

	if (!assembly) {
		loom_buf_adds(out, view->failed[0] ? "" : "building the context");
		return;
	}
	loom_buf_add_count(out, (uint64_t)assembly->total);
	if (assembly->budget) {
		loom_buf_adds(out, " / ");
		loom_buf_add_count(out, (uint64_t)assembly->budget);
	}
	loom_buf_adds(out, " t · ");
	loom_buf_add_count(out, view->view.caret.section + 1);
	loom_buf_adds(out, " of ");
	loom_buf_add_count(out, tui_list_count(list));
	if (assembly->left_out_count)
		loom_buf_addf(out, " · %zu left out", assembly->left_out_count);
	if (view->answered != view->number)
		loom_buf_adds(out, " · building");
}

/* --- keys --- */

static bool has_log(struct tui_app *app, const struct tui_inspector *view)
{
	if (view->what.agent.aware && view->what.thread)
		return true;
	tui_say(app, TUI_ROLE_DIM, "%.*s has no log to step through · Tab: another agent's context",
		LOOM_STR_ARG(view->what.agent.id ? view->what.agent.name : LOOM_STR("a subject")));
	return false;
}

static void to_seq(struct tui_app *app, int64_t seq)
{
	struct tui_inspector *view = inspector(app);
	int64_t head = view->shown ? view->shown->answer.head : LOOM_SEQ_NONE;

	view->what.at = seq > head ? LOOM_SEQ_HEAD : seq < 0 ? 0 : seq;
	if (head == LOOM_SEQ_NONE)
		view->what.at = LOOM_SEQ_HEAD;
	/* Earlier rows belong to where the thread stood then. */
	view->what.here = view->what.at == LOOM_SEQ_HEAD && view->what.here;
	ask(app, NULL, LOOM_STR(""));
}

static void by_seq(struct tui_app *app, int64_t by)
{
	struct tui_inspector *view = inspector(app);
	int64_t at = view->what.at;

	if (!has_log(app, view) || !view->shown)
		return;
	if (at == LOOM_SEQ_HEAD)
		at = view->shown->answer.head + 1;
	to_seq(app, at + by);
}

static void by_call(struct tui_app *app, bool back)
{
	struct tui_inspector *view = inspector(app);
	int64_t to;

	if (!has_log(app, view) || !view->shown)
		return;
	to = back ? view->shown->answer.call_before : view->shown->answer.call_after;
	if (to != LOOM_SEQ_NONE)
		to_seq(app, to);
	else if (!back && view->what.at != LOOM_SEQ_HEAD)
		to_seq(app, INT64_MAX);
	else
		tui_say(app, TUI_ROLE_DIM, back ? "no call before" : "no call after");
}

/* The next agent with a context: the subject, then each loom-aware agent. */
static void next_agent(struct tui_app *app, int by)
{
	const struct tui_inspector *view = inspector(app);
	const struct tui_people *people = &app->people;
	int64_t n = (int64_t)people->count;
	int64_t at = -1;

	for (int64_t i = 0; i < n; i++)
		if (people->items[i].agent.id == view->what.agent.id)
			at = i;
	for (int64_t i = 1; i <= n; i++) {
		const struct loom_agent *agent = &people->items[(at + by * i + n * 2) % n].agent;

		if (agent->kind != LOOM_AGENT_MODEL || agent->id == view->what.agent.id)
			continue;
		ask_for(app, agent);
		return;
	}
	tui_stuck(app, "no other agent: `:agent add NAME` creates one");
}

/* The sections in their current layout. */
static struct tui_sections *sections(struct tui_app *app)
{
	struct tui_inspector *view = tui_list_own(app->list);

	tui_inspect_fit(app, app->list);
	return &view->view;
}

static bool by_lines(struct tui_app *app, const struct tui_match *match, int way)
{
	tui_sections_move(sections(app), way * tui_match_count(match));
	return true;
}

/* `by` counts halves of a page. */
static bool by_page(struct tui_app *app, const struct tui_match *match, int by)
{
	struct tui_sections *view = sections(app);
	int page = view->height > 1 ? view->height - 1 : 1;
	int n = tui_match_count(match);

	tui_sections_move(view, by % 2 ? by * n * (page + 1) / 2 : by / 2 * n * page);
	return true;
}

static bool by_sections(struct tui_app *app, const struct tui_match *match, int way)
{
	tui_sections_step(sections(app), way * tui_match_count(match));
	return true;
}

static bool to_end(struct tui_app *app, const struct tui_match *match, int last)
{
	(void)match;
	if (last)
		tui_sections_to_end(sections(app));
	else
		tui_sections_to_start(sections(app));
	return true;
}

/* The node in "[a7x2]" at the start of a text: saved contexts name their node. */
static int64_t named_node(struct tui_app *app, int64_t tree, struct loom_str text)
{
	size_t end = loom_str_find_char(text, ']', 0);
	struct loom_node node;

	if (!text.n || text.p[0] != '[' || end == SIZE_MAX || end > LOOM_ULID_CHARS + 1 ||
	    loom_node_find(app->store, tree, loom_str_sub(text, 1, end - 1), app->arena, &node,
			   NULL) != LOOM_OK)
		return 0;
	return node.id;
}

static void go_there(struct tui_app *app)
{
	const struct tui_inspector *view = inspector(app);
	const struct tui_section_spot *at = &view->view.caret;
	const struct tui_asking *shown = view->shown;
	const struct tui_section *section;
	struct loom_node row;
	int64_t node = 0;

	if (!shown || at->section >= view->view.count)
		return;
	section = &view->view.items[at->section];
	if (section->id > 0 && !shown->compare)
		node = loom_assembly_node(&shown->answer.assembly, (size_t)section->id - 1,
					  at->line == TUI_SECTION_TEXT ? at->at : 0);
	if (!node)
		node = named_node(app, shown->answer.tree,
				  loom_str_sub(section->text,
					       section->id < 0 && at->line == TUI_SECTION_TEXT
						       ? at->at
						       : 0,
					       section->text.n));
	if (!node || loom_node_get(app->store, node, LOOM_NODE_NARROW, app->arena, &row, NULL)) {
		tui_say(app, TUI_ROLE_DIM, "this line belongs to no node");
		return;
	}
	tui_list_close(app);
	if (row.tree == app->tree.id || tui_app_tree(app, row.tree))
		tui_go(app, row.group, TUI_GO_JUMP);
}

static void end_compare(struct tui_app *app)
{
	struct tui_inspector *view = inspector(app);

	if (view->shown && view->shown->compare)
		ask(app, NULL, LOOM_STR(""));
	else
		tui_prompt_command(app, LOOM_STR("diff-with "), SIZE_MAX);
}

TUI_DO(CALL_NEXT)
{
	by_call(app, false);
}

TUI_DO(CALL_PREV)
{
	by_call(app, true);
}

TUI_DO(SEQ_UP)
{
	by_seq(app, tui_match_count(match));
}

TUI_DO(SEQ_DOWN)
{
	by_seq(app, -tui_match_count(match));
}

TUI_DO(COMPARE_WITH)
{
	end_compare(app);
}

TUI_DO(SAVE)
{
	tui_prompt_command(app, LOOM_STR("save "), SIZE_MAX);
}

/* Opens the line that does something with the log of this context as of its row: a text with a
 * blank behind it is still to be completed. */
static void with_row(struct tui_app *app, const char *command, const char *option, const char *rest)
{
	const struct tui_inspector *view = inspector(app);
	const struct tui_asking *shown = view->shown;
	struct loom_buf line = LOOM_BUF_INIT(1 << 12);
	int64_t at = view->what.at;

	if (!has_log(app, view) || !shown || !shown->answer.thread.n)
		return;
	if (at == LOOM_SEQ_HEAD)
		at = shown->answer.head;
	loom_buf_addf(&line, "%s --thread %.*s %s %lld%s", command,
		      LOOM_STR_ARG(shown->answer.thread), option, (long long)at, rest);
	tui_prompt_command(app, loom_buf_str(&line), line.n);
	loom_buf_fini(&line);
}

/* The lanes that there are now, whatever row is shown. */
static enum loom_status lanes_now(struct tui_app *app, int64_t thread, struct loom_lane_list *out,
				  struct loom_err *err)
{
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	enum loom_status status = loom_thread_log_open(app->store, thread, NULL, &keeper, err);

	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = loom_lane_list(&log, LOOM_SEQ_HEAD, app->arena, out, err);
	loom_thread_log_close(keeper);
	return status;
}

/* The next lane after the active one. */
static struct loom_str next_lane(const struct loom_lane_list *lanes)
{
	size_t active = 0;

	for (size_t i = 0; i < lanes->count; i++)
		if (lanes->items[i].active)
			active = i;
	return lanes->items[(active + 1) % lanes->count].name;
}

TUI_DO(LANE_RESTORE)
{
	with_row(app, "thread lane", "--restore", "");
}

TUI_DO(LANE_FORK)
{
	with_row(app, "thread lane", "--at", " --fork ");
}

TUI_DO(LANE_COMPACT)
{
	with_row(app, "thread compact", "--through", "");
}

TUI_DO(LANE_SWITCH)
{
	const struct tui_inspector *view = inspector(app);
	struct loom_buf line = LOOM_BUF_INIT(1 << 12);
	struct loom_lane_list lanes;
	struct loom_err err;

	if (!has_log(app, view) || !view->shown || !view->shown->answer.thread.n ||
	    !tui_must(app, lanes_now(app, view->what.thread, &lanes, &err), &err))
		return;
	if (lanes.count < 2) {
		tui_say(app, TUI_ROLE_DIM, "its log has one lane \xc2\xb7 B forks it");
		return;
	}
	loom_buf_addf(&line, "thread lane --thread %.*s --switch %.*s",
		      LOOM_STR_ARG(view->shown->answer.thread), LOOM_STR_ARG(next_lane(&lanes)));
	tui_prompt_command(app, loom_buf_str(&line), line.n);
	loom_buf_fini(&line);
}

static bool other_agent(struct tui_app *app, const struct tui_match *match, int way)
{
	(void)match;
	next_agent(app, way);
	return true;
}

TUI_MEANS(open_spot)
{
	tui_inspect_fit(app, app->list);
	go_there(app);
	return true;
}

TUI_MEANS(copy_context)
{
	const struct tui_inspector *view = tui_list_own(app->list);

	if (view->shown)
		tui_copy(app, loom_assembly_text(&view->shown->answer.assembly, app->arena),
			 "the context");
	return true;
}

static const struct tui_meaning means[] = {
	{TUI_ACTION_DOWN, by_lines, 1},
	{TUI_ACTION_UP, by_lines, -1},
	{TUI_ACTION_HALF_DOWN, by_page, 1},
	{TUI_ACTION_HALF_UP, by_page, -1},
	{TUI_ACTION_PAGE_DOWN, by_page, 2},
	{TUI_ACTION_PAGE_UP, by_page, -2},
	{TUI_ACTION_OTHER_DOWN, by_sections, 1},
	{TUI_ACTION_OTHER_UP, by_sections, -1},
	{TUI_ACTION_TOP, to_end, 0},
	{TUI_ACTION_BOTTOM, to_end, 1},
	{TUI_ACTION_PANE_NEXT, other_agent, 1},
	{TUI_ACTION_PANE_PREV, other_agent, -1},
	{TUI_ACTION_OPEN, open_spot, 0},
	{TUI_ACTION_COPY, copy_context, 0},
	{.command = TUI_COMMAND_NONE},
};

/* --- opening --- */

#define INSPECTOR(title_is)                                                                        \
	{                                                                                          \
		.title = (title_is), .unit = "part", .empty = "building the context",              \
		.ours = true, .view = TUI_KEYVIEW_INSPECTOR, .read = read_sections,                \
		.means = means, .draw = tui_inspect_draw, .status = status, .forget = forget,      \
	}

static void open_view(struct tui_app *app, bool was)
{
	static const struct tui_list_kind would = INSPECTOR("Context a model would get");
	static const struct tui_list_kind given = INSPECTOR("Context a model got");
	struct tui_inspector *view = loom_alloc(sizeof *view);

	view->ask = loom_arena_create();
	tui_list_open_with(app, was ? &given : &would, view);
}

TUI_DO(WOULD_SEND)
{
	open_view(app, false);
	ask_here(app);
}

TUI_DO(WAS_SENT)
{
	open_view(app, true);
	if (!ask_was(app, app->member))
		tui_list_close(app);
}

/* --- what is typed --- */

/* Takes a row of the log, a thread's name, or a node, as `loom context --diff` does. */
void tui_inspect_diff_with(struct tui_app *app, struct loom_str name)
{
	struct tui_inspector *view = open_inspector(app);
	struct loom_inspect beside;
	struct loom_thread thread;
	struct loom_node node;
	struct loom_err err;

	name = loom_str_trim(name);
	if (!view || !name.n) {
		tui_say(app, TUI_ROLE_DIM, "oc opens a context; = compares it with another one");
		return;
	}
	beside = view->what;
	beside.given_for = 0;
	if (loom_str_to_i64(name, &beside.at)) {
		beside.here = false;
	} else if (loom_thread_find(app->store, name, app->arena, &thread, NULL) == LOOM_OK &&
		   tui_people_get(&app->people, thread.agent)) {
		beside.agent = tui_people_get(&app->people, thread.agent)->agent;
		beside.thread = thread.id;
		beside.tree = thread.tree;
		beside.at = LOOM_SEQ_HEAD;
		give_voice(app, &beside);
		if (!tui_must(app, loom_thread_stand(app->store, &thread, &beside.position, &err),
			      &err))
			return;
	} else if (tui_must(app,
			    loom_node_find(app->store, app->tree.id, name, app->arena, &node, &err),
			    &err)) {
		beside.position = node.id;
		beside.here = true;
		beside.tree = node.tree;
	} else {
		return;
	}
	ask(app, &beside, name);
}

static enum loom_status write_file(struct loom_store *store, struct tui_job *job,
				   struct loom_err *err)
{
	const char *path = loom_buf_cstr(&job->text);

	(void)store;
	if (access(path, F_OK) == 0)
		return loom_fail(err, LOOM_CONFLICT, "%s already exists", path);
	return loom_file_write_at(path, loom_buf_str(&job->answer), NULL, err);
}

static void file_written(struct tui_app *app, struct tui_job *job, enum loom_status status,
			 const struct loom_err *err)
{
	if (tui_must(app, status, err))
		tui_say(app, TUI_ROLE_OK, "saved to %s (%zu bytes)", loom_buf_cstr(&job->text),
			job->answer.n);
}

/* Saves messages if the name ends in .json, otherwise text. Never overwrites a file. */
void tui_inspect_save(struct tui_app *app, struct loom_str path)
{
	const struct tui_inspector *view = open_inspector(app);
	struct tui_job *job;
	struct loom_json json;

	path = loom_str_trim(path);
	if (!view || !view->shown || !path.n) {
		tui_say(app, TUI_ROLE_DIM,
			view && path.n ? "the context is still being built"
				       : "oc opens a context; `:save FILE` there keeps it");
		return;
	}
	if (!tui_may(app, "doc export"))
		return;
	job = tui_job_make(app);
	if (loom_str_ends(path, LOOM_STR(".json"))) {
		loom_json_init(&json, &job->answer);
		loom_assembly_messages_json(&view->shown->answer.assembly, &json);
	} else {
		loom_buf_add(&job->answer,
			     loom_assembly_text(&view->shown->answer.assembly, app->arena));
	}
	loom_buf_addc(&job->answer, '\n');
	loom_buf_add(&job->text, path);
	job->run = write_file;
	job->done = file_written;
	tui_job_look(job);
}
