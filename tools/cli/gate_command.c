/* The gate of the command line: an agent's command passes, is refused, or is written down for a
 * person to approve. An approved command passes the gate again and must still mean the same. */
#include <loom/cli/services.h>

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include <loom/work/thread.h>

#include "command_target.h"
#include <loom/cli/open_grove.h>

#define INPUT_MAX ((size_t)4 << 20)

/* --- proposing --- */

/* Whether the command reads standard input: an optional file is missing, or an input is `-`. */
static bool reads_input(const struct loom_args *args)
{
	const struct cli_spec *spec = cli_args_spec(args);

	for (size_t i = 0; i < spec->count; i++) {
		const struct cli_item *item = &spec->items[i];
		const char *value = cli_args_at(args, item, 0);

		if (item->kind == CLI_POSITIONAL && loom_str_is(item->name, "FILE") && !value)
			return true;
		if (value && strcmp(value, "-") == 0 && !cli_item_is_output(item))
			return true;
	}
	return false;
}

static enum loom_status take_input(struct loom_cli *cli, struct loom_proposed_command *out,
				   struct loom_err *err)
{
	struct loom_buf text = LOOM_BUF_INIT(INPUT_MAX);
	enum loom_status status = LOOM_OK;

	if (!reads_input(cli->args))
		return LOOM_OK;
	status = loom_cli_read(cli, NULL, INPUT_MAX, &text, err);
	out->input = loom_arena_buf(cli->arena, &text);
	if (!out->input.n)
		out->input = LOOM_STR("");
	loom_buf_fini(&text);
	return status;
}

static enum loom_status take_line(struct loom_cli *cli, struct loom_proposed_command *out,
				  struct loom_err *err)
{
	const char *grove = loom_env_var(&cli->env, "LOOM_GROVE");
	char *cwd = getcwd(NULL, 0);

	if (!cwd)
		return loom_fail_errno(err, errno, "no current directory");
	out->dir = loom_arena_str(cli->arena, loom_str_of(cwd));
	free(cwd);
	out->grove = loom_str_of(grove);
	out->count = (size_t)cli->argc - 1;
	out->words = LOOM_ARENA_ARRAY(cli->arena, out->count, struct loom_str);
	for (size_t i = 0; i < out->count; i++)
		out->words[i] = loom_str_of(cli->argv[i + 1]);
	return take_input(cli, out, err);
}

/* The permission that the row itself requires, without the one that everything requires. */
static struct loom_str permission_of(struct loom_arena *arena, unsigned may)
{
	const unsigned more = may & ~(unsigned)LOOM_MAY_AWARE;
	struct loom_buf text = LOOM_BUF_INIT(256);
	struct loom_str out;

	if (may)
		loom_grant_text(more ? more : may, &text);
	out = loom_arena_buf(arena, &text);
	loom_buf_fini(&text);
	return out;
}

static enum loom_status keep(struct loom_store *store, void *ctx, struct loom_err *err)
{
	enum loom_status status = loom_quiet_begin(store, err);

	if (status)
		return status;
	return loom_quiet_end(store, loom_proposal_add(store, ctx, NULL, err), err);
}

static enum loom_status propose(struct cli_grove *grove, const struct loom_need *need,
				struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_proposed line = {.permission = permission_of(cli->arena, need->may)};
	struct loom_proposal proposal = {.agent = grove->actor.id,
					 .seq = -1,
					 .calls = &line,
					 .count = 1};
	struct cli_work work = {.what = "asking",
				.access = LOOM_WRITE,
				.run = keep,
				.ctx = &proposal};
	struct loom_buf name = LOOM_BUF_INIT(128);
	enum loom_status status = take_line(cli, &proposal.command, err);

	if (status)
		return status;
	if (loom_current_tree(grove->store, &proposal.tree, NULL) != LOOM_OK)
		proposal.tree = 0;
	line.call = cli_line_of(cli->arena, proposal.command.words, proposal.command.count);
	line.target = cli_command_target(grove);
	status = cli_grove_work(grove, &work, err);
	if (status)
		return status;
	loom_proposal_name(&proposal, &name);
	status = loom_gate_asked(loom_buf_str(&name), err);
	loom_buf_fini(&name);
	return status;
}

/* --- running again --- */

static enum loom_status check_again(struct cli_grove *grove, struct loom_err *err)
{
	struct cli_again *again = grove->cli->again;
	const struct loom_proposal *proposal = again->proposal;
	struct loom_file_id ids[LOOM_STORE_FILES];
	const size_t count = loom_store_files(loom_store_dir(grove->store), ids);

	again->fits = count && ids[0].device == again->grove->device &&
		      ids[0].inode == again->grove->inode && grove->actor.id == proposal->agent &&
		      loom_str_eq(cli_command_target(grove), proposal->calls[0].target);
	if (again->fits || again->look)
		return LOOM_OK;
	return loom_fail(err, LOOM_CONFLICT, "what it would act on has changed");
}

/* --- the gate --- */

static enum loom_status pass(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	const struct loom_need *need = ctx;
	struct loom_gate_who who;
	enum loom_status status = cli_grove_who(grove, &who, err);
	enum loom_gate gate = LOOM_GATE_REFUSE;

	if (status)
		return status;
	gate = loom_gate(&who, need, grove->cli->command->ask, err);
	if (gate == LOOM_GATE_REFUSE)
		return err->status;
	if (grove->cli->again)
		return check_again(grove, err);
	return gate == LOOM_GATE_ASK ? propose(grove, need, err) : LOOM_OK;
}

/* Without a grove nothing says what an agent may do. */
static enum loom_status refuse_without_grove(const struct loom_cli *cli, struct loom_err *err)
{
	loom_fail(err, LOOM_PERMISSION,
		  "there is no grove here that says what the agent \"%s\" may do", cli->agent);
	return loom_hint(err, LOOM_PERMISSION, "ask the human to run it");
}

static bool has_grove(struct loom_cli *cli)
{
	struct loom_file_id files[LOOM_STORE_FILES];
	struct loom_buf dir = LOOM_BUF_INIT(PATH_MAX);
	struct loom_err err = {.status = LOOM_OK};
	bool found = cli->grove != NULL;

	if (!found && loom_grove_find(&cli->env, LOOM_STR(""), &dir, NULL, &err) == LOOM_OK)
		found = loom_store_files(loom_buf_str(&dir), files) > 0;
	loom_buf_fini(&dir);
	return found;
}

enum loom_status cli_gate(struct loom_cli *cli, struct loom_err *err)
{
	struct loom_need need = loom_command_need(cli->command, cli->args);
	/* Every agent comes through LOOM_AGENT. */
	const struct loom_gate_who named = {.kind = LOOM_WHO_AGENT,
					    .name = loom_str_of(cli->agent)};

	if (!cli->agent || (!need.deeds && !need.may))
		return LOOM_OK;
	if ((need.deeds & LOOM_DEED_PERSON) &&
	    loom_gate(&named, &need, NULL, err) == LOOM_GATE_REFUSE)
		return err->status;
	if ((need.deeds & LOOM_DEED_SHARES) && !has_grove(cli))
		return refuse_without_grove(cli, err);
	return cli_grove_with(cli, NULL, pass, &need, err);
}
