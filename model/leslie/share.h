/* What a thread was given by others: frozen copies with their origin, and live pointers.
 *
 * Stored in two small files beside the things they describe, context/inherited/.refs.json and
 * context/live/.refs.json. Only files of this room include this header. */
#ifndef MODEL_LESLIE_SHARE_IMPL_H
#define MODEL_LESLIE_SHARE_IMPL_H

#include "inside.h"

#define MODEL_LESLIE_INHERITED "context/inherited"
#define MODEL_LESLIE_LIVE      "context/live"
#define MODEL_LESLIE_MANIFEST  ".refs.json"
/* The scope for a whole thread except its conversation. */
#define MODEL_LESLIE_WHOLE "all"

/* A file below context/inherited/. */
struct model_leslie_copy {
	struct loom_str name; /* below context/inherited/ */
	struct loom_str ref_id;
	struct loom_str thread; /* its owner */
	struct loom_str path;   /* of the original, relative to the project's root */
	struct loom_str sha256;
	uint64_t size;
	struct loom_str copied_at;
	bool fresh; /* to be copied now */
};

/* A thread whose copies are kept. */
struct model_leslie_source {
	struct loom_str thread;
	struct loom_str ref_id;
	struct loom_str created_at;
	struct loom_str copied_at;
	struct loom_str *scopes;
	size_t scope_count;
	struct loom_asset_list assets; /* as of the copy; paths are the owner's */
};

/* The target of a live reference. A folder's path ends in `/`; the name of a whole thread is its id
 * and a slash. */
struct model_leslie_pointer {
	struct loom_str name;
	struct loom_str ref_id;
	struct loom_str thread;
	struct loom_str path;
	struct loom_str created_at;
};

/* The operations that concern a thread, in order; computed on first use, valid until the relations
 * are read again. */
struct model_leslie_tied {
	bool known;
	struct loom_str *operations;
	size_t count;
	size_t cap;
};

struct model_leslie_share {
	struct loom_arena *arena;
	struct model_leslie_tied *tied; /* of the share's thread */
	struct model_leslie_copy *copies;
	size_t copy_count;
	size_t copy_cap;
	struct model_leslie_map copy_names;
	struct model_leslie_map on_disk; /* names the manifest had when it was read */
	struct model_leslie_source *sources;
	size_t source_count;
	size_t source_cap;
	struct model_leslie_pointer *pointers;
	size_t pointer_count;
	size_t pointer_cap;
};

/* ---- share.c ---- */

/* Loads both files of a thread; missing ones are empty. T502 if one is not JSON. */
enum loom_status model_leslie_share_load(struct loom_leslie *leslie, struct loom_str thread,
					 struct loom_arena *arena, struct model_leslie_share *out,
					 struct loom_leslie_err *err) LOOM_MUST;
/* Loads both files from a thread's open folder; missing ones are empty. T502 if one is not JSON. */
enum loom_status model_leslie_share_read(struct loom_leslie *leslie, const struct loom_root *folder,
					 struct loom_arena *arena, struct model_leslie_share *out,
					 struct loom_leslie_err *err) LOOM_MUST;
/* Appends the manifest of frozen copies as it is stored, with all their data. */
void model_leslie_share_spell_copies(const struct model_leslie_share *share, struct loom_buf *out);
void model_leslie_share_spell_pointers(const struct model_leslie_share *share,
				       struct loom_buf *out);

/* Returns the copy with that name; NULL if there is none. */
struct model_leslie_copy *model_leslie_share_copy(const struct model_leslie_share *share,
						  struct loom_str name);
struct model_leslie_source *model_leslie_share_source(const struct model_leslie_share *share,
						      struct loom_str thread);
struct model_leslie_pointer *model_leslie_share_pointer(const struct model_leslie_share *share,
							struct loom_str name);
void model_leslie_share_add_copy(struct model_leslie_share *share, struct model_leslie_copy copy);
void model_leslie_share_add_pointer(struct model_leslie_share *share,
				    struct model_leslie_pointer pointer);
/* Returns the source for a thread, created if missing. */
struct model_leslie_source *model_leslie_share_need_source(struct model_leslie_share *share,
							   struct loom_str thread);
