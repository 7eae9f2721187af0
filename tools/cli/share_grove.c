/* Sharing a grove with a group: the modes, the row, this account's trust, and what is said. */
#include <loom/cli/share_grove.h>

#include <loom/cli/services.h>
#include <loom/grove/accounts.h>
#include <loom/grove/sharing.h>
#include <loom/grove/trust.h>
#include <loom/tree/person.h>

#include <limits.h>

void cli_answer_shared(struct loom_cli *cli, int64_t group)
{
	const bool shared = group != LOOM_PRIVATE;

	loom_answer_maybe(cli, "group", shared ? loom_group_name(group, cli->arena) : LOOM_STR(""));
	if (shared)
		loom_answer_number(cli, "gid", group);
	else
		loom_answer_null(cli, "gid");
}

static enum loom_status share(struct loom_store *store, void *ctx, struct loom_err *err)
{
	return loom_grove_share(store, *(const int64_t *)ctx, err);
}

/* Says what the others need to know, and what is still in their way. */
static void say_shared(struct loom_cli *cli, struct loom_str dir, int64_t group)
{
	const struct loom_str said = loom_group_said(group, cli->arena);
	struct loom_buf closed = LOOM_BUF_INIT(PATH_MAX);

	loom_answer_done(cli, "%.*s is shared with %.*s; each member runs `loom trust %.*s` once",
			 LOOM_STR_ARG(dir), LOOM_STR_ARG(said), LOOM_STR_ARG(dir));
	loom_answer_line(cli,
			 "  anybody in the group can also write the file itself: share only with "
			 "people you would give it to");
	loom_share_closed(dir, group, &closed);
	loom_answer_maybe(cli, "closed", loom_buf_str(&closed));
	if (closed.n)
		loom_answer_warn(cli, "%.*s cannot reach it until you run `chmod g+x %s` (or o+x)",
				 LOOM_STR_ARG(said), loom_buf_cstr(&closed));
	loom_buf_fini(&closed);
}

enum loom_status cli_grove_share(struct cli_grove *grove, int64_t group, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	const struct loom_str dir = loom_store_dir(grove->store);
	struct cli_work work = {.what = "sharing",
				.access = LOOM_WRITE,
				.run = share,
				.ctx = &group};
	enum loom_status status = cli_grove_work(grove, &work, err);

	if (!status && group != LOOM_PRIVATE)
		status = loom_trust_give(&cli->env, dir, LOOM_TRUST_GROVE, err);
	if (status)
		return status;
	cli_answer_shared(cli, group);
	if (group == LOOM_PRIVATE)
		loom_answer_done(cli, "%.*s is yours alone again", LOOM_STR_ARG(dir));
	else
		say_shared(cli, dir, group);
	return LOOM_OK;
}
