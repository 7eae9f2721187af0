/* Runs long work of a command: the call's loop, ^C, and the progress line.
 *
 * SIGTERM and SIGHUP stop the work as ^C does, so that half-made files are removed, which a killed
 * process cannot do. */
#include <loom/cli/services.h>

#include <signal.h>
#include <unistd.h>

#include <loom/loop/loop.h>
#include <loom/loop/worker.h>

#include <loom/cli/open_grove.h>

#define SHOW_AFTER_MS 300
#define SHOW_EVERY_MS 100

static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};

/* The first signal asks the work to stop. A second one ends the program at once; the store rolls
 * back. */
static void on_interrupt(void *ctx, int signo)
{
	struct loom_cli *cli = ctx;

	(void)signo;
	if (loom_task_cancelled(&cli->task)) {
		loom_out_progress_clear(cli->out);
		_exit(loom_status_exit(LOOM_CANCELLED));
	}
	loom_task_cancel(&cli->task);
}

struct loom_loop *loom_cli_loop(struct loom_cli *cli)
{
	if (!cli->loop)
		cli->loop = loom_loop_create();
	return cli->loop;
}

/* A parent that ignores the signal (nohup, a background job) wants us to ignore it too. */
static bool is_ignored(int signo)
{
	struct sigaction action;

	return sigaction(signo, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void loom_cli_listen(struct loom_cli *cli)
{
	if (cli->listening++ > 0)
		return;
	for (size_t i = 0; i < LOOM_COUNT(stopping); i++)
		if (!is_ignored(stopping[i]))
			loom_loop_signal(loom_cli_loop(cli), stopping[i], on_interrupt, cli);
}

void loom_cli_unlisten(struct loom_cli *cli)
{
	if (--cli->listening > 0)
		return;
	for (size_t i = 0; i < LOOM_COUNT(stopping); i++)
		loom_loop_signal(loom_cli_loop(cli), stopping[i], NULL, NULL);
}

void cli_close(struct loom_cli *cli)
{
	cli_reader_destroy(cli->reader);
	cli_request_fini(cli);
	loom_answer_drop(cli);
	loom_loop_destroy(cli->loop);
	loom_out_destroy(cli->out);
	loom_arena_destroy(cli->arena);
	*cli = (struct loom_cli){.grove = NULL};
}

struct display {
	struct loom_cli *cli;
	const struct loom_cli_work *work;
	int64_t started; /* boot clock, ms */
	uint64_t timer;
};

/* Adds a duration: "1h 2m", "3m 20s", "7s". */
static void add_span(struct loom_buf *line, uint64_t seconds)
{
	if (seconds >= 3600)
		loom_buf_addf(line, "%lluh %llum", (unsigned long long)(seconds / 3600),
			      (unsigned long long)(seconds / 60 % 60));
	else if (seconds >= 60)
		loom_buf_addf(line, "%llum %llus", (unsigned long long)(seconds / 60),
			      (unsigned long long)(seconds % 60));
	else
		loom_buf_addf(line, "%llus", (unsigned long long)seconds);
}

static void add_counts(struct loom_buf *line, uint64_t done, uint64_t total, const char *unit)
{
	loom_buf_addc(line, ' ');
	loom_buf_add_count(line, done);
	if (total) {
		loom_buf_adds(line, " of ");
		loom_buf_add_count(line, total);
	}
	if (unit)
		loom_buf_addf(line, " %s", unit);
}

static void add_stops(struct loom_buf *line, struct loom_task *task)
{
	loom_buf_adds(line, loom_task_cancelled(task) ? " · stopping" : " · ^C stops");
}

void cli_progress_line(struct loom_buf *line, const struct loom_cli_work *work,
		       struct loom_task *task, int64_t elapsed_ms)
{
	uint64_t done = 0;
	uint64_t total = 0;
	uint64_t rate = 0;

	loom_task_progress(task, &done, &total);
	if (done && elapsed_ms > 0)
		rate = done * 1000 / (uint64_t)elapsed_ms;
	loom_buf_adds(line, work->what);
	if (done || total)
		add_counts(line, done, total, work->unit);
	if (rate) {
		loom_buf_adds(line, " · ");
		loom_buf_add_count(line, rate);
		loom_buf_adds(line, "/s");
	}
	loom_buf_adds(line, " · ");
	if (rate && total > done) {
		add_span(line, (uint64_t)((double)(total - done) / (double)rate) + 1);
		loom_buf_adds(line, " left");
	} else {
		add_span(line, (uint64_t)elapsed_ms / 1000);
	}
	add_stops(line, task);
}

/* Adds "folding the log 12.3 of 40.0 MB". */
static void add_aside(struct loom_buf *line, const char *what, struct loom_task *task)
{
	const double done =
		(double)atomic_load_explicit(&task->aside.done, memory_order_relaxed) / 1e6;
	const double total =
		(double)atomic_load_explicit(&task->aside.total, memory_order_relaxed) / 1e6;

	loom_buf_addf(line, "%s %.1f of %.1f MB", what, done, total);
}

static const char *aside_of(struct loom_task *task)
{
	return atomic_load_explicit(&task->aside.what, memory_order_relaxed);
}

static void on_tick(void *ctx)
{
	struct display *display = ctx;
	struct loom_cli *cli = display->cli;
	const char *aside = aside_of(&cli->task);
	struct loom_buf line = LOOM_BUF_INIT(4096);

	if (aside) {
		add_aside(&line, aside, &cli->task);
		add_stops(&line, &cli->task);
	} else {
		cli_progress_line(&line, display->work, &cli->task,
				  loom_env_boot() - display->started);
	}
	loom_out_progress(cli->out, loom_buf_str(&line));
	loom_buf_fini(&line);
	display->timer = loom_loop_timer(cli->loop, SHOW_EVERY_MS, on_tick, display);
}

enum loom_status loom_cli_work(struct loom_cli *cli, struct loom_worker *worker,
			       const struct loom_cli_work *work, struct loom_err *err)
{
	struct loom_loop *loop = loom_cli_loop(cli);
	struct display display = {.cli = cli, .work = work, .started = loom_env_boot()};
	struct loom_job job = {.run = work->run, .payload = work->payload, .task = &cli->task};
	enum loom_status status = LOOM_OK;

	if (loom_out_notes_on_terminal(cli->out))
		display.timer = loom_loop_timer(loop, SHOW_AFTER_MS, on_tick, &display);
	loom_cli_listen(cli);
	status = loom_worker_call(worker, &job, err);
	loom_cli_unlisten(cli);
	loom_loop_timer_cancel(loop, display.timer);
	loom_out_progress_clear(cli->out);
	return status;
}

/* ---- what the store does besides ---- */

static void on_aside_tick(void *ctx)
{
	struct cli_aside *aside = ctx;
	struct loom_cli *cli = aside->cli;
	const char *what = aside_of(&aside->task);
	struct loom_buf line = LOOM_BUF_INIT(4096);

	if (what)
		add_aside(&line, what, &aside->task);
	if (what)
		loom_out_progress(cli->out, loom_buf_str(&line));
	else if (aside->shown)
		loom_out_progress_clear(cli->out);
	aside->shown = what != NULL;
	loom_buf_fini(&line);
	aside->timer = loom_loop_timer(cli->loop, SHOW_EVERY_MS, on_aside_tick, aside);
}

void cli_aside_begin(struct cli_aside *aside, struct loom_cli *cli)
{
	*aside = (struct cli_aside){.cli = cli};
	if (loom_out_notes_on_terminal(cli->out))
		aside->timer =
			loom_loop_timer(loom_cli_loop(cli), SHOW_AFTER_MS, on_aside_tick, aside);
}

void cli_aside_end(struct cli_aside *aside)
{
	loom_loop_timer_cancel(aside->cli->loop, aside->timer);
	if (aside->shown)
		loom_out_progress_clear(aside->cli->out);
}
