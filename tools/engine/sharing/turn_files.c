/* Turns what operations changed beside the grove. Each row says what the operation left, by its
 * hash, and what was there before; turning exchanges the two, so that a redo turns it again. */
#include <loom/sharing/turn_files.h>

#include <loom/engine/told.h>
#include <loom/tree/op.h>

#define FILE_MAX ((size_t)64 << 20)

/* ---- what is kept ---- */

struct loom_str loom_outside_given(struct loom_leslie *leslie, struct loom_str thread,
				   struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_KEPT_MAX + 1);
	struct loom_leslie_err why = {.code = NULL};
	struct loom_str given = {NULL, 0};

	if (loom_leslie_given(leslie, thread, &text, &why) == LOOM_OK)
		given = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return given;
}

struct loom_kept loom_outside_share(struct loom_leslie *leslie, struct loom_str thread,
				    struct loom_str before, struct loom_arena *arena)
{
	struct loom_str now = loom_outside_given(leslie, thread, arena);

	return (struct loom_kept){.kind = LOOM_KEPT_SHARE,
				  .name = thread,
				  .bytes = before,
				  .is_now = now.p != NULL,
				  .now = loom_sha256(now)};
}

struct loom_kept loom_outside_file(struct loom_str path, struct loom_str before,
				   struct loom_str now)
{
	return (struct loom_kept){.kind = LOOM_KEPT_FILE,
				  .name = path,
				  .bytes = before,
				  .is_now = true,
				  .now = loom_sha256(now)};
}

struct loom_kept *loom_outside_edited(const struct loom_payload_edits *edits)
{
	struct loom_kept *kept = LOOM_ARENA_ARRAY(edits->arena, edits->count, struct loom_kept);

	for (size_t i = 0; i < edits->count; i++)
		kept[i] = loom_outside_file(edits->lists[i].file, edits->lists[i].before,
					    edits->lists[i].now);
	return kept;
}

/* A plan that cannot be read is not kept: undo would delete it. */
struct loom_kept loom_outside_plan(struct loom_leslie *leslie, struct loom_str now,
				   struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_KEPT_MAX);
	struct loom_leslie_err why = {.code = NULL};
	struct loom_str before = {NULL, 0};
	const enum loom_status status = loom_leslie_plan_read(leslie, &text, &why);

	if (status == LOOM_OK)
		before = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return status == LOOM_OK || status == LOOM_NOT_FOUND
		       ? loom_outside_file(LOOM_STR(LOOM_LESLIE_GLOBAL_PLAN), before, now)
		       : (struct loom_kept){.bytes = {NULL, 0}};
}

static struct loom_kept keep_status(struct loom_str thread, enum loom_leslie_status now,
				    enum loom_leslie_action back)
{
	return (struct loom_kept){.kind = LOOM_KEPT_STATUS,
				  .name = thread,
				  .bytes = loom_str_of(loom_leslie_action_name(back)),
				  .is_now = true,
				  .now = loom_sha256(loom_str_of(loom_leslie_status_name(now)))};
}

/* The step that leads back from another; false if there is none. */
static bool opposite(enum loom_leslie_action action, enum loom_leslie_action *out)
{
	*out = action == LOOM_LESLIE_SUSPEND ? LOOM_LESLIE_RESUME : LOOM_LESLIE_SUSPEND;
	return action == LOOM_LESLIE_SUSPEND || action == LOOM_LESLIE_RESUME;
}

struct loom_kept loom_outside_spawned(struct loom_str thread)
{
	return keep_status(thread, LOOM_LESLIE_ACTIVE, LOOM_LESLIE_CANCEL);
}

struct loom_kept loom_outside_stepped(struct loom_str thread, enum loom_leslie_action action,
				      enum loom_leslie_status now)
{
	enum loom_leslie_action back = action;

	return opposite(action, &back) ? keep_status(thread, now, back)
				       : (struct loom_kept){.bytes = {NULL, 0}};
}

