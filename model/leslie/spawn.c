/* Creates a thread with everything it is told to reference, or nothing.
 *
 * What it inherits is first copied into a folder with a dot name (never a thread's), without any
 * lock; under the lock the folder gets its name and the records are written. If the thread's folder
 * exists already, made by hand or left by a killed process, the thread moves into it. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/base/json.h>

#include <loom/files/half_made.h>
#include "share.h"
#include <loom/files/beneath.h>
#include <loom/base/system.h>

static const struct loom_str nothing = {NULL, 0};

struct spawn {
	const struct loom_leslie_spawn *opts;
	struct loom_arena *arena; /* the caller's */
	struct loom_leslie_warnings *warnings;
	struct loom_str id;
	struct loom_str *ref_ids;
	struct model_leslie_share share;
	struct loom_root threads; /* .leslie/threads */
	int held;                 /* the prepared folder, held so that it is not swept; -1: none */
	char staged[32];          /* name of the prepared folder; empty: none */
	bool placed;              /* we gave the folder the thread's name */
};

static enum loom_status check_refs(struct loom_leslie *leslie, const struct spawn *job,
				   struct loom_leslie_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && i < job->opts->ref_count; i++) {
		const struct loom_leslie_target *target = &job->opts->refs[i];

		status = model_leslie_target_check(leslie, target, err);
		if (status == LOOM_OK && job->id.p)
			status = model_leslie_circle_check(leslie, job->id, target->thread, true,
							   err);
	}
	return status;
}

static enum loom_status check(struct loom_leslie *leslie, const struct spawn *job,
			      struct loom_leslie_err *err)
{
	const struct loom_leslie_spawn *opts = job->opts;
	enum loom_status status = model_leslie_need_objective(leslie, opts->objective, err);

	if (status == LOOM_OK && opts->parent.p)
		status = model_leslie_need_thread(leslie, opts->parent, err);
	if (status == LOOM_OK && opts->id.p)
		status = model_leslie_check_new_id(leslie, opts->id,
						   model_leslie_record(leslie, opts->id).p != NULL,
						   err);
	if (status == LOOM_OK)
		status = check_refs(leslie, job, err);
	return status;
}

static enum loom_status open_threads(struct loom_leslie *leslie, struct spawn *job,
				     struct loom_leslie_err *err)
{
	struct loom_err why = {0};

	if (model_leslie_make_home(leslie, &why) == LOOM_OK) {
		job->threads = leslie->home;
		job->threads.fd = model_open_beneath(leslie->home.fd, "threads",
						     O_PATH | O_DIRECTORY, 0, MODEL_NO_LINKS);
		if (job->threads.fd < 0)
			model_path_fail(&why, errno, "threads");
	}
	if (why.status != LOOM_OK && err)
		*err = (struct loom_leslie_err){.err = why};
	return why.status;
}

static bool folder_stands(const struct spawn *job, struct loom_str id)
{
	struct loom_file_info info;

	return loom_path_info(&job->threads, id, false, &info, NULL) == LOOM_OK;
}

/* Creates artifacts/, context/inherited/ and context/live/. */
static enum loom_status make_folders(const struct loom_root *folder, struct loom_err *err)
{
	static const char *const names[] = {"artifacts", MODEL_LESLIE_INHERITED, MODEL_LESLIE_LIVE};
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && i < LOOM_COUNT(names); i++)
		status = loom_folder_make(folder, loom_str_of(names[i]), err);
	return status;
}

static enum loom_status make_new_folders(const struct loom_root *folder, struct loom_err *err)
{
	static const char *const names[] = {"artifacts", "context", MODEL_LESLIE_INHERITED,
					    MODEL_LESLIE_LIVE};

	for (size_t i = 0; i < LOOM_COUNT(names); i++)
		if (model_root_folder(folder, names[i]) < 0)
			return model_path_fail(err, errno, names[i]);
	return LOOM_OK;
}

/* Binds every target and puts copies and pointers into the thread's folder. On success *stage holds
 * the tree that is not in place (empty, or the old one). */
static enum loom_status furnish(struct loom_leslie *leslie, struct spawn *job,
				const struct loom_root *folder, struct model_leslie_stage *stage,
				struct loom_leslie_err *err)
{
	struct loom_root inherited = LOOM_ROOT_INIT;
	struct loom_err why = {0};
	enum loom_status status =
		model_leslie_share_read(leslie, folder, job->arena, &job->share, err);
	struct model_leslie_bind bind = {.leslie = leslie,
					 .share = &job->share,
					 .inherited = &inherited,
					 .binding = job->opts->binding,
					 .warnings = job->warnings};

