/* Agents: who they are, which model speaks for them, what they may do. A grant lies beside the
 * grove, is not an operation, and only a person gives it. */
#include <loom/cli/services.h>

#include <loom/config/config.h>
#include <loom/base/json.h>
#include <loom/base/jval.h>
#include <loom/text/deceiving_names.h>
#include <loom/tree/person.h>
#include <loom/tree/say_node.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/agents.def>

/* --- looking --- */

/* A person may do everything, whatever the grant says; a claim may do nothing. */
static enum loom_status grant_of(struct cli_grove *grove, const struct loom_agent *agent,
				 struct loom_grant *out, struct loom_err *err)
{
	*out = (struct loom_grant){.may = 0};
	if (!loom_agent_acts(agent))
		return LOOM_OK;
	if (agent->kind == LOOM_AGENT_MODEL)
		return loom_grant_get(grove->store, &agent->ulid, out, err);
	*out = (struct loom_grant){.may = LOOM_MAY_ANYTHING, .approval = LOOM_APPROVE_AUTO};
	return LOOM_OK;
}

/* The model that the configuration gives an agent with that name; n 0: none, or the configuration
 * cannot be read. */
static struct loom_str model_in_config(struct cli_grove *grove, struct loom_str name)
{
	struct loom_config config;
	struct loom_agent_config known = {.model = {NULL, 0}};

	if (loom_config_load(&grove->cli->env, grove->arena, &config, NULL) == LOOM_OK)
		(void)loom_config_agent(&config, name, &known);
	return known.model;
}

static void add_model(struct cli_grove *grove, const struct loom_agent *agent, struct loom_buf *out)
{
	struct loom_str model = agent->model;
	const char *by = "";

	if (!model.n) {
		model = model_in_config(grove, agent->name);
		by = " from config.json";
	}
	if (model.n)
		loom_buf_addf(out, "model %.*s%s", LOOM_STR_ARG(model), by);
	else
		loom_buf_adds(out, "no model");
}

static void describe(struct loom_cli *cli, const struct loom_agent *agent, struct loom_str mark,
		     const struct loom_grant *grant)
{
	struct loom_json *json = NULL;

	loom_answer_text(cli, "name", agent->name);
	loom_answer_maybe(cli, "mark", mark);
	loom_answer_ulid(cli, "id", &agent->ulid);
	loom_answer_text(cli, "kind", loom_str_of(loom_agent_kind_name(agent->kind)));
	loom_answer_maybe(cli, "model", agent->model);
	if (agent->sampling.n && !loom_json_check(agent->sampling, NULL, NULL))
		loom_answer_json(cli, "sampling", agent->sampling);
	else
		loom_answer_null(cli, "sampling");
	loom_answer_flag(cli, "loom_aware", agent->aware);
	loom_answer_permissions(cli, "permissions", grant->may);
	json = loom_answer_writer(cli, NULL);
	if (json)
		loom_show_put_claim(json, agent);
	loom_answer_text(cli, "approval", loom_str_of(loom_approval_name(grant->approval)));
	loom_answer_time(cli, "created", agent->created);
}

static enum loom_status say_agent(struct cli_grove *grove, const struct loom_agent *agent,
				  struct loom_str mark, struct loom_err *err)
{
	struct loom_grant grant = {.may = 0};
	struct loom_buf what = LOOM_BUF_INIT(LOOM_BUF_MAX);
	enum loom_status status = grant_of(grove, agent, &grant, err);

	if (status)
		return status;
	describe(grove->cli, agent, mark, &grant);
	if (!loom_agent_acts(agent)) {
		loom_buf_addf(&what, "only a name, from %.*s · may: nothing",
			      LOOM_STR_ARG(agent->from));
	} else if (agent->kind == LOOM_AGENT_HUMAN) {
		loom_buf_adds(&what, "human · may: anything");
	} else {
		add_model(grove, agent, &what);
		loom_buf_adds(&what, " · may: ");
		loom_grant_text(grant.may, &what);
	}
	if (loom_agent_acts(agent))
		loom_buf_addf(&what, " · approval: %s", loom_approval_name(grant.approval));
	loom_answer_line(grove->cli, "%.*s · %s",
			 LOOM_STR_ARG(loom_name_marked(agent->name, mark, grove->arena)),
			 loom_buf_cstr(&what));
	loom_buf_fini(&what);
	return LOOM_OK;
}

