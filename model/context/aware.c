/* Assembles a loom-aware agent's context from the tree around it and its thread's log. Invariants:
 * the order of parts is fixed; the thread's messages are the projection of its active lane; each
 * unit is in, shortened, or left out by name. Left to others: memory, the block about the loom,
 * pruning. */
#include "inside.h"

#include <loom/text/quoting.h>
#include <loom/tree/job.h>
#include <loom/grove/grant.h>
#include <loom/log/block.h>
#include <loom/log/lifecycle.h>
#include <loom/work/thread.h>
#include <loom/shared/thread_context.h>
#include <loom/work/thread_log.h>

/* Room for "[a7x2] human · 12m ago", a line of connections and the rule: most headers go right
 * before their texts; for the others both are copied. */
#define HEAD_ROOM 80

/* Tells an agent in a spawned thread about its block, after the addendum. */
#define BLOCK_TOLD                                                                                 \
	"The <thread_context> at the beginning of a message lists this thread's files and those "  \
	"it was given; the newest one holds.\n"                                                    \
	"A path in it is the name of a document: → read doc:\"PATH\"\n"                          \
	"You may write what stands directly in it, and anything below this thread's artifacts/ "   \
	"(→ write doc:\"artifacts/NAME\"); what stands in a <ref> is read-only.\n"               \
	"→ read NAME finds what was given: the frozen copy, else the live file."

struct aware {
	struct loom_store *store;
	const struct loom_aware_opts *opts;
	struct loom_arena *arena;
	struct loom_assembly *out;
	struct loom_show show;
	struct loom_tree tree;
	struct loom_thread thread; /* id 0: none */
	struct loom_nodes path;
	struct loom_ties *ties;
	struct loom_buf head; /* of the current node */
	unsigned may;
	struct loom_str prompt;
	struct loom_str system; /* what the log says as the system */
	struct loom_str news;   /* of its files, for this turn */
	struct loom_thread_log *keeper;
	struct loom_log log;
	struct loom_context context; /* of the active lane */
	struct loom_heads *heads;    /* the run's, or own_heads */
	struct loom_heads *own_heads;
	struct model_since since;
	struct model_shown was; /* the memory in the log */
	struct model_shown now;
	struct loom_str done; /* since that memory, a line */
	struct model_memory memory;
	struct model_prune prune;
};

static struct model_unit *add_unit(struct aware *aware)
{
	struct model_prune *prune = &aware->prune;

	prune->units = loom_arena_grow(aware->arena, prune->units, prune->count, &prune->cap,
				       sizeof *prune->units);
	return &prune->units[prune->count++];
}

/* ---- its position ---- */

static enum loom_status read_place(struct aware *aware, struct loom_err *err)
{
	const struct loom_aware_opts *opts = aware->opts;
	int64_t position = opts->position;
	enum loom_status status = LOOM_OK;

	if (opts->thread)
		status = loom_thread_get(aware->store, opts->thread, aware->arena, &aware->thread,
					 err);
	if (status == LOOM_OK)
		status = loom_tree_get(aware->store, opts->tree ? opts->tree : aware->thread.tree,
				       aware->arena, &aware->tree, err);
	if (status == LOOM_OK && !position && aware->thread.id &&
	    aware->thread.tree == aware->tree.id)
		status = loom_thread_stand(aware->store, &aware->thread, &position, err);
	if (status != LOOM_OK)
		return status;
	status = loom_node_path_said(aware->store, position ? position : aware->tree.root,
				     aware->thread.id, HEAD_ROOM, aware->arena, &aware->path, err);
	if (status == LOOM_OK)
		status =
			loom_node_ties(aware->store, &aware->path, aware->arena, &aware->ties, err);
	return status;
}

static enum loom_status read_rights(struct aware *aware, struct loom_err *err)
{
	struct loom_grant grant = {.may = LOOM_MAY_ANYTHING};
	enum loom_status status = LOOM_OK;

