/* From `.leslie/` to a conversation: the block, and warnings for the log. */
#include <loom/chat/tell_block.h>

#include <loom/log/lifecycle.h>
#include <loom/work/thread_log.h>

enum loom_status chat_leslie_of(struct loom_store *store, const char *who, struct loom_arena *arena,
				struct loom_leslie **out, struct loom_err *err)
{
	struct loom_file_id *files = LOOM_ARENA_ARRAY(arena, LOOM_STORE_FILES, struct loom_file_id);
	const struct loom_leslie_opts opts = {
		.start = loom_arena_cstr(arena, loom_store_dir(store)),
		.env = loom_store_env(store),
		.operator_ = who,
		.refused = files,
		.refused_count = loom_store_files(loom_store_dir(store), files),
	};

	return loom_leslie_open(&opts, out, err);
}

enum loom_status chat_warn_all(const struct loom_log *log,
			       const struct loom_leslie_warnings *warnings,
			       struct loom_arena *arena, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && i < warnings->count; i++)
		status = loom_block_warn(log, warnings->items[i], arena, err);
	return status;
}

enum loom_status chat_thread_warn(struct loom_store *store, const struct loom_log *log,
				  const struct loom_leslie_warnings *warnings,
				  struct loom_arena *arena, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!warnings->count)
		return LOOM_OK;
	status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	return loom_quiet_end(store, chat_warn_all(log, warnings, arena, err), err);
}

/* ---- the block ---- */

static enum loom_status is_due(struct loom_store *store, const struct loom_thread *thread,
			       struct loom_arena *arena, bool *due, enum loom_context_mode *mode,
			       struct loom_err *err)
{
	struct loom_thread_log *keeper = NULL;
	struct loom_derived derived;
	struct loom_log log;
	enum loom_status status = LOOM_OK;

	/* Nobody has worked in it here: it is loaded with what it has. */
	*due = !thread->id;
	*mode = LOOM_CONTEXT_LOAD;
	if (*due)
		return LOOM_OK;
	status = loom_thread_log_open(store, thread->id, NULL, &keeper, err);
	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = loom_derive(&log, LOOM_SEQ_HEAD, arena, &derived, err);
	if (status == LOOM_OK)
		status = loom_block_due(&log, derived.lane, arena, due, mode, err);
	loom_thread_log_close(keeper);
	return status;
}

enum loom_status chat_thread_block(struct loom_store *store, const struct loom_thread *thread,
				   struct loom_arena *arena, struct loom_str *out,
				   struct loom_leslie_warnings *warnings, struct loom_err *err)
{
	enum loom_context_mode mode = LOOM_CONTEXT_LOAD;
	struct loom_leslie_warnings unsaid = {.items = NULL};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_thread_context context;
	struct loom_leslie *leslie = NULL;
	struct loom_leslie_err why = {.code = NULL};
	bool due = false;
	enum loom_status status = LOOM_OK;

	*out = LOOM_STR("");
	if (thread->implicit || !thread->name.n)
		return LOOM_OK;
	status = is_due(store, thread, arena, &due, &mode, err);
	if (status != LOOM_OK || !due)
		return status;
	/* Errors in `.leslie/` are reported by its own commands and stop no conversation. */
	if (chat_leslie_of(store, "user", arena, &leslie, NULL) == LOOM_OK &&
	    loom_leslie_context(leslie, thread->name, mode, arena, &context,
				warnings ? warnings : &unsaid, &why) == LOOM_OK &&
	    loom_thread_context_emit(&context, &text, NULL) == LOOM_OK)
		*out = loom_arena_buf(arena, &text);
	loom_leslie_close(leslie);
	loom_buf_fini(&text);
	return LOOM_OK;
}
