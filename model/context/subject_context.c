/* Assembles a subject's context: a path by author, or a buffer's text. Invariants: a buffer is
 * joined byte for byte; a dialogue's texts are in or out as a whole; every node of the path and
 * every extra source is in, or left out by name. Left to others: what fits (budget.c), the agent's
 * prompt. */
#include "inside.h"

struct subject {
	const struct loom_subject_opts *opts;
	struct loom_show show;
	struct loom_arena *arena;
	struct loom_assembly *out;
	struct loom_tree tree;
	struct loom_nodes path;
	struct loom_path_source *sources;
	size_t source_count;
	/* The texts to fit, and their nodes. */
	struct loom_fit *fits;
	const struct loom_node **nodes;
	size_t count;
};

static enum loom_status read_subject(struct subject *subject, struct loom_store *store,
				     struct loom_err *err)
{
	enum loom_status status = loom_show_init(&subject->show, store, subject->arena, err);

	if (status == LOOM_OK)
		status = loom_node_path_said(store, subject->opts->tip, subject->opts->thread, 0,
					     subject->arena, &subject->path, err);
	if (status == LOOM_OK)
		status = loom_tree_get(store, subject->path.items[0].tree, subject->arena,
				       &subject->tree, err);
	if (status == LOOM_OK)
		status = loom_node_path_sources(store, &subject->path, subject->arena,
						&subject->sources, &subject->source_count, err);
	return status;
}

static enum loom_status leave_out(struct subject *subject, const struct loom_node *node,
				  const char *why, struct loom_err *err)
{
	struct loom_str label;
	enum loom_status status = model_label(&subject->show, node, &label, err);

	if (status == LOOM_OK)
		model_left_out(subject->out, subject->arena, label, why,
			       loom_token_estimate(node->bytes));
	return status;
}

/* ---- collecting texts ---- */

static enum loom_status take(struct subject *subject, const struct loom_node *node, bool hidden,
			     struct loom_err *err)
{
	const char *why = model_node_out(node, hidden);

	LOOM_ASSERT(node && subject->fits);
	if (why)
		return leave_out(subject, node, why, err);
	subject->nodes[subject->count] = node;
	subject->fits[subject->count++] =
		(struct loom_fit){.role = model_role_of(&subject->show, node), .text = node->text};
	return LOOM_OK;
}

/* Returns whether a source of the path's node `at` has not been seen on an earlier edge. */
static bool is_fresh(const struct subject *subject, size_t source)
{
	LOOM_ASSERT(source < subject->source_count);
	for (size_t i = 0; i < source; i++)
		if (subject->sources[i].node.id == subject->sources[source].node.id)
			return false;
	return true;
}

static enum loom_status take_sources(struct subject *subject, size_t *source, size_t at,
				     bool hidden, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(*source <= subject->source_count);
	for (; *source < subject->source_count && subject->sources[*source].at <= at; ++*source) {
		const struct loom_node *node = &subject->sources[*source].node;

		if (status != LOOM_OK || node->kind != LOOM_CONTEXT_SOURCE ||
		    !is_fresh(subject, *source))
			continue;
		status = subject->tree.mode == LOOM_BUFFER
				 ? leave_out(subject, node, "a buffer is only its path", err)
				 : take(subject, node, hidden, err);
	}
	return status;
}

static enum loom_status take_path(struct subject *subject, struct loom_err *err)
{
	const size_t most = subject->path.count + subject->source_count + 1;
	size_t source = 0;
	bool hidden = false;
	enum loom_status status = LOOM_OK;

	subject->fits = LOOM_ARENA_ARRAY(subject->arena, most, struct loom_fit);
	subject->nodes = LOOM_ARENA_ARRAY(subject->arena, most, const struct loom_node *);
	for (size_t i = 0; i < subject->path.count && status == LOOM_OK; i++) {
		hidden |= subject->path.items[i].pruned;
		status = take_sources(subject, &source, i, hidden, err);
		if (status == LOOM_OK)
			status = take(subject, &subject->path.items[i], hidden, err);
	}
	if (subject->opts->working.n)
		subject->fits[subject->count++] =
			(struct loom_fit){.role = LOOM_ROLE_USER, .text = subject->opts->working};
	LOOM_ASSERT(subject->count <= most);
	return status;
}

