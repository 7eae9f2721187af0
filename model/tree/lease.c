/* Leases: the turn on a branch, one row each. Until when a lease holds is in its session's file, so
 * that no row has a clock of one machine in it. Leases that do not hold any more have no effect;
 * the next writer that asks removes them. */
#include <loom/tree/tree_rows.h>

#include <loom/remote/remote.h>
#include <loom/tree/lease.h>
#include <loom/tree/node.h>
#include <loom/tree/tree.h>

void loom_session_at(struct loom_store *store, struct loom_session *session,
		     const struct loom_presence *who, int64_t node)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_presence what = *who;
	struct loom_node row;
	struct loom_tree tree;
	char name[LOOM_LOCAL_MAX];
	char id[LOOM_ULID_CHARS + 1];

	if (session && loom_node_get(store, node, LOOM_NODE_NARROW, arena, &row, NULL) == LOOM_OK &&
	    loom_tree_get(store, row.tree, arena, &tree, NULL) == LOOM_OK &&
	    loom_node_name(store, &row, name, NULL) == LOOM_OK) {
		loom_ulid_text(&tree.ulid, id);
		what.tree = loom_str_of(id);
		what.node = loom_str_of(name);
		what.depth = row.depth;
		if (!what.since)
			what.since = loom_env_now(loom_store_env(store));
		(void)!loom_session_say(session, &what, NULL);
	}
	loom_arena_destroy(arena);
}

struct lease {
	int64_t id;
	int64_t group;
	int64_t last; /* the newest node at that time */
	int64_t agent;
	struct loom_str session;
};

struct lease_list {
	struct lease *items;
	size_t count;
};

/* Those of other machines. */
static void add_far(const struct loom_store *store, int64_t tree, struct loom_arena *arena,
		    struct lease_list *out, size_t *cap)
{
	size_t count = 0;
	const struct model_far_lease *far = model_remote_leases(store, &count);

	for (size_t i = 0; i < count; i++) {
		if (far[i].tree != tree)
			continue;
		out->items =
			loom_arena_grow(arena, out->items, out->count, cap, sizeof *out->items);
		out->items[out->count++] = (struct lease){.group = far[i].group,
							  .agent = far[i].agent,
							  .session = far[i].session,
							  .last = far[i].last};
	}
}

/* Lists a tree's live leases. */
static enum loom_status living(struct loom_store *store, int64_t tree, struct loom_arena *arena,
			       struct lease_list *out, struct loom_err *err)
{
	size_t cap = 0;
	struct query q = model_query(store,
				     "SELECT id, grp, agent, session, last_node FROM lease "
				     "WHERE tree = ? ORDER BY id",
				     err);

	*out = (struct lease_list){NULL, 0};
	model_bind(&q, tree);
	while (model_row(&q)) {
		struct lease lease = {
			.id = model_int(&q, 0),
			.group = model_int(&q, 1),
			.agent = model_int(&q, 2),
			.session = model_text(&q, 3, arena),
			.last = model_int(&q, 4),
		};

		if (!loom_session_holds(store, lease.session))
			continue;
		out->items =
			loom_arena_grow(arena, out->items, out->count, &cap, sizeof *out->items);
		out->items[out->count++] = lease;
	}
	if (store->remote)
		add_far(store, tree, arena, out, &cap);
	return model_done(&q);
}

/* `asker` is the agent that the refusal speaks to. */
static enum loom_status refuse_for(struct loom_store *store, const struct lease *lease,
				   int64_t asker, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT '\"' || a.name || '\" has', n.tree, n.num, n.prime, t.key "
			    "FROM agent a, node n JOIN tree t ON t.id = n.tree WHERE a.id = ? "
			    "AND n.id = ?",
			    err);
	char holder[128] = "somebody has";
	char name[LOOM_LOCAL_MAX] = "?";

	model_bind(&q, lease->agent);
	model_bind(&q, lease->group);
	if (model_row(&q)) {
		struct loom_local local = {.num = model_int(&q, 2),
					   .prime = (int32_t)model_int(&q, 3)};

		snprintf(holder, sizeof holder, "%.*s",
			 LOOM_STR_ARG(lease->agent == asker ? LOOM_STR("you have")
							    : model_borrow(&q, 0)));
		loom_local_text((uint64_t)model_int(&q, 4), local, name);
	}
	if (model_done(&q) != LOOM_OK)
		return q.status;
	loom_fail(err, LOOM_CONFLICT, "%s the turn on the branch at [%s]", holder, name);
	return loom_hint(err, LOOM_CONFLICT,
			 "wait until it yields, or continue from another branch");
}

/* The node itself and what was created under it since; older branches do not count. */
static enum loom_status covers(struct loom_store *store, const struct lease *lease, int64_t group,
			       bool *out, struct loom_err *err)
{
	LOOM_ASSERT(lease && out);
	*out = lease->group == group;
	if (*out || group <= lease->last)
		return LOOM_OK;
	return loom_node_above(store, lease->group, group, out, err);
}

