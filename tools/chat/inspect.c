/* Answers what a model would be given, or was given, for everything that shows it. Invariants: what
 * was sent is shown as it was sent; what is rebuilt says so and leaves out who was there. Writes
 * nothing. The callers resolve names, check permissions and provide the voice. */
#include <loom/chat/inspect.h>

#include <loom/tree/say_node.h>
#include <loom/work/thread.h>
#include <loom/work/thread_log.h>

#include <loom/engine/told.h>

/* ---- the log around a row ---- */

struct found {
	struct loom_arena *arena;
	struct loom_str kind;
	struct loom_log_row row;
	bool any;
};

static bool take_row(void *ctx, const struct loom_log_row *row)
{
	struct found *found = ctx;

	if (!loom_str_eq(row->kind, found->kind))
		return true;
	found->any = true;
	found->row = *row;
	found->row.payload = loom_arena_str(found->arena, row->payload);
	return false;
}

/* Finds the first row of a kind in a range. */
static enum loom_status find_row(const struct loom_log *log, const struct loom_log_range *range,
				 struct loom_arena *arena, struct found *out, struct loom_err *err)
{
	const struct loom_log_visitor visitor = {take_row, out};

	*out = (struct found){.arena = arena, .kind = range->kind};
	return log->ops->read(log->ctx, range, &visitor, err);
}

static enum loom_status find_calls(const struct loom_log *log, int64_t at, struct loom_arena *arena,
				   struct loom_inspected *out, struct loom_err *err)
{
	struct loom_log_range range = {.after = LOOM_SEQ_NONE,
				       .through = at == LOOM_SEQ_HEAD ? at : at - 1,
				       .kind = LOOM_STR(LOOM_KIND_INPUT),
				       .newest_first = true};
	struct found found;
	enum loom_status status = log->ops->head(log->ctx, &out->head, err);

	if (status == LOOM_OK)
		status = find_row(log, &range, arena, &found, err);
	if (status != LOOM_OK)
		return status;
	out->call_before = found.any ? found.row.seq : LOOM_SEQ_NONE;
	if (at == LOOM_SEQ_HEAD)
		return LOOM_OK;
	range.after = at;
	range.through = LOOM_SEQ_HEAD;
	range.newest_first = false;
	status = find_row(log, &range, arena, &found, err);
	out->call_after = status == LOOM_OK && found.any ? found.row.seq : LOOM_SEQ_NONE;
	return status;
}

/* Before its first step a thread stands at the root of its tree. If its log has no step at all,
 * somebody moved it by hand, and its present position is the best guess. */
static enum loom_status stood_first(struct loom_store *store, const struct loom_inspect *what,
				    struct loom_arena *arena, struct loom_inspected *out,
				    struct loom_err *err)
{
	struct loom_thread thread;
	struct loom_tree tree;
	enum loom_status status = loom_thread_get(store, what->thread, arena, &thread, err);

	if (status == LOOM_OK)
		status = loom_tree_get(store, thread.tree, arena, &tree, err);
	if (status != LOOM_OK)
		return status;
	out->tree = tree.id;
	out->position = tree.root;
	return LOOM_OK;
}

/* Finds the node named by a position row; id 0: none, or one whose creation was undone. */
static enum loom_status find_stood(struct loom_store *store, const struct loom_log_row *row,
				   struct loom_arena *arena, struct loom_node *out,
				   struct loom_err *err)
{
	struct loom_str name = loom_jval_text(loom_jval_get(row->payload, "node"), arena);
	struct loom_err never;
	enum loom_status status = LOOM_OK;

	*out = (struct loom_node){.id = 0};
	if (!name.n)
		return LOOM_OK;
	status = loom_node_find(store, 0, name, arena, out, &never);
	if (status == LOOM_NOT_FOUND)
		out->id = 0;
	else if (status != LOOM_OK)
		*err = never;
	return status == LOOM_NOT_FOUND ? LOOM_OK : status;
}

