/* Ids as people and models write them. */
#ifndef LOOM_CALL_ID_H
#define LOOM_CALL_ID_H

#include <loom/base/arena.h>
#include <loom/base/str.h>

/* Reads an id in any of its spellings ([a7x2], #a7x2, A7X2, a7x2.2, a7x2’) into canonical form;
 * false when it is none. */
bool lang_id_read(struct loom_arena *arena, struct loom_str text, struct loom_str *out);

#endif
