/* Persons as rows: how they enter a grove, and what an account can change about its own.
 *
 * Invariants: entering is not an operation and cannot be undone, because everything the person does
 * depends on it; the row belongs to the grove's first operation. Later changes are operations. */
#include <loom/tree/tree_rows.h>

#include <unistd.h>

#include <loom/grove/accounts.h>
#include <loom/grove/seal.h>
#include <loom/remote/remote.h>
#include <loom/tree/person.h>

#define NAMES_TRIED 1000
/* The founder's name before persons had names. */
#define NAMELESS "you"

int64_t loom_me(struct loom_store *store)
{
	return model_me(store, NULL) == LOOM_OK ? store->me : 0;
}

/* --- names --- */

static struct loom_str name_wanted(struct loom_store *store, struct loom_arena *arena)
{
	const char *name = loom_env_var(store->env, "LOOM_ME");

	if (!name && store->env->wish[0])
		name = store->env->wish;
	return name ? loom_str_of(name) : model_role_name(loom_str_of(store->role), arena);
}

/* "uid1000" for "uid:1000", which is a name that an agent may have. */
static struct loom_str without_colon(struct loom_str role, struct loom_arena *arena)
{
	struct loom_str rest = role;
	struct loom_str kind;

	(void)loom_str_cut(&rest, ':', &kind);
	return loom_arena_format(arena, "%.*s%.*s", LOOM_STR_ARG(kind), LOOM_STR_ARG(rest));
}

/* Gives a free name for an account: its own may be taken, or not allowed for agents. */
static enum loom_status free_name(struct loom_store *store, const char *role,
				  struct loom_arena *arena, struct loom_str *out,
				  struct loom_err *err)
{
	struct loom_str base = model_role_name(loom_str_of(role), arena);
	enum loom_status status = LOOM_CONFLICT;
	struct loom_err ignored;

	*out = base;
	for (int n = 2; n < NAMES_TRIED && status != LOOM_OK; n++) {
		status = loom_str_eq_fold(*out, LOOM_STR("ngram"))
				 ? LOOM_CONFLICT
				 : model_agent_name(store, 0, *out, &ignored);
		if (status == LOOM_INVALID) {
			base = without_colon(loom_str_of(role), arena);
			*out = base;
		} else if (status != LOOM_OK) {
			*out = loom_arena_format(arena, "%.*s-%d", LOOM_STR_ARG(base), n);
		}
	}
	return status == LOOM_OK ? status : loom_fail(err, status, "%s", ignored.text);
}

static enum loom_status take_name(struct loom_store *store, struct loom_arena *arena,
				  struct loom_str *out, struct loom_err *err)
{
	const bool insists = loom_env_var(store->env, "LOOM_ME") != NULL;
	enum loom_status status;

	*out = name_wanted(store, arena);
	status = model_agent_name(store, 0, *out, insists ? err : NULL);
	if (insists || (status == LOOM_OK && store->env->wish[0]))
		return status;
	return free_name(store, store->role, arena, out, err);
}

/* --- rows --- */

struct binding {
	int64_t op;
	const char *role;
	int64_t agent;
	enum loom_member_may may;
	int64_t by;
};

static enum loom_status bind_account(struct loom_store *store, const struct binding *what,
				     struct loom_err *err)
{
	struct query q = model_query(store,
				     "INSERT INTO member(id, op, role, agent, may, by, since) "
				     "VALUES((SELECT coalesce(max(id), 0) + 1 FROM member),?,?,?,"
				     "?,?,?)",
				     err);

	LOOM_ASSERT(what->op && what->agent);
	model_bind(&q, what->op);
	model_bind_text(&q, loom_str_of(what->role));
	model_bind(&q, what->agent);
	model_bind(&q, what->may);
	model_bind(&q, what->by);
	model_bind(&q, loom_env_now(store->env));
	return model_run(&q);
}

/* Creates a person of this account, as part of the grove's first operation. */
static enum loom_status insert_person(struct loom_store *store, struct loom_str name,
				      enum loom_member_may may, int64_t *out, struct loom_err *err)
{
	const struct loom_agent person = {.kind = LOOM_AGENT_HUMAN, .name = name};
	enum loom_status status;

