/* Checks what vouches for a node of a loom export: that its hash matches the file, and that a seal
 * of this grove covers it. */
#include <loom/tree/provenance.h>

#include "write_tree.h"

enum loom_status import_unseal(struct import_writing *w, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < w->import->file_count && status == LOOM_OK; i++) {
		struct import_file *file = &w->import->files[i];

		if (file->has_seal)
			status = loom_seal_check(w->store,
						 loom_str_make((const char *)file->sealed.bytes,
							       sizeof file->sealed.bytes),
						 &file->seal, &file->genuine, err);
	}
	return status;
}

static bool is_hash(struct loom_str text, struct loom_hash *out)
{
	return loom_unhex(text, out->bytes, sizeof out->bytes);
}

struct loom_str import_parents(struct loom_arena *arena, const struct import_read *read)
{
	struct loom_jwalk walk = loom_jval_walk(read->text[IMPORT_TEXT_PARENTS]);
	struct loom_buf hashes = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_hash hash;
	struct loom_str item;
	struct loom_str out = {NULL, 0};
	bool good = true;

	while (good && loom_jwalk_next(&walk, NULL, &item)) {
		good = is_hash(loom_jval_text(item, arena), &hash);
		loom_buf_add(&hashes, loom_str_make((const char *)hash.bytes, sizeof hash.bytes));
	}
	if (good && hashes.n)
		out = loom_arena_buf(arena, &hashes);
	loom_buf_fini(&hashes);
	return out;
}

/* Reads the hash of the parent entry from the file. */
static bool read_above(struct import_writing *w, const struct import_entry *entry,
		       struct loom_hash *out, struct loom_err *err, enum loom_status *status)
{
	const struct import_entry *parent =
		entry->parent ? import_entry_at(w->import, entry->parent) : NULL;
	struct import_read read;

	if (!parent || !parent->record)
		return false;
	*status = import_entry_read(w->import, parent, &read, err);
	return *status == LOOM_OK && is_hash(read.text[IMPORT_TEXT_HASH], out);
}

static bool fits(struct import_writing *w, const struct import_entry *entry,
		 const struct import_read *read, const struct loom_hash *above)
{
	const struct loom_str list = import_parents(w->arena, read);
	const struct loom_str raw = read->text[IMPORT_TEXT_RAW];
	const struct loom_hash raw_hash = loom_sha256(raw);
	struct loom_provenance what = {
		.text = read->text[IMPORT_TEXT_TEXT],
		.parents = above,
		.parent_count = above ? 1 : 0,
		.created_ms = read->head.created,
		.author = read->text[IMPORT_TEXT_AUTHOR],
		.raw = raw.n ? &raw_hash : NULL,
	};
	struct loom_hash said;
	struct loom_hash hash;
	bool among = !list.n;

	for (size_t at = 0; at < list.n; at += sizeof hash.bytes)
		among |= above && memcmp(list.p + at, above->bytes, sizeof hash.bytes) == 0;
	if (list.n) {
		what.parents = (const struct loom_hash *)(const void *)list.p;
		what.parent_count = list.n / sizeof hash.bytes;
	}
	hash = loom_content_hash(&what);
	return among && !(entry->parent && !above) &&
	       is_hash(read->text[IMPORT_TEXT_HASH], &said) && loom_hash_eq(&hash, &said);
}

enum loom_status import_said(struct import_writing *w, const struct import_tree_state *tree,
			     const struct import_entry *entry, struct import_read *read,
			     struct import_said *out, struct loom_err *err)
{
	const struct import_file *file = &w->import->files[tree->file];
	const bool ours = file->reader == &import_loom;
	enum loom_status status = LOOM_OK;
	struct loom_hash above;
	bool has_above = ours && read_above(w, entry, &above, err, &status);

	if (status == LOOM_OK)
		status = import_entry_read(w->import, entry, read, err);
	if (status != LOOM_OK)
		return status;
	*out = (struct import_said){
		.file = file,
		.author = read->text[IMPORT_TEXT_AUTHOR],
		.model = read->text[IMPORT_TEXT_MODEL],
		.role = read->head.role,
		.claim = read->text[IMPORT_TEXT_CLAIM],
		.genuine = file->genuine && entry->flags & IMPORT_ENTRY_LISTED,
		.fits = true,
	};
	if (ours && read->text[IMPORT_TEXT_HASH].n)
		out->fits = fits(w, entry, read, has_above ? &above : NULL);
	return LOOM_OK;
}
