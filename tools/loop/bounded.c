/* Programs within bounds. The one exit is `finish`: whatever ends the program first, the others
 * find it gone. */
#include <loom/loop/bounded.h>

#include <loom/loop/child.h>

struct loom_bounded {
	struct loom_bounded_opts opts;
	struct loop_child *child;
	struct loom_buf out;
	uint64_t timer;
	char name[64]; /* for messages */
};

static void drop(struct loom_bounded *bounded)
{
	loom_loop_timer_cancel(bounded->opts.loop, bounded->timer);
	loom_buf_fini(&bounded->out);
	free(bounded);
}

/* The child is gone; the callback may start the next one. */
static void finish(struct loom_bounded *bounded, const struct loom_err *err)
{
	const struct loom_bounded_opts opts = bounded->opts;
	struct loom_buf out = bounded->out;

	loom_buf_init(&bounded->out, 0);
	drop(bounded);
	opts.done(opts.ctx, err->status, loom_buf_str(&out), err);
	loom_buf_fini(&out);
}

static void on_time(void *ctx)
{
	struct loom_bounded *bounded = ctx;
	struct loom_err err;

	bounded->timer = 0;
	loop_child_stop(bounded->child);
	loom_fail(&err, LOOM_LIMIT, "%s ran for more than %g s and was stopped", bounded->name,
		  (double)bounded->opts.ms / 1000);
	finish(bounded, &err);
}

static void on_out(void *ctx, struct loom_str bytes)
{
	struct loom_bounded *bounded = ctx;
	struct loom_err err;

	if (bytes.n <= bounded->opts.most - bounded->out.n) {
		loom_buf_add(&bounded->out, bytes);
		return;
	}
	loop_child_stop(bounded->child);
	loom_fail(&err, LOOM_LIMIT, "%s wrote more than %zu bytes and was stopped", bounded->name,
		  bounded->opts.most);
	finish(bounded, &err);
}

/* The first line of its standard error, for the message. */
static struct loom_str first_line(struct loom_str said)
{
	struct loom_str line = loom_str_make("", 0);
	struct loom_str rest = loom_str_trim(said);

	(void)loom_str_line(&rest, &line);
	return loom_str_sub(line, 0, line.n < 200 ? line.n : 200);
}

static void on_end(void *ctx, int status, int signal, struct loom_str said)
{
	struct loom_bounded *bounded = ctx;
	const struct loom_str line = first_line(said);
	struct loom_err err = {.status = LOOM_OK};

	if (status != 0)
		loom_fail(&err, LOOM_IO, "%s ended with %s %d%s%.*s", bounded->name,
			  signal ? "signal" : "status", signal ? signal : status,
			  line.n ? ": " : "", LOOM_STR_ARG(line));
	finish(bounded, &err);
}

enum loom_status loom_bounded_start(const struct loom_bounded_opts *opts, struct loom_bounded **out,
				    struct loom_err *err)
{
	struct loom_bounded *bounded = loom_alloc(sizeof *bounded);
	const struct loop_child_opts child = {.loop = opts->loop,
					      .argv = opts->argv,
					      .env = opts->env,
					      .config = opts->config,
					      .clean = true,
					      .alone = true,
					      .input = opts->input,
					      .out = on_out,
					      .end = on_end,
					      .ctx = bounded};
	enum loom_status status = LOOM_OK;

	LOOM_ASSERT(opts->ms > 0 && opts->most > 0 && opts->done);
	bounded->opts = *opts;
	bounded->opts.argv = bounded->opts.env = NULL;
	snprintf(bounded->name, sizeof bounded->name, "%s", opts->argv[0]);
	loom_buf_init(&bounded->out, opts->most);
	status = loop_child_start(&child, &bounded->child, err);
	if (status != LOOM_OK) {
		drop(bounded);
		return status;
	}
	bounded->timer = loom_loop_timer(opts->loop, opts->ms, on_time, bounded);
	*out = bounded;
	return LOOM_OK;
}

void loom_bounded_stop(struct loom_bounded *bounded)
{
	if (!bounded)
		return;
	loop_child_stop(bounded->child);
	drop(bounded);
}