/* ---- the prompt ---- */

static enum loom_status add_system(struct subject *subject, struct loom_err *err)
{
	struct loom_str *prompts =
		LOOM_ARENA_ARRAY(subject->arena, subject->source_count + 2, struct loom_str);
	const bool silent = subject->tree.mode == LOOM_BUFFER && !subject->tree.system.n;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	if (subject->tree.mode == LOOM_DIALOGUE)
		prompts[count++] = subject->opts->prompt;
	prompts[count++] = subject->tree.system;
	for (size_t i = 0; i < subject->source_count && status == LOOM_OK; i++) {
		const struct loom_node *node = &subject->sources[i].node;
		const char *why = model_node_out(node, false);

		if (node->kind != LOOM_INSTRUCTION_SOURCE || !is_fresh(subject, i))
			continue;
		if (!why && silent)
			why = "the buffer has no system prompt";
		if (why)
			status = leave_out(subject, node, why, err);
		else
			prompts[count++] = node->text;
	}
	LOOM_ASSERT(count <= subject->source_count + 2);
	model_piece_add(subject->out, subject->arena, LOOM_PART_SYSTEM, LOOM_ROLE_SYSTEM,
			model_join_prompts(prompts, count, subject->arena));
	return status;
}

/* ---- a conversation ---- */

/* Returns what the path may cost besides the prompt. */
static int64_t room(const struct subject *subject)
{
	int64_t left = subject->opts->budget - subject->out->total;

	if (!subject->opts->budget)
		return INT64_MAX;
	return left > 0 ? left : 1;
}

/* Names a text that is left out. */
static enum loom_status name_fit(struct subject *subject, size_t at, struct loom_str *out,
				 struct loom_err *err)
{
	LOOM_ASSERT(at < subject->count);
	*out = LOOM_STR("working text");
	return subject->nodes[at] ? model_label(&subject->show, subject->nodes[at], out, err)
				  : LOOM_OK;
}

static enum loom_status say_cut(struct subject *subject, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < subject->count && status == LOOM_OK; i++) {
		struct loom_str label;

		if (!subject->fits[i].out)
			continue;
		status = name_fit(subject, i, &label, err);
		if (status == LOOM_OK)
			model_left_out(subject->out, subject->arena, label, "over the budget",
				       loom_token_estimate(subject->fits[i].text.n));
	}
	return status;
}

/* Records whose texts are in the pieces after the first `piece`; they are in order. */
static void say_whose(struct subject *subject, size_t piece)
{
	struct loom_assembly *out = subject->out;
	size_t at = 0;

	LOOM_ASSERT(piece <= out->count);
	for (size_t i = 0; i < subject->count; i++) {
		const struct loom_fit *fit = &subject->fits[i];
		size_t found = SIZE_MAX;

		if (fit->out || !fit->text.n)
			continue;
		for (; piece < out->count; piece++, at = 0) {
			const struct loom_str text = out->pieces[piece].said.text;
			/* usually it is right here */
			const bool here =
				loom_str_starts(loom_str_sub(text, at, text.n), fit->text);

			found = here ? at : loom_str_find(text, fit->text, at);
			if (found != SIZE_MAX)
				break;
		}
		if (found == SIZE_MAX)
			return;
		if (subject->nodes[i])
			model_whose_add(out, subject->arena,
					(struct loom_whose){piece, found, subject->nodes[i],
							    false});
		at = found + fit->text.n;
	}
}

static enum loom_status add_dialogue(struct subject *subject, enum loom_strategy strategy,
				     struct loom_err *err)
{
	struct loom_fit *joined = NULL;
	struct loom_str marker;
	const size_t before = subject->out->count;
	size_t count = 0;
	enum loom_status status = loom_fit_choose(subject->fits, subject->count, strategy,
						  room(subject), subject->arena, &marker, err);

