/* Finds the log for a command about a thread: the named thread's, else that of the actor's own
 * thread in the current tree. */
#include "log_of.h"

enum loom_status threads_log_of(struct cli_grove *grove, const struct loom_agent *whose,
				struct loom_thread *out, struct loom_err *err)
{
	const bool mine = whose->id == grove->actor.id;
	struct loom_tree tree;
	enum loom_status status = cli_grove_tree(grove, loom_str_make(NULL, 0), &tree, err);

	if (status != LOOM_OK)
		return status;
	status = loom_thread_implicit(grove->store, whose->id, tree.id, grove->arena, out, NULL);
	if (status != LOOM_NOT_FOUND)
		return status;
	loom_fail(err, status, "the tree \"%.*s\" has no thread of %.*s yet",
		  LOOM_STR_ARG(tree.title), LOOM_STR_ARG(mine ? LOOM_STR("yours") : whose->name));
	return loom_hint(err, status, "%s start one; --thread names another",
			 mine ? "loom thread append, op and drive" : "loom chat, run and do");
}

enum loom_status threads_log_whose(struct cli_grove *grove, struct loom_str name,
				   struct loom_agent *agent, const struct loom_agent **out,
				   struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	*out = NULL;
	if (!name.p)
		return LOOM_OK;
	status = loom_agent_find(grove->store, name, grove->arena, agent, err);
	if (status != LOOM_OK)
		return status;
	*out = agent;
	if (cli_grove_person(grove) || agent->id == grove->actor.id)
		return LOOM_OK;
	loom_fail(err, LOOM_PERMISSION, "the log of %.*s is private", LOOM_STR_ARG(agent->name));
	return loom_hint(err, LOOM_PERMISSION, "use your own thread");
}

enum loom_status threads_log_find(struct cli_grove *grove, struct loom_str name,
				  struct loom_thread *out, struct loom_err *err)
{
	enum loom_status status = name.p ? chat_grove_thread(grove, name, NULL, out, err)
					 : threads_log_of(grove, &grove->actor, out, err);

	if (status != LOOM_OK || cli_grove_person(grove) || out->agent == grove->actor.id)
		return status;
	loom_fail(err, LOOM_PERMISSION, "%.*s is another agent's thread", LOOM_STR_ARG(out->name));
	return loom_hint(err, LOOM_PERMISSION, "use your own thread");
}

/* The agent's own thread in the current tree, created if it was never used. Needs a connection that
 * writes. */
static enum loom_status ensure(struct cli_grove *grove, struct loom_store *store, int64_t agent,
			       struct loom_thread *out, struct loom_err *err)
{
	struct loom_tree tree;
	enum loom_status status = cli_grove_tree(grove, loom_str_make(NULL, 0), &tree, err);

	if (status == LOOM_OK)
		status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	status = loom_thread_ensure(store, agent, tree.id, grove->arena, out, err);
	return loom_quiet_end(store, status, err);
}

enum loom_status threads_log_tie(struct cli_grove *grove, struct loom_str name,
				 struct loom_err *err)
{
	const struct chat_tie tie = {.agent = grove->actor.id};
	struct loom_thread thread;

	return name.p ? chat_grove_thread(grove, name, &tie, &thread, err) : LOOM_OK;
}

enum loom_status threads_log_open(struct cli_grove *grove, struct loom_store *store,
				  const struct loom_session *session, struct threads_log *out,
				  struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (out->makes && !out->named.p)
		status = ensure(grove, store, out->whose ? out->whose->id : grove->actor.id,
				&out->thread, err);
	else if (out->whose)
		status = threads_log_of(grove, out->whose, &out->thread, err);
	else
		status = threads_log_find(grove, out->named, &out->thread, err);
	out->keeper = NULL;
	if (status == LOOM_OK)
		status = loom_thread_log_open(store, out->thread.id, session, &out->keeper, err);
	if (status != LOOM_OK)
		return status;
	out->log = loom_thread_log_face(out->keeper);
	out->prompt = loom_str_make(NULL, 0);
	return LOOM_OK;
}

enum loom_status threads_log_prompt(struct cli_grove *grove, const struct cli_voices *voices,
				    const struct loom_thread *thread, struct loom_str *out,
				    struct loom_err *err)
{
	struct loom_agent agent;
	struct cli_asked asked;
	enum loom_status status =
		loom_agent_get(grove->store, thread->agent, grove->arena, &agent, err);

	*out = loom_str_make(NULL, 0);
	if (status != LOOM_OK)
		return status;
	cli_voice_of(voices, &agent, &asked);
	if (asked.prompt.n)
		*out = loom_arena_str(grove->arena, asked.prompt);
	return LOOM_OK;
}

enum loom_status threads_log_run(struct loom_store *store, const struct threads_log *log,
				 struct loom_run **out, struct loom_err *err)
{
	const struct chat_run_place place = {.store = store,
					     .thread = &log->thread,
					     .log = &log->log,
					     .prompt = log->prompt};

	return chat_run_open(&place, out, err);
}
