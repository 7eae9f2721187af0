/* Drafts: unsent texts, and texts that lost a conflict. They are stored beside the grove, not in
 * it. */
#include <loom/cli/services.h>

#include <loom/grove/draft.h>

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
