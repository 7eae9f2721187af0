/* Finds and reads the lists, for the document and for editing. */
#ifndef MODEL_PAYLOAD_LISTS_IMPL_H
#define MODEL_PAYLOAD_LISTS_IMPL_H

#include "inside.h"

struct model_places {
	struct loom_str session; /* empty: none */
	struct loom_str session_dir;
	struct loom_str turn; /* its folder's name; a named turn may not exist */
	struct loom_str files[LOOM_SCOPES];
};

/* Finds session and turn. Everything in the arena is also a C string. */
enum loom_status model_payload_places(const struct loom_payload_place *place,
				      struct loom_arena *arena, struct model_places *out,
				      struct loom_err *err);
/* Returns whether the session has that turn's folder. */
bool model_payload_has_turn(const struct loom_payload_place *place,
			    const struct model_places *places, struct loom_arena *arena);

/* Returns whether a folder's name is that of a turn: "01", "02" … */
bool model_payload_is_turn(struct loom_str name, uint64_t *number);
/* Returns whether a folder of that name may be a session. */
bool model_payload_is_session(struct loom_str name);
/* Takes the lock of all who write below .teddy: one at a time per project. The descriptor to close
 * is in *out, -1 on failure. */
enum loom_status model_payload_lock(const struct loom_payload_place *place, int *out,
				    struct loom_err *err) LOOM_MUST;

/* Reads the next line of a list, with its line end, from *at on; skips a byte order mark. */
bool model_list_next(struct loom_str text, size_t *at, struct loom_str *line);
/* Reads what a line names; false for a comment or an empty line. */
bool model_list_line(struct loom_str line, struct loom_str *out);

#endif
