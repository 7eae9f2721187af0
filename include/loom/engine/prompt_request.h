/* From an assembled context to what a generator takes. */
#ifndef LOOM_PROMPT_REQUEST_H
#define LOOM_PROMPT_REQUEST_H

#include <loom/context/context.h>
#include <loom/providers/generate.h>

/* Fills in the request's prompt, its text or its messages with the pieces, as they are. The list is
 * in the arena, the texts are the assembly's. */
void loom_request_take(const struct loom_assembly *from, struct loom_arena *arena,
		       struct loom_generate_request *out);

#endif
