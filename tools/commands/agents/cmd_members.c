/* Members: the persons who work in a grove, and their accounts. */
#include <loom/cli/services.h>

#include <loom/cli/open_grove.h>
#include <loom/cli/share_grove.h>
#include <loom/grove/sharing.h>
#include <loom/tree/person.h>

#include <loom/commands/args_of.def>
#include <loom/commands/agents.def>

/* --- members --- */

static const char *word_of(enum loom_member_may may)
{
	return may == LOOM_MEMBER_ADMIN ? "admin" : may == LOOM_MEMBER_WRITER ? "writer" : "reader";
}

static void say_member(struct cli_grove *grove, const struct loom_member *member)
{
	struct loom_cli *cli = grove->cli;

	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "name", member->agent.name);
	loom_answer_ulid(cli, "id", &member->agent.ulid);
	loom_answer_text(cli, "role", member->role);
	loom_answer_text(cli, "account", member->account);
	loom_answer_text(cli, "may", loom_str_of(word_of(member->may)));
	loom_answer_time(cli, "since", member->since);
	loom_answer_flag(cli, "mine", member->mine);
	loom_answer_flag(cli, "me", member->me);
	loom_answer_line(cli, "%s%.*s · account %.*s%s · since %.*s", member->me ? "* " : "  ",
			 LOOM_STR_ARG(member->agent.name), LOOM_STR_ARG(member->account),
			 member->may == LOOM_MEMBER_ADMIN ? " · founder" : "",
			 LOOM_STR_ARG(cli_ago(grove, member->since)));
	loom_answer_end(cli);
}

static enum loom_status run_list(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_member *members = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_member_list(grove->store, grove->arena, &members, &count, err);

	if (status)
		return status;
	cli_answer_shared(grove->cli, loom_store_group(grove->store));
	loom_answer_list(grove->cli, "members");
	for (size_t i = 0; i < count; i++)
		say_member(grove, &members[i]);
	loom_answer_end(grove->cli);
	if (!count)
		loom_answer_note(grove->cli,
				 "no persons are recorded here yet: the first write records you");
	return LOOM_OK;
}

enum loom_status cmd_members(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_list, err);
}

/* --- changing them --- */

struct change {
	struct loom_str name;
	struct loom_str new_name;
	enum loom_status (*run)(struct loom_store *store, const struct change *change,
				struct loom_err *err);
	const char *kind;
};

static enum loom_status add(struct loom_store *store, const struct change *change,
			    struct loom_err *err)
{
	loom_op_say(store, "person \"%.*s\" added", LOOM_STR_ARG(change->name));
	return loom_member_add(store, change->name, err);
}

static enum loom_status drop(struct loom_store *store, const struct change *change,
			     struct loom_err *err)
{
	loom_op_say(store, "person \"%.*s\" dropped", LOOM_STR_ARG(change->name));
	return loom_member_drop(store, change->name, err);
}

static enum loom_status rename_one(struct loom_store *store, const struct change *change,
				   struct loom_err *err)
{
	loom_op_say(store, "person \"%.*s\" renamed to \"%.*s\"", LOOM_STR_ARG(change->name),
		    LOOM_STR_ARG(change->new_name));
	return loom_member_rename(store, change->name, change->new_name, err);
}

static enum loom_status run_change(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct change *change = ctx;

	return change->run(store, change, err);
}

static enum loom_status write_change(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	struct change *change = ctx;
	struct cli_write write = {.kind = change->kind, .run = run_change, .ctx = change};
	enum loom_status status = LOOM_OK;

	if (!change->name.n)
		change->name = grove->actor.name;
	status = cli_grove_write(grove, &write, err);
	if (status)
		return status;
	loom_answer_text(grove->cli, "name", change->new_name.n ? change->new_name : change->name);
	loom_answer_id(grove->cli, "op", write.op);
	if (change->run == add)
		loom_answer_done(grove->cli, "added \"%.*s\" to this account: select with LOOM_ME",
				 LOOM_STR_ARG(change->name));
	else if (change->run == drop)
		loom_answer_done(grove->cli, "removed \"%.*s\" from this account",
				 LOOM_STR_ARG(change->name));
	else
		loom_answer_done(grove->cli, "renamed \"%.*s\" to \"%.*s\"",
				 LOOM_STR_ARG(change->name), LOOM_STR_ARG(change->new_name));
	return LOOM_OK;
}

enum loom_status cmd_members_add(struct loom_cli *cli, struct loom_err *err)
{
	struct change change = {.name = args_of_members_add(cli)->name,
				.run = add,
				.kind = "members add"};

	return cli_grove_with(cli, NULL, write_change, &change, err);
}

enum loom_status cmd_members_drop(struct loom_cli *cli, struct loom_err *err)
{
	struct change change = {.name = args_of_members_drop(cli)->name,
				.run = drop,
				.kind = "members drop"};

	return cli_grove_with(cli, NULL, write_change, &change, err);
}

enum loom_status cmd_members_set(struct loom_cli *cli, struct loom_err *err)
{
	struct change change = {.name = args_of_members_set(cli)->name,
				.new_name = args_of_members_set(cli)->new_name,
				.run = rename_one,
				.kind = "members set"};

	return cli_grove_with(cli, NULL, write_change, &change, err);
}
