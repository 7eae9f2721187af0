/* Describes an operation in an answer. */
#include <loom/cli/open_grove.h>

void cli_answer_op(struct loom_cli *cli, const struct loom_op *op)
{
	loom_answer_number(cli, "op", op->id);
	loom_answer_text(cli, "kind", op->kind);
	loom_answer_text(cli, "text", op->text);
	loom_answer_text(cli, "by", op->actor_name);
	loom_answer_time(cli, "done_at", op->at);
}
