/* A thread's report: the log's, with names from the store. */
#include <loom/work/thread_report.h>

#include <loom/log/report.h>
#include <loom/tree/agent.h>
#include <loom/tree/tree.h>
#include <loom/work/thread_log.h>

enum loom_status loom_thread_report(struct loom_store *store, const struct loom_thread *thread,
				    struct loom_arena *arena, struct loom_buf *out,
				    struct loom_err *err)
{
	struct loom_report_opts opts = {.thread = thread->name};
	struct loom_thread_log *keeper = NULL;
	struct loom_agent agent;
	struct loom_tree tree;
	struct loom_log log;
	enum loom_status status = loom_agent_get(store, thread->agent, arena, &agent, err);

	LOOM_ASSERT(thread->id > 0);
	if (status == LOOM_OK)
		status = loom_tree_get(store, thread->tree, arena, &tree, err);
	if (status == LOOM_OK)
		status = loom_thread_log_open(store, thread->id, NULL, &keeper, err);
	if (status != LOOM_OK)
		return status;
	opts.agent = agent.name;
	opts.tree = tree.title;
	log = loom_thread_log_face(keeper);
	status = loom_report(&log, &opts, arena, out, err);
	loom_thread_log_close(keeper);
	return status;
}
