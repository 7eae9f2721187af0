/* Reads files into an import: each is copied whole before it is read, so that a changing file, or a
 * pipe, gives one consistent text, and then forgotten. Files that others refer to come first. Of a
 * folder or an archive, what no format knows is noted and left. */
#include "take.h"

/* Whether a file that nobody named is not for us: not text, or a text that is no conversation. A
 * person who wants it names it, or its format. */
static bool is_passed_over(struct loom_import *import, const struct import_taken *item,
			   struct loom_str bytes)
{
	const struct import_reader *reader;

	if (item->given)
		return false;
	if (memchr(bytes.p, '\0', bytes.n < 4096 ? bytes.n : 4096) ||
	    !loom_str_trim(loom_str_sub(bytes, 0, 4096)).n)
		return true;
	if (import->only)
		return false;
	reader = import_reader_of(import, loom_str_sub(bytes, 0, IMPORT_LOOK));
	return !reader || reader == &import_transcript || reader == &import_refused;
}

static struct loom_str ending_of(struct loom_str name)
{
	for (size_t i = name.n; i > 0 && name.p[i - 1] != '/'; i--)
		if (name.p[i - 1] == '.')
			return loom_str_sub(name, i - 1, name.n);
	return LOOM_STR("a name without an ending");
}

static enum loom_status add_bytes(struct loom_import *import, const struct import_taken *item,
				  struct loom_str bytes, struct loom_err *err)
{
	const size_t before = import->entry_count;
	struct loom_err why = {.status = LOOM_OK};
	enum loom_status status;

	if (is_passed_over(import, item, bytes)) {
		struct loom_str ending = ending_of(item->name);

		import_note(import, IMPORT_LOST, "a file with nothing to import (%.*s)",
			    LOOM_STR_ARG(ending));
		return LOOM_OK;
	}
	import->origin = item->origin;
	status = loom_import_add(import, item->name, bytes, &why);
	import->origin = LOOM_STR("");
	/* One broken file of a folder does not keep the others away. */
	if (!item->given && (status == LOOM_INVALID || status == LOOM_REFUSED) &&
	    import->entry_count == before) {
		import_note(import, IMPORT_LOST, "a file that cannot be read: %s", why.text);
		return LOOM_OK;
	}
	if (status != LOOM_OK && err)
		*err = why;
	return status;
}

static enum loom_status add_item(struct import_walk *walk, const struct import_taken *item,
				 struct loom_err *err)
{
	struct loom_import *import = walk->import;
	struct loom_err why = {.status = LOOM_OK};
	struct import_spill spill;
	enum loom_status status;

	import_spill_init(&spill, import->dir, import->pages);
	status = import_walk_read(walk, item, &spill, &why);
	if (status == LOOM_OK) {
		status = add_bytes(import, item,
				   import_spill_at(&spill, 0, import_spill_end(&spill)), err);
	} else if (!item->given && (status == LOOM_INVALID || status == LOOM_REFUSED ||
				    status == LOOM_LIMIT || status == LOOM_NOT_FOUND)) {
		import_note(import, IMPORT_LOST, "a file that cannot be read: %s", why.text);
		status = LOOM_OK;
	} else if (err) {
		*err = why;
	}
	import_spill_fini(&spill);
	return status;
}

static enum loom_status add_all(struct import_walk *walk, bool first, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && i < walk->count; i++)
		if (walk->items[i].first == first)
			status = add_item(walk, &walk->items[i], err);
	return status;
}

enum loom_status loom_import_read(struct loom_import *import, const struct loom_import_paths *paths,
				  struct loom_err *err)
{
	struct import_walk walk = {.import = import, .paths = paths};
	enum loom_status status = import_walk_open(&walk, err);

	if (status == LOOM_OK)
		status = add_all(&walk, true, err);
	if (status == LOOM_OK)
		status = add_all(&walk, false, err);
	import_walk_fini(&walk);
	if (status == LOOM_OK && !import->file_count && !paths->sync) {
		loom_fail(err, LOOM_REFUSED, "there is nothing to import");
		return loom_hint(err, LOOM_REFUSED, "what lies there: loom import --list DIR");
	}
	return status == LOOM_OK ? loom_import_settle(import, err) : status;
}