/* Finds where the thread stood then, as far as its log says, on a node that still exists. */
static enum loom_status stand_then(struct loom_store *store, const struct loom_log *log,
				   const struct loom_inspect *what, struct loom_arena *arena,
				   struct loom_inspected *out, struct loom_err *err)
{
	struct loom_log_range range = {.after = LOOM_SEQ_NONE,
				       .through = what->at,
				       .kind = LOOM_STR(LOOM_KIND_POSITION),
				       .newest_first = true};
	struct loom_node node = {.id = 0};
	struct found found;
	bool stood = false;
	enum loom_status status = find_row(log, &range, arena, &found, err);

	for (; status == LOOM_OK && found.any && !node.id; stood = true) {
		status = find_stood(store, &found.row, arena, &node, err);
		range.through = found.row.seq - 1;
		if (status == LOOM_OK && !node.id)
			status = find_row(log, &range, arena, &found, err);
	}
	if (status == LOOM_OK && !stood) {
		range.after = what->at;
		range.through = LOOM_SEQ_HEAD;
		status = find_row(log, &range, arena, &found, err);
		stood = found.any;
	}
	if (status != LOOM_OK || !stood)
		return status;
	if (!node.id)
		return stood_first(store, what, arena, out, err);
	out->position = node.id;
	out->tree = node.tree;
	return LOOM_OK;
}

/* Reads the usage of the answer to that row's input from the next row of its kind. */
static enum loom_status read_answer(const struct loom_log *log, int64_t at,
				    struct loom_arena *arena, struct loom_inspected *out,
				    struct loom_err *err)
{
	const struct loom_log_range range = {.after = at,
					     .through = out->call_after == LOOM_SEQ_NONE
								? LOOM_SEQ_HEAD
								: out->call_after,
					     .kind = LOOM_STR(LOOM_KIND_OUTPUT)};
	struct found found;
	enum loom_status status = find_row(log, &range, arena, &found, err);

	if (status == LOOM_OK && found.any)
		loom_usage_read(&out->usage, loom_jval_get(found.row.payload, "usage"));
	return status;
}

/* Reads what was sent at a row; if nothing was, where the thread stood. */
static enum loom_status look_back(struct loom_store *store, const struct loom_log *log,
				  const struct loom_inspect *what, struct loom_arena *arena,
				  struct loom_inspected *out, struct loom_err *err)
{
	struct loom_err never;
	enum loom_status status =
		loom_input_read(store, log, what->at, arena, &out->assembly, &never);

	out->sent = status == LOOM_OK;
	if (status != LOOM_OK && status != LOOM_NOT_FOUND) {
		*err = never;
		return status;
	}
	if (out->sent) {
		status = read_answer(log, what->at, arena, out, err);
		if (status != LOOM_OK)
			return status;
	}
	return what->here ? LOOM_OK : stand_then(store, log, what, arena, out, err);
}

static bool say_row(void *ctx, const struct loom_log_row *row)
{
	loom_row_say(row, ctx);
	return false;
}

/* Reads the lanes as of the row, and what the row is. */
static enum loom_status read_lanes(struct loom_store *store, const struct loom_log *log,
				   const struct loom_inspect *what, struct loom_arena *arena,
				   struct loom_inspected *out, struct loom_err *err)
{
	struct loom_buf said = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct loom_log_visitor visitor = {say_row, &said};
	const struct loom_log_range range = {.after = what->at - 1, .through = what->at};
	struct loom_thread thread;
	enum loom_status status = loom_thread_get(store, what->thread, arena, &thread, err);

	if (status == LOOM_OK)
		status = loom_lane_list(log, what->at, arena, &out->lanes, err);
	if (status == LOOM_OK && out->back)
		status = log->ops->read(log->ctx, &range, &visitor, err);
	if (status == LOOM_OK)
		out->thread = thread.name;
	out->row = loom_arena_buf(arena, &said);
	loom_buf_fini(&said);
	return status;
}

