/* Copies of branches: new nodes with the texts that the thread reads, of the same authors, with
 * their marks, tags and notes. A copy of any size is one operation in slices, so nobody waits for
 * it, and all of it is there at once. */
#include <loom/engine/handlers.h>

#include <loom/language/call.h>
#include <loom/reading/reading.h>
#include <loom/tree/carry.h>

/* Others may write after so long. */
#define SLICE_NS 20000000

struct copying {
	struct engine_run *run;
	struct loom_reading reading;
	struct loom_arena *arena; /* for one node */
	int64_t *made;            /* the copy of each node, by its number */
	int64_t count;
	int64_t slice; /* when this one began */
};

static enum loom_status carry_tags(struct copying *c, int64_t from, int64_t to,
				   struct loom_err *err)
{
	struct loom_str *tags = NULL;
	size_t count = 0;
	enum loom_status status = loom_tag_of(c->run->store, from, c->arena, &tags, &count, err);

	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		status = loom_carry_tag(c->run->store, to, tags[i], err);
	return status;
}

static enum loom_status carry(struct copying *c, const struct loom_node *from, int64_t to,
			      struct loom_err *err)
{
	const struct loom_carry_marks marks = {.bookmarked = from->bookmarked,
					       .excluded = from->excluded,
					       .summary_extract = from->summary_extract,
					       .label = from->label,
					       .summary = from->summary};
	enum loom_status status = LOOM_OK;

	if (marks.bookmarked || marks.excluded || marks.summary.n)
		status = loom_carry_mark(c->run->store, to, &marks, err);
	return status == LOOM_OK ? carry_tags(c, from->id, to, err) : status;
}

static enum loom_status copy_one(struct copying *c, int64_t id, int64_t below, int64_t *out,
				 struct loom_err *err)
{
	struct loom_node_spec spec = {.from = below, .seq = -1};
	struct loom_node node;
	struct loom_seam seam;
	enum loom_status status =
		loom_node_get(c->run->store, id, LOOM_NODE_ALL, c->arena, &node, err);

	if (status == LOOM_OK)
		status = loom_node_generation(c->run->store, id, c->arena, &spec.generation,
					      &spec.raw, err);
	if (status == LOOM_OK)
		status = loom_carry_kept(c->run->store, id, c->arena, &spec.original, &spec.extra,
					 err);
	if (status == LOOM_OK)
		status = loom_node_came(c->run->store, id, c->arena, &spec.text, &seam, err);
	if (status != LOOM_OK)
		return status;
	spec.kind = node.kind;
	spec.author = node.author;
	spec.thread = c->run->thread.id;
	status = loom_node_create(c->run->store, &spec, out, err);
	if (status == LOOM_OK && seam.off)
		status = loom_carry_unseamed(c->run->store, *out, err);
	return status == LOOM_OK ? carry(c, &node, *out, err) : status;
}

static enum loom_status copy_notes(struct copying *c, uint32_t number, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	int64_t made = 0;

	for (uint32_t note = loom_reading_note(&c->reading, number, 0); note && status == LOOM_OK;
	     note = loom_reading_note(&c->reading, number, note))
		status = copy_one(c, c->reading.nodes[note - 1].id, c->made[number], &made, err);
	return status;
}

/* Between two nodes: lets others write now and then. */
static enum loom_status next_slice(struct copying *c, struct loom_err *err)
{
	enum loom_status status;

	loom_arena_reset(c->arena);
	if (loom_env_ticks() - c->slice < SLICE_NS)
		return LOOM_OK;
	status = loom_op_slice(c->run->store, err);
	c->slice = loom_env_ticks();
	return status;
}

static enum loom_status copy_all(struct copying *c, uint32_t start, int64_t to,
				 struct loom_err *err)
{
	const uint32_t end = loom_reading_past(&c->reading, start);
	enum loom_status status = LOOM_OK;

	for (uint32_t n = start; n && n != end && status == LOOM_OK;
	     n = loom_reading_next(&c->reading, n)) {
		const struct loom_reading_node *node = &c->reading.nodes[n - 1];

		status = copy_one(c, node->id, n == start ? to : c->made[node->parent], &c->made[n],
				  err);
		if (status == LOOM_OK)
			status = copy_notes(c, n, err);
		c->count++;
		if (status == LOOM_OK)
			status = next_slice(c, err);
	}
	return status;
}

