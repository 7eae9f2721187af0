#include "support/storm.h"

#include <stdlib.h>

#include <loom/grove/sql.h>
#include <loom/tree/document.h>
#include <loom/tree/job.h>
#include <loom/tree/lease.h>
#include <loom/tree/mark.h>
#include <loom/tree/person.h>
#include <loom/work/approval.h>
#include <loom/work/fetched.h>
#include <loom/work/memory.h>
#include <loom/work/stream.h>
#include <loom/work/thread.h>
#include <loom/work/thread_log.h>

typedef enum loom_status act(struct storm *s, struct loom_err *err);

/* --- what there is --- */

/* A random row of those that `sql` counts and gives by their place; 0 if there is none. */
static int64_t pick(struct storm *s, const char *count, const char *nth)
{
	int64_t rows = 0;
	int64_t out = 0;
	struct query q = model_query(s->store, count, NULL);

	if (model_one(&q, 0, &rows) != LOOM_OK || !rows)
		return 0;
	q = model_query(s->store, nth, NULL);
	model_bind(&q, (int64_t)prop_below(&s->prop, (size_t)rows));
	if (model_one(&q, 0, &out) != LOOM_OK)
		exit(99);
	return out;
}

#define PICK(s, from)                                                                              \
	pick(s, "SELECT count(*) FROM " from, "SELECT x.id FROM " from " LIMIT 1 OFFSET ?")
#define LIVE " x JOIN op o ON o.id = x.op AND o.state = 1"

static int64_t any_node(struct storm *s)
{
	return PICK(s, "node" LIVE);
}

static int64_t any_tree(struct storm *s)
{
	return PICK(s, "tree" LIVE);
}

static struct loom_str any_text(struct storm *s)
{
	struct loom_buf text = LOOM_BUF_INIT(1 << 20);
	struct loom_str out;

	prop_text(&s->prop, 1 + prop_size(&s->prop, 300), &text);
	out = loom_arena_buf(s->arena, &text);
	loom_buf_fini(&text);
	return out;
}

static struct loom_str any_name(struct storm *s, const char *kind)
{
	return loom_arena_format(s->arena, "%s-%zu", kind, prop_below(&s->prop, 12));
}

static bool any_bool(struct storm *s)
{
	return prop_once_in(&s->prop, 2);
}

/* --- operations --- */

static enum loom_status make_tree(struct storm *s, struct loom_err *err)
{
	const struct loom_tree_spec spec = {.mode = any_bool(s) ? LOOM_BUFFER : LOOM_DIALOGUE,
					    .title = any_name(s, "tree"),
					    .root_text = any_text(s),
					    .author = s->person};
	int64_t tree = 0;

	return loom_tree_create(s->store, &spec, &tree, err);
}

static enum loom_status create(struct storm *s, int64_t from, int64_t *out, struct loom_err *err)
{
	const bool model = prop_once_in(&s->prop, 3);
	const struct loom_node_spec spec = {
		.from = from,
		.kind = (enum loom_node_kind)(prop_once_in(&s->prop, 4) ? prop_below(&s->prop, 4)
									: LOOM_CONTINUATION),
		.text = any_text(s),
		.author = model ? s->model : s->person,
		.raw = model ? LOOM_STR("{\"raw\":1}") : LOOM_STR(""),
		.generation = model ? LOOM_STR("{\"model\":\"ngram\",\"seam\":{\"put\":\" \"}}")
				    : LOOM_STR(""),
		.seq = -1};

	return loom_node_create(s->store, &spec, out, err);
}

static enum loom_status respond(struct storm *s, struct loom_err *err)
{
	int64_t node = any_node(s);
	enum loom_status status = node ? LOOM_OK : make_tree(s, err);

	for (size_t i = 1 + prop_below(&s->prop, 4); node && i && status == LOOM_OK; i--)
		status = create(s, node, &node, err);
	return status;
}

static enum loom_status edit(struct storm *s, struct loom_err *err)
{
	const struct loom_node_spec spec = {.from = any_node(s),
					    .text = any_text(s),
					    .author = s->person,
					    .seq = -1};
	int64_t node = 0;

	return spec.from ? loom_node_edit(s->store, &spec,
					  (enum loom_edit_as)prop_below(&s->prop, 3), &node, err)
			 : LOOM_OK;
}