	if (aware->opts->agent->kind == LOOM_AGENT_MODEL)
		status = loom_grant_get(aware->store, &aware->opts->agent->ulid, &grant, err);
	else
		grant.given = true;
	aware->may = grant.given ? grant.may : aware->opts->ungranted;
	return status;
}

/* ---- the path ---- */

/* Writes a header as of now; with its rule. */
static enum loom_status write_present(struct aware *aware, const struct loom_node *node,
				      const struct loom_ties *ties, struct loom_buf *out,
				      struct loom_err *err)
{
	int64_t children = node->children;
	enum loom_status status = LOOM_OK;

	loom_buf_clear(out);
	status = loom_show_byline(&aware->show, node, out, err);
	/* A version's own row does not have its group's count. */
	if (status == LOOM_OK && node->group != node->id)
		status = loom_node_count(aware->store, node->group, LOOM_CONTINUATION, &children,
					 err);
	model_ties_add(node, children, ties, out);
	loom_buf_adds(out, MODEL_RULE);
	return status;
}

/* Writes a header as this thread first showed it, otherwise as of now. */
static enum loom_status write_head(struct aware *aware, const struct loom_node *node,
				   const struct loom_ties *ties, struct loom_buf *out,
				   struct loom_err *err)
{
	const struct model_head *kept = model_heads_find(aware->heads, node->id);
	enum loom_status status = LOOM_OK;

	if (kept && !kept->logged) {
		loom_buf_clear(out);
		loom_buf_add(out, kept->text);
		return LOOM_OK;
	}
	status = write_present(aware, node, ties, out, err);
	if (status != LOOM_OK)
		return status;
	if (!kept) {
		/* Only a thread shows them again. */
		if (aware->thread.id || aware->opts->heads)
			model_heads_keep(aware->heads, node->id, loom_buf_str(out));
		return LOOM_OK;
	}
	model_since_add(&aware->since, kept, loom_buf_str(out));
	loom_buf_clear(out);
	loom_buf_add(out, kept->text);
	return LOOM_OK;
}

static struct loom_str set_above(struct loom_str head, const struct loom_node *node,
				 struct loom_arena *arena)
{
	struct loom_buf quoted = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str text = node->text;
	char *whole = NULL;

	LOOM_ASSERT(loom_str_ok(head));
	if (loom_body_any_ours(text, LOOM_BELOW_HEADERS)) {
		loom_buf_add(&quoted, head);
		(void)loom_body_add(&quoted, text, LOOM_BELOW_HEADERS);
		text = loom_arena_buf(arena, &quoted);
		loom_buf_fini(&quoted);
		return text;
	}
	if (node->front && head.n <= HEAD_ROOM) {
		whole = node->front + HEAD_ROOM - head.n;
	} else {
		whole = loom_arena_alloc(arena, head.n + text.n);
		if (text.n)
			memcpy(whole + head.n, text.p, text.n);
	}
	memcpy(whole, head.p, head.n);
	return loom_str_make(whole, head.n + text.n);
}

static enum loom_status add_node(struct aware *aware, enum loom_part part,
				 const struct loom_node *node, const struct loom_ties *ties,
				 struct loom_err *err)
{
	struct loom_buf *head = &aware->head;
	enum loom_status status = write_head(aware, node, ties, head, err);
	struct model_unit *unit = add_unit(aware);

	*unit = (struct model_unit){
		.part = part,
		.said = {.role = node->author == aware->opts->agent->id ? LOOM_ROLE_ASSISTANT
									: LOOM_ROLE_USER,
			 .text = set_above(loom_buf_str(head), node, aware->arena)},
		.head = head->n,
		.of = node,
		.bare = loom_node_bare(node),
	};
	/* The label is the "[a7x2]" of "[a7x2] human · 3m ago". */
	unit->label = loom_str_sub(unit->said.text, 0, loom_str_find_char(unit->said.text, ' ', 0));
	LOOM_ASSERT(unit->head <= unit->said.text.n);
	return status;
}

