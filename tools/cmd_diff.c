/* `loom diff A B`: how the texts of two nodes differ, word by word. */
#include "cli_impl.h"

#include <loom/worddiff.h>

#include "grove_impl.h"

static void say_marked(struct loom_out *out, enum loom_style style, const char *begin,
		       struct loom_str text, const char *end)
{
	bool colored = loom_out_color(out);

	if (!colored)
		loom_out_texts(out, begin);
	loom_out_styled(out, style, text);
	if (!colored)
		loom_out_texts(out, end);
}

static void say_part(struct loom_out *out, const struct loom_diff_part *part)
{
	switch (part->kind) {
	case LOOM_DIFF_SAME:
		loom_out_text(out, part->text);
		break;
	case LOOM_DIFF_GONE:
		say_marked(out, LOOM_BAD, "[-", part->text, "-]");
		break;
	case LOOM_DIFF_NEW:
		say_marked(out, LOOM_GOOD, "{+", part->text, "+}");
		break;
	}
}

void tool_say_diff(struct tool_grove *grove, const struct loom_diff *diff)
{
	struct loom_out *out = grove->cli->out;
	bool feed = false;

	for (size_t i = 0; i < diff->count; i++) {
		const struct loom_diff_part *part = &diff->parts[i];

		say_part(out, part);
		feed = part->kind == LOOM_DIFF_SAME && part->text.p[part->text.n - 1] == '\n';
	}
	if (!feed && diff->count)
		loom_out_texts(out, "\n");
}

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

void tool_diff_parts_json(struct loom_json *json, const struct loom_diff *diff)
{
	static const char *const kinds[] = {
		[LOOM_DIFF_SAME] = "same",
		[LOOM_DIFF_GONE] = "gone",
		[LOOM_DIFF_NEW] = "new",
	};

	loom_json_key(json, "parts");
	loom_json_array(json);
	for (size_t i = 0; i < diff->count; i++) {
		loom_json_object(json);
		loom_json_put(json, "kind", loom_str_of(kinds[diff->parts[i].kind]));
		loom_json_put(json, "text", diff->parts[i].text);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
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
	const struct loom_args *args = grove->cli->args;
	struct tool_spot a;
	struct tool_spot b;
	struct loom_diff diff;
	enum loom_status status =
		tool_grove_node(grove, loom_args_str(args, "A"), LOOM_NODE_TEXT, &a, err);

	if (!status)
		status = tool_grove_node(grove, loom_args_str(args, "B"), LOOM_NODE_TEXT, &b, err);
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
