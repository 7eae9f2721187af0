/* The files of a spawned thread as documents. It may read and write its own, and read those given
 * to it by reference (a frozen one from the inherited copy); and the global plan.
 *
 * A path is one from the thread's block, or below one. Reads see what is on disk now: these files
 * are the interface to other programs, so the store keeps nothing of them. */
#include <loom/engine/handlers.h>

#include <loom/leslie/leslie.h>

#define ASSET_MAX ((size_t)16 << 20)

/* The thread's block and the files it names. */
struct shelf {
	struct engine_run *run;
	struct loom_leslie *leslie;
	struct loom_root root;
	struct loom_file_id store_files[LOOM_STORE_FILES]; /* never opened */
	size_t store_file_count;
	struct loom_thread_context context;
	struct loom_str thread;
};

static void close_shelf(struct shelf *shelf)
{
	loom_root_close(&shelf->root);
	loom_leslie_close(shelf->leslie);
}

static enum loom_status open_shelf(struct engine_run *run, struct shelf *shelf,
				   struct loom_err *err)
{
	struct loom_buf dir = LOOM_BUF_INIT(4096);
	struct loom_leslie_opts opts = {.env = loom_store_env(run->store), .operator_ = "agent"};
	enum loom_status status = LOOM_OK;

	*shelf = (struct shelf){.run = run, .root = LOOM_ROOT_INIT, .thread = run->thread.name};
	shelf->store_file_count = loom_store_files(loom_store_dir(run->store), shelf->store_files);
	loom_buf_add(&dir, loom_store_dir(run->store));
	opts.start = loom_buf_cstr(&dir);
	opts.refused = shelf->store_files;
	opts.refused_count = shelf->store_file_count;
	status = loom_leslie_open(&opts, &shelf->leslie, err);
	if (status == LOOM_OK)
		status = loom_root_open(loom_leslie_root(shelf->leslie), &shelf->root, err);
	shelf->root.refused = shelf->store_files;
	shelf->root.refused_count = shelf->store_file_count;
	loom_buf_fini(&dir);
	return status;
}

/* Loads what the thread has and was given; nothing if it has no folder. */
static enum loom_status load_block(struct shelf *shelf)
{
	struct loom_leslie_warnings warnings = {.items = NULL};
	struct loom_leslie_err why = {.code = NULL};

	if (shelf->run->thread.implicit || !shelf->thread.n)
		return LOOM_NOT_FOUND;
	return loom_leslie_context(shelf->leslie, shelf->thread, LOOM_CONTEXT_LOAD,
				   shelf->run->arena, &shelf->context, &warnings, &why);
}

/* ---- which file ---- */

/* Whether `name` is the asset's path, with or without a folder's trailing slash, or is below it
 * without going back up; *rest is the remainder. */
static bool is_at(const struct loom_asset *asset, struct loom_str name, struct loom_str *rest)
{
	struct loom_str path = asset->path;
	const bool folder = loom_str_ends(path, LOOM_STR("/"));

	if (folder)
		path.n--;
	if (!loom_str_starts(name, path))
		return false;
	*rest = loom_str_sub(name, path.n, name.n);
	if (!rest->n || (folder && loom_str_is(*rest, "/")))
		return true;
	return folder && rest->p[0] == '/' &&
	       loom_path_check(loom_str_sub(*rest, 1, rest->n), NULL) == LOOM_OK;
}

static bool find_in(const struct loom_asset_list *list, struct loom_str name, bool own,
		    struct loom_arena *arena, struct engine_page *out)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct loom_asset *asset = &list->items[i];
		struct loom_str base = asset->read_path.n ? asset->read_path : asset->path;
		struct loom_str rest;

		if (!is_at(asset, name, &rest))
			continue;
		if (loom_str_ends(base, LOOM_STR("/")))
			base.n--;
		out->own = own;
		out->path = loom_arena_format(arena, "%.*s%.*s", LOOM_STR_ARG(base),
					      LOOM_STR_ARG(rest));
		return true;
	}
	return false;
}

static bool find_by_name(const struct shelf *shelf, struct loom_str name, struct engine_page *out)
{
	enum loom_asset_type type;

	if (!loom_asset_type_parse(name, &type))
		return false;
	out->own = true;
	for (size_t i = 0; i < shelf->context.assets.count; i++) {
		if (shelf->context.assets.items[i].type == type) {
			out->path = shelf->context.assets.items[i].path;
			return true;
		}
	}
	out->path = loom_arena_format(shelf->run->arena, ".leslie/threads/%.*s/%.*s.md",
				      LOOM_STR_ARG(shelf->thread), LOOM_STR_ARG(name));
	return true;
}

