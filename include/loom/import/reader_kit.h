/* The importers' inside: what a reader of a format is given, and what it gives.
 *
 * A reader is one constant row (struct import_reader) in its own import_<format>.c. It looks
 * at a text that stays where it is and gives records to the sink (import_node and the others),
 * which copies them at once: nodes in any order, children before parents, several trees in a file.
 * It knows nothing of the store. Reading does not recurse over depth.
 *
 * JSON texts were checked before a reader sees them, so that loom/base/jval.h may look into them.
 * The check lets pass what chat programs really write: U+0000, lone surrogates, bytes that are not
 * UTF-8; the sink repairs texts and says so. A walk of loom/base/jval.h passes over a value whole
 * each time it is entered: good for flat maps and lists, quadratic for trees nested in one another;
 * those are read with loom/base/json.h (import_pull). */
#ifndef LOOM_IMPORT_READER_KIT_H
#define LOOM_IMPORT_READER_KIT_H

#include <loom/import/import.h>
#include <loom/base/jval.h>
#include <loom/tree/node.h>

/* A member of the outermost object. */
struct import_member {
	struct loom_str key;   /* without quotes, as spelled */
	struct loom_str value; /* exactly its bytes */
};

/* One file as readers see it. */
struct import_source {
	struct loom_str name; /* the file's, without directories and ending: for titles */
	struct loom_str text; /* all of it, without a byte order mark */
	bool json;            /* one JSON value, checked */
	bool lines; /* JSON Lines: the first line is a JSON object (not all are checked) */
	/* JSON: the value; if it is a list, its first object; lines: the first line's object. */
	struct loom_str first;
	/* Its members, at most 64, in their order. */
	const struct import_member *members;
	size_t member_count;
	struct loom_jspans large; /* of JSON: its large values, wherever they stand */
};

/* Whether `first` has that member, of that type (LOOM_JTYPE_NONE: any). */
bool import_has(const struct import_source *source, const char *key, enum loom_jtype type);
/* That member, absent when there is none. */
struct loom_str import_member(const struct import_source *source, const char *key);

struct import_reader {
	const char *name;  /* "chatgpt": what --format takes */
	const char *title; /* one line for people */
	/* By content, never by name. The first row of the table that says yes reads. */
	bool (*recognise)(const struct import_source *source);
	enum loom_status (*read)(struct loom_import *import, const struct import_source *source,
				 struct loom_err *err);
};
/* The table (table.c). Prototypes of the rows stand at the end of this file. */
extern const struct import_reader *const import_readers[];

/* ---- the sink ---- */

/* All slices are copied in the call. */

/* What a thing is called for ever, where the file is one of ours. */
struct import_exact {
	struct loom_ulid ulid;
	uint64_t key;            /* of a tree: of its local ids */
	struct loom_local local; /* of a node */
};

struct import_tree {
	struct loom_str id;     /* the file's own name for it; empty: made from the title */
	struct loom_str title;  /* empty: the file's name */
	struct loom_str system; /* a system prompt */
	struct loom_str description;
	struct loom_str summary;
	struct loom_str subject; /* the key of the agent who goes on with it (import_agent) */
	enum loom_mode mode;
	int64_t created;                  /* ms, 0: not known */
	const struct import_exact *exact; /* NULL: not one of ours */
	bool listed;                      /* as a node is */
};
/* Begins a tree; what follows belongs to it until the next one begins. */
void import_begin(struct loom_import *import, const struct import_tree *tree);
/* The same tree as begun, once more is known of it: fields that say something replace the old. */
void import_retitle(struct loom_import *import, const struct import_tree *tree);

/* What the file says of the tree that has no place: the inside of an object (import_rest). It
 * stands beside the root, under "file". */
void import_beside_tree(struct loom_import *import, struct loom_str inside);

/* An author of whom the file says more than a name: nodes whose `author` is `key` are his. For the
 * whole import. */
struct import_agent {
	struct loom_str key;
	struct loom_str name;
	struct loom_str model;
	struct loom_str sampling;
	struct loom_ulid ulid;
	bool is_model;
	bool aware;
	bool listed; /* as a node is */
	int64_t created;
	int64_t made; /* the sink's: the agent that the import made of it */
};
/* An agent that the file lists; who writes is matched to it by name. */
void import_agent(struct loom_import *import, const struct import_agent *agent);

enum import_role {
	IMPORT_UNKNOWN, /* the file does not say */
	IMPORT_HUMAN,
	IMPORT_MODEL,
	IMPORT_SYSTEM,
	IMPORT_TOOL, /* what a tool answered */
};

