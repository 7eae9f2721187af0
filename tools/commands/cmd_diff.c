/* `loom diff A B`: how the texts of two nodes differ, word by word. */
#include <loom/cli/services.h>

#include <loom/language/worddiff.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/tree.def>

static void say_diff(struct tool_grove *grove, const struct tool_spot *a, const struct tool_spot *b,
		     const struct loom_diff *diff)
{
	if (a->tree.id == b->tree.id)
		tool_say_line(grove, "[%s] → [%s]", a->name, b->name);
	else
		tool_say_line(grove, "[%s] in tree:\"%.*s\" → [%s] in tree:\"%.*s\"", a->name,
			      LOOM_STR_ARG(a->tree.title), b->name, LOOM_STR_ARG(b->tree.title));
	tool_say_diff(grove, diff);
}

static void put_node(struct loom_json *json, const char *key, const struct tool_spot *spot)
{
	loom_json_key(json, key);
	loom_json_object(json);
	loom_json_put(json, "node", loom_str_of(spot->name));
	tool_json_ulid(json, "ulid", &spot->node.ulid);
	tool_json_ulid(json, "tree", &spot->tree.ulid);
	loom_json_end_object(json);
}

static void diff_json(struct loom_out *out, const struct tool_spot *a, const struct tool_spot *b,
		      const struct loom_diff *diff)
{
	struct loom_json *json = loom_out_json_begin(out);

	loom_json_object(json);
	put_node(json, "a", a);
	put_node(json, "b", b);
	tool_diff_parts_json(json, diff);
	loom_json_end_object(json);
	loom_out_json_end(out);
}

static enum loom_status run_diff(struct tool_grove *grove, struct loom_err *err)
{
	const struct args_of_diff *args = args_of_diff(grove->cli);
	struct tool_spot a;
	struct tool_spot b;
	struct loom_diff diff;
	enum loom_status status = tool_grove_node(grove, args->a, LOOM_NODE_TEXT, &a, err);

	if (!status)
		status = tool_grove_node(grove, args->b, LOOM_NODE_TEXT, &b, err);
	if (status)
		return status;
	loom_word_diff(a.node.text, b.node.text, grove->arena, &diff);
	if (grove->cli->json)
		diff_json(grove->cli->out, &a, &b, &diff);
	else
		say_diff(grove, &a, &b, &diff);
	return LOOM_OK;
}

enum loom_status tool_cmd_diff(struct loom_cli *cli, struct loom_err *err)
{
	static const struct tool_need need = {.view = true};

	return tool_grove_run(cli, &need, run_diff, err);
}