static enum loom_status leave_out(struct aware *aware, const struct loom_node *node,
				  const char *why, struct loom_err *err)
{
	struct loom_str label;
	enum loom_status status = model_label(&aware->show, node, &label, err);

	if (status == LOOM_OK)
		model_left_out(aware->out, aware->arena, label, why,
			       loom_token_estimate(node->bytes));
	return status;
}

static enum loom_status add_path(struct aware *aware, struct loom_err *err)
{
	struct model_prune *prune = &aware->prune;
	bool hidden = false;
	enum loom_status status = LOOM_OK;

	/* Reserve room for a long path at once: growing by doubling would touch it all twice. */
	prune->cap = aware->path.count + 64;
	prune->units = LOOM_ARENA_ARRAY(aware->arena, prune->cap, struct model_unit);
	LOOM_ASSERT(prune->count == 0);
	if (aware->thread.id)
		model_heads_expect(aware->heads, aware->path.count);
	for (size_t i = 0; i < aware->path.count && status == LOOM_OK; i++) {
		const struct loom_node *node = &aware->path.items[i];
		const char *why = NULL;

		hidden |= node->pruned;
		why = model_node_out(node, hidden);
		status = why ? leave_out(aware, node, why, err)
			     : add_node(aware, LOOM_PART_PATH, node, &aware->ties[i], err);
	}
	return status;
}

/* ---- the thread's own messages ---- */

/* Adds a node that a snapshot refers to instead of repeating it. */
static enum loom_status add_reference(struct aware *aware, const struct loom_entry *entry,
				      struct loom_err *err)
{
	struct loom_str ulid = loom_str_sub(entry->node, 1, entry->node.n - 2);
	struct loom_node *node = LOOM_ARENA_NEW(aware->arena, struct loom_node);
	struct loom_nodes one = {.items = node, .count = 1};
	struct loom_ties *ties = NULL;
	const char *why = NULL;
	int64_t visible = 0;
	enum loom_status status = loom_node_find(aware->store, 0, ulid, aware->arena, node, err);

	LOOM_ASSERT(entry->node.n >= 2);
	if (status == LOOM_NOT_FOUND) {
		model_left_out(aware->out, aware->arena, ulid, "it is no longer there", 0);
		return LOOM_OK;
	}
	if (status == LOOM_OK)
		status = loom_node_get(aware->store, node->id, LOOM_NODE_TEXT | LOOM_NODE_MARKS,
				       aware->arena, node, err);
	if (status == LOOM_OK)
		status = loom_node_visible(aware->store, node->id, &visible, NULL, err);
	if (status == LOOM_OK)
		status = loom_node_ties(aware->store, &one, aware->arena, &ties, err);
	if (status != LOOM_OK)
		return status;
	why = model_node_out(node, visible != node->id);
	return why ? leave_out(aware, node, why, err)
		   : add_node(aware, LOOM_PART_MESSAGES, node, ties, err);
}

/* Others' words are quoted, so that they cannot pass for the loom's; the agent's own stay. What a
 * snapshot says as the system joins the prompt. */
static enum loom_status add_entry(struct aware *aware, const struct loom_entry *entry,
				  struct loom_err *err)
{
	const bool turn = entry->seq >= aware->opts->turn_seq;
	const bool given = loom_str_is(loom_jval_get(entry->refs, LOOM_REF_GIVEN), "true");
	struct loom_prompt_message said;
	int64_t stands_for = 0;
	size_t block = 0;