	LOOM_ASSERT(!store->held->write.op);
	store->held->write.op = 1;
	status = model_agent_insert(store, &person, out, err);
	store->held->write.op = 0;
	if (status != LOOM_OK)
		return status;
	return bind_account(store,
			    &(struct binding){.op = 1,
					      .role = store->role,
					      .agent = *out,
					      .may = may,
					      .by = *out},
			    err);
}

enum loom_status model_person_found(struct loom_store *store, int64_t *out, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str name;
	enum loom_status status = take_name(store, arena, &name, err);

	if (status == LOOM_OK)
		status = insert_person(store, name, LOOM_MEMBER_ADMIN, out, err);
	loom_arena_destroy(arena);
	return status;
}

/* --- a grove that is opened --- */

static enum loom_status find_founder(struct loom_store *store, int64_t *out, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT owner FROM grove WHERE id = 1", err);

	return model_one(&q, 0, out);
}

static enum loom_status name_founder(struct loom_store *store, int64_t founder, const char *role,
				     struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str name;
	struct query q;
	enum loom_status status = free_name(store, role, arena, &name, err);

	if (status == LOOM_OK) {
		q = model_query(store,
				"UPDATE agent SET name = ?2 WHERE id = ?1 AND name = '" NAMELESS
				"'",
				err);
		model_bind(&q, founder);
		model_bind_text(&q, name);
		status = model_run(&q);
	}
	loom_arena_destroy(arena);
	return status;
}

/* Binds the founder of a grove from before persons existed to the account that owns the file. */
static enum loom_status bind_founder(struct loom_store *store, struct loom_err *err)
{
	struct binding what = {.op = 1, .may = LOOM_MEMBER_ADMIN};
	struct stat info = {.st_uid = geteuid()};
	char role[MODEL_ROLE_MAX];
	int64_t any = 0;
	struct query q = model_query(store, "SELECT 1 FROM member LIMIT 1", err);
	enum loom_status status = model_one(&q, 0, &any);

	if (status != LOOM_OK || any)
		return status;
	status = find_founder(store, &what.agent, err);
	(void)lstat(loom_buf_cstr(&store->file), &info);
	model_account_role(info.st_uid, role);
	what.role = role;
	what.by = what.agent;
	if (status == LOOM_OK)
		status = name_founder(store, what.agent, what.role, err);
	return status == LOOM_OK ? bind_account(store, &what, err) : status;
}

/* Creates the person of a new account, unless another process of it just did. */
static enum loom_status come_in(struct loom_store *store, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_str name;
	int64_t id = 0;
	enum loom_status status = model_me(store, err);

	if (status == LOOM_OK && !store->me)
		status = take_name(store, arena, &name, err);
	if (status == LOOM_OK && !store->me)
		status = insert_person(store, name, LOOM_MEMBER_WRITER, &id, err);
	loom_arena_destroy(arena);
	return status;
}

/* Registers this account's key, by which others recognise its seals. */
static enum loom_status put_key(struct loom_store *store, struct loom_err *err)
{
	uint8_t key[LOOM_SEAL_KEY];
	enum loom_status status = loom_seal_public(store, key, err);
	struct query q;

	if (status != LOOM_OK)
		return status;
	q = model_query(store, "UPDATE member SET key = ?2 WHERE role = ?1 AND key IS NOT ?2", err);
	model_bind_text(&q, loom_str_of(store->role));
	model_bind_blob(&q, key, sizeof key);
	return model_run(&q);
}

/* Bits for the rows that may be missing when a grove is opened. */
enum { FOUNDER = 1, NEWCOMER = 2, KEY = 4 };

static enum loom_status find_wanting(struct loom_store *store, unsigned *out, struct loom_err *err)
{
	int64_t keyless = 0;
	int64_t any = 0;
	struct query q = model_query(store, "SELECT 1 FROM member LIMIT 1", err);
	enum loom_status status = model_one(&q, 0, &any);

	if (status == LOOM_OK)
		status = model_me(store, err);
	if (status == LOOM_OK && store->group != LOOM_PRIVATE) {
		q = model_query(store,
				"SELECT 1 FROM member WHERE role = ? AND key IS NULL LIMIT 1", err);
		model_bind_text(&q, loom_str_of(store->role));
		status = model_one(&q, 0, &keyless);
	}
	*out = (any ? 0u : FOUNDER) | (store->me ? 0u : NEWCOMER) |
	       (keyless || (store->group != LOOM_PRIVATE && !store->me) ? KEY : 0u);
	return status;
}

