/* Finds the block in a spawned thread's messages, and keeps in its log what it was told of its
 * files. Invariant: a block is one because its row says so, whatever its text looks like. */
#include <loom/log/block.h>

#include "inside.h"

#include <loom/base/json.h>
#include <loom/text/quoting.h>

#define LOADED "loaded"

/* ---- back to the last message ---- */

enum met { MET_NOTHING, MET_USER, MET_TEXT };

struct search {
	struct loom_arena *arena;
	struct loom_str kind; /* of the row to find */
	struct loom_str text; /* its text */
	enum met met;
};

static bool says(const struct search *search, const struct loom_log_row *row)
{
	struct loom_str said =
		loom_jval_text(loom_jval_get(loom_jval_of(row->payload), "text"), search->arena);

	return loom_str_eq(said, search->text);
}

static bool is_user(const struct loom_log_row *row)
{
	return loom_str_is(row->kind, LOOM_KIND_MESSAGE) &&
	       loom_jval_says(loom_jval_get(loom_jval_of(row->payload), "role"), LOOM_STR("user"));
}

static bool look_for_text(void *ctx, const struct loom_log_row *row)
{
	struct search *search = ctx;

	LOOM_ASSERT(search->met == MET_NOTHING);
	if (is_user(row))
		search->met = MET_USER;
	else if (loom_str_eq(row->kind, search->kind) && says(search, row))
		search->met = MET_TEXT;
	return search->met == MET_NOTHING;
}

static enum loom_status look_back(const struct loom_log *log, struct search *search,
				  struct loom_err *err)
{
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE,
					     .through = LOOM_SEQ_HEAD,
					     .newest_first = true};
	const struct loom_log_visitor visitor = {look_for_text, search};

	LOOM_ASSERT(log->ops && log->ops->read);
	return log->ops->read(log->ctx, &range, &visitor, err);
}

enum loom_status loom_block_loaded(const struct loom_log *log, struct loom_arena *arena, bool *out,
				   struct loom_err *err)
{
	struct search search = {.arena = arena,
				.kind = LOOM_STR(LOOM_KIND_NOTE),
				.text = LOOM_STR(LOADED)};
	enum loom_status status = look_back(log, &search, err);

	LOOM_ASSERT(out);
	*out = search.met == MET_TEXT;
	return status;
}

/* ---- the block in a message ---- */

size_t loom_block_length(const struct loom_entry *entry, struct loom_str text)
{
	static const struct loom_str begins = LOOM_STR_INIT(LOOM_SAYS_BLOCK);
	static const struct loom_str ends = LOOM_STR_INIT(LOOM_ENDS_BLOCK);
	size_t end = 0;

	if (entry->role != LOOM_ROLE_USER || !loom_str_starts(text, begins) ||
	    !loom_str_is(loom_jval_get(entry->refs, LOOM_REF_BLOCK), "true"))
		return 0;
	end = loom_str_find(text, ends, 0);
	return end == SIZE_MAX ? 0 : end + ends.n;
}

struct loom_str loom_block_newest(const struct loom_context *context, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str block = LOOM_STR("");

	for (size_t i = context->count; i > 0 && !block.n; i--) {
		const struct loom_entry *entry = &context->entries[i - 1];

		if (entry->node.n)
			continue;
		loom_buf_clear(&text);
		loom_entry_text(entry, &text);
		block = loom_str_sub(loom_buf_str(&text), 0,
				     loom_block_length(entry, loom_buf_str(&text)));
		block = block.n ? loom_arena_str(arena, block) : block;
	}
	loom_buf_fini(&text);
	return block;
}

/* ---- what the agent knows ---- */

struct known {
	struct loom_arena *arena;
	struct loom_str payload;
};

static bool take_known(void *ctx, const struct loom_log_row *row)
{
	struct known *known = ctx;
	struct loom_str said;

	if (!loom_str_is(row->kind, LOOM_KIND_KNOWN))
		return true;
	said = loom_jval_get(loom_jval_of(row->payload), "known");
	/* At first the row was nothing but what is known. */
	known->payload = loom_arena_str(known->arena, said.p ? said : row->payload);
	return false;
}

