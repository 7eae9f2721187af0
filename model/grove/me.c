/* The one place that decides which person of a grove this process acts for.
 *
 * The table `member` binds the accounts of this machine to persons, and LOOM_ME selects one of the
 * account's persons; a wish (struct loom_env) does so too where there is such a person. In a grove
 * that is not shared, the account that owns the file needs no row to be the founder, so a copy
 * works on another machine, and LOOM_ME may name anybody. */
#include <loom/grove/sql.h>

#include <unistd.h>

#include <loom/grove/accounts.h>

#define BOUND                                                                                      \
	"FROM member m JOIN op o ON o.id = m.op AND o.state = 1 WHERE m.live = 1 AND m.role = "

#define ACCOUNT "uid:"
#define SERVER  "role:"

void model_account_role(int64_t user, char out[MODEL_ROLE_MAX])
{
	snprintf(out, MODEL_ROLE_MAX, ACCOUNT "%lld", (long long)user);
}

void model_server_role_of(struct loom_str name, char out[MODEL_ROLE_MAX])
{
	LOOM_ASSERT(name.n);
	snprintf(out, MODEL_ROLE_MAX, SERVER "%.*s", LOOM_STR_ARG(name));
}

struct loom_str model_role_name(struct loom_str role, struct loom_arena *arena)
{
	uint64_t user = 0;

	if (loom_str_starts(role, LOOM_STR(ACCOUNT)) &&
	    loom_str_to_u64(loom_str_sub(role, sizeof ACCOUNT - 1, role.n), &user))
		return loom_account_name((int64_t)user, arena);
	return loom_str_starts(role, LOOM_STR(SERVER))
		       ? loom_str_sub(role, sizeof SERVER - 1, role.n)
		       : role;
}

/* Nobody else can be here: no group, and no log that others write. */
static bool is_alone(const struct loom_store *store)
{
	return store->group == LOOM_PRIVATE && !store->in_log;
}

/* Finds the account's first person; 0 if it has none. */
static enum loom_status find_usual(struct loom_store *store, int64_t *out, struct loom_err *err)
{
	struct stat info;
	struct query q = model_query(store, "SELECT m.agent " BOUND "? ORDER BY m.id LIMIT 1", err);

	model_bind_text(&q, loom_str_of(store->role));
	if (model_one(&q, 0, out) != LOOM_OK || *out || !is_alone(store) ||
	    lstat(loom_buf_cstr(&store->file), &info) != 0 || info.st_uid != geteuid())
		return q.status;
	q = model_query(store, "SELECT owner FROM grove WHERE id = 1", err);
	return model_one(&q, 0, out);
}

struct named {
	int64_t id;
	bool bound; /* to this account */
	struct loom_str role;
};

static enum loom_status find_named(struct loom_store *store, struct loom_str name,
				   struct loom_arena *arena, struct named *out,
				   struct loom_err *err)
{
	struct query q = model_query(
		store,
		"SELECT a.id, EXISTS(SELECT 1 " BOUND "?2 AND m.agent = a.id), (SELECT m.role FROM "
		"member m WHERE m.agent = a.id AND m.live = 1 LIMIT 1) FROM agent a JOIN op o ON "
		"o.id = a.op AND o.state = 1 WHERE a.kind = 0 AND a.claim = 0 AND a.name = ?1 "
		"COLLATE NOCASE ORDER BY a.name = ?1 DESC, a.id LIMIT 1",
		err);

	*out = (struct named){0};
	model_bind_text(&q, name);
	model_bind_text(&q, loom_str_of(store->role));
	if (model_row(&q))
		*out = (struct named){model_int(&q, 0), model_int(&q, 1) != 0,
				      model_text(&q, 2, arena)};
	return model_done(&q);
}

static enum loom_status refuse_other(struct loom_str name, struct loom_str role,
				     struct loom_arena *arena, struct loom_err *err)
{
	loom_fail(err, LOOM_PERMISSION, "your account is not \"%.*s\"", LOOM_STR_ARG(name));
	if (!role.n)
		return loom_hint(err, LOOM_PERMISSION, "`loom members` lists the accounts");
	return loom_hint(err, LOOM_PERMISSION, "that is the account %.*s; `loom members` lists all",
			 LOOM_STR_ARG(model_role_name(role, arena)));
}

