/* Assets: the work of a thread that others may be shown, in five kinds.
 *
 * An asset is a file (`plan.md`) or a folder (`plan/`) of a thread's own folder or of its
 * `artifacts/`. Nothing is registered: what is on the disk now is what there is. */
#ifndef LOOM_ASSET_H
#define LOOM_ASSET_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/files/path.h>
#include <loom/base/str.h>

/* In the order of every listing. */
enum loom_asset_type {
	LOOM_ASSET_PLAN,
	LOOM_ASSET_PROGRESS,
	LOOM_ASSET_DESIGN,
	LOOM_ASSET_LEARNINGS,
	LOOM_ASSET_TRANSCRIPT,
	LOOM_ASSET_TYPES
};

/* "plan"; lives for ever. */
const char *loom_asset_type_name(enum loom_asset_type type);
/* The type of that exact name; false, and *out untouched, for another. */
bool loom_asset_type_parse(struct loom_str name, enum loom_asset_type *out);
/* The type that the first part of a name within a thread says (`design/api.md` and
 * `artifacts/design.md` are designs); false when it is none. */
bool loom_asset_type_of(struct loom_str name, enum loom_asset_type *out);

struct loom_asset {
	enum loom_asset_type type;
	struct loom_str path;      /* from the project's root; a folder's ends in `/` */
	struct loom_str read_path; /* where to read it: the path, or our frozen copy */
};

struct loom_asset_list {
	struct loom_asset *items;
	size_t count;
	size_t cap;
};

/* Adds one, unless the list holds that type and path already; copies nothing. */
void loom_asset_add(struct loom_arena *arena, struct loom_asset_list *list,
		    struct loom_asset asset);
/* Puts the types in order and keeps the order within each. */
void loom_asset_sort(struct loom_asset_list *list);

/* Adds what is in a thread's folder now. `folder` is its root, `prefix` its path from the project's
 * root with a slash at the end. Links are not followed; a thing of the wrong kind is none. */
void loom_asset_discover(struct loom_arena *arena, const struct loom_root *folder,
			 struct loom_str prefix, bool transcripts, struct loom_asset_list *list);

#endif
