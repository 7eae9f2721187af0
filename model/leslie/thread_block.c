/* Builds a thread's context: its own assets, and those that each direct reference gives it.
 *
 * One level. Paths are the owner's in both bindings, with the place to read a frozen one beside
 * them. The manifest lists frozen assets, the disk live ones. */
#include "share.h"

#include <fcntl.h>
#include <unistd.h>

#include <loom/base/hash.h>
#include <loom/files/beneath.h>

#define INSIDE_MOST 10000 /* files of a live folder whose coming and going is told */

enum loom_status loom_leslie_assets(struct loom_leslie *leslie, struct loom_str id,
				    struct loom_arena *arena, struct loom_asset_list *out,
				    struct loom_leslie_err *err)
{
	struct loom_root folder = LOOM_ROOT_INIT;
	enum loom_status status = model_leslie_look(leslie, err);

	*out = (struct loom_asset_list){0};
	if (status == LOOM_OK)
		status = model_leslie_need_thread(leslie, id, err);
	if (status != LOOM_OK)
		return status;
	if (model_leslie_open_thread(leslie, id, &folder, NULL) == LOOM_OK)
		loom_asset_discover(arena, &folder,
				    loom_arena_format(arena, ".leslie/threads/%.*s/",
						      LOOM_STR_ARG(id)),
				    true, out);
	loom_root_close(&folder);
	return LOOM_OK;
}

/* A context under construction. */
struct build {
	struct loom_leslie *leslie;
	struct loom_arena *arena;
	struct loom_str id;
	struct loom_root folder; /* of the thread */
	struct model_leslie_share share;
	struct loom_thread_context *out;
	const struct loom_leslie_ref *foreseen; /* counts as if it were made; NULL: none */
	struct loom_leslie_warnings *warnings;
};

/* Returns our copy of a frozen asset: the file's, or the folder its files went to. */
static struct loom_str copy_of(const struct build *build, const struct loom_asset *asset)
{
	bool is_folder = asset->path.p[asset->path.n - 1] == '/';
	struct loom_str path = asset->path;

	for (size_t i = 0; i < build->share.copy_count; i++) {
		const struct model_leslie_copy *copy = &build->share.copies[i];
		struct loom_str name = copy->name;

		if (!(is_folder ? loom_str_starts(copy->path, path)
				: loom_str_eq(copy->path, path)))
			continue;
		/* What follows the folder's path is also at the end of the name. */
		if (is_folder && name.n >= copy->path.n - path.n)
			name.n -= copy->path.n - path.n;
		return loom_arena_format(build->arena,
					 ".leslie/threads/%.*s/" MODEL_LESLIE_INHERITED "/%.*s",
					 LOOM_STR_ARG(build->id), LOOM_STR_ARG(name));
	}
	return path;
}

/* The worst state of the copies that an asset has. */
static enum loom_copy_state state_of(const struct build *build, const struct loom_asset *asset,
				     const struct loom_root *source)
{
	const struct model_leslie_compare compare = {.folder = &build->folder,
						     .source = source,
						     .arena = build->arena};
	const bool is_folder = asset->path.p[asset->path.n - 1] == '/';
	enum loom_copy_state worst = LOOM_COPY_SOUND;

	for (size_t i = 0; i < build->share.copy_count; i++) {
		const struct model_leslie_copy *copy = &build->share.copies[i];
		enum loom_copy_state state = LOOM_COPY_SOUND;

		if (copy->fresh || !(is_folder ? loom_str_starts(copy->path, asset->path)
					       : loom_str_eq(copy->path, asset->path)))
			continue;
		state = model_leslie_copy_state(&compare, copy);
		if (worst != LOOM_COPY_FORGED && state != LOOM_COPY_SOUND)
			worst = state;
	}
	return worst;
}

static void add_frozen(struct build *build, const struct model_leslie_source *source,
		       const struct loom_root *folder, struct loom_asset_list *list)
{
	for (size_t i = 0; i < source->assets.count; i++) {
		struct loom_asset asset = source->assets.items[i];

		asset.path = loom_arena_str(build->arena, asset.path);
		asset.read_path = copy_of(build, &asset);
		/* A file that was left out is not given; an empty folder has nothing to copy. */
		if (loom_str_eq(asset.read_path, asset.path) &&
		    !loom_str_ends(asset.path, LOOM_STR("/")))
			continue;
		asset.state = state_of(build, &asset, folder);
		loom_asset_add(build->arena, list, asset);
	}
}

