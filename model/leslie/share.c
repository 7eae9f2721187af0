/* The two small files that record what a thread was given: read leniently, written in full.
 *
 * A flat map of name to path, which another program may write, is read as pointers too. */
#include "share.h"

#include <loom/base/json.h>

#include <loom/files/beneath.h>

#define MANIFEST_MAX ((size_t)64 << 20)

static const struct loom_str none = {NULL, 0};

void model_leslie_share_add_copy(struct model_leslie_share *share, struct model_leslie_copy copy)
{
	struct model_leslie_copy *old = model_leslie_share_copy(share, copy.name);

	if (old) {
		*old = copy;
		return;
	}
	share->copies = loom_arena_grow(share->arena, share->copies, share->copy_count,
					&share->copy_cap, sizeof(*share->copies));
	model_leslie_map_set(share->arena, &share->copy_names, copy.name, share->copy_count);
	share->copies[share->copy_count++] = copy;
}

void model_leslie_share_add_pointer(struct model_leslie_share *share,
				    struct model_leslie_pointer pointer)
{
	struct model_leslie_pointer *old = model_leslie_share_pointer(share, pointer.name);

	if (old) {
		*old = pointer;
		return;
	}
	share->pointers = loom_arena_grow(share->arena, share->pointers, share->pointer_count,
					  &share->pointer_cap, sizeof(*share->pointers));
	share->pointers[share->pointer_count++] = pointer;
}

struct model_leslie_source *model_leslie_share_need_source(struct model_leslie_share *share,
							   struct loom_str thread)
{
	struct model_leslie_source *source = model_leslie_share_source(share, thread);

	if (source)
		return source;
	share->sources = loom_arena_grow(share->arena, share->sources, share->source_count,
					 &share->source_cap, sizeof(*share->sources));
	share->sources[share->source_count] = (struct model_leslie_source){.thread = thread};
	return &share->sources[share->source_count++];
}

struct model_leslie_copy *model_leslie_share_copy(const struct model_leslie_share *share,
						  struct loom_str name)
{
	size_t at = model_leslie_map_find(&share->copy_names, name);

	LOOM_ASSERT(at == SIZE_MAX || at < share->copy_count);
	return at == SIZE_MAX ? NULL : &share->copies[at];
}

struct model_leslie_source *model_leslie_share_source(const struct model_leslie_share *share,
						      struct loom_str thread)
{
	for (size_t i = 0; i < share->source_count; i++) {
		if (loom_str_eq(share->sources[i].thread, thread))
			return &share->sources[i];
	}
	return NULL;
}

struct model_leslie_pointer *model_leslie_share_pointer(const struct model_leslie_share *share,
							struct loom_str name)
{
	for (size_t i = 0; i < share->pointer_count; i++) {
		if (loom_str_eq(share->pointers[i].name, name))
			return &share->pointers[i];
	}
	return NULL;
}

static void *dup_items(struct loom_arena *arena, const void *items, size_t count, size_t size)
{
	void *copy = loom_arena_array(arena, count, size);

	if (count)
		memcpy(copy, items, count * size);
	return copy;
}

struct model_leslie_share model_leslie_share_dup(const struct model_leslie_share *share)
{
	struct model_leslie_share dup = *share;

	dup.copies =
		dup_items(share->arena, share->copies, share->copy_count, sizeof(*share->copies));
	dup.copy_cap = share->copy_count;
	dup.sources = dup_items(share->arena, share->sources, share->source_count,
				sizeof(*share->sources));
	dup.source_cap = share->source_count;
	dup.pointers = dup_items(share->arena, share->pointers, share->pointer_count,
				 sizeof(*share->pointers));
	dup.pointer_cap = share->pointer_count;
	dup.copy_names = (struct model_leslie_map){0};
	for (size_t i = 0; i < dup.copy_count; i++)
		model_leslie_map_set(share->arena, &dup.copy_names, dup.copies[i].name, i);
	for (size_t i = 0; i < dup.source_count; i++) {
		struct loom_asset_list *assets = &dup.sources[i].assets;

		assets->items = dup_items(share->arena, assets->items, assets->count,
					  sizeof(*assets->items));
		assets->cap = assets->count;
	}
	return dup;
}

