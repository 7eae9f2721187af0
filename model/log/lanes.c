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

/* ---- described ---- */

/* The newest row of a lane, or the row asked for. */
struct seen_row {
	struct loom_arena *arena;
	int64_t seq;
	struct loom_str payload;
};

static bool see_row(void *ctx, const struct loom_log_row *row)
{
	struct seen_row *seen = ctx;

	seen->seq = row->seq;
	seen->payload = loom_arena_str(seen->arena, row->payload);
	return false;
}

static enum loom_status read_row(const struct loom_log *log, const struct loom_log_range *range,
				 struct seen_row *out, struct loom_err *err)
{
	const struct loom_log_visitor visitor = {see_row, out};

	out->seq = LOOM_SEQ_NONE;
	return log->ops->read(log->ctx, range, &visitor, err);
}

/* Finds the anchor of the lane as a projection does, and what it says of itself. */
static enum loom_status read_anchor(const struct loom_log *log, int64_t at,
				    struct loom_arena *arena, struct loom_lane *lane,
				    struct loom_err *err)
{
	const struct loom_project_opts opts = {.lane = lane->name,
					       .at = at,
					       .limited = true,
					       .limit = 0};
	struct seen_row seen = {.arena = arena};
	struct loom_context context;
	struct loom_str operation;
	struct loom_str meta;
	enum loom_status status = loom_project(log, &opts, arena, &context, err);
	struct loom_log_range range = {.after = context.anchor_seq - 1,
				       .through = context.anchor_seq};

	lane->anchor = context.anchor_seq;
	if (status || lane->anchor == LOOM_SEQ_NONE)
		return status;
	status = read_row(log, &range, &seen, err);
	operation = loom_jval_get(seen.payload, "operation");
	meta = loom_jval_get(operation, "meta");
	lane->reason = loom_jval_text(loom_jval_get(operation, "reason"), arena);
	if (!loom_jval_int(loom_jval_get(meta, "from_seq"), &lane->from) ||
	    !loom_jval_int(loom_jval_get(meta, "to_seq"), &lane->through))
		lane->from = lane->through = LOOM_SEQ_NONE;
	return status;
}

/* A keeper may not know the lane of a row by an index. */
struct seen_last {
	struct loom_str lane;
	int64_t seq;
};

static bool see_last(void *ctx, const struct loom_log_row *row)
{
	struct seen_last *last = ctx;
	struct loom_arena *scratch = loom_arena_create();
	struct loom_log_columns columns;

	loom_log_columns(row, scratch, &columns);
	if (loom_str_eq(columns.lane, last->lane))
		last->seq = row->seq;
	loom_arena_destroy(scratch);
	return last->seq == LOOM_SEQ_NONE;
}

static enum loom_status describe(const struct loom_log *log, int64_t at, struct loom_arena *arena,
				 struct loom_lane *lane, struct loom_err *err)
{
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE,
					     .through = at,
					     .lane = lane->name,
					     .newest_first = true};
	struct seen_last last = {.lane = lane->name, .seq = LOOM_SEQ_NONE};
	const struct loom_log_visitor visitor = {see_last, &last};
	enum loom_status status = log->ops->read(log->ctx, &range, &visitor, err);

	lane->last = last.seq;
	lane->from = lane->through = LOOM_SEQ_NONE;
	return status ? status : read_anchor(log, at, arena, lane, err);
}

static enum loom_status read_slot(const struct loom_log *log, enum loom_slot slot,
				  struct loom_arena *arena, struct loom_str *out,
				  struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = log->ops->slot_read(log->ctx, slot, &text, err);

	*out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return status;
}

/* A compaction waits as an order, and becomes a replace when it is carried out. */
static void read_waiting(struct loom_str slot, struct loom_arena *arena, struct loom_waiting *out)
{
	const bool order = !loom_jval_is_null(loom_jval_get(slot, "compaction"));
	struct loom_str operation = loom_jval_get(slot, "operation");

	out->op_id = loom_jval_text(loom_jval_get(slot, "op_id"), arena);
	out->lane = loom_jval_text(loom_jval_get(slot, "context_ref"), arena);
	out->type = order ? LOOM_STR("replace")
			  : loom_jval_text(loom_jval_get(operation, "type"), arena);
	out->reason = order ? LOOM_STR("compaction")
			    : loom_jval_text(loom_jval_get(operation, "reason"), arena);
}

/* Takes the names, the active one at the end if no row names it. */
static void take_names(const struct loom_lanes *names, struct loom_str active,
		       struct loom_arena *arena, struct loom_lane_list *out)
{
	const bool unnamed = !list_has(names->names, names->count, active);

