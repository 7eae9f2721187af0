/* Drafts: unsent texts, and texts that lost a conflict. They are stored beside the grove, not in
 * it. */
#include <loom/cli/services.h>

#include <loom/chat/session.h>
#include <loom/grove/draft.h>
#include <loom/language/call.h>
#include <loom/language/parse.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/waiting.def>

static void describe(struct loom_cli *cli, const struct loom_draft *draft)
{
	loom_answer_text(cli, "id", draft->id);
	loom_answer_text(cli, "kind", draft->kind);
	loom_answer_text(cli, "anchor", draft->anchor);
	loom_answer_text(cli, "tree", draft->tree);
	loom_answer_time(cli, "saved", draft->saved);
	loom_answer_text(cli, "why", draft->why);
}

static enum loom_status run_list(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_draft *drafts = NULL;
	size_t count = 0;
	enum loom_status status = loom_draft_list(grove->store, grove->arena, &drafts, &count, err);

	if (status)
		return status;
	loom_answer_list(cli, "drafts");
	for (size_t i = 0; i < count; i++) {
		int64_t bytes = (int64_t)drafts[i].text.n;

		loom_answer_map(cli, NULL);
		describe(cli, &drafts[i]);
		loom_answer_number(cli, "bytes", bytes);
		loom_answer_line(cli, "%.*s %.*s · %.*s \"%.*s\" · %s", LOOM_STR_ARG(drafts[i].id),
				 LOOM_STR_ARG(cli_ago(grove, drafts[i].saved)),
				 LOOM_STR_ARG(drafts[i].kind), LOOM_STR_ARG(drafts[i].anchor),
				 loom_answer_many(cli, bytes, "bytes", "bytes"));
		loom_answer_end(cli);
	}
	if (!count)
		loom_answer_note(cli, "there are no drafts");
	return LOOM_OK;
}

static enum loom_status run_show(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_cli *cli = grove->cli;
	struct loom_draft draft;
	enum loom_status status = loom_draft_get(grove->store, args_of_drafts_show(cli)->id,
						 grove->arena, &draft, err);

	if (status == LOOM_NOT_FOUND)
		return loom_hint(err, status, "`loom drafts` lists them");
	if (status)
		return status;
	describe(cli, &draft);
	loom_answer_text(cli, "text", draft.text);
	loom_answer_page(cli, draft.text);
	return LOOM_OK;
}

/* Deletes all of the drafts or, if one is missing, none. */
static enum loom_status drop(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct cli_grove *grove = ctx;
	const struct args_of_drafts_drop *args = args_of_drafts_drop(grove->cli);
	size_t count = args->id.n;
	struct loom_draft draft;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; !status && i < count; i++)
		status = loom_draft_get(store, args->id.p[i], grove->arena, &draft, err);
	for (size_t i = 0; !status && i < count; i++) {
		status = loom_draft_drop(store, args->id.p[i], err);
		/* It was named twice, or another process deleted it. */
		if (status == LOOM_NOT_FOUND)
			status = LOOM_OK;
	}
	return status;
}

static enum loom_status run_drop(struct cli_grove *grove, struct loom_err *err)
{
	const struct args_of_drafts_drop *args = args_of_drafts_drop(grove->cli);
	size_t count = args->id.n;
	struct cli_work work = {.what = "dropping", .access = LOOM_READ, .run = drop, .ctx = grove};
	enum loom_status status = cli_grove_work(grove, &work, err);

	if (status == LOOM_NOT_FOUND)
		return loom_hint(err, status, "`loom drafts` lists them");
	if (status)
		return status;
	for (size_t i = 0; i < count; i++)
		loom_answer_done(grove->cli, "dropped %s", args->id.p[i].p);
	loom_answer_texts(grove->cli, "dropped", args->id.p, count);
	return LOOM_OK;
}

/* --- send --- */

static enum loom_status refuse_document(const struct loom_draft *draft, struct loom_err *err)
{
	loom_fail(err, LOOM_REFUSED,
		  "%.*s is the text of a document, which others may have changed",
		  LOOM_STR_ARG(draft->id));
	return loom_hint(err, LOOM_REFUSED, "loom drafts show %.*s | loom doc write '%.*s'",
			 LOOM_STR_ARG(draft->id), LOOM_STR_ARG(draft->anchor));
}

/* The call that a draft waits to be; it borrows from the draft. */
static enum loom_status call_of(struct cli_grove *grove, const struct loom_draft *draft,
				struct loom_call *out, struct loom_err *err)
{
	char *line = loom_arena_cstr(grove->arena, draft->text);
	struct loom_refusal refusal;
	const bool edit = loom_str_is(draft->kind, "edit");

