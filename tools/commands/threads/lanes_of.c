/* The lanes of a log as an answer: one record each, or a line. */
#include <loom/cli/services.h>

#include "lanes_of.h"

/* "* default  compaction of rows 35-65, in row 74 · last row 120" */
static void answer_lane(struct loom_cli *cli, const struct loom_lane *lane)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "lane", lane->name);
	loom_answer_flag(cli, "active", lane->active);
	if (lane->anchor == LOOM_SEQ_NONE)
		loom_answer_null(cli, "anchor");
	else
		loom_answer_number(cli, "anchor", lane->anchor);
	loom_answer_maybe(cli, "reason", lane->reason);
	if (lane->from != LOOM_SEQ_NONE) {
		loom_answer_number(cli, "from_seq", lane->from);
		loom_answer_number(cli, "to_seq", lane->through);
	}
	if (lane->last == LOOM_SEQ_NONE)
		loom_answer_null(cli, "last");
	else
		loom_answer_number(cli, "last", lane->last);
	loom_answer_end(cli);
	loom_lane_say(lane, &line);
	loom_answer_line(cli, "%s %.*s", lane->active ? "*" : " ",
			 LOOM_STR_ARG(loom_buf_str(&line)));
	loom_buf_fini(&line);
}

static void answer_waiting(struct loom_cli *cli, const struct loom_waiting *waiting)
{
	if (!waiting->op_id.n) {
		loom_answer_null(cli, "waiting");
		return;
	}
	loom_answer_map(cli, "waiting");
	loom_answer_text(cli, "op_id", waiting->op_id);
	loom_answer_text(cli, "lane", waiting->lane);
	loom_answer_text(cli, "type", waiting->type);
	loom_answer_text(cli, "reason", waiting->reason);
	loom_answer_end(cli);
	loom_answer_line(cli, "waits: %.*s (%.*s) of lane %.*s, until the run ends",
			 LOOM_STR_ARG(waiting->type), LOOM_STR_ARG(waiting->reason),
			 LOOM_STR_ARG(waiting->lane));
}

void threads_answer_lanes(struct loom_cli *cli, const struct loom_lane_list *list)
{
	loom_answer_list(cli, "lanes");
	for (size_t i = 0; i < list->count; i++)
		answer_lane(cli, &list->items[i]);
	loom_answer_end(cli);
	answer_waiting(cli, &list->waiting);
	loom_answer_maybe(cli, "run", list->run);
	if (list->run.n)
		loom_answer_line(cli, "run %.*s is open", LOOM_STR_ARG(list->run));
}
