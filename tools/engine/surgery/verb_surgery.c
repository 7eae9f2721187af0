/* Surgery on a tree: split, join, move and order.
 *
 * A split keeps the branch where its nodes are: the node's group goes on with a version that is the
 * end of the text, and hangs below a new node with its beginning. A join is the reverse: the group
 * goes on with a version that has both texts, and hangs where the node before it hung. So each
 * writes as many rows for a branch of a million nodes as for one. */
#include <loom/engine/handlers.h>

#include <loom/language/call.h>
#include <loom/reading/anchor.h>

/* A version of `of` with a part of the text, which stays its author's. */
static enum loom_status cut_version(struct engine_run *run, const struct loom_node *of,
				    struct loom_str text, int64_t author, enum loom_edit_as as,
				    int64_t *out, struct loom_err *err)
{
	const struct loom_node_spec spec = {.tree = of->tree,
					    .from = of->id,
					    .text = text,
					    .author = author,
					    .thread = run->thread.id,
					    .seq = run->engine->seq};

	return loom_node_edit(run->store, &spec, as, out, err);
}

static enum loom_status carry_tags(struct engine_run *run, int64_t from, int64_t to,
				   struct loom_err *err)
{
	struct loom_str *tags = NULL;
	size_t count = 0;
	bool changed = false;
	enum loom_status status = loom_tag_of(run->store, from, run->arena, &tags, &count, err);

	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		status = loom_tag_set(run->store, to, tags[i], true, &changed, err);
	return status;
}

/* Bookmark, tags and exclusion go on with the version that takes the place of another. */
static enum loom_status carry_marks(struct engine_run *run, const struct loom_node *from,
				    int64_t to, struct loom_err *err)
{
	bool changed = false;
	enum loom_status status = LOOM_OK;

	if (from->bookmarked)
		status = loom_bookmark_set(run->store, to, true, from->label, &changed, err);
	if (status == LOOM_OK && from->excluded)
		status = loom_exclude_set(run->store, to, true, &changed, err);
	return status == LOOM_OK ? carry_tags(run, from->id, to, err) : status;
}

/* Everybody reads this version now: a thread that had chosen another one would read a text twice.
 */
static enum loom_status read_only_this(struct engine_run *run, int64_t group, int64_t made,
				       struct loom_err *err)
{
	struct loom_nodes members;
	int64_t below = 0;
	bool changed = false;
	enum loom_status status =
		loom_node_members(run->store, group, LOOM_NODE_MARKS, run->arena, &members, err);

	for (size_t i = 0; status == LOOM_OK && i < members.count; i++)
		if (members.items[i].id != made && !members.items[i].pruned)
			status = loom_node_prune(run->store, members.items[i].id, &below, &changed,
						 err);
	return status;
}

/* Hangs the notes of one group below a member of another: all, or those on a passage of its text.
 */
static enum loom_status carry_notes(struct engine_run *run, int64_t group,
				    const struct loom_node *to, bool all, struct loom_err *err)
{
	const struct loom_page page = {.kind = LOOM_ANNOTATION, .limit = 4096};
	struct loom_nodes notes;
	enum loom_status status =
		loom_node_children(run->store, group, &page, run->arena, &notes, err);

	for (size_t i = 0; i < notes.count && status == LOOM_OK; i++) {
		const struct loom_hang where = {.node = notes.items[i].id, .below = to->id};
		struct loom_anchor anchor = {.fits = false};
		bool changed = false;

		if (!all)
			status = loom_anchor_find(run->store, notes.items[i].id, to->text,
						  run->arena, &anchor, err);
		if (status == LOOM_OK && (all || (anchor.passage.n && anchor.fits)))
			status = loom_node_hang(run->store, &where, &changed, err);
	}
	return status;
}

/* Where the thread stands, and what it reads, goes on with the new version. */
static enum loom_status read_on(struct engine_run *run, int64_t made, struct loom_err *err)
{
	struct loom_node node;
	struct loom_node stands;
	int64_t position = 0;
	enum loom_status status =
		loom_node_get(run->store, made, LOOM_NODE_NARROW, run->arena, &node, err);

