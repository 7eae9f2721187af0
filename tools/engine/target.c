/* Describes what a call would act on to the person asked to allow it: the node with the beginning
 * of its text, the document with its version, the starting point when the call names none. Uses
 * only facts that a later look finds again unless something has changed. */
#include <loom/engine/handlers.h>
#include <loom/language/call.h>

static void say_node(struct engine_run *run, const struct loom_node *node, struct loom_buf *out)
{
	loom_buf_addf(out, "[%.*s] \"", LOOM_STR_ARG(engine_name(run, node)));
	loom_show_sentence(node->text, out);
	loom_buf_addc(out, '"');
}

static void say_found(struct engine_run *run, struct loom_str id, struct loom_buf *out)
{
	struct loom_err err = {.status = LOOM_OK};
	struct loom_node found;
	struct loom_node node;
	enum loom_status status = engine_find(run, id, &found, &err);

	if (status == LOOM_OK)
		status =
			loom_node_get(run->store, found.id, LOOM_NODE_ALL, run->arena, &node, &err);
	if (status == LOOM_OK)
		say_node(run, &node, out);
	else
		loom_buf_addf(out, "✗ %s: %s", loom_status_code(status), err.text);
}

static void say_position(struct engine_run *run, struct loom_buf *out)
{
	struct loom_node node;
	int64_t position = 0;

	if (engine_position(run->engine, &position, NULL) == LOOM_OK &&
	    loom_node_get(run->store, position, LOOM_NODE_ALL, run->arena, &node, NULL) == LOOM_OK)
		say_node(run, &node, out);
}

static void say_doc(struct engine_run *run, struct loom_buf *out)
{
	struct loom_doc doc;

	loom_show_doc(run->call->doc, run->call->section, out);
	if (loom_doc_find(run->store, run->call->doc, false, run->arena, &doc, NULL) == LOOM_OK)
		loom_buf_addf(out, " (version %lld, %lld words)", (long long)doc.version,
			      (long long)doc.words);
	else
		loom_buf_adds(out, " (new, or a file of the thread)");
}

/* Describes the agent's last operation. */
static void say_last_op(struct engine_run *run, struct loom_buf *out)
{
	struct loom_op *ops = NULL;
	size_t count = 0;

	if (loom_op_list(run->store,
			 &(struct loom_op_page){.actor = run->engine->agent.id, .limit = 1},
			 run->arena, &ops, &count, NULL) == LOOM_OK &&
	    count)
		loom_buf_addf(out, "operation %lld: %.*s", (long long)ops[0].id,
			      LOOM_STR_ARG(ops[0].text));
}

static void say_link(struct engine_run *run, struct loom_buf *out)
{
	const struct loom_target *to = &run->call->target;

	loom_buf_adds(out, " to ");
	if (to->node.p && !to->tree.p)
		say_found(run, to->node, out);
	else if (to->node.p)
		loom_buf_addf(out, "[%.*s] in tree:\"%.*s\"", LOOM_STR_ARG(to->node),
			      LOOM_STR_ARG(to->tree));
	else if (to->doc.p)
		loom_show_doc(to->doc, to->section, out);
	else
		loom_buf_addf(out, "tree:\"%.*s\"", LOOM_STR_ARG(to->tree));
}

static void say_target(struct engine_run *run, struct loom_buf *out)
{
	const struct loom_call *call = run->call;

	if (call->verb == LOOM_VERB_UNDO && !call->id.p)
		say_last_op(run, out);
	else if (call->doc.p)
		say_doc(run, out);
	else if (call->id.p)
		say_found(run, call->id, out);
	else if (call->from.p)
		say_found(run, call->from, out);
	else if (call->verb == LOOM_VERB_CONTINUE)
		say_position(run, out);
	if (call->verb == LOOM_VERB_LINK)
		say_link(run, out);
}

void loom_engine_target(struct loom_engine *engine, const struct loom_call *call,
			struct loom_buf *out)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);
	struct engine_run run;

	loom_arena_reset(engine->scratch);
	engine->show.arena = engine->scratch;
	engine_begin_run(engine, loom_engine_placed(engine, call, engine->scratch), &run);
	say_target(&run, &text);
	for (size_t i = 0; i < text.n; i++)
		loom_buf_addc(out, text.p[i] == '\n' ? ' ' : text.p[i]);
	loom_buf_fini(&run.text);
	loom_buf_fini(&text);
}
