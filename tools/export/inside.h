/* Inside the exporters: the output buffer, the nodes of a tree in sequence, authors by number. A
 * format is one row (struct loom_export_format) in its export_<format>.c. */
#ifndef EXPORT_INSIDE_H
#define EXPORT_INSIDE_H

#include <loom/tree/agent.h>
#include <loom/export/export.h>
#include <loom/base/json.h>

struct exporter {
	const struct loom_export *what;
	struct loom_store *store;
	struct loom_arena *arena; /* lives as long as the export */
	struct loom_arena *step;  /* for one node */
	struct loom_buf buf;
	struct loom_agent *named; /* all agents, in formats whose turns begin with a name */
	size_t named_count;
	struct loom_buf prose;     /* of a buffer, up to the next heading */
	struct loom_agent *agents; /* the authors so far, sorted by number */
	size_t agent_count;
	size_t agent_cap;
	uint64_t done;
	size_t trees;  /* begun so far, for formats that separate them */
	bool answered; /* a model has spoken in the current conversation */
};
/* Starts an export without writing anything. Borrows `what`. */
void exporter_init(struct exporter *ex, const struct loom_export *what);
/* Passes the rest to the taker unless `status` is an error, and frees everything. Returns the final
 * status. */
enum loom_status exporter_fini(struct exporter *ex, enum loom_status status,
			       struct loom_err *err) LOOM_MUST;
/* Call between two nodes: passes a full buffer on and counts a node; LOOM_CANCELLED. */
enum loom_status export_flow(struct exporter *ex, struct loom_err *err) LOOM_MUST;

/* The author with this number, borrowed until the next call. */
enum loom_status export_author(struct exporter *ex, int64_t agent, const struct loom_agent **out,
			       struct loom_err *err) LOOM_MUST;
/* The agent's original name, without the suffix that an import adds. */
struct loom_str export_name(const struct loom_agent *agent);

/* A node of a tree in memory, without its text. Pruned and excluded nodes are included and marked;
 * versions are siblings. */
struct export_node {
	int64_t id;
	uint32_t parent; /* + 1; the member it was written from */
	uint32_t first;
	uint32_t next;
	uint32_t depth;
	bool culled; /* the mark is on this node */
	bool pruned; /* the mark is on this node or an ancestor */
	bool aside;  /* an annotation or a source, on no path */
	bool on_path;
};
struct export_tree {
	struct loom_tree row;
	struct export_node *nodes; /* the root first; parents before children */
	size_t count;
};
/* The next node in reading order, children before siblings, without pruned branches; 0 after the
 * last. Start with 1. */
uint32_t export_next(const struct export_tree *tree, uint32_t number);
/* The next node in reading order after all descendants of this one; 0 after the last. */
uint32_t export_past(const struct export_tree *tree, uint32_t number);
/* A node's number; 0 if it is not in the tree. */
uint32_t export_number(const struct export_tree *tree, int64_t id);
/* Its first child that is not pruned; 0: none. */
uint32_t export_child(const struct export_tree *tree, uint32_t number);
/* Its next sibling that is not pruned; 0: none. */
uint32_t export_sibling(const struct export_tree *tree, uint32_t number);

/* A node with all its texts, valid until the next one is read. */
struct export_text {
	struct loom_node node;
	const struct loom_agent *author;
	char name[LOOM_LOCAL_MAX];
};
/* Reads a node with all its texts. */
enum loom_status export_read(struct exporter *ex, const struct export_tree *tree, int64_t id,
			     struct export_text *out, struct loom_err *err) LOOM_MUST;
/* Reads the annotations of a group, with their texts. */
enum loom_status export_notes(struct exporter *ex, int64_t group, struct loom_nodes *out,
			      struct loom_err *err) LOOM_MUST;
/* Counts a text that does not match its hash. The two functions above do so themselves. */
void export_judge(struct exporter *ex, const struct loom_node *node);
/* The ULID of a node. */
enum loom_status export_ulid(struct exporter *ex, const struct export_tree *tree, uint32_t number,
			     char out[LOOM_ULID_CHARS + 1], struct loom_err *err) LOOM_MUST;
/* Reads the path to the requested tip and sets `on_path` on its nodes. */
enum loom_status export_path(struct exporter *ex, const struct export_tree *tree,
			     struct loom_nodes *out, struct loom_err *err) LOOM_MUST;
/* The position of the export's reader in the tree; 0: none. */
enum loom_status export_stand(struct exporter *ex, const struct export_tree *tree, uint32_t *out,
			      struct loom_err *err) LOOM_MUST;
/* Writes one tree. */
typedef enum loom_status export_put(struct exporter *ex, const struct export_tree *tree,
				    struct loom_err *err);
/* Exports every tree of `what` with `put`; returns the first error. */
enum loom_status export_each(const struct loom_export *what, export_put *put,
			     struct loom_err *err) LOOM_MUST;
/* Adds a text, escaped for XML and HTML. */
void export_escape(struct loom_buf *out, struct loom_str text);
/* The role of an agent: "user", "assistant" or "system". */
const char *export_role(const struct loom_agent *author);

#endif
