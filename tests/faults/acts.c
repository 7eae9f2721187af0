#include "faults/acts.h"

#include <unistd.h>

#include <loom/tree/document.h>
#include <loom/work/stream.h>
#include <loom/tree/lease.h>
#include <loom/tree/mark.h>
#include <loom/work/memory.h>
#include <loom/work/thread.h>
#include <loom/tree/open_store.h>

#include "support/fork.h"
#include "support/op_suite.h"
#include "support/raw.h"

static int64_t buffer; /* a tree of that mode */
static int64_t first;  /* its one node below the root */
static int64_t older;  /* a node of the dialogue tree, and one below it */
static int64_t below;
static int64_t kept; /* what an act prepared for its tries */
static struct loom_session *mine;
static struct loom_session *yours;
static int64_t tries; /* each is an operation of its own, tried again or not */

struct grove *act_grove(void)
{
	return &g;
}

void act_set_up(const struct act *act)
{
	set_up(NULL);
	buffer = grove_tree(&g, LOOM_BUFFER, "It began");
	first = grove_node(&g, grove_root(&g, buffer), "and went on");
	older = grove_node(&g, root, "older");
	below = grove_node(&g, older, "below");
	kept = 0;
	tries = 0;
	if (act->prepare)
		act->prepare();
}

void act_fresh(const struct act *act)
{
	tries++;
	loom_session_close(mine);
	loom_session_close(yours);
	mine = yours = NULL;
	if (!(act->how & ACT_STAYS))
		grove_reopen(&g);
}

void act_tear_down(void)
{
	loom_session_close(mine);
	loom_session_close(yours);
	mine = yours = NULL;
	tear_down(NULL);
}

static enum loom_status add(int64_t from, int64_t *out, struct loom_err *err)
{
	struct loom_node_spec spec = {.from = from,
				      .text = LOOM_STR_INIT("words"),
				      .author = g.owner,
				      .seq = -1};

	return loom_node_create(g.store, &spec, out, err);
}

static enum loom_status begin(bool slices, struct loom_err *err)
{
	struct loom_op_spec spec = {.kind = "act",
				    .text = LOOM_STR_INIT("an act"),
				    .actor = g.owner,
				    .has_id = true,
				    .slices = slices};

	memcpy(spec.id.bytes, &tries, sizeof tries);
	return loom_op_begin(g.store, &spec, err);
}

/* --- opening --- */

static enum loom_status open_as(enum loom_access access, struct loom_err *err)
{
	struct loom_store *other = NULL;
	enum loom_status status =
		loom_store_open(&g.env, loom_str_of(g.temp.path), access, &other, err);

	loom_store_close(other);
	return status;
}

static enum loom_status open_to_write(struct loom_err *err)
{
	return open_as(LOOM_WRITE, err);
}

static enum loom_status open_to_read(struct loom_err *err)
{
	return open_as(LOOM_READ, err);
}

static enum loom_status look_once(struct loom_err *err)
{
	int64_t seq = 0;
	enum loom_status status = loom_store_view(g.store, err);

	if (status != LOOM_OK)
		return status;
	status = loom_events_last(g.store, &seq, err);
	loom_store_unview(g.store);
	return status;
}

static enum loom_status ask_whether_it_changed(struct loom_err *err)
{
	(void)err;
	(void)loom_store_changed(g.store);
	return LOOM_OK;
}

/* --- operations --- */

static enum loom_status respond(struct loom_err *err)
{
	int64_t node = 0;
	enum loom_status status = begin(false, err);

	if (status != LOOM_OK)
		return status;
	status = add(older, &node, err);
	if (status == LOOM_OK)
		loom_op_say(g.store, "said %lld", (long long)node);
	return loom_op_end(g.store, status, NULL, err);
}

static void prepare_batch(void)
{
	grove_begin(&g, "batch");
	add_node(g.store, root, "the first of several");
	kept = grove_commit(&g);
}

static enum loom_status go_on_with_a_batch(struct loom_err *err)
{
	struct loom_op_spec spec = {.kind = "batch", .actor = g.owner, .join = kept};
	int64_t node = 0;
	bool changed = false;
	enum loom_status status = loom_op_begin(g.store, &spec, err);

