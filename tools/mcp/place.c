/* Resolves who and where: the tools' arguments, the agent's threads and trees, its context.
 *
 * A thread must be the agent's own, and a tree other than the current one needs its permission: the
 * client's words are a model's words. Reads only. */
#include <loom/mcp/mcp.h>

#include <loom/text/quoting.h>
#include <loom/engine/told.h>
#include <loom/language/call.h>

/* The default size of a context. */
#define BUDGET_TOKENS 20000

/* ---- arguments ---- */

static struct loom_str *slot(struct mcp_args *args, struct loom_str key)
{
	return loom_jval_says(key, LOOM_STR("text"))     ? &args->text
	       : loom_jval_says(key, LOOM_STR("thread")) ? &args->thread
	       : loom_jval_says(key, LOOM_STR("tree"))   ? &args->tree
	       : loom_jval_says(key, LOOM_STR("node"))   ? &args->node
	       : loom_jval_says(key, LOOM_STR("op"))     ? &args->op
							 : &args->format;
}

static bool is_taken(const char *const *takes, struct loom_str key)
{
	while (*takes && !loom_jval_says(key, loom_str_of(*takes)))
		takes++;
	return *takes;
}

static enum loom_status read_one(struct loom_str key, struct loom_str value,
				 struct loom_arena *arena, struct mcp_args *out,
				 struct loom_err *err)
{
	struct loom_str *place = NULL;

	if (loom_jval_is_null(value))
		return LOOM_OK;
	if (loom_jval_says(key, LOOM_STR("budget"))) {
		if (loom_jval_int(value, &out->budget) && out->budget > 0)
			return LOOM_OK;
		return loom_fail(err, LOOM_SYNTAX,
				 "\"budget\" must be a whole number of tokens above 0");
	}
	place = slot(out, key);
	*place = loom_jval_text(value, arena);
	if (place->p)
		return LOOM_OK;
	return loom_fail(err, LOOM_SYNTAX, "%.*s must be a string", LOOM_STR_ARG(key));
}

static enum loom_status refuse_key(struct loom_str key, const char *const *takes,
				   struct loom_err *err)
{
	struct loom_buf names = LOOM_BUF_INIT(200);

	for (; *takes; takes++)
		loom_buf_addf(&names, "%s%s", names.n ? ", " : "", *takes);
	loom_fail(err, LOOM_SYNTAX, "there is no argument %.*s",
		  LOOM_STR_ARG(loom_str_sub(key, 0, 80)));
	loom_hint(err, LOOM_SYNTAX, "%s", loom_buf_cstr(&names));
	loom_buf_fini(&names);
	return LOOM_SYNTAX;
}

enum loom_status mcp_args_read(struct loom_str arguments, const char *const *takes,
			       struct loom_arena *arena, struct mcp_args *out, struct loom_err *err)
{
	struct loom_jwalk walk = loom_jval_walk(arguments);
	struct loom_str key;
	struct loom_str value;
	enum loom_status status = LOOM_OK;

	*out = (struct mcp_args){.budget = 0};
	while (status == LOOM_OK && loom_jwalk_next(&walk, &key, &value))
		status = is_taken(takes, key) ? read_one(key, value, arena, out, err)
					      : refuse_key(key, takes, err);
	if (status != LOOM_OK || out->text.p || !is_taken(takes, LOOM_STR("\"text\"")))
		return status;
	loom_fail(err, LOOM_SYNTAX, "the argument \"text\" is missing");
	return loom_hint(err, LOOM_SYNTAX, "{\"text\":\"→ tree\"}");
}

/* ---- permissions ---- */

enum loom_status mcp_may(struct mcp *mcp, unsigned *out, struct loom_err *err)
{
	struct loom_gate_who who;
	enum loom_status status = cli_grove_who(mcp->grove, &who, err);

	*out = status == LOOM_OK ? who.grant.may : 0;
	return status;
}

/* Checks whether the client may read at all: an answer cannot wait for a person. */
enum loom_status mcp_may_look(struct mcp *mcp, enum loom_verb verb, struct loom_err *err)
{
	const struct loom_call look = {.verb = verb};
	const struct loom_need need = loom_call_need(&look);
	struct loom_gate_who who;
	enum loom_status status = cli_grove_who(mcp->grove, &who, err);
	enum loom_gate gate = LOOM_GATE_RUN;

	if (status != LOOM_OK)
		return status;
	gate = loom_gate(&who, &need, "look", err);
	if (gate == LOOM_GATE_ASK)
		return loom_gate_asked(LOOM_STR(""), err);
	return gate == LOOM_GATE_REFUSE ? err->status : LOOM_OK;
}

void mcp_engine(const struct mcp *mcp, struct loom_engine_opts *out)
{
	*out = (struct loom_engine_opts){
		.store = mcp->grove->store,
		.agent = mcp->agent.id,
		.ungranted = MCP_UNGRANTED,
		.local = true,
	};
}

