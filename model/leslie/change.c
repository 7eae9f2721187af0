/* Changes `.leslie/`: the frame of every change, and the small changes.
 *
 * The order is the thread's folder, objectives, relations. The relations are the point of no
 * return: what they say has happened, and earlier writes mean nothing without them. */
#include "inside.h"

#include <loom/base/json.h>
#include <loom/base/utf8.h>

#define TRIES 3

static const struct loom_str nothing = {NULL, 0};

enum loom_status model_leslie_change(struct loom_leslie *leslie, model_leslie_change_fn *change,
				     void *ctx, struct loom_leslie_err *err)
{
	struct loom_leslie_err own = {0};
	enum loom_status status = LOOM_BUSY;

	LOOM_ASSERT(change);
	err = err ? err : &own;
	*err = (struct loom_leslie_err){0};
	status = model_leslie_make_home(leslie, &err->err);
	if (status == LOOM_OK)
		status = model_leslie_lock(leslie, err);
	if (status != LOOM_OK)
		return status;
	status = LOOM_BUSY;
	for (int i = 0; status == LOOM_BUSY && i < TRIES; i++) {
		status = model_leslie_begin(leslie, err);
		if (status == LOOM_OK)
			status = change(leslie, ctx, err);
	}
	if (status == LOOM_BUSY && !err->code)
		err->code = loom_thread_code(LOOM_THREAD_LOCKED);
	if (status == LOOM_OK)
		model_leslie_registry_update(leslie);
	model_leslie_unlock(leslie);
	return status;
}

static void quoted(struct loom_leslie *leslie, struct loom_str text, struct loom_str *out)
{
	struct loom_buf buf = LOOM_BUF_INIT(LOOM_BUF_MAX);

	LOOM_ASSERT(out);
	loom_json_quote(text, &buf);
	*out = loom_arena_buf(leslie->arena, &buf);
	loom_buf_fini(&buf);
}

void model_leslie_edit_metadata(struct model_leslie_edits *edits, struct loom_str now,
				const char *count_key, size_t count)
{
	struct loom_arena *arena = edits->doc->arena;
	struct loom_str metadata = model_leslie_doc_branch(edits->doc, "metadata")->value;

	LOOM_ASSERT(edits->doc && count_key);
	model_leslie_edit_set(edits, metadata, "last_updated",
			      loom_arena_format(arena, "\"%.*s\"", LOOM_STR_ARG(now)));
	model_leslie_edit_set(edits, metadata, count_key, loom_arena_format(arena, "%zu", count));
}

void model_leslie_edit_operation(struct loom_leslie *leslie, struct model_leslie_edits *edits,
				 const char *command, struct loom_str params)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	LOOM_ASSERT(command[0] && params.n > 0);
	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "id", model_leslie_draw_id(leslie, leslie->arena, "op"));
	loom_json_put(&json, "timestamp", model_leslie_now(leslie, leslie->arena));
	loom_json_put(&json, "command", loom_str_of(command));
	loom_json_put(&json, "operator", loom_str_of(leslie->operator_));
	loom_json_key(&json, "params");
	loom_json_raw(&json, params);
	loom_json_end_object(&json);
	model_leslie_edit_append(edits, "operations", nothing, loom_buf_str(&text));
	loom_buf_fini(&text);
}

size_t model_leslie_thread_count(const struct loom_leslie *leslie)
{
	const struct model_leslie_branch *branch =
		model_leslie_doc_branch(&leslie->relations.doc, "threads");

	return branch ? branch->count : 0;
}

static const char *const tie_names[MODEL_LESLIE_TIE_KINDS] = {
	[MODEL_LESLIE_CHILDREN] = "children",
	[MODEL_LESLIE_REFERENCES_TO] = "references_to",
	[MODEL_LESLIE_REFERENCED_BY] = "referenced_by",
	[MODEL_LESLIE_DEPENDS_ON] = "depends_on",
};

static struct model_leslie_new_relation *new_relation(struct model_leslie_ties *ties,
						      struct loom_str id)
{
	struct model_leslie_new_relation *made = NULL;

	LOOM_ASSERT(id.n > 0);
	for (size_t i = 0; i < ties->count; i++) {
		if (loom_str_eq(ties->made[i].id, id))
			return &ties->made[i];
	}
	ties->made = loom_arena_grow(ties->leslie->arena, ties->made, ties->count, &ties->cap,
				     sizeof(*ties->made));
	made = &ties->made[ties->count++];
	*made = (struct model_leslie_new_relation){.id = id};
	for (size_t i = 0; i < MODEL_LESLIE_TIE_KINDS; i++)
		loom_buf_init(&made->lists[i], LOOM_BUF_MAX);
	return made;
}

