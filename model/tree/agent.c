/* Agents as rows, and a grove's first ones. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/agent.h>
#include <loom/base/utf8.h>

#define AGENT_SELECT                                                                               \
	"SELECT a.id, a.ulid, a.name, a.kind, a.model, a.sampling, a.aware, a.created, "           \
	"a.ver = 1 AND o.kind IN ('import', 'paste'), a.claim, a.origin, a.said "                  \
	"FROM agent a JOIN op o ON o.id = a.op AND o.state = 1 "

static const struct loom_ulid none = {{0}};

/* --- claims --- */

static const struct {
	const char *name;
	const char *why;
} claims[] = {
	[LOOM_CLAIM_NONE] = {NULL, ""},
	[LOOM_CLAIM_HASH] = {"hash", "its hash does not match"},
	[LOOM_CLAIM_UNSIGNED] = {"unsigned", "not signed by this grove"},
	[LOOM_CLAIM_OLD] = {"old", "imported before signatures existed"},
};

const struct loom_ulid *loom_agent_hashed(const struct loom_agent *agent)
{
	return loom_ulid_eq(&agent->said, &none) ? &agent->ulid : &agent->said;
}

const char *loom_agent_kind_name(enum loom_agent_kind kind)
{
	static const char *const names[] = {
		[LOOM_AGENT_HUMAN] = "human",
		[LOOM_AGENT_MODEL] = "model",
		[LOOM_AGENT_OTHER] = "other",
	};

	return kind < LOOM_COUNT(names) ? names[kind] : names[LOOM_AGENT_OTHER];
}

const char *loom_claim_name(enum loom_claim claim)
{
	return claims[(size_t)claim % LOOM_COUNT(claims)].name;
}

const char *loom_claim_why(enum loom_claim claim)
{
	return claims[(size_t)claim % LOOM_COUNT(claims)].why;
}

enum loom_claim loom_claim_parse(struct loom_str name)
{
	for (size_t i = 1; i < LOOM_COUNT(claims); i++)
		if (loom_str_is(name, claims[i].name))
			return (enum loom_claim)i;
	return LOOM_CLAIM_NONE;
}

/* --- reading --- */

static void read_agent(const struct query *q, struct loom_arena *arena, struct loom_agent *out)
{
	*out = (struct loom_agent){
		.id = model_int(q, 0),
		.name = model_text(q, 2, arena),
		.kind = (enum loom_agent_kind)model_int(q, 3),
		.model = model_text(q, 4, arena),
		.sampling = model_text(q, 5, arena),
		.aware = model_int(q, 6) != 0,
		.created = model_int(q, 7),
		.met = model_int(q, 8) != 0,
		.claim = (enum loom_claim)model_int(q, 9),
		.from = model_text(q, 10, arena),
	};
	model_ulid(q, 1, &out->ulid);
	if (!model_is_null(q, 11))
		model_ulid(q, 11, &out->said);
}

struct loom_str loom_agent_called(int64_t agent, int64_t reader, struct loom_str name)
{
	return agent && agent == reader ? LOOM_STR("you") : name;
}

bool loom_agent_acts(const struct loom_agent *agent)
{
	return agent->claim == LOOM_CLAIM_NONE;
}

static enum loom_status take_agent(struct query *q, struct loom_arena *arena,
				   struct loom_agent *out, bool *out_there)
{
	*out_there = model_row(q);
	if (*out_there)
		read_agent(q, arena, out);
	return model_done(q);
}

enum loom_status loom_agent_get(struct loom_store *store, int64_t agent, struct loom_arena *arena,
				struct loom_agent *out, struct loom_err *err)
{
	struct query q = model_query(store, AGENT_SELECT "WHERE a.id = ?", err);
	bool there = false;

	model_bind(&q, agent);
	if (take_agent(&q, arena, out, &there) != LOOM_OK)
		return q.status;
	return there ? LOOM_OK : loom_fail(err, LOOM_NOT_FOUND, "there is no such agent");
}

static enum loom_status hint_agents(enum loom_status status, struct loom_err *err)
{
	return loom_hint(err, status, "`loom agent list` shows them");
}

enum loom_status loom_agent_refuse_claim(struct loom_str name, struct loom_str origin,
					 struct loom_err *err)
{
	return hint_agents(loom_fail(err, LOOM_NOT_FOUND,
				     "\"%.*s\" is only a name from %.*s and cannot act here",
				     LOOM_STR_ARG(name), LOOM_STR_ARG(origin)),
			   err);
}