static enum loom_status read_log(struct loom_store *store, const struct loom_inspect *what,
				 struct loom_arena *arena, struct loom_inspected *out,
				 struct loom_err *err)
{
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	enum loom_status status = loom_thread_log_open(store, what->thread, NULL, &keeper, err);

	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = find_calls(&log, what->at, arena, out, err);
	if (status == LOOM_OK)
		status = read_lanes(store, &log, what, arena, out, err);
	if (status == LOOM_OK && out->back)
		status = look_back(store, &log, what, arena, out, err);
	loom_thread_log_close(keeper);
	return status;
}

/* ---- assembling ---- */

/* Assembles a turn that would begin now, with its block if that is due. */
static enum loom_status assemble_turn(struct loom_store *store, const struct loom_inspect *what,
				      struct loom_aware_opts *opts, struct loom_arena *arena,
				      struct loom_inspected *out, struct loom_err *err)
{
	struct loom_thread row = {.name = what->spawned};
	struct loom_told told;
	enum loom_status status =
		what->thread ? loom_thread_get(store, what->thread, arena, &row, err) : LOOM_OK;

	if (status == LOOM_OK)
		status = loom_told_of(store, &row, arena, &told, err);
	if (status != LOOM_OK)
		return status;
	out->warnings = told.warnings.items;
	out->warning_count = told.warnings.count;
	return loom_told_assemble(store, &told, opts, arena, &out->assembly, err);
}

static enum loom_status assemble(struct loom_store *store, const struct loom_inspect *what,
				 struct loom_arena *arena, struct loom_inspected *out,
				 struct loom_err *err)
{
	const struct loom_subject_opts subject = {.tip = out->position,
						  .thread = what->thread,
						  .prompt = what->prompt,
						  .working = what->input.p ? what->input
									   : LOOM_STR(""),
						  .budget = what->budget,
						  .strategy = what->truncation};
	struct loom_aware_opts aware = {.agent = &what->agent,
					.tree = out->tree,
					.thread = what->thread,
					.position = out->position,
					.prompt = what->prompt,
					.input = what->input,
					.at = what->at,
					.turn_seq = LOOM_SEQ_HEAD,
					.alone = out->back,
					.budget = what->budget,
					.thoughts = what->thoughts};
	enum loom_status status = LOOM_OK;

	if (!what->agent.aware)
		status = loom_assemble_subject(store, &subject, arena, &out->assembly, err);
	else if (what->input.p && !out->back)
		status = assemble_turn(store, what, &aware, arena, out, err);
	else
		status = loom_assemble_aware(store, &aware, arena, &out->assembly, err);
	return status == LOOM_OK ? loom_assembly_judge(store, arena, &out->assembly, err) : status;
}

/* Reads what the node's record says was given for it. */
static enum loom_status read_record(struct loom_store *store, int64_t node,
				    struct loom_arena *arena, struct loom_inspected *out,
				    struct loom_err *err)
{
	struct loom_node row;
	struct loom_str record;
	struct loom_str raw;
	enum loom_status status = loom_node_generation(store, node, arena, &record, &raw, err);

	if (status == LOOM_OK)
		status = loom_node_get(store, node, LOOM_NODE_NARROW, arena, &row, err);
	if (status != LOOM_OK)
		return status;
	out->recorded = loom_jval_text(loom_jval_get(record, "input"), arena);
	if (record.n)
		loom_usage_add(&out->usage, record, (size_t)out->assembly.total * 4, row.bytes);
	return LOOM_OK;
}

enum loom_status loom_inspect(struct loom_store *store, const struct loom_inspect *what,
			      struct loom_arena *arena, struct loom_inspected *out,
			      struct loom_err *err)
{
	const bool logged = what->thread && what->agent.aware;
	enum loom_status status = LOOM_OK;

