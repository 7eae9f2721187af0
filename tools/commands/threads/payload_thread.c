/* The payload of a thread: the contents of the files that its `<thread_context>` names. */
#include "inside.h"

#include "leslie_of.h"

#include <loom/commands/args_of.def>
#include <loom/commands/context.def>

struct entries {
	struct loom_arena *arena;
	struct loom_payload_entry *items;
	size_t count;
	size_t cap;
};

/* Directories have a trailing slash in the block, but not in a payload. */
static struct loom_str bare(struct loom_str path)
{
	return path.n && path.p[path.n - 1] == '/' ? loom_str_sub(path, 0, path.n - 1) : path;
}

static void add(struct entries *entries, enum loom_scope scope, struct loom_str target,
		struct loom_str source)
{
	entries->items = loom_arena_grow(entries->arena, entries->items, entries->count,
					 &entries->cap, sizeof *entries->items);
	entries->items[entries->count++] = (struct loom_payload_entry){
		.scope = scope,
		.target = bare(target),
		.source = loom_str_eq(target, source) ? LOOM_STR("") : bare(source),
		.everything = true,
	};
}

static void add_assets(struct entries *entries, enum loom_scope scope,
		       const struct loom_asset_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		add(entries, scope, list->items[i].path, list->items[i].read_path);
}

static void add_plan(struct entries *entries, const struct threads_project *project)
{
	struct loom_file_info info;

	if (loom_path_info(&project->root, LOOM_STR(LOOM_LESLIE_GLOBAL_PLAN), false, &info, NULL) ==
	    LOOM_OK)
		add(entries, LOOM_SCOPE_GLOBAL, LOOM_STR(LOOM_LESLIE_GLOBAL_PLAN),
		    LOOM_STR(LOOM_LESLIE_GLOBAL_PLAN));
}

static enum loom_status read_context(struct loom_cli *cli, struct loom_leslie *leslie,
				     struct loom_thread_context *out, struct loom_err *err)
{
	struct loom_leslie_warnings warnings = {0};
	struct loom_leslie_err refusal = {0};
	enum loom_status status =
		loom_leslie_context(leslie, args_of_payload(cli)->thread, LOOM_CONTEXT_LOAD,
				    cli->arena, out, &warnings, &refusal);

	for (size_t i = 0; i < warnings.count; i++)
		loom_out_warn(cli->out, "%.*s", LOOM_STR_ARG(warnings.items[i]));
	/* Refuses like all commands about threads. */
	return status == LOOM_OK ? LOOM_OK : threads_leslie_refused(cli, &refusal, err);
}

enum loom_status threads_payload_of_thread(struct loom_cli *cli, struct threads_project *project,
					   struct loom_payload_opts *opts, struct loom_err *err)
{
	struct loom_leslie_opts how = {
		.start = loom_arena_cstr(cli->arena, loom_buf_str(&project->path)),
		.env = &cli->env,
		.operator_ = cli->agent ? "agent" : "user",
		.refused = project->store,
		.refused_count = project->root.refused_count,
	};
	struct entries entries = {.arena = cli->arena};
	struct loom_thread_context context = {0};
	struct threads_leslie call = {.cli = cli};
	struct loom_leslie *leslie = NULL;
	enum loom_status status = threads_leslie_own(&call, args_of_payload(cli)->thread);

	if (status != LOOM_OK)
		return threads_leslie_refused(cli, &call.err, err);
	status = loom_leslie_open(&how, &leslie, err);
	if (status == LOOM_OK)
		status = read_context(cli, leslie, &context, err);
	if (status == LOOM_OK)
		status = threads_project_move(cli, project, loom_str_of(loom_leslie_root(leslie)),
					      err);
	if (status == LOOM_OK) {
		add_assets(&entries, LOOM_SCOPE_TURN, &context.assets);
		for (size_t i = 0; i < context.ref_count; i++)
			add_assets(&entries, LOOM_SCOPE_SESSION, &context.refs[i].assets);
		add_plan(&entries, project);
		opts->given = true;
		opts->entries = entries.items;
		opts->entry_count = entries.count;
	}
	loom_leslie_close(leslie);
	return status;
}