void model_leslie_tie_none(struct model_leslie_ties *ties, struct loom_str id)
{
	if (!model_leslie_relation(ties->leslie, id).p)
		new_relation(ties, id);
}

void model_leslie_tie(struct model_leslie_ties *ties, struct loom_str id,
		      enum model_leslie_tie_kind kind, struct loom_str other)
{
	struct loom_str relation = model_leslie_relation(ties->leslie, id);
	struct loom_buf *list = NULL;

	LOOM_ASSERT((size_t)kind < MODEL_LESLIE_TIE_KINDS);
	if (relation.p) {
		model_leslie_edit_add_text(ties->edits, relation, tie_names[kind], other);
		return;
	}
	list = &new_relation(ties, id)->lists[kind];
	if (list->n)
		loom_buf_addc(list, ',');
	loom_json_quote(other, list);
}

void model_leslie_ties_end(struct model_leslie_ties *ties)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	for (size_t i = 0; i < ties->count; i++) {
		loom_buf_clear(&text);
		for (size_t k = 0; k < MODEL_LESLIE_TIE_KINDS; k++) {
			loom_buf_addf(&text, "%s\"%s\":[%s]", k ? "," : "{", tie_names[k],
				      loom_buf_cstr(&ties->made[i].lists[k]));
			loom_buf_fini(&ties->made[i].lists[k]);
		}
		loom_buf_addc(&text, '}');
		model_leslie_edit_append(ties->edits, "relations", ties->made[i].id,
					 loom_buf_str(&text));
	}
	loom_buf_fini(&text);
	ties->count = 0;
}

/* ---- objectives ---- */

struct objective_new {
	struct loom_str title;
	struct loom_str id;
	bool given;
};

enum loom_status model_leslie_check_title(struct loom_leslie *leslie, struct loom_str title,
					  enum loom_named named, struct loom_leslie_err *err)
{
	const char *what = named == LOOM_NAMED_THREAD ? "intent" : "title";
	const char *fault = NULL;
	struct loom_err why;

	LOOM_ASSERT(named == LOOM_NAMED_THREAD || named == LOOM_NAMED_OBJECTIVE);
	if (title.n == 0)
		fault = "is empty";
	else if (!loom_utf8_valid(title, NULL))
		fault = "is not UTF-8";
	else if (!loom_xml_can_say(title))
		fault = "contains a control character";
	if (fault) {
		model_leslie_refuse(leslie, err, LOOM_INVALID, LOOM_THREAD_OTHER, "The %s %s", what,
				    fault);
		return model_leslie_because(leslie, err, "it is plain text");
	}
	/* Ids identify threads and objectives, so two may have the same title. */
	if (loom_name_check(named, title, NULL, 0, &why) == LOOM_OK)
		return LOOM_OK;
	model_leslie_refuse(leslie, err, LOOM_INVALID, LOOM_THREAD_OTHER, "%s", why.text);
	return model_leslie_because(leslie, err, "%s", why.hint);
}

enum loom_status model_leslie_check_new_id(struct loom_leslie *leslie, struct loom_str id,
					   bool taken, struct loom_leslie_err *err)
{
	if (!loom_leslie_id_ok(id)) {
		model_leslie_refuse(leslie, err, LOOM_PATH, LOOM_THREAD_BAD_PATH,
				    "Path refused: %.*s", LOOM_STR_ARG(id));
		model_leslie_because(leslie, err, "an id is 1 to 64 of A–Z a–z 0–9 _ -");
		model_leslie_detail(leslie, err, "id", id);
		return LOOM_PATH;
	}
	if (!taken)
		return LOOM_OK;
	model_leslie_refuse(leslie, err, LOOM_CONFLICT, LOOM_THREAD_OTHER, "'%.*s' already exists",
			    LOOM_STR_ARG(id));
	model_leslie_because(leslie, err, "ids are never reused");
	model_leslie_detail(leslie, err, "id", id);
	return LOOM_CONFLICT;
}

static enum loom_status make_objective(struct loom_leslie *leslie, void *ctx,
				       struct loom_leslie_err *err)
{
	struct objective_new *job = ctx;
	const struct model_leslie_branch *branch =
		model_leslie_doc_branch(&leslie->objectives.doc, "objectives");
	struct loom_str now = model_leslie_now(leslie, leslie->arena);
	struct loom_str id = job->id;
	struct loom_str title = nothing;
	struct model_leslie_edits edits;
	enum loom_status status = LOOM_OK;