/* ---- where ---- */

/* A spawned thread that nobody works in yet, and whose agent comes now. */
struct taking {
	struct loom_str name;
	int64_t agent;
	int64_t tree;
};

static enum loom_status write_tie(struct loom_store *store, void *ctx, struct loom_err *err)
{
	const struct taking *taking = ctx;
	int64_t thread = 0;

	return loom_thread_create(store, taking->name, taking->agent, taking->tree, &thread, err);
}

static enum loom_status take_thread(struct mcp *mcp, struct loom_str name, struct loom_thread *out,
				    struct loom_err *err)
{
	struct cli_grove *grove = mcp->grove;
	struct taking taking = {.name = name, .agent = mcp->agent.id};
	struct cli_write write = {.run = write_tie, .ctx = &taking};
	enum loom_status status = loom_current_tree(grove->store, &taking.tree, err);

	if (status == LOOM_OK)
		status = cli_grove_write(grove, &write, err);
	/* Another process was faster; its tie is as good. */
	if (status != LOOM_OK && status != LOOM_CONFLICT)
		return status;
	return loom_thread_find(grove->store, name, grove->arena, out, err);
}

static enum loom_status find_thread(struct mcp *mcp, struct loom_str name, struct mcp_place *out,
				    struct loom_err *err)
{
	struct cli_grove *grove = mcp->grove;
	enum loom_status status =
		loom_thread_find(grove->store, name, grove->arena, &out->thread, err);

	if (status == LOOM_NOT_FOUND && loom_told_spawned(grove->store, name, grove->arena))
		status = take_thread(mcp, name, &out->thread, err);
	if (status == LOOM_NOT_FOUND)
		return loom_fail(err, status, "there is no thread \"%.*s\"", LOOM_STR_ARG(name));
	if (status == LOOM_OK && out->thread.agent != mcp->agent.id)
		return loom_fail(err, LOOM_PERMISSION, "thread %.*s is another agent's",
				 LOOM_STR_ARG(out->thread.name));
	return status == LOOM_OK ? loom_tree_get(grove->store, out->thread.tree, grove->arena,
						 &out->tree, err)
				 : status;
}

static enum loom_status find_implicit(struct mcp *mcp, struct mcp_place *out, struct loom_err *err)
{
	struct loom_err never = {.status = LOOM_OK};
	enum loom_status status =
		loom_thread_implicit(mcp->grove->store, mcp->agent.id, out->tree.id,
				     mcp->grove->arena, &out->thread, &never);

	if (status == LOOM_NOT_FOUND) {
		out->thread = (struct loom_thread){.id = 0};
		return LOOM_OK;
	}
	return status ? loom_fail(err, status, "%s", never.text) : LOOM_OK;
}

/* TREE/ID names the tree as well. */
static void split_node(const struct mcp_args *args, struct loom_str *tree, struct loom_str *node)
{
	size_t slash = args->node.n;

	*tree = args->tree;
	*node = args->node;
	while (slash && args->node.p[slash - 1] != '/')
		slash--;
	if (!slash)
		return;
	*tree = loom_str_sub(args->node, 0, slash - 1);
	*node = loom_str_sub(args->node, slash, SIZE_MAX);
}

enum loom_status mcp_place(struct mcp *mcp, const struct mcp_args *args, struct mcp_place *out,
			   struct loom_err *err)
{
	struct loom_str tree;
	struct loom_tree named;
	enum loom_status status = LOOM_OK;

	*out = (struct mcp_place){.node = {NULL, 0}};
	split_node(args, &tree, &out->node);
	if (!args->thread.p) {
		status = cli_grove_tree(mcp->grove, tree, &out->tree, err);
		return status == LOOM_OK ? find_implicit(mcp, out, err) : status;
	}
	status = find_thread(mcp, args->thread, out, err);
	if (status != LOOM_OK || !tree.p)
		return status;
	status = cli_grove_tree(mcp->grove, tree, &named, err);
	if (status == LOOM_OK && named.id != out->tree.id)
		return loom_fail(err, LOOM_CONFLICT, "thread %.*s is in another tree",
				 LOOM_STR_ARG(out->thread.name));
	return status;
}

/* ---- the context there ---- */

static enum loom_status position(struct mcp *mcp, const struct mcp_place *place, int64_t *out,
				 struct loom_err *err)
{
	struct cli_grove *grove = mcp->grove;
	struct loom_buf name = LOOM_BUF_INIT(1 << 16);
	struct cli_spot spot;
	char tree[LOOM_ULID_CHARS + 1];
	enum loom_status status = LOOM_OK;

