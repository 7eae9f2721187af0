/* Shows nodes: show, log, tree, stats. The texts are the language's own answers. */
#include <loom/cli/services.h>

#include <loom/base/jval.h>
#include <loom/grove/goal.h>
#include <loom/reading/measure.h>
#include <loom/tree/say_node.h>

#include <loom/cli/open_grove.h>
#include <loom/language/call.h>

#include <loom/commands/args_of.def>
#include <loom/commands/tree.def>

#define PAGE       1000
#define TREE_DEPTH 5

/* How long a text is, as members or as a line. */
static void answer_size(struct cli_grove *grove, const char *what,
			const struct loom_text_size *size)
{
	struct loom_cli *cli = grove->cli;

	loom_answer_line(cli, "%s: %s · %s", what,
			 loom_answer_many(cli, size->words, "word", "words"),
			 loom_answer_many(cli, size->chars, "character", "characters"));
	loom_answer_number(cli, "words", size->words);
	loom_answer_number(cli, "chars", size->chars);
}

/* The text that leads to a node. */
static enum loom_status answer_path_size(struct cli_grove *grove, const struct cli_spot *spot,
					 struct loom_err *err)
{
	const struct loom_reading_of of = {.tree = spot->tree.id,
					   .tip = spot->node.id,
					   .thread = spot->thread};
	struct loom_reading_size size;
	enum loom_status status = loom_reading_measure(grove->store, &of, &size, err);

	if (status == LOOM_OK)
		answer_size(grove, "path", &size.text);
	return status;
}

static enum loom_status describe_node(struct cli_grove *grove, const struct cli_spot *spot,
				      struct loom_err *err)
{
	struct loom_json *json = loom_answer_writer(grove->cli, NULL);
	enum loom_status status = LOOM_OK;

	loom_json_object(json);
	status = cli_node_json(grove, json, spot, err);
	if (!status)
		status = cli_node_around_json(grove, json, spot, err);
	loom_json_end_object(json);
	return status;
}

/* How a generated text came to be, where that is not plain: it was cut off, or thought about. */
static enum loom_status answer_making(struct cli_grove *grove, int64_t node, struct loom_err *err)
{
	struct loom_str record = {NULL, 0};
	struct loom_str raw = {NULL, 0};
	struct loom_str why = {NULL, 0};
	int64_t tokens = 0;
	enum loom_status status =
		loom_node_generation(grove->store, node, grove->arena, &record, &raw, err);

	if (status != LOOM_OK || !record.n || loom_json_check(record, NULL, NULL) != LOOM_OK)
		return status;
	why = loom_jval_text(loom_jval_get(loom_jval_get(record, "error"), "text"), grove->arena);
	if (loom_str_is(loom_jval_get(record, "partial"), "true"))
		loom_answer_line(grove->cli, "cut off: %.*s",
				 LOOM_STR_ARG(why.n ? why : LOOM_STR("it was stopped")));
	if (!loom_jval_get(record, "thinking").p)
		return LOOM_OK;
	(void)loom_jval_int(loom_jval_get(loom_jval_get(record, "usage"), "thinking"), &tokens);
	loom_answer_line(grove->cli, "thought: %s (--json shows what)",
			 tokens ? loom_answer_many(grove->cli, tokens, "token", "tokens")
				: "not counted");
	return LOOM_OK;
}

static enum loom_status run_show(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_call call = {.verb = LOOM_VERB_VIEW, .full = true, .with_annotations = true};
	struct loom_text_size size = {.words = 0};
	struct cli_spot spot;
	enum loom_status status =
		cli_grove_spot(grove, args_of_show(grove->cli)->node, LOOM_NODE_ALL, &spot, err);

	if (status)
		return status;
	call.id = loom_str_of(spot.name);
	if (loom_answer_structured(grove->cli))
		return describe_node(grove, &spot, err);
	status = cli_grove_look(grove, spot.tree.id, &call, err);
	loom_text_measure(&size, spot.node.text);
	if (!status)
		answer_size(grove, "node", &size);
	return status ? status : answer_making(grove, spot.node.id, err);
}

