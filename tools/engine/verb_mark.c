/* Marks on nodes, pruning and restoring. */
#include <loom/engine/handlers.h>

#include <loom/text/sanitise.h>
#include <loom/language/call.h>

/* Prints "✓ bookmarked [a7x2]", with `unchanged` when nothing changed. */
static enum loom_status say_mark(struct engine_run *run, const struct loom_node *node,
				 const char *did, const char *more)
{
	struct loom_str name = engine_name(run, node);

	engine_say(run, "%s [%.*s]", did, LOOM_STR_ARG(name));
	loom_buf_addf(run->out, "✓ %s [%.*s]%s%s", did, LOOM_STR_ARG(name), more,
		      run->changed ? "" : " unchanged");
	return LOOM_OK;
}

enum loom_status engine_verb_bookmark(struct engine_run *run, struct loom_err *err)
{
	const struct loom_str label = run->call->label;
	struct loom_node node;
	const char *more = "";
	enum loom_status status = engine_find(run, run->call->id, &node, err);

	if (status == LOOM_OK)
		status = loom_bookmark_set(run->store, node.id, true, label.p ? label : node.label,
					   &run->changed, err);
	if (status != LOOM_OK)
		return status;
	if (label.p)
		more = loom_arena_format(run->arena, " as \"%.*s\"",
					 LOOM_STR_ARG(loom_shown_label(run->arena, label)))
			       .p;
	return say_mark(run, &node, "bookmarked", more);
}

enum loom_status engine_verb_unbookmark(struct engine_run *run, struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status = engine_find(run, run->call->id, &node, err);

	if (status == LOOM_OK)
		status = loom_bookmark_set(run->store, node.id, false, LOOM_STR(""), &run->changed,
					   err);
	return status == LOOM_OK ? say_mark(run, &node, "unbookmarked", "") : status;
}

/* Removing a tag from a node without it does nothing; a tag that no node has is an error. */
static enum loom_status check_tag(struct engine_run *run, struct loom_err *err)
{
	const struct loom_str label = run->call->label;
	struct loom_buf names = LOOM_BUF_INIT(160);
	struct loom_tag *tags = NULL;
	size_t count = 0;
	bool found = false;
	enum loom_status status = loom_tag_list(run->store, run->arena, &tags, &count, err);

	for (size_t i = 0; i < count && !found; i++) {
		found = loom_str_eq(tags[i].name, label);
		if (names.n + tags[i].name.n < 140)
			loom_buf_addf(&names, "%s\"%.*s\"", i ? ", " : "",
				      LOOM_STR_ARG(tags[i].name));
	}
	if (status == LOOM_OK && !found) {
		status = loom_fail(err, LOOM_NOT_FOUND, "tag \"%.*s\" does not exist",
				   LOOM_STR_ARG(label));
		if (count)
			(void)loom_hint(err, status, "tags: %s", loom_buf_cstr(&names));
	}
	loom_buf_fini(&names);
	return status;
}

static enum loom_status set_tag(struct engine_run *run, bool on, const char *did,
				struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status = engine_find(run, run->call->id, &node, err);

	if (status == LOOM_OK)
		status =
			loom_tag_set(run->store, node.id, run->call->label, on, &run->changed, err);
	if (status == LOOM_OK && !on && !run->changed)
		status = check_tag(run, err);
	if (status != LOOM_OK)
		return status;
	return say_mark(run, &node, did,
			loom_arena_format(run->arena, " \"%.*s\"",
					  LOOM_STR_ARG(
						  loom_shown_label(run->arena, run->call->label)))
				.p);
}

enum loom_status engine_verb_tag(struct engine_run *run, struct loom_err *err)
{
	return set_tag(run, true, "tagged", err);
}

enum loom_status engine_verb_untag(struct engine_run *run, struct loom_err *err)
{
	return set_tag(run, false, "untagged", err);
}

/* Switches how a node is read. */
static enum loom_status set_reading(struct engine_run *run,
				    enum loom_status (*set)(struct loom_store *store, int64_t node,
							    bool on, bool *changed,
							    struct loom_err *err),
				    bool on, const char *did, struct loom_err *err)
{
	struct loom_node node;
	enum loom_status status = engine_find(run, run->call->id, &node, err);

	if (status == LOOM_OK)
		status = engine_turn_check(run, node.id, true, err);
	if (status == LOOM_OK)
		status = set(run->store, node.id, on, &run->changed, err);
	return status == LOOM_OK ? say_mark(run, &node, did, "") : status;
}

