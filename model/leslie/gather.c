/* Finds the files that a frozen reference means, and their names in the copy.
 *
 * Writes nothing, so that a refusal leaves no trace. What is found in a folder and cannot be copied
 * (a link, a pipe, a hard-linked file, an odd name, one file too many) is left out with a warning;
 * what was named itself refuses the reference. */
#include "share.h"

#include <loom/text/sanitise.h>

#include <loom/files/beneath.h>

#define FILES_MAX 10000
#define BYTES_MAX ((uint64_t)1 << 30)
#define DEPTH_MAX 32

/* A walk through a source's folder. */
struct walk {
	const struct model_leslie_gather *gather;
	struct loom_arena *arena;
	struct loom_root source;
	struct loom_str *folders; /* still to be listed */
	size_t count;
	size_t cap;
	bool public_only;     /* the whole thread: skip conversations and private files */
	struct loom_str unit; /* the folder that is shared as a unit; n 0: none */
	struct model_leslie_map
		foreign; /* folders of the copy: whether other sources have files there */
	struct model_leslie_map warned;
	struct model_leslie_map places; /* folders of the copy */
	size_t files;
	uint64_t bytes;
	bool full; /* a limit was reached, and said */
	struct loom_leslie_err *err;
};

static enum loom_status refuse(struct walk *walk, enum loom_status status,
			       enum loom_thread_code code, struct loom_str path, const char *why)
{
	struct loom_leslie *leslie = walk->gather->leslie;

	LOOM_ASSERT(status != LOOM_OK && why);
	model_leslie_refuse(leslie, walk->err, status, code, "Cannot copy %.*s of %.*s",
			    LOOM_STR_ARG(path), LOOM_STR_ARG(walk->gather->thread));
	model_leslie_because(leslie, walk->err, "%s", why);
	model_leslie_detail(leslie, walk->err, "path", path);
	model_leslie_detail(leslie, walk->err, "threadId", walk->gather->thread);
	return status;
}

static void push(struct walk *walk, struct loom_str path)
{
	LOOM_ASSERT(walk->arena);
	walk->folders = loom_arena_grow(walk->arena, walk->folders, walk->count, &walk->cap,
					sizeof(*walk->folders));
	walk->folders[walk->count++] = path;
}

/* Returns the folder above a name; for "a/b/c" first "a/b", then "a". */
static struct loom_str parent_of(struct loom_str name)
{
	while (name.n && name.p[name.n - 1] != '/')
		name.n--;
	return loom_str_sub(name, 0, name.n ? name.n - 1 : 0);
}

static void note_places(struct walk *walk, struct loom_str name)
{
	for (name = parent_of(name); name.n; name = parent_of(name))
		model_leslie_map_set(walk->arena, &walk->places, name, 0);
}

/* Returns whether a file that is in no manifest exists there. */
static bool is_strange(const struct walk *walk, struct loom_str name)
{
	const struct loom_root *inherited = walk->gather->inherited;
	struct loom_file_info info;

	return inherited->fd >= 0 &&
	       model_leslie_map_find(&walk->gather->share->on_disk, name) == SIZE_MAX &&
	       loom_path_info(inherited, name, false, &info, NULL) == LOOM_OK &&
	       info.kind != LOOM_FILE_FOLDER;
}

/* Returns whether a copy of `path` may be called `name`. */
static bool is_free(const struct walk *walk, struct loom_str name, struct loom_str path)
{
	const struct model_leslie_share *share = walk->gather->share;
	const struct model_leslie_copy *copy = model_leslie_share_copy(share, name);

	LOOM_ASSERT(name.n > 0);
	if (copy)
		return loom_str_eq(copy->path, path);
	if (model_leslie_map_find(&walk->places, name) != SIZE_MAX || is_strange(walk, name))
		return false;
	for (struct loom_str above = parent_of(name); above.n; above = parent_of(above)) {
		if (model_leslie_share_copy(share, above) || is_strange(walk, above))
			return false;
	}
	return true;
}

/* Returns whether another thread has copies below a folder of the copy. This does not change while
 * this thread's files are gathered. */
static bool has_foreign(struct walk *walk, struct loom_str folder)
{
	const struct model_leslie_share *share = walk->gather->share;
	size_t known = model_leslie_map_find(&walk->foreign, folder);
	bool found = false;

	if (known != SIZE_MAX)
		return known;
	for (size_t i = 0; i < share->copy_count && !found; i++)
		found = !loom_str_eq(share->copies[i].thread, walk->gather->thread) &&
			model_leslie_is_below(share->copies[i].name, folder);
	model_leslie_map_set(walk->arena, &walk->foreign, folder, found);
	return found;
}