enum loom_status cmd_show(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_show, err);
}

/* --- log --- */

static enum loom_status describe_log(struct cli_grove *grove, const struct cli_spot *tip,
				     const struct loom_nodes *path, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct cli_spot spot = *tip;
	enum loom_status status = LOOM_OK;

	loom_answer_ulid(cli, "tree", &tip->tree.ulid);
	loom_answer_text(cli, "title", tip->tree.title);
	loom_answer_list(cli, "nodes");
	for (size_t i = 0; !status && i < path->count; i++) {
		spot.node = path->items[i];
		loom_local_text(tip->tree.key, spot.node.local, spot.name);
		loom_answer_map(cli, NULL);
		status = cli_node_json(grove, loom_answer_writer(cli, NULL), &spot, err);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
	return status;
}

static enum loom_status run_log(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_call call = {.verb = LOOM_VERB_VIEW, .as = LOOM_AS_NODES};
	struct cli_spot spot;
	struct loom_nodes path;
	enum loom_status status =
		cli_grove_spot(grove, args_of_log(grove->cli)->node, LOOM_NODE_NARROW, &spot, err);

	if (status)
		return status;
	call.branch = loom_str_of(spot.name);
	if (!loom_answer_structured(grove->cli)) {
		status = cli_grove_look(grove, spot.tree.id, &call, err);
		return status ? status : answer_path_size(grove, &spot, err);
	}
	status = loom_node_path(grove->store, spot.node.id, spot.thread, LOOM_NODE_ALL,
				grove->arena, &path, err);
	if (!status)
		status = describe_log(grove, &spot, &path, err);
	return status ? status : answer_path_size(grove, &spot, err);
}

enum loom_status cmd_log(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_log, err);
}

/* --- tree --- */

/* A walk down the tree, level by level, with an explicit list instead of recursion. */
struct walk {
	struct cli_grove *grove;
	uint64_t key;
	int64_t thread; /* selects the versions shown */
	int64_t deepest;
	struct loom_node *waiting;
	size_t count;
	size_t cap;
	bool cut; /* there is more below */
};

static enum loom_status put_tree_node(struct walk *walk, const struct loom_node *node,
				      struct loom_str parent, struct loom_err *err)
{
	const struct loom_agent *agent = NULL;
	struct loom_cli *cli = walk->grove->cli;
	struct loom_buf summary = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_text_size size = {.words = 0};
	char name[LOOM_LOCAL_MAX];
	enum loom_status status = cli_grove_agent(walk->grove, node->author, &agent, err);

	if (status)
		return status;
	loom_local_text(walk->key, node->local, name);
	if (node->summary.n)
		loom_buf_add(&summary, node->summary);
	else
		loom_show_sentence(node->text, &summary);
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "id", loom_str_of(name));
	loom_answer_text(cli, "parent", parent);
	loom_answer_number(cli, "depth", node->depth);
	loom_answer_text(cli, "author_type", loom_str_of(cli_author_type(agent)));
	loom_show_put_claim(loom_answer_writer(cli, NULL), agent);
	loom_answer_text(cli, "summary", loom_buf_str(&summary));
	loom_text_measure(&size, node->text);
	loom_answer_number(cli, "words", size.words);
	loom_answer_number(cli, "chars", size.chars);
	loom_answer_number(cli, "children", node->children);
	loom_answer_end(cli);
	loom_buf_fini(&summary);
	return LOOM_OK;
}

static void wait_for(struct walk *walk, const struct loom_node *node)
{
	if (!node->children)
		return;
	if (node->depth >= walk->deepest) {
		walk->cut = true;
		return;
	}
	walk->waiting = loom_arena_grow(walk->grove->arena, walk->waiting, walk->count, &walk->cap,
					sizeof *walk->waiting);
	walk->waiting[walk->count++] = (struct loom_node){.group = node->group,
							  .local = node->local,
							  .depth = node->depth};
}

