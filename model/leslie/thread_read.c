/* Reads what a thread was given, by name: the frozen copy first, then the live original.
 *
 * A name that nobody gave is not read, wherever it may exist: reading is by reference. Own files
 * are read only on request. Also here: the global plan, which everybody may read. */
#include "share.h"

#include <loom/files/beneath.h>

#define SHARED_MAX ((size_t)1 << 30)
#define PLAN_PATH  "threads/.global/plan.md"

struct reading {
	struct loom_leslie *leslie;
	const struct loom_leslie_read *opts;
	struct loom_str plain; /* the name without artifacts/ and final slash */
	struct loom_root folder;
	struct model_leslie_share share;
	struct loom_buf *out;
	struct loom_leslie_err *err;
};

static enum loom_status pass_hint(const struct reading *reading, const struct loom_err *why)
{
	return why->hint[0] ? loom_hint(&reading->err->err, why->status, "%s", why->hint)
			    : why->status;
}

static enum loom_status refuse_read(const struct reading *reading, enum loom_thread_code code,
				    struct loom_str thread, const struct loom_err *why)
{
	LOOM_ASSERT(why->status != LOOM_OK);
	model_leslie_refuse(reading->leslie, reading->err, why->status,
			    why->status == LOOM_PATH ? LOOM_THREAD_BAD_PATH : code,
			    "Cannot read %.*s of %.*s", LOOM_STR_ARG(reading->opts->name),
			    LOOM_STR_ARG(thread));
	model_leslie_because(reading->leslie, reading->err, "%s", why->text);
	model_leslie_detail(reading->leslie, reading->err, "threadId", thread);
	model_leslie_detail(reading->leslie, reading->err, "path", reading->opts->name);
	return pass_hint(reading, why);
}

static enum loom_status not_referenced(const struct reading *reading)
{
	struct loom_leslie *leslie = reading->leslie;

	LOOM_ASSERT(reading->err);
	model_leslie_refuse(leslie, reading->err, LOOM_NOT_FOUND, LOOM_THREAD_OTHER,
			    "File not referenced");
	model_leslie_because(leslie, reading->err, "no reference gives %.*s the file %.*s",
			     LOOM_STR_ARG(reading->opts->thread),
			     LOOM_STR_ARG(reading->opts->name));
	model_leslie_detail(leslie, reading->err, "threadId", reading->opts->thread);
	model_leslie_detail(leslie, reading->err, "path", reading->opts->name);
	return loom_hint(reading->err ? &reading->err->err : NULL, LOOM_NOT_FOUND,
			 "reference it first: loom thread ref --from %.*s --target … --scope %.*s",
			 LOOM_STR_ARG(reading->opts->thread), LOOM_STR_ARG(reading->plain));
}

static bool is_from(const struct reading *reading, struct loom_str thread)
{
	return !reading->opts->from.p || loom_str_eq(reading->opts->from, thread);
}

/* Finds the copy with the name itself, otherwise the first whose original has it. */
static const struct model_leslie_copy *find_copy(const struct reading *reading)
{
	const struct model_leslie_copy *copy =
		model_leslie_share_copy(&reading->share, reading->opts->name);
	const struct model_leslie_copy *second = NULL;

	if (!copy)
		copy = model_leslie_share_copy(&reading->share, reading->plain);
	if (copy && is_from(reading, copy->thread))
		return copy;
	for (size_t i = 0; i < reading->share.copy_count; i++) {
		copy = &reading->share.copies[i];
		if (!is_from(reading, copy->thread))
			continue;
		if (loom_str_eq(model_leslie_within(copy->path, copy->thread), reading->opts->name))
			return copy;
		if (!second && loom_str_eq(model_leslie_name_plain(
						   model_leslie_within(copy->path, copy->thread)),
					   reading->plain))
			second = copy;
	}
	return second;
}

/* Reading returns the bytes of one file: for a folder, the refusal names a file in it. */
static enum loom_status refuse_folder(const struct reading *reading, const struct loom_root *root,
				      struct loom_str path, struct loom_err *why)
{
	struct loom_arena *arena = reading->leslie->arena;
	struct loom_folder_item *items = NULL;
	struct loom_str name = reading->plain;
	size_t count = 0;
	size_t i = 0;

	LOOM_ASSERT(why);
	loom_err_clear(why);
	loom_fail(why, LOOM_PATH, "it is a folder");
	if (loom_folder_list(root, path, arena, &items, &count, NULL) != LOOM_OK)
		return LOOM_PATH;
	while (i < count && (items[i].kind != LOOM_FILE_PLAIN || items[i].name.p[0] == '.'))
		i++;
	if (i == count)
		return loom_hint(why, LOOM_PATH, "name a file in it");
	return loom_hint(why, LOOM_PATH, "name a file in it, such as %.*s/%.*s", LOOM_STR_ARG(name),
			 LOOM_STR_ARG(items[i].name));
}

