/* The importers' frame: what an import holds between reading and writing.
 *
 * A node is one entry of 64 bytes; its record (texts, author, time) waits in the spill. Entries
 * refer to one another by number + 1, 0 being none. An entry may be named before its node comes;
 * whether it came shows in `record`.
 *
 * Whatever there may be as much of as a file is large stands in the import's pages, which the disk
 * keeps; only the table of entries, four bytes and a third each, is always in memory. */
#ifndef LOOM_IMPORT_FRAME_H
#define LOOM_IMPORT_FRAME_H

#include <loom/tree/agent.h>
#include <loom/base/hash.h>
#include <loom/grove/seal.h>

#include <loom/import/reader_kit.h>

/* Bytes that are only appended: in memory while they are few, then in a file without a name. */
struct import_spill {
	int fd;                   /* -1: all is in `tail` */
	struct loom_pages *pages; /* that the map is lent to */
	struct loom_buf dir;
	struct loom_buf tail;  /* what is not in the file yet */
	uint64_t flushed;      /* bytes in the file */
	int failed;            /* why writing it failed, 0: it did not */
	const char *map;       /* of the file, once it is sealed */
	struct loom_buf piece; /* what was read back before that */
};
/* `dir`: where its file is made. */
void import_spill_init(struct import_spill *spill, const char *dir, struct loom_pages *pages);
void import_spill_fini(struct import_spill *spill);
/* Where the next bytes will stand. */
uint64_t import_spill_end(const struct import_spill *spill);
void import_spill_add(struct import_spill *spill, const void *bytes, size_t n);
/* Once a record is whole: moves what has grown too much into the file. */
enum loom_status import_spill_settle(struct import_spill *spill, struct loom_err *err) LOOM_MUST;
/* Nothing comes any more; reading is cheap from here on. */
enum loom_status import_spill_seal(struct import_spill *spill, struct loom_err *err) LOOM_MUST;
/* Bytes that stand there, borrowed until the next call; cut short (n smaller) when they cannot be
 * read. */
struct loom_str import_spill_at(struct import_spill *spill, uint64_t at, size_t n);

enum import_entry_flag {
	IMPORT_ENTRY_NAMELESS = 1, /* the file has no id for it */
	IMPORT_ENTRY_PRUNED = 2,
	IMPORT_ENTRY_KNOWN = 4, /* the grove has it */
	IMPORT_ENTRY_EXACT = 8, /* its record holds its ULID and local id */
	IMPORT_ENTRY_REACHED = 16,
	IMPORT_ENTRY_LATE = 32,      /* has marks that are made when all is visible */
	IMPORT_ENTRY_ANONYMOUS = 64, /* as NAMELESS, but found by the reader's id */
	IMPORT_ENTRY_BRANCH = 128,   /* its edit made a branch, whatever the tree's way is */
	IMPORT_ENTRY_VERSION = 256,  /* or a version */
	IMPORT_ENTRY_ASIDE = 512,    /* a note or a source: nothing goes on from it */
	IMPORT_ENTRY_LISTED = 1024,  /* under the file's seal */
};

#define IMPORT_ENTRY_NO_NAME (IMPORT_ENTRY_NAMELESS | IMPORT_ENTRY_ANONYMOUS)

struct import_entry {
	uint8_t id[16];  /* while reading: hash of tree and id; then: its ULID */
	uint64_t record; /* in the spill, + 1; 0: it never came */
	uint64_t marks;  /* the last of its marks in the spill, + 1 */
	uint32_t parent;
	uint32_t edited;
	uint32_t first; /* child */
	uint32_t next;  /* sibling */
	union {
		uint32_t place;    /* + 1; until it is settled */
		uint32_t children; /* while it is written: those that its row counts at once */
	};
	uint32_t flags;
	int64_t node;
};

