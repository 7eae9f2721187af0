/* Tells a loom-aware agent about the tree around it and who else is here. Invariants: the text of
 * loom_addendum is given unchanged; the list of who is here has one order, however the sessions are
 * found. */
#include "inside.h"

#include <loom/grove/grant.h>
#include <loom/text/deceiving_names.h>
#include <loom/text/sanitise.h>
#include <loom/work/thread.h>

#define POSITION_NODES 4

void loom_addendum(unsigned may, struct loom_buf *out)
{
	loom_buf_adds(
		out,
		"You are operating in a loom-aware context. This means:\n\n"
		"- You are located within a tree structure of branching conversations\n"
		"- Each node in the conversation shows metadata: [localId] author · time · "
		"connections\n"
		"- System-level context at the end of each turn shows your position and "
		"permissions\n"
		"- You can navigate, inspect, annotate, and create content using tool commands\n"
		"- Tool commands start with → on their own line (e.g., → view a7x2)\n"
		"- You share this workspace with human collaborators who see the same tree\n\n"
		"Your current permissions: ");
	loom_grant_text(may, out);
	loom_buf_adds(out, "\nUse → help to see available commands.");
}

/* ---- its position ---- */

static enum loom_status add_position(struct loom_show *show, const struct loom_nodes *path,
				     struct loom_buf *out, struct loom_err *err)
{
	size_t i = path->count > POSITION_NODES ? path->count - POSITION_NODES : 0;
	enum loom_status status = LOOM_OK;

	loom_buf_adds(out, i ? LOOM_SAYS_POSITION "... → " : LOOM_SAYS_POSITION);
	for (bool first = true; i < path->count && status == LOOM_OK; i++, first = false) {
		loom_buf_adds(out, first ? "[" : " → [");
		status = loom_show_name(show, &path->items[i], out, err);
		loom_buf_addc(out, ']');
	}
	loom_buf_adds(out, "*\n");
	return status;
}

static void add_tree(const struct loom_tree *tree, const struct loom_nodes *path,
		     struct loom_buf *out)
{
	LOOM_ASSERT(path->count > 0);
	loom_buf_adds(out, LOOM_SAYS_TREE "\"");
	loom_shown_line(out, tree->title, 0);
	loom_buf_addf(out, "\" (%s mode)\n", tree->mode == LOOM_BUFFER ? "buffer" : "dialogue");
	loom_show_many(tree->nodes, "node", "nodes", out);
	loom_buf_adds(out, " · ");
	loom_show_many(loom_tree_branches(tree), "branch", "branches", out);
	loom_buf_addf(out, " · depth: %lld\n", (long long)path->items[path->count - 1].depth);
}

/* ---- who else is here ---- */

static bool comes_before(const struct loom_presence *a, const struct loom_presence *b)
{
	int order = 0;

	if (a->human != b->human)
		return a->human;
	order = loom_str_cmp(a->agent, b->agent);
	if (!order)
		order = loom_str_cmp(a->node, b->node);
	return order ? order < 0 : loom_str_cmp(a->session, b->session) < 0;
}

static void sort_presences(struct loom_presence *list, size_t count)
{
	for (size_t i = 1; i < count; i++)
		for (size_t k = i; k > 0 && comes_before(&list[k], &list[k - 1]); k--) {
			struct loom_presence swap = list[k];

			list[k] = list[k - 1];
			list[k - 1] = swap;
		}
}

/* Finds the last node of our path at or above theirs; NULL if theirs is on our path. */
static enum loom_status last_common(struct loom_store *store, const struct loom_nodes *path,
				    const struct loom_node *theirs, const struct loom_node **out,
				    struct loom_err *err)
{
	size_t low = 0;
	size_t high = path->count - 1;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(path->count > 0);
	while (low < high && status == LOOM_OK) {
		size_t at = low + (high - low + 1) / 2;
		bool above = false;

		status = loom_node_above(store, path->items[at].group, theirs->group, &above, err);
		if (above)
			low = at;
		else
			high = at - 1;
	}
	*out = path->items[low].group == theirs->group ? NULL : &path->items[low];
	return status;
}

