/* While models write, and when they have written: what arrives is kept in streams, and at the end
 * of a level becomes nodes. */
#include "inside.h"

#include <loom/work/sent.h>

#include <loom/base/utf8.h>

/* ---- while it runs ---- */

static bool must_renew(const struct engine_generation *now)
{
	return loom_env_boot() - now->renewed > ENGINE_LEASE_RENEW_MS;
}

static bool has_news(const struct loom_growth *growth)
{
	const struct engine_generation *now = &growth->engine->generation;

	return now->active && (growth->count || must_renew(now));
}

/* A stream that somebody took for a dead process's is already in the tree; the others continue. */
static enum loom_status keep(struct loom_store *store, const struct loom_growth *growth,
			     struct loom_err *err)
{
	const struct loom_engine *engine = growth->engine;
	struct engine_generation *now = &growth->engine->generation;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < growth->count && status == LOOM_OK; i++) {
		status = loom_stream_add(store, now->streams[growth->chunks[i].choice],
					 growth->chunks[i].text, err);
		if (status == LOOM_NOT_FOUND)
			status = LOOM_OK;
	}
	if (status != LOOM_OK || !must_renew(now))
		return status;
	now->renewed = loom_env_boot();
	return loom_lease_renew(engine->opts.session ? engine->opts.session : engine->own_session,
				err);
}

enum loom_status loom_engine_stream(struct loom_store *store, const struct loom_growth *growths,
				    size_t count, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	bool news = false;

	for (size_t i = 0; i < count; i++)
		news = news || has_news(&growths[i]);
	if (!news)
		return LOOM_OK;
	status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		if (has_news(&growths[i]))
			status = keep(store, &growths[i], err);
	return loom_quiet_end(store, status, err);
}

/* ---- use ---- */

void engine_continue_usage(const struct engine_generation *now,
			   const struct loom_generated *choices, struct loom_usage *out)
{
	for (size_t i = 0; i < now->choice_count; i++) {
		const struct loom_engine_ask *ask = &now->asks[now->ask_of[i]];

		if (choices[i].text.n || choices[i].record.n)
			loom_usage_add(out, choices[i].record,
				       i == ask->slots[0] ? continue_request_bytes(&ask->request)
							  : 0,
				       choices[i].text.n);
	}
}

/* ---- ending ---- */

static bool has_text(const struct loom_generated *choice)
{
	return choice->text.n && loom_utf8_valid(choice->text, NULL);
}

/* Keeps the line of a node for the result. */
static void note_grown(struct engine_generation *now, size_t choice, int64_t made,
		       const struct loom_node *node)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct engine_grown *grown = NULL;

	now->grown = loom_arena_grow(now->arena, now->grown, now->grown_count, &now->grown_cap,
				     sizeof *grown);
	grown = &now->grown[now->grown_count++];
	loom_show_quoted(node, &line);
	*grown = (struct engine_grown){.node = made,
				       .parent = now->asks[now->ask_of[choice]].parent,
				       .name = now->names[choice],
				       .line = loom_arena_buf(now->arena, &line)};
	loom_buf_fini(&line);
}

/* Adds the request as it was sent to the record. Choices of one request share its body. */
static enum loom_status add_request(struct engine_run *run, int64_t from,
				    const struct loom_generated *choice, struct loom_str *record,
				    struct loom_err *err)
{
	struct engine_generation *now = &run->engine->generation;
	enum loom_status status = LOOM_OK;

	if (!choice->body.n || !loom_str_ends(*record, LOOM_STR("}")) || record->n < 3)
		return LOOM_OK;
	if (from != now->body_from || !loom_str_eq(choice->body, now->body)) {
		now->body = loom_arena_str(now->arena, choice->body);
		now->body_from = from;
		status = loom_sent_pack(run->store, from, choice->body, now->arena, &now->packed,
					err);
	}
	if (status == LOOM_OK)
		*record = loom_arena_format(now->arena, "%.*s,\"request\":%.*s}",
					    LOOM_STR_ARG(loom_str_sub(*record, 0, record->n - 1)),
					    LOOM_STR_ARG(now->packed));
	return status;
}

