/* `loom paste`: shows what a pasted transcript would become; approved by its hash, it becomes that
 * in one step. */
#include <loom/chat/session.h>

#include <loom/tree/document.h>
#include <loom/language/parse.h>
#include <loom/chat/paste.h>
#include <loom/tree/say_node.h>
#include <loom/text/sections.h>

#include <loom/commands/args_of.def>
#include <loom/commands/language.def>

#define PASTE_MAX ((size_t)64 << 20)

struct pasting {
	struct cli_grove *grove;
	struct cli_spot spot; /* the node to paste below */
	struct loom_agent agent;
	struct loom_buf text;
	struct loom_paste_opts opts;
	struct loom_paste_word word;
	struct loom_paste *paste;
	int64_t op;
	int64_t node;
};

/* ---- printing ---- */

/* Whether this only shows the plan; then a person sees all of it. */
static bool is_plan(const struct pasting *pasting)
{
	return !pasting->word.hash.p;
}

static struct loom_str name_of(const struct pasting *pasting)
{
	struct loom_buf name = LOOM_BUF_INIT(128);
	struct loom_str out;

	loom_paste_name(pasting->paste, &name);
	out = loom_arena_buf(pasting->grove->arena, &name);
	loom_buf_fini(&name);
	return out;
}

static struct loom_str called(const struct pasting *pasting, int64_t agent, struct loom_str name)
{
	return loom_agent_called(agent, pasting->grove->actor.id, name);
}

static void answer_node(const struct pasting *pasting, const struct loom_paste_node *node)
{
	struct loom_cli *cli = pasting->grove->cli;
	struct loom_buf first = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_show_sentence(node->text, &first);
	loom_answer_map(cli, NULL);
	loom_answer_number(cli, "line", node->line);
	loom_answer_text(cli, "author", node->name);
	loom_answer_text(cli, "author_type", node->human ? LOOM_STR("human") : LOOM_STR("model"));
	loom_answer_text(cli, "text", node->text);
	loom_answer_flag(cli, "known", node->known != 0);
	if (is_plan(pasting))
		loom_answer_line(cli, "  line %lld · %.*s · %s · \"%s\"%s", (long long)node->line,
				 LOOM_STR_ARG(called(pasting, node->author, node->name)),
				 loom_answer_many(cli, loom_word_count(node->text), "word",
						  "words"),
				 loom_buf_cstr(&first), node->known ? " · exists already" : "");
	loom_answer_end(cli);
	loom_buf_fini(&first);
}

static void answer_nodes(const struct pasting *pasting)
{
	struct loom_cli *cli = pasting->grove->cli;

	loom_answer_list(cli, "nodes");
	for (size_t i = 0; i < pasting->paste->count; i++)
		answer_node(pasting, &pasting->paste->nodes[i]);
	loom_answer_end(cli);
}

static void say_turns(const struct pasting *pasting)
{
	struct loom_cli *cli = pasting->grove->cli;
	const struct loom_paste *paste = pasting->paste;

	if (paste->turns.form != LOOM_TURNS_PLAIN)
		loom_answer_line(cli, "%s, written as %s",
				 loom_answer_many(cli, (int64_t)paste->turns.count, "turn",
						  "turns"),
				 loom_turns_form_name(paste->turns.form));
	if (paste->count)
		loom_answer_line(cli, "%s to create below [%s]",
				 loom_answer_many(cli, (int64_t)paste->fresh, "node", "nodes"),
				 pasting->spot.name);
}