	if (status != LOOM_OK)
		return status;
	status = add(below, &node, err);
	if (status == LOOM_OK)
		status = loom_bookmark_set(g.store, older, tries % 2, LOOM_STR("x"), &changed, err);
	return loom_op_end(g.store, status, NULL, err);
}

static enum loom_status list_what_is_outside(struct loom_err *err)
{
	struct loom_op_spec spec = {.kind = "doc", .actor = g.owner, .inverse = "undo it by hand"};
	enum loom_status status = loom_op_begin(g.store, &spec, err);

	if (status != LOOM_OK)
		return status;
	return loom_op_end(g.store, loom_op_list_anyway(g.store, err), NULL, err);
}

/* Two slices that hang on older nodes, so that what they count is written as well. */
static enum loom_status import(struct loom_err *err)
{
	int64_t hosts[] = {older, below};
	int64_t node = 0;
	enum loom_status status = begin(true, err);

	for (int i = 0; i < 2 && status == LOOM_OK; i++) {
		if (i)
			status = loom_op_slice(g.store, err);
		if (status == LOOM_OK)
			status = add(hosts[i], &node, err);
		if (status == LOOM_OK)
			status = add(node, &node, err);
	}
	if (status == LOOM_OK)
		return loom_op_finish(g.store, NULL, err);
	loom_op_rollback(g.store);
	return status;
}

/* A long write that is left between two transactions and gone on with by its number. */
static enum loom_status leave_and_go_on(struct loom_err *err)
{
	struct loom_op_spec spec = {.kind = "act", .actor = g.owner, .slices = true};
	int64_t node = 0;
	enum loom_status status = loom_op_begin(g.store, &spec, err);

	if (status != LOOM_OK)
		return status;
	status = loom_op_end(g.store, add(older, &node, err), &spec.join, err);
	if (status == LOOM_OK)
		status = loom_op_begin(g.store, &spec, err);
	if (status == LOOM_OK)
		status = add(below, &node, err);
	if (status == LOOM_OK)
		return loom_op_finish(g.store, NULL, err);
	loom_op_rollback(g.store);
	return status;
}

/* In a child: two long writes on a connection each, left open. */
static void leave_two_open(struct grove_child *child)
{
	struct loom_err err = {.status = LOOM_OK};

	for (int i = 0; i < 2; i++) {
		tries++;
		g.store = grove_connect(&g, LOOM_WRITE);
		grove_must(begin(true, &err), &err, "begin");
		add_node(g.store, older, "never seen");
		grove_must(loom_op_commit(g.store, NULL, &err), &err, "commit");
	}
	grove_child_say(child);
	pause();
}

/* Two long writes whose process is gone. */
static void prepare_dead(void)
{
	struct grove_child child;

	if (!grove_fork(&g, &child))
		leave_two_open(&child);
	grove_child_go(&child);
	if (!grove_child_hear(&child))
		exit(99);
	grove_child_kill(&child);
}

static enum loom_status sweep(struct loom_err *err)
{
	return loom_op_sweep(g.store, err);
}

/* --- changes --- */

static enum loom_status change_everything(struct loom_err *err)
{
	int64_t nodes = 0;
	bool on = tries % 2;
	bool changed = false;
	enum loom_status status = begin(false, err);

	if (status != LOOM_OK)
		return status;
	status = loom_tree_set(g.store, tree, LOOM_TREE_TITLE,
			       on ? LOOM_STR("one") : LOOM_STR("two"), err);
	if (status == LOOM_OK)
		status = loom_bookmark_set(g.store, older, on, LOOM_STR("here"), &changed, err);
	if (status == LOOM_OK)
		status = loom_tag_set(g.store, older, LOOM_STR("tag"), on, &changed, err);
	if (status == LOOM_OK)
		status = loom_exclude_set(g.store, below, on, &changed, err);
	if (status == LOOM_OK && on)
		status = loom_node_prune(g.store, older, &nodes, &changed, err);
	else if (status == LOOM_OK)
		status = loom_node_restore(g.store, older, &nodes, &changed, err);
	return loom_op_end(g.store, status, NULL, err);
}

