/* Marks: bookmarks, exclusion, tags, links, summaries. All changes are inside an operation; setting
 * what is already set changes nothing and says so. */
#ifndef LOOM_MARK_H
#define LOOM_MARK_H

#include <loom/tree/node.h>

/* Inside an operation: sets or removes a bookmark. A different label is a change too; it is ignored
 * when removing. LOOM_NOT_FOUND, or LOOM_INVALID for a bad label. */
enum loom_status loom_bookmark_set(struct loom_store *store, int64_t node, bool on,
				   struct loom_str label, bool *out_changed,
				   struct loom_err *err) LOOM_MUST;
/* Inside an operation: excludes a node from contexts, or includes it again. LOOM_NOT_FOUND. */
enum loom_status loom_exclude_set(struct loom_store *store, int64_t node, bool on,
				  bool *out_changed, struct loom_err *err) LOOM_MUST;
/* Inside an operation: reads a text with its seam, or as it came. LOOM_NOT_FOUND if it has none. */
enum loom_status loom_seam_set(struct loom_store *store, int64_t node, bool on, bool *out_changed,
			       struct loom_err *err) LOOM_MUST;
/* Inside an operation: adds or removes a tag. LOOM_NOT_FOUND for the node, LOOM_SYNTAX for an empty
 * name, LOOM_LIMIT over 200 bytes. */
enum loom_status loom_tag_set(struct loom_store *store, int64_t node, struct loom_str name, bool on,
			      bool *out_changed, struct loom_err *err) LOOM_MUST;

/* The tags that rate a node. */
#define LOOM_TAG_GOOD "rated:good"
#define LOOM_TAG_BAD  "rated:bad"

struct loom_tag {
	struct loom_str name;
	int64_t nodes;
};
/* Lists all tags in use by name, with their number of nodes, in the arena. */
enum loom_status loom_tag_list(struct loom_store *store, struct loom_arena *arena,
			       struct loom_tag **out, size_t *out_count,
			       struct loom_err *err) LOOM_MUST;
/* Lists a node's tags by name, in the arena. */
enum loom_status loom_tag_of(struct loom_store *store, int64_t node, struct loom_arena *arena,
			     struct loom_str **out, size_t *out_count,
			     struct loom_err *err) LOOM_MUST;
/* A page of the nodes with a certain mark. */
struct loom_tagged {
	struct loom_str name; /* the tag's; p NULL: bookmarked nodes … */
	bool pruned;          /* … or pruned ones */
	int64_t tree;         /* 0: all */
	int64_t after;        /* a node's row number */
	size_t limit;
};
/* Lists visible nodes with the mark, by row number, in the arena. */
enum loom_status loom_tag_nodes(struct loom_store *store, const struct loom_tagged *page,
				struct loom_arena *arena, struct loom_nodes *out,
				struct loom_err *err) LOOM_MUST;

enum loom_link_kind { LOOM_LINK_NODE, LOOM_LINK_DOC, LOOM_LINK_TREE };
struct loom_link {
	int64_t id;
	int64_t from; /* node */
	enum loom_link_kind kind;
	int64_t to_node; /* a node, or a node of the tree, or 0 */
	int64_t to_doc;
	int64_t to_tree;
	struct loom_str section; /* in a document */
	struct loom_str note;
	int64_t author;
	int64_t created; /* of a new one, 0: now */
};
/* Inside an operation: creates a link. If it exists already (from either end, between nodes of a
 * tree), *out_link is that one and nothing changes. LOOM_NOT_FOUND if an end does not exist. */
enum loom_status loom_link_create(struct loom_store *store, const struct loom_link *spec,
				  int64_t *out_link, bool *out_changed,
				  struct loom_err *err) LOOM_MUST;
/* Inside an operation: removes a link by row number. LOOM_NOT_FOUND. */
enum loom_status loom_link_remove(struct loom_store *store, int64_t link,
				  struct loom_err *err) LOOM_MUST;
/* Lists the links with an end on this node, on this document, or in this tree, in the arena. A link
 * to a tree as a whole also ends on its root. */
enum loom_status loom_link_list(struct loom_store *store, enum loom_link_kind end, int64_t id,
				struct loom_arena *arena, struct loom_link **out, size_t *out_count,
				struct loom_err *err) LOOM_MUST;

#endif
