/* Shared by the files of this room only: the text of a store file with an index over it, edits
 * spliced into that text, locks, and the records read from it.
 *
 * A store file may hold thousands of records, of which a command needs three. Its text is therefore
 * checked and indexed in one pass, and records are read in place; everything untouched, including
 * unknown keys and another program's formatting, is written back byte for byte. */
#ifndef MODEL_LESLIE_IMPL_H
#define MODEL_LESLIE_IMPL_H

#include <sys/types.h>

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/base/jval.h>
#include <loom/leslie/leslie.h>
#include <loom/text/deceiving_names.h>

#include <loom/files/state_file.h>

/* ---- index_map.c: texts to numbers ---- */

struct model_leslie_slot {
	struct loom_str key; /* borrowed; p NULL: free */
	size_t value;
};

struct model_leslie_map {
	struct model_leslie_slot *slots;
	size_t count;
	size_t cap;
};

/* Sets the number of a key (key.p not NULL); the key is borrowed. */
void model_leslie_map_set(struct loom_arena *arena, struct model_leslie_map *map,
			  struct loom_str key, size_t value);
/* Returns the number of a key; SIZE_MAX if there is none. */
size_t model_leslie_map_find(const struct model_leslie_map *map, struct loom_str key);

/* ---- index_json.c: a checked JSON text and the places of its records ---- */

struct model_leslie_item {
	struct loom_str key;   /* decoded; p NULL: an array element */
	struct loom_str value; /* as written */
};

/* A member of the document's root object. */
struct model_leslie_branch {
	struct loom_str key;
	struct loom_str value;
	struct model_leslie_item *items; /* of an array: without keys */
	size_t count;
	size_t cap;
};

struct model_leslie_doc {
	struct loom_arena *arena;
	struct loom_str text;
	struct model_leslie_branch *branches;
	size_t count;
	size_t cap;
};

/* Checks `text` (RFC 8259, an object at the root, depth 64) and fills *out, which borrows it.
 * LOOM_INVALID, with err.at the offset. */
enum loom_status model_leslie_doc_read(struct loom_arena *arena, struct loom_str text,
				       struct model_leslie_doc *out,
				       struct loom_err *err) LOOM_MUST;
/* Returns the document's member with that key; NULL if there is none. Of equal keys the last one
 * counts, as in JavaScript. */
struct model_leslie_branch *model_leslie_doc_branch(const struct model_leslie_doc *doc,
						    const char *key);
/* Returns a branch's last item with that key; NULL if there is none. */
const struct model_leslie_item *model_leslie_branch_find(const struct model_leslie_branch *branch,
							 struct loom_str key);

/* Returns the array element whose text contains the byte at `at` of the document; p NULL if none
 * does. */
struct loom_str model_leslie_branch_at(const struct model_leslie_doc *doc,
				       const struct model_leslie_branch *branch, size_t at);

/* The functions below take values as written, from a checked text. */

/* Returns an object's member; p NULL if it is absent or `object` is not an object. Of equal keys
 * the last one counts. */
struct loom_str model_leslie_member(struct loom_str object, const char *key);
/* Returns a member's decoded text; p NULL if it is not a string. Borrowed if it has no escapes. */
struct loom_str model_leslie_member_text(struct loom_arena *arena, struct loom_str object,
					 const char *key);
/* Returns the texts of an array of strings, skipping other elements. In the arena. */
struct loom_str *model_leslie_texts(struct loom_arena *arena, struct loom_str array, size_t *count);

/* ---- list_edit.c: edits spliced into a text ---- */

struct model_leslie_edit {
	size_t at;
	size_t drop;
	bool late; /* goes after the others at its place */
	struct loom_str put;
};

struct model_leslie_edits {
	struct model_leslie_doc *doc;
	struct model_leslie_edit *items;
	size_t count;
	size_t cap;
};

/* Prepares an empty list of edits; the document is borrowed. */
void model_leslie_edits_init(struct model_leslie_edits *edits, struct model_leslie_doc *doc);
/* Appends a member to the existing branch `name` (with key.p NULL: an element). */
void model_leslie_edit_append(struct model_leslie_edits *edits, const char *name,
			      struct loom_str key, struct loom_str value);