	while (!job->given && (!id.p || model_leslie_objective_record(leslie, id).p))
		id = model_leslie_draw_id(leslie, leslie->arena, "obj");
	status =
		model_leslie_check_new_id(leslie, id,
					  model_leslie_objective_record(leslie, id).p != NULL, err);
	if (status != LOOM_OK)
		return status;
	job->id = id;
	quoted(leslie, job->title, &title);
	model_leslie_edits_init(&edits, &leslie->objectives.doc);
	model_leslie_edit_append(
		&edits, "objectives", id,
		loom_arena_format(leslie->arena,
				  "{\"id\":\"%.*s\",\"title\":%.*s,\"created_at\":\"%.*s\","
				  "\"updated_at\":\"%.*s\",\"status\":\"active\","
				  "\"thread_ids\":[]}",
				  LOOM_STR_ARG(id), LOOM_STR_ARG(title), LOOM_STR_ARG(now),
				  LOOM_STR_ARG(now)));
	model_leslie_edit_metadata(&edits, now, "objective_count",
				   (branch ? branch->count : 0) + 1);
	return model_leslie_file_commit(leslie, &leslie->objectives, &edits, err);
}

enum loom_status loom_objective_new(struct loom_leslie *leslie, struct loom_str title,
				    struct loom_str id, struct loom_arena *arena,
				    struct loom_str *out_id, struct loom_leslie_err *err)
{
	struct objective_new job = {.title = title, .id = id, .given = id.p != NULL};
	enum loom_status status =
		model_leslie_check_title(leslie, title, LOOM_NAMED_OBJECTIVE, err);

	LOOM_ASSERT(out_id);
	*out_id = nothing;
	if (status == LOOM_OK)
		status = model_leslie_begin(leslie, err);
	if (status == LOOM_OK && id.p)
		status = model_leslie_check_new_id(
			leslie, id, model_leslie_objective_record(leslie, id).p != NULL, err);
	if (status == LOOM_OK)
		status = model_leslie_change(leslie, make_objective, &job, err);
	if (status == LOOM_OK)
		*out_id = loom_arena_str(arena, job.id);
	return status;
}

/* ---- lifecycle ---- */

struct lifecycle {
	struct loom_str id;
	enum loom_leslie_action action;
	struct loom_str reason;
	enum loom_leslie_status to;
};

static const char *way_out(enum loom_leslie_status from)
{
	switch (from) {
	case LOOM_LESLIE_ACTIVE:
		return "an active thread can be suspended, done or cancelled";
	case LOOM_LESLIE_SUSPENDED:
		return "a suspended thread can be resumed, done or cancelled";
	case LOOM_LESLIE_COMPLETED:
	case LOOM_LESLIE_CANCELLED:
	case LOOM_LESLIE_FROZEN:
		return "it can only be archived";
	case LOOM_LESLIE_ARCHIVED:
		return "an archived thread cannot change";
	case LOOM_LESLIE_WAITING_HUMAN:
		return "a thread waiting for a person can be resumed or cancelled";
	case LOOM_LESLIE_STATUSES:
	default:
		return "its status is unknown here";
	}
}

static enum loom_status refuse_way(struct loom_leslie *leslie, const struct lifecycle *job,
				   enum loom_leslie_status from, struct loom_str word,
				   struct loom_leslie_err *err)
{
	model_leslie_refuse(leslie, err, LOOM_REFUSED, LOOM_THREAD_BAD_STEP,
			    "Invalid state transition from %.*s using action %s",
			    LOOM_STR_ARG(word), loom_leslie_action_name(job->action));
	model_leslie_because(leslie, err, "%s", way_out(from));
	model_leslie_detail(leslie, err, "threadId", job->id);
	model_leslie_detail(leslie, err, "status", word);
	return LOOM_REFUSED;
}

/* Updates the objective's own record if it is no longer right. */
static enum loom_status follow_objective(struct loom_leslie *leslie, struct loom_str objective,
					 const struct lifecycle *job, struct loom_str now,
					 struct loom_leslie_err *err)
{
	struct loom_str record = model_leslie_objective_record(leslie, objective);
	bool complete = model_leslie_objective_complete(leslie, objective, job->id, job->to);
	struct loom_str status = complete ? LOOM_STR("completed") : LOOM_STR("active");
	struct loom_str value = nothing;
	struct model_leslie_edits edits;
	const struct model_leslie_branch *branch =
		model_leslie_doc_branch(&leslie->objectives.doc, "objectives");

