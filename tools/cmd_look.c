/* Looking at nodes: show, log. */
#include "cli_impl.h"

#include "grove_impl.h"

static enum loom_status show_json(struct tool_grove *grove, const struct tool_spot *spot,
				  struct loom_err *err)
{
	struct loom_json *json = loom_out_json_begin(grove->cli->out);
	enum loom_status status = LOOM_OK;

	loom_json_object(json);
	status = tool_node_json(grove, json, spot, err);
	if (!status)
		status = tool_node_around_json(grove, json, spot, err);
	loom_json_end_object(json);
	if (!status)
		loom_out_json_end(grove->cli->out);
	return status;
}

static enum loom_status run_show(struct tool_grove *grove, struct loom_err *err)
{
	struct tool_spot spot;
	enum loom_status status = tool_grove_node(grove, loom_args_str(grove->cli->args, "NODE"),
						  LOOM_NODE_ALL, &spot, err);

	return status ? status : show_json(grove, &spot, err);
}

enum loom_status tool_cmd_show(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = LOOM_MAY_AWARE, .view = true};

	return tool_grove_run(cli, &need, run_show, err);
}

/* --- log --- */

static enum loom_status log_json(struct tool_grove *grove, const struct tool_spot *tip,
				 const struct loom_nodes *path, struct loom_err *err)
{
	struct loom_json *json = loom_out_json_begin(grove->cli->out);
	struct tool_spot spot = *tip;
	enum loom_status status = LOOM_OK;

	loom_json_object(json);
	tool_json_ulid(json, "tree", &tip->tree.ulid);
	loom_json_put(json, "title", tip->tree.title);
	loom_json_key(json, "nodes");
	loom_json_array(json);
	for (size_t i = 0; !status && i < path->count; i++) {
		spot.node = path->items[i];
		loom_local_text(tip->tree.key, spot.node.local, spot.name);
		loom_json_object(json);
		status = tool_node_json(grove, json, &spot, err);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	loom_json_end_object(json);
	if (!status)
		loom_out_json_end(grove->cli->out);
	return status;
}

static enum loom_status run_log(struct tool_grove *grove, struct loom_err *err)
{
	const struct loom_args *args = grove->cli->args;
	int64_t last = loom_args_number(args, "--last", INT64_MAX);
	struct tool_spot spot;
	struct loom_nodes path;
	enum loom_status status =
		tool_grove_spot(grove, loom_args_str(args, "NODE"), LOOM_NODE_NARROW, &spot, err);

	if (!status)
		status = loom_node_path_end(grove->store, spot.node.id, spot.thread, (size_t)last,
					    LOOM_NODE_ALL, grove->arena, &path, err);
	return status ? status : log_json(grove, &spot, &path, err);
}

enum loom_status tool_cmd_log(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.may = LOOM_MAY_AWARE,
					      .what = "show the path",
					      .view = true};

	return tool_grove_run(cli, &need, run_log, err);
}
