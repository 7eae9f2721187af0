/* Leftovers of killed programs in a grove's folders and where its backups were made. */
#include <loom/grove/leftovers.h>

#include <limits.h>
#include <stdlib.h>

#include <loom/files/half_made.h>
#include <loom/files/state_file.h>

/* Backup folders, one per line, newest first. */
#define PLACES_FILE "/backups"
#define PLACES_KEPT 8
#define PLACES_MAX  ((size_t)(PLACES_KEPT + 1) * PATH_MAX)

static void read_places(struct loom_store *store, struct loom_buf *path, struct loom_buf *out)
{
	bool there = false;

	if (model_state_dir(store, path, NULL) == LOOM_OK)
		loom_buf_adds(path, PLACES_FILE);
	if (model_file_read(loom_buf_cstr(path), PLACES_MAX, out, &there, NULL) != LOOM_OK)
		loom_buf_clear(out);
}

static void put_first(struct loom_store *store, struct loom_str place)
{
	struct loom_buf path = LOOM_BUF_INIT(2 * PATH_MAX);
	struct loom_buf had = LOOM_BUF_INIT(PLACES_MAX + 8192);
	struct loom_buf now = LOOM_BUF_INIT(PLACES_MAX + PATH_MAX);
	struct loom_str rest;
	struct loom_str line;

	read_places(store, &path, &had);
	rest = loom_buf_str(&had);
	loom_buf_addf(&now, "%.*s\n", LOOM_STR_ARG(place));
	for (size_t i = 1; i < PLACES_KEPT && loom_str_line(&rest, &line);)
		if (!loom_str_eq(line, place)) {
			loom_buf_addf(&now, "%.*s\n", LOOM_STR_ARG(line));
			i++;
		}
	/* Best effort: a backup is made even if this fails. */
	if (!loom_str_starts(loom_buf_str(&had), loom_str_sub(loom_buf_str(&now), 0, place.n + 1)))
		(void)!model_file_write(loom_buf_cstr(&path), loom_buf_str(&now), NULL);
	loom_buf_fini(&path);
	loom_buf_fini(&had);
	loom_buf_fini(&now);
}

void model_backup_place(struct loom_store *store, const char *dir)
{
	struct loom_buf path = LOOM_BUF_INIT(2 * PATH_MAX);
	char real[PATH_MAX];

	if (realpath(dir, real) && !strchr(real, '\n') &&
	    loom_store_state_dir(store, &path, NULL) == LOOM_OK)
		put_first(store, loom_str_of(real));
	loom_buf_fini(&path);
}

/* Covers folders nothing else looks at: neither the project nor its parent. */
static void list_backups(struct loom_store *store, loom_finding_fn finding, void *ctx)
{
	const struct loom_str project = loom_store_dir(store);
	char above[PATH_MAX];
	char dir[PATH_MAX];
	struct loom_buf path = LOOM_BUF_INIT(2 * PATH_MAX);
	struct loom_buf places = LOOM_BUF_INIT(PLACES_MAX + 8192);
	struct loom_str rest;
	struct loom_str line;

	snprintf(dir, sizeof dir, "%.*s/..", LOOM_STR_ARG(project));
	if (!realpath(dir, above))
		above[0] = '\0';
	read_places(store, &path, &places);
	rest = loom_buf_str(&places);
	while (loom_str_line(&rest, &line)) {
		struct model_part_place place = {.old = MODEL_OLD_COPIES};
		struct loom_buf where = LOOM_BUF_INIT(2 * PATH_MAX);

		loom_buf_addf(&where, "%.*s/", LOOM_STR_ARG(line));
		place.folder = place.where = loom_buf_cstr(&where);
		if (!loom_str_eq(line, project) && !loom_str_is(line, above))
			model_part_list(&place, finding, ctx);
		loom_buf_fini(&where);
	}
	loom_buf_fini(&path);
	loom_buf_fini(&places);
}

void loom_leftover_list(struct loom_store *store, loom_finding_fn finding, void *ctx)
{
	static const struct model_part_place places[] = {
		{"", "", MODEL_OLD_COPIES},
		{LOOM_GROVE_DIR "/", LOOM_GROVE_DIR "/", MODEL_OLD_NONE},
		{".leslie/threads/", ".leslie/threads/", MODEL_OLD_THREADS},
		{"../", "../", MODEL_OLD_COPIES},
	};
	struct loom_buf path = LOOM_BUF_INIT(2 * PATH_MAX);

	for (size_t i = 0; i < LOOM_COUNT(places); i++) {
		struct model_part_place place = places[i];

		loom_buf_clear(&path);
		loom_buf_addf(&path, "%.*s/%s", LOOM_STR_ARG(loom_store_dir(store)), place.folder);
		place.folder = loom_buf_cstr(&path);
		model_part_list(&place, finding, ctx);
	}
	loom_buf_fini(&path);
	list_backups(store, finding, ctx);
}
