/* The textual forms of things in a grove, shared by results, screens and the command line.
 * Everything appends to a buffer. Names, titles, labels and summaries stay on their line, whatever
 * they contain (sanitise.h); node texts are not made safe for a terminal here. */
#ifndef LOOM_SHOW_H
#define LOOM_SHOW_H

#include <loom/tree/agent.h>
#include <loom/base/json.h>
#include <loom/text/tokens.h>
#include <loom/tree/document.h>
#include <loom/tree/node.h>

/* Added to the header of a text that does not match its hash, followed by the node's name. */
#define LOOM_SHOW_DAMAGED "damaged, see loom verify "

/* A viewer: one connection, one moment, one arena. */
struct loom_show {
	struct loom_store *store;
	struct loom_arena *arena; /* receives what is read */
	int64_t now;
	bool local;     /* dates in local time; else UTC */
	int64_t reader; /* the person who is called "you"; 0: nobody, as in contexts */
	const struct loom_agent *agents;
	size_t agent_count;
	struct loom_str *
		*marks; /* marks of deceptive names; computed when a person is first shown one */
	int64_t of_kind[4]; /* number of agents of each enum loom_author_type */
	int64_t key_tree;   /* the tree whose key is cached */
	uint64_t key;
};

/* Reads the agents into `arena`, which also receives everything read later. */
enum loom_status loom_show_init(struct loom_show *show, struct loom_store *store,
				struct loom_arena *arena, struct loom_err *err) LOOM_MUST;

/* Returns what kind of author an agent is. */
enum loom_author_type loom_author_type(const struct loom_agent *agent);
/* Returns who continues a tree that names nobody: the first subject that a person added, otherwise
 * the embedded model, otherwise one that came with a text; never agent number `but`. NULL if there
 * is nobody. */
const struct loom_agent *loom_subject_default(const struct loom_agent *agents, size_t count,
					      int64_t but);
/* Returns an agent by row number; NULL if no visible agent has it. */
const struct loom_agent *loom_show_agent(const struct loom_show *show, int64_t agent);
/* Appends a call's line and result, with the result's id ("res-3") on a line between them. */
void loom_show_result(struct loom_str text, struct loom_str id, struct loom_buf *out);
/* Appends the origin of a claim: "said to be Anna, from f.json". */
void loom_show_claim(const struct loom_agent *agent, struct loom_buf *out);
/* Writes a claim's origin as a JSON member, "claim":{"name","from","why"}; nothing for an agent of
 * this grove. */
void loom_show_put_claim(struct loom_json *json, const struct loom_agent *agent);
/* Appends an author: for a claim what loom_show_claim writes; otherwise `human`, `model` or
 * `collaborator`, with the name if the grove has several of that kind: `model "GPT-4o"`. In a
 * node's header a collaborator is a model. People also see deceptive names marked: `model "Сlaude"
 * (looks like Claude)`. */
void loom_show_author(const struct loom_show *show, int64_t agent, bool header,
		      struct loom_buf *out);
/* Appends an age: "3m ago". */
void loom_show_ago(const struct loom_show *show, int64_t then, struct loom_buf *out);
/* Appends a count with its noun: "3 continuations", "1,312 words". */
void loom_show_many(int64_t count, const char *one, const char *many, struct loom_buf *out);
/* Appends a node's local id: "a7x2'". */
enum loom_status loom_show_name(struct loom_show *show, const struct loom_node *node,
				struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* Appends the local id of a node given by row number. */
enum loom_status loom_show_name_of(struct loom_show *show, int64_t node, struct loom_buf *out,
				   struct loom_err *err) LOOM_MUST;
/* Appends a byline: [a7x2] human · 3m ago */
enum loom_status loom_show_byline(struct loom_show *show, const struct loom_node *node,
				  struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* Appends a header: [a7x2] human · 3m ago · depth:7, and a warning if the text is damaged. */
enum loom_status loom_show_header(struct loom_show *show, const struct loom_node *node,
				  struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* Appends counts: 3 continuations · 1 annotation · 1 link · bookmarked; nothing if there are none.
 * The node must have been read with LOOM_NODE_MARKS. */
enum loom_status loom_show_counts(struct loom_show *show, const struct loom_node *node,
				  struct loom_buf *out, struct loom_err *err) LOOM_MUST;

/* Appends the first sentence, at most 30 words on one line, with "..." if it was cut. */
void loom_show_sentence(struct loom_str text, struct loom_buf *out);
/* Appends the stored summary, otherwise the first sentence, on one line; the node must have been
 * read with text and marks. */
void loom_show_summary(const struct loom_node *node, struct loom_buf *out);
/* Appends what loom_show_summary does, in quotes. */
void loom_show_quoted(const struct loom_node *node, struct loom_buf *out);

/* Appends a tree's title as tree:"Marie". */
void loom_show_tree(struct loom_str title, struct loom_buf *out);
/* Appends what makes a displayed document doubtful, each behind a dot: an author that only a file
 * names, a text that does not match its hash. */
void loom_show_doc_doubts(const struct loom_doc *doc, struct loom_buf *out);
/* Appends a document's name as doc:"character notes", with §section if given. */
void loom_show_doc(struct loom_str name, struct loom_str section, struct loom_buf *out);
/* Appends "✗ NOT_FOUND: …" and, if there is a hint, "  hint: …" on the next line, without a final
 * line feed. */
void loom_show_err(const struct loom_err *err, struct loom_buf *out);

/* Appends the texts of the path root → `tip`, byte for byte, with ︱ between two nodes, or ︱› if a
 * model wrote the second. */
enum loom_status loom_show_prose(struct loom_show *show, int64_t tip, int64_t thread,
				 struct loom_buf *out, struct loom_err *err) LOOM_MUST;

#endif
