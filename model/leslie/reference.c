/* References between existing threads: creating, refreshing, ending them.
 *
 * One change at a time per thread (a flock on its folder), and copies before records: the tree of
 * copies is exchanged, then the relations are written; if that fails the old tree comes back. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <loom/base/json.h>

#include "share.h"
#include <loom/files/beneath.h>

#define WAIT_MS 8000

static const struct loom_str nothing = {NULL, 0};

/* The state of changing one thread's share. */
struct desk {
	struct loom_leslie *leslie;
	struct loom_arena *arena;
	struct loom_str from;
	struct loom_root folder;
	struct loom_root inherited;
	struct model_leslie_share share;
	struct model_leslie_stage stage;
	struct loom_str now;
	int lock;
};

static enum loom_status pass(struct loom_leslie_err *err, const struct loom_err *why)
{
	if (why->status != LOOM_OK)
		*err = (struct loom_leslie_err){.err = *why};
	return why->status;
}

static enum loom_status take_lock(struct desk *desk, struct loom_leslie_err *err)
{
	desk->lock =
		model_open_beneath(desk->folder.fd, "", O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
	if (desk->lock >= 0 && !model_flock(desk->lock, WAIT_MS)) {
		model_leslie_refuse(desk->leslie, err, LOOM_BUSY, LOOM_THREAD_LOCKED,
				    "File lock failed");
		model_leslie_because(desk->leslie, err, "references of %.*s are being changed",
				     LOOM_STR_ARG(desk->from));
		return LOOM_BUSY;
	}
	if (desk->lock < 0) {
		struct loom_err why = {0};

		model_path_fail(&why, errno, "its folder");
		return pass(err, &why);
	}
	return LOOM_OK;
}

static enum loom_status open_desk(struct desk *desk, struct loom_leslie_err *err)
{
	struct loom_err why = {0};
	enum loom_status status = LOOM_OK;

	desk->folder = (struct loom_root)LOOM_ROOT_INIT;
	desk->inherited = (struct loom_root)LOOM_ROOT_INIT;
	desk->stage =
		(struct model_leslie_stage){.context = LOOM_ROOT_INIT, .folder = LOOM_ROOT_INIT};
	desk->lock = -1;
	/* Another program's thread may have no folder yet. */
	if (model_leslie_open_thread(desk->leslie, desk->from, &desk->folder, &why) ==
	    LOOM_NOT_FOUND) {
		struct loom_str path =
			loom_arena_format(desk->arena, "threads/%.*s", LOOM_STR_ARG(desk->from));

		loom_err_clear(&why);
		if (!loom_leslie_id_ok(desk->from))
			return model_leslie_check_new_id(desk->leslie, desk->from, false, err);
		if (loom_folder_make(&desk->leslie->home, path, &why) == LOOM_OK)
			status = model_leslie_open_thread(desk->leslie, desk->from, &desk->folder,
							  &why);
	}
	if (status != LOOM_OK || why.status != LOOM_OK)
		return pass(err, &why);
	status = take_lock(desk, err);
	if (status != LOOM_OK)
		return status;
	desk->inherited = desk->folder;
	desk->inherited.fd = model_open_beneath(desk->folder.fd, MODEL_LESLIE_INHERITED,
						O_PATH | O_DIRECTORY, 0, MODEL_NO_LINKS);
	desk->now = model_leslie_now(desk->leslie, desk->arena);
	return model_leslie_share_read(desk->leslie, &desk->folder, desk->arena, &desk->share, err);
}

static void close_desk(struct desk *desk)
{
	model_leslie_stage_fini(&desk->stage);
	loom_root_close(&desk->inherited);
	loom_root_close(&desk->folder);
	if (desk->lock >= 0)
		close(desk->lock);
}

/* ---- ref ---- */

struct ref_job {
	struct desk desk;
	const struct loom_leslie_ref *opts;
	struct loom_leslie_ref_result *out;
};

enum loom_status model_leslie_ref_check(struct loom_leslie *leslie,
					const struct loom_leslie_ref *opts,
					struct loom_leslie_err *err)
{
	enum loom_status status = model_leslie_need_thread(leslie, opts->from, err);