/* ---- turning ---- */

struct turning {
	struct loom_store *store;
	struct loom_arena *arena;
	struct loom_leslie *leslie;
	struct loom_root root;
};

static bool is_as_left(const struct loom_kept *kept, struct loom_str present)
{
	const struct loom_hash hash = loom_sha256(present);

	return kept->is_now == (present.p != NULL) &&
	       (!present.p || !memcmp(hash.bytes, kept->now.bytes, sizeof hash.bytes));
}

static enum loom_status refuse_changed(const struct loom_kept *kept, struct loom_err *err)
{
	loom_fail(err, LOOM_CONFLICT, "%.*s was changed since, so it was left as it is",
		  LOOM_STR_ARG(kept->name));
	return loom_hint(
		err, LOOM_CONFLICT,
		"what was there before is kept; undo works again once the text stands there "
		"that the operation left");
}

/* Keeps what stands there now, for a later turn to put back. */
static void exchange(struct loom_kept *kept, struct loom_str was, struct loom_str is)
{
	kept->bytes = was;
	kept->is_now = is.p != NULL;
	kept->now = loom_sha256(is);
}

static enum loom_status turn_file(struct turning *turning, struct loom_kept *kept,
				  struct loom_err *err)
{
	const struct loom_read_opts read = {.max = FILE_MAX};
	struct loom_write_opts opts = {.any_name = true, .folders = true};
	struct loom_buf text = LOOM_BUF_INIT(FILE_MAX + 1);
	struct loom_str present = {NULL, 0};
	struct loom_str wanted = kept->bytes;
	enum loom_status status = loom_file_read(&turning->root, kept->name, &read, &text, err);

	if (status == LOOM_OK)
		present = loom_arena_buf(turning->arena, &text);
	loom_buf_fini(&text);
	if (status == LOOM_NOT_FOUND)
		status = LOOM_OK;
	if (status != LOOM_OK)
		return status;
	if (!is_as_left(kept, present))
		return refuse_changed(kept, err);
	opts.fresh = !present.p;
	opts.expected = present.p ? &kept->now : NULL;
	if (wanted.p)
		status = loom_file_write(&turning->root, kept->name, wanted, &opts, err);
	else if (present.p)
		status = loom_file_remove(&turning->root, kept->name, err);
	if (status == LOOM_OK)
		exchange(kept, present, wanted);
	return status;
}

static enum loom_status fail_as(const struct loom_leslie_err *why, struct loom_err *err)
{
	*err = why->err;
	return err->status;
}

static enum loom_status turn_share(struct turning *turning, struct loom_kept *kept,
				   struct loom_err *err)
{
	struct loom_leslie_err why = {.code = NULL};
	struct loom_str present = loom_outside_given(turning->leslie, kept->name, turning->arena);

	if (!kept->bytes.p || !is_as_left(kept, present))
		return refuse_changed(kept, err);
	if (loom_leslie_give_back(turning->leslie, kept->name, kept->bytes, &why) != LOOM_OK)
		return fail_as(&why, err);
	exchange(kept, present, loom_outside_given(turning->leslie, kept->name, turning->arena));
	return LOOM_OK;
}

/* A spawn that was undone: no step leads from a cancelled thread to an active one. */
static enum loom_status refuse_final(const struct loom_kept *kept, struct loom_err *err)
{
	loom_fail(err, LOOM_CONFLICT, "%.*s was cancelled, which is final",
		  LOOM_STR_ARG(kept->name));
	return loom_hint(err, LOOM_CONFLICT, "loom thread spawn --parent %.*s continues from it",
			 LOOM_STR_ARG(kept->name));
}

static enum loom_status turn_status(struct turning *turning, struct loom_kept *kept,
				    struct loom_err *err)
{
	struct loom_leslie_err why = {.code = NULL};
	struct loom_leslie_thread thread;
	enum loom_leslie_status now = LOOM_LESLIE_ACTIVE;
	enum loom_leslie_action action = LOOM_LESLIE_SUSPEND;
	struct loom_kept turned;

