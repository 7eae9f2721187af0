/* The state of an import between reading and writing.
 *
 * A node is an entry of 64 bytes; its record (texts, author, time) waits in the spill. Entries
 * refer to each other by number + 1, where 0 is none. An entry may be referred to before its node
 * arrives; its `record` is 0 until then.
 *
 * Data that grows with the file lives in the import's pages, backed by disk. Only the hash table of
 * entries, 4 1/3 bytes for each, is always in memory. */
#ifndef LOOM_IMPORT_FRAME_H
#define LOOM_IMPORT_FRAME_H

#include <loom/tree/agent.h>
#include <loom/base/hash.h>
#include <loom/grove/seal.h>

#include <loom/import/reader_kit.h>

/* Append-only bytes: in memory while small, then in an unnamed file. */
struct import_spill {
	int fd;                   /* -1: everything is in `tail` */
	struct loom_pages *pages; /* charged with the mapping */
	struct loom_buf dir;
	struct loom_buf tail;  /* not yet in the file */
	uint64_t flushed;      /* bytes in the file */
	int failed;            /* errno of a failed write; 0: none */
	const char *map;       /* of the file, once sealed */
	struct loom_buf piece; /* for reads before sealing */
};
/* Prepares an empty spill; its file will be created in `dir`. */
void import_spill_init(struct import_spill *spill, const char *dir, struct loom_pages *pages);
/* Frees the spill and its file. */
void import_spill_fini(struct import_spill *spill);
/* The offset at which the next bytes will be added. */
uint64_t import_spill_end(const struct import_spill *spill);
/* Appends bytes; failures show up in import_spill_settle. */
void import_spill_add(struct import_spill *spill, const void *bytes, size_t n);
/* Call after each complete record: moves the tail into the file once it is large. */
enum loom_status import_spill_settle(struct import_spill *spill, struct loom_err *err) LOOM_MUST;
/* Ends writing; from then on reads are cheap. */
enum loom_status import_spill_seal(struct import_spill *spill, struct loom_err *err) LOOM_MUST;
/* Bytes at an offset, borrowed until the next call. Shorter than `n` if they cannot be read. */
struct loom_str import_spill_at(struct import_spill *spill, uint64_t at, size_t n);

enum import_entry_flag {
	IMPORT_ENTRY_NAMELESS = 1, /* the file has no id for it */
	IMPORT_ENTRY_PRUNED = 2,
	IMPORT_ENTRY_KNOWN = 4, /* already in the grove */
	IMPORT_ENTRY_EXACT = 8, /* its record has its ULID and local id */
	IMPORT_ENTRY_REACHED = 16,
	IMPORT_ENTRY_LATE = 32,      /* has marks to add once everything is visible */
	IMPORT_ENTRY_ANONYMOUS = 64, /* like NAMELESS, but found by an id of the reader */
	IMPORT_ENTRY_BRANCH = 128,   /* its edit made a branch, whatever the tree's mode */
	IMPORT_ENTRY_VERSION = 256,  /* its edit made a version, whatever the tree's mode */
	IMPORT_ENTRY_ASIDE = 512,    /* a note or a source: has no continuations */
	IMPORT_ENTRY_LISTED = 1024,  /* covered by the file's seal */
	IMPORT_ENTRY_HUNG = 2048,    /* has a mark that says where it hangs */
};

#define IMPORT_ENTRY_NO_NAME (IMPORT_ENTRY_NAMELESS | IMPORT_ENTRY_ANONYMOUS)

struct import_entry {
	uint8_t id[16];  /* while reading: hash of tree and id; later: its ULID */
	uint64_t record; /* offset in the spill + 1; 0: it has not arrived */
	uint64_t marks;  /* offset of its last mark in the spill + 1 */
	uint32_t parent;
	uint32_t edited;
	uint32_t first; /* first child */
	uint32_t next;  /* next sibling */
	union {
		uint32_t place;    /* + 1; until the import is settled */
		uint32_t children; /* while writing: children its row counts from the start */
	};
	uint32_t flags;
	int64_t node;
};