static bool is_there(const struct shelf *shelf, struct loom_str path)
{
	struct loom_file_info info;

	return loom_path_info(&shelf->root, path, false, &info, NULL) == LOOM_OK;
}

/* Finds a path in the thread's own folder, or a name relative to it (`plan.md`, with or without
 * `artifacts/`), that is an asset or would become one. */
static bool find_own_path(const struct shelf *shelf, struct loom_str name, struct engine_page *out)
{
	struct loom_arena *arena = shelf->run->arena;
	struct loom_str folder =
		loom_arena_format(arena, ".leslie/threads/%.*s/", LOOM_STR_ARG(shelf->thread));
	bool whole = loom_str_starts(name, folder);
	struct loom_str rest = whole ? loom_str_sub(name, folder.n, name.n) : name;
	enum loom_asset_type type;

	if (!loom_asset_type_of(rest, &type) || loom_path_check(rest, NULL) != LOOM_OK)
		return false;
	out->own = true;
	out->path = loom_arena_format(arena, "%.*s%.*s", LOOM_STR_ARG(folder), LOOM_STR_ARG(rest));
	if (!whole && !is_there(shelf, out->path)) {
		struct loom_str other = loom_arena_format(arena, "%.*sartifacts/%.*s",
							  LOOM_STR_ARG(folder), LOOM_STR_ARG(rest));

		out->path = is_there(shelf, other) ? other : out->path;
	}
	return true;
}

struct loom_str engine_asset_name(struct loom_str name)
{
	struct loom_str rest = name;

	if (loom_str_starts(name, LOOM_STR("./")))
		rest = loom_str_sub(name, 2, name.n);
	else if (loom_str_starts(name, LOOM_STR("/")))
		rest = loom_str_sub(name, 1, name.n);
	return loom_str_starts(rest, LOOM_STR(".leslie/")) ? rest : name;
}

static bool find_path(const struct shelf *shelf, struct loom_str name, struct engine_page *out)
{
	name = engine_asset_name(name);
	if (find_in(&shelf->context.assets, name, true, shelf->run->arena, out))
		return true;
	for (size_t i = 0; i < shelf->context.ref_count; i++)
		if (find_in(&shelf->context.refs[i].assets, name, false, shelf->run->arena, out))
			return true;
	return find_by_name(shelf, name, out) || find_own_path(shelf, name, out);
}

/* ---- reading ---- */

static enum loom_status read_folder(struct shelf *shelf, struct engine_page *page,
				    struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(ASSET_MAX);
	struct loom_folder_item *items = NULL;
	struct loom_str shown = page->name;
	size_t count = 0;
	enum loom_status status =
		loom_folder_list(&shelf->root, page->path, shelf->run->arena, &items, &count, err);

	if (loom_str_ends(shown, LOOM_STR("/")))
		shown.n--;
	for (size_t i = 0; status == LOOM_OK && i < count; i++)
		loom_buf_addf(&text, "%s%.*s/%.*s%s", i ? "\n" : "", LOOM_STR_ARG(shown),
			      LOOM_STR_ARG(items[i].name),
			      items[i].kind == LOOM_FILE_FOLDER ? "/" : "");
	page->folder = true;
	page->text = loom_arena_buf(shelf->run->arena, &text);
	loom_buf_fini(&text);
	return status;
}

static enum loom_status read_file(struct shelf *shelf, struct engine_page *page,
				  struct loom_err *err)
{
	struct loom_read_opts opts = {.single = true, .max = ASSET_MAX};
	struct loom_buf text = LOOM_BUF_INIT(ASSET_MAX + 1);
	enum loom_status status = loom_file_read(&shelf->root, page->path, &opts, &text, err);

	page->text = loom_arena_buf(shelf->run->arena, &text);
	loom_buf_fini(&text);
	return status;
}

static enum loom_status read_asset(struct shelf *shelf, struct engine_page *page,
				   struct loom_err *err)
{
	struct loom_file_info info;
	struct loom_err ignored;
	enum loom_status status = loom_path_info(&shelf->root, page->path, false, &info, &ignored);

	if (status == LOOM_NOT_FOUND)
		return LOOM_OK;
	if (status != LOOM_OK) {
		*err = ignored;
		return status;
	}
	page->exists = true;
	page->updated = info.modified_ns / 1000000;
	return info.kind == LOOM_FILE_FOLDER ? read_folder(shelf, page, err)
					     : read_file(shelf, page, err);
}