static void say_calls(const struct pasting *pasting)
{
	struct loom_cli *cli = pasting->grove->cli;
	const struct loom_paste *paste = pasting->paste;
	const struct loom_proposed *call = paste->proposal.calls;

	if (!paste->act_count)
		return;
	loom_answer_line(cli, "%s proposed, as %.*s",
			 loom_answer_many(cli, (int64_t)paste->proposal.count, "call", "calls"),
			 LOOM_STR_ARG(called(pasting, pasting->agent.id, pasting->agent.name)));
	for (size_t i = 0; i < paste->act_count; i++) {
		const struct loom_refusal *refusal = paste->acts[i].refusal;

		if (!paste->acts[i].call) {
			loom_answer_line(cli, "  line %lld ✗ %.*s: %.*s", (long long)refusal->line,
					 LOOM_STR_ARG(refusal->text),
					 LOOM_STR_ARG(refusal->message));
			continue;
		}
		loom_answer_line(cli, "  line %lld → %.*s", (long long)call->line,
				 LOOM_STR_ARG(call->call));
		loom_answer_line(cli, "      %.*s%s%.*s%s", LOOM_STR_ARG(call->permission),
				 call->target.n ? " · on " : "", LOOM_STR_ARG(call->target),
				 paste->acts[i].call->past_limit ? " · one too many, will not run"
								 : "");
		call++;
	}
}

static void describe_calls(struct loom_cli *cli, const struct loom_paste *paste)
{
	struct loom_json *json = loom_answer_writer(cli, NULL);

	if (json)
		cli_proposed_json(json, &paste->proposal);
	loom_answer_list(cli, "errors");
	for (size_t i = 0; json && i < paste->act_count; i++)
		if (paste->acts[i].refusal)
			loom_refusal_json(paste->acts[i].refusal, json);
	loom_answer_end(cli);
}

static void answer_unseen(const struct pasting *pasting)
{
	struct loom_cli *cli = pasting->grove->cli;
	const struct loom_turns *turns = &pasting->paste->turns;
	const bool warns = is_plan(pasting) && !loom_answer_structured(cli);

	loom_answer_list(cli, "invisible");
	for (size_t i = 0; i < turns->unseen_count; i++) {
		const char *name = turns->unseen[i].name;
		const int64_t count = turns->unseen[i].count;
		const int64_t line = turns->unseen[i].line;

		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "name", loom_str_of(name));
		loom_answer_number(cli, "count", count);
		loom_answer_number(cli, "line", line);
		loom_answer_end(cli);
		if (warns)
			loom_out_warn(cli->out, "invisible: %s ×%lld, first in line %lld", name,
				      (long long)count, (long long)line);
	}
	loom_answer_end(cli);
	loom_answer_number(cli, "invisible_other", turns->unseen_other);
	if (warns && turns->unseen_other)
		loom_out_warn(cli->out, "invisible: %lld more of other kinds",
			      (long long)turns->unseen_other);
}

/* Answers with the plan, and opens the list of results, in the form of `loom run`. */
static void answer_plan(struct pasting *pasting)
{
	const struct loom_paste *paste = pasting->paste;
	struct loom_cli *cli = pasting->grove->cli;
	struct loom_buf hash = LOOM_BUF_INIT(128);

	loom_hash_hex(&paste->hash, &hash);
	loom_answer_text(cli, "hash", loom_buf_str(&hash));
	loom_answer_text(cli, "form", loom_str_of(loom_turns_form_name(paste->turns.form)));
	loom_answer_number(cli, "turns", (int64_t)paste->turns.count);
	loom_answer_text(cli, "agent", pasting->agent.name);
	loom_answer_text(cli, "below", loom_str_of(pasting->spot.name));
	answer_nodes(pasting);
	describe_calls(cli, paste);
	answer_unseen(pasting);
	loom_answer_flag(cli, "done", !is_plan(pasting));
	loom_answer_id(cli, "op", pasting->op);
	loom_buf_fini(&hash);
}

static enum loom_status show(struct pasting *pasting)
{
	struct loom_cli *cli = pasting->grove->cli;
	const char *file = args_of_paste(cli)->file.p;
	const struct loom_paste *paste = pasting->paste;

	say_turns(pasting);
	answer_plan(pasting);
	loom_answer_json(cli, "calls", LOOM_STR("[]"));
	if (paste->left_out)
		loom_answer_line(cli, "  %s no node",
				 loom_answer_many(cli, (int64_t)paste->left_out, "part becomes",
						  "parts become"));
	say_calls(pasting);
	if (paste->fresh || paste->proposal.count)
		loom_answer_note(
			cli,
			"nothing was changed; `loom paste --approve %.*s%s%s` does all of this",
			LOOM_STR_ARG(name_of(pasting)), file ? " " : "", file ? file : "");
	else
		loom_answer_note(cli, "it has nothing to create or run");
	return LOOM_OK;
}

