/* The exporters' inside: a buffer before the taker, nodes of a tree one after the other, authors by
 * number. An exporter is one row (struct loom_export_format) in its export_<format>.c. */
#ifndef EXPORT_INSIDE_H
#define EXPORT_INSIDE_H

#include <loom/tree/agent.h>
#include <loom/export/export.h>
#include <loom/base/json.h>

struct exporter {
	const struct loom_export *what;
	struct loom_store *store;
	struct loom_arena *arena; /* as long as the export */
	struct loom_arena *step;  /* of one node */
	struct loom_buf buf;
	struct loom_agent *named; /* everybody, where speakers stand at the head of a line */
	size_t named_count;
	struct loom_buf prose;     /* of a buffer, until the next heading */
	struct loom_agent *agents; /* those who wrote, in the order of their numbers */
	size_t agent_count;
	size_t agent_cap;
	uint64_t done;
	size_t trees;  /* begun so far, for formats that part them */
	bool answered; /* a model has said something in the conversation at hand */
};
/* Writes nothing yet; `what` is borrowed. */
void exporter_init(struct exporter *ex, const struct loom_export *what);
/* Gives what is left to the taker unless `status` is an error, and ends. */
enum loom_status exporter_fini(struct exporter *ex, enum loom_status status,
			       struct loom_err *err) LOOM_MUST;
/* Between two pieces: gives the buffer away when it is full; counts a node; LOOM_CANCELLED. */
enum loom_status export_flow(struct exporter *ex, struct loom_err *err) LOOM_MUST;

/* The author, borrowed until the next call. */
enum loom_status export_author(struct exporter *ex, int64_t agent, const struct loom_agent **out,
			       struct loom_err *err) LOOM_MUST;
/* As the agent was called where it comes from: without the mark that an import puts behind. */
struct loom_str export_name(const struct loom_agent *agent);

/* The whole tree in memory by the node: who stands below whom, without texts. Pruned and excluded
 * ones are there and marked; versions stand beside each other. */
struct export_node {
	int64_t id;
	uint32_t parent; /* + 1, of the member it was written from */
	uint32_t first;
	uint32_t next;
	uint32_t depth;
	bool culled; /* the mark stands on this very node */
	bool pruned; /* or on something above */
	bool aside;  /* an annotation or a source, on no path */
	bool on_path;
};
struct export_tree {
	struct loom_tree row;
	struct export_node *nodes; /* the root first; parents before children */
	size_t count;
};
/* The next node in reading order, children before siblings; pruned branches passed over; 0 behind
 * the last. Begin with 1. */
uint32_t export_next(const struct export_tree *tree, uint32_t number);
/* The same, behind all that hangs on it. */
uint32_t export_past(const struct export_tree *tree, uint32_t number);
/* A node's number; 0 when it is not in the tree. */
uint32_t export_number(const struct export_tree *tree, int64_t id);
/* Its first child, its next sibling: those that are not pruned. */
uint32_t export_child(const struct export_tree *tree, uint32_t number);
uint32_t export_sibling(const struct export_tree *tree, uint32_t number);

/* A node with all its texts, until the next step. */
struct export_text {
	struct loom_node node;
	const struct loom_agent *author;
	char name[LOOM_LOCAL_MAX];
};
enum loom_status export_read(struct exporter *ex, const struct export_tree *tree, int64_t id,
			     struct export_text *out, struct loom_err *err) LOOM_MUST;
/* Its name for ever. */
enum loom_status export_ulid(struct exporter *ex, const struct export_tree *tree, uint32_t number,
			     char out[LOOM_ULID_CHARS + 1], struct loom_err *err) LOOM_MUST;
/* The path to the tip that was asked for; its nodes get `on_path`. */
enum loom_status export_path(struct exporter *ex, const struct export_tree *tree,
			     struct loom_nodes *out, struct loom_err *err) LOOM_MUST;
/* The node at which the reader of the export left the tree; 0 when there is none. */
enum loom_status export_stand(struct exporter *ex, const struct export_tree *tree, uint32_t *out,
			      struct loom_err *err) LOOM_MUST;
/* Runs `put` for every tree. */
typedef enum loom_status export_put(struct exporter *ex, const struct export_tree *tree,
				    struct loom_err *err);
enum loom_status export_each(const struct loom_export *what, export_put *put,
			     struct loom_err *err) LOOM_MUST;
/* Text as XML and HTML have it. */
void export_escape(struct loom_buf *out, struct loom_str text);
/* "user", "assistant" or "system" */
const char *export_role(const struct loom_agent *author);

extern const struct loom_export_format export_json;
extern const struct loom_export_format export_md;
extern const struct loom_export_format export_md_branches;
extern const struct loom_export_format export_txt;
extern const struct loom_export_format export_jsonl;
extern const struct loom_export_format export_pairs;
extern const struct loom_export_format export_html;
extern const struct loom_export_format export_svg;
extern const struct loom_export_format export_dot;
extern const struct loom_export_format export_chatgpt;
extern const struct loom_export_format export_pyloom;

#endif