/* The text as it will be read. */
static struct loom_str as_read(struct engine_generation *now, const struct loom_generated *choice)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_seam seam;
	struct loom_str result;

	if (!loom_seam_of(choice->record, choice->text, &seam))
		return choice->text;
	loom_seam_apply(&seam, choice->text, &text);
	result = loom_arena_buf(now->arena, &text);
	loom_buf_fini(&text);
	return result;
}

static enum loom_status finish_choice(struct engine_run *run, size_t i,
				      const struct loom_generated *choice, struct loom_err *err)
{
	struct engine_generation *now = &run->engine->generation;
	const struct loom_engine_ask *ask = &now->asks[now->ask_of[i]];
	struct loom_node_spec spec = {.from = ask->from,
				      .author = now->voices[ask->voice].subject.id,
				      .thread = run->thread.id,
				      .seq = run->engine->seq,
				      .num = now->nums[i]};
	struct loom_node node = {.text = LOOM_STR("")};
	int64_t made = 0;
	enum loom_status status = LOOM_OK;

	if (choice && has_text(choice)) {
		spec.text = choice->text;
		spec.raw = choice->raw;
		spec.generation = choice->record;
		node.text = as_read(now, choice);
		status = add_request(run, ask->from, choice, &spec.generation, err);
	}
	if (status != LOOM_OK)
		return status;
	status = loom_stream_finish(run->store, now->streams[i], &spec, &made, err);
	if (status != LOOM_OK || !made)
		return status;
	run->changed = true;
	note_grown(now, i, made, &node);
	return LOOM_OK;
}

/* Ends the streams of this level, and frees the branch if it is the last. Without texts there is
 * nothing else to do. */
static enum loom_status finish_all(struct engine_run *run, const struct loom_generated *choices,
				   bool last, struct loom_err *err)
{
	struct engine_generation *now = &run->engine->generation;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; now->grows && i < now->choice_count && status == LOOM_OK; i++)
		status = finish_choice(run, i, choices ? &choices[i] : NULL, err);
	if (status == LOOM_OK && last)
		status = loom_lease_release(run->store, now->lease, err);
	return status;
}

/* Takes back a prefix that nothing continues. */
static enum loom_status take_back(struct engine_run *run, struct loom_err *err)
{
	struct loom_engine *engine = run->engine;
	const struct engine_generation *now = &engine->generation;
	struct loom_op_spec spec = {.kind = "continue",
				    .actor = engine->agent.id,
				    .thread = engine->thread.id,
				    .tree = engine->tree.id,
				    .join = engine->op};
	bool changed = false;
	int64_t below = 0;
	enum loom_status status = LOOM_OK;

	if (now->prefix_fresh) {
		status = loom_op_undo(run->store, engine->agent.id, engine->op, NULL, err);
		engine_batch_close(engine);
		return status;
	}
	status = loom_op_begin(run->store, &spec, err);
	if (status != LOOM_OK)
		return status;
	status = loom_node_prune(run->store, now->prefix, &below, &changed, err);
	return loom_op_end(run->store, status, NULL, err);
}

static enum loom_status finish_empty(struct engine_run *run, struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(run->store, err);

	if (status != LOOM_OK)
		return status;
	status = loom_quiet_end(run->store, finish_all(run, NULL, true, err), err);
	return status == LOOM_OK && run->engine->generation.prefix ? take_back(run, err) : status;
}

/* The reason for an empty choice that gives none. */
static const char *why_nothing(const struct engine_generation *now,
			       const struct loom_generated *choices)
{
	for (size_t i = 0; i < now->choice_count; i++)
		if (!has_text(&choices[i]) && choices[i].finish == LOOM_FINISH_CANCELLED)
			return "it was stopped";
	return "the model wrote nothing";
}