/* --- undo --- */

static enum loom_status undo(struct loom_err *err)
{
	return loom_op_undo(g.store, g.owner, kept, NULL, err);
}

static enum loom_status undo_the_last(struct loom_err *err)
{
	return loom_op_undo(g.store, g.owner, 0, NULL, err);
}

/* It must be refused, for whichever of its reasons. */
static enum loom_status undo_what_is_outside(struct loom_err *err)
{
	enum loom_status status = undo_the_last(err);

	return status == LOOM_CONFLICT ? LOOM_OK : status;
}

static void prepare_outside(void)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(list_what_is_outside(&err), &err, "list");
}

static enum loom_status redo(struct loom_err *err)
{
	return loom_op_redo(g.store, g.owner, NULL, err);
}

static enum loom_status repeat(struct loom_err *err)
{
	return loom_op_repeat(g.store, g.owner, kept, err);
}

static void take_back(void)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(undo(&err), &err, "undo");
}

/* A step that makes nodes, changes values twice and prunes. */
static void prepare_step(void)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_str titles[] = {LOOM_STR_INIT("one"), LOOM_STR_INIT("two")};
	int64_t nodes = 0;
	bool changed = false;

	grove_begin(&g, "everything");
	add_node(g.store, add_node(g.store, below, "made"), "and below");
	for (size_t i = 0; i < LOOM_COUNT(titles); i++)
		grove_must(loom_tree_set(g.store, tree, LOOM_TREE_TITLE, titles[i], &err), &err,
			   "title");
	grove_must(loom_bookmark_set(g.store, older, true, LOOM_STR("l"), &changed, &err), &err,
		   "mark");
	grove_must(loom_node_prune(g.store, below, &nodes, &changed, &err), &err, "prune");
	kept = grove_commit(&g);
}

static void prepare_undone_step(void)
{
	prepare_step();
	take_back();
}

/* Versions in two older groups; of the first the original is pruned, so that the version alone
 * keeps the group in sight. */
static void prepare_versions(void)
{
	struct loom_err err = {.status = LOOM_OK};
	int64_t second = grove_node(&g, first, "second");
	int64_t nodes[] = {first, second};

	grove_begin(&g, "edit");
	for (size_t i = 0; i < LOOM_COUNT(nodes); i++) {
		struct loom_node_spec spec = {.from = nodes[i],
					      .text = LOOM_STR_INIT("a version"),
					      .author = g.owner,
					      .seq = -1};
		int64_t node = 0;

		grove_must(loom_node_edit(g.store, &spec, LOOM_EDIT_VERSION, &node, &err), &err,
			   "edit");
	}
	kept = grove_commit(&g);
	grove_prune(&g, first);
}

static void prepare_undone_versions(void)
{
	prepare_versions();
	take_back();
}

static void prepare_import(void)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(import(&err), &err, "import");
	kept = raw_int(&g, "SELECT max(id) FROM op");
}

static void prepare_undone_import(void)
{
	prepare_import();
	take_back();
}

/* Names that must be free when their bearers come back. */
static void prepare_names(void)
{
	struct loom_agent spec = {.name = LOOM_STR_INIT("Somebody"), .kind = LOOM_AGENT_MODEL};
	struct loom_stash stash = {.label = LOOM_STR_INIT("hall"), .text = LOOM_STR_INIT("t")};
	struct loom_stash there;
	struct loom_thread thread;
	struct loom_err err = {.status = LOOM_OK};
	int64_t doc = 0;
	int64_t agent = 0;

	grove_begin(&g, "names");
	grove_must(loom_doc_create(g.store, LOOM_STR("plan"), LOOM_STR("x"), g.owner, &doc, &err),
		   &err, "doc");
	grove_must(loom_agent_create(g.store, &spec, &agent, &err), &err, "agent");
	grove_must(loom_thread_ensure(g.store, g.owner, tree, g.arena, &thread, &err), &err, "t");
	grove_must(loom_stash_create(g.store, thread.id, &stash, &err), &err, "stash");
	grove_commit(&g);
	grove_must(loom_stash_find(g.store, thread.id, stash.label, g.arena, &there, &err), &err,
		   "stash");
	grove_begin(&g, "rename");
	grove_must(loom_doc_rename(g.store, doc, LOOM_STR("design"), &err), &err, "doc");
	grove_must(loom_agent_rename(g.store, agent, LOOM_STR("Nobody"), &err), &err, "agent");
	grove_must(loom_stash_drop(g.store, there.id, &err), &err, "stash");
	kept = grove_commit(&g);
}

