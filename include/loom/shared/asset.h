/* Assets: the parts of a thread's work that others may be shown, in five kinds.
 *
 * An asset is a file (`plan.md`) or a folder (`plan/`) in a thread's own folder or its
 * `artifacts/`. Nothing is registered: the assets are whatever is on disk. */
#ifndef LOOM_ASSET_H
#define LOOM_ASSET_H

#include <loom/base/arena.h>
#include <loom/base/err.h>
#include <loom/files/path.h>
#include <loom/base/str.h>

/* In the order of every list. */
enum loom_asset_type {
	LOOM_ASSET_PLAN,
	LOOM_ASSET_PROGRESS,
	LOOM_ASSET_DESIGN,
	LOOM_ASSET_LEARNINGS,
	LOOM_ASSET_TRANSCRIPT,
	LOOM_ASSET_TYPES
};

/* Returns a type's name, such as "plan". Static. */
const char *loom_asset_type_name(enum loom_asset_type type);
/* Parses an exact type name; false, leaving *out alone, for anything else. */
bool loom_asset_type_parse(struct loom_str name, enum loom_asset_type *out);
/* Finds the type of a path within a thread from its first part (`design/api.md` and
 * `artifacts/design.md` are designs); false if it has none. */
bool loom_asset_type_of(struct loom_str name, enum loom_asset_type *out);

/* How a frozen copy compares to what was copied, and that to its source. */
enum loom_copy_state {
	LOOM_COPY_SOUND,
	LOOM_COPY_STALE,  /* the source has changed since */
	LOOM_COPY_FORGED, /* the copy itself was changed, or is missing */
	LOOM_COPY_GONE,   /* the source is gone */
	LOOM_COPY_STATES
};
/* Returns the word for a state, "" for a sound copy. Static. */
const char *loom_copy_state_name(enum loom_copy_state state);

struct loom_asset {
	enum loom_asset_type type;
	struct loom_str path;       /* relative to the project's root; a folder's ends in `/` */
	struct loom_str read_path;  /* where to read it: the same path, or our frozen copy */
	enum loom_copy_state state; /* of that copy */
};

struct loom_asset_list {
	struct loom_asset *items;
	size_t count;
	size_t cap;
};

/* Adds an asset unless the list has that type and path already; its texts are borrowed. */
void loom_asset_add(struct loom_arena *arena, struct loom_asset_list *list,
		    struct loom_asset asset);
/* Sorts by type, keeping the order within each. */
void loom_asset_sort(struct loom_asset_list *list);

/* Adds the assets now in a thread's folder. `folder` is its root, `prefix` its path from the
 * project's root with a final slash. Links are not followed; entries of the wrong kind are
 * ignored. */
void loom_asset_discover(struct loom_arena *arena, const struct loom_root *folder,
			 struct loom_str prefix, bool transcripts, struct loom_asset_list *list);

#endif