	if (status != LOOM_OK || node.tree != run->tree.id)
		return status;
	status = engine_position(run->engine, &position, err);
	if (status == LOOM_OK)
		status = loom_node_get(run->store, position, LOOM_NODE_NARROW, run->arena, &stands,
				       err);
	return status == LOOM_OK && stands.group == node.group ? engine_move(run, &node, err)
							       : status;
}

/* Finds a node that surgery may be done on, and takes the turn on it. */
static enum loom_status find_patient(struct engine_run *run, struct loom_node *out,
				     struct loom_err *err)
{
	enum loom_status status = engine_find_story(run, run->call->id, out, err);

	if (status == LOOM_OK)
		status = engine_turn_check(run, out->id, true, err);
	return status == LOOM_OK ? engine_turn_take(run, out, err) : status;
}

/* Finds the sibling that comes next, 0 if none. */
static enum loom_status next_sibling(struct engine_run *run, const struct loom_node *node,
				     int64_t *out, struct loom_err *err)
{
	const struct loom_page page = {.kind = LOOM_CONTINUATION, .after = node->ord, .limit = 1};
	struct loom_nodes next;
	enum loom_status status = loom_node_children(run->store, loom_node_among(node), &page,
						     run->arena, &next, err);

	*out = status == LOOM_OK && next.count ? next.items[0].id : 0;
	return status;
}

/* ---- split ---- */

static enum loom_status hang_tail(struct engine_run *run, const struct loom_node *node,
				  const struct loom_node *head, int64_t tail, struct loom_err *err)
{
	const struct loom_hang below = {.node = tail, .below = head->id};
	int64_t next = 0;
	bool changed = false;
	enum loom_status status = next_sibling(run, node, &next, err);

	if (status == LOOM_OK && next && next != head->id)
		status = engine_put_before(run,
					   &(struct loom_hang){.node = head->id,
							       .below = node->from_node,
							       .before = next},
					   err);
	if (status == LOOM_OK)
		status = read_only_this(run, node->group, tail, err);
	if (status == LOOM_OK)
		status = loom_node_hang(run->store, &below, &changed, err);
	return status == LOOM_OK ? carry_notes(run, node->group, head, false, err) : status;
}

static enum loom_status split(struct engine_run *run, const struct loom_node *node, size_t at,
			      struct loom_err *err)
{
	struct loom_node head;
	struct loom_node end;
	int64_t tail = 0;
	int64_t made = 0;
	bool changed = false;
	enum loom_status status = cut_version(run, node, loom_str_sub(node->text, 0, at),
					      node->author, LOOM_EDIT_BRANCH, &made, err);

	if (status == LOOM_OK)
		status = cut_version(run, node, loom_str_sub(node->text, at, node->text.n),
				     node->author, LOOM_EDIT_VERSION, &tail, err);
	if (status == LOOM_OK)
		status = loom_node_get(run->store, made, LOOM_NODE_TEXT, run->arena, &head, err);
	if (status == LOOM_OK)
		status = loom_node_get(run->store, tail, LOOM_NODE_NARROW, run->arena, &end, err);
	if (status == LOOM_OK)
		status = carry_marks(run, node, tail, err);
	if (status == LOOM_OK && node->excluded)
		status = loom_exclude_set(run->store, made, true, &changed, err);
	if (status == LOOM_OK)
		status = hang_tail(run, node, &head, tail, err);
	if (status == LOOM_OK)
		status = read_on(run, tail, err);
	if (status != LOOM_OK)
		return status;
	run->changed = true;
	engine_say(run, "split [%.*s]", LOOM_STR_ARG(engine_name(run, node)));
	loom_buf_addf(run->out, "✓ split [%.*s] into [%.*s] and [%.*s]",
		      LOOM_STR_ARG(engine_name(run, node)), LOOM_STR_ARG(engine_name(run, &head)),
		      LOOM_STR_ARG(engine_name(run, &end)));
	return LOOM_OK;
}

