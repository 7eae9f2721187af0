/* Unsent texts: half-written ones and the losing sides of conflicts. They lie beside the grove, not
 * in it. */
#include <loom/cli/services.h>

#include <loom/grove/draft.h>

#include <loom/cli/open_grove.h>

#include <loom/commands/args_of.def>
#include <loom/commands/waiting.def>

static void draft_json(struct loom_json *json, const struct loom_draft *draft, bool text)
{
	loom_json_object(json);
	loom_json_put(json, "id", draft->id);
	loom_json_put(json, "kind", draft->kind);
	loom_json_put(json, "anchor", draft->anchor);
	loom_json_put(json, "tree", draft->tree);
	tool_json_time(json, "saved", draft->saved);
	loom_json_put(json, "why", draft->why);
	if (text)
		loom_json_put(json, "text", draft->text);
	else
		loom_json_put_int(json, "bytes", (int64_t)draft->text.n);
	loom_json_end_object(json);
}

static void say_drafts(struct tool_grove *grove, const struct loom_draft *drafts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tool_say_line(grove, "%.*s %.*s · %.*s \"%.*s\" · %.*s bytes",
			      LOOM_STR_ARG(drafts[i].id),
			      LOOM_STR_ARG(tool_ago(grove, drafts[i].saved)),
			      LOOM_STR_ARG(drafts[i].kind), LOOM_STR_ARG(drafts[i].anchor),
			      LOOM_STR_ARG(tool_count(grove, (int64_t)drafts[i].text.n)));
}

static enum loom_status run_list(struct tool_grove *grove, struct loom_err *err)
{
	struct loom_draft *drafts = NULL;
	struct loom_json *json = NULL;
	size_t count = 0;
	enum loom_status status = loom_draft_list(grove->store, grove->arena, &drafts, &count, err);

	if (status)
		return status;
	if (!grove->cli->json) {
		say_drafts(grove, drafts, count);
		if (!count)
			loom_out_note(grove->cli->out, "there are no drafts");
		return LOOM_OK;
	}
	json = loom_out_json_begin(grove->cli->out);
	loom_json_object(json);
	loom_json_key(json, "drafts");
	loom_json_array(json);
	for (size_t i = 0; i < count; i++)
		draft_json(json, &drafts[i], false);
	loom_json_end_array(json);
	loom_json_end_object(json);
	loom_out_json_end(grove->cli->out);
	return LOOM_OK;
}

static enum loom_status run_show(struct tool_grove *grove, struct loom_err *err)
{
	struct loom_draft draft;
	enum loom_status status = loom_draft_get(grove->store, args_of_drafts_show(grove->cli)->id,
						 grove->arena, &draft, err);

	if (status == LOOM_NOT_FOUND)
		return loom_hint(err, status, "`loom drafts` lists them");
	if (status)
		return status;
	if (grove->cli->json) {
		draft_json(loom_out_json_begin(grove->cli->out), &draft, true);
		loom_out_json_end(grove->cli->out);
		return LOOM_OK;
	}
	loom_out_text(grove->cli->out, draft.text);
	if (draft.text.n && draft.text.p[draft.text.n - 1] != '\n')
		loom_out_texts(grove->cli->out, "\n");
	return LOOM_OK;
}

/* All of them are there, or none is thrown away. */
static enum loom_status drop(struct loom_store *store, void *ctx, struct loom_err *err)
{
	struct tool_grove *grove = ctx;
	const struct args_of_drafts_drop *args = args_of_drafts_drop(grove->cli);
	size_t count = args->id.n;
	struct loom_draft draft;
	enum loom_status status = LOOM_OK;

	for (size_t i = 0; !status && i < count; i++)
		status = loom_draft_get(store, args->id.p[i], grove->arena, &draft, err);
	for (size_t i = 0; !status && i < count; i++) {
		status = loom_draft_drop(store, args->id.p[i], err);
		/* Named twice, or somebody else was faster: it is gone. */
		if (status == LOOM_NOT_FOUND)
			status = LOOM_OK;
	}
	return status;
}

static enum loom_status run_drop(struct tool_grove *grove, struct loom_err *err)
{
	const struct args_of_drafts_drop *args = args_of_drafts_drop(grove->cli);
	size_t count = args->id.n;
	struct tool_work work = {.what = "dropping",
				 .access = LOOM_READ,
				 .run = drop,
				 .ctx = grove};
	struct loom_json *json = NULL;
	enum loom_status status = tool_grove_work(grove, &work, err);

	if (status == LOOM_NOT_FOUND)
		return loom_hint(err, status, "`loom drafts` lists them");
	if (status)
		return status;
	for (size_t i = 0; i < count; i++)
		tool_say_done(grove, "dropped %s", args->id.p[i].p);
	if (!grove->cli->json)
		return LOOM_OK;
	json = loom_out_json_begin(grove->cli->out);
	loom_json_object(json);
	loom_json_key(json, "dropped");
	loom_json_array(json);
	for (size_t i = 0; i < count; i++)
		loom_json_text(json, args->id.p[i]);
	loom_json_end_array(json);
	loom_json_end_object(json);
	loom_out_json_end(grove->cli->out);
	return LOOM_OK;
}

enum loom_status tool_cmd_drafts(struct loom_cli *cli, struct loom_err *err)
{
	return tool_grove_run(cli, NULL, run_list, err);
}

enum loom_status tool_cmd_drafts_list(struct loom_cli *cli, struct loom_err *err)
{
	return tool_cmd_drafts(cli, err);
}

enum loom_status tool_cmd_drafts_show(struct loom_cli *cli, struct loom_err *err)
{
	return tool_grove_run(cli, NULL, run_show, err);
}

enum loom_status tool_cmd_drafts_drop(struct loom_cli *cli, struct loom_err *err)
{
	return tool_grove_run(cli, NULL, run_drop, err);
}
