/* What the readers of chats share: looking into messages, what a message says, and the node that it
 * becomes. Nothing here is for other rooms. */
#ifndef IMPORT_FORMATS_INSIDE_H
#define IMPORT_FORMATS_INSIDE_H

#include <loom/language/pasted_turns.h>

#include <loom/import/reader_kit.h>

/* ---- looking ---- */

struct chats_pick {
	const char *key;
	struct loom_str *out;
};
/* Looks through an object once: each member named gets its value, absent ones become absent. */
void chats_pick(struct loom_str object, const struct chats_pick *picks, size_t count);
/* A member's string in the scratch; the first of two that has one. */
struct loom_str chats_either(struct loom_import *import, struct loom_str object, const char *first,
			     const char *second);
/* Whether the value is true. */
bool chats_true(struct loom_str value);
/* Whether the file's list, or the file itself, holds an object with that member, of that type,
 * among its first hundred. */
bool chats_has_in_list(const struct import_source *source, const char *key, enum loom_jtype type);
/* A walk over the file's objects: the items of its list, or the one that it is. */
struct chats_walk {
	struct loom_jwalk walk;
	struct loom_str only;
};
struct chats_walk chats_walk(const struct import_source *source);
bool chats_walk_next(struct chats_walk *walk, struct loom_str *out);

/* JSON Lines. A line that is no object is reported with its number and passed over. */
struct chats_lines {
	struct loom_import *import;
	struct loom_str rest;
	const char *begin;
	int64_t number;
};
void chats_lines(struct chats_lines *lines, struct loom_import *import, struct loom_str text);
/* LOOM_OK and an object, absent behind the last; LOOM_CANCELLED. */
enum loom_status chats_line(struct chats_lines *lines, struct loom_str *out,
			    struct loom_err *err) LOOM_MUST;

/* ---- a message in the making ---- */

struct chats {
	struct loom_import *import;
	struct import_node node; /* its text, generation and extra come from below */
	struct loom_buf text;
	struct loom_buf thought;    /* what it only thought */
	struct loom_buf inner;      /* members of extra */
	struct loom_buf generation; /* members of the record */
	struct loom_buf about;      /* what the tree says of itself: goes to its first root */
	struct loom_buf root;       /* the id of the root that was made, empty: none */
	struct loom_buf before;     /* the id of the message before, of files that are lists */
	struct loom_buf whole[2];
	size_t results; /* parts that are what a tool gave back */
	size_t others;  /* parts that are not */
	bool plain;     /* the text says all that the content held */
};

void chats_init(struct chats *chat, struct loom_import *import);
void chats_fini(struct chats *chat);
/* An empty message. */
void chats_begin(struct chats *chat);
/* Adds a paragraph to the text. */
void chats_add(struct chats *chat, struct loom_str paragraph);
/* Adds what a content says: a string, or a list of parts (text, thinking, calls of tools, their
 * results, pictures). What is not text is named in brackets, and the content kept beside it. */
void chats_say(struct chats *chat, struct loom_str content);
/* Members that have no place: as import_rest. */
void chats_rest(struct chats *chat, struct loom_str object, const struct import_fields *fields);
/* What a tree's own object holds beside its messages: kept at the first node without a parent. */
void chats_about(struct chats *chat, struct loom_str object, const struct import_fields *fields);
/* An empty root with that, for chats whose first message may have been said in several ways: who
 * has no parent from now on hangs on it. */
enum loom_status chats_root(struct chats *chat, struct loom_str id, struct loom_err *err) LOOM_MUST;
/* The tree is over: makes that root when no node has taken what the tree says of itself. */
enum loom_status chats_about_end(struct chats *chat, struct loom_err *err) LOOM_MUST;
/* Gives the message an id when it has none, by its number in the file; in a list its parent is the
 * message before it. */
void chats_link(struct chats *chat, size_t number, bool list);
/* An id, in the scratch, for a message of a file that has none: from its parent's, who speaks, and
 * what is said. Files that begin alike meet. */
struct loom_str chats_id(struct loom_import *import, struct loom_str parent, bool human,
			 struct loom_str text);
/* Keeps a value under `key`; absent and null ones are left out. */
void chats_keep(struct chats *chat, const char *key, struct loom_str value);
/* As above in the generation record. */
void chats_record(struct chats *chat, const char *key, struct loom_str value);
/* The role that a file's word for it means. */
enum import_role chats_role(struct loom_str word);
/* Who speaks, by that word; one that means nothing here is the author's name. */
void chats_speaker(struct chats *chat, struct loom_str word);
/* Gives the message to the sink, and lets go of the scratch: texts read before are gone. One that
 * only thought is kept out of contexts. */