	(void)loom_jval_int(loom_jval_get(entry->refs, LOOM_REF_SUMMARY), &stands_for);
	if (entry->node.n)
		return add_reference(aware, entry, err);
	loom_entry_message(entry, aware->arena, &said);
	block = loom_block_length(entry, said.text);
	if (!aware->opts->thoughts)
		said.reasoning = loom_str_make(NULL, 0);
	if (said.role != LOOM_ROLE_ASSISTANT)
		loom_prompt_quote(&said, block, given ? LOOM_BELOW_DOCUMENT : LOOM_BELOW_HEADERS,
				  aware->arena);
	if (said.role == LOOM_ROLE_SYSTEM)
		aware->system = model_join_prompts((struct loom_str[]){aware->system, said.text}, 2,
						   aware->arena);
	else if (!loom_prompt_empty(&said))
		*add_unit(aware) = (struct model_unit){
			.part = turn ? LOOM_PART_TURN : LOOM_PART_MESSAGES,
			.fixed = turn,
			.block = block > 0,
			.block_length = block,
			.given = given,
			.stands_for = stands_for > 0 ? stands_for : 0,
			.label = loom_arena_format(aware->arena, "message %lld",
						   (long long)entry->seq),
			.said = said,
		};
	return LOOM_OK;
}

/* Results of the current turn, and those it or the previous turn mentions, between the messages. */
struct results {
	struct aware *aware;
	struct model_refers refers;
	const struct loom_context *context;
	size_t next; /* index of an entry */
	struct loom_err *err;
	enum loom_status status;
};

static void add_entries(struct results *results, int64_t before)
{
	const struct loom_context *context = results->context;

	LOOM_ASSERT(results->next <= context->count);
	while (results->status == LOOM_OK && results->next < context->count &&
	       (context->entries[results->next].seq < before ||
		context->entries[results->next].role == LOOM_ROLE_TOOL))
		results->status =
			add_entry(results->aware, &context->entries[results->next++], results->err);
}

static bool take_result(void *ctx, const struct loom_log_row *row)
{
	struct results *results = ctx;
	struct aware *aware = results->aware;
	const bool turn =
		row->seq > aware->opts->turn_seq && model_row_is_of(row, aware->opts->request);
	struct loom_buf shown = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str text;
	struct loom_str label;
	int64_t number = 0;

	if (!loom_str_is(row->kind, LOOM_KIND_RESULT))
		return true;
	(void)loom_jval_int(loom_jval_get(row->payload, "number"), &number);
	if (!turn && !model_refers_to(&results->refers, number, row->seq))
		return true;
	add_entries(results, row->seq);
	text = loom_jval_text(loom_jval_get(row->payload, "text"), aware->arena);
	label = loom_arena_str(aware->arena,
			       loom_jval_text(loom_jval_get(row->payload, "res"), aware->arena));
	loom_show_result(text, label, &shown);
	if (text.n)
		*add_unit(aware) = (struct model_unit){
			.part = turn ? LOOM_PART_TURN : LOOM_PART_MESSAGES,
			.result = true,
			.own = loom_arena_str(aware->arena,
					      loom_jval_text(loom_jval_get(row->payload, "own"),
							     aware->arena)),
			.label = label,
			.said = {.role = LOOM_ROLE_USER,
				 .text = loom_arena_buf(aware->arena, &shown)},
		};
	loom_buf_fini(&shown);
	return results->status == LOOM_OK;
}

static enum loom_status add_messages(struct aware *aware, const struct loom_log *log,
				     const struct loom_context *context, struct loom_err *err)
{
	struct results results = {.aware = aware, .context = context, .err = err};
	struct loom_log_visitor visitor = {take_result, &results};
	struct loom_log_range range = {.after = aware->opts->turn_seq,
				       .through = aware->opts->at,
				       .kind = LOOM_STR(LOOM_KIND_RESULT)};
	const struct model_listen listen = {.lane = context->lane,
					    .input = aware->opts->input,
					    .turn_seq = aware->opts->turn_seq,
					    .at = aware->opts->at};
	enum loom_status status = LOOM_OK;

	status = model_refers_find(log, &listen, aware->arena, &results.refers, err);
	if (results.refers.count)
		range.after = LOOM_SEQ_NONE;
	if (status == LOOM_OK && (results.refers.count || aware->opts->turn_seq != LOOM_SEQ_HEAD))
		status = log->ops->read(log->ctx, &range, &visitor, err);
	if (status == LOOM_OK)
		add_entries(&results, LOOM_SEQ_HEAD);
	return status == LOOM_OK ? results.status : status;
}

