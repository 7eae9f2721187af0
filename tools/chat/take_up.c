/* One turn of a chat that was begun elsewhere, from where its log ends. */
#include <loom/chat/take_up.h>

#include <unistd.h>

#include <loom/chat/face.h>
#include <loom/engine/find_text.h>

static void wait_for(struct chat_face *face)
{
	struct loom_cli *cli = face->grove->cli;
	bool stopped = false;

	loom_cli_listen(cli);
	while (!face->over) {
		(void)loom_loop_step(loom_cli_loop(cli), -1);
		if (!stopped && loom_task_cancelled(&cli->task)) {
			stopped = true;
			loom_chat_cancel(face->chat, LOOM_CANCEL_ALL);
		}
	}
	loom_cli_unlisten(cli);
}

enum loom_status chat_take_up(struct cli_grove *grove, const struct loom_thread *thread,
			      const struct loom_resuming *what, struct loom_err *err)
{
	static const struct loom_engine_hooks hooks = {.search = loom_find_call};
	struct chat_face face = {.grove = grove, .thread = *thread, .once = true, .at_begin = true};
	struct loom_chat_opts opts = {.loop = loom_cli_loop(grove->cli),
				      .worker = cli_grove_worker(grove),
				      .agent = thread->agent,
				      .tree = thread->tree,
				      .thread = thread->id,
				      .hooks = &hooks,
				      .alone = isatty(STDIN_FILENO) != 1};
	enum loom_status status =
		loom_agent_get(grove->store, thread->agent, grove->arena, &face.agent, err);

	if (status != LOOM_OK)
		return status;
	cli_voices_open(grove, &face.voices);
	opts.generator = face.voices.generator;
	chat_face_sink(&face, &opts.sink);
	face.chat = loom_chat_create(&opts);
	loom_chat_take_up(face.chat, what);
	wait_for(&face);
	if (face.end.status != LOOM_OK && err)
		*err = face.end.err;
	loom_chat_destroy(face.chat);
	/* The chat still closes things on the worker, which uses our voices. */
	while (loom_worker_pending(opts.worker))
		(void)loom_loop_step(opts.loop, -1);
	cli_voices_close(&face.voices);
	return face.end.status;
}
