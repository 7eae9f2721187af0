/* `loom events`: prints past events, and with --follow new ones, as JSON lines.
 *
 * Following sleeps until the store's watch reports a commit, then reads the events after the last
 * one seen. Without inotify it polls every LOOM_WATCH_POLL_MS. It ends when the reader goes
 * away. */
#include <loom/cli/services.h>

#include <unistd.h>

#include <loom/follow/follow.h>
#include <loom/loop/loop.h>
#include <loom/grove/watch.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/history.def>

#define PAGE 200

struct follower {
	struct cli_grove *grove;
	struct loom_err *err;
	enum loom_status status;
	int64_t seq; /* of the last printed event */
	struct loom_watch *watch;
	bool left; /* the reader has gone */
};

static void say_event(struct cli_grove *grove, const struct loom_event *event)
{
	static const char *const acts[] = {
		[LOOM_EVENT_DONE] = "done",
		[LOOM_EVENT_UNDONE] = "undone",
		[LOOM_EVENT_REDONE] = "redone",
	};
	struct loom_cli *cli = grove->cli;

	loom_answer_number(cli, "seq", event->seq);
	loom_answer_text(cli, "act", loom_str_of(acts[event->act]));
	loom_answer_time(cli, "at", event->at);
	loom_answer_text(cli, "actor", event->actor_name);
	cli_answer_op(cli, &event->op);
	loom_answer_give(cli);
}

/* Prints the new events page by page, flushing each page before it reads the next. */
static void print_new(struct follower *follower)
{
	struct cli_grove *grove = follower->grove;
	size_t count = PAGE;

	while (!follower->status && !follower->left && count == PAGE &&
	       !loom_task_cancelled(&grove->cli->task)) {
		struct loom_arena *arena = loom_arena_create();
		struct loom_event *events = NULL;

		follower->status = loom_events_since(grove->store, follower->seq, PAGE, arena,
						     &events, &count, follower->err);
		for (size_t i = 0; !follower->status && i < count; i++) {
			say_event(grove, &events[i]);
			follower->seq = events[i].seq;
		}
		loom_arena_destroy(arena);
		if (!follower->status)
			follower->status = loom_out_flush(grove->cli->out, follower->err);
		follower->left = loom_out_closed(grove->cli->out);
	}
}

static void on_notice(void *ctx, int fd, unsigned events)
{
	struct follower *follower = ctx;

	(void)fd;
	(void)events;
	if (loom_watch_drain(follower->watch) && loom_store_changed(follower->grove->store))
		print_new(follower);
}

static void on_poll(void *ctx)
{
	struct follower *follower = ctx;

	if (loom_store_changed(follower->grove->store))
		print_new(follower);
	loom_loop_timer(loom_cli_loop(follower->grove->cli), LOOM_WATCH_POLL_MS, on_poll, ctx);
}

static void on_reader_gone(void *ctx, int fd, unsigned events)
{
	struct follower *follower = ctx;

	(void)fd;
	(void)events;
	follower->left = true;
}

static enum loom_status follow(struct follower *follower)
{
	struct loom_cli *cli = follower->grove->cli;
	struct loom_loop *loop = loom_cli_loop(cli);
	struct loom_follow *log =
		loom_follow_start(follower->grove->store, &(struct loom_follow_opts){.loop = loop});
	int fd = loom_watch_fd(follower->watch);

	loom_cli_listen(cli);
	loom_loop_watch(loop, STDOUT_FILENO, LOOM_LOOP_ERROR, on_reader_gone, follower);
	if (fd >= 0)
		loom_loop_watch(loop, fd, LOOM_LOOP_READ, on_notice, follower);
	else
		on_poll(follower);
	(void)loom_store_changed(follower->grove->store);
	print_new(follower);
	while (!follower->status && !follower->left && !loom_task_cancelled(&cli->task))
		loom_loop_step(loop, -1);
	loom_follow_stop(log);
	loom_loop_watch(loop, STDOUT_FILENO, 0, NULL, NULL);
	if (fd >= 0)
		loom_loop_watch(loop, fd, 0, NULL, NULL);
	loom_cli_unlisten(cli);
	if (!follower->status && loom_task_cancelled(&cli->task))
		follower->status = LOOM_CANCELLED;
	return follower->status;
}

static enum loom_status run_events(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_events *args = args_of_events(grove->cli);
	bool follows = args->follow;
	struct follower follower = {
		.grove = grove,
		.err = err,
		.seq = loom_number_or(args->since, 0),
	};
	enum loom_status status = LOOM_OK;

	loom_answer_as_json(grove->cli);
	if (!follows) {
		print_new(&follower);
		return follower.status;
	}
	/* Start watching before looking up the last event, so that none is missed between. */
	follower.watch = loom_watch_open(grove->store);
	if (!args->since.given)
		status = loom_events_last(grove->store, &follower.seq, err);
	if (!status)
		status = follow(&follower);
	loom_watch_close(follower.watch);
	return status;
}

enum loom_status cmd_events(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_events, err);
}
