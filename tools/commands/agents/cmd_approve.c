/* `loom approve`: shows proposed calls and commands, and takes the person's answer. If the
 * proposing process is still waiting, it runs the list itself; otherwise the list runs here, as the
 * agent that proposed it, if it still means the same. */
#include <loom/chat/session.h>

#include <stdlib.h>
#include <unistd.h>

#include <loom/actor/act.h>
#include <loom/text/deceiving_names.h>

#include <loom/commands/args_of.def>
#include <loom/commands/waiting.def>

struct approval {
	struct cli_grove *grove;
	struct loom_proposal proposal;
	struct loom_agent agent; /* who proposed it */
	struct loom_engine_opts engine;
	struct loom_act *acts;  /* one for each call of the list */
	struct cli_again again; /* for a command */
	struct loom_file_id store;
	char ulid[LOOM_ULID_CHARS + 1]; /* the agent's */
	bool refuse;
	bool fits; /* it still means what was shown */
	bool ran;
	struct loom_buf printed; /* a command's output, for JSON */
	int status;              /* the command's exit status */
};

static bool is_command(const struct approval *approval)
{
	return approval->proposal.command.count > 0;
}

static struct loom_str name_of(struct cli_grove *grove, const struct loom_proposal *proposal)
{
	struct loom_buf name = LOOM_BUF_INIT(128);
	struct loom_str out;

	loom_proposal_name(proposal, &name);
	out = loom_arena_buf(grove->arena, &name);
	loom_buf_fini(&name);
	return out;
}

static struct loom_str agent_name(struct cli_grove *grove, int64_t id)
{
	const struct loom_agent *agent = NULL;

	if (cli_grove_agent(grove, id, &agent, NULL) != LOOM_OK)
		return LOOM_STR("an agent that no longer exists");
	return agent->name;
}

/* The mark that shows when the agent's name only looks like another. */
static struct loom_str agent_mark(struct cli_grove *grove, int64_t id)
{
	struct loom_str mark = LOOM_STR("");

	return cli_agent_mark(grove, id, &mark, NULL) == LOOM_OK ? mark : LOOM_STR("");
}

/* ---- printing ---- */

/* A text of several lines never begins one that looks like a call. */
static void say_call(struct loom_cli *cli, const struct loom_proposed *call, const char *arrow)
{
	struct loom_buf lines = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_str rest = call->call;
	struct loom_str line;

	(void)loom_str_line(&rest, &line);
	loom_buf_addf(&lines, "  %s%.*s\n", arrow, LOOM_STR_ARG(line));
	while (loom_str_line(&rest, &line))
		loom_buf_addf(&lines, "      | %.*s\n", LOOM_STR_ARG(line));
	if (call->permission.n || call->target.n)
		loom_buf_addf(&lines, "      %.*s%s%.*s\n", LOOM_STR_ARG(call->permission),
			      call->permission.n && call->target.n ? " · on " : "",
			      LOOM_STR_ARG(call->target));
	loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&lines));
	loom_buf_fini(&lines);
}

/* Prints the whole standard input: nobody should approve a text unseen. */
static void say_input(struct loom_cli *cli, struct loom_str input)
{
	struct loom_str line;

	loom_answer_line(cli, "      its standard input, %s:",
			 loom_answer_many(cli, (int64_t)input.n, "bytes", "bytes"));
	while (loom_str_line(&input, &line))
		loom_answer_piece(cli, LOOM_PLAIN,
				  loom_arena_format(cli->arena, "      | %.*s\n",
						    LOOM_STR_ARG(line)));
}

static void say_command(struct loom_cli *cli, const struct loom_proposed_command *command)
{
	loom_answer_line(cli, "      in %.*s", LOOM_STR_ARG(command->dir));
	if (command->grove.p)
		loom_answer_line(cli, "      with LOOM_GROVE=%.*s", LOOM_STR_ARG(command->grove));
	if (command->input.n)
		say_input(cli, command->input);
}

/* The one who asks: an agent, or a guest, which is only a name. */
static struct loom_str asker(struct cli_grove *grove, const struct loom_proposal *proposal)
{
	if (proposal->guest.name.p)
		return loom_arena_format(grove->arena, "a guest who says to be %.*s, from %.*s",
					 LOOM_STR_ARG(proposal->guest.name),
					 LOOM_STR_ARG(proposal->guest.from));
	return loom_name_marked(agent_name(grove, proposal->agent),
				agent_mark(grove, proposal->agent), grove->arena);
}

static void say_proposal(struct cli_grove *grove, const struct loom_proposal *proposal)
{
	struct loom_cli *cli = grove->cli;
	const bool command = proposal->command.count > 0;
	const int64_t count = (int64_t)proposal->count;

	loom_answer_piece(cli, LOOM_STRONG, name_of(grove, proposal));
	loom_answer_line(cli, " · %.*s · %s · %.*s%s", LOOM_STR_ARG(asker(grove, proposal)),
			 command ? loom_answer_many(cli, count, "command", "commands")
				 : loom_answer_many(cli, count, "call", "calls"),
			 LOOM_STR_ARG(cli_ago(grove, proposal->at)),
			 proposal->session.n ? " · its agent is waiting" : "");
	for (size_t i = 0; i < proposal->count; i++)
		say_call(cli, &proposal->calls[i], command ? "" : "→ ");
	if (command)
		say_command(cli, &proposal->command);
}

