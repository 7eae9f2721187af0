/* The rules for entries: who speaks for whom. They ask only what is shared, so that every replica
 * answers alike.
 *
 * An account speaks for the persons that are bound to it, and for agents that are not persons. A
 * newcomer may bring in a person of their own and nothing else. Only an admin changes the bindings
 * of other accounts, and gives an account a person that is there already. Nobody renames another
 * account's person. */
#include "inside.h"

/* enum loom_member_may, and enum loom_agent_kind: stored by number. */
enum { NOBODY = -1, READER = REMOTE_READER, WRITER = 1, ADMIN = 2 };
enum { HUMAN = 0 };

static bool is_table(const struct model_change *change, const char *table)
{
	return strcmp(model_classes[change->class].table, table) == 0;
}

/* Gives a column of a change by its name. */
static const struct model_cell *cell(const struct model_shape *shapes,
				     const struct model_change *change, const char *name)
{
	const struct model_shape *shape = &shapes[change->class];

	LOOM_ASSERT(change->act == MODEL_ADDED || change->act == MODEL_CHANGED);
	for (size_t i = 0; i < shape->shared; i++)
		if (loom_str_is(shape->column[i], name))
			return &change->now[i];
	LOOM_ASSERT(!"a column of the table of classes");
	return NULL;
}

static int64_t number(const struct model_cell *cell)
{
	return cell->type == MODEL_CELL_INT ? cell->n : -1;
}

/* A newcomer's entry brings in persons, who hang on the grove's first operation, and says so. */
static bool comes_in(const struct model_shape *shapes, const struct model_entry *entry)
{
	bool member = false;

	for (size_t i = 0; i < entry->count; i++) {
		const struct model_change *change = &entry->changes[i];

		if (change->act != MODEL_ADDED ||
		    !(is_table(change, "agent") || is_table(change, "member")))
			return false;
		if (number(cell(shapes, change, "op")) != 1)
			return false;
		if (is_table(change, "agent") && number(cell(shapes, change, "kind")) != HUMAN)
			return false;
		member = member || is_table(change, "member");
	}
	return member;
}

enum loom_status remote_rights(struct loom_store *store, struct loom_str role, int64_t *out,
			       struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT max(m.may) FROM member m JOIN op o ON o.id = m.op AND "
				     "o.state = 1 WHERE m.role = ? AND m.live = 1",
				     err);

	model_bind_text(&q, role);
	return model_one(&q, NOBODY, out);
}

enum loom_status remote_judge_before(struct loom_store *store, const struct model_entry *entry,
				     int64_t *out_may, struct loom_buf *why, struct loom_err *err)
{
	enum loom_status status = remote_rights(store, entry->role, out_may, err);

	if (status != LOOM_OK)
		return status;
	if (*out_may == NOBODY && !comes_in(store->remote->shapes, entry))
		loom_buf_addf(why, "the account %.*s is no member", LOOM_STR_ARG(entry->role));
	else if (*out_may == READER)
		loom_buf_addf(why, "the account %.*s may only read", LOOM_STR_ARG(entry->role));
	return LOOM_OK;
}

/* Whether the account speaks for an agent: it is no person, or a person of the account. */
static enum loom_status speaks_for(struct loom_store *store, const struct model_entry *entry,
				   int64_t agent, bool *out, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT a.kind <> 0 OR EXISTS(SELECT 1 FROM member m WHERE "
				     "m.agent = a.id AND m.role = ?2) FROM agent a WHERE a.id = ?1",
				     err);
	int64_t yes = 0;
	enum loom_status status;

	LOOM_ASSERT(entry->role.p || !entry->role.n);
	model_bind(&q, agent);
	model_bind_text(&q, entry->role);
	status = model_one(&q, 0, &yes);
	*out = yes != 0;
	return status;
}

static enum loom_status judge_actor(struct loom_store *store, const struct model_entry *entry,
				    int64_t actor, struct loom_buf *why, struct loom_err *err)
{
	bool yes = false;
	enum loom_status status = speaks_for(store, entry, actor, &yes, err);

	if (status == LOOM_OK && !yes)
		loom_buf_addf(why, "the account %.*s does not speak for agent %lld",
			      LOOM_STR_ARG(entry->role), (long long)actor);
	return status;
}

/* Whether a person came with the entry. */
static bool brings(const struct model_shape *shapes, const struct model_entry *entry, int64_t agent)
{
	for (size_t i = 0; i < entry->count; i++) {
		const struct model_change *change = &entry->changes[i];

		if (change->act == MODEL_ADDED && is_table(change, "agent") &&
		    number(cell(shapes, change, "id")) == agent)
			return true;
	}
	return false;
}