static enum loom_status hang(struct storm *s, struct loom_err *err)
{
	struct loom_hang where = {.node = any_node(s)};
	struct query q = model_query(s->store,
				     "SELECT x.id FROM node n JOIN node x ON x.tree = n.tree JOIN "
				     "op o ON o.id = x.op AND o.state = 1 WHERE n.id = ? ORDER BY "
				     "(x.id * ?) % 31 LIMIT 1",
				     err);
	bool changed = false;
	enum loom_status status;

	model_bind(&q, where.node);
	model_bind(&q, (int64_t)prop_below(&s->prop, 30) + 1);
	status = model_one(&q, 0, &where.below);
	if (status == LOOM_OK && where.below && any_bool(s))
		status = create(s, where.below, &where.below, err);
	return status == LOOM_OK && where.below ? loom_node_hang(s->store, &where, &changed, err)
						: status;
}

/* Any node before any of its siblings. */
static enum loom_status order(struct storm *s, struct loom_err *err)
{
	struct loom_hang where = {.before = any_node(s)};
	struct query q = model_query(s->store,
				     "SELECT s.id, s.from_node FROM node n JOIN node s ON s.parent "
				     "= n.parent AND s.kind = n.kind AND s.id = s.grp JOIN op o ON "
				     "o.id = s.op AND o.state = 1 WHERE n.id = ? AND s.id <> n.grp "
				     "LIMIT 1",
				     err);
	bool changed = false;

	model_bind(&q, where.before);
	if (model_row(&q)) {
		where.node = model_int(&q, 0);
		where.below = model_int(&q, 1);
	}
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return where.node ? loom_node_hang(s->store, &where, &changed, err) : LOOM_OK;
}

static enum loom_status prune(struct storm *s, struct loom_err *err)
{
	const int64_t node = any_node(s);
	int64_t count = 0;
	bool changed = false;

	if (!node)
		return LOOM_OK;
	return any_bool(s) ? loom_node_prune(s->store, node, &count, &changed, err)
			   : loom_node_restore(s->store, node, &count, &changed, err);
}

/* Most texts have none. */
static enum loom_status set_seam(struct storm *s, int64_t node, struct loom_err *err)
{
	bool changed = false;
	const enum loom_status status = loom_seam_set(s->store, node, any_bool(s), &changed, err);

	return status == LOOM_NOT_FOUND ? LOOM_OK : status;
}

static enum loom_status mark(struct storm *s, struct loom_err *err)
{
	const int64_t node = any_node(s);
	bool changed = false;

	if (!node)
		return LOOM_OK;
	switch (prop_below(&s->prop, 4)) {
	case 3:
		return set_seam(s, node, err);
	case 0:
		return loom_exclude_set(s->store, node, any_bool(s), &changed, err);
	case 1:
		return loom_tag_set(s->store, node, any_name(s, "tag"), any_bool(s), &changed, err);
	default:
		return loom_bookmark_set(s->store, node, any_bool(s), any_name(s, "here"), &changed,
					 err);
	}
}

static enum loom_status join_nodes(struct storm *s, struct loom_err *err)
{
	const int64_t old = PICK(s, "link" LIVE " AND x.live = 1");
	const struct loom_link spec = {.from = any_node(s),
				       .kind = LOOM_LINK_NODE,
				       .to_node = any_node(s),
				       .note = any_name(s, "as in"),
				       .author = s->person};
	int64_t link = 0;
	bool changed = false;

	if (old && any_bool(s))
		return loom_link_remove(s->store, old, err);
	return spec.from && spec.to_node ? loom_link_create(s->store, &spec, &link, &changed, err)
					 : LOOM_OK;
}

static enum loom_status describe(struct storm *s, struct loom_err *err)
{
	const int64_t tree = any_tree(s);

	if (!tree)
		return LOOM_OK;
	if (prop_once_in(&s->prop, 4))
		return loom_tree_set_subject(s->store, tree, any_bool(s) ? s->model : 0, err);
	return loom_tree_set(s->store, tree, (enum loom_tree_field)prop_below(&s->prop, 4),
			     any_name(s, "words"), err);
}

static enum loom_status write_document(struct storm *s, struct loom_err *err)
{
	int64_t doc = PICK(s, "doc" LIVE);

