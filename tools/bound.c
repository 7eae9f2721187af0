/* Ties between the threads of `.leslie/` and those of the store, and what passes along them: the
 * block into a message, warnings into the log. */
#include "bound_impl.h"

#include <loom/run.h>
#include <loom/thread_log.h>

#define STORE_FILES 4

enum loom_status tool_leslie_of(struct loom_store *store, const char *who, struct loom_arena *arena,
				struct loom_leslie **out, struct loom_err *err)
{
	static const char *const names[STORE_FILES] = {LOOM_GROVE_DIR "/" LOOM_GROVE_FILE,
						       LOOM_GROVE_DIR "/" LOOM_GROVE_FILE "-wal",
						       LOOM_GROVE_DIR "/" LOOM_GROVE_FILE "-shm",
						       LOOM_GROVE_DIR "/" LOOM_GROVE_FILE
								      "-journal"};
	struct loom_file_id *ids = LOOM_ARENA_ARRAY(arena, STORE_FILES, struct loom_file_id);
	struct loom_leslie_opts opts = {
		.start = loom_arena_cstr(arena, loom_store_dir(store)),
		.env = loom_store_env(store),
		.operator_ = who,
		.refused = ids,
	};
	struct loom_root project = LOOM_ROOT_INIT;
	struct loom_file_info info;

	if (loom_root_open(opts.start, &project, NULL) == LOOM_OK)
		for (size_t i = 0; i < STORE_FILES; i++)
			if (loom_path_info(&project, loom_str_of(names[i]), false, &info, NULL) ==
			    LOOM_OK)
				ids[opts.refused_count++] = info.id;
	loom_root_close(&project);
	return loom_leslie_open(&opts, out, err);
}

/* ---- tying ---- */

/* Whether `.leslie/` has a thread of that name; trouble there is none of ours here. */
static bool is_spawned(struct loom_store *store, struct loom_str name, struct loom_arena *arena)
{
	struct loom_leslie *leslie = NULL;
	struct loom_leslie_thread thread;
	bool spawned = loom_leslie_id_ok(name) &&
		       tool_leslie_of(store, "user", arena, &leslie, NULL) == LOOM_OK &&
		       loom_leslie_thread(leslie, name, arena, &thread, NULL) == LOOM_OK;

	loom_leslie_close(leslie);
	return spawned;
}

struct tying {
	struct loom_str name;
	struct tool_tie tie;
	int64_t thread; /* 0: to be made */
};

static enum loom_status write_tie(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct tying *tying = ctx;

	if (tying->thread)
		return loom_thread_hand(store, tying->thread, tying->tie.agent, err);
	return loom_thread_create(store, tying->name, tying->tie.agent, tying->tie.tree,
				  &tying->thread, err);
}

enum loom_status tool_grove_tie(struct tool_grove *grove, struct loom_str name,
				const struct tool_tie *tie, struct loom_err *err)
{
	struct tying tying = {.name = name, .tie = *tie};
	struct tool_write write = {.run = write_tie, .ctx = &tying};
	struct loom_agent owner;
	enum loom_status status = LOOM_OK;

	if (!tying.tie.agent) {
		status = loom_agent_owner(grove->store, grove->arena, &owner, err);
		tying.tie.agent = status == LOOM_OK ? owner.id : 0;
	}
	if (status == LOOM_OK && !tying.tie.tree)
		status = loom_current_tree(grove->store, &tying.tie.tree, err);
	return status == LOOM_OK ? tool_grove_write(grove, &write, err) : status;
}

/* A person who was given a thread that was nobody's holds it for whoever comes to work in it. */
static enum loom_status hand_over(struct tool_grove *grove, const struct tool_tie *tie,
				  struct loom_thread *thread, struct loom_err *err)
{
	struct tying tying = {.thread = thread->id};
	struct tool_write write = {.run = write_tie, .ctx = &tying};
	const struct loom_agent *holder = NULL;
	const struct loom_agent *agent = NULL;
	enum loom_status status = LOOM_OK;

	if (!tie || !tie->agent || tie->agent == thread->agent || thread->implicit)
		return LOOM_OK;
	status = tool_grove_agent(grove, thread->agent, &holder, err);
	if (status == LOOM_OK)
		status = tool_grove_agent(grove, tie->agent, &agent, err);
	if (status != LOOM_OK || holder->kind != LOOM_AGENT_HUMAN ||
	    agent->kind != LOOM_AGENT_MODEL)
		return status;
	tying.tie = *tie;
	thread->agent = tie->agent;
	return tool_grove_write(grove, &write, err);
}

enum loom_status tool_grove_thread(struct tool_grove *grove, struct loom_str name,
				   const struct tool_tie *tie, struct loom_thread *out,
				   struct loom_err *err)
{
	enum loom_status status = loom_thread_find(grove->store, name, grove->arena, out, err);