	LOOM_ASSERT(stage && job->ref_ids);
	inherited.fd = model_open_beneath(folder->fd, MODEL_LESLIE_INHERITED, O_PATH | O_DIRECTORY,
					  0, MODEL_NO_LINKS);
	bind.now = model_leslie_now(leslie, job->arena);
	for (size_t i = 0; status == LOOM_OK && i < job->opts->ref_count; i++) {
		bind.ref_id = job->ref_ids[i];
		status = model_leslie_bind_target(&bind, &job->opts->refs[i], err);
	}
	loom_root_close(&inherited);
	if (status == LOOM_OK && job->share.source_count)
		status = model_leslie_stage_make(stage, leslie, folder, &job->share, nothing, err);
	if (status == LOOM_OK && stage->name[0]) {
		status = model_leslie_stage_swap(stage, &why);
		if (status != LOOM_OK)
			*err = (struct loom_leslie_err){.err = why};
	}
	if (status == LOOM_OK && job->share.pointer_count)
		status = model_leslie_write_pointers(folder, &job->share, err);
	return status;
}

static enum loom_status open_staged(struct spawn *job, struct loom_root *folder,
				    struct loom_err *err)
{
	char name[sizeof job->staged];

	LOOM_ASSERT(job->threads.fd >= 0 && job->held < 0 && !job->staged[0]);
	model_part_sweep(job->threads.fd, MODEL_OLD_THREADS);
	if (!model_part_name(".new-", name, sizeof name))
		return model_path_fail(err, errno, ".leslie/threads");
	job->held = model_part_folder(job->threads.fd, name, MODEL_FOLDER_MODE);
	if (job->held < 0)
		return model_path_fail(err, errno, ".leslie/threads");
	model_root_fit(&job->threads, job->held);
	snprintf(job->staged, sizeof job->staged, "%s", name);
	*folder = job->threads;
	folder->fd = model_open_beneath(job->threads.fd, job->staged, O_PATH | O_DIRECTORY, 0,
					MODEL_NO_LINKS);
	if (folder->fd < 0)
		return model_path_fail(err, errno, job->staged);
	return make_new_folders(folder, err);
}

/* Nobody can see these before the folder has its name, and they can be made again, so sync them
 * together with that name. */
