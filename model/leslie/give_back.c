/* What a thread was given, as one text, and back again: for the undo of a reference.
 *
 * The text has the references, the live pointers and every file below context/inherited with its
 * bytes. Putting it back builds the tree beside the old one and exchanges them, as a reference
 * does, and then mends the relations. */
#include "share.h"

#include <fcntl.h>
#include <unistd.h>

#include <loom/base/json.h>
#include <loom/base/system.h>
#include <loom/files/beneath.h>

#define GIVEN_MAX ((size_t)64 << 20)
#define LOCK_MS   8000
#define POINTERS  MODEL_LESLIE_LIVE "/" MODEL_LESLIE_MANIFEST

static const struct loom_str live_part = LOOM_STR_INIT(".live");
static const struct loom_str refs_part = LOOM_STR_INIT(".refs");

/* ---- to a text ---- */

static void add_part(struct loom_buf *out, struct loom_str name, struct loom_str bytes)
{
	loom_buf_addf(out, "%zu %zu\n%.*s\n", name.n, bytes.n, LOOM_STR_ARG(name));
	loom_buf_add(out, bytes);
	loom_buf_addc(out, '\n');
}

static void add_file(const struct loom_root *folder, struct loom_str path, struct loom_str name,
		     struct loom_buf *out)
{
	struct loom_buf text = LOOM_BUF_INIT(GIVEN_MAX);