	LOOM_ASSERT(now.n > 0);
	if (!record.p ||
	    loom_str_eq(model_leslie_member_text(leslie->arena, record, "status"), status))
		return LOOM_OK;
	model_leslie_edits_init(&edits, &leslie->objectives.doc);
	quoted(leslie, status, &value);
	model_leslie_edit_set(&edits, record, "status", value);
	quoted(leslie, now, &value);
	model_leslie_edit_set(&edits, record, "updated_at", value);
	model_leslie_edit_metadata(&edits, now, "objective_count", branch->count);
	return model_leslie_file_commit(leslie, &leslie->objectives, &edits, err);
}

static void spell_lifecycle(struct loom_leslie *leslie, const struct lifecycle *job,
			    struct loom_str *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	LOOM_ASSERT(out);
	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "thread_id", job->id);
	loom_json_put(&json, "action", loom_str_of(loom_leslie_action_name(job->action)));
	loom_json_key(&json, "reason");
	if (job->reason.n)
		loom_json_text(&json, job->reason);
	else
		loom_json_null(&json);
	loom_json_end_object(&json);
	*out = loom_arena_buf(leslie->arena, &text);
	loom_buf_fini(&text);
}

/* Notes the record as it will be, for the registry: of equal members the last one counts. */
static void note_change(struct loom_leslie *leslie, const struct lifecycle *job,
			struct loom_str record, struct loom_str now)
{
	LOOM_ASSERT(record.n > 0);
	leslie->changed.key = job->id;
	leslie->changed.value =
		loom_arena_format(leslie->arena, "%.*s,\"status\":\"%s\",\"updated_at\":\"%.*s\"}",
				  (int)record.n - 1, record.p, loom_leslie_status_name(job->to),
				  LOOM_STR_ARG(now));
}

/* Checks that the thread exists and may take this step; sets its new status. */
static enum loom_status check_step(struct loom_leslie *leslie, struct lifecycle *job,
				   struct loom_leslie_err *err)
{
	struct loom_str word =
		model_leslie_member_text(leslie->arena, model_leslie_record(leslie, job->id),
					 "status");
	enum loom_leslie_status from = LOOM_LESLIE_ACTIVE;
	enum loom_status status = model_leslie_need_thread(leslie, job->id, err);

	if (status != LOOM_OK)
		return status;
	if (word.p)
		loom_leslie_status_parse(word, &from);
	if (!loom_leslie_next(from, job->action, &job->to))
		return refuse_way(leslie, job, from, word, err);
	return LOOM_OK;
}

static enum loom_status move_thread(struct loom_leslie *leslie, void *ctx,
				    struct loom_leslie_err *err)
{
	struct lifecycle *job = ctx;
	struct loom_str now = model_leslie_now(leslie, leslie->arena);
	struct loom_str record = model_leslie_record(leslie, job->id);
	struct loom_str value = nothing;
	struct model_leslie_edits edits;
	enum loom_status status = check_step(leslie, job, err);

	if (status == LOOM_OK)
		status = follow_objective(leslie,
					  model_leslie_member_text(leslie->arena, record,
								   "objective"),
					  job, now, err);
	if (status != LOOM_OK)
		return status;
	model_leslie_edits_init(&edits, &leslie->relations.doc);
	quoted(leslie, loom_str_of(loom_leslie_status_name(job->to)), &value);
	model_leslie_edit_set(&edits, record, "status", value);
	quoted(leslie, now, &value);
	model_leslie_edit_set(&edits, record, "updated_at", value);
	note_change(leslie, job, record, now);
	spell_lifecycle(leslie, job, &value);
	model_leslie_edit_operation(leslie, &edits, "lifecycle", value);
	model_leslie_edit_metadata(&edits, now, "thread_count", model_leslie_thread_count(leslie));
	return model_leslie_file_commit(leslie, &leslie->relations, &edits, err);
}

enum loom_status loom_leslie_lifecycle(struct loom_leslie *leslie, struct loom_str id,
				       enum loom_leslie_action action, struct loom_str reason,
				       enum loom_leslie_status *out, struct loom_leslie_err *err)
{
	struct lifecycle job = {.id = id, .action = action, .reason = reason};
	enum loom_status status = model_leslie_begin(leslie, err);

	LOOM_ASSERT(out);
	/* Check before locking, so that a refusal leaves no trace. */
	if (status == LOOM_OK)
		status = check_step(leslie, &job, err);
	if (status == LOOM_OK)
		status = model_leslie_change(leslie, move_thread, &job, err);
	*out = job.to;
	return status;
}
