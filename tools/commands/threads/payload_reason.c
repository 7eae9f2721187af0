/* `loom payload --why`: shows which rule, in which file and line, hides or shows a path, and which
 * scope lists it. */
#include "inside.h"

#include <loom/payload/payload_why.h>

#include <loom/commands/args_of.def>
#include <loom/commands/context.def>

/* The path in question, and the entries that may name it. */
struct asked {
	struct loom_payload_why why;
	const struct loom_payload_entry *entries;
	size_t entry_count;
};

/* Every rule that matches, whether it counts or not. */
static void answer_matches(struct loom_cli *cli, const struct loom_ignore_why *rule)
{
	loom_answer_list(cli, "matched");
	for (size_t i = 0; i < rule->match_count; i++) {
		const struct loom_ignore_match *match = &rule->matches[i];

		loom_answer_map(cli, NULL);
		loom_answer_text(cli, "file", match->file);
		loom_answer_number(cli, "line", (int64_t)match->line);
		loom_answer_text(cli, "rule", match->rule);
		loom_answer_text(cli, "at", match->at);
		loom_answer_end(cli);
	}
	loom_answer_end(cli);
}

static void answer_rule(struct loom_cli *cli, const struct loom_payload_why *why)
{
	const struct loom_ignore_why *rule = &why->rule;
	struct loom_buf text = LOOM_BUF_INIT(LOOM_BUF_MAX);

	loom_answer_text(cli, "path", why->path);
	loom_answer_flag(cli, "there", why->there);
	loom_answer_flag(cli, "hidden", rule->hidden);
	loom_answer_text(cli, "at", rule->at);
	loom_answer_text(cli, "file", rule->file);
	loom_answer_number(cli, "line", (int64_t)rule->line);
	loom_answer_text(cli, "rule", rule->rule);
	loom_answer_text(cli, "reason", loom_str_of(rule->built_in ? rule->built_in : ""));
	loom_answer_text(cli, "below", why->below);
	answer_matches(cli, rule);
	loom_payload_why_say(why, &text);
	loom_answer_line(cli, "%.*s: %.*s", LOOM_STR_ARG(why->path),
			 LOOM_STR_ARG(loom_buf_str(&text)));
	loom_buf_fini(&text);
}

static void answer_scope(struct loom_cli *cli, const struct loom_payload_entry *entry)
{
	const char *scope = loom_scope_name(entry->scope);
	struct loom_str place = LOOM_STR("");

	if (entry->file.n)
		place = loom_arena_format(cli->arena, "%.*s:%zu: ", LOOM_STR_ARG(entry->file),
					  entry->line);
	loom_answer_map(cli, NULL);
	loom_answer_text(cli, "scope", loom_str_of(scope));
	loom_answer_text(cli, "file", entry->file);
	loom_answer_number(cli, "line", (int64_t)entry->line);
	loom_answer_text(cli, "target", entry->target);
	loom_answer_line(cli, "  %s: %.*s%.*s", scope, LOOM_STR_ARG(place),
			 LOOM_STR_ARG(entry->target));
	loom_answer_end(cli);
}

static void answer_scopes(struct loom_cli *cli, const struct asked *asked)
{
	bool named = false;

	loom_answer_list(cli, "scopes");
	for (size_t i = 0; i < asked->entry_count; i++) {
		if (!loom_payload_why_named(&asked->why, &asked->entries[i]))
			continue;
		named = true;
		answer_scope(cli, &asked->entries[i]);
	}
	if (!named)
		loom_answer_line(cli, "  no scope lists it");
}

/* Reads the entries of a session's lists, or of a thread. */
static enum loom_status read_entries(struct loom_cli *cli, struct threads_project *project,
				     struct asked *asked, struct loom_err *err)
{
	struct loom_payload_opts opts = {.given = false};
	struct loom_payload_lists lists;
	enum loom_status status = LOOM_OK;

	if (args_of_payload(cli)->thread.p) {
		status = threads_payload_of_thread(cli, project, &opts, err);
		asked->entries = opts.entries;
		asked->entry_count = opts.entry_count;
		return status;
	}
	status = loom_payload_lists_read(&project->place, cli->arena, &lists, err);
	asked->entries = lists.entries;
	asked->entry_count = lists.count;
	return status;
}

enum loom_status threads_payload_why(struct loom_cli *cli, struct threads_project *project,
				     struct loom_err *err)
{
	struct asked asked = {.entries = NULL};
	struct loom_str said = args_of_payload(cli)->why;
	enum loom_status status = said.n ? read_entries(cli, project, &asked, err)
					 : threads_payload_empty("--why", err);

	if (status == LOOM_OK)
		status = loom_payload_explain(&project->place,
					      threads_payload_from_root(cli, project, said),
					      cli->arena, &asked.why, err);
	if (status != LOOM_OK)
		return status;
	answer_rule(cli, &asked.why);
	answer_scopes(cli, &asked);
	return LOOM_OK;
}
