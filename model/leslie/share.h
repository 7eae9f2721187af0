/* What one thread was given by others: frozen copies, where they came from, live pointers.
 *
 * Kept in two small files beside the things they describe, context/inherited/.refs.json and
 * context/live/.refs.json. Only the files of `.leslie/` include this. */
#ifndef MODEL_LESLIE_SHARE_IMPL_H
#define MODEL_LESLIE_SHARE_IMPL_H

#include "inside.h"

#define MODEL_LESLIE_INHERITED "context/inherited"
#define MODEL_LESLIE_LIVE      "context/live"
#define MODEL_LESLIE_MANIFEST  ".refs.json"
/* The scope that is a whole thread but its conversation. */
#define MODEL_LESLIE_WHOLE "all"

/* A file below context/inherited/. */
struct model_leslie_copy {
	struct loom_str name; /* below context/inherited/ */
	struct loom_str ref_id;
	struct loom_str thread; /* whose it is */
	struct loom_str path;   /* of the original, from the project's root */
	struct loom_str sha256;
	uint64_t size;
	struct loom_str copied_at;
	bool fresh; /* to be copied now */
};

/* A thread of which copies are kept. */
struct model_leslie_source {
	struct loom_str thread;
	struct loom_str ref_id;
	struct loom_str created_at;
	struct loom_str copied_at;
	struct loom_str *scopes;
	size_t scope_count;
	struct loom_asset_list assets; /* as they were when copied; paths are the owner's */
};

/* Where a live reference leads. A folder's path ends in `/`; the name of a whole thread is its id
 * and a slash. */
struct model_leslie_pointer {
	struct loom_str name;
	struct loom_str ref_id;
	struct loom_str thread;
	struct loom_str path;
	struct loom_str created_at;
};

/* The operations that name a thread, in their order; found when they are first asked for, and good
 * until the relations are read again. */
struct model_leslie_tied {
	bool known;
	struct loom_str *operations;
	size_t count;
	size_t cap;
};

struct model_leslie_share {
	struct loom_arena *arena;
	struct model_leslie_tied *tied; /* of the thread whose share it is */
	struct model_leslie_copy *copies;
	size_t copy_count;
	size_t copy_cap;
	struct model_leslie_map copy_names;
	struct model_leslie_map on_disk; /* names that the manifest had when it was read */
	struct model_leslie_source *sources;
	size_t source_count;
	size_t source_cap;
	struct model_leslie_pointer *pointers;
	size_t pointer_count;
	size_t pointer_cap;
};

/* ---- share.c ---- */

/* Reads both files of a thread; absent ones are empty. T502 when one is no JSON. */
enum loom_status model_leslie_share_load(struct loom_leslie *leslie, struct loom_str thread,
					 struct loom_arena *arena, struct model_leslie_share *out,
					 struct loom_leslie_err *err) LOOM_MUST;
/* The same for an open folder of a thread. */
enum loom_status model_leslie_share_read(struct loom_leslie *leslie, const struct loom_root *folder,
					 struct loom_arena *arena, struct model_leslie_share *out,
					 struct loom_leslie_err *err) LOOM_MUST;
/* Each file as it is kept, with all that is known of it. */
void model_leslie_share_spell_copies(const struct model_leslie_share *share, struct loom_buf *out);
void model_leslie_share_spell_pointers(const struct model_leslie_share *share,
				       struct loom_buf *out);

/* NULL when there is none, as in the two below. */
struct model_leslie_copy *model_leslie_share_copy(const struct model_leslie_share *share,
						  struct loom_str name);
struct model_leslie_source *model_leslie_share_source(const struct model_leslie_share *share,
						      struct loom_str thread);
struct model_leslie_pointer *model_leslie_share_pointer(const struct model_leslie_share *share,
							struct loom_str name);
void model_leslie_share_add_copy(struct model_leslie_share *share, struct model_leslie_copy copy);
void model_leslie_share_add_pointer(struct model_leslie_share *share,
				    struct model_leslie_pointer pointer);
/* The source of that thread, made when there is none. */
struct model_leslie_source *model_leslie_share_need_source(struct model_leslie_share *share,
							   struct loom_str thread);
/* A copy whose changes leave the first one as it was; texts are shared. */
struct model_leslie_share model_leslie_share_dup(const struct model_leslie_share *share);
/* Forgets the copies of which `drop` says so. */
typedef bool model_leslie_copy_fn(void *ctx, const struct model_leslie_copy *copy);
void model_leslie_share_drop_copies(struct model_leslie_share *share, model_leslie_copy_fn *drop,
				    void *ctx);
/* Forgets everything that came from a thread. */
void model_leslie_share_forget(struct model_leslie_share *share, struct loom_str thread);
/* The part of an original's path below its thread's folder. */
struct loom_str model_leslie_within(struct loom_str path, struct loom_str thread);

/* How a thread is bound to one that it references. When neither file says, another program made
 * the reference: then `implied` is set and the rest is what its operation says. */
struct model_leslie_bond {
	bool frozen;
	bool live;
	bool implied;
	struct loom_str *scopes; /* implied only; none: the whole thread */
	size_t scope_count;
};
/* What `from` has of `target`: by its own files, else implied, by the history of the
 * relations. */
struct model_leslie_bond model_leslie_share_bond(const struct loom_leslie *leslie,
						 const struct model_leslie_share *share,
						 struct loom_str from, struct loom_str target,
						 struct loom_arena *arena);

/* ---- thread_name.c ---- */

/* What is wrong with a name or scope, or NULL. A slash at the end says folder and is fine. */
const char *model_leslie_name_fault(struct loom_str name);
/* T203 when it is refused. */
enum loom_status model_leslie_name_check(struct loom_leslie *leslie, struct loom_str name,
					 struct loom_leslie_err *err) LOOM_MUST;