enum loom_status loom_block_known(const struct loom_log *log, struct loom_arena *arena,
				  struct loom_str *out, struct loom_err *err)
{
	struct known known = {.arena = arena};
	const struct loom_log_visitor visitor = {take_known, &known};
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE,
					     .through = LOOM_SEQ_HEAD,
					     .kind = LOOM_STR(LOOM_KIND_KNOWN),
					     .newest_first = true};
	enum loom_status status = log->ops->read(log->ctx, &range, &visitor, err);

	*out = known.payload;
	return status;
}

static enum loom_status append(const struct loom_log *log, const char *kind,
			       struct loom_str payload, struct loom_err *err)
{
	const struct loom_log_row row = {.at_ms = LOOM_TIME_NONE,
					 .kind = loom_str_of(kind),
					 .payload = payload};
	int64_t seq = 0;

	return loom_log_append(log, &row, &seq, err);
}

/* Begins a row with the ids of the run it belongs to, if there is one. */
static void begin_row(struct loom_json *json, struct loom_buf *payload,
		      const struct model_told_run *run)
{
	loom_buf_clear(payload);
	loom_json_init(json, payload);
	loom_json_object(json);
	if (!run->request.n)
		return;
	loom_json_put(json, "request_id", run->request);
	loom_json_put(json, "run_id", run->id.n ? run->id : run->request);
}

enum loom_status model_block_tell(const struct loom_log *log, const struct model_told_run *run,
				  struct loom_str known, struct loom_str changes,
				  struct loom_err *err)
{
	struct loom_buf payload = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	enum loom_status status = LOOM_OK;

	if (known.n) {
		begin_row(&json, &payload, run);
		loom_json_key(&json, "known");
		loom_json_raw(&json, known);
		loom_json_end_object(&json);
		status = append(log, LOOM_KIND_KNOWN, loom_buf_str(&payload), err);
	}
	if (status == LOOM_OK && changes.n) {
		begin_row(&json, &payload, run);
		loom_json_put(&json, "text", changes);
		loom_json_put_bool(&json, "told", true);
		loom_json_end_object(&json);
		status = append(log, LOOM_KIND_NOTE, loom_buf_str(&payload), err);
	}
	loom_buf_fini(&payload);
	return status;
}

enum loom_status loom_block_tell(const struct loom_log *log, struct loom_str request,
				 struct loom_str known, struct loom_str changes,
				 struct loom_err *err)
{
	const struct model_told_run run = {.request = request};

	return model_block_tell(log, &run, known, changes, err);
}

/* ---- appending notes ---- */

static enum loom_status say_once(const struct loom_log *log, const char *kind,
				 struct loom_str request, struct loom_str text,
				 struct loom_arena *arena, struct loom_err *err)
{
	const struct model_told_run run = {.request = request};
	struct search search = {.arena = arena, .kind = loom_str_of(kind), .text = text};
	struct loom_buf payload = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	enum loom_status status = look_back(log, &search, err);

	LOOM_ASSERT(kind[0] && text.n > 0);
	if (status != LOOM_OK || search.met == MET_TEXT)
		return status;
	begin_row(&json, &payload, &run);
	loom_json_put(&json, "text", text);
	loom_json_end_object(&json);
	status = append(log, kind, loom_buf_str(&payload), err);
	loom_buf_fini(&payload);
	return status;
}

enum loom_status loom_block_note_load(const struct loom_log *log, struct loom_arena *arena,
				      struct loom_err *err)
{
	return say_once(log, LOOM_KIND_NOTE, LOOM_STR(""), LOOM_STR(LOADED), arena, err);
}

enum loom_status loom_block_warn(const struct loom_log *log, struct loom_str text,
				 struct loom_arena *arena, struct loom_err *err)
{
	return loom_block_warn_run(log, LOOM_STR(""), text, arena, err);
}

enum loom_status loom_block_warn_run(const struct loom_log *log, struct loom_str request,
				     struct loom_str text, struct loom_arena *arena,
				     struct loom_err *err)
{
	return say_once(log, LOOM_KIND_WARNING, request, text, arena, err);
}