struct import_node {
	struct loom_str id;          /* the file's own; empty: known by parent and content */
	bool anonymous;              /* the id is the reader's, and means nothing the next time */
	bool shared;                 /* it may come again, and nothing is said of it then */
	struct loom_str parent;      /* its id; empty: a root. One that never comes: an orphan */
	struct loom_str edited_from; /* the id of the node that it is a version of, or empty */
	enum loom_edit_as edited_as; /* how */
	enum loom_node_kind kind;    /* LOOM_ANNOTATION: a note on its parent */
	enum import_role role;
	/* A name; empty: a model's own name, the person who imports, or a name for the role. */
	struct loom_str author;
	struct loom_str model;
	int64_t created; /* ms, 0: not known */
	/* Any bytes: what is no UTF-8 is repaired, reported, and kept beside the text. */
	struct loom_str text;
	bool bookmarked;
	bool pruned;
	bool excluded;
	bool summary_extract;
	struct loom_str label; /* of the bookmark */
	struct loom_str summary;
	/* JSON objects, or empty. The generation record: provider, model, strategy, finish_reason,
	 * usage, logprobs … as the file has them; what has no place elsewhere: extra. */
	struct loom_str generation;
	struct loom_str extra;
	struct loom_str raw;      /* a model's raw response */
	struct loom_str original; /* the bytes of the source, where they were no UTF-8 */
	/* Of our own export. */
	struct loom_str hash;             /* hex; empty: none */
	struct loom_str parents;          /* hashes in hex, JSON; empty: the parent's alone */
	struct loom_str claim;            /* the author is one there already, JSON */
	bool listed;                      /* under the file's seal */
	const struct import_exact *exact; /* NULL: not one of ours */
};
/* LOOM_LIMIT for too many, LOOM_CANCELLED, LOOM_FULL and LOOM_IO from the spill file. Without a
 * tree begun, one begins. */
enum loom_status import_node(struct loom_import *import, const struct import_node *node,
			     struct loom_err *err) LOOM_MUST;

/* Something about a node of this tree that stands elsewhere in the file; before or after it. */
enum import_mark_kind {
	IMPORT_BOOKMARK,   /* text: label */
	IMPORT_UNBOOKMARK, /* what bookmarked it before counts no more */
	IMPORT_TAG,        /* text: its name */
	IMPORT_SUMMARY,    /* text */
	IMPORT_PRUNE,
	IMPORT_EXCLUDE,
	IMPORT_RATED,    /* number: 1 good, -1 bad; a tag "rated:good" or "rated:bad" */
	IMPORT_PLACE,    /* number: which child of its parent it is, from 0 */
	IMPORT_LINK,     /* to: another node's id; text: a note */
	IMPORT_OUR_LINK, /* text: a link of our own export, as JSON */
	IMPORT_PARENT,   /* to: its parent's id, where that came later than the node */
	IMPORT_CURRENT,  /* where the tree stood open */
	IMPORT_ROOT,     /* what the file takes for the root: nodes say it themselves */
};
struct import_mark {
	struct loom_str id; /* of the node */
	enum import_mark_kind kind;
	struct loom_str text;
	struct loom_str to;
	int64_t number;
};
/* A mark on a node that never comes is reported. */
enum loom_status import_mark(struct loom_import *import, const struct import_mark *mark,
			     struct loom_err *err) LOOM_MUST;
/* The number of a node by its id, whether it came already or not, for those who keep millions. */
uint32_t import_number(struct loom_import *import, struct loom_str id);
/* The same as the marks of its parent (0: as it is) and of its place. */
void import_hang(struct loom_import *import, uint32_t number, uint32_t parent, size_t place);
/* The file ends with a seal of a grove's; whether it is of this one is asked when it is written. */
struct loom_hash;
struct loom_seal;
void import_sealed(struct loom_import *import, const struct loom_hash *what,
		   const struct loom_seal *seal);
/* A document of the grove (memory, world info …); `name` as it shall be called. */
enum loom_status import_document(struct loom_import *import, struct loom_str name,
				 struct loom_str text, struct loom_err *err) LOOM_MUST;

/* The last one that came is under the file's seal. */
void import_document_listed(struct loom_import *import);

/* ---- the report ---- */

enum import_note {
	IMPORT_NOT_UNDERSTOOD, /* kept beside the node (extra) */
	IMPORT_LOST,           /* has no place and is not kept */
	IMPORT_REPAIRED,
	IMPORT_SECRET, /* dropped; never the value, only what it was */
	IMPORT_UNSEEN, /* kept as it stands, though a reader does not see it */
	IMPORT_CLAIM,  /* what this grove did not sign */
	IMPORT_NOTES,
};
/* Counts one; the same sentence is one line of the report. Lines are bounded: past 200 of a kind
 * they are counted as "others". */
