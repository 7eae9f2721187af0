/* Threads as rows: position, choices, last-visited children; and each person's current tree. None
 * of it is an operation: moving about is not work. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/person.h>
#include <loom/work/thread.h>

#define THREAD_SELECT                                                                              \
	"SELECT h.id, h.name, h.agent, h.tree, h.position, h.implicit, h.created, h.active "       \
	"FROM thread h "

static void read_thread(const struct query *q, struct loom_arena *arena, struct loom_thread *out)
{
	*out = (struct loom_thread){
		.id = model_int(q, 0),
		.name = model_text(q, 1, arena),
		.agent = model_int(q, 2),
		.tree = model_int(q, 3),
		.position = model_int(q, 4),
		.implicit = model_int(q, 5) != 0,
		.created = model_int(q, 6),
		.active = model_int(q, 7),
	};
}

static enum loom_status take_thread(struct query *q, struct loom_arena *arena,
				    struct loom_thread *out)
{
	struct loom_err *err = q->err;
	bool there = model_row(q);

	if (there)
		read_thread(q, arena, out);
	if (model_done(q) != LOOM_OK)
		return q->status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "there is no such thread");
}

enum loom_status loom_thread_implicit(struct loom_store *store, int64_t agent, int64_t tree,
				      struct loom_arena *arena, struct loom_thread *out,
				      struct loom_err *err)
{
	struct query q =
		model_query(store,
			    THREAD_SELECT "WHERE h.agent = ? AND h.tree = ? AND h.implicit = 1",
			    err);

	model_bind(&q, agent);
	model_bind(&q, tree);
	return take_thread(&q, arena, out);
}

enum loom_status loom_thread_get(struct loom_store *store, int64_t thread, struct loom_arena *arena,
				 struct loom_thread *out, struct loom_err *err)
{
	struct query q = model_query(store, THREAD_SELECT "WHERE h.id = ?", err);

	model_bind(&q, thread);
	return take_thread(&q, arena, out);
}

enum loom_status loom_thread_find(struct loom_store *store, struct loom_str name,
				  struct loom_arena *arena, struct loom_thread *out,
				  struct loom_err *err)
{
	struct query q = model_query(store, THREAD_SELECT "WHERE h.name = ?", err);

	model_bind_text(&q, name);
	return take_thread(&q, arena, out);
}

enum loom_status loom_thread_list(struct loom_store *store, bool implicit_too,
				  struct loom_arena *arena, struct loom_thread **out,
				  size_t *out_count, struct loom_err *err)
{
	struct query q = model_query(store,
				     THREAD_SELECT
				     "WHERE h.implicit = 0 OR ?1 ORDER BY h.active DESC, h.id DESC",
				     err);
	size_t cap = 0;

	*out = NULL;
	*out_count = 0;
	model_bind(&q, implicit_too);
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		read_thread(&q, arena, &(*out)[(*out_count)++]);
	}
	return model_done(&q);
}

/* --- creating --- */

static enum loom_status insert_thread(struct loom_store *store, const struct loom_thread *spec,
				      int64_t *out, struct loom_err *err)
{
	struct query q = model_query(store,
				     "INSERT INTO thread(name, agent, tree, position, implicit, "
				     "created, active) SELECT ?1, ?2, id, root, ?3, ?4, ?4 "
				     "FROM tree WHERE id = ?5 RETURNING id",
				     err);

	LOOM_ASSERT(store->writing && out);
	model_bind_text(&q, spec->name);
	model_bind(&q, spec->agent);
	model_bind(&q, spec->implicit);
	model_bind(&q, loom_env_now(store->env));
	model_bind(&q, spec->tree);
	*out = 0;
	if (model_insert(&q, out) != LOOM_OK)
		return q.status;
	return *out ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "there is no such tree");
}