static enum loom_status put_children(struct walk *walk, const struct loom_node *above,
				     struct loom_err *err)
{
	struct loom_page page = {.kind = LOOM_CONTINUATION,
				 .thread = walk->thread,
				 .limit = PAGE,
				 .parts = LOOM_NODE_TEXT | LOOM_NODE_MARKS};
	struct loom_nodes nodes = {.count = PAGE};
	char parent[LOOM_LOCAL_MAX];
	enum loom_status status = LOOM_OK;

	loom_local_text(walk->key, above->local, parent);
	while (!status && nodes.count == PAGE) {
		struct loom_arena *arena = loom_arena_create();

		status = loom_node_children(walk->grove->store, above->group, &page, arena, &nodes,
					    err);
		for (size_t i = 0; !status && i < nodes.count; i++) {
			page.after = nodes.items[i].ord;
			status = put_tree_node(walk, &nodes.items[i], loom_str_of(parent), err);
			wait_for(walk, &nodes.items[i]);
		}
		loom_arena_destroy(arena);
	}
	return status;
}

static enum loom_status put_below(struct cli_grove *grove, const struct cli_spot *from,
				  struct loom_err *err)
{
	struct walk walk = {
		.grove = grove,
		.key = from->tree.key,
		.thread = from->thread,
		.deepest = from->node.depth +
			   loom_number_or(args_of_tree(grove->cli)->depth, TREE_DEPTH),
	};
	enum loom_status status = LOOM_OK;

	wait_for(&walk, &from->node);
	loom_answer_list(grove->cli, "below");
	for (size_t i = 0; !status && i < walk.count; i++) {
		struct loom_node above = walk.waiting[i];

		status = put_children(&walk, &above, err);
	}
	loom_answer_end(grove->cli);
	loom_answer_flag(grove->cli, "more_below", walk.cut);
	return status;
}

static enum loom_status put_path(struct cli_grove *grove, const struct cli_spot *spot,
				 struct loom_err *err)
{
	struct loom_nodes path = {NULL, 0};
	enum loom_status status = loom_node_path(grove->store, spot->node.id, spot->thread,
						 LOOM_NODE_NARROW, grove->arena, &path, err);

	loom_answer_list(grove->cli, "path");
	for (size_t i = 0; !status && i < path.count; i++) {
		char name[LOOM_LOCAL_MAX];

		loom_local_text(spot->tree.key, path.items[i].local, name);
		loom_answer_text(grove->cli, NULL, loom_str_of(name));
	}
	loom_answer_end(grove->cli);
	return status;
}

static enum loom_status describe_tree(struct cli_grove *grove, const struct cli_spot *position,
				      const struct cli_spot *from, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	const struct loom_tree *tree = &from->tree;
	enum loom_status status = LOOM_OK;

	loom_answer_ulid(cli, "id", &tree->ulid);
	loom_answer_text(cli, "title", tree->title);
	loom_answer_number(cli, "nodes", tree->nodes);
	loom_answer_number(cli, "branches", loom_tree_branches(tree));
	loom_answer_number(cli, "leaves", tree->leaves);
	loom_answer_text(cli, "position", loom_str_of(position->name));
	loom_answer_text(cli, "from", loom_str_of(from->name));
	status = put_path(grove, from, err);
	if (!status)
		status = answer_path_size(grove, from, err);
	return status ? status : put_below(grove, from, err);
}

/* Finds the node to draw from: the given one, which also names its tree, else the position. */
static enum loom_status find_from(struct cli_grove *grove, struct cli_spot *position,
				  struct cli_spot *from, struct loom_err *err)
{
	struct loom_str name = args_of_tree(grove->cli)->node;
	enum loom_status status = LOOM_OK;

	if (name.p) {
		status = cli_grove_spot(grove, name, LOOM_NODE_NARROW, from, err);
		if (!status)
			status = cli_grove_stand(grove, &from->tree, LOOM_NODE_NARROW, position,
						 err);
		return status;
	}
	status = cli_grove_tree(grove, args_of_tree(grove->cli)->tree, &from->tree, err);
	if (!status)
		status = cli_grove_stand(grove, &from->tree, LOOM_NODE_NARROW, position, err);
	*from = *position;
	return status;
}

