/* The interface between an import and the readers of formats.
 *
 * A reader is one constant row (struct import_reader) in its own import_<format>.c. It walks a text
 * that stays in memory and passes records to the sink (import_node and others), which copies them
 * at once: nodes in any order, children before parents, several trees per file. It knows nothing
 * about the store, and does not recurse with the depth of the tree.
 *
 * JSON is checked before a reader sees it, so loom/base/jval.h can look into it. The check
 * tolerates what chat programs really write: U+0000, lone surrogates, bytes that are not UTF-8; the
 * sink repairs texts and reports it. A walk of loom/base/jval.h scans a value again at each level:
 * fine for flat maps and lists, quadratic for nested trees. Read those with loom/base/json.h
 * (import_pull). */
#ifndef LOOM_IMPORT_READER_KIT_H
#define LOOM_IMPORT_READER_KIT_H

#include <loom/import/import.h>
#include <loom/base/jval.h>
#include <loom/salvage/foreign.h>
#include <loom/tree/node.h>

/* A member of the outermost object. */
struct import_member {
	struct loom_str key;   /* without quotes, as written */
	struct loom_str value; /* its exact bytes */
};

/* A file as readers see it. */
struct import_source {
	struct loom_str name; /* without directories and extension, for titles */
	struct loom_str text; /* the whole file, without a byte order mark */
	bool json;            /* one JSON value, checked */
	bool lines;           /* JSON Lines; only the first line is known to be an object */
	/* JSON: the value or, of a list, its first object. JSON Lines: the object of the first
	 * line. */
	struct loom_str first;
	/* The members of `first`, at most 64, in order. */
	const struct import_member *members;
	size_t member_count;
	struct loom_jspans large; /* of JSON: its large values at any depth */
};

/* Whether `first` has a member with this key and type (LOOM_JTYPE_NONE: any type). */
bool import_has(const struct import_source *source, const char *key, enum loom_jtype type);
/* The member of `first` with this key; absent if there is none. */
struct loom_str import_member(const struct import_source *source, const char *key);

/* The rows of a database that become a source: its first line is {"database":NAME}, and each row is
 * a line. */
struct import_database {
	const char *needs; /* the tables and columns that tell it (loom_foreign_has) */
	const struct loom_foreign_query *queries;
	size_t count;
};

struct import_reader {
	const char *name;  /* "chatgpt", as --format takes it */
	const char *title; /* one line for people */
	/* Recognises the format by content, never by name. The first reader to return true is
	 * used. */
	bool (*recognise)(const struct import_source *source);
	enum loom_status (*read)(struct loom_import *import, const struct import_source *source,
				 struct loom_err *err);
	const struct import_database *database; /* NULL: it is no database */
	/* Where its program keeps such files, separated by blanks or, where names have blanks, by
	 * bars, from the person's home on; "$NAME/…" is from that variable's folder on. NULL:
	 * nowhere in particular. */
	const char *places;
};
/* The table of readers (table.c), which names them all; and the readers that the frame treats
 * apart: loom's own, the recognised and refused, any text. */
extern const struct import_reader *const import_readers[];
extern const struct import_reader import_loom;
extern const struct import_reader import_refused;
extern const struct import_reader import_transcript;

/* ---- the sink ---- */

/* Every function of the sink copies its slices. */

/* The exact identity of a tree or node, in loom's own exports. */
struct import_exact {
	struct loom_ulid ulid;
	uint64_t key;            /* of a tree: of its local ids */
	struct loom_local local; /* of a node */
};

struct import_tree {
	struct loom_str id;     /* the file's own id; empty: derived from the title */
	struct loom_str title;  /* empty: the file's name */
	struct loom_str system; /* a system prompt */
	struct loom_str description;
	struct loom_str summary;
	struct loom_str subject; /* the key of its subject (import_agent) */
	struct loom_str
		reading; /* the reader's position and versions, as our own export has them */
	enum loom_mode mode;
	int64_t created;                  /* ms; 0: unknown */
	const struct import_exact *exact; /* NULL: not from a loom export */
	bool listed;                      /* covered by the file's seal */
};
/* Begins a tree; everything up to the next call belongs to it. */
void import_begin(struct loom_import *import, const struct import_tree *tree);
/* Updates the current tree; non-empty fields replace the old ones. */
void import_retitle(struct loom_import *import, const struct import_tree *tree);