static enum loom_status read_below(const struct reading *reading, const struct loom_root *root,
				   struct loom_str path, struct loom_err *why)
{
	const struct loom_read_opts opts = {.max = SHARED_MAX};
	struct loom_file_info info;
	enum loom_status status = loom_file_read(root, path, &opts, reading->out, why);

	if (status == LOOM_PATH && why &&
	    loom_path_info(root, path, false, &info, NULL) == LOOM_OK &&
	    info.kind == LOOM_FILE_FOLDER)
		return refuse_folder(reading, root, path, why);
	return status;
}

/* Refuses a copy that is not what was copied. */
static enum loom_status check_copy(const struct reading *reading,
				   const struct model_leslie_copy *copy, size_t from,
				   struct loom_err *why)
{
	if (!copy->sha256.n ||
	    model_leslie_is_hash(loom_str_sub(loom_buf_str(reading->out), from, SIZE_MAX),
				 copy->sha256))
		return LOOM_OK;
	loom_buf_cut(reading->out, from);
	loom_fail(why, LOOM_DAMAGED, "the frozen copy is forged: it was changed after it was made");
	return loom_hint(why, LOOM_DAMAGED,
			 "loom thread refresh %.*s copies it again, loom check --repair brings it "
			 "back",
			 LOOM_STR_ARG(reading->opts->thread));
}

static enum loom_status read_copy(const struct reading *reading,
				  const struct model_leslie_copy *copy)
{
	const size_t from = reading->out->n;
	struct loom_err why = {0};

	if (read_below(reading, &reading->folder,
		       loom_arena_format(reading->leslie->arena, MODEL_LESLIE_INHERITED "/%.*s",
					 LOOM_STR_ARG(copy->name)),
		       &why) == LOOM_OK &&
	    check_copy(reading, copy, from, &why) == LOOM_OK)
		return LOOM_OK;
	return refuse_read(reading, LOOM_THREAD_UNREADABLE, copy->thread, &why);
}

/* Reads copies in no manifest, put there by hand, or by another program below its source's id. */
static enum loom_status read_stranger(const struct reading *reading, bool *found)
{
	struct loom_arena *arena = reading->leslie->arena;
	struct loom_str relation = model_leslie_relation(reading->leslie, reading->opts->thread);
	size_t count = 0;
	struct loom_str *sources =
		model_leslie_texts(arena, model_leslie_member(relation, "references_to"), &count);
	struct loom_err why = {0};
	enum loom_status status = LOOM_NOT_FOUND;

	LOOM_ASSERT(found);
	if (!reading->opts->from.p)
		status = read_below(reading, &reading->folder,
				    loom_arena_format(arena, MODEL_LESLIE_INHERITED "/%.*s",
						      LOOM_STR_ARG(reading->plain)),
				    &why);
	for (size_t i = 0; status == LOOM_NOT_FOUND && i < count; i++) {
		if (!is_from(reading, sources[i]) || !loom_leslie_id_ok(sources[i]))
			continue;
		status = read_below(reading, &reading->folder,
				    loom_arena_format(arena, MODEL_LESLIE_INHERITED "/%.*s/%.*s",
						      LOOM_STR_ARG(sources[i]),
						      LOOM_STR_ARG(reading->plain)),
				    &why);
	}
	*found = status != LOOM_NOT_FOUND;
	if (status == LOOM_OK || status == LOOM_NOT_FOUND)
		return LOOM_OK;
	return refuse_read(reading, LOOM_THREAD_UNREADABLE, reading->opts->thread, &why);
}

/* Reads another thread's file as it is now. LOOM_NOT_FOUND is left to the caller. */
static enum loom_status read_original(const struct reading *reading, struct loom_str thread,
				      struct loom_str name, struct loom_err *why)
{
	struct loom_root folder = LOOM_ROOT_INIT;
	struct model_leslie_place place;
	enum loom_status status = model_leslie_open_thread(reading->leslie, thread, &folder, why);

	if (status == LOOM_OK)
		status = model_leslie_locate(&folder, name, reading->leslie->arena, &place, why);
	if (status == LOOM_OK)
		status = read_below(reading, &folder, place.path, why);
	loom_root_close(&folder);
	return status;
}