static void prepare_undone_names(void)
{
	prepare_names();
	take_back();
}

/* --- reading --- */

static enum loom_status read_lists(struct loom_err *err)
{
	struct loom_op_id id = id_of(1);
	struct loom_op *ops = NULL;
	struct loom_event *events = NULL;
	struct loom_op op;
	int64_t there = 0;
	size_t count = 0;
	enum loom_status status =
		loom_op_list(g.store, &(struct loom_op_page){.actor = g.owner, .limit = 10},
			     g.arena, &ops, &count, err);

	if (status == LOOM_OK)
		status = loom_op_list(g.store, &(struct loom_op_page){.limit = 10}, g.arena, &ops,
				      &count, err);
	if (status == LOOM_OK)
		status = loom_op_get(g.store, ops[0].id, g.arena, &op, err);
	if (status == LOOM_OK)
		status = loom_op_by_id(g.store, &id, &there, err);
	if (status == LOOM_OK)
		status = loom_events_since(g.store, 0, 10, g.arena, &events, &count, err);
	return status;
}

/* --- turns --- */

static enum loom_status take_a_turn(struct loom_err *err)
{
	bool covered = false;
	int64_t lease = 0;
	enum loom_status status = loom_quiet_begin(g.store, err);

	if (status != LOOM_OK)
		return status;
	status = loom_lease_take(g.store, mine, g.model, older, &lease, err);
	if (status == LOOM_OK)
		status = loom_lease_renew(mine, err);
	if (status == LOOM_OK)
		status = loom_lease_covers(g.store, lease, below, &covered, err);
	if (status == LOOM_OK)
		status = loom_lease_check(g.store, yours, root, false, err);
	if (status == LOOM_OK)
		status = loom_lease_release(g.store, lease, err);
	return loom_quiet_end(g.store, status, err);
}

/* An actor blocked by two turns is told so, or that they could not be looked up. */
static enum loom_status run_into_turns(struct loom_err *err)
{
	int64_t lease = 0;
	int64_t newer = 0;
	enum loom_status status = begin(false, err);

	if (status != LOOM_OK)
		return status;
	status = loom_lease_take(g.store, mine, g.model, below, &lease, err);
	if (status == LOOM_OK)
		status = loom_lease_take(g.store, mine, g.model, first, &lease, err);
	if (status == LOOM_OK)
		status = loom_lease_take(g.store, mine, g.model, older, &lease, err);
	if (status == LOOM_OK)
		status = add(root, &newer, err);
	if (status == LOOM_OK)
		status = loom_lease_check(g.store, yours, newer, true, err);
	if (status == LOOM_OK)
		status = loom_lease_check(g.store, yours, older, true, err);
	loom_op_rollback(g.store);
	return status == LOOM_CONFLICT ? LOOM_OK : status;
}

static enum loom_status with_sessions(enum loom_status (*run)(struct loom_err *),
				      struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!mine)
		status = loom_session_open(g.store, &mine, err);
	if (status == LOOM_OK && !yours)
		status = loom_session_open(g.store, &yours, err);
	return status == LOOM_OK ? run(err) : status;
}

static enum loom_status turns(struct loom_err *err)
{
	return with_sessions(take_a_turn, err);
}

static enum loom_status collisions(struct loom_err *err)
{
	return with_sessions(run_into_turns, err);
}

/* --- streams --- */