/* Fails with LOOM_NOT_FOUND, mentioning a claim if the name or ULID belongs to one. */
static enum loom_status fail_unknown(struct loom_store *store, struct loom_str name,
				     struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT a.origin FROM agent a JOIN op o ON o.id = a.op AND "
			    "o.state = 1 WHERE a.claim <> 0 AND (a.name = ?1 COLLATE NOCASE "
			    "OR a.ulid = ?2 OR a.said = ?2) LIMIT 1",
			    err);
	struct loom_ulid ulid = none;
	bool there;

	(void)loom_ulid_parse(name, &ulid);
	model_bind_text(&q, name);
	model_bind_blob(&q, ulid.bytes, sizeof ulid.bytes);
	there = model_row(&q);
	if (there)
		loom_agent_refuse_claim(name, model_borrow(&q, 0), err);
	if (model_done(&q) != LOOM_OK)
		return q.status;
	return there ? LOOM_NOT_FOUND
		     : hint_agents(loom_fail(err, LOOM_NOT_FOUND, "there is no agent \"%.*s\"",
					     LOOM_STR_ARG(name)),
				   err);
}

enum loom_status loom_agent_find(struct loom_store *store, struct loom_str name,
				 struct loom_arena *arena, struct loom_agent *out,
				 struct loom_err *err)
{
	static const char by_name[] =
		AGENT_SELECT "WHERE a.claim = 0 AND a.name = ?1 COLLATE NOCASE "
			     "ORDER BY a.name = ?1 DESC, a.id LIMIT 1";
	struct loom_ulid ulid;
	struct query q = model_query(store, by_name, err);
	bool there = false;
	enum loom_status status;

	LOOM_ASSERT(loom_str_ok(name));
	model_bind_text(&q, name);
	status = take_agent(&q, arena, out, &there);
	if (status == LOOM_OK && !there && loom_ulid_parse(name, &ulid)) {
		q = model_query(store, AGENT_SELECT "WHERE a.ulid = ? AND a.claim = 0", err);
		model_bind_blob(&q, ulid.bytes, sizeof ulid.bytes);
		status = take_agent(&q, arena, out, &there);
	}
	return status != LOOM_OK || there ? status : fail_unknown(store, name, err);
}

enum loom_status loom_agent_list(struct loom_store *store, struct loom_arena *arena,
				 struct loom_agent **out, size_t *out_count, struct loom_err *err)
{
	struct query q = model_query(store, AGENT_SELECT "ORDER BY a.id", err);
	size_t cap = 0;

	LOOM_ASSERT(out && out_count);
	*out = NULL;
	*out_count = 0;
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		read_agent(&q, arena, &(*out)[(*out_count)++]);
	}
	return model_done(&q);
}

struct loom_str *loom_agent_marks(const struct loom_agent *agents, size_t count,
				  struct loom_arena *arena)
{
	struct loom_str *names = LOOM_ARENA_ARRAY(arena, count, struct loom_str);
	struct loom_str *marks = NULL;

	LOOM_ASSERT(agents || !count);
	for (size_t i = 0; i < count; i++)
		names[i] = agents[i].name;
	marks = loom_name_marks(LOOM_NAMED_AGENT, names, count, arena);
	if (count)
		marks[0] = LOOM_STR("");
	return marks;
}

static const struct model_names agent_names = {
	.what = LOOM_NAMED_AGENT,
	.one = "an agent",
	.max = 100,
	.taken = "SELECT a.id FROM agent a JOIN op o ON o.id = a.op AND o.state = 1 "
		 "WHERE a.name = ?1 COLLATE NOCASE AND a.id <> ?2 AND a.claim = 0",
	.others = "SELECT a.name FROM agent a JOIN op o ON o.id = a.op AND o.state = 1 "
		  "WHERE a.id <> ? AND a.claim = 0",
};

enum loom_status model_agent_name(struct loom_store *store, int64_t self, struct loom_str name,
				  struct loom_err *err)
{
	return model_name_refuse(store, &agent_names, self, name, err);
}