/* Choices that did not arrive share one line, whatever their reasons. */
static enum loom_status say_missing(const struct engine_generation *now,
				    const struct loom_generated *choices, size_t arrived,
				    struct loom_err *err)
{
	const struct loom_err *why = NULL;
	const size_t missing = now->choice_count - arrived;

	for (size_t i = 0; i < now->choice_count && !why; i++)
		if (!has_text(&choices[i]) && choices[i].err.text[0])
			why = &choices[i].err;
	if (!arrived)
		loom_fail(err, LOOM_MODEL, "%s", why ? why->text : why_nothing(now, choices));
	else
		loom_fail(err, LOOM_MODEL, "%zu of %zu did not arrive: %s", missing,
			  now->choice_count, why ? why->text : why_nothing(now, choices));
	return why && why->hint[0] ? loom_hint(err, LOOM_MODEL, "%s", why->hint) : LOOM_MODEL;
}

/* A choice that broke off is kept and reported. */
static enum loom_status say_broken(const struct engine_generation *now,
				   const struct loom_generated *choices, struct loom_err *err)
{
	size_t broken = 0;
	const struct loom_generated *first = NULL;

	for (size_t i = 0; i < now->choice_count; i++) {
		if (choices[i].finish != LOOM_FINISH_ERROR)
			continue;
		first = first ? first : &choices[i];
		broken++;
	}
	if (!broken)
		return LOOM_OK;
	loom_fail(err, LOOM_MODEL, "%zu of %zu broke off: %s", broken, now->choice_count,
		  first->err.text[0] ? first->err.text : "no reason was given");
	return first->err.hint[0] ? loom_hint(err, LOOM_MODEL, "%s", first->err.hint) : LOOM_MODEL;
}

static enum loom_status say_op(struct engine_run *run, int64_t from, size_t arrived,
			       struct loom_err *err)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_LOCAL_MAX);
	enum loom_status status = loom_show_name_of(run->show, from, &name, err);

	engine_say(run, "generated %zu from [%s]", arrived, loom_buf_cstr(&name));
	loom_buf_fini(&name);
	return status;
}

/* Whether the thread stands below the node's group, and so reads one of its versions. */
static enum loom_status stands_below(struct engine_run *run, const struct loom_node *from,
				     bool *out, struct loom_err *err)
{
	struct loom_node node = {.id = 0};
	int64_t position = 0;
	enum loom_status status = engine_position(run->engine, &position, err);

	if (status == LOOM_OK)
		status = loom_node_get(run->store, position, LOOM_NODE_NARROW, run->arena, &node,
				       err);
	*out = false;
	return status != LOOM_OK || node.group == from->group || node.tree != from->tree
		       ? status
		       : loom_node_above(run->store, from->group, node.group, out, err);
}

/* The thread now reads the version that was continued by name, if its path goes there; says so when
 * it was reading another one. */
static enum loom_status read_on(struct engine_run *run, struct loom_err *err)
{
	const struct engine_generation *now = &run->engine->generation;
	struct loom_node from;
	int64_t instead = 0;
	bool below = false;
	enum loom_status status = LOOM_OK;

	if (!now->call->from.p || now->prefix)
		return LOOM_OK;
	status = loom_node_get(run->store, now->from, LOOM_NODE_NARROW, run->arena, &from, err);
	if (status == LOOM_OK)
		status = engine_read_on(run, &from, &instead, err);
	if (status == LOOM_OK && instead)
		status = stands_below(run, &from, &below, err);
	if (status != LOOM_OK || !below)
		return status;
	loom_buf_adds(run->out, "\n  your path reads [");
	status = loom_show_name_of(run->show, from.id, run->out, err);
	loom_buf_adds(run->out, "] now, not [");
	if (status == LOOM_OK)
		status = loom_show_name_of(run->show, instead, run->out, err);
	loom_buf_addc(run->out, ']');
	return status;
}

