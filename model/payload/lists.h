/* Where the lists are and how they are read, for reading and for editing them. */
#ifndef MODEL_PAYLOAD_LISTS_IMPL_H
#define MODEL_PAYLOAD_LISTS_IMPL_H

#include "inside.h"

struct model_places {
	struct loom_str session; /* empty: there is none */
	struct loom_str session_dir;
	struct loom_str turn; /* its folder's name; when it was named it may not exist */
	struct loom_str files[LOOM_SCOPES];
};

/* Finds session and turn. Everything in the arena is a C string too. */
enum loom_status model_payload_places(const struct loom_payload_place *place,
				      struct loom_arena *arena, struct model_places *out,
				      struct loom_err *err);
/* Whether the session has that turn's folder. */
bool model_payload_has_turn(const struct loom_payload_place *place,
			    const struct model_places *places, struct loom_arena *arena);

/* The next line of a list with its end, from *at on; a byte order mark is passed over. */
bool model_list_next(struct loom_str text, size_t *at, struct loom_str *line);
/* What a line names; false for a comment or an empty one. */
bool model_list_line(struct loom_str line, struct loom_str *out);

#endif