enum loom_status model_agent_insert(struct loom_store *store, const struct loom_agent *spec,
				    int64_t *out, struct loom_err *err)
{
	struct loom_ulid ulid;
	uint8_t random[5];
	int64_t now = spec->created ? spec->created : loom_env_now(store->env);
	int64_t last = 0;
	struct query q = model_query(store, "SELECT max(id) FROM agent", err);
	enum loom_status status = model_one(&q, 0, &last);

	LOOM_ASSERT(store->held && out);
	if (status != LOOM_OK)
		return status;
	*out = last + 1;
	loom_env_random(store->env, (uint64_t)*out << 8 ^ 0x6167, random, sizeof random);
	ulid = loom_ulid_make(now, (uint64_t)*out, random);
	/* Files with claims are full of names made from a time and a counter. */
	if (spec->claim)
		loom_env_random(store->env, (uint64_t)*out << 8 ^ 0x636C, ulid.bytes,
				sizeof ulid.bytes);
	if (!loom_ulid_eq(&spec->ulid, &none))
		ulid = spec->ulid;
	q = model_query(
		store,
		"INSERT INTO agent(id, op, ulid, name, kind, model, sampling, aware, created, "
		"claim, origin, said) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
		err);
	model_bind(&q, *out);
	model_bind(&q, store->held->write.op);
	model_bind_blob(&q, ulid.bytes, sizeof ulid.bytes);
	model_bind_text(&q, spec->name);
	model_bind(&q, spec->kind);
	model_bind_text(&q, spec->model);
	model_bind_text(&q, spec->sampling);
	model_bind(&q, spec->aware);
	model_bind(&q, now);
	model_bind(&q, spec->claim);
	model_bind_text(&q, spec->from);
	if (loom_ulid_eq(&spec->said, &none))
		model_bind_null(&q);
	else
		model_bind_blob(&q, spec->said.bytes, sizeof spec->said.bytes);
	return model_run(&q);
}

enum loom_status loom_agent_create(struct loom_store *store, const struct loom_agent *spec,
				   int64_t *out_agent, struct loom_err *err)
{
	enum loom_status status = spec->claim ? model_name_form(&agent_names, spec->name, err)
					      : model_agent_name(store, 0, spec->name, err);

	if (status == LOOM_OK)
		status = model_op_need(store, NULL, err);
	return status == LOOM_OK ? model_agent_insert(store, spec, out_agent, err) : status;
}

/* A claim without a ULID in its file may be known by the one it got here, if that returns. */
static enum loom_status find_claim(struct loom_store *store, const struct loom_agent *spec,
				   int64_t *out, struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "SELECT a.id FROM agent a JOIN op o ON o.id = a.op AND "
			    "(o.state = 1 OR o.id = ?1) WHERE a.name = ?2 COLLATE NOCASE "
			    "AND a.name = ?2 AND a.claim = ?3 AND a.origin = ?4 AND a.kind "
			    "= ?5 AND iif(?6 IS NULL, a.said IS NULL, coalesce(a.said, "
			    "a.ulid) = ?6) LIMIT 1",
			    err);

	LOOM_ASSERT(spec->claim != LOOM_CLAIM_NONE);
	model_bind(&q, store->held->write.op);
	model_bind_text(&q, spec->name);
	model_bind(&q, spec->claim);
	model_bind_text(&q, spec->from);
	model_bind(&q, spec->kind);
	if (loom_ulid_eq(&spec->said, &none))
		model_bind_null(&q);
	else
		model_bind_blob(&q, spec->said.bytes, sizeof spec->said.bytes);
	return model_one(&q, 0, out);
}

enum loom_status loom_agent_claim(struct loom_store *store, const struct loom_agent *spec,
				  int64_t *out_agent, struct loom_err *err)
{
	enum loom_status status = find_claim(store, spec, out_agent, err);

	return status == LOOM_OK && !*out_agent ? loom_agent_create(store, spec, out_agent, err)
						: status;
}

static enum loom_status made_by(struct loom_store *store, int64_t agent, int64_t *out_op,
				struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT a.op FROM agent a JOIN op o ON o.id = a.op AND "
				     "(o.state = 1 OR o.id = ?2) WHERE a.id = ?1",
				     err);

	model_bind(&q, agent);
	model_bind(&q, store->held->write.op);
	if (model_one(&q, 0, out_op) != LOOM_OK || *out_op)
		return q.status;
	return loom_fail(err, LOOM_NOT_FOUND, "there is no such agent");
}

