/* Tags: list, add, remove, and find the nodes with one. */
#include <loom/cli/services.h>

#include <loom/text/deceiving_names.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/tree.def>

#define PAGE 1000

/* --- looking --- */

static enum loom_status list_tags(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_tag *tags = NULL;
	struct loom_str *names = NULL;
	struct loom_str *marks = NULL;
	size_t count = 0;
	enum loom_status status = loom_tag_list(grove->store, grove->arena, &tags, &count, err);

	if (status)
		return status;
	names = LOOM_ARENA_ARRAY(grove->arena, count, struct loom_str);
	for (size_t i = 0; i < count; i++)
		names[i] = tags[i].name;
	marks = loom_name_marks(LOOM_NAMED_TAG, names, count, grove->arena);
	loom_answer_list(cli, "tags");
	for (size_t i = 0; i < count; i++) {
		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "name", tags[i].name);
		loom_answer_number(cli, "nodes", tags[i].nodes);
		loom_answer_maybe(cli, "mark", marks[i]);
		loom_answer_line(cli, "\"%.*s\" %s%s%.*s", LOOM_STR_ARG(tags[i].name),
				 loom_answer_many(cli, tags[i].nodes, "node", "nodes"),
				 marks[i].n ? " · " : "", LOOM_STR_ARG(marks[i]));
		loom_answer_end(cli);
	}
	if (!count)
		loom_answer_note(cli, "there are no tags");
	return LOOM_OK;
}

/* Prints a node's name and tags, as every answer about it does. */
static enum loom_status say_tags(struct cli_grove *grove, const struct cli_spot *spot, int64_t op,
				 struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_str *tags = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_tag_of(grove->store, spot->node.id, grove->arena, &tags, &count, err);

	if (status)
		return status;
	loom_answer_text(cli, "node", loom_str_of(spot->name));
	loom_answer_ulid(cli, "ulid", &spot->node.ulid);
	loom_answer_texts(cli, "tags", tags, count);
	loom_answer_id(cli, "op", op);
	if (args_of_tag(cli)->tag.n)
		return LOOM_OK;
	for (size_t i = 0; i < count; i++)
		loom_answer_line(cli, "\"%.*s\"", LOOM_STR_ARG(tags[i]));
	if (!count)
		loom_answer_line(cli, "[%s] has no tags", spot->name);
	return LOOM_OK;
}

/* --- nodes with a tag --- */

static enum loom_status say_carrier(struct cli_grove *grove, const struct loom_node *node,
				    struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_tree tree;
	struct loom_str name = cli_node_name(grove, node);
	enum loom_status status = loom_tree_get(grove->store, node->tree, grove->arena, &tree, err);

	if (status)
		return status;
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "node", name);
	loom_answer_ulid(cli, "ulid", &node->ulid);
	loom_answer_ulid(cli, "tree", &tree.ulid);
	loom_answer_text(cli, "title", tree.title);
	loom_answer_line(cli, "[%.*s] in tree:\"%.*s\"", LOOM_STR_ARG(name),
			 LOOM_STR_ARG(tree.title));
	loom_answer_end(cli);
	return LOOM_OK;
}

static enum loom_status each_carrier(struct cli_grove *grove, int64_t tree, struct loom_str tag,
				     struct loom_err *err)
{
	struct loom_nodes nodes = {.count = PAGE};
	int64_t after = 0;
	enum loom_status status = LOOM_OK;

	while (!status && nodes.count == PAGE && !loom_out_closed(grove->cli->out)) {
		status = loom_tag_nodes(grove->store,
					&(struct loom_tagged){.name = tag,
							      .tree = tree,
							      .after = after,
							      .limit = PAGE},
					grove->arena, &nodes, err);
		for (size_t i = 0; !status && i < nodes.count; i++) {
			after = nodes.items[i].id;
			status = say_carrier(grove, &nodes.items[i], err);
		}
	}
	return status;
}

static enum loom_status list_carriers(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_tag *args = args_of_tag(grove->cli);
	struct loom_tree tree = {.id = 0};
	bool all = cli_grove_person(grove) && !args->tree.p;
	enum loom_status status = all ? LOOM_OK : cli_grove_tree(grove, args->tree, &tree, err);

	if (status)
		return status;
	loom_answer_text(grove->cli, "tag", args->with);
	loom_answer_list(grove->cli, "nodes");
	return each_carrier(grove, tree.id, args->with, err);
}