void model_leslie_share_drop_copies(struct model_leslie_share *share, model_leslie_copy_fn *drop,
				    void *ctx)
{
	size_t count = share->copy_count;

	LOOM_ASSERT(drop);
	share->copy_count = 0;
	share->copy_names = (struct model_leslie_map){0};
	for (size_t i = 0; i < count; i++) {
		struct model_leslie_copy copy = share->copies[i];

		if (drop(ctx, &copy))
			continue;
		model_leslie_map_set(share->arena, &share->copy_names, copy.name,
				     share->copy_count);
		LOOM_ASSERT(share->copy_count <= i);
		share->copies[share->copy_count++] = copy;
	}
}

static bool is_of(void *ctx, const struct model_leslie_copy *copy)
{
	const struct loom_str *thread = ctx;

	return loom_str_eq(copy->thread, *thread);
}

void model_leslie_share_forget(struct model_leslie_share *share, struct loom_str thread)
{
	size_t kept = 0;

	model_leslie_share_drop_copies(share, is_of, &thread);
	for (size_t i = 0; i < share->source_count; i++) {
		if (!loom_str_eq(share->sources[i].thread, thread))
			share->sources[kept++] = share->sources[i];
	}
	LOOM_ASSERT(kept <= share->source_count);
	share->source_count = kept;
	kept = 0;
	for (size_t i = 0; i < share->pointer_count; i++) {
		if (!loom_str_eq(share->pointers[i].thread, thread))
			share->pointers[kept++] = share->pointers[i];
	}
	LOOM_ASSERT(kept <= share->pointer_count);
	share->pointer_count = kept;
}

struct loom_str model_leslie_within(struct loom_str path, struct loom_str thread)
{
	static const struct loom_str threads = LOOM_STR_INIT(".leslie/threads/");
	struct loom_str rest = path;

	if (!loom_str_starts(path, threads))
		return path;
	rest = loom_str_sub(path, threads.n, SIZE_MAX);
	if (rest.n <= thread.n || !loom_str_starts(rest, thread) || rest.p[thread.n] != '/')
		return path;
	return loom_str_sub(rest, thread.n + 1, SIZE_MAX);
}

static struct loom_str own(struct model_leslie_share *share, struct loom_str object,
			   const char *key)
{
	struct loom_str text = model_leslie_member_text(share->arena, object, key);

	return text.p ? loom_arena_str(share->arena, text) : (struct loom_str){"", 0};
}

static void read_copy(struct model_leslie_share *share, struct loom_str name, struct loom_str value)
{
	struct model_leslie_copy copy = {
		.name = loom_arena_str(share->arena, name),
		.ref_id = own(share, value, "ref_id"),
		.thread = own(share, value, "thread"),
		.path = own(share, value, "path"),
		.sha256 = own(share, value, "sha256"),
		.copied_at = own(share, value, "copied_at"),
	};

	if (!loom_str_to_u64(model_leslie_member(value, "size"), &copy.size))
		copy.size = 0;
	if (loom_jval_type(value) != LOOM_JTYPE_OBJECT)
		return;
	model_leslie_map_set(share->arena, &share->on_disk, copy.name, 0);
	model_leslie_share_add_copy(share, copy);
}

/* The value is "thread-A/artifacts/design.md" or a path in the project. */
static void read_pointer(struct model_leslie_share *share, struct loom_str name,
			 struct loom_str value)
{
	struct loom_str flat = loom_jval_text(value, share->arena);
	struct loom_str rest = none;
	struct loom_str first = none;
	struct model_leslie_pointer pointer = {
		.name = loom_arena_str(share->arena, name),
		.ref_id = own(share, value, "ref_id"),
		.thread = own(share, value, "thread"),
		.path = flat.p ? loom_arena_str(share->arena, flat) : own(share, value, "path"),
		.created_at = own(share, value, "created_at"),
	};

	/* A flat path may begin with the thread. */
	rest = pointer.path;
	if (flat.p && loom_str_cut(&rest, '/', &first) && rest.n && loom_leslie_id_ok(first))
		pointer.path = loom_arena_format(share->arena, ".leslie/threads/%.*s",
						 LOOM_STR_ARG(pointer.path));
	/* The path includes the thread. */
	rest = loom_str_sub(pointer.path, strlen(".leslie/threads/"), SIZE_MAX);
	if (pointer.thread.n == 0 && loom_str_starts(pointer.path, LOOM_STR(".leslie/threads/")))
		loom_str_cut(&rest, '/', &pointer.thread);
	if (pointer.path.n)
		model_leslie_share_add_pointer(share, pointer);
}

