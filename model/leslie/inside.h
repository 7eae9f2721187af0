/* What the files of `.leslie/` share with each other and with nobody else: the text of a store file
 * with an index over it, edits spliced into that text, locks, and the records read from it.
 *
 * A store file may hold thousands of records of which a command needs three. So its text is checked
 * and indexed in one pass and records are read where they stand; what is not touched, unknown keys
 * and another program's formatting included, is written back byte for byte. */
#ifndef MODEL_LESLIE_IMPL_H
#define MODEL_LESLIE_IMPL_H

#include <sys/types.h>

#include <loom/base/arena.h>
#include <loom/base/env.h>
#include <loom/base/jval.h>
#include <loom/leslie/leslie.h>
#include <loom/text/deceiving_names.h>

#include <loom/files/state_file.h>

/* ---- index_map.c: numbers by text ---- */

struct model_leslie_slot {
	struct loom_str key; /* borrowed; p NULL: free */
	size_t value;
};

struct model_leslie_map {
	struct model_leslie_slot *slots;
	size_t count;
	size_t cap;
};

/* Sets the number of a key (key.p not NULL). */
void model_leslie_map_set(struct loom_arena *arena, struct model_leslie_map *map,
			  struct loom_str key, size_t value);
/* SIZE_MAX when there is none. */
size_t model_leslie_map_find(const struct model_leslie_map *map, struct loom_str key);

/* ---- index_json.c: a checked JSON text and where its records stand ---- */

struct model_leslie_item {
	struct loom_str key;   /* decoded; p NULL: of an array */
	struct loom_str value; /* as written */
};

