/* The verbs of memory: pins, stashes, recalled texts, and the overview of all of them. */
#include <loom/engine/handlers.h>

#include <loom/base/utf8.h>
#include <loom/engine/summary_prompt.h>
#include <loom/language/call.h>
#include <loom/text/sections.h>

#include <loom/text/quoting.h>

#include <loom/text/sanitise.h>

/* ---- pins ---- */

/* The section as this thread has pinned it: case does not matter, and its heading may be gone. */
static enum loom_status pinned_section(struct engine_run *run, struct loom_pin *pin,
				       struct loom_err *err)
{
	struct loom_pin *pins = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_pin_list(run->store, run->thread.id, run->arena, &pins, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		if (pins[i].kind != LOOM_PIN_DOC || pins[i].doc != pin->doc ||
		    !loom_doc_same_section(pins[i].section, pin->section))
			continue;
		pin->section = pins[i].section;
		break;
	}
	return status;
}

/* Finds what to pin, and its label. */
static enum loom_status pin_of_doc(struct engine_run *run, const struct loom_target *target,
				   bool wanted, struct loom_pin *pin, struct loom_buf *label,
				   struct loom_err *err)
{
	struct loom_doc doc;
	size_t from = 0;
	size_t to = 0;
	enum loom_status status = engine_find_doc(run, target->doc, &doc, err);

	if (status == LOOM_OK && wanted && target->section.n)
		status = loom_doc_section(doc.text, target->section, &from, &to, err);
	if (status != LOOM_OK)
		return status;
	pin->kind = LOOM_PIN_DOC;
	pin->doc = doc.id;
	if (target->section.n) {
		pin->section = target->section;
		status = pinned_section(run, pin, err);
	}
	if (status == LOOM_OK)
		loom_show_doc(doc.name, pin->section, label);
	return status;
}

/* Prints "[a7x2]", and its tree when that is another one. */
static enum loom_status add_node(struct engine_run *run, const struct loom_node *node,
				 struct loom_buf *out, struct loom_err *err)
{
	struct loom_tree tree;
	enum loom_status status = LOOM_OK;

	loom_buf_addf(out, "[%.*s]", LOOM_STR_ARG(engine_name(run, node)));
	if (node->tree == run->engine->tree.id)
		return LOOM_OK;
	status = loom_tree_get(run->store, node->tree, run->arena, &tree, err);
	if (status != LOOM_OK)
		return status;
	loom_buf_adds(out, " in ");
	loom_show_tree(tree.title, out);
	return LOOM_OK;
}

static enum loom_status pin_of_node(struct engine_run *run, struct loom_str id,
				    struct loom_pin *pin, struct loom_buf *label,
				    struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status = engine_find(run, id, &node, err);

	if (status != LOOM_OK)
		return status;
	pin->kind = LOOM_PIN_NODE;
	pin->node = node.id;
	return add_node(run, &node, label, err);
}

static enum loom_status result_text(struct engine_run *run, int64_t number, struct loom_str *out,
				    struct loom_err *err)
{
	const struct loom_engine *engine = run->engine;
	const struct loom_engine_log *log = engine->opts.log;
	enum loom_status status = LOOM_NOT_FOUND;

	for (size_t i = 0; i < engine->kept_count; i++) {
		if (engine->kept[i].number == number) {
			*out = loom_arena_format(run->arena, "%.*s\n%.*s",
						 LOOM_STR_ARG(engine->kept[i].line),
						 LOOM_STR_ARG(engine->kept[i].whole));
			return LOOM_OK;
		}
	}
	if (log && log->result && run->thread.id)
		status = log->result(log->ctx, run->store, run->thread.id, number, run->arena, out,
				     err);
	else
		loom_fail(err, LOOM_NOT_FOUND, "there is no result res-%lld", (long long)number);
	if (status == LOOM_NOT_FOUND && engine->results)
		(void)loom_hint(err, LOOM_NOT_FOUND, "the last result is res-%lld",
				(long long)engine->results);
	return status;
}