static enum loom_status run_tree(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_tree *args = args_of_tree(grove->cli);
	struct loom_call call = {
		.verb = LOOM_VERB_TREE,
		.depth = loom_number_or(args->depth, 0),
		.summary = args->summary,
	};
	struct cli_spot position;
	struct cli_spot from;
	enum loom_status status = find_from(grove, &position, &from, err);

	if (status)
		return status;
	if (args->node.p)
		call.from = loom_str_of(from.name);
	if (loom_answer_structured(grove->cli))
		return describe_tree(grove, &position, &from, err);
	status = cli_grove_look(grove, from.tree.id, &call, err);
	return status ? status : answer_path_size(grove, &from, err);
}

enum loom_status cmd_tree(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_tree *args = args_of_tree(cli);
	static const struct cli_need need = {.view = true};

	if (args->node.p && args->tree.p) {
		loom_fail(err, LOOM_USAGE, "loom tree: NODE already names the tree");
		return loom_hint(err, LOOM_USAGE, "loom tree TREE/ID");
	}
	if (loom_number_or(args->depth, TREE_DEPTH) < 1) {
		loom_fail(err, LOOM_USAGE, "loom tree: the depth is at least 1");
		return loom_hint(err, LOOM_USAGE,
				 "loom tree --depth 1, or loom show for a single node");
	}
	return cli_grove_run(cli, &need, run_tree, err);
}

/* --- stats --- */

static enum loom_status answer_reading(struct cli_grove *grove, const char *what,
				       const struct loom_reading_of *of, struct loom_err *err)
{
	struct loom_reading_size size;
	enum loom_status status = loom_reading_measure(grove->store, of, &size, err);

	if (status)
		return status;
	loom_answer_map(grove->cli, what);
	answer_size(grove, what, &size.text);
	loom_answer_number(grove->cli, "passages", size.passages);
	loom_answer_end(grove->cli);
	return LOOM_OK;
}

/* Tells how much the reader has written here lately, and how far the goals are. */
static enum loom_status answer_session(struct cli_grove *grove, const struct loom_tree *tree,
				       struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_goal goal = {.text = 0};
	struct loom_text_size size;
	enum loom_status status =
		loom_reading_session(grove->store,
				     &(struct loom_session_of){.tree = tree->id,
							       .author = grove->actor.id},
				     &size, err);

	if (!status && cli_grove_person(grove))
		status = loom_goal_get(grove->store, &tree->ulid, &goal, err);
	if (status)
		return status;
	loom_answer_map(cli, "session");
	answer_size(grove, "session", &size);
	loom_answer_end(cli);
	loom_answer_map(cli, "goal");
	loom_answer_number(cli, "text", goal.text);
	loom_answer_number(cli, "session", goal.session);
	loom_answer_end(cli);
	if (goal.text)
		loom_answer_line(cli, "goal of the text: %s",
				 loom_answer_many(cli, goal.text, "word", "words"));
	if (goal.session)
		loom_answer_line(cli, "goal of a session: %s",
				 loom_answer_many(cli, goal.session, "word", "words"));
	return LOOM_OK;
}

static enum loom_status run_stats(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_text_size node = {.words = 0};
	struct loom_reading_of of = {.tip = 0};
	struct cli_spot spot;
	enum loom_status status =
		cli_grove_spot(grove, args_of_stats(grove->cli)->node, LOOM_NODE_ALL, &spot, err);

	if (status)
		return status;
	loom_answer_text(grove->cli, "id", loom_str_of(spot.name));
	loom_answer_map(grove->cli, "node");
	loom_text_measure(&node, spot.node.text);
	answer_size(grove, "node", &node);
	loom_answer_end(grove->cli);
	of = (struct loom_reading_of){.tree = spot.tree.id,
				      .tip = spot.node.id,
				      .thread = spot.thread};
	status = answer_reading(grove, "path", &of, err);
	of.tip = 0;
	if (!status)
		status = answer_reading(grove, "tree", &of, err);
	return status ? status : answer_session(grove, &spot.tree, err);
}

enum loom_status cmd_stats(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_stats, err);
}