	out->count = names->count + unnamed;
	out->items = LOOM_ARENA_ARRAY(arena, out->count, struct loom_lane);
	for (size_t i = 0; i < out->count; i++) {
		out->items[i].name = i < names->count ? names->names[i] : active;
		out->items[i].active = loom_str_eq(out->items[i].name, active);
	}
}

enum loom_status loom_lane_list(const struct loom_log *log, int64_t at, struct loom_arena *arena,
				struct loom_lane_list *out, struct loom_err *err)
{
	struct loom_str slots[LOOM_SLOT_COUNT] = {{NULL, 0}};
	struct loom_derived derived;
	struct loom_lanes names;
	enum loom_status status = loom_derive(log, at, arena, &derived, err);

	LOOM_ASSERT(log->ops && out);
	*out = (struct loom_lane_list){.count = 0};
	if (!status)
		status = loom_lanes(log, at, arena, &names, err);
	if (!status)
		take_names(&names, derived.lane, arena, out);
	for (size_t i = 0; !status && i < out->count; i++)
		status = describe(log, at, arena, &out->items[i], err);
	if (!status)
		status = read_slot(log, LOOM_SLOT_PENDING, arena, &slots[LOOM_SLOT_PENDING], err);
	if (!status)
		status = read_slot(log, LOOM_SLOT_RUN, arena, &slots[LOOM_SLOT_RUN], err);
	read_waiting(slots[LOOM_SLOT_PENDING], arena, &out->waiting);
	out->run = loom_jval_text(loom_jval_get(slots[LOOM_SLOT_RUN], "request_id"), arena);
	return status;
}

void loom_lane_say(const struct loom_lane *lane, struct loom_buf *out)
{
	loom_buf_add(out, lane->name);
	if (lane->from != LOOM_SEQ_NONE)
		loom_buf_addf(out, " · %.*s of rows %lld-%lld, in row %lld",
			      LOOM_STR_ARG(lane->reason), (long long)lane->from,
			      (long long)lane->through, (long long)lane->anchor);
	else if (lane->anchor != LOOM_SEQ_NONE)
		loom_buf_addf(out, " · %.*s in row %lld", LOOM_STR_ARG(lane->reason),
			      (long long)lane->anchor);
	if (lane->last == LOOM_SEQ_NONE)
		loom_buf_adds(out, " · no row yet");
	else if (lane->last != lane->anchor)
		loom_buf_addf(out, " · last row %lld", (long long)lane->last);
}

/* A message by its voice, an operation by its type and reason. */
static void say_of_payload(const struct loom_log_row *row, struct loom_arena *arena,
			   struct loom_buf *out)
{
	struct loom_str operation = loom_jval_get(row->payload, "operation");
	struct loom_str role = loom_jval_text(loom_jval_get(row->payload, "role"), arena);
	struct loom_str type = loom_jval_text(loom_jval_get(operation, "type"), arena);
	struct loom_str reason = loom_jval_text(loom_jval_get(operation, "reason"), arena);
	struct loom_str lane = loom_jval_text(loom_jval_get(row->payload, "context_ref"), arena);

	if (loom_str_is(row->kind, LOOM_KIND_OP))
		loom_buf_addf(out, "%.*s (%.*s) of lane %.*s", LOOM_STR_ARG(type),
			      LOOM_STR_ARG(reason), LOOM_STR_ARG(lane));
	else
		loom_buf_addf(out, "message of %.*s", LOOM_STR_ARG(role));
}

void loom_row_say(const struct loom_log_row *row, struct loom_buf *out)
{
	static const struct {
		const char *kind;
		const char *words;
	} all[] = {
		{LOOM_KIND_INPUT, "what was sent"},
		{LOOM_KIND_OUTPUT, "answer as it came"},
		{LOOM_KIND_ACTION, "call"},
		{LOOM_KIND_RESULT, "result of a call"},
		{LOOM_KIND_POSITION, "step to a node"},
	};
	struct loom_arena *arena = loom_arena_create();

	if (loom_str_is(row->kind, LOOM_KIND_OP) || loom_str_is(row->kind, LOOM_KIND_MESSAGE)) {
		say_of_payload(row, arena, out);
		goto done;
	}
	for (size_t i = 0; i < LOOM_COUNT(all); i++)
		if (loom_str_is(row->kind, all[i].kind)) {
			loom_buf_adds(out, all[i].words);
			goto done;
		}
	loom_buf_add(out, row->kind);
done:
	loom_arena_destroy(arena);
}
