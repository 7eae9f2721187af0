/* `loom paste`: a pasted transcript is shown as what it would become; with its hash approved it
 * becomes that, in one step. */
#include <loom/chat/session.h>

#include <loom/tree/document.h>
#include <loom/chat/paste.h>
#include <loom/tree/say_node.h>
#include <loom/text/sections.h>

#include <loom/commands/args_of.def>
#include <loom/commands/language.def>

#define PASTE_MAX ((size_t)64 << 20)

struct pasting {
	struct tool_grove *grove;
	struct tool_spot spot; /* below which node */
	struct loom_agent agent;
	struct loom_buf text;
	struct loom_paste_opts opts;
	struct loom_paste_word word;
	struct loom_paste *paste;
	int64_t op;
	int64_t node;
};

/* ---- showing ---- */

static struct loom_str name_of(const struct pasting *pasting)
{
	struct loom_buf name = LOOM_BUF_INIT(128);
	struct loom_str out;

	loom_paste_name(pasting->paste, &name);
	out = loom_arena_buf(pasting->grove->arena, &name);
	loom_buf_fini(&name);
	return out;
}

static void say_node(struct pasting *pasting, const struct loom_paste_node *node)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_buf_addf(&text, "  line %lld · %.*s · ", (long long)node->line,
		      LOOM_STR_ARG(node->name));
	loom_show_many(loom_word_count(node->text), "word", "words", &text);
	loom_buf_adds(&text, " · \"");
	loom_show_sentence(node->text, &text);
	loom_buf_adds(&text, node->known ? "\" · is there already" : "\"");
	tool_say_line(pasting->grove, "%.*s", LOOM_STR_ARG(loom_buf_str(&text)));
	loom_buf_fini(&text);
}

static void say_nodes(struct pasting *pasting)
{
	const struct loom_paste *paste = pasting->paste;

	if (paste->turns.form != LOOM_TURNS_PLAIN)
		tool_say_line(pasting->grove, "%zu turn%s, written as %s", paste->turns.count,
			      paste->turns.count == 1 ? "" : "s",
			      loom_turns_form_name(paste->turns.form));
	if (paste->count)
		tool_say_line(pasting->grove, "%zu node%s to be made below [%s]", paste->fresh,
			      paste->fresh == 1 ? "" : "s", pasting->spot.name);
	for (size_t i = 0; i < paste->count; i++)
		say_node(pasting, &paste->nodes[i]);
	if (paste->left_out)
		tool_say_line(pasting->grove, "  %zu part%s no node", paste->left_out,
			      paste->left_out == 1 ? " becomes" : "s become");
}

static void say_refusal(struct pasting *pasting, const struct loom_refusal *refusal)
{
	tool_say_line(pasting->grove, "  line %lld ✗ %.*s: %.*s", (long long)refusal->line,
		      LOOM_STR_ARG(refusal->text), LOOM_STR_ARG(refusal->message));
}

static void say_calls(struct pasting *pasting)
{
	const struct loom_paste *paste = pasting->paste;
	const struct loom_proposed *call = paste->proposal.calls;

	if (!paste->act_count)
		return;
	tool_say_line(pasting->grove, "%zu call%s proposed, as %.*s", paste->proposal.count,
		      paste->proposal.count == 1 ? "" : "s", LOOM_STR_ARG(pasting->agent.name));
	for (size_t i = 0; i < paste->act_count; i++) {
		if (!paste->acts[i].call) {
			say_refusal(pasting, paste->acts[i].refusal);
			continue;
		}
		tool_say_line(pasting->grove, "  line %lld → %.*s", (long long)call->line,
			      LOOM_STR_ARG(call->call));
		tool_say_line(pasting->grove, "      %.*s%s%.*s%s", LOOM_STR_ARG(call->permission),
			      call->target.n ? " · on " : "", LOOM_STR_ARG(call->target),
			      paste->acts[i].call->past_limit ? " · one too many: not run" : "");
		call++;
	}
}

static void say_unseen(struct pasting *pasting)
{
	const struct loom_turns *turns = &pasting->paste->turns;

	for (size_t i = 0; i < turns->unseen_count; i++)
		loom_out_warn(pasting->grove->cli->out, "invisible: %s ×%lld, first in line %lld",
			      turns->unseen[i].name, (long long)turns->unseen[i].count,
			      (long long)turns->unseen[i].line);
	if (turns->unseen_other)
		loom_out_warn(pasting->grove->cli->out, "invisible: %lld more, of other kinds",
			      (long long)turns->unseen_other);
}