static enum loom_status begin_stream(const char *session, struct loom_err *err)
{
	struct loom_stream spec = {.tree = tree,
				   .from = older,
				   .agent = g.model,
				   .session = loom_str_of(session)};
	int64_t stream = 0;
	enum loom_status status = loom_stream_begin(g.store, &spec, &stream, err);

	if (status == LOOM_OK)
		status = loom_stream_add(g.store, stream, LOOM_STR("half a"), err);
	if (status == LOOM_OK)
		status = loom_stream_add(g.store, stream, LOOM_STR(" word\xFF\xE2\x82"), err);
	kept = stream;
	return status;
}

static enum loom_status stream(struct loom_err *err)
{
	struct loom_stream *list = NULL;
	struct loom_node_spec node = {.from = older,
				      .text = LOOM_STR_INIT("whole"),
				      .author = g.model,
				      .seq = -1};
	int64_t made = 0;
	size_t count = 0;
	enum loom_status status = begin(false, err);

	if (status != LOOM_OK)
		return status;
	status = begin_stream("s-1-here", err);
	if (status == LOOM_OK)
		status = loom_stream_list(g.store, tree, g.arena, &list, &count, err);
	if (status == LOOM_OK)
		status = loom_stream_finish(g.store, kept, &node, &made, err);
	return loom_op_end(g.store, status, NULL, err);
}

/* Two streams of processes that are gone. */
static void prepare_streams(void)
{
	struct loom_err err = {.status = LOOM_OK};

	grove_must(loom_quiet_begin(g.store, &err), &err, "begin");
	grove_must(begin_stream("s-1-gone", &err), &err, "stream");
	grove_must(begin_stream("s-2-gone", &err), &err, "stream");
	grove_must(loom_quiet_end(g.store, LOOM_OK, &err), &err, "end");
}

static enum loom_status sweep_streams(struct loom_err *err)
{
	int64_t count = 0;

	return loom_stream_sweep(g.store, &count, err);
}

const struct act acts[] = {
	{"open to write", NULL, open_to_write, ACT_PASSES_OVER | ACT_SAYS_OTHERWISE},
	{"open to read", NULL, open_to_read, ACT_PASSES_OVER | ACT_SAYS_OTHERWISE},
	{"look once", NULL, look_once, ACT_PASSES_OVER},
	{"ask whether it changed", NULL, ask_whether_it_changed, ACT_PASSES_OVER},
	{"respond", NULL, respond, ACT_AGAIN},
	{"go on with a batch", prepare_batch, go_on_with_a_batch, ACT_AGAIN},
	{"list what is outside", NULL, list_what_is_outside, ACT_AGAIN},
	{"import", NULL, import, ACT_AGAIN | ACT_IN_PARTS},
	{"leave an import and go on", NULL, leave_and_go_on, ACT_IN_PARTS},
	{"sweep", prepare_dead, sweep, ACT_IN_PARTS | ACT_STAYS | ACT_PASSES_OVER},
	{"change everything", NULL, change_everything, ACT_AGAIN},
	{"undo a step", prepare_step, undo, 0},
	{"undo the last step", prepare_step, undo_the_last, 0},
	{"undo what is outside", prepare_outside, undo_what_is_outside, ACT_PASSES_OVER},
	{"redo a step", prepare_undone_step, redo, 0},
	{"repeat a step", prepare_undone_step, repeat, 0},
	{"undo versions", prepare_versions, undo, 0},
	{"redo versions", prepare_undone_versions, redo, 0},
	{"undo an import", prepare_import, undo, 0},
	{"redo an import", prepare_undone_import, redo, 0},
	{"undo names", prepare_names, undo, 0},
	{"redo names", prepare_undone_names, redo, 0},
	{"read lists", NULL, read_lists, 0},
	{"take a turn", NULL, turns, ACT_AGAIN},
	{"run into turns", NULL, collisions, 0},
	{"stream", NULL, stream, ACT_AGAIN},
	{"sweep streams", prepare_streams, sweep_streams, ACT_IN_PARTS},
	{NULL, NULL, NULL, 0},
};