/* Adds members of the file that have no field of their own (import_rest) to the current tree. They
 * are kept beside the root, under "file". */
void import_beside_tree(struct loom_import *import, struct loom_str inside);

/* An author with more than a name: nodes whose `author` is `key` are by this agent, in the whole
 * import. */
struct import_agent {
	struct loom_str key;
	struct loom_str name;
	struct loom_str model;
	struct loom_str sampling;
	struct loom_ulid ulid;
	bool is_model;
	bool is_other; /* neither a person nor a model */
	bool aware;
	bool listed; /* covered by the file's seal */
	int64_t created;
	int64_t made; /* the sink's: the agent created for it */
};
/* Adds an agent that the file lists; authors are matched to it by name. */
void import_agent(struct loom_import *import, const struct import_agent *agent);

enum import_role {
	IMPORT_UNKNOWN, /* the file does not say */
	IMPORT_HUMAN,
	IMPORT_MODEL,
	IMPORT_SYSTEM,
	IMPORT_TOOL, /* a tool's result */
};

struct import_node {
	struct loom_str id;          /* the file's own; empty: identified by parent and content */
	bool anonymous;              /* the reader made up the id; it changes between imports */
	bool shared;                 /* may arrive twice; the second one is ignored */
	struct loom_str parent;      /* its id; empty: a root. If it never arrives: an orphan */
	struct loom_str edited_from; /* the id of the node it is a version of, or empty */
	enum loom_edit_as edited_as; /* as a branch or a version */
	enum loom_node_kind kind;    /* LOOM_ANNOTATION: a note on its parent */
	enum import_role role;
	/* A name; empty: the model's name, the person who imports, or a name for the role. */
	struct loom_str author;
	struct loom_str model;
	int64_t created; /* ms; 0: unknown */
	/* Any bytes. Invalid UTF-8 is repaired and reported, and the original kept beside it. */
	struct loom_str text;
	bool bookmarked;
	bool pruned;
	bool excluded;
	bool unseamed; /* somebody took the seam of its generation off */
	bool summary_extract;
	struct loom_str label; /* of the bookmark */
	struct loom_str summary;
	/* JSON objects, or empty. The generation record has provider, model, strategy,
	 * finish_reason, usage, logprobs … as in the file; extra has everything else. */
	struct loom_str generation;
	struct loom_str extra;
	struct loom_str raw;      /* a model's raw response */
	struct loom_str original; /* the source's bytes, if they were not UTF-8 */
	/* Only in loom's own exports: */
	struct loom_str hash;             /* hex; empty: none */
	struct loom_str parents;          /* a JSON list of hex hashes; empty: only the parent's */
	struct loom_str claim;            /* JSON, if the author was a claim already */
	bool listed;                      /* covered by the file's seal */
	const struct import_exact *exact; /* NULL: not from a loom export */
};
/* Adds a node, and begins a tree if there is none. LOOM_LIMIT for too many nodes, LOOM_CANCELLED;
 * LOOM_FULL and LOOM_IO from the spill file. */
enum loom_status import_node(struct loom_import *import, const struct import_node *node,
			     struct loom_err *err) LOOM_MUST;

/* Marks: facts about a node of the current tree that stand elsewhere in the file, before or after
 * it. */
enum import_mark_kind {
	IMPORT_BOOKMARK,   /* text: label */
	IMPORT_UNBOOKMARK, /* cancels an earlier bookmark */
	IMPORT_TAG,        /* text: its name */
	IMPORT_SUMMARY,    /* text */
	IMPORT_PRUNE,
	IMPORT_EXCLUDE,
	IMPORT_RATED,    /* number: 1 good, -1 bad; becomes a tag "rated:good" or "rated:bad" */
	IMPORT_PLACE,    /* number: its index among its siblings, from 0 */
	IMPORT_LINK,     /* to: another node's id; text: a note */
	IMPORT_OUR_LINK, /* text: a link of a loom export, as JSON */
	/* It is hung elsewhere once everything is there. to: below which node, empty: it is a root;
	 * number: its order among its siblings. */
	IMPORT_OUR_PLACE,
	IMPORT_PARENT,  /* to: its parent's id, if that was unknown when the node came */
	IMPORT_CURRENT, /* the position at which the tree was left */
	IMPORT_ROOT,    /* the root according to the file */
};
struct import_mark {
	struct loom_str id; /* of the node */
	enum import_mark_kind kind;
	struct loom_str text;
	struct loom_str to;
	int64_t number;
};
/* Adds a mark. A mark on a node that never arrives is reported. */
enum loom_status import_mark(struct loom_import *import, const struct import_mark *mark,
			     struct loom_err *err) LOOM_MUST;
