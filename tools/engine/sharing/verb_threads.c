/* `→ threads`: objectives, the threads that serve them, who reads whom, and what one thread has
 * that another could be given. */
#include "inside.h"

#include <loom/text/sanitise.h>

/* More threads than this are listed without what they read, each of which is looked up. */
#define TIES_SHOWN 200

/* A page of threads with their objectives. */
struct listing {
	struct sharing *sharing;
	struct loom_leslie_thread *threads;
	size_t count;
	struct loom_objective *objectives;
	size_t objective_count;
};

static struct loom_buf *out_of(const struct sharing *sharing)
{
	return sharing->run->out;
}

static void say_title(const struct sharing *sharing, struct loom_str id, struct loom_str title)
{
	loom_shown_line(out_of(sharing), id, 0);
	if (loom_str_eq(id, title))
		return;
	loom_buf_adds(out_of(sharing), " \"");
	loom_shown_line(out_of(sharing), title, 0);
	loom_buf_addc(out_of(sharing), '"');
}

static void say_status(const struct sharing *sharing, const struct loom_leslie_thread *thread)
{
	loom_buf_adds(out_of(sharing), " · ");
	loom_shown_line(out_of(sharing), thread->status_text, 0);
	if (loom_str_eq(thread->id, sharing->own))
		loom_buf_adds(out_of(sharing), " · this thread");
}

static void say_edge(const struct sharing *sharing, const struct loom_leslie_edge *edge)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_leslie_edge_say(edge, loom_env_now(loom_store_env(sharing->run->store)), &text);
	loom_shown_line(out_of(sharing), edge->thread, 0);
	loom_buf_adds(out_of(sharing), " (");
	loom_shown_line(out_of(sharing), loom_buf_str(&text), 0);
	loom_buf_addc(out_of(sharing), ')');
	loom_buf_fini(&text);
}

static void say_reads(const struct sharing *sharing, const struct loom_leslie_thread *thread,
		      const char *lead)
{
	for (size_t i = 0; i < thread->reference_count; i++) {
		loom_buf_adds(out_of(sharing), i ? ", " : lead);
		say_edge(sharing, &thread->references[i]);
	}
}

static void say_thread(struct listing *listing, const struct loom_leslie_thread *thread)
{
	struct sharing *sharing = listing->sharing;
	struct loom_leslie_thread whole;
	const bool own = loom_str_eq(thread->id, sharing->own);

	loom_buf_adds(out_of(sharing), "\n  ");
	say_title(sharing, thread->id, thread->title);
	say_status(sharing, thread);
	if ((own || listing->count <= TIES_SHOWN) &&
	    loom_leslie_thread(sharing->leslie, thread->id, sharing->run->arena, &whole, NULL) ==
		    LOOM_OK)
		say_reads(sharing, &whole, " · reads ");
}

static void say_threads_of(struct listing *listing, const struct loom_objective *objective)
{
	for (size_t i = 0; i < listing->count; i++)
		if (loom_str_eq(listing->threads[i].objective, objective->id))
			say_thread(listing, &listing->threads[i]);
}

static bool has_objective(const struct listing *listing, const struct loom_leslie_thread *thread)
{
	for (size_t i = 0; i < listing->objective_count; i++)
		if (loom_str_eq(thread->objective, listing->objectives[i].id))
			return true;
	return false;
}

static void say_plan(const struct sharing *sharing)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_leslie_err why = {.code = NULL};

	if (loom_leslie_plan_read(sharing->leslie, &text, &why) == LOOM_OK)
		loom_buf_adds(out_of(sharing),
			      "\nPlan of all threads: " LANG_ARROW " read doc:\"global plan\"");
	loom_buf_fini(&text);
}

static enum loom_status say_all(struct sharing *sharing)
{
	struct listing listing = {.sharing = sharing};
	struct loom_arena *arena = sharing->run->arena;
	enum loom_status status = loom_objective_list(sharing->leslie, arena, &listing.objectives,
						      &listing.objective_count, &sharing->why);

	if (status == LOOM_OK)
		status = loom_leslie_threads(sharing->leslie, NULL, arena, &listing.threads,
					     &listing.count, &sharing->why);
	if (status != LOOM_OK)
		return status;
	loom_show_many((int64_t)listing.count, "thread", "threads", out_of(sharing));
	for (size_t i = 0; i < listing.objective_count; i++) {
		loom_buf_adds(out_of(sharing), "\nobjective ");
		say_title(sharing, listing.objectives[i].id, listing.objectives[i].title);
		loom_buf_addf(out_of(sharing), " · %.*s",
			      LOOM_STR_ARG(listing.objectives[i].status));
		say_threads_of(&listing, &listing.objectives[i]);
	}
	for (size_t i = 0; i < listing.count; i++)
		if (!has_objective(&listing, &listing.threads[i]))
			say_thread(&listing, &listing.threads[i]);
	say_plan(sharing);
	if (listing.count)
		loom_buf_adds(out_of(sharing),
			      "\nRelations: " LANG_ARROW " read .leslie/thread_relations.json");
	return LOOM_OK;
}

/* ---- one thread ---- */

static void say_texts(const struct sharing *sharing, const char *lead, const struct loom_str *items,
		      size_t count)
{
	for (size_t i = 0; i < count; i++) {
		loom_buf_adds(out_of(sharing), i ? ", " : lead);
		loom_shown_line(out_of(sharing), items[i], 0);
	}
}

static enum loom_status say_files(struct sharing *sharing, struct loom_str id)
{
	struct loom_leslie_file *files = NULL;
	size_t count = 0;
	enum loom_status status = loom_leslie_files(sharing->leslie, id, sharing->run->arena,
						    &files, &count, &sharing->why);

	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		loom_buf_adds(out_of(sharing), i ? ", " : "\n  files: ");
		loom_shown_line(out_of(sharing), files[i].name, 0);
	}
	if (status == LOOM_OK && !count)
		loom_buf_adds(out_of(sharing), "\n  it has no files yet");
	return status;
}

static enum loom_status say_one(struct sharing *sharing, struct loom_str id)
{
	struct loom_leslie_thread thread;
	enum loom_status status = loom_leslie_thread(sharing->leslie, id, sharing->run->arena,
						     &thread, &sharing->why);

	if (status != LOOM_OK)
		return status;
	say_title(sharing, thread.id, thread.title);
	say_status(sharing, &thread);
	loom_buf_adds(out_of(sharing), " · objective ");
	loom_shown_line(out_of(sharing), thread.objective, 0);
	if (thread.parent_id.n) {
		loom_buf_adds(out_of(sharing), " · spawned by ");
		loom_shown_line(out_of(sharing), thread.parent_id, 0);
	}
	status = say_files(sharing, id);
	say_reads(sharing, &thread, "\n  reads: ");
	say_texts(sharing, "\n  read by: ", thread.referenced_by, thread.referenced_by_count);
	say_texts(sharing, "\n  spawned: ", thread.children, thread.child_count);
	return status;
}

enum loom_status engine_verb_threads(struct engine_run *run, struct loom_err *err)
{
	struct sharing sharing;
	struct loom_str id = run->call->ref;
	enum loom_status status = sharing_open(run, &sharing, err);

	if (status == LOOM_OK) {
		status = id.p ? say_one(&sharing, id) : say_all(&sharing);
		if (status != LOOM_OK)
			status = sharing_refuse(&sharing, err);
	}
	sharing_close(&sharing);
	return status;
}
