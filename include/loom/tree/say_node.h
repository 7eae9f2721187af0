/* The forms in which text shows things of a grove: what results, screens and the command line have
 * in common. Everything appends to a buffer. Names, titles, labels and summaries stay on their
 * line, whatever they hold (sanitise.h); texts of nodes are not made safe for a terminal here. */
#ifndef LOOM_SHOW_H
#define LOOM_SHOW_H

#include <loom/tree/agent.h>
#include <loom/base/json.h>
#include <loom/text/tokens.h>
#include <loom/tree/document.h>
#include <loom/tree/node.h>

/* What stands in the header of a text that does not fit its hash, the node's name behind it. */
#define LOOM_SHOW_DAMAGED "damaged, see loom verify "

/* Through whose eyes: one connection, one moment, one arena. */
struct loom_show {
	struct loom_store *store;
	struct loom_arena *arena; /* what is read lands here */
	int64_t now;
	bool local; /* dates of the reader's own clock; else UTC */
	const struct loom_agent *agents;
	size_t agent_count;
	struct loom_str **marks; /* why a name deceives; found when a person is shown one */
	int64_t of_kind[4];      /* how many agents of each enum loom_author_type */
	int64_t key_tree;        /* whose key is at hand */
	uint64_t key;
};

/* Reads the agents into a copy of its own in `arena`, which also takes what is read later. */
enum loom_status loom_show_init(struct loom_show *show, struct loom_store *store,
				struct loom_arena *arena, struct loom_err *err) LOOM_MUST;

/* What an agent's nodes are by. */
enum loom_author_type loom_author_type(const struct loom_agent *agent);
/* Who continues in a tree that names nobody: the first subject that somebody added, else the
 * embedded model, else one that came with a text; never agent number `but`. NULL: nobody. */
const struct loom_agent *loom_subject_default(const struct loom_agent *agents, size_t count,
					      int64_t but);
/* NULL for a number that no visible agent has. */
const struct loom_agent *loom_show_agent(const struct loom_show *show, int64_t agent);
/* "said to be Anna, from f.json" */
void loom_show_claim(const struct loom_agent *agent, struct loom_buf *out);
/* The same as a member, "claim":{"name","from","why"}; nothing for an agent of this grove. */
void loom_show_put_claim(struct loom_json *json, const struct loom_agent *agent);
/* What loom_show_claim says of a claim; else `human`, `model`, `collaborator`; with the name when
 * the grove has several of the kind: `model "GPT-4o"`. In the header of a node a collaborator is a
 * model. A person is told of a name that deceives: `model "Сlaude" (looks like Claude)`. */
void loom_show_author(const struct loom_show *show, int64_t agent, bool header,
		      struct loom_buf *out);
/* "3m ago" */
void loom_show_ago(const struct loom_show *show, int64_t then, struct loom_buf *out);
/* "3 continuations", "1,312 words" */
void loom_show_many(int64_t count, const char *one, const char *many, struct loom_buf *out);
/* "a7x2'" */
enum loom_status loom_show_name(struct loom_show *show, const struct loom_node *node,
				struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* The same for a node by number. */
enum loom_status loom_show_name_of(struct loom_show *show, int64_t node, struct loom_buf *out,
				   struct loom_err *err) LOOM_MUST;
/* [a7x2] human · 3m ago */
enum loom_status loom_show_byline(struct loom_show *show, const struct loom_node *node,
				  struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* The same with its depth: [a7x2] human · 3m ago · depth:7, and a word when its text is damaged. */
enum loom_status loom_show_header(struct loom_show *show, const struct loom_node *node,
				  struct loom_buf *out, struct loom_err *err) LOOM_MUST;
/* 3 continuations · 1 annotation · 1 link · bookmarked; nothing when there is nothing. The node
 * was read with LOOM_NODE_MARKS. */
enum loom_status loom_show_counts(struct loom_show *show, const struct loom_node *node,
				  struct loom_buf *out, struct loom_err *err) LOOM_MUST;

/* The first sentence, at most 30 words on one line, "..." behind what was cut. */
void loom_show_sentence(struct loom_str text, struct loom_buf *out);
/* The stored summary, else the first sentence, on one line; the node was read with its text and
 * marks. */
void loom_show_summary(const struct loom_node *node, struct loom_buf *out);
/* The same in quotes. */
void loom_show_quoted(const struct loom_node *node, struct loom_buf *out);

/* tree:"Marie" */
void loom_show_tree(struct loom_str title, struct loom_buf *out);
/* doc:"character notes", with §section when there is one. */
/* What is to be said of a document that is shown, behind a dot each: that only a file says who
 * wrote it, that its text does not fit its hash. */
void loom_show_doc_doubts(const struct loom_doc *doc, struct loom_buf *out);
void loom_show_doc(struct loom_str name, struct loom_str section, struct loom_buf *out);
/* "✗ NOT_FOUND: …" and, when there is one, "  hint: …" on the next line; no line feed behind. */
void loom_show_err(const struct loom_err *err, struct loom_buf *out);

/* The texts of the path root → `tip`, joined byte for byte; where one node ends and the next begins
 * stands ︱, or ︱› when a model wrote what follows. */
enum loom_status loom_show_prose(struct loom_show *show, int64_t tip, int64_t thread,
				 struct loom_buf *out, struct loom_err *err) LOOM_MUST;

#endif