/* Nobody else writes where the lease covers; nobody else changes what it covers or what is above
 * it. */
static enum loom_status stands_against(struct loom_store *store, const struct lease *lease,
				       int64_t group, bool changes_node, bool *out,
				       struct loom_err *err)
{
	enum loom_status status = covers(store, lease, group, out, err);

	if (status == LOOM_OK && !*out && changes_node)
		status = loom_node_above(store, group, lease->group, out, err);
	return status;
}

enum loom_status loom_lease_covers(struct loom_store *store, int64_t lease, int64_t node, bool *out,
				   struct loom_err *err)
{
	struct lease row = {.id = lease};
	struct query q = model_query(store,
				     "SELECT l.grp, l.last_node, n.grp FROM lease l JOIN node n ON "
				     "n.tree = l.tree AND n.id = ?2 WHERE l.id = ?1",
				     err);
	int64_t group = 0;

	*out = false;
	model_bind(&q, lease);
	model_bind(&q, node);
	if (model_row(&q)) {
		row.group = model_int(&q, 0);
		row.last = model_int(&q, 1);
		group = model_int(&q, 2);
	}
	if (model_done(&q) != LOOM_OK || !group)
		return q.status;
	return covers(store, &row, group, out, err);
}

struct asking {
	const struct loom_session *session;
	int64_t agent;
	bool changes_node;
};

static enum loom_status check(struct loom_store *store, const struct asking *asking, int64_t node,
			      struct loom_err *err)
{
	const struct loom_session *session = asking->session;
	struct loom_arena *arena = loom_arena_create();
	struct lease_list leases;
	struct model_place place;
	enum loom_status status = model_node_place(store, node, &place, err);

	if (status == LOOM_OK)
		status = living(store, place.tree, arena, &leases, err);
	for (size_t i = 0; status == LOOM_OK && i < leases.count; i++) {
		const struct lease *lease = &leases.items[i];
		bool against = false;

		if (session && loom_str_is(lease->session, loom_session_name(session)))
			continue;
		status = stands_against(store, lease, place.group, asking->changes_node, &against,
					err);
		if (status == LOOM_OK && against)
			status = refuse_for(store, lease, asking->agent, err);
	}
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_lease_check(struct loom_store *store, const struct loom_session *session,
				  int64_t node, bool changes_node, struct loom_err *err)
{
	const struct model_write *write = &store->held->write;
	const struct asking asking = {
		.session = session,
		.agent = store->writing && !write->quiet ? write->spec.actor : 0,
		.changes_node = changes_node,
	};

	return check(store, &asking, node, err);
}

static enum loom_status remove_dead(struct loom_store *store, int64_t tree, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct query q = model_query(store, "SELECT id, session FROM lease WHERE tree = ?", err);
	int64_t *dead = NULL;
	size_t count = 0;
	size_t cap = 0;
	enum loom_status status;

	LOOM_ASSERT(store->writing);
	model_bind(&q, tree);
	while (model_row(&q)) {
		if (loom_session_holds(store, model_borrow(&q, 1)))
			continue;
		dead = loom_arena_grow(arena, dead, count, &cap, sizeof *dead);
		dead[count++] = model_int(&q, 0);
	}
	status = model_done(&q);
	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		status = loom_lease_release(store, dead[i], err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_lease_take(struct loom_store *store, const struct loom_session *session,
				 int64_t agent, int64_t node, int64_t *out_lease,
				 struct loom_err *err)
{
	struct model_place place = {.tree = 0};
	struct query q;
	const struct asking asking = {.session = session, .agent = agent};
	enum loom_status status = check(store, &asking, node, err);

	LOOM_ASSERT(session && out_lease && store->writing);
	if (status == LOOM_OK)
		status = model_node_place(store, node, &place, err);
	if (status == LOOM_OK)
		status = remove_dead(store, place.tree, err);
	if (status == LOOM_OK)
		status = loom_lease_renew(session, err);
	if (status != LOOM_OK)
		return status;
	q = model_query(store,
			"INSERT INTO lease(tree, grp, last_node, agent, session) "
			"VALUES(?,?,(SELECT max(id) FROM node),?,?) RETURNING id",
			err);
	model_bind(&q, place.tree);
	model_bind(&q, place.group);
	model_bind(&q, agent);
	model_bind_text(&q, loom_str_of(loom_session_name(session)));
	if (store->remote)
		model_remote_held(store);
	return model_insert(&q, out_lease);
}

enum loom_status loom_lease_renew(const struct loom_session *session, struct loom_err *err)
{
	return loom_session_hold(session, loom_env_boot() + LOOM_LEASE_MS, err);
}

enum loom_status loom_lease_release(struct loom_store *store, int64_t lease, struct loom_err *err)
{
	struct query q = model_query(store, "DELETE FROM lease WHERE id = ?", err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, lease);
	if (store->remote)
		model_remote_held(store);
	return model_run(&q);
}