/* A run that began without a block relies on the newest one before it: that stays as long as the
 * run lasts. */
static void keep_block(struct aware *aware)
{
	const struct model_prune *prune = &aware->prune;

	if (aware->opts->turn_seq == LOOM_SEQ_HEAD)
		return;
	for (size_t i = prune->count; i > 0; i--) {
		if (!prune->units[i - 1].block)
			continue;
		prune->units[i - 1].fixed = true;
		return;
	}
}

/* A conversation begins with somebody else, so the agent's own nodes before anybody else's are
 * presented like theirs, with its name above them. */
static void turn_leading(struct aware *aware)
{
	const struct model_prune *prune = &aware->prune;

	for (size_t i = 0; i < prune->count && !prune->memory.n; i++) {
		struct model_unit *unit = &prune->units[i];

		if (unit->state == MODEL_UNIT_OUT)
			continue;
		if (unit->said.role != LOOM_ROLE_ASSISTANT || unit->part != LOOM_PART_PATH)
			return;
		unit->said.role = LOOM_ROLE_USER;
	}
}

/* The creator of an anchor may not have seen everything before it. Reported to whoever looks, not
 * counted again in every turn. */
static enum loom_status note_hidden(struct aware *aware, const struct loom_log *log,
				    const struct loom_context *context, struct loom_err *err)
{
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	if (aware->opts->turn_seq != LOOM_SEQ_HEAD)
		return LOOM_OK;
	status = loom_context_hidden(context, log, &count, err);
	if (count)
		model_left_out(aware->out, aware->arena,
			       loom_arena_format(aware->arena, "%zu %s hidden", count,
						 loom_plural((int64_t)count, "message",
							     "messages")),
			       "the operation in their place was made before them", 0);
	return status;
}

/* Opens the log, and reads the lane's context and what it was shown of it. */
static enum loom_status open_log(struct aware *aware, struct loom_err *err)
{
	struct loom_project_opts opts = {.thread = aware->thread.name,
					 .at = aware->opts->at,
					 .prompt = aware->opts->prompt};
	struct loom_derived derived = {.cursor = LOOM_SEQ_NONE};
	enum loom_status status = LOOM_OK;

	aware->prompt = aware->opts->prompt;
	aware->was.trace = aware->since.shown_at = LOOM_TIME_NONE;
	if (!aware->thread.id)
		return LOOM_OK;
	status = loom_thread_log_open(aware->store, aware->thread.id, NULL, &aware->keeper, err);
	if (status != LOOM_OK)
		return status;
	aware->log = loom_thread_log_face(aware->keeper);
	status = loom_derive(&aware->log, aware->opts->at, aware->arena, &derived, err);
	opts.lane = derived.lane;
	if (status == LOOM_OK)
		status = loom_project(&aware->log, &opts, aware->arena, &aware->context, err);
	if (status != LOOM_OK)
		return status;
	aware->prompt = aware->context.has_prompt ? aware->context.prompt : LOOM_STR("");
	return model_shown_read(&aware->log, aware->context.anchor_seq, aware->opts->at,
				aware->heads, aware->arena, &aware->was, err);
}

static enum loom_status read_log(struct aware *aware, struct loom_err *err)
{
	struct loom_context settled = {.count = 0};
	enum loom_status status = LOOM_OK;

	aware->news = aware->opts->news;
	if (!aware->keeper)
		return LOOM_OK;
	model_settle_calls(&aware->context, aware->out, aware->arena, &settled);
	status = add_messages(aware, &aware->log, &settled, err);
	model_prune_newest(&aware->prune);
	keep_block(aware);
	if (status == LOOM_OK && aware->opts->turn_seq != LOOM_SEQ_HEAD)
		status = model_news_read(&aware->log, aware->opts->turn_seq, aware->opts->at,
					 aware->arena, &aware->news, err);
	return status == LOOM_OK ? note_hidden(aware, &aware->log, &aware->context, err) : status;
}

