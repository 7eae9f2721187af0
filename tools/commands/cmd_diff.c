/* `loom diff A B`: compares the texts of two nodes word by word. */
#include <loom/cli/services.h>

#include <loom/language/worddiff.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/tree.def>

static void answer_node(struct loom_cli *cli, const char *key, const struct cli_spot *spot)
{
	loom_answer_map(cli, key);
	loom_answer_text(cli, "node", loom_str_of(spot->name));
	loom_answer_ulid(cli, "ulid", &spot->node.ulid);
	loom_answer_ulid(cli, "tree", &spot->tree.ulid);
	loom_answer_end(cli);
}

static void say_nodes(struct loom_cli *cli, const struct cli_spot *a, const struct cli_spot *b)
{
	if (a->tree.id == b->tree.id)
		loom_answer_line(cli, "[%s] → [%s]", a->name, b->name);
	else
		loom_answer_line(cli, "[%s] in tree:\"%.*s\" → [%s] in tree:\"%.*s\"", a->name,
				 LOOM_STR_ARG(a->tree.title), b->name, LOOM_STR_ARG(b->tree.title));
}

static enum loom_status run_diff(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_diff *args = args_of_diff(grove->cli);
	struct cli_spot a;
	struct cli_spot b;
	struct loom_diff diff;
	enum loom_status status = cli_grove_node(grove, args->a, LOOM_NODE_TEXT, &a, err);

	if (!status)
		status = cli_grove_node(grove, args->b, LOOM_NODE_TEXT, &b, err);
	if (status)
		return status;
	loom_word_diff(a.node.text, b.node.text, grove->arena, &diff);
	say_nodes(grove->cli, &a, &b);
	answer_node(grove->cli, "a", &a);
	answer_node(grove->cli, "b", &b);
	cli_answer_diff(grove->cli, &diff);
	return LOOM_OK;
}

enum loom_status cmd_diff(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_diff, err);
}