/* The texts of a record, in the order in which they follow it in the spill. */
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
	bool unseamed;
	bool summary_extract;
	bool has_exact;
	struct import_exact exact;
	uint64_t size[IMPORT_TEXTS];
};
/* The largest packed record, without its texts. */
#define IMPORT_RECORD_HEAD 16
#define IMPORT_RECORD_MAX                                                                          \
	(IMPORT_RECORD_HEAD + sizeof(struct import_exact) + (size_t)IMPORT_TEXTS * 10)
/* Packs a record and returns the number of bytes. */
size_t import_record_pack(const struct import_record *record, char out[IMPORT_RECORD_MAX]);
/* A mark in the spill, followed by its text. */
struct import_mark_record {
	uint64_t before; /* offset of the previous mark + 1 */
	int64_t number;
	uint32_t kind;
	uint32_t to; /* entry + 1 */
	uint64_t size;
};

struct import_tree_state {
	struct import_tree spec; /* its texts live in the import's arena */
	struct import_exact exact;
	uint64_t beside; /* in the spill: members for the root's extra, without braces */
	uint64_t beside_size;
	size_t file;  /* index in import->files */
	size_t first; /* index of its first entry */
	size_t count; /* entries, including those that never arrive */
	uint32_t root;
	uint32_t top; /* the first of several roots */
	uint32_t current;
	uint32_t named; /* the root according to the file */
	bool ordered;   /* parents came before children, so it is written in order */
	bool renamed;   /* its local ids are taken and cannot be kept */
	/* Its state in the grove. */
	struct loom_ulid ulid;
	int64_t tree; /* 0: not yet created */
	bool there;   /* existed before this import */
	bool undone;  /* would be restored (in a dry run) */
	int64_t root_row;
	struct loom_str called; /* its current title, if it exists */
	int64_t nodes;
	int64_t known;
	int64_t added;
};

/* The set of local ids taken so far (local_ids.c). Zeroed is empty. */
struct import_local_row {
	uint64_t key;   /* 0: free */
	uint64_t taken; /* one bit each */
};
struct import_locals {
	struct import_local_row *rows;
	size_t size;
	size_t count;
};
/* Adds a local id; false if it is already there. */
bool import_locals_add(struct import_locals *set, struct loom_pages *pages,
		       const struct loom_local *local);
/* Frees the set of local ids. */
void import_locals_fini(struct import_locals *set, struct loom_pages *pages);

