/* Proposals: lists of calls that wait for a person. The row holds the list as JSON; the hash covers
 * the agent, the place, every byte of the list and the row's number, so no two lists share one. The
 * calls a person selected are stored beside the list.
 *
 * Rows stay after the decision: who approved what is part of the history. */
#include <loom/tree/tree_rows.h>

#include <loom/tree/person.h>
#include <loom/work/approval.h>
#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/base/utf8.h>

#define LIST_MAX    ((size_t)4 << 20)
#define NAME_DIGITS 12
#define LEAST       8

const char *loom_proposal_state_word(enum loom_proposal_state state)
{
	static const char *const words[] = {
		[LOOM_PROPOSAL_WAITS] = "waits",     [LOOM_PROPOSAL_APPROVED] = "approved",
		[LOOM_PROPOSAL_REFUSED] = "refused", [LOOM_PROPOSAL_DONE] = "done",
		[LOOM_PROPOSAL_VOID] = "void",
	};

	return (size_t)state < LOOM_COUNT(words) ? words[state] : "?";
}

void loom_proposal_name(const struct loom_proposal *proposal, struct loom_buf *out)
{
	loom_hex(proposal->hash.bytes, NAME_DIGITS / 2, out);
}

/* ---- the list as JSON ---- */

static void spell_command(const struct loom_proposed_command *command, struct loom_json *json)
{
	loom_json_key(json, "command");
	loom_json_object(json);
	loom_json_put_texts(json, "words", command->words, command->count);
	if (command->input.p)
		loom_json_put(json, "input", command->input);
	loom_json_put(json, "dir", command->dir);
	if (command->grove.p)
		loom_json_put(json, "grove", command->grove);
	loom_json_end_object(json);
}

static void spell_list(const struct loom_proposal *proposal, struct loom_buf *out)
{
	struct loom_json json;

	loom_json_init(&json, out);
	loom_json_object(&json);
	loom_json_put_int(&json, "tree", proposal->tree);
	loom_json_put_int(&json, "thread", proposal->thread);
	loom_json_put_int(&json, "seq", proposal->seq);
	loom_json_key(&json, "calls");
	loom_json_array(&json);
	for (size_t i = 0; i < proposal->count; i++) {
		loom_json_object(&json);
		loom_json_put_int(&json, "line", proposal->calls[i].line);
		loom_json_put(&json, "call", proposal->calls[i].call);
		loom_json_put(&json, "target", proposal->calls[i].target);
		loom_json_put(&json, "permission", proposal->calls[i].permission);
		loom_json_end_object(&json);
	}
	loom_json_end_array(&json);
	if (proposal->command.count)
		spell_command(&proposal->command, &json);
	if (proposal->guest.name.p) {
		loom_json_key(&json, "guest");
		loom_json_object(&json);
		loom_json_put(&json, "name", proposal->guest.name);
		loom_json_put(&json, "from", proposal->guest.from);
		loom_json_end_object(&json);
	}
	loom_json_end_object(&json);
}

static bool is_text(struct loom_str text)
{
	return loom_utf8_valid(text, NULL);
}

static enum loom_status check_command(const struct loom_proposed_command *command,
				      struct loom_err *err)
{
	bool texts = is_text(command->input) && is_text(command->dir) && is_text(command->grove);

	for (size_t i = 0; i < command->count; i++)
		texts = texts && is_text(command->words[i]);
	return texts ? LOOM_OK
		     : loom_fail(err, LOOM_INVALID,
				 "the command or its standard input is not UTF-8, so nobody could "
				 "read what it would do");
}

static enum loom_status check_texts(const struct loom_proposal *proposal, struct loom_err *err)
{
	enum loom_status status = check_command(&proposal->command, err);

	if (status == LOOM_OK && (!is_text(proposal->guest.name) || !is_text(proposal->guest.from)))
		status = loom_fail(err, LOOM_INVALID, "the guest's name is not UTF-8");
	for (size_t i = 0; status == LOOM_OK && i < proposal->count; i++)
		if (!is_text(proposal->calls[i].call) || !is_text(proposal->calls[i].target))
			status = loom_fail(err, LOOM_INVALID, "a call is not UTF-8");
	return status;
}

static void read_command(struct loom_str object, struct loom_arena *arena,
			 struct loom_proposed_command *out)
{
	struct loom_str words = loom_jval_get(object, "words");
	struct loom_jwalk walk = loom_jval_walk(words);
	struct loom_str item;