	switch (doc ? prop_below(&s->prop, 4) : 0) {
	case 0:
		return loom_doc_create(s->store, any_name(s, "plan"), any_text(s), s->person, &doc,
				       err);
	case 1:
		return loom_doc_rename(s->store, doc, any_name(s, "plan"), err);
	default:
		return loom_doc_write(s->store, doc, any_text(s), s->person, -1, err);
	}
}

static enum loom_status change_agent(struct storm *s, struct loom_err *err)
{
	const struct loom_agent spec = {.kind = LOOM_AGENT_MODEL, .name = any_name(s, "agent")};
	int64_t agent = PICK(s, "agent" LIVE " AND x.kind = 1");

	switch (agent ? prop_below(&s->prop, 5) : 0) {
	case 0:
		return loom_agent_create(s->store, &spec, &agent, err);
	case 1:
		return loom_agent_rename(s->store, agent, any_name(s, "agent"), err);
	case 2:
		return loom_agent_set_model(s->store, agent, any_name(s, "model"), err);
	case 3:
		return loom_agent_set_sampling(s->store, agent, LOOM_STR("{\"temperature\":1}"),
					       err);
	default:
		return loom_agent_set_aware(s->store, agent, any_bool(s), err);
	}
}

static enum loom_status change_members(struct storm *s, struct loom_err *err)
{
	const struct loom_str name = any_name(s, "person");

	switch (prop_below(&s->prop, 3)) {
	case 0:
		return loom_member_add(s->store, name, err);
	case 1:
		return loom_member_drop(s->store, name, err);
	default:
		return loom_member_rename(s->store, name, any_name(s, "person"), err);
	}
}

static int64_t any_thread(struct storm *s)
{
	return PICK(s, "thread x");
}

static enum loom_status remember(struct storm *s, struct loom_err *err)
{
	const int64_t thread = any_thread(s);
	const int64_t old = PICK(s, "stash x WHERE x.live = 1");
	const struct loom_pin pin = {.kind = LOOM_PIN_NODE, .node = any_node(s)};
	const struct loom_stash stash = {.label = any_name(s, "stash"), .text = any_text(s)};
	bool changed = false;

	if (!thread)
		return LOOM_OK;
	switch (prop_below(&s->prop, 4)) {
	case 0:
		return loom_stash_create(s->store, thread, &stash, err);
	case 1:
		return old ? loom_stash_recall(s->store, old, any_bool(s), &changed, err) : LOOM_OK;
	case 2:
		return old ? loom_stash_drop(s->store, old, err) : LOOM_OK;
	default:
		return pin.node ? loom_pin_set(s->store, thread, &pin, any_bool(s), &changed, err)
				: LOOM_OK;
	}
}

/* --- quiet writes --- */

static enum loom_status ensure_thread(struct storm *s, struct loom_err *err)
{
	const int64_t tree = any_tree(s);
	struct loom_thread thread;
	int64_t made = 0;

	if (!tree)
		return LOOM_OK;
	if (any_bool(s))
		return loom_thread_ensure(s->store, any_bool(s) ? s->person : s->model, tree,
					  s->arena, &thread, err);
	return loom_thread_create(s->store, any_name(s, "thread"), s->model, tree, &made, err);
}

static enum loom_status move(struct storm *s, struct loom_err *err)
{
	const int64_t thread = any_thread(s);
	const int64_t node = any_node(s);
	const int64_t tree = any_tree(s);

	if (!thread || !node || !tree)
		return LOOM_OK;
	switch (prop_below(&s->prop, 6)) {
	case 0:
		return loom_thread_choose(s->store, thread, node, any_bool(s) ? node : 0, err);
	case 1:
		return loom_use_tree(s->store, tree, err);
	case 2:
		return loom_thread_hand(s->store, thread, s->model, err);
	default:
		return loom_thread_move(s->store, thread, node, err);
	}
}

static enum loom_status append_row(struct storm *s, struct loom_log *log, struct loom_err *err)
{
	const struct loom_log_row row = {.at_ms = LOOM_TIME_NONE,
					 .kind = LOOM_STR("note"),
					 .payload = LOOM_STR("{\"text\":\"words\"}")};
	int64_t seq = 0;

	(void)s;
	return loom_log_append(log, &row, &seq, err);
}

static enum loom_status write_log(struct storm *s, struct loom_err *err)
{
	const int64_t thread = any_thread(s);
	struct loom_thread_log *opened = NULL;
	struct loom_log log;
	struct loom_hash hash;
	enum loom_status status;

