/* `loom context`: shows exactly what a model would get, from where, and what was left out. */
#include <loom/cli/services.h>

#include <loom/text/quoting.h>
#include <loom/chat/inspect.h>
#include <loom/tree/say_node.h>
#include <loom/work/sent.h>
#include <loom/work/thread.h>
#include <loom/language/worddiff.h>

#include <loom/chat/ties.h>
#include <loom/language/call_id.h>

#include <loom/commands/args_of.def>
#include <loom/commands/context.def>

/* The agent and the position. */
struct wanted {
	struct cli_grove *grove;
	struct loom_agent agent; /* id 0: a subject that is not configured */
	struct loom_tree tree;
	struct loom_thread thread; /* id 0: none, or a spawned one in which nobody has worked yet */
	int64_t position;          /* 0: the thread's position */
	int64_t at;                /* a row of the thread's log */
	const struct cli_voices *voices;
	struct cli_asked asked; /* the agent's settings */
	int64_t budget;
	struct loom_inspect given; /* what was sent for a node; given_for 0: not requested */
};

/* ---- agent and thread ---- */

/* An agent may see the contexts of subjects and its own. */
static enum loom_status may_see(struct cli_grove *grove, const struct loom_agent *agent,
				struct loom_err *err)
{
	if (cli_grove_person(grove) || !agent->id || agent->id == grove->actor.id ||
	    loom_author_type(agent) == LOOM_AUTHOR_SUBJECT)
		return LOOM_OK;
	loom_fail(err, LOOM_PERMISSION, "the context of %.*s is private",
		  LOOM_STR_ARG(agent->name));
	return loom_hint(err, LOOM_PERMISSION, "`loom context` shows your own");
}

static enum loom_status find_thread(struct wanted *wanted, struct loom_str name,
				    struct loom_err *err)
{
	struct cli_grove *grove = wanted->grove;
	enum loom_status status = chat_grove_thread(grove, name, NULL, &wanted->thread, err);

	/* With a named agent, one can see what it would find before it first comes. */
	if (status == LOOM_NOT_FOUND && args_of_context(grove->cli)->agent.p &&
	    chat_grove_spawned(grove, name)) {
		loom_err_clear(err);
		wanted->thread = (struct loom_thread){.name = name};
		return LOOM_OK;
	}
	if (status == LOOM_OK)
		status = loom_agent_get(grove->store, wanted->thread.agent, grove->arena,
					&wanted->agent, err);
	return status;
}

/* TREE/ID in --node names the tree too; so does a thread. */
static enum loom_status find_tree(struct wanted *wanted, struct loom_str node, struct loom_err *err)
{
	struct cli_grove *grove = wanted->grove;
	struct loom_str name = args_of_context(grove->cli)->tree;
	struct cli_spot spot;
	enum loom_status status = LOOM_OK;

	if (node.p && loom_str_find_char(node, '/', 0) != SIZE_MAX) {
		status = cli_grove_node(grove, node, LOOM_NODE_NARROW, &spot, err);
		if (status == LOOM_OK)
			wanted->tree = spot.tree;
		return status;
	}
	if (!name.p && wanted->thread.id)
		return loom_tree_get(grove->store, wanted->thread.tree, grove->arena, &wanted->tree,
				     err);
	return cli_grove_tree(grove, name, &wanted->tree, err);
}

static enum loom_status find_agent(struct wanted *wanted, struct loom_err *err)
{
	struct cli_grove *grove = wanted->grove;
	struct loom_str name = args_of_context(grove->cli)->agent;
	enum loom_status status = LOOM_OK;

	if (name.p)
		status = loom_agent_find(grove->store, name, grove->arena, &wanted->agent, err);
	else if (!wanted->thread.id && !cli_grove_person(grove))
		wanted->agent = grove->actor;
	else if (!wanted->thread.id || wanted->agent.kind == LOOM_AGENT_HUMAN)
		status = loom_inspect_subject(grove->store, &wanted->tree, grove->arena,
					      &wanted->agent, err);
	return status == LOOM_OK ? may_see(grove, &wanted->agent, err) : status;
}

/* A subject has no thread of its own: it gets the asking agent's position. */
static enum loom_status find_implicit(struct wanted *wanted, struct loom_err *err)
{
	struct cli_grove *grove = wanted->grove;
	struct loom_err never;
	const int64_t whose = wanted->agent.aware ? wanted->agent.id : grove->actor.id;
	enum loom_status status = loom_thread_implicit(grove->store, whose, wanted->tree.id,
						       grove->arena, &wanted->thread, &never);

