/* What an import with --sync has seen: which paths, and of each file its size and time, so that the
 * next one reads only what has changed. Kept as one JSON object among the grove's state; what an
 * import really adds is decided by the nodes alone, so losing it costs nothing but time. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/files/state_file.h>

#include "take.h"

#define STATE_MAX ((size_t)64 << 20)
#define STATE     "/imported.json"

struct loom_import_sync {
	struct loom_buf dir;
	struct loom_buf path; /* of the state file */
	cJSON *state;
	cJSON *now; /* what has been seen in this import */
	struct loom_arena *arena;
	const char **paths;
	size_t count;
	const cJSON **seen; /* files of earlier imports, by their paths */
	size_t seen_count;
};

enum loom_status loom_import_sync_open(struct loom_store *store, struct loom_import_sync **out,
				       struct loom_err *err)
{
	struct loom_import_sync *sync = loom_alloc(sizeof *sync);
	enum loom_status status;

	*sync = (struct loom_import_sync){.dir = LOOM_BUF_INIT(1 << 13),
					  .path = LOOM_BUF_INIT(1 << 13)};
	sync->arena = loom_arena_create();
	sync->now = cJSON_CreateObject();
	status = model_own_dir(store, &sync->dir, err);
	loom_buf_addf(&sync->path, "%s" STATE, loom_buf_cstr(&sync->dir));
	if (status == LOOM_OK)
		status = model_json_load(loom_buf_cstr(&sync->path), STATE_MAX, &sync->state, err);
	*out = sync;
	return status;
}

void loom_import_sync_close(struct loom_import_sync *sync)
{
	if (!sync)
		return;
	cJSON_Delete(sync->state);
	cJSON_Delete(sync->now);
	loom_arena_destroy(sync->arena);
	loom_buf_fini(&sync->dir);
	loom_buf_fini(&sync->path);
	free(sync);
}

static cJSON *member(cJSON *object, const char *key, bool list)
{
	cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	if (item && (list ? cJSON_IsArray(item) : cJSON_IsObject(item)))
		return item;
	cJSON_DeleteItemFromObjectCaseSensitive(object, key);
	item = list ? cJSON_CreateArray() : cJSON_CreateObject();
	cJSON_AddItemToObject(object, key, item);
	return item;
}

static bool has_path(const cJSON *list, const char *path)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, list) if (cJSON_IsString(item) &&
					   strcmp(item->valuestring, path) == 0) return true;
	return false;
}

static int by_key(const void *a, const void *b)
{
	const cJSON *const *x = a;
	const cJSON *const *y = b;

	return strcmp((*x)->string, (*y)->string);
}

static void index_seen(struct loom_import_sync *sync)
{
	const cJSON *files = member(sync->state, "files", false);
	const cJSON *file;

	sync->seen =
		LOOM_ARENA_ARRAY(sync->arena, (size_t)cJSON_GetArraySize(files) + 1, const cJSON *);
	cJSON_ArrayForEach(file, files) sync->seen[sync->seen_count++] = file;
	qsort(sync->seen, sync->seen_count, sizeof *sync->seen, by_key);
}

static const cJSON *find_seen(const struct loom_import_sync *sync, const char *path)
{
	size_t low = 0;
	size_t high = sync->seen_count;

	while (low < high) {
		const size_t at = low + (high - low) / 2;

		if (strcmp(sync->seen[at]->string, path) < 0)
			low = at + 1;
		else
			high = at;
	}
	return low < sync->seen_count && strcmp(sync->seen[low]->string, path) == 0
		       ? sync->seen[low]
		       : NULL;
}

enum loom_status loom_import_sync_paths(struct loom_import_sync *sync,
					struct loom_import_paths *paths, struct loom_err *err)
{
	cJSON *list = member(sync->state, "paths", true);
	const cJSON *item;

	for (size_t i = 0; i < paths->count; i++) {
		char *real = realpath(paths->items[i], NULL);

		if (!real)
			return loom_fail_errno(err, errno, "%s", paths->items[i]);
		if (!has_path(list, real))
			cJSON_AddItemToArray(list, cJSON_CreateString(real));
		free(real);
	}
	sync->paths =
		LOOM_ARENA_ARRAY(sync->arena, (size_t)cJSON_GetArraySize(list) + 1, const char *);
	cJSON_ArrayForEach(item,
			   list) if (cJSON_IsString(item) && access(item->valuestring, F_OK) == 0)
		sync->paths[sync->count++] = item->valuestring;
	if (!cJSON_GetArraySize(list)) {
		loom_fail(err, LOOM_USAGE, "nothing has been imported with --sync so far");
		return loom_hint(err, LOOM_USAGE,
				 "name a file or a folder once: loom import --sync DIR");
	}
	index_seen(sync);
	paths->items = sync->paths;
	paths->count = sync->count;
	paths->sync = sync;
	return LOOM_OK;
}

/* Size and time of a file, and of a log beside it. */
static void say_state(const char *path, const struct stat *info, char out[120])
{
	char name[4096 + 8];
	struct stat log = {.st_size = 0};

	snprintf(name, sizeof name, "%s-wal", path);
	if (stat(name, &log) != 0)
		log = (struct stat){.st_size = 0};
	snprintf(out, 120, "%lld %lld.%09ld %lld %lld.%09ld", (long long)info->st_size,
		 (long long)info->st_mtim.tv_sec, info->st_mtim.tv_nsec, (long long)log.st_size,
		 (long long)log.st_mtim.tv_sec, log.st_mtim.tv_nsec);
}

bool import_sync_seen(struct loom_import_sync *sync, const char *path, const struct stat *info)
{
	const cJSON *was = find_seen(sync, path);
	char state[120];

	say_state(path, info, state);
	cJSON_AddStringToObject(sync->now, path, state);
	return was && cJSON_IsString(was) && strcmp(was->valuestring, state) == 0;
}

enum loom_status loom_import_sync_save(struct loom_import_sync *sync, struct loom_err *err)
{
	enum loom_status status = model_make_dirs(loom_buf_str(&sync->dir), MODEL_FOLDER_MODE, err);

	cJSON_DeleteItemFromObjectCaseSensitive(sync->state, "files");
	cJSON_AddItemToObject(sync->state, "files", sync->now);
	sync->now = cJSON_CreateObject();
	return status == LOOM_OK ? model_json_save(loom_buf_cstr(&sync->path), sync->state, err)
				 : status;
}
