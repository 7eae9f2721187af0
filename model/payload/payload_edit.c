/* Edits context lists: adds and removes lines, keeping the bytes of all others.
 *
 * All new texts are computed before the first is written, and a move writes its target first: if it
 * is cut short, an entry is in two lists rather than in none. One edit at a time per project (a
 * flock on its folder), so that of two concurrent edits neither is lost. */
#include <loom/files/state_file.h>
#include "lists.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <loom/files/beneath.h>

#define LIST_MAX ((size_t)8 << 20)
#define WAIT_MS  8000
#define MARK     "\xEF\xBB\xBF" /* a byte order mark, which some editors write */

struct list {
	struct loom_str file;
	struct loom_buf text;
	struct loom_str before; /* p NULL: there was none */
	bool changed;
};

struct editing {
	const struct loom_payload_place *place;
	struct loom_arena *arena;
	struct list lists[LOOM_SCOPES];
	struct loom_payload_edits *edits; /* NULL: not wanted */
	int lock;
};

enum loom_status model_payload_lock(const struct loom_payload_place *place, int *out,
				    struct loom_err *err)
{
	*out = model_open_beneath(place->root->fd, "", O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
	if (*out < 0)
		return model_path_fail(err, errno, "the project");
	if (model_flock(*out, WAIT_MS))
		return LOOM_OK;
	close(*out);
	*out = -1;
	loom_fail(err, LOOM_BUSY, "another program is editing the lists");
	return loom_hint(err, LOOM_BUSY, "try again in a moment");
}

static enum loom_status load(struct editing *editing, struct list *list, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(!list->changed);
	loom_buf_init(&list->text, LIST_MAX);
	if (list->file.n)
		status = loom_file_read(editing->place->root, list->file,
					&(struct loom_read_opts){.single = true, .max = LIST_MAX},
					&list->text, err);
	if (list->file.n && status == LOOM_OK)
		list->before = loom_arena_str(editing->arena, loom_buf_str(&list->text));
	return status == LOOM_NOT_FOUND ? LOOM_OK : status;
}

static struct loom_str target_of(const struct editing *editing, struct loom_str text)
{
	return loom_payload_entry_make(editing->place, LOOM_SCOPE_TURN, text, editing->arena)
		.target;
}

/* Returns whether a list names a target, in any spelling. */
static bool names(const struct editing *editing, const struct list *list, struct loom_str target)
{
	struct loom_str line;
	struct loom_str item;
	size_t at = 0;

	while (model_list_next(loom_buf_str(&list->text), &at, &line))
		if (model_list_line(line, &item) && loom_str_eq(target_of(editing, item), target))
			return true;
	return false;
}

static bool take_out(const struct editing *editing, struct list *list, struct loom_str target)
{
	struct loom_buf kept = LOOM_BUF_INIT(LIST_MAX);
	size_t before = list->text.n;
	struct loom_str line;
	struct loom_str item;
	size_t at = 0;

	if (loom_str_starts(loom_buf_str(&list->text), LOOM_STR(MARK)))
		loom_buf_adds(&kept, MARK);
	while (model_list_next(loom_buf_str(&list->text), &at, &line))
		if (!model_list_line(line, &item) || !loom_str_eq(target_of(editing, item), target))
			loom_buf_add(&kept, line);
	loom_buf_fini(&list->text);
	list->text = kept;
	list->changed = list->changed || kept.n != before;
	LOOM_ASSERT(kept.n <= before);
	return kept.n != before;
}

/* Returns where a line begins; the end of the text for 0 and for a missing line. */
static size_t line_at(struct loom_str text, size_t number)
{
	struct loom_str line = {NULL, 0};
	size_t at = 0;

	for (size_t i = 1; number && model_list_next(text, &at, &line); i++)
		if (i == number)
			return at - line.n;
	return text.n;
}

static void insert(struct list *list, struct loom_str target, size_t number)
{
	struct loom_str text = loom_buf_str(&list->text);
	struct loom_buf whole = LOOM_BUF_INIT(LIST_MAX);
	size_t at = line_at(text, number);
	/* otherwise a reader would misread the line */
	bool bare = target.p[0] != '#' && loom_str_trim(target).n == target.n &&
		    !loom_str_starts(target, LOOM_STR(MARK));

	LOOM_ASSERT(target.n > 0);
	LOOM_ASSERT(at <= text.n);
	loom_buf_add(&whole, loom_str_sub(text, 0, at));
	if (at && at == text.n && text.p[at - 1] != '\n')
		loom_buf_addc(&whole, '\n');
	loom_buf_adds(&whole, bare ? "" : "./");
	loom_buf_add(&whole, target);
	loom_buf_addc(&whole, '\n');
	loom_buf_add(&whole, loom_str_sub(text, at, text.n));
	loom_buf_fini(&list->text);
	list->text = whole;
	list->changed = true;
}

/* Refuses a target that a line cannot hold: with a line break, a blank at its end, or outside the
 * root. */
static enum loom_status check_target(const struct editing *editing, struct loom_str text,
				     struct loom_str *out, struct loom_err *err)
{
	struct loom_payload_entry entry =
		loom_payload_entry_make(editing->place, LOOM_SCOPE_TURN, text, editing->arena);

