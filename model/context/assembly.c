/* A context as a value: its pieces, what was left out, its JSON. Invariants: pieces are in sending
 * order; totals are sums of their tokens. subject_context.c and aware.c decide which pieces there
 * are. */
#include "inside.h"

void loom_piece_title(const struct loom_context_piece *piece, struct loom_buf *out)
{
	loom_buf_addf(out, LOOM_SAYS_PART "%s · %s · ", loom_part_name(piece->part),
		      loom_role_name(piece->said.role));
	loom_show_many(piece->tokens, "token", "tokens", out);
}

void loom_piece_show(const struct loom_context_piece *piece, struct loom_buf *out)
{
	(void)loom_prompt_text(&piece->said, NULL, LOOM_BELOW_PARTS, out);
}

void loom_assembly_init(struct loom_assembly *out, int64_t budget)
{
	*out = (struct loom_assembly){.budget = budget};
}

void model_assembly_expect(struct loom_assembly *out, struct loom_arena *arena, size_t count)
{
	if (out->cap || out->whose_cap)
		return;
	out->cap = out->whose_cap = count;
	out->pieces = LOOM_ARENA_ARRAY(arena, count, struct loom_context_piece);
	out->whose = LOOM_ARENA_ARRAY(arena, count, struct loom_whose);
}

void model_message_add(struct loom_assembly *out, struct loom_arena *arena, enum loom_part part,
		       const struct loom_prompt_message *said)
{
	LOOM_ASSERT((size_t)part < LOOM_PARTS);
	if (loom_prompt_empty(said))
		return;
	out->pieces =
		loom_arena_grow(arena, out->pieces, out->count, &out->cap, sizeof *out->pieces);
	out->pieces[out->count++] = (struct loom_context_piece){
		.part = part,
		.said = *said,
		.tokens = loom_prompt_tokens(said),
	};
	out->total += out->pieces[out->count - 1].tokens;
}

void model_piece_add(struct loom_assembly *out, struct loom_arena *arena, enum loom_part part,
		     enum loom_role role, struct loom_str text)
{
	const struct loom_prompt_message said = {.role = role, .text = text};

	model_message_add(out, arena, part, &said);
}

void model_whose_add(struct loom_assembly *out, struct loom_arena *arena, struct loom_whose whose)
{
	LOOM_ASSERT(!out->whose_count || out->whose[out->whose_count - 1].piece <= whose.piece);
	out->whose = loom_arena_grow(arena, out->whose, out->whose_count, &out->whose_cap,
				     sizeof *out->whose);
	out->whose[out->whose_count++] = whose;
}

/* A text that only looks like a block is quoted, so what begins like one is one. */
static size_t block_length(const struct loom_prompt_message *said)
{
	static const struct loom_str begins = LOOM_STR_INIT(LOOM_SAYS_BLOCK);
	static const struct loom_str ends = LOOM_STR_INIT(LOOM_ENDS_BLOCK);
	const size_t end = said->role == LOOM_ROLE_USER && loom_str_starts(said->text, begins)
				   ? loom_str_find(said->text, ends, 0)
				   : SIZE_MAX;

	return end == SIZE_MAX ? 0 : end + ends.n;
}

struct loom_str loom_assembly_block(const struct loom_assembly *assembly)
{
	for (size_t i = assembly->count; i > 0; i--) {
		const struct loom_prompt_message *said = &assembly->pieces[i - 1].said;
		const size_t length = block_length(said);

		if (length)
			return loom_str_sub(said->text, 0, length);
	}
	return LOOM_STR("");
}

int64_t loom_assembly_node(const struct loom_assembly *assembly, size_t piece, size_t at)
{
	size_t low = 0;
	size_t high = assembly->whose_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct loom_whose *whose = &assembly->whose[middle];

		if (whose->piece < piece || (whose->piece == piece && whose->from <= at))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || assembly->whose[low - 1].piece != piece)
		return 0;
	return assembly->whose[low - 1].of->id;
}

void model_left_out(struct loom_assembly *out, struct loom_arena *arena, struct loom_str what,
		    const char *why, int64_t tokens)
{
	LOOM_ASSERT(why);
	out->left_out = loom_arena_grow(arena, out->left_out, out->left_out_count,
					&out->left_out_cap, sizeof *out->left_out);
	out->left_out[out->left_out_count++] =
		(struct loom_left_out){what, loom_str_of(why), tokens};
}

/* Marks the first line of a piece that begins with a node's header. */
static void mark_header(struct loom_assembly *assembly, struct loom_context_piece *piece,
			struct loom_str name, struct loom_arena *arena)
{
	struct loom_str text = piece->said.text;
	size_t feed = loom_str_find_char(text, '\n', 0);
	struct loom_str header = loom_str_sub(text, 0, feed == SIZE_MAX ? text.n : feed);

	piece->said.text = loom_arena_format(arena, "%.*s · " LOOM_SHOW_DAMAGED "%.*s%.*s",
					     LOOM_STR_ARG(header), LOOM_STR_ARG(name),
					     LOOM_STR_ARG(loom_str_sub(text, header.n, text.n)));
	assembly->total -= piece->tokens;
	piece->tokens = loom_prompt_tokens(&piece->said);
	assembly->total += piece->tokens;
}

static enum loom_status mark_damaged(struct loom_store *store, struct loom_arena *arena,
				     struct loom_assembly *assembly, const struct loom_whose *whose,
				     struct loom_err *err)
{
	struct loom_context_piece *piece = &assembly->pieces[whose->piece];
	char name[LOOM_LOCAL_MAX];
	struct loom_str label;
	enum loom_status status = loom_node_name(store, whose->of, name, err);

