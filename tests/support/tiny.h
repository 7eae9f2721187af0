/* A very small language model that is a real one: a transformer of the Llama kind, read from a
 * checkpoint of plain floats and its vocabulary. Its logits are its own, so that what is drawn,
 * told and stored can be judged as with a large one.
 *
 * The checkpoint: seven ints (width, hidden width, layers, heads, key heads, vocabulary, window),
 * then the tensors as float32, matrices row by row. A negative vocabulary says that the last
 * matrix stands apart from the embedding. */
#ifndef LOOM_TESTS_SUPPORT_TINY_H
#define LOOM_TESTS_SUPPORT_TINY_H

#include <loom/base/str.h>

enum { TINY_BEGIN = 1, TINY_END = 2 };

struct tiny;
struct tiny_run;

/* Reads both files; NULL when one is missing or does not fit what it says of itself. */
struct tiny *tiny_open(const char *model, const char *vocabulary);
void tiny_close(struct tiny *tiny);
int tiny_window(const struct tiny *tiny);
int tiny_words(const struct tiny *tiny); /* the size of the vocabulary */

/* The tokens of a text behind TINY_BEGIN, at most max of them; returns how many there are. */
size_t tiny_split(const struct tiny *tiny, struct loom_str text, int *out, size_t max);
/* The bytes of a token, perhaps half of a character. Borrowed from `tiny`. */
struct loom_str tiny_piece(const struct tiny *tiny, int token);

/* A reading of its own, with all that it has read. */
struct tiny_run *tiny_run_create(const struct tiny *tiny);
void tiny_run_destroy(struct tiny_run *run);
/* Reads one token more, no more than the window holds: the logits of what follows, borrowed until
 * the next call. */
float *tiny_step(struct tiny_run *run, int token);

#endif