enum loom_status engine_verb_split(struct engine_run *run, struct loom_err *err)
{
	struct loom_node node;
	size_t at = 0;
	enum loom_status status = find_patient(run, &node, err);

	if (status == LOOM_OK)
		status = engine_cut(run, &node, &at, err);
	if (status != LOOM_OK)
		return status;
	if (!at || at == node.text.n) {
		loom_fail(err, LOOM_CONFLICT, "that is an end of [%.*s]: nothing to split",
			  LOOM_STR_ARG(engine_name(run, &node)));
		return loom_hint(err, LOOM_CONFLICT, "at: and after: name a place inside the text");
	}
	return split(run, &node, at, err);
}

/* ---- join ---- */

/* The member that this thread reads before a node. */
static enum loom_status find_before(struct engine_run *run, const struct loom_node *node,
				    struct loom_node *out, struct loom_err *err)
{
	struct loom_nodes path;
	enum loom_status status =
		loom_node_path_end(run->store,
				   &(struct loom_path_end){.tip = node->id,
							   .thread = run->thread.id,
							   .limit = 2,
							   .parts = LOOM_NODE_ALL},
				   run->arena, &path, err);

	if (status != LOOM_OK)
		return status;
	if (path.count < 2) {
		loom_fail(err, LOOM_CONFLICT, "[%.*s] is a root: nothing stands before it",
			  LOOM_STR_ARG(engine_name(run, node)));
		return loom_hint(err, LOOM_CONFLICT, "join takes a node with the one before it");
	}
	*out = path.items[0];
	if (out->excluded == node->excluded)
		return LOOM_OK;
	loom_fail(err, LOOM_CONFLICT, "one of [%.*s] and [%.*s] is excluded",
		  LOOM_STR_ARG(engine_name(run, out)), LOOM_STR_ARG(engine_name(run, node)));
	return loom_hint(err, LOOM_CONFLICT, "include it first, or exclude the other too");
}

/* The node before goes with its last continuation; others keep it. */
static enum loom_status leave_before(struct engine_run *run, const struct loom_node *before,
				     int64_t made, struct loom_err *err)
{
	struct loom_node joined;
	int64_t others = 0;
	enum loom_status status =
		loom_node_count(run->store, before->group, LOOM_CONTINUATION, &others, err);

	if (status == LOOM_OK)
		status = loom_node_get(run->store, made, LOOM_NODE_TEXT, run->arena, &joined, err);
	if (status == LOOM_OK)
		status = carry_notes(run, before->group, &joined, !others, err);
	if (status == LOOM_OK)
		status = carry_marks(run, before, made, err);
	return status == LOOM_OK && !others ? read_only_this(run, before->group, 0, err) : status;
}

static enum loom_status join(struct engine_run *run, const struct loom_node *node,
			     const struct loom_node *before, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_node joined;
	int64_t made = 0;
	bool changed = false;
	enum loom_status status;

	loom_buf_add(&text, before->text);
	loom_buf_add(&text, node->text);
	status = cut_version(run, node, loom_buf_str(&text),
			     before->author == node->author ? node->author : run->engine->agent.id,
			     LOOM_EDIT_VERSION, &made, err);
	loom_buf_fini(&text);
	if (status == LOOM_OK)
		status = carry_marks(run, node, made, err);
	if (status == LOOM_OK)
		status = read_only_this(run, node->group, made, err);
	if (status == LOOM_OK)
		status = loom_node_hang(run->store,
					&(struct loom_hang){.node = made,
							    .below = before->from_node},
					&changed, err);
	if (status == LOOM_OK)
		status = engine_put_before(run,
					   &(struct loom_hang){.node = made,
							       .below = before->from_node,
							       .before = before->id},
					   err);
	if (status == LOOM_OK)
		status = leave_before(run, before, made, err);
	if (status == LOOM_OK)
		status = read_on(run, made, err);
	if (status == LOOM_OK)
		status =
			loom_node_get(run->store, made, LOOM_NODE_NARROW, run->arena, &joined, err);
	if (status != LOOM_OK)
		return status;
	run->changed = true;
	engine_say(run, "joined [%.*s] with [%.*s]", LOOM_STR_ARG(engine_name(run, node)),
		   LOOM_STR_ARG(engine_name(run, before)));
	loom_buf_addf(run->out, "✓ joined [%.*s] and [%.*s] into [%.*s]",
		      LOOM_STR_ARG(engine_name(run, before)), LOOM_STR_ARG(engine_name(run, node)),
		      LOOM_STR_ARG(engine_name(run, &joined)));
	return LOOM_OK;
}