static bool is_result(struct loom_str id, int64_t *out_number)
{
	return loom_str_starts(id, LOOM_STR("res-")) &&
	       loom_str_to_i64(loom_str_sub(id, 4, id.n), out_number);
}

/* `wanted`: also read a result's text, which dropping does not need. */
static enum loom_status pin_of(struct engine_run *run, const struct loom_target *target,
			       bool wanted, struct loom_pin *pin, struct loom_buf *label,
			       struct loom_err *err)
{
	int64_t number = 0;

	*pin = (struct loom_pin){.section = LOOM_STR_INIT(""), .result = LOOM_STR_INIT("")};
	if (target->doc.p)
		return pin_of_doc(run, target, wanted, pin, label, err);
	if (!is_result(target->node, &number))
		return pin_of_node(run, target->node, pin, label, err);
	pin->kind = LOOM_PIN_RESULT;
	pin->result = target->node;
	loom_buf_addf(label, "[%.*s]", LOOM_STR_ARG(target->node));
	return wanted ? result_text(run, number, &pin->text, err) : LOOM_OK;
}

enum loom_status engine_verb_pin(struct engine_run *run, struct loom_err *err)
{
	const struct loom_call *call = run->call;
	const struct loom_target target = {.node = call->id,
					   .doc = call->doc,
					   .section = call->section};
	struct loom_buf label = LOOM_BUF_INIT(4096);
	struct loom_pin pin;
	enum loom_status status = pin_of(run, &target, true, &pin, &label, err);

	if (status == LOOM_OK)
		status = loom_pin_set(run->store, run->thread.id, &pin, true, &run->changed, err);
	if (status == LOOM_OK) {
		engine_say(run, "pinned %s", loom_buf_cstr(&label));
		loom_buf_addf(run->out, "✓ pinned %s %s", loom_buf_cstr(&label),
			      run->changed ? "to working memory" : "unchanged");
	}
	loom_buf_fini(&label);
	return status;
}

/* ---- stash ---- */

static void add_summary_line(struct engine_run *run, const struct loom_node *node,
			     struct loom_buf *out)
{
	if (out->n)
		loom_buf_addc(out, '\n');
	loom_buf_addf(out, "[%.*s] ", LOOM_STR_ARG(engine_name(run, node)));
	loom_show_summary(node, out);
	if (!node->summary.n || node->summary_extract)
		loom_buf_adds(out, " (extract)");
}

/* The path between two nodes, both included, whichever of them is above. */
static enum loom_status path_between(struct engine_run *run, struct loom_nodes *out,
				     struct loom_err *err)
{
	const struct loom_str *ends = run->call->summary_of;
	struct loom_node a;
	struct loom_node b;
	bool above = false;
	enum loom_status status = engine_find_story(run, ends[0], &a, err);

	if (status == LOOM_OK)
		status = engine_find_story(run, ends[1], &b, err);
	if (status == LOOM_OK && a.depth > b.depth) {
		struct loom_node swap = a;

		a = b;
		b = swap;
	}
	if (status == LOOM_OK)
		status = loom_node_above(run->store, a.group, b.group, &above, err);
	if (status == LOOM_OK && !above) {
		loom_fail(err, LOOM_NOT_FOUND, "there is no path between [%.*s] and [%.*s]",
			  LOOM_STR_ARG(ends[0]), LOOM_STR_ARG(ends[1]));
		return loom_hint(err, LOOM_NOT_FOUND, "one of them must be above the other");
	}
	if (status != LOOM_OK)
		return status;
	return loom_node_path_end(run->store,
				  &(struct loom_path_end){.tip = b.id,
							  .thread = run->thread.id,
							  .limit = (size_t)(b.depth - a.depth) + 1,
							  .parts =
								  LOOM_NODE_TEXT | LOOM_NODE_MARKS},
				  run->arena, out, err);
}