static enum loom_status settle(struct loom_store *store, unsigned wanting, struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);

	if (status != LOOM_OK)
		return status;
	if (wanting & FOUNDER)
		status = bind_founder(store, err);
	if (status == LOOM_OK && (wanting & NEWCOMER))
		status = come_in(store, err);
	if (status == LOOM_OK && (wanting & KEY))
		status = put_key(store, err);
	return loom_quiet_end(store, status, err);
}

/* In a shared log others may have made the rows already. */
enum loom_status model_person_settle(struct loom_store *store, struct loom_err *err)
{
	unsigned wanting = 0;
	enum loom_status status = find_wanting(store, &wanting, err);

	if (status == LOOM_OK && wanting && store->remote &&
	    loom_remote_follow(store, NULL) == LOOM_OK) {
		store->me = 0;
		status = find_wanting(store, &wanting, err);
	}
	if (status != LOOM_OK || !wanting)
		return status;
	status = settle(store, wanting, err);
	store->me = 0; /* look it up again, the write may have been rolled back */
	return status;
}

/* --- who acts --- */

enum loom_status loom_person_me(struct loom_store *store, struct loom_arena *arena,
				struct loom_agent *out, struct loom_err *err)
{
	enum loom_status status = model_me(store, err);

	if (status != LOOM_OK)
		return status;
	if (store->me)
		return loom_agent_get(store, store->me, arena, out, err);
	*out = (struct loom_agent){.kind = LOOM_AGENT_HUMAN, .name = name_wanted(store, arena)};
	return LOOM_OK;
}

enum loom_status loom_person_usual(struct loom_store *store, struct loom_arena *arena,
				   struct loom_agent *out, struct loom_err *err)
{
	enum loom_status status = model_me_usual(store, err);

	return status == LOOM_OK ? loom_person_me(store, arena, out, err) : status;
}

enum loom_status loom_person_founder(struct loom_store *store, struct loom_arena *arena,
				     struct loom_agent *out, struct loom_err *err)
{
	int64_t founder = 0;
	enum loom_status status = find_founder(store, &founder, err);

	return status == LOOM_OK ? loom_agent_get(store, founder, arena, out, err) : status;
}

enum loom_status loom_person_or(struct loom_store *store, struct loom_str name,
				struct loom_arena *arena, struct loom_agent *out,
				struct loom_err *err)
{
	enum loom_status status = name.n ? loom_agent_find(store, name, arena, out, err)
					 : loom_person_me(store, arena, out, err);

	if (status != LOOM_OK || !name.n || out->kind != LOOM_AGENT_HUMAN)
		return status;
	return model_person_mine(store, out->name, err);
}

/* --- members --- */

static void read_member(const struct loom_store *store, const struct query *q,
			struct loom_arena *arena, struct loom_member *out)
{
	uint64_t user = 0;

	*out = (struct loom_member){
		.id = model_int(q, 0),
		.role = model_text(q, 1, arena),
		.agent = {.id = model_int(q, 2)},
		.may = (enum loom_member_may)model_int(q, 3),
		.by = model_int(q, 4),
		.since = model_int(q, 5),
	};
	out->account = model_role_name(out->role, arena);
	if (loom_str_starts(out->role, LOOM_STR("uid:")) &&
	    loom_str_to_u64(loom_str_sub(out->role, 4, out->role.n), &user))
		out->account = loom_account_said((int64_t)user, arena);
	out->mine = loom_str_is(out->role, store->role);
}

enum loom_status loom_member_list(struct loom_store *store, struct loom_arena *arena,
				  struct loom_member **out, size_t *out_count, struct loom_err *err)
{
	const int64_t me = loom_me(store);
	size_t cap = 0;
	struct query q = model_query(store,
				     "SELECT m.id, m.role, m.agent, m.may, m.by, m.since FROM "
				     "member m JOIN op o ON o.id = m.op AND o.state = 1 WHERE "
				     "m.live = 1 AND substr(m.role, 1, 4) = substr(?, 1, 4) "
				     "ORDER BY m.id",
				     err);
	enum loom_status status;