static void add_turn(struct aware *aware)
{
	const struct loom_aware_opts *opts = aware->opts;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	struct loom_buf input = LOOM_BUF_INIT(LOOM_BUF_MAX);

	(void)loom_body_add(&input, opts->input, LOOM_BELOW_HEADERS);
	if (opts->block.n && !opts->input.p)
		loom_buf_add(&text, opts->block);
	else if (opts->block.n)
		loom_thread_context_message(opts->block, loom_buf_str(&input), &text);
	else
		loom_buf_add(&text, loom_buf_str(&input));
	if (text.n)
		*add_unit(aware) = (struct model_unit){
			.part = LOOM_PART_TURN,
			.fixed = true,
			.said = {.role = LOOM_ROLE_USER,
				 .text = loom_arena_buf(aware->arena, &text)},
		};
	loom_buf_fini(&input);
	loom_buf_fini(&text);
}

/* ---- assembly as a whole ---- */

static void write_system(struct aware *aware)
{
	struct loom_buf addendum = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_buf prompt = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str prompts[6] = {aware->prompt, aware->system};

	(void)loom_body_add(&prompt, aware->tree.system, LOOM_BELOW_HEADERS);
	loom_addendum(aware->may, &addendum);
	prompts[2] = loom_buf_str(&prompt);
	prompts[3] = loom_buf_str(&addendum);
	prompts[4] = LOOM_STR(LOOM_BODY_TOLD);
	if (aware->thread.id && !aware->thread.implicit)
		prompts[5] = LOOM_STR(BLOCK_TOLD);
	aware->prune.system = model_join_prompts(prompts, LOOM_COUNT(prompts), aware->arena);
	loom_buf_fini(&addendum);
	loom_buf_fini(&prompt);
}

/* Returns a hash of what memory keeps, whatever was done. */
static enum loom_status hash_memory(struct aware *aware, struct loom_str *out, struct loom_err *err)
{
	struct loom_buf hex = LOOM_BUF_INIT(128);
	struct loom_assembly scratch;
	struct loom_str text;
	struct loom_hash hash;
	enum loom_status status = LOOM_OK;

	loom_assembly_init(&scratch, 0);
	status = model_memory_write(&aware->show, &aware->memory, &aware->path, MODEL_ACTIONS,
				    &scratch, &text, err);
	if (status != LOOM_OK)
		return status;
	hash = loom_sha256(text);
	loom_hash_hex(&hash, &hex);
	*out = loom_arena_buf(aware->arena, &hex);
	loom_buf_fini(&hex);
	return LOOM_OK;
}

/* The memory block stays as it was while it keeps the same; what was done since is told at the end.
 * The current turn contains what it has done itself. */
static enum loom_status read_memory(struct aware *aware, struct loom_err *err)
{
	const int64_t at =
		aware->opts->turn_seq == LOOM_SEQ_HEAD ? aware->opts->at : aware->opts->turn_seq;
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct model_memory since = {.action_count = 0};
	enum loom_status status = model_memory_read(aware->store, aware->thread.id, aware->arena,
						    &aware->memory, err);

	aware->now = (struct model_shown){.memory = LOOM_STR(""), .trace = at};
	if (status != LOOM_OK || !aware->thread.id)
		return status;
	status = hash_memory(aware, &aware->now.memory, err);
	if (loom_str_eq(aware->now.memory, aware->was.memory) && aware->was.trace < at)
		aware->now.trace = aware->was.trace;
	if (status == LOOM_OK)
		status = model_actions_read(aware->store, aware->thread.id, LOOM_SEQ_NONE,
					    aware->now.trace, aware->arena, &aware->memory, err);
	if (status == LOOM_OK && aware->now.trace < at)
		status = model_actions_read(aware->store, aware->thread.id, aware->now.trace, at,
					    aware->arena, &since, err);
	model_actions_put(&since, &line);
	aware->done = loom_arena_buf(aware->arena, &line);
	loom_buf_fini(&line);
	return status;
}