	if (status == LOOM_OK)
		status = model_leslie_target_check(leslie, &opts->target, err);
	if (status == LOOM_OK)
		status = model_leslie_circle_check(leslie, opts->from, opts->target.thread, false,
						   err);
	return status;
}

static enum loom_status write_edge(struct loom_leslie *leslie, const struct ref_job *job,
				   struct loom_leslie_err *err)
{
	struct loom_str from = job->opts->from;
	struct loom_str target = job->opts->target.thread;
	struct model_leslie_edits edits;
	struct model_leslie_ties ties = {.leslie = leslie, .edits = &edits};

	model_leslie_edits_init(&edits, &leslie->relations.doc);
	model_leslie_tie(&ties, from, MODEL_LESLIE_REFERENCES_TO, target);
	if (model_leslie_record(leslie, target).p)
		model_leslie_tie(&ties, target, MODEL_LESLIE_REFERENCED_BY, from);
	model_leslie_ties_end(&ties);
	model_leslie_edit_reference(leslie, &edits,
				    &(struct model_leslie_reference){.ref_id = job->out->ref_id,
								     .from = from,
								     .target = &job->opts->target,
								     .binding =
									     job->opts->binding});
	model_leslie_edit_metadata(&edits, job->desk.now, "thread_count",
				   model_leslie_thread_count(leslie));
	return model_leslie_file_commit(leslie, &leslie->relations, &edits, err);
}

/* Under the lock: checks everything again, then writes copies, pointers and record. */
static enum loom_status record_ref(struct loom_leslie *leslie, void *ctx,
				   struct loom_leslie_err *err)
{
	struct ref_job *job = ctx;
	struct desk *desk = &job->desk;
	struct loom_err why = {0};
	enum loom_status status = model_leslie_ref_check(leslie, job->opts, err);

	if (status != LOOM_OK)
		return status;
	if (desk->stage.name[0] && !desk->stage.swapped &&
	    model_leslie_stage_swap(&desk->stage, &why) != LOOM_OK)
		return pass(err, &why);
	if (job->opts->binding == LOOM_LESLIE_BINDING_LIVE && desk->share.pointer_count)
		status = model_leslie_write_pointers(&desk->folder, &desk->share, err);
	return status == LOOM_OK ? write_edge(leslie, job, err) : status;
}

static enum loom_status bind_ref(struct ref_job *job, struct loom_leslie_err *err)
{
	struct desk *desk = &job->desk;
	const struct model_leslie_bind bind = {.leslie = desk->leslie,
					       .share = &desk->share,
					       .inherited = &desk->inherited,
					       .binding = job->opts->binding,
					       .ref_id = job->out->ref_id,
					       .now = desk->now,
					       .warnings = &job->out->warnings};
	enum loom_status status = model_leslie_bind_target(&bind, &job->opts->target, err);

	if (status != LOOM_OK || job->opts->binding == LOOM_LESLIE_BINDING_LIVE ||
	    !model_leslie_share_source(&desk->share, job->opts->target.thread))
		return status;
	if (!model_leslie_stands(desk->leslie, job->opts->target.thread))
		return status;
	job->out->snapshot = desk->now;
	return model_leslie_stage_make(&desk->stage, desk->leslie, &desk->folder, &desk->share,
				       nothing, err);
}

enum loom_status loom_leslie_ref(struct loom_leslie *leslie, const struct loom_leslie_ref *opts,
				 struct loom_arena *arena, struct loom_leslie_ref_result *out,
				 struct loom_leslie_err *err)
{
	struct loom_leslie_err own = {0};
	struct ref_job job = {.desk = {.leslie = leslie, .arena = arena, .from = opts->from},
			      .opts = opts,
			      .out = out};
	enum loom_status status = LOOM_OK;

