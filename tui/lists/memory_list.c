/* A thread's memory, beside the tree: pins, stashes, recent calls, who is here. The person's own
 * memory is changed by ordinary command lines; another thread's by the worker, as operations that
 * anybody can undo. */
#include <loom/context/context.h>
#include <loom/tree/person.h>
#include <loom/work/thread_log.h>

#include <loom/desk/desk.h>
#include <loom/desk/does.h>
#include <loom/lists/list.h>
#include <loom/desk/do_line.h>
#include <loom/desk/others.h>
#include <loom/desk/position.h>
#include <loom/desk/screen_gate.h>
#include <loom/desk/tree_view.h>
#include <loom/language/verb.h>
#include <loom/desk/workers.h>
#include <loom/lists/side.h>
#include <loom/tree/document.h>

#define TRACE 10 /* calls of the thread to show */

/* The kind of an entry, in its `other`. */
enum kept { KEPT_PIN, KEPT_STASH, KEPT_CALL, KEPT_AGENT };

/* --- reading --- */

static void add_heading(struct tui_list *list, const char *what, size_t count)
{
	tui_list_add(list, &(struct tui_entry){.heading = true,
					       .text = loom_arena_format(tui_list_arena(list),
									 "%s %zu", what, count)});
}

static struct loom_str tokens(struct tui_list *list, const char *before, size_t bytes)
{
	return loom_arena_format(tui_list_arena(list), "%s%zu t", before, (bytes + 3) / 4);
}

static void add_pin(struct tui_app *app, struct tui_list *list, const struct loom_pin *pin)
{
	struct loom_arena *arena = tui_list_arena(list);
	struct tui_entry entry = {.lead_role = TUI_ROLE_ID, .id = pin->id, .other = KEPT_PIN};
	struct loom_node node;
	struct loom_doc doc;
	char id[LOOM_LOCAL_MAX];

	if (pin->kind == LOOM_PIN_NODE &&
	    loom_node_get(app->store, pin->node, LOOM_NODE_TEXT, arena, &node, NULL) == LOOM_OK &&
	    loom_node_name(app->store, &node, id, NULL) == LOOM_OK) {
		entry.lead = loom_arena_format(arena, "pin:%s", id);
		entry.text = node.text;
		entry.end = tokens(list, "", node.text.n);
	} else if (pin->kind == LOOM_PIN_DOC &&
		   loom_doc_get(app->store, pin->doc, true, arena, &doc, NULL) == LOOM_OK) {
		entry.lead = loom_arena_format(arena, "pin:doc:\"%.*s\"", LOOM_STR_ARG(doc.name));
		entry.text = pin->section.n ? pin->section : doc.text;
		entry.end = tokens(list, "", doc.text.n);
	} else {
		entry.lead = loom_arena_format(arena, "pin:%.*s", LOOM_STR_ARG(pin->result));
		entry.text = pin->text;
		entry.end = tokens(list, "", pin->text.n);
	}
	tui_list_add(list, &entry);
}

static void add_stash(struct tui_list *list, const struct loom_stash *stash)
{
	struct loom_arena *arena = tui_list_arena(list);

	tui_list_add(list, &(struct tui_entry){
				   .lead = loom_arena_format(arena, "%s:\"%.*s\"",
							     stash->recalled ? "recall" : "stash",
							     LOOM_STR_ARG(stash->label)),
				   .lead_role = stash->recalled ? TUI_ROLE_OK : TUI_ROLE_TITLE,
				   .text = stash->text,
				   .end = tokens(list, stash->recalled ? "recalled · " : "",
						 stash->text.n),
				   .id = stash->id,
				   .other = KEPT_STASH,
			   });
}