static enum loom_status add_via(struct loom_show *show, const struct loom_nodes *path,
				const struct loom_presence *who, struct loom_buf *out,
				struct loom_err *err)
{
	const struct loom_node *left = NULL;
	struct loom_node theirs;
	enum loom_status status = loom_node_find(show->store, path->items[0].tree, who->node,
						 show->arena, &theirs, err);

	if (status == LOOM_OK)
		status = last_common(show->store, path, &theirs, &left, err);
	if (status != LOOM_OK || !left)
		return status == LOOM_NOT_FOUND ? LOOM_OK : status;
	loom_buf_adds(out, " (via [");
	status = loom_show_name(show, left, out, err);
	loom_buf_addf(out, "] → [%.*s])", LOOM_STR_ARG(who->node));
	return status;
}

static bool is_other(const struct model_loom *loom, const struct loom_presence *who,
		     struct loom_str thread)
{
	char tree[LOOM_ULID_CHARS + 1];

	loom_ulid_text(&loom->tree->ulid, tree);
	if (!loom_str_is(who->tree, tree) || !who->node.n)
		return false;
	return !(thread.n && loom_str_eq(who->thread, thread) &&
		 loom_str_eq(who->agent, loom->opts->agent->name));
}

/* Distinguishes an agent whose name is that of a person. */
static struct loom_str name_of(const struct loom_show *show, struct loom_str agent)
{
	const struct loom_str *mark = loom_name_marks(LOOM_NAMED_AGENT, &agent, 1, show->arena);

	return loom_name_marked(agent, *mark, show->arena);
}

/* Returns who it is; a person with a name if the grove has several. */
static struct loom_str say_who(const struct loom_show *show, const struct loom_presence *who)
{
	if (!who->human)
		return name_of(show, who->agent);
	if (show->of_kind[LOOM_AUTHOR_HUMAN] < 2)
		return LOOM_STR("Human");
	return loom_arena_format(show->arena, "Human \"%.*s\"",
				 LOOM_STR_ARG(loom_shown_label(show->arena, who->agent)));
}

static enum loom_status add_others(struct loom_show *show, const struct model_loom *loom,
				   struct loom_buf *out, struct loom_err *err)
{
	struct loom_presence *list = NULL;
	struct loom_thread thread = {.id = 0};
	size_t count = 0;
	enum loom_status status = loom_presence_list(show->store, loom->opts->session, show->arena,
						     &list, &count, err);

	if (status == LOOM_OK && loom->opts->thread)
		status =
			loom_thread_get(show->store, loom->opts->thread, show->arena, &thread, err);
	if (status == LOOM_OK)
		sort_presences(list, count);
	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		if (!is_other(loom, &list[i], thread.name))
			continue;
		loom_shown_line(out, say_who(show, &list[i]), 0);
		loom_buf_addf(out, LOOM_SAYS_ACTIVE "%.*s], depth:%lld", LOOM_STR_ARG(list[i].node),
			      (long long)list[i].depth);
		status = add_via(show, loom->path, &list[i], out, err);
		loom_buf_addc(out, '\n');
	}
	return status;
}

enum loom_status model_surroundings_write(struct loom_show *show, const struct model_loom *loom,
					  struct loom_str *out, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = LOOM_OK;

	loom_buf_adds(&text, LOOM_FRAME_LOOM "\n");
	add_tree(loom->tree, loom->path, &text);
	status = add_position(show, loom->path, &text, err);
	loom_buf_adds(&text, LOOM_SAYS_PERMISSIONS);
	loom_grant_text(loom->may, &text);
	loom_buf_addc(&text, '\n');
	if (status == LOOM_OK && !loom->opts->alone)
		status = add_others(show, loom, &text, err);
	loom_buf_add(&text, loom->lines);
	loom_buf_adds(&text, LOOM_FRAME_END);
	*out = loom_arena_buf(show->arena, &text);
	loom_buf_fini(&text);
	return status;
}
