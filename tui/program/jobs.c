/* Work under way: nodes being written, an import, agents' turns, summaries. */
#include <loom/desk/desk.h>
#include <loom/desk/does.h>

#include <loom/tree/job.h>

#include <loom/project/import_view.h>
#include <loom/lists/list.h>
#include <loom/lists/talk.h>
#include <loom/desk/ghosts.h>
#include <loom/desk/position.h>
#include <loom/tree/document.h>

/* The kind of a row, in its `other`; summaries use other values. */
enum job { JOB_NODE = 10, JOB_TURN, JOB_IMPORT };

/* A turn's row has this plus its agent as id. Rows of nodes count from 1. */
#define TURNS  1000000
#define IMPORT 2000000000

#define JOBS_MAX 200

/* --- summaries --- */

/* Names what a job is about; empty when it is gone. */
static struct loom_str name_of(struct tui_app *app, const struct loom_summary_job *job,
			       struct loom_arena *arena)
{
	char id[LOOM_LOCAL_MAX];
	struct loom_node node;
	struct loom_tree tree;
	struct loom_doc doc;

	if (job->kind == LOOM_JOB_NODE &&
	    loom_node_get(app->store, job->target, LOOM_NODE_NARROW, arena, &node, NULL) ==
		    LOOM_OK &&
	    loom_node_name(app->store, &node, id, NULL) == LOOM_OK)
		return loom_arena_format(arena, "[%s]", id);
	if (job->kind == LOOM_JOB_DOC &&
	    loom_doc_get(app->store, job->target, false, arena, &doc, NULL) == LOOM_OK)
		return loom_arena_format(arena, "doc:\"%.*s\"", LOOM_STR_ARG(doc.name));
	if (job->kind == LOOM_JOB_TREE &&
	    loom_tree_get(app->store, job->target, arena, &tree, NULL) == LOOM_OK)
		return loom_arena_format(arena, "tree:\"%.*s\"", LOOM_STR_ARG(tree.title));
	return LOOM_STR("");
}

static enum tui_role role_of(enum loom_job_state state)
{
	return state == LOOM_JOB_CLAIMED  ? TUI_ROLE_RUNNING
	       : state == LOOM_JOB_FAILED ? TUI_ROLE_ERROR
					  : TUI_ROLE_DIM;
}

static enum loom_status add_summaries(struct tui_app *app, struct tui_list *list,
				      struct loom_err *err)
{
	struct loom_arena *arena = tui_list_arena(list);
	struct loom_summary_job *jobs = NULL;
	size_t count = 0;
	enum loom_status status = loom_job_list(app->store, JOBS_MAX, arena, &jobs, &count, err);

	for (size_t i = 0; i < count && status == LOOM_OK; i++) {
		struct loom_str name = name_of(app, &jobs[i], arena);

		if (name.n)
			tui_list_add(list,
				     &(struct tui_entry){.lead = LOOM_STR("summary"),
							 .lead_role = role_of(jobs[i].state),
							 .text = name,
							 .end = loom_str_of(loom_job_state_word(
								 jobs[i].state)),
							 .id = 2000000 + jobs[i].id,
							 .other = 1});
	}
	return status;
}

/* --- all of it --- */

static enum loom_status read_jobs(struct tui_app *app, struct tui_list *list, struct loom_err *err)
{
	struct loom_buf progress = LOOM_BUF_INIT(1024);

	for (size_t i = 0; i < app->streams->count; i++) {
		const struct tui_ghost *ghost = &app->streams->items[i];
		struct loom_arena *arena = tui_list_arena(list);
		tui_list_add(list,
			     &(struct tui_entry){
				     .lead = loom_arena_str(arena, loom_str_of(ghost->id)),
				     .lead_role = TUI_ROLE_RUNNING,
				     .text = loom_arena_str(arena, loom_buf_str(&ghost->text)),
				     .role = TUI_ROLE_MODEL,
				     .id = (int64_t)i + 1,
				     .other = JOB_NODE});
	}
	if (tui_import_progress(app, &progress))
		tui_list_add(list, &(struct tui_entry){.lead = LOOM_STR("import"),
						       .lead_role = TUI_ROLE_RUNNING,
						       .text = loom_arena_buf(tui_list_arena(list),
									      &progress),
						       .end = LOOM_STR("Esc in the tree stops it"),
						       .id = IMPORT,
						       .other = JOB_IMPORT});
	loom_buf_fini(&progress);
	for (const struct tui_talk *talk = app->talks; talk; talk = talk->next)
		if (talk->running)
			tui_list_add(list,
				     &(struct tui_entry){
					     .lead = tui_people_name(&app->people, talk->agent),
					     .lead_role = TUI_ROLE_RUNNING,
					     .text = loom_str_of(loom_chat_state_word(talk->state)),
					     .end = LOOM_STR("a turn"),
					     .id = TURNS + talk->agent,
					     .other = JOB_TURN});
	return add_summaries(app, list, err);
}

/* Goes to the node being written, or opens the conversation. */
static void open_job(struct tui_app *app, const struct tui_entry *entry)
{
	struct tui_talk *talk = app->talks;

	while (talk && TURNS + talk->agent != entry->id)
		talk = talk->next;
	if (entry->other == JOB_NODE && entry->id <= (int64_t)app->streams->count) {
		tui_list_close(app);
		tui_cursor_to(app, app->streams->items[entry->id - 1].item);
	} else if (entry->other == JOB_TURN && talk) {
		tui_talk_open(app, talk);
	} else {
		tui_stuck(app, "there is nothing more to show");
	}
}

static bool offers(const struct tui_list *list, const struct tui_entry *entry,
		   enum tui_command command)
{
	(void)list;
	if (command == TUI_ACTION_OPEN)
		return entry && (entry->other == JOB_NODE || entry->other == JOB_TURN);
	return command != TUI_ACTION_ADD && command != TUI_ACTION_EXTERNAL;
}

static void status(const struct tui_app *app, const struct tui_list *list, struct loom_buf *out)
{
	(void)app;
	tui_list_say_count(list, out);
	if (tui_list_count(list))
		loom_buf_adds(out, " · C-c stops the newest");
}

TUI_DO(VIEW_JOBS)
{
	static const struct tui_list_kind kind = {.title = "Work under way",
						  .unit = "job",
						  .empty = "nothing is under way",
						  .status = status,
						  .offers = offers,
						  .open = open_job,
						  .read = read_jobs};

	tui_list_open(app, &kind, LOOM_STR(""));
}