/* Returns a copy that can be changed without affecting the original; texts are shared. */
struct model_leslie_share model_leslie_share_dup(const struct model_leslie_share *share);
/* Decides whether to forget a copy. */
typedef bool model_leslie_copy_fn(void *ctx, const struct model_leslie_copy *copy);
void model_leslie_share_drop_copies(struct model_leslie_share *share, model_leslie_copy_fn *drop,
				    void *ctx);
/* Forgets everything that came from a thread. */
void model_leslie_share_forget(struct model_leslie_share *share, struct loom_str thread);
/* Returns the part of an original's path below its thread's folder. */
struct loom_str model_leslie_within(struct loom_str path, struct loom_str thread);

/* How a thread is bound to one it references. If neither file says so, another program created the
 * reference: then `implied` is set and the rest comes from its operation. */
struct model_leslie_bond {
	bool frozen;
	bool live;
	bool implied;
	struct loom_str *scopes; /* implied only; none: the whole thread */
	size_t scope_count;
};
/* Determines how `from` is bound to `target`: from its own files or, implied, from the history of
 * the relations. */
struct model_leslie_bond model_leslie_share_bond(const struct loom_leslie *leslie,
						 const struct model_leslie_share *share,
						 struct loom_str from, struct loom_str target,
						 struct loom_arena *arena);

/* ---- copy_state.c ---- */

/* Returns whether the bytes have this hash, written in hex. */
bool model_leslie_is_hash(struct loom_str bytes, struct loom_str sha256);
struct model_leslie_compare {
	const struct loom_root *folder; /* of the thread that has the copies */
	const struct loom_root *source; /* of the thread they are from; fd -1: gone */
	struct loom_arena *arena;
	bool deep; /* hash what looks unchanged, too */
};
/* Compares a copy with what was copied, and that with its source. */
enum loom_copy_state model_leslie_copy_state(const struct model_leslie_compare *compare,
					     const struct model_leslie_copy *copy);

/* ---- thread_name.c ---- */

/* Returns what is wrong with a name or scope, or NULL. A final slash means a folder and is fine. */
const char *model_leslie_name_fault(struct loom_str name);
/* Fails with T203 if the name is refused. */
enum loom_status model_leslie_name_check(struct loom_leslie *leslie, struct loom_str name,
					 struct loom_leslie_err *err) LOOM_MUST;
/* Returns the name without a leading `artifacts/` and a final slash. */
struct loom_str model_leslie_name_plain(struct loom_str name);
/* Returns whether the name is a conversation, or part of one. */
bool model_leslie_name_is_transcript(struct loom_str name);
/* Returns whether a name below a thread is never shared: its context, another tool's files, the
 * manifest. */
bool model_leslie_name_is_private(struct loom_str name);
/* Returns whether a reference to a whole thread leaves the name out: private names, conversations,
 * and top-level names that begin with a dot. All but the private ones may be named explicitly. */
bool model_leslie_name_is_withheld(struct loom_str name);
/* Returns whether a scope means the whole thread. */
bool model_leslie_is_whole(struct loom_str scope);
/* Returns whether `name` is `folder` or below it. */
bool model_leslie_is_below(struct loom_str name, struct loom_str folder);

/* Where a name is in a thread's folder: as given, otherwise with or without `artifacts/`. */
struct model_leslie_place {
	struct loom_str path; /* within the thread's folder */
	struct loom_file_info info;
};
/* Finds a name in a thread's folder; the path is in the arena. LOOM_NOT_FOUND; LOOM_PATH for a link
 * or anything but a file or folder. */
enum loom_status model_leslie_locate(const struct loom_root *folder, struct loom_str name,
				     struct loom_arena *arena, struct model_leslie_place *out,
				     struct loom_err *err) LOOM_MUST;
/* Lists the assets a scope now has, with the owner's paths. */
void model_leslie_scope_assets(struct loom_arena *arena, const struct loom_root *folder,
			       struct loom_str thread, struct loom_str scope,
			       struct loom_asset_list *list);

/* ---- shareable.c ---- */

/* Lists by name what is in a thread's folder below `below`, which ends in `/`, and in its
 * subfolders, without what is never shared, in the arena. False if it cannot be read, or if there
 * are `most` or more. */
bool model_leslie_files_below(const struct loom_root *folder, struct loom_str below, size_t most,
			      struct loom_arena *arena, struct loom_leslie_file **out,
			      size_t *out_count);

/* ---- gather.c: the files a reference means ---- */

/* Adds the current contents of a thread's scopes to the share, marked fresh: copies and assets.
 * Names another source has go below that thread's id, with a warning. Nothing is written. */