/* The number of the node with this id, whether it has arrived or not. For readers that keep
 * millions of them. */
uint32_t import_number(struct loom_import *import, struct loom_str id);
/* Whether the node with this id has arrived. */
bool import_is_there(struct loom_import *import, struct loom_str id);
/* Sets a node's parent (0: unchanged) and its place, by number, like IMPORT_PARENT and
 * IMPORT_PLACE. */
void import_hang(struct loom_import *import, uint32_t number, uint32_t parent, size_t place);
struct loom_hash;
struct loom_seal;
/* Records the seal of a grove at the end of the file. Whether it is this grove's is checked when
 * writing. */
void import_sealed(struct loom_import *import, const struct loom_hash *what,
		   const struct loom_seal *seal);
/* Adds a document (memory, world info …) to the grove under this name. */
enum loom_status import_document(struct loom_import *import, struct loom_str name,
				 struct loom_str text, struct loom_err *err) LOOM_MUST;

/* Marks the last document as covered by the file's seal. */
void import_document_listed(struct loom_import *import);

/* ---- the report ---- */

enum import_note {
	IMPORT_NOT_UNDERSTOOD, /* kept beside the node (extra) */
	IMPORT_LOST,           /* not kept */
	IMPORT_REPAIRED,
	IMPORT_SECRET, /* dropped; reports its kind, never its value */
	IMPORT_UNSEEN, /* kept, but hidden from a reader */
	IMPORT_CLAIM,  /* not signed by this grove */
	IMPORT_SPLIT,  /* a text became passages */
	IMPORT_NOTES,
};
/* Counts a note; equal sentences share one line of the report. After 200 lines of a kind the rest
 * are counted as "others". */
void import_note(struct loom_import *import, enum import_note note, const char *format, ...)
	LOOM_PRINTF(3, 4);

/* ---- helpers ---- */

/* The reader's arena, which it may empty at any time: the sink has copied its data. */
struct loom_arena *import_scratch(struct loom_import *import);
/* How a text without turns is split into passages. */
struct loom_split import_split(const struct loom_import *import);
/* An arena that lives as long as the import. */
struct loom_arena *import_kept(struct loom_import *import);
/* Disk-backed pages, for data that grows with the file. The reader gives them back. */
struct loom_pages *import_pages(const struct loom_import *import);
/* An empty buffer in the import's pages. */
#define IMPORT_BUF(import) LOOM_BUF_INIT_ON(SIZE_MAX / 4, import_pages(import))
/* The decoded value of a JSON string, in the scratch arena; empty for any other value. Unlike
 * loom_jval_text, it handles lone surrogates. */
struct loom_str import_string(struct loom_import *import, struct loom_str value);
/* The decoded string of a member; empty if there is none. */
struct loom_str import_text(struct loom_import *import, struct loom_str object, const char *key);
/* Finds several members of an object in one walk: out[i] is the value of keys[i], or absent.
 * Returns whether the object has other members. */
bool import_pick(struct loom_str object, const char *const *keys, size_t count,
		 struct loom_str *out);
/* Finds several members, like import_pick, in an object that may be as large as the file. */
bool import_pick_large(const struct loom_jspans *large, struct loom_str object,
		       const char *const *keys, size_t count, struct loom_str *out);
/* Parses a time: seconds or milliseconds since 1970 as a number or a string, RFC 3339, or
 * "YYYY-MM-DD-HH.MM.SS"; 0 for anything else. */