/* What is known of a node; in the spill its texts stand behind it in the order of `size`. */
enum import_text {
	IMPORT_TEXT_ID,
	IMPORT_TEXT_AUTHOR,
	IMPORT_TEXT_MODEL,
	IMPORT_TEXT_TEXT,
	IMPORT_TEXT_ORIGINAL,
	IMPORT_TEXT_LABEL,
	IMPORT_TEXT_SUMMARY,
	IMPORT_TEXT_GENERATION,
	IMPORT_TEXT_EXTRA,
	IMPORT_TEXT_RAW,
	IMPORT_TEXT_HASH,
	IMPORT_TEXT_PARENTS,
	IMPORT_TEXT_CLAIM,
	IMPORT_TEXTS
};
struct import_record {
	int64_t created;
	uint8_t kind;
	uint8_t role;
	bool bookmarked;
	bool excluded;
	bool summary_extract;
	bool has_exact;
	struct import_exact exact;
	uint64_t size[IMPORT_TEXTS];
};
/* The most that a record takes there without its texts. */
#define IMPORT_RECORD_HEAD 16
#define IMPORT_RECORD_MAX                                                                          \
	(IMPORT_RECORD_HEAD + sizeof(struct import_exact) + (size_t)IMPORT_TEXTS * 10)
/* Spells one; how many bytes it took. */
size_t import_record_pack(const struct import_record *record, char out[IMPORT_RECORD_MAX]);
/* A mark in the spill, its text behind it. */
struct import_mark_record {
	uint64_t before; /* the one before it, + 1 */
	int64_t number;
	uint32_t kind;
	uint32_t to; /* entry + 1 */
	uint64_t size;
};

struct import_tree_state {
	struct import_tree spec; /* its texts in the import's arena */
	struct import_exact exact;
	uint64_t beside; /* in the spill, what stands beside the root: the inside of an object */
	uint64_t beside_size;
	size_t file;  /* of import->files */
	size_t first; /* entry */
	size_t count; /* entries, those that never came too */
	uint32_t root;
	uint32_t top; /* the first of several roots */
	uint32_t current;
	uint32_t named; /* as its root */
	bool ordered;   /* parents came before children: they are written as they came */
	bool renamed;   /* its nodes' own local ids cannot be kept */
	/* In the grove. */
	struct loom_ulid ulid;
	int64_t tree; /* 0: not there yet */
	bool there;   /* before this import */
	bool undone;  /* it would be brought back (dry) */
	int64_t root_row;
	struct loom_str called; /* what a tree that is there is called by now */
	int64_t nodes;
	int64_t known;
	int64_t added;
};

/* Local ids that were taken (local_ids.c). Zeroed is empty. */
struct import_local_row {
	uint64_t key;   /* 0: free */
	uint64_t taken; /* a bit each */
};
struct import_locals {
	struct import_local_row *rows;
	size_t size;
	size_t count;
};
/* False when it is there already. */
bool import_locals_add(struct import_locals *set, struct loom_pages *pages,
		       const struct loom_local *local);
void import_locals_fini(struct import_locals *set, struct loom_pages *pages);

struct import_file {
	struct loom_str name;
	struct loom_str title; /* of a tree that says none: without directories and ending */
	const struct import_reader *reader;
	struct loom_str from; /* as claims name it: without directories */
	bool has_seal;
	bool genuine; /* the seal is this grove's */
	struct loom_hash sealed;
	struct loom_seal seal;
};

struct import_doc {
	struct loom_str name;
	struct loom_str text;
	size_t file;
	bool listed;
};

struct import_lines {
	struct loom_import_line *items;
	size_t count;
	size_t cap;
};

/* What a file calls an author, and what comes of it. */
struct import_author {
	struct loom_str name;
	struct loom_str model;
	bool is_model;
	struct import_agent *known; /* of whom the file says more */
	enum loom_claim claim;
	struct loom_str from; /* of a claim */
	bool taken;           /* somebody has its ULID here */
	int64_t agent;        /* 0: not there yet */
};
/* The same as it was asked for. */
struct import_judged {
	const struct import_file *file;
	struct loom_str name;
	struct loom_str claim;
	bool is_model;
	bool genuine;
	bool fits;
	struct import_author author;
};