enum loom_status chats_end(struct chats *chat, struct loom_err *err) LOOM_MUST;

/* A mark by the node's id, which may come later; an empty id marks nothing. */
enum loom_status chats_mark(struct loom_import *import, struct loom_str id,
			    enum import_mark_kind kind, struct loom_str text,
			    struct loom_err *err) LOOM_MUST;
/* The order of a node's children as a list of ids has it; one child needs none. */
enum loom_status chats_places(struct loom_import *import, struct loom_str ids,
			      struct loom_err *err) LOOM_MUST;

/* What is to know of a file whose objects are whole conversations. */
struct chats_form {
	struct loom_str (*messages)(struct loom_str object); /* where they stand */
	enum loom_jtype type;                                /* what they stand in */
	/* Reads one; `messages` is of that type. */
	enum loom_status (*read)(struct chats *chat, struct loom_str object,
				 struct loom_str messages, struct loom_err *err);
	const char *lost; /* how an object without them is reported */
};
/* Reads all conversations of a file, each from where it stands in it. */
enum loom_status chats_each(struct loom_import *import, const struct import_source *source,
			    const struct chats_form *form, struct loom_err *err) LOOM_MUST;

/* ---- records that are no nodes (import_chain.c) ---- */

/* Ids of records that stand in the chain of parents and become no node. Add them all, settle, then
 * ask. */
struct import_chain {
	struct loom_import *import;
	struct loom_str text; /* that the records stand in */
	/* The id of a record, and that of its parent; in the scratch, or the text's. */
	struct loom_str (*id)(const struct import_chain *chain, struct loom_str record);
	struct loom_str (*parent)(const struct import_chain *chain, struct loom_str record);
	const void *ctx;
	uint64_t *links; /* the hash of an id, and where its record begins */
	uint32_t *ends;  /* of each, which record's parent is the end; + 1, 0: not known */
	size_t count;
	size_t cap;
};
void import_chain_fini(struct import_chain *chain);
/* A record of the text, one line. */
void import_chain_add(struct import_chain *chain, struct loom_str record);
/* All were added. */
void import_chain_settle(struct import_chain *chain);
/* The nearest ancestor that is a node: `id` itself when it is not in the chain; empty for none. */
struct loom_str import_chain_find(struct import_chain *chain, struct loom_str id);

/* ---- logs of agents: lines of records (import_records.c) ---- */

enum import_records_kind {
	IMPORT_RECORD_NODE,
	IMPORT_RECORD_BESIDE, /* no node; kept with the next one */
	IMPORT_RECORD_OWN,    /* no node; the reader takes it */
	IMPORT_RECORD_HEADER, /* as OWN, and nobody's parent */
};

/* What makes a title: the higher one counts. */
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
	const char *or_parent; /* where there is no parent; NULL: nowhere */
	const struct import_records_type {
		const char *type;
		enum import_records_kind kind;
	} * types;
	size_t type_count;
	bool all_chained; /* each record hangs on the one where the session stood */
	/* Fills the message; its id and parent are there. */
	enum loom_status (*node)(struct import_records *session, struct loom_str record,
				 struct loom_str type, struct loom_err *err);
	/* A record of its own. */
	enum loom_status (*own)(struct import_records *session, struct loom_str record,
				struct loom_str type, struct loom_err *err);
};

struct import_records {
	struct chats chat;
	const struct import_records_form *form;
	struct import_chain chain;
	struct loom_buf beside; /* records since the last node, as items of a list */
	struct loom_buf last;   /* the id of the node where the session stands */
	size_t number;
	bool aside; /* the node is on no path of the session's own */
	int rank;   /* of the title found so far: IMPORT_RANK_… */
	bool list;  /* no record has an id: they follow one another */
};

/* Gives the tree a title, unless it has a better one. */
void import_records_title(struct import_records *session, struct loom_str title, int rank);
/* Keeps a record with the next node. */
void import_records_beside(struct import_records *session, struct loom_str record);
/* Reads the lines of a session; the reader has begun the tree. */
enum loom_status import_records_read(struct loom_import *import, struct loom_str text,
				     const struct import_records_form *form,
				     struct loom_err *err) LOOM_MUST;

#endif
