/* Turns a context into the request that generators take. Invariant: an assembly has one piece that
 * is the system's, so none replaces another. */

#include <loom/engine/prompt_request.h>

#include <loom/engine/handlers.h>

void loom_request_take(const struct loom_assembly *from, struct loom_arena *arena,
		       struct loom_generate_request *out)
{
	struct loom_prompt_message *messages =
		LOOM_ARENA_ARRAY(arena, from->count, struct loom_prompt_message);
	size_t count = 0;

	out->system = LOOM_STR("");
	out->text = LOOM_STR("");
	for (size_t i = 0; i < from->count; i++) {
		const struct loom_context_piece *piece = &from->pieces[i];

		if (piece->said.role == LOOM_ROLE_SYSTEM)
			out->system = piece->said.text;
		else if (from->joined)
			out->text = piece->said.text;
		else
			messages[count++] = piece->said;
	}
	out->messages = from->joined ? NULL : messages;
	out->message_count = count;
}

enum loom_status engine_prompt(struct loom_store *store, const struct loom_subject_opts *opts,
			       struct loom_arena *arena, struct loom_generate_request *out,
			       struct loom_err *err)
{
	struct loom_buf hex = LOOM_BUF_INIT(128);
	struct loom_assembly assembly;
	struct loom_hash hash;
	enum loom_status status = loom_assemble_subject(store, opts, arena, &assembly, err);

	if (status != LOOM_OK)
		return status;
	loom_request_take(&assembly, arena, out);
	hash = loom_assembly_hash(&assembly);
	loom_hash_hex(&hash, &hex);
	out->input = loom_arena_buf(arena, &hex);
	loom_buf_fini(&hex);
	return LOOM_OK;
}
