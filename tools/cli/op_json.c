/* An operation as JSON, wherever one is answered. */
#include <loom/cli/open_grove.h>

void tool_op_json(struct loom_json *json, const struct loom_op *op)
{
	loom_json_put_int(json, "op", op->id);
	loom_json_put(json, "kind", op->kind);
	loom_json_put(json, "text", op->text);
	loom_json_put(json, "by", op->actor_name);
	tool_json_time(json, "done_at", op->at);
}