	if (loom_file_read(folder, path, NULL, &text, NULL) == LOOM_OK)
		add_part(out, name, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static void add_copies(const struct loom_root *folder, struct loom_arena *arena,
		       struct loom_buf *out)
{
	struct model_folders tree = {.arena = arena};

	model_folders_push(&tree, LOOM_STR(""));
	for (size_t i = 0; i < tree.count; i++) {
		struct loom_folder_item *items = NULL;
		struct loom_str at = loom_arena_format(arena, MODEL_LESLIE_INHERITED "%s%.*s",
						       tree.folders[i].n ? "/" : "",
						       LOOM_STR_ARG(tree.folders[i]));
		size_t count = 0;

		if (loom_folder_list(folder, at, arena, &items, &count, NULL) != LOOM_OK)
			continue;
		for (size_t k = 0; k < count; k++) {
			struct loom_str name =
				model_folder_join(arena, tree.folders[i], items[k].name);

			if (items[k].kind == LOOM_FILE_FOLDER)
				model_folders_push(&tree, name);
			else if (items[k].kind == LOOM_FILE_PLAIN)
				add_file(folder, model_folder_join(arena, at, items[k].name), name,
					 out);
		}
	}
}

static void add_references(struct loom_leslie *leslie, struct loom_str thread, struct loom_buf *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	size_t count = 0;
	struct loom_str *targets =
		model_leslie_texts(leslie->arena,
				   model_leslie_member(model_leslie_relation(leslie, thread),
						       "references_to"),
				   &count);

	for (size_t i = 0; i < count; i++)
		loom_buf_addf(&text, "%.*s\n", LOOM_STR_ARG(targets[i]));
	add_part(out, refs_part, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static enum loom_status spell(struct loom_leslie *leslie, struct loom_str thread,
			      struct loom_buf *out, struct loom_err *err)
{
	struct loom_root folder = LOOM_ROOT_INIT;

	LOOM_ASSERT(thread.n && out && err);
	add_references(leslie, thread, out);
	if (model_leslie_open_thread(leslie, thread, &folder, NULL) == LOOM_OK) {
		add_file(&folder, LOOM_STR(POINTERS), live_part, out);
		add_copies(&folder, leslie->arena, out);
	}
	loom_root_close(&folder);
	return out->bad || out->n > GIVEN_MAX
		       ? loom_fail(err, LOOM_LIMIT, "it was given more than 64 MiB")
		       : LOOM_OK;
}

enum loom_status loom_leslie_given(struct loom_leslie *leslie, struct loom_str thread,
				   struct loom_buf *out, struct loom_leslie_err *err)
{
	enum loom_status status = model_leslie_begin(leslie, err);

	if (status == LOOM_OK)
		status = model_leslie_need_thread(leslie, thread, err);
	return status == LOOM_OK ? spell(leslie, thread, out, &err->err) : status;
}

/* ---- and back ---- */

struct back {
	struct loom_leslie *leslie;
	struct loom_str thread;
	struct loom_str given;
	struct loom_root folder;
	struct model_leslie_stage stage;
	struct loom_str refs;
	struct loom_str live; /* p NULL: no pointers */
};

static bool next_part(struct loom_str *rest, struct loom_str *name, struct loom_str *bytes)
{
	struct loom_str head;
	struct loom_str word;
	int64_t name_n = 0;
	int64_t bytes_n = 0;

	if (!loom_str_line(rest, &head) || !loom_str_cut(&head, ' ', &word) ||
	    !loom_str_to_i64(word, &name_n) || !loom_str_to_i64(head, &bytes_n) || name_n < 0 ||
	    bytes_n < 0 || (uint64_t)name_n + (uint64_t)bytes_n + 2 > rest->n)
		return false;
	*name = loom_str_sub(*rest, 0, (size_t)name_n);
	*bytes = loom_str_sub(*rest, (size_t)name_n + 1, (size_t)bytes_n);
	*rest = loom_str_sub(*rest, (size_t)(name_n + bytes_n) + 2, SIZE_MAX);
	return true;
}

static enum loom_status open_stage(struct back *back, struct loom_err *err)
{
	struct model_leslie_stage *stage = &back->stage;
	uint32_t random = 0;
	enum loom_status status =
		loom_folder_make(&back->folder, LOOM_STR(MODEL_LESLIE_INHERITED), err);

	if (status != LOOM_OK)
		return status;
	stage->leslie = back->leslie;
	stage->context = back->folder;
	stage->context.fd = model_open_beneath(back->folder.fd, "context", O_PATH | O_DIRECTORY, 0,
					       MODEL_NO_LINKS);
	if (stage->context.fd < 0 || !model_random(&random, sizeof random))
		return loom_fail(err, LOOM_IO, "context cannot be opened");
	snprintf(stage->name, sizeof stage->name, ".stage-%08x", (unsigned)random);
	stage->folder = stage->context;
	stage->folder.fd = -1;
	if (model_root_folder(&stage->context, stage->name) == 0)
		stage->folder.fd = model_open_beneath(stage->context.fd, stage->name,
						      O_PATH | O_DIRECTORY, 0, MODEL_NO_LINKS);
	return stage->folder.fd < 0 ? loom_fail(err, LOOM_IO, "context cannot be written")
				    : LOOM_OK;
}

static enum loom_status write_parts(struct back *back, struct loom_err *err)
{
	struct loom_str rest = back->given;
	struct loom_str name;
	struct loom_str bytes;
	enum loom_status status = LOOM_OK;

	while (status == LOOM_OK && next_part(&rest, &name, &bytes)) {
		const bool list = loom_str_is(name, MODEL_LESLIE_MANIFEST);
		const struct loom_write_opts opts = {.any_name = true,
						     .folders = true,
						     .mode = list ? 0 : MODEL_LESLIE_COPY_MODE};

		if (loom_str_eq(name, refs_part))
			back->refs = bytes;
		else if (loom_str_eq(name, live_part))
			back->live = bytes;
		else
			status = loom_file_write(&back->stage.folder, name, bytes, &opts, err);
	}
	return status;
}

static bool says(struct loom_str list, struct loom_str text)
{
	struct loom_str line;

	while (loom_str_line(&list, &line))
		if (loom_str_eq(line, text))
			return true;
	return false;
}

/* Records that a reference is there, or no longer there. */
static void edit_operation(struct back *back, struct model_leslie_edits *edits, const char *command,
			   struct loom_str target)
{
	struct loom_buf params = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_json_init(&json, &params);
	loom_json_object(&json);
	loom_json_put(&json, "from_id", back->thread);
	loom_json_put(&json, "to_id", target);
	loom_json_end_object(&json);
	model_leslie_edit_operation(back->leslie, edits, command, loom_buf_str(&params));
	loom_buf_fini(&params);
}

static void drop_references(struct back *back, struct model_leslie_edits *edits)
{
	struct loom_leslie *leslie = back->leslie;
	struct loom_str own = model_leslie_relation(leslie, back->thread);
	size_t count = 0;
	struct loom_str *targets =
		model_leslie_texts(leslie->arena, model_leslie_member(own, "references_to"),
				   &count);

	for (size_t i = 0; i < count; i++) {
		struct loom_str other = model_leslie_relation(leslie, targets[i]);

		if (says(back->refs, targets[i]))
			continue;
		model_leslie_edit_drop_text(edits, own, "references_to", targets[i]);
		if (other.p)
			model_leslie_edit_drop_text(edits, other, "referenced_by", back->thread);
		edit_operation(back, edits, "unreference", targets[i]);
	}
}

static void add_missing(struct back *back, struct model_leslie_edits *edits)
{
	struct loom_leslie *leslie = back->leslie;
	struct model_leslie_ties ties = {.leslie = leslie, .edits = edits};
	struct loom_str rest = back->refs;
	struct loom_str target;
	size_t count = 0;
	struct loom_str *targets =
		model_leslie_texts(leslie->arena,
				   model_leslie_member(model_leslie_relation(leslie, back->thread),
						       "references_to"),
				   &count);

	while (loom_str_line(&rest, &target)) {
		bool there = !target.n;

		for (size_t i = 0; i < count; i++)
			there = there || loom_str_eq(targets[i], target);
		if (there)
			continue;
		model_leslie_tie(&ties, back->thread, MODEL_LESLIE_REFERENCES_TO, target);
		if (model_leslie_record(leslie, target).p)
			model_leslie_tie(&ties, target, MODEL_LESLIE_REFERENCED_BY, back->thread);
		edit_operation(back, edits, "reference", target);
	}
	model_leslie_ties_end(&ties);
}

/* Under the lock: exchanges the trees, writes pointers and relations. */
static enum loom_status record(struct loom_leslie *leslie, void *ctx, struct loom_leslie_err *err)
{
	const struct loom_write_opts opts = {.any_name = true, .folders = true};
	struct back *back = ctx;
	struct model_leslie_edits edits;
	enum loom_status status = LOOM_OK;

	if (!back->stage.swapped)
		status = model_leslie_stage_swap(&back->stage, &err->err);
	if (status == LOOM_OK && back->live.p)
		status = loom_file_write(&back->folder, LOOM_STR(POINTERS), back->live, &opts,
					 &err->err);
	else if (status == LOOM_OK)
		(void)unlinkat(back->folder.fd, POINTERS, 0);
	if (status != LOOM_OK)
		return status;
	model_leslie_edits_init(&edits, &leslie->relations.doc);
	drop_references(back, &edits);
	add_missing(back, &edits);
	model_leslie_edit_metadata(&edits, model_leslie_now(leslie, leslie->arena), "thread_count",
				   model_leslie_thread_count(leslie));
	return model_leslie_file_commit(leslie, &leslie->relations, &edits, err);
}

static enum loom_status put_back(struct back *back, struct loom_leslie_err *err)
{
	enum loom_status status =
		model_leslie_open_thread(back->leslie, back->thread, &back->folder, &err->err);
	int lock = -1;

	LOOM_ASSERT(back->folder.fd >= 0 || status != LOOM_OK);
	if (status != LOOM_OK)
		return status;
	lock = model_open_beneath(back->folder.fd, "", O_RDONLY | O_DIRECTORY, 0, MODEL_NO_LINKS);
	if (lock < 0 || !model_flock(lock, LOCK_MS))
		status = loom_fail(&err->err, LOOM_BUSY, "references of %.*s are being changed",
				   LOOM_STR_ARG(back->thread));
	if (status == LOOM_OK)
		status = open_stage(back, &err->err);
	if (status == LOOM_OK)
		status = write_parts(back, &err->err);
	if (status == LOOM_OK)
		status = model_leslie_change(back->leslie, record, back, err);
	if (status != LOOM_OK)
		model_leslie_stage_undo(&back->stage);
	model_leslie_stage_fini(&back->stage);
	if (lock >= 0)
		close(lock);
	return status;
}

enum loom_status loom_leslie_give_back(struct loom_leslie *leslie, struct loom_str thread,
				       struct loom_str given, struct loom_leslie_err *err)
{
	struct back back = {.leslie = leslie,
			    .thread = thread,
			    .given = given,
			    .folder = LOOM_ROOT_INIT,
			    .stage = {.context = LOOM_ROOT_INIT, .folder = LOOM_ROOT_INIT}};
	enum loom_status status = model_leslie_begin(leslie, err);

	if (status == LOOM_OK)
		status = model_leslie_need_thread(leslie, thread, err);
	if (status == LOOM_OK)
		status = put_back(&back, err);
	loom_root_close(&back.folder);
	return status;
}