static enum loom_status say_one(struct cli_grove *grove, const struct loom_agent *agent,
				struct loom_err *err)
{
	struct loom_str mark = LOOM_STR("");
	enum loom_status status = cli_agent_mark(grove, agent->id, &mark, err);

	return status ? status : say_agent(grove, agent, mark, err);
}

static enum loom_status run_list(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_agent *agents = NULL;
	struct loom_str *marks = NULL;
	size_t count = 0;
	enum loom_status status = loom_agent_list(grove->store, grove->arena, &agents, &count, err);

	marks = loom_agent_marks(agents, count, grove->arena);
	loom_answer_list(grove->cli, "agents");
	for (size_t i = 0; !status && i < count; i++) {
		loom_answer_map(grove->cli, NULL);
		status = say_agent(grove, &agents[i], marks[i], err);
		loom_answer_end(grove->cli);
	}
	return status;
}

static enum loom_status find(struct cli_grove *grove, struct loom_str name, struct loom_agent *out,
			     struct loom_err *err)
{
	return loom_agent_find(grove->store, name, grove->arena, out, err);
}

static enum loom_status run_show(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_agent agent;
	enum loom_status status = find(grove, args_of_agent_show(grove->cli)->name, &agent, err);

	return status ? status : say_one(grove, &agent, err);
}

/* --- changing --- */

/* The requested changes. A value that was not given stays as it is: p NULL, or the flag false. */
struct wish {
	struct loom_arena *arena;
	struct loom_agent agent; /* id 0: to be created */
	int64_t heir;            /* the default subject before the change */
	struct loom_str model;
	struct loom_str name;
	struct loom_str sampling;
	struct loom_grant grant; /* after the change */
	const char *inverse; /* the command that reverts the grant; NULL: the grant is unchanged */
	bool grants;
	bool changed;
};

static enum loom_status read_grant(struct loom_str permissions, struct loom_str approval,
				   struct wish *wish, struct loom_err *err)
{
	const struct loom_grant before = wish->grant;
	enum loom_status status = LOOM_OK;

	if (approval.p && !loom_approval_parse(approval, &wish->grant.approval))
		return loom_fail(err, LOOM_SYNTAX, "unknown approval \"%.*s\"",
				 LOOM_STR_ARG(approval));
	if (permissions.p)
		status = loom_grant_parse(permissions, &wish->grant.may, err);
	if (!approval.p)
		wish->grant.approval = loom_grant_approval(&before, wish->grant.may);
	wish->grants = permissions.p || approval.p;
	wish->changed = wish->grant.may != before.may || wish->grant.approval != before.approval;
	return status;
}

static enum loom_status read_sampling(struct wish *wish, struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!wish->sampling.n)
		return LOOM_OK;
	status = loom_json_check(wish->sampling, NULL, err);
	if (status || loom_jval_type(loom_jval_of(wish->sampling)) == LOOM_JTYPE_OBJECT)
		return status;
	loom_fail(err, LOOM_INVALID, "--sampling is not a JSON object");
	return loom_hint(err, LOOM_INVALID, "--sampling '{\"temperature\":0.8}'");
}

static enum loom_status make_agent(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct wish *wish = ctx;
	struct loom_agent spec = {
		.name = wish->name,
		.kind = LOOM_AGENT_MODEL,
		.model = wish->model,
		.aware = wish->grant.may & LOOM_MAY_AWARE,
	};
	int64_t id = 0;
	enum loom_status status = loom_agent_create(store, &spec, &id, err);

	loom_op_say(store, "new agent \"%.*s\"", LOOM_STR_ARG(wish->name));
	return status ? status : loom_agent_get(store, id, wish->arena, &wish->agent, err);
}