enum loom_status engine_verb_exclude(struct engine_run *run, struct loom_err *err)
{
	return set_reading(run, loom_exclude_set, true, "excluded", err);
}

enum loom_status engine_verb_include(struct engine_run *run, struct loom_err *err)
{
	return set_reading(run, loom_exclude_set, false, "included", err);
}

enum loom_status engine_verb_unseam(struct engine_run *run, struct loom_err *err)
{
	return set_reading(run, loom_seam_set, false, "unseamed", err);
}

enum loom_status engine_verb_seam(struct engine_run *run, struct loom_err *err)
{
	return set_reading(run, loom_seam_set, true, "seamed", err);
}

/* ---- prune and restore ---- */

static enum loom_status say_branch(struct engine_run *run, const struct loom_node *node,
				   const char *did, int64_t below)
{
	struct loom_buf more = LOOM_BUF_INIT(256);

	if (below > 0 && run->changed) {
		loom_buf_adds(&more, " and ");
		loom_show_many(below, "descendant", "descendants", &more);
	}
	(void)say_mark(run, node, did, loom_buf_cstr(&more));
	/* An undo says what it restores or removes. */
	if (more.n) {
		loom_buf_adds(&run->text, " (");
		loom_show_many(below + 1, "node", "nodes", &run->text);
		loom_buf_addc(&run->text, ')');
	}
	loom_buf_fini(&more);
	return LOOM_OK;
}

/* Prunes what is shown beside a node, until only this one is left: of a group with several versions
 * the next one is shown when one is pruned. */
static enum loom_status prune_beside(struct engine_run *run, const struct loom_node *node,
				     int64_t *out_count, struct loom_err *err)
{
	enum { MANY = 256 };
	const struct loom_page page = {.kind = LOOM_CONTINUATION, .limit = MANY};
	struct loom_nodes beside = {NULL, 0};
	int64_t before = -1;
	int64_t below = 0;
	enum loom_status status = LOOM_OK;

	for (*out_count = 0; status == LOOM_OK && before < *out_count;) {
		before = *out_count;
		status = loom_node_children(run->store, loom_node_among(node), &page, run->arena,
					    &beside, err);
		for (size_t i = 0; status == LOOM_OK && i < beside.count; i++) {
			bool changed = false;

			if (beside.items[i].group == node->group)
				continue;
			status = engine_turn_check(run, beside.items[i].id, true, err);
			if (status == LOOM_OK)
				status = loom_node_prune(run->store, beside.items[i].id, &below,
							 &changed, err);
			*out_count += changed;
		}
	}
	return status;
}

static enum loom_status prune_siblings(struct engine_run *run, struct loom_err *err)
{
	struct loom_node node;
	int64_t count = 0;
	enum loom_status status = engine_find(run, run->call->siblings_of, &node, err);

	if (status == LOOM_OK)
		status = prune_beside(run, &node, &count, err);
	run->changed = count > 0;
	if (status == LOOM_OK && run->changed)
		status = loom_node_keep(run->store, node.id, err);
	if (status != LOOM_OK)
		return status;
	engine_say(run, "kept only [%.*s]", LOOM_STR_ARG(engine_name(run, &node)));
	loom_buf_addf(run->out, "✓ kept [%.*s]%s", LOOM_STR_ARG(engine_name(run, &node)),
		      run->changed ? ", pruned " : " unchanged");
	if (run->changed)
		loom_show_many(count, "sibling", "siblings", run->out);
	return LOOM_OK;
}

enum loom_status engine_verb_prune(struct engine_run *run, struct loom_err *err)
{
	struct loom_node node;
	int64_t below = 0;
	enum loom_status status;

	if (run->call->siblings_of.p)
		return prune_siblings(run, err);
	status = engine_find(run, run->call->id, &node, err);
	if (status == LOOM_OK)
		status = engine_turn_check(run, node.id, true, err);
	if (status == LOOM_OK)
		status = loom_node_prune(run->store, node.id, &below, &run->changed, err);
	return status == LOOM_OK ? say_branch(run, &node, "pruned", below) : status;
}

enum loom_status engine_verb_restore(struct engine_run *run, struct loom_err *err)
{
	struct loom_node node;
	int64_t below = 0;
	enum loom_status status = engine_find(run, run->call->id, &node, err);

	if (status == LOOM_OK)
		status = loom_node_restore(run->store, node.id, &below, &run->changed, err);
	return status == LOOM_OK ? say_branch(run, &node, "restored", below) : status;
}