/* Rates how well a pointer fits the name: 0 not at all, the longer its own name the better. */
static size_t fit_of(const struct reading *reading, const struct model_leslie_pointer *pointer)
{
	bool is_folder = pointer->path.n && pointer->path.p[pointer->path.n - 1] == '/';
	struct loom_str within = model_leslie_within(pointer->path, pointer->thread);
	struct loom_str name = model_leslie_name_plain(within);

	if (pointer->thread.n == 0 || !is_from(reading, pointer->thread))
		return 0;
	if (loom_str_eq(pointer->name, reading->plain) ||
	    loom_str_eq(pointer->name, reading->opts->name))
		return SIZE_MAX;
	if (reading->opts->from.p && loom_str_eq(name, reading->plain))
		return SIZE_MAX;
	if (!is_folder)
		return 0;
	if (within.n == 0 || loom_str_is(within, "artifacts/"))
		return model_leslie_name_is_withheld(reading->plain) ? 0 : 1;
	return model_leslie_is_below(reading->plain, name) ? 1 + name.n : 0;
}

/* Translates the name to one within the pointer's thread. */
static struct loom_str name_behind(const struct reading *reading,
				   const struct model_leslie_pointer *pointer, size_t fit)
{
	LOOM_ASSERT(fit > 0);
	return fit == SIZE_MAX ? model_leslie_within(pointer->path, pointer->thread)
			       : reading->opts->name;
}

static enum loom_status read_pointer(const struct reading *reading, bool *found)
{
	const struct model_leslie_pointer *best = NULL;
	struct loom_err why = {0};
	size_t best_fit = 0;

	LOOM_ASSERT(found);
	for (size_t i = 0; i < reading->share.pointer_count; i++) {
		const struct model_leslie_pointer *pointer = &reading->share.pointers[i];
		size_t fit = fit_of(reading, pointer);

		/* A pointer to a whole thread gives the name only if the thread has it. */
		if (fit == 1 && best_fit <= 1 &&
		    read_original(reading, pointer->thread, reading->opts->name, NULL) == LOOM_OK)
			return *found = true, LOOM_OK;
		if (fit > best_fit) {
			best = pointer;
			best_fit = fit;
		}
	}
	*found = best != NULL;
	if (!best || read_original(reading, best->thread, name_behind(reading, best, best_fit),
				   &why) == LOOM_OK)
		return LOOM_OK;
	if (best_fit == 1 && why.status == LOOM_NOT_FOUND &&
	    model_leslie_stands(reading->leslie, best->thread))
		return *found = false, LOOM_OK;
	return refuse_read(reading, LOOM_THREAD_UNREADABLE, best->thread, &why);
}

/* Reads references of another program that are live, or whose copies are missing. */
static enum loom_status read_implied(const struct reading *reading, bool *found)
{
	struct loom_arena *arena = reading->leslie->arena;
	struct loom_str relation = model_leslie_relation(reading->leslie, reading->opts->thread);
	size_t count = 0;
	struct loom_str *targets =
		model_leslie_texts(arena, model_leslie_member(relation, "references_to"), &count);

	LOOM_ASSERT(found);
	*found = false;
	for (size_t i = 0; i < count; i++) {
		struct model_leslie_bond bond =
			model_leslie_share_bond(reading->leslie, &reading->share,
						reading->opts->thread, targets[i], arena);
		bool shown = !model_leslie_name_is_withheld(reading->plain);
		bool given = bond.scope_count == 0 && shown;

		for (size_t k = 0; k < bond.scope_count; k++)
			given |= model_leslie_is_whole(bond.scopes[k])
					 ? shown
					 : model_leslie_is_below(reading->plain,
								 model_leslie_name_plain(
									 bond.scopes[k]));
		if (!bond.implied || !bond.live || !given || !is_from(reading, targets[i]) ||
		    model_leslie_name_is_private(reading->plain))
			continue;
		if (read_original(reading, targets[i], reading->opts->name, NULL) == LOOM_OK)
			return *found = true, LOOM_OK;
	}
	return LOOM_OK;
}

static enum loom_status read_shared(struct reading *reading)
{
	const struct model_leslie_copy *copy = NULL;
	bool found = false;
	enum loom_status status =
		model_leslie_share_read(reading->leslie, &reading->folder, reading->leslie->arena,
					&reading->share, reading->err);

	if (status != LOOM_OK)
		return status;
	/* Other programs copy whole folders, including what their source was given. */
	if (model_leslie_name_is_private(reading->plain))
		return not_referenced(reading);
	copy = find_copy(reading);
	if (copy)
		return read_copy(reading, copy);
	status = read_stranger(reading, &found);
	if (status == LOOM_OK && !found)
		status = read_pointer(reading, &found);
	if (status == LOOM_OK && !found)
		status = read_implied(reading, &found);
	return status == LOOM_OK && !found ? not_referenced(reading) : status;
}

static enum loom_status read_own(struct reading *reading)
{
	struct loom_err why = {0};
	enum loom_status status =
		read_original(reading, reading->opts->thread, reading->opts->name, &why);