static enum loom_status read_kept(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct loom_arena *arena = tui_list_arena(list);
	struct loom_pin *pins = NULL;
	struct loom_stash *stashes = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_pin_list(app->store, app->side_thread, arena, &pins, &count, err);

	if (count)
		add_heading(list, "Pins", count);
	for (size_t i = 0; i < count; i++)
		add_pin(app, list, &pins[i]);
	count = 0;
	if (status == LOOM_OK)
		status =
			loom_stash_list(app->store, app->side_thread, arena, &stashes, &count, err);
	if (count)
		add_heading(list, "Stashed", count);
	for (size_t i = 0; i < count; i++)
		add_stash(list, &stashes[i]);
	return status;
}

struct trace {
	struct tui_list *list;
	struct tui_entry entries[TRACE]; /* newest first */
	size_t count;
};

static bool take_action(void *ctx, const struct loom_log_row *row)
{
	struct trace *trace = ctx;
	struct loom_arena *arena = tui_list_arena(trace->list);
	struct loom_str result;

	if (!loom_str_is(row->kind, LOOM_KIND_ACTION))
		return true;
	result = loom_jval_text(loom_jval_get(row->payload, "result"), arena);
	trace->entries[trace->count++] = (struct tui_entry){
		.lead = loom_arena_format(arena, "%lld", (long long)row->seq),
		.lead_role = TUI_ROLE_DIM,
		.text = loom_arena_str(arena,
				       loom_jval_text(loom_jval_get(row->payload, "call"), arena)),
		.role = TUI_ROLE_CALL,
		.end = loom_arena_str(arena, loom_str_sub(result, 0, result.n < 40 ? result.n : 0)),
		.id = row->seq + 1,
		.other = KEPT_CALL,
	};
	return trace->count < TRACE;
}

static enum loom_status read_trace(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct trace trace = {.list = list};
	const struct loom_log_visitor visitor = {take_action, &trace};
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE,
					     .through = LOOM_SEQ_HEAD,
					     .kind = LOOM_STR(LOOM_KIND_ACTION),
					     .newest_first = true};
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	enum loom_status status =
		loom_thread_log_open(app->store, app->side_thread, NULL, &keeper, err);

	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = log.ops->read(log.ctx, &range, &visitor, err);
	if (trace.count)
		add_heading(list, "Last calls", trace.count);
	while (trace.count)
		tui_list_add(list, &trace.entries[--trace.count]);
	loom_thread_log_close(keeper);
	return status;
}

static void read_present(struct tui_app *app, struct tui_list *list)
{
	struct loom_arena *arena = tui_list_arena(list);
	char tree[LOOM_ULID_CHARS + 1];

	loom_ulid_text(&app->tree.ulid, tree);
	if (app->news->present_count)
		add_heading(list, "Here now", app->news->present_count);
	for (size_t i = 0; i < app->news->present_count; i++) {
		const struct loom_presence *who = &app->news->present[i];
		const struct tui_person *person = tui_people_named(&app->people, who->agent);

		tui_list_add(list,
			     &(struct tui_entry){
				     .lead = loom_arena_str(arena, who->agent),
				     .lead_role = person ? person->role : TUI_ROLE_HUMAN,
				     .text = loom_arena_format(
					     arena, "%.*s at [%.*s]%s, depth %lld",
					     LOOM_STR_ARG(who->doing), LOOM_STR_ARG(who->node),
					     loom_str_is(who->tree, tree) ? "" : " of another tree",
					     (long long)who->depth),
				     .id = (int64_t)i + 1,
				     .other = KEPT_AGENT,
			     });
	}
}

static enum loom_status read_memory(struct tui_app *app, struct tui_list *list,
				    struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (app->side_thread)
		status = read_kept(app, list, err);
	if (status == LOOM_OK && app->side_thread)
		status = read_trace(app, list, err);
	read_present(app, list);
	return status;
}

/* --- another's memory: on the worker --- */

/* A change to another thread's memory; its name is the job's text. */
struct change {
	int64_t thread;
	int64_t what;
	enum loom_verb verb;
	enum kept kind;
};