/* Adds copies that another program made below the source's id, in place of the owner's. */
static bool add_foreign(struct build *build, struct loom_str target, struct loom_asset_list *list)
{
	struct loom_root copies = build->folder;
	struct loom_str prefix =
		loom_arena_format(build->arena,
				  ".leslie/threads/%.*s/" MODEL_LESLIE_INHERITED "/%.*s/",
				  LOOM_STR_ARG(build->id), LOOM_STR_ARG(target));
	struct loom_asset_list found = {0};
	char path[128];

	snprintf(path, sizeof(path), MODEL_LESLIE_INHERITED "/%.*s", LOOM_STR_ARG(target));
	copies.fd = build->folder.fd < 0
			    ? -1
			    : model_open_beneath(build->folder.fd, path, O_PATH | O_DIRECTORY, 0,
						 MODEL_NO_LINKS);
	if (copies.fd < 0)
		return false;
	loom_asset_discover(build->arena, &copies, prefix, false, &found);
	close(copies.fd);
	for (size_t i = 0; i < found.count; i++) {
		struct loom_asset asset = found.items[i];

		asset.path = loom_arena_format(build->arena, ".leslie/threads/%.*s/%.*s",
					       LOOM_STR_ARG(target),
					       LOOM_STR_ARG(loom_str_sub(asset.read_path, prefix.n,
									 SIZE_MAX)));
		loom_asset_add(build->arena, list, asset);
	}
	return true;
}

/* Adds the files of a live folder. A folder is one asset, but its reader is told of each file. */
static void add_inside(struct build *build, const struct loom_asset *asset,
		       const struct loom_root *folder, struct loom_context_ref *ref)
{
	const struct loom_str below = model_leslie_within(asset->path, ref->thread);
	struct loom_leslie_file *files = NULL;
	size_t count = 0;

	LOOM_ASSERT(loom_str_ends(below, LOOM_STR("/")));
	ref->inside_whole &=
		model_leslie_files_below(folder, below, INSIDE_MOST, build->arena, &files, &count);
	for (size_t i = 0; i < count; i++) {
		if (loom_str_ends(files[i].name, LOOM_STR("/")))
			continue;
		ref->inside = loom_arena_grow(build->arena, ref->inside, ref->inside_count,
					      &ref->inside_cap, sizeof *ref->inside);
		ref->inside[ref->inside_count++] =
			loom_arena_format(build->arena, ".leslie/threads/%.*s/%.*s",
					  LOOM_STR_ARG(ref->thread), LOOM_STR_ARG(files[i].name));
	}
}

/* Adds what a live scope has now, unless a frozen one gives it. */
static void add_scope(struct build *build, struct loom_str scope, const struct loom_root *folder,
		      struct loom_context_ref *ref)
{
	struct loom_asset_list found = {0};

	if (model_leslie_name_fault(scope) || model_leslie_name_is_private(scope))
		return;
	model_leslie_scope_assets(build->arena, folder, ref->thread, scope, &found);
	for (size_t i = 0; i < found.count; i++) {
		const size_t had = ref->assets.count;

		loom_asset_add(build->arena, &ref->assets, found.items[i]);
		if (ref->assets.count > had && loom_str_ends(found.items[i].path, LOOM_STR("/")))
			add_inside(build, &found.items[i], folder, ref);
	}
}

static void add_implied(struct build *build, const struct model_leslie_bond *bond,
			const struct loom_root *folder, struct loom_context_ref *ref)
{
	if (bond->frozen && add_foreign(build, ref->thread, &ref->assets))
		return;
	for (size_t i = 0; i < bond->scope_count; i++)
		add_scope(build, bond->scopes[i], folder, ref);
	if (bond->scope_count == 0)
		add_scope(build, LOOM_STR(MODEL_LESLIE_WHOLE), folder, ref);
}

/* Warns of a name that was given live and is no longer there, as of a thread that is gone. */
static void warn_vanished(struct build *build, const struct loom_root *folder,
			  struct loom_str scope, struct loom_str thread)
{
	struct loom_file_info info;

	if (scope.n && scope.p[scope.n - 1] == '/')
		scope.n--;
	if (model_leslie_name_fault(scope) ||
	    loom_path_info(folder, scope, false, &info, NULL) != LOOM_NOT_FOUND)
		return;
	model_leslie_warn(build->arena, build->warnings, "Referenced file %.*s of %.*s not found",
			  LOOM_STR_ARG(scope), LOOM_STR_ARG(thread));
}

