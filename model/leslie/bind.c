/* Binds a reference: from the words of a command to the record of it. */
#include "share.h"

#include <loom/base/json.h>

static const struct loom_str nothing = {NULL, 0};

bool loom_leslie_binding_parse(struct loom_str name, enum loom_leslie_binding *out)
{
	LOOM_ASSERT(out);
	*out = loom_str_is(name, "live") ? LOOM_LESLIE_BINDING_LIVE : LOOM_LESLIE_BINDING_FROZEN;
	return *out == LOOM_LESLIE_BINDING_LIVE || loom_str_is(name, "frozen");
}

/* For words that are parsed before there is a handle. */
static enum loom_status refuse_words(struct loom_leslie_err *err, struct loom_str words,
				     const char *reason)
{
	LOOM_ASSERT(reason);
	if (!err)
		return LOOM_PATH;
	*err = (struct loom_leslie_err){.code = loom_thread_code(LOOM_THREAD_BAD_PATH),
					.reason = loom_str_of(reason)};
	loom_fail(&err->err, LOOM_PATH, "Path refused: %.*s", LOOM_STR_ARG(words));
	return loom_hint(&err->err, LOOM_PATH,
			 "give names within the thread, such as plan.md or design/api.md");
}

enum loom_status loom_leslie_scopes_parse(struct loom_str text, struct loom_arena *arena,
					  struct loom_leslie_target *out,
					  struct loom_leslie_err *err)
{
	struct loom_str *scopes = NULL;
	struct loom_str scope = nothing;
	size_t cap = 0;

	LOOM_ASSERT(arena && out);
	out->scope_count = 0;
	while (loom_str_cut(&text, ',', &scope)) {
		const char *fault = model_leslie_name_fault(loom_str_trim(scope));

		if (fault)
			return refuse_words(err, scope,
					    loom_arena_cstr(arena,
							    loom_arena_format(arena, "the name %s",
									      fault)));
		scopes = loom_arena_grow(arena, scopes, out->scope_count, &cap, sizeof(*scopes));
		scopes[out->scope_count++] = loom_arena_str(arena, loom_str_trim(scope));
	}
	out->scopes = scopes;
	return LOOM_OK;
}

enum loom_status loom_leslie_target_parse(struct loom_str text, struct loom_arena *arena,
					  struct loom_leslie_target *out,
					  struct loom_leslie_err *err)
{
	size_t colon = loom_str_find_char(text, ':', 0);

	*out = (struct loom_leslie_target){
		.thread = loom_arena_str(arena, loom_str_trim(loom_str_sub(text, 0, colon)))};
	if (colon == SIZE_MAX)
		return LOOM_OK;
	return loom_leslie_scopes_parse(loom_str_sub(text, colon + 1, SIZE_MAX), arena, out, err);
}

enum loom_status model_leslie_target_check(struct loom_leslie *leslie,
					   const struct loom_leslie_target *target,
					   struct loom_leslie_err *err)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(target);
	if (!loom_leslie_id_ok(target->thread))
		return model_leslie_check_new_id(leslie, target->thread, false, err);
	for (size_t i = 0; status == LOOM_OK && i < target->scope_count; i++) {
		struct loom_str scope = target->scopes[i];

		status = model_leslie_name_check(leslie, scope, err);
		if (status == LOOM_OK && model_leslie_name_is_private(scope)) {
			model_leslie_refuse(leslie, err, LOOM_PATH, LOOM_THREAD_BAD_PATH,
					    "Path refused: %.*s", LOOM_STR_ARG(scope));
			model_leslie_because(leslie, err,
					     "it is the thread's own and never shared");
			model_leslie_detail(leslie, err, "path", scope);
			status = LOOM_PATH;
		}
	}
	return status;
}

/* Sets the details to {"from":…,"target":…,"path":[…]}. */
static void detail_circle(struct loom_leslie *leslie, struct loom_leslie_err *err,
			  struct loom_str from, struct loom_str target,
			  const struct loom_str *circle, size_t count)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	LOOM_ASSERT(circle || !count);
	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "from", from);
	loom_json_put(&json, "target", target);
	loom_json_put_texts(&json, "path", circle, count);
	loom_json_end_object(&json);
	err->details = loom_arena_buf(leslie->arena, &text);
	loom_buf_fini(&text);
}