static enum loom_status draw_name(struct loom_store *store, struct loom_arena *arena,
				  struct loom_str *out, struct loom_err *err)
{
	int64_t last = 0;
	uint8_t random[4];
	struct loom_buf name = LOOM_BUF_INIT(64);
	struct query q = model_query(store, "SELECT max(id) FROM thread", err);
	enum loom_status status = model_one(&q, 0, &last);

	loom_env_random(store->env, (uint64_t)(last + 1) << 8 ^ 0x7468, random, sizeof random);
	loom_buf_adds(&name, "thread-");
	loom_hex(random, sizeof random, &name);
	*out = loom_arena_buf(arena, &name);
	loom_buf_fini(&name);
	return status;
}

enum loom_status loom_thread_ensure(struct loom_store *store, int64_t agent, int64_t tree,
				    struct loom_arena *arena, struct loom_thread *out,
				    struct loom_err *err)
{
	struct loom_thread spec = {.agent = agent, .tree = tree, .implicit = true};
	struct loom_err ignored;
	int64_t id = 0;
	enum loom_status status = loom_thread_implicit(store, agent, tree, arena, out, &ignored);

	if (status != LOOM_NOT_FOUND)
		return status;
	status = draw_name(store, arena, &spec.name, err);
	if (status == LOOM_OK)
		status = insert_thread(store, &spec, &id, err);
	return status == LOOM_OK ? loom_thread_get(store, id, arena, out, err) : status;
}

enum loom_status loom_thread_create(struct loom_store *store, struct loom_str name, int64_t agent,
				    int64_t tree, int64_t *out_thread, struct loom_err *err)
{
	struct loom_thread spec = {.name = name, .agent = agent, .tree = tree};
	struct query q = model_query(store, "SELECT id FROM thread WHERE name = ?", err);
	int64_t taken = 0;

	model_bind_text(&q, name);
	if (model_one(&q, 0, &taken) != LOOM_OK)
		return q.status;
	if (taken)
		return loom_fail(err, LOOM_CONFLICT, "a thread %.*s already exists",
				 LOOM_STR_ARG(name));
	return insert_thread(store, &spec, out_thread, err);
}

enum loom_status loom_thread_hand(struct loom_store *store, int64_t thread, int64_t agent,
				  struct loom_err *err)
{
	struct query q = model_query(
		store, "UPDATE thread SET agent = ?, ver = ver + 1 WHERE id = ? AND implicit = 0",
		err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, agent);
	model_bind(&q, thread);
	return model_run(&q);
}

/* --- moving --- */

enum loom_status loom_thread_choose(struct loom_store *store, int64_t thread, int64_t group,
				    int64_t member, struct loom_err *err)
{
	static const char set[] = "INSERT INTO choice(thread, grp, member) VALUES(?1, ?2, ?3) "
				  "ON CONFLICT DO UPDATE SET member = ?3 WHERE member <> ?3";
	static const char clear[] = "DELETE FROM choice WHERE thread = ?1 AND grp = ?2";
	struct query q = model_query(store, member ? set : clear, err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, thread);
	model_bind(&q, group);
	if (member)
		model_bind(&q, member);
	return model_run(&q);
}

enum loom_status loom_thread_choice(struct loom_store *store, int64_t thread, int64_t group,
				    int64_t *out_member, struct loom_err *err)
{
	struct query q =
		model_query(store, "SELECT member FROM choice WHERE thread = ? AND grp = ?", err);

	model_bind(&q, thread);
	model_bind(&q, group);
	return model_one(&q, 0, out_member);
}

enum loom_status loom_thread_choices(struct loom_store *store, int64_t thread,
				     struct loom_arena *arena, struct loom_nodes *out,
				     struct loom_err *err)
{
	static const char *const forms[] = MODEL_NODE_FORMS(
		"choice c CROSS JOIN node n ON n.id = c.member" MODEL_DONE_OP,
		"WHERE c.thread = ? AND EXISTS(SELECT 1 FROM node v WHERE v.grp = c.grp AND "
		"v.id <> v.grp) ORDER BY n.id");
	struct query q = model_query(store, forms[model_node_form(LOOM_NODE_NARROW)], err);
	size_t cap = 0;