/* Writes only what differs, so that an empty change makes no operation. */
static enum loom_status change_agent(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct wish *wish = ctx;
	const struct loom_agent *now = &wish->agent;
	bool aware = wish->grant.may & LOOM_MAY_AWARE;
	enum loom_status status = LOOM_OK;

	if (wish->name.p && !loom_str_eq(wish->name, now->name))
		status = loom_agent_rename(store, now->id, wish->name, err);
	if (!status && wish->model.p && !loom_str_eq(wish->model, now->model))
		status = loom_agent_set_model(store, now->id, wish->model, err);
	if (!status && wish->sampling.p && !loom_str_eq(wish->sampling, now->sampling))
		status = loom_agent_set_sampling(store, now->id, wish->sampling, err);
	if (!status && now->kind == LOOM_AGENT_MODEL && aware != now->aware)
		status = loom_agent_set_aware(store, now->id, aware, err);
	loom_op_say(store, "changed agent \"%.*s\"", LOOM_STR_ARG(now->name));
	return status ? status : loom_agent_get(store, now->id, wish->arena, &wish->agent, err);
}

static enum loom_status give_grant(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct wish *wish = ctx;

	return loom_grant_set(store, &wish->agent.ulid, &wish->grant, err);
}

static void add_option(struct loom_buf *out, const char *option, struct loom_str was)
{
	loom_buf_addf(out, " %s \"%.*s\"", option, LOOM_STR_ARG(was));
}

/* The command that reverts a change of the grant. Grants lie outside the grove: changing one is no
 * operation, and undoing an operation never changes one. Only a person can run this, and the grove
 * does not record the old grant. */
static const char *inverse_of(const struct wish *wish)
{
	struct loom_buf out = LOOM_BUF_INIT(LOOM_BUF_MAX);
	const struct loom_agent *was = &wish->agent;
	struct loom_str name = wish->name.p ? wish->name : was->name;
	const char *text;

	loom_buf_addf(&out, "loom agent set \"%.*s\"", LOOM_STR_ARG(name));
	if (wish->name.p)
		add_option(&out, "--name", was->name);
	if (wish->model.p)
		add_option(&out, "--model", was->model);
	loom_buf_adds(&out, " --permissions P --approval A, with the old values");
	text = loom_arena_cstr(wish->arena, loom_buf_str(&out));
	loom_buf_fini(&out);
	return text;
}

/* The agent was created or changed; only its grant failed. Says so. */
static enum loom_status say_ungranted(const struct wish *wish, enum loom_status status,
				      struct loom_err *err)
{
	char why[sizeof err->text];

	if (!err)
		return status;
	snprintf(why, sizeof why, "%s", err->text);
	loom_fail(err, status, "agent \"%.*s\" exists, but its permissions were not saved: %s",
		  LOOM_STR_ARG(wish->agent.name), why);
	return loom_hint(err, status, "once that is fixed: loom agent set \"%.*s\" --permissions P",
			 LOOM_STR_ARG(wish->agent.name));
}

/* The agent first, then its grant: in between it can do nothing, or what it could before. */
static enum loom_status apply(struct cli_grove *grove, struct wish *wish, struct loom_err *err)
{
	struct cli_write write = {
		.kind = wish->agent.id ? "agent set" : "agent add",
		.run = wish->agent.id ? change_agent : make_agent,
		.ctx = wish,
	};
	struct cli_work grant = {.what = "granting",
				 .access = LOOM_WRITE,
				 .run = give_grant,
				 .ctx = wish};
	enum loom_status status = LOOM_OK;

	if (wish->agent.id && wish->changed)
		wish->inverse = inverse_of(wish);
	write.inverse = wish->inverse;
	status = cli_grove_write(grove, &write, err);
	wish->changed |= write.op != 0;
	if (status || !wish->grants)
		return status;
	status = cli_grove_work(grove, &grant, err);
	return status ? say_ungranted(wish, status, err) : status;
}