	model_bind_text(&q, loom_str_of(store->role));

	LOOM_ASSERT(out && out_count);
	*out = NULL;
	*out_count = 0;
	while (model_row(&q)) {
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof **out);
		read_member(store, &q, arena, &(*out)[(*out_count)++]);
	}
	status = model_done(&q);
	for (size_t i = 0; status == LOOM_OK && i < *out_count; i++) {
		struct loom_member *one = &(*out)[i];

		status = loom_agent_get(store, one->agent.id, arena, &one->agent, err);
		one->me = one->mine && one->agent.id == me;
	}
	return status;
}

/* Finds the account's person of that name; *out_of is how many persons the account is. */
static enum loom_status find_mine(struct loom_store *store, struct loom_str name,
				  struct loom_arena *arena, struct loom_member *out, size_t *out_of,
				  struct loom_err *err)
{
	struct loom_member *all = NULL;
	struct loom_agent agent;
	size_t count = 0;
	bool found = false;
	enum loom_status status = loom_agent_find(store, name, arena, &agent, err);

	*out_of = 0;
	if (status == LOOM_OK)
		status = loom_member_list(store, arena, &all, &count, err);
	if (status != LOOM_OK)
		return status;
	for (size_t i = 0; i < count; i++) {
		*out_of += all[i].mine;
		if (!all[i].mine || all[i].agent.id != agent.id)
			continue;
		*out = all[i];
		found = true;
	}
	if (found)
		return LOOM_OK;
	loom_fail(err, LOOM_PERMISSION, "\"%.*s\" is not a person of your account",
		  LOOM_STR_ARG(agent.name));
	return loom_hint(err, LOOM_PERMISSION, "`loom members` lists the accounts");
}

enum loom_status loom_member_rename(struct loom_store *store, struct loom_str name,
				    struct loom_str new_name, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_member member;
	size_t of = 0;
	enum loom_status status = find_mine(store, name, arena, &member, &of, err);

	if (status == LOOM_OK)
		status = loom_agent_rename(store, member.agent.id, new_name, err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_member_drop(struct loom_store *store, struct loom_str name,
				  struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_member member;
	size_t of = 0;
	enum loom_status status = find_mine(store, name, arena, &member, &of, err);

	if (status == LOOM_OK && (of < 2 || member.me)) {
		loom_fail(err, LOOM_REFUSED, "\"%.*s\" is you", LOOM_STR_ARG(member.agent.name));
		status = loom_hint(
			err, LOOM_REFUSED,
			of < 2 ? "an account needs a person: `loom members add NAME` first"
			       : "run it as another of your persons, with LOOM_ME=NAME");
	}
	if (status == LOOM_OK)
		status = model_set(store, MODEL_MEMBER_LIVE, member.id, model_of_int(0), NULL, err);
	loom_arena_destroy(arena);
	return status;
}

/* Finds a person that was dropped from this account. */
static enum loom_status find_dropped(struct loom_store *store, struct loom_str name, int64_t *out,
				     struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT m.id FROM member m JOIN op o ON o.id = m.op AND o.state = 1 JOIN agent a "
		"ON a.id = m.agent JOIN op p ON p.id = a.op AND p.state = 1 WHERE m.role = ?1 AND "
		"m.live = 0 AND a.name = ?2 COLLATE NOCASE ORDER BY m.id DESC LIMIT 1",
		err);

	model_bind_text(&q, loom_str_of(store->role));
	model_bind_text(&q, name);
	return model_one(&q, 0, out);
}

enum loom_status loom_member_add(struct loom_store *store, struct loom_str name,
				 struct loom_err *err)
{
	const struct loom_agent person = {.kind = LOOM_AGENT_HUMAN, .name = name};
	struct binding what = {.role = store->role,
			       .may = LOOM_MEMBER_WRITER,
			       .by = loom_me(store)};
	int64_t before = 0;
	enum loom_status status = find_dropped(store, name, &before, err);

	LOOM_ASSERT(model_in_op(store));
	if (status != LOOM_OK)
		return status;
	if (before)
		return model_set(store, MODEL_MEMBER_LIVE, before, model_of_int(1), NULL, err);
	status = loom_agent_create(store, &person, &what.agent, err);
	what.op = store->held->write.op;
	if (status == LOOM_OK)
		status = bind_account(store, &what, err);
	return status == LOOM_OK && store->group != LOOM_PRIVATE ? put_key(store, err) : status;
}

/* --- roles of a server --- */

/* The newest binding of a role. */
struct bound {
	int64_t id;
	int64_t agent;
	int64_t may;
	bool live;
};

static enum loom_status find_bound(struct loom_store *store, const char *role, struct bound *out,
				   struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT m.id, m.agent, m.may, m.live FROM member m JOIN op o "
				     "ON o.id = m.op AND o.state = 1 WHERE m.role = ? ORDER BY "
				     "m.live DESC, m.id DESC LIMIT 1",
				     err);

	*out = (struct bound){0};
	model_bind_text(&q, loom_str_of(role));
	if (model_row(&q))
		*out = (struct bound){model_int(&q, 0), model_int(&q, 1), model_int(&q, 2),
				      model_int(&q, 3) != 0};
	return model_done(&q);
}

