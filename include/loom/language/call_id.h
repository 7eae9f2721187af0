/* Ids as people and models write them. */
#ifndef LOOM_CALL_ID_H
#define LOOM_CALL_ID_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

/* Reads an id in any spelling ([a7x2], #a7x2, A7X2, a7x2.2, a7x2’) and puts its canonical form into
 * *out, in the arena. Returns false when the text is not an id. Does not check that the node
 * exists. */
bool lang_id_read(struct loom_arena *arena, struct loom_str text, struct loom_str *out);
/* Reads an id, or a word for a place that the engine resolves (here, this, parent, root, last);
 * *out is then that word. Returns false when the text is neither. */
bool lang_node_read(struct loom_arena *arena, struct loom_str text, struct loom_str *out);

#endif
