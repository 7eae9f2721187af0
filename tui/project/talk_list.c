/* The conversations of a grove as rows beside its threads: where each agent stands, and the agents
 * not yet talked to in this tree. */
#include <loom/work/thread.h>
#include <loom/desk/enter_tree.h>

#include "inside.h"

#define AGENT_ROW (INT64_C(1) << 40) /* of an agent without a thread in this tree */

void tui_talks_place(struct tui_app *app, const struct loom_thread *thread, struct loom_buf *out)
{
	struct loom_tree tree;
	struct loom_node node;
	char id[LOOM_LOCAL_MAX];

	if (loom_node_get(app->store, thread->position, LOOM_NODE_NARROW, app->arena, &node,
			  NULL) ||
	    loom_tree_get(app->store, thread->tree, app->arena, &tree, NULL))
		return;
	loom_local_text(tree.key, node.local, id);
	loom_buf_addf(out, " at [%s] of %.*s", id, LOOM_STR_ARG(tree.title));
}

static bool talks(const struct tui_person *person)
{
	return person && person->agent.kind == LOOM_AGENT_MODEL && person->agent.aware;
}

static void add_talk(struct tui_app *app, struct tui_list *list, const struct tui_person *person,
		     const struct loom_thread *thread)
{
	struct loom_arena *arena = tui_list_arena(list);
	struct loom_buf text = LOOM_BUF_INIT(1 << 16);

	if (thread) {
		loom_buf_add(&text, thread->name);
		tui_talks_place(app, thread, &text);
	} else {
		loom_buf_adds(&text, "no conversation in this tree yet");
	}
	tui_list_add(list,
		     &(struct tui_entry){.lead = loom_arena_format(arena, "  %.*s",
								   LOOM_STR_ARG(person->shown)),
					 .lead_role = person->role,
					 .text = loom_arena_buf(arena, &text),
					 .role = thread ? TUI_ROLE_TEXT : TUI_ROLE_DIM,
					 .end = person->agent.model,
					 .id = thread ? -thread->id : -AGENT_ROW - person->agent.id,
					 .other = TUI_TALK_ROW});
	loom_buf_fini(&text);
}

static bool is_spawned(const struct tui_threads *found, struct loom_str name)
{
	for (size_t i = 0; i < found->count; i++)
		if (loom_str_eq(found->items[i].thread.id, name))
			return true;
	return false;
}

enum loom_status tui_talks_add(struct tui_app *app, struct tui_list *list,
			       const struct tui_threads *found, struct loom_err *err)
{
	struct loom_thread *threads = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_thread_list(app->store, true, tui_list_arena(list), &threads, &count, err);
	bool headed = false;

	for (size_t k = 0; k < app->people.count && status == LOOM_OK; k++) {
		const struct tui_person *person = &app->people.items[k];
		bool here = false;

		if (!talks(person))
			continue;
		if (!headed)
			tui_list_add(list,
				     &(struct tui_entry){.heading = true,
							 .text = LOOM_STR(
								 "Conversations with agents")});
		headed = true;
		for (size_t i = 0; i < count; i++) {
			if (threads[i].agent != person->agent.id ||
			    is_spawned(found, threads[i].name))
				continue;
			here = here || (threads[i].implicit && threads[i].tree == app->tree.id);
			add_talk(app, list, person, &threads[i]);
		}
		if (!here)
			add_talk(app, list, person, NULL);
	}
	return status;
}

void tui_talks_open(struct tui_app *app, const struct tui_entry *entry)
{
	int64_t id = -entry->id;
	struct loom_thread thread;
	struct loom_err err;

	if (id > AGENT_ROW && !app->tree.id)
		tui_bare_say(app);
	else if (id > AGENT_ROW)
		tui_talk_open(app, tui_talk_of(app, id - AGENT_ROW, app->tree.id, 0));
	else if (tui_must(app, loom_thread_get(app->store, id, app->arena, &thread, &err), &err))
		tui_talk_open_named(app, thread.name, tui_threads_open);
}

void tui_talks_preview(struct tui_app *app, const struct tui_entry *entry, struct tui_side *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_thread thread;

	if (-entry->id < AGENT_ROW &&
	    loom_thread_get(app->store, -entry->id, app->arena, &thread, NULL) == LOOM_OK)
		tui_talk_preview(app, &thread, &text);
	out->title = text.n ? LOOM_STR("the last of it") : LOOM_STR("a conversation");
	if (!text.n)
		loom_buf_adds(&text, "Nothing was said yet: Enter opens it, and i writes.");
	out->text = loom_arena_buf(app->arena, &text);
	loom_buf_fini(&text);
}