static void read_assets(struct model_leslie_share *share, struct loom_str array,
			struct loom_asset_list *list)
{
	struct loom_jwalk walk = loom_jval_walk(array);
	struct loom_str value = none;

	while (!walk.object && loom_jwalk_next(&walk, NULL, &value)) {
		struct loom_asset asset = {.path = own(share, value, "path")};

		if (loom_asset_type_parse(own(share, value, "type"), &asset.type))
			loom_asset_add(share->arena, list, asset);
	}
}

static void read_source(struct model_leslie_share *share, struct loom_str thread,
			struct loom_str value)
{
	struct model_leslie_source *source =
		model_leslie_share_need_source(share, loom_arena_str(share->arena, thread));

	source->ref_id = own(share, value, "ref_id");
	source->created_at = own(share, value, "created_at");
	source->copied_at = own(share, value, "copied_at");
	source->scopes = model_leslie_texts(share->arena, model_leslie_member(value, "scope"),
					    &source->scope_count);
	for (size_t i = 0; i < source->scope_count; i++)
		source->scopes[i] = loom_arena_str(share->arena, source->scopes[i]);
	read_assets(share, model_leslie_member(value, "assets"), &source->assets);
}

typedef void read_fn(struct model_leslie_share *share, struct loom_str key, struct loom_str value);

static void read_branch(struct model_leslie_share *share, const struct model_leslie_doc *doc,
			const char *name, read_fn *read)
{
	const struct model_leslie_branch *branch = model_leslie_doc_branch(doc, name);

	for (size_t i = 0; branch && i < branch->count; i++)
		if (branch->items[i].key.p)
			read(share, branch->items[i].key, branch->items[i].value);
}

/* Reads a map without the wrapper: every member is a name. */
static void read_flat(struct model_leslie_share *share, const struct model_leslie_doc *doc)
{
	for (size_t i = 0; i < doc->count; i++) {
		if (!loom_str_is(doc->branches[i].key, "version"))
			read_pointer(share, doc->branches[i].key, doc->branches[i].value);
	}
}

/* Refuses a manifest that is not JSON or not a regular file, or that the system refused to read,
 * with the path in its message. */
static enum loom_status refuse_manifest(struct loom_leslie *leslie, const char *path,
					const struct loom_err *why, struct loom_leslie_err *err)
{
	if (why->status == LOOM_INVALID) {
		model_leslie_refuse(leslie, err, why->status, LOOM_THREAD_BAD_JSON,
				    "JSON parse error");
		model_leslie_because(leslie, err, "%s: %s", path, why->text);
	} else if (why->status == LOOM_PATH) {
		model_leslie_refuse(leslie, err, why->status, LOOM_THREAD_BAD_PATH, "Path refused");
		model_leslie_because(leslie, err, "%s", why->text);
	} else if (err) {
		*err = (struct loom_leslie_err){.err = *why};
	}
	model_leslie_detail(leslie, err, "filePath", loom_str_of(path));
	return why->status;
}

static enum loom_status read_manifest(struct loom_leslie *leslie, const struct loom_root *folder,
				      const char *path, struct model_leslie_doc *doc,
				      struct loom_leslie_err *err)
{
	const struct loom_read_opts opts = {.max = MANIFEST_MAX};
	struct loom_buf text = LOOM_BUF_INIT(MANIFEST_MAX);
	struct loom_err why = {0};
	enum loom_status status = loom_file_read(folder, loom_str_of(path), &opts, &text, &why);

	*doc = (struct model_leslie_doc){.arena = leslie->arena};
	if (status == LOOM_OK)
		status = model_leslie_doc_read(leslie->arena, loom_arena_buf(leslie->arena, &text),
					       doc, &why);
	loom_buf_fini(&text);
	if (status == LOOM_NOT_FOUND || status == LOOM_OK)
		return LOOM_OK;
	return refuse_manifest(leslie, path, &why, err);
}