/* ---- running ---- */

static enum loom_status make(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct pasting *pasting = ctx;

	return loom_paste_make(store, pasting->paste, &pasting->word, &pasting->op, &pasting->node,
			       err);
}

static enum loom_status run_calls(struct pasting *pasting, struct chat_session *session,
				  struct loom_err *err)
{
	const struct loom_paste *paste = pasting->paste;
	struct cli_spot spot = {.tree = pasting->spot.tree};
	enum loom_status status = LOOM_OK;

	if (!paste->proposal.count)
		return LOOM_OK;
	if (paste->count)
		status = loom_node_get(pasting->grove->store, pasting->node, LOOM_NODE_NARROW,
				       pasting->grove->arena, &spot.node, err);
	if (status != LOOM_OK)
		return status;
	if (paste->count)
		session->node = cli_node_name(pasting->grove, &spot.node);
	loom_turn_log_init(&session->log, LOOM_STR(""));
	session->engine.tree = paste->tree;
	session->engine.join = pasting->op;
	session->engine.log = &session->log.face;
	session->approved = true;
	chat_session_budget(session, paste->acts, paste->act_count);
	return chat_session_act(session, paste->acts, paste->act_count, err);
}

static enum loom_status do_all(struct pasting *pasting, struct loom_err *err)
{
	struct cli_grove *grove = pasting->grove;
	struct chat_session session;
	struct cli_work work = {.what = "pasting",
				.access = LOOM_WRITE,
				.run = make,
				.ctx = pasting};
	enum loom_status status = cli_grove_work(grove, &work, err);

	if (status != LOOM_OK)
		return status;
	loom_answer_done(grove->cli, "created %s below [%s]",
			 loom_answer_many(grove->cli, (int64_t)pasting->paste->fresh, "node",
					  "nodes"),
			 pasting->spot.name);
	chat_session_init(&session, grove, &pasting->agent);
	answer_plan(pasting);
	loom_answer_list(grove->cli, "calls");
	status = run_calls(pasting, &session, err);
	grove->cli->found |= session.failed;
	loom_answer_give(grove->cli);
	return status;
}

static enum loom_status plan(struct pasting *pasting, struct loom_err *err)
{
	struct cli_grove *grove = pasting->grove;
	struct loom_str as = args_of_paste(grove->cli)->as;
	enum loom_status status =
		cli_grove_spot(grove, (struct loom_str){NULL, 0}, 0, &pasting->spot, err);

	if (status == LOOM_OK && as.p) {
		status = loom_agent_find(grove->store, as, grove->arena, &pasting->agent, err);
		pasting->opts.agent = pasting->agent.id;
	}
	pasting->opts.person = grove->actor.id;
	pasting->opts.tree = pasting->spot.tree.id;
	pasting->opts.at = pasting->spot.node.id;
	if (status == LOOM_OK)
		status = loom_paste_read(grove->store, &pasting->opts, loom_buf_str(&pasting->text),
					 grove->arena, &pasting->paste, err);
	return status == LOOM_OK ? loom_agent_get(grove->store, pasting->paste->agent, grove->arena,
						  &pasting->agent, err)
				 : status;
}

static enum loom_status run_paste(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_paste *args = args_of_paste(grove->cli);
	struct pasting pasting = {.grove = grove,
				  .word = {.person = grove->actor.id, .hash = args->approve}};
	enum loom_status status =
		cli_grove_read(grove, args->file.p, PASTE_MAX, &pasting.text, err);

	if (status == LOOM_OK)
		status = plan(&pasting, err);
	if (status == LOOM_OK)
		status = pasting.word.hash.p ? do_all(&pasting, err) : show(&pasting);
	loom_paste_destroy(pasting.paste);
	loom_buf_fini(&pasting.text);
	return status;
}

enum loom_status cmd_paste(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_paste, err);
}
