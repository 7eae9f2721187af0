/* How long the text is that is read: of a path, of a tree. */
#ifndef LOOM_READING_MEASURE_H
#define LOOM_READING_MEASURE_H

#include <loom/reading/reading.h>
#include <loom/text/sections.h>

struct loom_reading_size {
	int64_t passages; /* nodes that say something */
	struct loom_text_size text;
};
/* Of what is read, each passage once: in a buffer a word that a passage goes on with is counted
 * where it begins. */
enum loom_status loom_reading_measure(struct loom_store *store, const struct loom_reading_of *of,
				      struct loom_reading_size *out,
				      struct loom_err *err) LOOM_MUST;
/* A path's texts as they are read: in a buffer nothing between them, in a dialogue a blank line. */
void loom_reading_join(const struct loom_nodes *path, enum loom_mode mode, struct loom_buf *out);

#endif
