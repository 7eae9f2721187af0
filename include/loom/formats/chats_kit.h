/* Shared by the readers of chats and of agents' sessions: looking into messages, reading their
 * contents, building nodes. Not for the rest of the import. */
#ifndef LOOM_FORMATS_CHATS_KIT_H
#define LOOM_FORMATS_CHATS_KIT_H

#include <loom/language/pasted_turns.h>

#include <loom/import/reader_kit.h>

/* ---- looking up members ---- */

struct chats_pick {
	const char *key;
	struct loom_str *out;
};
/* Finds members of an object in one walk: each pick gets its value, or becomes absent. */
void chats_pick(struct loom_str object, const struct chats_pick *picks, size_t count);
/* The string of the first of two members that has one, in the scratch arena. */
struct loom_str chats_either(struct loom_import *import, struct loom_str object, const char *first,
			     const char *second);
/* Whether the value is the literal true. */
bool chats_true(struct loom_str value);
/* Whether the file, if it is an object, or one of the first hundred objects of its list has a
 * member with this key and type. */
bool chats_has_in_list(const struct import_source *source, const char *key, enum loom_jtype type);
/* A walk over the file's objects: the items of its list, or the file's one object. */
struct chats_walk {
	struct loom_jwalk walk;
	struct loom_str only;
};
/* Starts a walk over the file's objects. */
struct chats_walk chats_walk(const struct import_source *source);
/* The next object; false after the last. */
bool chats_walk_next(struct chats_walk *walk, struct loom_str *out);

/* A walk over JSON Lines. A line that is not an object is noted with its number and skipped. */
struct chats_lines {
	struct loom_import *import;
	struct loom_str rest;
	const char *begin;
	int64_t number;
};
/* Starts reading the lines of `text`. */
void chats_lines(struct chats_lines *lines, struct loom_import *import, struct loom_str text);
/* The next object; absent after the last. LOOM_CANCELLED. */
enum loom_status chats_line(struct chats_lines *lines, struct loom_str *out,
			    struct loom_err *err) LOOM_MUST;

/* ---- building a message ---- */

struct chats {
	struct loom_import *import;
	struct import_node node; /* without its text, generation and extra, which are built below */
	struct loom_buf text;
	struct loom_buf thought;    /* thoughts */
	struct loom_buf inner;      /* members of extra */
	struct loom_buf generation; /* members of the generation record */
	struct loom_buf about;      /* members about the tree, for its first root */
	struct loom_buf root;       /* the id of the root that was created; empty: none */
	struct loom_buf before;     /* the id of the previous message, in files that are lists */
	struct loom_buf whole[2];
	size_t results;          /* parts that are tool results */
	size_t others;           /* other parts */
	bool plain;              /* the text says everything in the content */
	bool list;               /* messages follow one another in the order of the file */
	bool untitled;           /* the first words of a person become the tree's title */
	bool numbers;            /* ids may be numbers; -1 is none */
	size_t number;           /* the message's, in its conversation */
	struct loom_str current; /* the id, in JSON, of the position of the conversation */
	struct loom_str model;   /* in JSON, of a model's messages that name none */
};

/* Prepares for messages; free with chats_fini. */
void chats_init(struct chats *chat, struct loom_import *import);
/* Frees the buffers of the message and the tree. */
void chats_fini(struct chats *chat);
/* Starts an empty message. */
void chats_begin(struct chats *chat);
/* Adds a paragraph to the text. */
void chats_add(struct chats *chat, struct loom_str paragraph);
/* Adds a content to the message: a string, or a list of parts (text, thinking, tool calls, their
 * results, images). Anything but text is named in brackets, and the content kept beside it. */
void chats_say(struct chats *chat, struct loom_str content);
/* Adds a paragraph to the message's thoughts. */
void chats_think(struct chats *chat, struct loom_str thought);
/* Adds a call: its name and its input, which the reader keeps. */
void chats_call(struct chats *chat, struct loom_str call);
/* Adds what a call led to: a text, parts, or an object with either. The reader keeps it. */
void chats_results(struct chats *chat, struct loom_str result);
/* Keeps the members that the reader does not take in extra, like import_rest. */
void chats_rest(struct chats *chat, struct loom_str object, const struct import_fields *fields);
/* Keeps the members of a tree's own object, for the first node without a parent. */
void chats_about(struct chats *chat, struct loom_str object, const struct import_fields *fields);
/* Creates an empty root with these, for chats whose first message may have several variants. From
 * then on, messages without a parent attach to it. */