static void add_live(struct build *build, const struct loom_root *folder,
		     struct loom_context_ref *ref)
{
	for (size_t i = 0; i < build->share.pointer_count; i++) {
		const struct model_leslie_pointer *pointer = &build->share.pointers[i];
		struct loom_str scope = model_leslie_within(pointer->path, ref->thread);

		if (!loom_str_eq(pointer->thread, ref->thread))
			continue;
		if (scope.n == 0)
			scope = LOOM_STR(MODEL_LESLIE_WHOLE);
		else
			warn_vanished(build, folder, scope, ref->thread);
		add_scope(build, scope, folder, ref);
	}
}

/* Returns a digest of the copies made from a thread: a refresh changes it. */
static struct loom_str digest_of(const struct build *build, struct loom_str target)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_hash hash;
	struct loom_str hex;

	for (size_t i = 0; i < build->share.copy_count; i++) {
		const struct model_leslie_copy *copy = &build->share.copies[i];

		if (loom_str_eq(copy->thread, target))
			loom_buf_addf(&text, "%.*s %.*s\n", LOOM_STR_ARG(copy->sha256),
				      LOOM_STR_ARG(copy->name));
	}
	hash = loom_sha256(loom_buf_str(&text));
	loom_buf_clear(&text);
	loom_hash_hex(&hash, &text);
	hex = loom_arena_buf(build->arena, &text);
	loom_buf_fini(&text);
	return hex;
}

static int by_text(const void *a, const void *b)
{
	const struct loom_str *x = a;
	const struct loom_str *y = b;

	return loom_str_cmp(*x, *y);
}

static void add_ref(struct build *build, struct loom_str target)
{
	struct loom_root folder = LOOM_ROOT_INIT;
	const struct model_leslie_source *source = model_leslie_share_source(&build->share, target);
	struct model_leslie_bond bond;
	struct loom_context_ref *ref = NULL;

	if (!model_leslie_record(build->leslie, target).p ||
	    model_leslie_open_thread(build->leslie, target, &folder, NULL) != LOOM_OK) {
		static const struct loom_root gone = LOOM_ROOT_INIT;

		loom_leslie_warn_broken(build->arena, build->warnings, target);
		if (source)
			add_frozen(build, source, &gone, &build->out->kept);
		return;
	}
	bond = model_leslie_share_bond(build->leslie, &build->share, build->id, target,
				       build->arena);
	ref = loom_context_ref_of(build->arena, build->out, target);
	ref->copies = digest_of(build, target);
	ref->inside_whole = true;
	if (source)
		add_frozen(build, source, &folder, &ref->assets);
	if (bond.implied)
		add_implied(build, &bond, &folder, ref);
	else
		add_live(build, &folder, ref);
	loom_asset_sort(&ref->assets);
	if (ref->inside_count)
		qsort(ref->inside, ref->inside_count, sizeof *ref->inside, by_text);
	if (ref->assets.count == 0)
		build->out->ref_count--;
	loom_root_close(&folder);
}

static bool seen_before(const struct loom_str *targets, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (loom_str_eq(targets[i], targets[at]))
			return true;
	}
	return false;
}

/* Adds to the share what the foreseen reference would; nothing is written. */
static enum loom_status bind_foreseen(struct build *build, struct loom_leslie_err *err)
{
	struct loom_root inherited = build->folder;
	const struct model_leslie_bind bind = {.leslie = build->leslie,
					       .share = &build->share,
					       .inherited = &inherited,
					       .binding = build->foreseen->binding,
					       .ref_id = LOOM_STR("foreseen"),
					       .now = model_leslie_now(build->leslie, build->arena),
					       .warnings = build->warnings};
	enum loom_status status = LOOM_OK;

	if (inherited.fd >= 0)
		inherited.fd = model_open_beneath(build->folder.fd, MODEL_LESLIE_INHERITED,
						  O_PATH | O_DIRECTORY, 0, MODEL_NO_LINKS);
	status = model_leslie_bind_target(&bind, &build->foreseen->target, err);
	loom_root_close(&inherited);
	return status;
}