int64_t import_time_of(struct loom_str value);
/* Parses a time like import_time_of, and notes one that cannot be parsed. */
int64_t import_time(struct loom_import *import, struct loom_str value);
/* Notes a time that cannot be parsed. */
void import_no_time(struct loom_import *import, struct loom_str value);
/* A member that a reader takes, in a table of rows that serves the reader (import_take) and the
 * report (import_rest) alike. */
struct import_key {
	const char *key;
	const char *types; /* the types it accepts, in the letters of `used`; "": any */
	uint8_t to;        /* where import_take puts the value; above 0 */
	bool kept;         /* it is left to extra as well */
};
#define IMPORT_TO_MAX    32
#define IMPORT_KEYS(row) .keys = (row), .key_count = LOOM_COUNT(row)

/* The members that a reader handles; import_rest keeps and notes the others.
 * `used`: the members the reader takes, separated by blanks (by bars, if names have blanks). After
 * a colon come the types that it accepts: n number, s string, b boolean, a list, o object
 * ("time:ns"). `known`: members it understands and leaves to `extra` ("*": all). Every other
 * member, and one with another type, is kept and noted as `where` field "…". Secrets are dropped at
 * any depth, and noted. `keys` are more of both, in rows. */
struct import_fields {
	const char *where; /* "node", "message" */
	const char *used;
	const char *known;
	const struct import_key *keys;
	size_t key_count;
};
/* Finds the members in rows, in one walk: out[to] is the value, or absent. Of several members with
 * one destination it is that of the first row whose member has a value of an accepted type. */
void import_take(struct loom_str object, const struct import_fields *fields,
		 struct loom_str out[IMPORT_TO_MAX]);
/* Whether the reader takes or knows the member, but not with this type. */
bool import_is_strange(const struct import_fields *fields, const struct import_member *member);
/* Appends the members that the reader does not take as the inside of an object ("\"a\":1,\"b\":2"),
 * and notes the unknown ones. */
void import_rest(struct loom_import *import, struct loom_str object,
		 const struct import_fields *fields, struct loom_buf *out);
/* Appends the members of a nested object that the reader does not take, as one member `key`, and
 * notes the unknown ones. */
void import_rest_as(struct loom_import *import, const char *key, struct loom_str object,
		    const struct import_fields *fields, struct loom_buf *out);
/* Appends one member, unless the reader takes it, and notes it if unknown. */
void import_rest_member(struct loom_import *import, const struct import_member *member,
			const struct import_fields *fields, struct loom_buf *out);
/* Notes the unknown members of an object that is kept whole. Returns whether it has any member that
 * the reader does not take. */
bool import_unsaid(struct loom_import *import, struct loom_str object,
		   const struct import_fields *fields);
/* Notes a value of another type than `types`, except null, as `what`; returns whether it did. For
 * values that are not members, such as items of a list. */
bool import_is_odd(struct loom_import *import, const char *what, struct loom_str value,
		   const char *types);
/* Appends a JSON value unchanged, except for secrets, which are dropped at any depth. */
void import_keep(struct loom_import *import, struct loom_str value, struct loom_buf *out);
/* Handles an object of the kind `what` that has the key `id` in a map: if its own id `within`
 * differs, notes it and keeps it as a member of `out`. */
void import_keep_id(struct loom_import *import, const char *what, struct loom_str id,
		    struct loom_str within, struct loom_buf *out);
/* Begins a token in a record's list of tokens; `out` is the inside of that list. `logprob` is raw
 * JSON, absent if unknown. Alternatives follow, then import_token_end. */
void import_token(struct loom_import *import, struct loom_str token, struct loom_str logprob,
		  struct loom_buf *out);
/* Adds an alternative to the current token; `logprob` as in import_token. */
void import_token_other(struct loom_import *import, struct loom_str token, struct loom_str logprob,
			struct loom_buf *out);
/* Appends all members of an object, tokens with their log probabilities, as alternatives. */
void import_token_others(struct loom_import *import, struct loom_str object, struct loom_buf *out);
/* Ends the current token. */
void import_token_end(struct loom_buf *out);
/* Begins a token that is known by its bytes, like import_token. */
void import_token_raw(struct loom_import *import, struct loom_str bytes, struct loom_str logprob,
		      struct loom_buf *out);