	if (status == LOOM_NOT_FOUND) {
		wanted->thread = (struct loom_thread){.id = 0};
		return LOOM_OK;
	}
	return status ? loom_fail(err, status, "%s", never.text) : LOOM_OK;
}

static enum loom_status find_position(struct wanted *wanted, struct loom_str node,
				      struct loom_err *err)
{
	struct cli_grove *grove = wanted->grove;
	struct loom_str id = node;
	struct loom_str rest = node;
	struct loom_node row;
	enum loom_status status = LOOM_OK;

	if (!node.p && wanted->thread.id && wanted->thread.tree == wanted->tree.id)
		return loom_thread_stand(grove->store, &wanted->thread, &wanted->position, err);
	wanted->position = wanted->tree.root;
	if (!node.p)
		return LOOM_OK;
	while (loom_str_cut(&rest, '/', &id))
		;
	(void)lang_id_read(grove->arena, id, &id);
	status = loom_node_find(grove->store, wanted->tree.id, id, grove->arena, &row, err);
	if (status == LOOM_OK)
		wanted->position = row.id;
	return status;
}

/* The node records whose context it came from, and when. */
static enum loom_status find_given(struct wanted *wanted, struct loom_str node,
				   struct loom_err *err)
{
	struct cli_grove *grove = wanted->grove;
	const struct args_of_context *args = args_of_context(grove->cli);
	const struct {
		const char *name;
		bool given;
	} others[] = {
		{"--agent", args->agent.p}, {"--thread", args->thread.p}, {"--at", args->at.given},
		{"--input", args->input.p}, {"--diff", args->diff.p},
	};
	struct cli_spot spot;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; i < LOOM_COUNT(others); i++)
		if (others[i].given)
			return loom_fail(err, LOOM_USAGE,
					 "loom context: --given and %s cannot be combined",
					 others[i].name);
	status = cli_grove_node(grove, node, LOOM_NODE_NARROW, &spot, err);
	if (status == LOOM_OK)
		status = loom_inspect_node(grove->store, spot.node.id, grove->arena, &wanted->given,
					   err);
	if (status != LOOM_OK)
		return status;
	wanted->agent = wanted->given.agent;
	wanted->at = wanted->given.at;
	return may_see(grove, &wanted->agent, err);
}

static enum loom_status find_all(struct wanted *wanted, struct cli_grove *grove,
				 struct loom_err *err)
{
	const struct args_of_context *args = args_of_context(grove->cli);
	struct loom_str thread = args->thread;
	struct loom_str node = args->node;
	enum loom_status status = LOOM_OK;

	*wanted = (struct wanted){.grove = grove};
	wanted->at = loom_number_or(args->at, LOOM_SEQ_HEAD);
	wanted->budget = loom_number_or(args->budget, 0);
	if (args->budget.given && wanted->budget < 1)
		return loom_fail(err, LOOM_USAGE, "the budget is at least one token");
	if (args->given.p)
		return find_given(wanted, args->given, err);
	if (thread.p)
		status = find_thread(wanted, thread, err);
	if (status == LOOM_OK)
		status = find_tree(wanted, node, err);
	if (status == LOOM_OK)
		status = find_agent(wanted, err);
	if (status == LOOM_OK && !thread.p)
		status = find_implicit(wanted, err);
	return status == LOOM_OK ? find_position(wanted, node, err) : status;
}

/* ---- assembling ---- */

/* Says whether this is what was sent, by the node's own record. */
static void say_given(struct cli_grove *grove, const struct loom_inspected *answer)
{
	struct loom_buf hex = LOOM_BUF_INIT(128);

	loom_hash_hex(&answer->hash, &hex);
	if (answer->sent || loom_str_eq(answer->recorded, loom_buf_str(&hex)))
		loom_out_note(grove->cli->out, "exactly as it was sent");
	else
		loom_out_note(grove->cli->out, "rebuilt from what is above%s",
			      answer->recorded.n ? "; what was sent was different" : "");
	loom_buf_fini(&hex);
}

static enum loom_status assemble(struct wanted *wanted, struct loom_assembly *out,
				 struct loom_err *err)
{
	struct cli_grove *grove = wanted->grove;
	struct loom_inspect what = {
		.agent = wanted->agent,
		.tree = wanted->tree.id,
		.thread = wanted->thread.id,
		.spawned = wanted->thread.id ? LOOM_STR("") : wanted->thread.name,
		.position = wanted->position,
		.here = args_of_context(grove->cli)->node.p,
		.at = wanted->at,
		.input = args_of_context(grove->cli)->input,
		.prompt = wanted->asked.prompt,
		.budget = wanted->budget,
		.truncation = wanted->asked.truncation,
		.thoughts = wanted->asked.thoughts,
	};
	struct loom_inspected answer;
	enum loom_status status = LOOM_OK;