enum loom_status chats_root(struct chats *chat, struct loom_str id, struct loom_err *err) LOOM_MUST;
/* Gives a message without an id one made from its number in the file; in a list, its parent is the
 * previous message. */
void chats_link(struct chats *chat, size_t number, bool list);
/* Gives one of several versions of a message an id made from its number and its own; their parent
 * is the previous message. */
void chats_version(struct chats *chat, size_t number, size_t version);
/* The next message continues this version. */
void chats_chosen(struct chats *chat, size_t number, size_t version);
/* Derives an id, in the scratch arena, from the parent's id, the speaker and the text, so that
 * files with the same beginning share nodes. */
struct loom_str chats_id(struct loom_import *import, struct loom_str parent, bool human,
			 struct loom_str text);
/* Keeps a value in extra under `key`, unless it is absent or null. */
void chats_keep(struct chats *chat, const char *key, struct loom_str value);
/* Keeps a value in the generation record under `key`, unless it is absent or null. */
void chats_record(struct chats *chat, const char *key, struct loom_str value);
/* The role for a file's word. */
enum import_role chats_role(struct loom_str word);
/* Sets the speaker from a file's word; an unknown word becomes the author's name. */
void chats_speaker(struct chats *chat, struct loom_str word);
/* The first words of a text, for a title, in the scratch arena. */
struct loom_str chats_words(struct loom_import *import, struct loom_str text);
/* Gives the message to the sink and empties the scratch arena, which invalidates texts read before.
 * A message with only thoughts is excluded from contexts. */
enum loom_status chats_end(struct chats *chat, struct loom_err *err) LOOM_MUST;

/* Adds a mark to a node by its id, which may arrive later; an empty id is ignored. */
enum loom_status chats_mark(struct loom_import *import, struct loom_str id,
			    enum import_mark_kind kind, struct loom_str text,
			    struct loom_err *err) LOOM_MUST;
/* Sets the order of a node's children from a list of ids; a single child needs none. */
enum loom_status chats_places(struct loom_import *import, struct loom_str ids,
			      struct loom_err *err) LOOM_MUST;

/* ---- whole conversations ---- */

/* Destinations of the rows of messages and conversations. */
enum chats_to {
	CHATS_ID = 1,
	CHATS_PARENT,
	CHATS_SPEAKER,
	CHATS_MODEL,
	CHATS_CREATED,
	CHATS_CHILDREN,
	CHATS_TITLE,
	CHATS_SYSTEM,
	CHATS_DESCRIPTION,
	CHATS_CURRENT,
	CHATS_MESSAGES,
	CHATS_OWN, /* the first that a format uses for itself */
};

/* Takes a message's members into `values` and begins the message: id, parent, speaker, model and
 * time. */
void chats_take(struct chats *chat, struct loom_str message, const struct import_fields *fields,
		struct loom_str values[IMPORT_TO_MAX]);
/* Fills the empty fields of a tree from its members: id, title, system, description and time. */
void chats_tree(struct chats *chat, const struct loom_str values[IMPORT_TO_MAX],
		struct import_tree *tree);
/* Begins a tree from its members in `values`; the others go to its root. */
void chats_start(struct chats *chat, struct loom_str object, const struct import_fields *fields,
		 const struct loom_str values[IMPORT_TO_MAX]);
/* Ends a conversation: its members, if no node has taken them, and its position. */
enum loom_status chats_finish(struct chats *chat, struct loom_err *err) LOOM_MUST;

/* A format whose objects are whole conversations. */
struct chats_form {
	const char *what; /* "message" */
	const char *root; /* the id of a root for every tree; NULL: only if one is needed */
	bool numbers;     /* ids may be numbers; -1 is none */
	/* Begins a conversation and finds its messages; false: it has none, which is noted. */
	bool (*begin)(struct chats *chat, struct loom_str object, struct loom_str *messages);
	/* Reads a message; `key` is its key in a map. */
	enum loom_status (*message)(struct chats *chat, struct loom_str key,
				    struct loom_str message, struct loom_err *err);
};
/* Reads all conversations of a file, reporting progress. A list of them within a file is a source
 * whose text it is. */
enum loom_status chats_each(struct loom_import *import, const struct import_source *source,
			    const struct chats_form *form, struct loom_err *err) LOOM_MUST;

#endif