/* A pinned node of the path stays where it stands, in full. */
static void mark_pins(struct aware *aware)
{
	for (size_t k = 0; k < aware->memory.pin_count; k++)
		for (size_t i = 0; i < aware->prune.count; i++) {
			struct model_unit *unit = &aware->prune.units[i];

			if (aware->memory.pins[k].kind == LOOM_PIN_NODE &&
			    unit->part == LOOM_PART_PATH &&
			    unit->of->id == aware->memory.pins[k].node)
				unit->pinned = true;
		}
}

static enum loom_status write_memory(struct aware *aware, struct loom_err *err)
{
	struct model_prune *prune = &aware->prune;
	struct loom_assembly again;
	enum loom_status status = read_memory(aware, err);

	mark_pins(aware);
	if (status == LOOM_OK)
		status = model_memory_write(&aware->show, &aware->memory, &aware->path,
					    MODEL_ACTIONS, aware->out, &prune->memory, err);
	prune->memory_short = prune->memory;
	if (status != LOOM_OK || aware->memory.action_count <= MODEL_ACTIONS_LESS)
		return status;
	LOOM_ASSERT(aware->memory.action_count > MODEL_ACTIONS_LESS);
	prune->actions_cut = aware->memory.action_count - MODEL_ACTIONS_LESS;
	loom_assembly_init(&again, 0);
	return model_memory_write(&aware->show, &aware->memory, &aware->path, MODEL_ACTIONS_LESS,
				  &again, &prune->memory_short, err);
}

/* Through all calls of a run the line about headers stays as it was. */
static struct loom_str tell_since(struct aware *aware)
{
	const bool run = aware->opts->heads && aware->opts->turn_seq != LOOM_SEQ_HEAD;
	struct loom_str line = model_heads_since(aware->heads);

	if (run && line.p)
		return line;
	line = model_since_line(&aware->since, aware->show.now, aware->arena);
	if (run)
		model_heads_keep_since(aware->heads, line);
	return line;
}

static enum loom_status write_loom(struct aware *aware, struct loom_err *err)
{
	const struct loom_str since = tell_since(aware);
	struct model_loom loom = {.tree = &aware->tree,
				  .path = &aware->path,
				  .opts = aware->opts,
				  .may = aware->may,
				  .lines = loom_arena_format(aware->arena, "%.*s%.*s",
							     LOOM_STR_ARG(since),
							     LOOM_STR_ARG(aware->done))};
	enum loom_status status =
		model_surroundings_write(&aware->show, &loom, &aware->prune.loom, err);

	aware->prune.loom =
		model_join_prompts((struct loom_str[]){loom_news_frame(aware->news, aware->arena),
						       aware->prune.loom},
				   2, aware->arena);
	return status;
}

/* It does not fit because of pinned and recalled texts: names the largest, because only the agent
 * can drop it. If dropping them would not help, everything is given as short as it gets. */
static enum loom_status check_fits(struct aware *aware, struct loom_err *err)
{
	const struct model_memory *memory = &aware->memory;
	const int64_t budget = aware->opts->budget;
	const int64_t cost = model_prune_cost(&aware->prune);

	LOOM_ASSERT(memory->kept_tokens >= 0);
	if (!budget || cost <= budget ||
	    (memory->kept_tokens <= budget && cost - memory->kept_tokens > budget))
		return LOOM_OK;
	loom_fail(err, LOOM_LIMIT,
		  "the context has %lld tokens, %lld of them pinned or recalled, and its budget is "
		  "%lld; the largest is %.*s with %lld",
		  (long long)cost, (long long)memory->kept_tokens, (long long)budget,
		  LOOM_STR_ARG(memory->largest), (long long)memory->largest_tokens);
	return loom_hint(err, LOOM_LIMIT, "→ drop removes a pin or a recalled text");
}

