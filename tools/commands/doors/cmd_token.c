/* Tokens of agents: made, listed and revoked by a person. A token is shown once; its hash alone is
 * kept. */
#include <loom/cli/services.h>
#include <loom/grove/pass.h>

#include "inside.h"

#include <loom/commands/args_of.def>
#include <loom/commands/doors.def>

static enum loom_status find_agent(struct cli_grove *grove, struct loom_str name,
				   struct loom_agent *out, struct loom_err *err)
{
	enum loom_status status = loom_agent_find(grove->store, name, grove->arena, out, err);

	if (status || out->kind == LOOM_AGENT_MODEL)
		return status;
	loom_fail(err, LOOM_REFUSED, "%.*s is a person, and tokens are for agents",
		  LOOM_STR_ARG(out->name));
	return loom_hint(err, LOOM_REFUSED, "loom agent add NAME --permissions analyst");
}

static enum loom_status run_new(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_buf secret = LOOM_BUF_INIT(256);
	struct loom_pass pass = {.kind = LOOM_PASS_TOKEN};
	struct loom_agent agent;
	char name[LOOM_PASS_NAME + 1];
	enum loom_status status = find_agent(grove, args_of_token_new(cli)->agent, &agent, err);

	if (status)
		return status;
	pass.opens = agent.ulid;
	status = loom_pass_make(grove->store, &pass, &secret, err);
	if (!status) {
		loom_pass_name(&pass, name);
		loom_answer_text(cli, "token", loom_buf_str(&secret));
		loom_answer_text(cli, "name", loom_str_of(name));
		loom_answer_text(cli, "agent", agent.name);
		loom_answer_line(cli, "%s", loom_buf_cstr(&secret));
		loom_answer_note(cli, "keep it safe: it is not shown again (its name is %s)", name);
		explicit_bzero(secret.p, secret.n);
	}
	loom_buf_fini(&secret);
	return status;
}

/* An agent that is gone has a token that opens nothing. */
static struct loom_str agent_of(struct cli_grove *grove, const struct loom_pass *pass)
{
	struct loom_agent agent;
	char ulid[LOOM_ULID_CHARS + 1];

	loom_ulid_text(&pass->opens, ulid);
	return loom_agent_find(grove->store, loom_str_of(ulid), grove->arena, &agent, NULL)
		       ? LOOM_STR("an agent that is gone")
		       : agent.name;
}

static void say_token(struct cli_grove *grove, const struct loom_pass *pass)
{
	struct loom_cli *cli = grove->cli;
	const struct loom_str agent = agent_of(grove, pass);
	char name[LOOM_PASS_NAME + 1];

	loom_pass_name(pass, name);
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "name", loom_str_of(name));
	loom_answer_text(cli, "agent", agent);
	loom_answer_time(cli, "made", pass->made);
	loom_answer_line(cli, "%s · %.*s · made %.*s", name, LOOM_STR_ARG(agent),
			 LOOM_STR_ARG(cli_ago(grove, pass->made)));
	loom_answer_end(cli);
}

static enum loom_status run_list(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_passes *passes = NULL;
	const struct loom_pass *items = NULL;
	size_t count = 0;
	size_t said = 0;
	enum loom_status status = loom_passes_open(grove->store, &passes, err);

	if (status)
		return status;
	items = loom_passes_list(passes, &count);
	loom_answer_list(cli, "tokens");
	for (size_t i = 0; i < count; i++) {
		if (items[i].kind != LOOM_PASS_TOKEN)
			continue;
		say_token(grove, &items[i]);
		said++;
	}
	if (!said)
		loom_answer_note(cli, "there are no tokens; `loom token new AGENT` makes one");
	loom_passes_close(passes);
	return LOOM_OK;
}

static enum loom_status run_revoke(struct cli_grove *grove, struct loom_err *err)
{
	const struct loom_str text = args_of_token_revoke(grove->cli)->token;
	struct loom_pass_which which = {.kind = LOOM_PASS_TOKEN, .name = text};
	struct loom_buf hash = LOOM_BUF_INIT(128);
	struct loom_agent agent;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	loom_pass_hash(text, &hash);
	if (hash.n)
		which.name = loom_arena_buf(grove->arena, &hash);
	loom_buf_fini(&hash);
	if (loom_agent_find(grove->store, text, grove->arena, &agent, NULL) == LOOM_OK)
		which.opens = &agent.ulid;
	status = loom_pass_revoke(grove->store, &which, &count, err);
	if (!status && !count) {
		loom_fail(err, LOOM_NOT_FOUND,
			  "no token is called \"%.*s\", nor has an agent of "
			  "that name one",
			  LOOM_STR_ARG(text));
		return loom_hint(err, LOOM_NOT_FOUND, "`loom token list` shows them");
	}
	if (status)
		return status;
	loom_answer_number(grove->cli, "revoked", (int64_t)count);
	loom_answer_done(grove->cli, "revoked %s",
			 loom_answer_many(grove->cli, (int64_t)count, "token", "tokens"));
	return LOOM_OK;
}

enum loom_status cmd_token_new(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_new, err);
}

enum loom_status cmd_token_list(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_list, err);
}

enum loom_status cmd_token_revoke(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_revoke, err);
}
