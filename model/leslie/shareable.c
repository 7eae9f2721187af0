/* Lists the files that a thread could share, or that a live reference gives in a folder. Writes
 * nothing. */
#include "share.h"

struct files {
	struct loom_arena *arena;
	const struct loom_root *folder;
	struct loom_leslie_file *items;
	size_t most;
	size_t count;
	size_t cap;
};

static bool is_given(struct loom_str name, const struct loom_folder_item *item)
{
	LOOM_ASSERT(item->name.n > 0);
	return (item->kind == LOOM_FILE_PLAIN || item->kind == LOOM_FILE_FOLDER) &&
	       item->name.p[0] != '.' && !model_leslie_name_fault(name) &&
	       !model_leslie_name_is_private(name);
}

/* Adds a folder's entries (a name that ends in `/`, or empty: the thread's own); its subfolders are
 * in the list, to be opened when their turn comes. */
static enum loom_status add_folder(struct files *files, struct loom_str below, struct loom_err *err)
{
	struct loom_folder_item *items = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_folder_list(files->folder, loom_str_sub(below, 0, below.n ? below.n - 1 : 0),
				 files->arena, &items, &count, err);

	for (size_t i = 0; i < count && files->count < files->most; i++) {
		struct loom_str name =
			loom_arena_format(files->arena, "%.*s%.*s", LOOM_STR_ARG(below),
					  LOOM_STR_ARG(items[i].name));
		struct loom_file_info info = {.size = 0};
		bool deeper = items[i].kind == LOOM_FILE_FOLDER;

		if (!is_given(name, &items[i]) ||
		    loom_path_info(files->folder, name, false, &info, NULL) != LOOM_OK)
			continue;
		if (deeper)
			name = loom_arena_format(files->arena, "%.*s/", LOOM_STR_ARG(name));
		files->items = loom_arena_grow(files->arena, files->items, files->count,
					       &files->cap, sizeof *files->items);
		LOOM_ASSERT(files->count < files->cap);
		files->items[files->count++] =
			(struct loom_leslie_file){.name = name, .size = deeper ? 0 : info.size};
	}
	return status;
}

static int by_name(const void *a, const void *b)
{
	const struct loom_leslie_file *x = a;
	const struct loom_leslie_file *y = b;

	return loom_str_cmp(x->name, y->name);
}

/* Adds what is in a folder and in its subfolders; one of these that cannot be read counts as
 * empty. */
static enum loom_status add_below(struct files *files, struct loom_str below, struct loom_err *err)
{
	enum loom_status status = add_folder(files, below, err);

	for (size_t i = 0; status == LOOM_OK && i < files->count; i++) {
		struct loom_str name = files->items[i].name;

		if (loom_str_ends(name, LOOM_STR("/")) && add_folder(files, name, NULL) != LOOM_OK)
			continue;
	}
	if (files->count)
		qsort(files->items, files->count, sizeof *files->items, by_name);
	return status;
}

bool model_leslie_files_below(const struct loom_root *folder, struct loom_str below, size_t most,
			      struct loom_arena *arena, struct loom_leslie_file **out,
			      size_t *out_count)
{
	struct files files = {.arena = arena, .folder = folder, .most = most};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(loom_str_ends(below, LOOM_STR("/")));
	status = add_below(&files, below, NULL);
	*out = files.items;
	*out_count = files.count;
	return status == LOOM_OK && files.count < most;
}

enum loom_status loom_leslie_files(struct loom_leslie *leslie, struct loom_str id,
				   struct loom_arena *arena, struct loom_leslie_file **out,
				   size_t *out_count, struct loom_leslie_err *err)
{
	struct loom_root folder = LOOM_ROOT_INIT;
	struct files files = {.arena = arena, .folder = &folder, .most = LOOM_LESLIE_FILES};
	enum loom_status status = model_leslie_look(leslie, err);

	LOOM_ASSERT(out && out_count);
	*out = NULL;
	*out_count = 0;
	if (status == LOOM_OK)
		status = model_leslie_need_thread(leslie, id, err);
	if (status != LOOM_OK)
		return status;
	/* A thread without a folder, or with an unreadable one, has nothing to share. */
	if (model_leslie_open_thread(leslie, id, &folder, NULL) == LOOM_OK)
		status = add_below(&files, LOOM_STR(""), &err->err);
	loom_root_close(&folder);
	*out = files.items;
	*out_count = files.count;
	return status;
}