void import_note(struct loom_import *import, enum import_note note, const char *format, ...)
	LOOM_PRINTF(3, 4);

/* ---- helpers ---- */

/* Empty when it likes; what the sink was given it has copied. */
struct loom_arena *import_scratch(struct loom_import *import);
/* Lives as long as the import. */
struct loom_arena *import_kept(struct loom_import *import);
/* For what there may be as much of as the file is large; returned or ended by the reader. */
struct loom_pages *import_pages(const struct loom_import *import);
/* An empty buffer that may grow so. */
#define IMPORT_BUF(import) LOOM_BUF_INIT_ON(SIZE_MAX / 4, import_pages(import))
/* What a string says, decoded into the scratch; empty for anything else. Not loom_jval_text: that
 * one does not know lone surrogates. */
struct loom_str import_string(struct loom_import *import, struct loom_str value);
/* A member's string; empty when there is none. */
struct loom_str import_text(struct loom_import *import, struct loom_str object, const char *key);
/* Several members of an object in one walk: out[i] is that of keys[i], absent when there is none.
 * Whether it has others. */
bool import_pick(struct loom_str object, const char *const *keys, size_t count,
		 struct loom_str *out);
/* The same for an object that may be as large as the file. */
bool import_pick_large(const struct loom_jspans *large, struct loom_str object,
		       const char *const *keys, size_t count, struct loom_str *out);
/* A time as files have it: seconds or milliseconds since 1970 as a number or a string, RFC 3339,
 * "YYYY-MM-DD-HH.MM.SS"; 0 when it is none of these. */
int64_t import_time_of(struct loom_str value);
/* The same, and one that is none of these is noted. */
int64_t import_time(struct loom_import *import, struct loom_str value);
void import_no_time(struct loom_import *import, struct loom_str value);
/* The members of `object` that have no place of their own, as the inside of an object that `out`
 * holds ("\"a\":1,\"b\":2"): `used` names what the reader has taken, blanks between (bars, where
 * names have blanks), and behind a colon the types that it can take ("time:ns": number, string;
 * b: true or false, a: list, o: object); `known`, spelled alike, what it understands and leaves to
 * `extra` ("*": whatever there is); all else, and what is of another type, is noted as `where`
 * field "…" and kept as well. Secrets are left out at any depth, and noted. */
struct import_fields {
	const char *where; /* "node", "message" */
	const char *used;
	const char *known;
};
/* Whether a member is one that the reader takes or knows, but of a type that it cannot take. */
bool import_is_strange(const struct import_fields *fields, const struct import_member *member);
/* Appends to `out` what is kept, as members of JSON. */
void import_rest(struct loom_import *import, struct loom_str object,
		 const struct import_fields *fields, struct loom_buf *out);
/* The same for an object within, as one member: `key`. */
void import_rest_as(struct loom_import *import, const char *key, struct loom_str object,
		    const struct import_fields *fields, struct loom_buf *out);
/* The same for one member. */
void import_rest_member(struct loom_import *import, const struct import_member *member,
			const struct import_fields *fields, struct loom_buf *out);
/* The same of an object that is kept whole: only notes. Whether there is anything but what `used`
 * takes. */
bool import_unsaid(struct loom_import *import, struct loom_str object,
		   const struct import_fields *fields);
/* Notes a value that is of none of these types, null aside, as `what` of its type; whether it is
 * so. For what is no member: the items of a list. */
bool import_is_odd(struct loom_import *import, const char *what, struct loom_str value,
		   const char *types);
/* Appends a JSON value as it stands, secrets left out at any depth. */
void import_keep(struct loom_import *import, struct loom_str value, struct loom_buf *out);
/* Something of the kind `what` has the name `id` in a map: another that stands `within` it is noted
 * and kept, as a member of `out`. */
void import_keep_id(struct loom_import *import, const char *what, struct loom_str id,
		    struct loom_str within, struct loom_buf *out);
/* Into `out`, the inside of a record's list of tokens: one begins, with its logarithm (raw JSON, as
 * all here; absent: not known), then each that might have stood there, then it ends. */
void import_token(struct loom_import *import, struct loom_str token, struct loom_str logprob,
		  struct loom_buf *out);
void import_token_other(struct loom_import *import, struct loom_str token, struct loom_str logprob,
			struct loom_buf *out);