static void put_units(struct aware *aware, enum loom_part part)
{
	LOOM_ASSERT((size_t)part < LOOM_PARTS);
	for (size_t i = 0; i < aware->prune.count; i++) {
		const struct model_unit *unit = &aware->prune.units[i];
		const size_t before = aware->out->count;
		struct loom_prompt_message said;

		if (unit->part != part || unit->state == MODEL_UNIT_OUT)
			continue;
		said = model_unit_said(unit, aware->arena);
		model_message_add(aware->out, aware->arena, part, &said);
		if (unit->of && aware->out->count > before)
			model_whose_add(aware->out, aware->arena,
					(struct loom_whose){.piece = before,
							    .of = unit->of,
							    .bare = unit->bare &&
								    unit->state ==
									    MODEL_UNIT_SHORT});
	}
}

static void put_all(struct aware *aware)
{
	const struct model_prune *prune = &aware->prune;
	const struct loom_str loom[] = {prune->notice, prune->loom};

	LOOM_ASSERT(aware->out->count == 0);
	model_assembly_expect(aware->out, aware->arena, prune->count + 4);
	model_piece_add(aware->out, aware->arena, LOOM_PART_SYSTEM, LOOM_ROLE_SYSTEM,
			prune->system);
	model_piece_add(aware->out, aware->arena, LOOM_PART_MEMORY, LOOM_ROLE_USER,
			prune->trace_cut ? prune->memory_short : prune->memory);
	put_units(aware, LOOM_PART_PATH);
	put_units(aware, LOOM_PART_MESSAGES);
	model_piece_add(aware->out, aware->arena, LOOM_PART_LOOM, LOOM_ROLE_USER,
			model_join_prompts(loom, LOOM_COUNT(loom), aware->arena));
	put_units(aware, LOOM_PART_TURN);
}

static enum loom_status gather(struct aware *aware, struct loom_err *err)
{
	enum loom_status status = loom_show_init(&aware->show, aware->store, aware->arena, err);

	if (aware->opts->now)
		aware->show.now = aware->opts->now;
	if (status == LOOM_OK)
		status = read_place(aware, err);
	if (status == LOOM_OK)
		status = read_rights(aware, err);
	if (status == LOOM_OK)
		status = open_log(aware, err);
	if (status == LOOM_OK)
		status = add_path(aware, err);
	if (status == LOOM_OK)
		status = read_log(aware, err);
	if (status == LOOM_OK)
		status = write_memory(aware, err);
	return status == LOOM_OK ? write_loom(aware, err) : status;
}

enum loom_status loom_assemble_aware(struct loom_store *store, const struct loom_aware_opts *opts,
				     struct loom_arena *arena, struct loom_assembly *out,
				     struct loom_err *err)
{
	struct aware aware = {.store = store,
			      .opts = opts,
			      .arena = arena,
			      .out = out,
			      .head = LOOM_BUF_INIT(4096),
			      .since = {.text = LOOM_BUF_INIT(LOOM_BUF_MAX)},
			      .prune = {.arena = arena, .budget = opts->budget}};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(opts->agent && out);
	loom_assembly_init(out, opts->budget);
	if (!opts->heads)
		aware.own_heads = loom_heads_create();
	aware.heads = opts->heads ? opts->heads : aware.own_heads;
	status = gather(&aware, err);
	if (status == LOOM_OK && aware.thread.id) {
		out->shown_before = aware.was.last;
		out->shown = model_shown_row(aware.heads, &aware.was, &aware.now, arena);
	}
	loom_thread_log_close(aware.keeper);
	loom_heads_destroy(aware.own_heads);
	loom_buf_fini(&aware.head);
	loom_buf_fini(&aware.since.text);
	if (status != LOOM_OK)
		return status;
	write_system(&aware);
	add_turn(&aware);
	model_prune(&aware.prune);
	status = check_fits(&aware, err);
	if (status != LOOM_OK)
		return status;
	model_prune_say(&aware.prune, out);
	turn_leading(&aware);
	put_all(&aware);
	model_given_note(&aware.prune, out);
	return LOOM_OK;
}
