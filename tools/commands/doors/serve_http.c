/* `loom mcp --http`: one server for all doors. It listens, prints where, and hands each request to
 * the door that its path names. */
#include <signal.h>
#include <sys/stat.h>

#include <loom/cli/services.h>
#include <loom/grove/pass.h>
#include <loom/mcp/door.h>
#include <loom/page/page.h>
#include <loom/server/server.h>

#include "inside.h"

#include <loom/commands/args_of.def>
#include <loom/commands/doors.def>

#define PEM_MAX ((size_t)1 << 20)

struct doors {
	struct loom_cli *cli;
	struct cli_grove *grove;
	struct mcp_door *mcp;
	struct page_door *page;
	struct loom_server *server;
	struct loom_buf certificate;
	struct loom_buf key;
	bool stopping;
};

/* ---- requests ---- */

static bool is_mcp(const struct loom_exchange *exchange)
{
	return loom_str_is(loom_exchange_path(exchange), "/mcp");
}

static void on_head(void *ctx, struct loom_exchange *exchange)
{
	struct doors *doors = ctx;

	if (doors->stopping)
		loom_exchange_refuse(exchange, 503, "the server is stopping");
	else if (is_mcp(exchange))
		mcp_door_head(doors->mcp, exchange);
	else if (page_door_is(exchange))
		page_door_head(doors->page, exchange);
	else
		loom_exchange_refuse(exchange, 404, "there is nothing here");
}

static void on_request(void *ctx, struct loom_exchange *exchange)
{
	struct doors *doors = ctx;

	if (is_mcp(exchange))
		mcp_door_request(doors->mcp, exchange);
	else
		page_door_request(doors->page, exchange);
}

/* ---- options ---- */

/* Anybody with the key can pretend to be this server. */
static enum loom_status check_key(struct loom_str path, struct loom_err *err)
{
	struct stat info;

	if (stat(path.p, &info) != 0 || !(info.st_mode & (S_IRWXG | S_IRWXO)))
		return LOOM_OK;
	loom_fail(err, LOOM_REFUSED, "others can read the private key %.*s", LOOM_STR_ARG(path));
	return loom_hint(err, LOOM_REFUSED, "chmod 600 %.*s", LOOM_STR_ARG(path));
}

static enum loom_status read_pems(struct cli_grove *grove, struct doors *doors,
				  struct loom_err *err)
{
	const struct args_of_mcp *args = args_of_mcp(grove->cli);
	enum loom_status status = LOOM_OK;

	if (!args->cert.p != !args->key.p) {
		loom_fail(err, LOOM_USAGE, "loom mcp: --cert and --key go together");
		return loom_hint(err, LOOM_USAGE, "loom mcp --http ADDRESS --cert FILE --key FILE");
	}
	if (!args->cert.p)
		return LOOM_OK;
	status = check_key(args->key, err);
	if (status == LOOM_OK)
		status = cli_grove_read(grove, args->cert.p, PEM_MAX, &doors->certificate, err);
	if (status == LOOM_OK)
		status = cli_grove_read(grove, args->key.p, PEM_MAX, &doors->key, err);
	return status;
}

static enum loom_status listen_at(struct doors *doors, struct loom_err *err)
{
	const struct args_of_mcp *args = args_of_mcp(doors->cli);
	const struct loom_server_opts opts = {
		.loop = loom_cli_loop(doors->cli),
		.address = args->http,
		.outside = args->cert.p || args->behind_proxy,
		.names = args->host.p,
		.name_count = args->host.n,
		.certificate = args->cert.p ? loom_buf_cstr(&doors->certificate) : NULL,
		.key = args->cert.p ? loom_buf_cstr(&doors->key) : NULL,
		.proxied = args->behind_proxy,
		.head = on_head,
		.request = on_request,
		.ctx = doors,
	};

	return loom_server_open(&opts, &doors->server, err);
}

static void say_url(struct doors *doors)
{
	struct loom_buf url = LOOM_BUF_INIT(4096);
	struct loom_err err;

	loom_server_url(doors->server, &url);
	/* For links to pages, which are made while nobody is here to ask. */
	if (loom_pass_served(doors->grove->store, loom_buf_str(&url), &err) != LOOM_OK)
		loom_out_warn(doors->cli->out, "%s", err.text);
	loom_buf_adds(&url, "/mcp");
	loom_answer_text(doors->cli, "url", loom_buf_str(&url));
	loom_answer_line(doors->cli, "%s", loom_buf_cstr(&url));
	loom_answer_note(doors->cli,
			 "^C ends it; `loom token new AGENT` lets an agent in, `loom page "
			 "link NODE` a reader");
	loom_answer_give(doors->cli);
	loom_out_release(doors->cli->out);
	(void)!loom_out_flush(doors->cli->out, NULL);
	loom_buf_fini(&url);
}

/* ---- until the end ---- */

static void stop(struct doors *doors)
{
	if (doors->stopping)
		return;
	doors->stopping = true;
	mcp_door_stop(doors->mcp);
}

static void on_signal(void *ctx, int signo)
{
	(void)signo;
	stop(ctx);
}

static void go_on(struct doors *doors)
{
	struct loom_loop *loop = loom_cli_loop(doors->cli);

	loom_loop_signal(loop, SIGTERM, on_signal, doors);
	loom_loop_signal(loop, SIGHUP, on_signal, doors);
	/* Calls under way end soon: they are stopped, and what was done stays done. */
	while (!doors->stopping || mcp_door_busy(doors->mcp)) {
		(void)loom_loop_step(loop, -1);
		if (loom_task_cancelled(&doors->cli->task))
			stop(doors);
	}
	loom_loop_signal(loop, SIGTERM, NULL, NULL);
	loom_loop_signal(loop, SIGHUP, NULL, NULL);
}

enum loom_status doors_serve(struct cli_grove *grove, struct loom_err *err)
{
	struct doors doors = {.cli = grove->cli,
			      .grove = grove,
			      .certificate = LOOM_BUF_INIT(PEM_MAX),
			      .key = LOOM_BUF_INIT(PEM_MAX)};
	const struct mcp_door_opts opts = {.cli = grove->cli,
					   .grove = grove,
					   .agent = args_of_mcp(grove->cli)->agent};
	enum loom_status status = read_pems(grove, &doors, err);

	loom_cli_listen(grove->cli);
	if (status == LOOM_OK)
		status = mcp_door_open(&opts, &doors.mcp, err);
	if (status == LOOM_OK)
		status = page_door_open(grove, &doors.page, err);
	if (status == LOOM_OK)
		status = listen_at(&doors, err);
	if (status == LOOM_OK) {
		say_url(&doors);
		go_on(&doors);
	}
	loom_server_close(doors.server);
	mcp_door_close(doors.mcp);
	page_door_close(doors.page);
	loom_cli_unlisten(grove->cli);
	if (doors.key.p)
		explicit_bzero(doors.key.p, doors.key.n);
	loom_buf_fini(&doors.certificate);
	loom_buf_fini(&doors.key);
	return status;
}
