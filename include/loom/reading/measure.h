/* The length of the text of a path or a tree, and how the texts of a path are joined. */
#ifndef LOOM_READING_MEASURE_H
#define LOOM_READING_MEASURE_H

#include <loom/reading/reading.h>
#include <loom/text/sections.h>

struct loom_reading_size {
	int64_t passages; /* nodes with text */
	struct loom_text_size text;
};
/* Measures what is read, each passage once. In a buffer, a word that continues in the next passage
 * counts where it begins. */
enum loom_status loom_reading_measure(struct loom_store *store, const struct loom_reading_of *of,
				      struct loom_reading_size *out,
				      struct loom_err *err) LOOM_MUST;
/* The tree and the author that a session of writing is measured for. */
struct loom_session_of {
	int64_t tree;
	int64_t author;
};
/* Measures what an author has written in a tree in the session that still goes on; a session ends
 * with an hour without a new text. A version counts by how much longer it is than the text it
 * changes, so words can be fewer than none. Only the newest texts of the grove are looked at. */
enum loom_status loom_reading_session(struct loom_store *store, const struct loom_session_of *of,
				      struct loom_text_size *out, struct loom_err *err) LOOM_MUST;
/* Joins the texts of a path as they read: without a break in a buffer, with a blank line between
 * turns in a dialogue. */
void loom_reading_join(const struct loom_nodes *path, enum loom_mode mode, struct loom_buf *out);

#endif