	*out = (struct loom_nodes){NULL, 0};
	model_bind(&q, thread);
	while (model_row(&q)) {
		out->items =
			loom_arena_grow(arena, out->items, out->count, &cap, sizeof *out->items);
		model_read_node(&q, LOOM_NODE_NARROW, arena, &out->items[out->count++]);
	}
	return model_done(&q);
}

enum loom_status loom_thread_visited(struct loom_store *store, int64_t thread, int64_t group,
				     int64_t *out_child_group, struct loom_err *err)
{
	struct query q =
		model_query(store, "SELECT child FROM visited WHERE thread = ? AND grp = ?", err);

	model_bind(&q, thread);
	model_bind(&q, group);
	return model_one(&q, 0, out_child_group);
}

static enum loom_status remember_step(struct loom_store *store, int64_t thread, int64_t parent,
				      int64_t child, struct loom_err *err)
{
	struct query q = model_query(store,
				     "INSERT INTO visited(thread, grp, child) VALUES(?1, ?2, ?3) "
				     "ON CONFLICT DO UPDATE SET child = ?3 WHERE child <> ?3",
				     err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, thread);
	model_bind(&q, parent);
	model_bind(&q, child);
	return model_run(&q);
}

/* The way to the old place is remembered already, so only the part below where the two ways part is
 * new. Of a long one only the first step, which decides the fork, and the last ones are stored: the
 * rest is not worth a long write. */
static enum loom_status remember_way(struct loom_store *store, int64_t thread, int64_t from,
				     int64_t to, struct loom_err *err)
{
	enum { STEPS = 512 };
	int64_t top = 0;
	int64_t meet = 0;
	int64_t at = to;
	enum loom_status status = model_part(store, from, to, &meet, &top, err);

	if (status == LOOM_OK && top)
		status = remember_step(store, thread, meet, top, err);
	for (int steps = 0; steps < STEPS && at != meet && status == LOOM_OK; steps++) {
		int64_t parent = 0;
		struct query q = model_query(store, "SELECT parent FROM node WHERE id = ?", err);

		model_bind(&q, at);
		status = model_one(&q, 0, &parent);
		if (status == LOOM_OK && at != top)
			status = remember_step(store, thread, parent, at, err);
		at = parent;
	}
	return status;
}

/* The destination of a move. */
struct goal {
	int64_t group;
	int64_t tree;
	int64_t from; /* the group it comes from */
	bool may_go;
	bool versions;
	bool on_path;
};

static enum loom_status read_goal(struct loom_store *store, int64_t thread, int64_t node,
				  struct goal *out, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT n.grp, n.tree = h.tree OR NOT h.implicit, t.mode = 1 OR EXISTS(SELECT 1 "
		"FROM node v WHERE v.grp = n.grp AND v.id <> v.grp), n.kind, n.tree, "
		"(SELECT grp FROM node WHERE id = h.position) FROM node n "
		"JOIN op o ON o.id = n.op AND (o.state = 1 OR o.id = ?3) "
		"JOIN thread h ON h.id = ?2 JOIN tree t ON t.id = n.tree WHERE n.id = ?1",
		err);

	model_bind(&q, node);
	model_bind(&q, thread);
	model_bind(&q, store->held->write.op);
	if (model_row(&q))
		*out = (struct goal){
			.group = model_int(&q, 0),
			.may_go = model_int(&q, 1) != 0,
			.versions = model_int(&q, 2) != 0,
			.on_path = model_int(&q, 3) == LOOM_CONTINUATION,
			.tree = model_int(&q, 4),
			.from = model_int(&q, 5),
		};
	return model_done(&q);
}

static enum loom_status set_position(struct loom_store *store, int64_t thread, int64_t node,
				     int64_t tree, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "UPDATE thread SET position = ?, tree = ?, active = ?, ver = ver + 1 "
			    "WHERE id = ?",
			    err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, node);
	model_bind(&q, tree);
	model_bind(&q, loom_env_now(store->env));
	model_bind(&q, thread);
	return model_run(&q);
}