	LOOM_ASSERT(whose->piece < assembly->count);
	if (status != LOOM_OK)
		return status;
	label = loom_arena_format(arena, "[%s]", name);
	if (!whose->from && loom_str_starts(piece->said.text, label))
		mark_header(assembly, piece, loom_str_of(name), arena);
	model_left_out(assembly, arena, label,
		       "not left out, but damaged: its text does not match its hash (loom verify)",
		       0);
	return LOOM_OK;
}

enum loom_status loom_assembly_judge(struct loom_store *store, struct loom_arena *arena,
				     struct loom_assembly *assembly, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < assembly->whose_count && status == LOOM_OK; i++)
		if (loom_node_damaged(store, assembly->whose[i].of))
			status = mark_damaged(store, arena, assembly, &assembly->whose[i], err);
	return status;
}

enum loom_status model_label(struct loom_show *show, const struct loom_node *node,
			     struct loom_str *out, struct loom_err *err)
{
	struct loom_buf name = LOOM_BUF_INIT(LOOM_LOCAL_MAX + 2);
	enum loom_status status = LOOM_OK;

	loom_buf_addc(&name, '[');
	status = loom_show_name(show, node, &name, err);
	loom_buf_addc(&name, ']');
	*out = loom_arena_buf(show->arena, &name);
	loom_buf_fini(&name);
	return status;
}

enum loom_role model_role_of(const struct loom_show *show, const struct loom_node *node)
{
	const struct loom_agent *author = loom_show_agent(show, node->author);

	return author && author->kind == LOOM_AGENT_MODEL ? LOOM_ROLE_ASSISTANT : LOOM_ROLE_USER;
}

const char *model_node_out(const struct loom_node *node, bool hidden)
{
	if (hidden || node->pruned)
		return "pruned";
	return node->excluded ? "excluded" : NULL;
}

struct loom_str model_join_prompts(const struct loom_str *prompts, size_t count,
				   struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str joined;

	for (size_t i = 0; i < count; i++) {
		if (!prompts[i].n)
			continue;
		if (text.n)
			loom_buf_adds(&text, "\n\n");
		loom_buf_add(&text, prompts[i]);
	}
	joined = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return joined;
}

/* ---- as text and as JSON ---- */

struct loom_str loom_piece_text(const struct loom_context_piece *piece, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str whole = piece->said.text;

	if (!piece->said.call_count && piece->said.role != LOOM_ROLE_TOOL)
		return whole;
	(void)loom_prompt_text(&piece->said, NULL, 0, &text);
	whole = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return whole;
}

struct loom_str loom_assembly_part(const struct loom_assembly *assembly, enum loom_part part,
				   struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str whole = {NULL, 0};
	size_t pieces = 0;

	for (size_t i = 0; i < assembly->count; i++) {
		if (assembly->pieces[i].part != part)
			continue;
		if (pieces++)
			loom_buf_adds(&text, "\n\n");
		loom_buf_add(&text, loom_piece_text(&assembly->pieces[i], arena));
	}
	if (pieces)
		whole = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return whole;
}

int64_t loom_assembly_part_tokens(const struct loom_assembly *assembly, enum loom_part part)
{
	int64_t tokens = 0;

	for (size_t i = 0; i < assembly->count; i++)
		if (assembly->pieces[i].part == part)
			tokens += assembly->pieces[i].tokens;
	return tokens;
}

static void put_part(const struct loom_assembly *assembly, enum loom_part part,
		     struct loom_json *json)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str text = loom_assembly_part(assembly, part, arena);

	if (text.p) {
		loom_json_object(json);
		loom_json_put(json, "name", loom_str_of(loom_part_name(part)));
		loom_json_put_int(json, "tokens", loom_assembly_part_tokens(assembly, part));
		loom_json_put(json, "text", text);
		loom_json_end_object(json);
	}
	loom_arena_destroy(arena);
}

static void put_left_out(const struct loom_left_out *left_out, struct loom_json *json)
{
	loom_json_object(json);
	loom_json_put(json, "what", left_out->what);
	loom_json_put(json, "why", left_out->why);
	loom_json_put_int(json, "tokens", left_out->tokens);
	loom_json_end_object(json);
}

void loom_assembly_json(const struct loom_assembly *assembly, struct loom_json *json)
{
	loom_json_object(json);
	loom_json_key(json, "parts");
	loom_json_array(json);
	for (int part = 0; part < LOOM_PARTS; part++)
		put_part(assembly, (enum loom_part)part, json);
	loom_json_end_array(json);
	loom_json_key(json, "dropped");
	loom_json_array(json);
	for (size_t i = 0; i < assembly->left_out_count; i++)
		put_left_out(&assembly->left_out[i], json);
	loom_json_end_array(json);
	loom_json_put_int(json, "total", assembly->total);
	loom_json_key(json, "budget");
	if (assembly->budget)
		loom_json_number(json, assembly->budget);
	else
		loom_json_null(json);
	loom_json_end_object(json);
}

void loom_assembly_messages_json(const struct loom_assembly *assembly, struct loom_json *json)
{
	loom_json_array(json);
	for (size_t i = 0; i < assembly->count; i++) {
		loom_json_object(json);
		loom_prompt_json(&assembly->pieces[i].said, json);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

struct loom_hash loom_assembly_hash(const struct loom_assembly *assembly)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;
	struct loom_hash hash;

	loom_json_init(&json, &text);
	loom_assembly_messages_json(assembly, &json);
	loom_buf_addc(&text, '\n');
	hash = loom_sha256(loom_buf_str(&text));
	loom_buf_fini(&text);
	return hash;
}