	*out = (struct loom_proposed_command){
		.words = LOOM_ARENA_ARRAY(arena, loom_jval_count(words), struct loom_str),
		.input = loom_jval_text(loom_jval_get(object, "input"), arena),
		.dir = loom_jval_text(loom_jval_get(object, "dir"), arena),
		.grove = loom_jval_text(loom_jval_get(object, "grove"), arena),
	};
	while (loom_jwalk_next(&walk, NULL, &item))
		out->words[out->count++] = loom_jval_text(item, arena);
}

static void read_list(struct loom_str list, struct loom_arena *arena, struct loom_proposal *out)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(list, "calls"));
	struct loom_str item;

	(void)loom_jval_int(loom_jval_get(list, "tree"), &out->tree);
	(void)loom_jval_int(loom_jval_get(list, "thread"), &out->thread);
	(void)loom_jval_int(loom_jval_get(list, "seq"), &out->seq);
	out->calls = LOOM_ARENA_ARRAY(arena, loom_jval_count(loom_jval_get(list, "calls")),
				      struct loom_proposed);
	out->count = 0;
	while (loom_jwalk_next(&walk, NULL, &item)) {
		struct loom_proposed *call = &out->calls[out->count++];

		(void)loom_jval_int(loom_jval_get(item, "line"), &call->line);
		call->call = loom_jval_text(loom_jval_get(item, "call"), arena);
		call->target = loom_jval_text(loom_jval_get(item, "target"), arena);
		call->permission = loom_jval_text(loom_jval_get(item, "permission"), arena);
	}
	out->guest.name =
		loom_jval_text(loom_jval_get(loom_jval_get(list, "guest"), "name"), arena);
	out->guest.from =
		loom_jval_text(loom_jval_get(loom_jval_get(list, "guest"), "from"), arena);
	if (loom_jval_get(list, "command").n)
		read_command(loom_jval_get(list, "command"), arena, &out->command);
}

static void read_ticks(struct loom_str list, struct loom_proposal *out)
{
	struct loom_jwalk walk = loom_jval_walk(loom_jval_get(list, "ticked"));
	struct loom_str item;
	int64_t index = 0;

	while (loom_jwalk_next(&walk, NULL, &item))
		if (loom_jval_int(item, &index) && index >= 0 && (size_t)index < out->count)
			out->calls[index].ticked = true;
}

/* ---- reading ---- */

/* A proposal from before persons existed is the founder's. */
#define PERSON  "coalesce(person, (SELECT owner FROM grove))"
#define COLUMNS "id, hash, agent, session, list, state, coalesce(decided_by, 0), at, " PERSON " "

static void read_row(struct loom_store *store, const struct query *q, struct loom_arena *arena,
		     struct loom_proposal *out)
{
	struct loom_str hash = model_borrow(q, 1);
	struct loom_str list = model_text(q, 4, arena);

	*out = (struct loom_proposal){.id = model_int(q, 0),
				      .agent = model_int(q, 2),
				      .session = model_text(q, 3, arena),
				      .state = (enum loom_proposal_state)model_int(q, 5),
				      .decided_by = model_int(q, 6),
				      .at = model_int(q, 7),
				      .person = model_int(q, 8),
				      .seq = -1};
	if (hash.n == sizeof out->hash.bytes)
		memcpy(out->hash.bytes, hash.p, hash.n);
	read_list(list, arena, out);
	read_ticks(list, out);
	if (out->state <= LOOM_PROPOSAL_APPROVED && out->session.n &&
	    !loom_session_alive(store, out->session))
		out->state = LOOM_PROPOSAL_VOID;
}

enum loom_status loom_proposal_list(struct loom_store *store, struct loom_arena *arena,
				    struct loom_proposal **out, size_t *out_count,
				    struct loom_err *err)
{
	struct query q = model_query(store,
				     "SELECT " COLUMNS "FROM proposal WHERE state = 0 AND " PERSON
				     " = ? ORDER BY id",
				     err);
	size_t cap = 0;

	*out = NULL;
	*out_count = 0;
	model_bind(&q, loom_me(store));
	while (model_row(&q)) {
		struct loom_proposal row;

		read_row(store, &q, arena, &row);
		if (row.state != LOOM_PROPOSAL_WAITS)
			continue;
		*out = loom_arena_grow(arena, *out, *out_count, &cap, sizeof row);
		(*out)[(*out_count)++] = row;
	}
	return model_done(&q);
}