enum loom_status model_leslie_circle_check(struct loom_leslie *leslie, struct loom_str from,
					   struct loom_str target, bool spawning,
					   struct loom_leslie_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str *circle = NULL;
	size_t count = 0;

	if (!model_leslie_closes_circle(leslie, from, target, leslie->arena, &circle, &count))
		return LOOM_OK;
	if (spawning)
		model_leslie_refuse(leslie, err, LOOM_REFUSED, LOOM_THREAD_CIRCLE,
				    "Cannot create Thread with --ref %.*s", LOOM_STR_ARG(target));
	else
		model_leslie_refuse(leslie, err, LOOM_REFUSED, LOOM_THREAD_CIRCLE,
				    "Cannot reference %.*s from %.*s", LOOM_STR_ARG(target),
				    LOOM_STR_ARG(from));
	if (!err)
		return LOOM_REFUSED;
	LOOM_ASSERT(count > 0 && circle);
	loom_buf_adds(&text, "Circular reference detected (");
	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&text, "%s%.*s", i ? " → " : "", LOOM_STR_ARG(circle[i]));
	loom_buf_addc(&text, ')');
	err->reason = loom_arena_buf(leslie->arena, &text);
	err->message = err->reason;
	detail_circle(leslie, err, from, target, circle, count);
	loom_buf_fini(&text);
	return LOOM_REFUSED;
}

/* Returns a pointer's name: its own, or below the thread's id if another thread has that. */
static struct loom_str pointer_name(const struct model_leslie_bind *bind, struct loom_str thread,
				    struct loom_str plain)
{
	const struct model_leslie_pointer *old = model_leslie_share_pointer(bind->share, plain);
	struct loom_str name = plain;

	LOOM_ASSERT(plain.n > 0);
	if (!old || loom_str_eq(old->thread, thread))
		return loom_arena_str(bind->share->arena, plain);
	name = loom_arena_format(bind->share->arena, "%.*s/%.*s", LOOM_STR_ARG(thread),
				 LOOM_STR_ARG(plain));
	if (bind->warnings)
		model_leslie_warn(bind->share->arena, bind->warnings,
				  "%.*s is already taken; the one from %.*s is called %.*s",
				  LOOM_STR_ARG(plain), LOOM_STR_ARG(thread), LOOM_STR_ARG(name));
	return name;
}

static enum loom_status refuse_live(const struct model_leslie_bind *bind, struct loom_str thread,
				    struct loom_str scope, const struct loom_err *why,
				    struct loom_leslie_err *err)
{
	LOOM_ASSERT(why->status != LOOM_OK);
	model_leslie_refuse(bind->leslie, err, why->status,
			    why->status == LOOM_PATH ? LOOM_THREAD_BAD_PATH
						     : LOOM_THREAD_UNREADABLE,
			    "Cannot point to %.*s of %.*s", LOOM_STR_ARG(scope),
			    LOOM_STR_ARG(thread));
	model_leslie_because(bind->leslie, err, "%s", why->text);
	model_leslie_detail(bind->leslie, err, "path", scope);
	return why->status;
}

/* Adds one scope of a live reference. It may name a file that does not exist yet. */
static enum loom_status point_to(const struct model_leslie_bind *bind,
				 const struct loom_root *folder, struct loom_str thread,
				 struct loom_str scope, struct loom_leslie_err *err)
{
	struct loom_arena *arena = bind->share->arena;
	struct model_leslie_pointer pointer = {.ref_id = bind->ref_id,
					       .thread = thread,
					       .created_at = bind->now};
	struct model_leslie_place place = {0};
	struct loom_err why = {0};
	enum loom_status status = LOOM_OK;
	bool is_folder = false;

	LOOM_ASSERT(scope.n > 0);
	if (model_leslie_is_whole(scope)) {
		pointer.name = loom_arena_format(arena, "%.*s/", LOOM_STR_ARG(thread));
		pointer.path =
			loom_arena_format(arena, ".leslie/threads/%.*s/", LOOM_STR_ARG(thread));
		model_leslie_share_add_pointer(bind->share, pointer);
		return LOOM_OK;
	}
	status = model_leslie_locate(folder, scope, arena, &place, &why);
	is_folder = status == LOOM_OK ? place.info.kind == LOOM_FILE_FOLDER
				      : scope.p[scope.n - 1] == '/';
	if (status != LOOM_OK && status != LOOM_NOT_FOUND)
		return refuse_live(bind, thread, scope, &why, err);
	if (status == LOOM_NOT_FOUND) {
		place.path = scope;
		place.path.n -= is_folder;
		model_leslie_warn(arena, bind->warnings, "%.*s of %.*s is not there yet",
				  LOOM_STR_ARG(scope), LOOM_STR_ARG(thread));
	}
	pointer.name = pointer_name(bind, thread, model_leslie_name_plain(scope));
	pointer.path = loom_arena_format(arena, ".leslie/threads/%.*s/%.*s%s", LOOM_STR_ARG(thread),
					 LOOM_STR_ARG(place.path), is_folder ? "/" : "");
	model_leslie_share_add_pointer(bind->share, pointer);
	return LOOM_OK;
}