struct loom_import {
	struct loom_import_opts opts;
	const struct import_reader *only;
	const char *dir; /* of temporary files */
	struct loom_pages *pages;
	struct loom_arena *arena;   /* lives as long as the import */
	struct loom_arena *scratch; /* the reader's */
	struct loom_arena *own;     /* of one record */
	struct import_spill spill;
	struct import_locals locals; /* of the tree that is being read */
	struct import_entry *entries;
	size_t entry_count;
	size_t entry_cap;
	struct loom_buf last_id; /* of the node that came last, mostly the next one's parent */
	uint32_t last_entry;     /* its number; 0: forgotten */
	/* Open addressing over the entries' ids: a number + 1 (0: free), and above it a byte of the
	 * id's hash, so that most others are told apart without a look at their entry. */
	uint32_t *table;
	size_t table_size;
	uint64_t table_key;
	struct import_tree_state *trees;
	size_t tree_count;
	size_t tree_cap;
	struct loom_buf open_beside; /* of the last tree; in the spill once the next one begins */
	struct import_file *files;
	size_t file_count;
	size_t file_cap;
	struct import_doc *docs;
	size_t doc_count;
	size_t doc_cap;
	struct import_agent *agents;
	size_t agent_count;
	size_t agent_cap;
	struct import_member *beside;
	size_t beside_count;
	size_t beside_cap;
	size_t file_size; /* of the one being read */
	const char *base; /* where its text begins */
	bool checked;     /* its text was looked through once: it is read now */
	bool open;        /* a tree is begun */
	bool settled;
	struct import_lines lines[IMPORT_NOTES];
	struct loom_import_report report;
	struct loom_import_made *made;
	size_t made_count;
};

/* An empty table of entries by id, with room for so many; 0: none any more. */
void import_entry_table(struct loom_import *import, size_t entries);
/* The number + 1 of the entry of that id, 0 when there is none … */
uint32_t import_entry_find(const struct loom_import *import, const uint8_t id[16]);
/* … and its place in the table. */
void import_entry_put(struct loom_import *import, uint32_t number);
/* What stands beside the last tree is whole. */
void import_tree_close(struct loom_import *import);
/* A node's record and its texts, borrowed until the next look at the spill. */
struct import_read {
	struct import_record head;
	struct loom_str text[IMPORT_TEXTS];
};
enum loom_status import_entry_read(struct loom_import *import, const struct import_entry *entry,
				   struct import_read *out, struct loom_err *err) LOOM_MUST;
enum loom_status import_entry_mark(struct loom_import *import, uint64_t at,
				   struct import_mark_record *out, struct loom_str *out_text,
				   struct loom_err *err) LOOM_MUST;

/* The nodes of a settled tree in an order in which each stands behind its parent; 0 behind the
 * last. Numbers of entries that never came are among them. */
uint32_t import_order_first(const struct import_tree_state *tree);
uint32_t import_order_next(const struct loom_import *import, const struct import_tree_state *tree,
			   uint32_t number);

/* Bytes as UTF-8: what is none becomes U+FFFD, one for each lone surrogate. False when all was well
 * (and *out is untouched). */
bool import_text_repair(struct loom_str text, struct loom_buf *out, bool *out_surrogates);
/* The same as a text in `arena`; itself when all was well. */
struct loom_str import_text_as_is(struct loom_arena *arena, struct loom_str text);
/* One line without control characters, at most `max` bytes, in `arena`. */
struct loom_str import_text_line(struct loom_arena *arena, struct loom_str text, size_t max);

/* How large a file that begins so may be: what is no JSON is one text, or a talk of one. */
uint64_t import_source_most(struct loom_str head);
/* Whether the bytes are UTF-16 with its mark: then `out` is the same text in UTF-8. */
bool import_source_widen(struct loom_str bytes, struct loom_buf *out);
/* Looks at a file's bytes (source.c). */
enum loom_status import_source_look(struct loom_import *import, struct loom_str name,
				    struct loom_str bytes, struct import_source *out,
				    struct loom_err *err) LOOM_MUST;

#endif