	err = err ? err : &own;
	*out = (struct loom_leslie_ref_result){0};
	status = model_leslie_begin(leslie, err);
	if (status == LOOM_OK)
		status = model_leslie_ref_check(leslie, opts, err);
	if (status != LOOM_OK)
		return status;
	out->ref_id = model_leslie_draw_id(leslie, arena, "ref");
	status = open_desk(&job.desk, err);
	if (status == LOOM_OK)
		status = bind_ref(&job, err);
	if (status == LOOM_OK)
		status = model_leslie_change(leslie, record_ref, &job, err);
	if (status == LOOM_OK)
		out->copied = model_leslie_fresh_names(&job.desk.share, arena, &out->copied_count);
	else
		model_leslie_stage_undo(&job.desk.stage);
	close_desk(&job.desk);
	return status;
}

/* ---- unref ---- */

struct unref_job {
	struct desk desk;
	struct loom_str target;
};

static bool has_edge(struct loom_leslie *leslie, struct loom_str from, struct loom_str target)
{
	size_t count = 0;
	struct loom_str *targets =
		model_leslie_texts(leslie->arena,
				   model_leslie_member(model_leslie_relation(leslie, from),
						       "references_to"),
				   &count);
	bool found = false;

	for (size_t i = 0; i < count; i++)
		found |= loom_str_eq(targets[i], target);
	return found;
}

static enum loom_status need_edge(struct loom_leslie *leslie, struct loom_str from,
				  struct loom_str target, struct loom_leslie_err *err)
{
	enum loom_status status = model_leslie_need_thread(leslie, from, err);

	if (status != LOOM_OK || has_edge(leslie, from, target))
		return status;
	model_leslie_refuse(leslie, err, LOOM_NOT_FOUND, LOOM_THREAD_OTHER,
			    "%.*s does not reference %.*s", LOOM_STR_ARG(from),
			    LOOM_STR_ARG(target));
	model_leslie_because(leslie, err, "there is no such reference to end");
	model_leslie_detail(leslie, err, "from", from);
	model_leslie_detail(leslie, err, "target", target);
	return LOOM_NOT_FOUND;
}

static enum loom_status record_unref(struct loom_leslie *leslie, void *ctx,
				     struct loom_leslie_err *err)
{
	struct unref_job *job = ctx;
	struct desk *desk = &job->desk;
	struct loom_err why = {0};
	struct model_leslie_edits edits;
	struct loom_str other = model_leslie_relation(leslie, job->target);
	struct loom_buf params = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	enum loom_status status = need_edge(leslie, desk->from, job->target, err);

	if (status != LOOM_OK)
		return status;
	if (!desk->stage.swapped && model_leslie_stage_swap(&desk->stage, &why) != LOOM_OK)
		return pass(err, &why);
	status = model_leslie_write_pointers(&desk->folder, &desk->share, err);
	if (status != LOOM_OK)
		return status;
	model_leslie_edits_init(&edits, &leslie->relations.doc);
	model_leslie_edit_drop_text(&edits, model_leslie_relation(leslie, desk->from),
				    "references_to", job->target);
	if (other.p)
		model_leslie_edit_drop_text(&edits, other, "referenced_by", desk->from);
	loom_json_init(&json, &params);
	loom_json_object(&json);
	loom_json_put(&json, "from_id", desk->from);
	loom_json_put(&json, "to_id", job->target);
	loom_json_end_object(&json);
	model_leslie_edit_operation(leslie, &edits, "unreference", loom_buf_str(&params));
	loom_buf_fini(&params);
	model_leslie_edit_metadata(&edits, desk->now, "thread_count",
				   model_leslie_thread_count(leslie));
	return model_leslie_file_commit(leslie, &leslie->relations, &edits, err);
}

enum loom_status loom_leslie_unref(struct loom_leslie *leslie, struct loom_str from,
				   struct loom_str target, struct loom_leslie_err *err)
{
	struct loom_leslie_err own = {0};
	struct unref_job job = {.desk = {.leslie = leslie,
					 .arena = loom_arena_create(),
					 .from = from},
				.target = target};
	enum loom_status status = LOOM_OK;

