/* Asks a person for leave: the calls of a turn that need it become one proposal, before the first
 * of them is done. If a session can wait for the answer, the actor waits; if not, the calls are
 * left for whoever approves the list later. Runs in the worker's thread. */
#include <loom/actor/asking.h>

#include <loom/language/call.h>
#include <loom/tree/op.h>
#include <loom/language/registry.h>

#include <loom/engine/handlers.h>

static struct loom_str permission_of(const struct loom_call *call)
{
	unsigned may = loom_verb_info(call->verb)->permission;
	unsigned first = may & (0u - may);

	return loom_str_of(may ? loom_permission_name((enum loom_permission)first) : "");
}

/* Stands in for a target that depends on the calls before it in the turn. */
#define THEN "where it stands then"

static bool moves(enum loom_verb verb)
{
	return verb == LOOM_VERB_SWITCH || verb == LOOM_VERB_RESPOND || verb == LOOM_VERB_CONTINUE;
}

/* Whether a call is about where the thread stands. */
static bool stands_on_place(const struct loom_call *call)
{
	struct loom_call copy = *call;
	struct loom_str *nodes[LOOM_CALL_NODES_MAX];
	const size_t count = loom_call_nodes(&copy, nodes);

	for (size_t i = 0; i < count; i++)
		if (loom_str_is(*nodes[i], "here") || loom_str_is(*nodes[i], "parent"))
			return true;
	return call->verb == LOOM_VERB_CONTINUE && !call->from.p;
}

static void propose(struct loom_engine *engine, const struct loom_call *call, bool moved,
		    struct loom_arena *arena, struct loom_proposed *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	out->line = call->line;
	out->permission = permission_of(call);
	if (!moved)
		call = loom_engine_placed(engine, call, arena);
	loom_call_print(call, &text);
	out->call = loom_arena_buf(arena, &text);
	loom_buf_clear(&text);
	if (moved && stands_on_place(call))
		loom_buf_adds(&text, THEN);
	else
		loom_engine_target(engine, call, &text);
	out->target = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
}

void actor_propose(struct loom_engine *engine, const struct actor_leave_of *of, const bool *wants,
		   struct loom_arena *arena, struct loom_proposal *out)
{
	bool moved = of->moved;

	*out = (struct loom_proposal){.agent = engine->agent.id,
				      .tree = engine->tree.id,
				      .thread = engine->thread.id,
				      .seq = engine->seq};
	out->calls = LOOM_ARENA_ARRAY(arena, of->count, struct loom_proposed);
	for (size_t i = 0; i < of->count; i++) {
		const struct loom_call *call = of->acts[i].call;

		if (call && (!wants || wants[i]))
			propose(engine, call, moved, arena, &out->calls[out->count++]);
		moved |= call && moves(call->verb);
	}
}

static bool same_target(struct loom_str then, struct loom_str now)
{
	return loom_str_is(then, THEN) || loom_str_eq(then, now);
}

bool actor_proposal_same(const struct loom_proposal *listed, const struct loom_proposal *now)
{
	if (listed->agent != now->agent || listed->tree != now->tree || listed->count != now->count)
		return false;
	for (size_t i = 0; i < listed->count; i++)
		if (!loom_str_eq(listed->calls[i].call, now->calls[i].call) ||
		    !same_target(listed->calls[i].target, now->calls[i].target))
			return false;
	return true;
}

static enum loom_status put(struct actor_leave *leave, struct loom_store *store,
			    const struct loom_session *session, struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);

	if (status != LOOM_OK)
		return status;
	status = loom_proposal_add(store, &leave->proposal, session, err);
	return loom_quiet_end(store, status, err);
}

enum loom_status actor_leave_ask(struct actor_leave *leave, struct loom_engine *engine,
				 const struct actor_leave_of *of, struct loom_arena *arena,
				 struct loom_err *err)
{
	const struct loom_session *session =
		engine->who.grant.approval == LOOM_APPROVE_PROPOSE ? NULL : of->asker;
	bool any = false;
	enum loom_status status = LOOM_OK;

	*leave = (struct actor_leave){.acts = of->count};
	leave->wants = LOOM_ARENA_ARRAY(arena, of->count, bool);
	leave->given = LOOM_ARENA_ARRAY(arena, of->count, enum loom_leave);
	for (size_t i = 0; i < of->count; i++) {
		leave->wants[i] =
			of->acts[i].call && loom_engine_wants_leave(engine, of->acts[i].call);
		any |= leave->wants[i];
	}
	if (!any || engine->opts.dry_run)
		return LOOM_OK;
	actor_propose(engine, of, leave->wants, arena, &leave->proposal);
	status = put(leave, engine->store, session, err);
	leave->waiting = status == LOOM_OK && session;
	return status;
}

/* Copies the answer, call by call. */
static void take_answer(struct actor_leave *leave, const struct loom_proposal *row)
{
	size_t at = 0;

	for (size_t i = 0; i < leave->acts; i++) {
		bool ticked = false;

		if (!leave->wants[i])
			continue;
		ticked = row->state == LOOM_PROPOSAL_APPROVED && row->calls[at].ticked;
		leave->given[i] = ticked ? LOOM_LEAVE_GIVEN : LOOM_LEAVE_REFUSED;
		at++;
	}
}

static enum loom_status settle(struct actor_leave *leave, struct loom_store *store,
			       const struct loom_proposal *row, struct loom_err *err)
{
	bool mine = false;
	enum loom_status status = loom_quiet_begin(store, err);

	if (status != LOOM_OK)
		return status;
	if (leave->give_up)
		status = loom_proposal_void(store, leave->proposal.id, err);
	else
		status = loom_proposal_claim(store, leave->proposal.id, &mine, err);
	status = loom_quiet_end(store, status, err);
	if (status == LOOM_OK && mine)
		take_answer(leave, row);
	return status;
}

enum loom_status actor_leave_look(struct actor_leave *leave, struct loom_engine *engine,
				  struct loom_err *err)
{
	struct loom_arena *arena = loom_arena_create();
	struct loom_proposal row = {.state = LOOM_PROPOSAL_VOID};
	enum loom_status status = LOOM_OK;

	if (!leave->give_up)
		status = loom_proposal_get(engine->store, leave->proposal.id, arena, &row, err);
	leave->waiting = status == LOOM_OK && row.state == LOOM_PROPOSAL_WAITS;
	if (status == LOOM_OK && (leave->give_up || row.state == LOOM_PROPOSAL_APPROVED))
		status = settle(leave, engine->store, &row, err);
	else if (status == LOOM_OK && row.state == LOOM_PROPOSAL_REFUSED)
		take_answer(leave, &row);
	loom_arena_destroy(arena);
	return status;
}