enum loom_status loom_proposal_get(struct loom_store *store, int64_t id, struct loom_arena *arena,
				   struct loom_proposal *out, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT " COLUMNS "FROM proposal WHERE id = ?", err);
	bool there = false;

	model_bind(&q, id);
	there = model_row(&q);
	if (there)
		read_row(store, &q, arena, out);
	if (model_done(&q) != LOOM_OK || there)
		return q.status;
	return loom_fail(err, LOOM_NOT_FOUND, "there is no such proposal");
}

/* Computes the range of hashes with this prefix; false if it is not hex, or too short. */
static bool range_of(struct loom_str text, struct loom_hash *low, struct loom_hash *high)
{
	char digits[2 * sizeof low->bytes];

	if (text.n < LEAST || text.n > sizeof digits)
		return false;
	memset(digits, '0', sizeof digits);
	memcpy(digits, text.p, text.n);
	if (!loom_unhex(loom_str_make(digits, sizeof digits), low->bytes, sizeof low->bytes))
		return false;
	memset(digits + text.n, 'f', sizeof digits - text.n);
	return loom_unhex(loom_str_make(digits, sizeof digits), high->bytes, sizeof high->bytes);
}

enum loom_status loom_proposal_find(struct loom_store *store, struct loom_str hash,
				    struct loom_arena *arena, struct loom_proposal *out,
				    struct loom_err *err)
{
	struct loom_hash low = {{0}};
	struct loom_hash high = {{0}};
	struct query q;
	size_t count = 0;

	if (!range_of(hash, &low, &high)) {
		loom_fail(err, LOOM_NOT_FOUND, "\"%.*s\" is not a proposal's hash",
			  LOOM_STR_ARG(hash));
		return loom_hint(err, LOOM_NOT_FOUND, "`loom approve` lists what waits");
	}
	q = model_query(store,
			"SELECT " COLUMNS
			"FROM proposal WHERE hash >= ?1 AND hash <= ?2 ORDER BY hash LIMIT 2",
			err);
	model_bind_blob(&q, low.bytes, sizeof low.bytes);
	model_bind_blob(&q, high.bytes, sizeof high.bytes);
	for (; model_row(&q); count++)
		read_row(store, &q, arena, out);
	if (model_done(&q) != LOOM_OK || count == 1)
		return q.status;
	loom_fail(err, count ? LOOM_CONFLICT : LOOM_NOT_FOUND,
		  "%s proposal's hash begins with %.*s", count ? "more than one" : "no",
		  LOOM_STR_ARG(hash));
	return loom_hint(err, count ? LOOM_CONFLICT : LOOM_NOT_FOUND,
			 "`loom approve` lists what waits");
}

/* ---- writing ---- */

static enum loom_status set_state(struct loom_store *store, int64_t id,
				  enum loom_proposal_state state, struct loom_err *err)
{
	struct query q = model_query(store, "UPDATE proposal SET state = ? WHERE id = ?", err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, state);
	model_bind(&q, id);
	return model_run(&q);
}