static enum loom_status create_person(struct loom_store *store, const char *role, int64_t *out,
				      struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_agent person = {.kind = LOOM_AGENT_HUMAN};
	enum loom_status status = free_name(store, role, arena, &person.name, err);

	if (status == LOOM_OK)
		status = loom_agent_create(store, &person, out, err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_member_admit(struct loom_store *store, struct loom_str role,
				   enum loom_member_may may, struct loom_err *err)
{
	char full[MODEL_ROLE_MAX];
	struct binding what = {.role = full, .may = may, .by = loom_me(store)};
	struct bound bound;
	enum loom_status status;

	LOOM_ASSERT(model_in_op(store));
	model_server_role_of(role, full);
	status = find_bound(store, full, &bound, err);
	if (status != LOOM_OK || (bound.live && bound.may == (int64_t)may))
		return status;
	what.agent = bound.agent;
	if (bound.live)
		status = model_set(store, MODEL_MEMBER_LIVE, bound.id, model_of_int(0), NULL, err);
	if (status == LOOM_OK && !what.agent)
		status = create_person(store, full, &what.agent, err);
	if (status == LOOM_OK)
		status = model_op_need(store, &what.op, err);
	return status == LOOM_OK ? bind_account(store, &what, err) : status;
}

enum loom_status loom_member_dismiss(struct loom_store *store, struct loom_str role,
				     struct loom_err *err)
{
	char full[MODEL_ROLE_MAX];
	struct bound bound;
	enum loom_status status;

	LOOM_ASSERT(model_in_op(store));
	model_server_role_of(role, full);
	status = find_bound(store, full, &bound, err);
	if (status == LOOM_OK && !bound.live) {
		loom_fail(err, LOOM_NOT_FOUND, "the role \"%.*s\" is no member",
			  LOOM_STR_ARG(role));
		status = loom_hint(err, LOOM_NOT_FOUND, "`loom members` lists them");
	}
	return status == LOOM_OK
		       ? model_set(store, MODEL_MEMBER_LIVE, bound.id, model_of_int(0), NULL, err)
		       : status;
}

/* --- sharing --- */

/* Writes the group into the grove's row and forgets all keys: accounts register theirs again. */
static enum loom_status write_group(struct loom_store *store, int64_t group, struct loom_err *err)
{
	struct query q = model_query(store, "UPDATE grove SET shared = ? WHERE id = 1", err);
	enum loom_status status;

	if (group == LOOM_PRIVATE)
		model_bind_null(&q);
	else
		model_bind(&q, group);
	status = model_run(&q);
	if (status == LOOM_OK)
		status = model_script(store, "UPDATE member SET key = NULL", err);
	return status == LOOM_OK && group != LOOM_PRIVATE ? put_key(store, err) : status;
}

enum loom_status loom_grove_share(struct loom_store *store, int64_t group, struct loom_err *err)
{
	enum loom_status status = model_share_files(store, group, false, err);

	if (status == LOOM_OK)
		status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	status = loom_quiet_end(store, write_group(store, group, err), err);
	return status == LOOM_OK ? model_share_files(store, group, true, err) : status;
}