static void describe(struct cli_grove *grove, const struct loom_proposal *proposal)
{
	struct loom_cli *cli = grove->cli;
	struct loom_buf hash = LOOM_BUF_INIT(128);
	struct loom_json *json = NULL;

	loom_hash_hex(&proposal->hash, &hash);
	loom_answer_text(cli, "hash", loom_buf_str(&hash));
	loom_answer_text(cli, "agent", agent_name(grove, proposal->agent));
	loom_answer_maybe(cli, "mark", agent_mark(grove, proposal->agent));
	if (proposal->guest.name.p) {
		loom_answer_map(cli, "guest");
		loom_answer_text(cli, "name", proposal->guest.name);
		loom_answer_text(cli, "from", proposal->guest.from);
		loom_answer_end(cli);
	}
	loom_answer_time(cli, "at", proposal->at);
	loom_answer_flag(cli, "waits", proposal->session.n > 0);
	loom_answer_text(cli, "state", loom_str_of(loom_proposal_state_word(proposal->state)));
	json = loom_answer_writer(cli, NULL);
	if (json)
		cli_proposed_json(json, proposal);
	loom_buf_fini(&hash);
}

static enum loom_status list(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_proposal *rows = NULL;
	size_t count = 0;
	enum loom_status status =
		loom_proposal_list(grove->store, grove->arena, &rows, &count, err);

	if (status)
		return status;
	loom_answer_list(cli, "proposals");
	for (size_t i = 0; i < count; i++) {
		loom_answer_map(cli, NULL);
		describe(grove, &rows[i]);
		say_proposal(grove, &rows[i]);
		loom_answer_end(cli);
	}
	if (count)
		loom_answer_note(cli, "`loom approve %.*s` runs this list, `--refuse` refuses it",
				 LOOM_STR_ARG(name_of(grove, &rows[0])));
	else
		loom_answer_note(cli, "nothing is waiting for approval");
	return LOOM_OK;
}

/* ---- on the worker: the person's answer ---- */

static enum loom_status write_word(struct approval *approval, struct loom_store *store, bool fits,
				   struct loom_err *err)
{
	const struct loom_decision decision = {.by = approval->grove->actor.id,
					       .approve = !approval->refuse};
	const int64_t id = approval->proposal.id;
	enum loom_status status = LOOM_OK;

	if (!fits)
		return loom_proposal_void(store, id, err);
	status = loom_proposal_decide(store, id, &decision, err);
	if (status == LOOM_OK && !approval->refuse && !approval->proposal.session.n)
		status = loom_proposal_claim(store, id, &approval->ran, err);
	return status;
}

/* Whether the list runs here, so that it must be checked again. */
static bool must_fit(const struct approval *approval)
{
	return !approval->refuse && !approval->proposal.session.n &&
	       approval->proposal.state == LOOM_PROPOSAL_WAITS;
}

static enum loom_status decide(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct approval *approval = ctx;
	enum loom_status status = LOOM_OK;

	if (must_fit(approval) && !is_command(approval))
		status = loom_acts_fit(store, &approval->proposal, approval->acts,
				       approval->grove->arena, &approval->fits, err);
	if (status == LOOM_OK)
		status = loom_quiet_begin(store, err);
	if (status != LOOM_OK)
		return status;
	status = loom_quiet_end(store, write_word(approval, store, approval->fits, err), err);
	if (status != LOOM_OK || approval->fits)
		return status;
	loom_fail(err, LOOM_CONFLICT, "what it would act on has changed, so it is void");
	return loom_hint(err, LOOM_CONFLICT, "ask the agent to propose it again");
}

/* ---- running it ---- */

static enum loom_status run_list(struct approval *approval, struct chat_session *session,
				 struct loom_err *err)
{
	const size_t count = approval->proposal.count;

	loom_turn_log_init(&session->log, LOOM_STR(""));
	session->engine.tree = approval->engine.tree;
	session->engine.thread = approval->engine.thread;
	session->engine.log = &session->log.face;
	session->engine.guest = &approval->proposal.guest;
	session->approved = true;
	session->seq = approval->proposal.seq;
	chat_session_budget(session, approval->acts, count);
	return chat_session_act(session, approval->acts, count, err);
}

/* Runs a command as its agent; in JSON its output becomes part of the answer. */
static enum loom_status run_command(struct approval *approval, struct loom_err *err)
{
	struct cli_grove *grove = approval->grove;
	const bool kept = loom_answer_structured(grove->cli);
	FILE *file = kept ? tmpfile() : NULL;
	char bytes[4096];
	size_t n = 0;