static enum loom_status bind_live(const struct model_leslie_bind *bind,
				  const struct loom_leslie_target *target, struct loom_str thread,
				  struct loom_leslie_err *err)
{
	static const struct loom_str whole = LOOM_STR_INIT(MODEL_LESLIE_WHOLE);
	const struct loom_str *scopes = target->scope_count ? target->scopes : &whole;
	size_t count = target->scope_count ? target->scope_count : 1;
	struct loom_root folder = LOOM_ROOT_INIT;
	struct loom_err why = {0};
	enum loom_status status = model_leslie_open_thread(bind->leslie, thread, &folder, &why);

	LOOM_ASSERT(bind->leslie && bind->share);
	if (status != LOOM_OK)
		return refuse_live(bind, thread, LOOM_STR("the folder"), &why, err);
	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		status = point_to(bind, &folder, thread, scopes[i], err);
	loom_root_close(&folder);
	return status;
}

enum loom_status model_leslie_bind_target(const struct model_leslie_bind *bind,
					  const struct loom_leslie_target *target,
					  struct loom_leslie_err *err)
{
	struct loom_str thread = loom_arena_str(bind->share->arena, target->thread);
	const struct model_leslie_gather gather = {
		.leslie = bind->leslie,
		.share = bind->share,
		.inherited = bind->inherited,
		.thread = thread,
		.scopes = target->scopes,
		.scope_count = target->scope_count,
		.ref_id = bind->ref_id,
		.now = bind->now,
		.warnings = bind->warnings,
	};

	LOOM_ASSERT(bind->leslie && bind->share);
	if (!model_leslie_stands(bind->leslie, thread)) {
		loom_leslie_warn_broken(bind->share->arena, bind->warnings, thread);
		return LOOM_OK;
	}
	if (bind->binding == LOOM_LESLIE_BINDING_LIVE)
		return bind_live(bind, target, thread, err);
	return model_leslie_gather(&gather, err);
}

enum loom_status model_leslie_write_pointers(const struct loom_root *thread,
					     const struct model_leslie_share *share,
					     struct loom_leslie_err *err)
{
	const struct loom_write_opts opts = {.any_name = true, .folders = true};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_err why = {0};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(share);
	model_leslie_share_spell_pointers(share, &text);
	status = loom_file_write(thread, LOOM_STR(MODEL_LESLIE_LIVE "/" MODEL_LESLIE_MANIFEST),
				 loom_buf_str(&text), &opts, &why);
	if (status != LOOM_OK && err)
		*err = (struct loom_leslie_err){.err = why};
	loom_buf_fini(&text);
	return status;
}

void model_leslie_edit_reference(struct loom_leslie *leslie, struct model_leslie_edits *edits,
				 const struct model_leslie_reference *reference)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	LOOM_ASSERT(reference->target);
	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "ref_id", reference->ref_id);
	loom_json_put(&json, "from_id", reference->from);
	loom_json_put(&json, "to_id", reference->target->thread);
	loom_json_key(&json, "scope");
	loom_json_array(&json);
	for (size_t i = 0; i < reference->target->scope_count; i++)
		loom_json_text(&json, reference->target->scopes[i]);
	if (reference->target->scope_count == 0)
		loom_json_text(&json, LOOM_STR(MODEL_LESLIE_WHOLE));
	loom_json_end_array(&json);
	loom_json_put(&json, "binding",
		      reference->binding == LOOM_LESLIE_BINDING_LIVE ? LOOM_STR("live")
								     : LOOM_STR("frozen"));
	loom_json_end_object(&json);
	model_leslie_edit_operation(leslie, edits, "reference", loom_buf_str(&text));
	loom_buf_fini(&text);
}

struct loom_str *model_leslie_fresh_names(const struct model_leslie_share *share,
					  struct loom_arena *arena, size_t *count)
{
	struct loom_str *names = LOOM_ARENA_ARRAY(arena, share->copy_count, struct loom_str);

	*count = 0;
	for (size_t i = 0; i < share->copy_count; i++) {
		if (share->copies[i].fresh)
			names[(*count)++] = loom_arena_str(arena, share->copies[i].name);
	}
	LOOM_ASSERT(*count <= share->copy_count);
	return names;
}
