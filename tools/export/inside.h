/* Inside the exporters: the output buffer, the nodes of a tree in sequence, authors by number. A
 * format is one row (struct loom_export_format) in its export_<format>.c. */
#ifndef EXPORT_INSIDE_H
#define EXPORT_INSIDE_H

#include <loom/tree/agent.h>
#include <loom/export/export.h>
#include <loom/base/json.h>
#include <loom/reading/reading.h>
#include <loom/text/xhtml.h>
#include <loom/work/thread.h>

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
	int64_t thread; /* whose choice of versions is read, of the tree at hand */
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
/* The model of an author, or a model's name; empty for others. */
struct loom_str export_model(const struct loom_agent *author);

/* A tree, or the requested path, as the export's reader reads it. */
struct export_tree {
	struct loom_tree row;
	struct loom_reading read;
};

/* A node with all its texts, valid until the next one is read. */
struct export_text {
	struct loom_node node;
	const struct loom_agent *author;
	char name[LOOM_LOCAL_MAX];
};
/* Reads a node with all its texts. */
enum loom_status export_read(struct exporter *ex, const struct export_tree *tree, int64_t id,
			     struct export_text *out, struct loom_err *err) LOOM_MUST;
/* Counts a text that does not match its hash; export_read does so itself. */
void export_count_damage(struct exporter *ex, const struct loom_node *node);
/* The ULID of a node. */
enum loom_status export_ulid(struct exporter *ex, const struct export_tree *tree, uint32_t number,
			     char out[LOOM_ULID_CHARS + 1], struct loom_err *err) LOOM_MUST;
/* Finds the reader's own thread in a tree; id 0 if there is none. */
enum loom_status export_thread(struct exporter *ex, int64_t tree, struct loom_thread *out,
			       struct loom_err *err) LOOM_MUST;
/* Finds the node where the reader left the tree; 0 if it is not in the text. */
enum loom_status export_stand(struct exporter *ex, const struct export_tree *tree, uint32_t *out,
			      struct loom_err *err) LOOM_MUST;
/* Finds the first node to write, for formats that can have several roots: an empty root above
 * several branches is left out. */
enum loom_status export_first(struct exporter *ex, const struct export_tree *tree, uint32_t *out,
			      struct loom_err *err) LOOM_MUST;
/* The number of a node's parent; 0 if it has none, or if that is left out. */
uint32_t export_above(const struct export_tree *tree, uint32_t first, uint32_t number);
/* Whether a request for a path limits the tree that is loaded. */
enum export_scope { EXPORT_ASKED, EXPORT_WHOLE };
/* Writes one tree. */
typedef enum loom_status export_put(struct exporter *ex, const struct export_tree *tree,
				    struct loom_err *err);
/* How a format writes its trees. */
struct export_way {
	const struct loom_export_format *format;
	enum export_scope scope;
	export_put *put;
};
enum loom_status export_each(const struct loom_export *what, const struct export_way *way,
			     struct loom_err *err) LOOM_MUST;
/* A path as a book. Its texts live as long as the export. */
struct export_chapter {
	struct loom_str name; /* its heading, or how it begins */
	struct loom_str text; /* Markdown, with the heading */
};
struct export_book {
	struct loom_str title;
	struct loom_str by;
	struct loom_str text; /* of all chapters */
	struct export_chapter *chapters;
	size_t count;
	int level;       /* of the headings that begin chapters; 1 if there are none */
	int64_t changed; /* when the newest text was written, ms */
};
/* Reads a path as a book: the text in chapters, each from a heading of the highest level that
 * occurs more than once. A heading above all others that repeats the tree's title is left out. */
enum loom_status export_book_read(struct exporter *ex, const struct export_tree *tree,
				  struct export_book *out, struct loom_err *err) LOOM_MUST;
/* A path as a book in Markdown. */
export_put export_book_md;
/* A path as a book on one page. */
export_put export_book_html;

/* The role of an agent: "user", "assistant" or "system". */
const char *export_role(const struct loom_agent *author);
/* Puts a message with a role and a text. */
void export_message(struct loom_json *json, const char *role, struct loom_str text);
/* Puts the list of messages from the root to a node, behind the tree's system prompt. Notes in
 * ex->answered whether a model says something. */
enum loom_status export_messages(struct exporter *ex, const struct export_tree *tree,
				 struct loom_json *json, uint32_t tip, struct loom_err *err);
/* The numbers of the nodes from the root to a node; free them with free. */
size_t export_path_to(const struct export_tree *tree, uint32_t number, uint32_t **out);

/* The formats, in the order they are listed. */
#define EXPORT_FORMATS(FORMAT)                                                                     \
	FORMAT(json)                                                                               \
	FORMAT(md)                                                                                 \
	FORMAT(md_branches)                                                                        \
	FORMAT(txt)                                                                                \
	FORMAT(jsonl)                                                                              \
	FORMAT(pairs)                                                                              \
	FORMAT(html)                                                                               \
	FORMAT(epub)                                                                               \
	FORMAT(svg)                                                                                \
	FORMAT(dot)                                                                                \
	FORMAT(chatgpt)                                                                            \
	FORMAT(pyloom)                                                                             \
	FORMAT(loomsidian)                                                                         \
	FORMAT(exoloom)                                                                            \
	FORMAT(tapestry)                                                                           \
	FORMAT(inspect)
#define FORMAT(name) extern const struct loom_export_format export_##name;
EXPORT_FORMATS(FORMAT)
#undef FORMAT

#endif
