/* What a person says during a turn: queued on the worker, and given back if no turn takes it. */
#include "inside.h"

struct steering {
	struct chat_steered chat;
	struct loom_arena *arena;
	struct loom_str text;
	struct loom_str draft;
};

static enum loom_status run_steer(void *context, void *payload, struct loom_task *task,
				  struct loom_err *err)
{
	struct steering *steering = payload;
	enum loom_status status = chat_queue(steering->chat.log, steering->text, err);

	(void)task;
	if (status != LOOM_OK)
		steering->draft =
			chat_draft(steering->chat.log, context, steering->text, steering->arena);
	return status;
}

static void on_steered(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct steering *steering = payload;
	const struct loom_chat_sink *sink = steering->chat.sink;
	const bool closing = *steering->chat.closing;

	if (sink->queued && !closing)
		sink->queued(sink->ctx, steering->text, status, err);
	if (status != LOOM_OK && sink->returned && !closing)
		sink->returned(sink->ctx, steering->text, steering->draft);
	loom_arena_destroy(steering->arena);
	free(steering);
}

void chat_steer(const struct chat_steered *chat, struct loom_str text)
{
	struct steering *steering = loom_alloc(sizeof *steering);
	const struct loom_job job = {.run = run_steer, .done = on_steered, .payload = steering};

	steering->chat = *chat;
	steering->arena = loom_arena_create();
	steering->text = loom_arena_str(steering->arena, text);
	loom_worker_post(chat->worker, &job);
}