/* Returns the first part of a name if that is a folder; otherwise n is 0. */
static struct loom_str top_of(struct loom_str name)
{
	size_t slash = loom_str_find_char(name, '/', 0);

	return slash == SIZE_MAX ? (struct loom_str){NULL, 0} : loom_str_sub(name, 0, slash);
}

/* Returns the folder above a name that another source shares as a unit in this very place. */
static struct loom_str foreign_unit(struct walk *walk, struct loom_str name)
{
	const struct model_leslie_share *share = walk->gather->share;

	for (size_t i = 0; i < share->source_count; i++) {
		const struct model_leslie_source *source = &share->sources[i];

		for (size_t k = 0; k < source->scope_count; k++) {
			struct loom_str unit = model_leslie_is_whole(source->scopes[k])
						       ? top_of(name)
						       : model_leslie_name_plain(source->scopes[k]);

			if (!loom_str_eq(source->thread, walk->gather->thread) && unit.n &&
			    name.n > unit.n && model_leslie_is_below(name, unit) &&
			    has_foreign(walk, unit))
				return unit;
		}
	}
	return (struct loom_str){NULL, 0};
}

/* A folder shared as a unit is read as one, so files of two threads never mix in it. Returns the
 * folder the name must not go to; n 0 if it may. */
static struct loom_str find_mix(struct walk *walk, struct loom_str plain)
{
	struct loom_str unit = walk->public_only ? top_of(plain) : walk->unit;

	if (unit.n && has_foreign(walk, unit))
		return unit;
	return foreign_unit(walk, plain);
}

static void warn_of_name(struct walk *walk, struct loom_str plain, struct loom_str name)
{
	const struct model_leslie_gather *gather = walk->gather;
	const struct model_leslie_copy *copy = model_leslie_share_copy(gather->share, plain);

	/* A refreshed copy has had that name before. */
	if (model_leslie_map_find(&gather->share->on_disk, name) != SIZE_MAX)
		return;
	if (gather->warnings && !(copy && loom_str_eq(copy->thread, gather->thread)))
		model_leslie_warn(gather->share->arena, gather->warnings,
				  "%.*s is already taken; the one from %.*s is called %.*s",
				  LOOM_STR_ARG(plain), LOOM_STR_ARG(gather->thread),
				  LOOM_STR_ARG(name));
}

/* Warns once per folder, however many files are in it. */
static void warn_of_folder(struct walk *walk, struct loom_str folder)
{
	const struct model_leslie_gather *gather = walk->gather;
	struct loom_str name =
		loom_arena_format(walk->arena, "%.*s/%.*s", LOOM_STR_ARG(gather->thread),
				  LOOM_STR_ARG(folder));

	LOOM_ASSERT(folder.n > 0);
	if (model_leslie_map_find(&walk->warned, folder) != SIZE_MAX)
		return;
	model_leslie_map_set(walk->arena, &walk->warned, folder, 0);
	for (size_t i = 0; i < gather->share->copy_count; i++)
		if (model_leslie_is_below(gather->share->copies[i].name, name))
			return;
	if (gather->warnings)
		model_leslie_warn(gather->share->arena, gather->warnings,
				  "%.*s/ is already taken; the one from %.*s is called %.*s/",
				  LOOM_STR_ARG(folder), LOOM_STR_ARG(gather->thread),
				  LOOM_STR_ARG(name));
}

/* Chooses the name of a file's copy; n 0 if every name is taken. */
static struct loom_str choose_name(struct walk *walk, struct loom_str file, struct loom_str path)
{
	const struct model_leslie_gather *gather = walk->gather;
	struct loom_str plain = model_leslie_name_plain(file);
	struct loom_str name = plain;
	struct loom_str mix = find_mix(walk, plain);

	LOOM_ASSERT(file.n > 0);
	if (!mix.n && is_free(walk, name, path))
		return name;
	/* The same name exists in the thread's folder and in its artifacts/: keep the longer
	 * one. */
	if (file.n != plain.n && model_leslie_share_copy(gather->share, plain) &&
	    loom_str_eq(model_leslie_share_copy(gather->share, plain)->thread, gather->thread))
		name = file;
	else
		name = loom_arena_format(gather->share->arena, "%.*s/%.*s",
					 LOOM_STR_ARG(gather->thread), LOOM_STR_ARG(plain));
	if (!is_free(walk, name, path))
		return (struct loom_str){NULL, 0};
	if (mix.n)
		warn_of_folder(walk, mix);
	else
		warn_of_name(walk, plain, name);
	return name;
}