enum loom_status engine_verb_join(struct engine_run *run, struct loom_err *err)
{
	struct loom_node node;
	struct loom_node before;
	enum loom_status status = find_patient(run, &node, err);

	if (status == LOOM_OK)
		status = find_before(run, &node, &before, err);
	if (status == LOOM_OK)
		status = engine_turn_check(run, before.id, true, err);
	return status == LOOM_OK ? join(run, &node, &before, err) : status;
}

/* ---- move and order ---- */

/* `to` NULL: at the top, beside the root. */
static enum loom_status say_hung(struct engine_run *run, const struct loom_node *node,
				 const char *did, const char *where, const struct loom_node *to)
{
	const struct loom_str place = to ? loom_arena_format(run->arena, "%s [%.*s]", where,
							     LOOM_STR_ARG(engine_name(run, to)))
					 : LOOM_STR("to the top");

	engine_say(run, "%s [%.*s] %.*s", did, LOOM_STR_ARG(engine_name(run, node)),
		   LOOM_STR_ARG(place));
	loom_buf_addf(run->out, "✓ %s [%.*s] %.*s%s", did, LOOM_STR_ARG(engine_name(run, node)),
		      LOOM_STR_ARG(place), run->changed ? "" : " unchanged");
	return LOOM_OK;
}

enum loom_status engine_verb_move(struct engine_run *run, struct loom_err *err)
{
	struct loom_node node;
	struct loom_node to = {.id = 0};
	const bool top = loom_str_is(run->call->target.node, "top");
	enum loom_status status = find_patient(run, &node, err);

	if (status == LOOM_OK && !top)
		status = engine_find_story(run, run->call->target.node, &to, err);
	if (status == LOOM_OK && !top)
		status = engine_turn_check(run, to.id, false, err);
	if (status == LOOM_OK)
		status = loom_node_hang(run->store,
					&(struct loom_hang){.node = node.id, .below = to.id},
					&run->changed, err);
	return status == LOOM_OK ? say_hung(run, &node, "moved", "below", top ? NULL : &to)
				 : status;
}

enum loom_status engine_verb_order(struct engine_run *run, struct loom_err *err)
{
	struct loom_node node;
	struct loom_node next;
	enum loom_status status = find_patient(run, &node, err);

	if (status == LOOM_OK)
		status = engine_find_story(run, run->call->before, &next, err);
	if (status == LOOM_OK && (next.parent != node.parent || next.tree != node.tree)) {
		loom_fail(err, LOOM_CONFLICT, "[%.*s] and [%.*s] are no siblings",
			  LOOM_STR_ARG(engine_name(run, &node)),
			  LOOM_STR_ARG(engine_name(run, &next)));
		return loom_hint(err, LOOM_CONFLICT, LANG_ARROW " move hangs a branch elsewhere");
	}
	if (status == LOOM_OK)
		status = loom_node_hang(run->store,
					&(struct loom_hang){.node = node.id,
							    .below = node.from_node,
							    .before = next.id},
					&run->changed, err);
	return status == LOOM_OK ? say_hung(run, &node, "ordered", "before", &next) : status;
}