/* Without a leading `artifacts/` and without a slash at the end. */
struct loom_str model_leslie_name_plain(struct loom_str name);
/* Whether it is a conversation, or part of one. */
bool model_leslie_name_is_transcript(struct loom_str name);
/* Whether a name below a thread is never shared: its context, another tool's own, the manifest. */
bool model_leslie_name_is_private(struct loom_str name);
/* Whether a reference to a whole thread leaves it out: what is private, conversations, and names
 * with a dot that stand at the top. All but the private ones may be named. */
bool model_leslie_name_is_withheld(struct loom_str name);
/* Whether a scope means all of the thread. */
bool model_leslie_is_whole(struct loom_str scope);
/* Whether `name` is `folder` or below it. */
bool model_leslie_is_below(struct loom_str name, struct loom_str folder);

/* Where a name stands in a thread's folder: as it is given, else with or without `artifacts/`. */
struct model_leslie_place {
	struct loom_str path; /* within the thread's folder */
	struct loom_file_info info;
};
/* LOOM_NOT_FOUND; LOOM_PATH for links and things that are neither file nor folder. */
enum loom_status model_leslie_locate(const struct loom_root *folder, struct loom_str name,
				     struct loom_arena *arena, struct model_leslie_place *out,
				     struct loom_err *err) LOOM_MUST;
/* The assets that a scope stands for now, with the owner's paths. */
void model_leslie_scope_assets(struct loom_arena *arena, const struct loom_root *folder,
			       struct loom_str thread, struct loom_str scope,
			       struct loom_asset_list *list);

/* ---- gather.c: which files a reference means ---- */

/* Puts what the scopes of a thread hold now into the share, marked fresh: copies and assets. Names
 * that another source has go below that thread's id, with a warning. Nothing is written. */
struct model_leslie_gather {
	struct loom_leslie *leslie;
	struct model_leslie_share *share;
	const struct loom_root *inherited; /* the tree as it is; fd -1: none */
	struct loom_str thread;
	const struct loom_str *scopes; /* none: the whole thread */
	size_t scope_count;
	struct loom_str ref_id;
	struct loom_str now;
	struct loom_leslie_warnings *warnings;
};
/* T202, T203, LOOM_LIMIT. */
enum loom_status model_leslie_gather(const struct model_leslie_gather *gather,
				     struct loom_leslie_err *err) LOOM_MUST;

/* ---- staging.c: a new context/inherited, made beside the old one ---- */

struct model_leslie_stage {
	struct loom_leslie *leslie;
	struct loom_root context; /* the thread's context/ */
	struct loom_root folder;  /* the new tree */
	char name[32];            /* of whichever tree is not in place; empty: none */
	bool swapped;
};

/* Makes the new tree: links what is kept, copies what is fresh (filling in hash and size), writes
 * the manifest. Files that no manifest knew are carried over unless they are below `forgotten` (p
 * NULL: none). T202, T203, T204, LOOM_LIMIT, LOOM_FULL; then nothing is left behind. */
enum loom_status model_leslie_stage_make(struct model_leslie_stage *stage,
					 struct loom_leslie *leslie, const struct loom_root *thread,
					 struct model_leslie_share *share,
					 struct loom_str forgotten,
					 struct loom_leslie_err *err) LOOM_MUST;
/* Puts the new tree in place of the old one. */
enum loom_status model_leslie_stage_swap(struct model_leslie_stage *stage,
					 struct loom_err *err) LOOM_MUST;
/* Puts the old tree back, when it was swapped out. */
void model_leslie_stage_undo(struct model_leslie_stage *stage);
/* Removes whichever tree is not in place. */
void model_leslie_stage_fini(struct model_leslie_stage *stage);

/* ---- bind.c: one reference, from its words to the share ---- */

struct model_leslie_bind {
	struct loom_leslie *leslie;
	struct model_leslie_share *share;
	const struct loom_root *inherited; /* of the thread as it is; fd -1: none */
	enum loom_leslie_binding binding;
	struct loom_str ref_id; /* of the arena of the share, like `now` */
	struct loom_str now;
	struct loom_leslie_warnings *warnings;
};

/* Refuses names, ids and scopes that are none. */
enum loom_status model_leslie_target_check(struct loom_leslie *leslie,
					   const struct loom_leslie_target *target,
					   struct loom_leslie_err *err) LOOM_MUST;
/* T201 when a reference from `from` to `target` closes a circle; `spawning` chooses the words. */
enum loom_status model_leslie_circle_check(struct loom_leslie *leslie, struct loom_str from,
					   struct loom_str target, bool spawning,
					   struct loom_leslie_err *err) LOOM_MUST;
/* Puts what the target shares into the share. A target that is not there is a warning. */
enum loom_status model_leslie_bind_target(const struct model_leslie_bind *bind,
					  const struct loom_leslie_target *target,
					  struct loom_leslie_err *err) LOOM_MUST;
/* Writes context/live/.refs.json. */
enum loom_status model_leslie_write_pointers(const struct loom_root *thread,
					     const struct model_leslie_share *share,
					     struct loom_leslie_err *err) LOOM_MUST;
/* The operation of a reference. */
struct model_leslie_reference {
	struct loom_str ref_id;
	struct loom_str from;
	const struct loom_leslie_target *target;
	enum loom_leslie_binding binding;
};
/* Adds the operation that says so to the relations' history. */
void model_leslie_edit_reference(struct loom_leslie *leslie, struct model_leslie_edits *edits,
				 const struct model_leslie_reference *reference);
/* The copies that were made now, by name. */
struct loom_str *model_leslie_fresh_names(const struct model_leslie_share *share,
					  struct loom_arena *arena, size_t *count);

#endif
