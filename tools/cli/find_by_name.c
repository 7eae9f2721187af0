/* Resolves the names on a command line: TREE, NODE, agents. Only reads. */
#include <loom/cli/open_grove.h>

#include <loom/tree/say_node.h>
#include <loom/work/thread.h>

#include <loom/language/call_id.h>

/* --- trees --- */

/* An agent without cross_tree may use only the current tree. */
static enum loom_status may_cross(struct cli_grove *grove, int64_t tree, struct loom_err *err)
{
	int64_t current = 0;
	struct loom_gate_who who;
	enum loom_status status = LOOM_OK;

	if (cli_grove_person(grove))
		return LOOM_OK;
	status = loom_current_tree(grove->store, &current, err);
	if (status || current == tree)
		return status;
	status = cli_grove_who(grove, &who, err);
	if (status || loom_gate_may(&who, LOOM_MAY_CROSS_TREE, NULL, NULL) == LOOM_OK)
		return status;
	loom_fail(err, LOOM_CROSS_TREE, "that is in another tree");
	return loom_hint(err, LOOM_CROSS_TREE,
			 "this needs the permission cross_tree; ask the human for it");
}

enum loom_status cli_grove_tree(struct cli_grove *grove, struct loom_str name,
				struct loom_tree *out, struct loom_err *err)
{
	int64_t current = 0;
	enum loom_status status = LOOM_OK;

	if (name.p) {
		status = loom_tree_find(grove->store, name, grove->arena, out, err);
		return status ? status : may_cross(grove, out->id, err);
	}
	status = loom_current_tree(grove->store, &current, err);
	return status ? status : loom_tree_get(grove->store, current, grove->arena, out, err);
}

/* --- nodes --- */

#define NODE_FORMS "a node is an id such as a7x2, or TREE/a7x2; `loom tree` shows ids"

/* Hints at a tree that has the id, or at where to find ids. */
static enum loom_status hint_elsewhere(struct cli_grove *grove, const struct loom_tree *tree,
				       struct loom_str id, struct loom_err *err)
{
	struct loom_tree other;
	struct loom_err ignored;
	char ulid[LOOM_ULID_CHARS + 1];
	int64_t elsewhere = 0;

	if (!cli_grove_person(grove) ||
	    loom_node_elsewhere(grove->store, tree->id, id, &elsewhere, &ignored) || !elsewhere ||
	    loom_tree_get(grove->store, elsewhere, grove->arena, &other, &ignored))
		return loom_hint(
			err, LOOM_NOT_FOUND,
			"`loom tree` shows the ids of this tree, `loom grep WORD` finds texts");
	loom_ulid_text(&other.ulid, ulid);
	return loom_hint(err, LOOM_NOT_FOUND, "tree \"%.*s\" has one: %s/%.*s",
			 LOOM_STR_ARG(other.title), ulid, LOOM_STR_ARG(id));
}

/* Splits TREE/ID at the last slash; without one, tree->p is NULL. */
static struct loom_str split(struct loom_str text, struct loom_str *tree)
{
	size_t at = text.n;

	*tree = loom_str_make(NULL, 0);
	while (at && text.p[at - 1] != '/')
		at--;
	if (!at)
		return text;
	*tree = loom_str_sub(text, 0, at - 1);
	return loom_str_sub(text, at, text.n);
}

/* The tree to search. Without any tree, the node is simply not found. */
static enum loom_status tree_to_search(struct cli_grove *grove, struct loom_str name,
				       struct loom_tree *out, struct loom_err *err)
{
	if (name.p && !name.n) {
		loom_fail(err, LOOM_SYNTAX, "no tree before the slash");
		return loom_hint(err, LOOM_SYNTAX, NODE_FORMS);
	}
	return cli_grove_tree(grove, name, out, err);
}

/* A ULID may belong to another tree than the one searched. */
static enum loom_status follow_tree(struct cli_grove *grove, struct cli_spot *spot,
				    struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (spot->node.tree == spot->tree.id)
		return LOOM_OK;
	status = may_cross(grove, spot->node.tree, err);
	if (status)
		return status;
	return loom_tree_get(grove->store, spot->node.tree, grove->arena, &spot->tree, err);
}