enum loom_status model_builds_on_agent(struct loom_store *store, int64_t agent,
				       struct loom_err *err)
{
	int64_t op = 0;
	enum loom_status status = made_by(store, agent, &op, err);

	/* The first operation created the grove itself and is never undone. */
	return status == LOOM_OK && op > 1 ? model_op_builds_on(store, op, err) : status;
}

/* Every change of an agent builds on the operation that created it. */
static enum loom_status change_agent(struct loom_store *store, int64_t agent,
				     enum model_field field, struct model_value value,
				     struct loom_err *err)
{
	bool changed = false;
	int64_t op = 0;
	enum loom_status status = made_by(store, agent, &op, err);

	LOOM_ASSERT(field >= MODEL_AGENT_NAME && field <= MODEL_AGENT_AWARE);
	if (status == LOOM_OK)
		status = model_set(store, field, agent, value, &changed, err);
	return status == LOOM_OK && changed ? model_op_builds_on(store, op, err) : status;
}

enum loom_status loom_agent_set_model(struct loom_store *store, int64_t agent,
				      struct loom_str model, struct loom_err *err)
{
	return change_agent(store, agent, MODEL_AGENT_MODEL, model_of_text(model), err);
}

enum loom_status loom_agent_set_sampling(struct loom_store *store, int64_t agent,
					 struct loom_str sampling, struct loom_err *err)
{
	return change_agent(store, agent, MODEL_AGENT_SAMPLING, model_of_text(sampling), err);
}

enum loom_status loom_agent_set_aware(struct loom_store *store, int64_t agent, bool aware,
				      struct loom_err *err)
{
	return change_agent(store, agent, MODEL_AGENT_AWARE, model_of_int(aware), err);
}

enum loom_status loom_agent_rename(struct loom_store *store, int64_t agent, struct loom_str name,
				   struct loom_err *err)
{
	enum loom_status status = model_agent_name(store, agent, name, err);

	return status == LOOM_OK
		       ? change_agent(store, agent, MODEL_AGENT_NAME, model_of_text(name), err)
		       : status;
}

/* --- the first rows of a grove --- */

static enum loom_status seed_op(struct loom_store *store, struct loom_err *err)
{
	uint8_t uid[16];
	struct query q = model_query(store,
				     "INSERT INTO op(id, uid, state, kind, text, actor, at) "
				     "VALUES(1, ?, 1, 'init', 'made the grove', 1, ?)",
				     err);

	loom_env_random(store->env, loom_env_next_salt(store->env), uid, sizeof uid);
	model_bind_blob(&q, uid, sizeof uid);
	model_bind(&q, loom_env_now(store->env));
	return model_run(&q);
}

static enum loom_status seed_grove(struct loom_store *store, int64_t owner, struct loom_err *err)
{
	struct loom_ulid ulid;
	uint8_t random[5];
	int64_t now = loom_env_now(store->env);
	uint64_t counter = 0;
	struct query q =
		model_query(store, "INSERT INTO grove(id, ulid, created, owner) VALUES(1, ?, ?, ?)",
			    err);

	LOOM_ASSERT(!sqlite3_get_autocommit(store->db));
	/* Two groves created in the same ms must differ: the counter is random too. */
	loom_env_random(store->env, loom_env_next_salt(store->env), &counter, sizeof counter);
	loom_env_random(store->env, loom_env_next_salt(store->env), random, sizeof random);
	ulid = loom_ulid_make(now, counter, random);
	model_bind_blob(&q, ulid.bytes, sizeof ulid.bytes);
	model_bind(&q, now);
	model_bind(&q, owner);
	return model_run(&q);
}

enum loom_status model_grove_seed(struct loom_store *store, struct loom_err *err)
{
	struct loom_agent subject = {.name = LOOM_STR_INIT("ngram"),
				     .kind = LOOM_AGENT_MODEL,
				     .model = LOOM_STR_INIT("ngram")};
	int64_t founder = 0;
	int64_t other = 0;
	enum loom_status status = seed_op(store, err);

	LOOM_ASSERT(store->held && !store->writing);
	if (status == LOOM_OK)
		status = model_person_found(store, &founder, err);
	store->held->write.op = 1;
	if (status == LOOM_OK)
		status = model_agent_insert(store, &subject, &other, err);
	if (status == LOOM_OK)
		status = seed_grove(store, founder, err);
	store->held->write.op = 0;
	return status;
}
