/* Keeps a person's text as a draft when the shared log could not take it, to be sent when the log
 * is back.
 *
 * Invariant: a text and its draft are one operation, whose id is known before either. When the
 * answer of the log is lost, the text may be in it and is a draft as well; sent again, it is found
 * there and is not written twice. */
#include <loom/engine/handlers.h>
#include <loom/grove/draft.h>
#include <loom/language/call.h>
#include <loom/tree/request.h>

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

/* The draft that has the text already: one name for both. */
static bool find_kept(struct engine_run *run, struct loom_draft *draft)
{
	struct loom_draft *all = NULL;
	size_t count = 0;

	if (loom_draft_list(run->store, run->arena, &all, &count, NULL) != LOOM_OK)
		return false;
	for (size_t i = 0; i < count; i++) {
		const bool same = loom_str_eq(all[i].kind, draft->kind) &&
				  loom_str_eq(all[i].tree, draft->tree) &&
				  loom_str_eq(all[i].anchor, draft->anchor) &&
				  loom_str_eq(all[i].text, draft->text);

		if (!same || (draft->id.n && !loom_str_eq(all[i].id, draft->id)))
			continue;
		draft->id = all[i].id;
		draft->folds = all[i].folds;
		draft->op = all[i].op;
		return true;
	}
	return false;
}

/* A request has an id of its own, under which it is asked again. */
static struct loom_str id_of_request(struct engine_run *run)
{
	struct loom_buf hex = LOOM_BUF_INIT(64);
	struct loom_op_id id;
	struct loom_str out = LOOM_STR("");

	if (loom_request_next(run->store, &id)) {
		loom_hex(id.bytes, sizeof id.bytes, &hex);
		out = loom_arena_buf(run->arena, &hex);
	}
	loom_buf_fini(&hex);
	return out;
}

void engine_unsent_begin(struct engine_run *run)
{
	const struct loom_engine *engine = run->engine;
	struct loom_draft *draft = NULL;
	struct loom_call call;
	char tree[LOOM_ULID_CHARS + 1] = "";

	LOOM_ASSERT(run->call && !run->unsent);
	call = *run->call;
	if (!engine->human || engine->opts.dry_run || !call.content.n ||
	    !loom_store_shared_log(run->store) || place(run, &call, NULL) != LOOM_OK)
		return;
	draft = LOOM_ARENA_NEW(run->arena, struct loom_draft);
	describe(run, &call, draft);
	draft->id = engine->opts.draft;
	if (run->tree.id)
		loom_ulid_text(&run->tree.ulid, tree);
	draft->tree = loom_arena_str(run->arena, loom_str_of(tree));
	run->was_kept = find_kept(run, draft);
	if (!draft->id.n)
		draft->id = loom_draft_name(run->arena);
	if (!draft->op.n)
		draft->op = id_of_request(run);
	run->unsent = draft;
}

/* A call that joins an operation has none of its own. */
void engine_unsent_name(const struct engine_run *run, struct loom_op_spec *spec)
{
	if (!run->unsent || spec->join)
		return;
	spec->has_id = true;
	loom_draft_op(run->unsent, spec->id.bytes);
}

bool engine_unsent_is_in(struct engine_run *run)
{
	struct loom_op_id id;
	struct loom_op op;
	int64_t number = 0;

	if (!run->unsent || loom_request_next(run->store, &id))
		return false; /* who repeats a request is told what it did */
	loom_draft_op(run->unsent, id.bytes);
	if (loom_op_by_id(run->store, &id, &number, NULL) != LOOM_OK || !number ||
	    loom_op_get(run->store, number, run->arena, &op, NULL) != LOOM_OK)
		return false;
	loom_buf_clear(run->out);
	loom_buf_addf(run->out, "✓ done already: operation %lld: %.*s", (long long)number,
		      LOOM_STR_ARG(op.text));
	return true;
}

void engine_unsent_drop(const struct engine_run *run)
{
	if (run->was_kept)
		(void)!loom_draft_drop(run->store, run->unsent->id, NULL);
}

bool engine_keep_unsent(struct engine_run *run, struct loom_err *err)
{
	char why[sizeof err->text];
	struct loom_str id;

	LOOM_ASSERT(err->status == LOOM_OFFLINE);
	if (!run->unsent ||
	    loom_draft_save(run->store, run->unsent, run->arena, &id, NULL) != LOOM_OK)
		return false;
	snprintf(why, sizeof why, "%s", err->text);
	loom_fail(err, LOOM_OFFLINE, "%s; your text is kept as a draft", why);
	loom_hint(err, LOOM_OFFLINE, "loom drafts send");
	return true;
}