	if (!thread)
		return LOOM_OK;
	status = loom_thread_log_open(s->store, thread, s->session, &opened, err);
	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(opened);
	switch (prop_below(&s->prop, 5)) {
	case 0:
		status = log.ops->slot_write(log.ctx,
					     (enum loom_slot)prop_below(&s->prop, LOOM_SLOT_COUNT),
					     any_bool(s) ? LOOM_STR("{\"a\":1}") : LOOM_STR(""),
					     err);
		break;
	case 1:
		status = log.ops->run_ended(log.ctx, LOOM_STR("{\"outcome\":\"completed\"}"), err);
		break;
	case 2:
		status = loom_part_put(s->store, any_text(s), &hash, err);
		break;
	default:
		for (size_t i = 1 + prop_below(&s->prop, 3); i && status == LOOM_OK; i--)
			status = append_row(s, &log, err);
	}
	loom_thread_log_close(opened);
	return status;
}

static enum loom_status propose(struct storm *s, struct loom_err *err)
{
	struct loom_proposed call = {.line = 1, .call = LOOM_STR("bookmark r001")};
	struct loom_proposal proposal = {
		.agent = s->model, .tree = any_tree(s), .seq = -1, .calls = &call, .count = 1};
	const struct loom_decision decision = {.by = s->person, .approve = any_bool(s)};
	const int64_t old = PICK(s, "proposal x WHERE x.state < 2");
	bool claimed = false;

	switch (old ? prop_below(&s->prop, 4) : 0) {
	case 0:
		return proposal.tree ? loom_proposal_add(s->store, &proposal, s->session, err)
				     : LOOM_OK;
	case 1:
		return loom_proposal_claim(s->store, old, &claimed, err);
	case 2:
		return loom_proposal_void(s->store, old, err);
	default:
		return loom_proposal_decide(s->store, old, &decision, err);
	}
}

static enum loom_status sum_up(struct storm *s, struct loom_err *err)
{
	struct loom_summary_job job = {.id = 0};
	const bool failed = prop_once_in(&s->prop, 4);
	enum loom_status status =
		loom_job_claim(s->store, s->session, LOOM_JOB_NODE, 0, s->arena, &job, err);

	if (status != LOOM_OK || !job.id || prop_once_in(&s->prop, 4))
		return status;
	if (!failed)
		status = loom_summary_keep(s->store, job.kind, job.target, any_name(s, "sum"),
					   any_bool(s), err);
	return status == LOOM_OK ? loom_job_end(s->store, job.id, failed, err) : status;
}

static enum loom_status pass(struct storm *s, struct loom_err *err)
{
	const struct loom_fetched_place place = {LOOM_STR("/p"), LOOM_STR("s")};
	const struct loom_fetched page = {.url = any_name(s, "url"),
					  .type = LOOM_STR("text/plain"),
					  .body = any_text(s)};
	const int64_t node = any_node(s);
	int64_t lease = 0;

	if (!node || any_bool(s))
		return loom_fetched_keep(s->store, &place, &page, err);
	return loom_lease_take(s->store, s->session, s->model, node, &lease, err) == LOOM_OK
		       ? loom_lease_release(s->store, lease, err)
		       : LOOM_OK;
}

static enum loom_status stream(struct storm *s, struct loom_err *err)
{
	const int64_t node = any_node(s);
	struct loom_stream spec = {.from = node,
				   .agent = s->model,
				   .session = loom_str_of(loom_session_name(s->session)),
				   .record = LOOM_STR("{}")};
	struct query q = model_query(s->store, "SELECT tree FROM node WHERE id = ?", NULL);
	int64_t id = 0;
	enum loom_status status;

	model_bind(&q, node);
	if (!node || model_one(&q, 0, &spec.tree) != LOOM_OK)
		return LOOM_OK;
	status = loom_node_reserve(s->store, spec.tree, &spec.num, err);
	if (status == LOOM_OK)
		status = loom_stream_begin(s->store, &spec, &id, err);
	return status == LOOM_OK ? loom_stream_add(s->store, id, any_text(s), err) : status;
}

/* --- operations that begin by themselves --- */

static enum loom_status undo(struct storm *s, struct loom_err *err)
{
	const int64_t op = any_bool(s) ? PICK(s, "op x WHERE x.state = 1") : 0;

	return loom_op_undo(s->store, s->person, op, NULL, err);
}