/* The agent that continues trees without a subject; id 0: nobody. */
static enum loom_status find_heir(struct cli_grove *grove, struct loom_agent *out,
				  struct loom_err *err)
{
	struct loom_agent *agents = NULL;
	const struct loom_agent *found = NULL;
	size_t count = 0;
	enum loom_status status = loom_agent_list(grove->store, grove->arena, &agents, &count, err);

	if (status == LOOM_OK)
		found = loom_subject_default(agents, count, 0);
	*out = found ? *found : (struct loom_agent){.id = 0};
	return status;
}

/* A change of permissions decides whether an agent is a subject, and so may change who continues
 * trees without one. */
static enum loom_status say_heir(struct cli_grove *grove, const struct wish *wish,
				 struct loom_err *err)
{
	struct loom_agent now;
	enum loom_status status = find_heir(grove, &now, err);

	if (status == LOOM_OK && now.id && now.id != wish->heir)
		loom_out_note(
			grove->cli->out,
			"%.*s now continues trees without a subject; `loom subject NAME` sets one",
			LOOM_STR_ARG(now.name));
	return status;
}

static enum loom_status apply_and_say(struct cli_grove *grove, struct wish *wish,
				      struct loom_err *err)
{
	const bool fresh = !wish->agent.id;
	struct loom_agent heir;
	enum loom_status status = find_heir(grove, &heir, err);

	wish->heir = heir.id;
	if (!status)
		status = apply(grove, wish, err);
	if (status)
		return status;
	if (fresh)
		loom_answer_done(grove->cli, "added agent \"%.*s\"",
				 LOOM_STR_ARG(wish->agent.name));
	else
		loom_answer_done(grove->cli, "agent \"%.*s\" %s", LOOM_STR_ARG(wish->agent.name),
				 wish->changed ? "changed" : "unchanged");
	status = say_one(grove, &wish->agent, err);
	if (status)
		return status;
	loom_answer_give(grove->cli);
	return say_heir(grove, wish, err);
}

static enum loom_status run_add(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_agent_add *args = args_of_agent_add(grove->cli);
	struct wish wish = {
		.arena = grove->arena,
		.name = args->name,
		.model = args->model,
	};
	enum loom_status status = read_grant(args->permissions, args->approval, &wish, err);

	return status ? status : apply_and_say(grove, &wish, err);
}

static enum loom_status refuse_person(const struct wish *wish, struct loom_err *err)
{
	if (wish->agent.kind == LOOM_AGENT_MODEL || !wish->grants)
		return LOOM_OK;
	return loom_fail(err, LOOM_REFUSED, "%.*s is a person and may do everything",
			 LOOM_STR_ARG(wish->agent.name));
}

static enum loom_status run_set(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_agent_set *args = args_of_agent_set(grove->cli);
	struct wish wish = {
		.arena = grove->arena,
		.name = args->new_name,
		.model = args->model,
		.sampling = args->sampling,
	};
	/* Another account's person names themselves. */
	enum loom_status status = args->name.n ? loom_person_or(grove->store, args->name,
								grove->arena, &wish.agent, err)
					       : find(grove, args->name, &wish.agent, err);

	if (!status)
		status = grant_of(grove, &wish.agent, &wish.grant, err);
	if (!status)
		status = read_grant(args->permissions, args->approval, &wish, err);
	if (!status)
		status = read_sampling(&wish, err);
	if (!status)
		status = refuse_person(&wish, err);
	return status ? status : apply_and_say(grove, &wish, err);
}

enum loom_status cmd_agent_add(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.make = true};

	return cli_grove_run(cli, &need, run_add, err);
}

enum loom_status cmd_agent_set(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_set, err);
}

enum loom_status cmd_agent_list(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_list, err);
}

enum loom_status cmd_agent_show(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_show, err);
}