/* Returns the threads that are referenced; the foreseen one comes last. */
static struct loom_str *targets_of(const struct build *build, size_t *count)
{
	struct loom_str relation = model_leslie_relation(build->leslie, build->id);
	struct loom_str *found =
		model_leslie_texts(build->arena, model_leslie_member(relation, "references_to"),
				   count);
	struct loom_str *targets = LOOM_ARENA_ARRAY(build->arena, *count + 1, struct loom_str);

	LOOM_ASSERT(build->arena);
	for (size_t i = 0; i < *count; i++)
		targets[i] = loom_arena_str(build->arena, found[i]);
	/* One that cannot be read has been warned of. */
	if (build->foreseen && model_leslie_stands(build->leslie, build->foreseen->target.thread))
		targets[(*count)++] = loom_arena_str(build->arena, build->foreseen->target.thread);
	return targets;
}

static enum loom_status add_refs(struct build *build, struct loom_leslie_err *err)
{
	size_t count = 0;
	struct loom_str *targets = NULL;
	enum loom_status status = LOOM_OK;

	if (build->folder.fd >= 0)
		status = model_leslie_share_read(build->leslie, &build->folder, build->arena,
						 &build->share, err);
	if (status == LOOM_OK && build->foreseen)
		status = bind_foreseen(build, err);
	if (status != LOOM_OK)
		return status;
	targets = targets_of(build, &count);
	for (size_t i = 0; i < count; i++) {
		if (!seen_before(targets, i))
			add_ref(build, targets[i]);
	}
	return LOOM_OK;
}

static void add_own(struct build *build)
{
	if (model_leslie_open_thread(build->leslie, build->id, &build->folder, NULL) != LOOM_OK)
		build->folder = (struct loom_root)LOOM_ROOT_INIT;
	else
		loom_asset_discover(build->arena, &build->folder,
				    loom_arena_format(build->arena, ".leslie/threads/%.*s/",
						      LOOM_STR_ARG(build->id)),
				    true, &build->out->assets);
}

/* Builds the context of a thread that exists. */
static enum loom_status build_context(struct build *build, enum loom_context_mode mode,
				      struct loom_leslie_err *err)
{
	struct loom_str record = model_leslie_record(build->leslie, build->id);
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(record.p);
	*build->out = (struct loom_thread_context){
		.thread = build->id,
		.objective =
			loom_arena_str(build->arena,
				       model_leslie_member_text(build->arena, record, "objective")),
		.relations_file = LOOM_STR(MODEL_LESLIE_RELATIONS_PATH)};
	add_own(build);
	if (mode == LOOM_CONTEXT_SPAWN)
		build->out->assets = (struct loom_asset_list){0};
	status = add_refs(build, err);
	loom_root_close(&build->folder);
	return status;
}

enum loom_status loom_leslie_context(struct loom_leslie *leslie, struct loom_str id,
				     enum loom_context_mode mode, struct loom_arena *arena,
				     struct loom_thread_context *out,
				     struct loom_leslie_warnings *warnings,
				     struct loom_leslie_err *err)
{
	struct build build = {.leslie = leslie,
			      .arena = arena,
			      .id = loom_arena_str(arena, id),
			      .folder = LOOM_ROOT_INIT,
			      .share = {.arena = arena},
			      .out = out,
			      .warnings = warnings};
	enum loom_status status = model_leslie_look(leslie, err);

	*out = (struct loom_thread_context){.thread = build.id};
	if (status == LOOM_OK)
		status = model_leslie_need_thread(leslie, id, err);
	return status == LOOM_OK ? build_context(&build, mode, err) : status;
}

enum loom_status loom_leslie_foresee(struct loom_leslie *leslie, const struct loom_leslie_ref *ref,
				     struct loom_arena *arena, struct loom_thread_context *out,
				     struct loom_leslie_warnings *warnings,
				     struct loom_leslie_err *err)
{
	struct build build = {.leslie = leslie,
			      .arena = arena,
			      .id = loom_arena_str(arena, ref->from),
			      .folder = LOOM_ROOT_INIT,
			      .share = {.arena = arena},
			      .out = out,
			      .foreseen = ref,
			      .warnings = warnings};
	enum loom_status status = model_leslie_look(leslie, err);

	*out = (struct loom_thread_context){.thread = build.id};
	if (status == LOOM_OK)
		status = model_leslie_ref_check(leslie, ref, err);
	return status == LOOM_OK ? build_context(&build, LOOM_CONTEXT_LOAD, err) : status;
}