	if (loom_str_is(draft->kind, "line")) {
		if (loom_parse_line(grove->arena, loom_str_of(line), out, &refusal) == LOOM_OK)
			return LOOM_OK;
		loom_refusal_err(&refusal, err);
		return err ? err->status : refusal.status;
	}
	if (!edit && !loom_str_is(draft->kind, "text"))
		return refuse_document(draft, err);
	if (!draft->anchor.n) {
		loom_fail(err, LOOM_REFUSED, "%.*s hangs on no node", LOOM_STR_ARG(draft->id));
		return loom_hint(err, LOOM_REFUSED, "loom new --root \"$(loom drafts show %.*s)\"",
				 LOOM_STR_ARG(draft->id));
	}
	*out = loom_call_of(edit ? LOOM_VERB_EDIT : LOOM_VERB_RESPOND);
	out->id = draft->anchor;
	out->content = draft->text;
	return LOOM_OK;
}

static enum loom_status send_one(struct cli_grove *grove, const struct loom_draft *draft,
				 struct loom_err *err)
{
	struct chat_session session;
	struct loom_call call;
	struct loom_tree tree;
	struct loom_act act = {.call = &call};
	enum loom_status status = call_of(grove, draft, &call, err);

	if (status == LOOM_OK && draft->tree.n)
		status = cli_grove_tree(grove, draft->tree, &tree, err);
	if (status != LOOM_OK)
		return status;
	chat_session_init(&session, grove, &grove->actor);
	session.engine.tree = draft->tree.n ? tree.id : 0;
	session.engine.draft = draft->id;
	session.one = true;
	loom_turn_log_init(&session.log, LOOM_STR(""));
	session.log.face.record = NULL;
	session.engine.log = &session.log.face;
	status = chat_session_act(&session, &act, 1, err);
	grove->cli->found |= session.failed;
	if (status != LOOM_OK || session.failed)
		return status;
	status = loom_draft_drop(grove->store, draft->id, err);
	return status == LOOM_NOT_FOUND ? LOOM_OK : status;
}

/* The drafts that were named, or those that wait, the oldest first. */
static enum loom_status choose(struct cli_grove *grove, struct loom_draft **out, size_t *out_count,
			       struct loom_err *err)
{
	const struct args_of_drafts_send *args = args_of_drafts_send(grove->cli);
	struct loom_draft *all = NULL;
	size_t count = 0;
	enum loom_status status = LOOM_OK;

	*out_count = 0;
	if (args->id.n) {
		*out = LOOM_ARENA_ARRAY(grove->arena, args->id.n, struct loom_draft);
		for (size_t i = 0; !status && i < args->id.n; i++)
			status = loom_draft_get(grove->store, args->id.p[i], grove->arena,
						&(*out)[(*out_count)++], err);
		return status == LOOM_NOT_FOUND ? loom_hint(err, status, "`loom drafts` lists them")
						: status;
	}
	status = loom_draft_list(grove->store, grove->arena, &all, &count, err);
	*out = LOOM_ARENA_ARRAY(grove->arena, count + 1, struct loom_draft);
	for (size_t i = count; !status && i-- > 0;)
		if (loom_str_is(all[i].why, LOOM_DRAFT_WAITS) &&
		    !loom_str_is(all[i].kind, "document"))
			(*out)[(*out_count)++] = all[i];
	return status;
}

static enum loom_status run_send(struct cli_grove *grove, struct loom_err *err)
{
	struct loom_draft *drafts = NULL;
	size_t count = 0;
	size_t sent = 0;
	enum loom_status status = choose(grove, &drafts, &count, err);

	loom_answer_list(grove->cli, "calls");
	while (!status && sent < count && !grove->cli->found) {
		status = send_one(grove, &drafts[sent], err);
		sent += !status && !grove->cli->found;
	}
	loom_answer_end(grove->cli);
	loom_answer_number(grove->cli, "sent", (int64_t)sent);
	if (!status && !count)
		loom_answer_note(grove->cli, "no draft waits for the shared log");
	else if (sent)
		loom_answer_done(grove->cli, "sent %s",
				 loom_answer_many(grove->cli, (int64_t)sent, "draft", "drafts"));
	return status;
}

enum loom_status cmd_drafts_send(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_send, err);
}

/* --- */

enum loom_status cmd_drafts(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_list, err);
}

enum loom_status cmd_drafts_list(struct loom_cli *cli, struct loom_err *err)
{
	return cmd_drafts(cli, err);
}

enum loom_status cmd_drafts_show(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_show, err);
}

enum loom_status cmd_drafts_drop(struct loom_cli *cli, struct loom_err *err)
{
	return cli_grove_run(cli, NULL, run_drop, err);
}