	if (status == LOOM_OK)
		return LOOM_OK;
	model_leslie_refuse(reading->leslie, reading->err, status,
			    status == LOOM_PATH ? LOOM_THREAD_BAD_PATH : LOOM_THREAD_OTHER,
			    "Cannot read %.*s", LOOM_STR_ARG(reading->opts->name));
	model_leslie_because(reading->leslie, reading->err, "%s", why.text);
	model_leslie_detail(reading->leslie, reading->err, "path", reading->opts->name);
	return pass_hint(reading, &why);
}

enum loom_status loom_leslie_read(struct loom_leslie *leslie, const struct loom_leslie_read *opts,
				  struct loom_buf *out, struct loom_leslie_err *err)
{
	struct loom_leslie_err own = {0};
	struct reading reading = {.leslie = leslie,
				  .opts = opts,
				  .plain = model_leslie_name_plain(opts->name),
				  .folder = LOOM_ROOT_INIT,
				  .out = out,
				  .err = err ? err : &own};
	enum loom_status status = model_leslie_look(leslie, reading.err);

	LOOM_ASSERT(opts && out);
	if (status == LOOM_OK)
		status = model_leslie_need_thread(leslie, opts->thread, reading.err);
	if (status == LOOM_OK)
		status = model_leslie_name_check(leslie, opts->name, reading.err);
	if (status != LOOM_OK)
		return status;
	if (model_leslie_open_thread(leslie, opts->thread, &reading.folder, NULL) != LOOM_OK &&
	    !opts->own)
		return not_referenced(&reading);
	status = opts->own ? read_own(&reading) : read_shared(&reading);
	loom_root_close(&reading.folder);
	return status;
}

enum loom_status loom_leslie_write(struct loom_leslie *leslie, struct loom_str thread,
				   struct loom_str name, struct loom_str text,
				   struct loom_leslie_err *err)
{
	const struct loom_write_opts opts = {.folders = true};
	struct loom_root folder = LOOM_ROOT_INIT;
	struct model_leslie_place place = {.path = name};
	struct loom_err why = {0};
	enum loom_status status = model_leslie_begin(leslie, err);

	if (status == LOOM_OK)
		status = model_leslie_need_thread(leslie, thread, err);
	if (status == LOOM_OK)
		status = model_leslie_name_check(leslie, name, err);
	if (status != LOOM_OK)
		return status;
	if (model_leslie_name_is_private(name))
		status = loom_fail(&why, LOOM_PATH, "it is read-only here");
	else
		status = model_leslie_open_thread(leslie, thread, &folder, &why);
	if (status == LOOM_OK) {
		status = model_leslie_locate(&folder, name, leslie->arena, &place, &why);
		status = status == LOOM_NOT_FOUND ? LOOM_OK : status;
	}
	if (status == LOOM_OK)
		status = loom_file_write(&folder, place.path, text, &opts, &why);
	loom_root_close(&folder);
	if (status == LOOM_OK)
		return LOOM_OK;
	model_leslie_refuse(leslie, err, status,
			    status == LOOM_PATH ? LOOM_THREAD_BAD_PATH : LOOM_THREAD_OTHER,
			    "Cannot write %.*s", LOOM_STR_ARG(name));
	model_leslie_because(leslie, err, "%s", why.text);
	model_leslie_detail(leslie, err, "path", name);
	return status;
}

enum loom_status loom_leslie_plan_read(struct loom_leslie *leslie, struct loom_buf *out,
				       struct loom_leslie_err *err)
{
	struct loom_err why = {0};
	enum loom_status status = model_leslie_look(leslie, err);

	if (status != LOOM_OK)
		return status;
	if (leslie->home.fd >= 0)
		status = loom_file_read(&leslie->home, LOOM_STR(PLAN_PATH), NULL, out, &why);
	else
		status = loom_fail(&why, LOOM_NOT_FOUND, "no file %s", PLAN_PATH);
	if (status == LOOM_OK)
		return LOOM_OK;
	model_leslie_refuse(leslie, err, status, LOOM_THREAD_OTHER, "There is no global plan yet");
	model_leslie_because(leslie, err, "%s", why.text);
	if (status != LOOM_NOT_FOUND)
		return status;
	return loom_hint(err ? &err->err : NULL, status,
			 "loom thread plan --write FILE creates it");
}

enum loom_status loom_leslie_plan_write(struct loom_leslie *leslie, struct loom_str text,
					struct loom_leslie_err *err)
{
	const struct loom_write_opts opts = {.any_name = true};
	struct loom_err why = {0};
	enum loom_status status = model_leslie_begin(leslie, err);

	if (status == LOOM_OK)
		status = model_leslie_make_home(leslie, &why);
	if (status == LOOM_OK)
		status = loom_file_write(&leslie->home, LOOM_STR(PLAN_PATH), text, &opts, &why);
	if (why.status != LOOM_OK && err)
		*err = (struct loom_leslie_err){.err = why};
	return status;
}