/* Appends the model's words about a path, after ours. */
static void add_range_summary(struct engine_run *run, const struct loom_nodes *path,
			      struct loom_buf *out)
{
	LOOM_ASSERT(path->count > 0);
	loom_buf_addf(out, "Summary of [%.*s]", LOOM_STR_ARG(engine_name(run, &path->items[0])));
	if (path->count > 1)
		loom_buf_addf(out, "…[%.*s]",
			      LOOM_STR_ARG(engine_name(run, &path->items[path->count - 1])));
	loom_buf_adds(out, ": ");
	(void)loom_body_add_inside(out, run->engine->summary, LOOM_BELOW_HEADERS);
}

static bool stashes_summary(const struct engine_run *run)
{
	return run->call->verb == LOOM_VERB_STASH && run->call->summary_of[0].p != NULL;
}

struct loom_str engine_stash_question(struct engine_run *run)
{
	struct loom_buf talk = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_nodes path = {NULL, 0};
	struct loom_str question = LOOM_STR("");
	struct loom_err err;

	/* What is wrong with the call is said when it is done. */
	if (!stashes_summary(run) || path_between(run, &path, &err) != LOOM_OK)
		return question;
	for (size_t i = 0; i < path.count; i++) {
		const struct loom_str whole = path.items[i].text;
		const struct loom_str clipped =
			loom_utf8_clip(whole, LOOM_SUMMARY_PATH_BYTES / path.count);

		loom_buf_addf(&talk, "%s[%.*s] ", talk.n ? "\n\n" : "",
			      LOOM_STR_ARG(engine_name(run, &path.items[i])));
		loom_buf_addf(&talk, "%.*s%s", LOOM_STR_ARG(clipped),
			      clipped.n < whole.n ? "…" : "");
	}
	loom_summary_path(run->tree.title, loom_buf_str(&talk), &text);
	question = loom_arena_buf(run->arena, &text);
	loom_buf_fini(&talk);
	loom_buf_fini(&text);
	return question;
}

/* The text to stash. */
static enum loom_status stash_text(struct engine_run *run, struct loom_buf *out, bool *summary,
				   struct loom_err *err)
{
	struct loom_nodes path = {NULL, 0};
	struct loom_node node;
	enum loom_status status = LOOM_OK;

	*summary = stashes_summary(run);
	if (run->call->content_of.p) {
		status = engine_find(run, run->call->content_of, &node, err);
		if (status == LOOM_OK)
			loom_buf_add(out, node.text);
		return status;
	}
	if (!*summary) {
		loom_buf_add(out, run->call->content);
		return LOOM_OK;
	}
	status = path_between(run, &path, err);
	if (status == LOOM_OK && run->engine->summary.n) {
		add_range_summary(run, &path, out);
		return status;
	}
	for (size_t i = 0; status == LOOM_OK && i < path.count; i++)
		add_summary_line(run, &path.items[i], out);
	return status;
}

enum loom_status engine_verb_stash(struct engine_run *run, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(ENGINE_RESULT_MAX);
	struct loom_stash stash = {.label = run->call->label};
	enum loom_status status = stash_text(run, &text, &stash.summary, err);

	stash.text = loom_buf_str(&text);
	if (status == LOOM_OK)
		status = loom_stash_create(run->store, run->thread.id, &stash, err);
	if (status == LOOM_OK) {
		run->changed = true;
		engine_say(run, "stashed \"%.*s\"",
			   LOOM_STR_ARG(loom_shown_label(run->arena, stash.label)));
		loom_buf_addf(run->out, "✓ stashed \"%.*s\" (",
			      LOOM_STR_ARG(loom_shown_label(run->arena, stash.label)));
		loom_show_many(loom_token_estimate(text.n), "token", "tokens", run->out);
		loom_buf_addc(run->out, ')');
	}
	loom_buf_fini(&text);
	return status;
}

/* ---- recall and drop ---- */

static enum loom_status find_stash(struct engine_run *run, struct loom_str label,
				   struct loom_stash *out, struct loom_err *err)
{
	struct loom_stash *all = NULL;
	struct loom_buf names = LOOM_BUF_INIT(180);
	size_t count = 0;
	enum loom_status status =
		loom_stash_find(run->store, run->thread.id, label, run->arena, out, err);