	*out = (struct loom_inspected){.tree = what->tree,
				       .position = what->position,
				       .back = what->at != LOOM_SEQ_HEAD,
				       .head = LOOM_SEQ_NONE,
				       .call_before = LOOM_SEQ_NONE,
				       .call_after = LOOM_SEQ_NONE};
	if (out->back && !logged)
		return loom_fail(err, LOOM_USAGE, "an earlier moment needs a thread with a log");
	if (logged)
		status = read_log(store, what, arena, out, err);
	if (status == LOOM_OK && !out->sent)
		status = assemble(store, what, arena, out, err);
	if (status == LOOM_OK && what->given_for && !out->sent)
		status = read_record(store, what->given_for, arena, out, err);
	if (status == LOOM_OK)
		out->hash = loom_assembly_hash(&out->assembly);
	return status;
}

/* ---- what was given for a node ---- */

static enum loom_status find_input(struct loom_store *store, const struct loom_node *node,
				   struct loom_arena *arena, struct loom_inspect *out,
				   struct loom_err *err)
{
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE,
					     .through = node->seq,
					     .kind = LOOM_STR(LOOM_KIND_INPUT),
					     .newest_first = true};
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	struct found found;
	enum loom_status status = LOOM_OK;

	if (!node->thread || node->seq < 0)
		return loom_fail(err, LOOM_NOT_FOUND, "no log says what its author was given");
	status = loom_thread_log_open(store, node->thread, NULL, &keeper, err);
	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = find_row(&log, &range, arena, &found, err);
	loom_thread_log_close(keeper);
	if (status != LOOM_OK)
		return status;
	if (!found.any)
		return loom_fail(err, LOOM_NOT_FOUND, "the thread's log keeps no input for it");
	out->thread = node->thread;
	out->at = found.row.seq;
	return LOOM_OK;
}

enum loom_status loom_inspect_node(struct loom_store *store, int64_t node, struct loom_arena *arena,
				   struct loom_inspect *out, struct loom_err *err)
{
	struct loom_node row;
	enum loom_status status = loom_node_get(store, node, LOOM_NODE_NARROW, arena, &row, err);

	*out = (struct loom_inspect){.at = LOOM_SEQ_HEAD};
	if (status == LOOM_OK)
		status = loom_agent_get(store, row.author, arena, &out->agent, err);
	if (status != LOOM_OK)
		return status;
	out->tree = row.tree;
	out->position = row.from_node;
	out->given_for = row.id;
	if (out->agent.kind == LOOM_AGENT_HUMAN) {
		loom_fail(err, LOOM_NOT_FOUND,
			  "a person wrote this, so no model was given anything");
		return loom_hint(err, LOOM_NOT_FOUND,
				 "`loom context` shows what a model would be given");
	}
	if (out->agent.aware)
		return find_input(store, &row, arena, out, err);
	return row.from_node ? LOOM_OK
			     : loom_fail(err, LOOM_NOT_FOUND, "a root has nothing above it");
}

enum loom_status loom_inspect_subject(struct loom_store *store, const struct loom_tree *tree,
				      struct loom_arena *arena, struct loom_agent *out,
				      struct loom_err *err)
{
	const struct loom_agent *found;
	struct loom_agent *list = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	*out = (struct loom_agent){.id = 0};
	if (tree->subject)
		return loom_agent_get(store, tree->subject, arena, out, err);
	status = loom_agent_list(store, arena, &list, &count, err);
	found = status == LOOM_OK ? loom_subject_default(list, count, 0) : NULL;
	if (found)
		*out = *found;
	return status;
}

/* ---- the whole text ---- */

struct loom_str loom_assembly_text(const struct loom_assembly *assembly, struct loom_arena *arena)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str whole;

	for (int part = 0; part < LOOM_PARTS; part++) {
		struct loom_str said = loom_assembly_part(assembly, (enum loom_part)part, arena);

		if (!said.n)
			continue;
		if (text.n)
			loom_buf_adds(&text, "\n\n");
		loom_buf_add(&text, said);
	}
	whole = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return whole;
}