	*out = place->tree.root;
	if (!place->node.p)
		return place->thread.id ? loom_thread_stand(grove->store, &place->thread, out, err)
					: LOOM_OK;
	loom_ulid_text(&place->tree.ulid, tree);
	loom_buf_addf(&name, "%s/%.*s", tree, LOOM_STR_ARG(place->node));
	status = cli_grove_node(grove, loom_buf_str(&name), LOOM_NODE_NARROW, &spot, err);
	if (status == LOOM_OK)
		*out = spot.node.id;
	loom_buf_fini(&name);
	return status;
}

static enum loom_status assemble(struct mcp *mcp, const struct mcp_place *place,
				 const struct mcp_wish *wish, struct loom_assembly *out,
				 struct loom_err *err)
{
	struct cli_grove *grove = mcp->grove;
	struct cli_asked asked;
	struct loom_told told;
	struct loom_aware_opts opts = {.agent = &mcp->agent,
				       .tree = place->tree.id,
				       .thread = place->thread.id,
				       .at = LOOM_SEQ_HEAD,
				       .turn_seq = LOOM_SEQ_HEAD,
				       .now = wish->still ? 1 : 0,
				       .alone = wish->still,
				       .session = mcp->session,
				       .budget = wish->budget,
				       .ungranted = MCP_UNGRANTED};
	enum loom_status status = position(mcp, place, &opts.position, err);

	if (!opts.budget)
		opts.budget = BUDGET_TOKENS;
	cli_voice_of(mcp_voices(mcp->home), &mcp->agent, &asked);
	opts.prompt = asked.prompt;
	opts.thoughts = asked.thoughts;
	if (status == LOOM_OK)
		status = loom_told_of(grove->store, &place->thread, grove->arena, &told, err);
	if (status == LOOM_OK)
		status = loom_told_assemble(grove->store, &told, &opts, grove->arena, out, err);
	return status == LOOM_OK ? loom_assembly_judge(grove->store, grove->arena, out, err)
				 : status;
}

enum loom_status mcp_assemble(struct mcp *mcp, const struct mcp_place *place,
			      const struct mcp_wish *wish, struct loom_assembly *out,
			      struct loom_err *err)
{
	enum loom_status status = loom_store_view(mcp->grove->store, err);

	if (status != LOOM_OK)
		return status;
	status = assemble(mcp, place, wish, out, err);
	loom_store_unview(mcp->grove->store);
	return status;
}

void mcp_assembly_text(const struct loom_assembly *assembly, struct loom_buf *out)
{
	for (size_t i = 0; i < assembly->count; i++) {
		const struct loom_context_piece *piece = &assembly->pieces[i];

		loom_buf_adds(out, i ? "\n" : "");
		loom_piece_title(piece, out);
		loom_buf_addc(out, '\n');
		loom_piece_show(piece, out);
		loom_buf_addc(out, '\n');
	}
	for (size_t i = 0; i < assembly->left_out_count; i++) {
		const struct loom_left_out *row = &assembly->left_out[i];

		loom_buf_addf(out, "%s(left out: %.*s, %.*s)\n", i ? "" : "\n",
			      LOOM_STR_ARG(row->what), LOOM_STR_ARG(row->why));
	}
}

static void say_assembly(struct mcp *mcp, const struct mcp_request *request,
			 const struct loom_assembly *assembly, struct loom_str format)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct loom_json json;

	loom_json_init(&json, &text);
	if (loom_str_is(format, "messages"))
		loom_assembly_messages_json(assembly, &json);
	else if (loom_str_is(format, "json"))
		loom_assembly_json(assembly, &json);
	else
		mcp_assembly_text(assembly, &text);
	mcp_text(mcp, request, &(struct mcp_said){.text = loom_buf_str(&text)});
	loom_buf_fini(&text);
}

static bool is_format(struct loom_str format)
{
	return !format.p || loom_str_is(format, "text") || loom_str_is(format, "messages") ||
	       loom_str_is(format, "json");
}

void mcp_context(struct mcp *mcp, const struct mcp_request *request, struct loom_str arguments)
{
	static const char *const takes[] = {"thread", "tree", "node", "format", "budget", NULL};
	struct mcp_args args;
	struct mcp_place place;
	struct loom_assembly assembly;
	struct mcp_wish wish = {.budget = 0};
	struct loom_err err = {.status = LOOM_OK};
	enum loom_status status = mcp_args_read(arguments, takes, request->arena, &args, &err);

	if (status == LOOM_OK && !is_format(args.format))
		status = loom_fail(&err, LOOM_SYNTAX, "\"format\" must be text, messages or json");
	if (status == LOOM_OK)
		status = mcp_may_look(mcp, LOOM_VERB_VIEW, &err);
	wish.budget = args.budget;
	if (status == LOOM_OK)
		status = mcp_place(mcp, &args, &place, &err);
	if (status == LOOM_OK)
		status = mcp_assemble(mcp, &place, &wish, &assembly, &err);
	if (status == LOOM_OK)
		say_assembly(mcp, request, &assembly, args.format);
	else
		mcp_text_err(mcp, request, &err);
}
