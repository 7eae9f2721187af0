/* Marks: bookmarks, exclusion, tags, links, summaries. All inside an operation; asking for what is
 * so already changes nothing and says so. */
#ifndef LOOM_MARK_H
#define LOOM_MARK_H

#include <loom/tree/node.h>

/* A label that differs is a change too; off, the label counts for nothing. LOOM_NOT_FOUND,
 * LOOM_INVALID. */
enum loom_status loom_bookmark_set(struct loom_store *store, int64_t node, bool on,
				   struct loom_str label, bool *out_changed,
				   struct loom_err *err) LOOM_MUST;
/* Left out of contexts, or taken in again. LOOM_NOT_FOUND. */
enum loom_status loom_exclude_set(struct loom_store *store, int64_t node, bool on,
				  bool *out_changed, struct loom_err *err) LOOM_MUST;
/* LOOM_NOT_FOUND for the node, LOOM_SYNTAX for an empty name, LOOM_LIMIT over 200 bytes. */
enum loom_status loom_tag_set(struct loom_store *store, int64_t node, struct loom_str name, bool on,
			      bool *out_changed, struct loom_err *err) LOOM_MUST;

struct loom_tag {
	struct loom_str name;
	int64_t nodes;
};
/* All tags in use with how many nodes carry them, by name. */
enum loom_status loom_tag_list(struct loom_store *store, struct loom_arena *arena,
			       struct loom_tag **out, size_t *out_count,
			       struct loom_err *err) LOOM_MUST;
/* The tags of a node, by name. */
enum loom_status loom_tag_of(struct loom_store *store, int64_t node, struct loom_arena *arena,
			     struct loom_str **out, size_t *out_count,
			     struct loom_err *err) LOOM_MUST;
/* One page of the nodes that carry a mark. */
struct loom_tagged {
	struct loom_str name; /* of the tag; p NULL: the bookmarked ones */
	int64_t tree;         /* 0: all */
	int64_t after;        /* a node's number */
	size_t limit;
};
/* The visible ones, by number. */
enum loom_status loom_tag_nodes(struct loom_store *store, const struct loom_tagged *page,
				struct loom_arena *arena, struct loom_nodes *out,
				struct loom_err *err) LOOM_MUST;

enum loom_link_kind { LOOM_LINK_NODE, LOOM_LINK_DOC, LOOM_LINK_TREE };
struct loom_link {
	int64_t id;
	int64_t from; /* node */
	enum loom_link_kind kind;
	int64_t to_node; /* node, or a node of the tree, or 0 */
	int64_t to_doc;
	int64_t to_tree;
	struct loom_str section; /* of a document */
	struct loom_str note;
	int64_t author;
	int64_t created; /* for a new one 0: now */
};
/* One that is there already (from either end, between nodes of a tree) is *out_link, and nothing
 * changed. LOOM_NOT_FOUND for an end that is not there. */
enum loom_status loom_link_create(struct loom_store *store, const struct loom_link *spec,
				  int64_t *out_link, bool *out_changed,
				  struct loom_err *err) LOOM_MUST;
/* By its row number. LOOM_NOT_FOUND when there is none now. */
enum loom_status loom_link_remove(struct loom_store *store, int64_t link,
				  struct loom_err *err) LOOM_MUST;
/* Those with an end on this node, on this document, or in this tree. What leads to a tree as a
 * whole has its end on the root too. */
enum loom_status loom_link_list(struct loom_store *store, enum loom_link_kind end, int64_t id,
				struct loom_arena *arena, struct loom_link **out, size_t *out_count,
				struct loom_err *err) LOOM_MUST;

#endif
