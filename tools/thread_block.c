/* The <thread_context> of a spawned thread, for the turn that has to begin with it: the first, and
 * the first after what the thread knew of its assets may have gone (a compaction) or changed (it is
 * taken up again). */
#include "thread_block_impl.h"

#include <loom/run.h>

/* Rows that are looked through for what a person said last. */
#define LOOK_BACK 10000

static bool take_user(void *ctx, const struct loom_log_row *row)
{
	int64_t *seq = ctx;

	if (!loom_jval_says(loom_jval_get(row->payload, "role"), LOOM_STR("user")))
		return true;
	*seq = row->seq;
	return false;
}

/* The last rows of the active lane: what a person said, and what took the place of earlier rows. */
static enum loom_status last_rows(const struct loom_log *log, struct loom_arena *arena,
				  int64_t *out_user, int64_t *out_anchor, struct loom_err *err)
{
	struct loom_log_range range = {.after = LOOM_SEQ_NONE,
				       .through = LOOM_SEQ_HEAD,
				       .kind = LOOM_STR(LOOM_KIND_MESSAGE),
				       .newest_first = true};
	const struct loom_log_visitor visitor = {take_user, out_user};
	struct loom_derived derived;
	int64_t head = 0;
	enum loom_status status = loom_derive(log, LOOM_SEQ_HEAD, arena, &derived, err);

	*out_user = *out_anchor = LOOM_SEQ_NONE;
	if (status == LOOM_OK)
		status = log->ops->head(log->ctx, &head, err);
	if (head > LOOK_BACK)
		range.after = head - LOOK_BACK;
	range.lane = derived.lane;
	if (status == LOOM_OK)
		status = log->ops->read(log->ctx, &range, &visitor, err);
	if (status == LOOM_OK && log->ops->anchor)
		status = log->ops->anchor(log->ctx, derived.lane, LOOM_SEQ_HEAD, out_anchor, err);
	return status;
}

/* Whether the next turn begins with a block, and of which kind. */
static enum loom_status find_mode(const struct loom_log *log, bool loaded, struct loom_arena *arena,
				  bool *out_wanted, enum loom_context_mode *out_mode,
				  struct loom_err *err)
{
	int64_t user = LOOM_SEQ_NONE;
	int64_t anchor = LOOM_SEQ_NONE;
	enum loom_status status = log ? last_rows(log, arena, &user, &anchor, err) : LOOM_OK;

	*out_wanted = loaded || anchor > user || user == LOOM_SEQ_NONE;
	*out_mode = LOOM_CONTEXT_LOAD;
	if (anchor > user)
		*out_mode = LOOM_CONTEXT_REINJECT;
	else if (user == LOOM_SEQ_NONE && !loaded)
		*out_mode = LOOM_CONTEXT_SPAWN;
	return status;
}

static void warn(struct loom_arena *arena, struct loom_leslie_warnings *warnings,
		 const struct loom_err *why)
{
	warnings->items = loom_arena_grow(arena, warnings->items, warnings->count, &warnings->cap,
					  sizeof *warnings->items);
	warnings->items[warnings->count++] = loom_arena_str(arena, loom_str_of(why->text));
}

static void write_block(struct loom_leslie *leslie, struct loom_str thread,
			enum loom_context_mode mode, struct loom_arena *arena,
			struct tool_block *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_thread_context context;
	struct loom_leslie_err why = {.code = NULL};
	enum loom_status status =
		loom_leslie_context(leslie, thread, mode, arena, &context, &out->warnings, &why);

	if (status == LOOM_OK)
		status = loom_thread_context_emit(&context, &text, &why.err);
	if (status == LOOM_OK)
		out->text = loom_arena_buf(arena, &text);
	/* A thread of this name that no folder knows is no spawned one. */
	else if (status != LOOM_NOT_FOUND)
		warn(arena, &out->warnings, &why.err);
	loom_buf_fini(&text);
}

enum loom_status tool_thread_block(struct loom_store *store, const struct loom_thread *thread,
				   const struct loom_log *log, bool loaded,
				   struct loom_arena *arena, struct tool_block *out,
				   struct loom_err *err)
{
	struct loom_leslie_opts opts = {.env = loom_store_env(store), .operator_ = "agent"};
	struct loom_leslie *leslie = NULL;
	struct loom_err why = {.status = LOOM_OK};
	enum loom_context_mode mode = LOOM_CONTEXT_LOAD;
	bool wanted = false;
	enum loom_status status = LOOM_OK;

	*out = (struct tool_block){.text = LOOM_STR("")};
	if (thread->implicit || !loom_leslie_id_ok(thread->name))
		return LOOM_OK;
	status = find_mode(log, loaded, arena, &wanted, &mode, err);
	if (status != LOOM_OK || !wanted)
		return status;
	opts.start = loom_arena_cstr(arena, loom_store_dir(store));
	if (loom_leslie_open(&opts, &leslie, &why) == LOOM_OK)
		write_block(leslie, thread->name, mode, arena, out);
	else
		warn(arena, &out->warnings, &why);
	loom_leslie_close(leslie);
	return LOOM_OK;
}