	err = err ? err : &own;
	status = model_leslie_begin(leslie, err);
	if (status == LOOM_OK)
		status = need_edge(leslie, from, target, err);
	if (status != LOOM_OK)
		goto done;
	status = open_desk(&job.desk, err);
	if (status == LOOM_OK) {
		model_leslie_share_forget(&job.desk.share, target);
		status = model_leslie_stage_make(&job.desk.stage, leslie, &job.desk.folder,
						 &job.desk.share, target, err);
	}
	if (status == LOOM_OK)
		status = model_leslie_change(leslie, record_unref, &job, err);
	if (status != LOOM_OK)
		model_leslie_stage_undo(&job.desk.stage);
	close_desk(&job.desk);
done:
	loom_arena_destroy(job.desk.arena);
	return status;
}

/* ---- refresh ---- */

struct refresh_job {
	struct desk desk;
	const struct loom_leslie_refresh *opts;
	struct loom_leslie_refreshed *out;
	size_t done; /* references gathered again */
};

/* Returns what to copy again from a source: all its scopes, or the one name. */
static const struct loom_str *scopes_of(const struct refresh_job *job,
					const struct model_leslie_source *source, size_t *count)
{
	*count = job->opts->name.p ? 1 : source->scope_count;
	return job->opts->name.p ? &job->opts->name : source->scopes;
}

/* Returns whether a source has anything of the requested name. */
static bool is_meant(const struct refresh_job *job, const struct model_leslie_source *source)
{
	struct loom_str plain = model_leslie_name_plain(job->opts->name);
	bool found = !job->opts->name.p;

	if (job->opts->target.p && !loom_str_eq(job->opts->target, source->thread))
		return false;
	for (size_t i = 0; !found && i < job->desk.share.copy_count; i++) {
		const struct model_leslie_copy *copy = &job->desk.share.copies[i];
		struct loom_str within = model_leslie_within(copy->path, copy->thread);

		found = loom_str_eq(copy->thread, source->thread) &&
			model_leslie_is_below(model_leslie_name_plain(within), plain);
	}
	return found;
}

/* Gathers one reference again, into a share that is unchanged if that fails. */
static enum loom_status regather(struct refresh_job *job, struct loom_str thread,
				 struct loom_leslie_err *err)
{
	struct desk *desk = &job->desk;
	struct model_leslie_share trial = model_leslie_share_dup(&desk->share);
	struct model_leslie_source *source = model_leslie_share_source(&trial, thread);
	struct loom_str *kept_scopes = source->scopes;
	size_t kept_count = source->scope_count;
	struct loom_asset_list kept_assets = source->assets;
	struct model_leslie_gather gather = {.leslie = desk->leslie,
					     .share = &trial,
					     .inherited = &desk->inherited,
					     .thread = source->thread,
					     .ref_id = source->ref_id,
					     .now = desk->now,
					     .warnings = &job->out->warnings};
	enum loom_status status = LOOM_OK;

