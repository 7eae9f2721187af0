/* Text that was queued for a run and never heard: it goes back to its author as a draft. */
#ifndef LOOM_CHAT_LOST_INPUT_H
#define LOOM_CHAT_LOST_INPUT_H

#include <loom/grove/draft.h>
#include <loom/log/lifecycle.h>
#include <loom/work/thread.h>

/* Keeps a text that no run took as a draft. Returns the draft's id in the arena, empty when it
 * could not be kept. */
struct loom_str chat_unheard_draft(struct loom_store *store, const struct loom_thread *thread,
				   struct loom_str text, struct loom_arena *arena);
/* Keeps each text of a run's `returned` list as a draft. Failures are ignored. */
void chat_unheard_keep(struct loom_store *store, const struct loom_thread *thread,
		       struct loom_str returned);

/* A thread's log and its keeper. */
struct chat_run_place {
	struct loom_store *store;
	const struct loom_thread *thread;
	const struct loom_log *log;
	struct loom_str prompt; /* p NULL: none */
};
/* Opens the run. If a process died in it, first keeps the text queued for it as drafts. Fails as
 * the log's keeper does. */
enum loom_status chat_run_open(const struct chat_run_place *place, struct loom_run **out,
			       struct loom_err *err) LOOM_MUST;

#endif