/* A member of the document's object. */
struct model_leslie_branch {
	struct loom_str key;
	struct loom_str value;
	struct model_leslie_item *items; /* of an array without keys */
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

/* Checks `text` (RFC 8259, an object outside, depth 64) and fills *doc, which borrows it. err.at is
 * where it breaks; LOOM_INVALID. */
enum loom_status model_leslie_doc_read(struct loom_arena *arena, struct loom_str text,
				       struct model_leslie_doc *out,
				       struct loom_err *err) LOOM_MUST;
/* NULL when there is none. Of equal keys the last one counts, as in JavaScript. */
struct model_leslie_branch *model_leslie_doc_branch(const struct model_leslie_doc *doc,
						    const char *key);
/* The last one of that key; NULL when there is none. */
const struct model_leslie_item *model_leslie_branch_find(const struct model_leslie_branch *branch,
							 struct loom_str key);

/* The element of an array in whose text the byte at `at` of the document stands; p NULL when that
 * is none of its elements'. */
struct loom_str model_leslie_branch_at(const struct model_leslie_doc *doc,
				       const struct model_leslie_branch *branch, size_t at);

/* The rest work on a value as written, of a text that was checked. */

/* The member of an object, p NULL when absent or no object; of equal keys the last one. */
struct loom_str model_leslie_member(struct loom_str object, const char *key);
/* What a member spells; p NULL when it is no string. Borrows when there is no escape. */
struct loom_str model_leslie_member_text(struct loom_arena *arena, struct loom_str object,
					 const char *key);
/* The texts of an array of strings; others are passed over. */
struct loom_str *model_leslie_texts(struct loom_arena *arena, struct loom_str array, size_t *count);

/* ---- list_edit.c: changes spliced into a text ---- */

struct model_leslie_edit {
	size_t at;
	size_t drop;
	bool late; /* behind the others of its place */
	struct loom_str put;
};

struct model_leslie_edits {
	struct model_leslie_doc *doc;
	struct model_leslie_edit *items;
	size_t count;
	size_t cap;
};

/* No edits yet; the document is borrowed. */
void model_leslie_edits_init(struct model_leslie_edits *edits, struct model_leslie_doc *doc);
/* Adds a member to the branch `name`, which is there (with key.p NULL: an element). */
void model_leslie_edit_append(struct model_leslie_edits *edits, const char *name,
			      struct loom_str key, struct loom_str value);
/* Adds a member to the document. */
void model_leslie_edit_branch(struct model_leslie_edits *edits, const char *name,
			      struct loom_str value);
/* Sets the member of an object of the text, adding it when it is absent. */
void model_leslie_edit_set(struct model_leslie_edits *edits, struct loom_str object,
			   const char *key, struct loom_str value);
/* Adds a string to an array that is the object's member, unless it is there. */
void model_leslie_edit_add_text(struct model_leslie_edits *edits, struct loom_str object,
				const char *key, struct loom_str text);
/* Takes a string out of an array that is the object's member. */
void model_leslie_edit_drop_text(struct model_leslie_edits *edits, struct loom_str object,
				 const char *key, struct loom_str text);
/* The text with all edits, piece by piece, borrowed from it and from them. */
struct loom_str *model_leslie_edits_pieces(struct model_leslie_edits *edits, size_t *out_count);
/* The text with all edits, behind what `out` holds. */
void model_leslie_edits_apply(struct model_leslie_edits *edits, struct loom_buf *out);
/* JSON laid out with two blanks a level, the first line not indented. */
void model_leslie_pretty(struct loom_buf *out, struct loom_str value, int level);

/* ---- thread_file.c: the two store files, read with their backups, replaced as a whole ---- */

struct model_leslie_file {
	const char *name;
	struct loom_arena *arena; /* of the index and of the edits */
	struct loom_buf text;
	struct model_leslie_doc doc;
	struct loom_file_info seen; /* of what was read */
	struct loom_file_info was;  /* of what this call replaced; size 0: nothing */
	bool loaded;
	bool there;   /* the main file parsed; else the document is the backup's, or empty */
	bool damaged; /* there is a main file that does not parse */
};

struct model_leslie_lock {
	uint64_t inode;
	int64_t modified_ns;
	bool held;
};

struct loom_leslie {
	struct loom_root project;
	struct loom_root home; /* `.leslie`; fd -1: not made yet */
	char *root;
	struct loom_env *env;
	const char *operator_;
	struct loom_arena *arena; /* of the call under way */
	struct model_leslie_file relations;
	struct model_leslie_file objectives;
	struct loom_leslie_warnings notices;
	struct model_leslie_item
		changed; /* the thread that the last commit wrote; key.p NULL: none */
	int lock_file;
	struct model_leslie_lock locks[2];
};

#define MODEL_LESLIE_RELATIONS      "thread_relations.json"
#define MODEL_LESLIE_OBJECTIVES     "objectives.json"
#define MODEL_LESLIE_RELATIONS_PATH ".leslie/" MODEL_LESLIE_RELATIONS

/* Reads all of an open file into memory of just its size: these files are long, and every command
 * reads them. One that is longer by now is read as far as it was when looked at. */
enum loom_status model_leslie_read_whole(int fd, size_t max, const char *name, struct loom_buf *out,
					 struct loom_err *err) LOOM_MUST;
enum loom_status model_leslie_write_all(int fd, struct loom_str bytes, const char *name,
					struct loom_err *err) LOOM_MUST;

/* Nothing is read yet. `name` is borrowed. */
void model_leslie_file_init(struct model_leslie_file *file, const char *name);
void model_leslie_file_fini(struct model_leslie_file *file);
/* Reads the file anew when it has changed. T502 when neither it nor its backup can be read. */
enum loom_status model_leslie_file_load(struct loom_leslie *leslie, struct model_leslie_file *file,
					struct loom_leslie_err *err) LOOM_MUST;
/* Replaces the file by its text with the edits; the document in memory stays as it was read, until
 * the next load. LOOM_BUSY when somebody wrote it meanwhile without
 * asking for the lock: then nothing was changed. */
enum loom_status model_leslie_file_commit(struct loom_leslie *leslie,
					  struct model_leslie_file *file,
					  struct model_leslie_edits *edits,
					  struct loom_leslie_err *err) LOOM_MUST;

/* ---- registry_lock.c ---- */

/* Waits for both files' locks; T501 after a while. */
enum loom_status model_leslie_lock(struct loom_leslie *leslie,
				   struct loom_leslie_err *err) LOOM_MUST;
void model_leslie_unlock(struct loom_leslie *leslie);

/* ---- leslie.c ---- */

/* A refusal with one of the codes that others know; `reason` as for printf. */
enum loom_status model_leslie_refuse(struct loom_leslie *leslie, struct loom_leslie_err *err,
				     enum loom_status status, const char *code, const char *format,
				     ...) LOOM_PRINTF(5, 6);
/* Says why; goes behind model_leslie_refuse. Returns the status of the refusal. */
enum loom_status model_leslie_because(struct loom_leslie *leslie, struct loom_leslie_err *err,
				      const char *format, ...) LOOM_PRINTF(3, 4);
/* Details of one key, as JSON. */
void model_leslie_detail(struct loom_leslie *leslie, struct loom_leslie_err *err, const char *key,
			 struct loom_str value);
/* One more warning, as a text of the arena. */
void model_leslie_warn(struct loom_arena *arena, struct loom_leslie_warnings *warnings,
		       const char *format, ...) LOOM_PRINTF(3, 4);
/* Forgets the last call and finds `.leslie`; reads nothing. */
enum loom_status model_leslie_enter(struct loom_leslie *leslie,
				    struct loom_leslie_err *err) LOOM_MUST;
/* Forgets the last call and reads both files where they changed. */
enum loom_status model_leslie_begin(struct loom_leslie *leslie,
				    struct loom_leslie_err *err) LOOM_MUST;
/* The same for one that only looks: a registry that is behind is brought up to date. What changes
 * something does that when it has, so that a refusal leaves every file as it was. */
enum loom_status model_leslie_look(struct loom_leslie *leslie,
				   struct loom_leslie_err *err) LOOM_MUST;
/* Makes `.leslie` and its folders when they are not there. */
enum loom_status model_leslie_make_home(struct loom_leslie *leslie, struct loom_err *err) LOOM_MUST;
/* The environment's time as the reference writes it. */
struct loom_str model_leslie_now(struct loom_leslie *leslie, struct loom_arena *arena);
/* prefix-xxxxxxxx */
struct loom_str model_leslie_draw_id(struct loom_leslie *leslie, struct loom_arena *arena,
				     const char *prefix);

/* ---- look.c ---- */

/* The record of a thread, value.p NULL when there is none. */
struct loom_str model_leslie_record(const struct loom_leslie *leslie, struct loom_str id);
/* The relations of a thread, p NULL when there are none. */
struct loom_str model_leslie_relation(const struct loom_leslie *leslie, struct loom_str id);
/* T101 unless the thread is there. */
enum loom_status model_leslie_need_thread(struct loom_leslie *leslie, struct loom_str id,
					  struct loom_leslie_err *err) LOOM_MUST;
/* Opens a thread's own folder; LOOM_NOT_FOUND also for an id that names none. */
enum loom_status model_leslie_open_thread(struct loom_leslie *leslie, struct loom_str id,
					  struct loom_root *out, struct loom_err *err) LOOM_MUST;
/* Whether a referenced thread is there to be read: its record and its folder. */
bool model_leslie_stands(struct loom_leslie *leslie, struct loom_str id);
/* Whether an objective is complete once one of its threads has that status. */
bool model_leslie_objective_complete(struct loom_leslie *leslie, struct loom_str objective,
				     struct loom_str changed, enum loom_leslie_status status);
/* The record as written; p NULL when there is none. */
struct loom_str model_leslie_objective_record(const struct loom_leslie *leslie, struct loom_str id);
/* T601. */
enum loom_status model_leslie_need_objective(struct loom_leslie *leslie, struct loom_str id,
					     struct loom_leslie_err *err) LOOM_MUST;

/* ---- graph.c ---- */

/* Whether a reference from `from` to `target` would close a circle; the circle's ids, from the
 * smallest one round to it again, go into the arena. References alone count, dangling ones too. */
bool model_leslie_closes_circle(const struct loom_leslie *leslie, struct loom_str from,
				struct loom_str target, struct loom_arena *arena,
				struct loom_str **out_circle, size_t *out_count);

/* ---- thread_registry.c ---- */

/* Reads the registry into *text and *out (in the call's arena), when it is that of the relations as
 * they are on the disk. */
bool model_leslie_registry_read(struct loom_leslie *leslie, struct loom_buf *text,
				struct model_leslie_doc *out) LOOM_MUST;
/* Writes .global/registry.json from the relations unless it is theirs already. What fails is left
 * for the next time: the registry is only ever derived. */
void model_leslie_registry_update(struct loom_leslie *leslie);

/* ---- change.c ---- */

/* One change under both locks: calls `change`, which commits, and does it again when a file was
 * written meanwhile by one who did not ask. */
typedef enum loom_status model_leslie_change_fn(struct loom_leslie *leslie, void *ctx,
						struct loom_leslie_err *err);
enum loom_status model_leslie_change(struct loom_leslie *leslie, model_leslie_change_fn *change,
				     void *ctx, struct loom_leslie_err *err) LOOM_MUST;

/* Sets the counts and times of a store file. */
void model_leslie_edit_metadata(struct model_leslie_edits *edits, struct loom_str now,
				const char *count_key, size_t count);
/* Adds an operation; `params` is a JSON object. */
void model_leslie_edit_operation(struct loom_leslie *leslie, struct model_leslie_edits *edits,
				 const char *command, struct loom_str params);
/* Refuses a title, or an id that is none or is taken. */
enum loom_status model_leslie_check_title(struct loom_leslie *leslie, struct loom_str title,
					  enum loom_named named,
					  struct loom_leslie_err *err) LOOM_MUST;
/* `taken`: the caller has found it in use. */
enum loom_status model_leslie_check_new_id(struct loom_leslie *leslie, struct loom_str id,
					   bool taken, struct loom_leslie_err *err) LOOM_MUST;
/* How many threads the relations hold. */
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
	struct loom_buf lists[MODEL_LESLIE_TIE_KINDS]; /* what stands between the brackets */
};

/* Additions to the relations; threads that have no entry yet get one at the end. */
struct model_leslie_ties {
	struct loom_leslie *leslie;
	struct model_leslie_edits *edits;
	struct model_leslie_new_relation *made;
	size_t count;
	size_t cap;
};

/* One more relation of that kind, for a thread that may have no entry yet. */
void model_leslie_tie(struct model_leslie_ties *ties, struct loom_str id,
		      enum model_leslie_tie_kind kind, struct loom_str other);
/* Makes sure that the thread has an entry. */
void model_leslie_tie_none(struct model_leslie_ties *ties, struct loom_str id);
/* Adds the new entries that were collected; lists of old ones were edited at once. */
void model_leslie_ties_end(struct model_leslie_ties *ties);

#endif
