/* A payload's turn: its text for a conversation and the report that this leaves in the turn's
 * folder, and `loom payload --report`, which describes the last turn of the named thread, or of the
 * one that worked last. */
#include <loom/chat/ties.h>
#include "inside.h"

#include <loom/cli/services.h>
#include <loom/threads/payload_turn.h>

#include <loom/work/thread_log.h>
#include <loom/work/thread_report.h>

#include <loom/commands/args_of.def>
#include <loom/commands/context.def>

/* The time of the last row in a thread's log; LOOM_TIME_NONE if it is empty. */
static bool take_time(void *ctx, const struct loom_log_row *row)
{
	*(int64_t *)ctx = row->at_ms;
	return false;
}

static enum loom_status last_time(struct cli_grove *grove, const struct loom_thread *thread,
				  int64_t *out, struct loom_err *err)
{
	const struct loom_log_range range = {.after = LOOM_SEQ_NONE,
					     .through = LOOM_SEQ_HEAD,
					     .newest_first = true};
	const struct loom_log_visitor visitor = {take_time, out};
	struct loom_thread_log *keeper = NULL;
	struct loom_log log;
	enum loom_status status =
		loom_thread_log_open(grove->store, thread->id, NULL, &keeper, err);

	*out = LOOM_TIME_NONE;
	if (status != LOOM_OK)
		return status;
	log = loom_thread_log_face(keeper);
	status = log.ops->read(log.ctx, &range, &visitor, err);
	loom_thread_log_close(keeper);
	return status;
}

/* An agent may see only its own turns. */
static bool may_see(const struct cli_grove *grove, const struct loom_thread *thread)
{
	return cli_grove_person(grove) || thread->agent == grove->actor.id;
}

static enum loom_status find_latest(struct cli_grove *grove, struct loom_thread *out,
				    struct loom_err *err)
{
	struct loom_thread *threads = NULL;
	int64_t latest = LOOM_TIME_NONE;
	size_t count = 0;
	enum loom_status status =
		loom_thread_list(grove->store, true, grove->arena, &threads, &count, err);

	for (size_t i = 0; status == LOOM_OK && i < count; i++) {
		int64_t at = LOOM_TIME_NONE;

		if (!may_see(grove, &threads[i]))
			continue;
		status = last_time(grove, &threads[i], &at, err);
		if (status == LOOM_OK && at > latest) {
			*out = threads[i];
			latest = at;
		}
	}
	if (status != LOOM_OK || latest != LOOM_TIME_NONE)
		return status;
	loom_fail(err, LOOM_NOT_FOUND, "there has been no turn in this grove yet");
	return loom_hint(err, LOOM_NOT_FOUND, "loom run or loom chat starts one");
}

static enum loom_status find_thread(struct cli_grove *grove, struct loom_thread *out,
				    struct loom_err *err)
{
	struct loom_str name = args_of_payload(grove->cli)->thread;
	enum loom_status status = LOOM_OK;

	if (!name.p)
		return find_latest(grove, out, err);
	status = chat_grove_thread(grove, name, NULL, out, err);
	if (status != LOOM_OK || may_see(grove, out))
		return status;
	return loom_fail(err, LOOM_PERMISSION, "%.*s is another agent's thread",
			 LOOM_STR_ARG(name));
}

static enum loom_status give_out(struct cli_grove *grove, const struct loom_thread *thread,
				 struct loom_str text, struct loom_err *err)
{
	const char *file = args_of_payload(grove->cli)->output.p;
	struct loom_root store = LOOM_ROOT_INIT;

	cli_grove_refused(grove, &store);
	if (file && strcmp(file, "-") != 0)
		return loom_file_write_at(file, text, &store, err);
	loom_answer_text(grove->cli, "thread", thread->name);
	loom_answer_text(grove->cli, "text", text);
	loom_answer_untouched(grove->cli, text);
	return LOOM_OK;
}

static enum loom_status report(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_thread thread = {0};
	enum loom_status status = find_thread(grove, &thread, err);

	if (status == LOOM_OK)
		status = loom_thread_report(grove->store, &thread, grove->arena, &text, err);
	if (status == LOOM_OK)
		status = give_out(grove, &thread, loom_buf_str(&text), err);
	loom_buf_fini(&text);
	return status;
}

enum loom_status threads_payload_report(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, report, err);
}

/* ---- as a turn of a conversation ---- */

struct threads_payload_turn {
	struct threads_project project;
	struct loom_payload payload;
	struct loom_payload_made place;
};

static enum loom_status build(struct loom_cli *cli, struct threads_payload_turn *turn,
			      struct loom_err *err)
{
	struct threads_fetching fetching = {.offline = false};
	struct loom_payload_opts opts = {
		.place = turn->project.place,
		.shell = loom_env_var(&cli->env, "SHELL"),
		.fetch = loom_fetch_url,
		.fetch_ctx = &fetching.fetch,
	};
	enum loom_status status =
		loom_payload_lists_read(&turn->project.place, cli->arena, &fetching.lists, err);

	if (status != LOOM_OK)
		return status;
	loom_payload_turn_of(&fetching.lists, cli->arena, &turn->place);
	threads_payload_recall(cli, &turn->project, &fetching);
	threads_payload_may_fetch(cli, &turn->project, &fetching);
	status = loom_payload_build(&opts, cli->arena, &turn->payload, err);
	if (status == LOOM_OK && loom_task_cancelled(&cli->task))
		status = loom_fail(err, LOOM_CANCELLED, "interrupted");
	if (status == LOOM_OK)
		threads_payload_warn(cli, &turn->payload);
	threads_payload_keep(cli, &fetching);
	return status;
}

enum loom_status threads_payload_turn_open(struct loom_cli *cli, struct loom_str session,
					   struct loom_str number,
					   struct threads_payload_turn **out, struct loom_err *err)
{
	struct threads_payload_turn *turn = loom_alloc(sizeof *turn);
	enum loom_status status = threads_project_open(cli, &turn->project, session, number, err);

	if (status == LOOM_OK)
		status = build(cli, turn, err);
	if (status == LOOM_OK)
		*out = turn;
	else
		threads_payload_turn_close(turn);
	return status;
}

struct loom_str threads_payload_turn_text(const struct threads_payload_turn *turn)
{
	return loom_buf_str(&turn->payload.text);
}

enum loom_status threads_payload_turn_report(const struct threads_payload_turn *turn,
					     struct cli_grove *grove, int64_t thread,
					     struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_thread row;
	enum loom_status status = loom_thread_get(grove->store, thread, grove->arena, &row, err);

	if (status == LOOM_OK && turn->place.folder.n)
		status = loom_thread_report(grove->store, &row, grove->arena, &text, err);
	if (status == LOOM_OK)
		status = loom_payload_report_put(&turn->project.root, &turn->place,
						 loom_buf_str(&text), err);
	if (status == LOOM_OK && turn->place.folder.n)
		loom_out_note(grove->cli->out, "%.*s/report.md says what happened",
			      LOOM_STR_ARG(turn->place.folder));
	loom_buf_fini(&text);
	return status;
}

void threads_payload_turn_close(struct threads_payload_turn *turn)
{
	if (!turn)
		return;
	loom_payload_fini(&turn->payload);
	threads_project_close(&turn->project);
	free(turn);
}