/* Notes what did not arrive on a level; it is told when all levels have ended. */
static void note_faults(struct engine_generation *now, const struct loom_generated *choices,
			size_t arrived)
{
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = arrived < now->choice_count
					  ? say_missing(now, choices, arrived, &err)
					  : say_broken(now, choices, &err);

	if (status != LOOM_OK && now->fault.status == LOOM_OK)
		now->fault = err;
}

/* Nothing arrived at all. */
static enum loom_status end_empty(struct engine_run *run, const struct loom_generated *choices,
				  const struct loom_err *why, struct loom_err *err)
{
	const struct engine_generation *now = &run->engine->generation;
	enum loom_status status = now->begun ? finish_empty(run, err) : LOOM_OK;

	if (status != LOOM_OK)
		return status;
	if (choices)
		return say_missing(now, choices, 0, err);
	*err = *why;
	return why->status ? why->status : LOOM_MODEL;
}

/* Ends one level in an operation that the next one joins. */
static enum loom_status end_level(struct engine_run *run, struct loom_err *err)
{
	const struct engine_generation *now = &run->engine->generation;
	int64_t op = 0;
	enum loom_status status = say_op(run, now->from, now->grown_count, err);

	if (status == LOOM_OK)
		loom_op_say(run->store, "%s", loom_buf_cstr(&run->text));
	status = loom_op_end(run->store, status, &op, err);
	if (status == LOOM_OK && run->engine->op != op) {
		run->engine->op = op;
		run->engine->op_calls = 0;
	}
	run->writing = run->changed = false;
	return status;
}

static enum loom_status end_all(struct engine_run *run, struct loom_err *err)
{
	const struct engine_generation *now = &run->engine->generation;
	enum loom_status status = continue_head(run, now->from, now->asked, err);

	if (status == LOOM_OK)
		continue_show(now, run->out);
	if (status == LOOM_OK)
		status = read_on(run, err);
	if (status == LOOM_OK)
		status = say_op(run, now->from, now->grown_count, err);
	if (status != LOOM_OK)
		return status;
	run->partial = now->fault.status != LOOM_OK;
	*err = now->fault;
	return now->fault.status;
}

enum loom_status engine_continue_end(struct engine_run *run, const struct loom_generated *choices,
				     const struct loom_err *why, bool *deeper, struct loom_err *err)
{
	struct engine_generation *now = &run->engine->generation;
	size_t arrived = 0;
	bool last = true;
	enum loom_status status = LOOM_OK;

	*deeper = false;
	for (size_t i = 0; choices && i < now->choice_count; i++)
		arrived += has_text(&choices[i]);
	if (!arrived && !now->grown_count)
		return end_empty(run, choices, why, err);
	if (choices)
		note_faults(now, choices, arrived);
	else if (now->fault.status == LOOM_OK)
		now->fault = *why;
	last = !arrived || !continue_goes_on(now, choices);
	status = engine_begin_write(run, ENGINE_CHANGES, err);
	run->changed = now->grown_count > 0; /* by the levels before */
	if (status == LOOM_OK)
		status = finish_all(run, choices, last, err);
	now->grows = false;
	if (status != LOOM_OK || last)
		return status == LOOM_OK ? end_all(run, err) : status;
	status = end_level(run, err);
	*deeper = status == LOOM_OK;
	if (*deeper)
		continue_deeper(now);
	return status;
}

void engine_continue_forget(struct loom_engine *engine)
{
	struct loom_arena *arena = engine->generation.arena;

	loom_arena_reset(arena);
	engine->generation = (struct engine_generation){.arena = arena};
	if (!engine->lease_count)
		engine->works_at = 0;
	engine_presence(engine, engine->works_at ? "writing" : "reading");
}