struct import_file {
	struct loom_str name;
	struct loom_str
		title; /* for trees without one: the name without directories and extension */
	const struct import_reader *reader;
	struct loom_str
		from; /* for claims: the name of what the person named, without directories */
	bool has_seal;
	bool genuine; /* the seal is from this grove */
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

/* An author as a file names it, and who that is here. */
struct import_author {
	struct loom_str name;
	struct loom_str model;
	bool is_model;
	bool is_other;              /* a tool or a system: neither a person nor a model */
	struct import_agent *known; /* what the file says about it */
	enum loom_claim claim;
	struct loom_str from; /* of a claim: the file */
	bool taken;           /* its ULID belongs to somebody else here */
	int64_t agent;        /* 0: not yet created */
};
/* An author, and the question that it answers. */
struct import_judged {
	const struct import_file *file;
	struct loom_str name;
	struct loom_str claim;
	bool is_model;
	bool is_other;
	bool genuine;
	bool fits;
	struct import_author author;
};

struct loom_import {
	struct loom_import_opts opts;
	const struct import_reader *only;
	const char *dir; /* for temporary files */
	struct loom_pages *pages;
	struct loom_arena *arena;   /* lives as long as the import */
	struct loom_arena *scratch; /* the reader's */
	struct loom_arena *own;     /* for one record */
	struct import_spill spill;
	struct import_locals locals; /* of the tree being read */
	struct import_entry *entries;
	size_t entry_count;
	size_t entry_cap;
	struct loom_buf last_id; /* of the last node, usually the parent of the next */
	uint32_t last_entry;     /* its number; 0: none */
	/* Open addressing over the entries' ids. A cell is a number + 1 (0: free) and, above it, a
	 * byte of the id's hash, which avoids most looks at other entries. */
	uint32_t *table;
	size_t table_size;
	uint64_t table_key;
	struct import_tree_state *trees;
	size_t tree_count;
	size_t tree_cap;
	struct loom_buf
		open_beside; /* of the last tree; moved to the spill when the next one begins */
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
	struct loom_str origin; /* of the file being read; empty: its own name */
	size_t file_size;       /* of the file being read */
	const char *base;       /* start of the text being read */
	bool checked;           /* its text has been checked and is now being read */
	bool open;              /* a tree has begun */
	bool settled;
	struct import_lines lines[IMPORT_NOTES];
	struct loom_import_report report;
	struct loom_import_made *made;
	size_t made_count;
};

/* The entry with a number + 1. */
static inline struct import_entry *import_entry_at(const struct loom_import *import,
						   uint32_t number)
{
	struct import_entry *entry = &import->entries[number - 1];

	loom_pages_touch(import->pages, entry, sizeof *entry);
	return entry;
}
/* The tree with an index. */
static inline struct import_tree_state *import_tree_at(const struct loom_import *import,
						       size_t index)
{
	struct import_tree_state *tree = &import->trees[index];

	loom_pages_touch(import->pages, tree, sizeof *tree);
	return tree;
}
/* Replaces the hash table with an empty one for `entries` ids; 0 frees it. */
void import_entry_table(struct loom_import *import, size_t entries);
/* The number + 1 of the entry with this id; 0 if there is none. */
uint32_t import_entry_find(const struct loom_import *import, const uint8_t id[16]);
/* Adds an entry's id to the hash table. */
void import_entry_put(struct loom_import *import, uint32_t number);
/* Ends the extra members of the last tree. */
void import_tree_close(struct loom_import *import);
/* A node's record with its texts, borrowed until the next read of the spill. */
struct import_read {
	struct import_record head;
	struct loom_str text[IMPORT_TEXTS];
};
/* Reads the record of an entry. */
enum loom_status import_entry_read(struct loom_import *import, const struct import_entry *entry,
				   struct import_read *out, struct loom_err *err) LOOM_MUST;
/* Reads the mark at an offset of the spill; its text is borrowed until the next read. */
enum loom_status import_entry_mark(struct loom_import *import, uint64_t at,
				   struct import_mark_record *out, struct loom_str *out_text,
				   struct loom_err *err) LOOM_MUST;

/* The first node of a settled tree, parents before children; 0 if there is none. Includes entries
 * that never arrived. */
uint32_t import_order_first(const struct import_tree_state *tree);
/* The node after `number` in the order of import_order_first; 0 after the last. */
uint32_t import_order_next(const struct loom_import *import, const struct import_tree_state *tree,
			   uint32_t number);

/* Repairs text to UTF-8: each broken byte sequence or lone surrogate becomes U+FFFD. False, with
 * *out untouched, if the text was valid. */
bool import_text_repair(struct loom_str text, struct loom_buf *out, bool *out_surrogates);
/* Repairs text to UTF-8, in `arena`; returns the text itself if it was valid. */
struct loom_str import_text_as_is(struct loom_arena *arena, struct loom_str text);
/* The text as one line without control characters, at most `max` bytes, in `arena`. */
struct loom_str import_text_line(struct loom_arena *arena, struct loom_str text, size_t max);

/* The maximum size of a file with this beginning. Files that are not JSON have a lower one, because
 * they become a single text or transcript. */
uint64_t import_source_most(struct loom_str head);
/* Converts UTF-16 with a byte order mark to UTF-8; false if the bytes are not that. */
bool import_source_widen(struct loom_str bytes, struct loom_buf *out);
/* Checks a file's bytes and describes them for the readers (source.c). */
enum loom_status import_source_look(struct loom_import *import, struct loom_str name,
				    struct loom_str bytes, struct import_source *out,
				    struct loom_err *err) LOOM_MUST;

#endif