enum loom_status model_leslie_share_read(struct loom_leslie *leslie, const struct loom_root *folder,
					 struct loom_arena *arena, struct model_leslie_share *out,
					 struct loom_leslie_err *err)
{
	struct model_leslie_doc doc;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(arena && out);
	*out = (struct model_leslie_share){
		.arena = arena,
		.tied = LOOM_ARENA_NEW(arena, struct model_leslie_tied),
	};
	status = read_manifest(leslie, folder, MODEL_LESLIE_INHERITED "/" MODEL_LESLIE_MANIFEST,
			       &doc, err);
	if (status != LOOM_OK)
		return status;
	read_branch(out, &doc, "refs", read_copy);
	read_branch(out, &doc, "sources", read_source);
	status = read_manifest(leslie, folder, MODEL_LESLIE_LIVE "/" MODEL_LESLIE_MANIFEST, &doc,
			       err);
	if (status != LOOM_OK)
		return status;
	if (model_leslie_doc_branch(&doc, "refs"))
		read_branch(out, &doc, "refs", read_pointer);
	else
		read_flat(out, &doc);
	return LOOM_OK;
}

enum loom_status model_leslie_share_load(struct loom_leslie *leslie, struct loom_str thread,
					 struct loom_arena *arena, struct model_leslie_share *out,
					 struct loom_leslie_err *err)
{
	struct loom_root folder = LOOM_ROOT_INIT;
	enum loom_status status = LOOM_OK;

	*out = (struct model_leslie_share){.arena = arena};
	if (model_leslie_open_thread(leslie, thread, &folder, NULL) == LOOM_OK)
		status = model_leslie_share_read(leslie, &folder, arena, out, err);
	loom_root_close(&folder);
	return status;
}

