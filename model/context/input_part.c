/* Stores what was sent to a model, and restores it byte for byte. Invariant: a piece is stored once
 * under the hash of its body, however often it is sent. */
#include "inside.h"

#include <loom/work/thread_log.h>

/* ---- storing ---- */

/* Writes {"part","role","text"} and what else the message has: everything needed to restore it. */
static enum loom_status put_piece(struct loom_store *store, const struct loom_context_piece *piece,
				  struct loom_hash *out, struct loom_err *err)
{
	struct loom_buf body = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT((size_t)piece->part < LOOM_PARTS);
	loom_json_init(&json, &body);
	loom_json_object(&json);
	loom_json_put(&json, "part", loom_str_of(loom_part_name(piece->part)));
	loom_json_put(&json, "role", loom_str_of(loom_role_name(piece->said.role)));
	loom_json_put(&json, "text", piece->said.text);
	loom_prompt_rest_json(&piece->said, &json);
	loom_json_end_object(&json);
	status = loom_part_put(store, loom_buf_str(&body), out, err);
	loom_buf_fini(&body);
	return status;
}

static void put_shown(const struct loom_assembly *assembly, struct loom_json *json)
{
	if (assembly->shown_before != LOOM_SEQ_NONE)
		loom_json_put_int(json, "shown_before", assembly->shown_before);
	if (!assembly->shown.n)
		return;
	loom_json_key(json, "shown");
	loom_json_raw(json, assembly->shown);
}

enum loom_status loom_input_keep(struct loom_store *store, const struct loom_log *log,
				 const struct loom_input *input,
				 const struct loom_assembly *assembly, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_log_row row = {.at_ms = LOOM_TIME_NONE, .kind = LOOM_STR(LOOM_KIND_INPUT)};
	struct loom_hash *hashes = loom_alloc((assembly->count + 1) * sizeof *hashes);
	struct loom_json json;
	int64_t seq = 0;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(log->ops && assembly);
	loom_json_init(&json, &text);
	loom_json_object(&json);
	loom_json_put(&json, "request_id", input->request);
	loom_json_put(&json, "run_id", input->request);
	loom_json_put_int(&json, "step", input->step);
	loom_json_put_int(&json, "clock", loom_env_now(loom_store_env(store)));
	loom_json_put_int(&json, "budget", assembly->budget);
	put_shown(assembly, &json);
	for (size_t i = 0; i < assembly->count && status == LOOM_OK; i++)
		status = put_piece(store, &assembly->pieces[i], &hashes[i], err);
	if (status == LOOM_OK)
		status = model_input_list_write(log, hashes, assembly->count, &json, err);
	loom_json_end_object(&json);
	row.payload = loom_buf_str(&text);
	if (status == LOOM_OK)
		status = loom_log_append(log, &row, &seq, err);
	loom_buf_fini(&text);
	free(hashes);
	return status;
}

/* ---- reading ---- */

static enum loom_part part_of(struct loom_str word)
{
	for (int part = 0; part < LOOM_PARTS; part++)
		if (loom_str_is(word, loom_part_name((enum loom_part)part)))
			return (enum loom_part)part;
	return LOOM_PART_MESSAGES;
}

static enum loom_status get_piece(struct loom_store *store, const struct loom_hash *hash,
				  struct loom_arena *arena, struct loom_str *out,
				  struct loom_err *err)
{
	enum loom_status status = loom_part_get(store, hash, arena, out, err);

	if (status != LOOM_NOT_FOUND)
		return status;
	loom_fail(err, LOOM_DAMAGED, "a part of what was sent is missing");
	return loom_hint(err, LOOM_DAMAGED, "loom check --deep");
}

/* Shows a damaged piece as it is, and lists it with what was left out. */
static enum loom_status read_piece(struct loom_store *store, const struct loom_hash *hash,
				   struct loom_arena *arena, struct loom_assembly *out,
				   struct loom_err *err)
{
	struct loom_prompt_message said = {.role = LOOM_ROLE_USER};
	struct loom_hash now;
	struct loom_str body;
	enum loom_part part;
	enum loom_status status = get_piece(store, hash, arena, &body, err);

	if (status != LOOM_OK)
		return status;
	part = part_of(loom_jval_text(loom_jval_get(body, "part"), arena));
	now = loom_sha256(body);
	if (!loom_hash_eq(&now, hash))
		model_left_out(out, arena, loom_str_of(loom_part_name(part)),
			       "not left out, but damaged: it is not what was sent (loom check "
			       "--deep)",
			       0);
	said.role = loom_role_named(loom_jval_text(loom_jval_get(body, "role"), arena));
	said.text = loom_jval_text(loom_jval_get(body, "text"), arena);
	loom_prompt_rest_read(body, arena, &said);
	model_message_add(out, arena, part, &said);
	return LOOM_OK;
}

enum loom_status loom_input_read(struct loom_store *store, const struct loom_log *log, int64_t seq,
				 struct loom_arena *arena, struct loom_assembly *out,
				 struct loom_err *err)
{
	struct model_input_list list;
	enum loom_status status = model_input_list_read(log, seq, arena, &list, err);

	LOOM_ASSERT(log->ops && out);
	loom_assembly_init(out, 0);
	if (status != LOOM_OK)
		return status;
	if (list.seq != seq || list.seq == LOOM_SEQ_NONE)
		return loom_fail(err, LOOM_NOT_FOUND, "row %lld has no input", (long long)seq);
	if (list.damaged)
		return loom_fail(err, LOOM_DAMAGED,
				 "the input in row %lld does not say what it consists of",
				 (long long)seq);
	out->budget = list.budget;
	for (size_t i = 0; i < list.count && status == LOOM_OK; i++)
		status = read_piece(store, &list.hashes[i], arena, out, err);
	return status;
}