static void json_nodes(struct pasting *pasting, struct loom_json *json)
{
	loom_json_key(json, "nodes");
	loom_json_array(json);
	for (size_t i = 0; i < pasting->paste->count; i++) {
		const struct loom_paste_node *node = &pasting->paste->nodes[i];

		loom_json_object(json);
		loom_json_put_int(json, "line", node->line);
		loom_json_put(json, "author", node->name);
		loom_json_put(json, "author_type",
			      node->human ? LOOM_STR("human") : LOOM_STR("model"));
		loom_json_put(json, "text", node->text);
		loom_json_put_bool(json, "known", node->known != 0);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void json_calls(const struct loom_paste *paste, struct loom_json *json)
{
	tool_proposed_json(json, &paste->proposal);
	loom_json_key(json, "errors");
	loom_json_array(json);
	for (size_t i = 0; i < paste->act_count; i++)
		if (paste->acts[i].refusal)
			loom_refusal_json(paste->acts[i].refusal, json);
	loom_json_end_array(json);
}

static void json_unseen(const struct loom_turns *turns, struct loom_json *json)
{
	loom_json_key(json, "invisible");
	loom_json_array(json);
	for (size_t i = 0; i < turns->unseen_count; i++) {
		loom_json_object(json);
		loom_json_put(json, "name", loom_str_of(turns->unseen[i].name));
		loom_json_put_int(json, "count", turns->unseen[i].count);
		loom_json_put_int(json, "line", turns->unseen[i].line);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
	loom_json_put_int(json, "invisible_other", turns->unseen_other);
}

/* The plan, and what came of it: `calls` are the results as `loom run` gives them. */
static void say_json(struct pasting *pasting, struct loom_str calls)
{
	const struct loom_paste *paste = pasting->paste;
	struct loom_out *out = pasting->grove->cli->out;
	struct loom_json *json = loom_out_json_begin(out);
	struct loom_buf hash = LOOM_BUF_INIT(128);

	loom_hash_hex(&paste->hash, &hash);
	loom_json_object(json);
	loom_json_put(json, "hash", loom_buf_str(&hash));
	loom_json_put(json, "form", loom_str_of(loom_turns_form_name(paste->turns.form)));
	loom_json_put_int(json, "turns", (int64_t)paste->turns.count);
	loom_json_put(json, "agent", pasting->agent.name);
	loom_json_put(json, "below", loom_str_of(pasting->spot.name));
	json_nodes(pasting, json);
	json_calls(paste, json);
	json_unseen(&paste->turns, json);
	loom_json_put_bool(json, "done", pasting->word.hash.p != NULL);
	tool_json_id(json, "op", pasting->op);
	loom_json_key(json, "calls");
	loom_json_raw(json, calls.n ? calls : LOOM_STR("[]"));
	loom_json_end_object(json);
	loom_out_json_end(out);
	loom_buf_fini(&hash);
}

static enum loom_status show(struct pasting *pasting)
{
	const char *file = args_of_paste(pasting->grove->cli)->file.p;
	struct loom_out *out = pasting->grove->cli->out;

	if (pasting->grove->cli->json) {
		say_json(pasting, LOOM_STR(""));
		return LOOM_OK;
	}
	say_nodes(pasting);
	say_calls(pasting);
	say_unseen(pasting);
	if (pasting->paste->fresh || pasting->paste->proposal.count)
		loom_out_note(out,
			      "nothing was done; `loom paste --approve %.*s%s%s` does all of it",
			      LOOM_STR_ARG(name_of(pasting)), file ? " " : "", file ? file : "");
	else
		loom_out_note(out, "there is nothing in it to be made or run");
	return LOOM_OK;
}

/* ---- doing ---- */

static enum loom_status make(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct pasting *pasting = ctx;

	return loom_paste_make(store, pasting->paste, &pasting->word, &pasting->op, &pasting->node,
			       err);
}

static enum loom_status run_calls(struct pasting *pasting, struct tool_session *session,
				  struct loom_err *err)
{
	const struct loom_paste *paste = pasting->paste;
	struct tool_spot spot = {.tree = pasting->spot.tree};
	enum loom_status status = LOOM_OK;

	if (!paste->proposal.count)
		return LOOM_OK;
	if (paste->count)
		status = loom_node_get(pasting->grove->store, pasting->node, LOOM_NODE_NARROW,
				       pasting->grove->arena, &spot.node, err);
	if (status != LOOM_OK)
		return status;
	if (paste->count)
		session->node = tool_node_name(pasting->grove, &spot.node);
	loom_turn_log_init(&session->log, LOOM_STR(""));
	session->engine.tree = paste->tree;
	session->engine.join = pasting->op;
	session->engine.log = &session->log.face;
	session->approved = true;
	tool_session_budget(session, paste->acts, paste->act_count);
	return tool_session_act(session, paste->acts, paste->act_count, err);
}

static enum loom_status do_all(struct pasting *pasting, struct loom_err *err)
{
	struct tool_grove *grove = pasting->grove;
	struct tool_session session;
	struct tool_work work = {.what = "pasting",
				 .access = LOOM_WRITE,
				 .run = make,
				 .ctx = pasting};
	enum loom_status status = tool_grove_work(grove, &work, err);

	if (status != LOOM_OK)
		return status;
	tool_say_done(grove, "made %zu node%s below [%s]", pasting->paste->fresh,
		      pasting->paste->fresh == 1 ? "" : "s", pasting->spot.name);
	tool_session_init(&session, grove, &pasting->agent);
	loom_json_array(&session.json);
	status = run_calls(pasting, &session, err);
	loom_json_end_array(&session.json);
	grove->cli->found |= session.failed;
	if (grove->cli->json)
		say_json(pasting, loom_buf_str(&session.calls));
	tool_session_fini(&session);
	return status;
}

static enum loom_status plan(struct pasting *pasting, struct loom_err *err)
{
	struct tool_grove *grove = pasting->grove;
	struct loom_str as = args_of_paste(grove->cli)->as;
	enum loom_status status =
		tool_grove_spot(grove, (struct loom_str){NULL, 0}, 0, &pasting->spot, err);

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

static enum loom_status run_paste(struct tool_grove *grove, struct loom_err *err)
{
	const struct args_of_paste *args = args_of_paste(grove->cli);
	struct pasting pasting = {.grove = grove,
				  .word = {.person = grove->actor.id, .hash = args->approve}};
	enum loom_status status =
		tool_grove_read(grove, args->file.p, PASTE_MAX, &pasting.text, err);

	if (status == LOOM_OK)
		status = plan(&pasting, err);
	if (status == LOOM_OK)
		status = pasting.word.hash.p ? do_all(&pasting, err) : show(&pasting);
	loom_paste_destroy(pasting.paste);
	loom_buf_fini(&pasting.text);
	return status;
}

enum loom_status tool_cmd_paste(struct loom_cli *cli, struct loom_err *err)
{
	return tool_grove_run(cli, NULL, run_paste, err);
}
