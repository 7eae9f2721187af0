/* Packs a node's record into the spill and reads it back. Bytes are written once and read two or
 * three times, so the format is compact. */
#include <loom/import/frame.h>

/* The packed form: the fields that nearly every record has, then the exact identity of those with
 * one, then the sizes of the present texts, seven bits per byte. Most records have three or four
 * texts. */
struct packed {
	int64_t created;
	uint8_t kind;
	uint8_t role;
	uint16_t flags;
	uint16_t texts; /* one bit each */
};
_Static_assert(sizeof(struct packed) <= IMPORT_RECORD_HEAD, "the head has its room");

enum { BOOKMARKED = 1, EXCLUDED = 2, EXTRACT = 4, EXACT = 8, UNSEAMED = 16 };

size_t import_record_pack(const struct import_record *record, char out[IMPORT_RECORD_MAX])
{
	struct packed packed;
	size_t n = sizeof packed;

	memset(&packed, 0, sizeof packed);
	packed.created = record->created;
	packed.kind = record->kind;
	packed.role = record->role;
	packed.flags =
		(uint16_t)((record->bookmarked ? BOOKMARKED : 0) |
			   (record->excluded ? EXCLUDED : 0) |
			   (record->summary_extract ? EXTRACT : 0) |
			   (record->has_exact ? EXACT : 0) | (record->unseamed ? UNSEAMED : 0));
	for (int i = 0; i < IMPORT_TEXTS; i++)
		packed.texts = (uint16_t)(packed.texts | (record->size[i] > 0) << i);
	memcpy(out, &packed, sizeof packed);
	if (record->has_exact) {
		memcpy(out + n, &record->exact, sizeof record->exact);
		n += sizeof record->exact;
	}
	for (int i = 0; i < IMPORT_TEXTS; i++) {
		uint64_t size = record->size[i];

		for (; size > 127; size >>= 7)
			out[n++] = (char)((size & 127) | 128);
		if (record->size[i])
			out[n++] = (char)size;
	}
	return n;
}

/* Unpacks a record and returns its size; 0 if it is truncated. */
static size_t unpack(struct loom_str in, struct import_record *out)
{
	struct packed packed;
	size_t at = sizeof packed;

	*out = (struct import_record){.created = 0};
	if (in.n < at)
		return 0;
	memcpy(&packed, in.p, sizeof packed);
	out->created = packed.created;
	out->kind = packed.kind;
	out->role = packed.role;
	out->bookmarked = packed.flags & BOOKMARKED;
	out->excluded = packed.flags & EXCLUDED;
	out->unseamed = packed.flags & UNSEAMED;
	out->summary_extract = packed.flags & EXTRACT;
	out->has_exact = packed.flags & EXACT;
	if (out->has_exact && in.n - at < sizeof out->exact)
		return 0;
	if (out->has_exact) {
		memcpy(&out->exact, in.p + at, sizeof out->exact);
		at += sizeof out->exact;
	}
	for (int i = 0; i < IMPORT_TEXTS; i++) {
		bool more = packed.texts >> i & 1;

		for (unsigned shift = 0; more && shift < 64; shift += 7) {
			if (at == in.n)
				return 0;
			out->size[i] |= (uint64_t)(in.p[at] & 127) << shift;
			more = in.p[at++] & 128;
		}
	}
	return at;
}

enum loom_status import_entry_read(struct loom_import *import, const struct import_entry *entry,
				   struct import_read *out, struct loom_err *err)
{
	const uint64_t at = entry->record - 1;
	const uint64_t left = import_spill_end(&import->spill) - at;
	size_t head = 0;
	uint64_t total = 0;
	struct loom_str rest;

	*out = (struct import_read){.text = {{NULL, 0}}};
	head = unpack(import_spill_at(&import->spill, at,
				      left < IMPORT_RECORD_MAX ? left : IMPORT_RECORD_MAX),
		      &out->head);
	if (!head)
		return loom_fail(err, LOOM_IO, "the import's temporary file cannot be read");
	for (int i = 0; i < IMPORT_TEXTS; i++)
		total += out->head.size[i];
	rest = import_spill_at(&import->spill, at + head, total);
	if (rest.n < total)
		return loom_fail(err, LOOM_IO, "the import's temporary file cannot be read");
	for (int i = 0; i < IMPORT_TEXTS; i++) {
		out->text[i] = loom_str_sub(rest, 0, out->head.size[i]);
		rest = loom_str_sub(rest, out->head.size[i], rest.n);
	}
	return LOOM_OK;
}

enum loom_status import_entry_mark(struct loom_import *import, uint64_t at,
				   struct import_mark_record *out, struct loom_str *out_text,
				   struct loom_err *err)
{
	struct loom_str head = import_spill_at(&import->spill, at - 1, sizeof *out);

	if (head.n < sizeof *out)
		return loom_fail(err, LOOM_IO, "the import's temporary file cannot be read");
	memcpy(out, head.p, sizeof *out);
	*out_text = import_spill_at(&import->spill, at - 1 + sizeof *out, out->size);
	return LOOM_OK;
}
