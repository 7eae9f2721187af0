/* An entry: what one write transaction changed of what is shared, with what it stood on.
 *
 * It is bytes: a mark, then numbers (seven bits a byte, the lowest first), texts and blobs (a
 * length and the bytes), then the changes in one order, so that the same changes have one form
 * only. The chain of an entry is SHA-256 of the chain before it and of its bytes: it names
 * everything up to here. */
#ifndef LOOM_ENTRY_H
#define LOOM_ENTRY_H

#include <loom/base/arena.h>
#include <loom/base/hash.h>
#include <loom/remote/classes.h>

#define MODEL_ENTRY_MAX ((size_t)192 << 20)
enum { MODEL_ENTRY_UID = 16 };

/* A value of a row. The numbers are stored in entries. */
struct model_cell {
	enum { MODEL_CELL_NULL, MODEL_CELL_INT, MODEL_CELL_TEXT, MODEL_CELL_BLOB } type;
	int64_t n;
	struct loom_str s;
};

/* In the order in which they are applied; stored by number. */
enum model_act {
	MODEL_CHANGED, /* shared columns of a row */
	MODEL_GONE,    /* a row */
	MODEL_ADDED,   /* a row, with what is mine of it */
	MODEL_MINE,    /* what is mine of a row, as it is now */
	MODEL_LEFT,    /* a row that was mine */
};

struct model_change {
	enum model_act act;
	size_t class;           /* its place in model_classes */
	uint64_t set;           /* of a change: a bit for each column */
	struct model_cell *now; /* by column: the key, and what is set */
	struct model_cell *was; /* by column, what is set; else NULL */
};

struct model_entry {
	int64_t schema;
	int64_t base;          /* the number of the entry before it */
	struct loom_hash prev; /* the chain up to there */
	uint8_t uid[MODEL_ENTRY_UID];
	int64_t at;
	struct loom_str role; /* the account it is from */
	struct model_change *changes;
	size_t count;
};

/* Sorts the changes and appends the entry's bytes. */
void model_entry_encode(const struct model_shape *shapes, struct model_entry *entry,
			struct loom_buf *out);
/* Reads an entry; texts point into `bytes`, the rest is in the arena. LOOM_INVALID for bytes that
 * model_entry_encode would not write; *err says where. */
enum loom_status model_entry_decode(const struct model_shape *shapes, struct loom_str bytes,
				    struct loom_arena *arena, struct model_entry *out,
				    struct loom_err *err) LOOM_MUST;
/* Returns the chain after an entry with these bytes. */
struct loom_hash model_entry_chain(const struct loom_hash *prev, struct loom_str bytes);

/* Appends the key of a row as it is stored for rows that wait to ride. */
void model_key_encode(const struct model_shape *shape, const struct model_cell *now,
		      struct loom_buf *out);
/* Reads such a key back; false if it is not one. */
bool model_key_decode(const struct model_shape *shape, struct loom_str bytes,
		      struct model_cell *now) LOOM_MUST;

#endif