static const char *named(struct walk *walk, const char *fault)
{
	return loom_arena_cstr(walk->arena, loom_arena_format(walk->arena, "the name %s", fault));
}

static enum loom_status check_file(struct walk *walk, struct loom_str file)
{
	struct loom_file_info info;
	struct loom_err why = {0};
	const char *fault = model_leslie_name_fault(file);

	LOOM_ASSERT(file.n > 0);
	if (fault)
		return refuse(walk, LOOM_PATH, LOOM_THREAD_BAD_PATH, file, named(walk, fault));
	if (loom_path_info(&walk->source, file, false, &info, &why) != LOOM_OK)
		return refuse(walk, why.status,
			      why.status == LOOM_PATH ? LOOM_THREAD_BAD_PATH
						      : LOOM_THREAD_UNREADABLE,
			      file, why.text);
	if (info.kind != LOOM_FILE_PLAIN)
		return refuse(walk, LOOM_PATH, LOOM_THREAD_BAD_PATH, file,
			      "it is not a regular file");
	if (info.links > 1)
		return refuse(walk, LOOM_PATH, LOOM_THREAD_BAD_PATH, file,
			      "it has another name (a hard link) and may belong to somebody else");
	if (info.size > BYTES_MAX)
		return refuse(walk, LOOM_LIMIT, LOOM_THREAD_OTHER, file,
			      "it is larger than the 1 GiB that a reference copies");
	walk->files++;
	walk->bytes += info.size;
	walk->full = walk->files > FILES_MAX || walk->bytes > BYTES_MAX;
	if (walk->full)
		return refuse(walk, LOOM_LIMIT, LOOM_THREAD_OTHER, file,
			      "a reference copies at most 10,000 files and 1 GiB");
	return LOOM_OK;
}

static enum loom_status add_file(struct walk *walk, struct loom_str file)
{
	const struct model_leslie_gather *gather = walk->gather;
	struct loom_arena *arena = gather->share->arena;
	enum loom_status status = check_file(walk, file);
	struct model_leslie_copy copy = {.fresh = true};

	LOOM_ASSERT(file.n > 0);
	if (status != LOOM_OK)
		return status;
	copy.ref_id = gather->ref_id;
	copy.thread = gather->thread;
	copy.copied_at = gather->now;
	copy.path = loom_arena_format(arena, ".leslie/threads/%.*s/%.*s",
				      LOOM_STR_ARG(gather->thread), LOOM_STR_ARG(file));
	copy.name =
		choose_name(walk, loom_str_sub(copy.path, copy.path.n - file.n, file.n), copy.path);
	if (copy.name.n == 0)
		return refuse(walk, LOOM_CONFLICT, LOOM_THREAD_OTHER, file,
			      "every possible name for its copy is taken");
	note_places(walk, copy.name);
	model_leslie_share_add_copy(gather->share, copy);
	return LOOM_OK;
}

static bool is_left_out(const struct walk *walk, struct loom_str path)
{
	return walk->public_only ? model_leslie_name_is_withheld(path)
				 : model_leslie_name_is_private(path);
}

/* Warns of something in a folder that is left out; `rest`: with all that comes after it. */
static void warn_of_missing(struct walk *walk, struct loom_str path, bool rest, struct loom_str why)
{
	const struct model_leslie_gather *gather = walk->gather;
	struct loom_buf shown = LOOM_BUF_INIT(LOOM_BUF_MAX);

	LOOM_ASSERT(path.n && why.n);
	loom_shown_line(&shown, path, 0);
	if (gather->warnings)
		model_leslie_warn(gather->share->arena, gather->warnings,
				  "%s of %.*s %s not copied: %.*s", loom_buf_cstr(&shown),
				  LOOM_STR_ARG(gather->thread),
				  rest ? "and what comes after it were" : "was", LOOM_STR_ARG(why));
	loom_buf_fini(&shown);
}

static void leave_out(struct walk *walk, struct loom_str path, struct loom_str why)
{
	warn_of_missing(walk, path, false, why);
}

/* Adds a file found in a folder, or leaves it out. A limit is said once. */
static enum loom_status add_found(struct walk *walk, struct loom_str path)
{
	const size_t files = walk->files;
	const uint64_t bytes = walk->bytes;
	struct loom_leslie_err *err = walk->err;
	struct loom_leslie_err why = {0};
	enum loom_status status = LOOM_OK;