static enum loom_status do_change(struct loom_store *store, struct tui_job *job,
				  struct loom_arena *arena, struct loom_err *err)
{
	const struct change *asked = job->own;
	const enum loom_verb verb = asked->verb;
	struct loom_pin pin = {.kind = LOOM_PIN_NODE,
			       .node = asked->what,
			       .section = LOOM_STR_INIT(""),
			       .result = LOOM_STR_INIT("")};
	struct loom_stash stash = {.label = loom_buf_str(&job->text)};
	struct loom_pin *pins = NULL;
	struct loom_node node;
	size_t count = 0;
	bool changed = false;
	enum loom_status status = LOOM_OK;

	if (verb == LOOM_VERB_PIN)
		return loom_pin_set(store, asked->thread, &pin, true, &changed, err);
	if (verb == LOOM_VERB_STASH) {
		status = loom_node_get(store, asked->what, LOOM_NODE_TEXT, arena, &node, err);
		stash.text = node.text;
		return status ? status : loom_stash_create(store, asked->thread, &stash, err);
	}
	if (verb == LOOM_VERB_RECALL)
		return loom_stash_recall(store, asked->what, true, &changed, err);
	if (asked->kind == KEPT_STASH)
		return loom_stash_drop(store, asked->what, err);
	status = loom_pin_list(store, asked->thread, arena, &pins, &count, err);
	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		if (pins[i].id == asked->what)
			return loom_pin_set(store, asked->thread, &pins[i], false, &changed, err);
	return status;
}

static enum loom_status run_change(struct loom_store *store, struct tui_job *job,
				   struct loom_err *err)
{
	const struct change *asked = job->own;
	struct loom_arena *arena = loom_arena_create();
	struct loom_agent owner;
	struct loom_op_spec spec = {.kind = loom_verb_name(asked->verb), .thread = asked->thread};
	enum loom_status status = loom_person_me(store, arena, &owner, err);

	spec.actor = status == LOOM_OK ? owner.id : 0;
	if (status == LOOM_OK)
		status = loom_op_begin(store, &spec, err);
	if (status == LOOM_OK) {
		status = do_change(store, job, arena, err);
		loom_op_say(store, "%s for another: %.*s", spec.kind,
			    LOOM_STR_ARG(loom_buf_str(&job->text)));
		status = loom_op_end(store, status, NULL, err);
	}
	loom_arena_destroy(arena);
	return status;
}

static void changed(struct tui_app *app, struct tui_job *job, enum loom_status status,
		    const struct loom_err *err)
{
	const struct change *asked = job->own;

	tui_news_look(app);
	if (tui_must(app, status, err))
		tui_say(app, TUI_ROLE_OK, "%s: %s · u undoes it",
			tui_command_info(tui_command_find(loom_str_of(loom_verb_name(asked->verb))))
				->name,
			loom_buf_cstr(&job->text));
	tui_side_refresh(app);
}

static void post(struct tui_app *app, enum loom_verb verb, int64_t what, enum kept kind,
		 struct loom_str name)
{
	struct change *change;
	struct tui_job *job;

	/* A person changes another thread's memory, as the person's own operation. */
	if (!tui_may(app, "thread op"))
		return;
	job = tui_job_make(app);
	job->run = run_change;
	job->done = changed;
	change = LOOM_ARENA_NEW(job->arena, struct change);
	*change = (struct change){app->side_thread, what, verb, kind};
	job->own = change;
	loom_buf_add(&job->text, name);
	tui_job_post(job);
}

/* --- keys --- */

static bool is_mine(const struct tui_app *app)
{
	return !app->side_thread || app->side_thread == app->thread;
}

static void after(struct tui_app *app, int64_t number, bool ok)
{
	(void)number;
	(void)ok;
	tui_side_refresh(app);
}