/* Appends a member to the document. */
void model_leslie_edit_branch(struct model_leslie_edits *edits, const char *name,
			      struct loom_str value);
/* Sets a member of an object in the text, adding it if absent. */
void model_leslie_edit_set(struct model_leslie_edits *edits, struct loom_str object,
			   const char *key, struct loom_str value);
/* Adds a string to the array that is the object's member, unless it is in it. */
void model_leslie_edit_add_text(struct model_leslie_edits *edits, struct loom_str object,
				const char *key, struct loom_str text);
/* Removes a string from the array that is the object's member. */
void model_leslie_edit_drop_text(struct model_leslie_edits *edits, struct loom_str object,
				 const char *key, struct loom_str text);
/* Returns the edited text in pieces, borrowed from the text and the edits. */
struct loom_str *model_leslie_edits_pieces(struct model_leslie_edits *edits, size_t *out_count);
/* Appends the edited text to `out`. */
void model_leslie_edits_apply(struct model_leslie_edits *edits, struct loom_buf *out);
/* Appends JSON indented by two blanks per level, except for the first line. */
void model_leslie_pretty(struct loom_buf *out, struct loom_str value, int level);

/* ---- thread_file.c: the two store files, read with their backups, replaced atomically ---- */

struct model_leslie_file {
	const char *name;
	struct loom_arena *arena; /* for the index and the edits */
	struct loom_buf text;
	struct model_leslie_doc doc;
	struct loom_file_info seen; /* of the file as read */
	struct loom_file_info was;  /* of the file this call replaced; size 0: none */
	bool loaded;
	bool there;   /* the main file parsed; otherwise the document is the backup's, or empty */
	bool damaged; /* there is a main file, but it does not parse */
};

struct model_leslie_lock {
	uint64_t inode;
	int64_t modified_ns;
	bool held;
};

struct loom_leslie {
	struct loom_root project;
	struct loom_root home; /* `.leslie`; fd -1: not created yet */
	char *root;
	struct loom_env *env;
	const char *operator_;
	struct loom_arena *arena; /* for the current call */
	struct model_leslie_file relations;
	struct model_leslie_file objectives;
	struct loom_leslie_warnings notices;
	struct model_leslie_item
		changed; /* the thread written by the last commit; key.p NULL: none */
	int lock_file;
	struct model_leslie_lock locks[2];
};

#define MODEL_LESLIE_COPY_MODE      0400 /* of files that a thread was given */
#define MODEL_LESLIE_RELATIONS      "thread_relations.json"
#define MODEL_LESLIE_OBJECTIVES     "objectives.json"
#define MODEL_LESLIE_RELATIONS_PATH ".leslie/" MODEL_LESLIE_RELATIONS

/* Reads all of an open file into memory of exactly its size: these files are long, and every
 * command reads them. If it has grown since, only the size seen at first is read. */
enum loom_status model_leslie_read_whole(int fd, size_t max, const char *name, struct loom_buf *out,
					 struct loom_err *err) LOOM_MUST;
enum loom_status model_leslie_write_all(int fd, struct loom_str bytes, const char *name,
					struct loom_err *err) LOOM_MUST;

/* Prepares a store file without reading it. `name` is borrowed. */
void model_leslie_file_init(struct model_leslie_file *file, const char *name);
void model_leslie_file_fini(struct model_leslie_file *file);
/* Reads the file again if it has changed. T502 if neither it nor its backup can be read. */
enum loom_status model_leslie_file_load(struct loom_leslie *leslie, struct model_leslie_file *file,
					struct loom_leslie_err *err) LOOM_MUST;
/* Replaces the file by its text with the edits; the document in memory remains as read until the
 * next load. LOOM_BUSY, with nothing changed, if somebody wrote the file meanwhile without taking
 * the lock. */
enum loom_status model_leslie_file_commit(struct loom_leslie *leslie,
					  struct model_leslie_file *file,
					  struct model_leslie_edits *edits,
					  struct loom_leslie_err *err) LOOM_MUST;

/* ---- registry_lock.c ---- */

