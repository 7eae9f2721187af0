/* Finds assets by looking at the disk each time.
 *
 * Invariants: there are only the five types; file form comes before folder form, and the thread's
 * own folder before its `artifacts/`; links are never followed and are not assets. */
#include <loom/shared/asset.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <loom/files/beneath.h>

struct form {
	enum loom_asset_type type;
	bool folder;
	bool filled; /* counts only if not empty: another tool creates it empty for every thread */
	const char *name;
};

static const struct form forms[] = {
	{LOOM_ASSET_PLAN, false, false, "plan.md"},
	{LOOM_ASSET_PLAN, true, false, "plan"},
	{LOOM_ASSET_PROGRESS, false, false, "progress.md"},
	{LOOM_ASSET_PROGRESS, true, false, "progress"},
	{LOOM_ASSET_DESIGN, false, false, "design.md"},
	{LOOM_ASSET_DESIGN, true, false, "design"},
	{LOOM_ASSET_LEARNINGS, false, false, "learnings.md"},
	{LOOM_ASSET_LEARNINGS, true, false, "learnings"},
	{LOOM_ASSET_TRANSCRIPT, false, false, "transcript.md"},
	{LOOM_ASSET_TRANSCRIPT, true, false, "transcript"},
	{LOOM_ASSET_TRANSCRIPT, true, true, ".meta/transcripts"},
};

static const char *const type_names[LOOM_ASSET_TYPES] = {
	[LOOM_ASSET_PLAN] = "plan",
	[LOOM_ASSET_PROGRESS] = "progress",
	[LOOM_ASSET_DESIGN] = "design",
	[LOOM_ASSET_LEARNINGS] = "learnings",
	[LOOM_ASSET_TRANSCRIPT] = "transcript",
};

const char *loom_asset_type_name(enum loom_asset_type type)
{
	LOOM_ASSERT((size_t)type < LOOM_ASSET_TYPES);
	return type_names[type];
}

const char *loom_copy_state_name(enum loom_copy_state state)
{
	static const char *const names[LOOM_COPY_STATES] = {
		[LOOM_COPY_SOUND] = "",
		[LOOM_COPY_STALE] = "stale",
		[LOOM_COPY_FORGED] = "forged",
		[LOOM_COPY_GONE] = "source gone",
	};

	LOOM_ASSERT((unsigned)state < LOOM_COPY_STATES);
	return names[state];
}

bool loom_asset_type_parse(struct loom_str name, enum loom_asset_type *out)
{
	LOOM_ASSERT(out);
	for (size_t i = 0; i < LOOM_ASSET_TYPES; i++) {
		if (loom_str_is(name, type_names[i])) {
			*out = (enum loom_asset_type)i;
			return true;
		}
	}
	return false;
}

bool loom_asset_type_of(struct loom_str name, enum loom_asset_type *out)
{
	if (loom_str_starts(name, LOOM_STR("artifacts/")))
		name = loom_str_sub(name, strlen("artifacts/"), SIZE_MAX);
	for (size_t i = 0; i < LOOM_COUNT(forms); i++) {
		struct loom_str form = loom_str_of(forms[i].name);
		bool below = forms[i].folder && name.n > form.n && name.p[form.n] == '/';

		if (loom_str_eq(name, form) || (below && loom_str_starts(name, form))) {
			*out = forms[i].type;
			return true;
		}
	}
	return false;
}

void loom_asset_add(struct loom_arena *arena, struct loom_asset_list *list, struct loom_asset asset)
{
	LOOM_ASSERT((size_t)asset.type < LOOM_ASSET_TYPES && asset.path.n > 0);
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].type == asset.type &&
		    loom_str_eq(list->items[i].path, asset.path))
			return;
	}
	list->items =
		loom_arena_grow(arena, list->items, list->count, &list->cap, sizeof(*list->items));
	list->items[list->count++] = asset;
}

void loom_asset_sort(struct loom_asset_list *list)
{
	/* Insertion sort: it keeps the order within a type, and the list is nearly sorted
	 * already. */
	for (size_t i = 1; i < list->count; i++) {
		struct loom_asset asset = list->items[i];
		size_t at = i;

		while (at > 0 && list->items[at - 1].type > asset.type) {
			list->items[at] = list->items[at - 1];
			at--;
		}
		list->items[at] = asset;
	}
}

static void count_name(void *ctx, const char *name, size_t length, unsigned char type)
{
	size_t *count = ctx;

	(void)name;
	(void)length;
	(void)type;
	++*count;
}

static bool is_filled(int held)
{
	size_t count = 0;
	int folder = model_open_beneath(held, "", O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);

	LOOM_ASSERT(held >= 0);
	if (folder >= 0) {
		model_folder_each(folder, count_name, &count);
		close(folder);
	}
	return count > 0;
}

/* Returns whether an entry of that form exists in the folder `place`; false if `place` is not a
 * folder. */
static bool stands(int place, const struct form *form)
{
	struct stat st;
	bool found = false;
	int held = place < 0 ? -1
			     : model_open_beneath(place, form->name, O_PATH | O_NOFOLLOW, 0,
						  MODEL_NO_LINKS);

	if (held < 0)
		return false;
	if (fstat(held, &st) == 0)
		found = form->folder ? S_ISDIR(st.st_mode) && (!form->filled || is_filled(held))
				     : S_ISREG(st.st_mode);
	close(held);
	return found;
}

static void add_form(struct loom_arena *arena, struct loom_str prefix, const char *place,
		     const struct form *form, struct loom_asset_list *list)
{
	struct loom_str path = loom_arena_format(arena, "%.*s%s%s%s", LOOM_STR_ARG(prefix), place,
						 form->name, form->folder ? "/" : "");

	LOOM_ASSERT(form->name[0]);
	loom_asset_add(arena, list,
		       (struct loom_asset){.type = form->type, .path = path, .read_path = path});
}

void loom_asset_discover(struct loom_arena *arena, const struct loom_root *folder,
			 struct loom_str prefix, bool transcripts, struct loom_asset_list *list)
{
	int artifacts = model_open_beneath(folder->fd, "artifacts", O_PATH | O_DIRECTORY, 0,
					   MODEL_NO_LINKS);

	LOOM_ASSERT(folder && list);
	for (size_t i = 0; i < LOOM_COUNT(forms); i++) {
		if (forms[i].type == LOOM_ASSET_TRANSCRIPT && !transcripts)
			continue;
		if (stands(folder->fd, &forms[i]))
			add_form(arena, prefix, "", &forms[i], list);
		else if (stands(artifacts, &forms[i]))
			add_form(arena, prefix, "artifacts/", &forms[i], list);
	}
	if (artifacts >= 0)
		close(artifacts);
}