static enum loom_status write_copy(struct copying *c, const struct loom_node *from,
				   const struct loom_node *to, uint32_t start, struct loom_err *err)
{
	struct engine_run *run = c->run;
	struct loom_op_spec spec = {.kind = "copy",
				    .actor = run->engine->agent.id,
				    .thread = run->thread.id,
				    .tree = to->tree,
				    .slices = true};
	struct loom_session *session = NULL;
	enum loom_status status = engine_session(run->engine, &session, err);

	if (status == LOOM_OK)
		status = loom_op_begin(run->store, &spec, err);
	if (status != LOOM_OK)
		return status;
	c->slice = loom_env_ticks();
	status = copy_all(c, start, to->id, err);
	if (status != LOOM_OK) {
		loom_op_rollback(run->store);
		return status;
	}
	loom_op_say(run->store, "copied [%.*s] below [%.*s]", LOOM_STR_ARG(engine_name(run, from)),
		    LOOM_STR_ARG(engine_name(run, to)));
	return loom_op_finish(run->store, &run->op, err);
}

static enum loom_status say_copy(struct copying *c, const struct loom_node *from,
				 const struct loom_node *to, uint32_t start, struct loom_err *err)
{
	struct engine_run *run = c->run;
	struct loom_node made;
	enum loom_status status =
		loom_node_get(run->store, c->made[start], LOOM_NODE_NARROW, run->arena, &made, err);

	if (status != LOOM_OK)
		return status;
	run->changed = true;
	loom_buf_addf(run->out, "✓ copied [%.*s]", LOOM_STR_ARG(engine_name(run, from)));
	if (c->count > 1)
		loom_buf_addf(run->out, " and %.*s",
			      LOOM_STR_ARG(
				      engine_many(run, c->count - 1, "descendant", "descendants")));
	loom_buf_addf(run->out, " below [%.*s] as [%.*s]", LOOM_STR_ARG(engine_name(run, to)),
		      LOOM_STR_ARG(engine_name(run, &made)));
	return LOOM_OK;
}

static enum loom_status copy(struct engine_run *run, const struct loom_node *from,
			     const struct loom_node *to, struct loom_err *err)
{
	const struct loom_reading_of of = {.tree = from->tree, .thread = run->thread.id};
	struct copying c = {.run = run, .arena = loom_arena_create()};
	uint32_t start = 0;
	enum loom_status status = loom_reading_init(&c.reading, run->store, &of, err);

	c.made = loom_alloc((c.reading.count + 1) * sizeof *c.made);
	if (status == LOOM_OK) {
		start = loom_reading_number(&c.reading, from->id);
		if (start && !c.reading.nodes[start - 1].read)
			start = c.reading.nodes[start - 1].parent; /* another version is */
		if (!start)
			status = loom_fail(err, LOOM_NOT_FOUND, "[%.*s] is not part of the text",
					   LOOM_STR_ARG(engine_name(run, from)));
	}
	if (status == LOOM_OK)
		status = write_copy(&c, from, to, start, err);
	if (status == LOOM_OK)
		status = say_copy(&c, from, to, start, err);
	free(c.made);
	loom_reading_fini(&c.reading);
	loom_arena_destroy(c.arena);
	return status;
}

enum loom_status engine_verb_copy(struct engine_run *run, struct loom_err *err)
{
	struct loom_node from;
	struct loom_node to;
	enum loom_status status = engine_find_story(run, run->call->id, &from, err);

	if (status == LOOM_OK)
		status = engine_find_story(run, run->call->target.node, &to, err);
	if (status == LOOM_OK && from.tree != to.tree)
		status = loom_fail(err, LOOM_CONFLICT, "a branch is copied within its tree");
	if (status == LOOM_OK)
		status = engine_turn_check(run, to.id, false, err);
	if (status != LOOM_OK || !run->engine->opts.dry_run)
		return status == LOOM_OK ? copy(run, &from, &to, err) : status;
	loom_buf_addf(run->out, "✓ copied [%.*s] below [%.*s]",
		      LOOM_STR_ARG(engine_name(run, &from)), LOOM_STR_ARG(engine_name(run, &to)));
	return LOOM_OK;
}