	if (walk->full)
		return LOOM_OK;
	walk->err = &why;
	status = add_file(walk, path);
	walk->err = err;
	if (status == LOOM_OK)
		return LOOM_OK;
	walk->files = files;
	walk->bytes = bytes;
	warn_of_missing(walk, path, walk->full, why.reason);
	return LOOM_OK;
}

static enum loom_status visit(struct walk *walk, const struct loom_folder_item *item,
			      struct loom_str path)
{
	if (is_left_out(walk, path))
		return LOOM_OK;
	switch (item->kind) {
	case LOOM_FILE_PLAIN:
		return add_found(walk, path);
	case LOOM_FILE_FOLDER:
		if (model_leslie_name_fault(path))
			leave_out(walk, path,
				  loom_str_of(named(walk, model_leslie_name_fault(path))));
		else
			push(walk, path);
		return LOOM_OK;
	case LOOM_FILE_LINK:
		leave_out(walk, path, LOOM_STR("it is a symbolic link"));
		return LOOM_OK;
	case LOOM_FILE_OTHER:
	default:
		leave_out(walk, path, LOOM_STR("it is neither a file nor a folder"));
		return LOOM_OK;
	}
}

static size_t depth_of(struct loom_str path)
{
	size_t depth = 1;

	LOOM_ASSERT(path.n > 0);
	for (size_t i = 0; i < path.n; i++)
		depth += path.p[i] == '/';
	return depth;
}

static enum loom_status list_folder(struct walk *walk, struct loom_str folder)
{
	struct loom_folder_item *items = NULL;
	size_t count = 0;
	struct loom_err why = {0};
	enum loom_status status = LOOM_OK;

	if (folder.n && depth_of(folder) > DEPTH_MAX) {
		leave_out(walk, folder, LOOM_STR("a reference copies folders at most 32 deep"));
		return LOOM_OK;
	}
	status = loom_folder_list(&walk->source, folder, walk->arena, &items, &count, &why);
	if (status != LOOM_OK && folder.n) {
		leave_out(walk, folder, loom_str_of(why.text));
		return LOOM_OK;
	}
	if (status != LOOM_OK)
		return refuse(walk, status,
			      status == LOOM_PATH ? LOOM_THREAD_BAD_PATH : LOOM_THREAD_UNREADABLE,
			      folder, why.text);
	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		struct loom_str path = items[i].name;

		if (folder.n)
			path = loom_arena_format(walk->arena, "%.*s/%.*s", LOOM_STR_ARG(folder),
						 LOOM_STR_ARG(items[i].name));
		status = visit(walk, &items[i], path);
	}
	return status;
}

/* Lists `artifacts` last: the thread's own folder comes first. */
static enum loom_status run(struct walk *walk)
{
	enum loom_status status = LOOM_OK;
	bool artifacts = false;

	while (status == LOOM_OK && (walk->count > 0 || artifacts)) {
		struct loom_str folder = LOOM_STR("artifacts");

		if (walk->count > 0)
			folder = walk->folders[--walk->count];
		else
			artifacts = false;
		if (walk->count > 0 && loom_str_is(folder, "artifacts")) {
			artifacts = true;
			continue;
		}
		status = list_folder(walk, folder);
	}
	return status;
}

static enum loom_status gather_named(struct walk *walk, struct loom_str scope)
{
	struct model_leslie_place place;
	struct loom_err why = {0};
	enum loom_status status = LOOM_OK;

	if (model_leslie_name_fault(scope))
		return refuse(walk, LOOM_PATH, LOOM_THREAD_BAD_PATH, scope,
			      named(walk, model_leslie_name_fault(scope)));
	if (model_leslie_name_is_private(scope))
		return refuse(walk, LOOM_PATH, LOOM_THREAD_BAD_PATH, scope, "it is never shared");
	status = model_leslie_locate(&walk->source, scope, walk->arena, &place, &why);
	if (status != LOOM_OK)
		return refuse(walk, status,
			      status == LOOM_PATH ? LOOM_THREAD_BAD_PATH : LOOM_THREAD_UNREADABLE,
			      scope, why.text);
	walk->public_only = loom_str_is(place.path, "artifacts");
	walk->unit = (struct loom_str){NULL, 0};
	if (place.info.kind == LOOM_FILE_PLAIN)
		return add_file(walk, place.path);
	walk->unit = model_leslie_name_plain(place.path);
	push(walk, place.path);
	return run(walk);
}

