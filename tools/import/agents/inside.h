/* Shared by the readers of agents' sessions: chains of records, and logs of one record a line. Not
 * for other rooms. */
#ifndef IMPORT_AGENTS_INSIDE_H
#define IMPORT_AGENTS_INSIDE_H

#include <loom/formats/chats_kit.h>

/* ---- records that become no nodes (import_chain.c) ---- */

/* The records in the chain of parents that become no nodes. Add them all, settle, then find. */
struct import_chain {
	struct loom_import *import;
	struct loom_str text; /* the text with the records */
	/* The ids of a record and of its parent, in the scratch arena or in the text. */
	struct loom_str (*id)(const struct import_chain *chain, struct loom_str record);
	struct loom_str (*parent)(const struct import_chain *chain, struct loom_str record);
	const void *ctx;
	uint64_t *links; /* an id's hash, and the offset of its record */
	uint32_t *ends;  /* for each, the record at the end of its chain, + 1; 0: unknown */
	size_t count;
	size_t cap;
};
/* Frees the chain and its links. */
void import_chain_fini(struct import_chain *chain);
/* Adds a record, one line of the text. */
void import_chain_add(struct import_chain *chain, struct loom_str record);
/* Call after adding all records. */
void import_chain_settle(struct import_chain *chain);
/* The nearest ancestor that is a node: `id` itself if it is not in the chain; empty if there is
 * none. */
struct loom_str import_chain_find(struct import_chain *chain, struct loom_str id);

/* ---- agent logs: lines of records (import_records.c) ---- */

enum import_records_kind {
	IMPORT_RECORD_NODE,
	IMPORT_RECORD_BESIDE, /* no node; kept with the next one */
	IMPORT_RECORD_OWN,    /* no node; the reader handles it */
	IMPORT_RECORD_HEADER, /* like OWN, and nobody's parent */
};

/* The source of a title; a higher one wins. */
enum {
	IMPORT_RANK_NONE,
	IMPORT_RANK_WORDS,
	IMPORT_RANK_SUMMARY,
	IMPORT_RANK_MADE,
	IMPORT_RANK_OWN
};

struct import_records;
struct import_records_form {
	const char *id; /* the keys of a record's id and its parent's */
	const char *parent;
	const char *or_parent; /* used if there is no parent; NULL: none */
	const struct import_records_type {
		const char *type;
		enum import_records_kind kind;
	} * types;
	size_t type_count;
	bool all_chained; /* each record continues the previous one */
	bool in_order;    /* records name neither themselves nor a parent */
	/* Fills the message; its id and parent are set. */
	enum loom_status (*node)(struct import_records *session, struct loom_str record,
				 struct loom_str type, struct loom_err *err);
	/* Handles a record of kind OWN. */
	enum loom_status (*own)(struct import_records *session, struct loom_str record,
				struct loom_str type, struct loom_err *err);
};

struct import_records {
	struct chats chat;
	const struct import_records_form *form;
	void *ctx; /* the reader's own */
	struct import_chain chain;
	struct loom_buf beside; /* records since the last node, as items of a list */
	struct loom_buf last;   /* the id of the last node */
	size_t number;
	bool aside; /* the node is not on the session's own path */
	int rank;   /* IMPORT_RANK_… of the current title */
	bool list;  /* no record has an id: each follows the previous one */
};

/* Sets the tree's title, unless it has one of a higher rank. */
void import_records_title(struct import_records *session, struct loom_str title, int rank);
/* Keeps a record with the next node. */
void import_records_beside(struct import_records *session, struct loom_str record);
/* Reads the lines of a session. The reader has begun the tree; `ctx` is its own. */
enum loom_status import_records_read(struct loom_import *import, struct loom_str text,
				     const struct import_records_form *form, void *ctx,
				     struct loom_err *err) LOOM_MUST;

#endif