static void spell_source(struct loom_json *json, const struct model_leslie_source *source)
{
	loom_json_object(json);
	loom_json_put(json, "ref_id", source->ref_id);
	loom_json_put_texts(json, "scope", source->scopes, source->scope_count);
	loom_json_put(json, "created_at", source->created_at);
	loom_json_put(json, "copied_at", source->copied_at);
	loom_json_key(json, "assets");
	loom_json_array(json);
	for (size_t i = 0; i < source->assets.count; i++) {
		const struct loom_asset *asset = &source->assets.items[i];

		loom_json_object(json);
		loom_json_put(json, "type", loom_str_of(loom_asset_type_name(asset->type)));
		loom_json_put(json, "path", asset->path);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	loom_json_end_object(json);
}

static void spell_copy(struct loom_json *json, const struct model_leslie_copy *copy)
{
	loom_json_object(json);
	loom_json_put(json, "ref_id", copy->ref_id);
	loom_json_put(json, "thread", copy->thread);
	loom_json_put(json, "path", copy->path);
	loom_json_put(json, "sha256", copy->sha256);
	loom_json_put_int(json, "size", (int64_t)copy->size);
	loom_json_put(json, "copied_at", copy->copied_at);
	loom_json_end_object(json);
}

/* Writes a key with any bytes a file name may have. */
static void put_key(struct loom_json *json, struct loom_str key)
{
	char *text = strndup(key.p ? key.p : "", key.n);

	loom_json_key(json, text ? text : "");
	free(text);
}

/* Writes {"version":…,"refs":{ . */
static void begin(struct loom_json *json, struct loom_buf *text)
{
	loom_json_init(json, text);
	loom_json_object(json);
	loom_json_put(json, "version", LOOM_STR("1.0"));
	loom_json_key(json, "refs");
	loom_json_object(json);
}

void model_leslie_share_spell_copies(const struct model_leslie_share *share, struct loom_buf *out)
{
	struct loom_buf text = LOOM_BUF_INIT(MANIFEST_MAX);
	struct loom_json json;

	begin(&json, &text);
	for (size_t i = 0; i < share->copy_count; i++) {
		put_key(&json, share->copies[i].name);
		spell_copy(&json, &share->copies[i]);
	}
	loom_json_end_object(&json);
	loom_json_key(&json, "sources");
	loom_json_object(&json);
	for (size_t i = 0; i < share->source_count; i++) {
		put_key(&json, share->sources[i].thread);
		spell_source(&json, &share->sources[i]);
	}
	loom_json_end_object(&json);
	loom_json_end_object(&json);
	model_leslie_pretty(out, loom_buf_str(&text), 0);
	loom_buf_addc(out, '\n');
	loom_buf_fini(&text);
}

void model_leslie_share_spell_pointers(const struct model_leslie_share *share, struct loom_buf *out)
{
	struct loom_buf text = LOOM_BUF_INIT(MANIFEST_MAX);
	struct loom_json json;

	begin(&json, &text);
	for (size_t i = 0; i < share->pointer_count; i++) {
		const struct model_leslie_pointer *pointer = &share->pointers[i];

		put_key(&json, pointer->name);
		loom_json_object(&json);
		loom_json_put(&json, "ref_id", pointer->ref_id);
		loom_json_put(&json, "thread", pointer->thread);
		loom_json_put(&json, "path", pointer->path);
		loom_json_put(&json, "created_at", pointer->created_at);
		loom_json_end_object(&json);
	}
	loom_json_end_object(&json);
	loom_json_end_object(&json);
	model_leslie_pretty(out, loom_buf_str(&text), 0);
	loom_buf_addc(out, '\n');
	loom_buf_fini(&text);
}

/* Most operations concern other threads: searching for the bytes saves parsing them. */
static void find_tied(const struct loom_leslie *leslie, struct loom_str thread,
		      struct loom_arena *arena, struct model_leslie_tied *out)
{
	const struct model_leslie_doc *doc = &leslie->relations.doc;
	const struct model_leslie_branch *operations = model_leslie_doc_branch(doc, "operations");
	const struct loom_str quoted = loom_arena_format(arena, "\"%.*s\"", LOOM_STR_ARG(thread));
	size_t at = 0;

	LOOM_ASSERT(!out->known);
	out->known = true;
	while (operations && (at = loom_str_find(operations->value, quoted, at)) != SIZE_MAX) {
		size_t place = (size_t)(operations->value.p - doc->text.p) + at;
		struct loom_str operation = model_leslie_branch_at(doc, operations, place);

		at += quoted.n;
		if (!operation.p)
			continue;
		out->operations = loom_arena_grow(arena, out->operations, out->count, &out->cap,
						  sizeof(*out->operations));
		out->operations[out->count++] = operation;
		LOOM_ASSERT(operation.p >= operations->value.p);
		at = (size_t)(operation.p + operation.n - operations->value.p);
	}
}

/* Reads the scopes and the binding of an operation that tied `from` to `target`. */
static void read_operation(struct loom_arena *arena, struct loom_str operation,
			   struct loom_str from, struct loom_str target,
			   struct model_leslie_bond *out)
{
	struct loom_str params = model_leslie_member(operation, "params");
	struct loom_str binding = none;

	if (!loom_str_eq(model_leslie_member_text(arena, operation, "command"),
			 LOOM_STR("reference")) ||
	    !loom_str_eq(model_leslie_member_text(arena, params, "from_id"), from) ||
	    !loom_str_eq(model_leslie_member_text(arena, params, "to_id"), target))
		return;
	binding = model_leslie_member_text(arena, params, "binding");
	out->live = loom_str_is(binding, "live");
	out->frozen = !out->live;
	out->scopes =
		model_leslie_texts(arena, model_leslie_member(params, "scope"), &out->scope_count);
}

/* The last operation counts. */
struct model_leslie_bond model_leslie_share_bond(const struct loom_leslie *leslie,
						 const struct model_leslie_share *share,
						 struct loom_str from, struct loom_str target,
						 struct loom_arena *arena)
{
	struct model_leslie_tied own = {.known = false};
	struct model_leslie_tied *tied = share->tied ? share->tied : &own;
	struct model_leslie_bond bond = {.frozen =
						 model_leslie_share_source(share, target) != NULL};

	for (size_t i = 0; i < share->pointer_count; i++)
		bond.live |= loom_str_eq(share->pointers[i].thread, target);
	if (bond.frozen || bond.live)
		return bond;
	bond.implied = true;
	bond.live = true;
	if (!tied->known)
		find_tied(leslie, from, arena, tied);
	for (size_t i = 0; i < tied->count; i++)
		read_operation(arena, tied->operations[i], from, target, &bond);
	return bond;
}