	if (status != LOOM_NOT_FOUND ||
	    loom_stash_list(run->store, run->thread.id, run->arena, &all, &count, NULL) != LOOM_OK)
		return status;
	for (size_t i = 0; i < count && names.n + all[i].label.n < 150; i++)
		loom_buf_addf(&names, "%s\"%.*s\"", i ? ", " : "", LOOM_STR_ARG(all[i].label));
	loom_fail(err, LOOM_NOT_FOUND, "stash \"%.*s\" does not exist", LOOM_STR_ARG(label));
	loom_hint(err, LOOM_NOT_FOUND, "%s%s",
		  names.n ? "stashed: " : "nothing is stashed: " LANG_ARROW " stash \"L\" \"…\"",
		  loom_buf_cstr(&names));
	for (size_t i = 0; i < count && err && !engine_hint_name(run, label, all[i].label, err);
	     i++)
		continue;
	loom_buf_fini(&names);
	return LOOM_NOT_FOUND;
}

enum loom_status engine_verb_recall(struct engine_run *run, struct loom_err *err)
{
	struct loom_stash stash;
	enum loom_status status = find_stash(run, run->call->label, &stash, err);

	if (status == LOOM_OK)
		status = loom_stash_recall(run->store, stash.id, true, &run->changed, err);
	if (status != LOOM_OK)
		return status;
	engine_say(run, "recalled \"%.*s\"",
		   LOOM_STR_ARG(loom_shown_label(run->arena, stash.label)));
	loom_buf_addf(run->out, "✓ recalled \"%.*s\":\n\"",
		      LOOM_STR_ARG(loom_shown_label(run->arena, stash.label)));
	/* A stashed path is stored as one line per node. */
	if (stash.summary)
		loom_buf_add(run->out, stash.text);
	else
		(void)loom_body_add_inside(run->out, stash.text, LOOM_BELOW_HEADERS);
	loom_buf_addc(run->out, '"');
	return LOOM_OK;
}

static enum loom_status say_dropped(struct engine_run *run, const char *what, struct loom_str name)
{
	run->changed = true;
	engine_say(run, "dropped %s%.*s", what, LOOM_STR_ARG(name));
	loom_buf_addf(run->out, "✓ dropped %s%.*s", what,
		      LOOM_STR_ARG(loom_shown_label(run->arena, name)));
	return LOOM_OK;
}

static enum loom_status drop_pin(struct engine_run *run, struct loom_err *err)
{
	struct loom_buf label = LOOM_BUF_INIT(4096);
	struct loom_pin pin;
	bool changed = false;
	enum loom_status status = pin_of(run, &run->call->pin, false, &pin, &label, err);

	if (status == LOOM_OK)
		status = loom_pin_set(run->store, run->thread.id, &pin, false, &changed, err);
	if (status == LOOM_OK && !changed) {
		loom_fail(err, LOOM_NOT_FOUND, "%s is not pinned", loom_buf_cstr(&label));
		status = loom_hint(err, LOOM_NOT_FOUND, LANG_ARROW " memory lists what is");
	}
	if (status == LOOM_OK)
		status = say_dropped(run, "pin ", loom_buf_str(&label));
	loom_buf_fini(&label);
	return status;
}

static enum loom_status drop_recall(struct engine_run *run, struct loom_err *err)
{
	struct loom_stash stash;
	bool changed = false;
	enum loom_status status = find_stash(run, run->call->recall, &stash, err);

	if (status == LOOM_OK)
		status = loom_stash_recall(run->store, stash.id, false, &changed, err);
	if (status == LOOM_OK && !changed) {
		loom_fail(err, LOOM_NOT_FOUND, "\"%.*s\" is not recalled",
			  LOOM_STR_ARG(loom_shown_label(run->arena, stash.label)));
		return loom_hint(err, LOOM_NOT_FOUND, LANG_ARROW " memory lists what is");
	}
	if (status != LOOM_OK)
		return status;
	return say_dropped(run, "recall ",
			   loom_arena_format(run->arena, "\"%.*s\"",
					     LOOM_STR_ARG(
						     loom_shown_label(run->arena, stash.label))));
}

