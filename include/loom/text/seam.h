/* The seam between a text and what a chat model wrote to continue it: bytes to skip at the start of
 * the answer, blanks to put before it, bytes to cut at its end. The answer itself stays as it came;
 * a text as it is read is the answer with its seam applied. Pure. */
#ifndef LOOM_SEAM_H
#define LOOM_SEAM_H

#include <loom/base/json.h>
#include <loom/base/str.h>

struct loom_seam {
	size_t skip;
	size_t cut;
	struct loom_str put; /* "", " ", "\n" or "\n\n" */
	bool off;            /* there is one, but somebody took it off: empty */
};

/* Returns whether a seam changes anything. */
bool loom_seam_any(const struct loom_seam *seam);
/* Reads the member "seam" of a record of a generation, for the text that it is about; false, with
 * an empty seam, if there is none, or none that fits the text. */
bool loom_seam_of(struct loom_str record, struct loom_str came, struct loom_seam *out);
/* Writes the member "seam". */
void loom_seam_json(const struct loom_seam *seam, struct loom_json *json);
/* Appends a text as it is read. */
void loom_seam_apply(const struct loom_seam *seam, struct loom_str came, struct loom_buf *out);
/* Turns a place in a text as it came into that in the text as it is read, and back; what is not
 * read counts as the nearest place that is. */
size_t loom_seam_to_read(const struct loom_seam *seam, size_t bytes, size_t came);
size_t loom_seam_to_came(const struct loom_seam *seam, size_t bytes, size_t read);

#endif