/* Waits for the locks of both files; T501 after a while. */
enum loom_status model_leslie_lock(struct loom_leslie *leslie,
				   struct loom_leslie_err *err) LOOM_MUST;
void model_leslie_unlock(struct loom_leslie *leslie);

/* ---- leslie.c ---- */

/* Refuses a call with one of the codes of thread_codes.def (LOOM_THREAD_OTHER: that of the status)
 * and a text formatted like printf. Returns the status. */
enum loom_status model_leslie_refuse(struct loom_leslie *leslie, struct loom_leslie_err *err,
				     enum loom_status status, enum loom_thread_code code,
				     const char *format, ...) LOOM_PRINTF(5, 6);
/* Adds a reason, formatted like printf, to a refusal. Returns its status. */
enum loom_status model_leslie_because(struct loom_leslie *leslie, struct loom_leslie_err *err,
				      const char *format, ...) LOOM_PRINTF(3, 4);
/* Sets the details to a JSON object with one member. */
void model_leslie_detail(struct loom_leslie *leslie, struct loom_leslie_err *err, const char *key,
			 struct loom_str value);
/* Adds a warning, formatted like printf, as a text in the arena. */
void model_leslie_warn(struct loom_arena *arena, struct loom_leslie_warnings *warnings,
		       const char *format, ...) LOOM_PRINTF(3, 4);
/* Starts a call: forgets the previous one and finds `.leslie`; reads nothing. */
enum loom_status model_leslie_enter(struct loom_leslie *leslie,
				    struct loom_leslie_err *err) LOOM_MUST;
/* Starts a call: forgets the previous one and reads both files if they changed. */
enum loom_status model_leslie_begin(struct loom_leslie *leslie,
				    struct loom_leslie_err *err) LOOM_MUST;
/* Starts a read-only call like model_leslie_begin, and also updates an outdated registry. Changes
 * do that at their end, so that a refusal leaves every file as it was. */
enum loom_status model_leslie_look(struct loom_leslie *leslie,
				   struct loom_leslie_err *err) LOOM_MUST;
/* Creates `.leslie` and its folders if they are missing. */
enum loom_status model_leslie_make_home(struct loom_leslie *leslie, struct loom_err *err) LOOM_MUST;
/* Returns the environment's time in the reference's format, in the arena. */
struct loom_str model_leslie_now(struct loom_leslie *leslie, struct loom_arena *arena);
/* Draws an id: prefix-xxxxxxxx. In the arena. */
struct loom_str model_leslie_draw_id(struct loom_leslie *leslie, struct loom_arena *arena,
				     const char *prefix);

/* ---- look.c ---- */

/* Returns a thread's record; p NULL if there is none. */
struct loom_str model_leslie_record(const struct loom_leslie *leslie, struct loom_str id);
/* Returns a thread's relations; p NULL if there are none. */
struct loom_str model_leslie_relation(const struct loom_leslie *leslie, struct loom_str id);
/* Fails with T101 unless the thread exists. */
enum loom_status model_leslie_need_thread(struct loom_leslie *leslie, struct loom_str id,
					  struct loom_leslie_err *err) LOOM_MUST;
/* Opens a thread's own folder. LOOM_NOT_FOUND, also for an id that cannot name one. */
enum loom_status model_leslie_open_thread(struct loom_leslie *leslie, struct loom_str id,
					  struct loom_root *out, struct loom_err *err) LOOM_MUST;
/* Returns whether a referenced thread can be read: it has a record and a folder. */
bool model_leslie_stands(struct loom_leslie *leslie, struct loom_str id);
/* Lists the threads of a document in order of creation, in the arena; `filter` NULL: all. */
void model_leslie_list(const struct model_leslie_doc *doc, const struct loom_leslie_filter *filter,
		       struct loom_arena *arena, struct loom_leslie_thread **out,
		       size_t *out_count);
/* Returns whether an objective is complete once one of its threads has that status. */
bool model_leslie_objective_complete(struct loom_leslie *leslie, struct loom_str objective,
				     struct loom_str changed, enum loom_leslie_status status);
