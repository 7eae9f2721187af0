/* Derives from a log alone the active lane, the applied operations and the lanes. Invariants: only
 * valid operations move the lane or count as applied; any message or operation makes its lane
 * exist. Reads no further back than necessary. */
#include <loom/log/lifecycle.h>

struct walk {
	struct loom_arena *arena;
	struct loom_derived *derived;
	struct loom_lanes *lanes;
};

static bool list_has(const struct loom_str *list, size_t count, struct loom_str text)
{
	for (size_t i = 0; i < count; i++) {
		if (loom_str_eq(list[i], text))
			return true;
	}
	return false;
}

static bool see_operation(void *ctx, const struct loom_log_mark *mark)
{
	struct walk *walk = ctx;
	struct loom_derived *out = walk->derived;

	LOOM_ASSERT(out->applied_count < LOOM_RUN_OPS_KEPT);
	if (out->lane.n == 0)
		out->lane = loom_arena_str(walk->arena, mark->lane);
	if (mark->op_id.n > 0 && !list_has(out->applied, out->applied_count, mark->op_id))
		out->applied[out->applied_count++] = loom_arena_str(walk->arena, mark->op_id);
	return out->applied_count < LOOM_RUN_OPS_KEPT;
}

static bool see_lane(void *ctx, const struct loom_log_mark *mark)
{
	struct walk *walk = ctx;
	struct loom_lanes *lanes = walk->lanes;

	LOOM_ASSERT(mark->lane.n > 0);
	if (list_has(lanes->names, lanes->count, mark->lane))
		return true;
	lanes->names = loom_arena_grow(walk->arena, lanes->names, lanes->count, &lanes->cap,
				       sizeof *lanes->names);
	lanes->names[lanes->count++] = loom_arena_str(walk->arena, mark->lane);
	return true;
}

/* Reading rows when the keeper has no index. */
struct marking {
	struct loom_mark_visitor visitor;
	bool operations; /* only valid operations; else anything naming a lane */
};

static bool mark_row(void *ctx, const struct loom_log_row *row)
{
	const struct marking *marking = ctx;
	struct loom_arena *scratch = loom_arena_create();
	struct loom_log_columns columns;
	bool more = true;

	loom_log_columns(row, scratch, &columns);
	const struct loom_log_mark mark = {
		.seq = row->seq,
		.lane = columns.lane,
		.op_id = columns.op_id,
		.anchor = columns.anchor,
	};
	if (marking->operations ? columns.operation : columns.lane.n > 0)
		more = marking->visitor.visit(marking->visitor.ctx, &mark);
	loom_arena_destroy(scratch);
	return more;
}

static bool see_seq(void *ctx, const struct loom_log_row *row)
{
	int64_t *cursor = ctx;

	*cursor = row->seq;
	return false;
}

static enum loom_status read_operations(const struct loom_log *log, int64_t at, struct walk *walk,
					struct loom_err *err)
{
	struct marking marking = {{see_operation, walk}, true};
	const struct loom_log_visitor rows = {mark_row, &marking};
	const struct loom_log_range range = {
		.after = LOOM_SEQ_NONE,
		.through = at,
		.kind = LOOM_STR(LOOM_KIND_OP),
		.newest_first = true,
	};

	if (log->ops->operations)
		return log->ops->operations(log->ctx, at, &marking.visitor, err);
	return log->ops->read(log->ctx, &range, &rows, err);
}

enum loom_status loom_derive(const struct loom_log *log, int64_t at, struct loom_arena *arena,
			     struct loom_derived *out, struct loom_err *err)
{
	struct walk walk = {.arena = arena, .derived = out};
	const struct loom_log_visitor last = {see_seq, &out->cursor};
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE,
					     .through = at,
					     .newest_first = true};

	LOOM_ASSERT(log->ops && out);
	*out = (struct loom_derived){.cursor = LOOM_SEQ_NONE};
	out->applied = LOOM_ARENA_ARRAY(arena, LOOM_RUN_OPS_KEPT, struct loom_str);
	enum loom_status status = log->ops->read(log->ctx, &range, &last, err);
	if (!status)
		status = read_operations(log, at, &walk, err);
	if (out->lane.n == 0)
		out->lane = LOOM_STR(LOOM_LANE_DEFAULT);
	LOOM_ASSERT(out->lane.n > 0 && out->applied_count <= LOOM_RUN_OPS_KEPT);
	return status;
}

enum loom_status loom_lanes(const struct loom_log *log, int64_t at, struct loom_arena *arena,
			    struct loom_lanes *out, struct loom_err *err)
{
	struct walk walk = {.arena = arena, .lanes = out};
	struct marking marking = {{see_lane, &walk}, false};
	const struct loom_log_visitor rows = {mark_row, &marking};
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE, .through = at};

	LOOM_ASSERT(log->ops && out);
	*out = (struct loom_lanes){0};
	if (log->ops->lanes)
		return log->ops->lanes(log->ctx, at, &marking.visitor, err);
	return log->ops->read(log->ctx, &range, &rows, err);
}