	if (kept && !file)
		return loom_fail(err, LOOM_IO, "no temporary file");
	approval->again.look = false;
	approval->again.out_fd = file ? fileno(file) : STDOUT_FILENO;
	if (loom_out_flush(grove->cli->out, err) != LOOM_OK && !file)
		return err->status;
	approval->status = cli_again(&approval->again);
	grove->cli->found |= approval->status != 0;
	if (!file)
		return LOOM_OK;
	rewind(file);
	while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
		loom_buf_add(&approval->printed, loom_str_make(bytes, n));
	(void)fclose(file);
	return LOOM_OK;
}

/* Checks whether a command would still act on what was shown, before any answer is written. */
static enum loom_status look_again(struct approval *approval, struct loom_err *err)
{
	struct cli_grove *grove = approval->grove;
	struct loom_file_id ids[LOOM_STORE_FILES];

	if (!loom_store_files(loom_store_dir(grove->store), ids))
		return loom_fail(err, LOOM_NOT_FOUND, "the grove is gone");
	approval->store = ids[0];
	loom_ulid_text(&approval->agent.ulid, approval->ulid);
	approval->again = (struct cli_again){.proposal = &approval->proposal,
					     .agent = approval->ulid,
					     .name = approval->agent.name,
					     .grove = &approval->store,
					     .look = true,
					     .out_fd = STDOUT_FILENO};
	if (!must_fit(approval))
		return LOOM_OK;
	if (access(loom_arena_cstr(grove->arena, approval->proposal.command.dir), X_OK) != 0)
		return loom_fail(err, LOOM_NOT_FOUND,
				 "%.*s, where it was proposed, no longer exists",
				 LOOM_STR_ARG(approval->proposal.command.dir));
	if (cli_again(&approval->again) != 0) {
		loom_fail(err, LOOM_REFUSED, "it cannot run now, and keeps waiting");
		return loom_hint(err, LOOM_REFUSED, "loom approve %.*s --refuse",
				 LOOM_STR_ARG(name_of(grove, &approval->proposal)));
	}
	approval->fits = approval->again.fits;
	return LOOM_OK;
}

static enum loom_status run_what_was_asked(struct approval *approval, struct chat_session *session,
					   struct loom_err *err)
{
	enum loom_status status = LOOM_OK;

	if (!approval->ran)
		return LOOM_OK;
	if (is_command(approval))
		return run_command(approval, err);
	status = run_list(approval, session, err);
	approval->grove->cli->found |= session->failed;
	return status;
}

static enum loom_status answer(struct approval *approval, struct loom_err *err)
{
	struct cli_grove *grove = approval->grove;
	struct loom_cli *cli = grove->cli;
	struct chat_session session;
	struct cli_work work = {.what = "approving",
				.access = LOOM_WRITE,
				.run = decide,
				.ctx = approval};
	enum loom_status status = is_command(approval) ? look_again(approval, err) : LOOM_OK;

	if (status == LOOM_OK)
		status = cli_grove_work(grove, &work, err);
	if (status != LOOM_OK)
		return status;
	approval->proposal.state = approval->refuse ? LOOM_PROPOSAL_REFUSED
				   : approval->ran  ? LOOM_PROPOSAL_DONE
						    : LOOM_PROPOSAL_APPROVED;
	describe(grove, &approval->proposal);
	say_proposal(grove, &approval->proposal);
	loom_answer_done(cli, "%s%s", approval->refuse ? "refused" : "approved",
			 approval->proposal.session.n && !approval->refuse ? ": its agent continues"
									   : "");
	chat_session_init(&session, grove, &approval->agent);
	loom_answer_list(cli, "calls");
	status = run_what_was_asked(approval, &session, err);
	loom_answer_end(cli);
	if (is_command(approval) && approval->ran) {
		loom_answer_number(cli, "exit_status", approval->status);
		loom_answer_text(cli, "printed", loom_buf_str(&approval->printed));
	}
	/* The answer was given, whatever happened afterwards. */
	loom_answer_give(cli);
	return status;
}

static enum loom_status run_approve(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_str hash = args_of_approve(grove->cli)->hash;
	struct approval approval = {.grove = grove,
				    .refuse = args_of_approve(grove->cli)->refuse,
				    .fits = true,
				    .printed = LOOM_BUF_INIT(LOOM_BUF_MAX)};
	enum loom_status status = LOOM_OK;

	if (!hash.p)
		return list(grove, err);
	status = loom_proposal_find(grove->store, hash, grove->arena, &approval.proposal, err);
	if (status == LOOM_OK)
		status = loom_proposal_mine(grove->store, &approval.proposal, err);
	if (status == LOOM_OK)
		status = loom_agent_get(grove->store, approval.proposal.agent, grove->arena,
					&approval.agent, err);
	if (status == LOOM_OK && !is_command(&approval))
		status = loom_acts_proposed(&approval.proposal, grove->arena, &approval.acts, err);
	approval.engine = (struct loom_engine_opts){.agent = approval.proposal.agent,
						    .tree = approval.proposal.tree,
						    .thread = approval.proposal.thread,
						    .local = true};
	if (status == LOOM_OK)
		status = answer(&approval, err);
	loom_buf_fini(&approval.printed);
	return status;
}

enum loom_status cmd_approve(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_approve, err);
}