/* Whether the person was this account's before the row was added: it is theirs to take up again. */
static enum loom_status was_own(struct loom_store *store, const struct model_entry *entry,
				int64_t agent, int64_t member, bool *out, struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT EXISTS(SELECT 1 FROM member WHERE agent = ? AND role = ? AND id < ?)", err);
	int64_t yes = 0;
	enum loom_status status;

	LOOM_ASSERT(out);
	model_bind(&q, agent);
	model_bind_text(&q, entry->role);
	model_bind(&q, member);
	status = model_one(&q, 0, &yes);
	*out = yes != 0;
	return status;
}

static enum loom_status judge_new_member(struct loom_store *store, const struct model_entry *entry,
					 const struct model_change *change, int64_t may,
					 struct loom_buf *why, struct loom_err *err)
{
	const struct model_shape *shapes = store->remote->shapes;
	const struct model_cell *role = cell(shapes, change, "role");
	const int64_t agent = number(cell(shapes, change, "agent"));
	bool own = may == ADMIN || brings(shapes, entry, agent);
	enum loom_status status = LOOM_OK;

	if (!own)
		status = was_own(store, entry, agent, number(&change->now[0]), &own, err);
	if (status == LOOM_OK && may != ADMIN &&
	    (!own || !loom_str_eq(role->s, entry->role) ||
	     number(cell(shapes, change, "may")) > WRITER))
		loom_buf_addf(why, "the account %.*s may not bind %.*s to agent %lld",
			      LOOM_STR_ARG(entry->role), LOOM_STR_ARG(role->s), (long long)agent);
	return status;
}

static enum loom_status judge_old_member(struct loom_store *store, const struct model_entry *entry,
					 int64_t member, struct loom_buf *why, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT role = ? FROM member WHERE id = ?", err);
	int64_t own = 0;
	enum loom_status status;

	model_bind_text(&q, entry->role);
	model_bind(&q, member);
	status = model_one(&q, 0, &own);
	if (status == LOOM_OK && !own)
		loom_buf_addf(why, "the account %.*s may not change another's binding",
			      LOOM_STR_ARG(entry->role));
	return status;
}

/* A person of nobody's account is only a name that an import brought. */
static enum loom_status judge_renamed(struct loom_store *store, const struct model_entry *entry,
				      int64_t agent, struct loom_buf *why, struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT EXISTS(SELECT 1 FROM member WHERE agent = ?1) AND NOT "
				     "EXISTS(SELECT 1 FROM member WHERE agent = ?1 AND role = ?2)",
				     err);
	int64_t others = 0;
	enum loom_status status;

	model_bind(&q, agent);
	model_bind_text(&q, entry->role);
	status = model_one(&q, 0, &others);
	if (status == LOOM_OK && others)
		loom_buf_addf(why, "the account %.*s may not change another's person",
			      LOOM_STR_ARG(entry->role));
	return status;
}

/* The numbers that a tree gives next never fall: they would be given twice. */
static void judge_tree(const struct model_shape *shapes, const struct model_change *change,
		       struct loom_buf *why)
{
	static const char *const columns[] = {"next_num", "next_note"};

	LOOM_ASSERT(change->was);
	for (size_t i = 0; i < LOOM_COUNT(columns); i++) {
		const struct model_cell *now = cell(shapes, change, columns[i]);
		const size_t at = (size_t)(now - change->now);

		if (change->set & (UINT64_C(1) << at) && number(now) < number(&change->was[at]))
			loom_buf_addf(why, "the tree %lld would give numbers twice",
				      (long long)number(&change->now[0]));
	}
}

enum loom_status remote_judge_change(struct loom_store *store, const struct model_entry *entry,
				     const struct model_change *change, int64_t may,
				     struct loom_buf *why, struct loom_err *err)
{
	const struct model_shape *shapes = store->remote->shapes;
	const struct model_cell *by = NULL;

	LOOM_ASSERT(may >= NOBODY && may <= ADMIN);
	if (change->act == MODEL_ADDED && (is_table(change, "op") || is_table(change, "event")))
		return judge_actor(store, entry, number(cell(shapes, change, "actor")), why, err);
	if (is_table(change, "member") && change->act == MODEL_ADDED)
		return judge_new_member(store, entry, change, may, why, err);
	if (is_table(change, "member") && change->act == MODEL_CHANGED)
		return may == ADMIN
			       ? LOOM_OK
			       : judge_old_member(store, entry, number(&change->now[0]), why, err);
	if (is_table(change, "tree") && change->act == MODEL_CHANGED)
		judge_tree(shapes, change, why);
	if (is_table(change, "agent") && change->act == MODEL_CHANGED)
		return judge_renamed(store, entry, number(&change->now[0]), why, err);
	if (!is_table(change, "proposal") || change->act > MODEL_ADDED)
		return LOOM_OK;
	by = cell(shapes, change, "decided_by");
	return number(by) > 0 ? judge_actor(store, entry, by->n, why, err) : LOOM_OK;
}
