/* `loom thread lanes` and `lane`: the conversations that a thread's log holds, and how to move
 * among them. What they hold, and how, is the log's business. */
#include <loom/cli/services.h>

#include "lanes_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/threads.def>

/* ---- listing ---- */

static enum loom_status run_lanes(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_thread_lanes *args = args_of_thread_lanes(grove->cli);
	struct threads_log log = {.makes = false, .named = args->thread};
	struct loom_lane_list list;
	struct loom_agent agent;
	enum loom_status status = threads_log_whose(grove, args->agent, &agent, &log.whose, err);

	if (status == LOOM_OK)
		status = threads_log_open(grove, grove->store, NULL, &log, err);
	if (status == LOOM_OK)
		status = loom_lane_list(&log.log, loom_number_or(args->at, LOOM_SEQ_HEAD),
					grove->arena, &list, err);
	if (status == LOOM_OK) {
		loom_answer_text(grove->cli, "thread", log.thread.name);
		threads_answer_lanes(grove->cli, &list);
	}
	loom_thread_log_close(log.keeper);
	return status;
}

enum loom_status cmd_thread_lanes(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_lanes, err);
}

/* ---- moving ---- */

struct moving {
	struct cli_grove *grove;
	struct threads_log log;
	struct loom_agent agent;
	struct loom_str prompt; /* which a snapshot must keep */
	struct loom_run_result result;
	struct loom_str op_id;
};

static enum loom_status move(const struct moving *moving, struct loom_run *run,
			     struct loom_run_result *result, struct loom_err *err)
{
	const struct args_of_thread_lane *args = args_of_thread_lane(moving->grove->cli);
	const struct loom_restoring what = {.lane = args->lane,
					    .at = args->fork.p
							  ? loom_number_or(args->at, LOOM_SEQ_HEAD)
							  : loom_number_or(args->restore,
									   LOOM_SEQ_HEAD),
					    .into = args->fork};

	return args->switch_to.p ? loom_run_switch(run, args->switch_to, result, err)
				 : loom_run_restore(run, &what, result, err);
}

static enum loom_status work_move(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct moving *moving = ctx;
	struct loom_run *run = NULL;
	enum loom_status status = threads_log_open(moving->grove, store, NULL, &moving->log, err);

	moving->log.prompt = moving->prompt;
	if (status == LOOM_OK)
		status = threads_log_run(store, &moving->log, &run, err);
	if (status == LOOM_OK)
		status = move(moving, run, &moving->result, err);
	if (status == LOOM_OK)
		moving->op_id = loom_arena_str(moving->grove->arena, moving->result.op_id);
	loom_run_close(run);
	loom_thread_log_close(moving->log.keeper);
	return status;
}

static enum loom_status refuse(const char *why, struct loom_err *err)
{
	static const struct {
		const char *why;
		const char *what;
		const char *hint;
	} all[] = {
		{"no_such_lane", "there is no such lane", "`loom thread lanes` lists them"},
		{"lane_exists", "there is a lane of that name already",
		 "--switch continues in it; --fork takes a new name"},
		{"no_such_row", "the log does not reach that row", "`loom thread log` shows it"},
	};

	for (size_t i = 0; i < LOOM_COUNT(all); i++) {
		if (strcmp(why, all[i].why) != 0)
			continue;
		loom_fail(err, LOOM_NOT_FOUND, "%s", all[i].what);
		return loom_hint(err, LOOM_NOT_FOUND, "%s", all[i].hint);
	}
	return loom_fail(err, LOOM_REFUSED, "not done: %s", why);
}

static enum loom_status find_prompt(struct moving *moving, struct loom_err *err)
{
	struct threads_log log = moving->log;
	struct cli_voices voices;
	enum loom_status status =
		threads_log_open(moving->grove, moving->grove->store, NULL, &log, err);

	loom_thread_log_close(log.keeper);
	if (status != LOOM_OK)
		return status;
	cli_voices_open(moving->grove, &voices);
	status = threads_log_prompt(moving->grove, &voices, &log.thread, &moving->prompt, err);
	cli_voices_close(&voices);
	return status;
}

static enum loom_status run_lane(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_thread_lane *args = args_of_thread_lane(grove->cli);
	struct moving moving = {.grove = grove, .log = {.named = args->thread}};
	struct cli_work work = {.what = "writing",
				.access = LOOM_WRITE,
				.run = work_move,
				.ctx = &moving};
	const char *word = NULL;
	enum loom_status status =
		threads_log_whose(grove, args->agent, &moving.agent, &moving.log.whose, err);

	if (status == LOOM_OK)
		status = find_prompt(&moving, err);
	if (status == LOOM_OK)
		status = cli_grove_work(grove, &work, err);
	if (status == LOOM_OK && moving.result.why)
		status = refuse(moving.result.why, err);
	if (status != LOOM_OK)
		return status;
	word = loom_answer_word(moving.result.answer);
	loom_answer_text(grove->cli, "result", loom_str_of(word));
	loom_answer_text(grove->cli, "thread", moving.log.thread.name);
	loom_answer_text(grove->cli, "op_id", moving.op_id);
	if (moving.result.seq != LOOM_SEQ_NONE)
		loom_answer_number(grove->cli, "seq", moving.result.seq);
	loom_answer_done(grove->cli, "%s", word);
	return LOOM_OK;
}

enum loom_status cmd_thread_lane(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_lane, err);
}
