/* Saves what a model says while it says it: once a second, beside the thread's log, where it is
 * found if the process dies. A failed write is followed by the next one; only the end of the answer
 * must succeed. */
#include "inside.h"

#define SAVE_MS 1000

struct save {
	struct chat_saver *saver;
	struct loom_arena *arena;
	struct loom_message message;
	size_t bytes;
};

static enum loom_status run_save(void *context, void *payload, struct loom_task *task,
				 struct loom_err *err)
{
	const struct save *save = payload;
	struct loom_run_result result;

	(void)context;
	(void)task;
	return loom_run_saying(save->saver->log->run, &save->message, &result, err);
}

static void on_saved(void *payload, enum loom_status status, const struct loom_err *err)
{
	struct save *save = payload;

	(void)err;
	save->saver->out = false;
	if (status == LOOM_OK)
		save->saver->bytes = save->bytes;
	loom_arena_destroy(save->arena);
	free(save);
}

static void post(struct chat_saver *saver)
{
	struct save *save = loom_alloc(sizeof *save);
	const struct loom_job job = {.run = run_save, .done = on_saved, .payload = save};

	save->saver = saver;
	save->arena = loom_arena_create();
	save->bytes = saver->log->raw.n;
	chat_message(saver->log, save->arena, &save->message);
	save->message.request_id = loom_arena_str(save->arena, save->message.request_id);
	saver->out = true;
	loom_worker_post(saver->worker, &job);
}

static void on_tick(void *ctx)
{
	struct chat_saver *saver = ctx;

	if (!saver->out && saver->log->raw.n > saver->bytes)
		post(saver);
	saver->timer = loom_loop_timer(saver->loop, SAVE_MS, on_tick, saver);
}

void chat_saver_begin(struct chat_saver *saver)
{
	saver->bytes = 0;
	saver->timer = loom_loop_timer(saver->loop, SAVE_MS, on_tick, saver);
}

void chat_saver_end(struct chat_saver *saver)
{
	loom_loop_timer_cancel(saver->loop, saver->timer);
	saver->timer = 0;
}