static enum loom_status sweep(struct loom_store *store, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct query q =
		model_query(store,
			    "SELECT id, session FROM proposal WHERE state = 0 AND session <> ''",
			    err);
	int64_t *dead = NULL;
	size_t count = 0;
	size_t cap = 0;
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(store->writing);
	while (model_row(&q)) {
		if (loom_session_alive(store, model_text(&q, 1, arena)))
			continue;
		dead = loom_arena_grow(arena, dead, count, &cap, sizeof *dead);
		dead[count++] = model_int(&q, 0);
	}
	status = model_done(&q);
	for (size_t i = 0; i < count && status == LOOM_OK; i++)
		status = set_state(store, dead[i], LOOM_PROPOSAL_VOID, err);
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status next_id(struct loom_store *store, int64_t *out, struct loom_err *err)
{
	struct query q = model_query(store, "SELECT coalesce(max(id), 0) + 1 FROM proposal", err);

	return model_one(&q, 1, out);
}

static enum loom_status hash_list(struct loom_store *store, struct loom_str list,
				  struct loom_proposal *proposal, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	char ulid[LOOM_ULID_CHARS + 1];
	char number[32];
	struct loom_agent agent;
	enum loom_status status = loom_agent_get(store, proposal->agent, arena, &agent, err);

	if (status == LOOM_OK) {
		loom_ulid_text(&agent.ulid, ulid);
		snprintf(number, sizeof number, "%lld\n", (long long)proposal->id);
		const struct loom_str parts[] = {LOOM_STR("loom proposal\n"), loom_str_of(number),
						 loom_str_of(ulid), list};
		proposal->hash = loom_sha256_parts(parts, LOOM_COUNT(parts));
	}
	loom_arena_destroy(arena);
	return status;
}

static enum loom_status insert(struct loom_store *store, struct loom_str list,
			       const struct loom_proposal *proposal, struct loom_err *err)
{
	struct query q = model_query(store,
				     "INSERT INTO proposal(id, hash, agent, session, list, state, "
				     "decided_by, at, person) VALUES(?,?,?,?,?,?,?,?,?)",
				     err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, proposal->id);
	model_bind_blob(&q, proposal->hash.bytes, sizeof proposal->hash.bytes);
	model_bind(&q, proposal->agent);
	model_bind_text(&q, proposal->session);
	model_bind_text(&q, list);
	model_bind(&q, proposal->state);
	model_bind_or_null(&q, proposal->decided_by);
	model_bind(&q, proposal->at);
	model_bind_or_null(&q, loom_me(store));
	return model_run(&q);
}

enum loom_status loom_proposal_add(struct loom_store *store, struct loom_proposal *proposal,
				   const struct loom_session *session, struct loom_err *err)
{
	struct loom_buf list = LOOM_BUF_INIT(LIST_MAX);
	enum loom_status status = check_texts(proposal, err);

	proposal->session = session ? loom_str_of(loom_session_name(session)) : LOOM_STR("");
	proposal->state = LOOM_PROPOSAL_WAITS;
	proposal->decided_by = 0;
	proposal->at = loom_env_now(store->env);
	spell_list(proposal, &list);
	if (status == LOOM_OK && list.bad != LOOM_OK)
		status = loom_fail(err, LOOM_LIMIT, "the list of calls is over 4 MiB");
	if (status == LOOM_OK)
		status = sweep(store, err);
	if (status == LOOM_OK)
		status = next_id(store, &proposal->id, err);
	if (status == LOOM_OK)
		status = hash_list(store, loom_buf_str(&list), proposal, err);
	if (status == LOOM_OK)
		status = insert(store, loom_buf_str(&list), proposal, err);
	/* Nobody waits for the answer, so the request is done once asked; a command handles its own
	 * id when it runs. */
	if (status == LOOM_OK && !session && !proposal->command.count)
		status = model_request_note(store, 0, err);
	loom_buf_fini(&list);
	return status;
}

/* ---- deciding ---- */

static enum loom_status need_person(struct loom_store *store, int64_t agent,
				    struct loom_arena *arena, struct loom_err *err)
{
	struct loom_agent row;
	enum loom_status status = loom_agent_get(store, agent, arena, &row, err);

	if (status != LOOM_OK || row.kind == LOOM_AGENT_HUMAN)
		return status;
	return loom_fail(err, LOOM_PERMISSION, "only a person approves, and %.*s is an agent",
			 LOOM_STR_ARG(row.name));
}

/* An agent works for one person, with the permissions that this person granted. */
enum loom_status loom_proposal_mine(struct loom_store *store, const struct loom_proposal *proposal,
				    struct loom_err *err)
{
	struct loom_arena *arena = NULL;
	struct loom_agent row;
	enum loom_status status;

	if (proposal->person == loom_me(store))
		return LOOM_OK;
	arena = loom_arena_create();
	status = loom_agent_get(store, proposal->person, arena, &row, err);
	if (status == LOOM_OK)
		status = loom_fail(err, LOOM_PERMISSION,
				   "that waits for \"%.*s\", for whom the agent works",
				   LOOM_STR_ARG(row.name));
	loom_arena_destroy(arena);
	return loom_hint(err, status, "`loom approve` lists what waits for you");
}

static enum loom_status refuse_state(enum loom_proposal_state state, struct loom_err *err)
{
	static const char *const words[] = {
		[LOOM_PROPOSAL_WAITS] = "it waits",
		[LOOM_PROPOSAL_APPROVED] = "it is already approved",
		[LOOM_PROPOSAL_REFUSED] = "it was refused",
		[LOOM_PROPOSAL_DONE] = "it was approved and has already run",
		[LOOM_PROPOSAL_VOID] =
			"it is void: the asker is gone, or what it would change has changed",
	};

	loom_fail(err, LOOM_CONFLICT, "%s",
		  (size_t)state < LOOM_COUNT(words) ? words[state] : "its state is unknown");
	return loom_hint(err, LOOM_CONFLICT, "`loom approve` lists what waits");
}

/* Writes the calls with their ticks. */
static void spell_ticks(const struct loom_proposal *proposal, const bool *ticked,
			struct loom_buf *out)
{
	const char *comma = "";

	spell_list(proposal, out);
	LOOM_ASSERT(out->bad != LOOM_OK || out->p[out->n - 1] == '}');
	loom_buf_cut(out, out->n - 1);
	loom_buf_adds(out, ",\"ticked\":[");
	for (size_t i = 0; i < proposal->count; i++) {
		if (ticked && !ticked[i])
			continue;
		loom_buf_addf(out, "%s%zu", comma, i);
		comma = ",";
	}
	loom_buf_adds(out, "]}");
}

static enum loom_status write_decision(struct loom_store *store,
				       const struct loom_proposal *proposal,
				       const struct loom_decision *decision, struct loom_err *err)
{
	struct loom_buf list = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct query q =
		model_query(store,
			    "UPDATE proposal SET state = ?, decided_by = ?, list = ? WHERE id = ?",
			    err);

	LOOM_ASSERT(store->writing);
	if (decision->approve)
		spell_ticks(proposal, decision->ticked, &list);
	else
		spell_list(proposal, &list);
	model_bind(&q, decision->approve ? LOOM_PROPOSAL_APPROVED : LOOM_PROPOSAL_REFUSED);
	model_bind(&q, decision->by);
	model_bind_text(&q, loom_buf_str(&list));
	model_bind(&q, proposal->id);
	(void)model_run(&q);
	loom_buf_fini(&list);
	return q.status;
}

enum loom_status loom_proposal_decide(struct loom_store *store, int64_t id,
				      const struct loom_decision *decision, struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_proposal row = {0};
	enum loom_status status = need_person(store, decision->by, arena, err);

	if (status == LOOM_OK)
		status = loom_proposal_get(store, id, arena, &row, err);
	if (status == LOOM_OK)
		status = loom_proposal_mine(store, &row, err);
	if (status == LOOM_OK && row.state != LOOM_PROPOSAL_WAITS)
		status = refuse_state(row.state, err);
	if (status == LOOM_OK)
		status = write_decision(store, &row, decision, err);
	loom_arena_destroy(arena);
	return status;
}

enum loom_status loom_proposal_claim(struct loom_store *store, int64_t id, bool *out,
				     struct loom_err *err)
{
	struct query q =
		model_query(store,
			    "UPDATE proposal SET state = 3 WHERE id = ? AND state = 1 RETURNING id",
			    err);

	LOOM_ASSERT(out && store->writing);
	model_bind(&q, id);
	*out = model_row(&q);
	return model_done(&q);
}

enum loom_status loom_proposal_void(struct loom_store *store, int64_t id, struct loom_err *err)
{
	struct query q =
		model_query(store, "UPDATE proposal SET state = 4 WHERE id = ? AND state <= 1",
			    err);

	LOOM_ASSERT(store->writing);
	model_bind(&q, id);
	return model_run(&q);
}

/* ---- records ---- */

static enum loom_status require_new(struct loom_store *store, const struct loom_hash *hash,
				    struct loom_err *err)
{
	struct query q = model_query(store, "SELECT 1 FROM proposal WHERE hash = ?", err);
	int64_t there = 0;
	enum loom_status status = LOOM_OK;

	model_bind_blob(&q, hash->bytes, sizeof hash->bytes);
	status = model_one(&q, 0, &there);
	if (status != LOOM_OK || !there)
		return status;
	return refuse_state(LOOM_PROPOSAL_DONE, err);
}

enum loom_status loom_proposal_record(struct loom_store *store, struct loom_proposal *proposal,
				      struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_buf list = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = need_person(store, proposal->decided_by, arena, err);

	proposal->at = loom_env_now(store->env);
	proposal->session = LOOM_STR("");
	proposal->state = LOOM_PROPOSAL_DONE;
	spell_ticks(proposal, NULL, &list);
	if (status == LOOM_OK)
		status = require_new(store, &proposal->hash, err);
	if (status == LOOM_OK)
		status = next_id(store, &proposal->id, err);
	if (status == LOOM_OK)
		status = insert(store, loom_buf_str(&list), proposal, err);
	loom_buf_fini(&list);
	loom_arena_destroy(arena);
	return status;
}