enum loom_status loom_thread_move(struct loom_store *store, int64_t thread, int64_t node,
				  struct loom_err *err)
{
	struct goal goal = {0};
	enum loom_status status = read_goal(store, thread, node, &goal, err);

	if (status != LOOM_OK)
		return status;
	if (!goal.group || !goal.may_go)
		return loom_fail(err, LOOM_NOT_FOUND, "the node is not in this thread's tree");
	if (!goal.on_path)
		return loom_fail(err, LOOM_CONFLICT,
				 "a note is not on a path, so a thread cannot move to it");
	status = set_position(store, thread, node, goal.tree, err);
	if (status == LOOM_OK && goal.versions)
		status = loom_thread_choose(store, thread, goal.group, node, err);
	return status == LOOM_OK ? remember_way(store, thread, goal.from, goal.group, err) : status;
}

enum loom_status loom_thread_stand(struct loom_store *store, const struct loom_thread *thread,
				   int64_t *out_node, struct loom_err *err)
{
	return loom_node_visible(store, thread->position, out_node, NULL, err);
}

/* --- the current tree --- */

/* Picks a tree if none was chosen, or the chosen one is gone: the newest, or the last one worked
 * in. */
static enum loom_status tree_instead(struct loom_store *store, bool gone, int64_t *out_tree,
				     struct loom_err *err)
{
	static const char active[] =
		"SELECT t.id FROM tree t JOIN op o ON o.id = t.op AND o.state = 1 "
		"ORDER BY t.active DESC, t.id DESC LIMIT 1";
	static const char newest[] =
		"SELECT t.id FROM tree t JOIN op o ON o.id = t.op AND o.state = 1 "
		"ORDER BY t.id DESC LIMIT 1";
	struct query q = model_query(store, gone ? active : newest, err);

	if (model_one(&q, 0, out_tree) != LOOM_OK || *out_tree)
		return q.status;
	loom_fail(err, LOOM_NOT_FOUND, "the grove has no tree yet");
	return loom_hint(err, LOOM_NOT_FOUND, "`loom new --title \"…\"` makes one");
}

enum loom_status loom_current_tree(struct loom_store *store, int64_t *out_tree,
				   struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT c.tree IS NOT NULL, (SELECT t.id FROM tree t JOIN op o ON o.id = t.op AND "
		"o.state = 1 WHERE t.id = c.tree) FROM (SELECT coalesce((SELECT p.tree FROM place "
		"p WHERE p.agent = ?1 AND g.owner <> ?1), g.current_tree) AS tree FROM grove g "
		"WHERE g.id = 1) c",
		err);
	bool chosen = false;

	*out_tree = 0;
	model_bind(&q, loom_me(store));
	if (model_row(&q)) {
		chosen = model_int(&q, 0) != 0;
		*out_tree = model_int(&q, 1);
	}
	if (model_done(&q) != LOOM_OK || *out_tree)
		return q.status;
	return tree_instead(store, chosen, out_tree, err);
}

enum loom_status loom_use_tree(struct loom_store *store, int64_t tree, struct loom_err *err)
{
	const int64_t me = loom_me(store);
	int64_t founder = 0;
	struct query q = model_query(store, "SELECT owner FROM grove WHERE id = 1", err);

	LOOM_ASSERT(store->writing);
	if (model_one(&q, 0, &founder) != LOOM_OK)
		return q.status;
	if (me == founder) {
		q = model_query(store, "UPDATE grove SET current_tree = ? WHERE id = 1", err);
	} else {
		q = model_query(store, "INSERT OR REPLACE INTO place(tree, agent) VALUES(?, ?)",
				err);
	}
	model_bind(&q, tree);
	if (me != founder)
		model_bind(&q, me);
	return model_run(&q);
}