	if (loom_leslie_thread(turning->leslie, kept->name, turning->arena, &thread, &why) !=
	    LOOM_OK)
		return fail_as(&why, err);
	if (!kept->bytes.p)
		return refuse_final(kept, err);
	if (!loom_leslie_action_parse(kept->bytes, &action) ||
	    !is_as_left(kept, thread.status_text))
		return refuse_changed(kept, err);
	if (loom_leslie_lifecycle(turning->leslie, kept->name, action, LOOM_STR("undo"), &now,
				  &why) != LOOM_OK)
		return fail_as(&why, err);
	turned = loom_outside_stepped(kept->name, action, now);
	kept->bytes = turned.bytes;
	kept->is_now = turned.is_now;
	kept->now = turned.now;
	return LOOM_OK;
}

static enum loom_status turn_one(struct turning *turning, struct loom_kept *kept,
				 struct loom_err *err)
{
	switch (kept->kind) {
	case LOOM_KEPT_FILE:
		return turn_file(turning, kept, err);
	case LOOM_KEPT_SHARE:
		return turn_share(turning, kept, err);
	case LOOM_KEPT_STATUS:
		return turn_status(turning, kept, err);
	}
	return loom_fail(err, LOOM_DAMAGED, "an unknown change of a file");
}

/* All of them, last first, or none. */
static enum loom_status turn_all(struct turning *turning, struct loom_kept *kept, size_t count,
				 struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	struct loom_err ignored;
	size_t done = count;

	while (status == LOOM_OK && done > 0) {
		status = turn_one(turning, &kept[done - 1], err);
		done -= status == LOOM_OK;
	}
	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		status = loom_kept_set(turning->store, &kept[i], err);
	for (size_t i = done; status != LOOM_OK && i < count; i++)
		(void)!turn_one(turning, &kept[i], &ignored);
	return status;
}

static bool keeps(void *ctx, struct loom_store *store, int64_t op)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_kept *kept = NULL;
	struct loom_err err;
	size_t count = 0;
	const bool any =
		loom_kept_list(store, op, arena, &kept, &count, &err) == LOOM_OK && count > 0;

	(void)ctx;
	loom_arena_destroy(arena);
	return any;
}

static enum loom_status turn(void *ctx, struct loom_store *store, int64_t op, struct loom_err *err)
{
	struct turning turning = {.store = store,
				  .arena = loom_arena_create(),
				  .root = LOOM_ROOT_INIT};
	struct loom_kept *kept = NULL;
	size_t count = 0;
	enum loom_status status = loom_kept_list(store, op, turning.arena, &kept, &count, err);

	(void)ctx;
	if (status == LOOM_OK && count)
		status = loom_told_leslie(store, "user", turning.arena, &turning.leslie, err);
	if (status == LOOM_OK && count)
		status = loom_root_open(loom_leslie_root(turning.leslie), &turning.root, err);
	if (status == LOOM_OK && count)
		status = turn_all(&turning, kept, count, err);
	loom_root_close(&turning.root);
	loom_leslie_close(turning.leslie);
	loom_arena_destroy(turning.arena);
	return status;
}

static const struct loom_turner turner = {.keeps = keeps, .turn = turn};

enum loom_status loom_outside_undo(struct loom_store *store, int64_t actor, int64_t op,
				   int64_t *out_op, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	loom_op_turner(store, &turner);
	status = loom_op_undo(store, actor, op, out_op, err);
	loom_op_turner(store, NULL);
	return status;
}

enum loom_status loom_outside_redo(struct loom_store *store, int64_t actor, int64_t *out_op,
				   struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	loom_op_turner(store, &turner);
	status = loom_op_redo(store, actor, out_op, err);
	loom_op_turner(store, NULL);
	return status;
}