static void run_line(struct tui_app *app, const char *verb, struct loom_str what)
{
	const struct tui_run_opts opts = {.stay = true, .done = after};
	struct loom_buf line = LOOM_BUF_INIT(1 << 16);

	loom_buf_addf(&line, "%s %.*s", verb, LOOM_STR_ARG(what));
	tui_run_line(app, loom_buf_str(&line), &opts);
	loom_buf_fini(&line);
}

static void drop(struct tui_app *app, const struct tui_entry *entry)
{
	if (entry->other == KEPT_PIN || entry->other == KEPT_STASH) {
		if (is_mine(app))
			run_line(app, "drop", entry->lead);
		else
			post(app, LOOM_VERB_DROP, entry->id, (enum kept)entry->other, entry->lead);
	} else {
		tui_say(app, TUI_ROLE_DIM, "only pins, stashes and recalled texts can be removed");
	}
}

static void recall(struct tui_app *app, const struct tui_entry *entry)
{
	size_t colon = loom_str_find_char(entry->lead, ':', 0);

	if (entry->other != KEPT_STASH)
		tui_say(app, TUI_ROLE_DIM, "pins are in every context already");
	else if (is_mine(app))
		run_line(app, "recall", loom_str_sub(entry->lead, colon + 1, entry->lead.n));
	else
		post(app, LOOM_VERB_RECALL, entry->id, KEPT_STASH, entry->lead);
}

/* Keeps the node at the position in the memory that is shown. */
static void keep_here(struct tui_app *app, enum loom_verb verb)
{
	const struct tui_row *row = NULL;

	if (tui_rows_get(&app->rows, app->position, &row, NULL) != LOOM_OK)
		return;
	if (!is_mine(app))
		post(app, verb, row->node, KEPT_PIN, loom_str_of(row->id));
	else if (verb == LOOM_VERB_PIN)
		run_line(app, "pin", loom_str_of(row->id));
	else
		tui_stash_ask(app);
}

/* Verbs that act on the row of the cursor. */
TUI_DO(DROP)
{
	const struct tui_entry *entry = tui_list_at(app->list);

	if (entry)
		drop(app, entry);
}

TUI_DO(RECALL)
{
	const struct tui_entry *entry = tui_list_at(app->list);

	if (entry)
		recall(app, entry);
}

static bool keep(struct tui_app *app, const struct tui_match *match, int verb)
{
	(void)match;
	keep_here(app, (enum loom_verb)verb);
	return true;
}

static const struct tui_meaning means[] = {{TUI_VERB_PIN, keep, LOOM_VERB_PIN},
					   {TUI_VERB_STASH, keep, LOOM_VERB_STASH},
					   {.command = TUI_COMMAND_NONE}};

static void open_entry(struct tui_app *app, const struct tui_entry *entry)
{
	size_t colon = loom_str_find_char(entry->lead, ':', 0);
	struct loom_node node;
	struct loom_str id =
		loom_str_sub(entry->lead, colon == SIZE_MAX ? 0 : colon + 1, entry->lead.n);

	if (entry->other == KEPT_AGENT && (size_t)entry->id <= app->news->present_count)
		id = app->news->present[entry->id - 1].node;
	if (entry->other != KEPT_STASH && entry->other != KEPT_CALL &&
	    loom_node_find(app->store, app->tree.id, id, app->arena, &node, NULL) == LOOM_OK)
		tui_go(app, node.group, TUI_GO_JUMP);
	else
		tui_text_open(app, entry->lead, entry->text);
}

static bool offers(const struct tui_list *list, const struct tui_entry *entry,
		   enum tui_command command)
{
	(void)list;
	return entry || (command != TUI_VERB_DROP && command != TUI_VERB_RECALL);
}

const struct tui_list_kind tui_memory_kind = {
	.title = "Memory",
	.unit = "thing",
	.empty = "nothing kept in this thread: p pins the node, s stashes its text",
	.view = TUI_KEYVIEW_MEMORY,
	.read = read_memory,
	.open = open_entry,
	.means = means,
	.offers = offers,
};