static void sync_below(const struct loom_root *root, const char *path)
{
	int fd = model_open_beneath(root->fd, path, O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* Prepares the thread's folder under a name that is not a thread's. */
static enum loom_status stage_folder(struct loom_leslie *leslie, struct spawn *job,
				     struct loom_leslie_err *err)
{
	struct model_leslie_stage stage = {.context = LOOM_ROOT_INIT, .folder = LOOM_ROOT_INIT};
	struct loom_root folder = LOOM_ROOT_INIT;
	struct loom_err why = {0};
	enum loom_status status = open_staged(job, &folder, &why);

	if (status != LOOM_OK)
		*err = (struct loom_leslie_err){.err = why};
	if (status == LOOM_OK)
		status = furnish(leslie, job, &folder, &stage, err);
	if (status == LOOM_OK)
		sync_below(&folder, "");
	model_leslie_stage_fini(&stage);
	loom_root_close(&folder);
	return status;
}

static void draw_id(struct loom_leslie *leslie, struct spawn *job)
{
	LOOM_ASSERT(job->threads.fd >= 0);
	while (!job->id.p || model_leslie_record(leslie, job->id).p ||
	       model_leslie_relation(leslie, job->id).p || folder_stands(job, job->id))
		job->id = model_leslie_draw_id(leslie, job->arena, "thread");
}

/* Gives the folder its name. */
static enum loom_status place_folder(struct spawn *job, struct loom_leslie_err *err)
{
	char name[80];
	struct loom_err why = {0};

	LOOM_ASSERT(job->staged[0] && job->id.n > 0);
	snprintf(name, sizeof(name), "%.*s", LOOM_STR_ARG(job->id));
	if (model_rename_new(job->threads.fd, job->staged, name) < 0) {
		model_path_fail(&why, errno, name);
		*err = (struct loom_leslie_err){.err = why};
		return why.status;
	}
	snprintf(job->staged, sizeof(job->staged), "%s", "");
	job->placed = true;
	sync_below(&job->threads, "");
	return LOOM_OK;
}

static void put_text(struct loom_json *json, const char *key, struct loom_str text)
{
	loom_json_key(json, key);
	if (text.p)
		loom_json_text(json, text);
	else
		loom_json_null(json);
}

static struct loom_str title_of(const struct spawn *job)
{
	return job->opts->intent.n ? job->opts->intent : job->id;
}

static void edit_record(struct loom_leslie *leslie, const struct spawn *job,
			struct model_leslie_edits *edits, struct loom_str now)
{
	const struct loom_leslie_spawn *opts = job->opts;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "id", job->id);
	loom_json_put(&json, "title", title_of(job));
	loom_json_put(&json, "objective", opts->objective);
	loom_json_put(&json, "created_at", now);
	loom_json_put(&json, "status", LOOM_STR("active"));
	loom_json_key(&json, "tags");
	loom_json_array(&json);
	loom_json_end_array(&json);
	put_text(&json, "parent_id", opts->parent);
	loom_json_put(&json, "storage_path",
		      loom_arena_format(leslie->arena, ".leslie/threads/%.*s",
					LOOM_STR_ARG(job->id)));
	loom_json_put(&json, "executor", opts->executor.p ? opts->executor : LOOM_STR("agent"));
	loom_json_put(&json, "updated_at", now);
	loom_json_end_object(&json);
	leslie->changed = (struct model_leslie_item){.key = job->id,
						     .value = loom_arena_buf(leslie->arena, &text)};
	model_leslie_edit_append(edits, "threads", job->id, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static void edit_spawn_operation(struct loom_leslie *leslie, const struct spawn *job,
				 struct model_leslie_edits *edits)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "thread_id", job->id);
	put_text(&json, "parent_id", job->opts->parent);
	loom_json_put(&json, "intent", title_of(job));
	loom_json_put(&json, "objective", job->opts->objective);
	loom_json_put(&json, "inherit", LOOM_STR("none"));
	loom_json_key(&json, "inherit_scope");
	loom_json_array(&json);
	loom_json_end_array(&json);
	loom_json_end_object(&json);
	model_leslie_edit_operation(leslie, edits, "spawn", loom_buf_str(&text));
	loom_buf_fini(&text);
}

/* Threads that referenced this id before it existed now have it. */
static void tie_dangling(struct loom_leslie *leslie, const struct spawn *job,
			 struct model_leslie_ties *ties)
{
	const struct model_leslie_branch *branch =
		model_leslie_doc_branch(&leslie->relations.doc, "relations");

	for (size_t i = 0; job->opts->id.p && branch && i < branch->count; i++) {
		const struct model_leslie_item *item = &branch->items[i];
		size_t count = 0;
		struct loom_str *targets =
			model_leslie_texts(leslie->arena,
					   model_leslie_member(item->value, "references_to"),
					   &count);

		for (size_t k = 0; k < count; k++) {
			if (loom_str_eq(targets[k], job->id))
				model_leslie_tie(ties, job->id, MODEL_LESLIE_REFERENCED_BY,
						 item->key);
		}
	}
}

static void tie_refs(struct loom_leslie *leslie, const struct spawn *job,
		     struct model_leslie_ties *ties)
{
	for (size_t i = 0; i < job->opts->ref_count; i++) {
		const struct loom_leslie_target *target = &job->opts->refs[i];
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |= loom_str_eq(job->opts->refs[k].thread, target->thread);
		if (!again) {
			model_leslie_tie(ties, job->id, MODEL_LESLIE_REFERENCES_TO, target->thread);
			if (model_leslie_record(leslie, target->thread).p)
				model_leslie_tie(ties, target->thread, MODEL_LESLIE_REFERENCED_BY,
						 job->id);
		}
		model_leslie_edit_reference(
			leslie, ties->edits,
			&(struct model_leslie_reference){.ref_id = job->ref_ids[i],
							 .from = job->id,
							 .target = target,
							 .binding = job->opts->binding});
	}
}

static enum loom_status record_objective(struct loom_leslie *leslie, const struct spawn *job,
					 struct loom_str now, struct loom_leslie_err *err)
{
	struct loom_str record = model_leslie_objective_record(leslie, job->opts->objective);
	struct model_leslie_edits edits;

	model_leslie_edits_init(&edits, &leslie->objectives.doc);
	model_leslie_edit_add_text(&edits, record, "thread_ids", job->id);
	model_leslie_edit_set(&edits, record, "status", LOOM_STR("\"active\""));
	model_leslie_edit_set(&edits, record, "updated_at",
			      loom_arena_format(leslie->arena, "\"%.*s\"", LOOM_STR_ARG(now)));
	model_leslie_edit_metadata(
		&edits, now, "objective_count",
		model_leslie_doc_branch(&leslie->objectives.doc, "objectives")->count);
	return model_leslie_file_commit(leslie, &leslie->objectives, &edits, err);
}

static enum loom_status record(struct loom_leslie *leslie, const struct spawn *job,
			       struct loom_leslie_err *err)
{
	struct loom_str now = model_leslie_now(leslie, leslie->arena);
	struct model_leslie_edits edits;
	struct model_leslie_ties ties = {.leslie = leslie, .edits = &edits};
	enum loom_status status = record_objective(leslie, job, now, err);

	LOOM_ASSERT(job->id.n > 0);
	if (status != LOOM_OK)
		return status;
	model_leslie_edits_init(&edits, &leslie->relations.doc);
	edit_record(leslie, job, &edits, now);
	edit_spawn_operation(leslie, job, &edits);
	model_leslie_tie_none(&ties, job->id);
	if (job->opts->parent.p) {
		model_leslie_tie(&ties, job->opts->parent, MODEL_LESLIE_CHILDREN, job->id);
		model_leslie_tie(&ties, job->id, MODEL_LESLIE_DEPENDS_ON, job->opts->parent);
	}
	tie_refs(leslie, job, &ties);
	tie_dangling(leslie, job, &ties);
	model_leslie_ties_end(&ties);
	model_leslie_edit_metadata(&edits, now, "thread_count",
				   model_leslie_thread_count(leslie) + 1);
	return model_leslie_file_commit(leslie, &leslie->relations, &edits, err);
}

/* Moves into an existing folder. Refuses before anything is created. */
static enum loom_status move_in(struct loom_leslie *leslie, struct spawn *job,
				struct model_leslie_stage *stage, struct loom_leslie_err *err)
{
	struct loom_root folder = LOOM_ROOT_INIT;
	struct loom_err why = {0};
	enum loom_status status = model_leslie_open_thread(leslie, job->id, &folder, &why);

	LOOM_ASSERT(!job->placed);
	if (status == LOOM_OK && job->opts->ref_count)
		status = furnish(leslie, job, &folder, stage, err);
	if (status == LOOM_OK)
		status = make_folders(&folder, &why);
	if (why.status != LOOM_OK)
		*err = (struct loom_leslie_err){.err = why};
	loom_root_close(&folder);
	return status;
}

static enum loom_status spawn(struct loom_leslie *leslie, void *ctx, struct loom_leslie_err *err)
{
	struct spawn *job = ctx;
	struct model_leslie_stage stage = {.context = LOOM_ROOT_INIT, .folder = LOOM_ROOT_INIT};
	enum loom_status status = check(leslie, job, err);

	if (status != LOOM_OK)
		return status;
	if (!job->opts->id.p && !job->placed)
		draw_id(leslie, job);
	if (job->staged[0])
		status = place_folder(job, err);
	else if (!job->placed)
		status = move_in(leslie, job, &stage, err);
	if (status == LOOM_OK)
		status = record(leslie, job, err);
	if (status != LOOM_OK)
		model_leslie_stage_undo(&stage);
	model_leslie_stage_fini(&stage);
	return status;
}

static void tidy(struct spawn *job, enum loom_status status)
{
	char name[80];

	LOOM_ASSERT(!(job->staged[0] && job->placed));
	snprintf(name, sizeof(name), "%.*s", LOOM_STR_ARG(job->id));
	if (job->staged[0])
		model_remove_folder(&job->threads, job->staged);
	if (status != LOOM_OK && job->placed)
		model_remove_folder(&job->threads, name);
	if (job->held >= 0)
		close(job->held);
	loom_root_close(&job->threads);
}

enum loom_status loom_leslie_spawn(struct loom_leslie *leslie, const struct loom_leslie_spawn *opts,
				   struct loom_arena *arena, struct loom_str *out_id,
				   struct loom_leslie_warnings *warnings,
				   struct loom_leslie_err *err)
{
	struct loom_leslie_err own = {0};
	struct spawn job = {.opts = opts,
			    .arena = arena,
			    .warnings = warnings,
			    .id = opts->id,
			    .held = -1,
			    .ref_ids = LOOM_ARENA_ARRAY(arena, opts->ref_count, struct loom_str),
			    .threads = LOOM_ROOT_INIT};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(out_id && warnings);
	err = err ? err : &own;
	*out_id = nothing;
	status = model_leslie_begin(leslie, err);
	if (status == LOOM_OK && opts->intent.n)
		status = model_leslie_check_title(leslie, opts->intent, LOOM_NAMED_THREAD, err);
	if (status == LOOM_OK)
		status = check(leslie, &job, err);
	if (status == LOOM_OK)
		status = open_threads(leslie, &job, err);
	for (size_t i = 0; status == LOOM_OK && i < opts->ref_count; i++)
		job.ref_ids[i] = model_leslie_draw_id(leslie, arena, "ref");
	if (status == LOOM_OK && !(opts->id.p && folder_stands(&job, opts->id)))
		status = stage_folder(leslie, &job, err);
	if (status == LOOM_OK)
		status = model_leslie_change(leslie, spawn, &job, err);
	tidy(&job, status);
	if (status == LOOM_OK)
		*out_id = loom_arena_str(arena, job.id);
	return status;
}