static enum loom_status redo(struct storm *s, struct loom_err *err)
{
	const int64_t op = PICK(s, "op x WHERE x.state = 2");

	return op && any_bool(s) ? loom_op_repeat(s->store, s->person, op, err)
				 : loom_op_redo(s->store, s->person, NULL, err);
}

/* Nodes on one older node and below each other, over several transactions; some are given up. */
static enum loom_status import(struct storm *s, struct loom_err *err)
{
	const struct loom_op_spec spec = {.kind = "import",
					  .text = LOOM_STR("import"),
					  .actor = s->person,
					  .slices = true};
	const struct loom_agent visitor = {.kind = LOOM_AGENT_HUMAN,
					   .name = any_name(s, "visitor"),
					   .claim = LOOM_CLAIM_UNSIGNED,
					   .from = LOOM_STR("a file")};
	const int64_t host = any_node(s);
	int64_t author = 0;
	int64_t node = host;
	bool changed = false;
	enum loom_status status = loom_op_begin(s->store, &spec, err);

	if (status != LOOM_OK)
		return status;
	status = loom_agent_claim(s->store, &visitor, &author, err);
	if (status == LOOM_OK && (!host || any_bool(s)))
		status = make_tree(s, err);
	for (size_t i = 1 + prop_below(&s->prop, 3); host && i && status == LOOM_OK; i--) {
		status = loom_op_slice(s->store, err);
		if (status == LOOM_OK)
			status = create(s, any_bool(s) ? host : node, &node, err);
		if (status == LOOM_OK)
			status = create(s, node, &node, err);
		if (status == LOOM_OK)
			status = loom_tag_set(s->store, node, any_name(s, "tag"), true, &changed,
					      err);
	}
	if (status == LOOM_OK && !prop_once_in(&s->prop, 3))
		return loom_op_finish(s->store, NULL, err);
	loom_op_rollback(s->store);
	return status;
}

static enum loom_status sweep(struct storm *s, struct loom_err *err)
{
	return loom_op_sweep(s->store, err);
}

enum how { OPERATION, QUIET, ALONE };

static const struct {
	const char *name;
	act *run;
	enum how how;
} acts[] = {
	{"new", make_tree, OPERATION},
	{"respond", respond, OPERATION},
	{"respond again", respond, OPERATION},
	{"edit", edit, OPERATION},
	{"hang", hang, OPERATION},
	{"order", order, OPERATION},
	{"prune", prune, OPERATION},
	{"mark", mark, OPERATION},
	{"link", join_nodes, OPERATION},
	{"describe", describe, OPERATION},
	{"document", write_document, OPERATION},
	{"agent", change_agent, OPERATION},
	{"member", change_members, OPERATION},
	{"memory", remember, OPERATION},
	{"thread", ensure_thread, QUIET},
	{"move", move, QUIET},
	{"log", write_log, QUIET},
	{"proposal", propose, QUIET},
	{"summary", sum_up, QUIET},
	{"what passes", pass, QUIET},
	{"stream", stream, QUIET},
	{"undo", undo, ALONE},
	{"redo", redo, ALONE},
	{"import", import, ALONE},
	{"sweep", sweep, ALONE},
};

/* A refusal is an answer; a fault is not. */
static bool is_fault(enum loom_status status)
{
	return status == LOOM_FAULT || status == LOOM_IO || status == LOOM_DAMAGED ||
	       status == LOOM_BUSY || status == LOOM_FULL || status == LOOM_READ_ONLY ||
	       status == LOOM_OFFLINE;
}

const char *storm_step(struct storm *s)
{
	const size_t i = prop_below(&s->prop, LOOM_COUNT(acts));
	const struct loom_op_spec spec = {.kind = "storm",
					  .text = loom_str_of(acts[i].name),
					  .actor = s->person};
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = acts[i].how == OPERATION ? loom_op_begin(s->store, &spec, &err)
				  : acts[i].how == QUIET   ? loom_quiet_begin(s->store, &err)
							   : LOOM_OK;

	if (status == LOOM_OK)
		status = acts[i].run(s, &err);
	if (acts[i].how != ALONE)
		status = loom_op_end(s->store, status, NULL, &err);
	if (is_fault(status))
		grove_must(status, &err, acts[i].name);
	loom_arena_reset(s->arena);
	return acts[i].name;
}
