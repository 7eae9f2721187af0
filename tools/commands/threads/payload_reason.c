/* `loom payload --why`: which rule of which file and line shows or hides a path, and who lists it.
 */
#include "inside.h"

#include <loom/payload/payload_why.h>

#include <loom/commands/args_of.def>
#include <loom/commands/context.def>

/* A path that is asked about, and the entries that may name it. */
struct asked {
	struct loom_payload_why why;
	const struct loom_payload_entry *entries;
	size_t entry_count;
};

static void say_why(struct loom_cli *cli, const struct loom_payload_why *why)
{
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_payload_why_say(why, &text);
	loom_out_textf(cli->out, "%.*s: %.*s\n", LOOM_STR_ARG(why->path),
		       LOOM_STR_ARG(loom_buf_str(&text)));
	loom_buf_fini(&text);
}

static void say_scopes(struct loom_cli *cli, const struct asked *asked)
{
	bool named = false;

	for (size_t i = 0; i < asked->entry_count; i++) {
		const struct loom_payload_entry *entry = &asked->entries[i];

		if (!loom_payload_why_named(&asked->why, entry))
			continue;
		named = true;
		loom_out_textf(cli->out, "  %s: ", loom_scope_name(entry->scope));
		if (entry->file.n)
			loom_out_textf(cli->out, "%.*s:%zu: ", LOOM_STR_ARG(entry->file),
				       entry->line);
		loom_out_textf(cli->out, "%.*s\n", LOOM_STR_ARG(entry->target));
	}
	if (!named)
		loom_out_texts(cli->out, "  no scope names it\n");
}

static void scopes_json(struct loom_json *json, const struct asked *asked)
{
	loom_json_key(json, "scopes");
	loom_json_array(json);
	for (size_t i = 0; i < asked->entry_count; i++) {
		const struct loom_payload_entry *entry = &asked->entries[i];

		if (!loom_payload_why_named(&asked->why, entry))
			continue;
		loom_json_object(json);
		loom_json_put(json, "scope", loom_str_of(loom_scope_name(entry->scope)));
		loom_json_put(json, "file", entry->file);
		loom_json_put_int(json, "line", (int64_t)entry->line);
		loom_json_put(json, "target", entry->target);
		loom_json_end_object(json);
	}
	loom_json_end_array(json);
}

static void why_json(struct loom_cli *cli, const struct asked *asked)
{
	const struct loom_ignore_why *rule = &asked->why.rule;
	struct loom_json *json = loom_out_json_begin(cli->out);

	loom_json_object(json);
	loom_json_put(json, "path", asked->why.path);
	loom_json_put_bool(json, "there", asked->why.there);
	loom_json_put_bool(json, "hidden", rule->hidden);
	loom_json_put(json, "at", rule->at);
	loom_json_put(json, "file", rule->file);
	loom_json_put_int(json, "line", (int64_t)rule->line);
	loom_json_put(json, "rule", rule->rule);
	loom_json_put(json, "reason", loom_str_of(rule->built_in ? rule->built_in : ""));
	loom_json_put(json, "below", asked->why.below);
	scopes_json(json, asked);
	loom_json_end_object(json);
	loom_out_json_end(cli->out);
}

/* What the lists of a session name, or what a thread holds. */
static enum loom_status read_entries(struct loom_cli *cli, struct tool_project *project,
				     struct asked *asked, struct loom_err *err)
{
	struct loom_payload_opts opts = {.given = false};
	struct loom_payload_lists lists;
	enum loom_status status = LOOM_OK;

	if (args_of_payload(cli)->thread.p) {
		status = tool_payload_of_thread(cli, project, &opts, err);
		asked->entries = opts.entries;
		asked->entry_count = opts.entry_count;
		return status;
	}
	status = loom_payload_lists_read(&project->place, cli->arena, &lists, err);
	asked->entries = lists.entries;
	asked->entry_count = lists.count;
	return status;
}

enum loom_status tool_payload_why(struct loom_cli *cli, struct tool_project *project,
				  struct loom_err *err)
{
	struct asked asked = {.entries = NULL};
	struct loom_str said = args_of_payload(cli)->why;
	enum loom_status status =
		said.n ? read_entries(cli, project, &asked, err) : tool_payload_empty("--why", err);

	if (status == LOOM_OK)
		status = loom_payload_explain(&project->place,
					      tool_payload_from_root(cli, project, said),
					      cli->arena, &asked.why, err);
	if (status != LOOM_OK)
		return status;
	if (cli->json) {
		why_json(cli, &asked);
		return LOOM_OK;
	}
	say_why(cli, &asked.why);
	say_scopes(cli, &asked);
	return LOOM_OK;
}
