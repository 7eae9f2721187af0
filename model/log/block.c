/* Tells from a spawned thread's log when its block is due, and appends notes to it.
 *
 * Reads from the end of the log: the block came with the last user message, so nothing before that
 * message counts. */
#include <loom/log/block.h>

#include <loom/base/json.h>

#define LOADED "loaded"

/* ---- reading back to the last message ---- */

enum met { MET_NOTHING, MET_USER, MET_LOAD, MET_COMPACTION, MET_TEXT };

struct search {
	struct loom_arena *arena;
	struct loom_str lane; /* p NULL: any */
	struct loom_str kind; /* kind of the row to find; empty: of the block */
	struct loom_str text; /* its text */
	bool spoken;          /* a lane has a user message */
	enum met met;
};

static bool says(const struct search *search, const struct loom_log_row *row, const char *text)
{
	struct loom_str said =
		loom_jval_text(loom_jval_get(loom_jval_of(row->payload), "text"), search->arena);

	return loom_str_eq(said, text ? loom_str_of(text) : search->text);
}

static bool is_user(const struct loom_log_row *row)
{
	return loom_str_is(row->kind, LOOM_KIND_MESSAGE) &&
	       loom_jval_says(loom_jval_get(loom_jval_of(row->payload), "role"), LOOM_STR("user"));
}

static bool is_compaction(const struct loom_log_row *row)
{
	struct loom_str operation = loom_jval_get(loom_jval_of(row->payload), "operation");

	return loom_jval_says(loom_jval_get(operation, "type"), LOOM_STR("replace")) &&
	       loom_jval_says(loom_jval_get(operation, "reason"), LOOM_STR("compaction"));
}

static bool is_in_lane(const struct search *search, const struct loom_log_row *row)
{
	struct loom_log_columns columns;

	loom_log_columns(row, search->arena, &columns);
	return !search->lane.p || loom_str_eq(columns.lane, search->lane);
}

static bool look_for_block(void *ctx, const struct loom_log_row *row)
{
	struct search *search = ctx;

	LOOM_ASSERT(search->met == MET_NOTHING);
	if (loom_str_is(row->kind, LOOM_KIND_NOTE) && says(search, row, LOADED))
		search->met = MET_LOAD;
	else if (loom_str_is(row->kind, LOOM_KIND_OP) && is_compaction(row) &&
		 is_in_lane(search, row))
		search->met = MET_COMPACTION;
	else if (is_user(row)) {
		search->spoken = true;
		search->met = is_in_lane(search, row) ? MET_USER : MET_NOTHING;
	}
	return search->met == MET_NOTHING;
}

static bool look_for_text(void *ctx, const struct loom_log_row *row)
{
	struct search *search = ctx;

	LOOM_ASSERT(search->met == MET_NOTHING);
	if (is_user(row))
		search->met = MET_USER;
	else if (loom_str_eq(row->kind, search->kind) && says(search, row, NULL))
		search->met = MET_TEXT;
	return search->met == MET_NOTHING;
}

static enum loom_status look_back(const struct loom_log *log,
				  bool (*visit)(void *, const struct loom_log_row *),
				  struct search *search, struct loom_err *err)
{
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE,
					     .through = LOOM_SEQ_HEAD,
					     .newest_first = true};
	const struct loom_log_visitor visitor = {visit, search};

	LOOM_ASSERT(log->ops && log->ops->read);
	return log->ops->read(log->ctx, &range, &visitor, err);
}

enum loom_status loom_block_due(const struct loom_log *log, struct loom_str lane,
				struct loom_arena *arena, bool *out_due,
				enum loom_context_mode *out_mode, struct loom_err *err)
{
	struct search search = {.arena = arena, .lane = lane};
	enum loom_status status = look_back(log, look_for_block, &search, err);

	LOOM_ASSERT(out_due && out_mode);
	*out_due = search.met != MET_USER;
	*out_mode = search.met == MET_COMPACTION                  ? LOOM_CONTEXT_REINJECT
		    : search.met == MET_NOTHING && !search.spoken ? LOOM_CONTEXT_SPAWN
								  : LOOM_CONTEXT_LOAD;
	return status;
}

/* ---- appending notes ---- */

static enum loom_status say_once(const struct loom_log *log, const char *kind, struct loom_str text,
				 struct loom_arena *arena, struct loom_err *err)
{
	struct search search = {.arena = arena, .kind = loom_str_of(kind), .text = text};
	struct loom_log_row row = {.at_ms = LOOM_TIME_NONE, .kind = loom_str_of(kind)};
	struct loom_buf payload = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	int64_t seq = 0;
	enum loom_status status = look_back(log, look_for_text, &search, err);

	LOOM_ASSERT(kind[0] && text.n > 0);
	if (status != LOOM_OK || search.met == MET_TEXT)
		return status;
	loom_json_init(&json, &payload);
	loom_json_object(&json);
	loom_json_put(&json, "text", text);
	loom_json_end_object(&json);
	row.payload = loom_buf_str(&payload);
	status = loom_log_append(log, &row, &seq, err);
	loom_buf_fini(&payload);
	return status;
}

enum loom_status loom_block_note_load(const struct loom_log *log, struct loom_arena *arena,
				      struct loom_err *err)
{
	return say_once(log, LOOM_KIND_NOTE, LOOM_STR(LOADED), arena, err);
}

enum loom_status loom_block_warn(const struct loom_log *log, struct loom_str text,
				 struct loom_arena *arena, struct loom_err *err)
{
	return say_once(log, LOOM_KIND_WARNING, text, arena, err);
}