/* Adds an alternative by its bytes. */
void import_token_other_raw(struct loom_import *import, struct loom_str bytes,
			    struct loom_str logprob, struct loom_buf *out);
/* Ends the current token; bytes that are no text are kept as well. */
void import_token_raw_end(struct loom_str bytes, struct loom_buf *out);
/* The log of a probability, in the scratch arena; absent if it is not a probability. */
struct loom_str import_log(struct loom_import *import, struct loom_str prob);
/* Reports progress as bytes of this source; LOOM_CANCELLED. The sink calls it for each node. */
enum loom_status import_at(struct loom_import *import, size_t at, struct loom_err *err) LOOM_MUST;
/* Reports progress at a value of the source's text; does nothing for other values.
 * LOOM_CANCELLED. */
enum loom_status import_here(struct loom_import *import, struct loom_str value,
			     struct loom_err *err) LOOM_MUST;

/* A keyed hash of `key` in the upper half of the result; the caller puts the key's position into
 * the lower half. The author of a file cannot provoke collisions. */
uint64_t import_hash(const struct loom_import *import, struct loom_str key);
/* An index of an object's members by key as written, eight bytes for each. */
struct import_index {
	struct loom_import *import;
	struct loom_str object;
	uint64_t *items; /* a key's hash, and its position */
	size_t count;
	size_t cap;
};
/* Builds the index. Borrows `object`; a value that is no object has no members. */
void import_index(struct loom_import *import, struct loom_str object, struct import_index *out);
/* Frees the index; the object is borrowed and stays. */
void import_index_fini(struct import_index *index);
/* The index of the member with this key (without quotes) and its value; SIZE_MAX and absent if
 * there is none. */
size_t import_index_find(const struct import_index *index, struct loom_str key,
			 struct loom_str *out_value);

/* A pull parser for nested formats, up to LOOM_IMPORT_DEPTH_MAX levels deep. */
struct import_pull {
	struct loom_json_reader reader;
	uint8_t deep[LOOM_IMPORT_DEPTH_MAX / 8 + 1];
};
/* Prepares to parse `text`, which is borrowed. */
void import_pull_init(struct import_pull *pull, struct loom_import *import, struct loom_str text);

/* Trees whose nodes contain their children, to any depth, with members in any order. */
enum { IMPORT_NEST_KEYS = 24 };
struct import_nest_node {
	struct loom_str values[IMPORT_NEST_KEYS]; /* raw values of the requested keys */
	struct loom_str rest; /* all other members, as the inside of an object; see import_rest */
	struct loom_str id;   /* keys[0], or a made-up id */
	bool anonymous;       /* the id is made up */
	size_t depth;         /* 0: a root */
};
struct import_nest {
	const char *const *keys; /* the first is the id */
	size_t key_count;
	const char *children;
	/* A member with a whole tree that replaces the node, and the member that names the node in
	 * it to which the children attach; or NULL. */
	const char *masked;
	const char *tail;
	struct import_fields fields; /* `used` names the keys above only for their types */
	/* Gives the node to the sink without a parent, which is set afterwards. Called at the end
	 * of the node, so children come first. */
	enum loom_status (*node)(struct loom_import *import, const struct import_nest_node *node,
				 void *ctx, struct loom_err *err);
	/* Gives a replaced node to the sink, under the id of its replacement; NULL ignores it. */
	enum loom_status (*masking)(struct loom_import *import, const struct import_nest_node *node,
				    void *ctx, struct loom_err *err);
	void *ctx;
};
/* Reads `value`, a node or a list of nodes, with all descendants. */
enum loom_status import_nest(struct loom_import *import, struct loom_str value,
			     const struct import_nest *nest, struct loom_err *err) LOOM_MUST;

/* The value stored under `key` by an earlier file that is no tree itself, such as pyloom's model
 * responses; absent if there is none. */
struct loom_str import_beside(struct loom_import *import, const char *key);
/* Stores a copy of a value under `key` for the files that follow; the last one counts. */
void import_put_beside(struct loom_import *import, const char *key, struct loom_str value);

#endif