struct model_leslie_gather {
	struct loom_leslie *leslie;
	struct model_leslie_share *share;
	const struct loom_root *inherited; /* the present tree; fd -1: none */
	struct loom_str thread;
	const struct loom_str *scopes; /* none: the whole thread */
	size_t scope_count;
	struct loom_str ref_id;
	struct loom_str now;
	struct loom_leslie_warnings *warnings;
};
/* Gathers. T202, T203, LOOM_LIMIT. */
enum loom_status model_leslie_gather(const struct model_leslie_gather *gather,
				     struct loom_leslie_err *err) LOOM_MUST;

/* ---- staging.c: a new context/inherited, built beside the old one ---- */

struct model_leslie_stage {
	struct loom_leslie *leslie;
	struct loom_root context; /* the thread's context/ */
	struct loom_root folder;  /* the new tree */
	char name[32];            /* of the tree that is not in place; empty: none */
	bool swapped;
};

/* Builds the new tree: links kept files, copies fresh ones (filling in hash and size), writes the
 * manifest. Files in no manifest are carried over unless they are below `forgotten` (p NULL: none).
 * T202, T203, T204, LOOM_LIMIT, LOOM_FULL, each without leaving anything behind. */
enum loom_status model_leslie_stage_make(struct model_leslie_stage *stage,
					 struct loom_leslie *leslie, const struct loom_root *thread,
					 struct model_leslie_share *share,
					 struct loom_str forgotten,
					 struct loom_leslie_err *err) LOOM_MUST;
/* Exchanges the new tree with the old one. */
enum loom_status model_leslie_stage_swap(struct model_leslie_stage *stage,
					 struct loom_err *err) LOOM_MUST;
/* Puts the old tree back if it was exchanged. */
void model_leslie_stage_undo(struct model_leslie_stage *stage);
/* Removes the tree that is not in place. */
void model_leslie_stage_fini(struct model_leslie_stage *stage);

/* ---- bind.c: a reference, from its words to the share ---- */

struct model_leslie_bind {
	struct loom_leslie *leslie;
	struct model_leslie_share *share;
	const struct loom_root *inherited; /* the thread's present tree; fd -1: none */
	enum loom_leslie_binding binding;
	struct loom_str ref_id; /* in the share's arena, like `now` */
	struct loom_str now;
	struct loom_leslie_warnings *warnings;
};

/* Refuses invalid names, ids and scopes with T203. */
enum loom_status model_leslie_target_check(struct loom_leslie *leslie,
					   const struct loom_leslie_target *target,
					   struct loom_leslie_err *err) LOOM_MUST;
/* Fails with T201 if a reference from `from` to `target` closes a circle; `spawning` selects the
 * wording. */
enum loom_status model_leslie_circle_check(struct loom_leslie *leslie, struct loom_str from,
					   struct loom_str target, bool spawning,
					   struct loom_leslie_err *err) LOOM_MUST;
/* Adds what the target shares to the share. A missing target is a warning. T202, T203,
 * LOOM_LIMIT. */
enum loom_status model_leslie_bind_target(const struct model_leslie_bind *bind,
					  const struct loom_leslie_target *target,
					  struct loom_leslie_err *err) LOOM_MUST;
/* Writes the live pointers to context/live/.refs.json. */
enum loom_status model_leslie_write_pointers(const struct loom_root *thread,
					     const struct model_leslie_share *share,
					     struct loom_leslie_err *err) LOOM_MUST;
/* The operation that records a reference. */
struct model_leslie_reference {
	struct loom_str ref_id;
	struct loom_str from;
	const struct loom_leslie_target *target;
	enum loom_leslie_binding binding;
};
/* Refuses a reference that cannot be made: T101, T201, T203. */
enum loom_status model_leslie_ref_check(struct loom_leslie *leslie,
					const struct loom_leslie_ref *opts,
					struct loom_leslie_err *err) LOOM_MUST;
/* Appends the operation to the relations' history. */
void model_leslie_edit_reference(struct loom_leslie *leslie, struct model_leslie_edits *edits,
				 const struct model_leslie_reference *reference);
/* Returns the names of the copies made now, in the arena. */
struct loom_str *model_leslie_fresh_names(const struct model_leslie_share *share,
					  struct loom_arena *arena, size_t *count);

#endif
