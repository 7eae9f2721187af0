/* Members: the persons who work in a grove, and their accounts. */
#include <loom/cli/services.h>

#include <loom/cli/open_grove.h>
#include <loom/cli/share_grove.h>
#include <loom/grove/sharing.h>
#include <loom/remote/remote.h>
#include <loom/tree/person.h>

#include <loom/commands/args_of.def>
#include <loom/commands/agents.def>

/* --- members --- */

static const char *word_of(enum loom_member_may may)
{
	return may == LOOM_MEMBER_ADMIN ? "admin" : may == LOOM_MEMBER_WRITER ? "writer" : "reader";
}

static const char *standing(const struct loom_member *member)
{
	static const char *const roles[] = {" · reader", " · writer", " · admin"};

	if (loom_str_starts(member->role, LOOM_STR("role:")))
		return roles[member->may];
	return member->may == LOOM_MEMBER_ADMIN ? " · founder" : "";
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
			 standing(member), LOOM_STR_ARG(cli_ago(grove, member->since)));
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

/* --- roles of a server --- */

/* In a grove whose log is on a server, its roles are the accounts. */
struct admission {
	struct loom_str role;
	int may; /* an enum loom_member_may; -1: none any more */
	bool made;
	struct change other; /* what is done in any other grove */
};

static bool is_on_server(struct cli_grove *grove)
{
	struct loom_remote_place place;

	return loom_remote_where(grove->store, grove->arena, &place, NULL) == LOOM_OK &&
	       place.server;
}

static enum loom_status tell_server(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct admission *admission = ctx;

	return loom_remote_admit(store, admission->role, admission->may, &admission->made, err);
}

static enum loom_status tell_grove(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct admission *admission = ctx;

	if (admission->may < 0) {
		loom_op_say(store, "role \"%.*s\" dropped", LOOM_STR_ARG(admission->role));
		return loom_member_dismiss(store, admission->role, err);
	}
	loom_op_say(store, "role \"%.*s\" added as %s", LOOM_STR_ARG(admission->role),
		    word_of((enum loom_member_may)admission->may));
	return loom_member_admit(store, admission->role, (enum loom_member_may)admission->may, err);
}

static void say_admission(struct loom_cli *cli, const struct admission *admission)
{
	loom_answer_text(cli, "role", admission->role);
	if (admission->may < 0) {
		loom_answer_done(cli, "removed the role \"%.*s\": the server refuses it now",
				 LOOM_STR_ARG(admission->role));
		return;
	}
	loom_answer_text(cli, "may", loom_str_of(word_of((enum loom_member_may)admission->may)));
	loom_answer_flag(cli, "made", admission->made);
	loom_answer_done(cli, "the role \"%.*s\" is %s %s of this grove",
			 LOOM_STR_ARG(admission->role),
			 admission->may == LOOM_MEMBER_ADMIN ? "an" : "a",
			 word_of((enum loom_member_may)admission->may));
	if (admission->made)
		loom_answer_line(cli, "  the server did not have it; give it a password there: "
				      "\\password in psql");
}

static enum loom_status admit(struct cli_grove *grove, void *ctx, struct loom_err *err)
{
	struct admission *admission = ctx;
	struct cli_work work = {.what = "asking the server",
				.access = LOOM_WRITE,
				.run = tell_server,
				.ctx = admission};
	struct cli_write write = {.kind = "members",
				  .inverse = admission->may < 0 ? "loom members add"
								: "loom members drop",
				  .run = tell_grove,
				  .ctx = admission};
	enum loom_status status = LOOM_OK;

	if (!is_on_server(grove)) {
		if (admission->may == LOOM_MEMBER_WRITER || admission->may < 0)
			return write_change(grove, &admission->other, err);
		loom_fail(err, LOOM_REFUSED, "only a log on a server has readers and admins");
		return loom_hint(err, LOOM_REFUSED, "loom members add NAME");
	}
	status = cli_grove_work(grove, &work, err);
	if (!status)
		status = cli_grove_write(grove, &write, err);
	if (!status)
		say_admission(grove->cli, admission);
	return status;
}

enum loom_status cmd_members_add(struct loom_cli *cli, struct loom_err *err)
{
	const struct args_of_members_add *args = args_of_members_add(cli);
	struct admission admission = {
		.role = args->name,
		.may = LOOM_MEMBER_WRITER,
		.other = {.name = args->name, .run = add, .kind = "members add"},
	};

	if (args->rights.p)
		admission.may = -1;
	for (int may = LOOM_MEMBER_READER; may <= LOOM_MEMBER_ADMIN; may++)
		if (loom_str_is(args->rights, word_of((enum loom_member_may)may)))
			admission.may = may;
	if (admission.may < 0) {
		loom_fail(err, LOOM_USAGE, "loom members add: there are no rights \"%.*s\"",
			  LOOM_STR_ARG(args->rights));
		return loom_hint(err, LOOM_USAGE, "reader, writer or admin");
	}
	return cli_grove_with(cli, NULL, admit, &admission, err);
}

enum loom_status cmd_members_drop(struct loom_cli *cli, struct loom_err *err)
{
	const struct loom_str name = args_of_members_drop(cli)->name;
	struct admission admission = {
		.role = name,
		.may = -1,
		.other = {.name = name, .run = drop, .kind = "members drop"},
	};

	return cli_grove_with(cli, NULL, admit, &admission, err);
}

enum loom_status cmd_members_set(struct loom_cli *cli, struct loom_err *err)
{
	struct change change = {.name = args_of_members_set(cli)->name,
				.new_name = args_of_members_set(cli)->new_name,
				.run = rename_one,
				.kind = "members set"};

	return cli_grove_with(cli, NULL, write_change, &change, err);
}
