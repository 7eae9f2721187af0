/* Reads a proposal again: as acts that can be done, and as a list that must still mean what a
 * person has read. Does nothing. */
#include <loom/actor/asking.h>
#include <loom/language/parse.h>

enum loom_status loom_acts_proposed(const struct loom_proposal *proposal, struct loom_arena *arena,
				    struct loom_act **out, struct loom_err *err)
{
	struct loom_refusal refusal;

	*out = LOOM_ARENA_ARRAY(arena, proposal->count, struct loom_act);
	for (size_t i = 0; i < proposal->count; i++) {
		struct loom_call *call = LOOM_ARENA_NEW(arena, struct loom_call);

		if (loom_parse_line(arena, proposal->calls[i].call, call, &refusal) != LOOM_OK)
			return loom_fail(err, LOOM_INVALID, "not a call: %.*s",
					 LOOM_STR_ARG(proposal->calls[i].call));
		call->line = proposal->calls[i].line;
		call->batch = 0; /* one step for undo */
		(*out)[i].call = call;
	}
	return LOOM_OK;
}

enum loom_status loom_acts_fit(struct loom_store *store, const struct loom_proposal *proposal,
			       const struct loom_act *acts, struct loom_arena *arena, bool *out,
			       struct loom_err *err)
{
	const struct actor_leave_of of = {.acts = acts, .count = proposal->count};
	const struct loom_engine_opts opts = {.store = store,
					      .agent = proposal->agent,
					      .tree = proposal->tree,
					      .thread = proposal->thread,
					      .local = true};
	struct loom_engine *engine = NULL;
	struct loom_proposal now;
	enum loom_status status = loom_engine_open(&opts, &engine, err);

	if (status != LOOM_OK)
		return status;
	actor_propose(engine, &of, NULL, arena, &now);
	*out = actor_proposal_same(proposal, &now);
	loom_engine_close(engine);
	return LOOM_OK;
}

enum loom_status loom_acts_wait(const struct loom_engine_opts *opts, const struct loom_act *acts,
				size_t count, struct loom_arena *arena, struct loom_proposal *out,
				struct loom_err *err)
{
	const struct actor_leave_of of = {.acts = acts, .count = count};
	struct loom_engine *engine = NULL;
	enum loom_status status = loom_engine_open(opts, &engine, err);

	if (status != LOOM_OK)
		return status;
	actor_propose(engine, &of, NULL, arena, out);
	if (opts->guest)
		out->guest = *opts->guest;
	status = loom_quiet_begin(opts->store, err);
	if (status == LOOM_OK)
		status = loom_quiet_end(opts->store, loom_proposal_add(opts->store, out, NULL, err),
					err);
	loom_engine_close(engine);
	return status;
}
