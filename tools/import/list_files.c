/* Lists files without importing them: which program each comes from, told by its beginning. */
#include <sys/stat.h>

#include "take.h"

enum { PATH_ROOM = 4096 };

static const struct import_reader *reader_of(struct import_walk *walk,
					     const struct import_taken *item, struct loom_err *err)
{
	struct loom_buf head = LOOM_BUF_INIT_ON(SIZE_MAX / 4, walk->import->pages);
	struct loom_foreign *foreign = NULL;
	const struct import_reader *reader = NULL;

	if (item->kind == IMPORT_DATABASE) {
		if (loom_foreign_open(item->path, walk->import->dir, walk->import->opts.task,
				      &foreign, err) == LOOM_OK)
			reader = import_database_reader(foreign);
		loom_foreign_close(foreign);
	} else if (import_walk_head(walk, item, IMPORT_LOOK, &head, err) == LOOM_OK && head.n) {
		reader = import_reader_of(walk->import, loom_buf_str(&head));
	}
	loom_buf_fini(&head);
	return reader == &import_transcript || reader == &import_refused ? NULL : reader;
}

enum loom_status loom_import_list(struct loom_import *import, const struct loom_import_paths *paths,
				  void (*each)(void *ctx, const struct loom_import_listed *listed),
				  void *ctx, struct loom_err *err)
{
	struct import_walk walk = {.import = import, .paths = paths};
	enum loom_status status;

	loom_pages_work(import->pages);
	status = import_walk_open(&walk, err);
	for (size_t i = 0; status == LOOM_OK && i < walk.count; i++) {
		const struct import_taken *item = &walk.items[i];
		const struct import_reader *reader = reader_of(&walk, item, NULL);
		const struct loom_import_listed listed = {
			.file = item->name,
			.format = reader ? reader->name : NULL,
			.size = item->size,
		};

		each(ctx, &listed);
		loom_task_report(import->opts.task, i + 1, walk.count);
		if (loom_task_cancelled(import->opts.task))
			status = loom_fail(err, LOOM_CANCELLED, "stopped");
	}
	import_walk_fini(&walk);
	loom_pages_rest(import->pages);
	return status;
}

/* ---- known places ---- */

/* The folder of a place: from the home on, or from that of a variable. */
static bool expand(const struct loom_env *env, struct loom_str place, char out[PATH_ROOM])
{
	const size_t slash = loom_str_find_char(place, '/', 0);
	const bool named = loom_str_starts(place, LOOM_STR("$"));
	char name[64];
	const char *base = NULL;
	int n;

	snprintf(name, sizeof name, "%.*s",
		 LOOM_STR_ARG(loom_str_sub(place, 1, slash == SIZE_MAX ? place.n : slash - 1)));
	base = loom_env_var(env, named ? name : "HOME");
	if (!base)
		return false;
	if (named)
		place = slash == SIZE_MAX ? LOOM_STR("") : loom_str_sub(place, slash + 1, place.n);
	n = snprintf(out, PATH_ROOM, "%s/%.*s", base, LOOM_STR_ARG(place));
	return n > 0 && n < PATH_ROOM;
}

bool loom_import_place_at(const struct loom_env *env, size_t index, struct loom_arena *arena,
			  struct loom_import_place *out)
{
	char path[PATH_ROOM];
	struct stat info;

	for (size_t i = 0; import_readers[i]; i++) {
		struct loom_str rest =
			loom_str_of(import_readers[i]->places ? import_readers[i]->places : "");
		const char between = loom_str_find_char(rest, '|', 0) == SIZE_MAX ? ' ' : '|';
		struct loom_str place;

		while (rest.n && loom_str_cut(&rest, between, &place)) {
			if (!place.n || !expand(env, place, path) || stat(path, &info) != 0 ||
			    index-- > 0)
				continue;
			*out = (struct loom_import_place){
				.format = import_readers[i]->name,
				.title = import_readers[i]->title,
				.path = loom_arena_cstr(arena, loom_str_of(path)),
			};
			return true;
		}
	}
	return false;
}