	if (wanted->given.given_for) {
		what = wanted->given;
		what.prompt = wanted->asked.prompt;
		what.budget = wanted->budget;
		what.truncation = wanted->asked.truncation;
		what.thoughts = wanted->asked.thoughts;
	}
	status = loom_inspect(grove->store, &what, grove->arena, &answer, err);
	if (status != LOOM_OK)
		return status;
	if (what.given_for)
		say_given(grove, &answer);
	else if (answer.back && !answer.sent)
		loom_out_note(
			grove->cli->out,
			"no input was sent at %lld: rebuilt, without the list of others present",
			(long long)wanted->at);
	for (size_t i = 0; i < answer.warning_count; i++)
		loom_out_warn(grove->cli->out, "%.*s", LOOM_STR_ARG(answer.warnings[i]));
	*out = answer.assembly;
	return LOOM_OK;
}

/* ---- printing ---- */

static void say_left_out(struct cli_grove *grove, const struct loom_assembly *assembly)
{
	struct loom_cli *cli = grove->cli;

	for (size_t i = 0; i < assembly->left_out_count; i++) {
		const struct loom_left_out *row = &assembly->left_out[i];

		loom_answer_note(cli, "%.*s: %.*s (%s)", LOOM_STR_ARG(row->what),
				 LOOM_STR_ARG(row->why),
				 loom_answer_many(cli, row->tokens, "token", "tokens"));
	}
	if (assembly->framed)
		loom_answer_note(
			cli, "the conversation begins with a model's text, so a frame was added");
	if (assembly->budget)
		loom_answer_note(cli, "%.*s of %s%s",
				 LOOM_STR_ARG(cli_count(grove, assembly->total)),
				 loom_answer_many(cli, assembly->budget, "token", "tokens"),
				 assembly->total > assembly->budget
					 ? ": nothing more can be left out"
					 : "");
	else
		loom_answer_note(cli, "%s",
				 loom_answer_many(cli, assembly->total, "token", "tokens"));
}

/* A buffer's text is printed unchanged; otherwise each message gets a heading. */
static void say_text(struct loom_cli *cli, const struct loom_assembly *assembly)
{
	if (assembly->joined && assembly->count == 1) {
		loom_answer_untouched(cli, assembly->pieces[0].said.text);
		return;
	}
	for (size_t i = 0; i < assembly->count; i++) {
		const struct loom_context_piece *piece = &assembly->pieces[i];
		struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

		loom_piece_title(piece, &line);
		if (i)
			loom_answer_piece(cli, LOOM_PLAIN, LOOM_STR("\n"));
		loom_answer_piece(cli, LOOM_DIM, loom_buf_str(&line));
		loom_buf_clear(&line);
		loom_buf_addc(&line, '\n');
		loom_piece_show(piece, &line);
		loom_buf_addc(&line, '\n');
		loom_answer_piece(cli, LOOM_PLAIN, loom_buf_str(&line));
		loom_buf_fini(&line);
	}
}

/* Loads the request that a node was generated with, as it was sent; empty if none was. */
static enum loom_status find_request(struct cli_grove *grove, int64_t node, struct loom_str *out,
				     struct loom_err *err)
{
	struct loom_str record;
	struct loom_str raw;
	enum loom_status status =
		loom_node_generation(grove->store, node, grove->arena, &record, &raw, err);

	*out = LOOM_STR("");
	if (status == LOOM_OK && record.n)
		status = loom_sent_fill(grove->store, node, record, LOOM_SENT_WHOLE, grove->arena,
					&record, err);
	if (status == LOOM_OK && record.n)
		*out = loom_jval_get(record, "request");
	return status;
}

/* Writes the context, and in the same object the request that was made of it. */
static void put_with_request(const struct loom_assembly *assembly, struct loom_str request,
			     struct loom_json *json)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json whole;

	loom_json_init(&whole, &text);
	loom_assembly_json(assembly, &whole);
	LOOM_ASSERT(loom_str_ends(loom_buf_str(&text), LOOM_STR("}")));
	loom_buf_cut(&text, text.n - 1);
	loom_buf_addf(&text, ",\"request\":%.*s}", LOOM_STR_ARG(request));
	loom_json_raw(json, loom_buf_str(&text));
	loom_buf_fini(&text);
}