/* The files of a scope, as the manifest describes them. */
struct cover {
	struct loom_str thread;
	struct loom_str scope;
};

static bool covers(const struct cover *cover, struct loom_str path)
{
	struct loom_str within = model_leslie_within(path, cover->thread);

	LOOM_ASSERT(cover->thread.n > 0);
	if (within.n && within.p[within.n - 1] == '/')
		within.n--;
	if (model_leslie_is_whole(cover->scope))
		return !model_leslie_name_is_transcript(within);
	if (loom_str_is(cover->scope, "artifacts") || loom_str_is(cover->scope, "artifacts/"))
		return model_leslie_is_below(within, LOOM_STR("artifacts"));
	return model_leslie_is_below(model_leslie_name_plain(within),
				     model_leslie_name_plain(cover->scope));
}

static bool covers_copy(void *ctx, const struct model_leslie_copy *copy)
{
	const struct cover *cover = ctx;

	return loom_str_eq(copy->thread, cover->thread) && covers(cover, copy->path);
}

static void forget_scope(struct model_leslie_share *share, struct model_leslie_source *source,
			 struct loom_str scope)
{
	struct cover cover = {.thread = source->thread, .scope = scope};
	size_t kept = 0;

	model_leslie_share_drop_copies(share, covers_copy, &cover);
	for (size_t i = 0; i < source->assets.count; i++) {
		if (!covers(&cover, source->assets.items[i].path))
			source->assets.items[kept++] = source->assets.items[i];
	}
	LOOM_ASSERT(kept <= source->assets.count);
	source->assets.count = kept;
}

static void remember_scope(struct model_leslie_share *share, struct model_leslie_source *source,
			   struct loom_str scope)
{
	struct loom_str *scopes = NULL;

	LOOM_ASSERT(scope.n > 0);
	for (size_t i = 0; i < source->scope_count; i++) {
		if (loom_str_eq(source->scopes[i], scope))
			return;
	}
	scopes = LOOM_ARENA_ARRAY(share->arena, source->scope_count + 1, struct loom_str);
	if (source->scope_count)
		memcpy(scopes, source->scopes, source->scope_count * sizeof(*scopes));
	scopes[source->scope_count++] = loom_arena_str(share->arena, scope);
	source->scopes = scopes;
}

static enum loom_status gather_scope(struct walk *walk, struct loom_str scope)
{
	const struct model_leslie_gather *gather = walk->gather;
	struct model_leslie_source *source =
		model_leslie_share_need_source(gather->share, gather->thread);
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(scope.n > 0);
	forget_scope(gather->share, source, scope);
	remember_scope(gather->share, source, scope);
	source->ref_id = gather->ref_id;
	source->copied_at = gather->now;
	if (!source->created_at.p)
		source->created_at = gather->now;
	walk->places = (struct model_leslie_map){0};
	for (size_t i = 0; i < gather->share->copy_count; i++)
		note_places(walk, gather->share->copies[i].name);
	walk->public_only = model_leslie_is_whole(scope);
	if (walk->public_only) {
		push(walk, LOOM_STR(""));
		status = run(walk);
	} else {
		status = gather_named(walk, scope);
	}
	if (status == LOOM_OK)
		model_leslie_scope_assets(gather->share->arena, &walk->source, gather->thread,
					  scope, &source->assets);
	return status;
}

enum loom_status model_leslie_gather(const struct model_leslie_gather *gather,
				     struct loom_leslie_err *err)
{
	static const struct loom_str whole = LOOM_STR_INIT(MODEL_LESLIE_WHOLE);
	struct walk walk = {
		.gather = gather,
		.arena = loom_arena_create(),
		.source = LOOM_ROOT_INIT,
		.err = err,
	};
	const struct loom_str *scopes = gather->scope_count ? gather->scopes : &whole;
	size_t count = gather->scope_count ? gather->scope_count : 1;
	struct loom_err why = {0};
	enum loom_status status =
		model_leslie_open_thread(gather->leslie, gather->thread, &walk.source, &why);

	LOOM_ASSERT(gather->leslie && gather->share);
	if (status != LOOM_OK)
		refuse(&walk, status, LOOM_THREAD_UNREADABLE, LOOM_STR("the folder"), why.text);
	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		status = gather_scope(&walk, scopes[i]);
	loom_root_close(&walk.source);
	loom_arena_destroy(walk.arena);
	return status;
}
