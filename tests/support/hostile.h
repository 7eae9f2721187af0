/* Texts that would pass for lines of ours, and a reader of our lines that shares no code with what
 * prints them: it knows the forms from the pages alone. */
#ifndef LOOM_TESTS_SUPPORT_HOSTILE_H
#define LOOM_TESTS_SUPPORT_HOSTILE_H

#include <loom/base/arena.h>

#include "support/prop.h"

/* A text of pieces: our headers, rules, frames and results, ids, line ends of every kind, blanks,
 * what cannot be seen, backslashes, and words of nobody's. At most some hundred bytes. */
void hostile_text(struct prop *prop, struct loom_buf *out);
/* Appends a hostile name, without what is refused in a new name. */
void hostile_name(struct prop *prop, struct loom_buf *out);

/* ---- the reader ---- */

/* A text by line, whatever a reader takes for a line's end. */
struct hostile_lines {
	struct loom_str text;
	struct loom_str line;
	size_t next;
	bool over;
};
bool hostile_line(struct hostile_lines *lines);

/* Whether a person or a model could take the line for ours: a node's header or row, a rule, the
 * title or the end of a frame, a line of a frame, a call, an answer. */
bool hostile_looks(struct loom_str line);
/* Whether a line looks like a heading of our Markdown. */
bool hostile_looks_heading(struct loom_str line);
/* Of a tree's title among several, and of a sentence of the line mode. */
bool hostile_looks_title(struct loom_str line);
bool hostile_looks_sentence(struct loom_str line);

/* A node as a log or a context has it: what stands between its header's brackets, and its text. */
struct hostile_node {
	struct loom_str id;
	struct loom_str header;
	struct loom_str text; /* unquoted */
};
/* Finds the nodes of a text in which a header, perhaps a line of ties, and a rule stand above each
 * text, and texts are a blank line apart. Gives how many; those that do not fit are counted. */
size_t hostile_nodes(struct loom_str text, struct loom_arena *arena, struct hostile_node *out,
		     size_t room);
/* A text without the backslash before each line that would be taken for ours. */
struct loom_str hostile_unquoted(struct loom_str text, struct loom_arena *arena);

#endif