	if (status == LOOM_OK)
		return hand_over(grove, tie, out, err);
	if (status != LOOM_NOT_FOUND)
		return status;
	if (!is_spawned(grove->store, name, grove->arena)) {
		loom_fail(err, status, "there is no thread \"%.*s\"", LOOM_STR_ARG(name));
		return loom_hint(err, status, "loom thread list shows the spawned ones");
	}
	if (!tie) {
		loom_fail(err, status, "nobody has worked in thread %.*s yet: it has no log",
			  LOOM_STR_ARG(name));
		return loom_hint(err, status, "loom chat --thread %.*s, or loom run",
				 LOOM_STR_ARG(name));
	}
	status = tool_grove_tie(grove, name, tie, err);
	/* Another process was faster: theirs is as good. */
	if (status != LOOM_OK && status != LOOM_CONFLICT)
		return status;
	return loom_thread_find(grove->store, name, grove->arena, out, err);
}

/* ---- notes ---- */

static enum loom_status warn_all(const struct loom_log *log,
				 const struct loom_leslie_warnings *warnings,
				 struct loom_arena *arena, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; status == LOOM_OK && i < warnings->count; i++)
		status = loom_block_warn(log, warnings->items[i], arena, err);
	return status;
}

enum loom_status tool_thread_warn(struct loom_store *store, const struct loom_log *log,
				  const struct loom_leslie_warnings *warnings,
				  struct loom_arena *arena, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!warnings->count)
		return LOOM_OK;
	status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	return loom_quiet_end(store, warn_all(log, warnings, arena, err), err);
}

struct noting {
	const struct loom_thread *thread;
	const struct loom_leslie_warnings *warnings;
	bool loaded;
	struct loom_arena *arena;
};

static enum loom_status write_notes(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct noting *noting = ctx;
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	enum loom_status status =
		loom_thread_log_open(store, noting->thread->id, NULL, &keeper, err);

	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = warn_all(&log, noting->warnings, noting->arena, err);
	if (status == LOOM_OK && noting->loaded)
		status = loom_block_note_load(&log, noting->arena, err);
	loom_thread_log_close(keeper);
	return status;
}

void tool_grove_note(struct tool_grove *grove, struct loom_str thread,
		     const struct loom_leslie_warnings *warnings, bool loaded)
{
	static const struct tool_tie owner = {0};
	struct loom_thread row = {.id = 0};
	struct noting noting = {.thread = &row,
				.warnings = warnings,
				.loaded = loaded,
				.arena = grove->arena};
	struct tool_write write = {.run = write_notes, .ctx = &noting};
	struct loom_err ignored;
	/* Being loaded is news only to a thread that somebody works in. */
	enum loom_status status =
		warnings->count
			? tool_grove_thread(grove, thread, &owner, &row, &ignored)
			: loom_thread_find(grove->store, thread, grove->arena, &row, &ignored);

	if (status == LOOM_OK)
		(void)!tool_grove_write(grove, &write, &ignored);
}

/* ---- the block ---- */

static enum loom_status is_due(struct loom_store *store, const struct loom_thread *thread,
			       struct loom_arena *arena, bool *due, enum loom_context_mode *mode,
			       struct loom_err *err)
{
	struct loom_thread_log *keeper = NULL;
	struct loom_derived derived;
	struct loom_log log;
	enum loom_status status = loom_thread_log_open(store, thread->id, NULL, &keeper, err);

	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = loom_derive(&log, LOOM_SEQ_HEAD, arena, &derived, err);
	if (status == LOOM_OK)
		status = loom_block_due(&log, derived.lane, arena, due, mode, err);
	loom_thread_log_close(keeper);
	return status;
}

enum loom_status tool_thread_block(struct loom_store *store, const struct loom_thread *thread,
				   struct loom_arena *arena, struct loom_str *out,
				   struct loom_leslie_warnings *warnings, struct loom_err *err)
{
	enum loom_context_mode mode = LOOM_CONTEXT_SPAWN;
	struct loom_leslie_warnings unsaid = {.items = NULL};
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_thread_context context;
	struct loom_leslie *leslie = NULL;
	struct loom_leslie_err why = {.code = NULL};
	bool due = false;
	enum loom_status status = LOOM_OK;

	*out = LOOM_STR("");
	if (thread->implicit || !thread->id)
		return LOOM_OK;
	status = is_due(store, thread, arena, &due, &mode, err);
	if (status != LOOM_OK || !due)
		return status;
	/* What is wrong with `.leslie/` is said by its own commands and stops no conversation. */
	if (tool_leslie_of(store, "user", arena, &leslie, NULL) == LOOM_OK &&
	    loom_leslie_context(leslie, thread->name, mode, arena, &context,
				warnings ? warnings : &unsaid, &why) == LOOM_OK &&
	    loom_thread_context_emit(&context, &text, NULL) == LOOM_OK)
		*out = loom_arena_buf(arena, &text);
	loom_leslie_close(leslie);
	loom_buf_fini(&text);
	return LOOM_OK;
}
