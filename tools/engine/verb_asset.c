/* The files of a spawned thread as documents. It may read and write its own, and read those given
 * to it by reference (a frozen one from the inherited copy); the global plan; and the files that
 * say how threads are related.
 *
 * A path is one from the thread's block, or below one; a name is looked up among what was given,
 * frozen before live. Reads see what is on disk now: these files are the interface to other
 * programs. */
#include <loom/engine/handlers.h>

#include <loom/shared/thread_context.h>
#include <loom/sharing/file_ops.h>
#include <loom/sharing/turn_files.h>
#include <loom/text/sanitise.h>

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

static struct loom_str own_folder(const struct shelf *shelf)
{
	return loom_arena_format(shelf->run->arena, ".leslie/threads/%.*s/",
				 LOOM_STR_ARG(shelf->thread));
}

/* Whether a name within the thread's folder is the thread's to write: an asset, or anything below
 * artifacts/. What it was given, and other tools' files, are not. */
static bool is_to_write(struct loom_str rest)
{
	static const struct loom_str outputs = LOOM_STR_INIT("artifacts/");
	enum loom_asset_type type;

	return loom_asset_type_of(rest, &type) ||
	       (loom_str_starts(rest, outputs) && rest.n > outputs.n);
}

static bool is_private(struct loom_str rest)
{
	return rest.p[0] == '.' || loom_str_starts(rest, LOOM_STR("context/")) ||
	       loom_str_is(rest, "context");
}

/* Finds a path in the thread's own folder, or a name relative to it (`plan.md`, with or without
 * `artifacts/`), that it may write, or that is there to be read. */
static bool find_own_path(const struct shelf *shelf, struct loom_str name, bool write,
			  struct engine_page *out)
{
	struct loom_arena *arena = shelf->run->arena;
	struct loom_str folder = own_folder(shelf);
	bool whole = loom_str_starts(name, folder);
	struct loom_str rest = whole ? loom_str_sub(name, folder.n, name.n) : name;

