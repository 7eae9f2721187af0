/* Ties between the threads of `.leslie/` and those of the store, and the notes passed along
 * them. */
#include <loom/chat/ties.h>
#include <loom/tree/person.h>

#include <loom/work/thread_log.h>

bool chat_grove_spawned(struct cli_grove *grove, struct loom_str name)
{
	return loom_told_spawned(grove->store, name, grove->arena);
}

/* ---- notes ---- */

struct noting {
	int64_t thread;
	struct loom_leslie_warnings warnings;
	bool loaded;
	struct loom_arena *arena;
};

static enum loom_status write_notes(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct noting *noting = ctx;
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	enum loom_status status = loom_thread_log_open(store, noting->thread, NULL, &keeper, err);

	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = loom_told_warn(&log, LOOM_STR(""), &noting->warnings, noting->arena, err);
	if (status == LOOM_OK && noting->loaded)
		status = loom_block_note_load(&log, noting->arena, err);
	loom_thread_log_close(keeper);
	return status;
}

/* Collects the notes that the log of a new thread begins with: what is broken by now, and that it
 * was loaded if it has files of its own. What cannot be read is left out; none of it blocks. */
static void foresee_notes(struct cli_grove *grove, struct loom_str name, struct noting *noting)
{
	struct loom_thread_context context = {.refs = NULL};
	struct loom_leslie *leslie = NULL;
	struct loom_leslie_err why;

	noting->arena = grove->arena;
	if (loom_told_leslie(grove->store, "user", grove->arena, &leslie, NULL) == LOOM_OK &&
	    loom_leslie_context(leslie, name, LOOM_CONTEXT_LOAD, grove->arena, &context,
				&noting->warnings, &why) == LOOM_OK)
		noting->loaded = context.assets.count > 0;
	loom_leslie_close(leslie);
}

/* ---- tying ---- */

struct tying {
	struct loom_str name;
	struct chat_tie tie;
	int64_t thread; /* 0: to be created */
	struct noting notes;
};

static enum loom_status write_tie(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct tying *tying = ctx;
	enum loom_status status = LOOM_OK;

	if (tying->thread)
		return loom_thread_hand(store, tying->thread, tying->tie.agent, err);
	status = loom_thread_create(store, tying->name, tying->tie.agent, tying->tie.tree,
				    &tying->notes.thread, err);
	return status == LOOM_OK ? write_notes(store, &tying->notes, err) : status;
}

enum loom_status chat_grove_tie(struct cli_grove *grove, struct loom_str name,
				const struct chat_tie *tie, struct loom_err *err)
{
	struct tying tying = {.name = name, .tie = *tie};
	struct cli_write write = {.run = write_tie, .ctx = &tying};
	struct loom_agent owner = {.id = 0};
	int64_t tree = tie->tree;
	enum loom_status status = LOOM_OK;

	if (!tying.tie.agent) {
		status = loom_person_me(grove->store, grove->arena, &owner, err);
		tying.tie.agent = status == LOOM_OK ? owner.id : 0;
	}
	if (status == LOOM_OK && !tree)
		status = loom_current_tree(grove->store, &tree, err);
	tying.tie.tree = tree;
	foresee_notes(grove, name, &tying.notes);
	return status == LOOM_OK ? cli_grove_write(grove, &write, err) : status;
}

/* Passes a thread that a person holds, because it was untied, to the agent that comes to work in
 * it. */
static enum loom_status hand_over(struct cli_grove *grove, const struct chat_tie *tie,
				  struct loom_thread *thread, struct loom_err *err)
{
	struct tying tying = {.thread = thread->id};
	struct cli_write write = {.run = write_tie, .ctx = &tying};
	const struct loom_agent *holder = NULL;
	const struct loom_agent *agent = NULL;
	enum loom_status status = LOOM_OK;

	if (!tie || !tie->agent || tie->agent == thread->agent || thread->implicit)
		return LOOM_OK;
	status = cli_grove_agent(grove, thread->agent, &holder, err);
	if (status == LOOM_OK)
		status = cli_grove_agent(grove, tie->agent, &agent, err);
	if (status != LOOM_OK || holder->kind != LOOM_AGENT_HUMAN ||
	    agent->kind != LOOM_AGENT_MODEL)
		return status;
	tying.tie = *tie;
	thread->agent = tie->agent;
	return cli_grove_write(grove, &write, err);
}

enum loom_status chat_grove_thread(struct cli_grove *grove, struct loom_str name,
				   const struct chat_tie *tie, struct loom_thread *out,
				   struct loom_err *err)
{
	enum loom_status status = loom_thread_find(grove->store, name, grove->arena, out, err);

	if (status == LOOM_OK)
		return hand_over(grove, tie, out, err);
	if (status != LOOM_NOT_FOUND)
		return status;
	if (!chat_grove_spawned(grove, name)) {
		loom_fail(err, status, "there is no thread \"%.*s\"", LOOM_STR_ARG(name));
		return loom_hint(err, status, "loom thread list shows the spawned ones");
	}
	if (!tie) {
		loom_fail(err, status, "nobody has worked in thread %.*s yet, so it has no log",
			  LOOM_STR_ARG(name));
		return loom_hint(err, status, "loom chat --thread %.*s, or loom run",
				 LOOM_STR_ARG(name));
	}
	status = chat_grove_tie(grove, name, tie, err);
	/* Another process was faster; its tie is as good. */
	if (status != LOOM_OK && status != LOOM_CONFLICT)
		return status;
	return loom_thread_find(grove->store, name, grove->arena, out, err);
}

void chat_grove_note(struct cli_grove *grove, struct loom_str thread,
		     const struct loom_leslie_warnings *warnings, bool loaded)
{
	static const struct chat_tie owner = {0};
	struct loom_thread row = {.id = 0};
	struct noting noting = {.warnings = *warnings, .loaded = loaded, .arena = grove->arena};
	struct cli_write write = {.run = write_notes, .ctx = &noting};
	struct loom_err ignored;
	const bool person = cli_grove_person(grove);
	/* Only a thread that is worked in needs to know that it was loaded. An agent that only
	 * looks creates no ties and writes nothing into another's log. */
	enum loom_status status =
		warnings->count && person
			? chat_grove_thread(grove, thread, &owner, &row, &ignored)
			: loom_thread_find(grove->store, thread, grove->arena, &row, &ignored);

	noting.thread = row.id;
	if (status == LOOM_OK && (person || row.agent == grove->actor.id))
		(void)!cli_grove_write(grove, &write, &ignored);
}