enum loom_status cli_grove_node(struct cli_grove *grove, struct loom_str text, unsigned parts,
				struct cli_spot *out, struct loom_err *err)
{
	struct loom_str tree;
	struct loom_str id = split(text, &tree);
	enum loom_status status = tree_to_search(grove, tree, &out->tree, err);

	if (status)
		return status;
	if (!id.n) {
		loom_fail(err, LOOM_SYNTAX, "which node? the id is missing");
		return loom_hint(err, LOOM_SYNTAX, NODE_FORMS);
	}
	/* [a7x2], #a7x2, A7X2 and a7x2.2 all mean the same node. */
	(void)lang_id_read(grove->arena, id, &id);
	status = loom_node_find(grove->store, out->tree.id, id, grove->arena, &out->node, err);
	if (status == LOOM_NOT_FOUND)
		return tree.p ? status : hint_elsewhere(grove, &out->tree, id, err);
	if (!status)
		status = follow_tree(grove, out, err);
	if (!status)
		status = loom_node_name(grove->store, &out->node, out->name, err);
	if (status || parts == LOOM_NODE_NARROW)
		return status;
	return loom_node_get(grove->store, out->node.id, parts, grove->arena, &out->node, err);
}

/* The actor's own thread in a tree and its position: the root, if it was never there. */
static enum loom_status position(struct cli_grove *grove, struct cli_spot *spot, int64_t *out,
				 struct loom_err *err)
{
	struct loom_thread thread;
	struct loom_err never;
	enum loom_status status = loom_thread_implicit(grove->store, grove->actor.id, spot->tree.id,
						       grove->arena, &thread, &never);

	*out = spot->tree.root;
	spot->thread = 0;
	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	if (status)
		return loom_fail(err, status, "%s", never.text);
	spot->thread = thread.id;
	return loom_thread_stand(grove->store, &thread, out, err);
}

enum loom_status cli_grove_stand(struct cli_grove *grove, const struct loom_tree *tree,
				 unsigned parts, struct cli_spot *out, struct loom_err *err)
{
	int64_t node = 0;
	enum loom_status status = LOOM_OK;

	out->tree = *tree;
	status = position(grove, out, &node, err);
	if (!status)
		status = loom_node_get(grove->store, node, parts, grove->arena, &out->node, err);
	return status ? status : loom_node_name(grove->store, &out->node, out->name, err);
}

enum loom_status cli_grove_spot(struct cli_grove *grove, struct loom_str text, unsigned parts,
				struct cli_spot *out, struct loom_err *err)
{
	struct loom_tree tree;
	int64_t stands = 0;
	enum loom_status status = LOOM_OK;

	if (text.p) {
		status = cli_grove_node(grove, text, parts, out, err);
		return status ? status : position(grove, out, &stands, err);
	}
	status = cli_grove_tree(grove, text, &tree, err);
	return status ? status : cli_grove_stand(grove, &tree, parts, out, err);
}

struct loom_str cli_node_name(struct cli_grove *grove, const struct loom_node *node)
{
	char name[LOOM_LOCAL_MAX] = "?";

	if (loom_node_name(grove->store, node, name, NULL))
		return LOOM_STR("?");
	return loom_arena_str(grove->arena, loom_str_of(name));
}

/* --- agents --- */

enum loom_status cli_grove_agent(struct cli_grove *grove, int64_t id, const struct loom_agent **out,
				 struct loom_err *err)
{
	struct loom_agent agent;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < grove->agent_count; i++) {
		*out = &grove->agents[i];
		if ((*out)->id == id)
			return LOOM_OK;
	}
	status = loom_agent_get(grove->store, id, grove->arena, &agent, err);
	if (status)
		return status;
	grove->agents = loom_arena_grow(grove->arena, grove->agents, grove->agent_count,
					&grove->agent_cap, sizeof *grove->agents);
	grove->agents[grove->agent_count] = agent;
	*out = &grove->agents[grove->agent_count++];
	return LOOM_OK;
}

const char *cli_author_type(const struct loom_agent *agent)
{
	static const char *const names[] = {
		[LOOM_AUTHOR_HUMAN] = "human",
		[LOOM_AUTHOR_SUBJECT] = "model",
		[LOOM_AUTHOR_COLLABORATOR] = "collaborator",
		[LOOM_AUTHOR_CLAIM] = "claim",
	};

	return names[loom_author_type(agent)];
}