/* Returns an objective's record as written; p NULL if there is none. */
struct loom_str model_leslie_objective_record(const struct loom_leslie *leslie, struct loom_str id);
/* Fails with T601 unless the objective exists. */
enum loom_status model_leslie_need_objective(struct loom_leslie *leslie, struct loom_str id,
					     struct loom_leslie_err *err) LOOM_MUST;

/* ---- graph.c ---- */

/* Returns whether a reference from `from` to `target` would close a circle; the circle's ids,
 * from the smallest round to it again, go to the arena. Only references count, dangling ones
 * included. */
bool model_leslie_closes_circle(const struct loom_leslie *leslie, struct loom_str from,
				struct loom_str target, struct loom_arena *arena,
				struct loom_str **out_circle, size_t *out_count);

/* ---- thread_registry.c ---- */

/* Reads the registry into *text and *out (in the call's arena); false unless it matches the
 * relations on disk. */
bool model_leslie_registry_read(struct loom_leslie *leslie, struct loom_buf *text,
				struct model_leslie_doc *out) LOOM_MUST;
/* Writes .global/registry.json from the relations unless it matches them already. A failure is left
 * for the next time: the registry is derived. */
void model_leslie_registry_update(struct loom_leslie *leslie);
/* Returns whether the registry is no JSON, or says that it matches the relations although its lines
 * are not those that were written. A missing or outdated one is not damaged. Writes nothing. */
bool model_leslie_registry_damaged(const struct loom_leslie *leslie);
/* Writes the registry anew, whatever it is; returns whether that went well. */
bool model_leslie_registry_renew(struct loom_leslie *leslie);

/* ---- change.c ---- */

/* Makes a change under both locks: calls `change`, which commits, and repeats it if somebody wrote
 * a file meanwhile without taking the lock. */
typedef enum loom_status model_leslie_change_fn(struct loom_leslie *leslie, void *ctx,
						struct loom_leslie_err *err);
enum loom_status model_leslie_change(struct loom_leslie *leslie, model_leslie_change_fn *change,
				     void *ctx, struct loom_leslie_err *err) LOOM_MUST;

/* Edits the counts and times of a store file. */
void model_leslie_edit_metadata(struct model_leslie_edits *edits, struct loom_str now,
				const char *count_key, size_t count);
/* Appends an operation; `params` is a JSON object. */
void model_leslie_edit_operation(struct loom_leslie *leslie, struct model_leslie_edits *edits,
				 const char *command, struct loom_str params);
/* Refuses an unsuitable title. */
enum loom_status model_leslie_check_title(struct loom_leslie *leslie, struct loom_str title,
					  enum loom_named named,
					  struct loom_leslie_err *err) LOOM_MUST;
/* Refuses an invalid or taken id. `taken`: the caller has found it in use. */
enum loom_status model_leslie_check_new_id(struct loom_leslie *leslie, struct loom_str id,
					   bool taken, struct loom_leslie_err *err) LOOM_MUST;
/* Returns the number of threads in the relations. */
size_t model_leslie_thread_count(const struct loom_leslie *leslie);

enum model_leslie_tie_kind {
	MODEL_LESLIE_CHILDREN,
	MODEL_LESLIE_REFERENCES_TO,
	MODEL_LESLIE_REFERENCED_BY,
	MODEL_LESLIE_DEPENDS_ON,
	MODEL_LESLIE_TIE_KINDS
};

struct model_leslie_new_relation {
	struct loom_str id;
	struct loom_buf lists[MODEL_LESLIE_TIE_KINDS]; /* the text between the brackets */
};

/* Additions to the relations; threads without an entry get one at the end. */
struct model_leslie_ties {
	struct loom_leslie *leslie;
	struct model_leslie_edits *edits;
	struct model_leslie_new_relation *made;
	size_t count;
	size_t cap;
};

/* Adds a relation of that kind for a thread, which may have no entry yet. */
void model_leslie_tie(struct model_leslie_ties *ties, struct loom_str id,
		      enum model_leslie_tie_kind kind, struct loom_str other);
/* Makes sure that the thread has an entry. */
void model_leslie_tie_none(struct model_leslie_ties *ties, struct loom_str id);
/* Appends the new entries; lists of existing ones were edited right away. */
void model_leslie_ties_end(struct model_leslie_ties *ties);

#endif
