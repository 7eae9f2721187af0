/* Keeps a person's text as a draft when the shared log could not take it, to be sent when the log
 * is back. The screen keeps texts itself, so it has it already. */
#include <loom/engine/handlers.h>
#include <loom/grove/draft.h>
#include <loom/language/call.h>

/* The node where the person stands, if the call names none. */
static enum loom_status place(struct engine_run *run, struct loom_call *call, struct loom_err *err)
{
	const int64_t at = run->engine->thread.position;
	struct loom_node node;
	enum loom_status status = LOOM_OK;

	if (call->id.n || call->doc.n || !at)
		return LOOM_OK;
	status = loom_node_get(run->store, at, LOOM_NODE_NARROW, run->arena, &node, err);
	if (status == LOOM_OK)
		call->id = engine_name(run, &node);
	return status;
}

static bool is_plain(const struct loom_call *call)
{
	if (call->tree.n || !call->id.n)
		return false;
	return (call->verb == LOOM_VERB_RESPOND &&
		(call->as == LOOM_AS_NONE || call->as == LOOM_AS_CONTINUATION)) ||
	       (call->verb == LOOM_VERB_EDIT && call->as == LOOM_AS_NONE);
}

static void describe(struct engine_run *run, const struct loom_call *call, struct loom_draft *out)
{
	struct loom_buf line = LOOM_BUF_INIT(LOOM_BUF_MAX);

	*out = (struct loom_draft){.why = LOOM_STR(LOOM_DRAFT_WAITS)};
	if (is_plain(call)) {
		out->kind = call->verb == LOOM_VERB_EDIT ? LOOM_STR("edit") : LOOM_STR("text");
		out->anchor = call->id;
		out->text = call->content;
	} else {
		loom_call_print(call, &line);
		out->kind = LOOM_STR("line");
		out->text = loom_arena_buf(run->arena, &line);
	}
	loom_buf_fini(&line);
}

/* The draft that has the text already, whose name is put into the new one. */
static bool find_kept(struct engine_run *run, struct loom_draft *draft)
{
	struct loom_draft *all = NULL;
	size_t count = 0;

	if (loom_draft_list(run->store, run->arena, &all, &count, NULL) != LOOM_OK)
		return false;
	for (size_t i = 0; i < count; i++)
		if (loom_str_eq(all[i].kind, draft->kind) &&
		    loom_str_eq(all[i].tree, draft->tree) &&
		    loom_str_eq(all[i].anchor, draft->anchor) &&
		    loom_str_eq(all[i].text, draft->text)) {
			draft->id = all[i].id;
			draft->folds = all[i].folds;
			return true;
		}
	return false;
}

bool engine_keep_unsent(struct engine_run *run, struct loom_err *err)
{
	struct loom_call call;
	struct loom_draft draft;
	char tree[LOOM_ULID_CHARS + 1] = "";
	char why[sizeof err->text];
	struct loom_str id;

	LOOM_ASSERT(err->status == LOOM_OFFLINE);
	if (!run->engine->human || run->engine->opts.dry_run || !run->call || !run->call->content.n)
		return false;
	call = *run->call;
	if (place(run, &call, NULL) != LOOM_OK)
		return false;
	describe(run, &call, &draft);
	if (run->tree.id)
		loom_ulid_text(&run->tree.ulid, tree);
	draft.tree = loom_str_of(tree);
	(void)find_kept(run, &draft);
	if (loom_draft_save(run->store, &draft, run->arena, &id, NULL) != LOOM_OK)
		return false;
	snprintf(why, sizeof why, "%s", err->text);
	loom_fail(err, LOOM_OFFLINE, "%s; your text is kept as a draft", why);
	loom_hint(err, LOOM_OFFLINE, "loom drafts send");
	return true;
}