	if (status == LOOM_OK)
		status = say_cut(subject, err);
	if (status != LOOM_OK)
		return status;
	loom_fit_join(subject->fits, subject->count, marker, subject->arena, &joined, &count);
	for (size_t i = 0; i < count; i++)
		model_piece_add(subject->out, subject->arena, LOOM_PART_PATH, joined[i].role,
				joined[i].text);
	say_whose(subject, before);
	subject->out->framed = count && joined[0].role == LOOM_ROLE_ASSISTANT;
	return LOOM_OK;
}

/* ---- a buffer ---- */

/* Lists what the window cut: whole texts, and the one it cuts through. */
static enum loom_status say_window(struct subject *subject, size_t cut, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;
	size_t at = 0;

	for (size_t i = 0; i < subject->count && at < cut && status == LOOM_OK; i++) {
		const size_t n = subject->fits[i].text.n;
		const bool whole = at + n <= cut;
		struct loom_str label;

		status = name_fit(subject, i, &label, err);
		if (status == LOOM_OK && n)
			model_left_out(subject->out, subject->arena, label,
				       whole ? "over the budget"
					     : "its beginning is over the budget",
				       loom_token_estimate(whole ? n : cut - at));
		at += n;
	}
	return status;
}

static struct loom_str join_path(const struct subject *subject)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str joined;

	for (size_t i = 0; i < subject->count; i++)
		loom_buf_add(&text, subject->fits[i].text);
	joined = loom_arena_buf(subject->arena, &text);
	loom_buf_fini(&text);
	return joined;
}

/* Records, before the joined piece is added, where each node's text begins in it. */
static void say_whose_joined(struct subject *subject, size_t cut)
{
	size_t at = 0;

	for (size_t i = 0; i < subject->count; i++) {
		const size_t n = subject->fits[i].text.n;

		if (subject->nodes[i] && n && at + n > cut)
			model_whose_add(subject->out, subject->arena,
					(struct loom_whose){subject->out->count,
							    at > cut ? at - cut : 0,
							    subject->nodes[i], false});
		at += n;
	}
}

/* The window is over the text, not the nodes, so a word that two nodes share is not split. */
static enum loom_status add_buffer(struct subject *subject, enum loom_strategy strategy,
				   struct loom_err *err)
{
	struct loom_str whole = join_path(subject);
	struct loom_str end = loom_fit_end(whole, room(subject));
	struct loom_fit all = {.text = whole};
	struct loom_str marker;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(end.n <= whole.n);
	if (strategy == LOOM_STOP_AT_LIMIT)
		status = loom_fit_choose(&all, 1, strategy, room(subject), subject->arena, &marker,
					 err);
	if (status == LOOM_OK)
		status = say_window(subject, whole.n - end.n, err);
	if (status != LOOM_OK)
		return status;
	subject->out->joined = true;
	say_whose_joined(subject, whole.n - end.n);
	model_piece_add(subject->out, subject->arena, LOOM_PART_PATH, LOOM_ROLE_USER, end);
	return LOOM_OK;
}

enum loom_status loom_assemble_subject(struct loom_store *store,
				       const struct loom_subject_opts *opts,
				       struct loom_arena *arena, struct loom_assembly *out,
				       struct loom_err *err)
{
	struct subject subject = {.opts = opts, .arena = arena, .out = out};
	enum loom_strategy strategy = opts->strategy;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(opts && out);
	loom_assembly_init(out, opts->budget);
	status = read_subject(&subject, store, err);
	if (status == LOOM_OK)
		status = add_system(&subject, err);
	if (status == LOOM_OK)
		status = take_path(&subject, err);
	if (status != LOOM_OK)
		return status;
	if (subject.tree.mode == LOOM_BUFFER)
		return add_buffer(&subject, strategy, err);
	return add_dialogue(&subject, strategy ? strategy : LOOM_TRUNCATE_MIDDLE, err);
}
