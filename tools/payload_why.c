/* `loom payload --why`: which rule of which file and line shows or hides a path, and who lists it.
 */
#include "payload_impl.h"

#include <loom/ignore.h>

/* Whether a list's entry names a path: itself, or a folder above it. */
static bool covers(const struct loom_payload_entry *entry, struct loom_str path)
{
	struct loom_str target = entry->target;

	if (entry->url || entry->outside || loom_str_eq(target, path))
		return loom_str_eq(target, path);
	return !target.n || (loom_str_starts(path, target) && path.p[target.n] == '/');
}

/* A path that is asked about, and what is known of it. */
struct asked {
	struct loom_str path; /* from the root; "." for the root itself */
	bool url;
	bool there;
	struct loom_ignore_why why;
	struct loom_str below; /* the first that shows below a hidden folder, or empty */
	const struct loom_payload_entry *entries;
	size_t entry_count;
	struct loom_arena *arena;
};

static void say_why(struct loom_cli *cli, const struct asked *asked)
{
	const struct loom_ignore_why *why = &asked->why;
	bool above = !loom_str_eq(why->at, asked->path);

	loom_out_textf(cli->out, "%.*s: %s%s", LOOM_STR_ARG(asked->path),
		       asked->there ? "" : "not there, would be ",
		       why->hidden ? "hidden" : "shown");
	if (why->file.n)
		loom_out_textf(cli->out, " by %.*s:%zu: %.*s", LOOM_STR_ARG(why->file), why->line,
			       LOOM_STR_ARG(why->rule));
	else if (why->built_in)
		loom_out_textf(cli->out, ": %s", why->built_in);
	else
		loom_out_texts(cli->out, ": no rule matches");
	if (above && (why->file.n || why->built_in))
		loom_out_textf(cli->out, " (decided at %.*s)", LOOM_STR_ARG(why->at));
	if (asked->below.n)
		loom_out_textf(cli->out, "; its line stands for what shows below it, such as %.*s",
			       LOOM_STR_ARG(asked->below));
	loom_out_texts(cli->out, "\n");
}

static void say_scopes(struct loom_cli *cli, const struct asked *asked)
{
	bool named = false;

	for (size_t i = 0; i < asked->entry_count; i++) {
		const struct loom_payload_entry *entry = &asked->entries[i];

		if (!covers(entry, asked->path))
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

		if (!covers(entry, asked->path))
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
	const struct loom_ignore_why *why = &asked->why;
	struct loom_json *json = loom_out_json_begin(cli->out);

	loom_json_object(json);
	loom_json_put(json, "path", asked->path);
	loom_json_put_bool(json, "there", asked->there);
	loom_json_put_bool(json, "hidden", why->hidden);
	loom_json_put(json, "at", why->at);
	loom_json_put(json, "file", why->file);
	loom_json_put_int(json, "line", (int64_t)why->line);
	loom_json_put(json, "rule", why->rule);
	loom_json_put(json, "reason", loom_str_of(why->built_in ? why->built_in : ""));
	loom_json_put(json, "below", asked->below);
	scopes_json(json, asked);
	loom_json_end_object(json);
	loom_out_json_end(cli->out);
}

static bool stop_at_first(void *ctx, const struct loom_seen *seen)
{
	struct asked *asked = ctx;

	asked->below = loom_arena_str(asked->arena, seen->path);
	return false;
}

/* Which rule decides; and of a hidden folder, whether its line is in the tree all the same. */
static enum loom_status look_at(const struct tool_project *project, struct asked *asked,
				bool folder, struct loom_err *err)
{
	struct loom_walk_opts opts = {.below = asked->path};
	struct loom_file_info info;
	enum loom_status status =
		loom_ignore_explain(&project->root,
				    loom_arena_format(asked->arena, "%.*s%s",
						      LOOM_STR_ARG(asked->path), folder ? "/" : ""),
				    asked->arena, &asked->why, err);

	asked->there = loom_path_info(&project->root, asked->path, false, &info, NULL) == LOOM_OK;
	if (status == LOOM_OK && asked->there && asked->why.hidden && info.kind == LOOM_FILE_FOLDER)
		(void)!loom_ignore_walk(&project->root, &opts, stop_at_first, asked, NULL);
	if (!asked->path.n)
		asked->path = asked->why.at = LOOM_STR(".");
	return status;
}

/* What the lists of a session name, or what a thread holds. */
static enum loom_status read_entries(struct loom_cli *cli, struct tool_project *project,
				     struct asked *asked, struct loom_err *err)
{
	struct loom_payload_opts opts = {.given = false};
	struct loom_payload_lists lists;
	enum loom_status status = LOOM_OK;

	if (loom_args_has(cli->args, "--thread")) {
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
	struct asked asked = {.arena = cli->arena, .there = true};
	struct loom_str said = loom_args_str(cli->args, "--why");
	struct loom_payload_entry entry;
	enum loom_status status =
		said.n ? read_entries(cli, project, &asked, err) : tool_payload_empty("--why", err);

	if (status != LOOM_OK)
		return status;
	said = tool_payload_from_root(cli, project, said);
	entry = loom_payload_entry_make(&project->place, LOOM_SCOPE_TURN, said, cli->arena);
	asked.path = asked.why.at = entry.target;
	asked.url = entry.url;
	if (entry.outside)
		return loom_fail(err, LOOM_PATH, "%.*s leaves the root", LOOM_STR_ARG(said));
	if (!entry.url)
		status = look_at(project, &asked, said.p[said.n - 1] == '/', err);
	if (status != LOOM_OK)
		return status;
	if (cli->json) {
		why_json(cli, &asked);
		return LOOM_OK;
	}
	if (!entry.url)
		say_why(cli, &asked);
	else
		loom_out_textf(cli->out, "%.*s: a URL\n", LOOM_STR_ARG(entry.target));
	say_scopes(cli, &asked);
	return LOOM_OK;
}