	if (loom_str_ends(rest, LOOM_STR("/")))
		rest.n--;
	if (!rest.n || loom_path_check(rest, NULL) != LOOM_OK || is_private(rest) ||
	    (write && !is_to_write(rest)))
		return false;
	out->own = true;
	out->path = loom_arena_format(arena, "%.*s%.*s", LOOM_STR_ARG(folder), LOOM_STR_ARG(rest));
	if (!whole && !is_there(shelf, out->path)) {
		struct loom_str other = loom_arena_format(arena, "%.*sartifacts/%.*s",
							  LOOM_STR_ARG(folder), LOOM_STR_ARG(rest));

		out->path = is_there(shelf, other) ? other : out->path;
	}
	return is_to_write(rest) || is_there(shelf, out->path);
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

/* Finds the file that a write means. */
static bool find_to_write(const struct shelf *shelf, struct loom_str name, struct engine_page *out)
{
	name = engine_asset_name(name);
	if (find_in(&shelf->context.assets, name, true, shelf->run->arena, out))
		return true;
	for (size_t i = 0; i < shelf->context.ref_count; i++)
		if (find_in(&shelf->context.refs[i].assets, name, false, shelf->run->arena, out))
			return true;
	return find_by_name(shelf, name, out) || find_own_path(shelf, name, true, out);
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

/* ---- what a name stands for ---- */

/* The files that say how threads are related: whoever may read documents may read them. */
static bool is_index(struct loom_str path)
{
	static const char *const files[] = {".leslie/thread_relations.json",
					    ".leslie/objectives.json",
					    ".leslie/threads/.global/registry.json"};
	bool found = false;

	for (size_t i = 0; i < LOOM_COUNT(files); i++)
		found = found || loom_str_is(path, files[i]);
	return found;
}

/* Splits the path of a thread's file; false for any other name. */
static bool split_path(struct loom_str path, struct loom_str *thread, struct loom_str *rest)
{
	static const struct loom_str threads = LOOM_STR_INIT(".leslie/threads/");
	size_t slash = 0;

	if (!loom_str_starts(path, threads))
		return false;
	path = loom_str_sub(path, threads.n, path.n);
	slash = loom_str_find_char(path, '/', 0);
	if (slash == SIZE_MAX)
		return false;
	*thread = loom_str_sub(path, 0, slash);
	*rest = loom_str_sub(path, slash + 1, path.n);
	return rest->n > 0;
}

/* Reads a name as the thread's references know it: a path of the block, that of a copy, or a name
 * alone. False for its own paths. */
static bool is_given(const struct shelf *shelf, struct loom_str name, struct loom_leslie_read *out)
{
	static const struct loom_str copies = LOOM_STR_INIT("context/inherited/");
	struct loom_str thread;

	*out = (struct loom_leslie_read){.thread = shelf->thread, .name = name};
	if (!split_path(name, &thread, &out->name)) {
		out->name = name;
		return !loom_str_starts(name, LOOM_STR(".leslie/"));
	}
	if (!loom_str_eq(thread, shelf->thread)) {
		out->from = thread;
		return true;
	}
	if (!loom_str_starts(out->name, copies))
		return false;
	out->name = loom_str_sub(out->name, copies.n, out->name.n);
	return out->name.n > 0;
}

/* Reads what was given: the frozen copy, else the live original. LOOM_NOT_FOUND leaves *err
 * alone. */
static enum loom_status read_given(struct shelf *shelf, struct loom_str name,
				   struct engine_page *page, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(ASSET_MAX + 1);
	struct loom_leslie_err why = {.code = NULL};
	struct loom_leslie_read opts;
	struct engine_page own = {.own = true};
	enum loom_status status = LOOM_NOT_FOUND;

	if (is_given(shelf, name, &opts) && !loom_str_ends(name, LOOM_STR("/")))
		status = loom_leslie_read(shelf->leslie, &opts, &text, &why);
	page->text = loom_arena_buf(shelf->run->arena, &text);
	loom_buf_fini(&text);
	if (status == LOOM_OK) {
		page->exists = true;
		page->updated = shelf->run->show->now;
		if (find_own_path(shelf, name, false, &own) && is_there(shelf, own.path))
			page->hint = loom_arena_format(shelf->run->arena,
						       "this is what the thread was given; its own "
						       "is doc:\"%.*s\"",
						       LOOM_STR_ARG(own.path));
		return LOOM_OK;
	}
	/* A folder is listed, and a name that is refused here may be the thread's own. */
	if (status == LOOM_NOT_FOUND || status == LOOM_PATH)
		return LOOM_NOT_FOUND;
	loom_fail(err, status, "%s%s%.*s", why.err.text, why.reason.n ? ": " : "",
		  LOOM_STR_ARG(why.reason));
	return why.err.hint[0] ? loom_hint(err, status, "%s", why.err.hint) : status;
}

static bool find_folder(const struct shelf *shelf, struct loom_str name, struct engine_page *out)
{
	for (size_t i = 0; i < shelf->context.ref_count; i++)
		if (find_in(&shelf->context.refs[i].assets, name, false, shelf->run->arena, out))
			return true;
	return false;
}

static enum loom_status find_to_read(struct shelf *shelf, struct loom_str name,
				     struct engine_page *out, struct loom_err *err)
{
	enum loom_status status = LOOM_NOT_FOUND;

	if (find_in(&shelf->context.assets, name, true, shelf->run->arena, out) ||
	    find_by_name(shelf, name, out))
		return read_asset(shelf, out, err);
	status = read_given(shelf, name, out, err);
	if (status != LOOM_NOT_FOUND)
		return status;
	if (!find_folder(shelf, name, out) && !find_own_path(shelf, name, false, out))
		return LOOM_NOT_FOUND;
	return read_asset(shelf, out, err);
}

/* Finds one spelling of a name. */
static enum loom_status find_named(struct shelf *shelf, struct loom_str name, bool write,
				   struct engine_page *out, struct loom_err *err)
{
	struct loom_str path = engine_asset_name(name);

	*out = (struct engine_page){.kind = ENGINE_PAGE_ASSET, .name = name};
	if (loom_str_is(name, "global plan") || loom_str_is(path, LOOM_LESLIE_GLOBAL_PLAN))
		return read_plan(shelf, out, err);
	if (is_index(path)) {
		out->path = path;
		return write ? LOOM_NOT_FOUND : read_asset(shelf, out, err);
	}
	if (load_block(shelf) != LOOM_OK)
		return LOOM_NOT_FOUND;
	if (!write)
		return find_to_read(shelf, path, out, err);
	return find_to_write(shelf, path, out) ? read_asset(shelf, out, err) : LOOM_NOT_FOUND;
}

enum loom_status engine_asset_find(struct engine_run *run, struct loom_str name, bool write,
				   struct engine_page *out, struct loom_err *err)
{
	const bool spawned = !run->thread.implicit && run->thread.id;
	struct loom_str plain = loom_xml_unescape(name, run->arena);
	struct shelf shelf = {.root = LOOM_ROOT_INIT};
	enum loom_status status = LOOM_NOT_FOUND;

	*out = (struct engine_page){.kind = ENGINE_PAGE_ASSET, .name = name};
	if (!spawned && !loom_str_is(name, "global plan") &&
	    !loom_str_starts(engine_asset_name(name), LOOM_STR(".leslie/")))
		return LOOM_NOT_FOUND;
	if (open_shelf(run, &shelf, err) == LOOM_OK)
		status = find_named(&shelf, name, write, out, err);
	/* As it stands in the block, with XML's escapes. */
	if ((status == LOOM_NOT_FOUND || (status == LOOM_OK && !out->exists)) &&
	    !loom_str_eq(plain, name))
		status = find_named(&shelf, plain, write, out, err);
	close_shelf(&shelf);
	return status;
}

/* Appends what the thread can read, for a hint. */
static void add_readable(const struct shelf *shelf, struct loom_buf *out)
{
	for (size_t i = 0; i < shelf->context.ref_count; i++) {
		const struct loom_asset_list *list = &shelf->context.refs[i].assets;

		for (size_t k = 0; k < list->count && out->n < 300; k++) {
			loom_buf_adds(out, out->n ? ", " : "");
			loom_shown_line(out, list->items[k].path, 0);
		}
	}
}

enum loom_status engine_asset_refuse(struct engine_run *run, struct loom_str name,
				     struct loom_err *err)
{
	struct shelf shelf = {.root = LOOM_ROOT_INIT};
	struct loom_buf readable = LOOM_BUF_INIT(4096);
	const bool file = loom_str_find_char(name, '/', 0) != SIZE_MAX ||
			  loom_str_find_char(name, '.', 0) != SIZE_MAX;
	bool spawned = false;

	if (file && open_shelf(run, &shelf, NULL) == LOOM_OK && load_block(&shelf) == LOOM_OK) {
		spawned = true;
		add_readable(&shelf, &readable);
	}
	close_shelf(&shelf);
	if (!spawned) {
		loom_buf_fini(&readable);
		return engine_refuse_doc(run, name, err);
	}
	loom_fail(err, LOOM_NOT_FOUND, "File not referenced: no reference gives this thread %.*s",
		  LOOM_STR_ARG(name));
	if (readable.n)
		loom_hint(err, LOOM_NOT_FOUND, "it was given %s", loom_buf_cstr(&readable));
	else
		loom_hint(err, LOOM_NOT_FOUND,
			  LANG_ARROW " ref THREAD:%.*s lets it read the file of a thread",
			  LOOM_STR_ARG(name));
	loom_buf_fini(&readable);
	return LOOM_NOT_FOUND;
}

struct loom_str engine_asset_path(struct engine_run *run, struct loom_str name)
{
	struct shelf shelf = {.root = LOOM_ROOT_INIT};
	struct engine_page page = {.own = false};
	struct loom_str path = {NULL, 0};

	if (run->thread.implicit || !run->thread.id)
		return path;
	if (open_shelf(run, &shelf, NULL) == LOOM_OK && load_block(&shelf) == LOOM_OK &&
	    find_to_write(&shelf, name, &page) && page.own && is_there(&shelf, page.path))
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
	const struct loom_kept kept =
		loom_outside_file(page->kind == ENGINE_PAGE_PLAN ? LOOM_STR(LOOM_LESLIE_GLOBAL_PLAN)
								 : page->path,
				  page->exists ? page->text : loom_str_make(NULL, 0), text);
	const struct loom_outside what = {.kept = &kept, .kept_count = 1};
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
	status = loom_outside_keep(run->store, &what, err);
	if (status != LOOM_OK || run->engine->opts.dry_run)
		return status;
	status = open_shelf(run, &shelf, err);
	if (status == LOOM_OK)
		status = put(&shelf, page, text, err);
	close_shelf(&shelf);
	return status;
}