static enum loom_status read_plan(struct shelf *shelf, struct engine_page *page,
				  struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(ASSET_MAX);
	struct loom_leslie_err why = {.code = NULL};
	struct loom_file_info info;
	enum loom_status status = loom_leslie_plan_read(shelf->leslie, &text, &why);

	page->kind = ENGINE_PAGE_PLAN;
	page->own = true;
	page->exists = status == LOOM_OK;
	page->text = loom_arena_buf(shelf->run->arena, &text);
	page->updated = shelf->run->show->now;
	if (page->exists &&
	    loom_path_info(&shelf->root, LOOM_STR(".leslie/threads/.global/plan.md"), false, &info,
			   NULL) == LOOM_OK)
		page->updated = info.modified_ns / 1000000;
	loom_buf_fini(&text);
	if (status == LOOM_OK || status == LOOM_NOT_FOUND)
		return LOOM_OK;
	*err = why.err;
	return status;
}

enum loom_status engine_asset_find(struct engine_run *run, struct loom_str name,
				   struct engine_page *out, struct loom_err *err)
{
	const bool plan = loom_str_is(name, "global plan");
	struct shelf shelf = {.root = LOOM_ROOT_INIT};
	enum loom_status status = LOOM_NOT_FOUND;

	*out = (struct engine_page){.kind = ENGINE_PAGE_ASSET, .name = name};
	if (!plan && (run->thread.implicit || !run->thread.id))
		return LOOM_NOT_FOUND;
	if (open_shelf(run, &shelf, err) == LOOM_OK) {
		if (plan)
			status = read_plan(&shelf, out, err);
		else if (load_block(&shelf) == LOOM_OK && find_path(&shelf, name, out))
			status = read_asset(&shelf, out, err);
	}
	close_shelf(&shelf);
	return status;
}

struct loom_str engine_asset_path(struct engine_run *run, struct loom_str name)
{
	struct shelf shelf = {.root = LOOM_ROOT_INIT};
	struct engine_page page = {.own = false};
	struct loom_str path = {NULL, 0};

	if (run->thread.implicit || !run->thread.id)
		return path;
	if (open_shelf(run, &shelf, NULL) == LOOM_OK && load_block(&shelf) == LOOM_OK &&
	    find_path(&shelf, name, &page) && page.own && is_there(&shelf, page.path))
		path = page.path;
	close_shelf(&shelf);
	return path;
}

/* ---- writing ---- */

static enum loom_status put(struct shelf *shelf, const struct engine_page *page,
			    struct loom_str text, struct loom_err *err)
{
	struct loom_write_opts opts = {.folders = true};
	struct loom_leslie_err why = {.code = NULL};
	struct loom_hash expected = loom_sha256(page->text);
	enum loom_status status = LOOM_OK;

	if (page->kind == ENGINE_PAGE_PLAN) {
		status = loom_leslie_plan_write(shelf->leslie, text, &why);
		if (status != LOOM_OK)
			*err = why.err;
		return status;
	}
	opts.fresh = !page->exists;
	opts.expected = page->exists ? &expected : NULL;
	return loom_file_write(&shelf->root, page->path, text, &opts, err);
}

enum loom_status engine_asset_write(struct engine_run *run, const struct engine_page *page,
				    struct loom_str text, struct loom_err *err)
{
	struct shelf shelf = {.root = LOOM_ROOT_INIT};
	enum loom_status status = LOOM_OK;

	if (page->folder) {
		loom_fail(err, LOOM_CONFLICT, "doc:\"%.*s\" is a folder", LOOM_STR_ARG(page->name));
		return loom_hint(err, LOOM_CONFLICT, "name a file in it");
	}
	if (!page->own) {
		loom_fail(err, LOOM_PERMISSION,
			  "doc:\"%.*s\" belongs to another thread and can only be read",
			  LOOM_STR_ARG(page->name));
		return loom_hint(err, LOOM_PERMISSION, "write to one of this thread's own files");
	}
	run->changed = true;
	status = loom_op_list_anyway(run->store, err);
	if (status != LOOM_OK || run->engine->opts.dry_run)
		return status;
	status = open_shelf(run, &shelf, err);
	if (status == LOOM_OK)
		status = put(&shelf, page, text, err);
	close_shelf(&shelf);
	return status;
}
