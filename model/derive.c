/* Purpose: what a log alone says: the active lane, the applied operations, the lanes.
 * Invariants: only valid operations move the lane or count as applied; any message or operation
 * makes its lane exist. Reads no further back than it must. */
#include <loom/run.h>

struct walk {
	struct loom_arena *arena;
	struct loom_derived *out;
	size_t lane_cap;
};

static bool list_has(const struct loom_str *list, size_t count, struct loom_str text)
{
	for (size_t i = 0; i < count; i++) {
		if (loom_str_eq(list[i], text))
			return true;
	}
	return false;
}

static bool see_operation(void *ctx, const struct loom_log_row *row)
{
	struct walk *walk = ctx;
	struct loom_derived *out = walk->out;
	struct loom_arena *scratch = loom_arena_create();
	struct loom_log_columns columns;

	loom_log_columns(row, scratch, &columns);
	if (columns.operation && out->lane.n == 0)
		out->lane = loom_arena_str(walk->arena, columns.lane);
	if (columns.op_id.n > 0 && !list_has(out->applied, out->applied_count, columns.op_id))
		out->applied[out->applied_count++] = loom_arena_str(walk->arena, columns.op_id);
	loom_arena_destroy(scratch);
	return out->applied_count < LOOM_RUN_OPS_KEPT;
}

static void add_lane(struct walk *walk, struct loom_str lane)
{
	struct loom_derived *out = walk->out;

	out->lanes = loom_arena_grow(walk->arena, out->lanes, out->lane_count, &walk->lane_cap,
				     sizeof *out->lanes);
	out->lanes[out->lane_count++] = loom_arena_str(walk->arena, lane);
}

static bool see_lane(void *ctx, const struct loom_log_row *row)
{
	add_lane(ctx, row->kind);
	return true;
}

static bool see_row(void *ctx, const struct loom_log_row *row)
{
	struct walk *walk = ctx;
	struct loom_arena *scratch = loom_arena_create();
	struct loom_log_columns columns;

	loom_log_columns(row, scratch, &columns);
	if (columns.lane.n > 0 && !list_has(walk->out->lanes, walk->out->lane_count, columns.lane))
		add_lane(walk, columns.lane);
	loom_arena_destroy(scratch);
	return true;
}

static bool see_seq(void *ctx, const struct loom_log_row *row)
{
	struct walk *walk = ctx;

	walk->out->cursor = row->seq;
	return false;
}

static enum loom_status read_lanes(const struct loom_log *log, int64_t at, struct walk *walk,
				   struct loom_err *err)
{
	const struct loom_log_visitor lanes = {see_lane, walk};
	const struct loom_log_visitor rows = {see_row, walk};
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE, .through = at};

	if (log->ops->lanes)
		return log->ops->lanes(log->ctx, at, &lanes, err);
	return log->ops->read(log->ctx, &range, &rows, err);
}

enum loom_status loom_derive(const struct loom_log *log, int64_t at, struct loom_arena *arena,
			     struct loom_derived *out, struct loom_err *err)
{
	struct walk walk = {.arena = arena, .out = out};
	struct loom_log_range range = {.after = LOOM_SEQ_NONE, .through = at, .newest_first = true};
	const struct loom_log_visitor last = {see_seq, &walk};
	const struct loom_log_visitor operations = {see_operation, &walk};

	*out = (struct loom_derived){.cursor = LOOM_SEQ_NONE};
	out->applied = LOOM_ARENA_ARRAY(arena, LOOM_RUN_OPS_KEPT, struct loom_str);
	enum loom_status status = log->ops->read(log->ctx, &range, &last, err);
	range.kind = LOOM_STR(LOOM_KIND_OP);
	if (!status)
		status = log->ops->read(log->ctx, &range, &operations, err);
	if (!status)
		status = read_lanes(log, at, &walk, err);
	if (out->lane.n == 0)
		out->lane = LOOM_STR(LOOM_LANE_DEFAULT);
	return status;
}