enum loom_status engine_verb_drop(struct engine_run *run, struct loom_err *err)
{
	struct loom_stash stash;
	enum loom_status status = LOOM_OK;

	if (run->call->recall.p)
		return drop_recall(run, err);
	if (!run->call->stash.p)
		return drop_pin(run, err);
	status = find_stash(run, run->call->stash, &stash, err);
	if (status == LOOM_OK)
		status = loom_stash_drop(run->store, stash.id, err);
	if (status != LOOM_OK)
		return status;
	return say_dropped(run, "stash ",
			   loom_arena_format(run->arena, "\"%.*s\"",
					     LOOM_STR_ARG(
						     loom_shown_label(run->arena, stash.label))));
}

/* ---- memory ---- */

static enum loom_status add_pin(struct engine_run *run, const struct loom_pin *pin,
				struct loom_err *err)
{
	struct loom_doc doc;
	struct loom_node node;
	enum loom_status status = LOOM_OK;

	if (pin->kind == LOOM_PIN_DOC) {
		status = loom_doc_get(run->store, pin->doc, false, run->arena, &doc, err);
		if (status == LOOM_OK)
			loom_show_doc(doc.name, pin->section, run->out);
		return status;
	}
	if (pin->kind == LOOM_PIN_RESULT) {
		loom_buf_addf(run->out, "[%.*s]",
			      LOOM_STR_ARG(loom_shown_label(run->arena, pin->result)));
		return LOOM_OK;
	}
	status = loom_node_get(run->store, pin->node, LOOM_NODE_NARROW, run->arena, &node, err);
	return status == LOOM_OK ? add_node(run, &node, run->out, err) : status;
}

static enum loom_status add_pins(struct engine_run *run, struct loom_err *err)
{
	struct loom_pin *pins = NULL;
	size_t count = 0;
	bool any = false;
	enum loom_status status =
		loom_pin_list(run->store, run->thread.id, run->arena, &pins, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		const size_t begin = run->out->n;

		loom_buf_adds(run->out, any ? ", " : "\n  pinned: ");
		status = add_pin(run, &pins[i], err);
		if (status == LOOM_OK) {
			any = true;
		} else if (status == LOOM_NOT_FOUND) {
			loom_buf_cut(run->out, begin); /* it was undone */
			status = LOOM_OK;
		}
	}
	return status;
}

static void add_labels(struct engine_run *run, const struct loom_stash *stashes, size_t count,
		       bool recalled, const char *title)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (recalled && !stashes[i].recalled)
			continue;
		loom_buf_adds(run->out, any ? ", " : title);
		loom_buf_addf(run->out, "\"%.*s\"",
			      LOOM_STR_ARG(loom_shown_label(run->arena, stashes[i].label)));
		any = true;
	}
}

/* Measures the context as it would be assembled now, with nothing cut. */
static enum loom_status measure(struct engine_run *run, int64_t *out_used, int64_t *out_free,
				struct loom_err *err)
{
	const struct loom_engine *engine = run->engine;
	struct loom_aware_opts opts = {.agent = &engine->agent,
				       .tree = run->tree.id,
				       .thread = run->thread.id,
				       .at = LOOM_SEQ_HEAD,
				       .turn_seq = LOOM_SEQ_HEAD,
				       .now = run->show->now,
				       .prompt = engine->opts.prompt,
				       .session = engine->opts.session,
				       .ungranted = engine->opts.ungranted};
	struct loom_assembly assembly;
	enum loom_status status =
		loom_assemble_aware(run->store, &opts, run->arena, &assembly, err);

	if (status != LOOM_OK)
		return status;
	*out_used = assembly.total;
	*out_free = engine->opts.budget ? engine->opts.budget - assembly.total : INT64_MIN;
	return LOOM_OK;
}

static enum loom_status add_measure(struct engine_run *run, struct loom_err *err)
{
	const struct loom_engine_hooks *hooks = run->engine->opts.hooks;
	struct loom_engine_view view;
	int64_t used = 0;
	int64_t left = 0;
	enum loom_status status = LOOM_OK;