	gather.scopes = scopes_of(job, source, &gather.scope_count);
	status = model_leslie_gather(&gather, err);
	if (status != LOOM_OK)
		return status;
	source = model_leslie_share_source(&trial, thread);
	if (job->opts->name.p) {
		/* Only a part was copied again: the reference means the same as before. */
		source->scopes = kept_scopes;
		source->scope_count = kept_count;
		source->assets = kept_assets;
	}
	desk->share = trial;
	job->done++;
	return LOOM_OK;
}

static void keep_old(struct refresh_job *job, struct loom_str thread,
		     const struct loom_leslie_err *why)
{
	job->out->kept++;
	model_leslie_warn(job->desk.arena, &job->out->warnings,
			  "the copies from %.*s were left as they are: %.*s", LOOM_STR_ARG(thread),
			  LOOM_STR_ARG(why->reason));
}

static void gone(struct refresh_job *job, struct loom_str thread)
{
	job->out->kept++;
	loom_leslie_warn_broken(job->desk.arena, &job->out->warnings, thread);
}

/* A refresh takes over references that another program froze. */
static void adopt_foreign(struct desk *desk)
{
	size_t count = 0;
	struct loom_str *targets =
		model_leslie_texts(desk->arena,
				   model_leslie_member(model_leslie_relation(desk->leslie,
									     desk->from),
						       "references_to"),
				   &count);

	for (size_t i = 0; i < count; i++) {
		struct model_leslie_bond bond =
			model_leslie_share_bond(desk->leslie, &desk->share, desk->from, targets[i],
						desk->arena);
		struct model_leslie_source *source = NULL;

		if (!bond.implied || !bond.frozen)
			continue;
		source = model_leslie_share_need_source(&desk->share,
							loom_arena_str(desk->arena, targets[i]));
		source->ref_id = model_leslie_draw_id(desk->leslie, desk->arena, "ref");
		source->scopes =
			LOOM_ARENA_ARRAY(desk->arena, bond.scope_count + 1, struct loom_str);
		for (size_t k = 0; k < bond.scope_count; k++)
			source->scopes[k] = loom_arena_str(desk->arena, bond.scopes[k]);
		source->scope_count = bond.scope_count;
		if (bond.scope_count == 0)
			source->scopes[source->scope_count++] = LOOM_STR(MODEL_LESLIE_WHOLE);
	}
}

/* Returns whether the requested reference is live, and so always fresh. */
static bool is_live(const struct refresh_job *job)
{
	const struct desk *desk = &job->desk;
	struct loom_str plain = model_leslie_name_plain(job->opts->name);

	if (!job->opts->name.p)
		return !job->opts->target.p ||
		       has_edge(desk->leslie, desk->from, job->opts->target);
	return model_leslie_share_pointer(&desk->share, plain) != NULL;
}

static enum loom_status regather_all(struct refresh_job *job, struct loom_leslie_err *err)
{
	struct desk *desk = &job->desk;
	size_t count = 0;
	bool any = false;

	adopt_foreign(desk);
	count = desk->share.source_count;
	for (size_t i = 0; i < count; i++) {
		const struct model_leslie_source *source = &desk->share.sources[i];
		struct loom_str thread = source->thread;

		if (!is_meant(job, source))
			continue;
		any = true;
		if (!model_leslie_stands(desk->leslie, thread))
			gone(job, thread);
		else if (regather(job, thread, err) != LOOM_OK)
			keep_old(job, thread, err);
	}
	*err = (struct loom_leslie_err){0};
	if (any || is_live(job))
		return LOOM_OK;
	model_leslie_refuse(desk->leslie, err, LOOM_NOT_FOUND, LOOM_THREAD_OTHER,
			    "File not referenced");
	model_leslie_because(desk->leslie, err, "%.*s has no frozen copy of that",
			     LOOM_STR_ARG(desk->from));
	model_leslie_detail(desk->leslie, err, "threadId", desk->from);
	return LOOM_NOT_FOUND;
}

enum loom_status loom_leslie_refresh(struct loom_leslie *leslie,
				     const struct loom_leslie_refresh *opts,
				     struct loom_arena *arena, struct loom_leslie_refreshed *out,
				     struct loom_leslie_err *err)
{
	struct loom_leslie_err own = {0};
	struct refresh_job job = {.desk = {.leslie = leslie, .arena = arena, .from = opts->from},
				  .opts = opts,
				  .out = out};
	struct loom_err why = {0};
	enum loom_status status = LOOM_OK;

	err = err ? err : &own;
	*out = (struct loom_leslie_refreshed){0};
	status = model_leslie_begin(leslie, err);
	if (status == LOOM_OK)
		status = model_leslie_need_thread(leslie, opts->from, err);
	if (status == LOOM_OK && opts->name.p)
		status = model_leslie_name_check(leslie, opts->name, err);
	if (status != LOOM_OK)
		return status;
	status = open_desk(&job.desk, err);
	if (status == LOOM_OK)
		status = regather_all(&job, err);
	if (status == LOOM_OK && job.done)
		status = model_leslie_stage_make(&job.desk.stage, leslie, &job.desk.folder,
						 &job.desk.share, nothing, err);
	if (status == LOOM_OK && job.done &&
	    model_leslie_stage_swap(&job.desk.stage, &why) != LOOM_OK)
		status = pass(err, &why);
	if (status == LOOM_OK)
		out->copied = model_leslie_fresh_names(&job.desk.share, arena, &out->copied_count);
	close_desk(&job.desk);
	return status;
}
