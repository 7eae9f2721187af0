/* Choosing a path by a few of its letters, which must occur in it in order. Letters at the start of
 * a part of the path, and adjacent ones, score higher; hidden files score lower. The best are
 * shown. */
#include <loom/lists/list.h>
#include <loom/project/payload_view.h>

#define SHOWN 300

struct pick {
	struct loom_arena *arena; /* of the paths */
	struct loom_str *paths;
	size_t count;
	tui_take_fn *take;
	void (*leave)(struct tui_app *app);
};

struct match {
	size_t path;
	int score;
};

static const struct tui_list_kind kind;

static char folded(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool begins(struct loom_str path, size_t at)
{
	return at == 0 || strchr("/._- ", path.p[at - 1]) != NULL;
}

/* Finds `c` from `at` on: preferably at `after`, then at the start of a part of the path, then
 * anywhere; with `nearest`, simply the nearest. */
static size_t find(struct loom_str path, char c, size_t at, size_t after, bool nearest)
{
	size_t first = SIZE_MAX;

	for (size_t i = at; i < path.n; i++) {
		if (folded(path.p[i]) != c)
			continue;
		if (nearest || i == after || begins(path, i))
			return i;
		first = first == SIZE_MAX ? i : first;
	}
	return first;
}

/* False when a letter is missing. */
static bool rate_so(struct loom_str path, struct loom_str letters, bool nearest, int *score)
{
	size_t at = 0;
	size_t after = SIZE_MAX;

	*score = -(int)(path.n < 200 ? path.n : 200) / 4 - (path.p[0] == '.' ? 12 : 0);
	for (size_t i = 0; i < letters.n; i++) {
		size_t hit;

		if (letters.p[i] == ' ')
			continue;
		hit = find(path, folded(letters.p[i]), at, after, nearest);
		if (hit == SIZE_MAX)
			return false;
		*score += hit == after ? 8 : begins(path, hit) ? 6 : 0;
		at = after = hit + 1;
	}
	return true;
}

/* Preferring starts of parts may have skipped too far. */
static bool rate(struct loom_str path, struct loom_str letters, int *score)
{
	return rate_so(path, letters, false, score) || rate_so(path, letters, true, score);
}

static int by_score(const void *a, const void *b)
{
	const struct match *x = a;
	const struct match *y = b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return x->path < y->path ? -1 : x->path > y->path;
}

static enum loom_status read_paths(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	const struct pick *pick = tui_list_own(list);
	struct match *matches = LOOM_ARENA_ARRAY(tui_list_arena(list), pick->count, struct match);
	struct loom_str letters = loom_str_trim(tui_list_argument(list));
	size_t count = 0;

	(void)app;
	(void)err;
	for (size_t i = 0; i < pick->count; i++) {
		matches[count].path = i;
		count += rate(pick->paths[i], letters, &matches[count].score);
	}
	if (letters.n)
		qsort(matches, count, sizeof *matches, by_score);
	for (size_t i = 0; i < count && i < SHOWN; i++)
		tui_list_add(list, &(struct tui_entry){.text = pick->paths[matches[i].path],
						       .id = (int64_t)matches[i].path + 1});
	return LOOM_OK;
}

static void open_path(struct tui_app *app, const struct tui_entry *entry)
{
	const struct pick *pick = tui_list_own(app->list);
	tui_take_fn *take = pick->take;
	struct loom_str path = loom_arena_str(app->arena, entry->text);

	pick->leave(app);
	take(app, path);
}

static void leave(struct tui_app *app)
{
	const struct pick *pick = tui_list_own(app->list);

	pick->leave(app);
}

static void forget(void *own)
{
	struct pick *pick = own;

	loom_arena_destroy(pick->arena);
	free(pick);
}

static const struct tui_list_kind kind = {
	.title = "Add a file or folder",
	.unit = "path",
	.empty = "no path has these letters in order",
	.read = read_paths,
	.open = open_path,
	.leave = leave,
	.forget = forget,
	.live = true,
	.pick = true,
};

void tui_pick_open(struct tui_app *app, struct tui_payload_job *found, tui_take_fn *take,
		   void (*leave_to)(struct tui_app *app))
{
	struct pick *pick = loom_alloc(sizeof *pick);

	pick->arena = found->arena;
	found->arena = NULL;
	pick->paths = found->paths;
	pick->count = found->path_count;
	pick->take = take;
	pick->leave = leave_to;
	tui_list_open_with(app, &kind, pick);
	tui_list_ask(app, LOOM_STR(""));
}