	if (run->engine->human)
		return LOOM_OK;
	engine_view_of(run->engine, &view);
	status = hooks && hooks->measure ? hooks->measure(hooks->ctx, &view, &used, &left, err)
					 : measure(run, &used, &left, err);
	if (status != LOOM_OK)
		return status;
	loom_buf_adds(run->out, "\n\nContext: ");
	loom_buf_add_count(run->out, (uint64_t)used);
	loom_buf_adds(run->out, " tokens used");
	if (left == INT64_MIN)
		return LOOM_OK;
	loom_buf_adds(run->out, " · ");
	loom_buf_add_count(run->out, left < 0 ? 0 : (uint64_t)left);
	loom_buf_adds(run->out, " available");
	return LOOM_OK;
}

static enum loom_status show_all(struct engine_run *run, const struct loom_stash *stashes,
				 size_t count, struct loom_err *err)
{
	size_t head = 0;
	enum loom_status status = LOOM_OK;

	loom_buf_adds(run->out, LOOM_SAYS_MEMORY);
	head = run->out->n;
	status = add_pins(run, err);
	if (status != LOOM_OK)
		return status;
	add_labels(run, stashes, count, true, "\n  recalled: ");
	add_labels(run, stashes, count, false, "\n  stashed: ");
	if (run->out->n == head)
		loom_buf_adds(run->out, "\n  (empty)");
	return add_measure(run, err);
}

static void show_stashes(struct engine_run *run, const struct loom_stash *stashes, size_t count)
{
	loom_buf_adds(run->out, count ? "Stashed:" : "Nothing is stashed.");
	for (size_t i = 0; i < count; i++) {
		loom_buf_addf(run->out, "\n  \"%.*s\" (",
			      LOOM_STR_ARG(loom_shown_label(run->arena, stashes[i].label)));
		loom_show_many(loom_token_estimate(stashes[i].text.n), "token", "tokens", run->out);
		loom_buf_adds(run->out, " · ");
		loom_show_ago(run->show, stashes[i].created, run->out);
		loom_buf_adds(run->out, stashes[i].recalled ? " · recalled)" : ")");
	}
}

/* From the log, or without one from what this turn has done so far. */
static enum loom_status show_trace(struct engine_run *run, struct loom_err *err)
{
	const struct loom_engine *engine = run->engine;
	const struct loom_engine_log *log = engine->opts.log;
	struct loom_trace trace = {.count = 0};
	enum loom_status status = LOOM_OK;

	loom_buf_adds(run->out, LOOM_SAYS_TRACE);
	if (log && log->trace && run->thread.id) {
		status = log->trace(log->ctx, run->store, run->thread.id, 10, run->arena, &trace,
				    err);
		for (size_t i = 0; status == LOOM_OK && i < trace.count; i++)
			loom_buf_addf(run->out, "\n  %.*s", LOOM_STR_ARG(trace.lines[i]));
		return status;
	}
	for (size_t i = engine->kept_count > 10 ? engine->kept_count - 10 : 0;
	     i < engine->kept_count; i++) {
		const struct loom_result *kept = &engine->kept[i];

		loom_buf_addf(run->out, "\n  %.*s", LOOM_STR_ARG(kept->line));
		if (kept->status != LOOM_OK)
			loom_buf_addf(run->out, " ✗ %s", loom_status_code(kept->status));
	}
	return LOOM_OK;
}

enum loom_status engine_verb_memory(struct engine_run *run, struct loom_err *err)
{
	struct loom_stash *stashes = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	if (run->call->what == LOOM_WHAT_TRACE)
		return show_trace(run, err);
	status = loom_stash_list(run->store, run->thread.id, run->arena, &stashes, &count, err);
	if (status != LOOM_OK)
		return status;
	if (run->call->what == LOOM_WHAT_STASHED)
		show_stashes(run, stashes, count);
	else
		return show_all(run, stashes, count, err);
	return LOOM_OK;
}