/* All members of an object: tokens with their logarithms. */
void import_token_others(struct loom_import *import, struct loom_str object, struct loom_buf *out);
void import_token_end(struct loom_buf *out);
/* The logarithm of a probability, in the scratch; absent when it is none. */
struct loom_str import_log(struct loom_import *import, struct loom_str prob);
/* Says how far reading is (bytes of this source); LOOM_CANCELLED. The sink asks at each node. */
enum loom_status import_at(struct loom_import *import, size_t at, struct loom_err *err) LOOM_MUST;
/* The same where a value of its text is read; a value of another text says nothing. */
enum loom_status import_here(struct loom_import *import, struct loom_str value,
			     struct loom_err *err) LOOM_MUST;

/* The hash of a key in the upper half; the lower one is the caller's: where the key stands. Nobody
 * who writes a file can know what gets the same. */
uint64_t import_hash(const struct loom_import *import, struct loom_str key);
/* The members of an object by their keys as spelled, eight bytes each. */
struct import_index {
	struct loom_import *import;
	struct loom_str object;
	uint64_t *items; /* the hash of a key, and where it begins */
	size_t count;
	size_t cap;
};
/* `object` is borrowed as long as the index is used; anything else has no members. */
void import_index(struct loom_import *import, struct loom_str object, struct import_index *out);
void import_index_fini(struct import_index *index);
/* Which of them has that key (without quotes) and what it holds; SIZE_MAX and absent for none. */
size_t import_index_find(const struct import_index *index, struct loom_str key,
			 struct loom_str *out_value);

/* A pull reader for nested formats, up to LOOM_IMPORT_DEPTH_MAX deep. */
struct import_pull {
	struct loom_json_reader reader;
	uint8_t deep[LOOM_IMPORT_DEPTH_MAX / 8 + 1];
};
void import_pull_init(struct import_pull *pull, struct loom_str text);

/* Trees whose nodes hold their children, nested to any depth, members in any order. */
enum { IMPORT_NEST_KEYS = 24 };
struct import_nest_node {
	struct loom_str values[IMPORT_NEST_KEYS]; /* of the keys asked for, raw */
	struct loom_str rest; /* the inside of an object: all other members, see import_rest */
	struct loom_str id;   /* keys[0], or one that was made up */
	bool anonymous;       /* then */
	size_t depth;         /* 0: a root */
};
struct import_nest {
	const char *const *keys; /* the first one is the id */
	size_t key_count;
	const char *children;
	/* A member that holds a whole tree which stands in the node's place, and the one that
	 * names the node within it on which the children hang; or NULL. */
	const char *masked;
	const char *tail;
	struct import_fields fields; /* `used` names those above for their types alone */
	/* Gives the node to the sink without a parent; that is linked here. Called when the node's
	 * end is read: children come first. */
	enum loom_status (*node)(struct loom_import *import, const struct import_nest_node *node,
				 void *ctx, struct loom_err *err);
	/* The same for one in whose place another stands, under that one's id; NULL: nothing. */
	enum loom_status (*masking)(struct loom_import *import, const struct import_nest_node *node,
				    void *ctx, struct loom_err *err);
	void *ctx;
};
/* `value` is a node or a list of nodes. */
enum loom_status import_nest(struct loom_import *import, struct loom_str value,
			     const struct import_nest *nest, struct loom_err *err) LOOM_MUST;

/* A file given beside the others that is no tree itself (pyloom's model responses): what it holds
 * under `key`, absent when there is none. */
struct loom_str import_beside(struct loom_import *import, const char *key);
/* Keeps it for the files that come behind; borrowed. */
void import_put_beside(struct loom_import *import, const char *key, struct loom_str value);

/* ---- the readers ---- */

extern const struct import_reader import_loom;
/* looms */
extern const struct import_reader import_pyloom;
extern const struct import_reader import_pyloom_responses;
extern const struct import_reader import_loomsidian;
extern const struct import_reader import_miniloom;
extern const struct import_reader import_mikupad;
extern const struct import_reader import_kobold;
extern const struct import_reader import_exoloom;
extern const struct import_reader import_logitloom;
extern const struct import_reader import_webloom;
extern const struct import_reader import_openloom;
extern const struct import_reader import_refused;
/* chats */
extern const struct import_reader import_chatgpt;
extern const struct import_reader import_claude;
extern const struct import_reader import_librechat;
extern const struct import_reader import_openwebui;
extern const struct import_reader import_llamacpp;
extern const struct import_reader import_sillytavern;
extern const struct import_reader import_pi;
extern const struct import_reader import_claude_code;
extern const struct import_reader import_training;
extern const struct import_reader import_transcript;

#endif