/* --- changing --- */

struct tagging {
	const struct args_of_tag *args;
	const struct cli_spot *spot;
	bool on;
	bool *changed; /* one for each tag */
};

static enum loom_status set_tag(struct loom_store *store, const struct tagging *tagging, size_t i,
				struct loom_err *err)
{
	struct loom_str tag = tagging->args->tag.p[i];
	enum loom_status status = loom_tag_set(store, tagging->spot->node.id, tag, tagging->on,
					       &tagging->changed[i], err);

	if (status || tagging->on || tagging->changed[i])
		return status;
	return loom_fail(err, LOOM_NOT_FOUND, "[%s] has no tag \"%.*s\"", tagging->spot->name,
			 LOOM_STR_ARG(tag));
}

static enum loom_status set_tags(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct tagging *tagging = ctx;
	size_t count = tagging->args->tag.n;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; !status && i < count; i++)
		status = set_tag(store, tagging, i, err);
	loom_op_say(store, "%s [%s] \"%s\"%s", tagging->on ? "tagged" : "untagged",
		    tagging->spot->name, tagging->args->tag.p[0].p, count > 1 ? " …" : "");
	return status;
}

static enum loom_status change_tags(struct cli_grove *grove, const struct cli_spot *spot,
				    struct loom_err *err)
{
	const struct args_of_tag *args = args_of_tag(grove->cli);
	size_t count = args->tag.n;
	struct tagging tagging = {
		.args = args,
		.spot = spot,
		.on = !args->delete,
		.changed = LOOM_ARENA_ARRAY(grove->arena, count, bool),
	};
	struct cli_write write = {
		.kind = tagging.on ? "tag" : "untag",
		.tree = spot->tree.id,
		.run = set_tags,
		.ctx = &tagging,
	};
	enum loom_status status = cli_grove_write(grove, &write, err);

	if (status)
		return status;
	for (size_t i = 0; i < count; i++)
		loom_answer_done(grove->cli, "%s [%s] \"%s\"%s", tagging.on ? "tagged" : "untagged",
				 spot->name, args->tag.p[i].p,
				 tagging.changed[i] ? "" : " unchanged");
	return say_tags(grove, spot, write.op, err);
}

static enum loom_status run_tag(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_tag *args = args_of_tag(grove->cli);
	struct cli_spot spot;
	enum loom_status status = LOOM_OK;

	if (args->with.p)
		return list_carriers(grove, err);
	if (!args->node.p)
		return list_tags(grove, err);
	status = cli_grove_node(grove, args->node, LOOM_NODE_NARROW, &spot, err);
	if (status)
		return status;
	return args->tag.n ? change_tags(grove, &spot, err) : say_tags(grove, &spot, 0, err);
}

static enum loom_status check_usage(const struct args_of_tag *args, struct loom_err *err)
{
	if (!args->tag.n && args->delete) {
		loom_fail(err, LOOM_USAGE, "loom tag: --delete needs a node and a tag");
		return loom_hint(err, LOOM_USAGE, "loom tag --delete NODE TAG…");
	}
	if (args->with.p && args->node.p) {
		loom_fail(err, LOOM_USAGE, "loom tag: --with lists nodes; it takes no NODE");
		return loom_hint(err, LOOM_USAGE, "loom tag --with TAG [-t TREE]");
	}
	if (args->tree.p && !args->with.p) {
		loom_fail(err, LOOM_USAGE, "loom tag: --tree needs --with");
		return loom_hint(err, LOOM_USAGE, "loom tag --with TAG [-t TREE]");
	}
	return LOOM_OK;
}

enum loom_status cmd_tag(struct loom_cli *cli, struct loom_err *err)
{
	const bool writes = loom_command_need(cli->command, cli->args).deeds & LOOM_DEED_WRITES;
	const struct cli_need need = {.view = !writes};
	enum loom_status status = check_usage(args_of_tag(cli), err);

	return status ? status : cli_grove_run(cli, &need, run_tag, err);
}