	*out = entry.target;
	if (entry.outside)
		return loom_fail(err, LOOM_PATH, "%.*s leaves the root", LOOM_STR_ARG(text));
	if (!entry.target.n)
		*out = LOOM_STR(".");
	LOOM_ASSERT(out->n > 0);
	if (memchr(out->p, '\n', out->n) || strchr(" \t\r", out->p[out->n - 1]))
		return loom_fail(err, LOOM_PATH, "\"%.*s\" cannot be a line of a list",
				 LOOM_STR_ARG(text));
	return LOOM_OK;
}

static enum loom_status not_listed(struct loom_str target, const char *where, struct loom_err *err)
{
	loom_fail(err, LOOM_NOT_FOUND, "%.*s is not listed in %s", LOOM_STR_ARG(target), where);
	return loom_hint(err, LOOM_NOT_FOUND, "loom payload --why PATH shows which list names it");
}

/* `before`: how many of the change's targets were inserted already. */
static enum loom_status apply(struct editing *editing, const struct loom_payload_change *change,
			      struct loom_str target, size_t *before, struct loom_err *err)
{
	const enum loom_payload_edit edit = change->edit;
	const enum loom_scope scope = change->scope;
	struct list *list = &editing->lists[scope];
	/* "." means the root, whose normal form is empty. */
	struct loom_str normal = target_of(editing, target);
	bool here = names(editing, list, normal);
	bool found = here;

	LOOM_ASSERT((size_t)scope < LOOM_SCOPES);
	if (edit == LOOM_PAYLOAD_REMOVE)
		return take_out(editing, list, normal)
			       ? LOOM_OK
			       : not_listed(target, loom_scope_name(scope), err);
	for (int i = 0; edit == LOOM_PAYLOAD_MOVE && i < LOOM_SCOPES; i++)
		if (i != (int)scope && take_out(editing, &editing->lists[i], normal))
			found = true;
	if (edit == LOOM_PAYLOAD_MOVE && !found)
		return not_listed(target, "any scope", err);
	if (!here)
		insert(list, target, change->line ? change->line + (*before)++ : 0);
	return LOOM_OK;
}

static void note_written(struct loom_payload_edits *edits, const struct list *list)
{
	struct loom_payload_edited *edited = &edits->lists[edits->count++];

	LOOM_ASSERT(edits->count <= LOOM_SCOPES);
	*edited = (struct loom_payload_edited){
		.file = loom_arena_str(edits->arena, list->file),
		.before = list->before,
		.now = loom_arena_str(edits->arena, loom_buf_str(&list->text)),
	};
	if (list->before.p)
		edited->before = loom_arena_str(edits->arena, list->before);
}

static enum loom_status write_list(struct editing *editing, struct list *list, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!list->changed)
		return LOOM_OK;
	if (list->text.bad != LOOM_OK)
		return loom_fail(err, LOOM_LIMIT, "%s would grow too large", list->file.p);
	LOOM_ASSERT(list->file.n > 0);
	list->changed = false;
	status =
		loom_file_write(editing->place->root, list->file, loom_buf_str(&list->text),
				&(struct loom_write_opts){.folders = true, .mode = MODEL_LIST_MODE},
				err);
	if (status == LOOM_OK && editing->edits)
		note_written(editing->edits, list);
	return status;
}

static enum loom_status open_lists(struct editing *editing, enum loom_scope scope,
				   struct loom_err *err)
{
	struct model_places places;
	enum loom_status status =
		model_payload_places(editing->place, editing->arena, &places, err);

	LOOM_ASSERT((size_t)scope < LOOM_SCOPES);
	for (int i = 0; i < LOOM_SCOPES; i++)
		loom_buf_init(&editing->lists[i].text, LIST_MAX);
	if (status == LOOM_OK && !places.files[scope].n) {
		loom_fail(err, LOOM_NOT_FOUND, "there is no %s to list it in",
			  loom_scope_name(scope));
		status = loom_hint(err, LOOM_NOT_FOUND, "%s",
				   places.session.n ? "name one: --turn 01"
						    : "loom payload session new makes a session");
	}
	for (int i = 0; status == LOOM_OK && i < LOOM_SCOPES; i++) {
		editing->lists[i].file = places.files[i];
		status = load(editing, &editing->lists[i], err);
	}
	return status;
}

enum loom_status loom_payload_edit(const struct loom_payload_place *place,
				   const struct loom_payload_change *change,
				   struct loom_payload_edits *out, struct loom_err *err)
{
	struct editing editing = {.place = place, .arena = loom_arena_create(), .edits = out};
	size_t before = 0;
	enum loom_status status = model_payload_lock(place, &editing.lock, err);

	if (status == LOOM_OK)
		status = open_lists(&editing, change->scope, err);
	for (size_t i = 0; status == LOOM_OK && i < change->count; i++) {
		struct loom_str target;

		status = check_target(&editing, change->targets[i], &target, err);
		if (status == LOOM_OK)
			status = apply(&editing, change, target, &before, err);
	}
	if (status == LOOM_OK)
		status = write_list(&editing, &editing.lists[change->scope], err);
	for (int i = 0; status == LOOM_OK && i < LOOM_SCOPES; i++)
		status = write_list(&editing, &editing.lists[i], err);
	for (int i = 0; i < LOOM_SCOPES; i++)
		loom_buf_fini(&editing.lists[i].text);
	loom_arena_destroy(editing.arena);
	if (editing.lock >= 0)
		close(editing.lock);
	return status;
}
