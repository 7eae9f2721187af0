/* `loom thread transcript`: saves a thread's conversation as a file beside its other work. It is
 * not shared by default. */
#include <loom/cli/services.h>
#include "leslie_of.h"

#include <loom/log/lifecycle.h>
#include <loom/work/thread_log.h>

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

#define TRANSCRIPT "transcript.md"

static enum loom_status spell(struct threads_leslie *call, const struct loom_thread *thread,
			      struct loom_str title, struct loom_buf *out, size_t *messages)
{
	struct cli_grove *grove = call->grove;
	struct loom_err *err = &call->err.err;
	struct loom_transcript_opts opts = {.thread = thread->name, .title = title};
	struct loom_thread_log *keeper = NULL;
	const struct loom_agent *agent = NULL;
	struct loom_derived derived;
	struct loom_log log;
	enum loom_status status = cli_grove_agent(grove, thread->agent, &agent, err);

	if (status == LOOM_OK)
		status = loom_thread_log_open(grove->store, thread->id, NULL, &keeper, err);
	if (status != LOOM_OK)
		return status;
	opts.agent = agent->name;
	log = loom_thread_log_face(keeper);
	status = loom_derive(&log, LOOM_SEQ_HEAD, grove->arena, &derived, err);
	opts.lane = derived.lane;
	if (status == LOOM_OK)
		status = loom_transcript(&log, &opts, grove->arena, out, messages, err);
	loom_thread_log_close(keeper);
	return status;
}

static enum loom_status find(struct threads_leslie *call, struct loom_str id,
			     struct loom_thread *out)
{
	struct cli_grove *grove = call->grove;
	struct loom_err *err = &call->err.err;
	enum loom_status status = chat_grove_thread(grove, id, NULL, out, err);

	if (status != LOOM_OK || cli_grove_person(grove) || out->agent == grove->actor.id)
		return status;
	return loom_fail(err, LOOM_PERMISSION, "%.*s is another agent's thread", LOOM_STR_ARG(id));
}

static void answer_written(struct loom_cli *cli, struct loom_str id, size_t messages)
{
	struct loom_str path =
		loom_arena_format(cli->arena, ".leslie/threads/%.*s/" TRANSCRIPT, LOOM_STR_ARG(id));

	loom_answer_text(cli, "thread_id", id);
	loom_answer_text(cli, "transcript_path", path);
	loom_answer_number(cli, "messages", (int64_t)messages);
	loom_answer_line(cli, "%.*s", LOOM_STR_ARG(path));
}

static enum loom_status transcript(struct threads_leslie *call)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_leslie_thread spawned;
	struct loom_thread thread;
	struct loom_str id = {NULL, 0};
	size_t messages = 0;
	const struct args_of_thread_transcript *args = args_of_thread_transcript(call->cli);
	enum loom_status status =
		threads_leslie_pick(call, args->thread, args->thread_word, "THREAD", &id);

	if (status == LOOM_OK)
		status = loom_leslie_thread(call->leslie, id, call->cli->arena, &spawned,
					    &call->err);
	if (status == LOOM_OK)
		status = find(call, id, &thread);
	if (status == LOOM_OK)
		status = spell(call, &thread, spawned.title, &text, &messages);
	if (status == LOOM_OK)
		status = loom_leslie_write(call->leslie, id, LOOM_STR(TRANSCRIPT),
					   loom_buf_str(&text), &call->err);
	if (status == LOOM_OK) {
		threads_list_outside(call->cli, call->grove,
				     &(struct loom_outside){.act = LOOM_OUTSIDE_TRANSCRIPT,
							    .subject = id});
		answer_written(call->cli, id, messages);
	}
	loom_buf_fini(&text);
	return status;
}

static enum loom_status run(struct cli_grove *grove, struct loom_err *err)
{
	static const struct chat_tie nobody = {0};

	return threads_leslie_run_on(grove, &nobody, transcript, err);
}

enum loom_status cmd_thread_transcript(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run, err);
}