static void show(struct cli_grove *grove, const struct loom_assembly *assembly,
		 struct loom_str request)
{
	struct loom_cli *cli = grove->cli;
	struct loom_json *json = loom_answer_writer(cli, NULL);

	if (json && loom_str_is(args_of_context(cli)->format, "messages"))
		loom_assembly_messages_json(assembly, json);
	else if (json && request.n)
		put_with_request(assembly, request, json);
	else if (json)
		loom_assembly_json(assembly, json);
	say_text(cli, assembly);
	say_left_out(grove, assembly);
	if (request.n)
		loom_answer_note(cli, "--json has the request as it was sent");
}

/* ---- comparing ---- */

/* Resolves OTHER: a row of the log, else a thread, else a node. */
static enum loom_status find_other(const struct wanted *wanted, struct wanted *other,
				   struct loom_err *err)
{
	struct loom_str name = args_of_context(wanted->grove->cli)->diff;
	struct loom_err ignored;
	enum loom_status status = LOOM_OK;

	*other = *wanted;
	if (loom_str_to_i64(name, &other->at))
		return LOOM_OK;
	if (find_thread(other, name, &ignored) != LOOM_OK) {
		*other = *wanted;
		status = find_position(other, name, err);
		return status == LOOM_NOT_FOUND ? loom_hint(err, status,
							    "--diff takes a node, a row of the "
							    "log, or a thread with a log")
						: status;
	}
	status = may_see(wanted->grove, &other->agent, err);
	cli_voice_of(other->voices, &other->agent, &other->asked);
	if (status == LOOM_OK)
		status = loom_tree_get(wanted->grove->store, other->thread.tree,
				       wanted->grove->arena, &other->tree, err);
	return status == LOOM_OK ? find_position(other, loom_str_make(NULL, 0), err) : status;
}

static enum loom_status show_diff(struct wanted *wanted, const struct loom_assembly *assembly,
				  struct loom_err *err)
{
	struct cli_grove *grove = wanted->grove;
	struct loom_assembly beside;
	struct wanted other;
	struct loom_diff diff;
	enum loom_status status = LOOM_OK;

	if (loom_str_is(args_of_context(grove->cli)->format, "messages")) {
		loom_fail(err, LOOM_USAGE, "loom context: --diff cannot print messages");
		return loom_hint(err, LOOM_USAGE, "use --format text or json");
	}
	status = find_other(wanted, &other, err);
	if (status == LOOM_OK)
		status = assemble(&other, &beside, err);
	if (status != LOOM_OK)
		return status;
	loom_word_diff(loom_assembly_text(assembly, grove->arena),
		       loom_assembly_text(&beside, grove->arena), grove->arena, &diff);
	cli_answer_diff(grove->cli, &diff);
	return LOOM_OK;
}

static enum loom_status run_with_voices(struct wanted *wanted, struct loom_err *err)
{
	struct loom_cli *cli = wanted->grove->cli;
	const struct args_of_context *args = args_of_context(cli);
	struct loom_assembly assembly;
	struct loom_str request = LOOM_STR_INIT("");
	enum loom_status status = assemble(wanted, &assembly, err);

	if (status != LOOM_OK)
		return status;
	if (args->format.p && !loom_str_is(args->format, "text"))
		loom_answer_as_json(cli);
	if (args->diff.p)
		return show_diff(wanted, &assembly, err);
	if (wanted->given.given_for)
		status = find_request(wanted->grove, wanted->given.given_for, &request, err);
	if (status == LOOM_OK)
		show(wanted->grove, &assembly, request);
	return status;
}

static enum loom_status run_context(struct cli_grove *grove, struct loom_err *err)
{
	struct cli_voices voices;
	struct wanted wanted;
	enum loom_status status = find_all(&wanted, grove, err);

	if (status != LOOM_OK)
		return status;
	cli_voices_open(grove, &voices);
	wanted.voices = &voices;
	cli_voice_of(&voices, &wanted.agent, &wanted.asked);
	if (!wanted.budget)
		wanted.budget = wanted.asked.budget;
	status = run_with_voices(&wanted, err);
	cli_voices_close(&voices);
	return status;
}

enum loom_status cmd_context(struct loom_cli *cli, struct loom_err *err)
{
	static const struct cli_need need = {.view = true};

	return cli_grove_run(cli, &need, run_context, err);
}