static enum loom_status refuse_unknown(struct loom_str name, struct loom_err *err)
{
	loom_fail(err, LOOM_NOT_FOUND, "there is no person \"%.*s\" here", LOOM_STR_ARG(name));
	return loom_hint(err, LOOM_NOT_FOUND,
			 "`loom members` lists them; to add one, unset LOOM_ME and run `loom "
			 "members add \"%.*s\"`",
			 LOOM_STR_ARG(name));
}

enum loom_status model_person_mine(struct loom_store *store, struct loom_str name,
				   struct loom_err *err)
{
	struct loom_arena *arena = NULL;
	struct named person;
	enum loom_status status = LOOM_OK;

	if (is_alone(store))
		return LOOM_OK;
	arena = loom_arena_create();
	status = find_named(store, name, arena, &person, err);
	if (status == LOOM_OK && person.id && !person.bound)
		status = refuse_other(name, person.role, arena, err);
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status choose(struct loom_store *store, struct loom_str name, int64_t usual,
			       struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct named person;
	enum loom_status status = find_named(store, name, arena, &person, err);

	LOOM_ASSERT(name.n > 0);
	if (status == LOOM_OK && !person.id && usual)
		status = refuse_unknown(name, err);
	if (status == LOOM_OK && person.id && !person.bound && !is_alone(store))
		status = refuse_other(name, person.role, arena, err);
	store->me = status == LOOM_OK ? person.id : 0;
	loom_arena_destroy(arena);
	return status;
}

/* The person of that name, if it is one of the account's; otherwise nothing changes. */
static enum loom_status wish(struct loom_store *store, struct loom_str name, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct named person;
	enum loom_status status = find_named(store, name, arena, &person, err);

	if (status == LOOM_OK && person.bound)
		store->me = person.id;
	loom_arena_destroy(arena);
	return status;
}

enum loom_status model_me_usual(struct loom_store *store, struct loom_err *err)
{
	store->own[0] = '\0';
	return find_usual(store, &store->me, err);
}

enum loom_status model_me(struct loom_store *store, struct loom_err *err)
{
	const char *name = loom_env_var(store->env, "LOOM_ME");
	struct loom_ulid ulid;
	int64_t usual = 0;
	struct query q;
	enum loom_status status = store->me ? LOOM_OK : find_usual(store, &usual, err);

	if (status != LOOM_OK || store->me)
		return status;
	store->own[0] = '\0';
	store->me = usual;
	if (name)
		status = choose(store, loom_str_of(name), usual, err);
	else if (store->env->wish[0])
		status = wish(store, loom_str_of(store->env->wish), err);
	if (status != LOOM_OK || !store->me || store->me == usual || !usual)
		return status;
	q = model_query(store, "SELECT ulid FROM agent WHERE id = ?", err);
	model_bind(&q, store->me);
	if (model_row(&q)) {
		model_ulid(&q, 0, &ulid);
		loom_ulid_text(&ulid, store->own);
	}
	return model_done(&q);
}

enum loom_status model_own_dir(struct loom_store *store, struct loom_buf *out, struct loom_err *err)
{
	enum loom_status status = model_state_dir(store, out, err);

	if (status == LOOM_OK)
		status = model_me(store, err);
	if (store->own[0])
		loom_buf_addf(out, "/person-%s", store->own);
	return status;
}

enum loom_status loom_store_own_dir(struct loom_store *store, struct loom_buf *out,
				    struct loom_err *err)
{
	enum loom_status status = loom_store_state_dir(store, out, err);

	if (status == LOOM_OK) {
		loom_buf_clear(out);
		status = model_own_dir(store, out, err);
	}
	return status == LOOM_OK ? model_make_dirs(loom_buf_str(out), 0700, err) : status;
}

enum loom_status model_member_key(struct loom_store *store, const uint8_t key[32], bool *out,
				  struct loom_err *err)
{
	int64_t there = 0;
	struct query q = model_query(store,
				     "SELECT 1 FROM member m JOIN op o ON o.id = m.op AND o.state "
				     "= 1 WHERE m.live = 1 AND m.key = ? LIMIT 1",
				     err);

	LOOM_ASSERT(store->group != LOOM_PRIVATE);
	model_bind_blob(&q, key, 32);
	(void)model_one(&q, 0, &there);
	*out = there != 0;
	return q.status;
}
