/* The branch that a link opens: a node, everything that continues from it, and the texts on the way
 * to it. Nothing else of the grove is reachable from here, whatever a URL says.
 *
 * It is read as its person reads it: in the versions they have chosen, without what is pruned. */
#include "inside.h"

#include <loom/work/thread.h>

static enum loom_status gone(struct loom_err *err)
{
	return loom_fail(err, LOOM_NOT_FOUND, "that is not in this branch");
}

/* ---- as it is read ---- */

/* The member of a group that is read: the one chosen, or else the newest that is not pruned. */
static enum loom_status read_member(struct page_door *door, int64_t thread, int64_t node,
				    struct loom_node *out, struct loom_err *err)
{
	struct loom_store *store = door->grove.store;
	struct loom_arena *arena = door->grove.arena;
	struct loom_nodes members = {NULL, 0};
	int64_t chosen = 0;
	int64_t visible = 0;
	enum loom_status status = loom_node_get(store, node, LOOM_NODE_MARKS, arena, out, err);

	if (status == LOOM_OK && thread)
		status = loom_thread_choice(store, thread, out->group, &chosen, err);
	if (status == LOOM_OK)
		status =
			loom_node_members(store, out->group, LOOM_NODE_MARKS, arena, &members, err);
	for (size_t i = 0; status == LOOM_OK && i < members.count; i++)
		if (!members.items[i].pruned && (visible != chosen || !chosen))
			visible = members.items[i].id;
	if (status != LOOM_OK)
		return status;
	if (!visible)
		return gone(err);
	return loom_node_get(store, visible, LOOM_NODE_MARKS, arena, out, err);
}

static enum loom_status is_shown(struct page_door *door, const struct loom_node *node,
				 struct loom_err *err)
{
	bool visible = false;
	enum loom_status status =
		loom_group_visible(door->grove.store, node->group, &visible, NULL, err);

	return status == LOOM_OK && !visible ? gone(err) : status;
}

/* ---- the branch ---- */

/* Where its person is, if that is in the branch. */
static enum loom_status find_stand(struct page_door *door, struct page_branch *branch,
				   struct loom_err *err)
{
	struct loom_err none = {.status = LOOM_OK};
	struct cli_spot spot;
	enum loom_status status =
		cli_grove_stand(&door->grove, &branch->tree, LOOM_NODE_NARROW, &spot, err);

	if (status != LOOM_OK)
		return status;
	branch->thread = spot.thread;
	status = read_member(door, branch->thread, branch->base.id, &branch->base, err);
	branch->stands = branch->base;
	if (status != LOOM_OK || !page_branch_has(door, branch, &spot.node))
		return status;
	if (is_shown(door, &spot.node, &none) == LOOM_OK)
		status = read_member(door, branch->thread, spot.node.id, &branch->stands, err);
	return status;
}

enum loom_status page_branch_find(struct page_door *door, const struct loom_pass *pass,
				  struct page_branch *out, struct loom_err *err)
{
	struct cli_spot spot;
	char ulid[LOOM_ULID_CHARS + 1];
	enum loom_status status;

	loom_ulid_text(&pass->opens, ulid);
	*out = (struct page_branch){.pass = pass};
	status = cli_grove_node(&door->grove, loom_str_of(ulid), LOOM_NODE_MARKS, &spot, err);
	if (status != LOOM_OK)
		return status;
	out->tree = spot.tree;
	out->base = spot.node;
	status = is_shown(door, &out->base, err);
	return status == LOOM_OK ? find_stand(door, out, err) : status;
}

bool page_branch_has(struct page_door *door, const struct page_branch *branch,
		     const struct loom_node *node)
{
	bool above = false;

	return node->tree == branch->tree.id && node->kind == LOOM_CONTINUATION &&
	       loom_node_above(door->grove.store, branch->base.group, node->group, &above, NULL) ==
		       LOOM_OK &&
	       above;
}

/* Whether a node is on the way to the branch. */
static bool leads_to(struct page_door *door, const struct page_branch *branch,
		     const struct loom_node *node)
{
	bool above = false;

	return node->tree == branch->tree.id && node->kind == LOOM_CONTINUATION &&
	       loom_node_above(door->grove.store, node->group, branch->base.group, &above, NULL) ==
		       LOOM_OK &&
	       above;
}

enum loom_status page_branch_node(struct page_door *door, const struct page_branch *branch,
				  struct loom_str id, struct loom_node *out, struct loom_err *err)
{
	enum loom_status status =
		loom_node_find(door->grove.store, branch->tree.id, id, door->grove.arena, out, err);

	if (status != LOOM_OK ||
	    (!page_branch_has(door, branch, out) && !leads_to(door, branch, out)))
		return status == LOOM_OK || status == LOOM_SYNTAX ? gone(err) : status;
	status = is_shown(door, out, err);
	return status == LOOM_OK ? read_member(door, branch->thread, out->id, out, err) : status;
}

enum loom_status page_branch_below(struct page_door *door, const struct page_branch *branch,
				   const struct loom_node *node, int64_t after, size_t limit,
				   struct loom_nodes *out, struct loom_err *err)
{
	const struct loom_page page = {.kind = LOOM_CONTINUATION,
				       .thread = branch->thread,
				       .after = after,
				       .limit = limit,
				       .parts = LOOM_NODE_NARROW};

	return loom_node_children(door->grove.store, node->group, &page, door->grove.arena, out,
				  err);
}

/* ---- comments ---- */

void page_origin(const struct loom_pass *pass, struct loom_buf *out)
{
	char name[LOOM_PASS_NAME + 1];

	loom_pass_name(pass, name);
	loom_buf_addf(out, "page link %s", name);
}

enum loom_status page_branch_comments(struct page_door *door, const struct page_branch *branch,
				      const struct loom_node *node, int64_t after, size_t limit,
				      struct loom_nodes *out, struct loom_err *err)
{
	struct loom_page page = {.kind = LOOM_ANNOTATION,
				 .after = after,
				 .limit = limit,
				 .parts = LOOM_NODE_TEXT};
	struct loom_buf origin = LOOM_BUF_INIT(256);
	enum loom_status status;

	page_origin(branch->pass, &origin);
	page.origin = loom_buf_str(&origin);
	status = loom_node_children(door->grove.store, node->group, &page, door->grove.arena, out,
				    err);
	loom_buf_fini(&origin);
	return status;
}
